"""Pages decoded together are those that the exact decoder gives one by one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import company, full, uuid
from tests.client.test_frames import FUND, WRONG, rows_of
from ventureframe.client import decode, decode_fast, frames
from ventureframe.client.decode import Chunk, Rows
from ventureframe.errors import UnreadableReply
from ventureframe.interface.fields import (
    COMPANIES,
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    NEWS,
    SEARCH,
    Resource,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02


def body(rows: Sequence[object], *, spaced: bool = False, **envelope: object) -> bytes:
    separators = None if spaced else (",", ":")
    content = {"data": rows, "page": {"total": None, "next_cursor": None}, **envelope}
    return json.dumps(content, separators=separators, ensure_ascii=False).encode()


def fast(bodies: Sequence[bytes], resource: Resource) -> Chunk:
    replies = [Reply("/data/x", each, {}) for each in bodies]
    return decode_fast.decode(replies, Rows(resource), profile=INTERFACE, currency="EUR")


def exact(bodies: Sequence[bytes], resource: Resource) -> Chunk:
    replies = [Reply("/data/x", each, {}) for each in bodies]
    return decode.decode(replies, Rows(resource), profile=INTERFACE, currency="EUR")


def assert_the_same(bodies: Sequence[bytes], resource: Resource) -> Chunk | None:
    """Same rows and types, same facts about each page, or the same error."""
    refused: UnreadableReply | None = None
    try:
        expected = exact(bodies, resource)
    except UnreadableReply as error:
        refused = error
    if refused is not None:
        with pytest.raises(UnreadableReply) as caught:
            fast(bodies, resource)
        assert str(caught.value) == str(refused)
        return None
    found = fast(bodies, resource)
    assert found.frame.equals(expected.frame)
    assert found.frame.schema == expected.frame.schema
    assert found.pages == expected.pages
    assert (found.key, found.absent, found.extra) == (expected.key, expected.absent, expected.extra)
    rows = frames.assemble([found.frame], resource)
    assert rows.schema == frames.assemble([expected.frame], resource).schema
    return found


def is_fast(bodies: Sequence[bytes], resource: Resource) -> bool:
    """Whether Arrow's reader was enough."""
    try:
        splits = [decode_fast._split(Reply("/data/x", each, {})) for each in bodies]
        decode_fast._read([split.rows for split in splits], Rows(resource))
    except decode_fast._Doubt:
        return False
    return True


@pytest.mark.parametrize("resource", [COMPANIES, FOUNDERS, FUNDS, NEWS], ids=lambda each: each.name)
@given(data=st.data(), spaced=st.booleans())
def test_whatever_is_sent_is_decoded_in_the_same_way(
    resource: Resource, data: st.DataObject, spaced: bool
) -> None:
    pages = data.draw(st.lists(rows_of(resource), min_size=1, max_size=3))
    bodies = [body(json.loads(json.dumps(rows, default=str)), spaced=spaced) for rows in pages]
    assert_the_same(bodies, resource)


ODD: list[tuple[Resource, dict[str, Any]]] = [
    (COMPANIES, {"mascot": 1}),
    (COMPANIES, {"tags": [{"id": 1, "name": "a", "type": None, "more": 2}]}),
    (COMPANIES, {"tags": [{"id": "44", "name": "a", "type": None}]}),
    (COMPANIES, {"tags": [None]}),
    (COMPANIES, {"uuid": None}),
    (COMPANIES, {"total_funding": 2**53}),
    (COMPANIES, {"total_funding": 12}),
    (COMPANIES, {"total_funding": -0.0}),
    (COMPANIES, {"tagline": 'says ":null, or \\":null'}),
    (COMPANIES, {"tagline": '"data":[{'}),
    (COMPANIES, {"tagline": "}]"}),
    (FUNDS, {"id": "7"}),
    (FUNDS, {"id": 7, "fund_date": "2013-04-01T09:30:00Z"}),
    (FUNDS, {"id": 7, "fund_date": "2013-04"}),
    (FUNDS, {"id": 7, "fund_date": "2013"}),
    (FUNDS, {"id": 7, "fund_date": "0000-01-01"}),
    (FUNDS, {"id": 7, "amount_source": {"amount": 2.5, "currency": None}}),
]


@pytest.mark.parametrize(("resource", "values"), [*ODD, *(each[:2] for each in WRONG)])
def test_a_value_that_is_odd_is_seen_in_the_same_way(
    resource: Resource, values: dict[str, Any]
) -> None:
    plain = company(1) if resource is COMPANIES else {"uuid": uuid(1), "id": 3}
    assert_the_same([body([plain, {**plain, "uuid": uuid(2), "id": 4, **values}])], resource)
    if resource is COMPANIES:
        assert_the_same([body([plain]), body([company(2, **values), company(3)])], resource)


