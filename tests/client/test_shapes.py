"""Rows that are written neither as the interface nor as today's wire has them: no silent nulls.

Each case takes proper rows and changes one key that a field is read from: it is renamed, moved out
of its record, given another type, left out, or null where there must be a value; in one row or in
every one. The outcome is a named error, a warning with a caveat, or `withheld`.
"""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from tests.client.stand_in import (
    CLIENT_ID,
    SECRET,
    Answer,
    Asked,
    StandIn,
    collection,
    standing_in,
    uuid,
)
from ventureframe.client import decode, decode_fast
from ventureframe.client.auth import Credentials
from ventureframe.client.decode import Chunk, Rows
from ventureframe.client.listing import ENDPOINTS, Listing, Owner
from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Many, Record
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe.interface.wire.shape import Key
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

Row = dict[str, Any]
WIRES = {each.name: each for each in (INTERFACE, WIRE_2026_10_02)}
LISTS = (
    *("companies", "founders", "funds", "news", "jobs"),
    *("lp-funds", "manager-funds", "funding-rounds"),
)
RECORDS = {
    "university": fields.UNIVERSITIES,
    "investor": fields.INVESTORS,
    "tags": fields.TAGS,
    "locations": fields.LOCATIONS,
}
PARTS = {"team": ("companies", "founders"), "education": ("founders", "education")}
PARTS["career"] = ("founders", "prior_employers")
"""Lists that are read apart: whose they are, and the field they fill."""


def rows_of(endpoint: str, wire: str) -> Rows:
    shape = WIRES[wire].shapes.get(endpoint)
    known = ENDPOINTS.get(endpoint)
    every = {**fields.RESOURCES, **RECORDS}
    if known is not None:
        return Rows(known.resource, shape)
    return Rows(every[endpoint] if shape is None else shape.resource, shape)


# --- proper rows: something in every key

_VALUES = {
    "text": "Füchsin",
    "uuid": uuid(5),
    "number": 2.0,
    "flag": True,
    "integer": 7,
    "identifier": 9,
    "date": "2013-04-01",
}
_NAMED = {
    "role": "hq",
    "subtype": "company",
    "start_date": "2001-09",
    "end_date": "2004",
    "classifications": ["startup", "spinout"],
    "total": 1,
    "available": [],
    "locked": [],
}


def value(field: Field) -> Any:
    if field.name in _NAMED:
        return _NAMED[field.name]
    if field.name == "launch_date" and field.type == "text":
        return "1999-05"
    kind = field.type.of if isinstance(field.type, Many) else field.type
    one = proper(kind) if isinstance(kind, Record) else _VALUES[kind]
    return [one] if isinstance(field.type, Many) else one


def proper(record: Record) -> Row:
    return {field.name: value(field) for field in record.fields}


def two(rows: Rows) -> list[Row]:
    """Two rows with something in every key, and keys of their own."""
    found = [proper(rows.record), proper(rows.record)]
    for number, row in enumerate(found, 1):
        at = rows.shape.columns[rows.key].path if rows.shape and rows.key else rows.key
        for holder in holders(row, at or ""):
            name = (at or "").split(".")[-1]
            holder[name] = uuid(number) if holder.get(name) == uuid(5) else number
    return found


# --- changes


def holders(row: Row, path: str) -> list[Row]:
    """The records in a row that have the last key of the path."""
    found: list[Any] = [row]
    for name in path.split(".")[:-1]:
        values = [each.get(name) for each in found]
        found = [one for value in values for one in (value if isinstance(value, list) else [value])]
        found = [each for each in found if isinstance(each, dict)]
    return found


def renamed(row: Row, path: str, _: Field) -> None:
    name = path.rsplit(".", maxsplit=1)[-1]
    for each in holders(row, path):
        each[f"{name}_x"] = each.pop(name)


