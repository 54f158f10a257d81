"""The study of founders is the same on every engine."""

from pathlib import Path
from typing import Any

import pytest

from tests.engines import ENGINES, Engine, also_quickly_on_duckdb, assert_same
from tests.service.sample.sample import sample
from tests.studies.founding import WHOLE, frames
from ventureframe import bulk
from ventureframe.connect import connect
from ventureframe.studies import founders


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=200).write(tmp_path_factory.mktemp("sample"))


@also_quickly_on_duckdb
def test_every_founder_and_those_of_an_employer_are_the_same_on_every_engine(
    engine: Engine, folder: Path
) -> None:
    for employer in (None, "Grandholm Motors"):
        asked: dict[str, Any] = {"currency": "EUR", "employer": employer}
        here = founders.find(**bulk.open(folder), **asked)
        there = founders.find(**bulk.open(folder, engine=engine.opens), **asked)
        assert here.counts.founders > 20
        assert_same(here, there)


@pytest.mark.parametrize("engine", ENGINES, indirect=True)
def test_names_are_folded_before_the_engine_folds_them(engine: Engine) -> None:
    own = frames(
        "A 2005: ana; B: bo; C: cy",
        "ana: İzmir Motors A.Ş., Engineer; bo: IZMIR MOTORS; cy: Straße AG",
    )
    for employer, many in {"Izmir Motors": 2, "Strasse": 1}.items():
        study = founders.find(
            **engine.holding(own), currency="EUR", employer=employer, origin=WHOLE
        )
        assert study.counts.founders == many


def test_a_pull_says_what_the_service_says(folder: Path, tmp_path: Path) -> None:
    with connect(data=folder, environment={}) as svc:
        svc.pull("companies", "founders", out=tmp_path / "pull", currency="EUR")
        asked = founders.Question(currency="EUR").study(svc)
    pulled = founders.find(**bulk.open(tmp_path / "pull"), currency="EUR")
    drop = "profile"  # a pull has no profiles
    for name, frame in pulled.frames.items():
        if name not in (
            "coverage",
            "founders",
            "pairs",
            "posts",
            "studied",
            "links",
            "repeat",
        ):
            assert frame.equals(asked.frames[name]), name
    ours, theirs = pulled.frames["founders"], asked.frames["founders"]
    assert ours.drop(drop).equals(theirs.drop(drop))
    assert pulled.counts == asked.counts
