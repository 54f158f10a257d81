"""The curated reports, on the sample and on real data, opened without a network."""

from __future__ import annotations

import io
import re
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

from ventureframe import report
from ventureframe.errors import ReportError

pytestmark = pytest.mark.browser

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


@pytest.mark.parametrize("name", ["00_start_here", "01_university_spinouts"])
def test_a_report_on_the_sample_says_synthetic(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("VENTUREFRAME_DATA", raising=False)
    out = report.build(name, out=tmp_path / f"{name}.html", progress=False)
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    assert opened.page.locator(".vf-banner").is_visible()
    assert opened.text.lstrip().startswith("SYNTHETIC") or "SYNTHETIC" in opened.text[:200]
    check_page(opened)
    assert opened.close() == []


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
    assert f"known for {funded} of {companies}" in answer
    if parameters["domain"] == "stanford.edu":
        assert (founders, companies, funded) == (239, 322, 129)
        assert "3,864,930,929.77 USD" in answer
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