def unnested(row: Row, path: str, _: Field) -> None:
    """The value stands beside the record that should hold it."""
    above, name = path.rsplit(".", 1)
    outer = above.split(".")[-1]
    for each in holders(row, above):
        if isinstance(each[outer], dict):
            each[f"{outer}_{name}"] = each[outer].pop(name)
        else:
            each[f"{outer}_{name}"] = [one.pop(name) for one in each[outer]]


def retyped(row: Row, path: str, field: Field) -> None:
    wrong = _OTHER[field.type] if isinstance(field.type, str) else "text"
    for each in holders(row, path):
        each[path.rsplit(".", maxsplit=1)[-1]] = wrong


def dropped(row: Row, path: str, _: Field) -> None:
    for each in holders(row, path):
        del each[path.rsplit(".", maxsplit=1)[-1]]


def nulled(row: Row, path: str, _: Field) -> None:
    for each in holders(row, path):
        each[path.rsplit(".", maxsplit=1)[-1]] = None


_OTHER = {
    "uuid": "organisation-7",
    "identifier": "seven",
    "text": 7,
    "integer": "7",
    "number": "7",
    "flag": "true",
    "date": 7,
}
CHANGES: dict[str, Callable[[Row, str, Field], None]] = {
    each.__name__: each for each in (renamed, unnested, retyped, dropped, nulled)
}


class Case(NamedTuple):
    """One change of one key, in the first row only or in every row."""

    wire: str
    endpoint: str
    path: str
    change: str
    is_everywhere: bool
    field: Field

    def changed(self, rows: Sequence[Row]) -> list[Row]:
        """The rows with the change made."""
        made = [copy.deepcopy(row) for row in rows]
        for row in made if self.is_everywhere else made[:1]:
            CHANGES[self.change](row, self.path, self.field)
        return made

    @property
    def fields(self) -> set[str]:
        """The fields that cannot be told without the key."""
        shape = WIRES[self.wire].shapes.get(self.endpoint)
        return (
            {self.path, self.path.partition(".")[0]} if shape is None else {*shape.reads(self.path)}
        )

    def __str__(self) -> str:
        where = "everywhere" if self.is_everywhere else "once"
        return f"{self.wire}-{self.endpoint}-{self.path}-{self.change}-{where}"


def keys_of(record: Record, within: str = "") -> Iterator[tuple[str, Field]]:
    """Every key of a row that must be there, with its path."""
    for field in record.fields:
        if isinstance(field, Key) and field.is_optional:
            continue
        yield within + field.name, field
        inner = field.type.of if isinstance(field.type, Many) else field.type
        if isinstance(inner, Record):
            yield from keys_of(inner, f"{within}{field.name}.")


def cases(*endpoints: str) -> Iterator[Case]:
    for wire, profile in WIRES.items():
        for endpoint in endpoints:
            if endpoint in PARTS and endpoint not in profile.shapes:
                continue
            for path, field in keys_of(rows_of(endpoint, wire).read):
                if path in fields.OPTIONAL:
                    continue
                if (endpoint, path.partition(".")[0]) == ("manager-funds", "manager"):
                    continue  # the path of the request says it instead
                if endpoint == "team" and not list(rows_of(endpoint, wire).absent([path])):
                    continue  # only the embedded service writes it
                wanted = set(CHANGES) - (set() if "." in path else {"unnested"})
                wanted -= {"nulled"} if field.nullable else set()
                for change in sorted(wanted):
                    yield Case(wire, endpoint, path, change, False, field)
                    yield Case(wire, endpoint, path, change, True, field)


def each_case(*endpoints: str) -> Any:
    """The cases as parameters of a test; `make test` takes one of nine."""
    marked = [
        pytest.param(case, id=str(case), marks=pytest.mark.slow if at % 9 else [])
        for at, case in enumerate(cases(*endpoints))
    ]
    return pytest.mark.parametrize("case", marked)


# --- outcomes


