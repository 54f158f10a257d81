"""A mark lies where it is drawn, and stands in the page as data that no name can
break.
"""

import json
import re
from html import unescape

import pytest

from ventureframe.display.figure import Drawing, Figure
from ventureframe.display.marks import LEAST, Canvas, mark

NAME = """L'Été "x" <b>&amp; Söhne style="x" onclick='y'"""


def drawn(canvas: Canvas) -> None:
    canvas.set_layout_engine("none")
    axes = canvas.add_axes((0, 0, 1, 1))  # the whole picture
    axes.set(xlim=(0, 10), ylim=(0, 4))
    mark(axes, NAME, ["a", "b", "a"], (1, 1), (10, 4))
    mark(axes, None, [7], (5, 2), area=400)
    mark(axes, "of no row", [None], (5, 2))


@pytest.fixture
def figure() -> Figure:
    return Drawing("Headline", "Alt", (), 3, drawn).figure("Title", None)


def test_marks_are_in_points_from_the_upper_left_corner_of_the_picture(
    figure: Figure,
) -> None:
    width, height = figure.wide.size
    assert (width, height) == pytest.approx((7.4 * 72, 3 * 72))
    edge, dot = figure.wide.marks
    assert edge.ends[0] == pytest.approx((width / 10, height * 3 / 4), abs=0.05)
    assert edge.ends[1] == pytest.approx((width, 0))
    assert edge.radius == LEAST
    assert dot.ends[0] == pytest.approx((width / 2, height / 2))
    assert dot.radius == pytest.approx(11.28, abs=0.01)
    assert (edge.ids, dot.ids, dot.label) == (("a", "b"), ("7",), "name not recorded")


def test_marks_stand_in_the_page_as_one_attribute_whatever_a_name_holds(
    figure: Figure,
) -> None:
    html = figure._repr_html_()
    assert (
        html
        == Drawing("Headline", "Alt", (), 3, drawn).figure("Title", None)._repr_html_()
    )
    found = re.match(
        r"<figure class=\"vf-figure\" data-sizes=\"532.8 216 295.2 216\" data-marks='([^'<>]*)'>",
        html,
    )
    assert found
    assert json.loads(unescape(found[1])) == [
        [NAME, ["a", "b"], 5.0, [53.3, 162.0, 532.8, 0.0], [29.5, 162.0, 295.2, 0.0]],
        ["name not recorded", ["7"], 11.3, [266.4, 108.0], [147.6, 108.0]],
    ]


def test_a_figure_without_marks_says_nothing_of_them() -> None:
    bare = Drawing("Headline", "Alt", (), 3, lambda _: None).figure("Title", None)
    assert bare._repr_html_().startswith('<figure class="vf-figure"><picture>')