def test_a_whole_number_may_be_written_with_a_point_and_a_part_of_one_may_not() -> None:
    tag = {"id": 44.0, "name": "a", "type": None}
    found = assert_the_same([body([company(1, launch_date=2011.0, tags=[tag])])], COMPANIES)
    assert found is not None
    assert found.frame["launch_date"].to_list() == [2011]
    assert found.frame["tags"].to_list() == [[{**tag, "id": 44}]]
    for wrong in (2011.5, 2.0**53, -1.0):
        assert assert_the_same([body([company(1, launch_date=wrong)])], COMPANIES) is None


def test_a_uuid_is_read_in_lower_case_wherever_it_stands() -> None:
    upper = "00000000-0000-4000-8000-00000000ABCD"
    rows = [company(1, founders=[uuid(2), upper]), company(2, uuid=upper)]
    found = assert_the_same([body(rows)], COMPANIES)
    assert found is not None
    assert found.frame["uuid"].to_list() == [uuid(1), upper.lower()]
    assert found.frame["founders"].to_list() == [[uuid(2), upper.lower()], []]
    investors = [{"uuid": upper, "name": "I"}]
    found = assert_the_same(
        [body([full(FUNDING_ROUNDS, id=1, investors=investors)])], FUNDING_ROUNDS
    )
    assert found is not None
    assert found.frame["investors"].to_list() == [[{"uuid": upper.lower(), "name": "I"}]]


@pytest.mark.parametrize("write", [str.upper, lambda it: it.replace("-", "")])
def test_uuids_in_capitals_or_without_hyphens_need_no_second_look_at_any_depth(
    write: Callable[[str], str],
) -> None:
    plain, odd = uuid(0xABC), write(uuid(0xABC))
    entry: dict[str, object] = {"university_name": None, "degree": None, "major": None}
    entry |= {"start_year": None, "end_year": 1999}
    entries = [{**entry, "university_uuid": odd}, {**entry, "university_uuid": None}]
    founders = [
        full(FOUNDERS, uuid=odd, education=entries),
        full(FOUNDERS, uuid=uuid(1), education=[]),
        full(FOUNDERS, uuid=uuid(2), education=None),
    ]
    funds = [{**FUND, "id": 1, "manager": {"uuid": odd, "name": "O"}}]
    funds = [*funds, {**FUND, "id": 2, "manager": None}]
    funds = [{**full(FUNDS), **row, "amount_source": None} for row in funds]
    news = [full(NEWS, id=1, entity_id=odd, entity_ids=[odd]), full(NEWS, id=2, entity_ids=None)]
    for resource, rows in ((FOUNDERS, founders), (FUNDS, funds), (NEWS, news)):
        assert is_fast([body(rows)], resource)
        found = assert_the_same([body(rows)], resource)
        assert found is not None
        assert plain in str(found.frame.to_dicts())
        assert odd not in str(found.frame.to_dicts())


@pytest.mark.parametrize(
    "wrong",
    [
        "7",
        "",
        "{00000000-0000-4000-8000-00000000000a}",
        "00000000-0000-4000-8000-00000000000",
        "x" * 36,
    ],
)
def test_a_link_that_is_not_a_uuid_is_refused(wrong: str) -> None:
    assert assert_the_same([body([company(1), company(2, uuid=wrong)])], COMPANIES) is None
    assert assert_the_same([body([company(1, founders=[uuid(3), wrong])])], COMPANIES) is None


def without(name: str) -> dict[str, object]:
    return {key: value for key, value in company(1).items() if key != name}


@pytest.mark.parametrize("name", ["team_size", "name", "tags", "uuid"])
def test_a_key_that_is_left_out_is_not_taken_for_a_null(name: str) -> None:
    row = without(name)
    assert_the_same([body([row])], COMPANIES)
    assert not is_fast([body([row])], COMPANIES)
    assert not is_fast([body([{**row, "tagline": '\\":null and ":null'}])], COMPANIES)


def test_a_key_that_is_left_out_of_one_record_in_one_of_several_pages_is_seen() -> None:
    tags = [{"id": 1, "name": "a", "type": None}, {"id": 2, "type": None}]
    pages = [body([company(1), company(2)]), body([company(3), without("team_size")])]
    found = assert_the_same(pages, COMPANIES)
    assert found is not None
    assert found.absent == {"team_size"}
    assert not is_fast(pages, COMPANIES)
    assert is_fast([body([company(1, tags=tags[:1])])], COMPANIES)
    assert not is_fast([body([company(1, tags=tags)])], COMPANIES)


