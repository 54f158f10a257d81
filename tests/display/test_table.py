"""A table says what it holds, hides nothing and writes the same bytes each time."""

from __future__ import annotations

import csv
import io
from datetime import date
from html.parser import HTMLParser

import pytest

from ventureframe.display.table import SHOWN_AS_HTML, Column, Table

COLUMNS = (
    Column("name", "Name"),
    Column("total", "Total funding", "money", "EUR"),
    Column("since", "Since", "date"),
    Column("year", "Founded", "year"),
    Column("flag", "Flag", "flag"),
)
AWKWARD = '<script>alert("1")</script> & $x$ 株式会社, "q"\nsecond line'


def table(names: list[str | None]) -> Table:
    rows = tuple((name, 1234567.5, date(2013, 6, 17), 2004, False) for name in names)
    return Table("Title", "EUR · known for 1 of 2", COLUMNS, rows)


class Cells(HTMLParser):
    """The cells of a table: attributes and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[tuple[dict[str, str | None], str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append((dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.cells and not data.isspace():
            self.cells[-1] = (self.cells[-1][0], self.cells[-1][1] + data)


def test_cells_carry_type_raw_value_and_shown_value() -> None:
    cells = Cells(table([AWKWARD])._repr_html_()).cells
    assert [attributes["data-type"] for attributes, _ in cells[:5]] == [
        *("text", "number", "date", "number", "text"),
    ]
    assert all(attributes["scope"] == "col" for attributes, _ in cells[:5])
    assert [(attributes["data-value"], shown) for attributes, shown in cells[5:]] == [
        (AWKWARD, AWKWARD),
        ("1234567.5", "1,234,567.50"),
        ("2013-06-17", "2013-06-17"),
        ("2004", "2004"),
        ("false", "false"),
    ]


def test_null_is_shown_as_not_reported_and_exported_as_nothing() -> None:
    made = table([None])
    assert '<td data-value="" class="vf-null">not reported</td>' in made._repr_html_()
    assert "not reported" in repr(made)
    assert made.to_csv().splitlines()[1].startswith(",1234567.5,")


def test_names_cannot_become_markup() -> None:
    html = table([AWKWARD])._repr_html_()
    assert "script" not in Cells(html).tags
    assert "$x$" in html


def test_csv_gives_awkward_names_back() -> None:
    assert next(csv.reader(io.StringIO(table([AWKWARD]).to_csv().partition("\n")[2])))[0] == AWKWARD


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_gives_a_spreadsheet_no_formula(first: str) -> None:
    name = f"{first}HYPERLINK(1)"
    columns = (Column("name", "Name"), Column("change", "Change", "number"))
    made = Table("Title", "", columns, ((name, -5.0), ("a=b", 5.0)))
    _, *rows = csv.reader(io.StringIO(made.to_csv(), newline=""))
    assert rows == [[f"'{name}", "-5.0"], ["a=b", "5.0"]]
    assert f"'{first}" not in made._repr_html_(), "only a CSV goes to a spreadsheet"


def test_a_long_table_says_how_many_rows_it_does_not_show() -> None:
    made = table([f"row {each}" for each in range(1204)])
    assert "… 1,194 more rows" in repr(made)
    html = made._repr_html_()
    assert html.count("<tr>") == SHOWN_AS_HTML + 1
    assert "the first 500 of 1,204 rows are shown" in html
    assert made.to_csv().count("\n") == 1205


def test_an_empty_table_says_so() -> None:
    assert "0 rows" in table([])._repr_html_()
