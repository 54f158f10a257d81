"""A figure carries its finding as text, marks its data and writes the same bytes."""

import base64
import dataclasses
import re
from datetime import date
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from tests.studies.worlds import World, studied
from ventureframe.display import figure as figures
from ventureframe.display.figure import Bar, Figure, bar_chart
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.source import Source
from ventureframe.studies.spinouts import Study

DRAWN = [name for name in Study.findings() if getattr(Study, name).figure]
SAMPLE = Source("a sample", as_of=date(2026, 6, 30), synthetic=True)


def texts(figure: Figure) -> list[str]:
    root = ET.fromstring(figure.svg)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def figures_of(**given: Any) -> list[Figure]:
    """Every figure of a study."""
    study = studied(**given)
    return [getattr(study, name).plot() for name in DRAWN]


@pytest.fixture(scope="module")
def drawn() -> list[Figure]:
    return figures_of()


def test_the_same_study_gives_the_same_bytes_without_a_date_in_either_library(
    drawn: list[Figure],
) -> None:
    before = dict(mpl.rcParams)
    for again in (figures_of(), figures_of(library="pandas")):
        assert [figure.svg for figure in again] == [figure.svg for figure in drawn]
    for figure in drawn:
        assert not re.search(r"dc:date|matplotlib v|20\d\d-\d\d-\d\d", figure.svg)
    assert dict(mpl.rcParams) == before, "drawing leaves no trace in matplotlib"


@pytest.mark.parametrize("style", ["display/table.css", "report/page.css"])
def test_the_smallest_text_has_nine_pixels_on_a_phone(drawn: list[Figure], style: str) -> None:
    css = (Path(figures.__file__).parents[1] / style).read_text("utf-8")
    kept = re.search(r"\.vf-figure :is\(\.vf-picture, img\) \{ min-width: (\d+)rem", css)
    assert kept, "a page scrolls a picture rather than shrink it further, on a phone of 390 px too"
    for figure in drawn:
        smallest = min(map(float, re.findall(r"font-size: ([\d.]+)px", figure.svg)))
        # in the points of the picture, as its width is
        assert smallest * 16 * int(kept[1]) / figure.size[0] >= 9


@pytest.mark.parametrize("note", ["233 million USD", "138 · 1.42 billion EUR (79 known)"])
def test_a_note_at_the_end_of_the_longest_bar_ends_within_the_picture(note: str) -> None:
    rows = [Bar("Norway", 9, note, id="id"), Bar("country not recorded", 1, note)]
    drawn = bar_chart(rows, headline="H", alt="Bars.", notes=(), height=3).figure("Title", SAMPLE)
    assert drawn.alt == f"Bars. Norway: {note}; country not recorded: {note}."
    assert [mark.ids for mark in drawn.marks] == [("id",)]
    for node in ET.fromstring(drawn.svg).iter("{http://www.w3.org/2000/svg}text"):
        if node.text == note:
            font = FontProperties(family="DejaVu Sans", size=9.5)
            width = text_to_path.get_text_width_height_descent(note, font, ismath=False)[0]
            assert float(node.attrib["x"]) + width < drawn.size[0] + 2


@pytest.mark.parametrize(
    ("name", "begins"), [("x.svg", b"<?xml"), ("x.PNG", b"\x89PNG"), ("x.pdf", b"%PDF")]
)
def test_a_figure_is_saved_by_the_ending_of_the_name_the_same_each_time(
    tmp_path: Path, name: str, begins: bytes
) -> None:
    path = dataclasses.replace(studied(), source=SAMPLE).funnel.plot().save(tmp_path / name)
    first = path.read_bytes()
    assert first.startswith(begins)
    assert not re.search(rb"CreationDate|matplotlib version|Software", first)
    again = dataclasses.replace(studied(), source=SAMPLE).funnel.plot().save(str(path))
    assert again.read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["x.jpg", "x", "svg"])
def test_a_figure_is_saved_as_nothing_else(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnsupportedValue, match=r"\.svg, \.png or \.pdf"):
        studied().funnel.plot().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_html_is_one_image_with_alt_text_and_caption(drawn: list[Figure]) -> None:
    for figure in drawn:
        html = figure._repr_html_()
        found = re.search(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', html)
        assert found
        assert found[1] == escape(figure.alt)
        assert base64.b64decode(found[2]).decode() == figure.svg
        assert f"<figcaption><strong>{escape(figure.title)}</strong>" in html
        assert figure.alt in repr(figure)


def test_a_figure_without_any_record_is_still_drawn() -> None:
    assert all(texts(figure) for figure in figures_of(world=World()))


def test_a_picture_names_its_source_and_its_caption_does_not_say_it_again(
    drawn: list[Figure],
) -> None:
    study = dataclasses.replace(studied(), source=SAMPLE)
    for name, without in zip(DRAWN, drawn, strict=True):
        figure = getattr(study, name).plot()
        assert "SYNTHETIC sample data · a sample, as of 2026-06-30" in texts(figure)
        assert "a sample" not in figure.caption
        assert "SYNTHETIC" not in without.svg


def test_a_picture_of_incomplete_data_says_so_in_it_and_beside_it() -> None:
    source = dataclasses.replace(SAMPLE, incomplete=("news",))
    figure = dataclasses.replace(studied(), source=source).funnel.plot()
    assert any("INCOMPLETE: news" in text for text in texts(figure))
    assert figure.caption.startswith("INCOMPLETE: news · ")
