"""Which generation of the wire is spoken: found out, pinned, refused, superseded,
and said.
"""

import dataclasses
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.client.rows import Row, kind_of, proper
from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    Connect,
    StandIn,
    collection,
    company,
    full,
    live,
    uuid,
    with_records,
)
from ventureframe.client.result import Result, load
from ventureframe.client.service import Service
from ventureframe.connect import connect as vf_connect
from ventureframe.errors import (
    ConfigurationError,
    CreditsExhausted,
    EvidenceWarning,
    FetchEnded,
    RequestRejected,
    ServiceError,
    TokenRejected,
    UnsupportedValue,
    WireWarning,
)
from ventureframe.interface.fields import FOUNDERS, JOBS, NEWS
from ventureframe.interface.filters import company as where
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Profile

TODAY = "2026-10-02"
FILTERS = "/reference/filters"


def today(endpoint: str, **keys: Any) -> Row:
    """A row of today's wire with something in every key."""
    return {**proper(kind_of(endpoint, TODAY).read), **keys}


def firm(number: int, **keys: Any) -> Row:
    """A company of today's wire."""
    return today("companies", uuid=uuid(number), **keys)


def refusal(code: str, status: int, **details: str) -> Answer:
    return Answer(
        {"error": {"code": code, "message": "no", "details": details}}, status
    )


def knowing(*keys: str, rows: Answers = lambda _: Answer({"data": []})) -> Answers:
    """A service that names these filters of companies."""

    def answer(asked: Asked) -> Answer:
        if asked.path == FILTERS:
            return Answer({"data": [{"filter_key": key, "label": key} for key in keys]})
        return rows(asked)

    return answer


def refusing(status: int, rows: Answers) -> Answers:
    """A service that does not tell its filters."""
    return lambda asked: refusal("X", status) if asked.path == FILTERS else rows(asked)


@pytest.fixture
def newer(connect: Connect) -> Service:
    """A client of today's wire."""
    return Service(connect(WIRE_2026_10_02))


FOUND: list[tuple[Answers, str, int]] = [
    (knowing("id", "taxonomy_id", "status"), TODAY, 1),
    (knowing("id", "tag_id"), "interface", 1),
    (knowing("id", rows=collection([firm(1)])), TODAY, 2),
    (knowing("id", rows=collection([company(1)])), "interface", 2),
    (refusing(403, collection([firm(1)])), TODAY, 2),
    (refusing(404, collection([company(1)])), "interface", 2),
]


@pytest.mark.parametrize(("answers", "wire", "requests"), FOUND)
def test_the_filters_tell_the_generation_and_else_the_first_row(
    stand_in: StandIn, answers: Answers, wire: str, requests: int
) -> None:
    stand_in.data = answers
    with vf_connect(environment=live(stand_in)) as service:
        assert repr(service) == f'live service · "127.0.0.1" · wire {wire}'
        asked = [each.path for each in stand_in.data_asked]
        assert asked == [FILTERS, "/data/companies"][:requests]
        assert stand_in.data_asked[0].parameters == {"scope": "companies"}
        service.companies.fetch()
    *before, pinned = [each.headers.get("api-version") for each in stand_in.data_asked]
    assert (before, pinned) == ([None] * requests, TODAY if wire == TODAY else None)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusal("UNAUTHORIZED", 401), TokenRejected),
        (refusal("CREDITS_EXHAUSTED", 402), CreditsExhausted),
        (refusal("FORBIDDEN", 403), RequestRejected),
    ],
)
def test_a_key_that_is_refused_is_an_error_and_no_generation(
    stand_in: StandIn, answer: Answer, error: type[Exception]
) -> None:
    stand_in.data = lambda _: answer
    with pytest.raises(error):
        vf_connect(environment=live(stand_in))


@pytest.mark.parametrize("wire", ["interface", TODAY])
def test_a_generation_that_is_named_is_not_asked_for(
    stand_in: StandIn, wire: str
) -> None:
    with vf_connect(environment=live(stand_in), wire=wire) as service:
        assert service.connection.profile.name == wire
    settings = {**live(stand_in), "VENTUREFRAME_WIRE": wire}
    with vf_connect(environment=settings) as service:
        assert service.connection.profile.name == wire
    assert stand_in.asked == []


