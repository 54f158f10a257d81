"""Replies become typed columns exactly, whichever reader reads them: or what is
wrong is named.
"""

import contextlib
import datetime as dt
import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.rows import (
    WIRES,
    Row,
    drawn,
    holders,
    keys_of,
    kind_of,
    page_of,
    proper,
    replies,
    two,
)
from tests.client.stand_in import company, full, uuid
from ventureframe.client import frames
from ventureframe.client.decode import decode
from ventureframe.client.frames import Chunk
from ventureframe.errors import UnreadableReply
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDS,
    NEWS,
    Resource,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Shape

FUND = {"id": 7, "name": "Fund", "fund_date": "2013-04-01", "amount": 1.5}
SOME = pytest.mark.parametrize(
    "resource", [COMPANIES, FOUNDERS, FUNDS, NEWS], ids=lambda each: each.name
)


def outcome(
    bodies: Sequence[Any], resource: Resource, **envelope: object
) -> Chunk | str:
    try:
        return decode(replies(*bodies, **envelope), Shape(resource), profile=INTERFACE)
    except UnreadableReply as error:
        return str(error)


def by_both(bodies: Sequence[Any], resource: Resource = COMPANIES) -> Chunk | str:
    """The same rows, types and errors, whether Arrow reads the pages or the plain
    reader does.

    A limit that is no number says nothing, and is nothing that Arrow's reader takes.
    """
    together = outcome(bodies, resource)
    plain = outcome(bodies, resource, page={"limit": "many"})
    if isinstance(together, str) or isinstance(plain, str):
        assert together == plain
        return together
    assert together.frame.equals(plain.frame)
    assert together.frame.schema == plain.frame.schema
    assert (together.absent, together.unknown) == (plain.absent, plain.unknown)
    assert together.pages == plain.pages
    return together


@SOME
@given(data=st.data())
def test_what_is_sent_is_what_the_frame_holds(
    resource: Resource, data: st.DataObject
) -> None:
    pages = data.draw(st.lists(drawn(resource), min_size=1, max_size=3))
    chunk = by_both(pages, resource)
    assert isinstance(chunk, Chunk)
    sent = [
        {name: None if value == "" else value for name, value in row.items()}
        for page in pages
        for row in page
    ]
    assert json.loads(json.dumps(chunk.frame.to_dicts(), default=str)) == json.loads(
        json.dumps(sent)
    )
    assert chunk.frame.schema == frames.empty(resource).schema
    assert [page.rows for page in chunk.pages] == [len(page) for page in pages]


TAG = {"id": 44, "name": "a", "type": None}
ODD: list[tuple[Resource, Row, Row]] = [
    (COMPANIES, {"tags": [TAG | {"more": 2}]}, {"tags": [TAG]}),
    (COMPANIES, {"tags": [TAG | {"id": "44"}]}, {"tags": [TAG]}),
    (COMPANIES, {"launch_date": 2011.0}, {"launch_date": 2011}),
    (
        COMPANIES,
        {"tagline": 'says ":null, or \\":null'},
        {"tagline": 'says ":null, or \\":null'},
    ),
    (COMPANIES, {"founders": [uuid(0xAB).upper()]}, {"founders": [uuid(0xAB)]}),
    (
        COMPANIES,
        {"founders": [uuid(0xAB).replace("-", "")]},
        {"founders": [uuid(0xAB)]},
    ),
    (FUNDS, {"id": "7"}, {"id": 7}),
    (FUNDS, {"fund_date": "2013-04-01T09:30:00Z"}, {"fund_date": dt.date(2013, 4, 1)}),
    (FUNDS, {"fund_date": "2013-04"}, {"fund_date": None, "fund_date_text": "2013-04"}),
    (
        FUNDS,
        {"manager": {"uuid": uuid(0xAB).upper(), "name": "M"}},
        {"manager": {"uuid": uuid(0xAB), "name": "M"}},
    ),
]


