"""A report in its other formats: the page printed as PDF, and the study as a workbook.

Text is written into a workbook as text: nothing from the data becomes a formula or a link.
"""

import datetime as dt
import io
import math
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import xlsxwriter
from xlsxwriter.worksheet import Worksheet

from ventureframe.display.finding import Finding
from ventureframe.display.table import is_year
from ventureframe.display.wording import origin
from ventureframe.errors import ReportError
from ventureframe.evidence.study import Study
from ventureframe.panel import Panel

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_CLOCK: Final = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}([^)]*)\)")
_CREATED: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC).replace(tzinfo=None)
_INERT: Final = {f"strings_to_{kind}": False for kind in ("formulas", "urls", "numbers")}
_LONGEST: Final = 32_767  # characters that a cell holds
_NUMBERS: Final = {"money": "#,##0.00", "number": "#,##0.##########", "its year": "yyyy"}
_NUMBERS.update(dict.fromkeys(("date", "vintage"), "yyyy-mm-dd"))


def chromium() -> str:
    """The path of Chromium; raises `ReportError` where it, or what drives it, is not installed."""
    if find_spec("playwright") is None:
        install = "pip install 'ventureframe[pdf]'"
        raise ReportError(f"a PDF needs playwright, which is not installed: {install}")
    if program := next(filter(None, map(shutil.which, _NAMES)), None):
        return program
    advice = "install one, or open the HTML report and print it"
    raise ReportError(f"a PDF is printed by Chromium or Chrome, and none is installed: {advice}")


def printed(page: str) -> bytes:
    """Print the page, numbered by its own style, without the clock of the printing."""
    # playwright refuses to run beside an event loop, such as that of a notebook
    with ThreadPoolExecutor(1) as thread:
        content = thread.submit(_printed, page, chromium()).result()
    return _CLOCK.sub(rb"/\1 (D:20000101000000\2)", content)


def _printed(page: str, program: str) -> bytes:
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  # only for a PDF

    is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium has no sandbox for root
    options: dict[str, Any] = {"executable_path": program, "chromium_sandbox": not is_root}
    paper: dict[str, Any] = {"format": "A4", "print_background": True, "tagged": True}
    try:
        with sync_playwright() as playwright, playwright.chromium.launch(**options) as browser:
            document = browser.new_page(java_script_enabled=False, color_scheme="light")
            # a Chromium that cannot print what is folded prints it unfolded
            unfolded = page.replace("<details class", "<details open class")
            document.set_content(unfolded, wait_until="load")
            content: bytes = document.pdf(prefer_css_page_size=True, outline=True, **paper)
    except Error as error:
        raise ReportError(f"Chromium could not print the report: {error.message}") from error
    return content


def workbook(study: Study) -> bytes:
    """Make the study an XLSX file; the same study gives the same bytes.

    The first sheet has answer, filters, limits and sources; each further one is a finding with all
    its rows, null as an empty cell.

    >>> import ventureframe as vf
    >>> svc, name = vf.connect(environment={}), "Harrowmere University"
    >>> workbook(vf.spinouts.study(svc, university=name, domain="harrowmere.example"))[:2]
    b'PK'
    """
    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {**_INERT, "in_memory": True}) as book:
        book.set_properties({"title": study.subject, "created": _CREATED})
        looks = {kind: book.add_format({"num_format": form}) for kind, form in _NUMBERS.items()}
        looks["bold"] = book.add_format({"bold": True})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        first = book.add_worksheet("Report")
        first.set_column(0, 0, 28)
        first.set_column(1, 1, 100)
        for row, (what, value) in enumerate(_summary(study)):
            first.write_string(row, 0, what, None if value else looks["bold"])
            if value:
                first.write_string(row, 1, value[:_LONGEST], wrapped)
        for name in study.findings():
            if name not in ("caveats", "sources"):  # they are on the first sheet
                sheet = book.add_worksheet(name.replace("_", " ").capitalize()[:31])
                _table(sheet, getattr(study, name), looks)
    return content.getvalue()


def code(target: Path) -> str:
    """Write the code that writes the study of the notebook it runs in to `target`."""
    return f"from {__name__} import write_study; write_study(globals(), {str(target)!r})"


def write_study(names: Mapping[str, object], target: str) -> None:
    """Write the study among these names: that of a form, else the one that was named last.

    Raises `ReportError` where there is none.
    """
    forms = [value.study for value in names.values() if isinstance(value, Panel)]
    studies = forms or [value for value in names.values() if isinstance(value, Study)]
    if not studies:
        raise ReportError("this notebook makes no study, so there is nothing for a workbook")
    Path(target).write_bytes(workbook(studies[-1]))


def _summary(study: Study) -> Iterator[tuple[str, str]]:
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
            kind = "its year" if column.kind == "vintage" and is_year(value) else column.kind
            _write(sheet, row, place, value, looks.get(kind))
    sheet.freeze_panes(4, 1)
    if finding.columns and len(finding):
        sheet.autofilter(3, 0, 3 + len(finding), len(finding.columns) - 1)


def _write(sheet: Worksheet, row: int, place: int, value: Any, look: Any) -> None:
    """Write a value as what it is; null, and a number that is none, as an empty cell."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, (bool, int, float, dt.date)):
        sheet.write(row, place, value, look)
    else:
        sheet.write_string(row, place, str(value)[:_LONGEST])
