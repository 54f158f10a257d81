"""Two pulls are compared as two fetches are, collection by collection, and only of
one question.
"""

import dataclasses
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from ventureframe.dataset import manifest
from ventureframe.errors import EvidenceError, FetchesNotComparable, UnsupportedValue

TABLES = ("companies", "founders", "funds", "news", "jobs")


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What was pulled of the sample on two days."""
    home = tmp_path_factory.mktemp("pulls")
    for day in ("2026-03-31", None):
        with vf.connect(environment={}, sample_day=day) as svc:
            svc.pull(*TABLES, out=home / str(day))
    return home / "2026-03-31", home / "None"


@pytest.mark.slow
def test_two_pulls_differ_as_two_fetches_do(days: tuple[Path, Path]) -> None:
    study = vf.changes.compare(*days)
    assert tuple(study.pairs) == TABLES
    assert study.day == "from 31 March 2026 to 30 June 2026"
    assert study.currency == "USD"
    with (
        vf.connect(environment={}, sample_day="2026-03-31") as march,
        vf.connect(environment={}) as june,
    ):
        for name in TABLES:
            old, new = (getattr(svc, name).fetch() for svc in (march, june))
            assert study.only(name).counts == vf.changes.compare(old, new).counts, name
    said = "These fields are not compared: prior employers (in neither of the two)"
    assert said in study.only("founders").caveats.to_csv()


def test_pulls_of_other_questions_are_refused(
    days: tuple[Path, Path], tmp_path: Path
) -> None:
    with vf.connect(environment={}) as svc:
        svc.pull(
            "companies",
            out=tmp_path / "new",
            where={"companies": vf.company.launch_date >= 2020},
        )
        svc.pull("companies", out=tmp_path / "pounds", currency="GBP")
        svc.pull("jobs", out=tmp_path / "late")
    change(tmp_path / "late", since=dt.date(2026, 1, 1))  # an earlier version's
    with (
        vf.connect(environment={}) as svc,
        pytest.raises(UnsupportedValue, match="holds another pull of jobs"),
    ):
        svc.pull("jobs", out=tmp_path / "late")
    for name, difference in (
        ("new", "filter differs"),
        ("pounds", r"currency differs \(USD, GBP\)"),
        ("late", "differ in first day of jobs"),
    ):
        with pytest.raises(FetchesNotComparable, match=difference):
            vf.changes.compare(days[0], tmp_path / name)


def test_what_an_incomplete_pull_leaves_open_is_not_claimed(
    days: tuple[Path, Path], tmp_path: Path
) -> None:
    with vf.connect(environment={}) as svc:
        svc.pull("jobs", out=tmp_path)
    (pull,) = manifest.opened(tmp_path).pulls
    walk = dataclasses.replace(pull.certificate, verdict="drifted")
    change(tmp_path, certificate=walk)
    study = vf.changes.compare(days[0], tmp_path)
    assert study.counts.no_longer_seen is None
    assert "the records moved while the second fetch read them" in study.answer
    with pytest.raises(EvidenceError, match="not claimed"):
        study.no_longer_seen.to_polars()


def change(folder: Path, **facts: Any) -> None:
    """Change what the manifest says of the one pull of a folder."""
    held = manifest.opened(folder)
    (pull,) = held.pulls
    changed = dataclasses.replace(pull, **facts)
    dataclasses.replace(held, pulls=(changed,)).write(folder)
