"""The glossary lists every column with its meaning, and members under their path."""

import ventureframe as vf


def test_it_lists_the_columns_of_the_records_asked_for() -> None:
    made = vf.glossary("founders")
    assert set(made.to_pandas()["record"]) == {"founders"}
    assert {"uuid", "education", "education[].university_uuid"} <= {
        row[1] for row in made.to_polars().iter_rows()
    }


def test_every_column_has_a_meaning_and_a_type() -> None:
    made = vf.glossary()
    assert len({row[0] for row in made.to_polars().iter_rows()}) > 5
    assert all(row[2] and row[3] for row in made.to_polars().iter_rows())
