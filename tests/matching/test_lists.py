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
        "no column of names is known of foo and bar: call the column of names Name",
    ),
    "no name": (
        b"City,Founded\nOslo,2015\n",
        "no column of names is known of City and Founded: call the column of names Name",
    ),
    "websites without the names": (
        b"Investigated,Website\nAcme,acme.com\n",
        "no column of names is known of Investigated and Website: call",
    ),
    "a cell too many": (
        b"Company,City\nA,B\nC,D,E\n",
        "line 3 has 3 cells, and there are 2 headings",
    ),
    "an open quote": (b'Company,City\n"A,B\nC,D\n', "line 3 is no row of a table"),
}


ENTRIES = {
    "a last line that was split at its comma": (
        "Company,Website\nAcme,acme.com\n\n© PitchBook Data, Inc. 2026\n", ["Acme"],
    ),
    "a copyright that was split": ("Company,City\nAcme,Oslo\nCopyright, 2013\n", ["Acme"]),
    "a company called like a footer": (
        "Company, City\nAcme, Oslo\nSource Bio, Oslo\n", ["Acme", "Source Bio"],
    ),
    "a total and its count": ("Company;City\nAcme;Oslo\nTotal: 2 companies;\n", ["Acme"]),
    "a total with a word behind its number": (
        "Société;Ville;Levée\nAcme;Oslo;1\nTotal;;2 sociétés\n", ["Acme"],
    ),
    "a sum and its count": ("Firma;Ort;Summe\nAcme;Oslo;1\nSumme (2);;3\n", ["Acme"]),
    "a company called like a total": (
        "Company,Website,City\nTotal,total.com,Paris\nTotal Wine,,Oslo\n",
        ["Total", "Total Wine"],
    ),
    "a line drawn between rows": (
        "| Company | City |\n|---|---|\n| Acme | Oslo |\n| 3-2-1 | |\n", ["Acme", "3-2-1"],
    ),
    "notes above a short table": (
        "Notes:\n\"Some are missing.\"\n\nURL,Company,Position\nlinkedin.com/in/jo,Acme,\n",
        ["Acme"],
    ),
    "a running number that is headed as limited partners are": (
        "Lp.;Nazwa;Miasto\n1;Acme;Oslo\n", ["Acme"],
    ),
    "names in the second column": (",Acme\n,Beeco\n", ["Acme", "Beeco"]),
}  # fmt: skip
"""Of lists as programs and people write them, the entries."""


@pytest.mark.parametrize("case", ENTRIES)
def test_what_is_no_entry_of_a_list_is_told_from_those_that_are(case: str) -> None:
    text, names = ENTRIES[case]
    assert lists.read(text).column("name").to_list() == names


def test_cells_below_no_heading_are_kept_and_a_blank_column_is_not() -> None:
    frame = lists.read("Company,,City,\nAcme,,Oslo,a note\n").frame
    assert frame.columns == ["Company", "City", "column 4"]
    assert frame.rows() == [("Acme", "Oslo", "a note")]


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


def test_hidden_rows_are_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(
            (["Company", "City", "Website"], ["Acme", "Oslo", ""])
        ):
            sheet.write_row(at, 0, row)
        sheet.set_row(1, None, None, {"hidden": True})
        sheet.set_row(7, None, None, {"hidden": True})
        sheet.set_column("B:B", None, None, {"hidden": True})
    found = lists.read(path)
    assert found.frame.rows() == [("Acme", "Oslo", "")]
    assert found.notes[1] == "hidden in the workbook, but read: row 2"


def test_links_behind_words_are_read_also_those_of_formulas(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["Company", "Website"])
        sheet.write_url(1, 1, "https://acme.com", string="site")
        formula = '=HYPERLINK("https://beeco.com","here")'
        sheet.write_formula(2, 1, formula, None, "here")
        sheet.write_url(3, 0, "https://other.com", string="Ceeco")
    found = lists.read(path)
    sites = ["https://acme.com", "https://beeco.com", None]
    assert found.column("domain").to_list() == sites
    assert found.column("name").to_list() == [None, None, "Ceeco"]


def test_of_several_sheets_the_one_that_is_named_is_read(tmp_path: Path) -> None:
    path = tmp_path / "list.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in ("Deals 1", "Deals-1", "empty", "secret"):
            sheet = book.add_worksheet(name)
            if name != "empty":
                sheet.write_column(0, 0, ["Company", name])
        sheet.hide()
    for name in ("Deals 1", "Deals-1", "secret"):
        assert lists.read(path, sheet=name).frame.rows() == [(name,)]
    for sheet in (None, "deals 1", "Deal"):
        with pytest.raises(UnsupportedValue, match=r"Deals 1(, | and )Deals-1"):
            lists.read(path, sheet=sheet)


