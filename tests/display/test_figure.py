"""A figure carries its finding as text, marks its data and writes the same bytes."""

import cmath
import dataclasses
import math
import re
import warnings
from collections.abc import Iterator
from datetime import date
from html import escape
from itertools import combinations, pairwise
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from tests.studies.worlds import WORLD, studied
from ventureframe.display import figure as figures
from ventureframe.display.figure import Drawing, Figure
from ventureframe.display.marks import Canvas, Picture
from ventureframe.display.pictures import Bar, bar_chart
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.gaps import Gap
from ventureframe.interface.source import Source
from ventureframe.studies.spinouts import Study

DRAWN = [name for name in Study.findings() if getattr(Study, name).figure]
TEXT = "{http://www.w3.org/2000/svg}text"
SAMPLE = Source("a sample", as_of=date(2026, 6, 30), synthetic=True)


def texts(picture: Picture) -> list[str]:
    root = ET.fromstring(picture.svg)
    return ["".join(node.itertext()) for node in root.iter(TEXT)]


def pictures(html: str) -> list[list[str]]:
    """The texts of the picture that a page shows, and of the one for a phone."""
    found = re.search(r'srcset="([^" ]*)">.* src="([^"]*)"', html)
    assert found
    drawn = []
    for address in reversed(found.groups()):
        kind, _, data = address.partition(",")
        assert kind == "data:image/svg+xml"
        root = ET.fromstring(unquote(data))
        drawn.append(["".join(node.itertext()) for node in root.iter(TEXT)])
    return drawn


Corners = list[complex]


def written(picture: Picture) -> Iterator[tuple[str, Corners]]:
    """Each text of the picture with its four corners, as a reader's browser draws
    it.
    """
    for node in ET.fromstring(picture.svg).iter(TEXT):
        text, style = "".join(node.itertext()), node.attrib["style"]
        if not text:
            continue
        size = float(re.findall(r"font-size: ([\d.]+)", style)[0])
        weight = "bold" if "bold" in style else "normal"
        font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a letter that the font lacks
            width, height, below = text_to_path.get_text_width_height_descent(
                text, font, False
            )
        anchor = re.findall("text-anchor: ([a-z]+)", style) or ["start"]
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor[0]]
        # x and y, rotate(angle x y), or translate(x y) rotate(angle)
        flat = f"rotate(0 {node.attrib.get('x')} {node.attrib.get('y')})"
        way = node.attrib.get("transform", flat)
        numbers = [*map(float, re.findall(r"-?[\d.]+", way)), 0.0]
        x, y, turn = numbers[:3] if "translate" in way else (*numbers[1:3], numbers[0])
        left, right, top = -share * width, (1 - share) * width, below - height
        across = [
            complex(*at)
            for at in ((left, top), (right, top), (right, below), (left, below))
        ]
        yield (
            text,
            [complex(x, y) + at * cmath.exp(1j * math.radians(turn)) for at in across],
        )


def apart(one: Corners, other: Corners) -> bool:
    """Whether a straight line lies between two oblongs."""
    for corners in (one, other):
        for begin, end in pairwise(corners[:3]):
            way = (end - begin) / (abs(end - begin) or 1)
            spans = [
                [(at * way.conjugate()).real for at in shape] for shape in (one, other)
            ]
            (low, high), (least, most) = ((min(span), max(span)) for span in spans)
            if high - least < 0.6 or most - low < 0.6:
                return True
    return False


def unreadable(picture: Picture) -> list[str]:
    """What no reader can read: texts that leave the picture or lie on one another."""
    (width, height), texts = picture.size, [*written(picture)]
    outside = [
        f"{text!r} leaves the picture"
        for text, corners in texts
        if not all(
            -1 <= at.real <= width + 1 and -1 <= at.imag <= height + 1 for at in corners
        )
    ]
    crossing = (
        f"{one[0]!r} lies on {other[0]!r}"
        for one, other in combinations(texts, 2)
        if not apart(one[1], other[1])
    )
    return [*outside, *crossing]


def every_figure() -> list[Figure]:
    firms = [{**firm, "hq_country": "Norway"} for firm in WORLD.companies]
    study = studied(dataclasses.replace(WORLD, companies=firms))
    return [getattr(study, name).plot() for name in DRAWN]


@pytest.fixture(scope="module")
def drawn() -> list[Figure]:
    return every_figure()


def test_the_same_study_gives_the_same_bytes_without_a_date(
    drawn: list[Figure],
) -> None:
    before = dict(mpl.rcParams)
    assert [figure.svg for figure in every_figure()] == [each.svg for each in drawn]
    for figure in drawn:
        assert not re.search(r"dc:date|matplotlib v|20\d\d-\d\d-\d\d", figure.svg)
    assert dict(mpl.rcParams) == before, "drawing leaves no trace in matplotlib"


