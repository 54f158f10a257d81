"""What is on screen becomes a file, and the command that is shown makes the same file again."""

import asyncio
import shlex
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import ventureframe as vf
from tests.panel.test_form import run
from ventureframe.cli import main
from ventureframe.errors import ReportError
from ventureframe.evidence.members import KINDS
from ventureframe.panel.form import Form
from ventureframe.report import notebook as parameters
from ventureframe.report.notebook import read

WORDS = st.text(max_size=12).filter(str.strip).map(str.strip)
QUESTION = vf.exposure.Question(
    lps=[("Meridian Sovereign Reserve", "meridian-reserve.example")], since=2024, currency="EUR"
)


@given(st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=3, unique=True))
def test_entries_are_read_back_from_the_command_line_as_they_were(entries: Any) -> None:
    assert KINDS["entries"].read(KINDS["entries"].written(entries)) == entries


@given(st.lists(WORDS.filter(lambda text: not set(",;") & set(text)), min_size=1, unique=True))
def test_texts_are_read_back_from_the_command_line_as_they_were(texts: list[str]) -> None:
    assert KINDS["texts"].read(KINDS["texts"].written(texts)) == texts


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        ("entries", [("Any", "a.example"), ("B", None)], "Any, a.example; B"),
        ("entries", [("any", None)], "[('any', None)]"),
        ("place", ("Atlanta", "city", "Georgia (region) [12]"), "Atlanta, city, Georgia (region)"),
        ("place", ("Washington, DC", "city"), "Washington, DC, city"),
        ("years", (2005, None), "2005-"),
        ("amounts", (None, 1e-7), "(None, 1e-07)"),
        ("amounts", (1e6, 2.5e20), "(1000000.0, "),
        ("flag", False, "no"),
        ("score", 60.5, "60.5"),
        ("year", None, "none"),
    ],
)
def test_every_kind_of_value_is_read_back_as_it_was(kind: str, value: Any, said: str) -> None:
    text = KINDS[kind].written(value)
    assert KINDS[kind].read(text) == value
    if "2.5" not in repr(value):
        assert text.startswith(said)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A notebook of the question, open in JupyterLab; its answer is its parameters."""
    cells = [
        new_markdown_cell("# Who?\n\nA question."),
        new_code_cell(
            'lps = []\nsince = 2000\ncurrency = "USD"', metadata={"tags": ["parameters"]}
        ),
        new_code_cell(
            "from ventureframe.evidence.study import Answer\nAnswer(f'{lps} {since} {currency}')"
        ),
    ]
    metadata = {"ventureframe": {"question": "exposure"}}
    nbformat.write(new_notebook(cells=cells, metadata=metadata), tmp_path / "small.ipynb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JPY_SESSION_NAME", str(tmp_path / "small.ipynb"))
    return tmp_path / "small.ipynb"


def test_the_command_that_is_shown_makes_the_same_bytes(small: Path) -> None:
    with vf.connect() as svc:
        saved = vf.form(svc, QUESTION).report("out/meridian.html")
    first = saved.path.read_bytes()
    assert b"2024 EUR" in first
    saved.path.unlink()
    program, *arguments = shlex.split(saved.command)
    assert (program, main(arguments)) == ("ventureframe", 0)
    assert saved.path.read_bytes() == first


@pytest.mark.slow
def test_the_button_says_where_the_report_is_and_that_it_has_another_answer(small: Path) -> None:
    async def pressed(panel: Any) -> str:
        row = Form(panel).view.children[-1]
        button, status = row.children[0].children[0], row.children[1]
        said: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def told(change: Any) -> None:
            if "…" not in change.new:
                said.set_result(change.new)

        status.observe(told, "value")
        button.click()
        return await said

    with vf.connect() as svc:
        written, note, command = run(pressed(vf.form(svc, QUESTION))).split("<br>")
    (made,) = small.parent.glob("*.html")
    assert written == f"Written: {made.name}"
    assert note.startswith("The records are no longer those on screen. The report says: [(&#x27;M")
    assert command.startswith("ventureframe report small.ipynb --set ")


def test_the_values_of_a_form_are_kept_in_its_open_notebook(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vf.connect() as svc:
        form = vf.form(svc, QUESTION)
        assert form.keep().startswith("Kept in small.ipynb. ")
        monkeypatch.delenv("JPY_SESSION_NAME")
        with pytest.raises(ReportError, match=r"^no notebook of this question is open"):
            form.keep()
    assert parameters.declared(read(small)) == {
        "lps": [("Meridian Sovereign Reserve", "meridian-reserve.example")],
        "since": 2024,
        "currency": "EUR",
    }
