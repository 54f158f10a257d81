"""A table says what it holds, hides nothing and writes the same bytes each time."""

import base64
import csv
import gzip
import io
import json
import re
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import pytest

from tests.display.tables import table
from ventureframe.display.furniture import furniture
from ventureframe.display.table import CARRIED, DRAWN, Column, Kind, Table
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Source

COLUMNS = (
    Column("name", "Name"),
    Column("total", "Total funding", "money", "EUR"),
    Column("since", "Since", "date"),
    Column("year", "Founded", "year"),
    Column("flag", "Flag", "flag"),
)
AWKWARD = '<script>alert("1")</script> & $x$ 株式会社, "q"\nsecond line'


def named(*names: str | None) -> Table:
    rows = [(name, 1234567.5, date(2013, 6, 17), 2004, False) for name in names]
    return table(COLUMNS, rows, caption="EUR · known for 1 of 2")


def written(made: Table) -> list[list[str]]:
    """The rows of its CSV."""
    return list(csv.reader(io.StringIO(made.to_csv(), newline="")))


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


def test_cells_carry_type_raw_value_and_shown_value_and_no_name_becomes_markup() -> (
    None
):
    read = Cells(named(AWKWARD)._repr_html_().removeprefix(furniture()))
    heads, cells = read.cells[:5], read.cells[5:]
    assert "script" not in read.tags
    assert [attributes["data-type"] for attributes, _ in heads] == [
        *("text", "number", "date", "number", "text"),
    ]
    assert all(attributes["scope"] == "col" for attributes, _ in heads)
    assert [(attributes.get("data-value"), shown) for attributes, shown in cells] == [
        (AWKWARD, AWKWARD.replace("\n", r"\n")),
        ("1234567.5", "1.2m"),
        ("2013-06-17", "17 Jun 2013"),
        (None, "2004"),
        ("false", "no"),
    ]
    assert cells[1][0]["title"] == "1,234,567.50", "the exact amount without a script"
    assert written(named(AWKWARD))[1][0] == AWKWARD


def test_null_is_shown_as_not_recorded_and_exported_as_nothing() -> None:
    made = named(None)
    null = '<td data-value="" class="vf-null"[^>]*>not recorded</td>'
    assert re.search(null, made._repr_html_())
    assert "not recorded" in repr(made)
    assert written(made)[1][:2] == ["", "1234567.5"]


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_gives_a_spreadsheet_no_formula(first: str) -> None:
    name = f"{first}HYPERLINK(1)"
    columns = (Column("name", "Name"), Column("change", "Change", "number"))
    made = table(columns, [(name, -5.0), ("a=b", 5.0)])
    assert written(made)[1:] == [[f"'{name}", "-5.0"], ["a=b", "5.0"]]
    assert f"'{first}" not in made._repr_html_(), "only a CSV goes to a spreadsheet"


def test_rows_beyond_those_drawn_are_counted_and_in_the_html_compressed() -> None:
    made = named(*(f"row {each}" for each in range(6000)))
    html = made._repr_html_()
    assert "… 5,990 more rows" in repr(made)
    assert made.to_csv().count("\n") == 6001
    assert html.removeprefix(furniture()).count("<tr>") == DRAWN + 1
    assert "· 6,000 rows</figcaption>" in html
    packed = re.search('class="vf-rest">([^<]+)</script>', html)
    assert packed
    rest = gzip.decompress(base64.b64decode(packed[1]))
    columns = json.loads(rest)
    assert [len(column) for column in columns] == [6000 - DRAWN] * len(COLUMNS)
    assert columns[0][-1] == '<td class="vf-line">row 5999</td>'
    assert len(packed[1]) < len(rest) / 30
    assert made._repr_html_() == html, "equal bytes"


def test_a_table_too_long_for_a_file_says_how_many_rows_the_file_has() -> None:
    html = table(COLUMNS[:1], [("x",)] * (CARRIED + 1))._repr_html_()
    assert "the first 20,000 of 20,001 rows" in html


