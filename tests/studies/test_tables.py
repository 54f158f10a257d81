"""A table says what it holds, hides nothing and writes the same bytes each time."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from datetime import date
from html import unescape
from html.parser import HTMLParser

import polars as pl
import pytest
from ventureframe.tables import Column, Table

from ventureframe import tables
from ventureframe.display.table import SHOWN_AS_HTML
from ventureframe.display.wording import counted, money, money_exact, number
from ventureframe.studies.spinouts.find import Study

ALL: list[Callable[[Study], Table]] = [
    *(tables.funnel, tables.states, tables.populations, tables.companies, tables.links),
    *(tables.candidates, tables.years, tables.coverage, tables.claims, tables.caveats),
]
COLUMNS = (
    Column("name", "Name"),
    Column("total", "Total funding", "money", "EUR"),
    Column("since", "Since", "date"),
    Column("year", "Founded", "year"),
    Column("flag", "Flag", "flag"),
)
AWKWARD = '<script>alert("1")</script> & $x$ 株式会社, "q"\nsecond line'


def table(names: list[str | None]) -> Table:
    size = len(names)
    frame = pl.DataFrame(
        {
            "name": names,
            "total": [1234567.5] * size,
            "since": [date(2013, 6, 17)] * size,
            "year": [2004] * size,
            "flag": [False] * size,
        },
        schema_overrides={"name": pl.String},
    )
    return Table.of(frame, *COLUMNS, title="Title", caption="EUR · known for 1 of 2")


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


@pytest.mark.parametrize("make", ALL)
def test_every_table_says_its_title_and_size_in_text_and_html(
    make: Callable[[Study], Table], study: Study
) -> None:
    made = make(study)
    for shown in (repr(made), unescape(made._repr_html_())):
        assert made.title in shown
        assert made.caption in shown
        assert all(column.heading in shown for column in made.columns)
    assert len(list(csv.reader(io.StringIO(made.to_csv())))) == len(made.rows) + 1
    assert make(study)._repr_html_() == made._repr_html_()


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
    frame = pl.DataFrame({"name": [name, "a=b"], "change": [-5.0, 5.0]})
    columns = (Column("name", "Name"), Column("change", "Change", "number"))
    made = Table.of(frame, *columns, title="Title", caption="")
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


def test_the_money_caption_has_currency_known_of_total_and_sum(study: Study) -> None:
    caption = tables.companies(study).caption
    assert "EUR known for 2 of 3 companies" in caption
    assert "1,500,000.35 EUR" in caption
    assert "Total funding (EUR)" in repr(tables.companies(study))


def test_states_are_all_listed_with_their_meaning(study: Study) -> None:
    assert [row[2] for row in tables.states(study).rows] == [2, 2, 1, 1, 1]


def test_populations_are_listed_with_definitions_and_never_combined(study: Study) -> None:
    made = tables.populations(study)
    assert [row[1] for row in made.rows] == [7, None, 1]
    assert "never summed" in made.caption
    assert "not reported" in repr(made)


def test_every_caveat_names_its_rule(study: Study) -> None:
    rules = [str(row[1]) for row in tables.caveats(study).rows]
    assert all(re.fullmatch(r"reading rule [1-8]", rule) for rule in rules)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not reported"),
        (0, "0 USD"),
        (0.1, "0.10 USD"),
        (999.5, "999.50 USD"),
        (12_345.6, "12,346 USD"),
        (999_499, "999,499 USD"),
        (999_999, "1 million USD"),
        (3_864_930_929.77, "3.86 billion USD"),
        (-2_500_000, "−2.5 million USD"),
    ],
)
def test_money_is_said_with_its_currency(value: float | None, said: str) -> None:
    assert money(value, "USD") == said


def test_counts_and_exact_amounts_are_said() -> None:
    assert counted(1, "company", "companies") == "1 company"
    assert counted(1204, "founder") == "1,204 founders"
    assert number(-8) == "−8"
    assert money_exact(3_864_930_929.7731586, "USD") == "3,864,930,929.77 USD"
    assert money_exact(None, "USD") == "not reported"
