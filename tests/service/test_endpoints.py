"""The interface's endpoint table and rules, asked of a running service over the
sample.
"""

from collections.abc import Mapping
from typing import Any

import requests

from tests.service.caller import Caller
from ventureframe.interface import fields
from ventureframe_service.dataset import Dataset

COLLECTIONS = {
    "/data/companies": fields.COMPANIES,
    "/data/founders": fields.FOUNDERS,
    "/data/funds": fields.FUNDS,
    "/data/news": fields.NEWS,
    "/data/jobs": fields.JOBS,
}
NOBODY = "00000000-0000-4000-8000-000000000000"


WALKS = (
    ("/data/companies", "launch_date,-name", ""),
    *(
        ("/data/companies", f"-{name}", "or(is_startup[eq]:true,launch_date[lt]:2010)")
        for name in fields.COMPANIES.sortable
    ),
    ("/data/founders", "", ""),
    ("/data/funds", "-fund_date", ""),
    ("/data/news", "-publish_date", ""),
    ("/data/jobs", "-date_posted,title", ""),
)


def test_offset_and_cursor_give_the_same_rows_once_each(caller: Caller) -> None:
    for path, sort, clause in WALKS:
        query: dict[str, object] = {"sort": sort, "limit": 130, "currency": "EUR"}
        query |= {"filter": clause} if clause else {}
        key = COLLECTIONS[path].key
        by_offset: list[Any] = []
        while rows := caller.rows(path, **query, offset=len(by_offset)):
            by_offset += [row[key] for row in rows]
        by_cursor, page = [], caller.page(path, **query)
        while True:
            by_cursor += [row[key] for row in page["data"]]
            if (cursor := page["page"]["next_cursor"]) is None:
                break
            page = caller.page(path, **query, cursor=cursor)
        assert by_offset == by_cursor, (path, sort, clause)
        total = caller.total(path, **query | {"limit": 1})
        assert len(by_offset) == len(set(by_offset)) == total


def test_a_cursor_belongs_to_its_question(caller: Caller) -> None:
    first = caller.page("/data/companies", sort="name", limit=5)["page"]["next_cursor"]
    second = caller.page(
        "/data/companies", sort="name", cursor=first, limit=99, offset=7
    )
    assert second["page"]["limit"] == 5
    assert second["page"]["offset"] == 5
    back = caller.page(
        "/data/companies", sort="name", cursor=second["page"]["prev_cursor"]
    )
    assert back["page"]["offset"] == 0
    for changed in (
        {"sort": "-name"},
        {"sort": "name", "filter": "has_founder[eq]:true"},
    ):
        assert caller.error("/data/companies", cursor=first, **changed)[:2] == (
            400,
            "VALIDATION_ERROR",
        )
    for nonsense in ("x", "[]", "WzEsMiwzXQ", "é", "W1tbW1tb"):
        assert caller.get("/data/companies", cursor=nonsense).status_code == 400


def test_search_forgives_how_a_name_is_typed(caller: Caller) -> None:
    for typed, name in {
        "Harowmere Univrsity": "Harrowmere University",
        "ecole superieure de clairvaux": "École Supérieure de Clairvaux-sur-Lys",
        "東嶺": "東嶺大学",
        "Meridian Reserve": "Meridian Sovereign Reserve",
        "C": "Calloway State University",
    }.items():
        assert name in [
            row["name"] for row in caller.rows("/data/search", q=typed, limit=20)
        ]


def test_an_entity_is_whatever_has_the_uuid(caller: Caller) -> None:
    university = caller.rows("/data/search", q="Tarnvik", types="university")[0]
    found = caller.page(f"/data/entities/{university['uuid']}")["data"]
    assert list(found) == [
        "type",
        *(field.name for field in fields.UNIVERSITIES.returned),
    ]
    assert found["type"] == "university"
    assert found["spinout_count"] == 58
    company = caller.rows("/data/companies", limit=1)[0]
    entity = caller.page(f"/data/entities/{company['uuid']}")["data"]
    assert entity == {"type": "company", **company}