@pytest.mark.parametrize("text", ['a": b', '":', 'a\\":null', "\\", 'ends in \\"'])
def test_a_text_that_looks_like_a_key_is_not_counted_as_one(text: str) -> None:
    assert is_fast([body([company(1, tagline=text, name=text)])], COMPANIES)
    assert not is_fast([body([{**without("team_size"), "tagline": text}])], COMPANIES)


TEXTS = [
    b'{"data":[{"uuid":"a"}]}{"data":[]}',
    b'{"data":[{"uuid":"a"}]} x',
    b'{"data":[{"uuid":"a"}],"data":[{"uuid":"b"}]}',
    b'{"page":{"data":[{"uuid":"a"}]},"data":[]}',
    b'{"page":{"data":[{"uuid":"a"}]},"data":[{"uuid":"b"}]}',
    b'{"data":[{"uuid":"a"}],"meta":[{"x":null}]}',
    b'{"data":[{"uuid":"a"}],"page":{"total":"7"}}',
    b'{"data":[{"uuid":"a"}],"page":[]}',
    b'{"data":[{"uuid":"a"}],"currency":"USD"}',
    b'{"data":[{"uuid":"a"},{"uuid":"b",}]}',
    b'{"data":[{"uuid":"a","total_funding":NaN}]}',
    b'{"data":[{"uuid":"a","total_funding":Infinity}]}',
    b'{"data":[{"uuid":"a","total_funding":1e999}]}',
    b'{"data":[{"uuid":"a","name":"\xff"}]}',
    b'{"data":[{"uuid":"a","name":"\\ud800"}]}',
    b'{"data":[{"uuid":"a","name":"a\tb"}]}',
    b'{"data":[{"u\\u0075id":"a","launch_date":01}]}',
    b'{"data":[{"uuid":"a","launch_date":1e2}]}',
    b'{"data":[{"uuid":"a"},null]}',
    b'{"data":[{"uuid":"a"},5]}',
    b'{"data":[ {"uuid" : "a", "name" :null} ] }',
    b'\xef\xbb\xbf{"data":[{"uuid":"a"}]}',
    '{"data":[{"uuid":"a"}]}'.encode("utf-16"),
    b'{"data":{}}',
    b"[]",
    b"{}",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_body_that_is_odd_is_seen_in_the_same_way(text: bytes) -> None:
    for letter in ("a", "b"):
        text = text.replace(b'"%s"' % letter.encode(), b'"%s"' % uuid(ord(letter)).encode())
    assert_the_same([text], COMPANIES)
    assert_the_same([body([company(1)]), text, body([company(2)])], COMPANIES)


def test_ordinary_pages_need_no_second_look() -> None:
    full = company(
        3, tags=[{"id": 4, "name": "ä", "type": None}], founders=[uuid(9)], total_funding=1.25
    )
    for spaced in (False, True):
        bodies = [body([company(1), company(2)], spaced=spaced), body([full], spaced=spaced)]
        assert is_fast(bodies, COMPANIES)
        found = assert_the_same(bodies, COMPANIES)
        assert found is not None
        assert [page.rows for page in found.pages] == [2, 1]
    dates = ["2013-04-01", "2013-04-01T09:30:00Z", "2013-04", "2013", None]
    nulls = {"fund_type": None, "is_closed": None, "source_url": None, "manager": None}
    row = {**FUND, **nulls, "amount_source": None}
    funds = [body([{**row, "id": number, "fund_date": day} for number, day in enumerate(dates)])]
    assert is_fast(funds, FUNDS)
    assert_the_same(funds, FUNDS)


def test_a_page_of_todays_wire_without_any_null_needs_no_second_look() -> None:
    rows = Rows(SEARCH, WIRE_2026_10_02.shapes["search"])
    row: dict[str, Any] = {
        key.name: uuid(1) if key.name == "uuid" else "x" for key in rows.record.fields
    }
    row |= {"is_unicorn": True, "investor_rank": 1}
    replies = [Reply("/data/x", body([row]), {})]
    splits = [decode_fast._split(reply) for reply in replies]
    decode_fast._read([split.rows for split in splits], rows)
    assert decode_fast.decode(replies, rows, profile=WIRE_2026_10_02).frame["name"].item() == "x"


def test_a_key_that_is_called_like_a_column_of_the_client_goes_beside_it() -> None:
    rows = [company(1, withheld=["education"], currency="JPY"), company(2)]
    found = assert_the_same([body(rows)], COMPANIES)
    assert found is not None
    assert found.frame["withheld_text"].to_list() == ['["education"]', None]
    assert found.frame["currency_text"].to_list() == ['"JPY"', None]
    assert not {"withheld", "currency"} & set(found.frame.columns)
