"""A notebook run with parameters and written: as a page, as pages with their list, or in place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import nbformat

from ventureframe.errors import ReportError
from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS
from ventureframe.report import parameters as _parameters
from ventureframe.report.index import NAME, Entry, entry, index
from ventureframe.report.notebook import KEYLESS, find, lacks_key, needs_key, read
from ventureframe.report.page import WIDGET, opening, page
from ventureframe.report.run import environment, run


def build(
    notebook: str | Path,
    *,
    out: str | Path,
    parameters: Mapping[str, object] | None = None,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool = True,
) -> Path:
    """Runs `notebook` and writes its report to `out`; returns that path.

    `parameters` take the place of the literals in the notebook's cell tagged `parameters`; text
    is read as the parameter's type. `data` is the dataset folder to serve, instead of what the
    environment says. `currency` also goes to the parameter of that name where there is one. The
    same input gives the same bytes. Progress goes to standard error.

    Raises `ReportError`, and writes nothing, for an unknown notebook, a wrong parameter, a folder
    that cannot be written to, any error in the notebook (with that error's own sentence), and a
    notebook that asks a live service where no key is set.

    >>> from ventureframe import report
    >>> report.build("01_university_spinouts", out="spinouts.html")  # doctest: +SKIP
    """
    target = _target(out)
    done = _executed(
        find(notebook), parameters=parameters, data=data, currency=currency, progress=progress
    )
    write_whole(target, page(done))
    return target


def build_all(
    notebooks: Iterable[str | Path],
    *,
    out: str | Path,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool = True,
) -> Iterator[Path]:
    """Each report in the folder `out` as soon as it is there, and at last the page listing them.

    A notebook that asks a live service where no key is set is listed as not built. Raises
    `ReportError` as `build` does.
    """
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(
            f"{str(folder)!r} is not a folder to write to: {error.strerror}"
        ) from error
    entries = []
    for path in map(find, notebooks):
        if lacks_key(document := read(path), data):
            entries.append(Entry("", opening(document)[0], f"Not built: it {KEYLESS}"))
            continue
        done = _executed(path, data=data, currency=currency, progress=progress)
        target = _target(folder / f"{path.stem}.html")
        write_whole(target, page(done))
        entries.append(entry(done, file=target.name))
        yield target
    write_whole(folder / NAME, index(entries))
    yield folder / NAME


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Runs `notebook` on the synthetic sample and saves it with its outputs, in place.

    What differs from run to run (widget models, kernel and version names) is left out, so that a
    second run changes no byte. A notebook that needs a key is kept without outputs.
    """
    path = find(notebook)
    document = read(path)
    if needs_key(document):
        done = _emptied(document)
    else:
        env = {k: v for k, v in os.environ.items() if not k.startswith("VENTUREFRAME_")}
        done = run(document, name=path.stem, environment=env, progress=progress)
    write_whole(path, nbformat.writes(_settled(done)) + "\n")
    return path


def _executed(
    source: Path,
    *,
    parameters: Mapping[str, object] | None = None,
    data: str | Path | None,
    currency: str | None,
    progress: bool,
) -> nbformat.NotebookNode:
    """The notebook run as `build` says."""
    document = read(source)
    if lacks_key(document, data):
        raise ReportError(f"{source.stem} {KEYLESS}")
    given = dict(parameters or {})
    takes_currency = currency is not None and "currency" in _parameters.declared(document)
    if takes_currency and given.setdefault("currency", currency) != currency:
        raise ReportError(
            f"two currencies are asked for, {given['currency']} and {currency}: give one"
        )
    _parameters.replace(document, given)
    settings = {} if currency is None else {"VENTUREFRAME_CURRENCY": currency}
    env = environment(data=None if data is None else Path(data), settings=settings)
    return run(document, name=source.stem, environment=env, progress=progress)


def _emptied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


def _settled(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without what differs from run to run; what the package notes in it stays."""
    own = {FACTS: notebook.metadata[FACTS]} if FACTS in notebook.metadata else {}
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        **own,
    }
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [kept for kept in cell.outputs if WIDGET not in kept.get("data", {})]
    return notebook


def _target(out: str | Path) -> Path:
    path = Path(out)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise ReportError(
            f"{str(out)!r} cannot be written: name a file in a folder that exists and is writable"
        )
    return path