def test_an_unknown_generation_is_refused_with_those_there_are(
    stand_in: StandIn,
) -> None:
    with pytest.raises(
        ConfigurationError, match=r"no wire '2019'.* interface and 2026-10-02"
    ):
        vf_connect(environment=live(stand_in), wire="2019")


# --- the pinned version


def unpinned(version: str, rows: Sequence[Row] = (firm(1),)) -> Answers:
    """A service that no longer answers as of a version, and names the one that it
    answers as.
    """

    def answer(asked: Asked) -> Answer:
        if "api-version" in asked.headers:
            words = {
                "code": "UNSUPPORTED_VERSION",
                "message": f"use {version}",
                "details": None,
            }
            return Answer({"error": words}, 400)
        found = collection(rows)(asked)
        return Answer(found.body, headers={"API-Version": version})

    return answer


def test_a_refused_version_is_asked_without_and_the_served_one_is_said_and_kept(
    stand_in: StandIn, newer: Service, tmp_path: Path
) -> None:
    stand_in.data = unpinned("2026-10-09")
    result = newer.companies.fetch()
    assert len(stand_in.data_asked) == 2
    assert repr(newer).endswith("· wire 2026-10-02 (served 2026-10-09)")
    assert (result.provenance.profile, result.provenance.served) == (
        TODAY,
        "2026-10-09",
    )
    newer.companies.fetch()
    assert len(stand_in.data_asked) == 3, "the refused version is not asked for again"
    back = load(result.save(tmp_path))
    assert back == result
    assert back.provenance.served == "2026-10-09"


def test_a_version_that_is_refused_to_several_requests_at_once_is_dropped_for_all(
    stand_in: StandIn, newer: Service
) -> None:
    stand_in.data = unpinned("2026-10-09", rows=[today("lp-funds")])
    result = newer.managers_of(uuid(number) for number in range(20)).fetch(workers=8)
    assert len(with_records(result)) == 20


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        (
            {"Sunset": "Sun, 08 Nov 2026 23:59:59 GMT", "Deprecation": "@1791504000"},
            "ends on Sun, 08 Nov 2026:",
        ),
        ({"Deprecation": "@1794182399"}, "is superseded: update"),
    ],
)
def test_the_end_of_a_version_is_warned_of_once_with_its_day(
    stand_in: StandIn, newer: Service, headers: Mapping[str, str], said: str
) -> None:
    served = {"API-Version": TODAY, **headers}
    stand_in.data = lambda asked: Answer(
        collection([firm(1)])(asked).body, headers=served
    )
    with pytest.warns(
        WireWarning, match=f"Version 2026-10-02 of the service's wire {said}"
    ):
        newer.companies.fetch()
    newer.companies.fetch()


# --- credits


def charged(rows: list[Row], *, until: int) -> Answers:
    """A service that takes 2.5 credits for a page, and has so many pages left."""
    left = [until]

    def answer(asked: Asked) -> Answer:
        left[0] -= 1
        if left[0] < 0:
            return refusal("CREDITS_EXHAUSTED", 402)
        return Answer(collection(rows)(asked).body, headers={"X-Credits-Used": "2.5"})

    return answer


def ended(service: Service, ask: Callable[[Service], Result]) -> Result:
    with pytest.warns(
        EvidenceWarning, match=r"was ended early \(.*402 CREDITS_EXHAUSTED"
    ):
        result = ask(service)
    assert result.certificate.verdict == "short"
    assert result.certificate.is_cancelled
    assert any("Not every record was read" in said for said in result.caveats)
    return result


@pytest.mark.parametrize("workers", [1, 3])
def test_a_fetch_whose_credits_end_keeps_the_rows_it_has(
    stand_in: StandIn, service: Service, workers: int
) -> None:
    stand_in.data = charged([company(number) for number in range(4000)], until=3)
    result = ended(service, lambda svc: svc.companies.fetch(workers=workers))
    counts = [500 + more * 499 for more in range(3)]
    assert len(result) in (counts[2:] if workers == 1 else counts), (
        "pages before one refused"
    )


