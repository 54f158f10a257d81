"""A report in a browser without a network: what it asks for, shows and refuses."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_notebook
from playwright.sync_api import Browser
from tests.browser.conftest import Open
from tests.report.conftest import cells

from ventureframe import report

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the small notebook."""
    folder = tmp_path_factory.mktemp("small")
    nbformat.write(new_notebook(cells=cells()), folder / "small.ipynb")
    return report.build(
        folder / "small.ipynb", out=folder / "small.html", progress=False
    )


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_runs_out_of_the_page(
    opened: Open, small: Path, width: int, scheme: str
) -> None:
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


def test_a_script_that_reached_the_page_would_not_run(
    browser: Browser, small: Path
) -> None:
    hostile = small.with_name("hostile.html")
    script = "<script>document.title = 'taken'</script>"
    hostile.write_text(
        small.read_text("utf-8").replace("<p>A question.</p>", script), "utf-8"
    )
    page = browser.new_page()
    page.goto(hostile.as_uri())
    assert page.locator(".vf-evidence script").count() == 1
    assert page.title() == "Who started what?"
    page.close()
