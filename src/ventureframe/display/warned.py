"""Evidence warnings as outputs of their cell, with the text as data beside it.

A report's kernel loads this as an IPython extension, and so does a form; elsewhere a warning goes
to standard error, as Python shows it: with a line of this package.
"""

import warnings
from typing import TextIO

from IPython.core.getipython import get_ipython
from IPython.display import display

from ventureframe.errors import EvidenceWarning
from ventureframe.interface.source import FACTS


def begin() -> None:
    """Loads this into the kernel that it runs in, where it runs in one."""
    if extensions := getattr(get_ipython(), "extension_manager", None):
        extensions.load_extension(__name__)


def load_ipython_extension(_: object) -> None:
    """From now on an `EvidenceWarning` is displayed; every other warning is shown as before."""
    before = warnings.showwarning

    def show(  # noqa: PLR0917  # as the standard library calls it
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, EvidenceWarning):
            said = str(message)
            display({"text/plain": said}, metadata={FACTS: {"warning": said}}, raw=True)
        else:
            before(message, category, filename, lineno, file, line)

    warnings.showwarning = show
