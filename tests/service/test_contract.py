"""The interface, asked of any service: a case per row of its endpoint table and per
numbered rule.

With `VENTUREFRAME_BASE_URL`, `_AUTH_URL`, `_CLIENT_ID` and `_CLIENT_SECRET` set (as
well as `_USER_AGENT`, `_AUDIENCE` and the name of an `_LP` where needed) that
service is asked, a hundred small requests; otherwise the embedded one. Every case
finds what it asks about.
"""

import os
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import pytest
import requests

from tests.service.caller import Caller
from ventureframe.interface import fields
from ventureframe_service.run import Running

Row = dict[str, Any]
Found = TypeVar("Found")

NOBODY = "00000000-0000-4000-8000-000000000000"


class Asked(Caller):
    """A service as its interface describes it."""

    def token(self, **other: str) -> str:
        audience = os.environ.get("VENTUREFRAME_AUDIENCE")
        return super().token(**({"audience": audience} if audience else {}), **other)

    def get(self, path: str, **query: object) -> requests.Response:
        for _ in range(6):
            reply = super().get(path, **query)
            if reply.status_code != 429:
                break
            time.sleep(float(reply.headers.get("Retry-After", "1")))
        return reply

    def paged(self, path: str, total: int, size: int, **query: object) -> list[Row]:
        """So many rows, in pages of this size."""
        starts = range(0, total, size)
        return [
            row
            for at in starts
            for row in self.rows(path, **query, limit=size, offset=at)
        ]

    def among(self, path: str, field: str, values: Iterable[str]) -> list[Row]:
        """The rows whose field has one of these values."""
        return self.rows(path, filter=f"{field}[in_any]:{'|'.join(values)}", limit=50)

    @cached_property
    def companies(self) -> list[Row]:
        return self.rows("/data/companies", limit=50, filter="has_founder[eq]:true")

    @cached_property
    def tagged(self) -> Row:
        return found(
            (row for row in self.companies if len(row["tags"]) > 1),
            "company with two tags",
        )

    @cached_property
    def graduate(self) -> tuple[Row, Row]:
        """A founder and an entry of education that names and identifies a
        university.
        """
        asked = list(
            dict.fromkeys(uuid for row in self.companies for uuid in row["founders"])
        )[:50]
        people = self.among("/data/founders", "id", asked)
        linked = (
            (person, entry)
            for person in people
            for entry in person["education"] or []
            if entry["university_uuid"] and entry["university_name"]
        )
        return found(linked, "education entry with its university")

    @cached_property
    def lp(self) -> str:
        named = os.environ.get("VENTUREFRAME_LP")
        words = [named] if named else ["pension", "endowment", "foundation", "fund"]
        uuids: Iterator[str] = (
            row["uuid"]
            for word in words
            for row in self.rows("/data/search", q=word, types="investor", limit=20)
        )
        with_managers = (
            each for each in uuids if self.total(f"/data/investors/{each}/lp-funds")
        )
        return found(with_managers, "LP with managers (name one in VENTUREFRAME_LP)")

    @cached_property
    def managers(self) -> list[Row]:
        return self.rows(f"/data/investors/{self.lp}/lp-funds", limit=100)

    @cached_property
    def funds(self) -> list[Row]:
        managers = (row["uuid"] for row in self.managers[:20])
        return self.among("/data/funds", "investor_id", managers)


def found(candidates: Iterator[Found], what: str) -> Found:
    first = next(candidates, None)
    if first is None:
        pytest.skip(f"the service shows no {what}, so there is nothing to ask about")
    return first


@pytest.fixture(scope="module")
def service(running: Running) -> Iterator[Asked]:
    names = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET")
    values = [os.environ.get(f"VENTUREFRAME_{name}", "") for name in names]
    if all(values):
        address, auth_url, client_id, secret = values
        running = Running(
            address, auth_url, client_id, secret, running.dataset, running.close
        )
    asked = Asked(running)
    asked.session.headers["User-Agent"] = os.environ.get(
        "VENTUREFRAME_USER_AGENT", "contract/1"
    )
    with asked.session:
        yield asked


def has(
    rows: list[Row], resource: fields.Resource, *, without: tuple[str, ...] = ()
) -> bool:
    wanted = {field.name for field in resource.returned} - set(without)
    hidden = {
        field.name
        for field in resource.fields
        if not field.returned and field.name != "id"
    }
    return bool(rows) and all(
        wanted <= set(row) and not hidden & set(row) for row in rows
    )


def test_endpoints_search_and_entity_and_rule_4_a_match_needs_name_and_domain(
    service: Asked,
) -> None:
    _, entry = service.graduate
    record = service.page(f"/data/entities/{entry['university_uuid']}")["data"]
    assert record["uuid"] == entry["university_uuid"]
    assert {"founder_alumni_total", "spinout_count"} <= set(record)
    assert service.get(f"/data/entities/{NOBODY}").status_code == 404
    rows = service.rows("/data/search", q=record["name"], types="university", limit=20)
    assert all({"name", "website_domain", "uuid"} <= set(row) for row in rows)
    pairs = [(row["name"], row["website_domain"]) for row in rows]
    assert (record["name"], record["website_domain"]) in pairs


