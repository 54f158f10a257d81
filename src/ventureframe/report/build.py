"""A notebook run with parameters and written: as a page, as pages with their list, or in place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import nbformat

from ventureframe.errors import ReportError
from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS
from ventureframe.report.notebook import KEYLESS, find, lacks_key, needs_key, read
from ventureframe.report.page import WIDGET, Entry, entry, index, opening, page
from ventureframe.report.parameters import declared, replace
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
    return _written(find(notebook), out, parameters or {}, data, currency, progress=progress)[0]


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
        said = f"{str(folder)!r} is not a folder to write to: {error.strerror}"
        raise ReportError(said) from error
    entries = []
    for path in map(find, notebooks):
        if lacks_key(document := read(path), data):
            entries.append(Entry("", opening(document)[0], f"Not built: it {KEYLESS}"))
            continue
        target = folder / f"{path.stem}.html"
        _, done = _written(path, target, {}, data, currency, progress=progress)
        entries.append(entry(done, file=target.name))
        yield target
    write_whole(folder / "index.html", index(entries))
    yield folder / "index.html"


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Runs `notebook` on the synthetic sample and saves it with its outputs, in place.

    What differs from run to run (widget models, kernel and version names) is left out, so that a
    second run changes no byte. A notebook that needs a key is kept without outputs.
    """
    path = find(notebook)
    document = read(path)
    is_run = not needs_key(document)
    if is_run:
        env = {k: v for k, v in os.environ.items() if not k.startswith("VENTUREFRAME_")}
        document = run(document, name=path.stem, environment=env, progress=progress)
    document.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        **{name: value for name, value in document.metadata.items() if name == FACTS},
    }
    for cell in document.cells:
        if cell.cell_type == "code":
            kept = [each for each in cell.outputs if WIDGET not in each.get("data", {})]
            cell.outputs = kept if is_run else []
            cell.execution_count = cell.execution_count if is_run else None
    write_whole(path, nbformat.writes(document) + "\n")
    return path


def _written(
    source: Path,
    out: str | Path,
    parameters: Mapping[str, object],
    data: str | Path | None,
    currency: str | None,
    *,
    progress: bool,
) -> tuple[Path, nbformat.NotebookNode]:
    """The report's file and the notebook as it was run."""
    target, document, given = Path(out), read(source), dict(parameters)
    if target.is_dir() or not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
        raise ReportError(
            f"{str(out)!r} cannot be written: name a file in a folder that exists and is writable"
        )
    if lacks_key(document, data):
        raise ReportError(f"{source.stem} {KEYLESS}")
    takes_currency = currency is not None and "currency" in declared(document)
    if takes_currency and given.setdefault("currency", currency) != currency:
        raise ReportError(
            f"two currencies are asked for, {given['currency']} and {currency}: give one"
        )
    replace(document, given)
    env = environment(data=data, currency=currency)
    done = run(document, name=source.stem, environment=env, progress=progress)
    write_whole(target, page(done))
    return target, done
