"""Nothing stands on the page of a generated study without a statement."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import matplotlib as mpl
import pytest
from matplotlib.patches import Rectangle

from tests.fake import connected_on
from tests.pages.page import first_name
from tests.pages.play import OF_A_WORLD
from tests.pages.questions import Places, ask, study
from tests.pages.worlds import World
from ventureframe.display.figure import Drawing
from ventureframe.display.marks import Canvas
from ventureframe.evidence.study import Study
from ventureframe.report.notebook import of_study
from ventureframe.report.page import page

WORLDS = (5, pytest.param(6, marks=pytest.mark.slow))
UNKNOWN = re.compile("not recorded|not known|not read|no total known|not claimed")
MOST = 7


@pytest.fixture(scope="module", params=WORLDS)
def made(request: pytest.FixtureRequest) -> Iterator[list[Study]]:
    """The studies of all questions about a world."""
    world = World.of(request.param)
    with ExitStack() as stack:
        earlier, later = stack.enter_context(world.folders())
        before, now = (
            stack.enter_context(connected_on("interface", folder))
            for folder in (earlier, later)
        )
        places, first = Places(now, before, later), request.param * OF_A_WORLD
        seeds = range(first, first + OF_A_WORLD)
        yield [study(world, ask(seed, world), places) for seed in seeds]


def panels(drawing: Drawing) -> list[Any]:
    """What the drawing draws, panel by panel."""
    with mpl.rc_context():
        canvas = Canvas(7, 5)
        drawing.draw(canvas)
    return list(canvas.axes)


def shapes(axes: Any) -> set[tuple[object, ...]]:
    """The lengths of a panel's bars, the places of its dots, and the texts beside them."""
    bars = {
        (round(bar.get_width(), 6), round(bar.get_height(), 6))
        for bar in axes.patches
        if isinstance(bar, Rectangle)
    }
    dots = {
        tuple(place)
        for dots in axes.collections
        for place in dots.get_offsets().tolist()
    }
    return {*bars, *dots, *((text.get_text(),) for text in axes.texts)}


def unknown_zeros(axes: Any) -> list[str]:
    """The notes of bars without a length whose value is not known, and no circle."""
    circles = {
        round(place[1]) for dots in axes.collections for place in dots.get_offsets()
    }
    return [
        note.get_text()
        for note in axes.texts
        if UNKNOWN.match(note.get_text()) and round(note.xy[1]) not in circles
    ]


def test_a_figure_compares_and_draws_no_unknown_as_zero(made: list[Study]) -> None:
    for each in made:
        for name in each.findings():
            finding = getattr(each, name)
            if finding.drawing is None or (drawn := finding.drawn_by()).empty:
                continue
            about = f"{each.name}.{name}: {drawn.alt}"
            assert any(len(shapes(axes)) > 1 for axes in panels(drawn)), about
            if each.name != "changes":
                assert len(set(drawn.values) - {None}) > 1, about
            for axes in panels(drawn):
                assert unknown_zeros(axes) == [], about
            assert not re.search("(recorded|known) for", drawn.headline), about


def test_a_tile_has_a_value_and_is_not_alone(made: list[Study]) -> None:
    for each in made:
        html = each.answer._repr_html_()
        tiles = re.findall("<strong[^>]*>(.*?)</strong>", html)
        assert not any(map(UNKNOWN.fullmatch, tiles)), html
        assert len(tiles) != 1, html
        for line in re.findall('<p class="vf-single">(.*?)</p>', html):
            assert re.fullmatch(r".+: .+\.", line), line


def test_page_one_begins_with_what_is_known(made: list[Study]) -> None:
    for each in made:
        table, every = each.table, getattr(each, first_name(each))
        columns = [column for column in table.columns if column.kind != "id"]
        assert len(columns) <= MOST
        assert len(table) <= 10
        headings = [column.name for column in every.columns if column in columns]
        assert [column.name for column in columns] == headings, "one order"
        if len(every) and each.name != "changes":
            known = [
                column for column in every.columns if every.frame[column.name].count()
            ]
            assert set(columns) <= set(known)


def test_a_section_shows_something(made: list[Study]) -> None:
    for each in made:
        for section in re.findall("(?s)<section.*?</section>", page(of_study(each))):
            assert re.search("<figure|<p |<ul", section), section


def test_page_one_has_no_line_for_what_is_empty(made: list[Study]) -> None:
    for each in made:
        first, _, _ = page(of_study(each)).partition("<details")
        _, _, body = first.partition("<main")
        assert "vf-answer" in body
        assert "vf-none" not in body
