"""Hiring and exposure are the same on every engine: one study, one hash a frame."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engines import Engine, assert_same
from ventureframe import bulk
from ventureframe.studies import exposure, hiring, spinouts

Find = Callable[..., Any]


REAL: dict[str, tuple[Find, dict[str, Any], dict[str, int]]] = {
    "exposure": (exposure.find, {}, {"lps": 11, "managers_with_funds": 6}),
    "hiring": (hiring.find, {}, {"rounds_asked": 72_701, "companies": 72_701}),
    "spinouts": (
        spinouts.find,
        {"university": "Stanford University"},
        {"companies_evidenced": 322},
    ),
}


@pytest.mark.engines
@pytest.mark.real
@pytest.mark.parametrize("name", REAL)
def test_real_data_give_the_same_study(
    real_data: Path, engine: Engine, name: str
) -> None:
    folder, (find, options, counts) = real_data / "venture-2013", REAL[name]
    study = find(**bulk.open(folder), currency="USD", **options)
    assert {count: getattr(study.counts, count) for count in counts} == counts
    there = bulk.open(folder, engine=engine.opens)
    assert_same(study, find(**there, currency="USD", **options))
