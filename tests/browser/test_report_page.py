"""A report in a browser without a network: what it asks for, shows and refuses."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.report.conftest import cells

from ventureframe import report

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Opens a file with the network off; fails on any request, console message or
    error.
    """
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
    assert [
        url for url in heard if not url.startswith(("file:", "data:", "blob:"))
    ] == []


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the small notebook."""
    import nbformat
    from nbformat.v4 import new_notebook

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