@pytest.mark.parametrize("option", ["name", "domain", "place", "year", "sheet"])
def test_an_option_that_is_no_text_is_refused(option: str) -> None:
    given: Any = {option: 0}
    with pytest.raises(
        UnsupportedValue, match=f"'{option}' cannot be 0: give it as text"
    ):
        lists.read(["Acme"], **given)


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


@pytest.mark.slow
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


def grades(name: str, options: dict[str, Any]) -> list[str] | str:
    """What the rows of a list are graded, or the error."""
    with vf.connect(data=CASES / "records", environment={}) as svc:
        try:
            found = vf.match(svc, CASES / "lists" / name, **options)
        except UnsupportedValue as error:
            return str(error)
    return [*found.graded["grade"], "; ".join(found.notes)]


def test_lists_as_analysts_have_them_are_read_rightly(
    cases: dict[str, dict[str, Any]],
) -> None:
    for name, case in cases.items():
        if "memory_limit_mb" in case:
            continue
        found = grades(name, case.get("options", {}))
        if isinstance(found, str):
            assert case["or_refused"] in found, name
        else:
            assert found[:-1] == case["grades"], name
            assert case.get("noted", "") in found[-1], name
        if "refused_without_options" in case:  # or its headings are known by now
            refused = grades(name, {})
            word = case["refused_without_options"]
            assert word in refused if isinstance(refused, str) else refused == found


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


BASE = (
    "Company\tWebsite\tGrade\tcompany\n=Halvern Bio\thalvern.example\tA\t1\n"
    "Kestrel Labs\t\tB\t2\nNobody\t\tC\t3\n"
)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_our_own_export_is_read_again_with_her_columns_once(
    kind: str, tmp_path: Path
) -> None:
    svc = vf.connect(environment={})
    first = vf.match(svc, BASE)
    decided = first.to_check.to_csv(tmp_path / "decided.csv")
    given: Any = BASE
    for turn in range(4):
        found = vf.match(svc, given, decided=decided if turn > 1 else None)
        assert found.list.frame.rows() == first.list.frame.rows()
        assert len(found.rows.columns) == len(first.rows.columns)
        given = tmp_path / f"list.{kind}"
        save = found.rows.to_csv if kind == "csv" else found.rows.to_excel
        save(given)


def test_two_headings_that_excel_takes_for_one_are_told_apart(tmp_path: Path) -> None:
    frame = pl.DataFrame({"Company": ["A", "B"], "WHY": ["x", "y"], "why": ["p", "q"]})
    svc = vf.connect(environment={})
    path = vf.match(svc, frame).rows.to_excel(tmp_path / "list.xlsx")
    found = lists.read(path)
    assert found.frame.columns == ["Company", "WHY", "why (2)"]
    assert found.frame.rows() == [("A", "x", "p"), ("B", "y", "q")]


