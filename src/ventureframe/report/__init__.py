"""A notebook run with parameters and written as one self-contained HTML file.

The curated notebooks are found by name; any other notebook by its path.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import nbformat

from ventureframe.errors import ReportError, nearest
from ventureframe.report import parameters as _parameters
from ventureframe.report.index import NAME, Entry, entry, index
from ventureframe.report.page import NEEDS_KEY, WIDGET, opening, page
from ventureframe.report.run import environment, run

_PACKAGE: Final = Path(__file__).parents[1]
_SETTINGS: Final = "VENTUREFRAME_"


def notebooks_folder() -> Path:
    """The folder of the curated notebooks: of the checkout, else of the installed package."""
    checkout = _PACKAGE.parents[1] / "notebooks"
    return checkout if checkout.is_dir() else _PACKAGE / "notebooks"


def notebooks() -> tuple[Path, ...]:
    """The curated notebooks in reading order."""
    return tuple(sorted(notebooks_folder().glob("*.ipynb")))


def find(notebook: str | Path) -> Path:
    """The file of a notebook given by its path or by the name of a curated one.

    Raises `ReportError` with the nearest names.
    """
    path = Path(notebook)
    if path.is_file():
        return path
    curated = {found.stem: found for found in notebooks()}
    if (name := str(notebook)) in curated:
        return curated[name]
    near = nearest(name, curated) or tuple(curated)
    raise ReportError(
        f"there is no notebook {name!r}: give the path of a file or one of {', '.join(near)}"
    )


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
    is read as the default's type. `data` is the dataset folder to serve, instead of what the
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
    _write(target, page(done))
    return target


def _executed(
    source: Path,
    *,
    parameters: Mapping[str, object] | None = None,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool = True,
) -> nbformat.NotebookNode:
    """The notebook run as `build` says."""
    document = _read(source)
    if _needs_key(document) and not _has_key(data):
        raise ReportError(f"{source.stem} {_KEYLESS}")
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


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Runs `notebook` on the synthetic sample and saves it with its outputs, in place.

    What differs from run to run (widget models, kernel and version names) is left out, so that a
    second run changes no byte. A notebook that needs a key is kept without outputs.
    """
    path = find(notebook)
    document = _read(path)
    if _needs_key(document):
        _write(path, nbformat.writes(_emptied(document)) + "\n")
        return path
    env = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS)}
    done = run(document, name=path.stem, environment=env, progress=progress)
    _write(path, nbformat.writes(_settled(done)) + "\n")
    return path


def main(options: argparse.Namespace) -> None:
    """Carries out `ventureframe report` and prints the path of every file written."""
    asked = {"data": options.data, "currency": options.currency}
    if not options.all:
        build(options.notebook, out=options.out, parameters=dict(options.set), **asked)
        print(options.out)  # noqa: T201  # the command's answer
        return
    if options.set:
        raise ReportError("--set goes with one notebook: name it instead of --all")
    for path in _built(notebooks(), folder=options.out, **asked):
        print(path)  # noqa: T201


def _built(paths: Iterable[Path], *, folder: Path, **asked: Any) -> Iterator[Path]:
    """Each report as soon as it is there, and at last the page that lists them all."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{str(folder)!r} is no folder to write to: {error.strerror}") from error
    entries = []
    for path in paths:
        out = folder / f"{path.stem}.html"
        if _needs_key(document := _read(path)) and not _has_key(asked["data"]):
            title, _ = opening(document)
            entries.append(Entry("", title, f"Not built: it {_KEYLESS}"))
            continue
        done = _executed(path, **asked)
        _write(_target(out), page(done))
        entries.append(entry(done, file=out.name))
        yield out
    _write(listed := folder / NAME, index(entries))
    yield listed


_KEYLESS: Final = (
    "asks a live service and needs its key: set VENTUREFRAME_BASE_URL, _AUTH_URL, _CLIENT_ID, "
    "_CLIENT_SECRET and _USER_AGENT"
)


def _needs_key(notebook: nbformat.NotebookNode) -> bool:
    return any(NEEDS_KEY in cell.metadata.get("tags", ()) for cell in notebook.cells)


def _has_key(data: str | Path | None) -> bool:
    """Whether a live service would be asked: it is named, and no dataset comes before it."""
    is_live = bool(os.environ.get(f"{_SETTINGS}BASE_URL"))
    return is_live and data is None and not os.environ.get(f"{_SETTINGS}DATA")


def _read(path: Path) -> nbformat.NotebookNode:
    try:
        notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise ReportError(f"{path.name} cannot be read as a notebook: {error}") from error
    return notebook


def _emptied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return _settled(notebook)


def _settled(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
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


def _write(path: Path, text: str) -> None:
    """The file appears whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
