"""Tables as a workbook: each a sheet with a table of Excel, and beside the answer a
chart.

Text stays text: nothing from the data becomes a formula, and a link only what a
table shows as one.
"""

import io
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

import polars as pl

from ventureframe.client.saves import book, sheet_of
from ventureframe.display.table import Table, address, decimals, is_null, is_year

_HEAD: Final = 3  # the row of the headings, below title and caption
_BARS: Final = 15  # most that a chart has; of years it has all
# with a gap before the next column
_NUMBERS: Final = ("#,##0_)", "#,##0.0_)", "#,##0.00_)")
_DAYS: Final = {
    "year": "0_)",
    "month": "mmm yyyy",
    "date": "yyyy-mm-dd",
    "vintage": "yyyy-mm-dd",
}
_LINKED: Final = 30_000  # rows of a sheet that have links


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
    content = io.BytesIO()
    with book(content) as made:
        first: Any = made.add_worksheet("Answer") if summary else None
        for name, table in tables.items():
            if table.rows or not summary:
                _fill(made, made.add_worksheet(_titled(name)), name, table)
        for sheet in made.worksheets():
            sheet.set_landscape()
            sheet.fit_to_pages(1, 0)
        for row, (what, value) in enumerate(summary):
            how = made.add_format(
                {"text_wrap": True, "valign": "top", "bold": not value}
            )
            first.set_row(row, 15 * max(len(wrap(what, 28)), len(wrap(value, 80)), 1))
            first.write_row(row, 0, (what, value), how)
        if first is not None:
            first.set_column(0, 0, 30)
            first.set_column(1, 1, 80)
            if tables[chart[1]].rows:
                first.insert_chart(1, 3, _drawn(made, tables[chart[1]], chart))
    return content.getvalue()


def _titled(name: str) -> str:
    return name.replace("_", " ").capitalize()[:31]


def _fill(made: Any, sheet: Any, name: str, table: Table) -> None:
    """Write title, caption and rows; of a fund's day the year, where it stands for
    it.
    """
    looks, bare = dict[Any, Any](), made.add_format({"num_format": "yyyy"})
    every = list(
        zip(table.columns, zip(*table.rows, strict=True), strict=bool(table.rows))
    )
    for column, values in every:
        known = [value for value in values if not is_null(value)]
        if column.sorted_as == "number":
            looks[column.heading] = _NUMBERS[
                decimals(known) if column.kind == "number" else 0
            ]
        looks |= {column.heading: _DAYS[column.kind]} if column.kind in _DAYS else {}
    how: Any = {
        "table_name": name,
        "table_style": "Table Style Light 1",
        "column_formats": looks,
    }
    how |= {
        "header_format": {"text_wrap": True, "bold": True, "valign": "top"},
        "autofit": True,
    }
    cells = (
        (c.heading, [None if is_null(v) else v for v in values]) for c, values in every
    )
    if rows := [pl.Series(*each, strict=False) for each in cells]:
        how |= {"position": (_HEAD, 0), "freeze_panes": (_HEAD + 1, 1)}
        sheet_of(pl.DataFrame(rows), made, sheet, **how)
    sheet.write_row(0, 0, [table.title], made.add_format({"bold": True}))
    sheet.write_row(1, 0, [table.caption if table.rows else table.about])
    for place, (column, values) in enumerate(every):
        for row, value in enumerate(values, start=_HEAD + 1):
            if column.kind == "vintage" and is_year(value):
                sheet.write_datetime(row, place, value, bare)
            elif (
                column.kind == "link"
                and row < _LINKED
                and 0 < len(address(value)) < 2_000
            ):
                sheet.write_url(row, place, address(value), string=str(value))


def _drawn(made: Any, table: Table, chosen: Sequence[str]) -> Any:
    """A chart of the rows that have a label: years as columns, of anything else the
    first bars.
    """
    title, name, *drawn = chosen
    places = {column.name: place for place, column in enumerate(table.columns)}
    is_dated = table.columns[places[drawn[0]]].kind == "year"
    named = (row[places[drawn[0]]] for row in table.rows)
    labelled = [at for at, label in enumerate(named) if not is_null(label)] or [0]
    at, to = labelled[0], (labelled if is_dated else labelled[:_BARS])[-1]
    ends = (
        (_HEAD + 1 + at, places[column], _HEAD + 1 + to, places[column])
        for column in drawn
    )
    labels, lengths = ([_titled(name), *cells] for cells in ends)
    bar, young = {"color": "#0072B2"}, places.get("still_arriving")
    hatch = {"pattern": {"pattern": "wide_upward_diagonal", "fg_color": bar["color"]}}
    points = [
        hatch if young and row[young] else {"fill": bar}
        for row in table.rows[at : to + 1]
    ]
    chart = made.add_chart({"type": "column" if is_dated else "bar"})
    of = {"name": table.columns[places[drawn[1]]].heading, "points": points, "gap": 40}
    chart.add_series({"categories": labels, "values": lengths, **of})
    chart.set_title({"name": title, "overlay": False, "name_font": {"size": 11}})
    chart.set_legend({"none": True})
    chart.set_y_axis({"reverse": not is_dated, "major_gridlines": {"visible": False}})
    chart.set_size(
        {"width": 720, "height": 340 if is_dated else 120 + 26 * len(points)}
    )
    return chart
