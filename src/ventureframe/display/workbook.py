"""Tables as a workbook: each a sheet with a table of Excel, and beside the answer a
chart.

Text stays text: nothing from the data becomes a formula, and a link only what a
table shows as one.
"""

import datetime as dt
import io
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from ventureframe.display.table import (
    Column,
    Table,
    address,
    decimals,
    is_null,
    is_year,
)
from ventureframe.display.wording import in_words, read_words
from ventureframe.errors import SaveError

SHEETS = read_words("studies/sheets.toml")
_HEAD = 3  # the row of the headings, below title and caption
_ROWS = 1_048_000  # of a sheet, about
_BARS = 15  # most that a chart has; of years it has all
# with a gap before the next column
_NUMBERS = ("#,##0_)", "#,##0.0_)", "#,##0.00_)")
_DAYS = {
    "year": "0_)",
    "month": "mmm yyyy",
    "date": "yyyy-mm-dd",
    "vintage": "yyyy-mm-dd",
}
_LINKED, _LONGEST = 30_000, 2_000  # rows of a sheet that have links; letters of one
_BLUE = "#0072B2"
_PLAIN: Final = {"fill": {"color": _BLUE}}
_HATCHED: Final = {"pattern": {"pattern": "wide_upward_diagonal", "fg_color": _BLUE}}
_AS_THEY_ARE: Final[Any] = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "nan_inf_to_errors": True,
}


def sheet_name(finding: str) -> str:
    """What the sheet of a finding of this name is called.

    >>> sheet_name("pool"), sheet_name("candidates")
    ('Companies found', 'Candidates')
    """
    return SHEETS.get(finding) or in_words(finding).capitalize()


def workbook(
    tables: Mapping[str, Table],
    *,
    summary: Sequence[Sequence[str]] = (),
    chart: Sequence[str] = (),
) -> bytes:
    """Make an XLSX file of tables by name, without those that are empty, in equal
    bytes.

    `summary` are the lines of a sheet before them, a heading where there is no
    value. `chart` is drawn beside them: its title, the table, the columns of its
    labels and of its lengths. Raises `SaveError` for more rows than a sheet has.
    """
    import xlsxwriter  # noqa: PLC0415  # only for a workbook

    content = io.BytesIO()
    with xlsxwriter.Workbook(content, _AS_THEY_ARE) as made:
        # of no clock
        made.set_properties({"created": dt.datetime(2000, 1, 1)})  # noqa: DTZ001
        answer: Any = made.add_worksheet("Answer") if summary else None
        for name, table in tables.items():
            if len(table) or not summary:
                sheet = made.add_worksheet(sheet_name(name))
                _write_table(made, sheet, name, table)
        if summary:
            _write_summary(made, answer, summary)
            drawn = tables[chart[1]]
            if len(drawn) and chart[-1] in [column.name for column in drawn.columns]:
                answer.insert_chart(1, 3, _chart(made, drawn, chart))
    return content.getvalue()


def _write_summary(made: Any, sheet: Any, summary: Sequence[Sequence[str]]) -> None:
    """Write a line a row, high enough for its text, and the answer larger."""
    for row, (label, value) in enumerate(summary):
        size, width = (14, 60) if label == "Answer" else (11, 80)
        lines = max(len(wrap(label, 28)), len(wrap(value, width)), 1)
        look = {"text_wrap": True, "valign": "top", "bold": not value}
        look["font_size"] = size
        sheet.set_row(row, 1.4 * size * lines)
        sheet.write_row(row, 0, (label, value), made.add_format(look))
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 80)


def _write_table(made: Any, sheet: Any, name: str, table: Table) -> None:
    """Write title, caption and rows; of a fund's day the year, where it stands for
    it.
    """
    if len(table) > _ROWS:
        advice = f"a sheet has {_ROWS:,} rows at most: save .parquet or .csv"
        raise SaveError(advice, folder="")
    head = made.add_format({"text_wrap": True, "bold": True, "valign": "top"})
    columns, cells = list[dict[str, Any]](), list[list[Any]]()
    headings = set[str]()  # as Excel compares headings
    for column, values in zip(table.columns, table.values, strict=True):
        heading = column.heading
        while heading.lower() in headings:
            heading = f"{heading} (2)"
        headings.add(heading.lower())
        look = made.add_format({"num_format": _format(column, values)})
        columns.append({"header": heading, "header_format": head, "format": look})
        null = None if columns[1:] else column.null  # what names a row
        cells.append([null if is_null(value) else value for value in values])
    last = _HEAD + max(len(table), 1)
    how = {"name": name, "style": "Table Style Light 1", "columns": columns}
    rows = list(zip(*cells, strict=True))
    sheet.add_table(_HEAD, 0, last, len(columns) - 1, {**how, "data": rows})
    year = made.add_format({"num_format": "yyyy"})
    for place, column in enumerate(table.columns):
        for at, value in enumerate(cells[place], start=_HEAD + 1):
            if column.kind == "vintage" and is_year(value):
                sheet.write_datetime(at, place, value, year)
            if column.kind == "link" and at < _LINKED:
                page = address(value)
                if 0 < len(page) < _LONGEST:
                    sheet.write_url(at, place, page, string=value)
    sheet.autofit()
    sheet.freeze_panes(_HEAD + 1, 1)
    sheet.write(0, 0, table.title, made.add_format({"bold": True}))
    sheet.write(1, 0, table.caption if rows else table.about)


def _format(column: Column, values: Sequence[Any]) -> str:
    """How Excel shows the values of a column."""
    if column.sorted_as == "text":
        return "General"
    if column.kind == "number":
        return _NUMBERS[decimals(value for value in values if not is_null(value))]
    return _DAYS.get(column.kind, _NUMBERS[0])


def _chart(made: Any, table: Table, chosen: Sequence[str]) -> Any:
    """A chart of the rows that have a label: years as columns, of anything else the
    first bars.
    """
    title, name, label, length = chosen
    names = [column.name for column in table.columns]
    x, y = names.index(label), names.index(length)
    is_dated = table.columns[x].kind == "year"
    bars = sum(not is_null(value) for value in table.values[x])
    if not is_dated:
        bars = min(bars, _BARS)
    fills = [_PLAIN] * bars
    if "still_arriving" in names:
        young = table.values[names.index("still_arriving")][:bars]
        fills = [_HATCHED if is_young else _PLAIN for is_young in young]
    sheet = sheet_name(name)
    first, last = _HEAD + 1, _HEAD + max(bars, 1)
    chart = made.add_chart({"type": "column" if is_dated else "bar"})
    chart.add_series(
        {
            "categories": [sheet, first, x, last, x],
            "values": [sheet, first, y, last, y],
            "name": table.columns[y].heading,
            "points": fills,
            "gap": 40,
        }
    )
    chart.set_title({"name": title, "name_font": {"size": 11}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": not is_dated, "major_gridlines": {"visible": False}})
    chart.set_size({"width": 720, "height": 480})
    return chart
