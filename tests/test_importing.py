"""Tables as spreadsheets write them become a dataset folder, and what is left out of
them is said.
"""

import datetime as dt
import io
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

import ventureframe as vf
from tests.conftest import ROOT
from ventureframe import cli
from ventureframe.errors import SaveError, UnsupportedValue
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
    tmp_path: Path, paths: list[Path], currency: str | None = None
) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The tables of the folder, opened through both doors, and what is said."""
    out = tmp_path / "own"
    dataset, said = importing.read(paths, "own", day=DAY, currency=currency)
    importing.write(dataset, out)
    with vf.connect(data=out, currency=currency or "EUR", environment={}) as svc:
        assert svc.companies.fetch().is_complete
    assert vf.bulk.open(out)["companies"].collect().height
    return {path.stem: pl.read_parquet(path) for path in out.glob("*.parquet")}, said


def test_an_export_of_a_spreadsheet_is_read_and_what_is_not_used_is_said(
    tmp_path: Path,
) -> None:
    tables, said = imported(tmp_path, written(tmp_path, export=EXPORT))
    assert said[0] == (
        "export.csv, companies: name = Company Name · website_domain = Website ·"
        " launch_date = Founded · hq_city = HQ · team_size = Employees ·"
        " company_status = Operating Status ·"
        " total_funding_currency = Total Funding Currency ·"
        " total_funding = Total Funding Amount · tags = Industries ·"
        " founder_names = Founders · not used: Owner"
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
    assert "tagline" not in companies.columns


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
    text = "Company,Total Funding\nHalvern Bio,1.234\nPelorus,20\n"
    tables, said = imported(tmp_path, written(tmp_path, a=text), currency="EUR")
    totals = tables["companies"].sort("name")["total_funding"]
    assert totals.to_list() == [None, 20.0]
    assert said[1] == "left empty: a.csv, line 2, Total Funding: 1.234 cannot be read"


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
    assert said[2].startswith("portfolio.xlsx, Notes is not used: no heading is known")
    assert said[3] == (
        "funding_rounds, line 3: Nobody names no single company of the tables"
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
    assert companies["is_startup"].to_list() == [True]
    assert "not used: ARR" in said[0]
    assert "ARR" not in companies.columns


def test_an_amount_needs_a_currency(tmp_path: Path) -> None:
    text = "Company,Total funding\nHalvern Bio,500000\nPelorus,\n"
    paths = written(tmp_path, a=text)
    with pytest.raises(
        UnsupportedValue, match="Total funding has no currency in line 2"
    ):
        importing.read(paths, "own", day=DAY)
    tables, _ = imported(tmp_path, paths, currency="GBP")
    units = tables["companies"].drop_nulls("total_funding")["total_funding_currency"]
    assert units.to_list() == ["GBP"]
    text = "Company,Total funding,Currency\nHalvern Bio,5,dollars\nPelorus,7,\n"
    paths = written(tmp_path, b=text)
    with pytest.raises(
        UnsupportedValue, match="Total funding has no currency in line 2"
    ):
        importing.read(paths, "own", day=DAY, currency="GBP")


PAGE = {
    "companies": (
        "Company,Website,Founded,Total raised,Currency,Industries,Owner\n"
        "Halvern Bio,halvern.example,2015,500000,EUR,Biotech,Kim\n"
        "Pelorus,pelorus.example,soon,,,Maritime,Kim\n"
    ),
    "founders": "Founder,Company\nAnn Berg,Halvern Bio\n",
}


def test_the_page_shows_the_command_as_it_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs/start/own-data.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("```")[0].splitlines()
    _, said = importing.read(written(tmp_path, **PAGE), "mine", day=DAY)
    assert shown == [*said, "Write this? [y/N] y", "mine"]


BAD = """\
Company,Website,Founded,Employees
Halvern Bio,github.com/halvern,2077,12
Pelorus,pelorus.example,20155,n/a
Skarn,pelorus.example,2016,-4
"""


def test_every_cell_that_cannot_be_read_is_said_with_its_line(tmp_path: Path) -> None:
    tables, said = imported(tmp_path, written(tmp_path, a=BAD))
    lost = [text for text in said if text.startswith("left empty")]
    assert lost == [
        "left empty: a.csv, line 2, Website: github.com/halvern cannot be read",
        "left empty: a.csv, line 3, Founded: 20155 cannot be read",
        "left empty: a.csv, line 2, Founded: 2077 is not between 1500 and 2036",
        "left empty: a.csv, line 3, Employees: n/a cannot be read",
        "left empty: a.csv, line 4, Employees: -4 is below 0, too large or not finite",
    ]
    assert tables["companies"].height == 3, "two companies share a website"


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
    assert said[-1] == "founders, line 4: Nobody names no single company of the tables"


def test_files_without_companies_and_a_folder_with_files_are_refused(
    tmp_path: Path,
) -> None:
    absent = tmp_path / "absent.csv"
    with pytest.raises(UnsupportedValue, match=r"no companies.*absent.csv is not used"):
        importing.read([absent], "own", day=DAY)
    dataset, _ = importing.read(written(tmp_path, a=EXPORT), "own", day=DAY)
    with pytest.raises(SaveError, match="holds files"):
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
    assert "name = Company Name" in capsys.readouterr().out
    assert (out / "dataset.json").is_file()
