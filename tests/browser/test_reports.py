"""The curated reports, on the sample and on real data, opened without a network."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

from ventureframe import report
from ventureframe.errors import ReportError

pytestmark = pytest.mark.browser

SAMPLED = tuple(path.stem for path in report.notebooks() if path.stem != "05_live_data")
AXE = Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"

SAVED = 6
"""Tables saved as CSV: Chromium asks back from the eleventh download of a page on."""


class Opened:
    """A page opened with the network off, and all that was asked for, logged or thrown."""

    def __init__(self, browser: Browser, path: Path) -> None:
        self.heard: list[str] = []
        self.page: Page = browser.new_context(offline=True, accept_downloads=True).new_page()
        self.page.on("console", lambda message: self.heard.append(message.text))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("request", lambda asked: self.heard.append(asked.url))
        self.page.goto(path.as_uri())
        self.text = self.page.inner_text("body")

    def close(self) -> list[str]:
        """What was heard beside the page itself and what it carries inside."""
        self.page.context.close()
        return [each for each in self.heard if not each.startswith(("file:", "data:", "blob:"))]


def check_page(opened: Opened) -> None:
    """What holds for every report: images described, tables sortable and saved as CSV."""
    page = opened.page
    assert page.locator("img").count() > 0
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    assert page.locator("img").evaluate_all("all => all.every((each) => each.naturalWidth > 0)")
    assert page.locator("h1").count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href") or "").count() == 1
    figures = page.locator("figure.vf-table").all()
    assert figures
    for figure in figures:
        figure.locator("thead button").last.click()
        assert figure.locator("th[aria-sort=ascending]").count() == 1
    for figure in figures[:SAVED]:
        with page.expect_download() as saved:
            figure.get_by_role("button", name="Download CSV").click()
        frame = pl.read_csv(io.BytesIO(saved.value.path().read_bytes()), infer_schema_length=None)
        assert frame.height == figure.locator("tbody tr").count()
        assert frame.width == figure.locator("thead th").count()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of every report on the sample, with the page that lists them."""
    folder = tmp_path_factory.mktemp("built")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("VENTUREFRAME_")}
    command = [sys.executable, "-m", "ventureframe.cli", "report", "--all", "--out", str(folder)]
    subprocess.run(command, env=kept, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", SAMPLED)
def test_a_report_on_the_sample_says_synthetic(browser: Browser, built: Path, name: str) -> None:
    out = built / f"{name}.html"
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    assert opened.page.locator(".vf-banner").is_visible()
    assert "SYNTHETIC" in opened.text[:200]
    check_page(opened)
    assert opened.close() == []


def test_the_list_leads_to_every_report_and_says_what_was_not_built(
    browser: Browser, built: Path
) -> None:
    opened = Opened(browser, built / "index.html")
    links = opened.page.locator("a").evaluate_all("all => all.map((each) => each.href)")
    assert [Path(link).stem for link in links] == list(SAMPLED)
    assert opened.text.count("SYNTHETIC") == len(SAMPLED)
    cut = "each => each.scrollWidth > each.clientWidth"
    assert not opened.page.locator(".vf-scroll").evaluate(cut)
    assert "Not built: it asks a live service and needs its key" in opened.text
    assert opened.close() == []


@pytest.mark.parametrize("name", [*SAMPLED, "index"])
def test_axe_finds_no_serious_problem_in_light_or_dark(
    browser: Browser, built: Path, name: str
) -> None:
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip("axe-core is not installed: npm install --prefix .venv/axe axe-core")
    # the page's own policy would refuse the script that looks at it
    page = browser.new_context(offline=True, bypass_csp=True).new_page()
    page.goto((built / f"{name}.html").as_uri())
    page.evaluate(AXE.read_text("utf-8"))
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        worst = [each for each in found if each["impact"] in ("serious", "critical")]
        assert worst == [], scheme
    page.context.close()


@pytest.mark.parametrize("name", SAMPLED)
def test_a_report_prints_whole(browser: Browser, built: Path, name: str) -> None:
    page = browser.new_page(viewport={"width": 690, "height": 1000})
    page.emulate_media(media="print")
    page.goto((built / f"{name}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
    assert page.locator(".vf-scroll").evaluate_all(cut) == 0
    assert page.locator("thead button:visible").count() == 0, "or heads would not repeat"
    printed = page.pdf(format="A4")
    pages = len(re.findall(rb"/Type /Page\b", printed))
    assert 1 < pages < 60
    page.close()


@pytest.mark.real
@pytest.mark.parametrize(
    ("parameters", "currency"),
    [
        ({"university": "Stanford University", "domain": "stanford.edu"}, "USD"),
        ({"university": "Northwestern University", "domain": "northwestern.edu"}, "EUR"),
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
    assert answer.startswith(f"{companies} of the ")
    assert f"({founders} founders)" in answer
    assert f"recorded for {funded} of the {companies}" in answer
    if parameters["domain"] == "stanford.edu":
        assert (founders, companies, funded) == (239, 322, 129)
        assert "3.86 billion USD" in answer
        assert "3,864,930,929.77 USD" in opened.text
    assert "SYNTHETIC" not in opened.text
    assert "Contains CrunchBase data (June 2013), CC BY, www.crunchbase.com" in opened.text
    assert "Source: ECB euro reference rates" in opened.text
    assert "2013-06-17" in opened.text
    check_page(opened)
    assert opened.close() == []


def counted(folder: Path, *, university: str, domain: str) -> tuple[int, int, int]:
    """Founders with an entry at the university, their companies, and those with a total."""
    universities = pl.read_parquet(folder / "universities.parquet")
    (uuid,) = universities.filter(pl.col("name") == university, pl.col("website_domain") == domain)[
        "uuid"
    ]
    entries = pl.read_parquet(folder / "founders.parquet").explode("education")
    at = entries.filter(pl.col("education").struct.field("university_uuid") == uuid)["uuid"]
    companies = pl.read_parquet(folder / "companies.parquet")
    linked = companies.filter(
        pl.col("founders").list.eval(pl.element().is_in(at.unique().to_list())).list.any()
    )
    return at.n_unique(), linked.height, linked["total_funding"].count()


@pytest.mark.real
def test_a_name_alone_is_not_enough_and_the_near_misses_are_listed(
    tmp_path: Path, real_data: Path
) -> None:
    for domain in ("", "northwestern.example"):
        with pytest.raises(ReportError, match=r"northwestern\.edu") as failed:
            report.build(
                "01_university_spinouts",
                out=tmp_path / "r.html",
                data=real_data / "venture-2013",
                parameters={"university": "Northwestern University", "domain": domain},
                progress=False,
            )
        assert re.search(r"differ|needs its domain", str(failed.value))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real
def test_lp_exposure_on_real_data_gives_the_figures_counted_in_its_files(
    browser: Browser, tmp_path: Path, real_data: Path
) -> None:
    folder = real_data / "venture-2013"
    investors = pl.read_parquet(folder / "investors.parquet").filter("is_lp").sort("name")
    links = pl.read_parquet(folder / "lp_managers.parquet")
    funds = pl.read_parquet(folder / "funds.parquet")
    backed = links["manager_uuid"].unique()
    shared = links.group_by("manager_uuid").len().filter(pl.col("len") > 1).height
    theirs = funds.filter(pl.col("manager_uuid").is_in(backed.implode()))
    assert theirs["manager_uuid"].n_unique() == 6, "only six backed managers have a fund record"
    out = report.build(
        "02_lp_exposure",
        out=tmp_path / "real.html",
        data=folder,
        parameters={"lps": list(investors.select("name", "website_domain").rows()), "since": None},
        progress=False,
    )
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    answer = opened.page.locator(".vf-answer").inner_text()
    assert answer.startswith(f"11 LPs with {backed.len()} distinct managers recorded, {shared} ")
    assert f"6 of {backed.len()} asked returned {theirs.height} funds" in answer
    rows = opened.page.locator("#the-managers-behind-each-lp tbody tr").all_inner_texts()
    counts = {name: row.split("\t") for row in rows if (name := row.split("\t")[0])}
    assert counts["Amitim"][2] == "61"
    assert counts["Yelin Lapidot"][2] == "1"
    for name in ("FIMI Opportunity Funds", "Noy Fund"):
        assert counts[name][2] == "10"
    assert "SYNTHETIC" not in opened.text
    check_page(opened)
    assert opened.close() == []


@pytest.mark.real
def test_hiring_on_real_data_gives_the_figures_counted_in_its_files(
    browser: Browser, tmp_path: Path, real_data: Path
) -> None:
    folder = real_data / "startups-2026"
    companies = pl.read_parquet(folder / "companies.parquet")
    out = report.build(
        "03_hiring_signals",
        out=tmp_path / "real.html",
        data=folder,
        parameters={"tags": None, "location": None, "signal_team": None},
        progress=False,
    )
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    answer = opened.page.locator(".vf-answer").inner_text()
    hiring = companies["is_hiring"].sum()
    assert answer.startswith(f"{hiring:,} of {companies.height:,} companies carry the hiring flag")
    assert "122 postings of 73 companies were returned" in answer
    button = opened.page.locator("#the-companies .vf-csv")
    assert button.inner_text() == f"Download CSV: the 500 rows shown of {companies.height:,}"
    assert "SYNTHETIC" not in opened.text
    check_page(opened)
    assert opened.close() == []
