"""The exposure of LPs is the same on every engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

from tests.engines import ENGINES, FEW, fingerprints, on
from tests.studies.test_exposure import BACKED, FUNDS, LPS, TYPES, Rows, backings, vehicles
from tests.studies.test_exposure_states import FUNDS as UNUSUAL
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.studies import exposure

every_engine = pytest.mark.parametrize("engine", ENGINES)


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


def assert_same(
    frames: Mapping[str, Any], sail: Any, *engines: str, **options: Any
) -> exposure.Study:
    study = exposure.find(**frames, currency="USD", **options)
    for engine in engines:
        other = exposure.find(**on(engine, frames, sail), currency="USD", **options)
        for name in ("counts", "answer", "statements", "limits"):
            assert getattr(study, name) == getattr(other, name), (engine, name)
        assert fingerprints(study.frames) == fingerprints(other.frames), engine
    return study


@every_engine
@pytest.mark.parametrize("funds", [FUNDS, UNUSUAL, []])
def test_a_small_world_gives_the_same_study_on_every_engine(
    sail: Any, engine: str, funds: Rows
) -> None:
    options: dict[str, Any] = {"asked": ["a", "b", "c"], "failed": {"lp4": "403", "c": "504"}}
    assert_same(made(LPS, BACKED, funds), sail, engine, since=2019, **options)
    assert_same(made(LPS, BACKED, funds), sail, engine)


@every_engine
def test_of_rows_that_differ_every_engine_keeps_the_same_one(sail: Any, engine: str) -> None:
    other: dict[str, Any] = {"uuid": "a", "name": None, "hq_country": "Chad"}
    backed: Rows = [*BACKED, {"lp_uuid": "lp1", **other}, {"lp_uuid": "lp2", **other}]
    shared = [{**fund, "manager_uuid": "c", "name": None, "fund_date": None} for fund in FUNDS]
    assert_same(
        made([*LPS, {"uuid": "lp1", "name": None}], backed, [*FUNDS, *shared]), sail, engine
    )


@FEW
@given(backed=backings, funds=vehicles)
def test_generated_worlds_give_the_same_study_on_every_engine(
    sail: Any, backed: Rows, funds: Rows
) -> None:
    assert_same(made(LPS, backed, funds), sail, *ENGINES)


def test_the_sample_gives_the_same_study_on_every_engine(sail: Any) -> None:
    named = [
        ("Prairie Public Employees Fund", "prairiefund.example"),
        ("Meridian Sovereign Reserve", "meridian-reserve.example"),
    ]
    with connect(environment={}) as svc:
        frames = fetched(svc, [svc.lp(name, domain=domain) for name, domain in named])
    study = assert_same(frames, sail, *ENGINES, since=2021)
    assert study.counts.funds > 0


@pytest.mark.real
def test_the_real_lps_are_the_same_on_every_engine(real_data: Path, sail: Any) -> None:
    folder = real_data / "venture-2013"
    backers = pl.read_parquet(folder / "lp_managers.parquet")["lp_uuid"].unique().sort()
    with connect(data=folder, environment={}) as svc:
        frames = fetched(svc, [svc.investor_by_id(uuid) for uuid in backers])
    study = assert_same(frames, sail, *ENGINES)
    assert (study.counts.lps, study.counts.managers_with_funds) == (11, 6)
