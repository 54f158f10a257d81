"""Who is hiring: what is counted from which record, what is matched, what stays unknown."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from ventureframe.client import frames
from ventureframe.client.result import load
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.display.finding import Finding
from ventureframe.errors import Unclear, UnsupportedValue
from ventureframe.evidence.question import Records
from ventureframe.interface import fields
from ventureframe.interface.filters import company
from ventureframe.studies import hiring
from ventureframe.studies.hiring import Study
from ventureframe.studies.hiring.roles import ROLES

FIGURES = ("ranking", "recent", "funding_and_hiring", "months", "roles")

Rows = list[dict[str, Any]]
NAME = '株式会社 <b>"$x"'
WORLD: dict[str, Rows] = {
    "companies": [
        {"uuid": "A", "name": "Alpha", "open_jobs_count": 2, "is_hiring": True, "team_size": 9},
        {"uuid": "B", "name": NAME, "open_jobs_count": 7, "total_funding": 1.5e6},
        {"uuid": "C", "name": "Gamma", "is_hiring": False, "total_funding": 2e6},
        {"uuid": "D", "name": "Delta", "open_jobs_count": 0, "total_funding": 0.0},
    ],
    "jobs": [
        *({"id": 1, "title": "Machine-learning ENGINEER", "entity_id": "A"},),
        {"id": 2, "title": "Data engineer", "date_posted": date(2025, 11, 3), "entity_id": "A"},
        {"id": 3, "title": "Gardener", "date_posted": date(2026, 2, 1), "entity_id": "C"},
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
        {"company_uuid": "B", "id": 1, "year": 2020, "round_type": "Seed", "amount": 5e5},
        {"company_uuid": "B", "id": 2, "year": 2022, "month": 4, "round_type": "Series A"},
        {"company_uuid": "B", "id": 3, "round_type": "Undated", "amount": 9e9},
    ],
}
SCHEMAS: dict[str, Any] = {
    "companies": frames.empty(fields.COMPANIES).schema,
    "jobs": frames.empty(fields.JOBS).schema,
    "news": frames.empty(fields.NEWS).schema,
    "news_companies": {"news_item_id": pl.Int64, "position": pl.Int64, "entity_id": pl.String},
    "rounds": frames.empty(fields.FUNDING_ROUNDS).schema | {"company_uuid": pl.String()},
}
NONE: dict[str, Rows] = {name: [] for name in WORLD}


def find(world: dict[str, Rows], library: str = "polars", **options: Any) -> Study:
    given = {name: pl.DataFrame(rows, schema=dict(SCHEMAS[name])) for name, rows in world.items()}
    made: dict[str, Any] = dict(given)
    if library == "pandas":
        made = {name: frames.to_pandas(frame) for name, frame in given.items()}
    return hiring.find(**made, currency="EUR", **options)


@pytest.fixture
def scan(library: str) -> Study:
    return find(WORLD, library, rounds_asked=["A", "B"])


def rows(finding: Finding) -> Rows:
    return finding.to_polars().rows(named=True)


def assert_same(one: Study, other: Study) -> None:
    assert one.frames.keys() == other.frames.keys()
    for name, frame in one.frames.items():
        assert_frame_equal(frame, other.frames[name])
    for name in ("counts", "answer", "statements", "limits"):
        assert getattr(one, name) == getattr(other, name)


def test_the_ranking_keeps_flag_count_and_postings_apart(scan: Study) -> None:
    seen = [
        (row["company_uuid"], row["is_hiring"], row["open_jobs_count"], row["postings"])
        for row in rows(scan.ranking)
    ]
    assert seen == [("B", None, 7, 0), ("A", True, 2, 2), ("D", None, 0, 0), ("C", False, None, 2)]


def test_an_article_counts_at_every_company_it_is_linked_with(scan: Study) -> None:
    news = {row["company_uuid"]: (row["news"], row["latest_news"]) for row in rows(scan.ranking)}
    assert news["A"] == (2, date(2026, 1, 1))
    assert news["B"] == (1, date(2026, 1, 1))
    assert news["C"] == (0, None)
    assert [(row["news_item_id"], row["company_name"]) for row in rows(scan.news)] == [
        *((10, "Alpha"), (10, NAME), (11, "Alpha")),
    ]


def test_the_latest_round_is_the_latest_dated_and_keeps_its_missing_amount(scan: Study) -> None:
    seen = {
        row["company_uuid"]: (row["rounds"], row["latest_round_type"], row["latest_round_amount"])
        for row in rows(scan.ranking)
    }
    assert seen == {
        "A": ("no_records_returned", None, None),
        "B": ("records_returned", "Series A", None),
        "C": ("not_asked", None, None),
        "D": ("not_asked", None, None),
    }


def test_a_title_matches_whole_words_of_several_families_or_none(scan: Study) -> None:
    families = {row["job_id"]: row["families"] for row in rows(scan.postings)}
    engineer = "data and AI; engineering, any"
    assert families == {1: engineer, 2: engineer, 3: None, 4: None}
    assert scan.counts.postings_in_family == 2
    assert "no keyword found" in scan.postings.table._repr_html_()


def test_every_keyword_is_listed_and_matches_itself() -> None:
    for family, words in ROLES.items():
        jobs: Rows = [
            {"id": number, "title": f"x: {_written(word).upper()}, y", "entity_id": "A"}
            for number, word in enumerate(words)
        ]
        world: dict[str, Rows] = NONE | {"companies": WORLD["companies"], "jobs": jobs}
        found = find(world)
        assert all(family in str(row["families"]) for row in rows(found.postings)), family
        listing = {row["family"]: row["keywords"] for row in rows(found.roles)}
        assert listing[family] == ", ".join(words)


def _written(keyword: str) -> str:
    """A keyword as a title has it: without the notation of the list."""
    return keyword.strip("[]").replace(" … ", " second ").replace(" + ", " & ")


def test_months_without_a_posting_are_there_and_undated_postings_are_counted(scan: Study) -> None:
    seen = [(row["month"].isoformat()[:7], row["postings"]) for row in rows(scan.months)]
    assert seen == [("2025-11", 1), ("2025-12", 0), ("2026-01", 0), ("2026-02", 2)]
    assert any("1 posting without a date" in caveat.text for caveat in scan.limits)


def test_the_report_says_that_a_keyword_is_no_proof_of_need(scan: Study) -> None:
    said = " ".join(caveat.text for caveat in scan.limits)
    assert "not proof that the company needs the role" in said
    assert "not proof of need" in scan.roles.plot().caption
    assert "not proof of need" in scan.roles.caption
    assert "rounds were requested for 2 of the 4 companies" in said


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_without_any_record_all_is_said_and_drawn(library: str) -> None:
    one: dict[str, Rows] = NONE | {"companies": WORLD["companies"][2:3]}
    for world in (NONE, one):
        empty = find(world, library)
        for name in Study.findings():
            assert getattr(empty, name).table._repr_html_()
        for name in FIGURES:
            ET.fromstring(getattr(empty, name).plot().svg)
    assert "not evidence" in find(NONE, library).answer


def test_figures_name_the_first_and_count_the_missing(scan: Study) -> None:
    again = find({name: each[::-1] for name, each in WORLD.items()}, rounds_asked=["B", "A"])
    for name in FIGURES:
        assert getattr(scan, name).plot().svg == getattr(again, name).plot().svg
    both = scan.funding_and_hiring.plot()
    assert NAME in both.alt
    assert "Without a total: 1 (Alpha)" in both.alt
    assert "open jobs reported by 3 of 4 companies" in scan.ranking.plot().caption
    assert "2025-12: 0" in scan.months.plot().alt


uuids = st.sampled_from("ABC")
days = st.none() | st.dates(date(2025, 1, 1), date(2026, 1, 1))
worlds = st.fixed_dictionaries(
    {
        "companies": st.lists(
            st.fixed_dictionaries(
                {
                    "uuid": uuids,
                    "open_jobs_count": st.none() | st.integers(0, 9),
                    "is_hiring": st.none() | st.booleans(),
                    "total_funding": st.none() | st.floats(0, 1e12),
                }
            ),
            max_size=4,
        ),
        "jobs": st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.integers(1, 5),
                    "title": st.sampled_from([None, "Data engineer", "Cook"]),
                    "date_posted": days,
                    "entity_id": st.none() | uuids,
                }
            ),
            max_size=6,
        ),
        "news": st.lists(
            st.fixed_dictionaries({"id": st.integers(1, 4), "publish_date": days}), max_size=4
        ),
        "news_companies": st.lists(
            st.fixed_dictionaries({"news_item_id": st.integers(1, 4), "entity_id": uuids}),
            max_size=4,
        ),
        "rounds": st.lists(
            st.fixed_dictionaries(
                {
                    "company_uuid": uuids,
                    "id": st.integers(1, 4),
                    "year": st.none() | st.integers(2019, 2021),
                    "amount": st.none() | st.floats(0, 1e9),
                }
            ),
            max_size=4,
        ),
    }
)


@given(worlds, st.randoms(use_true_random=False))
def test_library_row_order_and_repeated_rows_change_nothing(
    world: dict[str, Rows], chance: random.Random
) -> None:
    def disturbed(kept: Rows) -> Rows:
        return chance.sample(kept + chance.choices(kept, k=2), len(kept) + 2) if kept else kept

    one = find(world)
    assert_same(one, find(world, "pandas"))
    assert_same(one, find({name: disturbed(each) for name, each in world.items()}))
    assert len(one.ranking) == len({row["uuid"] for row in world["companies"]})


@pytest.fixture(scope="module")
def real_service(real_data: Path) -> Iterator[Service]:
    with connect(data=real_data / "startups-2026", environment={}) as svc:
        yield svc


@pytest.mark.real
def test_the_real_posts_and_their_companies_are_as_verified(real_service: Service) -> None:
    scan = hiring.study(real_service, rounds_of=3)
    c = scan.counts
    assert (c.companies, c.postings, c.companies_with_postings) == (5706, 122, 73)
    assert (c.open_jobs, c.open_jobs_known) == (122, 73)
    assert (c.funding_known, c.flag_known, c.hiring) == (0, 5706, 1424)
    names = pl.Series([row["company_name"] for row in rows(scan.ranking)]).value_counts()
    shared = names.filter(pl.col("count") > 1)["count"]
    assert (len(shared), shared.sum()) == (71, 151)
    found = scan.fetched[0].to_polars()
    assert found.filter(pl.col("founders").list.len() > 0).height == 4616
    assert all(result.is_complete for result in scan.fetched)
    assert sum(row["postings"] for row in rows(scan.months)) == 122


@pytest.fixture(scope="module")
def sample() -> Iterator[Service]:
    with connect(environment={}) as svc:
        yield svc


QUESTION = hiring.Question(
    tags=[("Robotics", "technology")],
    location=("Europe", "continent"),
    founded=(2005, None),
    funding=(None, 5e7),
    signal_team=60,
    currency="USD",
)


def test_every_condition_is_listed_in_words() -> None:
    assert dict(QUESTION.listed) == {
        "Tags": "Robotics, technology",
        "Location": "Europe, continent",
        "Founded": "from 2005",
        "Total funding": "to 50,000,000",
        "Signal rating": "any, or not recorded",
        "Signal timing": "any, or not recorded",
        "Signal team": "60 or more",
        "Hiring": "either, or not recorded",
        "Status": "any, or not recorded",
        "Currency": "USD",
    }


def test_what_a_notebook_can_write_is_the_same_question() -> None:
    lists: Any = {"tags": [["Robotics", "technology"]], "location": ["Europe", "continent"]}
    ranges: Any = {"founded": [2005, None], "funding": [None, 5e7]}
    assert hiring.Question(**lists, **ranges, signal_team=60, currency="USD") == QUESTION
    assert hiring.Question(**QUESTION.parameters) == QUESTION
    assert QUESTION.set(founded=2005) == QUESTION
    nothing: Any = dict.fromkeys(QUESTION.parameters)
    nothing |= {"founded": (None, None), "funding": [None, None]}
    assert hiring.Question(**nothing) == hiring.Question()


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"tags": "Robotics"}, r"give \(label, type\)"),
    ({"tags": ["Robotics"]}, r"give \(label, type\)"),
    ({"location": "Europe"}, r"give \(name, type, within\)"),
    ({"founded": (2010, 2005)}, "founded.*2010 is after 2005"),
    ({"funding": (2e6, 1e6)}, "funding.*2,000,000 is more than 1,000,000"),
]


@pytest.mark.parametrize(("given", "says"), REFUSED)
def test_a_question_that_cannot_be_asked_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UnsupportedValue, match=says):
        hiring.Question(**given)


def test_a_question_without_a_condition_filters_nothing(sample: Service) -> None:
    assert hiring.Question().conditions(Records(sample)) == ()


def test_conditions_become_one_filter(sample: Service) -> None:
    question = hiring.Question(
        tags=[sample.tag("Robotics", type="technology")],
        location=("Europe", "continent"),
        founded=(2010, 2026),
        funding=(0, 5e9),
        signal_rating=10,
        signal_timing=0,
        signal_team=60,
        is_hiring=False,
        where=company.is_startup == True,  # noqa: E712  # a filter, not a comparison
        currency="GBP",
        rounds_of=2,
    )
    study = question.study(sample)
    asked = str(study.provenance[0].filter)
    for clause in (
        *("tag_id[in_all]:", "hq_location[eq]:", "signal_team[gte]:60", "launch_date[gte]:2010"),
        *("launch_date[lte]:2026", "is_startup[eq]:true", "total_funding[gte]:0"),
        *("total_funding[lte]:5000000000", "signal_rating[gte]:10", "signal_timing[gte]:0"),
        "is_hiring[eq]:false",
    ):
        assert clause in asked
    assert study.subject == "Robotics · Europe"
    assert study.question == question
    assert not {"signal_team", "signal_timing"} & set(study.ranking.to_polars().columns)


def test_a_count_names_companies_and_pages_before_anything_is_fetched(sample: Service) -> None:
    said = QUESTION.count(Records(sample))
    assert re.fullmatch(
        r"\d+ companies, 1 page, then their jobs and news in batches of \d+ · about \d+ requests",
        said,
    ), said


NEAR: list[tuple[str, Any, Any]] = [
    ("tags", (("Robotics", ""),), (("Robotics", "technology"),)),
    ("location", ("Europ", "continent"), ("Europe", "continent", "[1001]")),
]


@pytest.mark.parametrize(("member", "wrong", "right"), NEAR)
def test_a_near_miss_names_the_record_that_was_not_found(
    member: str, wrong: Any, right: Any, sample: Service
) -> None:
    question = QUESTION.set(**{member: wrong})
    with pytest.raises(Unclear) as unclear:
        question.study(sample)
    named = unclear.value.candidates[0]["named"]
    better = question.set(**{member: (named,) if member == "tags" else named})
    assert better == QUESTION.set(**{member: right})
    assert better.found(Records(sample)) == QUESTION.found(Records(sample))


def test_another_currency_requests_only_what_has_amounts(sample: Service) -> None:
    question = QUESTION.set(funding=None)
    first = question.study(sample)
    other = question.set(currency="EUR").study(sample, earlier=first)
    reused = [new is old for old, new in zip(first.fetched, other.fetched, strict=True)]
    assert reused == [False, True, True, False]
    assert set(other.ranking.to_polars()["currency"]) == {"EUR"}


def test_rounds_are_asked_for_the_first_of_the_ranking(sample: Service) -> None:
    scan = hiring.study(sample, tags=[("Robotics", "technology")], is_hiring=True, rounds_of=5)
    asked = [row["rounds"] != "not_asked" for row in rows(scan.ranking)]
    assert asked == [True] * 5 + [False] * (len(asked) - 5)
    assert len(asked) > 5


def test_a_save_holds_every_result_and_the_question(sample: Service, tmp_path: Path) -> None:
    study = QUESTION.study(sample)
    folder = study.save(tmp_path / "robotics")
    names = ("companies", "jobs", "news", "funding-rounds")
    assert tuple(study.saved.results) == names
    for name, result in zip(names, study.fetched, strict=True):
        assert_frame_equal(load(folder, name).to_polars(), result.to_polars())
    assert study.saved.parameters.items() >= QUESTION.parameters.items()


def test_forms_of_words_for_none_and_one(sample: Service) -> None:
    none = hiring.study(sample, tags=[("Robotics", "technology")], signal_team=99)
    one = hiring.study(sample, tags=[("Robotics", "technology")], founded=(2026, None))
    assert none.counts.companies == 0
    said = " ".join(each.text for study in (none, one) for each in study.limits)
    assert not re.search(r"Of the 0|the 0 companies|0 of 0|\b1 companies|of 1 companies", said)
    assert "None" not in said
    statements = [each.statement for each in none.statements]
    assert "No companies flagged as hiring" in statements
    assert "postings of no companies" in statements
