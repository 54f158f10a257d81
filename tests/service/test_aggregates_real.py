"""Grouped measures of the real data agree with loops over the rows of its Parquet files."""

from __future__ import annotations

import functools
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

from ventureframe_service.aggregate import GROUPS, aggregate
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.store import Store

pytestmark = pytest.mark.real

DATED: Final = {"funds": "fund_date", "jobs": "date_posted"}
COUNTED: Final = {"companies": "launch_date", "funding-rounds": "month"}
"""A number of a source's rows that no rate changes."""


@pytest.fixture(scope="module")
def store(real_data: Path) -> Store:
    return Store(Dataset.open(real_data / "venture-2013"))


@pytest.fixture(scope="module")
def tables(real_data: Path) -> Mapping[str, list[dict[str, Any]]]:
    folder = real_data / "venture-2013"
    names = ["locations", *(source.replace("-", "_") for source in GROUPS)]
    return {name: pl.read_parquet(folder / f"{name}.parquet").to_dicts() for name in names}


def above(place: int | None, kind: str, places: Mapping[int, Mapping[str, Any]]) -> str | None:
    while place is not None and places[place]["type"] != kind:
        place = places[place]["parent_id"]
    return None if place is None else str(places[place]["name"])


def in_groups(
    source: str, by: str, row: Mapping[str, Any], places: Mapping[int, Mapping[str, Any]]
) -> set[Any]:
    """The groups of one dimension that the row is in."""
    if by == "tag_id":
        return set(row["tag_id"]) or {None}
    if by == "university_uuid":
        named = {entry["university_uuid"] for entry in row["education"] or ()}
        return named - {None} or {None}
    if by == "investor_id":
        return {row["manager_uuid"]}
    if by == "year" and source in DATED:
        day = row[DATED[source]]
        return {None if day is None else day.year}
    if source == "companies" and by.startswith("hq_"):
        return {above(row["hq_location"], by.removeprefix("hq_"), places)}
    return {row[by]}


Groups = Callable[[str, str], Sequence[set[Any]]]


@pytest.fixture(scope="module")
def groups(tables: Mapping[str, list[dict[str, Any]]]) -> Groups:
    """The groups of each row of a source in one dimension, found once."""
    places = {place["id"]: place for place in tables["locations"]}

    @functools.cache
    def found(source: str, by: str) -> Sequence[set[Any]]:
        return [in_groups(source, by, row, places) for row in tables[source.replace("-", "_")]]

    return found


@pytest.mark.parametrize("source", GROUPS)
def test_every_group_of_every_dimension_has_the_rows_counted_by_hand(
    source: str, store: Store, tables: Mapping[str, list[dict[str, Any]]], groups: Groups
) -> None:
    names = GROUPS[source]
    for by in chain(combinations(names, 1), combinations(names, 2)):
        compare(source, by, store, tables, groups)


def compare(
    source: str,
    by: tuple[str, ...],
    store: Store,
    tables: Mapping[str, list[dict[str, Any]]],
    groups: Groups,
) -> None:
    by_hand: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    number = COUNTED.get(source)
    each_in = zip(*(groups(source, name) for name in by), strict=True)
    for row, keys in zip(tables[source.replace("-", "_")], each_in, strict=True):
        for key in product(*keys):
            by_hand[key].append(row[number] if number else None)
    index = getattr(store, source.replace("-", "_"))
    measured = ["count", *([f"avg:{number}"] if number else [])]
    rows = aggregate(index, index.find(), source=source, by=by, measured=measured).to_dicts()
    found = {tuple(row[name] for name in by): row for row in rows}
    assert len(rows) == len(found)
    assert found.keys() == by_hand.keys()
    for key, values in by_hand.items():
        assert found[key]["count"] == len(values)
        known = [value for value in values if value is not None]
        if number:
            assert found[key][f"known_{number}"] == len(known)
            average = found[key][f"avg_{number}"]
            assert math.isclose(average, statistics.fmean(known)) if known else average is None


def test_stanford_has_239_founders_and_25183_companies_have_no_tag(store: Store) -> None:
    for source, by, key, count in (
        ("founders", "university_uuid", "5240d97e-07f4-515b-aef2-314586dabea8", 239),
        ("companies", "tag_id", None, 25_183),
    ):
        index = getattr(store, source)
        rows = aggregate(index, index.find(), source=source, by=[by], measured=["count"]).to_dicts()
        assert [row["count"] for row in rows if row[by] == key] == [count]
