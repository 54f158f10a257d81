"""A notebook's parameters: what is declared, what may be given, and how a wrong one
is refused.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from ventureframe.errors import ReportError
from ventureframe.report.notebook import (
    declared,
    find,
    notebooks,
    parameters,
    read,
    replace,
)

SOURCE = (
    'university = "A"  # a comment\nyear = 2020\nshare = 0.5\nstrict = False\ntags'
    ' = ["x"]'
)


def notebook(
    source: str = SOURCE, *, times: int = 1, question: Any = None
) -> nbformat.NotebookNode:
    cells = [
        new_code_cell(source, metadata={"tags": ["parameters"]}) for _ in range(times)
    ]
    metadata = {} if question is None else {"ventureframe": {"question": question}}
    made: nbformat.NotebookNode = new_notebook(
        cells=[new_code_cell("import os"), *cells], metadata=metadata
    )
    return made


def test_the_literals_of_the_tagged_cell_are_the_parameters() -> None:
    assert declared(notebook()) == {
        "university": "A",
        "year": 2020,
        "share": 0.5,
        "strict": False,
        "tags": ["x"],
    }
    assert declared(notebook(times=0)) == {}


@pytest.mark.parametrize(
    "text", ["B", '5" <b> $\n{x}', "7", '\\n"""\n"A\\"\tB"', "A\r\nB\n"]
)
def test_what_is_given_stands_in_the_cell(text: str) -> None:
    changed = notebook()
    given = {"university": text, "year": 1990}
    assert replace(changed, {"university": text, "year": "1990"}) == given
    assert declared(changed) == declared(notebook()) | given


def test_a_pasted_list_stands_with_one_row_in_a_line() -> None:
    changed = notebook()
    replace(changed, {"university": "Name\tCity\nAda Labs\tOslo\nBo\tRome"})
    lines = changed.cells[1].source.splitlines()
    assert lines[:3] == ['university = """Name\tCity', "Ada Labs\tOslo", 'Bo\tRome"""']
    assert lines[3:] == notebook().cells[1].source.splitlines()[1:]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"univeristy": "A"},
            "no parameter 'univeristy'; did you mean 'university'\\? it takes",
        ),
        ({"year": "soon"}, "'year' of the notebook takes a whole number such as 2020"),
        ({"share": "1"}, "no parameter 'share'; it takes university, year$"),
        (
            {"university": 5},
            "'university' of the notebook takes text such as 'A', not 5",
        ),
    ],
)
def test_a_wrong_name_or_type_is_refused_with_what_would_be_right(
    given: dict[str, object], message: str
) -> None:
    unchanged = notebook()
    with pytest.raises(ReportError, match=message):
        replace(unchanged, given)
    assert unchanged.cells[-1].source == SOURCE
    with pytest.raises(ReportError, match="has no parameter 'a'; it takes none"):
        replace(notebook(times=0), {"a": 1})


@pytest.mark.parametrize(
    "source", ["a = b", "a = 1; print(a)", "a, b = 1, 2", "a = ", "a += 1"]
)
def test_a_parameters_cell_holds_only_literals(source: str) -> None:
    with pytest.raises(ReportError, match="only lines of the form name = literal"):
        declared(notebook(source))
    with pytest.raises(ReportError, match="several cells tagged 'parameters'"):
        declared(notebook(times=2))


EXPOSURE = "lps = [('X', 'x.example')]\nsince = None\ncurrency = 'USD'\nextra = 'a'"


def test_a_notebook_that_names_its_question_takes_values_of_its_members_kinds() -> None:
    """What each kind takes is in test_kinds."""
    for name, given, value in (
        ("since", "2005", 2005),
        ("lps", ["any"], None),
        ("extra", "2", "2"),
    ):
        changed = notebook(EXPOSURE, question="exposure")
        assert replace(changed, {name: given})[name] == value
        assert declared(changed)[name] == value


@pytest.mark.parametrize(
    "named", ["this", "spinouts.find", "..cli", "", "institutions", 7, ["x"]]
)
def test_only_a_question_is_imported_by_a_name_from_a_file(named: Any) -> None:
    with pytest.raises(ReportError, match="names an unknown question: "):
        parameters(notebook(question=named))
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    ("given", "domain"),
    [
        ({"university": "B"}, None),
        ({"university": "B", "domain": "b.example"}, "b.example"),
        ({"since": "2005"}, "a.example"),
    ],
)
def test_the_domain_of_one_university_is_not_kept_for_another(
    given: dict[str, object], domain: str | None
) -> None:
    source = "university = 'A'\ndomain = 'a.example'\nsince = None"
    assert replace(notebook(source, question="spinouts"), given)["domain"] == domain


def test_a_default_of_none_without_a_question_takes_text() -> None:
    for text in ("2026-01-01", "[1]"):
        assert replace(notebook("a = None"), {"a": text}) == {"a": text}
    assert replace(notebook("a = None"), {"a": "none"}) == {"a": None}


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_the_defaults_of_a_curated_notebook_are_of_their_kinds(path: Path) -> None:
    for each in parameters(read(path)).values():
        assert each.kind.read(each.default) == each.default


@pytest.mark.parametrize("name", ["spinouts", "universities", "exposure", "hiring"])
def test_what_is_asked_of_the_sample_is_no_default_on_other_data(name: str) -> None:
    notebook = read(find(name))
    values = declared(notebook)
    assert replace(notebook, {}) == values, "the sample is asked it"
    given = {"currency": "EUR" if values["currency"] == "GBP" else "GBP"}
    taken = replace(notebook, given, runs_on="data")
    assert taken == dict.fromkeys(values) | given == declared(notebook)
    own = read(find(name))
    values = replace(own, given)
    assert replace(own, {}, runs_on="live") == values, "values of one's own stay"
