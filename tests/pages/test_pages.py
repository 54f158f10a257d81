"""No page of a generated study says anything untrue."""

import pytest

from tests.pages.check import examined
from tests.pages.planted import PLANTED
from tests.pages.play import OF_A_WORLD, Tally, pages

WORLDS = 2  # of 32 studies each; in CI 2,000 studies


@pytest.mark.parametrize("number", range(WORLDS))
def test_pages_are_true(number: int) -> None:
    tally = Tally()
    first = number * OF_A_WORLD
    for seed, world, question, page in pages(list(range(first, first + OF_A_WORLD))):
        tally.add(seed, examined(page, world, question))
    assert tally.is_true, tally.told(0)


@pytest.mark.parametrize("title", PLANTED)
def test_a_planted_error_has_its_place(title: str) -> None:
    assert PLANTED[title].new in PLANTED[title].source()
