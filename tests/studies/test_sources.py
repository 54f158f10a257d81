"""What a study rests on: requests and answers, the data's owner and its clock, no address."""

from __future__ import annotations

import pytest

from ventureframe import tables
from ventureframe.connect import connect
from ventureframe.studies import spinouts


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str]]:
    with connect(environment={}) as svc:
        uni = svc.university("Tarnvik Technical University", domain="tarnvik.example")
        study = spinouts.study(svc, university=uni, currency="EUR")
        assert svc.session.base_url not in str(tables.sources(study).rows)
    return [(str(what), str(value)) for what, value in tables.sources(study).rows]


def test_the_dataset_its_day_its_licence_and_every_line_to_show_are_listed(
    rows: list[tuple[str, str]],
) -> None:
    names = [what for what, _ in rows]
    assert names[:3] == ["Dataset", "Description", "As of"]
    assert ("As of", "2026-06-30") in rows
    assert {"Licence", "Attribution", "Made with"} <= set(names)
    assert "Fetched" not in names, "a dataset of a day needs no other clock"


def test_every_request_stands_before_its_answer(rows: list[tuple[str, str]]) -> None:
    said = [value for what, value in rows if what in ("Request", "Answer")]
    assert said[0] == (
        "GET /data/companies · filter founder_university_name[eq]:Tarnvik Technical University"
        " · currency EUR"
    )
    assert " distinct · complete · as of 2026-06-30 · EUR · SYNTHETIC" in said[1]
    assert said[2].startswith("GET /data/founders · filter the ids of ")
    assert " asked · " in said[3]
