"""The curated reports on real data: their figures are those counted in the dataset's
files.
"""

from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser
from tests.browser.test_reports import Opened, check_page

from ventureframe import report

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.real
@pytest.mark.parametrize(
    ("parameters", "currency"),
    [
        ({"university": "Stanford University", "domain": "stanford.edu"}, "USD"),
        (
            {"university": "Northwestern University", "domain": "northwestern.edu"},
            "EUR",
        ),
    ],
    ids=["Stanford", "Northwestern"],
)
def test_a_report_on_real_data_gives_the_figures_counted_in_its_files(
    browser: Browser,
    tmp_path: Path,
    real_data: Path,
    parameters: dict[str, str],
    currency: str,
) -> None:
    folder = real_data / "venture-2013"
    out = report.build(
        "01_university_spinouts",
        out=tmp_path / "real.html",
        data=folder,
        currency=currency,
        parameters=parameters,
        progress=False,
    )
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    founders, companies, funded = counted(folder, **parameters)
    answer = opened.page.locator(".vf-answer").inner_text()
    assert answer.startswith(f"{companies} companies have a founder who studied at ")
    assert f"({founders} people)" in answer
    assert f"recorded for {funded} of the {companies}" in answer
    if parameters["domain"] == "stanford.edu":
        assert (founders, companies, funded) == (239, 322, 129)
        assert "USD 3.86bn" in answer
        assert "USD 3,864,930,929.77" in opened.whole
    assert "SYNTHETIC" not in opened.whole
    assert (
        "Contains CrunchBase data (June 2013), CC BY, www.crunchbase.com"
        in opened.whole
    )
    assert "Source: ECB euro reference rates" in opened.whole
    assert "2013-06-17" in opened.whole
    check_page(opened)
    assert opened.close() == []


def counted(folder: Path, *, university: str, domain: str) -> tuple[int, int, int]:
    """Founders with an entry at the university, their companies, and those with a
    total.
    """
    universities = pl.read_parquet(folder / "universities.parquet")
    (uuid,) = universities.filter(
        pl.col("name") == university, pl.col("website_domain") == domain
    )["uuid"]
    entries = pl.read_parquet(folder / "founders.parquet").explode("education")
    at = entries.filter(pl.col("education").struct.field("university_uuid") == uuid)[
        "uuid"
    ]
    companies = pl.read_parquet(folder / "companies.parquet")
    linked = companies.filter(
        pl.col("founders")
        .list.eval(pl.element().is_in(at.unique().to_list()))
        .list.any()
    )
    return at.n_unique(), linked.height, linked["total_funding"].count()


@pytest.mark.real
def test_lp_exposure_on_real_data_gives_the_figures_counted_in_its_files(
    browser: Browser, tmp_path: Path, real_data: Path
) -> None:
    folder = real_data / "venture-2013"
    investors = (
        pl.read_parquet(folder / "investors.parquet").filter("is_lp").sort("name")
    )
    links = pl.read_parquet(folder / "lp_managers.parquet")
    funds = pl.read_parquet(folder / "funds.parquet")
    backed = links["manager_uuid"].unique()
    shared = links.group_by("manager_uuid").len().filter(pl.col("len") > 1).height
    theirs = funds.filter(pl.col("manager_uuid").is_in(backed.implode()))
    assert theirs["manager_uuid"].n_unique() == 6, (
        "only six backed managers have a fund record"
    )
    out = report.build(
        "02_lp_exposure",
        out=tmp_path / "real.html",
        data=folder,
        parameters={
            "lps": list(investors.select("name", "website_domain").rows()),
            "since": None,
        },
        progress=False,
    )
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    answer = opened.page.locator(".vf-answer").inner_text()
    shares = (
        f"{shared} are backed by two or more, FIMI Opportunity Funds and Noy Fund by 10"
        " each."
    )
    assert answer.startswith(
        f"The 11 LPs together back {backed.len()} managers; {shares}"
    )
    assert (
        f"for 6 of the {backed.len()} managers; for the others none is recorded"
        in answer
    )
    assert f"{theirs.height} fund" in opened.whole
    check_page(opened)
    rows = opened.page.locator(
        "#the-managers tbody tr, #full-tables tbody tr"
    ).all_inner_texts()
    counts: dict[str, list[str]] = {}
    for cells in (row.split("\t") for row in rows):
        counts.setdefault(cells[0], cells)
    assert counts["Amitim"][1] == "61"
    assert counts["Yelin Lapidot"][1] == "1"
    for name in ("FIMI Opportunity Funds", "Noy Fund"):
        assert counts[name][1] == "10"
    assert "SYNTHETIC" not in opened.whole
    assert opened.close() == []
