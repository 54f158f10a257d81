"""Lists that today's wire cuts short in a row, read to their end where that is
wanted.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.client.rows import Row
from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    Connect,
    StandIn,
    collection,
    uuid,
)
from tests.client.test_generation import firm, refusal, today
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.errors import (
    EvidenceWarning,
    RequestRejected,
    UnknownField,
    UnreadableReply,
)
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE

Entries = Mapping[str, Sequence[Row]]


def member(number: int, *, is_past: bool = False) -> Row:
    """A founder as a company's team shows one."""
    found = today("team", is_past=is_past)
    return {**found, "person": {**found["person"], "uuid": uuid(number)}}


def held(number: int, *founders: int, total: int | None = None) -> Row:
    """A company whose row shows these founders, of so many."""
    row = firm(number)
    (entry,) = row["founders"]["items"]
    items = [
        {**entry, "person": {**entry["person"], "uuid": uuid(each)}}
        for each in founders
    ]
    row["founders"] = {"total": total or len(items), "sort": "x", "items": items}
    return row


def sent(asked: Asked, **parameters: str) -> Asked:
    """The request with other parameters."""
    return replace(asked, parameters={**asked.parameters, **parameters})


def serving(
    rows: Sequence[Row], entries: Entries, *, most: int = 500, **page: object
) -> Answers:
    """A service of rows, and of entries by the record in the path, at most so many
    at a time.
    """

    def answer(asked: Asked) -> Answer:
        parts = asked.path.split("/")
        if len(parts) == 3:
            return collection(rows)(asked)
        if parts[3] not in entries:
            return refusal("NOT_FOUND", 404)
        limit = str(min(most, int(asked.parameters["limit"])))
        return collection(entries[parts[3]], **page)(sent(asked, limit=limit))

    return answer


def refusing(status: int, rows: Sequence[Row]) -> Answers:
    """A service of rows that refuses the lists below them."""
    return lambda asked: (
        refusal("X", status) if asked.path.count("/") > 2 else collection(rows)(asked)
    )


@pytest.fixture
def service(connect: Connect) -> Service:
    return Service(connect(WIRE_2026_10_02))


TEAMS: Entries = {
    uuid(1): [member(0x11), member(0x12, is_past=True)],
    uuid(2): [member(number) for number in range(0x21, 0x29)],
    uuid(3): [],
}
COMPANIES = [held(1, 0x11), held(2, *range(0x21, 0x26), total=8), held(3)]
ALL = [["11", "12"], [f"{each:02x}" for each in range(0x21, 0x29)], []]


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize(
    ("page", "requests"), [({}, 3), ({"most": 3}, 5), ({"most": 3, "total": None}, 7)]
)
def test_all_founders_are_those_of_the_team_former_ones_and_those_after_the_fifth(
    stand_in: StandIn, service: Service, page: Any, requests: int, workers: int
) -> None:
    stand_in.data = serving(COMPANIES, TEAMS, **page)
    result = service.companies.with_all("founders").fetch(workers=workers)
    assert founders_of(result) == ALL
    teams = [each for each in stand_in.data_asked if each.path.endswith("/team")]
    assert len(teams) == requests
    assert {each.parameters["role"] for each in teams} == {"founder"}
    assert {each.parameters["limit"] for each in teams} == {"500"}
    assert not any("cursor" in each.parameters for each in teams)


