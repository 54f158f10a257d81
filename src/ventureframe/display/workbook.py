"""Tables as a workbook: each a sheet with a table of Excel, and beside the answer a
chart.

Text stays text: nothing from the data becomes a formula, and a link only what a
table shows as one.
"""

import datetime as dt
import io
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

import polars as pl

from ventureframe.display.table import Table, address, decimals, is_null, is_year
from ventureframe.errors import SaveError

# no text becomes a formula, a link or a number
_AS_TEXT = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "nan_inf_to_errors": True,
}
_MOST = 1_048_000  # rows of a sheet, about
_CELL = 32_767  # characters
_HEAD = 3  # the row of the headings, below title and caption
_BARS = 15  # most that a chart has; of years it has all
# with a gap before the next column
_NUMBERS = ("#,##0_)", "#,##0.0_)", "#,##0.00_)")
_DAYS = {
    "year": "0_)",
    "month": "mmm yyyy",
    "date": "yyyy-mm-dd",
    "vintage": "yyyy-mm-dd",
}
_LINKED = 30_000  # rows of a sheet that have links
_BLUE = "#0072B2"
_HATCHED = {"pattern": "wide_upward_diagonal", "fg_color": _BLUE}


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
    labels and of its lengths.
    """
    import xlsxwriter  # noqa: PLC0415  # only for a workbook

    content = io.BytesIO()
    with xlsxwriter.Workbook(content, _AS_TEXT) as made:
        # of no clock
        made.set_properties({"created": dt.datetime(2000, 1, 1)})  # noqa: DTZ001
        answer: Any = made.add_worksheet("Answer") if summary else None
        for name, table in tables.items():
            if table.rows or not summary:
                _write_table(made, made.add_worksheet(_titled(name)), name, table)
        for sheet in made.worksheets():
            sheet.set_landscape()
            sheet.fit_to_pages(1, 0)
        if summary:
            _write_summary(made, answer, summary)
            drawn = tables[chart[1]]
            if drawn.rows:
                answer.insert_chart(1, 3, _chart(made, drawn, chart))
    return content.getvalue()


def _titled(name: str) -> str:
    return name.replace("_", " ").capitalize()[:31]


def _write_summary(made: Any, sheet: Any, summary: Sequence[Sequence[str]]) -> None:
    """Write a line a row, high enough for its text."""
    for row, (what, value) in enumerate(summary):
        look = {"text_wrap": True, "valign": "top", "bold": not value}
        sheet.set_row(row, 15 * max(len(wrap(what, 28)), len(wrap(value, 80)), 1))
        sheet.write_row(row, 0, (what, value), made.add_format(look))
    sheet.set_column(0, 0, 30)
    sheet.set_column(1, 1, 80)


def _write_table(made: Any, sheet: Any, name: str, table: Table) -> None:
    """Write title, caption and rows; of a fund's day the year, where it stands for
    it.
    """
    rows, formats = list[pl.Series](), dict[Any, Any]()
    for place, column in enumerate(table.columns):
        values = [None if is_null(row[place]) else row[place] for row in table.rows]
        rows.append(pl.Series(column.heading, values, strict=False))
        if column.kind in _DAYS:
            formats[column.heading] = _DAYS[column.kind]
        elif column.sorted_as == "number":
            known: Any = [value for value in values if value is not None]
            count = decimals(known) if column.kind == "number" else 0
            formats[column.heading] = _NUMBERS[count]
    if rows:
        if len(table.rows) > _MOST:
            reason = f"a sheet has {_MOST:,} rows at most: save .parquet or .csv"
            raise SaveError(reason, folder="")
        frame = pl.DataFrame(rows)
        frame.with_columns(pl.col(pl.String).str.head(_CELL)).write_excel(
            made,
            sheet,
            position=(_HEAD, 0),
            freeze_panes=(_HEAD + 1, 1),
            table_name=name,
            table_style="Table Style Light 1",
            column_formats=formats,
            header_format={"text_wrap": True, "bold": True, "valign": "top"},
            autofit=True,
        )
    sheet.write_row(0, 0, [table.title], made.add_format({"bold": True}))
    sheet.write_row(1, 0, [table.caption if table.rows else table.about])
    year = made.add_format({"num_format": "yyyy"})
    for place, column in enumerate(table.columns):
        for at, row in enumerate(table.rows, start=_HEAD + 1):
            value: Any = row[place]
            if column.kind == "vintage" and is_year(value):
                sheet.write_datetime(at, place, value, year)
            elif column.kind == "link" and at < _LINKED:
                page = address(value)
                if 0 < len(page) < 2_000:
                    sheet.write_url(at, place, page, string=str(value))


def _chart(made: Any, table: Table, chosen: Sequence[str]) -> Any:
    """A chart of the rows that have a label: years as columns, of anything else the
    first bars.
    """
    title, name, label, length = chosen
    places = {column.name: place for place, column in enumerate(table.columns)}
    is_dated = table.columns[places[label]].kind == "year"
    labelled = [
        at for at, row in enumerate(table.rows) if not is_null(row[places[label]])
    ]
    if not is_dated:
        labelled = labelled[:_BARS]
    first, last = (labelled[0], labelled[-1]) if labelled else (0, 0)
    young, fills = places.get("still_arriving"), list[dict[str, Any]]()
    for row in table.rows[first : last + 1]:
        is_young = young is not None and row[young]
        fills.append({"pattern": _HATCHED} if is_young else {"fill": {"color": _BLUE}})
    from_row, to_row, sheet = _HEAD + 1 + first, _HEAD + 1 + last, _titled(name)
    x, y = places[label], places[length]
    chart = made.add_chart({"type": "column" if is_dated else "bar"})
    chart.add_series(
        {
            "categories": [sheet, from_row, x, to_row, x],
            "values": [sheet, from_row, y, to_row, y],
            "name": table.columns[y].heading,
            "points": fills,
            "gap": 40,
        }
    )
    chart.set_title({"name": title, "overlay": False, "name_font": {"size": 11}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": not is_dated, "major_gridlines": {"visible": False}})
    height = 340 if is_dated else 120 + 26 * len(fills)
    chart.set_size({"width": 720, "height": height})
    return chart
