"""What no record says is not known, and is no statement about a university."""

import dataclasses

import pytest

from tests.studies.worlds import HERE, WORLD, company, entry, studied

NO_FOUNDERS = dataclasses.replace(WORLD, company_founders=[])
NO_EDUCATION = dataclasses.replace(WORLD, education=[])
NO_PEOPLE = dataclasses.replace(WORLD, founders=[], education=[])


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (NO_FOUNDERS, "Which of the 5 companies in the candidate pool of"),
        (NO_FOUNDERS, "is not known: no founder is recorded for any of them."),
        (NO_EDUCATION, "is not known: no education is recorded for any of 7 founders."),
        (NO_PEOPLE, "is not known: no education is recorded for any of 7 founders."),
        (
            dataclasses.replace(WORLD, companies=[company("A")], company_founders=[]),
            "Whether the only company in the candidate pool of",
        ),
    ],
)
def test_a_pool_of_which_nothing_is_recorded_has_no_answer(world: object, said: str) -> None:
    study = studied(world)  # type: ignore[arg-type]
    assert said in str(study.answer)
    assert "None of the" not in str(study.answer)
    assert study.key_figures[0].value == "not known"


def test_one_record_of_another_place_is_enough_to_say_what_the_records_hold() -> None:
    elsewhere = [entry("ana", 0, university_uuid=HERE.replace("1", "4"), university_name="Other")]
    study = studied(dataclasses.replace(WORLD, education=elsewhere))
    assert "None of the 5 companies in the candidate pool" in str(study.answer)
    assert study.key_figures[0].value == "0"


def test_no_name_of_a_service_steers_the_terminal_that_shows_a_study() -> None:
    named = [each | {"name": "Red \x1b[31m\u202e"} for each in WORLD.companies]
    study = studied(dataclasses.replace(WORLD, companies=named))
    shown = [repr(study), str(study.answer)]
    shown += [repr(getattr(study, name)) for name in type(study).findings()]
    assert not [text for text in shown if "\x1b" in text or "\u202e" in text]
    assert "Red \x1b[31m\u202e" in study.companies.to_polars().row(0), "as it was sent"