def test_without_script_or_style_the_box_scrolls_text_is_left_and_ids_are_folded() -> (
    None
):
    rows = [("x", 1e6 * row, "u") for row in range(1, 14)]
    made = table((*COLUMNS[:2], Column("uuid", "UUID", "id")), rows)
    html = made._repr_html_().removeprefix(furniture())
    assert 'style="max-height:26em;overflow:auto"' in html
    assert html.count('class="vf-id" hidden style="display:none"') == 14
    assert html.count('<td style="text-align:left">x</td>') == 13
    money = '<td data-value="1000000.0" title="1,000,000" class="vf-number">1.0m</td>'
    assert money in html
    short = replace(made, frame=made.frame[:12])._repr_html_()
    assert "max-height" not in short.removeprefix(furniture())
    assert "UUID" not in repr(made)


@pytest.mark.parametrize(
    ("kind", "known", "said"),
    [
        (
            "money",
            [55_834_614.93, 4.1e6, 0, 12_000, -3e6],
            ["55.8m", "4.1m", "0", "<0.1m", "−3.0m"],
        ),
        ("money", [20_000, 1.5e9, 4_000], ["0.02m", "1,500.00m", "<0.01m"]),
        ("native", [250.5, 5_000_000], ["<0.1m", "5.0m"]),
        ("number", [61, 57.25, 54.9], ["61.00", "57.25", "54.90"]),
        ("number", [1204, -3], ["1,204", "−3"]),
        ("flag", [True, False], ["yes", "no"]),
        ("month", [date(2026, 1, 1)], ["Jan 2026"]),
        ("vintage", [date(2026, 1, 1), date(2026, 1, 2)], ["2026", "2 Jan 2026"]),
        ("link", ["https://www.a.example/b?c", "a.example"], ["a.example"] * 2),
        ("state", ["no_records_returned"], ["not recorded"]),
    ],
)
def test_the_values_of_a_column_are_shown_with_one_precision(
    kind: Kind, known: list[object], said: list[str]
) -> None:
    assert list(map(Column("x", "X", kind).shown(known), known)) == said


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//x.example"]
)
def test_only_an_address_of_the_web_becomes_a_link(address: str) -> None:
    column = Column("url", "Address", "link")
    html = table([column], [(address,), ("https://a.example/b",)])._repr_html_()
    assert re.findall('<a href="([^"]+)"', html) == ["https://a.example/b"]


def test_a_csv_names_its_source_and_a_page_says_once_that_its_data_are_made_up() -> (
    None
):
    gap = Gap("short", "news", rows=5, of=9)
    source = Source(
        "a sample", as_of=date(2026, 6, 30), synthetic=True, incomplete=(gap,)
    )
    made = replace(named("A"), source=source)
    said = (
        "SYNTHETIC sample data · INCOMPLETE: news 5 of 9 · a sample, as of 2026-06-30"
    )
    assert [row[-1] for row in written(made)] == ["Data source", said]
    about = "SYNTHETIC sample data · EUR · known for 1 of 2 · a sample, as of"
    assert about in repr(made)
    caption = "<strong>Title</strong> EUR · known for 1 of 2</figcaption>"
    assert caption in made._repr_html_()


def test_an_empty_table_says_so_in_a_line() -> None:
    html = named()._repr_html_().removeprefix(furniture())
    said = "No record that was read belongs here."
    assert html == f'<p class="vf-none"><strong>Title</strong> {said}</p>\n'
    assert said in repr(named())


def test_a_column_of_one_value_stays_a_column() -> None:
    columns = (*COLUMNS[:1], Column("country", "Country"))
    for value in (None, "Norway"):
        made = table(columns, [("A", value)] * 3)
        assert made.about == ""
        assert made._repr_html_().count(value or "not recorded") == 3
        assert repr(made).splitlines()[1].split() == ["Name", "Country"]
        assert written(made)[0] == ["Name", "Country"]


@pytest.mark.parametrize("kind", ["text", "id", "state", "tag", "link"])
def test_no_text_of_a_service_steers_a_terminal(kind: Kind) -> None:
    steering = "\x1b[31mred\u202e\x07"
    shown = table((Column("name", "Name", kind),), [(steering,)])
    for text in (repr(shown), str(shown)):
        assert not {"\x1b", "\u202e", "\x07"} & set(text)
        assert kind == "id" or r"\x1b[31m" in text
