"""The curated reports, on the sample and on real data, opened without a network."""

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, expect

from ventureframe import report
from ventureframe.report.build import save
from ventureframe.report.page import entry, index

pytestmark = pytest.mark.browser

SAMPLED = tuple(path.stem for path in report.reports())
AXE = Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"
ALIKE = (
    "document.querySelectorAll('tbody tr:nth-child(n+26)').forEach((each) =>"
    " each.remove())"
)
"""Leaves 25 rows of each table for axe, which takes minutes for thousands that are
built alike.
"""

SAVED = 6
"""Tables saved as CSV: Chromium asks back from the eleventh download of a page on."""


class Opened:
    """A page opened with the network off, and all that was asked for, logged or
    thrown.
    """

    def __init__(self, browser: Browser, path: Path) -> None:
        self.heard: list[str] = []
        self.page: Page = browser.new_context(
            offline=True, accept_downloads=True
        ).new_page()
        self.page.on("console", lambda message: self.heard.append(message.text))
        self.page.on("pageerror", lambda error: self.heard.append(str(error)))
        self.page.on("request", lambda asked: self.heard.append(asked.url))
        self.page.goto(path.as_uri())
        self.text = self.page.inner_text("body")  # without what is folded
        self.whole = self.page.text_content("body") or ""

    def close(self) -> list[str]:
        """What was heard beside the page itself and what it carries inside."""
        self.page.context.close()
        return [
            each
            for each in self.heard
            if not each.startswith(("file:", "data:", "blob:"))
        ]


def check_page(opened: Opened) -> None:
    """What holds for every report: images described, tables sortable and saved as
    CSV.
    """
    page = opened.page
    assert len(opened.text.split()) <= 1200, "what is not folded is one page"
    assert page.locator(".vf-lead .vf-limits li").count() <= 3
    page.locator("summary").click()
    assert page.locator("img").count() > 0
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    assert page.locator("img").evaluate_all(
        "all => all.every((each) => each.naturalWidth > 0)"
    )
    assert page.locator("h1").count() == 1
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href") or "").count() == 1
    figures = page.locator(".vf-evidence figure.vf-table").all()
    assert figures
    for figure in figures:
        figure.locator("thead button:visible").last.click()
        expect(figure.locator("th[aria-sort=ascending]")).to_have_count(1)
    for figure in figures[:SAVED]:
        with page.expect_download() as saved:
            figure.get_by_role("button", name="Download CSV").click()
        frame = pl.read_csv(
            io.BytesIO(saved.value.path().read_bytes()), infer_schema_length=None
        )
        assert frame.height == int(figure.get_attribute("data-rows") or 0)
        assert frame.width == figure.locator("thead th").count() + 1, (
            "the data source, too"
        )


Built = Callable[[str], Path]
QUICK, *FURTHER = SAMPLED
"""One report is opened by `make test`, all of them by `.ci/run`."""


@pytest.fixture(scope="module")
def built(
    executed: Callable[[str], NotebookNode], tmp_path_factory: pytest.TempPathFactory
) -> Built:
    """Makes the report of a curated notebook, or the page that lists all."""
    folder = tmp_path_factory.mktemp("built")

    def make(name: str) -> Path:
        path = folder / f"{name}.html"
        if name == "index":
            entries = [entry(executed(each), file=f"{each}.html") for each in SAMPLED]
            path.write_text(index(entries), "utf-8")
        elif not path.exists():
            save(executed(name), [path])
        return path

    return make


@pytest.mark.parametrize(
    "name", [QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in FURTHER)]
)
def test_a_report_on_the_sample_says_synthetic(
    browser: Browser, built: Built, name: str
) -> None:
    out = built(name)
    assert out.stat().st_size < 1_000_000
    opened = Opened(browser, out)
    assert opened.page.locator(".vf-banner").is_visible()
    assert "SYNTHETIC" in opened.text[:200]
    check_page(opened)
    assert opened.close() == []


@pytest.mark.slow
@pytest.mark.real
def test_a_report_on_real_data_has_its_figures_names_its_sources_and_no_mark(
    browser: Browser, tmp_path: Path, real_data: Path
) -> None:
    out = report.build(
        "01_university_spinouts",
        out=tmp_path / "real.html",
        data=real_data / "venture-2013",
        currency="USD",
        parameters={"university": "Stanford University", "domain": "stanford.edu"},
        progress=False,
    )
    assert out.stat().st_size < 2_000_000
    opened = Opened(browser, out)
    answer = opened.page.locator(".vf-answer").inner_text()
    assert answer.startswith("322 companies have a founder who studied at ")
    for said in (
        "USD 3,864,930,929.77",
        "Contains CrunchBase data (June 2013), CC BY, www.crunchbase.com",
        "Source: ECB euro reference rates",
        "2013-06-17",
    ):
        assert said in opened.whole
    assert "SYNTHETIC" not in opened.whole
    check_page(opened)
    assert opened.close() == []


@pytest.mark.slow
def test_on_a_phone_a_figure_scrolls_with_readable_text_and_its_marks_open(
    browser: Browser, built: Built
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(built("01_university_spinouts").as_uri())
    page.locator("summary").click()
    figure = page.locator("figure.vf-figure[data-marks]").first
    assert figure.evaluate(
        "each => each.scrollWidth > each.clientWidth && each.tabIndex === 0"
    )
    assert figure.locator("img").evaluate("each => each.clientWidth") >= 640
    mark = figure.locator("svg [role=button]").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_role("dialog")).to_be_visible()
    page.close()


@pytest.mark.slow
def test_the_list_leads_to_every_report(browser: Browser, built: Built) -> None:
    opened = Opened(browser, built("index"))
    links = opened.page.locator("a").evaluate_all("all => all.map((each) => each.href)")
    assert [Path(link).stem for link in links] == list(SAMPLED)
    assert opened.text.count("SYNTHETIC") == len(SAMPLED)
    cut = "each => each.scrollWidth > each.clientWidth"
    assert not opened.page.locator(".vf-scroll").evaluate(cut)
    assert opened.close() == []


IN_DARK = ("03_hiring_signals", "index")
"""Colours are those of one style sheet: every kind of element is on these two pages."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLED, "index"])
def test_axe_finds_nothing_in_light_or_dark(
    browser: Browser, built: Built, name: str
) -> None:
    if not AXE.exists() and not os.environ.get("CI"):
        pytest.skip(
            "axe-core is not installed: npm install --prefix .venv/axe axe-core"
        )
    # the page's own policy would refuse the script that looks at it
    page = browser.new_context(offline=True, bypass_csp=True).new_page()
    page.goto(built(name).as_uri())
    page.evaluate(AXE.read_text("utf-8"))
    page.evaluate(ALIKE)
    for scheme in ("light", "dark") if name in IN_DARK else ("light",):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
        assert [each["id"] for each in found] == [], scheme
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLED)
def test_a_report_prints_whole(browser: Browser, built: Built, name: str) -> None:
    page = browser.new_page(viewport={"width": 690, "height": 1000})
    page.emulate_media(media="print")
    page.goto(built(name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 690
    cut = "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
    assert page.locator(".vf-box").evaluate_all(cut) == 0
    assert page.locator("thead button:visible").count() == 0, (
        "or heads would not repeat"
    )
    broken = """all => all.filter((each) => each.scrollWidth > each.clientWidth + 1)
        .map((each) => each.textContent)"""
    assert page.locator("thead th:visible").evaluate_all(broken) == []
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    pages = len(re.findall(rb"/Type /Page\b", printed))
    assert 1 < pages <= 12
    page.close()
