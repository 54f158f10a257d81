"""A finding shows itself, is a frame in two libraries, and says so where it has no
figure.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import date
from typing import Any

import pandas as pd
import polars as pl
import pytest

from ventureframe.display.figure import Drawing
from ventureframe.display.finding import Exhibit, Finding
from ventureframe.display.table import Column
from ventureframe.errors import FindingNotDrawn, UnsupportedValue
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Source

FRAME = pl.DataFrame(
    {
        "name": ["A", None],
        "total": [1.5e6, None],
        "count": [7, None],
        "hidden": ["x", "y"],
    }
)
SOURCE = Source("a sample", as_of=date(2026, 6, 30), synthetic=True)
COLUMNS = (
    Column("name", "Name"),
    Column("total", "Total", "money"),
    Column("count", "Count"),
)


def drawn(study: World) -> Drawing:
    return Drawing(study.subject, "One line", ["drawn"], 2, lambda _: None)


class World:
    """As much of a study as a listing needs."""

    subject = "X <&>"
    currency = "GBP"
    stands, withheld = frozenset[str](), ""
    source = SOURCE
    frames = {"totals": FRAME, "names": FRAME}  # noqa: RUF012  # read only

    def requests(self, names: list[str]) -> tuple[str, ...]:
        return ("GET /a", f"GET /b · {names}")

    totals = Exhibit(
        "Totals of {subject}",
        COLUMNS,
        lambda study: [f"of {study.subject}", None],
        f"{__name__}:drawn",
        order="total",
    )
    names = Exhibit("Names", COLUMNS[:1], rows=lambda study: study.frames["totals"][:1])


def test_title_caption_and_units_are_those_of_the_study() -> None:
    found = World().totals
    assert found.title == "Totals of X <&>"
    assert found.caption == "of X <&>"
    assert "SYNTHETIC sample data · of X <&> · a sample, as of 2026-06-30" in repr(
        found
    )
    assert found.requests == ("GET /a", "GET /b · []")
    assert found.name == "x-totals-gbp-2026-06-30-synthetic"
    assert [column.heading for column in found.columns] == [
        "Name",
        "Total (GBP)",
        "Count",
    ]
    assert World.totals.columns is COLUMNS, "the listing itself has no currency"


def test_a_part_of_a_finding_says_which_rows_it_has_of_how_many() -> None:
    found = World().totals
    first, second = found[:1], found[1:]
    assert (first.caption, second.caption) == (
        "the first 1 of 2 by total",
        "rows 2 to 2 of 2 by total",
    )
    assert (first.frame.rows(), second.frame.rows()) == (
        FRAME.rows()[:1],
        FRAME.rows()[1:],
    )
    assert found[:10] is found, "nothing is left out"
    assert found[:0].caption == "the first 0 of 2 by total"


@pytest.mark.parametrize("rows", [1, "name", [0], None, slice(None, None, 2)])
def test_what_is_no_range_of_rows_is_refused_with_what_has_it(rows: Any) -> None:
    refusal = r"'rows' cannot be .*: give a range such as \[:10\]; to_polars\(\) has"
    with pytest.raises(UnsupportedValue, match=refusal):
        World().totals[rows]


@pytest.mark.parametrize(
    ("amounts", "said"),
    [
        ([3, 2, 1], "the first 2 of 3 by total"),
        ([3, 2, 2], "the first 2 of 3 by total; others tie with the last"),
        ([1, 1, 1], "the first 2 of 3 by total; others tie with the last"),
    ],
)
def test_a_tie_at_the_end_of_a_part_is_named(amounts: list[int], said: str) -> None:
    frame = pl.DataFrame({"name": ["a", "b", "c"], "total": amounts})
    table = Finding("T", "of all 3", COLUMNS[:2], frame, order="total")
    assert table[:2].about == said


def test_a_part_of_what_is_incomplete_says_so_and_nothing_else_of_the_whole() -> None:
    found = World().totals
    source = replace(SOURCE, incomplete=(Gap("short", "funds", rows=1, of=2),))
    part = replace(found, source=source, caption="the sum is 7")[:1]
    assert part.caption.startswith("INCOMPLETE: funds 1 of 2")
    assert part.caption.endswith(" · the first 1 of 2 by total")


def test_its_table_has_its_columns_and_its_frame_has_all() -> None:
    found = World().totals
    assert [column.name for column in found.columns] == ["name", "total", "count"]
    assert "hidden" not in repr(found)
    assert list(csv.reader(io.StringIO(found.to_csv()))) == [
        ["Name", "Total (GBP)", "Count", "Data source"],
        ["A", "1500000.0", "7", "SYNTHETIC sample data · a sample, as of 2026-06-30"],
        ["", "", "", "SYNTHETIC sample data · a sample, as of 2026-06-30"],
    ]


def test_pandas_keeps_nulls_and_whole_numbers() -> None:
    frame = World().totals.to_pandas()
    assert list(frame.columns) == FRAME.columns
    assert [frame["count"][0], frame["count"].isna()[1]] == [7, True]
    assert pd.api.types.is_integer_dtype(frame["count"])


def test_text_html_and_facts_stand_side_by_side_in_a_notebook() -> None:
    found = World().totals
    for shown in (found, found.plot()):
        data, metadata = shown._repr_mimebundle_()
        assert data["text/plain"] == repr(shown)
        assert "Totals of X &lt;&amp;&gt;" in data["text/html"]
        facts = {"source": "a sample", "as_of": "2026-06-30", "synthetic": True}
        assert metadata == {"ventureframe": facts | {"licence": None}}


def test_a_finding_without_a_figure_says_so() -> None:
    with pytest.raises(FindingNotDrawn, match="Names"):
        World().names.plot()


def test_a_null_says_its_own_reason_where_its_column_has_several() -> None:
    frame = pl.DataFrame(
        {"size": [1e6, None, None], "why": ["converted", "not_convertible", None]}
    )
    table = Finding("T", "", (Column("size", "Size", "money", null_by="why"),), frame)
    assert [table.shown[0](size) for (size,) in table.rows] == [
        *("1.0m", "not convertible", "not recorded"),
    ]
    assert table._repr_html_().count('class="vf-number vf-null"') == 2
    assert list(csv.reader(io.StringIO(table.to_csv(), newline="")))[1:] == [
        ["1000000.0"],
        [""],
        [""],
    ]
