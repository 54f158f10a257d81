"""The store answers as plain Python over lists does, whatever is asked of whatever
rows.
"""

import datetime as dt
import operator
from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from typing import Any
from uuid import UUID

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ventureframe.dataset.manifest import Description
from ventureframe.dataset.schema import TABLES
from ventureframe.interface import filters
from ventureframe.interface.fields import (
    COMPANIES,
    SEVERAL,
    Field,
)
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe_service.dataset import Dataset
from ventureframe_service.engine.store import Store

Row = dict[str, Any]
World = dict[str, list[Row]]

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
DRAWN: Mapping[str, st.SearchStrategy[Any]] = {
    "hq_location": maybe(st.sampled_from(sorted(PARENTS))),
    "total_funding_currency": CURRENCY,
    "tag_id": listed(st.sampled_from(TAGS), 3),
    "founders": listed(SMALL.map(lambda n: key(100 + n)), 3),
    "launch_date_text": st.none(),
}
SCHOOL = listed(maybe(st.sampled_from(UNIVERSITIES)), 2)


def values() -> dict[str, st.SearchStrategy[Any]]:
    """What each column of companies but the key holds; one without which a folder is
    refused is never null.
    """
    schema, drawn = TABLES["companies"], dict(DRAWN)
    for name, kind in schema.columns.items():
        if name not in drawn and name != "uuid":
            own = BY_TYPE[kind]
            drawn[name] = own if name in schema.required else maybe(own)
    return drawn


def frame(table: str, rows: list[Row]) -> pl.DataFrame:
    columns = {}
    for column, kind in TABLES[table].columns.items():
        columns[column] = pl.Series([row.get(column) for row in rows], dtype=kind)
    return pl.DataFrame(columns)


@st.composite
def worlds(draw: Any) -> World:
    rows = draw(listed(st.fixed_dictionaries(values()), 14))
    numbers = draw(st.permutations(range(len(rows))))
    rows = [{"uuid": key(n), **row} for n, row in zip(numbers, rows, strict=True)]
    people = []
    for number, names in enumerate(
        draw(st.lists(maybe(SCHOOL), min_size=5, max_size=5))
    ):
        entries = names and [ENTRY | {"university_name": name} for name in names]
        people.append({"uuid": key(100 + number), "education": entries})
    return {"companies": rows, "founders": people}


def dataset(world: World) -> Dataset:
    day, kinds = dt.date(2015, 1, 1), {"type": "sector"}
    small: World = {
        "fx": [
            {"currency": code, "date": day, "per_eur": rate}
            for code, rate in RATES.items()
        ],
        "tags": [{"id": tag, "label": f"tag {tag}", **kinds} for tag in TAGS],
        "locations": [
            {"id": place, "name": f"place {place}", "type": "city", "parent_id": above}
            for place, above in PARENTS.items()
        ],
    }
    tables = {name: frame(name, rows) for name, rows in (world | small).items()}
    return Dataset.of(ABOUT, tables)


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


def held(row: Row, world: World, currency: str, field: str) -> list[Any]:
    """All that a filter of this field finds the row by: none, one or several values."""
    if field == "id":
        return [row["uuid"]]
    if field == "has_founder":
        return [bool(row["founders"])]
    if field == "hq_location":
        return above(row["hq_location"])
    values: Any = row.get(field, [])
    if field == "total_funding":
        values = converted(values, row["total_funding_currency"], currency)
    elif field == "founder_university_name":
        for person in world["founders"]:
            if person["uuid"] in row["founders"]:
                names = [each["university_name"] for each in person["education"] or []]
                values += [name and name.casefold() for name in names]
    values = values if isinstance(values, list) else [values]
    return [value for value in values if value is not None]


COMPARED = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


def satisfies(clause: Clause, field: Field, values: list[Any]) -> bool:
    wanted = [field.read(text) for text in clause.values]
    if clause.operator in COMPARED:
        compare = COMPARED[clause.operator]
        return any(compare(value, wanted[0]) for value in values)
    if clause.operator.endswith("in_all"):
        holds = all(each in values for each in wanted)
    else:
        holds = any(value in wanted for value in values)
    if clause.operator in ("neq", "nin_any", "nin_all"):
        return bool(values) and not holds
    return holds


def keeps(question: Filter, values: Callable[[str], list[Any]]) -> bool:
    if isinstance(question, Group):
        join = all if question.word == "and" else any
        return join(keeps(part, values) for part in question.parts)
    assert isinstance(question, Clause)
    return satisfies(question, COMPANIES[question.field], values(question.field))


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
def clauses(draw: Any) -> Clause:
    fields = [field for field in COMPANIES.fields if field.operators]
    field = draw(st.sampled_from(fields))
    word = draw(st.sampled_from(field.operators))
    most = 3 if word in SEVERAL else 1
    texts = st.lists(VALUES[field.scalar], min_size=1, max_size=most, unique=True)
    return Clause(field.name, word, tuple(draw(texts)))


def joined(parts: list[Filter]) -> st.SearchStrategy[Filter]:
    return st.sampled_from([filters.all_of(*parts), filters.any_of(*parts)])


QUESTIONS = st.recursive(
    clauses(),
    lambda inner: st.lists(inner, min_size=2, max_size=3).flatmap(joined),
    max_leaves=5,
)


@st.composite
def sorts(draw: Any) -> str:
    some = st.lists(st.sampled_from(COMPANIES.sortable), max_size=2, unique=True)
    return ",".join(draw(st.sampled_from(["", "-"])) + name for name in draw(some))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_question_finds_the_rows_that_lists_find(data: st.DataObject) -> None:
    world: World = data.draw(worlds())
    shuffled = world | {"companies": data.draw(st.permutations(world["companies"]))}
    stores = [Store(dataset(world)), Store(dataset(shuffled))]
    for _ in range(8):
        question, sort = data.draw(st.none() | QUESTIONS), data.draw(sorts())
        currency = data.draw(st.sampled_from(["USD", "EUR", "GBP"]))
        expected = answered(world, question, sort=sort, currency=currency)
        size = data.draw(st.integers(1, 5))
        for store in stores:
            index = store.indexes["companies"]
            found = index.find(question, sort=sort, currency=currency)
            uuids: list[str] = []
            for start in range(0, found.total + 1, size):
                uuids += index.page(found, start, size)["uuid"].to_list()
            assert uuids == expected
            assert found.total == len(expected)


def answered(
    world: World, question: Filter | None, *, sort: str, currency: str
) -> list[Any]:
    """The keys of the companies, found and sorted in lists."""

    def shown(row: Row, name: str) -> Any:
        if name == "total_funding":
            return converted(row[name], row["total_funding_currency"], currency)
        return row[name]

    kept = []
    for row in sorted(world["companies"], key=itemgetter("uuid")):
        if question is None or keeps(question, partial(held, row, world, currency)):
            kept.append(row)
    return [
        row["uuid"] for row in ordered(kept, sort.split(",") if sort else [], shown)
    ]
