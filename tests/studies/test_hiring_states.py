"""What hiring says of amounts, dates, statuses and months that are known only in part."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

from tests.faults import Fault, Faults, connected
from tests.service.sample.sample import sample as sample_of
from tests.studies.test_hiring import NONE, Rows, find, rows
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.errors import RequestRejected, UnsupportedValue
from ventureframe.evidence.question import Records
from ventureframe.studies import hiring
from ventureframe.studies.hiring import Study, figures
from ventureframe_service import run
from ventureframe_service.settings import Settings


def with_rounds(*rounds: dict[str, Any], library: str = "polars", **more: Any) -> dict[str, Any]:
    """The row of the one company that these rounds are of."""
    listed: Rows = [{"company_uuid": "A", "id": at, **each} for at, each in enumerate(rounds)]
    company = {"uuid": "A", "name": "Alpha", **more}
    study = find(NONE | {"companies": [company], "rounds": listed}, library, rounds_asked=["A"])
    (row,) = rows(study.ranking)
    assert study.ranking.table._repr_html_()
    return row


def of_latest(row: dict[str, Any]) -> tuple[Any, ...]:
    names = ("latest_rounds", "latest_round_type", "latest_round_amount")
    return (*(row[name] for name in names), row["latest_round_amount_state"])


NEXT_YEAR = dt.datetime.now(tz=dt.UTC).year + 1
SEED = {"year": 2012, "month": 3, "round_type": "Seed", "amount": 5e5}
LATEST: list[tuple[list[dict[str, Any]], tuple[Any, ...]]] = [
    ([SEED], (1, "Seed", 5e5, "converted")),
    ([SEED, SEED | {"month": 2, "amount": 9e9}], (1, "Seed", 5e5, "converted")),
    ([SEED, SEED | {"round_type": "Debt"}], (2, "Debt; Seed", None, "several")),
    ([SEED, SEED | {"month": None}], (2, "Seed", None, "several")),
    ([SEED, {"year": 2011}], (1, "Seed", 5e5, "converted")),
    ([SEED, {"year": 2013}], (1, None, None, "not_reported")),
    ([{"amount": 5e5}], (None, None, None, None)),
]


@pytest.mark.parametrize(("given", "seen"), LATEST)
def test_of_several_rounds_that_can_be_the_latest_none_is_chosen(
    given: list[dict[str, Any]], seen: tuple[Any, ...], library: str
) -> None:
    assert of_latest(with_rounds(*given, library=library)) == seen
    assert of_latest(with_rounds(*given[::-1], library=library)) == seen


def test_an_amount_without_a_rate_is_shown_as_announced_and_not_called_unreported(
    library: str,
) -> None:
    native = {"amount": 3e6, "currency": "XAF"}
    row = with_rounds({"year": 2012, "amount_source": native}, library=library)
    assert of_latest(row)[2:] == (None, "not_convertible")
    assert (row["latest_round_amount_native"], row["latest_round_native_currency"]) == (3e6, "XAF")


def test_a_round_without_a_year_is_a_state_of_its_own(library: str) -> None:
    row = with_rounds({"amount": 5e5, "round_type": "Seed"}, library=library)
    assert (row["rounds"], row["rounds_returned"], row["rounds_dated"]) == (
        *("records_without_a_date", 1, 0),
    )
    row = with_rounds(library=library)
    assert (row["rounds"], row["rounds_returned"]) == ("no_records_returned", 0)


def posted(seen: date | None, *days: date) -> Study:
    jobs: Rows = [
        {"id": at, "date_posted": day, "entity_id": "A"} for at, day in enumerate(days, 1)
    ]
    return find(NONE | {"companies": [{"uuid": "A", "name": "Alpha"}], "jobs": jobs}, seen=seen)


PARTIAL: list[tuple[date | None, list[bool | None], str]] = [
    (date(2026, 2, 10), [False, True], "partial, as the data are of 2026-02-10: February 2026"),
    (date(2026, 2, 28), [False, True], "partial, as the data are of 2026-02-28: February 2026"),
    (date(2026, 3, 1), [False, False], ""),
    (None, [False, None], "the day of the data is not stated, so the last month can be partial"),
]


@pytest.mark.parametrize(("seen", "marked", "said"), PARTIAL)
def test_a_month_is_partial_where_it_is_not_over_on_the_day_of_the_data(
    seen: date | None, marked: list[bool | None], said: str
) -> None:
    months = posted(seen, date(2026, 1, 31), date(2026, 2, 1)).months
    assert months.to_polars()["is_partial"].to_list() == marked
    for caption in (months.caption, months.plot().caption):
        assert said in caption
        assert ("partial" in caption) == bool(said)


@pytest.fixture(scope="module")
def sample() -> Iterator[Service]:
    with connect(environment={}) as svc:
        yield svc


def test_the_recorded_status_is_a_condition_a_column_and_a_split(sample: Service) -> None:
    tags = [("Robotics", "technology")]
    every = hiring.study(sample, tags=tags, rounds_of=0)
    one = hiring.study(sample, tags=tags, status="operational", rounds_of=0)
    statuses = [row["company_status"] for row in rows(every.ranking)]
    assert set(statuses) >= {"operational", None}
    assert "company_status[eq]:operational" in str(one.provenance[0].filter)
    assert {row["company_status"] for row in rows(one.ranking)} == {"operational"}
    (left,) = rows(one.left_out)
    assert (left["before"], left["inside"]) == (len(statuses), statuses.count("operational"))
    assert left["not_recorded"] == statuses.count(None)
    assert f"and {statuses.count(None)} without one" in one.answer
    assert "no closing and no acquisition" in " ".join(each.text for each in one.limits)
    assert rows(every.left_out) == []


def test_several_statuses_are_one_condition(sample: Service) -> None:
    question = hiring.Question(status=["closed", " acquired", "closed"])
    assert question.status == ("closed", "acquired")
    assert dict(question.listed)["Status"] == "closed or acquired"
    filters = question.conditions(Records(sample))
    assert [str(each) for each in filters] == ["company_status[in_any]:closed|acquired"]
    assert hiring.Question(status=[]) == hiring.Question() == hiring.Question(status=None)
    for wrong in ("", ["closed", 5]):
        with pytest.raises(UnsupportedValue, match="give a text"):
            hiring.Question(status=wrong)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def faults() -> Faults:
    return Faults()


@pytest.fixture
def faulty(faults: Faults) -> Iterator[Service]:
    """A service of 130 companies that answers as the faults say."""
    started = run.start(sample_of(companies=130), Settings(around=faults.around))
    with started as running, connected(running) as service:
        yield service


def test_a_service_that_does_not_group_by_status_leaves_the_reasons_unknown(
    faults: Faults, faulty: Service
) -> None:
    faults.play([Fault(route="aggregates", status=404)])
    study = hiring.study(faulty, status="operational", rounds_of=0)
    (left,) = rows(study.left_out)
    assert left["before"] == 130
    assert left["inside"] == len(study.ranking) > 0
    assert (left["not_recorded"], left["outside"]) == (None, None)
    assert "an unknown number of companies with another status" in study.answer
    assert {row["left_out"] for row in rows(study.statuses)} == {None}
    faults.play([Fault(route="aggregates", status=403)])
    with pytest.raises(RequestRejected):
        hiring.study(faulty, status="operational", rounds_of=0)


def test_every_caveat_with_a_number_names_what_the_companies_have_in_common(
    sample: Service,
) -> None:
    study = hiring.study(
        sample, tags=[("Robotics", "technology")], founded=2010, status="operational", rounds_of=2
    )
    for each in study.limits:
        assert "Robotics" in each.text, each.text


def test_an_answer_of_no_company_says_what_the_conditions_leave_out(sample: Service) -> None:
    asked: dict[str, Any] = {"tags": [("Robotics", "technology")], "rounds_of": 0}
    every = hiring.study(sample, **asked).counts.companies
    study = hiring.study(sample, **asked, founded=NEXT_YEAR, status="dormant")
    (founded, _) = study.counts.dropped
    assert study.counts.companies == founded.inside == 0
    assert study.answer == (
        "No company meets the conditions as recorded, which is not evidence that there is none. "
        f"Of {every} companies, the condition on the founding year leaves out "
        f"{founded.not_recorded} with none recorded and {founded.outside} that do not meet it."
    )


def test_a_company_asked_for_rounds_without_any_is_told_from_one_not_asked() -> None:
    world: dict[str, Rows] = NONE | {
        "companies": [{"uuid": each, "name": each} for each in "ABC"],
        "rounds": [{"company_uuid": "A", "id": 1, "year": 2012}],
    }
    said = [each.text for each in find(world, rounds_asked=["A", "B"]).limits]
    (one,) = (each for each in said if "rounds were requested" in each)
    assert "for 2 of the 3 companies" in one
    assert "dated rounds for 1 and none, which is not evidence of none, for 1." in one
    assert one.endswith("Nothing was requested for the other 1, so nothing is known of it.")
    said = [each.text for each in find(world, rounds_asked=["A", "B", "C"]).limits]
    (one,) = (each for each in said if "rounds were requested" in each)
    assert one.endswith("dated rounds for 1 and none, which is not evidence of none, for 2.")


def test_one_company_and_one_posting_are_worded_as_one() -> None:
    company = {"uuid": "A", "name": "Alpha", "is_hiring": True, "open_jobs_count": 1}
    study = find(NONE | {"companies": [company], "jobs": [{"id": 1, "entity_id": "A"}]})
    assert study.answer == (
        "The only company reports 1 open job. It carries the hiring flag. 1 posting of 1 company "
        "was returned, without a date. Status: 1 not recorded."
    )
    assert "1 of 1 company carries the hiring flag" in figures.ranking(study).headline
    said = [each.text for each in study.limits]
    assert any(
        "1 posting without a date (the companies) is counted in no month." in each for each in said
    )


def test_where_nothing_is_recorded_of_hiring_one_sentence_says_so() -> None:
    three = [{"uuid": each, "name": each, "company_status": "closed"} for each in "ABC"]
    assert find(NONE | {"companies": three}).answer == (
        "Nothing is recorded of the hiring of the 3 companies: no hiring flag, no count of open "
        "jobs and no posting, which is not evidence that none is hiring. Status: 3 closed."
    )
    flagged = find(NONE | {"companies": [{**three[0], "is_hiring": False}, *three[1:]]})
    assert flagged.answer == (
        "No count of open jobs is reported for the 3 companies. None carries the hiring flag "
        "(recorded for 1). No posting was returned, which is not evidence that there is none. "
        "Status: 3 closed."
    )


def test_the_answer_names_who_has_most_open_jobs_and_who_posted_last() -> None:
    firms = [
        {"uuid": each, "name": each, "open_jobs_count": n}
        for each, n in zip("ABC", (0, 9, 4), strict=True)
    ]
    jobs = [
        {"id": n, "entity_id": each, "date_posted": dt.date(2026, 5, n)}
        for n, each in enumerate("AB", 1)
    ]
    study = find(NONE | {"companies": firms, "jobs": jobs}, seen=dt.date(2026, 6, 1))
    assert study.answer.startswith(
        "All 3 companies report 13 open jobs, most at B (9) and C (4). The hiring flag is not "
        "recorded for any of them. 2 postings of 2 companies were returned, the newest of 2 May "
        "2026 at B."
    )


@pytest.mark.parametrize(
    ("year", "month", "seen", "jobs", "fresh"),
    [
        (2025, 6, dt.date(2026, 6, 1), 1, True),
        (2025, 5, dt.date(2026, 6, 30), 1, False),
        (2026, 6, dt.date(2026, 6, 1), 0, False),
        (2026, 9, dt.date(2026, 6, 1), 1, False),
        (2026, None, dt.date(2026, 6, 1), 1, None),
        (2026, 6, None, 1, None),
    ],
)
def test_a_round_is_fresh_for_twelve_months_where_there_are_jobs(
    year: int, month: int | None, seen: dt.date | None, jobs: int, fresh: bool | None
) -> None:
    world: dict[str, Rows] = NONE | {
        "companies": [{"uuid": "A", "name": "A", "open_jobs_count": jobs}],
        "rounds": [{"company_uuid": "A", "id": 1, "year": year, "month": month}],
    }
    study = find(world, seen=seen)
    assert study.recent.to_polars()["is_fresh"].to_list() == [fresh]
    assert study.counts.fresh == (None if seen is None else int(bool(fresh)))


def test_a_count_of_none_is_not_established(sample: Service) -> None:
    claims = hiring.study(sample, founded=NEXT_YEAR).claims.to_polars()
    assert set(claims["status"]) == {"not recorded"}
