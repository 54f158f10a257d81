"""The notebooks run on today's wire as on the interface's: `VENTUREFRAME_WIRES=1` runs them all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ventureframe import report

NAMES = [
    "03_hiring_signals",
    "00_start_here",
    "01_university_spinouts",
    "02_lp_exposure",
    "04_what_changed",
    "06_universities_side_by_side",
]
RUN = NAMES if os.environ.get("VENTUREFRAME_WIRES") else NAMES[:1]


@pytest.mark.parametrize("name", RUN)
def test_a_notebook_runs_on_todays_wire(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENTUREFRAME_WIRE", "2026-10-02")
    page = report.build(name, out=tmp_path / "page.html", progress=False).read_text("utf-8")
    assert "SYNTHETIC" in page
    if name != "04_what_changed":  # which compares fetches and shows where each is from
        assert "2026-10-02" in page