@pytest.mark.parametrize("workers", [1, 3])
def test_ids_that_were_asked_before_the_credits_ended_are_kept(
    stand_in: StandIn, service: Service, workers: int
) -> None:
    ids = [uuid(number) for number in range(140)]
    stand_in.data = charged([company(number) for number in range(140)], until=2)
    result = ended(service, lambda svc: svc.companies.by_id(ids).fetch(workers=workers))
    assert len(result) in (100, 90), "two batches, one of them perhaps the last"
    if workers == 1:
        assert result.to_polars()["uuid"].to_list() == ids[:100]


def test_credits_that_end_are_named_although_a_page_was_sent_again(
    stand_in: StandIn, service: Service
) -> None:
    pages = collection([company(number) for number in range(4000)])
    is_refused = threading.Event()

    def answer(asked: Asked) -> Answer:
        offset = int(asked.parameters["offset"])
        if offset > 600:
            is_refused.set()
            return refusal("CREDITS_EXHAUSTED", 402)
        if offset:  # the first page once more
            assert is_refused.wait(10)
            asked = dataclasses.replace(
                asked, parameters={**asked.parameters, "offset": "0"}
            )
        return pages(asked)

    stand_in.data = answer
    result = ended(service, lambda svc: svc.companies.fetch(workers=3))
    assert len(result) == 500
    assert " · short: Not every record was read · " in result.line


def test_no_credits_at_all_are_an_error(stand_in: StandIn, service: Service) -> None:
    stand_in.data = charged([], until=0)
    with pytest.raises(CreditsExhausted):
        service.companies.fetch()


# --- what a request says on today's wire


def test_a_limit_is_always_asked_for_and_full_rows(
    stand_in: StandIn, newer: Service
) -> None:
    stand_in.data = collection([firm(number) for number in range(60)])
    result = newer.companies.by_id(uuid(number) for number in range(60)).fetch()
    assert len(result) == 60, (
        "the service would give 25 rows where no limit is asked for"
    )
    assert [each.parameters["limit"] for each in stand_in.data_asked] == ["50", "10"]
    assert {each.parameters["view"] for each in stand_in.data_asked} == {"full"}


def test_filters_and_sorts_are_asked_in_the_words_of_the_wire(
    stand_in: StandIn, newer: Service
) -> None:
    stand_in.data = collection([])
    companies = newer.companies
    asked = companies.where(
        where.tag_id == 7,
        where.company_status == "operational",
        where.is_startup == True,  # noqa: E712
    )
    result = asked.sort("-team_size").fetch()
    (sent,) = stand_in.data_asked
    assert (
        sent.parameters["filter"]
        == "and(taxonomy_id[eq]:7,status[eq]:operational,classification[in_any]:startup)"
    )
    assert sent.parameters["sort"] == "-employees_count"
    assert result.provenance.filter == str(asked.listing.filter)
    assert not any("marks each startup" in said for said in result.caveats)


def test_a_flag_that_is_false_is_asked_as_a_label_that_is_missing_and_says_so(
    stand_in: StandIn, newer: Service
) -> None:
    stand_in.data = collection([firm(1, classifications=[])])
    result = newer.companies.where(where.is_startup == False).fetch()  # noqa: E712
    assert (
        stand_in.data_asked[0].parameters["filter"] == "classification[nin_any]:startup"
    )
    assert result.to_polars()["is_startup"].to_list() == [None]
    said = (
        "The service marks each startup and says nothing of other companies: one that"
        " is not "
    )
    assert any(caveat.startswith(said) for caveat in result.caveats)


def test_a_filter_that_has_another_name_now_is_named_with_both(
    stand_in: StandIn, service: Service
) -> None:
    details = {"filter": "tag_id", "replaced_by": "taxonomy_id"}
    stand_in.data = lambda _: refusal("UNKNOWN_FILTER", 400, **details)
    with pytest.raises(
        RequestRejected,
        match=r'"tag_id", "replaced_by": "taxonomy_id".*Another version',
    ) as caught:
        service.companies.where(where.tag_id == 7).fetch()
    assert caught.value.details == details
    assert [each.parameters["filter"] for each in stand_in.data_asked] == [
        "tag_id[eq]:7"
    ]


def universities(*names: str) -> Answers:
    rows = [
        today("search", uuid=uuid(50 + at), type="university", name=name)
        for at, name in enumerate(names)
    ]
    return lambda asked: (
        Answer({"data": rows})
        if asked.path == "/data/search"
        else collection([firm(1)])(asked)
    )


