"""The store answers as plain Python over lists does, whatever is asked of whatever
rows.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.interface import filters
from ventureframe.interface.fields import (
    COMPANIES,
    FUNDS,
    NEWS,
    SEVERAL,
    Field,
    Resource,
)
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.store import Store

Row = dict[str, Any]

ABOUT = Description("tiny", "", dt.date(2020, 6, 30), True, "CC0", ())
PARENTS = {1: None, 2: 1, 3: 2, 4: 2, 5: None}
UNIVERSITIES = (
    "North",
    "NORTH",
    "South, of (the) East",
    "北",
    "Straße İ",
    "STRASSE i̇",
)
TAGS = (7, 8, 9)
RATES = {"EUR": 1.0, "USD": 1.25}


ENTRY = dict.fromkeys(("university_uuid", "degree", "major", "start_year", "end_year"))


def key(number: int) -> str:
    return str(UUID(int=number * 7919 + 1))


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


def listed(values: st.SearchStrategy[Any], most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, max_size=most)


SMALL = st.integers(0, 4)
BY_TYPE: Mapping[pl.DataType, st.SearchStrategy[Any]] = {
    pl.String(): st.sampled_from(["a", "A", "é", "operational", "closed", "Other"]),
    pl.Int32(): SMALL.map(lambda year: 2000 + year),
    pl.Float64(): SMALL.map(lambda value: value * 12.5),
    pl.Boolean(): st.booleans(),
    pl.Date(): SMALL.map(lambda year: dt.date(2016 + year, 3, 1)),
}
"""What a column holds that is not drawn in a way of its own, or null."""
CURRENCY = maybe(st.sampled_from(["EUR", "USD", "ISK"]))
DRAWN: Mapping[str, Mapping[str, st.SearchStrategy[Any]]] = {
    "companies": {
        "hq_location": maybe(st.sampled_from(sorted(PARENTS))),
        "total_funding_currency": CURRENCY,
        "tag_id": listed(st.sampled_from(TAGS), 3),
        "founders": listed(SMALL.map(lambda n: key(100 + n)), 3),
        "launch_date_text": st.none(),
    },
    "funds": {
        "manager_uuid": SMALL.map(lambda n: key(200 + n)),
        "amount_currency": CURRENCY,
    },
    "news": {"entity_ids": listed(SMALL.map(key), 2)},
}
SCHOOL = listed(maybe(st.sampled_from(UNIVERSITIES)), 2)


def values_of(table: str) -> Mapping[str, st.SearchStrategy[Any]]:
    """What each column but the key holds; one without which a folder is refused is
    never null.
    """
    own, schema = DRAWN[table], TABLES[table]
    plain = {
        name: BY_TYPE[kind] if name in schema.required else maybe(BY_TYPE[kind])
        for name, kind in schema.columns.items()
        if name not in own and name not in schema.key
    }
    return {**plain, **own}


@st.composite
def rows_of(draw: Any, table: str, most: int) -> list[Row]:
    rows = draw(listed(st.fixed_dictionaries(dict(values_of(table))), most))
    (name,) = TABLES[table].key
    numbers = draw(st.permutations(range(len(rows))))
    return [
        {name: key(n) if name == "uuid" else n, **row}
        for n, row in zip(numbers, rows, strict=True)
    ]


def frame(table: str, rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            column: pl.Series([row.get(column) for row in rows], dtype=kind)
            for column, kind in TABLES[table].columns.items()
        }
    )


@st.composite
def worlds(draw: Any, table: str) -> dict[str, list[Row]]:
    rows = draw(rows_of(table, 14))
    if table != "companies":
        return {table: rows}
    schools = draw(st.lists(maybe(SCHOOL), min_size=5, max_size=5))
    people = [
        {
            "uuid": key(100 + n),
            "education": (
                names and [ENTRY | {"university_name": name} for name in names]
            ),
        }
        for n, names in enumerate(schools)
    ]
    return {"companies": rows, "founders": people}


def dataset(world: dict[str, list[Row]]) -> Dataset:
    day = dt.date(2015, 1, 1)
    small: dict[str, list[Row]] = {
        "fx": [
            {"currency": code, "date": day, "per_eur": rate}
            for code, rate in RATES.items()
        ],
    }
    if "companies" in world:
        small["tags"] = [
            {"id": tag, "label": f"tag {tag}", "type": "sector"} for tag in TAGS
        ]
        small["locations"] = [
            {"id": place, "name": f"place {place}", "type": "city", "parent_id": above}
            for place, above in PARENTS.items()
        ]
    return Dataset.of(
        ABOUT, {name: frame(name, rows) for name, rows in (world | small).items()}
    )


def converted(amount: float | None, currency: str | None, to: str) -> float | None:
    if amount is None or currency is None:
        return None
    if currency == to:
        return amount
    if currency not in RATES or to not in RATES:
        return None
    return amount * (RATES[to] / RATES[currency])


def above(place: int | None) -> list[int]:
    return [] if place is None else [place, *above(PARENTS[place])]


def held(
    table: str, row: Row, world: dict[str, list[Row]], currency: str, field: str
) -> list[Any]:
    """All that a filter of this field finds the row by: none, one or several values."""
    if field in ("id", "uuid") and table == "companies":
        return [row["uuid"]]
    if field == "has_founder":
        return [bool(row["founders"])]
    if field == "hq_location":
        return above(row["hq_location"])
    if field == "total_funding":
        values = [
            converted(row["total_funding"], row["total_funding_currency"], currency)
        ]
    elif field == "founder_university_name":
        people = [
            person for person in world["founders"] if person["uuid"] in row["founders"]
        ]
        values = [
            entry["university_name"] and entry["university_name"].casefold()
            for person in people
            for entry in person["education"] or []
        ]
    elif field == "investor_id":
        values = [row["manager_uuid"]]
    elif field == "year":
        values = [row["fund_date"] and row["fund_date"].year]
    elif field == "entity_id":
        values = row["entity_ids"]
    else:
        values = row[field] if isinstance(row[field], list) else [row[field]]
    return [value for value in values if value is not None]


def satisfies(clause: Clause, field: Field, values: list[Any]) -> bool:
    wanted = [field.read(text) for text in clause.values]
    has_one = any(value in wanted for value in values)
    has_all = all(each in values for each in wanted)
    holds: Mapping[str, Callable[[], bool]] = {
        "eq": lambda: has_one,
        "in_any": lambda: has_one,
        "in_all": lambda: has_all,
        "neq": lambda: bool(values) and not has_one,
        "nin_any": lambda: bool(values) and not has_one,
        "nin_all": lambda: bool(values) and not has_all,
        "gt": lambda: any(value > wanted[0] for value in values),
        "gte": lambda: any(value >= wanted[0] for value in values),
        "lt": lambda: any(value < wanted[0] for value in values),
        "lte": lambda: any(value <= wanted[0] for value in values),
    }
    return holds[clause.operator]()


def keeps(
    question: Filter, resource: Resource, values: Callable[[str], list[Any]]
) -> bool:
    if isinstance(question, Group):
        join = all if question.word == "and" else any
        return join(keeps(part, resource, values) for part in question.parts)
    assert isinstance(question, Clause)
    return satisfies(question, resource[question.field], values(question.field))


def ordered(
    rows: list[Row], parts: list[str], shown: Callable[[Row, str], Any]
) -> list[Row]:
    """The rows sorted by each part, the first one last, null at the end of each."""
    for part in reversed(parts):
        name = part.removeprefix("-")
        known = [row for row in rows if shown(row, name) is not None]
        missing = [row for row in rows if shown(row, name) is None]
        known.sort(key=lambda row: shown(row, name), reverse=part != name)
        rows = known + missing
    return rows


VALUES: Mapping[str, st.SearchStrategy[str]] = {
    "uuid": st.integers(0, 14).map(key) | st.integers(200, 203).map(key),
    "integer": st.integers(1999, 2021).map(str),
    "number": st.sampled_from(["0", "1", "2.5", "3", "50", "62.5"]),
    "flag": st.sampled_from(["true", "false"]),
    "text": st.sampled_from([*UNIVERSITIES, "operational", "closed", "Other", "none"]),
    "identifier": st.sampled_from([*map(str, TAGS), *map(str, PARENTS), "77"]),
}


@st.composite
def clauses(draw: Any, resource: Resource) -> Clause:
    field = draw(
        st.sampled_from([field for field in resource.fields if field.operators])
    )
    operator = draw(st.sampled_from(field.operators))
    most = 3 if operator in SEVERAL else 1
    values = draw(
        st.lists(VALUES[field.scalar], min_size=1, max_size=most, unique=True)
    )
    return Clause(field.name, operator, tuple(values))


def questions(resource: Resource) -> st.SearchStrategy[Filter]:
    return st.recursive(
        clauses(resource),
        lambda inner: st.lists(inner, min_size=2, max_size=3).flatmap(
            lambda parts: st.sampled_from(
                [filters.all_of(*parts), filters.any_of(*parts)]
            )
        ),
        max_leaves=5,
    )


@st.composite
def sorts(draw: Any, resource: Resource) -> str:
    names = draw(st.lists(st.sampled_from(resource.sortable), max_size=2, unique=True))
    return ",".join(draw(st.sampled_from(["", "-"])) + name for name in names)


CASES = {"companies": COMPANIES, "funds": FUNDS, "news": NEWS}


QUESTIONS = 8


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
@pytest.mark.parametrize("table", CASES)
def test_any_question_finds_the_rows_that_lists_find(
    table: str, data: st.DataObject
) -> None:
    world: dict[str, list[Row]] = data.draw(worlds(table))
    shuffled = world | {table: data.draw(st.permutations(world[table]))}
    stores = [Store(dataset(world)), Store(dataset(shuffled))]
    for _ in range(QUESTIONS):
        question = data.draw(st.none() | questions(CASES[table]))
        sort = data.draw(sorts(CASES[table]))
        currency = data.draw(st.sampled_from(["USD", "EUR", "GBP"]))
        expected = answered(world, table, question, sort=sort, currency=currency)
        size = data.draw(st.integers(1, 5))
        for store in stores:
            index = store.indexes[table]
            found = index.find(question, sort=sort, currency=currency)
            pages = [
                index.page(found, start, size).to_dicts()
                for start in range(0, found.total + 1, size)
            ]
            assert [
                row[index.resource.key] for page in pages for row in page
            ] == expected
            assert found.total == len(expected)


def answered(
    world: dict[str, list[Row]],
    table: str,
    question: Filter | None,
    *,
    sort: str,
    currency: str,
) -> list[Any]:
    """The keys of the rows, found and sorted in lists."""
    by = CASES[table].key

    def shown(row: Row, name: str) -> Any:
        if name in ("total_funding", "amount"):
            native = row.get("total_funding_currency", row.get("amount_currency"))
            return converted(row[name], native, currency)
        return row[name]

    kept = [
        row
        for row in world[table]
        if question is None
        or keeps(question, CASES[table], partial(held, table, row, world, currency))
    ]
    by_key = sorted(kept, key=itemgetter(by))
    return [row[by] for row in ordered(by_key, sort.split(",") if sort else [], shown)]
