"""Claims with the records that carry them, and caveats with the rule behind each."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from ventureframe.display.wording import unwrap
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

RULES: Final[Mapping[Rule, str]] = {
    "reading rule 1": "A list reports how many records match; a fetch is complete when it has "
    "them all.",
    "reading rule 2": "A search by a university's name finds candidates. A founder is linked to a "
    "university only by an education entry with its identifier.",
    "reading rule 3": "Records can be incomplete: what is not recorded may still be true.",
    "reading rule 4": "Founder alumni, the university's own spinout count and the spinout flag of "
    "a company are three different populations. No record names the university a company came "
    "from.",
    "reading rule 5": "Records link LPs to managers, and managers to funds. No record links an LP "
    "to a fund, and the size of a fund is not the commitment of an LP.",
    "reading rule 6": "An empty fund list means that no records were returned for those years, "
    "not that no fund was raised.",
    "reading rule 7": "There is no feed of changes: two fetches are compared. A record seen for "
    "the first time may be old and only recorded late.",
    "reading rule 8": "Funding totals, founder roles and education records can be of different "
    "dates.",
    "filter conventions": "A condition on the amount of a fund is applied to the amount as "
    "announced, before it is converted.",
}
"""What each rule says, in the words of a report; its reader does not have the interface."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about the world, how far it is carried, and which records carry it.

    A count of 0 is said as "no", and no record establishes it.

    >>> str(Claim("0 funds run by 1 manager", "not recorded", "no record"))
    'No funds run by 1 manager [not recorded: no record]'
    """

    statement: str
    status: Status
    basis: str

    def __post_init__(self) -> None:
        statement, none = re.subn("^0 (?!of )", "No ", self.statement)
        object.__setattr__(self, "statement", re.sub(r"\bof 0 (?!of )", "of no ", statement))
        if none and self.status == "established":
            object.__setattr__(self, "status", "not recorded")

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


def limit(rule: int, *, is_material: bool = False) -> Callable[[str], Caveat]:
    """Make caveats by this reading rule, of a text that can be written over several lines.

    >>> print(limit(3)("Records can be incomplete."))
    Records can be incomplete. (interface, reading rule 3)
    """
    source = cast("Rule", f"reading rule {rule}")
    return lambda text: Caveat(unwrap(text), source, is_material)


def material(rule: int) -> Callable[[str], Caveat]:
    """Make caveats by this reading rule that change how the answer is read."""
    return limit(rule, is_material=True)
