"""Who is hiring: what is counted from which record, what is matched, what stays
unknown.
"""

import datetime as dt
from datetime import date
from typing import Any

import polars as pl
import pytest
from hypothesis import strategies as st

from tests.studies.seen import cases, shown
from ventureframe.client import frames
from ventureframe.display.finding import Finding
from ventureframe.interface import fields
from ventureframe.studies import hiring
from ventureframe.studies.hiring import Study

Rows = list[dict[str, Any]]
NAME = '株式会社 <b>"$x"'
WORLD: dict[str, Rows] = {
    "companies": [
        {
            "uuid": "A",
            "name": "Alpha",
            "open_jobs_count": 2,
            "is_hiring": True,
            "team_size": 9,
        },
        {"uuid": "B", "name": NAME, "open_jobs_count": 7, "total_funding": 1.5e6},
        {"uuid": "C", "name": "Gamma", "is_hiring": False, "total_funding": 2e6},
        {"uuid": "D", "name": "Delta", "open_jobs_count": 0, "total_funding": 0.0},
    ],
    "jobs": [
        {"id": 1, "title": "Machine-learning ENGINEER", "entity_id": "A"},
        {
            "id": 2,
            "title": "Data engineer",
            "date_posted": date(2025, 11, 3),
            "entity_id": "A",
        },
        {
            "id": 3,
            "title": "Gardener",
            "date_posted": date(2026, 2, 1),
            "entity_id": "C",
        },
        {"id": 4, "title": None, "date_posted": date(2026, 2, 28), "entity_id": "C"},
        {"id": 5, "title": "Engineer elsewhere", "entity_id": "Z"},
    ],
    "news": [
        {"id": 10, "title": "Both", "publish_date": date(2026, 1, 1), "entity_id": "A"},
        {"id": 11, "title": "One", "entity_id": "A"},
    ],
    "news_companies": [
        {"news_item_id": 10, "entity_id": "A"},
        {"news_item_id": 10, "entity_id": "B"},
    ],
    "rounds": [
        {
            "company_uuid": "B",
            "id": 1,
            "year": 2020,
            "round_type": "Seed",
            "amount": 5e5,
        },
        {
            "company_uuid": "B",
            "id": 2,
            "year": 2022,
            "month": 4,
            "round_type": "Series A",
        },
        {"company_uuid": "B", "id": 3, "round_type": "Undated", "amount": 9e9},
    ],
}
SCHEMAS: dict[str, Any] = {
    "companies": frames.empty(fields.COMPANIES).schema,
    "jobs": frames.empty(fields.JOBS).schema,
    "news": frames.empty(fields.NEWS).schema,
    "news_companies": {
        "news_item_id": pl.Int64,
        "position": pl.Int64,
        "entity_id": pl.String,
    },
    "rounds": (
        frames.empty(fields.FUNDING_ROUNDS).schema | {"company_uuid": pl.String()}
    ),
}
NONE: dict[str, Rows] = {name: [] for name in WORLD}


def made(world: dict[str, Rows]) -> dict[str, Any]:
    return {
        name: pl.DataFrame(rows, schema=dict(SCHEMAS[name]))
        for name, rows in world.items()
    }


def find(world: dict[str, Rows], **options: Any) -> Study:
    return hiring.find(**made(world), currency="EUR", **options)


@pytest.fixture
def scan() -> Study:
    return find(WORLD, rounds_asked=["A", "B"])


def rows(finding: Finding) -> Rows:
    return finding.to_polars().rows(named=True)


SEEN = cases("hiring_seen.txt")


@pytest.mark.parametrize("what", SEEN)
def test_in_a_frame(what: str, scan: Study) -> None:
    assert shown(scan, SEEN[what]) == SEEN[what]


