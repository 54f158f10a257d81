"""A real Chromium, where there is one, and a JupyterLab to open in it; CI must have
both.
"""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from tests.browser.lab import Lab, laboratory

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# a busy machine: nothing waits longer than it has to
expect.set_options(timeout=120_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as the system has it."""
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
