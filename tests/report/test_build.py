"""A report is one file, the same for the same input, and there only when all went well."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from tests.report.conftest import Write

from ventureframe import report
from ventureframe.errors import ReportError
from ventureframe.report.notebook import HIDDEN


def test_two_runs_give_equal_bytes(write: Write, tmp_path: Path) -> None:
    noise = "import warnings, tqdm\nfor _ in tqdm.tqdm(range(3)): pass\nwarnings.warn('x')"
    notebook = write(noise)
    first = report.build(notebook, out=tmp_path / "a.html", progress=False).read_bytes()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = notebook.rename(elsewhere / notebook.name)
    second = report.build(moved, out=elsewhere / "b.html", progress=False).read_bytes()
    assert first == second
    assert str(tmp_path).encode() not in first
    assert b"warn" not in first.split(b"<body>")[1].split(b"<script>")[0]


def test_the_page_has_what_a_reader_and_a_screen_reader_need(write: Write, tmp_path: Path) -> None:
    notebook = write()
    out = report.build(
        notebook, out=tmp_path / "r.html", parameters={"founded_from": "1990"}, progress=False
    )
    page = out.read_text(encoding="utf-8")
    assert re.match(r'<!DOCTYPE html>\s+<html lang="en">', page)
    assert page.count("<h1>") == 1
    assert "<p>Example University from 1990</p>" in page
    assert page.index('id="the-answer"') < page.index('id="pool"')
    assert re.findall(r'<li><a href="#([^"]+)">', page) == ["the-answer", "pool", "sources-clocks"]
    assert 'href="#content"' in page
    assert "from IPython" not in page
    assert "SYNTHETIC" not in page


@pytest.mark.parametrize(
    ("code", "has_banner"),
    [
        ("Answer('3 of 4', Source('A', synthetic=True))", True),
        ("Answer('· SYNTHETIC sample data', Source('SYNTHETIC \"A\"', synthetic=False))", False),
    ],
)
def test_a_source_that_is_made_up_puts_a_banner_on_the_page_whatever_the_text_says(
    write: Write, tmp_path: Path, code: str, has_banner: bool
) -> None:
    notebook = write(
        "from ventureframe.evidence.study import Answer\n"
        f"from ventureframe.interface.source import Source\n{code}"
    )
    page = report.build(notebook, out=tmp_path / "r.html", progress=False).read_text("utf-8")
    assert ("<strong>SYNTHETIC</strong> sample data" in page) is has_banner


def test_a_report_is_named_after_its_study_and_leaves_out_what_is_for_the_notebook_only(
    write: Write, tmp_path: Path
) -> None:
    notebook = write(
        "from ventureframe.evidence.study import Answer\nAnswer('3 of 4.', heading='X & Y · EUR')"
    )
    document = nbformat.read(notebook, as_version=4)
    document.cells[3].metadata["tags"] = [HIDDEN]
    nbformat.write(document, notebook)
    page = report.build(notebook, out=tmp_path / "r.html", progress=False).read_text("utf-8")
    assert "<title>X &amp; Y · EUR</title>" in page
    assert "<h1>X &amp; Y · EUR</h1>" in page
    assert '<p class="vf-question">Who started what?</p>' in page
    assert "Some prose." not in page


def test_an_evidence_warning_is_kept_and_its_place_in_the_code_is_not(
    write: Write, tmp_path: Path
) -> None:
    notebook = write(
        "import warnings; from ventureframe.errors import EvidenceWarning\n"
        "warnings.warn('3 dates are < a day precise', EvidenceWarning)\n"
        "warnings.warn('EvidenceWarning: only said so')"
    )
    page = report.build(notebook, out=tmp_path / "r.html", progress=False).read_text("utf-8")
    assert '<p class="vf-warning" role="note">3 dates are &lt; a day precise</p>' in page
    assert "ipykernel" not in page
    assert "only said so" not in page


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "from ventureframe.errors import LookupFailed\n"
            "raise LookupFailed('no university is called X; near: Y')",
            "^no university is called X; near: Y$",
        ),
        (
            "from ventureframe.evidence.question import Unclear\n"
            "from ventureframe.errors import LookupFailed\n"
            "raise Unclear(LookupFailed('no university is called X'), ('X', None))",
            "^no university is called X$",
        ),
        ("1 / 0", "^cell 6 of the notebook failed: ZeroDivisionError: division by zero$"),
        ("import os; os._exit(3)", "kernel stopped before its end"),
    ],
)
def test_an_error_in_the_notebook_ends_without_a_file(
    write: Write, tmp_path: Path, code: str, message: str
) -> None:
    notebook = write(code)
    with pytest.raises(ReportError, match=message):
        report.build(notebook, out=tmp_path / "r.html", progress=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [notebook.name]


def test_a_report_that_was_there_survives_a_failure(write: Write, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    out.write_text("the last one")
    with pytest.raises(ReportError):
        report.build(write("1 / 0"), out=out, progress=False)
    assert out.read_text() == "the last one"


def test_no_kernel_stays_behind(write: Write, tmp_path: Path) -> None:
    before = _children()
    report.build(write(), out=tmp_path / "r.html", progress=False)
    with pytest.raises(ReportError):
        report.build(write("1 / 0"), out=tmp_path / "r.html", progress=False)
    assert _children() <= before


def test_the_kernel_sees_the_dataset_and_nothing_of_a_live_service(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENTUREFRAME_BASE_URL", "https://live.example")
    monkeypatch.setenv("VENTUREFRAME_CLIENT_SECRET", "hush")
    notebook = write(
        "import os; print(sorted((k, v) for k, v in os.environ.items() if k[:8] == 'VENTUREF'))"
    )
    report.build(notebook, out=tmp_path / "r.html", data=tmp_path, currency="EUR", progress=False)
    page = (tmp_path / "r.html").read_text("utf-8")
    shown = f"[('VENTUREFRAME_CURRENCY', 'EUR'), ('VENTUREFRAME_DATA', '{tmp_path}')]"
    assert shown.replace("'", "&#39;") in page or shown in page
    assert "live.example" not in page
    assert "hush" not in page


@pytest.mark.parametrize("out", ["small.ipynb/r.html", "."])
def test_a_place_that_cannot_be_written_is_refused_before_anything_runs(
    write: Write, tmp_path: Path, out: str
) -> None:
    marker = tmp_path / "ran"
    notebook = write(f"open({str(marker)!r}, 'w').close()")
    with pytest.raises(ReportError, match="cannot be written: "):
        report.build(notebook, out=tmp_path / out, progress=False)
    assert not marker.exists()


def test_a_notebook_is_found_by_path_or_by_name(write: Write) -> None:
    assert report.find(write()).name == "small.ipynb"
    with pytest.raises(ReportError, match=r"no notebook '01_university_spinoffs'.*path of a file"):
        report.find("01_university_spinoffs")


def test_a_file_that_is_no_notebook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text("{}")
    with pytest.raises(ReportError, match=r"x\.ipynb cannot be read as a notebook"):
        report.build(path, out=tmp_path / "r.html")


def test_refreshing_twice_changes_no_byte(write: Write) -> None:
    notebook = write("import ipywidgets; ipywidgets.IntSlider()", question="spinouts")
    report.refresh(notebook, progress=False)
    first = notebook.read_bytes()
    report.refresh(notebook, progress=False)
    assert notebook.read_bytes() == first
    assert b"widget" not in first.replace(b"import ipywidgets; ipywidgets.IntSlider()", b"")
    assert b'"execution_count": 6' in first
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


def test_a_form_without_an_answer_ends_a_report_with_its_sentence(tmp_path: Path) -> None:
    out = tmp_path / "none.html"
    given = {"university": "Nowhere", "domain": "nowhere.example"}
    with pytest.raises(ReportError, match=r"^No university has name 'Nowhere' and domain"):
        report.build("01_university_spinouts", out=out, parameters=given, progress=False)
    assert not out.exists()
