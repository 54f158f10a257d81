"""A list in JupyterLab: pasted under an unknown heading, its column chosen, decided in
place by keyboard and mouse, and found again.
"""

import json
import re
from collections.abc import Iterator

import polars as pl
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.conftest import violations
from tests.browser.lab import Lab

from ventureframe_service.dataset import sample

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROWS = 50
CELLS = [
    "list = name = website = None",
    "import ventureframe as vf\n\nsvc = vf.connect(environment={})",
    "question = vf.mine.Question(list=list, name=name, website=website, currency='USD')",
    "form = vf.form(svc, question)\nform",
    "form.answer",
    "vf.mine.decide(form)",
]


def pasted() -> str:
    """Companies of the sample under headings that nobody knows: of every second one
    the name alone.
    """
    companies = sample().tables["companies"].head(ROWS).with_row_index("n")
    link = pl.when(pl.col("n") % 2 == 0).then("website_domain")
    rows = companies.select(pl.col("name").alias("Prey"), link.alias("Lair"))
    return rows.write_csv(separator="\t", quote_style="never")


@pytest.fixture(scope="module")
def page(browser: Browser, lab: Lab) -> Iterator[Page]:
    lab.write("deals", CELLS)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(lab.address("deals", workspace="deals"))
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    run_all(page)
    yield page
    page.close()


def run_all(page: Page) -> None:
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.last).to_have_text(re.compile(r"\[\d+\]:"))


def choice(page: Page, what: str) -> Locator:
    return page.locator(".vf-panel").get_by_label(f"Column of {what}", exact=True)


def button(page: Page, name: str) -> Locator:
    return page.locator(".vf-decide").get_by_role("button", name=name)


def test_the_column_of_names_is_chosen_among_those_of_the_list(page: Page) -> None:
    page.locator(".vf-panel textarea").fill(pasted())
    read = page.locator(".vf-list")
    expect(read).to_contain_text("The column of names is not recognised: choose it")
    choice(page, "names").select_option("Prey")
    expect(read).to_contain_text("Name = Prey · website: none · city: none")
    choice(page, "websites").select_option("Lair")
    expect(read).to_contain_text("Name = Prey · website = Lair")
    page.get_by_role("button", name="Fetch").click()
    answer = page.locator(".vf-answer")
    expect(answer).to_contain_text(re.compile("2. of the 50 rows of your list match"))
    assert violations(page) == []


def test_yes_and_no_are_pressed_by_keyboard_and_the_focus_stays(page: Page) -> None:
    cells = page.locator(".jp-Cell").count()
    first = page.locator(".vf-decide td button").first
    first.focus()
    for key in ("Space", "d", "d"):
        page.keyboard.press(key)
    expect(page.locator(".vf-answer")).to_contain_text("1 by your decision")
    expect(page.locator(".vf-said")).to_contain_text("1 by your decision")
    expect(first).to_be_focused()
    expect(first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".vf-answer")).to_contain_text("1 row was not found")
    expect(first).to_have_attribute("aria-pressed", "false")
    assert page.locator(".jp-Cell").count() == cells, "JupyterLab took no letter"
    page.keyboard.press("Space")
    expect(page.locator(".vf-answer")).not_to_contain_text("not found")


def test_one_press_decides_all_rows_of_one_reason_and_run_all_finds_them(
    page: Page, lab: Lab
) -> None:
    button(page, "yes: all of this reason").click()
    answer = page.locator(".vf-answer")
    expect(answer).to_contain_text(re.compile("2. by your decision"))
    kept = pl.read_csv(lab.folder / "deals.decided.csv", infer_schema=False)
    assert kept.columns[:2] == ["Name", "Website"]
    assert kept["Decision"].to_list()[-20:] == ["yes"] * 20
    expect(page.locator(".vf-decide")).to_contain_text("deals.decided.csv")
    cell = json.dumps({"list": pasted(), "name": "Prey", "website": "Lair"})
    page.locator(".jp-CodeCell .cm-content").first.fill(f"globals().update({cell})")
    run_all(page)
    expect(answer).to_contain_text(re.compile("2. by your decision"))
