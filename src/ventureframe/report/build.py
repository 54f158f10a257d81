"""A notebook run with parameters and written: as a page, as pages with their list, or in place."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as changed
from pathlib import Path

import nbformat

from ventureframe.errors import ReportError
from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS
from ventureframe.report import pdf, workbook
from ventureframe.report.formats import Format, beside, checked, formats, write
from ventureframe.report.notebook import KEYLESS, WIDGET, find, lacks_key, needs_key, read
from ventureframe.report.page import Entry, entry, index, opening, page
from ventureframe.report.parameters import declared, parameters, replace
from ventureframe.report.run import environment, run


def build(
    notebook: str | Path,
    *,
    out: str | Path,
    also: Sequence[Format] = (),
    parameters: Mapping[str, object] | None = None,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool = True,
    said: Callable[[str], object] | None = None,
) -> Path:
    """Runs `notebook` and writes its report to `out`; returns that path.

    The ending of `out` says what is written: `.pdf` a PDF, `.xlsx` a workbook, else HTML. `also`
    names further formats, written beside it from the same run. `parameters` take the place of the
    literals in the notebook's cell tagged `parameters`; text is read as the parameter's type.
    `data` is the dataset folder to serve, instead of what the environment says. `currency` also
    goes to the parameter of that name where there is one. The same input gives the same bytes.
    Progress goes to standard error. `said` is told the answer of the report.

    Raises `ReportError`, and writes nothing, for an unknown notebook, a wrong parameter, a folder
    that cannot be written to, any error in the notebook (with that error's own sentence), and a
    notebook that asks a live service where no key is set.

    >>> from ventureframe import report
    >>> report.build("01_university_spinouts", out="spinouts.html")  # doctest: +SKIP
    """
    target, source = Path(out), find(notebook)
    targets = [checked(target), *(checked(beside(target, kind)) for kind in also)]
    done = _written(source, targets, parameters or {}, data, currency, progress=progress)
    if said is not None:
        said(entry(done, file=target.name).answer)
    return target


def build_all(
    notebooks: Iterable[str | Path],
    *,
    out: str | Path,
    failed: list[str],
    formats: Sequence[Format] = ("html",),
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool = True,
) -> Iterator[Path]:
    """Each report in the folder `out` as soon as it is there, and at last the page listing them.

    A notebook that cannot be run, or that asks a live service where no key is set, is listed as
    not built, with the reason; the reasons of failures are added to `failed`. Raises `ReportError`
    where the folder cannot be written to.
    """
    folder = Path(out)
    checked(folder / "index.html")
    entries = []
    for path in map(find, notebooks):
        document = read(path)
        if lacks_key(document, data):
            entries.append(Entry("", opening(document)[0], f"Not built: it {KEYLESS}"))
            continue
        targets = [checked(folder / f"{path.stem}.{kind}") for kind in formats]
        try:
            done = _written(path, targets, {}, data, currency, progress=progress)
        except ReportError as error:
            failed.append(f"{path.stem}: {error}")
            entries.append(Entry("", opening(document)[0], f"Not built: {error}"))
            continue
        page_of = next(each.name for each in targets if each.suffix == ".html")
        entries.append(changed(entry(done, file=page_of), filters=_filters(done)))
        yield from targets
    write_whole(folder / "index.html", index(entries))
    yield folder / "index.html"


def keep(notebook: str | Path, parameters: Mapping[str, object]) -> Path:
    """The file of the notebook, once these values stand in its parameters; nothing is run.

    Raises `ReportError` as `build` does for them.
    """
    path = find(notebook)
    document = read(path)
    replace(document, parameters)
    write_whole(path, nbformat.writes(document) + "\n")
    return path


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Runs `notebook` on the synthetic sample and saves it with its outputs, in place.

    What differs from run to run (widget models, kernel and version names) is left out, so that a
    second run changes no byte. A notebook that needs a key is kept without outputs.
    """
    path = find(notebook)
    document = read(path)
    is_run = not needs_key(document)
    if is_run:
        env = environment(data="")
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


def _filters(done: nbformat.NotebookNode) -> tuple[tuple[str, str], ...]:
    """What a notebook was run with, as label and value."""
    return tuple(each.worded(each.default) for each in parameters(done).values())


def _written(
    source: Path,
    targets: Sequence[Path],
    parameters: Mapping[str, object],
    data: str | Path | None,
    currency: str | None,
    *,
    progress: bool,
) -> nbformat.NotebookNode:
    """The notebook as it was run, once its report is in every target."""
    document, given = read(source), dict(parameters)
    if lacks_key(document, data):
        raise ReportError(f"{source.stem} {KEYLESS}")
    takes_currency = currency is not None and "currency" in declared(document)
    if takes_currency and given.setdefault("currency", currency) != currency:
        raise ReportError(
            f"two currencies are asked for, {given['currency']} and {currency}: give one"
        )
    replace(document, given)
    kinds = {target: formats(None, target)[0] for target in targets}
    if "pdf" in kinds.values():
        pdf.chromium()  # said before the notebook is run
    env = environment(data=data, currency=currency)
    with tempfile.TemporaryDirectory(prefix="ventureframe-") as folder:
        book = Path(folder) / "report.xlsx"
        last = workbook.code(book) if "xlsx" in kinds.values() else None
        done = run(
            document,
            name=source.stem,
            environment=env,
            progress=progress,
            last=last,
            is_for_page="html" in kinds.values(),
        )

        def made(target: Path) -> bytes:
            if kinds[target] == "xlsx":
                return book.read_bytes()
            text = page(done)
            return pdf.printed(text) if kinds[target] == "pdf" else text.encode()

        write(targets, made)
    return done
