"""Frames of a folder go straight into every study, which finds what it finds over
the service.
"""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.engines import fingerprints
from tests.service.sample.sample import sample
from tests.studies.worlds import Uni
from ventureframe import bulk
from ventureframe.errors import UnsupportedValue


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=60).write(tmp_path_factory.mktemp("sample"))


EVERY = "all companies that meet the conditions"


def finds(frames: Mapping[str, Any]) -> dict[str, Any]:
    """Both studies that read further tables of a dataset."""
    return {
        "hiring": vf.hiring.find(**frames, currency="EUR", scope=EVERY),
        "exposure": vf.exposure.find(**frames, currency="GBP", since=2021),
    }


@pytest.mark.slow
def test_hiring_and_exposure_are_the_same_over_the_service(folder: Path) -> None:
    found = finds(bulk.open(folder))
    with vf.connect(data=folder, environment={}) as svc:
        backers = pl.read_parquet(folder / "investors.parquet").filter("is_lp")["uuid"]
        lps = [svc.lp(uuid) for uuid in backers]
        asked: dict[str, Any] = {
            "hiring": vf.hiring.study(svc, status=(), rounds_of=60, currency="EUR"),
            "exposure": vf.exposure.study(svc, lps=lps, since=2021, currency="GBP"),
        }
    for name, study in asked.items():
        assert fingerprints(found[name].frames) == fingerprints(study.frames), name
        assert found[name].counts == study.counts
        assert found[name].source.as_of == svc.source.as_of
        assert "SYNTHETIC" in repr(getattr(found[name], found[name].findings()[0]))


def test_what_a_pull_has_not_asked_for_is_said_and_never_taken_for_nothing(
    folder: Path, tmp_path: Path
) -> None:
    with vf.connect(data=folder, environment={}) as svc:
        svc.pull("companies", "jobs", "news", out=tmp_path, currency="EUR")
        study = vf.hiring.study(svc, status=(), rounds_of=1, currency="EUR")
    frames = bulk.open(tmp_path)
    found = vf.hiring.find(**frames, currency="EUR")
    assert found.frames["postings"].equals(study.frames["postings"])
    assert found.counts.rounds_asked == 0
    assert set(found.frames["ranking"]["rounds"]) == {"not_asked"}
    with pytest.raises(UnsupportedValue, match=r"holds no lps: companies, founders"):
        vf.exposure.find(**frames, currency="EUR")
    with pytest.raises(
        UnsupportedValue, match=r"holds no education: companies, .* can be pulled"
    ):
        vf.spinouts.find(**frames, university=Uni(), currency="EUR")
    with pytest.raises(UnsupportedValue, match="converted to, EUR"):
        vf.hiring.find(**frames, currency="USD")
    assert "founders" not in repr(frames).split(": ")[1].split(", ")


@pytest.mark.parametrize("since", ["2020", 20.5, -1, dt.date(2020, 1, 1)])
def test_a_first_year_that_is_none_is_refused_before_frames_are_read(
    folder: Path, since: Any
) -> None:
    with pytest.raises(UnsupportedValue, match=r"'since' cannot be .*: give a whole"):
        vf.exposure.find(**bulk.open(folder), currency="EUR", since=since)


def test_an_argument_that_is_no_frame_of_a_dataset_is_refused(folder: Path) -> None:
    frames = bulk.open(folder)
    for find in (vf.hiring.find, vf.exposure.find, vf.spinouts.find):
        with pytest.raises(TypeError, match="no argument 'compnies'"):
            find(**frames, university="x", currency="EUR", compnies=frames["companies"])


def test_a_pull_says_in_captions_and_caveats_what_of_the_collections_it_holds(
    folder: Path, tmp_path: Path
) -> None:
    with vf.connect(data=folder, environment={}) as svc:
        where = {"companies": vf.company.launch_date >= 2010}
        svc.pull("companies", "jobs", "news", out=tmp_path, where=where)
    said = "companies only where launch_date[gte]:2010"
    study = vf.hiring.find(**bulk.open(tmp_path), currency="USD")
    assert f"INCOMPLETE: {said}" in study.postings.caption
    assert f"The dataset is not whole: {said}." in study.caveats.to_csv()
    with vf.connect(data=tmp_path, environment={}) as again:
        study = vf.hiring.study(again, status=())
    assert f"INCOMPLETE: {said}" in study.postings.caption


def test_the_condition_of_a_pull_stands_in_title_and_line(tmp_path: Path) -> None:
    with vf.connect(environment={}) as svc:
        young = {"companies": vf.company.launch_date >= 2015}
        svc.pull("companies", "jobs", "news", where=young, out=tmp_path / "pull")
    study = vf.hiring.find(**vf.bulk.open(tmp_path / "pull"), currency="USD")
    assert "· founded since 2015 ·" in study.title
    assert study.counted.startswith("companies founded since 2015;")
