"""A notebook run with parameters and written: as a page, a PDF, a workbook, or in place."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Final, Literal, get_args

import nbformat

from ventureframe.errors import ReportError
from ventureframe.interface.files import write_whole
from ventureframe.interface.source import FACTS
from ventureframe.report import pdf, workbook
from ventureframe.report.notebook import KEYLESS, find, lacks_key, needs_key, read, without_widgets
from ventureframe.report.page import Entry, entry, index, opening, page
from ventureframe.report.parameters import declared, parameters, replace, worded
from ventureframe.report.run import environment, run

Format = Literal["html", "pdf", "xlsx"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)


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
    """Run `notebook`, write its report to `out`, and return that path.

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
    done = _write(source, targets, parameters or {}, data, currency, progress=progress)
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
    """Yield each report in the folder `out` once it is written, and last the page listing them.

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
            done = _write(path, targets, {}, data, currency, progress=progress)
        except ReportError as error:
            failed.append(f"{path.stem}: {error}")
            entries.append(Entry("", opening(document)[0], f"Not built: {error}"))
            continue
        line = entry(done, file=f"{path.stem}.html")
        entries.append(changed(line, filters=worded(parameters(done).values())))
        yield from targets
    write_whole(folder / "index.html", index(entries))
    yield folder / "index.html"


def keep(notebook: str | Path, parameters: Mapping[str, object]) -> Path:
    """Write these values into the notebook's parameters, run nothing, and return its path.

    Raises `ReportError` as `build` does for them.
    """
    path = find(notebook)
    document = read(path)
    replace(document, parameters)
    write_whole(path, nbformat.writes(document) + "\n")
    return path


def refresh(notebook: str | Path, *, progress: bool = True) -> Path:
    """Run `notebook` on the synthetic sample and save it with its outputs, in place.

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
    without_widgets(document)
    for cell in document.cells:
        if cell.cell_type == "code" and not is_run:
            cell.outputs, cell.execution_count = [], None
    write_whole(path, nbformat.writes(document) + "\n")
    return path


def formats(names: str | None, out: Path | None) -> list[Format]:
    """Read the formats named with commas between them, else the one that `out` ends with.

    Raises `ReportError` for any other. HTML is the format where nothing says which.

    >>> formats("html, pdf", None), formats(None, Path("a.xlsx")), formats(None, Path("a"))
    (['html', 'pdf'], ['xlsx'], ['html'])
    """
    own = "" if out is None else out.suffix.removeprefix(".").lower()
    texts = (names or (own if own in FORMATS else "html")).lower().split(",")
    kinds = [kind for text in texts for kind in FORMATS if kind == text.strip()]
    if len(kinds) != len(texts):
        raise ReportError(f"a report is written as {', '.join(FORMATS)}, not as {names!r}")
    return list(dict.fromkeys(kinds))


def beside(out: Path, kind: Format) -> Path:
    """The file of a format: `out` with its ending, or with that of a format replaced by it.

    >>> [str(beside(Path(name), "pdf")) for name in ("a.html", "a.b", "a.pdf")]
    ['a.pdf', 'a.b.pdf', 'a.pdf']
    """
    stem = out.with_suffix("") if out.suffix.removeprefix(".").lower() in FORMATS else out
    return stem.with_name(f"{stem.name}.{kind}")


def checked(target: Path) -> Path:
    """Make the file's folder and write a draft into it; raises `ReportError` where that fails."""
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")  # reported as any other
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target.with_name(f".{target.name}"), b"")
        target.with_name(f".{target.name}").unlink()
    except OSError as error:
        raise _refusal(target, error) from error
    return target


def _refusal(target: Path, error: OSError) -> ReportError:
    return ReportError(f"{str(target)!r} cannot be written: {error.strerror}")


def _write(
    source: Path,
    targets: Sequence[Path],
    given: Mapping[str, object],
    data: str | Path | None,
    currency: str | None,
    *,
    progress: bool,
) -> nbformat.NotebookNode:
    """Run the notebook and write its report to every target, or to none; return it as run."""
    document, values = read(source), dict(given)
    if lacks_key(document, data):
        raise ReportError(f"{source.stem} {KEYLESS}")
    takes_currency = currency is not None and "currency" in declared(document)
    if takes_currency and values.setdefault("currency", currency) != currency:
        raise ReportError(
            f"two currencies are asked for, {values['currency']} and {currency}: give one"
        )
    replace(document, values)
    kinds = [formats(None, target)[0] for target in targets]
    if "pdf" in kinds:
        pdf.chromium()  # refused before the notebook is run
    with tempfile.TemporaryDirectory(prefix="ventureframe-") as folder:
        book = Path(folder) / "report.xlsx"
        done = run(
            document,
            name=source.stem,
            environment=environment(data=data, currency=currency),
            progress=progress,
            last=workbook.code(book) if "xlsx" in kinds else None,
        )
        make: dict[Format, Callable[[], bytes]] = {
            "html": lambda: page(done).encode(),
            "pdf": lambda: pdf.printed(page(done)),
            "xlsx": book.read_bytes,
        }
        for target, content in [(t, make[kind]()) for t, kind in zip(targets, kinds, strict=True)]:
            try:
                write_whole(target, content)
            except OSError as error:
                raise _refusal(target, error) from error
    return done