def test_a_university_is_asked_by_identifier_where_the_service_does_not_know_its_name(
    stand_in: StandIn, connect: Connect
) -> None:
    both = f"founder__university.id[in_any]:{uuid(50)}|{uuid(52)}"
    by_name = "founder_university_name[eq]:Oak"
    by_id = "Found by the identifier of every university named Oak, not by its name."
    for keys, expected in (((), both), (("founder_university_name",), by_name)):
        names = universities("OAK", "Oak College", "oak")
        stand_in.data = knowing("taxonomy_id", *keys, rows=names)
        pool = Service(connect(WIRE_2026_10_02)).companies
        result = pool.where(where.founder_university_name == "Oak").fetch()
        assert stand_in.data_asked[-1].parameters["filter"] == expected
        assert result.provenance.filter == by_name
        assert (by_id in result.caveats) is (expected == both)
    stand_in.data = knowing("taxonomy_id", rows=universities("Oak College"))
    pool = Service(connect(WIRE_2026_10_02)).companies
    with pytest.raises(UnsupportedValue, match="no university has the name"):
        pool.where(where.founder_university_name == "Oak").fetch()
    assert stand_in.data_asked[-1].path == "/data/search"


OLD = {
    "companies": company(1),
    "founders": full(FOUNDERS, uuid=uuid(1)),
    "news": full(NEWS, id=1, entity_ids=[uuid(1)]),
    "jobs": full(JOBS, id=1, entity_id=uuid(1)),
}


@pytest.mark.parametrize("name", OLD)
@pytest.mark.parametrize(
    "profile", [INTERFACE, WIRE_2026_10_02], ids=lambda wire: wire.name
)
def test_rows_of_the_other_generation_are_said_to_be_and_those_read_before_are_kept(
    stand_in: StandIn, connect: Connect, name: str, profile: Profile
) -> None:
    key, both = "id" if name in ("news", "jobs") else "uuid", [OLD[name], today(name)]
    own, other = both if profile is INTERFACE else both[::-1]
    ids = [number if key == "id" else uuid(number) for number in range(2, 4000)]
    rows, others = ([{**row, key: each} for each in ids] for row in (own, other))
    stand_in.data = collection(others)
    with pytest.raises(FetchEnded, match=r"rows of another generation .*connect again"):
        getattr(Service(connect(profile)), name).fetch()
    query = getattr(Service(connect(profile)), name)
    stand_in.data = lambda asked: collection(
        rows if asked.parameters["offset"] == "0" else others
    )(asked)
    with pytest.warns(
        EvidenceWarning, match="ended early .*rows of another generation"
    ):
        part = query.fetch()
    assert len(part) == query.listing.paging.limit
    assert part.certificate.verdict == "short"


def test_a_list_that_takes_too_long_to_count_is_read_without_its_total(
    stand_in: StandIn, newer: Service
) -> None:
    rows = collection([proper(kind_of("funds", TODAY).read)])

    def answer(asked: Asked) -> Answer:
        return Answer({}, 504) if "include_total" in asked.parameters else rows(asked)

    stand_in.data = answer
    assert newer.funds.fetch().certificate.verdict == "total_not_reported"


GONE = "version 2026-10-02 is gone"


@pytest.mark.parametrize(
    ("status", "message", "said"),
    [
        (410, GONE, "This version of the wire has ended: update ventureframe."),
        (422, GONE, "Correct the request; repeating it unchanged"),
        (400, "no conversion", "Correct the request; repeating it unchanged"),
        (504, GONE, "narrow the question, or ask without the total."),
        (429, GONE, "It asks to wait (Retry-After: 3600)."),
    ],
)
def test_what_to_do_about_a_refusal_is_said(
    stand_in: StandIn, newer: Service, status: int, message: str, said: str
) -> None:
    wait = {"Retry-After": "3600"} if status == 429 else {}
    told = {"code": "X", "message": message}
    stand_in.data = lambda _: Answer({"error": told}, status, headers=wait)
    with pytest.raises(ServiceError, match=re.escape(said)):
        newer.companies.fetch()
    asked = [each.headers.get("api-version") for each in stand_in.data_asked]
    assert (None in asked) == (status in (410, 422)), "asked again without a version"
