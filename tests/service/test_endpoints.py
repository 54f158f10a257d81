"""The interface's endpoint table and rules, asked of a running service over the sample."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import polars as pl
import pytest
import requests

from tests.service.caller import Caller
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource
from ventureframe_service.dataset import Dataset

COLLECTIONS = {
    "/data/companies": fields.COMPANIES,
    "/data/founders": fields.FOUNDERS,
    "/data/funds": fields.FUNDS,
    "/data/news": fields.NEWS,
    "/data/jobs": fields.JOBS,
}
NOBODY = "00000000-0000-4000-8000-000000000000"


def tag(caller: Caller, label: str, kind: str) -> str:
    rows = caller.rows("/reference/filters/search", q=label)
    return next(str(r["value"]) for r in rows if (r["label"], r["source_type"]) == (label, kind))


def place(caller: Caller, name: str, kind: str) -> int:
    rows = caller.rows("/reference/filters/location/values", q=name, type=kind)
    return int(next(row["id"] for row in rows if row["name"] == name))


@pytest.mark.parametrize(("path", "resource"), COLLECTIONS.items())
def test_a_row_has_every_returned_field_and_no_field_that_only_filters(
    caller: Caller, path: str, resource: Resource
) -> None:
    rows = caller.rows(path)
    assert len(rows) == 25
    for row in rows:
        assert list(row) == [field.name for field in resource.returned]


@pytest.mark.parametrize(
    ("clause", "column", "keep"),
    [
        ("is_startup[eq]:true", "is_startup", lambda value: value is True),
        ("is_startup[neq]:true", "is_startup", lambda value: value is False),
        ("company_status[eq]:operational", "company_status", lambda v: v == "operational"),
        (
            "company_status[neq]:operational",
            "company_status",
            lambda v: v in ("acquired", "closed"),
        ),
        ("launch_date[gte]:2015", "launch_date", lambda v: v is not None and v >= 2015),
        ("launch_date[in_any]:2015|2016", "launch_date", lambda v: v in (2015, 2016)),
        ("total_funding[gte]:5000000", "total_funding", lambda v: v is not None and v >= 5e6),
        ("total_funding[lte]:5000000", "total_funding", lambda v: v is not None and v <= 5e6),
        ("signal_rating[gte]:50.5", "signal_rating", lambda v: v is not None and v >= 50.5),
        ("is_hiring[eq]:false", "is_hiring", lambda v: v is False),
        ("is_spinout[eq]:true", "is_spinout", lambda v: v is True),
        ("has_founder[eq]:true", "founders", lambda v: len(v) > 0),
        ("has_founder[eq]:false", "founders", lambda v: v == []),
    ],
)
def test_a_clause_keeps_the_rows_it_says_and_null_never(
    caller: Caller, clause: str, column: str, keep: Any
) -> None:
    every = caller.rows("/data/companies", limit=500)
    found = caller.rows("/data/companies", limit=500, filter=clause)
    assert found == [row for row in every if keep(row[column])]
    assert 0 < len(found) < len(every)
    assert caller.total("/data/companies", filter=clause) == len(found)


def test_scores_filter_and_are_never_shown(caller: Caller, small: Dataset) -> None:
    frame = small.tables["companies"]
    clause = "and(signal_timing[gte]:50,signal_team[gte]:60)"
    expected = frame.filter((pl.col("signal_timing") >= 50) & (pl.col("signal_team") >= 60))
    found = caller.rows("/data/companies", filter=clause, limit=500)
    assert [row["uuid"] for row in found] == expected["uuid"].to_list()


def test_every_tag_is_required_by_in_all_and_one_by_in_any(caller: Caller) -> None:
    one, two = tag(caller, "Robotics", "technology"), tag(caller, "Machine Learning", "technology")
    every = caller.rows("/data/companies", limit=500)
    has = {row["uuid"]: {str(each["id"]) for each in row["tags"]} for row in every}
    for operator, keep in (
        ("in_all", lambda tags: {one, two} <= tags),
        ("in_any", lambda tags: bool({one, two} & tags)),
        ("nin_any", lambda tags: bool(tags) and not {one, two} & tags),
        ("nin_all", lambda tags: bool(tags) and not {one, two} <= tags),
    ):
        found = caller.rows("/data/companies", filter=f"tag_id[{operator}]:{one}|{two}", limit=500)
        assert [row["uuid"] for row in found] == [key for key in has if keep(has[key])], operator
        assert found, operator


def test_a_place_holds_what_lies_below_it(caller: Caller) -> None:
    every = caller.rows("/data/companies", limit=500)
    for name, kind in (("Europe", "continent"), ("Germany", "country"), ("London", "city")):
        found = caller.rows(
            "/data/companies", filter=f"hq_location[eq]:{place(caller, name, kind)}", limit=500
        )
        assert found == [row for row in every if row[f"hq_{kind}"] == name]
        assert found


def test_a_university_name_finds_the_companies_of_every_founder_who_names_it(
    caller: Caller, small: Dataset
) -> None:
    name = "Harrowmere University"
    naming = {
        row["uuid"]
        for row in small.tables["founders"].iter_rows(named=True)
        if any(entry["university_name"] == name for entry in row["education"] or [])
    }
    every = caller.rows("/data/companies", limit=500)
    found = caller.rows("/data/companies", filter=f"founder_university_name[eq]:{name}", limit=500)
    assert found == [row for row in every if naming & set(row["founders"])]


def test_groups_nest_and_join_with_or(caller: Caller) -> None:
    clause = "or(launch_date[lt]:2005,and(launch_date[gt]:2020,is_startup[eq]:true))"
    every = caller.rows("/data/companies", limit=500)
    assert caller.rows("/data/companies", filter=clause, limit=500) == [
        row
        for row in every
        if row["launch_date"] is not None
        and (row["launch_date"] < 2005 or (row["launch_date"] > 2020 and row["is_startup"]))
    ]


def test_ids_are_found_under_both_names_and_unknown_ones_are_absent(caller: Caller) -> None:
    wanted = [row["uuid"] for row in caller.rows("/data/companies", limit=3)]
    asked = "|".join([*wanted, NOBODY])
    for name in ("id", "uuid"):
        found = caller.rows("/data/companies", filter=f"{name}[in_any]:{asked}")
        assert [row["uuid"] for row in found] == wanted


def test_founders_come_in_batches_of_at_most_fifty_without_those_withheld(
    caller: Caller, small: Dataset
) -> None:
    frame = small.tables["founders"]
    withheld = frame.filter("is_withheld")["uuid"].to_list()
    batch = [*withheld[:5], *frame.filter(~pl.col("is_withheld"))["uuid"].to_list()[:45]]
    found = caller.rows("/data/founders", filter=f"id[in_any]:{'|'.join(batch)}", limit=50)
    assert {row["uuid"] for row in found} == set(batch[5:])
    assert caller.error("/data/founders", filter=f"id[in_any]:{'|'.join([*batch, NOBODY])}") == (
        422,
        "VALIDATION_ERROR",
        {"parameter": "filter"},
    )


@pytest.mark.parametrize(
    ("path", "sort"),
    [
        ("/data/companies", ""),
        ("/data/companies", "-total_funding"),
        ("/data/companies", "launch_date,-name"),
        ("/data/companies", "-company_status"),
        ("/data/founders", ""),
        ("/data/funds", "-fund_date"),
        ("/data/funds", "amount"),
        ("/data/news", "-publish_date"),
        ("/data/jobs", "-date_posted,title"),
    ],
)
def test_offset_and_cursor_give_the_same_rows_once_each(
    caller: Caller, path: str, sort: str
) -> None:
    asked: dict[str, object] = {"sort": sort, "limit": 97, "currency": "EUR"}
    key = COLLECTIONS[path].key
    total = caller.total(path, **asked | {"limit": 1})
    by_offset: list[Any] = []
    while rows := caller.rows(path, **asked, offset=len(by_offset)):
        by_offset += [row[key] for row in rows]
    by_cursor, cursor = [], None
    while True:
        page = caller.page(path, **asked | ({"cursor": cursor} if cursor else {}))
        by_cursor += [row[key] for row in page["data"]]
        cursor = page["page"]["next_cursor"]
        if cursor is None:
            break
    assert by_offset == by_cursor
    assert len(by_offset) == len(set(by_offset)) == total


@pytest.mark.parametrize(
    "clause", ["has_founder[eq]:true", "or(is_startup[eq]:true,launch_date[lt]:2010)"]
)
@pytest.mark.parametrize("name", fields.COMPANIES.sortable)
def test_every_filter_and_sort_walks_the_same_by_offset_and_cursor(
    caller: Caller, name: str, clause: str
) -> None:
    for sort in (name, f"-{name}"):
        asked: dict[str, object] = {"filter": clause, "sort": sort, "limit": 130}
        by_offset: list[str] = []
        while rows := caller.rows("/data/companies", **asked, offset=len(by_offset)):
            by_offset += [row["uuid"] for row in rows]
        by_cursor, page = [], caller.page("/data/companies", **asked)
        while True:
            by_cursor += [row["uuid"] for row in page["data"]]
            if (cursor := page["page"]["next_cursor"]) is None:
                break
            page = caller.page("/data/companies", **asked, cursor=cursor)
        assert by_offset == by_cursor
        assert (
            len(set(by_offset)) == len(by_offset) == caller.total("/data/companies", filter=clause)
        )


def test_nested_lists_page_by_offset_only(caller: Caller) -> None:
    lp = caller.rows("/data/search", q="Meridian Sovereign Reserve", types="investor")[0]
    path = f"/data/investors/{lp['uuid']}/lp-funds"
    first, second = (caller.page(path, limit=10, offset=offset) for offset in (0, 10))
    assert first["page"]["next_cursor"] is second["page"]["prev_cursor"] is None
    cursor = caller.page("/data/companies", limit=10)["page"]["next_cursor"]
    assert caller.page(path, limit=10, offset=10, cursor=cursor) == second


def _by_launch(row: dict[str, Any], *, sign: int) -> tuple[bool, int, str]:
    return row["launch_date"] is None, sign * (row["launch_date"] or 0), row["uuid"]


def test_nulls_come_last_in_both_directions_and_ties_fall_to_the_id(caller: Caller) -> None:
    for sort in ("launch_date", "-launch_date"):
        rows = caller.rows("/data/companies", sort=sort, limit=500)
        sign = -1 if sort.startswith("-") else 1
        assert rows == sorted(
            rows,
            key=partial(_by_launch, sign=sign),
        )


def test_a_cursor_belongs_to_its_question(caller: Caller) -> None:
    first = caller.page("/data/companies", sort="name", limit=5)["page"]["next_cursor"]
    second = caller.page("/data/companies", sort="name", cursor=first, limit=99, offset=7)
    assert second["page"]["limit"] == 5
    assert second["page"]["offset"] == 5
    back = caller.page("/data/companies", sort="name", cursor=second["page"]["prev_cursor"])
    assert back["page"]["offset"] == 0
    for changed in ({"sort": "-name"}, {"sort": "name", "filter": "has_founder[eq]:true"}):
        assert caller.error("/data/companies", cursor=first, **changed)[:2] == (
            400,
            "VALIDATION_ERROR",
        )
    for nonsense in ("x", "[]", "WzEsMiwzXQ", "é", "W1tbW1tb"):
        assert caller.get("/data/companies", cursor=nonsense).status_code == 400


def test_the_total_is_told_when_asked_for(caller: Caller) -> None:
    assert caller.page("/data/companies")["page"]["total"] is None
    page = caller.page("/data/companies", include_total="true", limit=3)["page"]
    assert (page["limit"], page["offset"], page["total"]) == (3, 0, 400)


def test_an_amount_is_converted_and_the_native_one_untouched(caller: Caller) -> None:
    by_currency = {
        currency: {
            row["id"]: row for row in caller.rows("/data/funds", limit=500, currency=currency)
        }
        for currency in ("USD", "EUR", "GBP")
    }
    for fund in by_currency["USD"].values():
        source = fund["amount_source"]
        for currency, rows in by_currency.items():
            same = rows[fund["id"]]
            assert same["amount_source"] == source
            assert (same["amount"] is None) == (source is None)
            if source is not None and source["currency"] == currency:
                assert same["amount"] == source["amount"]


def test_the_amount_filter_acts_on_native_amounts(caller: Caller) -> None:
    every = caller.rows("/data/funds", limit=500, currency="GBP")
    found = caller.rows("/data/funds", limit=500, currency="GBP", filter="amount[gte]:200000000")
    assert found == [
        row
        for row in every
        if row["amount_source"] is not None and row["amount_source"]["amount"] >= 2e8
    ]


def test_the_managers_of_an_lp_and_their_funds_are_nested_lists(
    caller: Caller, small: Dataset
) -> None:
    lp = caller.rows("/data/search", q="Meridian Sovereign Reserve", types="investor")[0]
    managers = caller.rows(f"/data/investors/{lp['uuid']}/lp-funds", limit=100)
    assert len(managers) == 31
    assert list(managers[0]) == [field.name for field in fields.INVESTORS.returned]
    listed = "|".join(manager["uuid"] for manager in managers)
    across = caller.rows("/data/funds", filter=f"investor_id[in_any]:{listed}", limit=2000)
    nested = [
        fund | {"manager": {"uuid": manager["uuid"], "name": manager["name"]}}
        for manager in managers
        for fund in caller.rows(f"/data/investors/{manager['uuid']}/funds", limit=100)
    ]
    assert sorted(fund["id"] for fund in nested) == [fund["id"] for fund in across]
    assert all(fund in across for fund in nested)
    manager = across[0]["manager"]["uuid"]
    for fund in caller.rows(f"/data/investors/{manager}/funds", filter="year[gte]:2015"):
        assert fund["fund_date"] >= "2015"
    assert caller.page(f"/data/investors/{lp['uuid']}/funds")["data"] == []


def test_the_rounds_of_a_company_carry_their_investors(caller: Caller) -> None:
    company = caller.rows("/data/companies", sort="-total_funding", limit=1)[0]
    page = caller.page(f"/data/companies/{company['uuid']}/funding-rounds")
    assert page["page"]["next_cursor"] is None
    assert page["currency"] == "USD"
    for row in page["data"]:
        assert list(row) == [field.name for field in fields.FUNDING_ROUNDS.returned]
        for investor in row["investors"] or []:
            assert investor["name"]


def test_search_tells_namesakes_apart_by_domain(caller: Caller) -> None:
    rows = caller.rows("/data/search", q="harrowmere UNIVERSITY", types="university")
    assert [row["name"] for row in rows[:2]] == ["Harrowmere University"] * 2
    assert {row["website_domain"] for row in rows[:2]} == {
        "harrowmere.example",
        "harrowmere-ohio.example",
    }
    assert {row["type"] for row in rows} == {"university"}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Harowmere Univrsity", "Harrowmere University"),
        ("ecole superieure de clairvaux", "École Supérieure de Clairvaux-sur-Lys"),
        ("東嶺", "東嶺大学"),
        ("Meridian Reserve", "Meridian Sovereign Reserve"),
        ("C", "Calloway State University"),
    ],
)
def test_search_forgives_how_a_name_is_typed(caller: Caller, asked: str, name: str) -> None:
    assert name in [row["name"] for row in caller.rows("/data/search", q=asked, limit=20)]


def test_an_entity_is_whatever_has_the_uuid(caller: Caller) -> None:
    university = caller.rows("/data/search", q="Tarnvik", types="university")[0]
    found = caller.page(f"/data/entities/{university['uuid']}")["data"]
    assert list(found) == ["type", *(field.name for field in fields.UNIVERSITIES.returned)]
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


@pytest.mark.parametrize(
    ("path", "query", "status", "code"),
    [
        ("/data/companies", {"filter": "foo[eq]:1"}, 400, "UNKNOWN_FILTER"),
        ("/data/companies", {"filter": "name[eq]:x"}, 400, "UNKNOWN_FILTER"),
        ("/data/companies", {"filter": "is_startup[gte]:true"}, 400, "UNSUPPORTED_OPERATOR"),
        ("/data/companies", {"filter": "is_startup[like]:true"}, 400, "UNSUPPORTED_OPERATOR"),
        ("/data/companies", {"filter": "is_startup[eq]:yes"}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"filter": "signal_team[gte]:101"}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"filter": "and(launch_date[eq]:1"}, 400, "FILTER_PARSE_ERROR"),
        ("/data/companies", {"filter": ""}, 400, "FILTER_PARSE_ERROR"),
        ("/data/companies", {"filter": "and(" * 200}, 400, "FILTER_PARSE_ERROR"),
        ("/data/companies", {"filter": "x" * 40_000}, 400, "FILTER_PARSE_ERROR"),
        ("/data/companies", {"sort": "tagline"}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"limit": 501}, 422, "VALIDATION_ERROR"),
        ("/data/funds", {"limit": 2001}, 422, "VALIDATION_ERROR"),
        ("/data/companies", {"limit": 0}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"limit": "ten"}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"offset": -1}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"offset": "9" * 30}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"include_total": "yes"}, 400, "VALIDATION_ERROR"),
        ("/data/companies", {"currency": "CHF"}, 400, "VALIDATION_ERROR"),
        ("/data/search", {}, 400, "VALIDATION_ERROR"),
        ("/data/search", {"q": "x", "types": "person"}, 400, "VALIDATION_ERROR"),
        ("/data/search", {"q": "x", "limit": 21}, 422, "VALIDATION_ERROR"),
        ("/reference/filters/search", {"q": "ab"}, 400, "VALIDATION_ERROR"),
        ("/reference/filters/search", {"q": "abc", "scope": "all"}, 400, "VALIDATION_ERROR"),
        ("/reference/filters/location/values", {"q": "a"}, 400, "VALIDATION_ERROR"),
        (
            "/reference/filters/location/values",
            {"q": "ab", "type": "planet"},
            400,
            "VALIDATION_ERROR",
        ),
        (f"/data/entities/{NOBODY}", {}, 404, "NOT_FOUND"),
        ("/data/entities/none", {}, 400, "VALIDATION_ERROR"),
        (f"/data/investors/{NOBODY}/lp-funds", {}, 404, "NOT_FOUND"),
        (f"/data/investors/{NOBODY}/funds", {}, 404, "NOT_FOUND"),
        (f"/data/companies/{NOBODY}/funding-rounds", {}, 404, "NOT_FOUND"),
        ("/data/nothing", {}, 404, "NOT_FOUND"),
        ("/data/companies/", {}, 404, "NOT_FOUND"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_its_own_words(
    caller: Caller, path: str, query: dict[str, object], status: int, code: str
) -> None:
    assert caller.error(path, **query)[:2] == (status, code)


def test_an_unknown_parameter_is_ignored(caller: Caller) -> None:
    assert caller.rows("/data/companies", foo="bar") == caller.rows("/data/companies")


def test_only_get_reads_data(running: Any) -> None:
    reply = requests.post(running.base_url + "/data/companies", timeout=10)
    assert reply.status_code == 405
    assert reply.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_a_page_beyond_the_end_is_empty(caller: Caller) -> None:
    for clause in ("has_founder[eq]:true", "has_founder[eq]:false", "launch_date[gt]:2500"):
        total = caller.total("/data/companies", filter=clause)
        for sort in ("", "-name"):
            for offset in (total, total + 1, 10**12):
                asked = {"filter": clause, "sort": sort, "offset": offset}
                page = caller.page("/data/companies", **asked)
                assert page["data"] == []
                assert page["page"]["next_cursor"] is None


@pytest.mark.parametrize("spelt", [str.upper, str.lower, str.swapcase])
def test_a_university_is_found_by_its_name_in_any_case(
    caller: Caller, spelt: Callable[[str], str]
) -> None:
    asked = "founder_university_name[eq]:"
    name = "Harrowmere University"
    pool = caller.total("/data/companies", filter=asked + name)
    assert pool > 0
    assert caller.total("/data/companies", filter=asked + spelt(name)) == pool
