"""A notebook run with parameters and written: as a page, a PDF or a workbook."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args

from ventureframe.connect import connect
from ventureframe.errors import ReportError, VentureframeError
from ventureframe.evidence.question import Plan, Question, Records
from ventureframe.evidence.study import Study
from ventureframe.interface.files import home, reason_of, write_whole
from ventureframe.report import notebook as file
from ventureframe.report.formats import chromium, printed
from ventureframe.report.notebook import Notebook
from ventureframe.report.page import Entry, entry, index, opening, page

Format = Literal["html", "pdf", "xlsx"]
# run after the last cell of a notebook
_WORKBOOK = (
    "from ventureframe.report.formats import write_study; write_study(globals(), {!r})"
)
FORMATS: Final = get_args(Format)


def build(
    notebook: str | Path,
    *,
    out: str | Path,
    also: Sequence[Format] = (),
    parameters: Mapping[str, object] | None = None,
    data: str | Path | None = None,
    currency: str | None = None,
    question: str | Path | None = None,
    signed: Mapping[str, str | None] | None = None,
    progress: bool = True,
    said: Callable[[str], object] | None = None,
) -> Path:
    """Run `notebook`, write its report to `out`, and return that path.

    The ending of `out` says what is written: `.html` or none a page, `.pdf` a PDF,
    `.xlsx` a workbook. In a folder, which is made where `out` ends with a slash, the
    page is named after the notebook. `also` names further formats, written beside it
    from the same run.
    `parameters` replace those of the notebook; text is read as the parameter's type.
    `data` is the dataset folder to serve, instead of what the environment says.
    `currency` also goes to the parameter of that name. What is asked is saved as the
    file `question`, which `ventureframe watch` takes. `signed` are `by`, `date` and
    `note`, shown on page one. The same input gives the same bytes. Progress goes to
    standard error, and first of all what the report takes of a live service; `said` is
    told the answer.

    Raises `ReportError`, and writes nothing, for an unknown notebook, a wrong
    parameter, a folder that cannot be written to, any error in the notebook (with that
    error's own sentence), and a notebook that asks a live service where no key is set.
    Raises also what connecting to a live service and counting there raise.

    >>> from ventureframe import report
    >>> report.build("01_university_spinouts", out="spinouts.html")  # doctest: +SKIP
    """
    if not isinstance(parameters or {}, Mapping):
        raise ReportError(
            "parameters= takes names with values, such as {'since': 2015}"
        )
    source = file.find(notebook)
    target = file_in(out, f"{source.stem}.html")
    targets = [checked(target), *(checked(in_format(target, kind)) for kind in also)]
    if question is not None:
        question = checked(home(question))
    how: Any = {"data": data, "currency": currency, "progress": progress}
    done = _write(source, targets, parameters or {}, signed, question, **how)
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
    signed: Mapping[str, str | None] | None = None,
    progress: bool = True,
) -> Iterator[Path]:
    """Yield each report in the folder `out` once it is written, and last the page
    listing them.

    A notebook that cannot be run, or lacks its key, is listed as not built, with the
    reason; the reasons of failures are added to `failed`. Raises `ReportError` where
    nothing can be written.
    """
    listing, entries = checked(home(out) / "index.html"), list[Entry]()
    how: Any = {"data": data, "currency": currency, "progress": progress}
    for path in map(file.find, notebooks):
        document = file.read(path)
        title, _ = opening(document)
        html = listing.with_name(f"{path.stem}.html")
        targets = [checked(in_format(html, kind)) for kind in formats]
        try:
            done = _write(path, targets, {}, signed, None, **how)
        except VentureframeError as error:
            entries.append(Entry("", title, f"Not built: {error}"))
            if not file.lacks_key(document, data):
                failed.append(f"{path.stem}: {error}")
            continue
        entries.append(entry(done, file=html.name))
        yield from targets
    write_whole(listing, index(entries))
    yield listing


def save(
    notebook: Notebook,
    targets: Sequence[Path],
    book: Path | None = None,
    signed: Mapping[str, str | None] | None = None,
) -> None:
    """Write an executed notebook to every target, or to none; `book` has the workbook
    of its study.

    Nothing is run or requested. Raises `ReportError`, also where a part of it has no
    answer.
    """
    notebook["metadata"][file.SIGNED] = {**(signed or {})}
    for stated in file.facts(notebook["cells"]):
        if "unanswered" in stated:
            raise ReportError(stated["unanswered"])
    contents = list[bytes]()
    for target in targets:
        kind = format_of(target)
        if kind == "xlsx" and book:
            contents.append(book.read_bytes())
        elif kind == "pdf":
            contents.append(printed(page(notebook)))
        else:
            contents.append(page(notebook).encode())
    for target, content in zip(targets, contents, strict=True):
        write_whole(checked(target), content)


def write(study: Study, out: str | Path, **signed: str | None) -> Path:
    """Write the findings of a study as one file in the format of its ending, in a
    folder as HTML named after the study.
    """
    target = file_in(out, f"{study.lead[0]}.html")
    if target.suffix == ".xlsx":
        return study.save(target, overwrite=True)
    save(file.of_study(study), [target], signed=signed)
    return target


def file_in(out: str | Path, name: str | Path) -> Path:
    """The file of a report: `out`, or one of this name in `out`, if that is a folder or
    ends with a slash.

    >>> str(file_in("reports/", "01_a.html")), str(file_in("a.pdf", "01_a.html"))
    ('reports/01_a.html', 'a.pdf')
    """
    path = home(out)
    is_folder = path.is_dir() or str(out).endswith(("/", os.sep))
    return path / name if is_folder else path


def format_of(out: Path) -> Format:
    """The format that the file's ending says, HTML where it has none; raises
    `ReportError` for another.

    >>> format_of(Path("a.xlsx")), format_of(Path("a"))
    ('xlsx', 'html')
    """
    return formats(out.suffix.removeprefix(".") or "html")[0]


def formats(names: str) -> list[Format]:
    """Read formats named with commas between them; raises `ReportError` for another.

    >>> formats("html, pdf")
    ['html', 'pdf']
    """
    texts: list[Any] = [text.strip() for text in names.lower().split(",")]
    if not set(texts) <= set(FORMATS):
        choices = ", ".join(FORMATS)
        raise ReportError(f"a report is written as {choices}, not as {names!r}")
    return list(dict.fromkeys(texts))


def in_format(out: Path, kind: Format) -> Path:
    """The file of a format: `out` with its ending, or with that of a format replaced by
    it.

    >>> [str(in_format(Path(name), "pdf")) for name in ("a.html", "a.b", "a.pdf")]
    ['a.pdf', 'a.b.pdf', 'a.pdf']
    """
    if out.suffix.lower().removeprefix(".") in FORMATS:
        out = out.with_suffix("")
    return out.with_name(f"{out.name}.{kind}")


def checked(target: Path) -> Path:
    """Make the file's folder and a draft in it; raises `ReportError` where that
    fails.
    """
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        message = f"{str(target)!r} cannot be written: {reason_of(error)}"
        raise ReportError(message) from error
    return target


def _write(
    source: Path,
    targets: Sequence[Path],
    parameters: Mapping[str, object],
    signed: Mapping[str, str | None] | None,
    question: Path | None,
    **how: Any,
) -> Notebook:
    """Run the notebook, `how` as `run` takes it; write its report to every target,
    or to none.
    """
    # takes seconds: only where one is run
    from ventureframe.report.run import run  # noqa: PLC0415

    document, values, currency = file.read(source), dict(parameters), how["currency"]
    if file.lacks_key(document, how["data"]):
        raise ReportError(f"{source.stem} {file.KEYLESS}")
    if currency and "currency" in file.declared(document):
        second = values.setdefault("currency", currency)
        if second != currency:
            currencies = f"{second} and {currency}"
            raise ReportError(f"two currencies are asked for, {currencies}: give one")
    runs_on = file.source(how["data"])
    values = file.replace(document, values, runs_on=runs_on)
    try:
        asking = file.question_of(document, values)
    except VentureframeError as error:
        raise ReportError(str(error)) from error
    if asking and (unchosen := asking.nothing_chosen("{0.label} ({0.option})".format)):
        connect(data=how["data"]).close()  # a service that fails is named first
        raise ReportError(unchosen)
    if question and asking is None:
        raise ReportError(f"{source.stem} names no question, so none can be saved")
    kinds = [*map(format_of, targets)]
    if "pdf" in kinds:
        chromium()  # refused before the notebook is run
    at_most = _say_cost(asking) if runs_on == "live" else ""
    with tempfile.TemporaryDirectory(prefix="ventureframe-") as folder:
        book = Path(folder) / "report.xlsx"
        last = _WORKBOOK.format(str(book)) if "xlsx" in kinds else ""
        done = run(document, name=source, last=last, at_most=at_most, **how)
        save(done, targets, book, signed)
    if question and asking:
        write_whole(question, asking.written)
    return done


def _say_cost(asking: Question[Any] | None) -> str:
    """Count and print what a report takes of the live service; return what remains of
    the bound that the environment sets, empty if nothing is counted or bounded.
    """
    plan, remaining = Plan("What the notebook requests"), ""
    if asking:
        with connect() as service:
            plan = asking.count(Records(service))
            for budget in service.connection.budgets:
                remaining = f"{budget.requests} {budget.credits}"
    cost = plan.cost or "cost not known beforehand"
    print(f"{plan.text}: {cost}", file=sys.stderr)  # noqa: T201
    return remaining