VALUES: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
    "pairs": ([("Acme", "acme.com"), None], [("Acme", "acme.com"), (None, None)]),
    "dictionaries": ([{"Company": "Acme"}, {"City": "Oslo"}], [("Acme", None), (None, "Oslo")]),
    "names, and none": (["Acme", None, float("nan")], [("Acme",), (None,), (None,)]),
    "rows with headings": ([("Firma", "Ort", "x"), ("Acme", "Oslo", 1)], [("Acme", "Oslo", 1)]),
    "a series": (pd.Series(["Acme", "Beeco"]), [("Acme",), ("Beeco",)]),
    "mixed types": (pd.DataFrame({"Company": ["Acme", 23]}), [("Acme",), ("23",)]),
    "columns of one name": (
        pd.DataFrame([["Acme", "a", "b"]], columns=["Company", "x", "X"]), [("Acme", "a", "b")],
    ),
    "an index with a name": (
        pd.DataFrame({"Company": ["Acme"], "x": [1]}).set_index("Company"), [("Acme", 1)],
    ),
    "a lazy frame": (pl.LazyFrame({"Company": ["Acme"]}), [("Acme",)]),
    "a company called nan": (["nan", "Acme"], [("nan",), ("Acme",)]),
    "nested columns": (
        pl.DataFrame({"Company": ["Acme"], "x": [["a", "b"]], "y": [{"z": 1}], "b": [b"c"]}),
        [("Acme", "a, b", "1", "c")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", VALUES)
def test_rows_from_python_are_read(case: str) -> None:
    given, rows = VALUES[case]
    found = lists.read(given)
    assert found.frame.rows() == rows
    assert found.columns["name"] is not None


NOT_READ = {
    "Halvern Bio": "give one name in a list",
    "https://files.example/list.csv": "download it",
    ".": "it is a folder",
    "~nobody-of-this-name/list.csv": "no such file",
}


@pytest.mark.parametrize("given", NOT_READ)
def test_the_error_says_what_to_give(given: str) -> None:
    with pytest.raises(UnsupportedValue, match=NOT_READ[given]):
        lists.read(given)


KINDS = {
    b"\x1f\x8b\x08": "a compressed file: unpack it",
    b"%PDF-1.7": "a PDF",
    b" <!DOCTYPE html><table>": "a web page",
    b'[{"Company": "Acme"}]': "JSON",
    b"PK\x03\x04 word/document.xml": "no workbook, or one with a password",
    "Компания;Город\nПримерная;Москва\n".encode("cp1251"): "neither UTF-8, UTF-16",
}


@pytest.mark.parametrize("content", KINDS)
def test_a_file_of_another_kind_is_named_as_what_it_is(
    content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "list.xlsx").write_bytes(content)
    with pytest.raises(UnsupportedValue, match=KINDS[content]):
        lists.read(tmp_path / "list.xlsx")


def test_headings_of_many_languages_are_known() -> None:
    for text in (
        "Unternehmen\tInternetseite\tSitz\tGründungsjahr",
        "Société\tSite web\tSiège social\tAnnée de création",
        "Razón social\tPágina web\tCiudad\tAño de fundación",
        "Ragione sociale\tSito web\tCittà\tAnno di fondazione",
        "Nome da empresa\tSite da empresa\tCidade\tAno de fundação",
        "Bedrijfsnaam\tWebadres\tVestigingsplaats\tOprichtingsjaar",
        "Företag\tHemsida\tHuvudkontor\tGrundat",
        "Virksomhed\tHjemmeside\tBy\tStiftet",
        "Yritys\tKotisivu\tKotipaikka\tPerustettu",
        "Nazwa spółki\tStrona internetowa\tSiedziba\tRok założenia",
        "会社名\tウェブサイト\t所在地\t設立年",
        "회사명\t웹사이트\t도시\t설립연도",
        "Εταιρεία\tΙστοσελίδα\tΠόλη\tΈτος ίδρυσης",
        "Cég neve\tHonlap\tSzékhely\tAlapítás éve",
        "Denumire firmă\tPagină web\tOraș\tAn înființare",
        "Назва компанії\tВебсайт\tМісто\tРік заснування",
        "Tvrtka\tWeb stranica\tGrad\tGodina osnivanja",
        "Şirket adı\tWeb sitesi\tŞehir\tKuruluş yılı",
        "Spoločnosť\tWebová stránka\tMesto\tRok založenia",
        "שם החברה\tאתר\tעיר\tשנת הקמה",
    ):
        found = lists.read(f"{text}\nAcme\tacme.com\tOslo\t2015\n")
        assert list(found.columns.values()) == text.split("\t")


EXPORTS = {
    "Affinity": (
        b"Organization Id,Name,Website,People,Location (City),Year Founded\n"
        b"1,Acme,acme.com,Jo <jo@acme.com>,Oslo,2015\n",
        ["Name", "Website", "Location (City)", "Year Founded"],
    ),
    "HubSpot": (
        b'"Record ID","Company name","Company Domain Name","City","Create Date"\n'
        b'"1","Acme","acme.com","Oslo","2024-01-02 10:00"\n',
        ["Company name", "Company Domain Name", "City", None],
    ),
    "Salesforce": (
        b'"Account Name","Billing City","Website","Account Owner"\n'
        b'"Acme","Oslo","www.acme.com","Jo"\n\n"Confidential Information"\n'
        b'"Copyright (c) 2000-2026 salesforce.com, inc."\n',
        ["Account Name", "Website", "Billing City", None],
    ),
    "Crunchbase": (
        b"Organization Name,Organization Name URL,Website,Headquarters Location,"
        b"Founded Date\nAcme,https://crunchbase.com/o/acme,https://acme.com,"
        b'"Oslo, Norway",2015-01-01\n',
        ["Organization Name", "Website", "Headquarters Location", "Founded Date"],
    ),
    "Notion": (
        b"\xef\xbb\xbfName,Status,Website,HQ,Created\n"
        b'Acme,Active,https://acme.com,Oslo,"March 3, 2024 2:11 PM"\n',
        ["Name", "Website", "HQ", None],
    ),
    "Attio": (
        b'Record ID,Record,Domains,Primary location\nx,Acme,acme.com,"Oslo, Norway"\n',
        ["Record", "Domains", "Primary location", None],
    ),
    "HubSpot in German": (
        b"Datensatz-ID,Unternehmensname,Domain-Name des Unternehmens,Stadt\n"
        b"1,Acme,acme.com,Oslo\n",
        ["Unternehmensname", "Domain-Name des Unternehmens", "Stadt", None],
    ),
    "Salesforce in German": (
        b"Accountname;Website;Rechnungsort\nAcme;acme.com;Oslo\n\nGesamtsumme;;1\n",
        ["Accountname", "Website", "Rechnungsort", None],
    ),
    "Numbers, with the title of its table": (
        b"Table 1,,\nCompany,City,Website\nAcme,Oslo,acme.com\n",
        ["Company", "Website", "City", None],
    ),
    "UTF-16 without mark, in letters without a null byte": (
        "Компания;Город\nПримерная;Москва\n".encode("utf-16-le"),
        ["Компания", None, "Город", None],
    ),
    "a Mac's ends of lines": (
        "Company;City\rÉmile;Zürich\r".encode(), ["Company", None, "City", None],
    ),
}  # fmt: skip


@pytest.mark.parametrize("program", EXPORTS)
def test_the_exports_of_programs_are_read_by_their_headings(
    program: str, tmp_path: Path
) -> None:
    content, columns = EXPORTS[program]
    (tmp_path / "list.csv").write_bytes(content)
    found = lists.read(tmp_path / "list.csv")
    assert [*found.columns.values()] == columns
    assert found.frame.height == 1


ENCODED = {
    "cp1250": "Nazwa firmy;Miasto\nŁódź Foods;Łódź\n",
    "cp1251": "Компания;Город\nПримерная;Москва\n",
    "koi8-r": "Компания;Город\nПримерная;Москва\n",
    "cp1253": "Εταιρεία;Πόλη\nΑθηνά;Αθήνα\n",
    "mac_roman": "Company;City\nÉmile;Zürich\nMünchen AG;Köln\n",
    "gbk": "公司,城市\n百度,北京\n",
    "shift_jis": "会社名,所在地\n株式会社サンプル,東京\n",
    "utf-32": "Company;City\nÉmile;Zürich\n",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_a_text_in_another_encoding_is_refused_with_what_to_do(
    encoding: str, tmp_path: Path
) -> None:
    (tmp_path / "list.csv").write_bytes(ENCODED[encoding].encode(encoding))
    with pytest.raises(UnsupportedValue, match="save it as CSV UTF-8"):
        lists.read(tmp_path / "list.csv")


def test_a_number_that_can_be_no_year_is_none_and_is_said() -> None:
    years = [
        "42005",
        "1420070400000",
        "+47 22 33 44 55",
        "9999",
        "2015-03-01",
        "1/3/2015",
    ]
    found = lists.read("Company\tFounded\n" + "".join(f"A{y}\t{y}\n" for y in years))
    assert found.column("year").to_list() == [None] * 4 + ["2015"] * 2
    assert "no year in Founded: 42005; 1420070400000; +47 22 33 44 55 …" in found.notes


def test_an_address_is_taken_out_of_what_it_is_wrapped_in() -> None:
    cells = {
        "Acme <https://acme.com>": "https://acme.com",
        '<a href="http://acme.com/">x</a>': "http://acme.com/",
        "acme[.]com": "acme.com",
        "“acme.com”": "acme.com",
        "Website: acme.com": "acme.com",
        "https://https://acme.com": "https://acme.com",
        "n.v.t.": None,
    }
    found = lists.read(pl.DataFrame({"Company": cells.keys(), "Website": cells.keys()}))
    assert found.column("domain").to_list() == list(cells.values())
    said = [
        note for note in found.notes if note.startswith("taken out of other text in")
    ]
    first = "Acme <https://acme.com>"
    assert said[0].startswith(f"taken out of other text in Website: {first}; ")
    assert "\u201c" not in said[0]  # only the first are listed


def test_a_study_takes_the_headings_of_a_list_as_the_command_line_does() -> None:
    block = "Held\tWeb\tWhere\tSince\nHalquil\t\tCambridge\t2025\n"
    svc = vf.connect(environment={})
    with pytest.raises(UnsupportedValue, match="of Held, Web, Where and Since: call"):
        vf.mine.study(svc, list=block)
    heads: dict[str, Any] = {
        "name": "Held",
        "website": "Web",
        "city": "Where",
        "year": "Since",
    }
    study = vf.mine.study(svc, list=block, **heads)
    said = "Name = Held · website = Web · city = Where · year = Since"
    assert study.match.list.read_as == said
    assert said in str(study.rows)
    question = vf.mine.Question(list=block, **heads)
    assert {**question.parameters, **heads} == dict(question.parameters)


def test_a_paste_whose_last_blanks_are_stripped_is_split_at_its_tabs() -> None:
    text = "Prey\tLair\nAcme\tacme.example\nBeta\t\nGamma"
    with pytest.raises(UnsupportedValue, match="of Prey and Lair: call") as caught:
        lists.read(text)
    assert caught.value.choices == ["Prey", "Lair"]
    assert lists.read(text, name="Prey").frame["Prey"].to_list()[-1] == "Gamma"
