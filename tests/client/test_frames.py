"""Frames have one type for each field in both libraries, with rows and without."""

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl
import pytest

from tests.client.rows import page_of, value
from tests.client.stand_in import StandIn, collection, uuid
from ventureframe.client import frames
from ventureframe.client.listing import ENDPOINTS, Listing, Owner
from ventureframe.client.query import Query
from ventureframe.client.service import Service
from ventureframe.errors import UnknownField
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    RESOURCES,
    Field,
    Many,
    Record,
    Resource,
)
from ventureframe.interface.wire.profile import INTERFACE

TEXT, WHOLE = ("String", "large_string"), ("Int64", "int64")
KINDS = {
    "text": TEXT,
    "uuid": TEXT,
    "integer": WHOLE,
    "identifier": WHOLE,
    "number": ("Float64", "double"),
    "flag": ("Boolean", "bool"),
    "date": ("Date", "date32[day]"),
}
"""What each type of a field is in polars and in pandas (on Arrow)."""


def types_of(fields: Iterable[Field]) -> dict[str, tuple[str, str]]:
    """The columns of fields in their order, in both libraries."""
    return {field.name: type_of(field.type) for field in fields}


def type_of(kind: Any) -> tuple[str, str]:
    """The two types of a value."""
    if isinstance(kind, Many):
        in_polars, in_pandas = type_of(kind.of)
        return f"List({in_polars})", f"large_list<item: {in_pandas}>"
    if not isinstance(kind, Record):
        return KINDS[kind]
    members = types_of(kind.fields)
    in_polars = ", ".join(f"'{name}': {each[0]}" for name, each in members.items())
    in_pandas = ", ".join(f"{name}: {each[1]}" for name, each in members.items())
    return f"Struct({{{in_polars}}})", f"struct<{in_pandas}>"


NAMES = (
    *("companies", "founders", "universities", "investors"),
    *("funds", "funding-rounds", "news", "jobs"),
)
TYPES = {name: types_of(RESOURCES[name].returned) for name in NAMES}
CHILDREN = {
    ("companies", "tags"): ("company_uuid", ""),
    ("companies", "founders"): ("company_uuid", "founder_uuid"),
    ("founders", "education"): ("founder_uuid", ""),
    ("founders", "prior_employers"): ("founder_uuid", ""),
    ("funding-rounds", "investors"): ("funding_round_id", ""),
    ("news", "entity_ids"): ("news_item_id", "entity_id"),
}
"""The columns of a child table that hold the row's key and, of a list of texts, the
entry.
"""


def types_in(frame: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """The types of the columns in both libraries."""
    in_pandas = frames.to_pandas(frame)
    assert list(in_pandas.columns) == frame.columns
    return {
        name: (str(kind), str(in_pandas[name].dtype).removesuffix("[pyarrow]"))
        for name, kind in frame.schema.items()
    }


def full(resource: Resource) -> dict[str, Any]:
    """A row with something in every field."""
    row = {field.name: value(field) for field in resource.returned}
    return row | {resource.key: uuid(1) if resource.key == "uuid" else 1}


def empty(resource: Resource) -> dict[str, Any]:
    """A row with nothing but what is never null."""
    fields = resource.returned
    row = {field.name: None if field.nullable else value(field) for field in fields}
    return row | {resource.key: uuid(2) if resource.key == "uuid" else 2}


def rows_of_each(resource: Resource) -> Iterator[list[dict[str, Any]]]:
    yield []
    yield [full(resource)]
    yield [empty(resource)]
    yield [full(resource), empty(resource)]


def test_every_list_is_a_table_of_its_own_whatever_the_rows_hold() -> None:
    for (name, table), (key, entry) in CHILDREN.items():
        resource = RESOURCES[name]
        of: Any = resource[table].type
        entries = {entry: TEXT} if entry else types_of(of.of.fields)
        of_key = TEXT if resource.key == "uuid" else WHOLE
        for rows in rows_of_each(resource):
            child = frames.child(page_of(rows, resource).frame, resource, table)
            assert types_in(child) == {key: of_key, "position": WHOLE, **entries}
            assert child["position"].to_list() == [0] * (full(resource) in rows)


def test_a_child_table_has_one_row_per_entry_with_its_position() -> None:
    rows = [
        {
            "uuid": uuid(1),
            "education": [{"degree": "BA"}, {"degree": "MA", "end_year": 2001}],
        },
        {"uuid": uuid(2), "education": []},
        {"uuid": uuid(3), "education": None},
        {"uuid": uuid(4), "education": [{}]},
    ]
    table = frames.child(page_of(rows, FOUNDERS).frame, FOUNDERS, "education")
    columns = table.select("founder_uuid", "position", "degree", "end_year")
    assert columns.rows() == [
        (uuid(1), 0, "BA", None),
        (uuid(1), 1, "MA", 2001),
        (uuid(4), 0, None, None),
    ]


@pytest.mark.parametrize("name", ["name", "founder", "profile_links"])
def test_a_field_that_is_no_list_has_no_child_table(name: str) -> None:
    with pytest.raises(UnknownField, match="to read as a table"):
        frames.child(frames.empty(COMPANIES), COMPANIES, name)


MONEY = {"currency": ("String", "large_string")}
"""What stands beside converted amounts: which currency they are in."""


@pytest.mark.parametrize(
    ("endpoint", "added"),
    [
        ("companies", MONEY),
        ("founders", {}),
        ("news", {}),
        ("jobs", {}),
        ("funds", {"manager_source": TEXT} | MONEY),
        ("manager-funds", {"manager_source": TEXT} | MONEY),
        ("lp-funds", {"lp_uuid": TEXT}),
        ("funding-rounds", {"company_uuid": TEXT} | MONEY),
    ],
)
def test_a_result_adds_what_the_request_says_and_nothing_else(
    stand_in: StandIn,
    service: Service,
    endpoint: str,
    added: dict[str, tuple[str, str]],
) -> None:
    is_nested = "{id}" in INTERFACE.paths[endpoint]
    owner = Owner(uuid(5)) if is_nested else None
    query = Query(Listing(service.connection, ENDPOINTS[endpoint], owner))
    for rows in rows_of_each(query.listing.endpoint.resource):
        stand_in.data = collection(rows)
        result = query.fetch()
        columns = types_in(result.to_polars())
        expected = TYPES[query.listing.endpoint.resource.name] | added
        assert [*columns.items()] == [*expected.items()], "in their order"
        assert result.details.added_columns == tuple(
            name for name in added if name not in MONEY
        )
        assert pl.from_pandas(result.to_pandas()).equals(result.to_polars())
