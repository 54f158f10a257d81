"""Tables as spreadsheets write them become a dataset folder, and what is left out of
them is said.
"""

import datetime as dt
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

import ventureframe as vf
from tests.conftest import ROOT
from ventureframe import cli
from ventureframe.errors import DatasetError, SaveError, UnsupportedValue
from ventureframe.importing import read as importing

DAY = dt.date(2026, 11, 27)
EXPORT = """\
Company Name,Website,Founded,HQ,Employees,Total Funding Amount,Total Funding Currency,\
Operating Status,Industries,Founders,Owner
Halvern Bio,https://www.halvern.example/about,2015,Oslo,12,"1,500,000",EUR,operational,\
Biotech; Health,Ann Berg; Bo Lie,Kim
Pelorus,pelorus.example,2018-03-01,Bergen,"1,200",2500000.50,USD,closed,Maritime,,Kim
Total,,,,,4000000,,,,,
"""
GERMAN = """\
Firma;Webseite;Gründungsjahr;Land;Mitarbeiter;Gesamtfinanzierung;Währung;Branche
Halvern Bio;halvern.example;2015;Norwegen;1.200;1.234.567,56;EUR;Biotech | Gesundheit
Pelorus GmbH;pelorus.example;01.03.2018;Deutschland;12;500.000;EUR;
"""


def written(folder: Path, **files: str) -> list[Path]:
    paths = [folder / f"{name}.csv" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text, "utf-8-sig")
    return paths


