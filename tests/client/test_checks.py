"""What a service answers and what comes of it: a named error, a verdict below complete,
a doubt.

One table of replies. A doubt is warned of and is a caveat of the result; where
nothing is wrong, nothing is said. The same for every way to ask: filters, sorts,
ids, currencies, owners in the path.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from tests.client.rows import WIRES, Row
from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    Connect,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from tests.client.test_generation import firm
from ventureframe.client.query import Query
from ventureframe.client.result import Result, withholding
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface.fields import (
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    JOBS,
    NEWS,
)
from ventureframe.interface.filters import parse
from ventureframe.interface.wire.profile import INTERFACE, Profile

WARNED = {"warnings": ["one shard failed"]}
IGNORED = "as if the service ignored the filter"
SHOWN: Row = {"launch_date": 1990, "company_status": "closed", "is_startup": False}
SHOWN |= {"total_funding": 4_000_000.0, "signal_rating": 30.0}
TAGS = [{"id": number, "name": f"T{number}", "type": "sector"} for number in (7, 8)]
NOTHING: Row = {}
Ask = str | Callable[[Service], Query]


class Case(NamedTuple):
    """Rows, part of what is said of them, and what stands beside them.

    `asked` is a filter of companies as text, a sort of theirs after "sort ", or a
    query.
    """

    asked: Ask
    rows: Sequence[Row]
    said: str = ""
    page: Row = NOTHING


def companies(name: str, *values: object) -> list[Row]:
    return [company(number, **{name: value}) for number, value in enumerate(values)]


def in_order(sort: str, *values: object) -> Case:
    """Companies in the order of their values of the first field of a sort."""
    return Case(f"sort {sort}", companies(sort.strip("-").split(",")[0], *values))


def out_of_order(sort: str, *values: object) -> Case:
    said = f"Rows of companies are not in the order asked for (sort {sort}), as if the"
    return in_order(sort, *values)._replace(said=said)


def fund(**keys: object) -> list[Row]:
    return [full(FUNDS, **{"id": 1, "name": "I", **keys})]


def priced(amount: float | None, native: float | None, currency: str | None) -> Case:
    """A fund with its amount in USD, and as it was announced."""
    source = {"amount": native, "currency": currency}
    return Case(lambda svc: svc.funds, fund(amount=amount, amount_source=source))


def in_another_unit(amount: float, native: float) -> Case:
    said = "In USD, amount and amount_source of funds differ: one of them may be in"
    return priced(amount, native, "USD")._replace(said=said)


def jobs(*companies: int) -> list[Row]:
    return [full(JOBS, id=number, entity_id=uuid(number)) for number in companies]


def founder(number: int) -> list[Row]:
    return [full(FOUNDERS, uuid=uuid(number))]


def lacking(rows: Sequence[Row], *names: str) -> list[Row]:
    return [{name: row[name] for name in row if name not in names} for row in rows]


def managed(number: int) -> Row:
    return {"manager": {"uuid": uuid(number).upper(), "name": "O"}}


ALL: Ask = lambda svc: svc.companies  # noqa: E731
CLOSED = [company(1, **SHOWN)]
TAGGED = [company(1, tags=TAGS)]
ARTICLE = [full(NEWS, id=1, entity_id=uuid(1), entity_ids=[uuid(1), uuid(2)])]
LINKS: list[tuple[Ask, list[Row], str]] = [
    (lambda svc: svc.funds, fund(), "manager"),
    (lambda svc: svc.jobs, [full(JOBS, id=1)], "entity_id"),
    (lambda svc: svc.founders, founder(1), "education"),
]
ERRORS = [
    # a filter
    *(
        Case(text, CLOSED, IGNORED)
        for text in (
            "launch_date[gte]:1995",
            "launch_date[gt]:1991",
            "launch_date[lte]:1989",
            "launch_date[lt]:1989",
            "launch_date[eq]:1995",
            "company_status[eq]:operational",
            "is_startup[eq]:true",
            "total_funding[gte]:5000000",
            "signal_rating[gt]:60",
            f"id[in_any]:{uuid(2)}|{uuid(3)}",
            "and(launch_date[gte]:1980,company_status[eq]:operational)",
        )
    ),
    *(
        Case(text, TAGGED, "with tag_id [7, 8] where tag_id")
        for text in ("tag_id[eq]:9", "tag_id[in_all]:7|9", "tag_id[in_any]:9|10")
    ),
    # a flag
    Case("has_founder[eq]:true", [company(1)], IGNORED),
    Case("has_founder[eq]:false", [company(1, founders=[uuid(4)])], IGNORED),
    Case("is_hiring[eq]:true", [company(1, is_hiring=False)], IGNORED),
    Case(
        "launch_date[gte]:1995",
        companies("launch_date", *[2001] * 17, 1990, *[2001] * 20),
        f"has company {uuid(17)} with launch_date 1990 where launch_date[gte]:1995 was"
        " asked for",
    ),
    Case(
        lambda svc: svc.funds.where(parse("year[gte]:2013")),
        fund(fund_date="2012-03-01"),
        "fund 1 with year 2012 where year[gte]:2013",
    ),
    Case(
        lambda svc: svc.jobs.where(parse(f"entity_id[eq]:{uuid(2)}")),
        jobs(1),
        f"job 1 with entity_id {uuid(1)}",
    ),
    # ids, in the filter and in the path
    Case(
        lambda svc: svc.founders.by_id([uuid(1)]),
        founder(7),
        f"founders of uuid {uuid(7)}, which was not asked for, as if the service ignored the"
        " ids",
    ),
    Case(
        lambda svc: svc.jobs.at([uuid(1)]),
        jobs(1, 7),
        f"jobs of entity_id {uuid(7)}, which was not asked for",
    ),
    Case(
        lambda svc: svc.funds_of_each([uuid(5)]),
        fund(**managed(6)),
        f"{uuid(6)}, which was not asked for",
    ),
    # the key that links records to others
    *(Case(ask, lacking(rows, link), f"has {link}") for ask, rows, link in LINKS),
    Case(
        lambda svc: svc.news,
        lacking(ARTICLE, "entity_id", "entity_ids"),
        "No row of news has entity_id or entity_ids",
    ),
    # a currency, numbers that no record has, an error
    Case(
        ALL,
        CLOSED,
        "amounts in 'EUR' where USD was asked for",
        {"currency": "EUR"},
    ),
    Case(
        ALL,
        companies("launch_date", 2001, 1_600_000_000),
        "which is not of type integer from 1 to 9999",
    ),
    Case(
        ALL,
        companies("team_size", 1, -1),
        "which is not of type integer from 0 to inf",
    ),
    Case(
        ALL,
        companies("total_funding", 1, -0.5),
        "has -0.5 in 'total_funding' of companies",
    ),
    Case(ALL, CLOSED, "an error beside its rows", {"page": {"error": "timeout"}}),
]
DOUBTS = [
    out_of_order("launch_date", 1999, None, 2001, 2005, 2003),
    out_of_order("-launch_date,name", 1999, 2005),
    out_of_order("-total_funding", 3.0, 9.5),
    out_of_order("-name", "Alpha", "Beta"),
    Case(
        ALL,
        CLOSED,
        "does not say in which currency the amounts of comp",
        {"currency": None},
    ),
    in_another_unit(5_000_000_00, 5_000_000),
    in_another_unit(5_000, 5_000_000),
    in_another_unit(5_000_000, 5_000),
    in_another_unit(5_000_000, 0),
    Case(
        ALL,
        [company(1)],
        "leaves out parts of its records.",
        {"page": {"tier": "free"}},
    ),
    Case(
        ALL, [company(1)], "its plan leaves out education.", {"locked": ["education"]}
    ),
    Case(ALL, [company(1)], "parts of its records.", {"locked": True}),
    Case(ALL, [company(1)], 'says warnings ["one shard failed"]', WARNED),
]
FINE = [
    # a filter that the rows do not decide
    *(
        Case(text, CLOSED)
        for text in (
            "launch_date[lte]:1990",
            "company_status[eq]:Closed",
            "total_funding[gte]:4000000.4",
            "hq_location[eq]:7",
            "founder_university_name[eq]:Example University",
            "or(launch_date[gte]:1995,signal_team[gte]:90)",
            f"id[in_any]:{uuid(1)}|{uuid(2)}",
        )
    ),
    Case("launch_date[gte]:1995", [company(1, launch_date=None)]),
    Case(
        "or(launch_date[gte]:1995,company_status[eq]:operational)",
        [company(1, launch_date=None)],
    ),
    Case(
        lambda svc: svc.funds.where(parse("and(amount[gte]:10,year[gte]:2012)")),
        fund(fund_date="2012-03-01", amount=5.0),
    ),
    Case(lambda svc: svc.news.where(parse(f"entity_id[eq]:{uuid(2)}")), ARTICLE),
    Case("tag_id[in_all]:7|8", TAGGED),
    Case("tag_id[nin_all]:7|9", TAGGED),
    Case("tag_id[eq]:7", [company(1, tags=None)]),
    Case("tag_id[eq]:7", [company(1, tags=[])]),
    Case("has_founder[eq]:true", [company(1, founders=None)]),
    Case("is_hiring[eq]:true", [company(1)]),
    # ids that are written in another way
    Case(lambda svc: svc.funds_of_each([uuid(0xA5)]), fund(**managed(0xA5))),
    Case(
        lambda svc: svc.founders.by_id([uuid(0xA5)]),
        [full(FOUNDERS, uuid=uuid(0xA5).replace("-", ""))],
    ),
    # links to no record
    *(Case(ask, rows) for ask, rows, _ in LINKS),
    # a sort: numbers, nulls, texts that collations order in different ways, several
    # fields
    in_order("launch_date", 1999, 2001, 2001, 2005),
    in_order("launch_date", None, 1999, None, 2001),
    in_order("-total_funding", 9.5, 9.5, 3.0, None),
    in_order("name", "Beta", "alpha", "gamma"),
    in_order("name", "Data base", "Databank", "Data centre"),
    in_order("name", "Zebra", "Ärmel", "Österreich"),
    in_order("launch_date,team_size", 2001, 2001),
    # an amount as announced: in another currency, rounded, not recorded
    priced(5_000_000, 4_000_000, "EUR"),
    priced(5_000_000, 5_012_345.67, "USD"),
    priced(1, 0.6, "USD"),
    priced(None, 5_000_000, "USD"),
    priced(5_000_000, None, "USD"),
    priced(5_000_000, 5_000, None),
    priced(0, 0, "USD"),
    # what stands beside the rows
    Case(ALL, [company(1)], "", {"currency": None}),
    Case(ALL, [company(1)], "", {"page": {"tier": "premium"}}),
]


def fetched(query: Query) -> tuple[Result, list[str]]:
    """The result, and what is warned of, once each is a caveat as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = query.fetch()
    messages = [
        str(each.message) for each in caught if each.category is EvidenceWarning
    ]
    assert set(messages) <= set(result.caveats)
    return result, messages


