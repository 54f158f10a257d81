"""One run gives a page, a PDF and a workbook; data never becomes a formula; equal
bytes twice.
"""

import datetime as dt
import io
import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from tests.report.conftest import Write

import ventureframe as vf
from ventureframe import report
from ventureframe.display.workbook import sheet_name
from ventureframe.errors import ReportError
from ventureframe.evidence.study import Study
from ventureframe.report.build import format_of, formats
from ventureframe.report.formats import chromium, printed

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
HOSTILE = (
    '=HYPERLINK("http://evil.example")',
    "http://evil.example",
    "+1",
    "7",
    "{=1+1}",
    "-2",
)
STUDY = """
import ventureframe as vf
study = vf.exposure.study(
    vf.connect(), lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")]
)
study.answer
"""


@pytest.fixture(scope="module")
def study() -> Iterator[Study]:
    """A study of the sample."""
    with vf.connect(environment={}) as svc:
        lps = [("Meridian Sovereign Reserve", "meridian-reserve.example")]
        yield vf.exposure.study(svc, lps=lps, since=2021, currency="EUR")


def parts(content: bytes) -> dict[str, str]:
    """The files of a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def sheets(content: dict[str, str]) -> list[str]:
    """The names of its sheets, in order."""
    return [
        one.attrib["name"]
        for one in ET.fromstring(content["xl/workbook.xml"]).iter(f"{SHEET}sheet")
    ]


def test_a_workbook_begins_with_answer_filters_limits_and_sources(study: Study) -> None:
    made = study.workbook()
    assert made == study.workbook(), "equal bytes"
    content = parts(made)
    text = "".join(ET.fromstring(content["xl/sharedStrings.xml"]).itertext())
    for said in (
        study.answer.sentence,
        study.counted,
        "Filters",
        "2021 or later",
        "Meridian Sovereign Reserve, meridian-reserve.example",
        study.limits[0].text,
        "Harrowmere sample",
        "SYNTHETIC sample data",
    ):
        assert said in text
    own = (study.lead[0], *study.findings())
    shown = [
        n
        for n in dict.fromkeys(own)
        if n not in ("caveats", "sources") and getattr(study, n)
    ]
    assert sheets(content) == [
        "Answer",
        *map(sheet_name, shown),
    ]
    tables = [
        ET.fromstring(text) for name, text in content.items() if "/tables/" in name
    ]
    assert {table.get("name") for table in tables} == set(shown)
    chart = content["xl/charts/chart1.xml"]
    assert "Funds!$A$5" in chart, "the names of the funds"


def test_no_text_of_the_data_becomes_a_formula_a_link_or_a_number(study: Study) -> None:
    name = next(n for n in study.findings() if study.frames[n].height >= len(HOSTILE))
    frame = study.frames[name]
    column = next(
        each.name
        for each in getattr(study, name).columns
        if each.kind == "text" and frame.schema[each.name] == pl.String
    )
    texts = pl.Series(column, HOSTILE)
    changed = frame.head(len(HOSTILE)).with_columns(texts)
    content = parts(replace(study, frames={**study.frames, name: changed}).workbook())
    assert not any("<f>" in text for text in content.values())
    assert [name for name in content if "evil" in content[name]] == [
        "xl/sharedStrings.xml"
    ]
    shared = ET.fromstring(content["xl/sharedStrings.xml"])
    strings = ["".join(each.itertext()) for each in shared.iter(f"{SHEET}si")]
    assert set(HOSTILE) <= set(strings)


def test_amounts_are_numbers_and_a_fund_of_1_january_is_its_year(study: Study) -> None:
    funds = study.frames["funds"].drop_nulls("fund_size").head(2)
    days = [dt.date(2012, 1, 1), dt.date(2012, 1, 2)]
    funds = funds.with_columns(fund_date=pl.Series(days))
    content = parts(replace(study, frames={**study.frames, "funds": funds}).workbook())
    styles = ET.fromstring(content["xl/styles.xml"])
    numbers = styles.iter(f"{SHEET}numFmt")
    codes = {one.get("numFmtId"): one.get("formatCode") for one in numbers}
    styled = styles.iterfind(f"{SHEET}cellXfs/*")
    looks = [codes.get(one.get("numFmtId")) for one in styled]
    place = sheets(content).index("Funds") + 1
    cells = ET.fromstring(content[f"xl/worksheets/sheet{place}.xml"]).iter(f"{SHEET}c")
    shown = {
        float(one.findtext(f"{SHEET}v") or 0): looks[int(one.get("s", 0))]
        for one in cells
        if "t" not in one.attrib
    }
    assert (shown[40909], shown[40910]) == ("yyyy", "yyyy-mm-dd")  # days since 1900
    assert set(funds["fund_size"].round(6)) <= {round(number, 6) for number in shown}


def test_one_run_writes_every_format_beside_the_page(
    write: Write, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "r.html"
    report.build(write(STUDY), out=out, also=["xlsx"], progress=False)
    assert sorted(each.name for each in out.parent.iterdir()) == ["r.html", "r.xlsx"]
    assert b"write_study" not in out.read_bytes()
    assert "Meridian" in "".join(parts(out.with_suffix(".xlsx").read_bytes()).values())


def test_a_notebook_without_a_study_has_no_workbook_and_no_file_is_written(
    write: Write, tmp_path: Path
) -> None:
    notebook = write()
    with pytest.raises(ReportError, match=r"^this notebook makes no study"):
        report.build(notebook, out=tmp_path / "r.xlsx", also=["html"], progress=False)
    assert [each.name for each in tmp_path.iterdir()] == [notebook.name]


def test_a_pdf_is_the_page_twice_in_equal_bytes() -> None:
    try:
        chromium()
    except ReportError:
        if os.environ.get("CI"):
            raise
        pytest.skip("Chromium is not installed")
    first = printed("<!DOCTYPE html><title>T</title><h1>Who?</h1>")
    assert first.startswith(b"%PDF-")
    assert b"(D:20000101000000" in first
    assert printed("<!DOCTYPE html><title>T</title><h1>Who?</h1>") == first


def test_without_chromium_one_sentence_comes_before_the_run(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "ran"
    notebook = write(f"open({str(marker)!r}, 'w').close()")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("chromium") is None
    with pytest.raises(
        ReportError, match=r"^a PDF is printed by Chromium or Chrome, and none is"
    ):
        report.build(notebook, out=tmp_path / "r.pdf", progress=False)
    assert not marker.exists()


def test_the_formats_are_those_asked_for_else_that_of_the_file() -> None:
    assert format_of(Path("a.PDF")) == "pdf"
    assert format_of(Path("a")) == "html"
    assert formats("xlsx, HTML,xlsx") == ["xlsx", "html"]
    for ending in ("docx", "htm", "2013"):
        with pytest.raises(ReportError, match=f"html, pdf, xlsx, not as '{ending}'"):
            format_of(Path(f"a.{ending}"))
    for wrong in ("docx", "html,", "html;pdf"):
        with pytest.raises(
            ReportError, match=r"^a report is written as html, pdf, xlsx, not as "
        ):
            formats(wrong)


def test_a_study_without_a_form_is_written_as_the_ending_says(tmp_path: Path) -> None:
    every = vf.institutions.find(**vf.bulk.open(), currency="EUR")
    page = every.report(tmp_path / "every.html", by="Ada L.")
    assert '<p class="vf-signed">Ada L.</p>' in page.read_text("utf-8")
    for _ in range(2):
        book = every.report(str(tmp_path / "every.xlsx"))
        assert book.read_bytes()[:2] == b"PK"
    made = every.report(f"{tmp_path}/new/")
    assert made == tmp_path / "new" / "institutions.html"
    assert made.read_bytes().startswith(b"<!DOCTYPE html>")
