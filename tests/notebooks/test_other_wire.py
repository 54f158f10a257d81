"""The notebooks run on the newer wire as on the interface's, and with a key that sees
less.
"""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from tests import fake

from ventureframe import report
from ventureframe.errors import EvidenceWarning
from ventureframe.report import notebook as notebooks
from ventureframe_service.dataset import sample

NAMES = [
    path.stem for path in report.notebooks() if path.stem[:2] not in ("04", "05", "07")
]
"""04 compares two days of the sample, 05 asks a live service, 07 reads a bulk folder."""


def question(name: str) -> dict[str, Any]:
    """What a notebook asks of the sample, in another currency: of a live service the
    question of the sample itself is not asked.
    """
    notebook = nbformat.read(notebooks.find(name), as_version=4)
    values: dict[str, Any] = {}
    for cell in notebook.cells:
        if "parameters" in cell.metadata.get("tags", ()):
            exec(cell.source, {}, values)
    if "currency" in values:
        values["currency"] = "EUR" if values["currency"] == "GBP" else "GBP"
    return values


def build(name: str, out: Path, patch: pytest.MonkeyPatch, tier: fake.Tier) -> str:
    """The page of a notebook over the sample, as a key of this tier sees it."""
    with fake.serving(sample(), tier=tier) as environment:
        for variable, value in environment.items():
            patch.setenv(variable, value)
        page = report.build(
            name, out=out / "page.html", parameters=question(name), progress=False
        )
    return page.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_on_the_newer_wire(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = build(name, tmp_path, monkeypatch, "premium")
    assert "SYNTHETIC" in page
    assert "2026-10-02" in page


@pytest.mark.slow
def test_a_notebook_says_what_a_key_does_not_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.warns(EvidenceWarning, match="Check the key"):  # where its cost is said
        page = build("01_university_spinouts", tmp_path, monkeypatch, "free")
    assert "The service does not show the founders of these companies." in page
