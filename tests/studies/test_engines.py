"""Hiring and exposure are the same on every engine: one study, one hash a frame."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engines import Engine, also_quickly_on_duckdb, assert_same
from tests.studies import test_exposure, test_hiring
from tests.studies.test_exposure import BACKED, FUNDS, LPS, UNUSUAL
from tests.studies.test_hiring import NONE, WORLD
from ventureframe import bulk
from ventureframe.studies import exposure, hiring, spinouts

Find = Callable[..., Any]


def same(find: Find, frames: Any, engine: Engine, **options: Any) -> Any:
    """The study of the frames, which an engine that holds them finds as well."""
    study = find(**frames, **options)
    assert_same(study, find(**engine.holding(frames), **options))
    return study


@also_quickly_on_duckdb
def test_exposure_with_rows_that_differ(engine: Engine) -> None:
    other: dict[str, Any] = {"uuid": "a", "name": None, "hq_country": "Chad"}
    backed = [*BACKED, {"lp_uuid": "lp1", **other}, {"lp_uuid": "lp2", **other}]
    shared = [
        {**row, "manager_uuid": "c", "name": None, "fund_date": None} for row in FUNDS
    ]
    funds = [*FUNDS, *shared, *({**row, "id": row["id"] + 9} for row in UNUSUAL)]
    options: dict[str, Any] = {
        "asked": ["a", "b", "c"],
        "failed": {"lp4": "403", "c": "504"},
    }
    frames = test_exposure.made([*LPS, {"uuid": "lp1", "name": None}], backed, funds)
    same(exposure.find, frames, engine, currency="USD", since=2019, **options)


@also_quickly_on_duckdb
def test_hiring_with_rows_that_differ(engine: Engine) -> None:
    repeated: dict[str, list[dict[str, Any]]] = {
        "companies": [
            {"uuid": "A", "open_jobs_count": 9},
            {"uuid": "E", "total_funding": float("nan")},
        ],
        "jobs": [{"id": 1, "title": "Nurse", "entity_id": "C"}, {"title": "No id"}],
        "news": [{"id": 10, "title": "Another headline"}],
        "rounds": [
            {
                "company_uuid": "B",
                "id": 4,
                "year": 2022,
                "month": 4,
                "round_type": "Debt",
            },
            {"company_uuid": "C", "id": 5, "year": 2022, "round_type": ""},
        ],
    }
    for world in (
        NONE,
        {name: [*rows, *repeated.get(name, [])] for name, rows in WORLD.items()},
    ):
        frames = test_hiring.made(world)
        study = same(
            hiring.find, frames, engine, currency="EUR", rounds_asked=["A", "B"]
        )
        assert study.counts.funding_known == (3 if world["companies"] else 0), "no NaN"


REAL: dict[str, tuple[Find, dict[str, Any], dict[str, int]]] = {
    "exposure": (exposure.find, {}, {"lps": 11, "managers_with_funds": 6}),
    "hiring": (hiring.find, {}, {"rounds_asked": 72_701, "companies": 72_701}),
    "spinouts": (
        spinouts.find,
        {"university": "Stanford University"},
        {"companies_evidenced": 322},
    ),
}


@pytest.mark.engines
@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_real_data_give_the_same_study(
    real_data: Path, engine: Engine, name: str
) -> None:
    folder, (find, options, counts) = real_data / "venture-2013", REAL[name]
    study = find(**bulk.open(folder), currency="USD", **options)
    assert {count: getattr(study.counts, count) for count in counts} == counts
    there = bulk.open(folder, engine=engine.opens)
    assert_same(study, find(**there, currency="USD", **options))
