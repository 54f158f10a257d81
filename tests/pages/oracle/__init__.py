"""What is true of a generated world, counted from its rows in plain Python.

`truth_of` gives the facts of a question by name: numbers, amounts, days, names (a set
where they tie) and lists of records. No module here imports what the package counts
or words with.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.pages.oracle import (
    changes,
    exposure,
    firms,
    founders,
    hiring,
    mine,
    spinouts,
    universities,
)
from tests.pages.questions import Question
from tests.pages.worlds import DAY, World

Truth = dict[str, Any]

_OF: Final[Mapping[str, Callable[[World, Question], Truth]]] = {
    "spinouts": spinouts.truth,
    "universities": universities.truth,
    "institutions": universities.truth_of_every,
    "hiring": hiring.truth,
    "exposure": exposure.truth,
    "mine": mine.truth,
    "changes": changes.truth,
    "founders": founders.truth,
}


def truth_of(world: World, question: Question) -> Truth:
    """The facts about what is asked."""
    every = {
        "currency": world.currency,
        "day": DAY,
        "is_short": question.is_short,
        "conditions": [
            firms.worded(one, world.currency) for one in question.conditions
        ],
        "tables": {},
    }
    return every | _OF[question.kind](world, question)
