"""Three populations stand side by side: none is calculated with, or equal to
another.
"""

import operator
from collections.abc import Callable
from typing import Any

import pytest

from ventureframe import errors
from ventureframe.evidence import (
    FlaggedCompanies,
    FounderAlumni,
    Population,
    UniversitySpinouts,
)

ALUMNI = FounderAlumni(239, "university record")
SPINOUTS = UniversitySpinouts(9, "university record")
FLAGGED = FlaggedCompanies(None, "company records")


OPERATIONS: list[Callable[[Any, Any], object]] = [
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(operator.lt, operator.le, operator.gt, operator.ge),
]


@pytest.mark.parametrize("other", [ALUMNI, SPINOUTS, FLAGGED, 2, 0.5])
def test_populations_are_never_calculated_with(other: object) -> None:
    for operation in OPERATIONS:
        for left, right in ((ALUMNI, other), (other, ALUMNI)):
            with pytest.raises(errors.PopulationsNotComparable, match="side by side"):
                operation(left, right)


def test_populations_are_never_summed_or_ranked_in_a_list() -> None:
    ways: list[Callable[[Any], object]] = [sum, max, sorted]
    for combine in ways:
        with pytest.raises(errors.PopulationsNotComparable):
            combine([ALUMNI, SPINOUTS, FLAGGED])


def test_two_kinds_of_population_are_never_equal() -> None:
    others: list[Population] = [FounderAlumni(9, "university record"), SPINOUTS]
    assert others[0] != others[1]
    assert FounderAlumni(239, "university record") == ALUMNI
    assert FounderAlumni(240, "university record") != ALUMNI


def test_a_population_is_said_with_its_definition_and_source() -> None:
    populations: list[Population] = [ALUMNI, SPINOUTS, FLAGGED]
    for population in populations:
        said = str(population)
        assert population.definition in said
        assert population.source in said
        assert ("not recorded" in said) == (population.count is None)
