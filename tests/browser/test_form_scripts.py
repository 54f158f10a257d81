"""The scripts of a form, in a page without a kernel: what they show and send by
themselves.
"""

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import ventureframe.panel

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FOLDER = Path(ventureframe.panel.__file__).parent
MODEL = """(values, send = () => {}) => {
  const known = {...values}, acts = {};
  return {
    get: (name) => known[name],
    set: (given, value) => {
      const changes = typeof given === "string" ? {[given]: value} : given;
      Object.assign(known, changes);
      for (const name in changes) (acts[`change:${name}`] ?? []).forEach((act) => act());
    },
    save_changes: () => {}, send,
    on: (name, act) => { (acts[name] ??= []).push(act); }, off: () => {},
  };
}"""
FORM = '<div class="vf-panel"><button>Fetch</button><div class="at"></div></div>'


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    made = browser.new_page()
    made.set_content(FORM * 2)
    yield made
    made.close()


def rendered(page: Page, script: str, models: str) -> None:
    """Renders a script into each form, with the models of that expression."""
    text = base64.b64encode((FOLDER / script).read_bytes()).decode()
    page.evaluate(f"""async () => {{
          const made = {MODEL};
          const widget = await import("data:text/javascript;base64,{text}");
          window.models = {models};
          const places = document.querySelectorAll(".at");
          models.forEach((model, at) => widget.default.render({{ model, el: places[at] }}));
        }}""")


def test_what_an_earlier_text_found_is_not_offered_once_more_was_typed(
    page: Page,
) -> None:
    values = (
        '{label: "Place", hint: "", many: false, least: 3, typed: "", chosen: [],'
        " found: {}}"
    )
    rendered(page, "picker.js", f"[made({values})]")
    field, options = page.get_by_role("combobox"), page.get_by_role("option")
    field.fill("cambr")
    found = (
        "(text) => models[0].set('found', {text, rows: [{label: text, detail: ''}]})"
    )
    page.evaluate(found, "cam")
    expect(options).to_have_count(0)
    page.evaluate(found, "cambr")
    expect(options).to_have_text(["cambr"])


def test_what_is_typed_after_a_record_was_emptied_is_not_overwritten(
    page: Page,
) -> None:
    chosen = '[{label: "Europe", detail: "continent"}]'
    values = (
        f'label: "Place", hint: "", many: false, least: 3, typed: "", chosen: {chosen}'
    )
    rendered(page, "picker.js", f"[made({{{values}, found: {{}}}})]")
    field = page.get_by_role("combobox")
    expect(field).to_have_value("Europe")
    field.fill("")
    field.fill("c")
    # the answer of the kernel to the first
    page.evaluate("() => models[0].set('chosen', [])")
    expect(field).to_have_value("c")


def test_only_the_form_that_is_edited_is_marked(page: Page) -> None:
    values = '{message: "", state: "", progress: [], edited: false}'
    rendered(page, "browser.js", f"[made({values}), made({values})]")
    page.evaluate(
        "() => { models[0].set('edited', true); models[1].set('edited', false); }"
    )
    expect(page.locator(".vf-panel").first).to_have_class("vf-panel vf-edited")
    expect(page.locator(".vf-panel").last).to_have_class("vf-panel")


def test_a_press_on_the_form_of_a_kernel_that_is_gone_says_so(page: Page) -> None:
    values = '{message: "Fetched.", state: "done", progress: [], edited: false}'
    gone = '(what) => { if (what.pressed) throw new Error("Cannot send"); }'
    rendered(page, "browser.js", f"[made({values}, {gone}), made({values})]")
    page.get_by_role("button", name="Fetch").first.click()
    page.get_by_role("button", name="Fetch").last.click()
    expect(page.locator(".vf-said").first).to_have_text(
        "The kernel that had this form is gone. Run all cells again."
    )
    expect(page.locator(".vf-said").last).to_have_text("Fetched.")
