"""Rows of an engine that are kept, counted and taken once."""

from __future__ import annotations

import polars as pl
import pytest

from ventureframe.evidence import rows


def test_rows_kept_by_duckdb_know_nothing_of_how_they_were_made() -> None:
    duckdb = pytest.importorskip("duckdb")
    given = duckdb.connect().from_arrow(pl.DataFrame({"known_before": [1, 2]}).to_arrow())
    kept = rows.lazy(given).rename({"known_before": "n"})
    for _ in range(3):
        kept = rows.keep(kept.filter(rows.nw.col("n") > 0))
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