def test_endpoint_companies_rule_7_and_reading_3_and_4(service: Asked) -> None:
    """A row has every field that lists need, null where nothing is recorded, and no
    university.
    """
    unfunded = service.rows("/data/companies", sort="total_funding", limit=50)
    for rows in (service.companies, unfunded):
        assert has(rows, fields.COMPANIES), "a key is never left out"
        assert not any("university" in key for row in rows for key in row)


def test_endpoint_funding_rounds(service: Asked) -> None:
    company = service.rows("/data/companies", sort="-total_funding", limit=1)[0]
    rows = service.rows(f"/data/companies/{company['uuid']}/funding-rounds")
    assert has(rows, fields.FUNDING_ROUNDS) or rows == []


def test_endpoint_founders(service: Asked) -> None:
    uuids = service.companies[0]["founders"]
    rows = service.among("/data/founders", "id", uuids)
    assert has(rows, fields.FOUNDERS) or rows == []
    assert {row["uuid"] for row in rows} <= set(uuids)


@pytest.mark.parametrize(
    ("path", "resource", "date"),
    [
        ("/data/news", fields.NEWS, "publish_date"),
        ("/data/jobs", fields.JOBS, "date_posted"),
    ],
)
def test_endpoint_news_and_jobs(
    service: Asked, path: str, resource: fields.Resource, date: str
) -> None:
    rows = service.rows(path, sort=f"-{date}", limit=20)
    dates = [row[date] for row in rows if row[date]]
    assert dates == sorted(dates, reverse=True)
    assert has(rows, resource) or rows == []
    if linked := [row for row in rows if row["entity_id"]][:5]:
        some = service.among(path, "entity_id", [row["entity_id"] for row in linked])
        assert {row["id"] for row in some} >= {row["id"] for row in linked}


def test_endpoint_lp_funds_and_reading_5_an_lp_s_list_holds_managers_not_funds(
    service: Asked,
) -> None:
    page = service.page(
        f"/data/investors/{service.lp}/lp-funds", limit=100, include_total="true"
    )
    assert page["page"]["total"] >= len(page["data"]) > 0
    assert has(page["data"], fields.INVESTORS)
    assert not any(
        {"fund_date", "amount", "fund_type"} & set(row) for row in page["data"]
    )


def test_endpoint_a_manager_s_funds(service: Asked) -> None:
    fund = found(iter(service.funds), "fund of an LP's manager")
    path = f"/data/investors/{fund['manager']['uuid']}/funds"
    rows = service.rows(path, sort="-fund_date", limit=100)
    assert has(rows, fields.FUNDS, without=("manager",))
    assert fund["id"] in [row["id"] for row in rows]


def test_endpoint_funds(service: Asked) -> None:
    found(iter(service.funds), "fund of an LP's manager")
    assert has(service.funds, fields.FUNDS)
    assert {row["manager"]["uuid"] for row in service.funds} <= {
        row["uuid"] for row in service.managers
    }


def test_endpoint_filter_search(service: Asked) -> None:
    tag = service.tagged["tags"][0]
    rows = service.rows(
        "/reference/filters/search", q=tag["name"], scope="companies", limit=50
    )
    assert any(str(row["value"]) == str(tag["id"]) for row in rows)
    assert all(
        "label" in row and ("source_type" in row or "type" in row) for row in rows
    )


def test_endpoint_aggregates(service: Asked) -> None:
    reply = service.page(
        "/analytics/aggregate/companies", metric="count", group_by="hq_country"
    )
    assert sum(row["count"] for row in reply["data"]) == service.total(
        "/data/companies"
    )


CLAUSES = (
    *("is_startup[eq]:true", "company_status[eq]:operational", "launch_date[gte]:2015"),
    *(
        "total_funding[gte]:1000000",
        "total_funding[lte]:1000000",
        "signal_rating[gte]:50",
    ),
    *("signal_timing[gte]:50", "signal_team[gte]:50", "has_founder[eq]:true"),
)


def test_rule_1_company_filters(service: Asked) -> None:
    every = service.total("/data/companies")
    for clause in CLAUSES:
        name, value = clause.partition("[")[0], clause.partition(":")[2]
        rows = service.rows("/data/companies", filter=clause, limit=50)
        assert service.total("/data/companies", filter=clause) <= every
        for row in rows:
            if name in ("is_startup", "company_status"):
                assert row[name] == (True if value == "true" else value), clause
            elif name in row:
                bound = float(value)
                assert (
                    row[name] >= bound if "[gte]" in clause else row[name] <= bound
                ), clause