def asked_of(service: Service, asked: Ask) -> Query:
    if not isinstance(asked, str):
        return asked(service)
    if asked.startswith("sort "):
        return service.companies.sort(asked.removeprefix("sort "))
    return service.companies.where(parse(asked))


def answers(case: Case, largest: int = 500) -> Answers:
    """A list of the rows in pages of so many, with what the case says beside them."""

    def answer(asked: Asked) -> Answer:
        limit = str(min(largest, int(asked.parameters["limit"])))
        parameters = {**asked.parameters, "limit": limit, "filter": ""}
        body: Any = collection(case.rows)(replace(asked, parameters=parameters)).body
        about = {**body["page"], **case.page.get("page", {})}
        return Answer({**body, **case.page, "page": about})

    return answer


@pytest.mark.parametrize("case", ERRORS)
def test_a_reply_that_its_question_rules_out_is_a_named_error(
    stand_in: StandIn, service: Service, case: Case
) -> None:
    stand_in.data = answers(case)
    with pytest.raises(UnreadableReply, match=re.escape(case.said)):
        asked_of(service, case.asked).fetch()


@pytest.mark.parametrize("largest", [2, 500])
@pytest.mark.parametrize("case", [*DOUBTS, *FINE])
def test_a_reply_is_doubted_where_the_table_says_so_and_read_whole(
    stand_in: StandIn, service: Service, case: Case, largest: int
) -> None:
    stand_in.data = answers(case, largest)
    result, messages = fetched(asked_of(service, case.asked))
    assert [case.said in message for message in messages] == [True] * bool(case.said)
    assert (len(result), result.is_complete) == (len(case.rows), True)


