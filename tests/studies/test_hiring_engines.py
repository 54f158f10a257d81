"""The hiring of companies is the same on every engine: one study, one hash a frame."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import Engine, also_quickly_on_duckdb, assert_same
from tests.studies.test_hiring import NONE, WORLD, Rows, made
from ventureframe import bulk
from ventureframe.studies import hiring


@also_quickly_on_duckdb
def test_a_small_world_with_rows_that_differ_gives_the_same_study(engine: Engine) -> None:
    repeated: dict[str, Rows] = {
        "companies": [
            {"uuid": "A", "open_jobs_count": 9},
            {"uuid": "E", "total_funding": float("nan")},
        ],
        "jobs": [{"id": 1, "title": "Nurse", "entity_id": "C"}, {"title": "No id"}],
        "news": [{"id": 10, "title": "Another headline"}],
        "rounds": [
            {"company_uuid": "B", "id": 4, "year": 2022, "month": 4, "round_type": "Debt"},
            {"company_uuid": "C", "id": 5, "year": 2022, "round_type": ""},
        ],
    }
    for world in (NONE, {name: [*rows, *repeated.get(name, [])] for name, rows in WORLD.items()}):
        frames = made(world)
        study = hiring.find(**frames, currency="EUR", rounds_asked=["A", "B"])
        there = engine.holding(frames)
        assert_same(study, hiring.find(**there, currency="EUR", rounds_asked=["A", "B"]))
        assert study.counts.funding_known == (3 if world["companies"] else 0), "no NaN"


@pytest.mark.engines
@pytest.mark.real
def test_all_real_companies_give_the_same_study(real_data: Path, engine: Engine) -> None:
    folder = real_data / "venture-2013"
    study = hiring.find(**bulk.open(folder), currency="EUR")
    assert study.counts.rounds_asked == study.counts.companies == 72_701
    there = bulk.open(folder, engine=engine.opens)
    assert_same(study, hiring.find(**there, currency="EUR"))
