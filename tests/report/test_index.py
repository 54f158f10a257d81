"""What was built is listed on one page; what needs a key is left out without one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from tests.notebooks.refresh import refresh
from tests.report.conftest import Write, shown

from ventureframe import report
from ventureframe.client.service import Service
from ventureframe.connect import connect
from ventureframe.errors import ReportError
from ventureframe.report.notebook import NEEDS_KEY, WIDGET, without_widgets
from ventureframe.report.page import Entry, entry
from ventureframe.report.run import run

SOURCE = """
import datetime as dt
from IPython.display import display
from ventureframe.evidence.answer import Answer
from ventureframe.interface.source import Source
source = Source(
    'A & B" · as of 2020-01-01', as_of=dt.date(2026, 6, 30), synthetic=True, is_embedded=True
)
"""
ANSWER = f"{SOURCE}Answer('3 of 4 < 5.', source)"


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
    notebooks = (
        write(ANSWER),
        write("1 / 0", name="broken"),
        write(name="plain"),
        keyed,
    )
    out, failed = tmp_path / "reports", list[str]()
    made = list(report.build_all(notebooks, out=out, failed=failed, progress=False))
    assert failed == [
        "broken: cell 6 of the notebook failed: ZeroDivisionError: division by zero"
    ]
    assert made == [out / "small.html", out / "plain.html", out / "index.html"]
    assert sorted(path.name for path in out.iterdir()) == [
        "index.html",
        "plain.html",
        "small.html",
    ]
    page = (out / "index.html").read_text("utf-8")
    assert (
        '<a href="small.html">Who started what?</a></th><td>3 of 4 &lt; 5.</td>' in page
    )
    source = "A &amp; B&#34; · as of 2020-01-01"
    assert (
        f"<td>{source}</td><td>2026-06-30</td><td><strong>SYNTHETIC</strong></td>"
        in page
    )
    assert '<a href="plain.html">Who started what?</a></th><td>A question.</td>' in page
    assert (
        "Ask for real</th><td>Not built: keyed asks a live service and needs its key"
        in page
    )
    assert (
        "</th><td>Not built: cell 6 of the notebook failed: ZeroDivisionError" in page
    )
    assert "<td>university: Example University; city: Example Town</td>" in page


def test_facts_travel_with_every_kind_of_output(write: Write) -> None:
    ways = (
        "Answer('3 of 4 < 5.', source)",
        "display(Answer('3 of 4 < 5.', source))",
        (
            "out = display(Answer('1 of 4 < 5.', Source('old')), display_id=True)\n"
            "out.update(Answer('3 of 4 < 5.', source))"
        ),
    )
    notebook = nbformat.read(write(SOURCE, *ways), as_version=4)
    done = run(notebook, name="", progress=False)
    for cell in done.cells[-len(ways) :]:
        alone = new_notebook(cells=[done.cells[0], cell])
        assert entry(alone, file="small.html") == Entry(
            "small.html",
            "Who started what?",
            "3 of 4 < 5.",
            'A & B" · as of 2020-01-01',
            "2026-06-30",
            is_synthetic=True,
        ), cell.source


@pytest.mark.parametrize(
    "made",
    [
        lambda svc: svc,
        lambda svc: svc.news.fetch(progress=False),
        lambda svc: svc.aggregate("companies", group_by="hq_country"),
    ],
    ids=["service", "result", "aggregate"],
)
def test_what_a_service_and_its_results_show_names_the_source(
    made: Callable[[Service], object],
) -> None:
    with connect() as svc:
        cell = shown(made(svc))
    found = entry(new_notebook(cells=[new_markdown_cell("# Title"), cell]), file="")
    assert "SYNTHETIC" in cell.outputs[0].data["text/plain"]
    assert (found.source, found.as_of) == ("Harrowmere sample", "2026-06-30")
    assert found.is_synthetic is True


@pytest.mark.parametrize("is_synthetic", [False, None])
def test_a_source_that_does_not_tell_is_not_called_real(
    is_synthetic: bool | None,
) -> None:
    facts = {"source": "S", "as_of": None, "synthetic": is_synthetic}
    cell = new_code_cell(
        outputs=[new_output("display_data", metadata={"ventureframe": facts})]
    )
    found = entry(new_notebook(cells=[new_markdown_cell("# Title"), cell]), file="")
    assert (found.source, found.as_of, found.is_synthetic) == ("S", None, is_synthetic)


def test_a_notebook_that_asks_a_live_service_is_refused_without_a_key(
    keyed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VENTUREFRAME_BASE_URL", raising=False)
    with pytest.raises(
        ReportError, match=r"^keyed asks a live service and needs its key: set VEN"
    ):
        report.build(keyed, out=tmp_path / "r.html")
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", "https://live.example")
    with pytest.raises(ReportError, match="needs its key"):
        report.build(keyed, out=tmp_path / "r.html", data=tmp_path)
    assert list(tmp_path.iterdir()) == [keyed]
    report.build(keyed, out=tmp_path / "r.html", progress=False)
    assert (tmp_path / "ran").exists()


def test_it_is_kept_without_outputs(keyed: Path) -> None:
    refresh(keyed)
    assert nbformat.read(keyed, as_version=4).cells[1].execution_count is None


@pytest.mark.slow
def test_an_installed_package_gives_copies_to_work_on_and_keeps_ones_own(
    tmp_path: Path,
) -> None:
    package = tmp_path / "site" / "ventureframe"
    shutil.copytree(
        Path(report.__file__).parents[1],
        package,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copytree(report.notebooks_folder(), package / "notebooks")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "00_start_here.ipynb").write_text("my own work")
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            (
                "import ventureframe.report as r, pathlib as p; "
                "print(r.notebooks_folder(), r.opened_in(p.Path('mine')))"
            ),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert said.split() == [str(package / "notebooks"), "mine"]
    assert (mine / "00_start_here.ipynb").read_text() == "my own work"
    names = [path.name for path in report.notebooks()]
    assert sorted(path.name for path in mine.iterdir()) == names


def test_widgets_of_a_kernel_that_has_ended_are_removed_before_the_notebooks_are_opened() -> (
    None
):
    gone = new_output("display_data", data={WIDGET: {"model_id": "gone"}})
    kept = new_output("display_data", data={"text/plain": "kept"})
    notebook = new_notebook(cells=[new_code_cell("x", outputs=[gone, kept])])
    assert without_widgets(notebook)
    assert notebook.cells[0].outputs == [kept]
    assert not without_widgets(notebook)
