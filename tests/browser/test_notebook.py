"""The first notebook in JupyterLab: run untouched, then changed by its form, by mouse and keys."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ventureframe import report

pytestmark = pytest.mark.browser

TOKEN = "loopback"
PATIENCE = 30_000
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A JupyterLab of its own over a copy of the notebook; its address."""
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    folder.mkdir()
    shutil.copy(report.find("01_university_spinouts"), folder)
    for name, content in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VENTUREFRAME_", "JUPYTER"))}
    environment = kept | {
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    options = [
        *("--no-browser", "--allow-root", "--ServerApp.port=0", "--ServerApp.open_browser=False"),
        *(f"--ServerApp.root_dir={folder}", f"--IdentityProvider.token={TOKEN}"),
    ]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=environment, stdout=log, stderr=log
        )
        try:
            yield _address(home / "runtime", server)
        finally:
            server.terminate()
            server.wait(timeout=30)


def _address(runtime: Path, server: subprocess.Popen[bytes]) -> str:
    for _ in range(300):
        if found := next(runtime.glob("jpserver-*.json"), None):
            return str(json.loads(found.read_text())["url"])
        assert server.poll() is None, "JupyterLab did not start"
        time.sleep(0.1)
    raise AssertionError("JupyterLab did not start in 30 seconds")


@pytest.fixture(scope="module")
def page(browser: Browser, lab: str) -> Iterator[Page]:
    """The notebook in JupyterLab, run from top to bottom."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{lab}lab/tree/01_university_spinouts.ipynb?token={TOKEN}")
    expect(page.locator(".jp-Notebook .vf-answer")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(_control(page, "Currency")).to_be_visible(timeout=PATIENCE)
    _settled(page)
    yield page
    page.close()


def test_it_runs_untouched_and_says_the_same_as_the_saved_notebook(page: Page) -> None:
    counts = page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    assert counts == [f"[{number}]:" for number in range(1, len(counts) + 1)]
    assert page.locator(".jp-mod-error, .jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    assert "Harrowmere University" in _answer(page)
    assert "USD" in _answer(page)


def test_letters_and_arrows_in_the_form_are_no_notebook_commands(page: Page) -> None:
    before = page.locator(".jp-Cell").count()
    currency = _control(page, "Currency")
    for control in (currency, page.get_by_role("button", name="Fetch")):
        control.focus()
        for key in ("a", "b", "x", "d", "d", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == before
    currency.select_option("USD")


def test_a_currency_is_chosen_and_everything_below_follows(page: Page) -> None:
    usd = _answer(page)
    currency = _control(page, "Currency")
    currency.focus()
    page.keyboard.press("e")
    expect(currency).to_have_value("EUR")
    assert _answer(page) == usd, "nothing is asked before Fetch"
    _fetch(page, says="Fetched.* EUR")
    expect(page.locator(".vf-answer")).to_contain_text("EUR")
    expect(page.locator(".vf-choice")).to_contain_text("EUR")
    expect(page.get_by_role("columnheader", name="Total funding (EUR)").first).to_be_attached()
    sources = page.locator(".jp-Cell", has_text="Sources and clocks").last
    expect(sources).to_contain_text("currency EUR")


def test_another_university_is_chosen_and_everything_below_follows(page: Page) -> None:
    _control(page, "University").fill("Tarnvik Technical University")
    _control(page, "Website domain").fill("tarnvik.example")
    _fetch(page, says="Fetched.* Tarnvik Technical University")
    expect(page.locator(".vf-answer")).to_contain_text("Tarnvik Technical University")
    figures = page.locator(".vf-figure img").evaluate_all("all => all.map(each => each.alt)")
    assert figures
    old = page.locator(".vf-table figcaption", has_text="Harrowmere University")
    expect(old).to_have_count(0)


def test_a_wrong_name_is_answered_in_words_and_changes_nothing(page: Page) -> None:
    before = _answer(page)
    _control(page, "Website domain").fill("elsewhere.example")
    _fetch(page, says="Nothing below has changed")
    status = page.get_by_role("status").filter(has_text="Nothing below has changed")
    expect(status).to_contain_text("tarnvik.example")
    expect(status).to_contain_text("differ")
    assert _answer(page) == before
    expect(page.locator(".vf-choice")).to_contain_text("tarnvik.example")


def _control(page: Page, label: str) -> Locator:
    return page.locator(".vf-panel").get_by_label(label, exact=True)


def _answer(page: Page) -> str:
    return page.locator(".vf-answer").inner_text()


def _fetch(page: Page, *, says: str) -> None:
    page.get_by_role("button", name="Fetch").click()
    expect(page.locator(".vf-status")).to_contain_text(re.compile(says), timeout=PATIENCE)
    expect(page.get_by_role("button", name="Fetch")).to_be_enabled()


def _settled(page: Page) -> None:
    """Waits until no cell waits or runs."""
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.filter(has_text="[*]")).to_have_count(0, timeout=PATIENCE)
    expect(prompts.last).to_have_text(re.compile(r"\[\d+\]:"), timeout=PATIENCE)
