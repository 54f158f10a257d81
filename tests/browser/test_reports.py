"""The curated reports, on the sample and on real data, opened without a network."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import ALIKE, Open, violations

from ventureframe import report
from ventureframe.report.build import save
from ventureframe.report.page import entry, index

pytestmark = pytest.mark.browser

SAMPLED = tuple(path.stem for path in report.reports())
SAVED = 6
"""Tables saved as CSV: Chromium asks back from the eleventh download of a page on."""


def check_page(page: Page) -> None:
    """What holds for every report: images described, tables sortable and saved as
    CSV.
    """
    assert len(page.inner_text("body").split()) <= 1200, (
        "what is not folded is one page"
    )
    assert page.locator(".vf-lead .vf-limits li").count() <= 3
    page.locator("summary").click()
    assert page.locator("img, .vf-none").count() > 0, (
        "a figure, or the sentence that stands for one bar"
    )
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
    opened: Open, built: Built, name: str
) -> None:
    out = built(name)
    assert out.stat().st_size < 1_000_000
    page = opened(out)
    assert page.locator(".vf-banner").is_visible()
    assert "SYNTHETIC" in page.inner_text("body")[:200]
    check_page(page)


@pytest.mark.slow
def test_the_list_leads_to_every_report(opened: Open, built: Built) -> None:
    page = opened(built("index"))
    links = page.locator("a").evaluate_all("all => all.map((each) => each.href)")
    assert [Path(link).stem for link in links] == list(SAMPLED)
    assert page.inner_text("body").count("SYNTHETIC") == len(SAMPLED)
    cut = "each => each.scrollWidth > each.clientWidth"
    assert not page.locator(".vf-scroll").evaluate(cut)


IN_DARK = ("03_hiring_signals", "index")
"""Colours are those of one style sheet: every kind of element is on these two pages."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLED, "index"])
def test_axe_finds_nothing_in_light_or_dark(
    browser: Browser, built: Built, name: str
) -> None:
    # the page's own policy would refuse the script that looks at it
    page = browser.new_context(offline=True, bypass_csp=True).new_page()
    page.goto(built(name).as_uri())
    page.evaluate(ALIKE)
    for scheme in ("light", "dark") if name in IN_DARK else ("light",):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLED)
def test_a_phone_shows_every_word_of_a_report_without_scrolling_sideways(
    browser: Browser, built: Built, name: str
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(built(name).as_uri())
    page.locator("summary").click()
    wider = "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.locator("html, .vf-figure, .vf-box").evaluate_all(wider) == 0
    pictures = page.locator(".vf-figure img").evaluate_all(
        "all => all.map((each) => [each.currentSrc, each.getBoundingClientRect().right])"
    )
    assert pictures or page.locator(".vf-none").count()
    outside = """() => {
        const texts = [...document.querySelectorAll("text")];
        const scale = 358 / document.querySelector("svg").getBoundingClientRect().width;
        const boxes = texts.map((each) => [each.textContent, each.getBoundingClientRect()]);
        return boxes.filter(([, { left, right }]) => left * scale < -1 || right * scale > 359);
    }"""
    for address, right in pictures:
        assert right <= 390
        shown = browser.new_page()
        picture = unquote(address.partition(",")[2])
        shown.set_content(f"<body style='margin: 0'>{picture}")
        assert shown.locator("svg").evaluate("each => each.clientWidth") < 400, (
            "drawn for a phone, not a wide one made small"
        )
        assert shown.evaluate(outside) == []
        shown.close()
    page.close()


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
    assert 1 < pages <= 16, "a table has 40 rows at most"
    page.close()
