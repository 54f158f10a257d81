"""The interface, asked of any service: a case per row of its endpoint table and per
numbered rule.

With `VENTUREFRAME_BASE_URL`, `_AUTH_URL`, `_CLIENT_ID` and `_CLIENT_SECRET` set (as
well as `_USER_AGENT`, `_AUDIENCE` and the name of an `_LP` where needed) that
service is asked, a hundred small requests; otherwise the embedded one. Every case
finds what it asks about.
"""

import operator
import os
import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, TypeVar

import pytest
import requests

from tests.service.caller import Caller
from ventureframe.interface import fields, filters
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
        rows: list[Row] = []
        for at in range(0, total, size):
            rows += self.rows(path, **query, limit=size, offset=at)
        return rows

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
        listed = [uuid for row in self.companies for uuid in row["founders"]]
        asked = list(dict.fromkeys(listed))[:50]
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
        address, auth_url, name, secret = values
        own = (running.dataset, running.close)
        running = Running(address, auth_url, name, secret, *own)
    asked = Asked(running)
    agent = os.environ.get("VENTUREFRAME_USER_AGENT", "contract/1")
    asked.session.headers["User-Agent"] = agent
    with asked.session:
        yield asked


def test_endpoints_rows_have_their_fields_rule_7_and_readings_3_and_4(
    service: Asked,
) -> None:
    """A key is never left out, and null where nothing is recorded; no row has a field
    that only filters, as the name of a university.
    """
    company = service.rows("/data/companies", sort="-total_funding", limit=1)[0]
    manager = found(iter(service.funds), "fund of an LP's manager")["manager"]
    lists = {
        "/data/companies?limit=50": fields.COMPANIES,
        "/data/companies?sort=total_funding&limit=50": fields.COMPANIES,
        "/data/founders?limit=50": fields.FOUNDERS,
        "/data/funds?limit=50": fields.FUNDS,
        "/data/news?limit=50": fields.NEWS,
        "/data/jobs?limit=50": fields.JOBS,
        f"/data/companies/{company['uuid']}/funding-rounds": fields.FUNDING_ROUNDS,
        f"/data/investors/{service.lp}/lp-funds": fields.INVESTORS,
        f"/data/investors/{manager['uuid']}/funds": fields.FUNDS,
    }
    for path, resource in lists.items():
        wanted = {field.name for field in resource.returned}
        if path.endswith("/funds"):
            wanted -= {"manager"}
        hidden = {each.name for each in resource.fields if not each.returned} - {"id"}
        for row in service.rows(path):
            assert wanted <= row.keys(), path
            assert not hidden & row.keys(), path


def test_endpoints_search_and_entity_and_rule_4_a_match_needs_name_and_domain(
    service: Asked,
) -> None:
    _, entry = service.graduate
    record = service.page(f"/data/entities/{entry['university_uuid']}")["data"]
    assert record["uuid"] == entry["university_uuid"]
    assert {"founder_alumni_total", "spinout_count"} <= set(record)
    assert service.get(f"/data/entities/{NOBODY}").status_code == 404
    rows = service.rows("/data/search", q=record["name"], types="university", limit=20)
    pairs = [(row["name"], row["website_domain"]) for row in rows]
    assert (record["name"], record["website_domain"]) in pairs


def test_endpoints_founders_news_and_jobs_are_found_by_ids(service: Asked) -> None:
    uuids = service.companies[0]["founders"]
    rows = service.among("/data/founders", "id", uuids)
    assert {row["uuid"] for row in rows} <= set(uuids)
    for path, date in (("/data/news", "publish_date"), ("/data/jobs", "date_posted")):
        rows = service.rows(path, sort=f"-{date}", limit=20)
        dates = [row[date] for row in rows if row[date]]
        assert dates == sorted(dates, reverse=True)
        if linked := [row for row in rows if row["entity_id"]][:5]:
            ids = [row["entity_id"] for row in linked]
            some = service.among(path, "entity_id", ids)
            assert {row["id"] for row in some} >= {row["id"] for row in linked}


def test_endpoints_funds_and_reading_5_an_lp_s_list_holds_managers_not_funds(
    service: Asked,
) -> None:
    path = f"/data/investors/{service.lp}/lp-funds"
    page = service.page(path, limit=100, include_total="true")
    assert page["page"]["total"] >= len(page["data"]) > 0
    assert not any({"fund_date", "amount"} & row.keys() for row in page["data"])
    fund = found(iter(service.funds), "fund of an LP's manager")
    managers = {row["uuid"] for row in service.managers}
    assert {row["manager"]["uuid"] for row in service.funds} <= managers
    path = f"/data/investors/{fund['manager']['uuid']}/funds"
    rows = service.rows(path, sort="-fund_date", limit=100)
    assert fund["id"] in [row["id"] for row in rows]


