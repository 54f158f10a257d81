"""Grouped measures agree with loops over the rows, in every dimension and pair of
dimensions.
"""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import chain, combinations, product
from typing import Any, Final

import polars as pl
import pytest

from ventureframe_service.aggregate import GROUPS, aggregate
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.store import Store

DATED: Final = {"funds": "fund_date", "jobs": "date_posted"}
COUNTED: Final = {"companies": "launch_date", "funding-rounds": "month"}
"""A number of a source's rows that no rate changes."""
MEASURES: Final[Mapping[str, Callable[[list[float]], float]]] = {
    "avg": statistics.fmean,
    "sum": math.fsum,
    "median": statistics.median,
    "count_distinct": lambda values: len(set(values)),
}


@pytest.fixture(scope="module")
def dataset(small: Dataset) -> Dataset:
    """The sample, where companies have each tag twice, as some founders have entries of
    one university: a value that a list repeats is one value.
    """
    companies = small.tables["companies"]
    twice = companies.with_columns(pl.concat_list("tag_id", "tag_id"))
    return Dataset.of(small.description, {**small.tables, "companies": twice})


@pytest.fixture(scope="module")
def store(dataset: Dataset) -> Store:
    return Store(dataset)


@pytest.fixture(scope="module")
def tables(dataset: Dataset) -> Mapping[str, list[dict[str, Any]]]:
    founders = dataset.tables["founders"].filter(~pl.col("is_withheld"))
    made = {name: rows.to_dicts() for name, rows in dataset.tables.items()}
    for firm in made["investors"]:
        backed_by = (
            edge for edge in made["lp_managers"] if edge["manager_uuid"] == firm["uuid"]
        )
        firm["backers"] = {edge["lp_uuid"] for edge in backed_by}
    return made | {"founders": founders.to_dicts()}


def above(
    place: int | None, kind: str, places: Mapping[int, Mapping[str, Any]]
) -> str | None:
    while place is not None and places[place]["type"] != kind:
        place = places[place]["parent_id"]
    return None if place is None else str(places[place]["name"])


def in_groups(
    source: str,
    by: str,
    row: Mapping[str, Any],
    places: Mapping[int, Mapping[str, Any]],
) -> set[Any]:
    """The groups of one dimension that the row is in."""
    if by == "tag_id":
        return set(row["tag_id"]) or {None}
    if by == "university_uuid":
        named = {entry["university_uuid"] for entry in row["education"] or ()}
        return named - {None} or {None}
    if by in ("lp_uuid", "investor_id"):
        return row["backers"] or {None} if by == "lp_uuid" else {row["manager_uuid"]}
    if by == "year" and source in DATED:
        day = row[DATED[source]]
        return {None if day is None else day.year}
    if source == "companies" and by.startswith("hq_"):
        return {above(row["hq_location"], by.removeprefix("hq_"), places)}
    return {row[by]}


@pytest.mark.parametrize("source", GROUPS)
def test_every_group_of_every_dimension_has_the_rows_counted_by_hand(
    source: str, store: Store, tables: Mapping[str, list[dict[str, Any]]]
) -> None:
    names, rows = GROUPS[source], tables[source.replace("-", "_")]
    places = {place["id"]: place for place in tables["locations"]}
    number, index = COUNTED.get(source), store.indexes[source]
    measured = ["count", *(f"{measure}:{number}" for measure in MEASURES if number)]
    groups = {
        name: [in_groups(source, name, row, places) for row in rows] for name in names
    }
    for by in chain(combinations(names, 1), combinations(names, 2)):
        by_hand: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
        for row, *keys in zip(rows, *(groups[name] for name in by), strict=True):
            for key in product(*keys):
                by_hand[key].append(row[number] if number else None)
        answer = aggregate(
            index, index.find(), source=source, by=by, measured=measured
        ).to_dicts()
        found = {tuple(row[name] for name in by): row for row in answer}
        assert len(answer) == len(found)
        assert found.keys() == by_hand.keys()
        for key, values in by_hand.items():
            assert found[key]["count"] == len(values)
            known = [value for value in values if value is not None]
            for measure, by_loop in MEASURES.items() if number else ():
                assert found[key][f"known_{number}"] == len(known)
                value = found[key][f"{measure}_{number}"]
                assert math.isclose(value, by_loop(known)) if known else not value
