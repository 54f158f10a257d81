"""A table in a browser: sorted, searched, filtered, unfolded, opened by row, saved
whole.
"""

import re
import zipfile
from datetime import date
from pathlib import Path

import pytest
import python_calamine as calamine
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import ALIKE, Open, violations
from tests.display.tables import table

from ventureframe.display.figure import Drawing
from ventureframe.display.marks import Canvas, mark
from ventureframe.display.table import DRAWN, Column
from ventureframe.interface.source import Source
from ventureframe.report.page import page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SOURCE = Source("a sample", as_of=date(2026, 6, 30), synthetic=True)
ROWS = 700
COMPANY, COUNTRY = Column("company", "Company"), Column("country", "Country")
TOTAL = Column("total_funding", "Total", "money", "EUR")
UUID = Column("uuid", "Company UUID", "id")
FIRST = (
    ('Beta, "Inc"', "Norway", 1_200_500.25, "id-0"),
    ("=Gamma()", "Norway", None, "id-1"),
    ("Älpha", "Chile", -90_000.0, "id-2"),
)
MORE = tuple((f"Company {at}", "Peru", at * 1e6, f"id-{at}") for at in range(3, ROWS))
LONG = table(
    (COMPANY, COUNTRY, TOTAL, UUID),
    FIRST + MORE,
    title="Companies",
    caption="all",
    source=SOURCE,
    name="companies",
)
LINKS = table(
    (Column("founder", "Founder"), Column("degree", "Degree"), UUID),
    (("Ada", "PhD", "id-0"), ("Bo", "MSc", "id-0"), ("Cy", "BA", "id-2")),
    title="Education entries",
    source=SOURCE,
    name="links",
    requests=(
        "GET /data/founders · filter <the ids of 3 records>",
        "GET /data/companies",
    ),
)


