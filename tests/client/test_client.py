"""Queries send nothing until fetched, results say what they are."""

import datetime as dt
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from tests.client.stand_in import (
    Answer,
    Asked,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from ventureframe.client.service import Service
from ventureframe.errors import (
    EvidenceWarning,
    QueryError,
    UnknownField,
    UnreadableReply,
    UnsupportedOperator,
    UnsupportedValue,
)
from ventureframe.interface.fields import (
    FOUNDERS,
    FUNDS,
)
from ventureframe.interface.filters import company as where
from ventureframe.interface.filters import fund

COMPANIES = [company(number) for number in range(1203)]


# --- queries


def test_building_a_query_sends_nothing_and_changes_none(
    stand_in: StandIn, service: Service
) -> None:
    query = service.companies.where(where.launch_date >= 2005).sort("-total_funding")
    narrower = query.where(where.launch_date <= 2010)
    assert "and(launch_date[gte]:2005,launch_date[lte]:2010)" in repr(narrower)
    assert (
        repr(query.currency("EUR"))
        == "query of /data/companies · filter launch_date[gte]:2005 · sort"
        " -total_funding "
        "· currency EUR"
    )
    assert stand_in.asked == []


WRONG: list[tuple[Callable[[Service], object], type[Exception], str]] = [
    (
        lambda svc: svc.companies.where(fund.amount >= 5),
        UnknownField,
        "no field 'amount'",
    ),
    (
        lambda svc: svc.companies.sort("tagline"),
        UnknownField,
        "no field 'tagline' to sort by",
    ),
    (lambda svc: svc.companies.sort(7), UnsupportedValue, "cannot be 7: give the name"),  # type: ignore[arg-type]
    (
        # what is refused
        lambda svc: svc.companies.currency("JPY"),  # type: ignore[arg-type]
        UnsupportedValue,
        "converts to USD, EUR, GBP",
    ),
    (
        lambda svc: svc.managers_of(uuid(1)).sort("name"),
        UnsupportedValue,
        "cannot be sorted",
    ),
    (
        lambda svc: svc.managers_of(uuid(1)).where(where.is_startup == True),  # noqa: E712
        UnsupportedOperator,
        "lp-funds field",
    ),
    (lambda svc: svc.founders.by_id(["x"]), UnsupportedValue, "needs a UUID"),
    (lambda svc: svc.founders.by_id(uuid(1)), UnsupportedValue, "give a list of ids"),
    (
        lambda svc: svc.companies.sort("name").by_id([uuid(1)]),
        UnsupportedValue,
        "cannot be combined with ids",
    ),
    (
        lambda svc: svc.companies.by_id([]).where(where.launch_date >= 2020),
        UnsupportedValue,
        "cannot be combined with ids",
    ),
    (lambda svc: svc.managers_of("../../dataset"), UnsupportedValue, "needs a UUID"),
    (
        lambda svc: svc.news.sort("title").about([uuid(1)]),
        UnsupportedValue,
        "sort the frame",
    ),
    (
        lambda svc: svc.jobs.at([uuid(1)]).sort("title"),
        UnsupportedValue,
        "sort the frame",
    ),
    (
        lambda svc: svc.jobs.at([uuid(1)]).currency("EUR"),
        UnsupportedValue,
        "has no amounts",
    ),
    (
        lambda svc: svc.jobs.at([uuid(1)]).count(),
        UnsupportedValue,
        "fetch them instead",
    ),
    (
        lambda svc: svc.companies.where(where.hq_location == "United States"),
        UnsupportedValue,
        r'id of a place: svc\.location\("United States", t',
    ),
    (
        lambda svc: svc.location("L", type="city"),
        UnsupportedValue,
        "from 2 characters on",
    ),
    (
        lambda svc: svc.university(" ", domain="a.edu"),
        UnsupportedValue,
        "from 1 characters on",
    ),
    *(
        (partial(ask, odd), UnsupportedValue, "^'[a-z]+' cannot be ")
        for odd in (7, b"x", ["x"], {"x": 1})
        for ask in (
            lambda odd, svc: svc.university(odd),
            lambda odd, svc: svc.lp("A", domain=odd),
            lambda odd, svc: svc.tag("AI", type=odd),
            lambda odd, svc: svc.location("London", within=odd),
            lambda odd, svc: svc.similar("tag", odd),
            lambda odd, svc: svc.companies.by_id([odd]),
            lambda odd, svc: svc.jobs.at([None, odd]),
            lambda odd, svc: svc.rounds_of(odd),
            lambda odd, svc: svc.funds_of_each([odd]),
        )
    ),
]


@pytest.mark.parametrize(("ask", "error", "message"), WRONG)
def test_a_wrong_question_is_refused_before_anything_is_sent(
    stand_in: StandIn,
    service: Service,
    ask: Callable[[Service], object],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message) as caught:
        ask(service)
    assert isinstance(caught.value, QueryError)
    assert stand_in.asked == []


def test_counting_is_one_request_for_one_row(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection(COMPANIES)
    assert service.companies.where(where.launch_date >= 2000).count() == 1203
    (asked,) = stand_in.data_asked
    assert asked.parameters == {
        "filter": "launch_date[gte]:2000",
        "currency": "USD",
        "limit": "1",
        "offset": "0",
        "include_total": "true",
    }
    stand_in.data = collection(COMPANIES, total=None)
    with pytest.raises(UnreadableReply, match=r"no total\. Fetch the rows instead"):
        service.companies.count()


@pytest.mark.parametrize("by", ["offset", "cursor"])
def test_fetching_walks_to_the_end_in_the_largest_pages(
    stand_in: StandIn, service: Service, by: Any
) -> None:
    stand_in.data = collection(COMPANIES)
    result = service.companies.sort("name").currency("GBP").fetch(by=by)
    assert len(result) == 1203
    assert result.is_complete
    limits = [asked.parameters["limit"] for asked in stand_in.data_asked]
    assert limits == ["500"] * 3
    is_said = any("Consecutive pages shared no row" in one for one in result.caveats)
    assert is_said is (by == "cursor")
    assert {asked.parameters["sort"] for asked in stand_in.data_asked} == {"name"}
    assert {asked.parameters["currency"] for asked in stand_in.data_asked} == {"GBP"}


def test_progress_may_be_a_bar(
    stand_in: StandIn, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in.data = collection(COMPANIES)
    service.companies.fetch(progress=True)
    assert "1203/1203" in capsys.readouterr().err


# --- results


def test_any_library_that_reads_arrow_takes_a_result_with_its_currency(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection(COMPANIES[:3])
    result = service.companies.currency("GBP").fetch()
    frame = result.to_polars()
    assert frame["currency"].to_list() == ["GBP"] * 3
    assert pl.DataFrame(result).equals(frame)
    assert pa.table(result).column("currency").to_pylist() == ["GBP"] * 3
    relation = duckdb.sql("select count(*), min(currency) from result")
    assert relation is not None
    assert relation.fetchall() == [(3, "GBP")]


def test_dates_less_precise_than_a_day_are_doubted(
    stand_in: StandIn, service: Service
) -> None:
    rows = [full(FUNDS, id=1, fund_date="2013"), full(FUNDS, id=2)]
    stand_in.data = collection(rows)
    with pytest.warns(
        EvidenceWarning, match="1 of 2 funds have a fund_date less precise"
    ):
        result = service.funds.fetch()
    assert result.details.extra_columns == ("fund_date_text",)


def test_a_field_that_a_row_leaves_out_is_warned_of_once_and_is_a_caveat(
    stand_in: StandIn, service: Service
) -> None:
    rows = [company(number, team_size=5, tagline="x") for number in range(900)]
    for row in rows[499:]:
        del row["team_size"], row["tagline"]
        row["name"] = None
    stand_in.data = collection(rows)
    with pytest.warns(EvidenceWarning) as warned:
        result = service.companies.fetch()
    said = (
        "leave out name, tagline, team_size, wholly or in part: what is missing may"
        " still be recorded"
    )
    assert [said in str(each.message) for each in warned] == [True]
    assert result.details.absent_fields == ("name", "tagline", "team_size")
    assert said in result.caveats[0]


# --- by id


def test_ids_are_asked_in_batches_of_fifty_and_those_not_returned_are_named(
    stand_in: StandIn, service: Service
) -> None:
    ids = [uuid(number) for number in range(120)]
    stand_in.data = collection([full(FOUNDERS, uuid=each) for each in ids])
    result = service.founders.by_id([*ids, ids[0].upper()]).fetch()
    assert result.certificate.verdict == "complete"
    assert (result.asked, result.missing) == (tuple(ids), ())
    limits = [asked.parameters["limit"] for asked in stand_in.data_asked]
    assert limits == ["50", "50", "20"]
    last = stand_in.data_asked[2].parameters["filter"]
    assert last == f"id[in_any]:{'|'.join(ids[100:])}"
    result = service.founders.by_id([ids[1], uuid(200), uuid(300)]).fetch()
    assert result.missing == (uuid(200), uuid(300))
    assert result.certificate.verdict == "short"
    assert "founders · 1 of 3 asked · short: 2 not returned" in repr(result)


# --- source

DESCRIPTION = {
    "format": 1,
    "name": "oak",
    "description": "Oaks",
    "as_of": "2026-06-30",
    "synthetic": True,
    "licence": "MIT",
    "attribution": ["Oaks & co"],
}


def described(**change: object) -> Callable[[Asked], Answer]:
    """A service without rows that describes its dataset."""

    def answer(asked: Asked) -> Answer:
        body: dict[str, object] = {"data": [], "page": {"total": 0}}
        if asked.path == "/dataset":
            body = {"data": {**DESCRIPTION, **change}}
        return Answer(body, headers={"X-Dataset": "oak"})

    return answer


def test_a_service_that_names_its_dataset_is_asked_about_it_once_and_no_other(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection(COMPANIES[:3])
    service.companies.fetch()
    assert repr(service) == 'live service · "127.0.0.1" · wire interface'
    assert {asked.path for asked in stand_in.data_asked} == {"/data/companies"}
    stand_in.data = described()
    result = service.companies.fetch()
    service.founders.fetch()
    assert [asked.path for asked in stand_in.data_asked].count("/dataset") == 1
    assert service.source.as_of == dt.date(2026, 6, 30)
    assert service.source.attribution == ("Oaks & co",)
    assert (
        repr(service)
        == 'live service · SYNTHETIC "oak" · as of 2026-06-30 · wire interface'
    )
    assert (
        repr(result)
        == "companies · 0 of 0 distinct · complete · as of 2026-06-30 · USD · SYNTHETIC"
    )
    assert result.provenance.fetched_at is None


@pytest.mark.parametrize("change", [{"as_of": "June"}, {"attribution": 5}])
def test_a_dataset_that_cannot_be_read_is_named(
    stand_in: StandIn, service: Service, change: dict[str, object]
) -> None:
    stand_in.data = described(**change)
    with pytest.raises(UnreadableReply, match="does not describe a dataset"):
        service.companies.fetch()


@pytest.mark.parametrize(
    ("page", "shown", "lead"),
    [
        ({"total": 40}, "30 of 40 distinct · short", "Not every record was read: "),
        (
            {"total": 12},
            "30 distinct where 12 are reported · over",
            "More rows were returned than the service reports: ",
        ),
        (
            {"total": None},
            "30 distinct · total not reported",
            "No total is reported, so whether every record was read is not known: ",
        ),
    ],
)
def test_a_caveat_says_what_is_not_complete(
    stand_in: StandIn, service: Service, page: dict[str, object], shown: str, lead: str
) -> None:
    stand_in.data = collection(COMPANIES[:30], **page)
    result = service.companies.fetch()
    assert shown in repr(result)
    assert result.caveats[0].startswith(lead)


@pytest.mark.parametrize(
    "page",
    [{"total": 0}, {"total": 1, "next_cursor": "more"}, {"total": 1, "capped": True}],
)
def test_a_count_that_its_own_page_contradicts_is_said_to_be_the_least(
    stand_in: StandIn, service: Service, page: dict[str, object]
) -> None:
    stand_in.data = collection([company(1)], **page)
    with pytest.warns(EvidenceWarning, match=r"at least [01] match"):
        service.companies.count()


def test_no_name_of_a_service_steers_the_terminal_that_shows_a_result(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection([company(1, name="Red \x1b[31m\u202e")])
    result = service.companies.fetch()
    assert "Red \\x1b[31m\\u202e" in repr(result)
    assert result.to_polars()["name"][0] == "Red \x1b[31m\u202e", "as it was sent"
