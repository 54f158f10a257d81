"""A study as one workbook: what it says first, then a sheet for each of its tables.

Text is written as text: nothing from the data becomes a formula or a link.
"""

import datetime as dt
import io
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from ventureframe.display.finding import Finding
from ventureframe.display.wording import origin
from ventureframe.errors import ReportError
from ventureframe.evidence.study import Study
from ventureframe.panel import Panel

_CREATED: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC).replace(tzinfo=None)
_INERT: Final = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "in_memory": True,
}
_ON_THE_FIRST: Final = ("caveats", "sources")
_LONGEST: Final = 32_767
"""Characters that a cell holds."""
_FORMATS: Final = {"money": "#,##0.00", "number": "#,##0.##########", "date": "yyyy-mm-dd"}


def workbook(study: Study) -> bytes:
    """The study as an XLSX file; the same study gives the same bytes.

    The first sheet has the answer, the filters, the limits and the sources; each further one is a
    finding: its title and caption, its columns with their units, and all rows, null as an empty
    cell.

    >>> import ventureframe as vf
    >>> study = vf.spinouts.study(
    ...     vf.connect(environment={}),
    ...     university="Harrowmere University",
    ...     domain="harrowmere.example",
    ... )
    >>> workbook(study)[:2]
    b'PK'
    """
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, _INERT) as book:
        book.set_properties({"title": study.subject, "created": _CREATED})
        looks = {
            "bold": book.add_format({"bold": True}),
            "wrapped": book.add_format({"text_wrap": True, "valign": "top"}),
            **{kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()},
        }
        first = book.add_worksheet("Report")
        first.set_column(0, 0, 28)
        first.set_column(1, 1, 100)
        for row, (what, value) in enumerate(_said(study)):
            first.write_string(row, 0, what, None if value else looks["bold"])
            if value:
                first.write_string(row, 1, value[:_LONGEST], looks["wrapped"])
        for name in study.findings():
            if name not in _ON_THE_FIRST:
                sheet = book.add_worksheet(name.replace("_", " ").capitalize()[:31])
                _table(sheet, getattr(study, name), looks)
    return content.getvalue()


def code(target: Path) -> str:
    """The code that writes the study of the notebook it runs in to `target`."""
    return f"from {__name__} import write_study; write_study(globals(), {str(target)!r})"


def write_study(names: Mapping[str, object], target: str) -> None:
    """Writes the study among these names: that of a form, else the one that was named last.

    Raises `ReportError` where there is none.
    """
    forms = [each.study for each in names.values() if isinstance(each, Panel)]
    studies = [each for each in names.values() if isinstance(each, Study)]
    if not forms and not studies:
        raise ReportError("this notebook makes no study, so there is nothing for a workbook")
    Path(target).write_bytes(workbook((forms or studies)[-1]))


def _said(study: Study) -> Iterator[tuple[str, str]]:
    """The lines of the first sheet: headings have no value."""
    yield "Subject", study.subject
    yield "Answer", str(study.answer)
    yield "Data", origin(study.source)
    if study.question is not None:
        yield from (("", ""), ("Filters", ""), *study.question.listed)
    yield from (("", ""), ("What this cannot tell", ""))
    yield from ((caveat.rule, caveat.text) for caveat in study.limits)
    yield from (("", ""), ("Sources", ""))
    yield from study.sources.to_polars().iter_rows()


def _table(sheet: Worksheet, finding: Finding, looks: Mapping[str, Any]) -> None:
    sheet.write_string(0, 0, finding.title, looks["bold"])
    sheet.write_string(1, 0, finding.caption[:_LONGEST])
    for place, column in enumerate(finding.columns):
        sheet.write_string(3, place, column.heading, looks["bold"])
        narrow = max(12, min(len(column.heading) + 2, 40))
        sheet.set_column(place, place, 32 if column.kind == "text" else narrow)
        for row, value in enumerate(finding.frame[column.name].to_list(), start=4):
            _write(sheet, row, place, value, looks.get(column.kind))
    sheet.freeze_panes(4, 1)
    if finding.columns and len(finding):
        sheet.autofilter(3, 0, 3 + len(finding), len(finding.columns) - 1)


def _write(sheet: Worksheet, row: int, place: int, value: Any, look: Any) -> None:
    """A value as what it is; null, and a number that is none, as an empty cell."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, place, value)
    elif isinstance(value, (int, float)):
        sheet.write_number(row, place, value, look)
    elif isinstance(value, dt.date):
        sheet.write_datetime(row, place, value, look)
    else:
        sheet.write_string(row, place, str(value)[:_LONGEST])