def imported(
    tmp_path: Path, paths: list[Path]
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The tables of the folder, opened through both doors, and what is said."""
    out = tmp_path / "own"
    dataset, said = importing.read(paths, "own", day=DAY)
    importing.write(dataset, out)
    with vf.connect(data=out, currency="EUR", environment={}) as svc:
        assert svc.companies.fetch().is_complete
    assert vf.bulk.open(out)["companies"].collect().height
    return {path.stem: pl.read_parquet(path) for path in out.glob("*.parquet")}, said


def test_an_export_of_a_spreadsheet_is_read_and_what_is_not_used_is_said(
    tmp_path: Path,
) -> None:
    tables, said = imported(tmp_path, written(tmp_path, export=EXPORT))
    assert said[0] == (
        "export.csv, companies: company = Company Name · website_domain = Website ·"
        " launch_date = Founded · company_status = Operating Status ·"
        " total_funding_currency = Total Funding Currency · hq_city = HQ ·"
        " team_size = Employees · total_funding = Total Funding Amount ·"
        " tags = Industries · founder_names = Founders · not used: Owner"
    )
    assert any("line 4 (Total)" in text for text in said)
    columns = ("name", "website_domain", "launch_date", "team_size", "total_funding")
    companies = tables["companies"].sort("name")
    assert companies.select(columns).rows() == [
        ("Halvern Bio", "halvern.example", 2015, 12, 1_500_000.0),
        ("Pelorus", "pelorus.example", 2018, 1200, 2_500_000.5),
    ]
    assert companies["founders"].list.len().to_list() == [2, 0]
    assert sorted(tables["founders"]["name"]) == ["Ann Berg", "Bo Lie"]
    assert sorted(tables["tags"]["label"]) == ["Biotech", "Health", "Maritime"]
    assert sorted(tables["locations"]["name"]) == ["Bergen", "Oslo"]
    absent = {"funding_rounds", "jobs", "news", "funds", "universities"}
    assert not absent & tables.keys()


def test_the_same_rows_have_the_same_ids_in_each_import(tmp_path: Path) -> None:
    paths = written(tmp_path, export=EXPORT)
    folders = [tmp_path / name for name in ("first", "second")]
    for out in folders:
        importing.write(importing.read(paths, "own", day=DAY)[0], out)
    first, second = (
        {path.name: path.read_bytes() for path in out.iterdir()} for out in folders
    )
    assert first == second


def test_a_german_table_has_points_between_thousands_and_decimal_commas(
    tmp_path: Path,
) -> None:
    tables, said = imported(tmp_path, written(tmp_path, firmen=GERMAN))
    companies = tables["companies"].sort("name")
    assert companies["total_funding"].to_list() == [1_234_567.56, 500_000.0]
    assert companies["team_size"].to_list() == [1200, 12]
    assert companies["launch_date"].to_list() == [2015, 2018]
    assert sorted(tables["tags"]["label"]) == ["Biotech", "Gesundheit"]
    assert len(said) == 1


def test_a_number_that_can_be_read_in_two_ways_is_left_empty_and_said(
    tmp_path: Path,
) -> None:
    text = "Company,Total Funding (EUR)\nHalvern Bio,1.234\nPelorus,20\n"
    tables, said = imported(tmp_path, written(tmp_path, a=text))
    totals = tables["companies"].sort("name")["total_funding"]
    assert totals.to_list() == [None, 20.0]
    assert said[1] == (
        "a.csv, line 2: total_funding is left empty, as 1.234 in Total Funding (EUR) is"
        " no amount with its currency"
    )


def sheet(book: Any, name: str, *rows: tuple[Any, ...]) -> Any:
    made = book.add_worksheet(name)
    for at, row in enumerate(rows):
        made.write_row(at, 0, row)
    return made


def test_each_visible_sheet_of_a_workbook_that_is_recognised_is_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "portfolio.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet(
            book,
            "Companies",
            ("Company", "Website", "Total Raised", "Currency"),
            ("Halvern Bio", "halvern.example", 1500000.5, "EUR"),
            ("Pelorus", "pelorus.example", None, None),
        )
        sheet(
            book,
            "Funding rounds",
            ("Company", "Date", "Round", "Amount", "Currency"),
            ("Halvern Bio", 2019, "Seed", 500000, "EUR"),
            ("Nobody", 2021, "Series A", 250000, "USD"),
        )
        sheet(book, "Notes", ("to do", "who"), ("call", "Kim"))
        sheet(book, "Lists", ("Company",), ("Hidden Ltd",)).hide()
    tables, said = imported(tmp_path, [path])
    assert sorted(tables["companies"]["name"]) == ["Halvern Bio", "Pelorus"]
    rounds = tables["funding_rounds"].select("year", "round_type", "amount")
    assert rounds.rows() == [(2019, "Seed", 500_000.0)]
    assert said[2].startswith(
        "portfolio.xlsx, Notes is not used: no column of names is known of to do and"
    )
    assert "call the column of names Name" in said[2]
    assert said[3] == (
        "portfolio.xlsx, Funding rounds, line 3, is left out, as it names no company, or"
        " several of one name: Nobody"
    )


def test_fields_own_names_count_and_an_unknown_column_of_amounts_is_not_used(
    tmp_path: Path,
) -> None:
    text = (
        "name,launch_date,ARR,total_funding,total_funding_currency,is_startup\n"
        "Halvern Bio,2015,12000,500000,eur,Yes\n"
    )
    tables, said = imported(tmp_path, written(tmp_path, a=text))
    companies = tables["companies"]
    assert companies["total_funding"].to_list() == [500_000.0]
    assert companies["total_funding_currency"].to_list() == ["EUR"]
    assert said[0].endswith("not used: ARR, is_startup")
    assert "ARR" not in companies.columns


AMOUNTS = """\
Company,Total funding (in EUR),Currency
A,500000,
B,"€3,5 Mio",EUR
C,12.5 m,
D,1.234.567 €,
E,$5m,
F,5 dollars,
G,,USD
"""


def test_an_amount_has_the_currency_of_its_cell_heading_or_column(
    tmp_path: Path,
) -> None:
    tables, said = imported(tmp_path, written(tmp_path, a=AMOUNTS))
    columns = ("total_funding", "total_funding_currency")
    companies = tables["companies"].sort("name").select(columns)
    assert companies.rows() == [
        (500_000.0, "EUR"),
        (3_500_000.0, "EUR"),
        (None, "EUR"),
        (1_234_567.0, "EUR"),
        (None, None),
        (None, "EUR"),
        (None, None),
    ]
    assert [text.partition(":")[0] for text in said[1:]] == [
        f"a.csv, line {line}" for line in (4, 6, 7)
    ], "12.5 is no number of a column with decimal commas"


def test_amounts_are_read_as_each_country_writes_them(tmp_path: Path) -> None:
    countries = {
        "India": ("Raised", ["₹12,34,567", "₹2 Cr", "₹5 lakh"], [1_234_567.0, 2e7, 5e5]),
        "Germany": ("Finanzierung (Mio. €)", ["3,5", "0,75", "12"], [3.5e6, 7.5e5, 1.2e7]),
        "Switzerland": ("Raised (CHF)", ["1'200'000", "900’000.50", "7"], [1.2e6, 9000005e-1, 7.0]),
    }  # fmt: skip
    for country, (heading, cells, totals) in countries.items():
        rows = [f'{at},"{cell}"' for at, cell in enumerate(cells)]
        text = "\n".join([f"Company,{heading}", *rows])
        dataset, _ = importing.read(written(tmp_path, a=text), "own", day=DAY)
        companies = dataset.tables["companies"].sort("name")
        assert companies["total_funding"].to_list() == totals, country


def test_an_amount_without_a_currency_is_left_empty_and_said(tmp_path: Path) -> None:
    text = "Company,Total funding\nHalvern Bio,500000\nPelorus,€1.2M\n"
    tables, said = imported(tmp_path, written(tmp_path, a=text))
    companies = tables["companies"].sort("name")
    assert companies["total_funding"].to_list() == [None, 1_200_000.0]
    assert "500000 in Total funding is no amount with its currency" in said[1]


ROUNDS = """\
Company,Announced Date,Round,Amount (£k)
Halvern Bio,12 March 2024,Seed,500
halvern bio,03/2021,Series A,"1,500"
Pelorus,2023-11-05,Seed,
Pelorus,05/13/2022,Grant,20
Pelorus,4/5/2022,Grant,20
Pelorus,2019,Grant,20
Pelorus,1. März 2018,Grant,20
Pelorus,01.02.2018,Grant,20
"""


def test_the_month_of_a_round_is_that_of_its_date_where_it_can_be_only_one(
    tmp_path: Path,
) -> None:
    tables, said = imported(tmp_path, written(tmp_path, a=EXPORT, rounds=ROUNDS))
    rounds = tables["funding_rounds"].sort("id")
    assert rounds["month"].to_list() == [3, 3, 11, 5, None, None, 3, 2]
    years = [2024, 2021, 2023, 2022, 2022, 2019, 2018, 2018]
    assert rounds["year"].to_list() == years
    amounts = rounds.select("amount", "amount_currency").rows()
    assert amounts[:2] == [(500_000.0, "GBP"), (1_500_000.0, "GBP")]
    lost = [text for text in said if "left empty" in text]
    assert lost == [
        "rounds.csv, line 6: month is left empty, as 4/5/2022 in Announced Date is no"
        " month"
    ]


EDUCATED = """\
Name,Company,University,Degree
Ann Berg,Halvern Bio,Stanford; MIT,PhD
Dag Moe,Pelorus,MIT,MBA
Eva Lund,Pelorus,,
,Pelorus,MIT,
"""


def test_universities_of_founders_are_records_that_a_study_finds(
    tmp_path: Path,
) -> None:
    paths = written(tmp_path, a=EXPORT, founders=EDUCATED)
    tables, said = imported(tmp_path, paths)
    names = dict(tables["universities"].select("uuid", "name").rows())
    assert sorted(names.values()) == ["MIT", "Stanford"]
    founders = dict(tables["founders"].select("name", "education").rows())
    entries = [(names[entry["university_uuid"]]) for entry in founders["Ann Berg"]]
    assert sorted(entries) == ["MIT", "Stanford"]
    assert founders["Eva Lund"] is None, "not recorded"
    assert founders["Bo Lie"] is None, "of the table of companies"
    assert any(text.endswith("not used: Degree") for text in said)
    nameless = "founders.csv, line 5, is left out, as it names no founder: Pelorus"
    assert nameless in said
    with vf.connect(data=tmp_path / "own", currency="EUR", environment={}) as svc:
        study = vf.spinouts.study(svc, university="MIT")
        assert "2 companies have a founder who studied at MIT" in str(study.answer)


def test_a_company_that_stands_twice_is_one_and_said(tmp_path: Path) -> None:
    text = "Company,Website,City\nTarn,tarn.example,\ntarn,tarn.example,Hull\n"
    tables, said = imported(tmp_path, written(tmp_path, a=text + ",x.example,Hull\n"))
    assert tables["companies"]["name"].to_list() == ["Tarn"]
    assert said[-2:] == [
        "a.csv, line 3, is left out, as it has no name, or stands above already: tarn",
        "a.csv, line 4, is left out, as it has no name, or stands above already:"
        " nothing",
    ]


NAMES = """\
Company,Industries,Founders
A,"Energy, Software,","Jane Doe, John Roe"
B,"Energy","Doe, Jane"
C,Retail,Jane Doe; John Roe;
D,";;,","|"
E,,Ann Berg & Bo Lie
"""


def test_a_cell_of_tags_or_founders_holds_several(tmp_path: Path) -> None:
    tables, _ = imported(tmp_path, written(tmp_path, a=NAMES))
    assert sorted(tables["tags"]["label"]) == ["Energy", "Retail", "Software"]
    counts = tables["companies"].sort("name")["founders"].list.len()
    assert counts.to_list() == [2, 1, 2, 0, 2]


PAGE = {
    "companies": (
        "Company,Website,Founded,Total raised (EUR),Industries,Owner\n"
        "Halvern Bio,halvern.example,2015,500000,Biotech,Kim\n"
        "Pelorus,pelorus.example,soon,,Maritime,Kim\n"
    ),
    "founders": "Founder,Company,University\nAnn Berg,Halvern Bio,MIT\n",
}


def test_the_page_shows_the_command_as_it_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs/start/own-data.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0].splitlines()
    _, said = importing.read(written(tmp_path, **PAGE), "mine", day=DAY)
    assert shown == [*said, "Write this? [y/N] y", "mine"]


BAD = """\
Company,Website,Founded,Employees
Halvern Bio,github.com/halvern,2017,12
Pelorus,pelorus.example,20155,11-50
Skarn,pelorus.example,2016,-4
"""


def test_every_cell_that_cannot_be_read_is_said_with_its_line(tmp_path: Path) -> None:
    tables, said = imported(tmp_path, written(tmp_path, a=BAD))
    assert said[1:] == [
        "a.csv, line 2: website_domain is left empty, as github.com/halvern in Website"
        " is no website",
        "a.csv, line 3: launch_date is left empty, as 20155 in Founded is no year",
        "a.csv, line 3: team_size is left empty, as 11-50 in Employees is no whole"
        " number",
        "a.csv, line 4: team_size is left empty, as -4 in Employees is no whole number",
    ]
    assert tables["companies"].height == 3, "two companies share a website"


def test_a_value_out_of_its_range_is_one_error(tmp_path: Path) -> None:
    text = "Company,Founded\nHalvern Bio,2077\n"
    with pytest.raises(DatasetError, match=r"launch_date.*between 1500 and.*2077"):
        importing.read(written(tmp_path, a=text), "own", day=DAY)


def test_founders_belong_to_the_one_company_of_that_name(tmp_path: Path) -> None:
    people = "Person,Company\nAnn Berg,Halvern Bio\nDag Moe,Pelorus\nEva,Nobody\n"
    paths = written(tmp_path, companies=EXPORT, founders=people)
    tables, said = imported(tmp_path, paths)
    names = dict(tables["founders"].select("uuid", "name").rows())
    held = {
        name: sorted(names[uuid] for uuid in founders)
        for name, founders in tables["companies"].select("name", "founders").rows()
    }
    assert held == {"Halvern Bio": ["Ann Berg", "Bo Lie"], "Pelorus": ["Dag Moe"]}
    assert said[-1] == (
        "founders.csv, line 4, is left out, as it names no company, or several of one"
        " name: Nobody"
    )


def test_files_without_companies_and_a_folder_that_is_there_are_refused(
    tmp_path: Path,
) -> None:
    absent = tmp_path / "absent.csv"
    with pytest.raises(UnsupportedValue, match=r"'absent.csv': there is no such file"):
        importing.read([absent], "own", day=DAY)
    dataset, _ = importing.read(written(tmp_path, a=EXPORT), "own", day=DAY)
    with pytest.raises(SaveError, match="is there already"):
        importing.write(dataset, tmp_path)


def test_the_command_writes_only_what_is_agreed(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (path,), out = written(tmp_path, a=EXPORT), tmp_path / "own"
    command = ["import", str(path), "--out", str(out)]
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert cli.main(command) == 1
    assert "Nothing is written" in capsys.readouterr().err
    assert not out.exists()
    assert cli.main([*command, "--yes"]) == 0
    assert "company = Company Name" in capsys.readouterr().out
    assert (out / "dataset.json").is_file()


@pytest.mark.parametrize("answer", ["y", "n"])
def test_in_a_terminal_it_asks_before_it_writes(tmp_path: Path, answer: str) -> None:
    (path,), out = written(tmp_path, a=EXPORT), tmp_path / "own"
    controller, terminal = os.openpty()
    command = [sys.executable, "-m", "ventureframe", "import"]
    command += [str(path), "--out", str(out)]
    with subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.write(controller, f"{answer}\n".encode())
        said, _ = process.communicate(timeout=60)
    os.close(controller)
    os.close(terminal)
    assert b"Write this? [y/N]" in said
    assert process.returncode == (answer != "y")
    assert out.exists() == (answer == "y")