@pytest.mark.parametrize(("resource", "values", "read"), ODD)
def test_a_value_that_is_unusual_but_right_is_read_by_both(
    resource: Resource, values: Row, read: Row
) -> None:
    plain = company(1) if resource is COMPANIES else full(FUNDS, **{**FUND, "id": 3})
    odd = {**plain, "uuid": uuid(2), "id": 4, **values}
    odd = {name: odd[name] for name in {**plain, **values}}
    for pages in ([[plain, odd]], [[plain], [odd, plain]]):
        chunk = by_both(pages, resource)
        assert isinstance(chunk, Chunk)
        row = chunk.frame.row(1, named=True)
        assert {name: row[name] for name in read} == read


WRONG = [
    (COMPANIES, {"launch_date": 1.5}, "1.5 in 'launch_date'", "integer"),
    (
        COMPANIES,
        {"launch_date": 2.0**53},
        "9007199254740992.0 in 'launch_date'",
        "integer",
    ),
    (
        COMPANIES,
        {"launch_date": 2**63},
        "9223372036854775808 in 'launch_date'",
        "integer",
    ),
    (COMPANIES, {"total_funding": "7"}, "'7' in 'total_funding'", "number"),
    (
        COMPANIES,
        {"total_funding": 2**53 + 1},
        "9007199254740993 in 'total_funding'",
        "number",
    ),
    (COMPANIES, {"total_funding": 2**53}, "in 'total_funding'", "number from 0 to 9"),
    (COMPANIES, {"total_funding": 10**400}, "in 'total_funding'", "number"),
    (COMPANIES, {"is_startup": "true"}, "'true' in 'is_startup'", "flag"),
    (COMPANIES, {"name": 5}, "5 in 'name'", "text"),
    (COMPANIES, {"name": "\ud800"}, "in 'name'", "text"),
    (COMPANIES, {"founders": "x"}, "'x' in 'founders'", "list"),
    (COMPANIES, {"founders": [f"{{{uuid(1)}}}"]}, "in 'founders'", "uuid"),
    (COMPANIES, {"tags": [TAG | {"id": "x1"}]}, "'x1' in 'tags.id'", "identifier"),
    (FUNDS, {"manager": {"name": "M"}}, "None in 'manager.uuid'", "uuid"),
    (
        FOUNDERS,
        {"education": [{"start_year": "1999"}]},
        "'1999' in 'education.start_year'",
        "int",
    ),
    (NEWS, {"publish_date": "2013-02-30"}, "'2013-02-30' in 'publish_date'", "date"),
    (NEWS, {"publish_date": "0000-01-01"}, "'0000-01-01' in 'publish_date'", "date"),
]


@pytest.mark.parametrize(("resource", "values", "shown", "kind"), WRONG)
def test_a_value_of_another_type_is_named_with_field_and_row(
    resource: Resource, values: Row, shown: str, kind: str
) -> None:
    fine, other = ({"uuid": uuid(number), "id": number} for number in (1, 2))
    for pages in ([[fine, other | values]], [[fine], [other | values]]):
        message = str(by_both(pages, resource))
        key = (other | values)["id" if resource.key == "id" else "uuid"]
        assert (
            f"{shown} of {resource.name} record {key}, which is not of type {kind}"
            in message
        )


LACKING: list[tuple[Row, str, list[Any]]] = [
    ({"founders": [None, uuid(9)]}, "founders", [uuid(9)]),
    ({"tags": [TAG | {"name": None}, TAG]}, "tags", [TAG]),
    ({"tags": [TAG, None]}, "tags", [TAG]),
    ({"tags": [{"name": "a", "type": None}]}, "tags", []),
]


@pytest.mark.parametrize(("values", "name", "kept"), LACKING)
def test_an_entry_that_is_null_or_lacks_what_it_must_have_is_left_out_and_named(
    values: Row, name: str, kept: list[Any]
) -> None:
    rows = [company(1), company(2, **values)]
    chunk = page_of(rows)
    assert chunk.frame[name].to_list()[1] == kept
    assert any(path.partition(".")[0] == name for path in chunk.absent)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("spelt", [None, (", ", ": "), (",", " : ")])