def test_the_smallest_text_has_nine_pixels_on_a_phone(drawn: list[Figure]) -> None:
    rule = r"\.vf-figure :is\(\.vf-picture, img\) \{ min-width: (\d+)rem"
    for style in ("display/table.css", "report/page.css"):
        css = (Path(figures.__file__).parents[1] / style).read_text("utf-8")
        kept = re.search(rule, css)
        assert kept, "a page scrolls a picture rather than shrink it further"
        for figure in drawn:
            # a phone of 390 px leaves 358
            for picture, width in (
                (figure.wide, 16 * int(kept[1])),
                (figure.narrow, 358),
            ):
                sizes = re.findall(r"font-size: ([\d.]+)px", picture.svg)
                # in the points of the picture, as its width is
                assert min(map(float, sizes)) * width / picture.size[0] >= 9


@pytest.mark.parametrize("note", ["USD 233m", "138 · EUR 1.42bn (79 known)"])
def test_a_note_at_the_end_of_the_longest_bar_ends_within_the_picture(
    note: str,
) -> None:
    rows = [Bar("Norway", 9, note, id="id"), Bar("country not recorded", 1, note)]
    drawn = bar_chart(rows, headline="H", alt="Bars.", notes=()).figure("Title", SAMPLE)
    assert drawn.alt == f"Bars. Norway: {note}; country not recorded: {note}."
    assert [mark.ids for mark in drawn.wide.marks] == [("id",)]
    assert unreadable(drawn.wide) == []
    assert unreadable(drawn.narrow) == []


def test_a_phone_shows_every_name_and_value_in_a_picture_of_its_own(
    drawn: list[Figure],
) -> None:
    for figure in drawn:
        assert figure.narrow.size[0] < 300
        assert unreadable(figure.narrow) == []
        assert [mark.ids for mark in figure.narrow.marks] == [
            mark.ids for mark in figure.wide.marks
        ]
    long = "An institute of a name so long that a line of a phone cannot hold it"
    rows = [Bar(long, 9, "138 · EUR 1.42bn (79 known)"), Bar("Norway", 1, "1")]
    chart = bar_chart(rows, headline="H", alt="Bars.", notes=())
    narrow = chart.figure("Title", SAMPLE).narrow
    said = " ".join(texts(narrow))
    assert f"{long}: 138 · EUR 1.42bn (79 known)" in said
    assert "Norway: 1" in said
    assert unreadable(narrow) == []


@pytest.mark.parametrize(
    ("name", "begins"), [("x.svg", b"<?xml"), ("x.PNG", b"\x89PNG"), ("x.pdf", b"%PDF")]
)
def test_a_figure_is_saved_by_the_ending_of_the_name_the_same_each_time(
    tmp_path: Path, name: str, begins: bytes
) -> None:
    figure = dataclasses.replace(studied(), source=SAMPLE).funnel.plot()
    first = figure.save(tmp_path / name).read_bytes()
    assert first.startswith(begins)
    assert not re.search(rb"CreationDate|matplotlib version|Software", first)
    assert figure.save(str(tmp_path / name)).read_bytes() == first
    for other in ("x.jpg", "x", "svg"):
        with pytest.raises(UnsupportedValue, match=r"\.svg, \.png, \.pdf"):
            figure.save(tmp_path / other)
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_html_is_one_image_with_alt_text_and_caption(drawn: list[Figure]) -> None:
    for figure in drawn:
        if figure.empty:
            continue
        html = figure._repr_html_()
        assert html.count("<img") == html.count(f'<img alt="{escape(figure.alt)}"') == 1
        assert html.count("alt=") == 1, "also where a phone has a picture of its own"
        wide, narrow = pictures(html)
        assert texts(figure.wide) == wide
        assert texts(figure.narrow) == narrow
        assert f"<figcaption><strong>{escape(figure.title)}</strong>" in html
        assert figure.alt in repr(figure)


def test_a_picture_names_its_source_and_says_what_it_lacks(
    drawn: list[Figure],
) -> None:
    gap = Gap("short", "news", rows=5, of=9)
    source = dataclasses.replace(SAMPLE, incomplete=(gap,))
    study = dataclasses.replace(studied(), source=source)
    for name, without in zip(DRAWN, drawn, strict=True):
        figure = getattr(study, name).plot()
        said = " ".join(texts(figure.wide))
        assert "SYNTHETIC sample data · INCOMPLETE: news 5 of 9 · a sample, as" in said
        assert figure.caption.startswith("INCOMPLETE: news 5 of 9")
        assert "a sample" not in figure.caption, "it is not said again"
        assert "SYNTHETIC" not in without.svg


@pytest.mark.parametrize(
    ("spots", "found"),
    [
        ([(0.1, 0.5), (0.6, 0.5)], []),
        ([(0.1, 0.5), (0.12, 0.5)], ["'Norway 0' lies on 'Norway 1'"]),
        ([(0.97, 0.5)], ["'Norway 0' leaves the picture"]),
    ],
)
def test_a_text_that_cannot_be_read_is_found(
    spots: list[tuple[float, float]], found: list[str]
) -> None:
    def draw(canvas: Canvas) -> None:
        for at, (x, y) in enumerate(spots):
            canvas.text(x, y, f"Norway {at}", rotation=30)

    assert unreadable(Drawing("H", "Alt", (), 3, draw).figure("T", None).wide) == found
