"""The exposure of LPs is the same on every engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

from tests.engines import Engine, also_quickly_on_duckdb, assert_same, few
from tests.studies.test_exposure import BACKED, FUNDS, LPS, TYPES, Rows, backings, vehicles
from tests.studies.test_exposure_states import FUNDS as UNUSUAL
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.studies import exposure


def made(lps: Rows, backed: Rows, funds: Rows) -> dict[str, Any]:
    given = {"lps": lps, "lp_managers": backed, "funds": funds}
    return {name: pl.DataFrame(rows, schema=TYPES[name]) for name, rows in given.items()}


def fetched(svc: Service, lps: list[Any]) -> dict[str, Any]:
    """What the service returns of some LPs, their managers and the funds of these."""
    managers = svc.managers_of(lps).fetch().to_polars()
    funds = svc.funds_of_each(managers["uuid"].unique().sort().to_list()).currency("USD").fetch()
    owner = pl.col("manager").struct.field("uuid").alias("manager_uuid")
    return {
        "lps": pl.DataFrame(lps, infer_schema_length=None),
        "lp_managers": managers,
        "funds": funds.to_polars().with_columns(owner),
    }


def assert_alike(frames: Mapping[str, Any], engine: Engine, **options: Any) -> exposure.Study:
    study = exposure.find(**frames, currency="USD", **options)
    assert_same(study, exposure.find(**engine.holding(frames), currency="USD", **options))
    return study


@pytest.mark.parametrize("funds", [FUNDS, UNUSUAL, []])
def test_a_small_world_gives_the_same_study_on_every_engine(engine: Engine, funds: Rows) -> None:
    options: dict[str, Any] = {"asked": ["a", "b", "c"], "failed": {"lp4": "403", "c": "504"}}
    assert_alike(made(LPS, BACKED, funds), engine, since=2019, **options)
    assert_alike(made(LPS, BACKED, funds), engine)


@also_quickly_on_duckdb
def test_of_rows_that_differ_every_engine_keeps_the_same_one(engine: Engine) -> None:
    other: dict[str, Any] = {"uuid": "a", "name": None, "hq_country": "Chad"}
    backed: Rows = [*BACKED, {"lp_uuid": "lp1", **other}, {"lp_uuid": "lp2", **other}]
    shared = [{**fund, "manager_uuid": "c", "name": None, "fund_date": None} for fund in FUNDS]
    assert_alike(made([*LPS, {"uuid": "lp1", "name": None}], backed, [*FUNDS, *shared]), engine)


@few()
@given(backed=backings, funds=vehicles)
def test_generated_worlds_give_the_same_study_on_every_engine(
    engine: Engine, backed: Rows, funds: Rows
) -> None:
    assert_alike(made(LPS, backed, funds), engine)


@pytest.mark.engines
def test_the_sample_gives_the_same_study_on_every_engine(engine: Engine) -> None:
    named = [
        ("Prairie Public Employees Fund", "prairiefund.example"),
        ("Meridian Sovereign Reserve", "meridian-reserve.example"),
    ]
    with connect(environment={}) as svc:
        frames = fetched(svc, [svc.lp(name, domain=domain) for name, domain in named])
    study = assert_alike(frames, engine, since=2021)
    assert study.counts.funds > 0


@pytest.mark.engines
@pytest.mark.real
def test_the_real_lps_are_the_same_on_every_engine(real_data: Path, engine: Engine) -> None:
    folder = real_data / "venture-2013"
    backers = pl.read_parquet(folder / "lp_managers.parquet")["lp_uuid"].unique().sort()
    with connect(data=folder, environment={}) as svc:
        frames = fetched(svc, [svc.lp(uuid) for uuid in backers])
    study = assert_alike(frames, engine)
    assert (study.counts.lps, study.counts.managers_with_funds) == (11, 6)