def test_a_key_that_one_row_leaves_out_is_named_wherever_it_stands(
    wire: str, spelt: Any
) -> None:
    for endpoint in ("companies", "founders", "funds", "jobs"):
        shape = kind_of(endpoint, wire)
        for path, _ in keys_of(shape.read):
            rows = [proper(shape.read) for _ in range(6)]
            if not spelt:
                rows[4] = dict.fromkeys(rows[4]) | {shape.resource.key: 3}
            for holder in holders(rows[2], path):
                holder.pop(path.split(".")[-1])
            fields = {*shape.reads(path)}
            if shape.resource.key in fields or not fields:
                continue
            pages = [
                json.dumps({"data": part}, separators=spelt).encode()
                for part in (rows[:3], rows[3:])
            ]
            with contextlib.suppress(UnreadableReply):  # what a row must have
                chunk = decode(replies(*pages), shape, profile=WIRES[wire])
                assert fields <= chunk.absent | {"manager.uuid"}, path


@pytest.mark.parametrize("envelope", [{"currency": None}, {"page": {"total": None}}])
@pytest.mark.parametrize("extra", [{}, {"total": None, "currency": None}])
def test_a_null_beside_a_key_is_not_the_null_of_the_key(
    envelope: dict[str, Any], extra: dict[str, None]
) -> None:
    for endpoint, path in (
        ("funds", "amount_source.currency"),
        ("companies", "funding.total"),
    ):
        shape = kind_of(endpoint, WIRE_2026_10_02.name)
        rows = [proper(shape.read) for _ in range(3)]
        for holder in holders(rows[1], path):
            holder.pop(path.split(".")[-1])
        rows[0]["undeclared"] = [extra, extra]
        page = json.dumps({"data": rows, **envelope}).encode()
        chunk = decode(replies(page), shape, profile=WIRE_2026_10_02)
        assert {*shape.reads(path)} <= chunk.absent


def test_keys_that_are_not_declared_are_named_and_their_values_left_out() -> None:
    pages = [[company(1, mascot={"kind": "Füchsin"}), company(2)], [company(3)]]
    chunk = by_both(pages)
    assert isinstance(chunk, Chunk)
    assert chunk.unknown == {"mascot"}
    assert "mascot" not in chunk.frame.columns
    entries = [{"degree": "BA", "grade": 1}, {"degree": "MA"}]
    rows = [{"uuid": uuid(1), "education": entries}, {"uuid": uuid(2)}]
    assert page_of(rows, FOUNDERS).unknown == {"education.grade"}


TEXTS = {
    b'{"data":[@]}{"data":[]}': "no valid JSON",
    b'{"data":[@]} x': "no valid JSON",
    b'{"data":[@],"data":[@]}': 1,
    b'{"page":{"data":[@]},"data":[]}': 0,
    b'{"data":[@],"meta":[{"x":null}]}': 1,
    b'{"data":[@],"page":{"total":"7"}}': "reports the total '7', which is not a count",
    b'{"data":[@],"page":{"total":-1}}': "reports the total -1, which is not a count",
    b'{"data":[@],"page":{"total":7.0}}': 1,
    b'{"data":[@],"page":{"next_cursor":5}}': "a next_cursor that is not text",
    b'{"data":[@,@,]}': "no valid JSON",
    b'{"data":[{"uuid":"#","total_funding":NaN}]}': "no valid JSON",
    b'{"data":[{"uuid":"#","total_funding":1e999}]}': "inf in 'total_funding'",
    b'{"data":[{"uuid":"#","name":"\xff"}]}': "no valid JSON",
    b'{"data":[{"uuid":"#","name":"a\tb"}]}': "no valid JSON",
    b'{"data":[{"u\\u0075id":"#","launch_date":01}]}': "no valid JSON",
    b'{"data":[{"u\\u0075id":"#","launch_date":1e2}]}': 1,
    b'{"data":[@,null]}': "no list of records under 'data'",
    b'{"data":[ {"uuid" : "#", "name" :null} ] }': 1,
    b"null": "JSON that is not an object",
    b"{}": "no list of records under 'data'",
    b"": "no valid JSON",
    b"<html>": "HTML instead of JSON",
}


