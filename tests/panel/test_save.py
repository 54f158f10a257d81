"""A form becomes a file: a report of its findings, a workbook, its question."""

import html
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import ventureframe as vf
from tests.panel.test_form import run
from ventureframe.errors import ReportError
from ventureframe.evidence.members import KINDS
from ventureframe.evidence.question import EXAMPLES
from ventureframe.panel.form import Form
from ventureframe.report.build import save
from ventureframe.watch import read

WORDS = st.text(max_size=12).filter(str.strip).map(str.strip)
QUESTION = vf.exposure.Question(
    lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")],
    since=2024,
    currency="EUR",
)


@given(
    st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=3, unique=True)
)
def test_entries_are_read_back_from_the_command_line_as_they_were(entries: Any) -> None:
    assert KINDS["entries"].read(KINDS["entries"].written(entries)) == entries


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("entries", [("Any", "a.example"), ("B", None)], "Any, a.example; B"),
        ("entries", [("any", None)], "[('any', None)]"),
        (
            "place",
            ("Atlanta", "city", "Georgia"),
            "Atlanta, city, Georgia",
        ),
        ("years", (2005, None), "2005-"),
        ("amounts", (None, 1e-7), "(None, 1e-07)"),
        ("amounts", (1e6, 2.5e20), "(1000000.0, "),
        ("flag", False, "no"),
        ("year", None, "none"),
    ],
)
def test_every_kind_of_value_is_read_back_as_it_was(
    kind: str, value: Any, said: str
) -> None:
    text = KINDS[kind].written(value)
    assert KINDS[kind].read(text) == value
    if "2.5" not in repr(value):
        assert text.startswith(said)


CELL = 'lps = [\n    ("A", None),\n]\nsince = 2021\ncurrency = "EUR"'


def test_what_is_fetched_is_written_into_the_cell_of_parameters() -> None:
    question = QUESTION.set(since=2021)
    other = ("Halvard Foundation", "halvard.example")
    with vf.connect(environment={}) as svc:
        form = Form(vf.form(svc, question))
        form.browser.code = ["import polars", 'since = 1\nprint("")', CELL, "since = 5"]
        form.controls["since"].fields[0].value = "2024"
        form.controls["lps"].write([*QUESTION.lps, other])
        run(form.fetch())
        assert "put these lines into the code" in form.kept.value, (
            "until they are there"
        )
        was, new = form.browser.rewritten
        assert was == CELL
        values = dict[str, Any]()
        exec(new, values)
        del values["__builtins__"]
        assert vf.exposure.Question(**values) == form.panel.question
        assert new.endswith('since = 2024\ncurrency = "EUR"'), "what is equal stays"
        form.browser._receive(None, {"kept": True}, None)
        assert "lines" not in form.kept.value
        run(form.fetch())
        assert form.kept.value == ""


@pytest.mark.real
def test_on_own_data_the_currency_of_the_code_stays_and_its_year_does_not(
    real_data: Path,
) -> None:
    lps = vf.exposure.Question(**EXAMPLES["exposure"])
    universities = vf.universities.Question(**EXAMPLES["universities"])
    with vf.connect(data=real_data / "venture-2013", environment={}) as svc:
        of_lps, panel = vf.form(svc, lps), vf.form(svc, universities)
        chosen = vf.form(svc, lps.set(since=2008))
    assert of_lps.question == vf.exposure.Question(currency="USD")
    assert panel.question == vf.universities.Question(currency="EUR")
    assert str(panel.failure) == "Nothing is chosen yet: fill in Universities."
    assert chosen.question.parameters["since"] == 2008, "what is not the example stays"


def test_the_findings_make_the_report_and_the_lines_to_copy_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with vf.connect() as svc:
        form = Form(vf.form(svc, QUESTION))
        form.panel.study  # noqa: B018
        form.controls["currency"].fields[0].value = "GBP"
        run(form.fetch())
        assert "into the code:<pre>currency = &#x27;GBP&#x27;</pre>" in form.kept.value
    form.signed["by"].value, form.signed["note"].value = "Ada L.", "for the committee"
    form.report()  # the service has ended: nothing is requested
    (made,) = tmp_path.glob("meridian*.html")
    text = made.read_text("utf-8")
    assert "without the text of a notebook" in text
    assert '<p class="vf-signed">Ada L.</p>' in text
    assert "for the committee" in text
    for name in ("managers", "claims", "sources"):
        assert html.escape(getattr(form.panel.study, name).title) in text
    assert made.name == (
        "meridian-sovereign-reserve-2024-gbp-2026-06-30-synthetic.html"
    )
    assert str(form.report()).startswith(f"Replaced: {made.name}")
    assert repr(form.panel.report("m.xlsx")).startswith("Written: m.xlsx")
    assert repr(form.panel.report("m.xlsx")).startswith("Replaced: m.xlsx")
    assert Path("m.xlsx").read_bytes()[:2] == b"PK"
    assert "Written: meridian" in str(form.report(".xlsx"))
    (book,) = tmp_path.glob("meridian*.xlsx")
    assert book.read_bytes()[:2] == b"PK"
    if shutil.which("chromium"):
        assert "Written: meridian" in str(form.report(".pdf"))
        (paper,) = tmp_path.glob("meridian*.pdf")
        assert paper.read_bytes()[:4] == b"%PDF"
    written, command = str(form.panel.keep()).splitlines()
    kept = Path(written.removeprefix("Written: "))
    assert read(kept) == form.panel.question
    assert command == f"ventureframe watch {kept} --keep {kept.stem}"


def test_no_report_is_saved_of_a_page_that_has_no_answer(tmp_path: Path) -> None:
    shown = {"data": {}, "metadata": {"ventureframe": {"unanswered": "no such LP"}}}
    output = {"output_type": "display_data", **shown}
    cells = [new_markdown_cell("# Who?"), new_code_cell(outputs=[output])]
    with pytest.raises(ReportError, match="no such LP"):
        save(new_notebook(cells=cells), [tmp_path / "other.html"])
    assert not (tmp_path / "other.html").exists()
