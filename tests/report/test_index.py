"""What was built is listed on one page; what needs a key is left out without one."""

from __future__ import annotations

import argparse
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from tests.report.conftest import Write

from ventureframe import report
from ventureframe.errors import ReportError
from ventureframe.report.page import NEEDS_KEY

ANSWER = """
from IPython.display import HTML, display
class Service:
    def __repr__(self): return 'embedded service · SYNTHETIC "A & B" · as of 2026-06-30 · USD'
display(Service())
display(HTML('<p class="vf-answer">3 of 4 &lt; 5.</p>'))
"""


@pytest.fixture
def keyed(tmp_path: Path) -> Path:
    """A notebook that would leave a trace where it is run."""
    cells = [
        new_markdown_cell("# Ask for real\n\nA question."),
        new_code_cell("open('ran', 'w').close()", metadata={"tags": [NEEDS_KEY]}),
    ]
    path = tmp_path / "keyed.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def test_the_list_says_what_each_report_answers_and_rests_on(
    write: Write, keyed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VENTUREFRAME_BASE_URL", raising=False)
    notebooks = (write(ANSWER), write(name="plain"), keyed)
    monkeypatch.setattr(report, "notebooks", lambda: notebooks)
    out = tmp_path / "reports"
    options = argparse.Namespace(all=True, set=[], out=out, data=None, currency=None)
    report.main(options)
    first = (out / "index.html").read_bytes()
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "plain.html", "small.html"]
    page = first.decode()
    assert '<a href="small.html">Who started what?</a></th><td>3 of 4 &lt; 5.</td>' in page
    assert "<td>A &amp; B</td><td>2026-06-30</td><td><strong>SYNTHETIC</strong></td>" in page
    assert '<a href="plain.html">Who started what?</a></th><td>A question.</td>' in page
    assert "Ask for real</th><td>Not built: it asks a live service and needs its key" in page
    report.main(options)
    assert (out / "index.html").read_bytes() == first


def test_a_notebook_that_asks_a_live_service_is_refused_without_a_key(
    keyed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VENTUREFRAME_BASE_URL", raising=False)
    with pytest.raises(ReportError, match=r"^keyed asks a live service and needs its key: set VEN"):
        report.build(keyed, out=tmp_path / "r.html")
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", "https://live.example")
    with pytest.raises(ReportError, match="needs its key"):
        report.build(keyed, out=tmp_path / "r.html", data=tmp_path)
    assert list(tmp_path.iterdir()) == [keyed]
    report.build(keyed, out=tmp_path / "r.html", progress=False)
    assert (tmp_path / "ran").exists()


def test_it_is_kept_without_outputs(keyed: Path) -> None:
    report.refresh(keyed)
    assert nbformat.read(keyed, as_version=4).cells[1].execution_count is None