def _drawn(canvas: Canvas) -> None:
    canvas.set_layout_engine("none")
    axes = canvas.add_axes((0, 0, 1, 1))  # the whole picture
    axes.set(xlim=(0, 1), ylim=(0, 1))
    mark(axes, "Beta", ["id-0"], (0.25, 0.5))
    mark(axes, "Älpha – Norway", ["id-2"], (0.5, 0.2), (0.9, 0.8))
    mark(axes, "Nobody", ["id-0", "id-2"], (0.25, 0.9))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two tables and a figure that share the identifiers of companies."""
    cells = [new_markdown_cell("# Two tables"), new_markdown_cell("## Both")]
    figure = Drawing("Headline", "A picture", (), 3, _drawn).figure(
        "The network", SOURCE
    )
    for each in (LONG, LINKS, figure):
        shown = new_output("display_data", {"text/html": each._repr_html_()})
        cells.append(new_code_cell(outputs=[shown]))
    path = tmp_path_factory.mktemp("tables") / "tables.html"
    path.write_text(page(new_notebook(cells=cells)), "utf-8")
    return path


@pytest.fixture
def report(opened: Open, file: Path) -> Page:
    """The report with the network off."""
    return opened(file)


def names(report: Page) -> list[str]:
    """The companies that are shown, in order."""
    return (
        report.locator("figure")
        .first.locator("tbody tr:visible td:first-child")
        .all_inner_texts()
    )


def test_a_column_sorts_all_rows_by_their_values_and_keeps_gaps_last(
    report: Page,
) -> None:
    total = report.get_by_role("columnheader", name="Total")
    total.get_by_role("button").click()
    expect(total).to_have_attribute("aria-sort", "ascending")
    assert names(report)[:2] == ["Älpha", 'Beta, "Inc"']
    total.get_by_role("button").press("Enter")
    expect(total).to_have_attribute("aria-sort", "descending")
    assert names(report)[0] == f"Company {ROWS - 1}", "a row that was packed"
    box = report.get_by_role("region", name="Table: Companies")
    for drawn in (*range(2 * DRAWN, ROWS, DRAWN), ROWS):
        box.evaluate("each => each.scrollTo(0, each.scrollHeight)")
        expect(box.locator("tbody tr")).to_have_count(drawn)
    assert names(report)[-1] == "=Gamma()"
    company = report.get_by_role("columnheader", name="Company", exact=True)
    company.get_by_role("button").click()
    expect(company).to_have_attribute("aria-sort", "ascending")
    assert total.get_attribute("aria-sort") is None


def test_search_and_filters_narrow_the_rows_and_say_how_many_are_left(
    report: Page,
) -> None:
    search = report.get_by_role("searchbox", name="Search the rows")
    search.fill("company 69")
    status = report.locator(".vf-count").first
    expect(status).to_have_text("11 of 700 rows")
    search.fill("")
    choice = report.get_by_role("combobox", name="Filter by a value")
    choice.focus()
    expect(choice.locator("option", has_text="Peru (697)")).to_have_count(1)
    choice.select_option(label="Norway (2)")
    expect(status).to_have_text("2 of 700 rows")
    choice.select_option(label="Chile (1)")
    expect(status).to_have_text("3 of 700 rows")
    assert names(report) == ['Beta, "Inc"', "=Gamma()", "Älpha"]
    report.get_by_role("button", name="Remove the filter Country: Norway").click()
    expect(status).to_have_text("1 of 700 rows")
    assert names(report) == ["Älpha"]


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (">698m", 1),
        (">= 698m", 2),
        ("<=0", 1),
        ("<1,200,501", 2),
        ("3m..5m", 3),
        ("-90k", 1),
        ("0.6bn..0.61bn", 11),
    ],
)
def test_a_range_of_numbers_keeps_the_rows_whose_number_is_in_it(
    report: Page, typed: str, left: int
) -> None:
    status = report.locator(".vf-count").first
    report.get_by_role("combobox").select_option(label="Total (EUR)")
    field = report.get_by_role("textbox", name="Range of Total (EUR)")
    expect(field).to_be_focused()
    field.fill(typed)
    expect(status).to_have_text(f"{left} of 700 rows")
    field.fill("1,5 million")
    expect(status).to_have_text(
        "“1,5 million” is not a range: write >5m, <=2010 or 1m..5m"
    )
    expect(field).to_have_attribute("aria-invalid", "true")
    assert report.locator("figure").first.locator("tbody tr").count() == DRAWN
    report.get_by_role("button", name="Remove the range of Total (EUR)").click()
    expect(status).to_have_text("")


def test_the_totals_of_the_rows_shown_are_added_up_under_their_column(
    report: Page,
) -> None:
    foot = report.locator("tfoot tr")
    lines = foot.evaluate_all("all => all.map((row) => row.innerText.trim())")
    millions = sum(range(3, ROWS)) + 1.20050025 - 0.09
    assert re.sub(r"\s+", " ", lines[0]) == (
        f"Sum of the 699 known in 700 rows {millions:,.1f}m"
    )
    assert re.sub(r"\s+", " ", lines[1]) == "Median of these 350.0m"
    report.get_by_role("searchbox").fill("norway")
    expect(report.locator(".vf-count").first).to_have_text("2 of 700 rows")
    assert foot.count() == 0, "one amount is no sum"
    report.get_by_role("searchbox").fill("company 69")
    expect(foot.first).to_contain_text("Sum of the 11 known in 11 rows")
    expect(foot.first).to_contain_text("7,014.0m")
    expect(foot.last).to_contain_text("694.0m")
    report.emulate_media(media="print")
    expect(foot.first).to_contain_text("Sum of the 699 known in 700 rows")
    assert report.locator("figure").nth(1).locator("tfoot").count() == 0


def test_the_rows_shown_are_saved_as_a_workbook(report: Page, tmp_path: Path) -> None:
    figure = report.locator("figure").first
    for typed, rows, name in (
        ("", 700, "Download XLSX"),
        ("gamma", 1, "XLSX of the rows shown"),
    ):
        report.get_by_role("searchbox").fill(typed)
        expect(figure.get_by_role("button", name=name)).to_have_count(1)
        with report.expect_download() as download:
            figure.get_by_role("button", name=name).click()
        assert download.value.suggested_filename == "companies.xlsx"
        download.value.save_as(tmp_path / "companies.xlsx")
        with zipfile.ZipFile(tmp_path / "companies.xlsx") as book:
            assert book.testzip() is None
        sheets = calamine.load_workbook(tmp_path / "companies.xlsx")
        heads, *written = sheets.get_sheet_by_index(0).to_python()
        assert heads[:3] == ["Company", "Country", "Total (EUR)"]
        assert heads[-1] == "Data source"
        assert len(written) == rows
        if not typed:
            assert written[0][:3] == ['Beta, "Inc"', "Norway", 1200500.25]
            assert written[2][0] == "Älpha"
        else:
            assert written[0][0] == "=Gamma()", "text, and no formula"
            assert not written[0][2]


def test_identifiers_are_folded_until_they_are_asked_for(report: Page) -> None:
    figure = report.locator("figure").first
    assert figure.locator(".vf-id:visible").count() == 0
    fold = figure.get_by_role("button", name="Show ids")
    fold.click()
    expect(fold).to_have_attribute("aria-pressed", "true")
    assert figure.locator(".vf-id:visible").count() == DRAWN + 1
    figure.locator("th button").first.click()
    expect(figure.locator("th").first).to_have_attribute("aria-sort", "ascending")
    assert figure.locator(".vf-id:visible").count() == DRAWN + 1, (
        "of rows that were packed, too"
    )


def test_of_a_filtered_table_all_rows_or_those_shown_are_saved(report: Page) -> None:
    figure = report.locator("figure").first
    expect(figure.get_by_role("button", name="CSV")).to_have_text("Download CSV")
    report.get_by_role("searchbox").fill("Älpha")
    expect(report.locator(".vf-count").first).to_have_text("1 of 700 rows")
    saved = {}
    for rows in ("all rows", "the rows shown"):
        with report.expect_download() as download:
            figure.get_by_role("button", name=f"CSV of {rows}").click()
        assert download.value.suggested_filename == "companies.csv"
        saved[rows] = download.value.path().read_bytes().decode()
    assert saved["all rows"] == f"\ufeff{LONG.to_csv()}", (
        "Excel reads accents by the mark"
    )
    head, *lines = LONG.to_csv().splitlines(keepends=True)
    assert (
        saved["the rows shown"]
        == f"\ufeff{head}{''.join(x for x in lines if 'Älpha' in x)}"
    )


def test_the_rows_and_columns_shown_are_copied_with_their_headings(
    report: Page,
) -> None:
    report.context.grant_permissions(["clipboard-read", "clipboard-write"])
    report.get_by_role("searchbox").fill("norway")
    expect(report.locator(".vf-count").first).to_have_text("2 of 700 rows")
    pressed = report.get_by_role("button", name="Copy rows").first
    pressed.click()
    expect(report.get_by_role("button", name="Copied: 2")).to_have_count(1)
    text = report.evaluate("navigator.clipboard.readText()")
    heads, first, row = (line.split("\t") for line in text.splitlines())
    assert (
        heads == report.locator("figure").first.locator("th:visible").all_inner_texts()
    )
    assert first[2] == "1200500.25", "in cents"
    assert row[0] == "'=Gamma()", "no formula"


def test_a_row_opens_with_its_exact_values_and_the_rows_that_share_its_identifier(
    report: Page,
) -> None:
    report.locator("td", has_text="Beta").click()
    dialog = report.get_by_role("dialog", name="Beta")
    expect(dialog).to_contain_text("1,200,500.25")
    expect(dialog).to_contain_text("id-0")
    assert dialog.locator("h3").all_inner_texts() == [
        "Education entries",
        "Requests",
        "Source",
    ]
    expect(dialog).to_contain_text("GET /data/founders · filter <the ids of 3 records>")
    assert dialog.locator("dd").all_inner_texts().count("id-0") == 3
    expect(dialog).to_contain_text("SYNTHETIC sample data · a sample, as of 2026-06-30")
    report.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_rows_are_reached_and_opened_with_the_keyboard(report: Page) -> None:
    report.get_by_role("region", name="Table: Companies").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        report.keyboard.press(key)
    expect(report.get_by_role("dialog", name="=Gamma()")).to_be_visible()
    report.get_by_role("button", name="Close").press("Enter")
    assert report.evaluate("document.activeElement.cells[0].textContent") == "=Gamma()"


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("at", "name", "entry"),
    [((0.25, 0.5), "Beta", "PhD"), ((0.6, 0.65), "Älpha – Norway", "BA")],
)
def test_a_click_on_a_dot_or_an_edge_opens_its_rows_with_their_requests(
    report: Page, width: int, at: tuple[float, float], name: str, entry: str
) -> None:
    report.set_viewport_size({"width": width, "height": 800})
    picture = report.locator(".vf-figure img")
    picture.scroll_into_view_if_needed()
    sideways = """(picture, at) => {
      for (let each = picture; each; each = each.parentElement)
        if (each.scrollWidth > each.clientWidth) each.scrollLeft = picture.clientWidth * at - 150;
    }"""  # as a finger does on a phone
    picture.evaluate(sideways, at[0])
    box = picture.bounding_box()
    assert box
    report.mouse.click(
        box["x"] + box["width"] * at[0], box["y"] + box["height"] * at[1]
    )
    dialog = report.get_by_role("dialog", name=name)
    expect(dialog).to_be_visible()
    assert dialog.locator("h3").all_inner_texts() == [
        *("Companies", "Education entries", "Requests", "Source"),
    ]
    expect(dialog.locator("dd", has_text=entry)).to_have_count(1)
    expect(dialog).to_contain_text("GET /data/companies")


def test_marks_are_one_tab_stop_and_arrows_and_enter_reach_and_open_them(
    report: Page,
) -> None:
    marks = report.get_by_role("group", name="Marks of the figure: The network")
    assert marks.locator("[tabindex='0']").count() == 1
    marks.get_by_role("button", name="Beta").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "Enter"):
        report.keyboard.press(key)
    expect(report.get_by_role("dialog", name="Älpha – Norway")).to_be_visible()
    report.keyboard.press("Escape")
    assert report.evaluate("document.activeElement.ariaLabel") == "Älpha – Norway"
    assert marks.locator("[tabindex='0']").count() == 1
    for key in ("End", "Enter"):
        report.keyboard.press(key)
    dialog = report.get_by_role("dialog", name="Nobody")
    expect(dialog).to_contain_text("The table with these records is not on this page.")


@pytest.mark.parametrize("width", [390, 1280])
def test_twelve_rows_with_name_and_amount_are_in_view(report: Page, width: int) -> None:
    report.set_viewport_size({"width": width, "height": 800})
    box = report.get_by_role("region", name="Table: Companies")
    assert 300 < box.bounding_box()["height"] < 420  # type: ignore[index]
    box.evaluate("each => each.scrollTo(10_000, 0)")
    for cell in (
        report.locator("td", has_text="Beta"),
        report.locator("td", has_text="1.2m"),
    ):
        place = cell.bounding_box()
        assert place
        assert 0 <= place["x"] < place["x"] + place["width"] <= width
    assert report.evaluate("document.documentElement.scrollWidth") <= width


def test_a_printed_table_has_its_first_rows_whatever_is_filtered_and_no_buttons(
    report: Page,
) -> None:
    figure = report.locator("figure").first
    first = names(report)[:40]
    total = report.get_by_role("columnheader", name="Total").get_by_role("button")
    total.click()
    report.get_by_role("searchbox").fill("chile")
    expect(figure.locator("tbody tr:visible")).to_have_count(1)
    report.emulate_media(media="print")
    expect(figure.locator("tbody tr:visible")).to_have_count(len(first))
    assert names(report) == first, "as the caption says, in their order"
    assert figure.locator("button:visible, input:visible, select:visible").count() == 0
    after = "each => getComputedStyle(each, '::after').content"
    said = figure.evaluate(after)
    assert "The first 40 of" in said
    assert "700" in said
    assert "rows; all of them are in the HTML file." in said
    report.emulate_media(media="screen")
    expect(figure.locator("tbody tr:visible")).to_have_count(1)


def test_a_phone_shows_the_name_and_what_it_is_ranked_by_and_the_rest_on_a_tap(
    report: Page,
) -> None:
    report.set_viewport_size({"width": 390, "height": 800})
    figure = report.locator("figure").first
    heads = figure.locator("th:visible").all_inner_texts()
    assert heads == ["Company", "Total (EUR)"]
    row = figure.locator("tbody tr").first
    assert row.locator("td:visible").all_inner_texts() == ['Beta, "Inc"', "1.2m"]
    box = report.get_by_role("region", name="Table: Companies")
    assert not box.evaluate("each => each.scrollWidth > each.clientWidth")
    row.locator("td").first.click()
    expect(report.get_by_role("dialog", name="Beta")).to_contain_text("Norway")


def test_a_phone_shows_what_each_row_is_where_rows_differ_in_kind(
    opened: Open, tmp_path: Path
) -> None:
    columns = (Column("record", "Name"), Column("what", "What"), COUNTRY, TOTAL)
    rows = (
        ("Beta", "company newly seen", "Norway", 1e6),
        ("Eta", "city", "Oslo", None),
    )
    shown = table(columns, rows, title="Changes", source=SOURCE, name="largest")
    output = new_output("display_data", {"text/html": shown._repr_html_()})
    cells = [new_markdown_cell("# Changes"), new_code_cell(outputs=[output])]
    path = tmp_path / "changes.html"
    path.write_text(page(new_notebook(cells=cells)), "utf-8")
    report = opened(path)
    report.set_viewport_size({"width": 390, "height": 800})
    heads = report.locator("th:visible").all_inner_texts()
    assert heads == ["Name", "What", "Total (EUR)"]
    box = report.get_by_role("region", name="Table: Changes")
    assert not box.evaluate("each => each.scrollWidth > each.clientWidth")


def test_axe_finds_no_serious_problem_in_a_table_or_an_opened_row(
    browser: Browser, file: Path
) -> None:
    # the page's own policy would refuse the script that looks at it
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(file.as_uri())
    page.evaluate(ALIKE)
    for width, scheme in ((1280, "light"), (390, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        # a closed set of words
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for step in ("closed", "opened"):
            if step == "opened":
                page.locator("td", has_text="Beta").click()
                expect(page.get_by_role("dialog", name="Beta")).to_be_visible()
            assert violations(page) == [], (width, scheme, step)
        page.keyboard.press("Escape")
    page.context.close()
