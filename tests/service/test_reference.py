"""The store answers as plain Python over lists does, whatever is asked of whatever
rows.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import cmp_to_key, partial
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


SMALL = st.integers(0, 4)
SCORE = st.integers(0, 8).map(lambda value: value * 12.5)
FLAG = st.booleans()
COMPANY: Mapping[str, st.SearchStrategy[Any]] = {
    "name": st.sampled_from(["a", "A", "é", "b c"]),
    "tagline": st.none(),
    "website_domain": st.none(),
    "launch_date": maybe(SMALL.map(lambda year: 2000 + year)),
    "team_size": maybe(SMALL),
    "company_status": maybe(st.sampled_from(["operational", "closed"])),
    "is_startup": maybe(FLAG),
    "is_spinout": maybe(FLAG),
    "hq_location": maybe(st.sampled_from(sorted(PARENTS))),
    "total_funding": maybe(SMALL.map(float)),
    "total_funding_currency": maybe(st.sampled_from(["EUR", "USD", "ISK"])),
    "signal_rating": maybe(SCORE),
    "signal_timing": maybe(SCORE),
    "signal_team": maybe(SCORE),
    "is_hiring": maybe(FLAG),
    "open_jobs_count": maybe(SMALL),
    "tag_id": st.lists(st.sampled_from(TAGS), max_size=3),
    "founders": st.lists(st.integers(0, 4).map(lambda n: key(100 + n)), max_size=3),
}
SCHOOL = st.lists(maybe(st.sampled_from(UNIVERSITIES)), max_size=2)
FUND: Mapping[str, st.SearchStrategy[Any]] = {
    "name": maybe(st.sampled_from(["x", "y"])),
    "manager_uuid": st.integers(0, 2).map(lambda n: key(200 + n)),
    "fund_date": maybe(SMALL.map(lambda year: dt.date(2016 + year, 3, 1))),
    "fund_type": maybe(st.sampled_from(["Other", "Private Equity"])),
    "amount": maybe(SMALL.map(float)),
    "amount_currency": maybe(st.sampled_from(["EUR", "USD"])),
    "is_closed": maybe(FLAG),
    "source_url": st.none(),
}
ARTICLE: Mapping[str, st.SearchStrategy[Any]] = {
    "title": st.sampled_from(["t", "u"]),
    "publish_date": maybe(SMALL.map(lambda day: dt.date(2020, 1, 1 + day))),
    "entity_ids": st.lists(st.integers(0, 5).map(key), max_size=2),
    "url": st.none(),
    "source": st.none(),
}


@st.composite
def rows_of(draw: Any, table: Mapping[str, Any], name: str, most: int) -> list[Row]:
    rows = draw(st.lists(st.fixed_dictionaries(dict(table)), max_size=most))
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
    if table == "funds":
        return {"funds": draw(rows_of(FUND, "id", 10))}
    if table == "news":
        return {"news": draw(rows_of(ARTICLE, "id", 10))}
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
    return {"companies": draw(rows_of(COMPANY, "uuid", 14)), "founders": people}


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


def compared(
    one: Row, other: Row, *, parts: list[str], shown: Callable[[Row, str], Any], by: str
) -> int:
    for part in parts:
        a, b = (shown(row, part.removeprefix("-")) for row in (one, other))
        if a != b:
            if a is None or b is None:
                return 1 if a is None else -1
            return (1 if a > b else -1) * (-1 if part.startswith("-") else 1)
    return -1 if one[by] < other[by] else 1


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
            index = store.indexes[table.replace("_", "-")]
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
    order = partial(compared, parts=sort.split(",") if sort else [], shown=shown, by=by)
    return [row[by] for row in sorted(kept, key=cmp_to_key(order))]