def test_rule_1_every_tag_place_university_and_id(service: Asked) -> None:
    one, two = (str(tag["id"]) for tag in service.tagged["tags"][:2])
    rows = service.rows(
        "/data/companies", filter=f"tag_id[in_all]:{one}|{two}", limit=50
    )
    assert rows
    assert all({one, two} <= {str(tag["id"]) for tag in row["tags"]} for row in rows)
    uuids = [row["uuid"] for row in service.companies[:8]]
    some = service.among("/data/companies", "id", uuids)
    assert {row["uuid"] for row in some} == set(uuids)


def test_rule_2_the_total_is_before_the_limit(service: Asked) -> None:
    page = service.page("/data/companies", limit=8, include_total="true")
    assert len(page["data"]) == 8 < page["page"]["total"]


def test_endpoint_location_values_and_rule_3_filters_take_identifiers(
    service: Asked,
) -> None:
    name = found(
        (row["hq_country"] for row in service.companies if row["hq_country"]),
        "company with a country",
    )
    places = service.rows("/reference/filters/location/values", q=name, type="country")
    place = next(each["id"] for each in places if each["name"] == name)
    rows = service.rows("/data/companies", filter=f"hq_location[eq]:{place}", limit=50)
    assert {each["hq_country"] for each in rows} == {name}


def test_rule_5_pages_hold_each_manager_and_fund_once(service: Asked) -> None:
    ids = [row["uuid"] for row in service.managers]
    assert len(ids) == len(set(ids))
    path, half = f"/data/investors/{service.lp}/lp-funds", max(1, len(ids) // 2)
    assert sorted(row["uuid"] for row in service.paged(path, len(ids), half)) == sorted(
        ids
    )


def test_rule_6_a_year_keeps_later_funds_and_reading_6_an_empty_window_is_an_empty_list(
    service: Asked,
) -> None:
    fund = found((row for row in service.funds if row["fund_date"]), "dated fund")
    year, path = (
        fund["fund_date"][:4],
        f"/data/investors/{fund['manager']['uuid']}/funds",
    )
    rows = service.rows(path, filter=f"year[gte]:{year}", limit=100)
    assert rows
    assert all(row["fund_date"] >= year for row in rows)
    page = service.page(path, filter="year[gte]:2999", include_total="true")
    assert (page["data"], page["page"]["total"]) == ([], 0)


def test_reading_1_lists_take_filter_sort_size_offset_and_total(service: Asked) -> None:
    asked = {"filter": "has_founder[eq]:true", "sort": "-launch_date"}
    whole = service.rows("/data/companies", **asked, limit=20)
    parts = service.paged("/data/companies", 20, 10, **asked)
    assert [row["uuid"] for row in parts] == [row["uuid"] for row in whole]
    years = [row["launch_date"] for row in whole if row["launch_date"] is not None]
    assert years == sorted(years, reverse=True)


def test_reading_2_a_university_s_name_gives_candidates(service: Asked) -> None:
    person, entry = service.graduate
    clause = f"founder_university_name[eq]:{entry['university_name']}"
    total = service.total("/data/companies", filter=clause)
    rows = service.paged("/data/companies", total, 500, filter=clause)
    assert person["uuid"] in {founder for row in rows for founder in row["founders"]}


def test_authentication_1_credentials_are_exchanged_for_a_token(service: Asked) -> None:
    assert service.token()
    with pytest.raises(requests.HTTPError, match=r"401|403"):
        service.token(client_secret="wrong")


def test_authentication_3_and_4_requests_carry_a_fresh_token(service: Asked) -> None:
    url = service.running.base_url + "/data/companies?limit=1"
    for token, status in (
        (None, 401),
        ("Bearer nonsense", 401),
        (f"Bearer {service.token()}", 200),
    ):
        reply = service.session.get(url, headers={"Authorization": token}, timeout=60)
        assert reply.status_code == status


def test_conventions_amounts_are_converted_and_native_ones_untouched(
    service: Asked,
) -> None:
    sources = []
    for currency in ("USD", "EUR", "GBP"):
        page = service.page("/data/funds", currency=currency, sort="name", limit=100)
        assert page["currency"] == currency
        sources.append([fund["amount_source"] for fund in page["data"]])
        for fund in page["data"]:
            source = fund["amount_source"]
            assert (fund["amount"] is None) == (source is None)
            if source is not None and source["currency"] == currency:
                assert fund["amount"] == source["amount"]
    assert sources == sources[:1] * 3


def test_conventions_the_amount_filter_acts_on_native_amounts(service: Asked) -> None:
    rows = service.rows(
        "/data/funds", filter="amount[gte]:100000000", currency="GBP", limit=50
    )
    assert all(row["amount_source"]["amount"] >= 1e8 for row in rows)


def test_limits_fifty_founders_a_request(service: Asked) -> None:
    some = "|".join(f"{number:08x}-0000-4000-8000-000000000000" for number in range(51))
    reply = service.get("/data/founders", filter=f"id[in_any]:{some}", limit=60)
    assert 400 <= reply.status_code < 500
