"""A notebook's file: where it is found, how it is read, and what it states as data.

Facts stand beside what an output shows, in its metadata under `FACTS`; nothing here reads them out
of text.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import nbformat

from ventureframe.connect import current
from ventureframe.errors import ReportError, nearest
from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS

WIDGET: Final = "application/vnd.jupyter.widget-view+json"
LEAD, SHOWN, HIDDEN, NEEDS_KEY = "lead", "show-code", "notebook-only", "needs-key"
"""The tags of a cell that stands first on the page, of one whose code is on it, of one that makes
sense in a notebook only and is not on the page, and of one that asks a live service: its notebook
is not run without a key."""
NOT_REPORTS: Final = ("00_start_here", "05_live_data")
"""A lesson, and an examination of a live service: both can be run by name."""
KEYLESS: Final = (
    "asks a live service and needs its key: set VENTUREFRAME_BASE_URL, _AUTH_URL, _CLIENT_ID, "
    "_CLIENT_SECRET and _USER_AGENT"
)


def notebooks_folder() -> Path:
    """The folder of the curated notebooks: of the checkout, else of the installed package."""
    package = Path(__file__).parents[1]
    checkout = package.parents[1] / "notebooks"
    return checkout if checkout.is_dir() else package / "notebooks"


def opened_in(folder: Path) -> Path:
    """The folder of the notebooks to work on: the checkout's, else copies in `folder`.

    Those of an installed package are copied, once each, so that an update of the package changes
    no work. Widgets of a kernel that has ended are removed: JupyterLab shows an error in their
    place.
    """
    own = notebooks_folder()
    if own.is_relative_to(Path(__file__).parents[1]):
        folder.mkdir(parents=True, exist_ok=True)
        for path in notebooks():
            if not (folder / path.name).exists():
                shutil.copy(path, folder)
        own = folder
    for path in own.glob("*.ipynb"):
        with suppress(ReportError):  # a file that is no notebook stays as it is
            document = read(path)
            if without_widgets(document):
                write_whole(path, nbformat.writes(document) + "\n")
    return own


def without_widgets(notebook: nbformat.NotebookNode) -> bool:
    """Remove the widgets from a notebook's outputs; whether there were any."""
    is_changed = False
    for cell in notebook.cells:
        kept = [each for each in cell.get("outputs", ()) if WIDGET not in each.get("data", {})]
        if len(kept) < len(cell.get("outputs", ())):
            cell.outputs, is_changed = kept, True
    return is_changed


def notebooks() -> tuple[Path, ...]:
    """The curated notebooks in reading order."""
    return tuple(sorted(notebooks_folder().glob("*.ipynb")))


def reports() -> tuple[Path, ...]:
    """The curated notebooks that answer a question, and so make a report."""
    return tuple(path for path in notebooks() if path.stem not in NOT_REPORTS)


def find(notebook: str | Path) -> Path:
    """The file of a notebook, given by its path or by name, number or question of a curated one.

    Raises `ReportError` with the nearest names.

    >>> find("01_university_spinouts") == find("01") == find("spinouts")
    True
    """
    path = Path(notebook)
    if path.is_file():
        return path
    curated, name = {path.stem: path for path in notebooks()}, str(notebook)
    is_question = name.isidentifier() and find_spec(f"ventureframe.studies.{name}") is not None
    for stem, found in curated.items():
        if name in (stem, stem.partition("_")[0]):
            return found
        if is_question and stem not in NOT_REPORTS and question(read(found)) == name:
            return found
    near = nearest(name, curated) or tuple(curated)
    raise ReportError(
        f"there is no notebook {name!r}: give the path of a file or one of {', '.join(near)}"
    )


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook in a file; raises `ReportError` where the file does not hold one."""
    try:
        notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise ReportError(f"{path.name} cannot be read as a notebook: {error}") from error
    return notebook


def question(notebook: nbformat.NotebookNode) -> str | None:
    """The question that the notebook's metadata name: that of its parameters."""
    named: str | None = notebook.metadata.get(FACTS, {}).get("question")
    return named


def lacks_key(notebook: nbformat.NotebookNode, data: str | Path | None) -> bool:
    """Whether the notebook asks a live service, and none would be asked.

    One is asked where it is named and no dataset comes before it.
    """
    settings = current()
    has_data = data is not None or settings.get("VENTUREFRAME_DATA")
    return needs_key(notebook) and bool(has_data or not settings.get("VENTUREFRAME_BASE_URL"))


def needs_key(notebook: nbformat.NotebookNode) -> bool:
    """Whether the notebook asks a live service."""
    return any(is_tagged(cell, NEEDS_KEY) for cell in notebook.cells)


def is_tagged(cell: Mapping[str, Any], tag: str) -> bool:
    """Whether a cell has this tag."""
    return tag in cell["metadata"].get("tags", ())


def facts(notebook: nbformat.NotebookNode) -> Iterator[Mapping[str, Any]]:
    """What each output states as data, in order; see `display.wording.shown`."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if found := output.get("metadata", {}).get(FACTS):
                yield found
