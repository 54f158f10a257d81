"""Columns have the declared types, nulls stay, and a value of another type is named."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import company, uuid
from ventureframe.client import decode, frames
from ventureframe.client.decode import Chunk, Rows
from ventureframe.errors import UnknownField, UnreadableReply
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    NEWS,
    RESOURCES,
    Many,
    Record,
    Resource,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE


def page_of(rows: Sequence[object], resource: Resource = COMPANIES, **envelope: object) -> Chunk:
    body = json.dumps({"data": rows, **envelope}).encode()
    return decode.decode(
        [Reply("/data/x", body, {})], Rows(resource), profile=INTERFACE, currency="EUR"
    )


FUND = {"id": 7, "name": "Fund", "fund_date": "2013-04-01", "amount": 1.5}

POLARS = {
    "uuid": pl.String,
    "text": pl.String,
    "identifier": pl.Int64,
    "integer": pl.Int64,
    "number": pl.Float64,
    "flag": pl.Boolean,
    "date": pl.Date,
}
ARROW = {
    "uuid": "large_string",
    "text": "large_string",
    "identifier": "int64",
    "integer": "int64",
    "number": "double",
    "flag": "bool",
    "date": "date32[day]",
}
EVERY_FIELD = [
    pytest.param(resource, field, id=f"{resource.name}.{field.name}")
    for resource in RESOURCES.values()
    for field in resource.returned
]


@pytest.mark.parametrize(("resource", "field"), EVERY_FIELD)
def test_every_field_has_its_type_in_both_libraries_without_any_row(
    resource: Resource, field: Any
) -> None:
    frame = frames.empty(resource)
    in_polars = frame.schema[field.name]
    in_pandas = str(frames.to_pandas(frame)[field.name].dtype)
    if isinstance(field.type, Many):
        assert isinstance(in_polars, pl.List)
        assert in_pandas.startswith("large_list")
    elif isinstance(field.type, Record):
        assert isinstance(in_polars, pl.Struct)
        assert in_pandas.startswith("struct")
    else:
        assert in_polars == POLARS[field.type]
        assert in_pandas == ARROW[field.type] + "[pyarrow]"


def test_rows_have_the_columns_and_types_that_no_rows_have() -> None:
    full = company(
        1,
        launch_date=1999,
        total_funding=12,
        is_startup=True,
        founders=[uuid(5)],
        tags=[{"id": "44", "name": "Robotics", "type": None}],
        signal_rating=61.5,
    )
    frame = frames.assemble([page_of([full, company(2)]).frame], COMPANIES)
    assert frame.schema == frames.empty(COMPANIES).schema
    first, second = frame.to_dicts()
    assert first["total_funding"] == 12.0
    assert first["tags"] == [{"id": 44, "name": "Robotics", "type": None}]
    assert second["is_startup"] is None
    assert second["founders"] == []
    assert frames.to_pandas(frame).dtypes.equals(frames.to_pandas(frames.empty(COMPANIES)).dtypes)


def test_pandas_keeps_nulls_whole_numbers_and_flags() -> None:
    frame = frames.assemble(
        [page_of([company(1, launch_date=1999), company(2, launch_date=None)]).frame], COMPANIES
    )
    in_pandas = frames.to_pandas(frame)
    assert in_pandas["launch_date"].to_list() == [1999, pd.NA]
    assert in_pandas["is_startup"].isna().all()
    assert list(in_pandas.columns) == frame.columns


WRONG = [
    (COMPANIES, {"launch_date": 1.5}, "1.5 in 'launch_date'", "integer"),
    (COMPANIES, {"launch_date": 2.0**53}, "9007199254740992.0 in 'launch_date'", "integer"),
    (COMPANIES, {"launch_date": "1999"}, "'1999' in 'launch_date'", "integer"),
    (COMPANIES, {"launch_date": True}, "True in 'launch_date'", "integer"),
    (COMPANIES, {"launch_date": 2**63}, "9223372036854775808 in 'launch_date'", "integer"),
    (COMPANIES, {"total_funding": "7"}, "'7' in 'total_funding'", "number"),
    (COMPANIES, {"total_funding": False}, "False in 'total_funding'", "number"),
    (COMPANIES, {"total_funding": 2**53 + 1}, "9007199254740993 in 'total_funding'", "number"),
    (COMPANIES, {"total_funding": 10**400}, "in 'total_funding'", "number"),
    (COMPANIES, {"is_startup": "true"}, "'true' in 'is_startup'", "flag"),
    (COMPANIES, {"is_startup": 1}, "1 in 'is_startup'", "flag"),
    (COMPANIES, {"name": 5}, "5 in 'name'", "text"),
    (COMPANIES, {"founders": "x"}, "'x' in 'founders'", "list"),
    (COMPANIES, {"founders": [5]}, "5 in 'founders'", "uuid"),
    (COMPANIES, {"founders": ["x"]}, "'x' in 'founders'", "uuid"),
    (COMPANIES, {"uuid": "7"}, "'7' in 'uuid'", "uuid"),
    (COMPANIES, {"tags": [{"id": 1, "name": None}]}, "None in 'tags.name'", "text"),
    (COMPANIES, {"tags": [{"name": "a"}]}, "None in 'tags.id'", "identifier"),
    (FUNDS, {"manager": {"name": "M"}}, "None in 'manager.uuid'", "uuid"),
    (FUNDING_ROUNDS, {"investors": [{"uuid": None}]}, "None in 'investors.uuid'", "uuid"),
    (COMPANIES, {"tags": {"id": 1}}, "in 'tags'", "list"),
    (COMPANIES, {"tags": ["Robotics"]}, "'Robotics' in 'tags'", "record"),
    (COMPANIES, {"tags": [{"id": "x1", "name": "a"}]}, "'x1' in 'tags.id'", "identifier"),
    (COMPANIES, {"tags": [{"id": 1.5, "name": "a"}]}, "1.5 in 'tags.id'", "identifier"),
    (FOUNDERS, {"education": [{"start_year": "1999"}]}, "'1999' in 'education.start_year'", "int"),
    (FOUNDERS, {"profile_links": [1]}, "in 'profile_links'", "record"),
    (NEWS, {"id": 3, "publish_date": "yesterday"}, "'yesterday' in 'publish_date'", "date"),
    (NEWS, {"id": 3, "publish_date": "2013-02-30"}, "'2013-02-30' in 'publish_date'", "date"),
    (NEWS, {"id": 3, "publish_date": 20130101}, "20130101 in 'publish_date'", "date"),
]


@pytest.mark.parametrize(("resource", "values", "shown", "kind"), WRONG)
def test_a_value_of_another_type_is_named_with_field_and_row(
    resource: Resource, values: dict[str, Any], shown: str, kind: str
) -> None:
    fine: dict[str, Any] = {"uuid": uuid(1), "id": 3}
    with pytest.raises(UnreadableReply) as caught:
        page_of([fine, {"uuid": uuid(2), "id": 4} | values], resource)
    row = values.get("id", 4) if resource.key == "id" else values.get("uuid", uuid(2))
    assert f"{shown}" in str(caught.value)
    assert f"of {resource.name} record {row}, which is not of type {kind}" in str(caught.value)


def test_text_that_is_no_unicode_is_named() -> None:
    with pytest.raises(UnreadableReply, match="text in 'name' that is not Unicode"):
        page_of([company(1, name="\ud800")])


def test_a_record_without_its_key_is_refused() -> None:
    with pytest.raises(UnreadableReply, match="a record without 'uuid'"):
        page_of([company(1, uuid=None)])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "no list of records under 'data'"),
        ({"data": None}, "no list of records under 'data'"),
        ({"data": {"uuid": 1}}, "no list of records under 'data'"),
        ({"data": [1]}, "no list of records under 'data'"),
        ({"data": [], "page": {"total": "7"}}, "reports '7' as the number of matches"),
        ({"data": [], "page": {"total": -1}}, "reports -1 as the number of matches"),
        ({"data": [], "page": {"total": True}}, "reports True as the number of matches"),
        ({"data": [], "page": {"next_cursor": 5}}, "a cursor that is not text"),
        ({"data": [], "currency": "USD"}, "amounts in 'USD' where EUR was asked for"),
    ],
)
def test_a_reply_of_another_shape_is_named(body: dict[str, object], message: str) -> None:
    reply = Reply("/data/x", json.dumps(body).encode(), {})
    with pytest.raises(UnreadableReply, match=message):
        decode.decode([reply], Rows(COMPANIES), profile=INTERFACE, currency="EUR")


def test_identifiers_may_come_as_digits_and_are_one_number() -> None:
    frame = frames.assemble(
        [page_of([FUND, FUND | {"id": "7"}, FUND | {"id": "8"}], FUNDS).frame], FUNDS
    )
    assert frame["id"].to_list() == [7, 8]


def test_a_day_is_a_date_and_what_is_less_precise_is_kept_as_it_came() -> None:
    dates = ["2013-04-01", "2013-04-01T09:30:00Z", "2013-04", "2013", None]
    page = page_of([FUND | {"id": i, "fund_date": day} for i, day in enumerate(dates)], FUNDS)
    day = dt.date(2013, 4, 1)
    assert page.frame["fund_date"].to_list() == [day, day, None, None, None]
    assert page.frame["fund_date_text"].to_list() == [None, None, "2013-04", "2013", None]
    assert page.extra == {"fund_date_text"}


def test_an_unknown_field_is_kept_as_json_and_listed() -> None:
    pages = [page_of([company(1, mascot={"kind": "Füchsin"}), company(2)]), page_of([company(3)])]
    frame = frames.assemble([page.frame for page in pages], COMPANIES)
    assert frame["mascot"].to_list() == ['{"kind": "Füchsin"}', None, None]
    assert pages[0].extra == {"mascot"}


def test_an_unknown_member_of_a_record_is_kept_beside_it() -> None:
    entries = [{"degree": "BA", "grade": 1}, {"degree": "MA"}]
    page = page_of([{"uuid": uuid(1), "education": entries}, {"uuid": uuid(2)}], FOUNDERS)
    assert page.frame["education.grade"].to_list() == ["[1, null]", None]
    assert page.extra == {"education.grade"}


def test_a_declared_field_that_is_left_out_is_null_and_listed() -> None:
    page = page_of([{"uuid": uuid(1), "name": "A"}, company(2)])
    assert page.frame["team_size"].to_list() == [None, None]
    assert "team_size" in page.absent
    assert "name" not in page.absent


def test_a_child_table_has_one_row_per_entry_with_its_position() -> None:
    rows = [
        {"uuid": uuid(1), "education": [{"degree": "BA"}, {"degree": "MA", "end_year": 2001}]},
        {"uuid": uuid(2), "education": []},
        {"uuid": uuid(3), "education": None},
        {"uuid": uuid(4), "education": [{}]},
    ]
    table = frames.child(page_of(rows, FOUNDERS).frame, FOUNDERS, "education")
    assert table["founder_uuid"].to_list() == [uuid(1), uuid(1), uuid(4)]
    assert table["position"].to_list() == [0, 1, 0]
    assert table["degree"].to_list() == ["BA", "MA", None]
    assert table["end_year"].to_list() == [None, 2001, None]
    assert table.schema == frames.child(frames.empty(FOUNDERS), FOUNDERS, "education").schema


@pytest.mark.parametrize(
    ("resource", "name", "columns"),
    [
        (COMPANIES, "founders", ["company_uuid", "position", "founder_uuid"]),
        (COMPANIES, "tags", ["company_uuid", "position", "id", "name", "type"]),
        (FUNDING_ROUNDS, "investors", ["funding_round_id", "position", "uuid", "name"]),
        (NEWS, "entity_ids", ["news_item_id", "position", "entity_id"]),
    ],
)
def test_child_tables_have_the_same_columns_without_any_row(
    resource: Resource, name: str, columns: list[str]
) -> None:
    table = frames.child(frames.empty(resource), resource, name)
    assert table.columns == columns
    assert table.schema["position"] == pl.Int64
    assert list(frames.to_pandas(table).columns) == columns


@pytest.mark.parametrize("name", ["name", "founder", "profile_links"])
def test_a_field_that_is_no_list_has_no_child_table(name: str) -> None:
    with pytest.raises(UnknownField, match="to read as a table"):
        frames.child(frames.empty(COMPANIES), COMPANIES, name)


VALUES = {
    "uuid": st.uuids().map(str),
    "text": st.text(st.characters(codec="utf-8")),
    "identifier": st.integers(-(2**63), 2**63 - 1),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.booleans(),
    "date": st.dates(),
}


def values_of(field: Any) -> st.SearchStrategy[Any]:
    found = recorded(field.type, field.within)
    return st.none() | found if field.nullable else found


def recorded(kind: Any, within: tuple[float, float] | None = None) -> st.SearchStrategy[Any]:
    """Values that a record can have: no null stands in a list."""
    if isinstance(kind, Many):
        return st.lists(recorded(kind.of), max_size=3)
    if isinstance(kind, Record):
        return st.fixed_dictionaries({each.name: values_of(each) for each in kind.fields})
    if within is None:
        return VALUES[kind]
    low, high = within
    if kind == "number":
        return st.floats(low, min(high, 1e300))
    return st.integers(int(low), int(min(high, 2**53)))


def rows_of(resource: Resource) -> st.SearchStrategy[list[dict[str, Any]]]:
    members = {field.name: values_of(field) for field in resource.returned}
    members[resource.key] = recorded(resource[resource.key].type, resource[resource.key].within)
    row = st.fixed_dictionaries(members)
    return st.lists(row, max_size=4, unique_by=lambda row: row[resource.key])


@pytest.mark.parametrize("resource", [COMPANIES, FOUNDERS, FUNDS, NEWS], ids=lambda each: each.name)
@given(data=st.data())
def test_what_is_sent_is_what_the_frame_holds(resource: Resource, data: st.DataObject) -> None:
    rows = data.draw(rows_of(resource))
    sent = json.loads(json.dumps(rows, default=str))
    frame = frames.assemble([page_of(sent, resource).frame], resource)
    assert frame.to_dicts() == rows
    assert frame.schema == frames.empty(resource).schema