def heard(fetch: Callable[[], Any]) -> tuple[Any, list[str]] | None:
    """What is fetched and the doubts about it; None where it ends in a named error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = fetch()
        except UnreadableReply:
            return None
    return found, [str(each.message) for each in caught if each.category is EvidenceWarning]


def assert_said(case: Case, result: Result, warned: Sequence[str], names: set[str]) -> None:
    """One of the fields is warned of and has a caveat, or is withheld."""
    left_out = names & set(result.details.absent_fields)
    assert left_out or names & result.withheld.keys()
    for name in left_out:
        assert any("leave out" in said and name in said for said in warned)
        assert any("leave out" in said and name in said for said in result.caveats)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    """One for all cases: to start a service takes longer than a case."""
    with standing_in() as each:
        yield each


@pytest.fixture(scope="module")
def services(stand_in: StandIn) -> dict[str, Service]:
    """A client of each wire."""
    settings: dict[str, Any] = {"base_url": stand_in.base_url, "auth_url": stand_in.auth_url}
    settings |= {"credentials": Credentials(CLIENT_ID, SECRET), "user_agent": "analysts/1.0"}
    return {name: Service(Session(**settings, profile=wire)) for name, wire in WIRES.items()}


def query(service: Service, endpoint: str) -> Query:
    owner = Owner(uuid(5)) if "{id}" in service.connection.profile.paths[endpoint] else None
    return Query(Listing(service.connection, endpoint, owner))


def decoded(read: Callable[..., Chunk], rows: Sequence[Row], case: Case) -> Chunk | str:
    body = json.dumps({"data": rows}, separators=(",", ":")).encode()
    try:
        wire = WIRES[case.wire]
        return read([Reply("/x", body, {})], rows_of(case.endpoint, case.wire), profile=wire)
    except UnreadableReply as error:
        return str(error)


@each_case(*LISTS)
def test_a_list_in_another_shape_is_refused_doubted_or_withheld(
    stand_in: StandIn, services: dict[str, Service], case: Case
) -> None:
    rows = two(rows_of(case.endpoint, case.wire))
    changed = case.changed(rows)
    stand_in.data = collection(changed)
    outcome = heard(query(services[case.wire], case.endpoint).fetch)
    if outcome is not None:
        assert_said(case, *outcome, case.fields)
    slow, fast = (decoded(each, changed, case) for each in (decode.decode, decode_fast.decode))
    if isinstance(slow, Chunk) and isinstance(fast, Chunk):
        assert fast.frame.equals(slow.frame)
        assert (fast.absent, fast.extra) == (slow.absent, slow.extra)
    else:
        assert fast == slow


def test_the_cases_are_many() -> None:
    assert len(list(cases(*LISTS))) > 1000


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("endpoint", LISTS)
def test_proper_rows_are_read_without_a_doubt(
    stand_in: StandIn, services: dict[str, Service], endpoint: str, wire: str
) -> None:
    rows = rows_of(endpoint, wire)
    stand_in.data = collection(two(rows))
    found = heard(query(services[wire], endpoint).fetch)
    assert found is not None
    result, warned = found
    assert (warned, result.details.absent_fields, result.withheld) == ([], (), {})
    unsaid = () if rows.shape is None else rows.shape.unsaid
    for field in rows.resource.returned:
        assert field.name in unsaid or result.to_polars()[field.name].null_count() == 0, field.name


def changed_freely(row: Row, read: Record, record: Record) -> Row:
    """The row with other names and types for every key that no field is read from, and more."""
    wanted = {field.name: field for field in read.fields}
    found: Row = {"brand_new": {"name": None, "uuid": "x", "items": [1]}}
    for field in record.fields:
        value, inner = row[field.name], wanted.get(field.name)
        if inner is None:
            found[field.name if len(field.name) % 2 else f"{field.name}_x"] = ["other", None]
        elif isinstance(inner.type, Record) and isinstance(field.type, Record):
            found[field.name] = changed_freely(value, inner.type, field.type)
        elif isinstance(inner.type, Many) and isinstance(inner.type.of, Record):
            assert isinstance(field.type, Many)
            assert isinstance(field.type.of, Record)
            entries = [changed_freely(each, inner.type.of, field.type.of) for each in value]
            found[field.name] = entries
        else:
            found[field.name] = value
    return found


@pytest.mark.parametrize("endpoint", LISTS)
def test_keys_that_no_field_is_read_from_may_change_freely(
    stand_in: StandIn, services: dict[str, Service], endpoint: str
) -> None:
    rows = rows_of(endpoint, WIRE_2026_10_02.name)
    stand_in.data = collection(two(rows))
    asked = query(services[WIRE_2026_10_02.name], endpoint)
    expected = asked.fetch()
    other = [changed_freely(row, rows.read, rows.record) for row in two(rows)]
    assert other != two(rows)
    stand_in.data = collection(other)
    outcome = heard(asked.fetch)
    assert outcome is not None
    result, warned = outcome
    assert result.to_polars().equals(expected.to_polars())
    assert (warned, result.details.extra_columns) == ([], ())


@pytest.mark.parametrize("endpoint", LISTS)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_a_new_key_needs_no_second_look_and_a_missing_one_does(
    endpoint: str, separators: tuple[str, str]
) -> None:
    def is_fast(changed: list[Row]) -> bool:
        body = json.dumps({"data": changed}, separators=separators).encode()
        try:
            decode_fast._read([decode_fast._split(Reply("/x", body, {})).rows], rows)
        except decode_fast._Doubt:
            return False
        return True

    rows = rows_of(endpoint, WIRE_2026_10_02.name)
    assert is_fast([{**row, "brand_new": {"fresh": None}} for row in two(rows)])
    for path, field in keys_of(rows.read):
        case = Case(WIRE_2026_10_02.name, endpoint, path, "dropped", False, field)
        assert not is_fast(case.changed(two(rows)))
        if field.nullable:
            nulled_case = case._replace(change="nulled", is_everywhere=True)
            assert is_fast(nulled_case.changed(two(rows)))


@each_case(*RECORDS)
def test_a_single_record_in_another_shape_is_refused_or_doubted(
    services: dict[str, Service], case: Case
) -> None:
    rows = rows_of(case.endpoint, case.wire)
    reply = Reply("/x", json.dumps({"data": case.changed(two(rows))}).encode(), {})
    connection = services[case.wire].connection
    outcome = heard(lambda: connection.rows(reply, case.endpoint, rows.resource))
    if outcome is not None:
        assert any(name in said for name in case.fields for said in outcome[1])


@each_case(*PARTS)
def test_entries_read_apart_in_another_shape_are_refused_or_doubted(
    stand_in: StandIn, services: dict[str, Service], case: Case
) -> None:
    endpoint, name = PARTS[case.endpoint]
    wire = WIRES[case.wire]
    whole = wire.shapes[endpoint].glances[name]
    assert whole.endpoint == case.endpoint
    rows = two(rows_of(endpoint, case.wire))
    for holder in holders(rows[0], whole.total):
        holder["total"] = 2
    entries = proper(rows_of(case.endpoint, case.wire).record)
    entries = [entries, copy.deepcopy(entries)]  # type: ignore[assignment]

    def answer(asked: Asked) -> Answer:
        is_part = asked.path.count("/") > 2
        return collection(case.changed(entries) if is_part else rows)(asked)  # type: ignore[arg-type]

    stand_in.data = answer
    stand_in.asked.clear()
    asked = query(services[case.wire], endpoint).with_all(name)
    outcome = heard(asked.fetch)
    assert any(each.path.count("/") > 2 for each in stand_in.data_asked)
    if outcome is not None:
        assert_said(case, *outcome, {name})
