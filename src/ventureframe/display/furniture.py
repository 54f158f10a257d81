"""What a notebook carries for tables and figures, and how it shows a doubt: once, as
data.

The first cell of a notebook that shows a table, a figure or a form carries style and
script in an output of its own, and again whenever it is run again; no other cell does.
A table made where no notebook runs carries them itself, because it may be saved and
opened alone. Without them, as where JupyterLab does not yet trust a notebook, a table
is a plain one. Nothing is requested.

As an IPython extension, loaded by a report's kernel and by a form, it shows an
`EvidenceWarning` as an output of its cell; elsewhere one goes to standard error,
with a line of this package.
"""

import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from ventureframe.errors import EvidenceWarning
from ventureframe.interface.source import FACTS

# where a shell keeps which cell carries it, and in which run
_CARRIER = "ventureframe"


@cache
def read(name: str) -> str:
    """Read `table.css` or `table.js`."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def furniture() -> str:
    """Style and script as a notebook has them; a report leaves them out of its
    cells.
    """
    return f"<style>{read('table.css')}</style>\n<script>{read('table.js')}</script>\n"


def running_cell() -> tuple[str | None, str | None]:
    """The id of the notebook's cell that runs now, and which run of it this is.

    Both are None where none runs, as where a press on a button is answered. A front
    end that gives its cells no id has their code as one.
    """
    request: Any = getattr(_shell(), "get_parent", dict)()
    header = request.get("header", {})
    if header.get("msg_type") != "execute_request":
        return None, None
    return (
        request["metadata"].get("cellId") or request["content"]["code"],
        header["msg_id"],
    )


def is_carried() -> bool:
    """Whether a cell of the running notebook carries them; the one that runs does if
    none did.
    """
    cell, run = running_cell()
    meta = getattr(_shell(), "meta", {})
    carrier, last = meta.get(_CARRIER, (cell, None))
    if cell is not None and carrier == cell and last != run:
        meta[_CARRIER] = cell, run
        _display({"text/html": furniture()})
    return _CARRIER in meta


def show_doubts() -> None:
    """Load this module as an extension into the kernel that it runs in, where it
    runs in one.
    """
    if extensions := getattr(_shell(), "extension_manager", None):
        extensions.load_extension(__name__)


def load_ipython_extension(_: object) -> None:
    """From now on display an `EvidenceWarning`, and show every other warning as
    before.
    """
    before = warnings.showwarning

    def show(
        message: Warning | str, category: type[Warning], *where: Any, **more: Any
    ) -> None:
        text = str(message)
        if issubclass(category, EvidenceWarning):
            _display({"text/plain": text}, metadata={FACTS: {"warning": text}})
        else:
            before(message, category, *where, **more)

    warnings.showwarning = show


def _display(data: dict[str, str], **more: Any) -> None:
    from IPython.display import display  # noqa: PLC0415  # only a notebook displays

    display(data, raw=True, **more)


def _shell() -> Any:
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()