def test_rows_alone_say_how_many_founders_they_do_not_show(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = serving(COMPANIES, TEAMS)
    result = service.companies.fetch()
    assert len(stand_in.data_asked) == 1
    assert result.details.partial == (("founders", 1),)
    only = "Companies are shown with their current founders only"
    assert (
        f"{only}; 1 of 3 companies have more of them than are shown." in result.caveats
    )
    whole = service.companies.with_all("founders").fetch()
    assert whole.details.partial == ()
    assert not any("current founders" in said for said in whole.caveats)
    assert whole.certificate.pages == 1 + 3
    assert whole.is_complete


def test_a_wire_that_cuts_nothing_short_is_asked_nothing_more(
    stand_in: StandIn, connect: Connect
) -> None:
    companies = Service(connect(INTERFACE)).companies
    assert companies.with_all("founders") == companies
    with pytest.raises(UnknownField, match="no field 'name' to complete"):
        companies.with_all("name")
    assert stand_in.asked == []


@pytest.mark.parametrize(
    ("said", "teams", "alone", "whole"),
    [
        ("available", TEAMS, {}, {}),
        ("locked", dict.fromkeys(TEAMS, ()), {"founders": 3}, {}),
        ("available", None, {}, {"founders": 3}),
        ("locked", None, {"founders": 3}, {"founders": 3}),
        ("", None, {}, {"founders": 3}),
    ],
)
def test_an_empty_list_is_withheld_once_a_record_unless_it_was_read_to_its_end(
    stand_in: StandIn,
    service: Service,
    *,
    said: str,
    teams: Entries | None,
    alone: dict[str, int],
    whole: dict[str, int],
) -> None:
    rows = [held(number) | {"available": [], "locked": []} for number in (1, 2, 3)]
    how = (
        [{"field": "founders", "reason": "PLAN"}] if said == "locked" else ["founders"]
    )
    rows = [row | ({said: how} if said else {}) for row in rows]
    stand_in.data = refusing(403, rows) if teams is None else serving(rows, teams)
    assert service.companies.fetch().withheld == alone
    result = service.companies.with_all("founders").fetch()
    assert result.withheld == whole
    assert " ".join(result.caveats).count(
        "withholds founders (companies: 3 of 3"
    ) == len(whole)
    assert len(stand_in.data_asked) == 5
    shown = founders_of(result)
    assert shown == (ALL if teams is TEAMS else [[], [], []])


@pytest.mark.parametrize(("refused", "asked"), [(1, 12), (4, 12), (12, 5)])
def test_a_list_that_is_refused_is_withheld_alone_unless_the_first_ones_all_are(
    stand_in: StandIn, service: Service, refused: int, asked: int
) -> None:
    studies = [studied(1, number) for number in range(1, 8)]
    people = range(1, 13)
    rows = [person(number, education=studies) for number in people]
    lists = serving(rows, {uuid(number): studies for number in people})

    def answer(each: Asked) -> Answer:
        is_refused = any(uuid(number) in each.path for number in people[:refused])
        return refusal("X", 403) if is_refused else lists(each)

    stand_in.data = answer
    result = service.founders.fetch(workers=1)
    assert result.withheld == {"education": refused}
    assert len(stand_in.data_asked) == 1 + asked
    assert result.is_complete


@pytest.mark.parametrize("count", [6, 7, 8])
def test_a_row_that_counts_other_entries_than_the_list_has_is_doubted(
    stand_in: StandIn, service: Service, count: int
) -> None:
    studies = [studied(1, number) for number in range(1, 8)]
    rows = [person(1, education=studies), person(2, education=studies[:2])]
    rows[0]["education"]["total"] = count
    stand_in.data = serving(rows, {uuid(1): studies})
    said = "For 1 of 2 founders the row counts or shows other entries of education than"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = service.founders.fetch()
    assert [said in str(each.message) for each in caught] == [True] * (count != 7)
    assert result.to_polars("education")["founder_uuid"].to_list().count(uuid(1)) == 7


def test_a_list_of_another_record_is_doubted_where_the_row_shows_other_entries(
    stand_in: StandIn, service: Service
) -> None:
    rows = [held(1, 0x11), held(2, 0x22), held(3)]
    teams = {uuid(1): [member(0x11)], uuid(2): [member(0x11)], uuid(3): []}
    stand_in.data = serving(rows, teams)
    said = "For 1 of 3 companies the row counts or shows other entries of founders"
    with pytest.warns(EvidenceWarning, match=said):
        result = service.companies.with_all("founders").fetch()
    assert founders_of(result) == [["11"], ["11"], []]
    assert any(said in caveat for caveat in result.caveats)


def test_a_list_that_ends_too_early_stays_withheld(
    stand_in: StandIn, service: Service
) -> None:
    rows = [held(1) | {"locked": ["founders"]}]
    stand_in.data = serving(rows, {uuid(1): []}, total=4)
    assert service.companies.with_all("founders").fetch().withheld == {"founders": 1}


@pytest.mark.parametrize("said", [True, None, False])
def test_who_is_no_founder_stays_none_where_the_service_ignores_the_role(
    stand_in: StandIn, service: Service, *, said: bool | None
) -> None:
    engineers = [member(number) | {"is_founder": said} for number in (0x13, 0x14)]
    teams = {uuid: [*team, *engineers] for uuid, team in TEAMS.items()}
    stand_in.data = serving(COMPANIES, teams)
    extra = [] if said is False else ["13", "14"]
    result = service.companies.with_all("founders").fetch()
    shown = founders_of(result)
    assert shown == [[*team, *extra] for team in ALL]
    assert result.is_complete


def test_a_company_that_is_gone_leaves_the_result_short(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = serving(COMPANIES, {uuid(2): TEAMS[uuid(2)], uuid(3): []})
    result = service.companies.with_all("founders").fetch()
    assert result.certificate.verdict == "short"
    assert result.withheld == {}
    assert result.to_polars()["founders"].list.len().to_list() == [1, 8, 0]


def test_a_list_whose_pages_are_repeated_is_short(
    stand_in: StandIn, service: Service
) -> None:
    def answer(asked: Asked) -> Answer:
        return serving(COMPANIES, TEAMS, most=3)(sent(asked, offset="0"))

    stand_in.data = answer
    result = service.companies.with_all("founders").fetch()
    assert result.certificate.verdict == "short"


def test_two_pages_of_equal_entries_are_no_repetition(
    stand_in: StandIn, service: Service
) -> None:
    studies = [studied(1, 7)] * 6
    stand_in.data = serving([person(1, education=studies)], {uuid(1): studies}, most=3)
    result = service.founders.fetch()
    assert result.to_polars("education").height == 6
    assert result.certificate.verdict == "complete"


def test_the_role_of_a_place_is_read_in_any_case(
    stand_in: StandIn, service: Service
) -> None:
    row = firm(1)
    row["locations"][0]["role"] = "HQ"
    stand_in.data = collection([row])
    assert service.companies.fetch().to_polars()["hq_city"].item() is not None


@pytest.mark.parametrize(
    ("roles", "is_doubted"),
    [
        (("headquarters",), True),
        (("office", "main"), True),
        (("hq_v2", "founding"), True),
        (("office",), False),
        (("founding", "Office"), False),
        (("hq", "registered_office"), False),
        ((), False),
    ],
)
def test_a_place_under_an_unknown_role_is_doubted_where_none_is_the_headquarters(
    stand_in: StandIn, service: Service, roles: Sequence[str], is_doubted: bool
) -> None:
    row = firm(1)
    (place,) = row["locations"]
    row["locations"] = [{**place, "role": role} for role in roles]
    stand_in.data = collection([firm(2), row])
    places = ("hq_city", "hq_continent", "hq_country")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        result = service.companies.fetch()
    assert result.details.absent_fields == (places if is_doubted else ())
    assert [str(warning.message) for warning in warned] == [
        "Rows of companies leave out hq_city, hq_continent, hq_country, wholly or in"
        " part: what is missing may still be recorded"
    ] * is_doubted
    cities = result.to_polars()["hq_city"].is_null().to_list()
    assert cities == [False, "hq" not in roles]


@pytest.mark.parametrize("count", [19, 20])
def test_a_role_that_no_place_of_many_companies_has_is_doubted(
    stand_in: StandIn, service: Service, count: int
) -> None:
    rows = [firm(number) for number in range(count)]
    for row in rows:
        row["locations"][0]["role"] = "office"
    stand_in.data = collection([*rows, {**firm(count), "locations": []}])
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        result = service.companies.fetch()
    assert ("hq_city" in result.details.absent_fields) == (count == 20)
    assert len(warned) == (count == 20)
    rows[3]["locations"][0]["role"] = "hq"
    assert service.companies.fetch().details.absent_fields == ()


def test_another_refusal_is_an_error(stand_in: StandIn, service: Service) -> None:
    stand_in.data = refusing(422, COMPANIES)
    with pytest.raises(RequestRejected):
        service.companies.with_all("founders").fetch()


def founders_of(result: Result) -> list[list[str]]:
    return [[each[-2:] for each in row] for row in result.to_polars()["founders"]]


# --- education and career


def studied(number: int, university: int, **keys: Any) -> Row:
    entry = today("education", **keys)
    return {**entry, "university": {**entry["university"], "uuid": uuid(university)}}


def worked(company: int, *, is_past: bool) -> Row:
    entry = today("career", is_past=is_past)
    return {**entry, "company": {**entry["company"], "uuid": uuid(company)}}


def person(number: int, *, education: Sequence[Row], career: Sequence[Row] = ()) -> Row:
    """A founder whose row shows five entries of each list at most."""
    row = today("founders", uuid=uuid(number))
    for name, entries in (("education", education), ("career", career)):
        row[name] = {"total": len(entries), "sort": "x", "items": entries[:5]}
    return row


def test_a_link_behind_the_fifth_entry_of_education_is_a_link(
    stand_in: StandIn, service: Service
) -> None:
    studies = [studied(1, number) for number in range(1, 8)]
    rows = [person(1, education=studies), person(2, education=studies[:5])]
    stand_in.data = serving(rows, {uuid(1): studies}, most=4)
    result = service.founders.fetch()
    entries = result.to_polars("education")["founder_uuid"].to_list()
    assert [entries.count(uuid(1)), entries.count(uuid(2))] == [7, 5]
    assert uuid(7) in result.to_polars("education")["university_uuid"].to_list()
    assert [each.path for each in stand_in.data_asked][1:] == [
        f"/data/people/{uuid(1)}/education"
    ] * 2
    assert result.details.partial == ()
    assert result.caveats == ()


def test_a_career_read_apart_keeps_past_and_present_apart(
    stand_in: StandIn, service: Service
) -> None:
    posts = [worked(number, is_past=number % 2 == 0) for number in range(1, 9)]
    stand_in.data = serving([person(1, education=[], career=posts)], {uuid(1): posts})
    assert service.founders.fetch().details.partial == (("prior_employers", 1),)
    assert len(stand_in.data_asked) == 1, "a career is read where it is asked for"
    stand_in.asked.clear()
    result = service.founders.with_all("prior_employers").fetch()
    employers = result.to_polars("prior_employers")["company_uuid"].to_list()
    assert employers == [uuid(number) for number in (2, 4, 6, 8)]
    assert len(stand_in.data_asked) == 2


def test_an_education_that_may_not_be_read_to_its_end_is_withheld(
    stand_in: StandIn, service: Service
) -> None:
    studies = [studied(1, number) for number in range(1, 8)]
    rows = [person(1, education=studies), person(2, education=[])]
    stand_in.data = refusing(403, rows)
    result = service.founders.fetch()
    assert result.withheld == {"education": 1}
    assert result.details.partial == (("education", 1),)
    assert any(
        "withholds education (founders: 1 of 2)" in said for said in result.caveats
    )
    assert (
        "Of 1 of 2 founders only the first entries of education are shown."
        in result.caveats
    )


# --- numbers


def test_a_year_in_other_digits_is_an_error_and_never_unknown(
    stand_in: StandIn, service: Service
) -> None:
    stand_in.data = collection([firm(1) | {"launch_date": "\u0661\u0669\u0669\u0668"}])
    with pytest.raises(UnreadableReply, match=r"'launch_date' .*not of type partial"):
        service.companies.fetch()
