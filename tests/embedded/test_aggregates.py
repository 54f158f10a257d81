"""Grouped measures agree with a count by hand and say what they were counted on."""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

import pytest

from tests.embedded.caller import Caller

AGGREGATE = "/analytics/aggregate/"


def every(caller: Caller, path: str, **query: object) -> list[dict[str, Any]]:
    return caller.rows(path, limit=500, **query)


def test_companies_by_year_and_country_are_measured_as_by_hand(caller: Caller) -> None:
    rows = every(caller, "/data/companies", currency="EUR")
    by_hand: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_hand[row["launch_date"], row["hq_country"]].append(row)
    reply = caller.page(
        AGGREGATE + "companies",
        metric="count,sum:total_funding,median:total_funding,avg:signal_rating,count_distinct:name",
        group_by="launch_date,hq_country",
        currency="EUR",
    )
    assert reply["currency"] == "EUR"
    assert reply["query_info"]["rows"] == len(rows)
    assert reply["query_info"]["groups"] == len(by_hand) == len(reply["data"])
    for group in reply["data"]:
        members = by_hand[group["launch_date"], group["hq_country"]]
        known = [m["total_funding"] for m in members if m["total_funding"] is not None]
        assert group["count"] == len(members)
        assert group["known_total_funding"] == len(known)
        assert group["count_distinct_name"] == len({m["name"] for m in members})
        if known:
            assert group["sum_total_funding"] == pytest.approx(sum(known))
            assert group["median_total_funding"] == pytest.approx(statistics.median(known))
        else:
            assert group["sum_total_funding"] is group["median_total_funding"] is None


def test_a_company_is_counted_under_each_of_its_tags(caller: Caller) -> None:
    rows = every(caller, "/data/companies", filter="is_hiring[eq]:true")
    reply = caller.page(
        AGGREGATE + "companies", metric="count", group_by="tag_id", filter="is_hiring[eq]:true"
    )
    for group in reply["data"]:
        if group["tag_id"] is None:
            assert group["count"] == sum(not row["tags"] for row in rows)
        else:
            tag = {"id": group["tag_id"], "name": group["tag_name"], "type": group["tag_type"]}
            assert group["count"] == sum(tag in row["tags"] for row in rows)


@pytest.mark.parametrize(
    ("source", "query"),
    [
        ("funds", {"metric": "p25:amount,p75:amount", "group_by": "year,fund_type"}),
        ("funds", {"metric": "sum:amount", "group_by": "investor_id"}),
        ("funding-rounds", {"metric": "median:amount", "group_by": "year,round_type"}),
        ("jobs", {"group_by": "year"}),
        ("jobs", {"metric": "count_distinct:entity_id", "group_by": "location"}),
        ("founders", {"group_by": "university_uuid"}),
        ("investors", {"group_by": "hq_country,hq_city"}),
        ("companies", {"metric": "avg:team_size", "group_by": "company_status,is_spinout"}),
    ],
)
def test_every_source_has_its_groups(caller: Caller, source: str, query: dict[str, object]) -> None:
    reply = caller.page(AGGREGATE + source, **query)
    assert reply["data"]
    assert sum(group["count"] for group in reply["data"]) >= reply["query_info"]["rows"]
    by = str(query["group_by"]).split(",")
    found = [tuple((group[name] is None, group[name]) for name in by) for group in reply["data"]]
    assert found == sorted(found, key=lambda keys: [(is_null, v or 0) for is_null, v in keys])


def test_groups_are_sorted_and_limited(caller: Caller) -> None:
    asked = {"metric": "sum:total_funding", "group_by": "hq_country"}
    top = caller.page(AGGREGATE + "companies", **asked, sort="-sum_total_funding", limit=3)
    sums = [group["sum_total_funding"] for group in top["data"]]
    assert len(sums) == 3
    assert sums == sorted(sums, reverse=True)
    assert top["query_info"]["groups"] > 3
    assert "page" not in top


@pytest.mark.parametrize(
    ("source", "query", "parameter"),
    [
        ("companies", {}, "group_by"),
        ("companies", {"group_by": "name"}, "group_by"),
        ("companies", {"group_by": "hq_city,hq_country,launch_date"}, "group_by"),
        ("companies", {"group_by": "hq_city,hq_city"}, "group_by"),
        ("companies", {"group_by": "hq_city", "metric": "max:total_funding"}, "metric"),
        ("companies", {"group_by": "hq_city", "metric": "sum:name"}, "metric"),
        ("companies", {"group_by": "hq_city", "metric": "avg:signal_team"}, "metric"),
        ("companies", {"group_by": "hq_city", "metric": "count:name"}, "metric"),
        ("companies", {"group_by": "hq_city", "sort": "launch_date"}, "sort"),
        ("companies", {"group_by": "hq_city", "currency": "CHF"}, "currency"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    caller: Caller, source: str, query: dict[str, object], parameter: str
) -> None:
    status, code, details = caller.error(AGGREGATE + source, **query)
    assert (status, code, details["parameter"]) == (400, "VALIDATION_ERROR", parameter)


def test_an_unknown_source_is_not_found(caller: Caller) -> None:
    assert caller.error(AGGREGATE + "news", group_by="year")[:2] == (404, "NOT_FOUND")
    assert caller.error(AGGREGATE + "companies", group_by="hq_city", limit=501)[0] == 422
