"""Rows of an engine that are kept, counted and taken once."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest

from ventureframe.evidence import engine_rows as rows


def test_rows_kept_by_duckdb_know_nothing_of_how_they_were_made() -> None:
    duckdb = pytest.importorskip("duckdb")
    given = duckdb.connect().from_arrow(pl.DataFrame({"known_before": [1, 2]}).to_arrow())
    kept = rows.lazy(given).rename({"known_before": "n"})
    for _ in range(3):
        kept = rows.keep(kept.filter(nw.col("n") > 0))
    beside = rows.beside(pl.DataFrame({"n": [2]}), kept)
    assert "known_before" not in kept.to_native().sql_query()
    assert "known_before" not in beside.to_native().sql_query()
    assert rows.collected(kept.join(beside, on="n", how="semi")).rows() == [(2,)]


def test_a_frame_that_is_given_as_a_function_is_made_when_it_is_asked_for() -> None:
    made: list[str] = []

    def links() -> rows.Rows:
        made.append("links")
        return rows.lazy(pl.DataFrame({"n": [1]}))

    frames = rows.findings({"links": links})
    assert list(frames) == ["links"]
    assert not made
    assert frames["links"].height == frames["links"].height == 1
    assert made == ["links"]


@pytest.mark.parametrize(
    ("given", "is_key"),
    [
        ([], True),
        ([("a", 1), ("a", 2)], True),
        ([("a", 1), ("a", 1)], False),
        ([(None, 1), (None, 1)], False),
    ],
)
def test_a_key_is_one_where_no_two_rows_have_it(
    given: list[tuple[str | None, int]], *, is_key: bool
) -> None:
    frame = rows.lazy(pl.DataFrame(given, {"a": pl.String, "b": pl.Int64}, orient="row"))
    assert rows.is_key(frame, ["a", "b"]) is is_key
    assert rows.collected(rows.once(frame, "a", "b")).height == len(set(given))


@pytest.mark.parametrize(
    "keys",
    [
        [],
        [None, None],
        ["same"] * 5_000,
        [f"{number:05}" for number in range(5_000)],
        [f"{number * 7919 % 5_000:05}" for number in range(5_000)] + [None] * 10,
        list(range(-2_500, 2_500)),
        [float(number) for number in range(5_000)],
    ],
)
def test_every_row_is_in_one_range_and_no_range_has_many_more_than_asked_for(
    keys: list[Any],
) -> None:
    frame = rows.lazy(pl.DataFrame({"key": keys}, strict=False).lazy())
    other = rows.lazy(frame.to_native().reverse())
    parts = [
        rows.collected(rows.within(frame, each))["key"].to_list()
        for each in rows.ranges([other, frame], "key", most=1_000)
    ]
    assert sorted(str(key) for part in parts for key in part) == sorted(map(str, keys))
    is_one = len(set(keys)) <= 1 or isinstance(keys[0], float)
    assert (len(parts) == 1) == is_one or keys == ["same"] * 5_000
    assert is_one or max(map(len, parts)) <= 1_020
    held = [set(part) for part in parts]
    assert sum(map(len, held)) == len(set(keys))


def test_rows_of_parts_do_not_hold_the_text_they_were_chosen_from() -> None:
    text = pl.DataFrame({"n": range(50_000)}).with_columns(text=pl.format("{}" + "x" * 40, "n"))
    few = rows.lazy(text.lazy()).filter(nw.col("n") < 2)
    (kept,) = rows.kept_in_turn([few])
    for frame in (rows.collected(kept), rows.collected_in_turn([few, few])):
        assert pa.table(frame).get_total_buffer_size() < 1_000
