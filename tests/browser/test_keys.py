"""How many keys the commonest questions take in their forms, on real data in
JupyterLab.

A letter and a chord are one key each. Clicks are counted apart: opening the notebook,
Run All, a click into a field, and the button Fetch where a field takes Enter as text.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FORMS = ("spinouts", "exposure", "hiring", "universities", "mine", "picking")
CELLS = [
    "vf.spinouts.Question(university=None)",
    "vf.exposure.Question(lps=())",
    "vf.hiring.Question()",
    "vf.universities.Question(universities=())",
    "vf.mine.Question(list=None)",
    "vf.hiring.Question()",
]


class Keys:
    """A form whose keys are counted, and the answer below it."""

    def __init__(self, page: Page, name: str) -> None:
        form, answer = FORMS.index(name) * 2 + 1, FORMS.index(name) * 2 + 2
        cells = page.locator(".jp-CodeCell")
        self.form: Locator = cells.nth(form).locator(".vf-panel")
        self.asked: Locator = cells.nth(form).locator(".vf-choice")
        self.answer: Locator = cells.nth(answer).locator(".vf-answer")
        self.page, self.count = page, 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1

    def picker(self, label: str) -> Locator:
        """A field of records, clicked into."""
        field = self.page.get_by_label(label, exact=True)
        picker = self.form.locator(".vf-picker").filter(has=field)
        picker.get_by_role("combobox").click()
        return picker

    def pick(self, picker: Locator, letters: str, name: str) -> None:
        """Types until the record is the first of the list, and takes it."""
        self.press(*letters)
        expect(picker.get_by_role("option").first).to_contain_text(name)
        self.press("Enter")
        expect(picker.get_by_role("option").first).to_be_hidden()

    def answers(self, *asked: str) -> None:
        """Waits for the answer, and holds what it says was asked."""
        expect(self.form.locator(".vf-said")).to_contain_text("Up to date")
        expect(self.answer).to_be_visible()
        for text in asked:
            expect(self.asked).to_contain_text(text)


@pytest.fixture(scope="module")
def page(browser: Browser, lab: Lab, real_data: Path) -> Iterator[Page]:
    """A notebook with the forms over a folder of real data, run from top to bottom."""
    data = str(real_data / "venture-2013")
    cells = [f"import ventureframe as vf\n\nsvc = vf.connect(data={data!r})"]
    for name, question in zip(FORMS, CELLS, strict=True):
        cells += [f"{name} = vf.form(svc, {question})\n{name}", f"{name}.answer"]
    lab.write("keys", cells)
    context = browser.new_context(
        viewport={"width": 1400, "height": 1000},
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    page.goto(lab.address("keys", workspace="keys"))
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    prompts = page.locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.last).to_have_text(f"[{len(cells)}]:")
    yield page
    context.close()


def test_one_university_since_2005_in_euros_takes_twelve_keys(page: Page) -> None:
    keys = Keys(page, "spinouts")
    field = keys.picker("University")
    keys.pick(field, "mit", "Massachusetts Institute of Technology")
    keys.press("Tab", *"2005", "Tab", "e", "Enter")
    keys.answers("Massachusetts Institute of Technology", "EUR", "2005")
    assert keys.count <= 12


def test_two_lps_take_nine_keys(page: Page) -> None:
    keys = Keys(page, "exposure")
    field = keys.picker("LPs")
    keys.pick(field, "ami", "Amitim")
    keys.pick(field, "psa", "Psagot")
    keys.press("Enter")
    keys.answers("Amitim", "Psagot")
    assert keys.count <= 9


def test_a_tag_a_place_and_engineers_take_eighteen_keys(page: Page) -> None:
    """With a click into each field; by Tab alone, past the seven between, it is 23."""
    keys = Keys(page, "hiring")
    keys.pick(keys.picker("Tags"), "biot", "biotech")
    keys.pick(keys.picker("Location"), "isr", "Israel")
    keys.pick(keys.picker("Roles"), "eng", "engineer")
    keys.press("Enter")
    keys.answers("biotech, sector", "Israel", "engineer")
    assert keys.count <= 18


def test_four_universities_since_2005_take_thirty_keys(page: Page) -> None:
    keys = Keys(page, "universities")
    field = keys.picker("Universities")
    keys.pick(field, "sta", "Stanford University")
    keys.pick(field, "mit", "Massachusetts Institute of Technology")
    keys.pick(field, "oxf", "University of Oxford")
    keys.pick(field, "har", "Harvard University")
    keys.press("Tab", *"2005", "Enter")
    keys.answers("Stanford University", "Harvard University", "2005")
    assert keys.count <= 30


def test_fifty_rows_are_one_paste(page: Page, real_data: Path) -> None:
    companies = pl.read_parquet(
        real_data / "venture-2013" / "companies.parquet", n_rows=50
    )
    rows = companies.select(Company="name", Website="website_domain")
    text = rows.write_csv(separator="\t", quote_style="never")
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    keys = Keys(page, "mine")
    keys.form.locator("textarea").click()
    keys.press("Control+v")
    keys.form.get_by_role("button", name="Fetch").click()
    keys.answers()
    expect(keys.answer).to_contain_text("of the 50 rows")
    assert keys.count == 1


def test_a_chosen_one_leaves_the_list_so_that_the_same_two_keys_pick_the_next(
    page: Page,
) -> None:
    """The second pair is pressed before the kernel can have answered the first."""
    keys = Keys(page, "picking")
    field = keys.picker("Tags")
    options, chips = field.get_by_role("option"), field.locator(".vf-chips li")
    expect(options.first).to_be_visible()
    names = options.locator(".vf-picker-name").all_inner_texts()[:2]
    keys.press("ArrowDown", "Enter", "ArrowDown", "Enter")
    expect(chips).to_have_count(2)
    assert chips.locator(".vf-picker-name").all_inner_texts() == names
