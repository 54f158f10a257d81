"""A list is read as it stands, or refused in one sentence that says what was wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import xlsxwriter

import ventureframe as vf
from tests.conftest import ROOT
from ventureframe.errors import UnsupportedValue
from ventureframe.matching import lists

ACME = {"name": "Company", "domain": "Website", "place": "City", "year": None}

READ: dict[str, tuple[bytes, list[tuple[Any, ...]], dict[str, str | None], list[str]]] = {
    "commas": (
        b"Company,Website,City\nAcme,acme.com,Oslo\n", [("Acme", "acme.com", "Oslo")], ACME, [],
    ),
    "semicolons": (
        b"\xef\xbb\xbfCompany;Website;City\nAcme;acme.com;\"Oslo; Norway\"\n",
        [("Acme", "acme.com", "Oslo; Norway")], ACME, [],
    ),
    "tabs": (b"Company\tWebsite\tCity\nA, B\tacme.com\t\n", [("A, B", "acme.com", "")], ACME, []),
    "utf-16": ("Company,Website,City\nÉ,é.com,Z".encode("utf-16"), [("É", "é.com", "Z")], ACME, []),
    "cp1252": (
        "Company,Website,City\nÉmile,e.fr,Zürich\n".encode("cp1252"),
        [("Émile", "e.fr", "Zürich")], ACME, ["Windows-1252"],
    ),
    "a title above": (
        b"Our pipeline,,\n\nCompany,Website,City\nAcme,acme.com,Oslo\n",
        [("Acme", "acme.com", "Oslo")], ACME, ["left out above the headings: line 1 ("],
    ),
    "groups of headings": (
        b"Company,,Where\nCompany,Website,City\nAcme,acme.com,Oslo\n",
        [("Acme", "acme.com", "Oslo")], ACME, ["left out above the headings: line 1 ("],
    ),
    "empty headings": (
        b"Company,,Website,\nAcme,x,acme.com,\n",
        [("Acme", "x", "acme.com")], {**ACME, "place": None}, [],
    ),
    "a short row": (b"Company,Website,City\nAcme\n", [("Acme", "", "")], ACME, []),
    "a formula": (
        b"Company,Website,City\n=1+1,a.com,-\n", [("=1+1", "a.com", "-")], ACME, [],
    ),
    "twice, and neither": (
        b"Company,Website,City\nAcme,acme.com,a\nACME,Acme.com,b\n,,c\n",
        [("Acme", "acme.com", "a"), ("ACME", "Acme.com", "b"), ("", "", "c")], ACME,
        ["1 row with neither name nor domain: line 4", "1 entry more than once: acme, acme.com"],
    ),
    "years and a contact": (
        b"Name,Company,Founded\nJo Doe,Acme,2015\n", [("Jo Doe", "Acme", "2015")],
        {"name": "Company", "domain": None, "place": None, "year": "Founded"}, [],
    ),
    "domains alone": (
        b"stripe.com\nacme.co.uk\n", [("stripe.com",), ("acme.co.uk",)],
        {"name": None, "domain": "Website", "place": None, "year": None}, [],
    ),
}  # fmt: skip

REFUSED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it holds no rows"),
    "null bytes": (b"Company\0,City\n", "it has null bytes"),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0", "it is a picture"),
    "no heading": (
        b"foo,bar\n1,2\n",
        "no heading is known in 'foo' and 'bar': name= or domain=",
    ),
    "no name": (
        b"City,Founded\nOslo,2015\n",
        "no column of names is known of City and Founded: name= or domain=",
    ),
    "websites without the names": (
        b"Investigated,Website\nAcme,acme.com\n",
        "no column of names is known of Investigated and Website: name=",
    ),
    "a cell too many": (
        b"Company,City\nA,B\nC,D,E\n",
        "line 3 has 3 cells, and there are 2 headings",
    ),
    "an open quote": (b'Company,City\n"A,B\nC,D\n', "line 3 is no row of a table"),
}


@pytest.mark.parametrize("case", READ)
def test_a_file_is_read_as_it_stands(case: str, tmp_path: Path) -> None:
    content, rows, columns, notes = READ[case]
    (tmp_path / "list.csv").write_bytes(content)
    found = lists.read(tmp_path / "list.csv")
    assert found.frame.rows() == rows
    assert dict(found.columns) == columns
    assert found.notes[0] == found.read_as
    assert len(found.notes) == 1 + len(notes)
    assert all(note in said for note, said in zip(notes, found.notes[1:], strict=True))
    pasted = lists.read(found.text)
    assert pasted.frame.rows() == [row for row in rows if any(row)]


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_list_is_refused_in_a_sentence(case: str, tmp_path: Path) -> None:
    content, said = REFUSED[case]
    (tmp_path / "list.csv").write_bytes(content)
    with pytest.raises(UnsupportedValue, match=said):
        lists.read(tmp_path / "list.csv")


@pytest.mark.parametrize(
    "given", [5, None, [], {"a": [1]}, "absent.csv", "x" * 5000, Path(), object()]
)
def test_what_cannot_be_a_list_is_refused(given: Any) -> None:
    with pytest.raises(UnsupportedValue, match="'list' cannot be"):
        lists.read(given)


def test_a_heading_that_is_named_wins_and_one_that_is_not_there_is_refused() -> None:
    text = "Target\tCompany\nAcme\tParent\n"
    assert lists.read(text, name="Target").column("name").to_list() == ["Acme"]
    with pytest.raises(
        UnsupportedValue, match="no column of this name, but Target and Company"
    ):
        lists.read(text, name="Targets")


def test_a_workbook_is_read_by_its_sheet_with_the_values_of_its_formulas(
    tmp_path: Path,
) -> None:
    path = tmp_path / "list.xlsx"
    with xlsxwriter.Workbook(path) as book:
        first, second = book.add_worksheet("Deals"), book.add_worksheet("Notes")
        first.merge_range("A1:C1", "Pipeline 2026")
        first.write_row(1, 0, ["Company", "Founded", "Website"])
        first.write_row(2, 0, ["Acme", 2015, "acme.com"])
        first.write_formula(3, 0, '="Bee"&"co"', None, "Beeco")
        second.write(0, 0, "read me")
    for sheet in (None, "Deal"):
        with pytest.raises(UnsupportedValue, match="Deals and Notes: name one with"):
            lists.read(path, sheet=sheet)
    found = lists.read(path, sheet="Deals")
    assert found.frame.rows() == [("Acme", "2015", "acme.com"), ("Beeco", "", "")]
    assert found.lines == (3, 4)


def test_frames_of_any_library_keep_their_columns_and_types() -> None:
    rows = {"Company": ["Acme", None], "Amount": [1.5, 2.0]}
    for frame in (
        pd.DataFrame(rows),
        pl.DataFrame(rows),
        pl.DataFrame(rows).to_arrow(),
    ):
        found = lists.read(frame)
        assert found.frame.schema == {"Company": pl.String, "Amount": pl.Float64}
        assert found.notes[1:] == ("1 row with neither name nor domain: line 2",)


def test_two_hundred_thousand_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(
        "Company,City\n" + "".join(f"Firm {n},Oslo\n" for n in range(200_000))
    )
    assert lists.read(path).frame.height == 200_000


CASES = ROOT.parent / "shared" / "cases"
IN_A_PROCESS = """
import resource, sys
import ventureframe as vf
most = int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
svc = vf.connect(data=sys.argv[1], environment={})
try:
    print(*vf.match(svc, sys.argv[2]).counts)
