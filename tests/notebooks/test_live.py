"""The notebook that needs a key, run against a service that asks for one."""

from pathlib import Path

import pytest
from tests.fake import environment_of
from tests.service.sample.sample import sample

from ventureframe import report
from ventureframe.client.result import load
from ventureframe.errors import ReportError
from ventureframe_service import run


@pytest.mark.slow
def test_it_checks_counts_fetches_saves_and_names_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, folder = tmp_path / "live.html", tmp_path / "save"
    with run.start(sample(companies=300)) as running:
        for name, value in environment_of(running).items():
            monkeypatch.setenv(name, value)
        given = {"folder": str(folder)}
        report.build("05_live_data", out=out, parameters=given, progress=False)
        few = {"most_companies": 3}
        with pytest.raises(ReportError, match="raise most_companies to fetch them"):
            report.build(
                "05_live_data", out=tmp_path / "x.html", parameters=few, progress=False
            )
    page = out.read_text("utf-8")
    assert "live service" in page
    assert "All is well" in page
    assert "DOES NOT HOLD" not in page
    assert "then their founders" in page
    assert running.client_secret not in page
    assert load(folder, "companies").is_complete
    assert not (tmp_path / "x.html").exists()
