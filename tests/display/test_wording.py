"""Counts carry their noun, amounts their currency, and null is said as such."""

import pytest

from ventureframe.client.lookups import Location, Tag
from ventureframe.display.wording import condition, counted, money, number
from ventureframe.interface.filters import company, parse


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not recorded"),
        (0, "USD 0"),
        (0.1, "USD 0 (doubtful)"),
        (999.4, "USD 999 (doubtful)"),
        (1000, "USD 1,000"),
        (999_499, "USD 999,499"),
        (999_999, "USD 1m"),
        (3_864_930_929.77, "USD 3.86bn"),
        (-2_500_000, "USD −2.5m"),
    ],
)
def test_money_is_said_with_its_currency(value: float | None, said: str) -> None:
    assert money(value, "USD") == said


def test_counts_and_exact_amounts_are_said() -> None:
    read = "company whose funds were read"
    assert counted(2, read) == "2 companies whose funds were read"
    assert number(-8) == "−8"
    assert number(3_864_930_929.7731586) == "3,864,930,929.77"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("company_status[neq]:closed", "whose status is not closed"),
        (
            "company_status[nin_any]:closed|acquired",
            "whose status is not closed or acquired",
        ),
        ("launch_date[neq]:2012", "whose founding year is not 2012"),
        ("and(launch_date[gte]:2012,launch_date[lte]:2012)", "founded in 2012"),
        ("tag_id[nin_any]:4|5", "whose tag id is not 4 or 5"),
        ("is_hiring[neq]:true", "whose hiring flag is not true"),
        ("is_startup[eq]:true", "flagged as a startup"),
        ("is_spinout[eq]:false", "flagged as not a spinout"),
        ("has_founder[eq]:true", "flagged as having a recorded founder"),
        ("has_founder[eq]:false", "flagged as not having a recorded founder"),
        (
            "founder_university_name[eq]:Skidmore College",
            "with a founder whose education names Skidmore College",
        ),
    ],
)
def test_every_condition_is_said_in_words(text: str, said: str) -> None:
    assert condition(parse(text), "USD") == said


def test_a_condition_names_the_tags_and_places_that_were_given_as_records() -> None:
    web, apps = Tag(7, "Web", "technology"), Tag(8, "Apps", "technology")
    place = Location(5, "Leeds", "city", "Yorkshire", "region")
    tagged, there = company.tag_id.in_all([web, apps]), company.hq_location == place
    assert condition(tagged & there) == (
        "with the tag Web and Apps and with headquarters in the place Leeds"
    )
    assert str(tagged & there) == "and(tag_id[in_all]:7|8,hq_location[eq]:5)"
    assert condition(company.tag_id == 7) == "with the tag 7"
