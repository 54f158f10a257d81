"""A figure carries its finding as text, draws what is missing, and writes the same bytes."""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from html import escape
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from ventureframe.figures import Figure

from tests.studies.worlds import NAME, WORLD, Uni, World, company, entry, founds
from ventureframe import figures
from ventureframe.display.figure import ORANGE
from ventureframe.studies import spinouts
from ventureframe.studies.spinouts.find import Study

ALL: list[Callable[[Study], Figure]] = [
    *(figures.funnel, figures.states, figures.years, figures.funding),
]


def texts(figure: Figure) -> list[str]:
    root = ET.fromstring(figure.svg)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("make", ALL)
def test_the_same_study_gives_the_same_bytes_without_a_date(
    make: Callable[[Study], Figure], study: Study
) -> None:
    first = make(study)
    assert make(study).svg == first.svg
    assert make(spinouts.find(**WORLD.frames(), university=Uni(), currency="EUR")).svg == first.svg
    assert not re.search(r"dc:date|matplotlib v|20\d\d-\d\d-\d\d", first.svg)


@pytest.mark.parametrize("make", ALL)
def test_html_is_one_image_with_alt_text_and_caption(
    make: Callable[[Study], Figure], study: Study
) -> None:
    figure = make(study)
    html = figure._repr_html_()
    found = re.search(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', html)
    assert found
    assert found[1] == escape(figure.alt)
    assert base64.b64decode(found[2]).decode() == figure.svg
    assert f"<figcaption><strong>{escape(figure.title)}</strong>" in html
    assert figure.alt in repr(figure)


@pytest.mark.parametrize("make", ALL)
def test_a_figure_without_any_record_is_still_drawn(make: Callable[[Study], Figure]) -> None:
    empty = spinouts.find(**World().frames(), university=Uni(), currency="EUR")
    assert texts(make(empty))


@pytest.mark.parametrize("make", ALL)
def test_drawing_leaves_no_trace_in_matplotlib(
    make: Callable[[Study], Figure], study: Study
) -> None:
    before = dict(mpl.rcParams)
    make(study)
    assert dict(mpl.rcParams) == before


def test_the_funnel_says_every_step_and_what_was_left_behind(study: Study) -> None:
    figure = figures.funnel(study)
    assert "5 companies in the candidate pool" in figure.alt
    assert "2 founders with an entry at the university" in figure.alt
    assert "5 · −1 education not recorded" in texts(figure)


def test_unrecorded_states_are_hollow_and_counted(study: Study) -> None:
    figure = figures.states(study)
    assert "For 3 of 7 founders the record does not tell" in texts(figure)
    assert figure.svg.count("stroke-dasharray") >= 3


def test_years_say_known_of_total_median_and_the_negative_ones(study: Study) -> None:
    figure = figures.years(study)
    assert "known for 2 of 3 pairs" in figure.alt
    assert "Median 0 years. From −2 to 2. 1 founded before" in figure.alt
    assert ORANGE.lower() in figure.svg


def test_no_year_is_dropped_however_wide_the_range() -> None:
    ends = (1100, 1960, 2003, 2004)
    wide = World(
        companies=[company("A", launch_date=2004)],
        company_founders=founds("A", *map(str, ends)),
        founders=[{"uuid": str(end), "name": None} for end in ends],
        education=[entry(str(end), university_uuid=Uni.uuid, end_year=end) for end in ends],
    )
    figure = figures.years(spinouts.find(**wide.frames(), university=Uni(), currency="EUR"))
    assert "From 0 to 904" in figure.alt


def test_funding_names_amounts_and_counts_the_missing(study: Study) -> None:
    figure = figures.funding(study)
    assert {"Company A", "1.5 million EUR", "1 without a total", "not reported"} <= set(
        texts(figure)
    )
    assert "known for 2 of 3 companies" in figure.alt


def test_names_are_drawn_as_they_are_written(study: Study) -> None:
    assert '=$1+<b>"x", 株式会社' in texts(figures.funding(study))
    assert escape(NAME) in figures.funding(study)._repr_html_()


@dataclass(frozen=True)
class Sample:
    """A source of made-up data."""

    name: str = "a sample"
    as_of: date | None = date(2026, 6, 30)
    synthetic: bool | None = True
    incomplete: tuple[str, ...] = ()


@pytest.mark.parametrize("make", ALL)
def test_made_up_data_is_marked_in_the_picture_and_beside_it(
    make: Callable[[Study], Figure], study: Study
) -> None:
    figure = make(dataclasses.replace(study, source=Sample()))
    assert "SYNTHETIC sample data" in texts(figure)
    assert figure.caption.startswith("SYNTHETIC sample data · ")
    assert figure.caption.endswith("a sample, as of 2026-06-30")
    assert "SYNTHETIC" not in make(study).svg