def with_rounds(*rounds: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The row of the one company that these rounds are of."""
    listed: Rows = [
        {"company_uuid": "A", "id": at, **each} for at, each in enumerate(rounds)
    ]
    company = {"uuid": "A", "name": "Alpha", **more}
    study = find(NONE | {"companies": [company], "rounds": listed}, rounds_asked=["A"])
    (row,) = rows(study.ranking)
    assert study.ranking._repr_html_()
    return row


def of_latest(row: dict[str, Any]) -> tuple[Any, ...]:
    names = (
        "latest_rounds",
        "latest_round_month",
        "latest_round_type",
        "latest_round_amount",
    )
    return (*(row[name] for name in names), row["latest_round_amount_state"])


SEED = {"year": 2012, "month": 3, "round_type": "Seed", "amount": 5e5}
FOREIGN = {"year": 2012, "amount_source": {"amount": 3e6, "currency": "XAF"}}
LATEST: list[tuple[list[dict[str, Any]], tuple[Any, ...]]] = [
    ([SEED], (1, 3, "Seed", 5e5, "converted")),
    ([SEED, SEED | {"month": 2, "amount": 9e9}], (1, 3, "Seed", 5e5, "converted")),
    ([SEED, SEED | {"round_type": "Debt"}], (2, 3, "Debt; Seed", None, "several")),
    # a round without a month can be before or after the other: no month is claimed
    ([SEED, SEED | {"month": None}], (2, None, "Seed", None, "several")),
    ([SEED, {"year": 2011}], (1, 3, "Seed", 5e5, "converted")),
    ([SEED, {"year": 2013}], (1, None, None, None, "not_reported")),
    ([{"amount": 5e5}], (None, None, None, None, None)),
    # an amount without a rate is not called unreported
    ([FOREIGN], (1, None, None, None, "not_convertible")),
]


@pytest.mark.parametrize(("given", "seen"), LATEST)
def test_of_several_rounds_that_can_be_the_latest_none_is_chosen(
    given: list[dict[str, Any]], seen: tuple[Any, ...]
) -> None:
    assert of_latest(with_rounds(*given)) == seen
    assert of_latest(with_rounds(*given[::-1])) == seen


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
    known = study.counts.fresh, study.counts.fresh_known
    assert known == (int(bool(fresh)), int(fresh is not None))


def test_where_records_were_not_read_their_number_is_not_known() -> None:
    few = WORLD | {"jobs": WORLD["jobs"][:2]}
    some = find(few, jobs_asked=["A", "B"], news_asked=["A", "B"])
    assert [row["postings"] for row in rows(some.ranking)] == [0, 2, None, None]
    assert [row["news"] for row in rows(some.ranking)] == [1, 2, None, None]
    assert "for 1 of the 2 companies whose job records were read" in some.answer
    none = find(WORLD | {"jobs": []}, jobs_asked=[])
    assert "No job records were read." in none.answer
    said = (*none.limits, *none.statements, *none.key_figures)
    assert not any("osting" in str(each) for each in said)


def test_companies_that_share_the_newest_day_are_all_named() -> None:
    jobs = [{"id": at, "entity_id": uuid} for at, uuid in enumerate("AABC")]
    days = [date(2026, 2, day) for day in (2, 2, 2, 1)]
    dated = [job | {"date_posted": day} for job, day in zip(jobs, days, strict=True)]
    study = find(WORLD | {"jobs": dated})
    assert sorted(map(str, study.counts.newest_at)) == sorted(["Alpha", NAME])
    assert "the newest of 2 February 2026 (" in study.answer


uuids = st.sampled_from("ABC")
days = st.none() | st.dates(date(2025, 1, 1), date(2026, 1, 1))


def lists(most: int, **values: st.SearchStrategy[Any]) -> st.SearchStrategy[Rows]:
    return st.lists(st.fixed_dictionaries(values), max_size=most)


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


few = st.integers(1, 4)
worlds = st.fixed_dictionaries(
    {
        "companies": lists(
            4,
            uuid=uuids,
            open_jobs_count=maybe(st.integers(0, 9)),
            is_hiring=maybe(st.booleans()),
            total_funding=maybe(st.floats(0, 1e12)),
        ),
        "jobs": lists(
            6,
            id=st.integers(1, 5),
            title=st.sampled_from([None, "Data engineer", "Cook"]),
            date_posted=days,
            entity_id=maybe(uuids),
        ),
        "news": lists(4, id=few, publish_date=days),
        "news_companies": lists(4, news_item_id=few, entity_id=uuids),
        "rounds": lists(
            4,
            company_uuid=uuids,
            id=few,
            year=maybe(st.integers(2019, 2021)),
            amount=maybe(st.floats(0, 1e9)),
        ),
    }
)
