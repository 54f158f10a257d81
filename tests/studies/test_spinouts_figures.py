"""Each figure about a university's founders says its numbers and draws what is missing."""

from html import escape
from xml.etree import ElementTree as ET

from tests.studies.worlds import NAME, Uni, World, company, entry, founds, studied
from ventureframe.display.figure import ORANGE, Figure
from ventureframe.studies.spinouts import Study


def texts(figure: Figure) -> list[str]:
    root = ET.fromstring(figure.svg)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_funnel_says_every_step_and_what_was_left_behind(study: Study) -> None:
    figure = study.funnel.plot()
    assert "5 companies in the candidate pool" in figure.alt
    assert "2 founders with an entry at the university" in figure.alt
    assert "5 · −1 education not recorded" in texts(figure)


def test_years_say_known_of_total_median_and_the_negative_ones(study: Study) -> None:
    figure = study.years.plot()
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
    figure = studied(wide).years.plot()
    assert "From 0 to 904" in figure.alt


def test_funding_names_amounts_and_counts_the_missing(study: Study) -> None:
    figure = study.companies.plot()
    assert {"Company A", "1.5 million EUR", "1 without a total", "not reported"} <= set(
        texts(figure)
    )
    assert "known for 2 of 3 companies" in figure.alt


def test_names_are_drawn_as_they_are_written(study: Study) -> None:
    assert '=$1+<b>"x", 株式会社' in texts(study.companies.plot())
    assert escape(NAME) in study.companies.plot()._repr_html_()


def test_the_network_draws_every_link_with_its_entry(study: Study) -> None:
    figure = study.links.plot()
    assert "Network of 2 founders and 3 companies" in figure.alt
    assert "Ana $mith (BSc 2000; MBA 2003)" in figure.alt
    assert {"Ana $mith", "BSc 2000; MBA 2003", "Company C"} <= set(texts(figure))


def test_a_company_without_a_sector_tag_is_drawn_as_not_tagged(study: Study) -> None:
    figure = study.sectors.plot()
    assert "not tagged: 3 companies, 2 with a total." in figure.alt
    assert {"not tagged", "2 of 3 known"} <= set(texts(figure))
