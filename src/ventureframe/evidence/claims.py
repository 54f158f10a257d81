"""Claims with the records that carry them, and caveats with the rule behind each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ventureframe.evidence.states import Status

Rule = Literal[
    "reading rule 1",
    "reading rule 2",
    "reading rule 3",
    "reading rule 4",
    "reading rule 5",
    "reading rule 6",
    "reading rule 7",
    "reading rule 8",
    "filter conventions",
]
"""What a caveat rests on; the reading rules stand under "What the service does"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the world, how far it is carried, and which records carry it."""

    statement: str
    status: Status
    basis: str

    def __str__(self) -> str:
        return f"{self.statement} [{self.status}: {self.basis}]"


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A number that stands beside the answer: what it counts, the number, and among how many."""

    label: str
    value: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.label}: {self.value}{f' ({self.note})' if self.note else ''}"


def carried(count: int, status: Status) -> Status:
    """How far a count is carried: no record establishes that there is none.

    >>> carried(3, "established"), carried(0, "established")
    ('established', 'not recorded')
    """
    return status if count else "not recorded"


@dataclass(frozen=True, slots=True)
class Caveat:
    """What a result cannot tell, with the rule of the interface behind it.

    A material one changes how the answer is read and stands beside it.
    """

    text: str
    rule: Rule
    is_material: bool = False

    def __str__(self) -> str:
        return f"{self.text} (interface, {self.rule})"
