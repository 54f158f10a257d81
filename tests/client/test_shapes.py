"""Rows that are written neither as the interface nor as today's wire has them: no
silent nulls.

Proper rows have one key changed that a field is read from: it is renamed, moved out
of its record, given another type, left out, or null where there must be a value.
Where it is so in every row the outcome is a named error, a warning with a caveat, or
`withheld`. A key that some rows lack is null there, and says no more.
"""

import copy
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client.rows import (
    WIRES,
    Row,
    holders,
    keys_of,
    kind_of,
    proper,
    replies,
    two,
)
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
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.decode import decode
from ventureframe.client.frames import Chunk
from ventureframe.client.listing import ENDPOINTS, Listing, Owner
from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface.fields import Field
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import Profile, Shape

DRAWS = 1000 if settings.get_current_profile_name() == "deep" else 25
TODAY = WIRE_2026_10_02.name
LISTS = (
    *("companies", "founders", "funds", "news", "jobs"),
    *("lp-funds", "manager-funds", "funding-rounds"),
)
RECORDS = ("university", "investor", "tags", "locations")
PARTS = {"team": ("companies", "founders"), "education": ("founders", "education")}
PARTS["career"] = ("founders", "prior_employers")
"""Lists that are read apart: whose they are, and the field they fill."""


def renamed(row: Row, path: str, _: Field) -> None:
    name = path.rsplit(".", maxsplit=1)[-1]
    for holder in holders(row, path):
        holder[f"{name}_x"] = holder.pop(name)


def unnested(row: Row, path: str, _: Field) -> None:
    """The value stands beside the record that should hold it."""
    above, name = path.rsplit(".", 1)
    outer = above.split(".")[-1]
    for holder in holders(row, above):
        if isinstance(holder[outer], dict):
            holder[f"{outer}_{name}"] = holder[outer].pop(name)
        else:
            holder[f"{outer}_{name}"] = [entry.pop(name) for entry in holder[outer]]


def retyped(row: Row, path: str, field: Field) -> None:
    wrong = 7 if field.type in ("text", "date", "partial date") else "text"
    for holder in holders(row, path):
        holder[path.rsplit(".", maxsplit=1)[-1]] = wrong


def dropped(row: Row, path: str, _: Field) -> None:
    for holder in holders(row, path):
        del holder[path.rsplit(".", maxsplit=1)[-1]]


def nulled(row: Row, path: str, _: Field) -> None:
    for holder in holders(row, path):
        holder[path.rsplit(".", maxsplit=1)[-1]] = None


CHANGES = (renamed, unnested, retyped, dropped, nulled)
Change = Callable[[Row, str, Field], None]


class Case(NamedTuple):
    """A key of the rows of an endpoint."""

    wire: str
    endpoint: str
    path: str
    field: Field

    def changed(
        self, rows: Sequence[Row], change: Change, *, once: bool = False
    ) -> list[Row]:
        """The rows with the change made in every row, or in the first."""
        made = [copy.deepcopy(row) for row in rows]
        for row in made[:1] if once else made:
            change(row, self.path, self.field)
        return made

    @property
    def fields(self) -> set[str]:
        """The fields that cannot be told without the key."""
        shape = kind_of(self.endpoint, self.wire)
        if not shape.columns:
            return {self.path, self.path.partition(".")[0]}
        return {*shape.reads(self.path)}


def cases(wire: str, change: Change, *endpoints: str) -> list[Case]:
    found = []
    for endpoint in endpoints:
        rows = kind_of(endpoint, wire)
        for path, field in keys_of(rows.read):
            is_told_by_path = (endpoint, path.partition(".")[0]) == (
                "manager-funds",
                "manager",
            )
            is_read = any(rows.reads(path))
            is_unread = endpoint == "team" and not is_read
            is_none = (change is unnested and "." not in path) or (
                change is nulled and field.nullable
            )
            if not (field.is_optional or is_told_by_path or is_unread or is_none):
                found.append(Case(wire, endpoint, path, field))
    return found


