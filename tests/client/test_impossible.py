"""What no record can be, and what a reply says against itself, is an error or a doubt."""

from __future__ import annotations

import functools
import json
import warnings

import pytest

from tests.client.stand_in import Answer, Asked, StandIn, collection, company, full, uuid
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnreadableReply
from ventureframe.interface.fields import FOUNDERS, FUNDING_ROUNDS, FUNDS
from ventureframe.interface.reply import Reply


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("launch_date", 1_600_000_000, "never above 9999"),
        ("launch_date", 0, "never below 1"),
        ("team_size", -1, "never below 0"),
        ("open_jobs_count", -2, "never below 0"),
        ("total_funding", -0.5, "never below 0"),
    ],
)
def test_a_number_that_a_field_cannot_hold_is_an_error(
    stand_in: StandIn, service: Service, field: str, value: float, said: str
) -> None:
    stand_in.data = collection([company(1), company(2, **{field: value})])
    with pytest.raises(UnreadableReply, match=f"{field}'?, which is {said}"):
        service.companies.fetch()


def test_a_number_in_a_list_is_held_to_its_limits_too(stand_in: StandIn, service: Service) -> None:
    study = dict.fromkeys(("university_uuid", "university_name", "degree", "major", "end_year"))
    row = full(FOUNDERS, uuid=uuid(1), education=[{**study, "start_year": 20_010}])
    stand_in.data = collection([row])
    with pytest.raises(UnreadableReply, match=r"20010 in 'education.start_year'"):
        service.founders.fetch()


@pytest.mark.parametrize("field", ["founders", "tags"])
def test_a_list_with_nothing_in_the_place_of_an_entry_is_an_error(
    stand_in: StandIn, service: Service, field: str
) -> None:
    stand_in.data = collection([company(1, **{field: [None]})])
    with pytest.raises(UnreadableReply, match=f"has None in '{field}'"):
        service.companies.fetch()


def test_a_count_that_is_missing_or_negative_is_an_error(
    stand_in: StandIn, service: Service
) -> None:
    for count in (None, -4):
        answer = Answer({"data": [{"hq_country": "Norland", "count": count}], "currency": "USD"})
        stand_in.data = functools.partial(lambda said, _: said, answer)
        with pytest.raises(
            UnreadableReply, match=r"a group without count|has -4 in .count., which is never"
        ):
            service.aggregate("companies", metric="count", group_by="hq_country")


@pytest.mark.parametrize("place", ["page", "row"])
def test_a_reply_that_says_one_thing_twice_is_an_error(
    stand_in: StandIn, service: Service, place: str
) -> None:
    body = json.dumps({"data": [company(1)], "page": {"total": 1}})
    twice = ', "page": {"total": 9}}' if place == "page" else "}"
    body = body[:-1] + twice
    if place == "row":
        body = body.replace('"tagline"', '"name": "Another", "tagline"')
    with pytest.raises(UnreadableReply, match="twice in one object"):
        Reply("/data/companies", body.encode(), {}).json()
    stand_in.data = lambda _: Answer(body.encode())
    with pytest.raises(UnreadableReply, match="twice in one object"):
        service.companies.fetch()


def doubts(result: Result) -> str:
    return " ".join(result.caveats)


def test_a_fund_of_several_managers_and_a_round_of_several_companies_are_doubtful(
    stand_in: StandIn, service: Service
) -> None:
    for resource, asked in (
        (FUNDS, service.funds_of_each([uuid(7), uuid(8)])),
        (FUNDING_ROUNDS, service.rounds_of([uuid(7), uuid(8)])),
    ):
        row = full(resource, id=1)
        row.pop("manager", None)
        stand_in.data = collection([row])
        with pytest.warns(EvidenceWarning, match="ignored the id in the path"):
            found = asked.fetch()
        assert "lists of several records" in doubts(found)


@pytest.mark.parametrize(("applied", "verdict"), [(1, "complete"), (500, "short")])
def test_a_page_size_that_was_reduced_leaves_nothing_out(
    stand_in: StandIn, service: Service, applied: int, verdict: str
) -> None:
    rows = [company(1), company(2)]

    def answer(asked: Asked) -> Answer:
        limit = str(min(applied, int(asked.parameters["limit"])))
        smaller = Asked("GET", asked.path, {**asked.parameters, "limit": limit}, {}, b"")
        return collection(rows, capped=True)(smaller)

    stand_in.data = answer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EvidenceWarning)
        found = service.companies.fetch()
    assert (len(found), found.certificate.verdict) == (2, verdict)
