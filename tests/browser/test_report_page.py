"""A report in a browser without a network: what it asks for, shows, sorts and saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Browser, Page
from tests.report.conftest import cells

from ventureframe import report

pytestmark = pytest.mark.browser

Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a file with the network off; fails on any request, console message or error."""
    contexts = []
    heard: list[str] = []

    def open_file(path: Path, **settings: Any) -> Page:
        context = browser.new_context(offline=True, accept_downloads=True, **settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda asked: heard.append(asked.url[:60]))
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert [url for url in heard if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the small notebook."""
    import nbformat
    from nbformat.v4 import new_notebook

    folder = tmp_path_factory.mktemp("small")
    nbformat.write(new_notebook(cells=cells()), folder / "small.ipynb")
    return report.build(folder / "small.ipynb", out=folder / "small.html", progress=False)


def test_a_table_sorts_by_its_values_and_keeps_gaps_last(opened: Open, small: Path) -> None:
    page = opened(small)
    total = page.get_by_role("columnheader", name="total")
    total.get_by_role("button").click()
    assert _column(page, 1) == ["90.00", "1,200.50", "not reported"]
    assert total.get_attribute("aria-sort") == "ascending"
    total.get_by_role("button").press("Enter")
    assert _column(page, 1) == ["1,200.50", "90.00", "not reported"]
    assert total.get_attribute("aria-sort") == "descending"
    page.get_by_role("columnheader", name="company").get_by_role("button").click()
    assert _column(page, 0) == ["Älpha", 'Beta, "Inc"', "Gamma"]
    assert total.get_attribute("aria-sort") is None


def test_a_table_is_saved_as_csv_with_its_values_not_its_words(
    opened: Open, small: Path, tmp_path: Path
) -> None:
    page = opened(small)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()
    assert saved.value.suggested_filename == "pool-1.csv"
    path = tmp_path / "pool.csv"
    saved.value.save_as(path)
    frame = pl.read_csv(path)
    assert frame.to_dict(as_series=False) == {
        "company": ['Beta, "Inc"', "Gamma", "Älpha"],
        "total": [1200.5, None, 90.0],
    }


def test_a_saved_csv_holds_no_formula(opened: Open, small: Path, tmp_path: Path) -> None:
    hostile = tmp_path / "hostile.html"
    cell = 'data-value="=HYPERLINK(1)"'
    text = small.read_text("utf-8").replace('data-value="Gamma"', cell)
    hostile.write_text(text.replace('data-value="90', 'data-value="-90'), "utf-8")
    page = opened(hostile)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download CSV").click()
    frame = pl.read_csv(saved.value.path().read_bytes())
    assert "'=HYPERLINK(1)" in frame["company"].to_list()
    assert -90.0 in frame["total"].to_list()


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_out_of_the_page(opened: Open, small: Path, width: int, scheme: str) -> None:
    page = opened(small, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 24, 29)"
    )


def test_the_first_tab_stop_skips_to_the_content(opened: Open, small: Path) -> None:
    page = opened(small)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_what_is_printed_has_no_buttons_and_whole_tables(opened: Open, small: Path) -> None:
    page = opened(small)
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Download CSV").is_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.vf-scroll')).maxHeight") == (
        "none"
    )


def test_a_script_that_reached_the_page_would_not_run(browser: Browser, small: Path) -> None:
    hostile = small.with_name("hostile.html")
    script = "<script>document.title = 'taken'</script>"
    hostile.write_text(small.read_text("utf-8").replace("<p>A question.</p>", script), "utf-8")
    page = browser.new_page()
    page.goto(hostile.as_uri())
    assert page.locator("header script").count() == 1
    assert page.title() == "Who started what?"
    page.close()


def _column(page: Page, index: int) -> list[str]:
    return page.locator(f"tbody td:nth-child({index + 1})").all_inner_texts()
