"""The exposure of LPs is the same on every engine: one study, one hash a frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines import Engine, also_quickly_on_duckdb, assert_same
from tests.studies.test_exposure import BACKED, FUNDS, LPS, UNUSUAL, Row, Rows, made
from ventureframe import bulk
from ventureframe.studies import exposure


@also_quickly_on_duckdb
def test_a_small_world_with_rows_that_differ_gives_the_same_study(engine: Engine) -> None:
    other: Row = {"uuid": "a", "name": None, "hq_country": "Chad"}
    backed: Rows = [*BACKED, {"lp_uuid": "lp1", **other}, {"lp_uuid": "lp2", **other}]
    shared = [{**row, "manager_uuid": "c", "name": None, "fund_date": None} for row in FUNDS]
    funds = [*FUNDS, *shared, *({**row, "id": row["id"] + 9} for row in UNUSUAL)]
    options: dict[str, Any] = {"asked": ["a", "b", "c"], "failed": {"lp4": "403", "c": "504"}}
    frames = made([*LPS, {"uuid": "lp1", "name": None}], backed, funds)
    study = exposure.find(**frames, currency="USD", since=2019, **options)
    there = engine.holding(frames)
    assert_same(study, exposure.find(**there, currency="USD", since=2019, **options))


@pytest.mark.engines
@pytest.mark.real
def test_the_real_lps_give_the_same_study(real_data: Path, engine: Engine) -> None:
    folder = real_data / "venture-2013"
    study = exposure.find(**bulk.open(folder), currency="USD")
    assert (study.counts.lps, study.counts.managers_with_funds) == (11, 6)
    there = bulk.open(folder, engine=engine.opens)
    assert_same(study, exposure.find(**there, currency="USD"))
