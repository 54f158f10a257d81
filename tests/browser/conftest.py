"""A real Chromium, where there is one, and a JupyterLab to open in it; CI must have
both.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.browser.lab import Lab, laboratory

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(sys.prefix) / "axe/node_modules/axe-core/axe.min.js"
ALIKE = (
    "document.querySelectorAll('tbody tr:nth-child(n+26)').forEach((each) =>"
    " each.remove())"
)
"""Leaves 25 rows of each table for axe, which takes minutes for thousands that are
built alike.
"""
Open = Callable[..., Page]

# a busy machine: nothing waits longer than it has to
expect.set_options(timeout=120_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it.

    It ends with its file: until then this thread has an event loop that runs, with
    which kernels and signals do not work as they do elsewhere.
    """
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None and os.environ.get("CI"):
        pytest.fail("CI needs Chromium for the tests marked browser")
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for all tests."""
    with laboratory(tmp_path_factory.mktemp("lab")) as started:
        yield started


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


def violations(page: Page) -> list[str]:
    """What axe finds wrong with a page; without axe-core the test is skipped, but not
    in CI.
    """
    if not AXE.is_file() and not os.environ.get("CI"):
        pytest.skip("axe-core is not installed (make test installs it where npm is)")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "axe.run(document.querySelector('.vf-panel') ?? document,"
        " { resultTypes: ['violations'] })"
    )
    return [each["id"] for each in found["violations"]]
