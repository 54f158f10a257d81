"""The notebooks run on today's wire as on the interface's."""

from pathlib import Path

import pytest

from ventureframe import report

NAMES = [path.stem for path in report.notebooks() if path.stem[:2] not in ("05", "07")]
"""05 asks a live service; 07 reads a bulk folder, which has no wire."""


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_on_todays_wire(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENTUREFRAME_WIRE", "2026-10-02")
    page = report.build(name, out=tmp_path / "page.html", progress=False).read_text(
        "utf-8"
    )
    assert "SYNTHETIC" in page
    if name != "04_what_changed":  # which compares fetches and shows where each is from
        assert "2026-10-02" in page
