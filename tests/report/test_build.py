"""A report is one file, the same for the same input, and there only when all went
well.
"""

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import polars as pl
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook
from tests.notebooks.refresh import refresh
from tests.report.conftest import TABLE, Write, cells, shown

from ventureframe import report
from ventureframe.display.finding import Finding
from ventureframe.display.table import Column
from ventureframe.errors import ReportError
from ventureframe.evidence.answer import Answer
from ventureframe.interface.source import Source
from ventureframe.report.notebook import HIDDEN
from ventureframe.report.page import page

NOTHING = Finding(
    "Postings", "", (Column("title", "Title"),), pl.DataFrame({"title": []})
)
NOISE = "import warnings, tqdm\nfor _ in tqdm.tqdm(range(3)): pass\nwarnings.warn('x')"
DOUBT = """
from ventureframe.errors import EvidenceWarning
warnings.warn('3 dates are < a day precise', EvidenceWarning)
warnings.warn('EvidenceWarning: only said so')
""".strip()


def built(folder: Path) -> Path:
    """The report of the small notebook with a bar, warnings and a parameter, made in
    a folder.
    """
    folder.mkdir()
    nbformat.write(new_notebook(cells=cells(NOISE, DOUBT)), folder / "small.ipynb")
    return report.build(
        folder / "small.ipynb",
        out=folder / "r.html",
        parameters={"university": "Example College"},
        progress=False,
    )


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("first") / "here")


def test_two_runs_give_equal_bytes_and_leave_no_kernel(
    first: Path, tmp_path: Path
) -> None:
    before = _children()
    content = first.read_bytes()
    assert built(tmp_path / "elsewhere").read_bytes() == content
    assert _children() <= before
    assert str(first.parents[1]).encode() not in content
    assert b"warnings" not in content


def test_the_page_has_what_a_reader_and_a_screen_reader_need(first: Path) -> None:
    page = first.read_text("utf-8")
    assert re.match(r'<!DOCTYPE html>\s+<html lang="en">', page)
    assert page.count("<h1>") == 1
    assert "<p>Example College in Example Town</p>" in page
    places = map(
        page.index, ('id="the-answer"', '<details class="vf-evidence">', 'id="pool"')
    )
    assert sorted(order := [*places]) == order, (
        "the answer stands first, the rest is folded"
    )
    assert re.findall(r'<li><a href="#([^"]+)">', page) == ["pool", "sources-clocks"]
    assert 'href="#content"' in page
    assert "from IPython" not in page
    assert "SYNTHETIC" not in page
    assert 'class="vf-signed"' not in page


def test_an_evidence_warning_is_kept_and_its_place_in_the_code_is_not(
    first: Path,
) -> None:
    text = first.read_text("utf-8")
    assert (
        '<p class="vf-warning" role="note">3 dates are &lt; a day precise</p>' in text
    )
    assert text.count('class="vf-warning"') == 1
    assert "ipykernel" not in text
    assert "only said so" not in text


@pytest.mark.parametrize(
    ("answer", "has_banner"),
    [
        (Answer("3 of 4", Source("A", synthetic=True)), True),
        (
            Answer("· SYNTHETIC sample data", Source('SYNTHETIC "A"', synthetic=False)),
            False,
        ),
    ],
)
def test_a_source_that_is_made_up_puts_a_banner_on_the_page_whatever_the_text_says(
    answer: Answer, has_banner: bool
) -> None:
    made = page(new_notebook(cells=[*cells(), shown(answer)]))
    assert ("<strong>SYNTHETIC</strong> sample data" in made) is has_banner


def test_a_report_is_named_after_its_study_and_leaves_out_what_is_for_the_notebook_only() -> (
    None
):
    document = new_notebook(
        cells=[*cells(), shown(Answer("3 of 4.", heading="X & Y · EUR"))]
    )
    document.cells[3].metadata["tags"] = [HIDDEN]
    made = page(document)
    assert "<title>X &amp; Y · EUR</title>" in made
    assert "<h1>X &amp; Y · EUR</h1>" in made
    assert '<p class="vf-question">Who started what?</p>' in made
    assert "Some prose." not in made
    document.cells += [new_markdown_cell("## Roles\n\nMore prose."), shown(NOTHING)]
    assert "More prose." not in (empty := page(document)), "a line is enough"
    assert "No record that was read belongs here." in empty
    unled = page(new_notebook(cells=document.cells[:3]))
    assert '<details class="vf-evidence" open>' in unled, (
        "without a lead nothing is folded"
    )


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            (
                "from ventureframe.errors import LookupFailed\n"
                "raise LookupFailed('no university is called X; near: Y')"
            ),
            "^no university is called X; near: Y$",
        ),
        (
            "1 / 0",
            "^cell 6 of the notebook failed: ZeroDivisionError: division by zero$",
        ),
        ("import os; os._exit(3)", "kernel stopped before its end"),
    ],
)
def test_an_error_in_the_notebook_ends_without_a_file_or_a_kernel(
    write: Write, tmp_path: Path, code: str, message: str
) -> None:
    notebook, out, before = write(code), tmp_path / "r.html", _children()
    is_there = "division" in message
    if is_there:
        out.write_text("the last one")
    with pytest.raises(ReportError, match=message):
        report.build(notebook, out=out, progress=False)
    assert _children() <= before
    if is_there:
        assert out.read_text() == "the last one", "a report that was there survives"
        out.unlink()
    assert [path.name for path in tmp_path.iterdir()] == [notebook.name]


