"""Panels in JupyterLab: run untouched, then changed by their forms, by mouse and by
keyboard.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Response, expect
from tests.browser.conftest import violations
from tests.browser.lab import Lab

pytestmark = pytest.mark.browser

NAME = "Harrowmere University"
HIRING = [
    'tags = [\n    ("Robotics", "technology"),\n]\nfounded = None\ncurrency = "GBP"',
    "import ventureframe as vf\n\nsvc = vf.connect()",
    "question = vf.hiring.Question(tags=tags, founded=founded, currency=currency)",
    "form = vf.form(svc, question)\nform",
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
    assert (
        page.locator(
            ".jp-mod-error, .jp-OutputArea-output[data-mime-type*=stderr]"
        ).count()
        == 0
    )
    assert NAME in _answer(page)
    assert "USD" in _answer(page)


@pytest.mark.slow
def test_letters_and_arrows_in_form_and_table_are_no_notebook_commands(
    page: Page,
) -> None:
    before = page.locator(".jp-Cell").count()
    currency = _control(page, "Currency")
    tables = page.locator("figure.vf-table.vf-ready")
    fold = tables.get_by_role("button", name="Show ids").first
    # what JupyterLab takes for commands where no text is edited
    for control in (currency, page.get_by_role("button", name="Fetch"), fold):
        control.focus()
        for key in ("a", "b", "x", "d", "d", "ArrowDown", "ArrowUp"):
            page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == before
    currency.select_option("USD")


@pytest.mark.slow
def test_a_currency_is_chosen_and_everything_below_follows(page: Page) -> None:
    usd = _answer(page)
    currency, edited = _control(page, "Currency"), page.locator(".vf-edited-note")
    currency.focus()
    page.keyboard.press("e")
    expect(currency).to_have_value("EUR")
    expect(edited).to_have_text(re.compile("Edited, not fetched"))
    expect(edited).to_be_visible()
    _says(page, "^$")
    dimmed = "getComputedStyle(each.closest('.jp-OutputArea-child')).opacity"
    assert page.locator(".vf-answer").evaluate(f"each => {dimmed}") == "0.4"
    assert _answer(page) == usd, "nothing is requested before Fetch"
    page.keyboard.press("Enter")
    _says(page, "^Up to date.* EUR")
    expect(edited).to_be_hidden()
    assert page.locator(".vf-answer").evaluate(f"each => {dimmed}") == "1"
    expect(page.locator(".vf-answer")).to_contain_text("EUR")
    expect(page.locator(".vf-choice")).to_contain_text("EUR")
    expect(page.locator(".vf-choice")).to_be_hidden()
    cell = page.locator(".jp-CodeCell .cm-content").first
    expect(cell).to_contain_text("currency = 'EUR'")
    expect(cell).to_contain_text('university = "Harrowmere University"')
    expect(
        page.get_by_role("columnheader", name="Total funding (EUR)").first
    ).to_be_attached()
    sources = page.locator(".jp-Cell", has_text="Sources and dates").last
    expect(sources).to_contain_text("currency EUR")


@pytest.mark.slow
def test_chords_reach_jupyterlab_from_the_form_and_letters_do_not(
    page: Page, lab: Lab
) -> None:
    field = _control(page, "University")
    field.focus()
    with page.expect_response(_is_notebook_saved):  # JupyterLab puts its workspace, too
        page.keyboard.press("Control+s")
    saved = (lab.folder / "01_university_spinouts.ipynb").read_text("utf-8")
    assert saved.count("DecompressionStream") == 1, "one script for all tables"
    page.keyboard.press("x")
    expect(field).to_have_value(re.compile("x"))
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")  # the list lies over the buttons
    page.get_by_role("button", name="Reset").click()
    expect(field).to_have_value(NAME)


@pytest.mark.slow
def test_of_what_three_letters_find_enter_takes_the_first_and_an_arrow_key_another(
    page: Page,
) -> None:
    field = _control(page, "University")
    _type(page, field, "uni")
    expect(field).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".vf-picker-said")).to_have_text(
        re.compile("^Enter takes the first; .*mou")
    )
    lines = page.locator(".vf-picker [role=option]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(lines.nth(1)).to_have_attribute("aria-selected", "true")
    _type(page, field, "tar")
    # before there is a list: it takes the first once that is there
    page.keyboard.press("Enter")
    expect(field).to_have_value("Tarnvik Technical University")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".vf-picker-said")).to_have_text(re.compile("^tarnvik"))


@pytest.mark.slow
def test_a_fetch_is_counted_first_shows_how_far_it_is_and_can_be_cancelled(
    page: Page, lab: Lab
) -> None:
    before = _answer(page)
    page.get_by_role("button", name="Count", exact=True).first.click()
    _says(
        page,
        r"^\d+ companies, then their founders\. Press Fetch",
    )
    with lab.gate.closed():
        page.get_by_role("button", name="Fetch").click()
        _says(page, "^Fetching .* companies")
        expect(page.get_by_role("progressbar", name="Progress")).to_be_visible()
        page.get_by_role("button", name="Cancel").focus()
        page.keyboard.press("Enter")
        _says(page, "^Cancelled. Nothing below has changed")
    expect(page.get_by_role("progressbar", name="Progress")).to_have_count(0)
    assert _answer(page) == before
    expect(page.locator(".vf-choice")).to_contain_text(NAME)


@pytest.mark.slow
def test_tags_are_chips_that_are_picked_and_removed_by_keyboard(hiring: Page) -> None:
    field = _control(hiring, "Tags")
    hiring.get_by_role("button", name="Remove Robotics, technology").focus()
    hiring.keyboard.press("Space")
    expect(field).to_be_focused()
    hiring.keyboard.type("robotics")
    line = hiring.get_by_role("option", name="Robotics sector")
    expect(line).to_be_visible()
    while line.get_attribute("aria-selected") != "true":
        hiring.keyboard.press("ArrowDown")
    hiring.keyboard.press("Enter")
    expect(hiring.get_by_role("button", name="Remove Robotics, sector")).to_be_visible()
    hiring.keyboard.press("Enter")
    expect(hiring.locator(".vf-choice")).to_contain_text("Robotics, sector")


@pytest.mark.slow
def test_a_fetch_writes_its_values_into_the_parameters_and_run_all_repeats_it(
    hiring: Page,
) -> None:
    _type(hiring, _control(hiring, "Founded from"), "2010")
    _control(hiring, "Currency").select_option("EUR")
    hiring.get_by_role("button", name="Fetch").click()
    panel = hiring.locator(".vf-panel")
    cell = hiring.locator(".jp-CodeCell .cm-content").first
    expect(cell).to_contain_text("EUR")
    expect(panel).to_contain_text("The code above has these values")
    lines = ["tags = [('Robotics', 'sector')]", "founded = (2010, None)"]
    assert cell.inner_text().splitlines() == [*lines, "currency = 'EUR'"]
    before = hiring.locator(".vf-choice").inner_text()
    hiring.get_by_role("menuitem", name="Run", exact=True).click()
    hiring.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    expect(hiring.locator(".jp-CodeCell .jp-InputPrompt").last).to_have_text("[14]:")
    expect(hiring.locator(".vf-choice")).to_have_text(before)
    expect(panel).not_to_contain_text("put these lines into the code")


@pytest.mark.slow
def test_the_form_has_no_faults_that_axe_finds(hiring: Page) -> None:
    _type(hiring, _control(hiring, "Tags"), "rob")
    expect(hiring.locator(".vf-panel [role=option]").first).to_be_visible()
    assert violations(hiring) == []


def _type(page: Page, field: Locator, text: str) -> None:
    """Types into a field in place of what it says."""
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def _control(page: Page, label: str) -> Locator:
    return page.locator(".vf-panel").get_by_label(label, exact=True)


def _answer(page: Page) -> str:
    return page.locator(".vf-answer").inner_text()


def _is_notebook_saved(answer: Response) -> bool:
    return answer.request.method == "PUT" and "/api/contents/" in answer.url


def _says(page: Page, pattern: str) -> None:
    said = page.locator(".vf-said")
    expect(said).to_have_text(re.compile(pattern))


def _settled(page: Page) -> None:
    """Waits until no cell waits or runs."""
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.filter(has_text="[*]")).to_have_count(0)
    expect(prompts.last).to_have_text(re.compile(r"\[\d+\]:"))


@pytest.mark.slow
def test_the_form_is_whole_where_the_notebook_is_as_narrow_as_a_phone(
    hiring: Page,
) -> None:
    hiring.set_viewport_size(
        {"width": 690, "height": 1000}
    )  # 390 and the list of files
    cut = """form => {
        const edge = form.closest(".jp-Notebook").getBoundingClientRect().right;
        const parts = [...form.querySelectorAll("button, input, select, textarea")];
        return parts.filter(part => part.getBoundingClientRect().right > edge)
            .map(part => part.textContent || part.placeholder);
    }"""
    form = hiring.locator(".vf-panel")
    assert form.evaluate("form => form.getBoundingClientRect().width") < 400
    assert form.evaluate(cut) == []
    hiring.set_viewport_size({"width": 1400, "height": 1000})
