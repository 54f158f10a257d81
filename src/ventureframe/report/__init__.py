"""A notebook run with parameters and written as one self-contained HTML file.

The curated notebooks are found by name; any other notebook by its path.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import nbformat

from ventureframe.errors import ReportError, nearest
from ventureframe.report import parameters as _parameters
from ventureframe.report.page import WIDGET, page
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
    that cannot be written to, and any error in the notebook (with that error's own sentence).

    >>> from ventureframe import report
    >>> report.build("01_university_spinouts", out="spinouts.html")  # doctest: +SKIP
    """
    source, target = find(notebook), _target(out)
    document = _read(source)
    given = dict(parameters or {})
    if currency is not None and "currency" in _parameters.declared(document):
        given.setdefault("currency", currency)
    _parameters.replace(document, given)
    settings = {} if currency is None else {"VENTUREFRAME_CURRENCY": currency}
    env = environment(data=None if data is None else Path(data), settings=settings)
    done = run(document, name=source.stem, environment=env, progress=progress)
    _write(target, page(done))
    return target


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Runs `notebook` on the synthetic sample and saves it with its outputs, in place.

    What differs from run to run (widget models, kernel and version names) is left out, so that a
    second run changes no byte.
    """
    path = find(notebook)
    document = _read(path)
    env = {k: v for k, v in os.environ.items() if not k.startswith(_SETTINGS)}
    done = run(document, name=path.stem, environment=env, progress=progress)
    _write(path, nbformat.writes(_settled(done)) + "\n")
    return path


def main(options: argparse.Namespace) -> None:
    """Carries out `ventureframe report` and prints the path of every report written."""
    if options.all:
        if options.set:
            raise ReportError("--set goes with one notebook: name it instead of --all")
        options.out.mkdir(parents=True, exist_ok=True)
        jobs = {path: options.out / f"{path.stem}.html" for path in notebooks()}
    else:
        jobs = {find(options.notebook): options.out}
    for notebook, out in jobs.items():
        build(
            notebook,
            out=out,
            parameters=dict(options.set),
            data=options.data,
            currency=options.currency,
        )
        print(out)  # noqa: T201  # the command's answer


def _read(path: Path) -> nbformat.NotebookNode:
    try:
        notebook: nbformat.NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.ValidationError) as error:
        raise ReportError(f"{path.name} cannot be read as a notebook: {error}") from error
    return notebook


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
