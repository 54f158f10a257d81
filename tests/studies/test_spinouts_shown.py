"""What a study of a university says: in figures, in tables, and where records are
silent.
"""

from html import escape
from xml.etree import ElementTree as ET

import ventureframe as vf
from tests.studies.worlds import (
    HERE,
    NAME,
    World,
    company,
    entry,
    founds,
    studied,
)
from ventureframe.display.figure import BLUE, ORANGE, Figure
from ventureframe.studies.spinouts import Study


def texts(figure: Figure) -> list[str]:
    root = ET.fromstring(figure.svg)
    return [
        "".join(node.itertext())
        for node in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def test_the_funnel_says_every_step_and_what_was_left_behind(study: Study) -> None:
    figure = study.funnel.plot()
    assert "5 companies found" in figure.alt
    assert "2 founders who studied there" in figure.alt
    assert "5 · −1 education not recorded" in texts(figure)


def every_company_counted() -> Study:
    """Of three companies found no step leaves one out, and two share the largest
    total.
    """
    firms = [company(uuid, total_funding=5e6) for uuid in "AB"]
    every = World(
        companies=[*firms, company("C", total_funding=1e6)],
        company_founders=[pair for uuid in "ABC" for pair in founds(uuid, "ana")],
        founders=[{"uuid": "ana", "name": "Ana"}],
        education=[entry("ana", university_uuid=HERE)],
    )
    return studied(every)


def test_the_funnel_ends_at_what_is_counted_where_no_step_leaves_anything_out() -> None:
    alt = every_company_counted().funnel.plot().alt
    assert alt.endswith("; 3 companies with a founder who studied there.")
    assert "; 1 founder named by the companies; 1 founder who studied there;" in alt


def test_the_counted_step_alone_is_blue(study: Study) -> None:
    for drawn in (study, every_company_counted()):
        assert drawn.funnel.plot().svg.count(f"fill: {BLUE}") == 2


def test_equal_largest_totals_are_named_together() -> None:
    study = every_company_counted()
    assert "the largest EUR 5m at Company A and Company B." in study.answer


def test_years_say_known_of_total_median_and_the_negative_ones(study: Study) -> None:
    figure = study.years.plot()
    assert (
        "both years are recorded for 2 of the 3 pairs of company and founder"
        in figure.alt
    )
    assert "Fewer than 5 known. From −2 to 2. 1 founded before" in figure.alt
    assert ORANGE.lower() not in figure.svg  # two equal bars are a sentence


def test_years_before_the_end_of_study_are_drawn_in_orange() -> None:
    with vf.connect(environment={}) as svc:
        study = vf.spinouts.study(
            svc, university="Harrowmere University", domain="harrowmere.example"
        )
    figure = study.years.plot()
    assert "founded before the recorded end of study" in figure.alt
    assert ORANGE.lower() in figure.svg
    assert "pairs of company and founder" in texts(figure)


def test_no_year_is_dropped_however_wide_the_range() -> None:
    ends = (1100, 1960, 2003, 2004)
    wide = World(
        companies=[company("A", launch_date=2004)],
        company_founders=founds("A", *map(str, ends)),
        founders=[{"uuid": str(end), "name": None} for end in ends],
        education=[entry(str(end), university_uuid=HERE, end_year=end) for end in ends],
    )
    figure = studied(wide).years.plot()
    assert "From 0 to 904" in figure.alt


def test_funding_names_amounts_and_counts_the_missing(study: Study) -> None:
    figure = study.companies.plot()
    assert {"Company A", "1.5m", "1 without a total", "not recorded"} <= set(
        texts(figure)
    )
    assert "known for 2 of the 3 companies" in figure.alt


def test_names_are_drawn_as_they_are_written(study: Study) -> None:
    assert '=$1+<b>"x", 株式会社' in texts(study.companies.plot())
    assert escape(NAME) in study.companies.plot()._repr_html_()


def test_a_company_is_listed_with_who_studied_there_and_what_it_does(
    study: Study,
) -> None:
    table = study.companies
    assert [column.label for column in table.columns][:5] == [
        "Company",
        "Founders",
        "City",
        "Sectors",
        "Total funding",
    ]
    assert [row[1] for row in table.rows] == ["Ana $mith", "Ana $mith", "Cy"]


def test_a_company_without_a_sector_tag_is_drawn_as_not_recorded(study: Study) -> None:
    figure = study.sectors.plot()
    assert "sector not recorded: 3 companies, 2 with a total." in figure.alt
    assert {"sector not recorded", "2 of 3 known"} <= set(texts(figure))
