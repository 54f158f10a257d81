"""Panels in JupyterLab: run untouched, then changed by their forms, by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

NAME = "Harrowmere University"
HIRING = [
    "import ventureframe as vf\n\nsvc = vf.connect()",
    'form = vf.form(svc, vf.hiring.Question(tags=[("Robotics", "technology")]))\nform',
    "form.answer",
    "form.ranking",
    "1 + 1",
]


@pytest.fixture(scope="module")
def page(browser: Browser, lab: Lab) -> Iterator[Page]:
    """The notebook over spinouts in JupyterLab, run from top to bottom."""
    yield from _run(browser, lab.address("01_university_spinouts", workspace="one"))


@pytest.fixture(scope="module")
def hiring(browser: Browser, lab: Lab) -> Iterator[Page]:
    """A notebook over who is hiring, run from top to bottom."""
    lab.write("hiring", HIRING)
    yield from _run(browser, lab.address("hiring", workspace="two"))


def _run(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(address)
    expect(page.locator(".jp-Notebook .jp-CodeCell").first).to_be_visible()
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(_control(page, "Currency")).to_be_visible()
    _settled(page)
    yield page
    page.close()


def test_it_runs_untouched_and_says_the_same_as_the_saved_notebook(page: Page) -> None:
    counts = page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    assert counts == [f"[{number}]:" for number in range(1, len(counts) + 1)]
    assert page.locator(".jp-mod-error, .jp-OutputArea-output[data-mime-type*=stderr]").count() == 0
    assert NAME in _answer(page)
    assert "USD" in _answer(page)


def test_letters_and_arrows_in_the_form_are_no_notebook_commands(page: Page) -> None:
    before = page.locator(".jp-Cell").count()
    currency = _control(page, "Currency")
    _type_commands(page, currency, page.get_by_role("button", name="Fetch"))
    assert page.locator(".jp-Cell").count() == before
    currency.select_option("USD")


def test_a_table_is_a_box_of_twelve_rows_that_is_searched_without_notebook_commands(
    page: Page,
) -> None:
    figures = page.locator("figure.vf-table")
    expect(page.locator("figure.vf-table.vf-ready")).to_have_count(figures.count())
    companies = page.locator('figure.vf-table[data-name^="harrowmere-university-companies-"]')
    assert 200 < companies.locator(".vf-box").evaluate("each => each.clientHeight") < 420
    assert companies.locator(".vf-id:visible").count() == 0
    left = "getComputedStyle(each.querySelector('tbody td')).textAlign"
    assert companies.evaluate(f"each => {left}") == "left"
    before = page.locator(".jp-Cell").count()
    fold = companies.get_by_role("button", name="Show ids")
    _type_commands(page, fold)
    assert page.locator(".jp-Cell").count() == before
    fold.click()
    assert companies.locator(".vf-id:visible").count() > 1
    fold.click()


def test_a_currency_is_chosen_and_everything_below_follows(page: Page) -> None:
    usd = _answer(page)
    currency = _control(page, "Currency")
    currency.focus()
    page.keyboard.press("e")
    expect(currency).to_have_value("EUR")
    assert _answer(page) == usd, "nothing is requested before Fetch"
    _fetch(page, says="Fetched.* EUR")
    expect(page.locator(".vf-answer")).to_contain_text("EUR")
    expect(page.locator(".vf-choice")).to_contain_text("EUR")
    expect(page.get_by_role("columnheader", name="Total funding (EUR)").first).to_be_attached()
    sources = page.locator(".jp-Cell", has_text="Sources and dates").last
    expect(sources).to_contain_text("currency EUR")


def test_a_fetch_is_counted_first_shows_how_far_it_is_and_can_be_cancelled(
    page: Page, lab: Lab
) -> None:
    before = _answer(page)
    _control(page, "University").fill("Tarnvik Technical University")
    _control(page, "Website domain").fill("tarnvik.example")
    page.get_by_role("button", name="Count").click()
    _says(page, r"^\d+ companies, 1 page, then their founders in batches of 50\. Fetch requests")
    with lab.founders.closed():
        page.get_by_role("button", name="Fetch").click()
        _says(page, "^Fetching .* companies, 1 page")
        expect(page.get_by_role("progressbar", name="Progress")).to_be_visible()
        page.get_by_role("button", name="Cancel").focus()
        page.keyboard.press("Enter")
        _says(page, "^Cancelled. Nothing below has changed")
    expect(page.get_by_role("progressbar", name="Progress")).to_have_count(0)
    assert _answer(page) == before
    expect(page.locator(".vf-choice")).to_contain_text(NAME)


def test_another_university_is_chosen_and_everything_below_follows(page: Page) -> None:
    _control(page, "University").fill("Tarnvik Technical University")
    _control(page, "Website domain").fill("tarnvik.example")
    _fetch(page, says="Fetched.* Tarnvik Technical University")
    expect(page.locator(".vf-answer")).to_contain_text("Tarnvik Technical University")
    figures = page.locator(".vf-figure img").evaluate_all("all => all.map(each => each.alt)")
    assert figures
    old = page.locator(".vf-table figcaption", has_text=NAME)
    expect(old).to_have_count(0)


def test_a_wrong_name_is_answered_in_words_and_by_near_misses_to_choose_from(page: Page) -> None:
    before = _answer(page)
    _control(page, "Website domain").fill("elsewhere.example")
    _fetch(page, says="Nothing below has changed")
    status = page.get_by_role("status").filter(has_text="Nothing below has changed")
    expect(status).to_contain_text("Tarnvik Technical University, elsewhere.example")
    assert _answer(page) == before
    near = _control(page, "Did you mean")
    near.select_option("Tarnvik Technical University, tarnvik.example")
    page.get_by_role("button", name="Use it").click()
    expect(_control(page, "Website domain")).to_have_value("tarnvik.example")
    expect(near).to_be_hidden()
    expect(page.get_by_role("button", name="Fetch")).to_be_focused()
    expect(page.locator(".vf-choice")).to_contain_text("tarnvik.example")


def test_scores_and_ranges_are_set_by_keyboard(hiring: Page) -> None:
    before, cells = _answer(hiring), hiring.locator(".jp-Cell").count()
    score = hiring.get_by_role("slider", name="Signal team")
    _type_commands(hiring, score)
    hiring.keyboard.press("Home")
    for _ in range(6):
        hiring.keyboard.press("PageUp")
    _control(hiring, "Founded from").focus()
    hiring.keyboard.press("Control+a")
    hiring.keyboard.type("2005")
    hiring.keyboard.press("Tab")
    expect(_control(hiring, "Founded to")).to_be_focused()
    assert hiring.locator(".jp-Cell").count() == cells
    assert _answer(hiring) == before, "nothing is requested before Fetch"
    hiring.get_by_role("button", name="Fetch").focus()
    hiring.keyboard.press("Enter")
    _says(hiring, "^Fetched")
    expect(hiring.locator(".vf-choice")).to_contain_text("Signal team30 or more")
    expect(hiring.locator(".vf-choice")).to_contain_text("Foundedfrom 2005")
    expect(hiring.locator(".vf-answer")).not_to_have_text(before)


def test_places_flags_and_scores_are_set_by_mouse(hiring: Page) -> None:
    before = _answer(hiring)
    _control(hiring, "Location").fill("Europe")
    _control(hiring, "Hiring").select_option("yes")
    track = hiring.locator(".widget-inline-hbox", has_text="Signal team").locator(".noUi-base")
    track.click(position={"x": 2, "y": 2})
    hiring.get_by_role("button", name="Fetch").click()
    listed = hiring.locator(".vf-choice")
    expect(listed).to_contain_text("LocationEurope, continent")
    expect(listed).to_contain_text("Hiringyes")
    expect(listed).not_to_contain_text("30 or more")
    expect(hiring.locator(".vf-answer")).not_to_have_text(before)


def test_a_label_without_its_type_is_completed_by_keyboard_alone(hiring: Page) -> None:
    tags = _control(hiring, "Tags")
    tags.focus()
    hiring.keyboard.press("Control+a")
    hiring.keyboard.type("Robotics")
    hiring.get_by_role("button", name="Count").focus()
    hiring.keyboard.press("Space")
    _says(hiring, "'Robotics' needs its website domain or type: pick one")
    near = _control(hiring, "Did you mean")
    near.focus()
    hiring.keyboard.press("Home")
    hiring.keyboard.press("ArrowDown")
    expect(near).to_have_value("Robotics, sector")
    hiring.keyboard.press("Tab")
    hiring.keyboard.press("Enter")
    expect(tags).to_have_value("Robotics, sector")
    expect(hiring.get_by_role("button", name="Fetch")).to_be_focused()
    hiring.keyboard.press("Enter")
    _says(hiring, "^Fetched")
    expect(hiring.locator(".vf-choice")).to_contain_text("Robotics, sector")


def _control(page: Page, label: str) -> Locator:
    return page.locator(".vf-panel").get_by_label(label, exact=True)


def _answer(page: Page) -> str:
    return page.locator(".vf-answer").inner_text()


def _type_commands(page: Page, *controls: Locator) -> None:
    """Types what JupyterLab takes for commands where no text is edited."""
    for control in controls:
        control.focus()
        for key in ("a", "b", "x", "d", "d", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)


def _fetch(page: Page, *, says: str) -> None:
    page.get_by_role("button", name="Fetch").click()
    _says(page, says)


def _says(page: Page, pattern: str) -> None:
    said = page.get_by_role("status").locator(".widget-html-content")
    expect(said).to_have_text(re.compile(pattern))


def _settled(page: Page) -> None:
    """Waits until no cell waits or runs."""
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.filter(has_text="[*]")).to_have_count(0)
    expect(prompts.last).to_have_text(re.compile(r"\[\d+\]:"))
