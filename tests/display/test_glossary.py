"""The glossary lists every column with its meaning, and members under their path."""

import ventureframe as vf


def test_it_lists_the_columns_of_the_records_asked_for() -> None:
    made = vf.glossary("founders")
    assert {row[0] for row in made.rows} == {"founders"}
    assert {"uuid", "education", "education[].university_uuid"} <= {row[1] for row in made.rows}


def test_every_column_has_a_meaning_and_a_type() -> None:
    made = vf.glossary()
    assert len({row[0] for row in made.rows}) > 5
    assert all(row[2] and row[3] for row in made.rows)
