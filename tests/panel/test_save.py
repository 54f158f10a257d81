"""What is on screen becomes a file; the values of a form go into the notebook's own
cell.
"""

import html
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import ventureframe as vf
from tests.panel.test_form import run
from ventureframe.errors import ReportError
from ventureframe.evidence import Question
from ventureframe.evidence.members import KINDS
from ventureframe.panel.form import Form
from ventureframe.report import notebook
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


@given(
    st.lists(
        WORDS.filter(lambda text: not set(",;") & set(text)), min_size=1, unique=True
    )
)
def test_texts_are_read_back_from_the_command_line_as_they_were(
    texts: list[str],
) -> None:
    assert KINDS["texts"].read(KINDS["texts"].written(texts)) == texts


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("entries", [("Any", "a.example"), ("B", None)], "Any, a.example; B"),
        ("entries", [("any", None)], "[('any', None)]"),
        (
            "place",
            ("Atlanta", "city", "Georgia (region) [12]"),
            "Atlanta, city, Georgia (region)",
        ),
        ("place", ("Washington, DC", "city"), "Washington, DC, city"),
        ("years", (2005, None), "2005-"),
        ("amounts", (None, 1e-7), "(None, 1e-07)"),
        ("amounts", (1e6, 2.5e20), "(1000000.0, "),
        ("flag", False, "no"),
        ("score", 60.5, "60.5"),
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


CELL = """# what to look at
lps = [
    ("Somebody", "somebody.example"),
]
since = 2021  # five years
currency = None"""
BEFORE = vf.exposure.Question(
    lps=[("Somebody", "somebody.example")], since=2021, currency="USD"
)
KEPT = """# what to look at
lps = [('Meridian Sovereign Reserve', 'meridian-reserve.example')]
since = 2024
currency = 'EUR'"""


@pytest.mark.parametrize(
    ("source", "before", "after", "kept"),
    [
        (CELL, BEFORE, QUESTION, KEPT),
        (
            CELL,
            BEFORE,
            BEFORE.set(since=None),
            CELL.replace("2021  # five years", "None"),
        ),
        # her own edit is not overwritten
        (CELL.replace("2021", "2020"), BEFORE, QUESTION, None),
        (CELL.replace("since", "until"), BEFORE, QUESTION, None),
        ("since = 20 +", BEFORE, QUESTION, None),
    ],
)
def test_the_values_of_a_form_are_written_over_its_own_and_no_others(
    source: str, before: Question[Any], after: Question[Any], kept: str | None
) -> None:
    cell = {"source": source, "metadata": {"tags": ["parameters"]}}
    page = {"metadata": {"ventureframe": {"question": "exposure"}}, "cells": [cell]}
    assert notebook.kept(page, before, after) == kept
    assert cell["source"] == source


def cell(code: str, number: int, text: str, **facts: str) -> dict[str, Any]:
    shown = {"data": {"text/plain": text}, "metadata": {"ventureframe": facts}}
    outputs = [{"output_type": "display_data", **shown}]
    return {**new_code_cell(code, execution_count=number), "outputs": outputs}


def test_a_report_is_of_what_ran_here_and_of_nothing_that_ran_elsewhere(
    tmp_path: Path,
) -> None:
    shell = InteractiveShell.instance()
    shell.run_cell("1 + 1", store_history=True)
    number = shell.execution_count - 1
    cells = [new_markdown_cell("# Who?"), cell("1 + 1", number, "mine")]
    cells += [
        cell("1 + 2", number, "changed since"),
        cell("1 + 1", 900, "of last week"),
    ]
    with vf.connect() as svc:
        form = vf.form(svc, QUESTION)
        form.study  # noqa: B018  # fetched before the service ends
    page = json.loads(json.dumps(new_notebook(cells=cells)))
    saved = form.report(tmp_path / "r.html", page=page)
    InteractiveShell.clear_instance()
    text = saved.path.read_text("utf-8")
    assert "mine" in text
    assert "changed since" not in text
    assert "of last week" not in text
    assert saved.note == "Left out, as not run since the kernel began: 2 cells."
    unanswered = cell("form.answer", 0, "", unanswered="no such LP")
    with pytest.raises(ReportError, match="no such LP"):
        save(new_notebook(cells=[*cells, unanswered]), [tmp_path / "other.html"])
    assert not (tmp_path / "other.html").exists()


def test_without_a_page_the_findings_make_the_report_and_the_lines_to_copy_are_shown(
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
    said = str(run(form.report()))  # the service has ended: nothing is requested
    assert (
        said.splitlines()[1]
        == "The report has the findings only: its page could not be read."
    )
    (made,) = tmp_path.glob("meridian*.html")
    text = made.read_text("utf-8")
    assert "without the text of a notebook" in text
    assert '<p class="vf-signed">Ada L.</p>' in text
    assert "for the committee" in text
    for name in ("managers", "claims", "sources"):
        assert html.escape(getattr(form.panel.study, name).title) in text
    assert form.panel.report("m.xlsx").path.read_bytes()[:2] == b"PK"
    assert "Written: meridian" in str(run(form.workbook()))
    (book,) = tmp_path.glob("meridian*.xlsx")
    assert book.read_bytes()[:2] == b"PK"
    written, command = str(run(form.question())).splitlines()
    kept = Path(written.removeprefix("Written: "))
    assert read(kept) == form.panel.question
    assert command == f"ventureframe watch {kept} --keep {kept.stem}"
