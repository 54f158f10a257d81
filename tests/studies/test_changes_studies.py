"""A study is saved with every result it rests on, and two saves of it are compared
by name.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.studies.test_findings import QUESTIONS
from ventureframe.client.result import opened
from ventureframe.client.service import Service
from ventureframe.evidence import Question


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with vf.connect(environment={}) as connected:
        yield connected


TWO = vf.universities.Question(
    universities=[
        ("Harrowmere University", "harrowmere.example"),
        ("Tarnvik Technical University", "tarnvik.example"),
    ]
)
NAMES: list[tuple[Question[Any], list[str]]] = [
    (TWO, ["companies", "founders", "companies-2", "founders-2"]),
    (QUESTIONS[vf.exposure.Study], ["investors", "funds"]),
    (QUESTIONS[vf.hiring.Study], ["companies", "jobs", "news", "funding-rounds"]),
]


@pytest.mark.parametrize(("question", "names"), NAMES)
def test_every_result_of_a_study_is_saved_and_compared(
    service: Service, tmp_path: Path, question: Question[Any], names: list[str]
) -> None:
    study = question.study(service)
    folder = study.save(tmp_path / "a")
    held = opened(folder)
    assert list(held.results) == names
    assert tuple(held.results.values()) == study.fetched
    found = vf.changes.compare(folder, question.study(service).save(tmp_path / "b"))
    assert list(found.pairs) == names
    assert found.unpaired == ()
    for pair in found.pairs.values():
        assert pair.counts.changed == 0
        assert pair.counts.in_both == len(pair.new)


def test_a_study_at_hand_is_compared_with_a_save_of_it(
    service: Service, tmp_path: Path
) -> None:
    two = TWO.study(service)
    found = vf.changes.compare(two.save(tmp_path / "a"), two)
    assert found.subject.startswith("Companies founded by alumni of Harrowmere Univ")
    assert found.counts.changed == 0


def test_the_answer_says_what_changed_first_and_the_table_all_that_did(
    tmp_path: Path,
) -> None:
    hiring = QUESTIONS[vf.hiring.Study]
    with (
        vf.connect(sample_day="2026-03-31", environment={}) as march,
        vf.connect(environment={}) as june,
    ):
        before = hiring.study(march).save(tmp_path / "march")
        found = vf.changes.compare(before, hiring.study(june))
    changed = {*found.field_changes.to_polars()["what"]}
    assert {"company", "news item"} <= changed
    assert "companies in both fetches changed: " in found.answer.sentence
    assert "news items in both fetches" not in found.answer.sentence