def test_endpoint_filter_search(service: Asked) -> None:
    tag, path = service.tagged["tags"][0], "/reference/filters/search"
    rows = service.rows(path, q=tag["name"], scope="companies", limit=50)
    assert any(str(row["value"]) == str(tag["id"]) for row in rows)
    assert all("label" in row for row in rows)


def test_endpoint_aggregates(service: Asked) -> None:
    path = "/analytics/aggregate/companies"
    groups = service.rows(path, metric="count", group_by="hq_country")
    assert sum(row["count"] for row in groups) == service.total("/data/companies")


CLAUSES = (
    "is_startup[eq]:true",
    "company_status[eq]:operational",
    "launch_date[gte]:2015",
    "total_funding[gte]:1000000",
    "total_funding[lte]:1000000",
    "signal_rating[gte]:50",
    "signal_timing[gte]:50",
    "signal_team[gte]:50",
    "has_founder[eq]:true",
)


def test_rule_1_company_filters(service: Asked) -> None:
    every = service.total("/data/companies")
    for clause in CLAUSES:
        where = filters.parse(clause)
        assert isinstance(where, filters.Clause)
        wanted = fields.COMPANIES[where.field].read(where.values[0])
        rows = service.rows("/data/companies", filter=clause, limit=50)
        assert service.total("/data/companies", filter=clause) <= every
        values = [row[where.field] for row in rows if where.field in row]
        holds = {"eq": operator.eq, "gte": operator.ge, "lte": operator.le}
        assert all(holds[where.operator](each, wanted) for each in values), clause


def test_rule_1_every_tag_place_university_and_id(service: Asked) -> None:
    pair = {str(tag["id"]) for tag in service.tagged["tags"][:2]}
    clause = f"tag_id[in_all]:{'|'.join(pair)}"
    rows = service.rows("/data/companies", filter=clause, limit=50)
    assert rows
    assert all(pair <= {str(tag["id"]) for tag in row["tags"]} for row in rows)
    uuids = [row["uuid"] for row in service.companies[:8]]
    some = service.among("/data/companies", "id", uuids)
    assert {row["uuid"] for row in some} == set(uuids)


def test_rule_2_the_total_is_before_the_limit(service: Asked) -> None:
    page = service.page("/data/companies", limit=8, include_total="true")
    assert len(page["data"]) == 8 < page["page"]["total"]


def test_endpoint_location_values_and_rule_3_filters_take_identifiers(
    service: Asked,
) -> None:
    countries = (row["hq_country"] for row in service.companies if row["hq_country"])
    name = found(countries, "company with a country")
    places = service.rows("/reference/filters/location/values", q=name, type="country")
    place = next(each["id"] for each in places if each["name"] == name)
    rows = service.rows("/data/companies", filter=f"hq_location[eq]:{place}", limit=50)
    assert {each["hq_country"] for each in rows} == {name}


def test_rule_5_pages_hold_each_manager_once(service: Asked) -> None:
    ids = sorted(row["uuid"] for row in service.managers)
    path, half = f"/data/investors/{service.lp}/lp-funds", max(1, len(ids) // 2)
    assert len(ids) == len(set(ids))
    assert sorted(row["uuid"] for row in service.paged(path, len(ids), half)) == ids


def test_rule_6_a_year_keeps_later_funds_and_reading_6_an_empty_window_is_an_empty_list(
    service: Asked,
) -> None:
    fund = found((row for row in service.funds if row["fund_date"]), "dated fund")
    path, year = (
        f"/data/investors/{fund['manager']['uuid']}/funds",
        fund["fund_date"][:4],
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


def test_authentication_credentials_become_a_token_that_requests_carry(
    service: Asked,
) -> None:
    with pytest.raises(requests.HTTPError, match=r"401|403"):
        service.token(client_secret="wrong")
    url = service.running.base_url + "/data/companies?limit=1"
    fresh = f"Bearer {service.token()}"
    for token, status in ((None, 401), ("Bearer nonsense", 401), (fresh, 200)):
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
    asked = {"filter": "amount[gte]:100000000", "currency": "GBP"}
    rows = service.rows("/data/funds", **asked, limit=50)
    assert all(row["amount_source"]["amount"] >= 1e8 for row in rows)


def test_limits_fifty_founders_a_request(service: Asked) -> None:
    some = "|".join(f"{number:08x}-0000-4000-8000-000000000000" for number in range(51))
    reply = service.get("/data/founders", filter=f"id[in_any]:{some}", limit=60)
    assert 400 <= reply.status_code < 500