def test_a_body_that_is_odd_is_read_or_named_alone_and_among_others() -> None:
    for text, expected in TEXTS.items():
        body = text.replace(b"@", b'{"uuid":"#"}').replace(b"#", uuid(7).encode())
        alone = outcome([body], COMPANIES)
        among = outcome([[company(1)], body, [company(2)]], COMPANIES)
        if isinstance(expected, str):
            assert expected in str(alone), text
            assert among == alone
        else:
            assert isinstance(alone, Chunk), text
            assert isinstance(among, Chunk)
            assert [page.rows for page in among.pages] == [1, expected, 1]
            assert alone.pages[0] == among.pages[1]


@pytest.mark.parametrize("wire", WIRES)
def test_an_envelope_is_read_whole_wherever_a_list_of_objects_stands(wire: str) -> None:
    """Every list of a wire; `"x":[{"a":1}]` before and behind every member, and in
    the page.
    """
    about = {"limit": 2, "offset": 0, "total": 7, "next_cursor": "on"}
    for endpoint in ("companies", "founders", "news", "lp-funds"):
        kind = kind_of(endpoint, wire)
        members: Row = {"data": two(kind), "page": about, "currency": "GBP"}
        extras = {"x": [{"a": 1}], "locked": [{"field": "education", "reason": "plan"}]}
        for at, (name, value) in itertools.product(range(4), extras.items()):
            items = [*members.items()]
            items.insert(at, (name, value))
            body = json.dumps(dict(items)).encode()
            chunk = decode([Reply("/x", body, {})] * 2, kind, profile=WIRES[wire])
            for page in chunk.pages:
                assert (page.rows, page.total, page.next_cursor) == (2, 7, "on")
                assert page.currency == "GBP"
                assert ("locked" in page.notices) is (name == "locked")
            for error, message in (
                ({"errors": [{"shard": 3}]}, "an error beside its rows"),
                ({"ok": False}, "says 'ok' is false"),
                ({"status": "error"}, "says 'status' is \"error\""),
            ):
                failed = json.dumps({**dict(items), **error}).encode()
                with pytest.raises(UnreadableReply, match=message):
                    decode([Reply("/x", failed, {})], kind, profile=WIRES[wire])


def test_what_the_wire_writes_in_another_form_is_read_and_no_person_is_none() -> None:
    """A founding date with a time, and an entry of the founders without its person."""
    kind = kind_of("companies", WIRE_2026_10_02.name)
    first, second = two(kind)
    first["launch_date"] = "2013-08-01T00:00:00Z"
    first["founders"]["items"].append({"person": None})
    chunk = decode(replies([first, second]), kind, profile=WIRE_2026_10_02)
    assert chunk.frame["launch_date"].to_list() == [2013, 1999]
    assert chunk.frame["launch_date_text"].to_list() == [
        "2013-08-01T00:00:00Z",
        "1999-05",
    ]
    assert chunk.frame["founders"].to_list() == [[uuid(5)], [uuid(5)]]
    assert chunk.absent == {"founders"}


def test_a_list_that_a_page_leaves_out_is_withheld_there() -> None:
    """No list is not an empty list."""
    lacking, other = company(1), company(2)
    del lacking["founders"], other["founders"]
    pages = [[lacking], [company(3, founders=[uuid(9)]), other], [company(4)]]
    chunk = outcome(pages, COMPANIES)
    assert isinstance(chunk, Chunk)
    assert chunk.frame["withheld"].to_list() == [["founders"], None, ["founders"], None]
    assert chunk.frame["founders"].to_list() == [None, [uuid(9)], None, []]
    assert chunk.absent == {"founders"}


def test_pages_that_withhold_different_blocks_are_read_apart() -> None:
    founder = full(FOUNDERS, uuid=uuid(1), education=[])
    bodies = [
        json.dumps({"data": [founder], **more}).encode()
        for more in ({"locked": ["education"]}, {})
    ]
    chunk = outcome(bodies, FOUNDERS)
    assert isinstance(chunk, Chunk)
    assert chunk.frame["withheld"].to_list() == [["education"], None]