@pytest.mark.parametrize(("applied", "verdict"), [(1, "complete"), (500, "short")])
def test_a_page_size_that_was_reduced_leaves_nothing_out(
    stand_in: StandIn, service: Service, applied: int, verdict: str
) -> None:
    rows = [company(1), company(2)]
    stand_in.data = answers(Case(ALL, rows, page={"page": {"capped": True}}), applied)
    result, messages = fetched(service.companies)
    assert (len(result), result.certificate.verdict) == (2, verdict)
    said = ["says capped true beside its rows" in message for message in messages]
    assert said == [True] * (verdict == "short")


@pytest.mark.parametrize("education", [None, []])
def test_what_a_reply_locks_as_a_whole_is_withheld_where_a_row_has_none(
    stand_in: StandIn, service: Service, education: object
) -> None:
    row = full(FOUNDERS, uuid=uuid(1), education=education)
    stand_in.data = lambda _: Answer(
        {"data": [row], "page": {"total": 1}, "locked": ["education"]}
    )
    with pytest.warns(EvidenceWarning, match=r"leaves out education\.$"):
        result = service.founders.fetch()
    assert withholding(result, "education") == (uuid(1),)


def test_a_filter_that_no_row_can_show_is_said_once_not_to_be_checked(
    stand_in: StandIn, service: Service
) -> None:
    text = "hq_location[eq]:7,signal_team[gte]:50,founder_university_name[eq]:X"
    stand_in.data = collection([company(1), company(2)])
    result, messages = fetched(service.companies.where(parse(f"and({text})")))
    said = [caveat for caveat in result.caveats if "Not checked" in caveat]
    names = "hq_location and signal_team and founder_university_name"
    assert said == [
        f"Not checked: that the rows meet the filter on {names}, which no row shows."
    ]
    assert messages == []
    shown = service.companies.where(parse("and(tag_id[eq]:7,has_founder[eq]:true)"))
    stand_in.data = collection([company(1, tags=TAGS, founders=[uuid(4)])])
    assert not any("Not checked" in caveat for caveat in shown.fetch().caveats)


