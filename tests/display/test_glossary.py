"""The glossary lists every column with its meaning, and members under their path."""

from typing import Final

import ventureframe as vf
from ventureframe.evidence import Study

CLASSES: Final[tuple[type[Study], ...]] = (
    vf.spinouts.Study,
    vf.exposure.Study,
    vf.hiring.Study,
    vf.founders.Study,
    vf.changes.Study,
    vf.universities.Study,
    vf.institutions.Study,
    vf.mine.Study,
)


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


def test_a_study_itself_gives_what_its_class_gives() -> None:
    with vf.connect(environment={}) as svc:
        study = vf.hiring.study(svc, tags=[("Robotics", "technology")], rounds_of=0)
    made = vf.glossary(study).to_polars()
    assert made.equals(vf.glossary(vf.hiring.Study).to_polars())


def test_every_column_of_a_study_has_a_sentence() -> None:
    made = vf.glossary(*CLASSES).to_polars()
    assert made.height > 300
    assert not made["meaning"].eq("").any()
