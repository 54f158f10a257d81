"""The hiring of companies is the same on every engine, whichever way it reads text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

from tests.engines import ENGINES, Engine, also_quickly_on_duckdb, assert_same, few
from tests.studies.test_hiring import SCHEMAS, WORLD, Rows, worlds
from tests.studies.test_hiring_real import frames as recorded
from ventureframe.client.frames import empty
from ventureframe.connect import connect
from ventureframe.interface import fields
from ventureframe.studies import hiring

with_eager_polars = pytest.mark.parametrize("engine", ["polars", *ENGINES], indirect=True)


def made(world: Mapping[str, Rows]) -> dict[str, Any]:
    return {name: pl.DataFrame(rows, schema=SCHEMAS[name]) for name, rows in world.items()}


def assert_alike(frames: Mapping[str, Any], engine: Engine, **options: Any) -> hiring.Study:
    study = hiring.find(**frames, currency="EUR", **options)
    assert_same(study, hiring.find(**engine.holding(frames), currency="EUR", **options))
    return study


@also_quickly_on_duckdb
def test_a_small_world_gives_the_same_study_on_every_engine(engine: Engine) -> None:
    repeated: dict[str, Rows] = {
        "companies": [{"uuid": "A", "name": None, "open_jobs_count": 9}],
        "jobs": [{"id": 1, "title": "Nurse", "entity_id": "C"}, {"title": "No id"}],
        "news": [{"id": 10, "title": "Another headline"}],
        "rounds": [
            {"company_uuid": "B", "id": 4, "year": 2022, "month": 4, "round_type": "Debt"},
            {"company_uuid": "C", "id": 5, "year": 2022, "round_type": ""},
        ],
    }
    world = {name: [*rows, *repeated.get(name, [])] for name, rows in WORLD.items()}
    assert_alike(made(world), engine, rounds_asked=["A", "B"])
    assert_alike(made({name: [] for name in WORLD}), engine)


TITLES = {
    "Ingénieur logiciel": None,
    "ÜBER-Sales": None,
    "İOS Developer": "engineering, any; software",
    "iOS\u00a0developer": "engineering, any; software",
    "SALEſ": "sales",
    "Straße | Data\u2003Engineer": "data and AI; engineering, any",
    "ΟΔΟΣ | Head of Data": "data and AI; leadership",
    "a\nML": "data and AI",
}
"""Letters, spaces and ends of words that regular expressions of engines take differently."""


@with_eager_polars
def test_titles_are_read_alike_on_every_engine(engine: Engine) -> None:
    jobs: Rows = [
        {"id": number, "title": title, "entity_id": "A"} for number, title in enumerate(TITLES)
    ]
    firms: Rows = [{"uuid": "A", "name": "straße", "open_jobs_count": 1}]
    world = made({**WORLD, "companies": firms, "jobs": jobs})
    study = hiring.find(**engine.holding(world), currency="EUR")
    assert dict(study.frames["postings"].select("title", "families").rows()) == TITLES


def test_more_postings_than_are_read_at_once_are_all_read() -> None:
    many, titles = 400_003, ("Data engineer", "Gardener", None)
    ids = pl.int_range(-5, many - 5, eager=True)
    jobs = pl.DataFrame({"id": ids, "title": [titles[number % 3] for number in range(many)]})
    none = made(WORLD)["jobs"].clear()
    jobs = pl.concat([none, jobs.with_columns(entity_id=pl.lit("A"))], how="diagonal")
    study = hiring.find(**{**made(WORLD), "jobs": jobs}, currency="EUR")
    assert study.counts.postings == many
    assert study.counts.postings_in_family == 133_335
    found = study.frames["postings"].group_by("title").agg(pl.col("families").n_unique())
    assert found["families"].to_list() == [1, 1, 1]


@with_eager_polars
def test_an_amount_that_is_not_a_number_is_not_recorded(engine: Engine) -> None:
    firms: Rows = [
        {"uuid": "A", "name": "Alpha", "total_funding": float("nan")},
        {"uuid": "B", "name": "Beta", "total_funding": 2.5},
    ]
    world = made({**WORLD, "companies": firms})
    study = hiring.find(**engine.holding(world), currency="EUR")
    assert study.counts.funding_known == 1
    assert set(study.frames["ranking"]["total_funding"]) == {None, 2.5}


@few()
@given(world=worlds)
def test_generated_worlds_give_the_same_study_on_every_engine(
    engine: Engine, world: dict[str, Rows]
) -> None:
    assert_alike(made(world), engine)


@pytest.mark.engines
def test_the_sample_gives_the_same_study_on_every_engine(engine: Engine) -> None:
    with connect(environment={}) as svc:
        companies = svc.companies.currency("EUR").fetch().to_polars()
        news, first = svc.news.fetch(), companies["uuid"].to_list()[:30]
        rounds = svc.rounds_of(first).currency("EUR").fetch()
        frames = {
            "companies": companies,
            "jobs": svc.jobs.fetch().to_polars(),
            "news": news.to_polars(),
            "news_companies": news.to_polars("entity_ids"),
            "rounds": rounds.to_polars(),
        }
    study = assert_alike(frames, engine, rounds_asked=first)
    assert study.counts.postings_in_family > 100


@pytest.mark.engines
@pytest.mark.real
def test_all_real_companies_are_the_same_on_every_engine(real_data: Path, engine: Engine) -> None:
    frames, _ = recorded(real_data / "venture-2013", "EUR")
    asked = frames["companies"]["uuid"].to_list()
    study = assert_alike(frames, engine, rounds_asked=asked)
    assert study.counts.rounds_asked == len(asked)


@pytest.mark.engines
@pytest.mark.real
def test_real_postings_are_the_same_on_every_engine(real_data: Path, engine: Engine) -> None:
    with connect(data=real_data / "startups-2026", environment={}) as svc:
        companies, jobs = (each.fetch().to_polars() for each in (svc.companies, svc.jobs))
    linked = pl.DataFrame(schema={"news_item_id": pl.Int64, "entity_id": pl.String})
    rounds = empty(fields.FUNDING_ROUNDS).with_columns(company_uuid=pl.lit(None, pl.String))
    frames = {"companies": companies, "jobs": jobs, "news": empty(fields.NEWS)}
    study = assert_alike({**frames, "news_companies": linked, "rounds": rounds}, engine)
    assert study.counts.companies == companies.height