def heard(fetch: Callable[[], Any]) -> tuple[Any, list[str]] | None:
    """What is fetched and the doubts about it; None where it ends in a named error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fetched = fetch()
        except UnreadableReply:
            return None
    messages = [
        str(each.message) for each in caught if each.category is EvidenceWarning
    ]
    return fetched, messages


def assert_told(result: Result, warned: Sequence[str], names: set[str]) -> None:
    """One of the fields is warned of and has a caveat, or is withheld."""
    left_out = names & {name.partition(".")[0] for name in result.details.absent_fields}
    assert left_out or names & result.withheld.keys()
    for name in left_out:
        assert any("leave out" in message and name in message for message in warned)
        assert any(
            "leave out" in caveat and name in caveat for caveat in result.caveats
        )


def decoded(rows: Sequence[Row], case: Case) -> Chunk | str:
    try:
        kind, wire = kind_of(case.endpoint, case.wire), WIRES[case.wire]
        return decode(replies(rows), kind, profile=wire)
    except UnreadableReply as error:
        return str(error)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    """One for all cases: to start a service takes longer than a case."""
    with standing_in() as each:
        yield each


@pytest.fixture(scope="module")
def services(stand_in: StandIn) -> dict[str, Service]:
    """A client of each wire."""
    settings: dict[str, Any] = {
        "base_url": stand_in.base_url,
        "auth_url": stand_in.auth_url,
        "credentials": Credentials(CLIENT_ID, Secret(SECRET)),
        "user_agent": "analysts/1.0",
    }
    return {
        name: Service(Session(**settings, profile=wire)) for name, wire in WIRES.items()
    }


def query(service: Service, endpoint: str) -> Query:
    owner = (
        Owner(uuid(5)) if "{id}" in service.connection.profile.paths[endpoint] else None
    )
    return Query(Listing(service.connection, ENDPOINTS[endpoint], owner))


def each_change(*endpoints: str) -> Any:
    """Each wire with each change that has cases."""
    every = itertools.product(WIRES, CHANGES)
    some = [(wire, change) for wire, change in every if cases(wire, change, *endpoints)]
    ids = [f"{wire} {change.__name__}" for wire, change in some]
    return pytest.mark.parametrize(("wire", "change"), some, ids=ids)


@each_change(*LISTS)
@settings(max_examples=DRAWS)
@given(data=st.data())
def test_a_list_in_another_shape_is_refused_doubted_or_withheld(
    stand_in: StandIn,
    services: dict[str, Service],
    wire: str,
    change: Change,
    data: st.DataObject,
) -> None:
    case = data.draw(st.sampled_from(cases(wire, change, *LISTS)))
    rows = two(kind_of(case.endpoint, wire))
    stand_in.data = collection(case.changed(rows, change))
    outcome = heard(query(services[wire], case.endpoint).fetch)
    if outcome is not None:
        assert_told(*outcome, case.fields)


@each_change(*LISTS)
@settings(max_examples=DRAWS)
@given(data=st.data())
def test_a_key_that_some_rows_lack_is_null_there_and_named(
    wire: str, change: Change, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(cases(wire, change, *LISTS)))
    rows = two(kind_of(case.endpoint, wire))
    once = decoded(case.changed(rows, change, once=True), case)
    as_null = decoded(case.changed(rows, nulled, once=True), case)
    if change is retyped:
        assert isinstance(once, str)
    elif isinstance(once, str):
        assert isinstance(as_null, str)
    else:
        assert isinstance(as_null, Chunk)
        assert once.frame.select(as_null.frame.columns).equals(as_null.frame)
        assert once.absent & case.fields


@pytest.mark.parametrize("wire", WIRES)
def test_proper_rows_are_read_without_a_doubt(
    stand_in: StandIn, services: dict[str, Service], wire: str
) -> None:
    for endpoint in LISTS:
        rows = kind_of(endpoint, wire)
        stand_in.data = collection(two(rows))
        outcome = heard(query(services[wire], endpoint).fetch)
        assert outcome is not None
        result, warned = outcome
        assert (warned, result.details.absent_fields, result.withheld) == ([], (), {})
        unsaid = rows.unsaid
        frame = result.to_polars()
        for field in rows.resource.returned:
            assert field.name in unsaid or frame[field.name].null_count() == 0, (
                field.name
            )


@each_change(*RECORDS)
@settings(max_examples=DRAWS)
@given(data=st.data())
def test_a_single_record_in_another_shape_is_refused_or_doubted(
    services: dict[str, Service], wire: str, change: Change, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(cases(wire, change, *RECORDS)))
    rows = kind_of(case.endpoint, wire)
    (reply,) = replies(case.changed(two(rows), change))
    connection = services[wire].connection
    outcome = heard(
        lambda: connection.rows(reply, case.endpoint, rows.resource, reply.rows())[0]
    )
    if outcome is not None:
        assert any(name in message for name in case.fields for message in outcome[1])


@pytest.mark.parametrize("change", CHANGES)
@settings(max_examples=DRAWS)
@given(data=st.data())
def test_entries_read_apart_in_another_shape_are_refused_or_doubted(
    stand_in: StandIn, services: dict[str, Service], change: Change, data: st.DataObject
) -> None:
    case = data.draw(st.sampled_from(cases(TODAY, change, *PARTS)))
    endpoint, name = PARTS[case.endpoint]
    glance = WIRE_2026_10_02.shapes[endpoint].glances[name]
    assert glance.endpoint == case.endpoint
    rows, part = two(kind_of(endpoint, TODAY)), kind_of(case.endpoint, TODAY)
    for holder in holders(rows[0], f"{glance.path}.total"):
        holder["total"] = 2
    entries = case.changed([proper(part.read), proper(part.read)], change)

    def answer(asked: Asked) -> Answer:
        return collection(entries if asked.path.count("/") > 2 else rows)(asked)

    stand_in.data = answer
    stand_in.asked.clear()
    outcome = heard(query(services[TODAY], endpoint).with_all(name).fetch)
    assert any(asked.path.count("/") > 2 for asked in stand_in.data_asked)
    if outcome is not None:
        assert_told(*outcome, {name})


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("wire", WIRES)
def test_a_key_is_missing_where_no_row_of_a_page_has_it(wire: str, every: int) -> None:
    """On the first page, and on one without a value where an earlier page had one."""
    for case in cases(wire, dropped, *LISTS)[::every]:
        kind = kind_of(case.endpoint, wire)
        rows = two(kind)
        none = case.changed(rows, dropped)
        for pages in ([none], [none, rows], [rows, none], [rows, none, rows]):
            at_once = absent_of([pages], kind, WIRES[wire])
            assert at_once == absent_of([[page] for page in pages], kind, WIRES[wire])
            assert at_once is None or at_once & case.fields, (case, pages)


def absent_of(
    bodies: Sequence[Any], kind: Shape, profile: Profile
) -> frozenset[str] | None:
    """What is left out of pages, decoded portion by portion; None where they are
    refused.
    """
    absent = frozenset[str]()
    try:
        for pages in bodies:
            chunk = decode(replies(*pages), kind, profile=profile)
            absent |= chunk.absent
    except UnreadableReply:
        return None
    return absent