def test_the_dataset_is_named_on_every_reply_and_described_on_request(
    caller: Caller, small: Dataset
) -> None:
    assert caller.get("/data/news").headers["X-Dataset"] == small.description.name
    assert caller.get("/data/news").headers["API-Version"]
    assert caller.page("/dataset")["data"] == small.description.to_json()


REFUSED: Mapping[tuple[int, str], tuple[str, ...]] = {
    (400, "UNKNOWN_FILTER"): (
        "/data/companies?filter=foo[eq]:1",
        "/data/companies?filter=name[eq]:x",
    ),
    (400, "UNSUPPORTED_OPERATOR"): (
        "/data/companies?filter=is_startup[gte]:true",
        "/data/companies?filter=is_startup[like]:true",
    ),
    (400, "FILTER_PARSE_ERROR"): (
        "/data/companies?filter=and(launch_date[eq]:1",
        "/data/companies?filter=",
        "/data/companies?filter=" + "and(" * 200,
        "/data/companies?filter=" + "x" * 40_000,
    ),
    (400, "VALIDATION_ERROR"): (
        "/data/companies?filter=is_startup[eq]:yes",
        "/data/companies?filter=signal_team[gte]:101",
        "/data/companies?sort=tagline",
        "/data/companies?limit=0",
        "/data/companies?limit=ten",
        "/data/companies?offset=-1",
        "/data/companies?offset=" + "9" * 30,
        "/data/companies?include_total=yes",
        "/data/companies?currency=CHF",
        "/data/search",
        "/data/search?q=x&types=person",
        "/data/entities/none",
        "/reference/filters/search?q=ab",
        "/reference/filters/search?q=abc&scope=all",
        "/reference/filters/location/values?q=a",
        "/reference/filters/location/values?q=ab&type=planet",
    ),
    (422, "VALIDATION_ERROR"): (
        "/data/companies?limit=501",
        "/data/funds?limit=2001",
        "/data/search?q=x&limit=21",
        "/analytics/aggregate/companies?group_by=hq_city&limit=501",
    ),
    (404, "NOT_FOUND"): (
        f"/data/entities/{NOBODY}",
        f"/data/investors/{NOBODY}/lp-funds",
        f"/data/investors/{NOBODY}/funds",
        f"/data/companies/{NOBODY}/funding-rounds",
        "/data/nothing",
        "/data/companies/",
        "/analytics/aggregate/news?group_by=year",
    ),
}


def test_a_question_that_cannot_be_answered_is_refused_in_its_own_words(
    caller: Caller,
) -> None:
    for (status, code), addresses in REFUSED.items():
        for address in addresses:
            assert caller.error(address)[:2] == (status, code), address


def test_an_unknown_parameter_is_ignored(caller: Caller) -> None:
    assert caller.rows("/data/companies", foo="bar") == caller.rows("/data/companies")


def test_only_get_reads_data(running: Any) -> None:
    reply = requests.post(running.base_url + "/data/companies", timeout=10)
    assert reply.status_code == 405
    assert reply.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_a_number_beyond_a_column_s_range_is_compared_as_any_other(
    caller: Caller,
) -> None:
    recorded, end = (
        caller.total("/data/companies", filter="launch_date[gte]:1"),
        10**18 - 1,
    )
    for clause, total in (
        (f"launch_date[lte]:{2**31}", recorded),
        (f"launch_date[neq]:{-(2**31) - 1}", recorded),
        (f"launch_date[gte]:{end}", 0),
        (f"launch_date[in_any]:{end}|{2**31}", 0),
        (f"tag_id[in_any]:{end}", 0),
        ("total_funding[gte]:1e308", 0),
    ):
        for currency in ("USD", "GBP"):
            asked = {"filter": clause, "currency": currency}
            assert caller.total("/data/companies", **asked) == total, asked
