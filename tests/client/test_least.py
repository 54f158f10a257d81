"""A question sends about the least that answers it: at most a tenth more."""

import pytest
from benchmarks.least import MOST, compared

from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE

QUESTIONS = ("exposure", "hiring", "changes", "mine")
"""Those of few rows; `python benchmarks/least.py` asks the others as well."""


@pytest.mark.parametrize(
    ("wire", "names"),
    [
        (INTERFACE.name, ("spinouts", *QUESTIONS)),
        (WIRE_2026_10_02.name, QUESTIONS),
    ],
)
@pytest.mark.slow
def test_a_question_sends_at_most_a_tenth_more_than_the_least(
    wire: str, names: tuple[str, ...]
) -> None:
    rows = {row.question: row for row in compared(names, wire)}
    assert [*rows] == [*names]
    above = {
        name: (row.sent, row.least) for name, row in rows.items() if row.most > MOST
    }
    assert not above
    assert all(row.sent.requests > 2 for row in rows.values())
