"""Two pulls are compared as two fetches are, table by table, and only of one question."""

import datetime as dt
from pathlib import Path

import pytest

import ventureframe as vf
from ventureframe import bulk
from ventureframe.errors import FetchesNotComparable

TABLES = ("companies", "funds", "jobs")


def test_two_pulls_differ_as_two_fetches_do(tmp_path: Path) -> None:
    fetched = []
    for day in ("2026-03-31", None):
        with vf.connect(environment={}, sample_day=day) as svc:
            svc.pull(*TABLES, out=tmp_path / str(day))
            svc.pull("jobs", out=tmp_path / "both")
            fetched.append({name: getattr(svc, name).fetch() for name in TABLES})
            if day is None:
                where = "launch_date[gte]:2020"
                svc.pull("companies", out=tmp_path / "narrow", where=where)
    study = vf.changes.compare(tmp_path / "2026-03-31", tmp_path / "None")
    assert tuple(study.pairs) == TABLES
    for name, before in fetched[0].items():
        expected = vf.changes.compare(before, fetched[1][name]).counts
        assert study.only(name).counts == expected, name
    assert study.day == "from 2026-03-31 to 2026-06-30"
    sides = (bulk.open(tmp_path / "both", pulled=day) for day in _days(tmp_path / "both"))
    of_one_folder = vf.changes.compare(*sides)
    assert of_one_folder.counts == study.only("jobs").counts
    with pytest.raises(FetchesNotComparable, match="filter differs"):
        vf.changes.compare(tmp_path / "2026-03-31", tmp_path / "narrow")


def _days(folder: Path) -> list[dt.date]:
    from ventureframe.dataset.manifest import opened

    return [each.day for each in opened(folder).pulls]
