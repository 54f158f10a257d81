"""What the captions and rows of the tables about a university's founders say."""

import re

from ventureframe.studies.spinouts import Study


def test_the_money_caption_has_currency_known_of_total_and_sum(study: Study) -> None:
    caption = study.companies.caption
    assert "EUR known for 2 of 3 companies" in caption
    assert "1,500,000.35 EUR" in caption
    assert "Total funding (EUR)" in repr(study.companies)
    assert study.companies.to_polars()["currency"].unique().to_list() == ["EUR"]


def test_states_are_all_listed_with_their_meaning(study: Study) -> None:
    assert [row[2] for row in study.states.table.rows] == [2, 1, 1, 1, 1, 1]


def test_populations_are_listed_with_definitions_and_never_combined(study: Study) -> None:
    made = study.populations
    assert [row[1] for row in made.table.rows] == [7, None, 1]
    assert "never summed" in made.caption
    assert "not reported" in repr(made)


def test_every_caveat_names_its_rule(study: Study) -> None:
    rules = study.caveats.to_polars()["rule"]
    assert all(re.fullmatch(r"reading rule [1-8]", rule) for rule in rules)