@pytest.mark.parametrize("is_by_id", [True, False])
def test_a_record_of_an_id_and_nothing_else_is_not_returned(
    stand_in: StandIn, service: Service, *, is_by_id: bool
) -> None:
    rows: list[Row] = [*founder(1), {"uuid": uuid(2)}, *founder(3)]
    rows[0] |= {"name": "A"}
    rows[2] |= {"name": "C"}
    stand_in.data = collection(rows)
    ids = [row["uuid"] for row in rows]
    query = service.founders.by_id(ids) if is_by_id else service.founders
    with pytest.warns(EvidenceWarning, match="leave out education, name"):
        result = query.fetch()
    assert result.to_polars()["name"].to_list() == ["A", "C"]
    assert result.certificate.verdict == "short"
    assert result.missing == ((uuid(2),) if is_by_id else ())


def vehicle(number: int) -> Row:
    fund = full(FUNDS, id=number, name="I")
    del fund["manager"]  # the path names it
    return fund


@pytest.mark.parametrize(("shared", "count"), [(0, 0), (1, 1), (3, 3)])
@pytest.mark.parametrize(
    "case",
    [
        (
            lambda svc: svc.rounds_of([uuid(1), uuid(2)]),
            lambda number: full(FUNDING_ROUNDS, id=number, year=2020),
            "funding rounds are listed for several companies, and a round has one",
        ),
        (
            lambda svc: svc.funds_of_each([uuid(1), uuid(2)]),
            vehicle,
            "funds are listed for several managers, and a fund has one",
        ),
    ],
)
def test_a_record_of_one_owner_that_several_list_is_doubted(
    stand_in: StandIn,
    service: Service,
    case: tuple[Any, Any, str],
    shared: int,
    count: int,
) -> None:
    ask, row, what = case

    def answer(asked: Asked) -> Answer:
        number = int(asked.path.split("/")[3][-1])
        ids = [*range(shared), *range(10 * number, 10 * number + 3 - shared)]
        return collection([row(each) for each in ids])(asked)

    stand_in.data = answer
    result, messages = fetched(ask(service))
    assert len(result) == 6
    said = f"{count} of {6 - shared} {what}: whose they are is not sure"
    assert [said in message for message in messages] == [True] * bool(count)


SELF: list[tuple[Row, str]] = [
    ({"ok": False}, "says 'ok' is false"),
    ({"success": False}, "says 'success' is false"),
    ({"status": "error"}, "says 'status' is .error."),
    ({"partial": True}, "The service says partial true beside its rows"),
    ({"page": {"timed_out": True}}, "The service says timed_out true beside its rows"),
    ({"ok": True, "success": True, "status": "ok", "partial": False}, ""),
    ({"status": 200, "timed_out": False, "warnings": []}, ""),
]


@pytest.mark.parametrize(("beside", "said"), SELF)
@pytest.mark.parametrize("wire", WIRES.values())
def test_what_a_reply_says_of_itself_is_read_on_either_wire(
    stand_in: StandIn, connect: Connect, wire: Profile, beside: Row, said: str
) -> None:
    rows = [company(1)] if wire is INTERFACE else [firm(1)]
    stand_in.data = answers(Case(ALL, rows, page=beside))
    companies = Service(connect(wire)).companies
    if said.startswith("says"):
        with pytest.raises(UnreadableReply, match=said):
            companies.fetch()
        return
    result, messages = fetched(companies)
    assert [said in message for message in messages] == [True] * bool(said)
    assert result.certificate.verdict == ("short" if said else "complete")
