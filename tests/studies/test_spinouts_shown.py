"""What a study of a university says: in figures, in tables, and where records are
silent.
"""

import dataclasses
import re
from html import escape
from xml.etree import ElementTree as ET

import pytest

from tests.studies.worlds import (
    HERE,
    NAME,
    WORLD,
    World,
    company,
    entry,
    founds,
    studied,
)
from ventureframe.display.figure import ORANGE, Figure
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


def test_years_say_known_of_total_median_and_the_negative_ones(study: Study) -> None:
    figure = study.years.plot()
    assert (
        "both years are recorded for 2 of the 3 pairs of company and founder"
        in figure.alt
    )
    assert "Fewer than 5 known. From −2 to 2. 1 founded before" in figure.alt
    assert ORANGE.lower() in figure.svg


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
    assert {"Company A", "1.5m", "1 without a total", "not reported"} <= set(
        texts(figure)
    )
    assert "recorded for 2 of the 3 companies" in figure.alt


def test_names_are_drawn_as_they_are_written(study: Study) -> None:
    assert '=$1+<b>"x", 株式会社' in texts(study.companies.plot())
    assert escape(NAME) in study.companies.plot()._repr_html_()


def test_a_company_is_listed_with_who_studied_there_and_what_it_does(
    study: Study,
) -> None:
    table = study.companies.table
    assert [column.label for column in table.columns][:5] == [
        "Company",
        "Founders",
        "Website",
        "City",
        "Sectors",
    ]
    assert [row[1] for row in table.rows] == ["Ana $mith", "Ana $mith", "Cy"]


def test_a_company_without_a_sector_tag_is_drawn_as_not_tagged(study: Study) -> None:
    figure = study.sectors.plot()
    assert "not tagged: 3 companies, 2 with a total." in figure.alt
    assert {"not tagged", "2 of 3 known"} <= set(texts(figure))


def test_the_money_caption_has_currency_known_of_total_and_sum(study: Study) -> None:
    caption = study.companies.caption
    assert "EUR recorded for 2 of the 3 companies" in caption
    assert "EUR 1,500,000.35" in caption
    assert "Total funding (EUR)" in repr(study.companies)
    assert study.companies.to_polars()["currency"].unique().to_list() == ["EUR"]


def test_states_are_all_listed_with_their_meaning(study: Study) -> None:
    assert [row[2] for row in study.states.table.rows] == [2, 1, 1, 1, 1, 1]


def test_populations_are_listed_with_definitions_and_never_combined(
    study: Study,
) -> None:
    made = study.populations
    assert [row[1] for row in made.table.rows] == [7, None, 1]
    assert "not to be added" in made.caption
    assert "not reported" in repr(made)


def test_every_caveat_names_its_rule(study: Study) -> None:
    rules = study.caveats.to_polars()["rule"]
    assert all(re.fullmatch(r"reading rule [1-8]", rule) for rule in rules)


NO_FOUNDERS = dataclasses.replace(WORLD, company_founders=[])
NO_EDUCATION = dataclasses.replace(WORLD, education=[])
NO_PEOPLE = dataclasses.replace(WORLD, founders=[], education=[])


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (NO_FOUNDERS, "Whether a founder of any of the 5 companies found for"),
        (NO_FOUNDERS, "is not known: no founder is recorded for any of them."),
        (
            NO_EDUCATION,
            "is not known: no education is recorded for any of the 7 founders.",
        ),
        (
            NO_PEOPLE,
            "is not known: no education is recorded for any of the 7 founders.",
        ),
        (
            dataclasses.replace(WORLD, companies=[company("A")], company_founders=[]),
            "Whether a founder of the only company found for",
        ),
    ],
)
def test_a_pool_of_which_nothing_is_recorded_has_no_answer(
    world: World, said: str
) -> None:
    study = studied(world)
    assert said in str(study.answer)
    assert "None of the" not in str(study.answer)
    assert study.key_figures[0].value == "not known"


def test_one_record_of_another_place_is_enough_to_say_what_the_records_hold() -> None:
    elsewhere = [
        entry("ana", 0, university_uuid=HERE.replace("1", "4"), university_name="Other")
    ]
    study = studied(dataclasses.replace(WORLD, education=elsewhere))
    assert "None of the 5 companies found for" in str(study.answer)
    assert study.key_figures[0].value == "0"


def test_no_name_of_a_service_steers_the_terminal_that_shows_a_study() -> None:
    named = [each | {"name": "Red \x1b[31m\u202e"} for each in WORLD.companies]
    study = studied(dataclasses.replace(WORLD, companies=named))
    shown = [repr(study), str(study.answer)]
    shown += [repr(getattr(study, name)) for name in type(study).findings()]
    assert not [text for text in shown if "\x1b" in text or "\u202e" in text]
    assert "Red \x1b[31m\u202e" in study.companies.to_polars().row(0), "as it was sent"