def test_the_kernel_sees_the_dataset_and_nothing_of_a_live_service(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", "https://live.example")
    monkeypatch.setenv("VENTUREFRAME_CLIENT_SECRET", "hush")
    notebook = write(
        "import os; print(sorted((k, v) for k, v in os.environ.items() if k[:8] =="
        " 'VENTUREF'))"
    )
    report.build(
        notebook, out=tmp_path / "r.html", data=tmp_path, currency="EUR", progress=False
    )
    made = (tmp_path / "r.html").read_text("utf-8")
    seen = f"[('VENTUREFRAME_CURRENCY', 'EUR'), ('VENTUREFRAME_DATA', '{tmp_path}')]"
    assert seen.replace("'", "&#39;") in made or seen in made
    assert "live.example" not in made
    assert "hush" not in made


@pytest.mark.parametrize(
    "out", ["small.ipynb/r.html", "small.ipynb/", "/proc/none/r.html"]
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_runs(
    write: Write, tmp_path: Path, out: str
) -> None:
    marker = tmp_path / "ran"
    notebook = write(f"open({str(marker)!r}, 'w').close()")
    with pytest.raises(ReportError, match="cannot be written: "):
        report.build(notebook, out=os.path.join(tmp_path, out), progress=False)
    question = tmp_path / "small.ipynb" / "question.toml"
    with pytest.raises(ReportError, match="cannot be written: "):
        report.build(notebook, out=tmp_path / "r.html", question=question)
    assert not marker.exists()


def test_a_folder_takes_the_name_of_the_notebook_and_is_made_where_a_slash_ends_it(
    write: Write, tmp_path: Path
) -> None:
    notebook = write("1 + 1")
    for out in (tmp_path, f"{tmp_path}/new/2026.06/"):
        made = report.build(notebook, out=out, progress=False)
        assert made == Path(out) / "small.html"
        assert "<html" in made.read_text("utf-8")


def test_parameters_that_have_no_names_are_refused_before_anything_runs(
    write: Write, tmp_path: Path
) -> None:
    texts: Any = "since=2015"
    with pytest.raises(ReportError, match="parameters= takes names with values, such"):
        report.build(write("1 + 1"), out=tmp_path / "new/", parameters=texts)
    assert not (tmp_path / "new").exists()


def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("{}")
    with pytest.raises(ReportError, match=r"x\.ipynb cannot be read as a notebook"):
        report.build(path, out=tmp_path / "r.html")


@pytest.mark.slow
def test_a_notebook_carries_one_script_and_refreshing_it_twice_changes_no_byte(
    write: Write,
) -> None:
    slider = "import ipywidgets; ipywidgets.IntSlider()"
    notebook = write(slider, f"# again\n{TABLE}", question="spinouts")
    refresh(notebook, progress=False)
    first = notebook.read_bytes()
    refresh(notebook, progress=False)
    assert notebook.read_bytes() == first
    assert b"widget" not in first.replace(slider.encode(), b"")
    assert first.count(b"DecompressionStream") == 1
    assert b'"execution_count": 7' in first
    assert b'"question": "spinouts"' in first


def _children() -> set[int]:
    """The processes that this one started and that still run."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(stat.parent.name))
    return found


@pytest.mark.slow
def test_a_form_without_an_answer_ends_a_report_with_its_sentence(
    tmp_path: Path,
) -> None:
    out = tmp_path / "none.html"
    given = {"university": "Nowhere", "domain": "nowhere.example"}
    with pytest.raises(
        ReportError, match=r"^No university is called 'Nowhere' and has the domain"
    ):
        report.build(
            "01_university_spinouts", out=out, parameters=given, progress=False
        )
    assert not out.exists()
