"""A row that contradicts the filter it was asked by ends in a named error, never among the rows."""

from __future__ import annotations

import pytest

from tests.client.stand_in import Answer, StandIn, company, full, uuid
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface.fields import FUNDS, NEWS
from ventureframe.interface.filters import Filter, fund, job, news_item, parse
from ventureframe.interface.filters import company as where

ROW = {
    "launch_date": 1990,
    "company_status": "closed",
    "is_startup": False,
    "total_funding": 4_000_000.0,
    "signal_rating": 30.0,
}


def fetched(stand_in: StandIn, service: Service, condition: Filter, **row: object) -> int:
    body = {"data": [company(1, **ROW | row)], "page": {"total": 1}, "currency": "USD"}
    stand_in.data = lambda _: Answer(body)
    return len(service.companies.where(condition).fetch())


@pytest.mark.parametrize(
    "text",
    [
        "launch_date[gte]:1995",
        "launch_date[gt]:1990",
        "launch_date[lte]:1989",
        "launch_date[lt]:1990",
        "launch_date[eq]:1995",
        "launch_date[neq]:1990",
        "launch_date[in_any]:1995|1996",
        "launch_date[nin_any]:1990|1991",
        "company_status[eq]:operational",
        "company_status[neq]:Closed",
        "is_startup[eq]:true",
        "is_startup[neq]:false",
        "total_funding[gte]:5000000",
        "total_funding[eq]:5000000",
        "signal_rating[gt]:60",
        f"id[in_any]:{uuid(2)}|{uuid(3)}",
        f"uuid[eq]:{uuid(2)}",
        "or(launch_date[gte]:1995,is_startup[eq]:true)",
        "or(launch_date[gte]:1995,and(tag_id[eq]:7,is_startup[eq]:true))",
    ],
)
def test_a_row_that_refutes_its_filter_is_an_error(
    stand_in: StandIn, service: Service, text: str
) -> None:
    with pytest.raises(UnreadableReply, match="as if the service ignored the filter"):
        fetched(stand_in, service, parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "launch_date[lte]:1990",
        "company_status[eq]:Closed",
        "total_funding[gte]:4000000.4",
        "signal_rating[neq]:30",
        "hq_location[eq]:7",
        "signal_team[gte]:90",
        "founder_university_name[eq]:Example University",
        "or(launch_date[gte]:1995,signal_team[gte]:90)",
        "or(launch_date[gte]:1995,company_status[eq]:closed)",
        f"id[in_any]:{uuid(1)}|{uuid(2)}",
    ],
)
def test_what_a_row_does_not_refute_is_taken(
    stand_in: StandIn, service: Service, text: str
) -> None:
    assert fetched(stand_in, service, parse(text)) == 1


def test_a_null_decides_nothing(stand_in: StandIn, service: Service) -> None:
    assert fetched(stand_in, service, where.launch_date >= 1995, launch_date=None) == 1
    either = (where.launch_date >= 1995) | (where.company_status == "operational")
    assert fetched(stand_in, service, either, launch_date=None) == 1


def test_an_amount_decides_nothing_where_the_reply_states_no_currency_and_that_is_said(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = lambda _: Answer({"data": [company(1, **ROW)], "page": {"total": 1}})
    with pytest.warns(EvidenceWarning, match="does not say in which currency the amounts of comp"):
        result = service.companies.where(where.total_funding >= 5_000_000).fetch()
    assert len(result) == 1
    assert result.caveats == (
        "The service does not say in which currency the amounts of companies are: USD was asked "
        "for.",
    )


def test_the_error_names_the_clause_the_row_and_its_value(
    stand_in: StandIn, service: Service
) -> None:
    asked = (where.company_status == "closed") & (where.launch_date >= 1995)
    with pytest.raises(UnreadableReply) as caught:
        fetched(stand_in, service, asked)
    said = f"has company {uuid(1)} with launch_date 1990 where launch_date[gte]:1995 was asked for"
    assert said in str(caught.value)


def test_one_row_among_many_is_found(stand_in: StandIn, service: Service) -> None:
    rows = [company(number, launch_date=2001) for number in range(40)]
    rows[17]["launch_date"] = 1990
    stand_in.data = lambda _: Answer({"data": rows, "page": {"total": 40}})
    with pytest.raises(UnreadableReply, match=uuid(17)):
        service.companies.where(where.launch_date >= 1995).fetch()


def test_funds_are_held_to_the_year_and_not_to_the_native_amount(
    stand_in: StandIn, service: Service
) -> None:
    row = full(FUNDS, id=1, name="I", fund_date="2012-03-01", amount=5.0)
    stand_in.data = lambda _: Answer({"data": [row], "page": {"total": 1}, "currency": "USD"})
    assert len(service.funds.where(fund.amount >= 10, fund.year >= 2012).fetch()) == 1
    with pytest.raises(UnreadableReply, match=r"fund 1 with year 2012 where year\[gte\]:2013"):
        service.funds.where(fund.year >= 2013).fetch()


def test_an_article_is_about_more_companies_than_its_first(
    stand_in: StandIn, service: Service
) -> None:
    row = full(NEWS, id=1, title="t", entity_id=uuid(1), entity_ids=[uuid(1), uuid(2)])
    stand_in.data = lambda _: Answer({"data": [row], "page": {"total": 1}})
    assert len(service.news.where(news_item.entity_id == uuid(2)).fetch()) == 1
    with pytest.raises(UnreadableReply, match=f"job 1 with entity_id {uuid(1)}"):
        service.jobs.where(job.entity_id == uuid(2)).fetch()
