"""What a service answers and what comes of it: a named error, a verdict below complete,
a doubt.

One table of replies. A doubt is warned of and is a caveat of the result; where
nothing is wrong, nothing is said. The same for every way to ask: filters, sorts,
ids, currencies, owners in the path.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from tests.client.rows import Row
from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    StandIn,
    collection,
    company,
    full,
    uuid,
)
from ventureframe.client.query import Query
from ventureframe.client.result import Result, withholding
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface.fields import (
    FOUNDERS,
    FUNDS,
    JOBS,
    NEWS,
)
from ventureframe.interface.filters import parse

IGNORED = "as if the service ignored the filter"
SHOWN: Row = {"launch_date": 1990, "company_status": "closed", "is_startup": False}
SHOWN |= {"total_funding": 4_000_000.0, "signal_rating": 30.0}
TAGS = [{"id": number, "name": f"T{number}", "type": "sector"} for number in (7, 8)]


class Case(NamedTuple):
    """Rows, and what a fetch of them ends in.

    `asked` is a filter of companies as text, a sort of theirs after "sort ", or a
    query. `outcome` is part of an error or of a doubt, a verdict, or None where
    nothing is wrong.
    """

    asked: str | Callable[[Service], Query]
    rows: Sequence[Row]
    outcome: str | None
    page: Row | None = None
    is_error: bool = False


def refused(
    asked: Any, rows: Row | Sequence[Row], message: str, page: Row | None = None
) -> Case:
    listed = [rows] if isinstance(rows, dict) else rows
    return Case(asked, listed, message, page, is_error=True)


def taken(asked: Any, rows: Row | Sequence[Row]) -> Case:
    return Case(asked, [rows] if isinstance(rows, dict) else rows, None)


def doubted(
    asked: Any, rows: Row | Sequence[Row], doubt: str, page: Row | None = None
) -> Case:
    return Case(asked, [rows] if isinstance(rows, dict) else rows, doubt, page)


def companies(name: str, *values: object) -> list[Row]:
    return [company(number, **{name: value}) for number, value in enumerate(values)]


def fund(**keys: object) -> Row:
    return full(FUNDS, **{"id": 1, "name": "I", **keys})


def lacking(row: Row, *names: str) -> Row:
    return {name: row[name] for name in row if name not in names}


def out_of(sort: str) -> str:
    return (
        f"Rows of companies are not in the order asked for (sort {sort}), as if the"
        " service"
    )


REFUTED = (
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
UNDECIDED = (
    "launch_date[lte]:1990",
    "company_status[eq]:Closed",
    "total_funding[gte]:4000000.4",
    "hq_location[eq]:7",
    "founder_university_name[eq]:Example University",
    "or(launch_date[gte]:1995,signal_team[gte]:90)",
    f"id[in_any]:{uuid(1)}|{uuid(2)}",
)
LINKS: list[tuple[Callable[[Service], Query], Row, str]] = [
    (lambda svc: svc.funds, fund(), "manager"),
    (lambda svc: svc.jobs, full(JOBS, id=1), "entity_id"),
    (lambda svc: svc.founders, full(FOUNDERS, uuid=uuid(1)), "education"),
]
ARTICLE: Row = full(NEWS, id=1, entity_id=uuid(1))
OWNERS: dict[str, tuple[Callable[[Service], Query], Row]] = {
    "manager": (
        lambda svc: svc.funds_of_each([uuid(5)]),
        fund(manager={"uuid": uuid(6), "name": "O"}),
    ),
}
ALL: Callable[[Service], Query] = lambda svc: svc.companies  # noqa: E731
CASES: dict[str, Case] = {
    # a filter
    **{
        f"refuted {text}": refused(text, company(1, **SHOWN), IGNORED)
        for text in REFUTED
    },
    **{f"undecided {text}": taken(text, company(1, **SHOWN)) for text in UNDECIDED},
    "null": taken("launch_date[gte]:1995", company(1, launch_date=None)),
    "one of two null": taken(
        "or(launch_date[gte]:1995,company_status[eq]:operational)",
        company(1, launch_date=None),
    ),
    "one of many": refused(
        "launch_date[gte]:1995",
        companies("launch_date", *[2001] * 17, 1990, *[2001] * 20),
        f"has company {uuid(17)} with launch_date 1990 where launch_date[gte]:1995 was"
        " asked for",
    ),
    "native amount": taken(
        lambda svc: svc.funds.where(parse("and(amount[gte]:10,year[gte]:2012)")),
        fund(fund_date="2012-03-01", amount=5.0),
    ),
    "year of a fund": refused(
        lambda svc: svc.funds.where(parse("year[gte]:2013")),
        fund(fund_date="2012-03-01"),
        "fund 1 with year 2012 where year[gte]:2013",
    ),
    "second company of an article": taken(
        lambda svc: svc.news.where(parse(f"entity_id[eq]:{uuid(2)}")),
        full(NEWS, id=1, entity_id=uuid(1), entity_ids=[uuid(1), uuid(2)]),
    ),
    "ids of others": refused(
        lambda svc: svc.founders.by_id([uuid(1)]),
        full(FOUNDERS, uuid=uuid(7)),
        f"founders of {uuid(7)}, which was not asked for, as if the service ignored the"
        " ids",
    ),
    "jobs of others": refused(
        lambda svc: svc.jobs.at([uuid(1)]),
        [full(JOBS, id=n, entity_id=uuid(n)) for n in (1, 7)],
        f"jobs of {uuid(7)}, which was not asked for",
    ),
    "company of a job": refused(
        lambda svc: svc.jobs.where(parse(f"entity_id[eq]:{uuid(2)}")),
        full(JOBS, id=1, entity_id=uuid(1)),
        f"job 1 with entity_id {uuid(1)}",
    ),
    **{
        f"tags {text}": refused(
            text, company(1, tags=TAGS), "with tag_id [7, 8] where tag_id"
        )
        for text in ("tag_id[eq]:9", "tag_id[in_all]:7|9", "tag_id[in_any]:9|10")
    },
    "all tags": taken("tag_id[in_all]:7|8", company(1, tags=TAGS)),
    "not all tags": taken("tag_id[nin_all]:7|9", company(1, tags=TAGS)),
    "tags not said": taken("tag_id[eq]:7", company(1, tags=None)),
    "no tags": taken("tag_id[eq]:7", company(1, tags=[])),
    "founders": taken("has_founder[eq]:false", company(1, founders=[uuid(4)])),
    # ids, in the path and in the filter
    **{
        f"another {name}": refused(ask, row, f"of {uuid(6)}, which was not asked for")
        for name, (ask, row) in OWNERS.items()
    },
    "own manager": taken(
        lambda svc: svc.funds_of_each([uuid(0xA5)]),
        fund(manager={"uuid": uuid(0xA5).upper(), "name": "O"}),
    ),
    # the key that links records to others
    **{f"null {link}": taken(ask, row) for ask, row, link in LINKS},
    **{
        f"no {link}": refused(ask, lacking(row, link), f"has {link}")
        for ask, row, link in LINKS
    },
    "no company": refused(
        lambda svc: svc.news,
        lacking(ARTICLE, "entity_id", "entity_ids"),
        "No row of news has entity_id or entity_ids",
    ),
    # a sort: numbers, nulls, texts that collations order in different ways, several
    # fields
    **{
        f"in order {number}": taken(
            f"sort {sort}", companies(sort.strip("-").split(",")[0], *values)
        )
        for number, (sort, values) in enumerate(
            [
                ("launch_date", (1999, 2001, 2001, 2005)),
                ("launch_date", (None, 1999, None, 2001)),
                ("-total_funding", (9.5, 9.5, 3.0, None)),
                ("name", ("Beta", "alpha", "gamma")),
                ("name", ("Data base", "Databank", "Data centre")),
                ("name", ("Zebra", "Ärmel", "Österreich")),
                ("launch_date,team_size", (2001, 2001)),
            ]
        )
    },
    **{
        f"out of order {number}": doubted(
            f"sort {sort}",
            companies(sort.strip("-").split(",")[0], *values),
            out_of(sort),
        )
        for number, (sort, values) in enumerate(
            [
                ("launch_date", (1999, None, 2001, 2005, 2003)),
                ("-launch_date,name", (1999, 2005)),
                ("-total_funding", (3.0, 9.5)),
                ("-name", ("Alpha", "Beta")),
            ]
        )
    },
    # a currency
    "no currency": doubted(
        ALL,
        company(1, **SHOWN),
        "does not say in which currency the amounts of comp",
        {"currency": None},
    ),
    "no amount": Case(ALL, [company(1)], None, {"currency": None}),
    "another currency": refused(
        ALL,
        company(1, **SHOWN),
        "amounts in 'EUR' where USD was asked for",
        {"currency": "EUR"},
    ),
    # numbers that no record has
    **{
        f"{name} {value}": refused(
            ALL, [company(1), company(2, **{name: value})], message
        )
        for name, value, message in (
            (
                "launch_date",
                1_600_000_000,
                "which is not of type integer from 1 to 9999",
            ),
            ("team_size", -1, "which is not of type integer from 0 to inf"),
            ("total_funding", -0.5, "has -0.5 in 'total_funding' of companies"),
        )
    },
    # what stands beside the rows
    "capped": Case(
        ALL,
        [company(1)],
        "says capped true beside its rows",
        {"page": {"capped": True}},
    ),
    "tier": doubted(
        ALL,
        company(1),
        "leaves out parts of its records.",
        {"page": {"tier": "free"}},
    ),
    "highest tier": Case(ALL, [company(1)], None, {"page": {"tier": "premium"}}),
    "locked": doubted(
        ALL, company(1), "its plan leaves out education.", {"locked": ["education"]}
    ),
    "locked without a name": doubted(
        ALL, company(1), "parts of its records.", {"locked": True}
    ),
}


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


def asked_of(service: Service, asked: str | Callable[[Service], Query]) -> Query:
    if not isinstance(asked, str):
        return asked(service)
    if asked.startswith("sort "):
        return service.companies.sort(asked.removeprefix("sort "))
    return service.companies.where(parse(asked))


def answers(case: Case, largest: int = 500) -> Answers:
    """A list of the rows in pages of so many, with what the case says beside them."""

    def answer(asked: Asked) -> Answer:
        limit = str(min(largest, int(asked.parameters["limit"])))
        inner = collection(case.rows)(
            Asked(
                "GET",
                asked.path,
                {**asked.parameters, "limit": limit, "filter": ""},
                {},
                b"",
            )
        )
        assert isinstance(inner.body, dict)
        more = {**(case.page or {})}
        about = {**inner.body["page"], **more.pop("page", {})}
        return Answer({**inner.body, "page": about, **more})

    return answer


@pytest.mark.parametrize(
    "theme", ["refuted", "undecided", "tags", "in order", "out of order", ""]
)
def test_what_comes_of_a_reply_is_what_the_table_says(
    stand_in: StandIn, service: Service, theme: str
) -> None:
    themes = ("refuted", "undecided", "tags ", "in order", "out of order")
    for name, case in CASES.items():
        if name.startswith(theme) if theme else not name.startswith(themes):
            for largest in (2, 500) if "order" in theme else (500,):
                stand_in.data = answers(case, largest)
                query = asked_of(service, case.asked)
                if case.is_error:
                    with pytest.raises(UnreadableReply) as caught:
                        query.fetch()
                    assert (case.outcome or "") in str(caught.value), name
                    continue
                result, messages = fetched(query)
                assert len(result) >= len(case.rows), name
                if case.outcome is None:
                    assert (messages, result.is_complete) == ([], True), name
                else:
                    assert [case.outcome in message for message in messages] == [
                        True
                    ], name
                assert result.is_complete is (name != "capped"), name


@pytest.mark.parametrize(("applied", "verdict"), [(1, "complete"), (500, "short")])
def test_a_page_size_that_was_reduced_leaves_nothing_out(
    stand_in: StandIn, service: Service, applied: int, verdict: str
) -> None:
    case = Case(ALL, [company(1), company(2)], None, {"page": {"capped": True}})
    stand_in.data = answers(case, applied)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvidenceWarning)
        result = service.companies.fetch()
    assert (len(result), result.certificate.verdict) == (2, verdict)


def test_an_owner_is_asked_by_its_uuid_in_lower_case_however_it_is_given(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection([])
    given = uuid(0xABC).upper().replace("-", "")
    service.managers_of(given).fetch()
    service.jobs.where(parse(f"entity_id[in_any]:{given}")).fetch()
    managers, jobs = stand_in.data_asked
    assert managers.path == f"/data/investors/{uuid(0xABC)}/lp-funds"
    assert jobs.parameters["filter"] == f"entity_id[in_any]:{uuid(0xABC)}"


def test_rows_of_a_list_that_is_left_out_are_withheld_and_not_empty(
    stand_in: StandIn, service: Service
) -> None:
    rows = [company(1), company(2)]
    for row in rows:
        del row["founders"]
    stand_in.data = collection(rows)
    with pytest.warns(EvidenceWarning, match="Rows of companies leave out founders"):
        result = service.companies.fetch()
    assert withholding(result, "founders") == (uuid(1), uuid(2))
    assert [caveat for caveat in result.caveats if "founders" in caveat] == [
        "Rows leave out founders: that is null there, and does not say that nothing is"
        " recorded."
    ]


@pytest.mark.parametrize("education", [None, []])
@pytest.mark.parametrize(
    "locked", ["education", {"field": "education", "reason": "plan"}]
)
def test_what_a_reply_locks_as_a_whole_is_withheld_where_a_row_has_none(
    stand_in: StandIn, service: Service, education: object, locked: object
) -> None:
    row = full(FOUNDERS, uuid=uuid(1), education=education)
    stand_in.data = lambda _: Answer(
        {"data": [row], "page": {"total": 1}, "locked": [locked]}
    )
    with pytest.warns(EvidenceWarning, match=r"leaves out education( \(plan\))?\.$"):
        result = service.founders.fetch()
    assert withholding(result, "education") == (uuid(1),)