except vf.errors.UnsupportedValue as error:
    print(error)
"""
GRADED = {
    "addresses-wrapped.csv",
    "legal-form-or-name.csv",
    "legal-forms.csv",
    "letters.csv",
    "sites-of-others-and-place.csv",
    "sites-of-others.csv",
}
"""Cases of how a list is matched, not of how it is read."""


@pytest.fixture
def cases() -> dict[str, dict[str, Any]]:
    """What is right for each list of the collection beside the checkout."""
    if not CASES.is_dir():
        pytest.skip("the lists are not beside this checkout (../shared/cases)")
    right = json.loads((CASES / "expected.json").read_text("utf-8"))
    return {name: case for name, case in right.items() if name not in GRADED}


def test_lists_as_analysts_have_them_are_read_rightly(
    cases: dict[str, dict[str, Any]],
) -> None:
    svc = vf.connect(data=CASES / "records", environment={})
    for name, case in cases.items():
        if "memory_limit_mb" in case:
            continue
        try:
            found = vf.match(svc, CASES / "lists" / name, **case.get("options", {}))
        except UnsupportedValue as error:
            assert case["or_refused"] in str(error), name
            continue
        assert found.graded["grade"].to_list() == case["grades"], name
        assert case.get("noted", "") in "; ".join(found.notes), name
        if "refused_without_options" in case:  # unless they are known by now
            try:
                same = vf.match(svc, CASES / "lists" / name)
                assert same.graded.equals(found.graded), name
            except UnsupportedValue as error:
                assert case["refused_without_options"] in str(error), name


def test_cells_far_apart_end_in_a_sentence_not_the_interpreter(
    cases: dict[str, dict[str, Any]],
) -> None:
    for name, case in cases.items():
        if "memory_limit_mb" in case:
            most = str(case["memory_limit_mb"])
            paths = [CASES / "records", CASES / "lists" / name]
            run = [sys.executable, "-c", IN_A_PROCESS, *map(str, paths), most]
            said = subprocess.run(run, capture_output=True, text=True, check=True)
            assert (
                case["or_refused"] in said.stdout or said.stdout == "name and place\n"
            )
