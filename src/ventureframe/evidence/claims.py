"""What records can show: states, claims and what carries them, caveats and their rule,
populations.

A relationship is established by a record, suggested by one, or not recorded; absence
of a record is not evidence that a relationship does not exist (interface, reading
rule 3). So none of the closed sets here has a "no".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NoReturn

from ventureframe.display.wording import NOT_RECORDED, read_words, unwrap
from ventureframe.errors import PopulationsNotComparable

_WORDS = read_words("evidence/claims.toml")
Status = Literal["established", "candidate", "same_name_other_id", "not recorded"]
"""How far a record carries a claim; there is no status for "does not exist".

A candidate lacks the identifier; `same_name_other_id` names what is asked about and
carries the identifier of another record.
"""

STATES: Mapping[str, str] = _WORDS["states"]
"""What is recorded of a founder about a university: exactly one of these holds.

Where several hold for a founder: `evidenced` first, then entries that name the
university (`entry_without_institution_id` before `same_name_other_id`), then its
other entries.
"""

WINDOWS: Mapping[str, str] = _WORDS["windows"]
"""What asking for the records of a date window gave: one of these (reading rule 6)."""

AMOUNTS: Mapping[str, str] = _WORDS["amounts"]
"""What is known of the amount of a fund or a round in the currency asked for: one of
these.
"""

EDGES: Final = {
    "LP → manager": "/data/investors/{uuid}/lp-funds",
    "manager → fund": "/data/investors/{uuid}/funds",
}
"""The request whose answer establishes each relationship; none is from an LP to a
fund (rule 5).
"""

REACHABLE = "reachable through the manager, not recorded as a holding"
"""How a fund relates to an LP that backs its manager; reports say so, and no link is
made of it.
"""

RULES: Mapping[str, str] = _WORDS["rules"]
"""What each rule says, in the words of a report; its reader does not have the
interface.
"""


@dataclass(frozen=True)
class Claim:
    """A statement about the world, how far it is carried, and which records carry it.

    >>> Claim("2 funds run by 1 manager", "established", "the list of its funds").status
    'established'
    """

    statement: str
    status: Status
    basis: str


@dataclass(frozen=True)
class KeyFigure:
    """A number that stands beside the answer: what it counts, the number, and among
    how many.

    One that `is_said` by the answer is not shown beside it again.
    """

    label: str
    value: str
    note: str = ""
    is_said: bool = False

    def __str__(self) -> str:
        return f"{self.label}: {self.counted}"

    @property
    def counted(self) -> str:
        """The number, and among how many."""
        return f"{self.value} ({self.note})" if self.note else self.value


@dataclass(frozen=True)
class Caveat:
    """What a result cannot tell, with the rule of the interface behind it: one of
    `RULES`.

    A material one changes how the answer is read and stands beside it.
    """

    text: str
    rule: str
    is_material: bool = False

    def __str__(self) -> str:
        return f"{self.text} (interface, {self.rule})"


def limit(rule: int, *, is_material: bool = False) -> Callable[[str], Caveat]:
    """Make caveats by this reading rule, of a text that can be written over several
    lines.
    """
    return lambda text: Caveat(unwrap(text), f"reading rule {rule}", is_material)


material = partial(limit, is_material=True)
"""Makes caveats by a reading rule that change how the answer is read."""


@dataclass(frozen=True)
class Population:
    """One of three distinct populations: its count, or None where none is reported.

    Populations stand side by side. Adding, subtracting, dividing or ordering them
    raises `PopulationsNotComparable` (interface, reading rule 4); two kinds are never
    equal. `note` says what the count was taken among.
    """

    count: int | None
    source: str
    note: str = ""

    kind = "population"
    definition = ""

    def __str__(self) -> str:
        count = NOT_RECORDED if self.count is None else f"{self.count:,}"
        return f"{self.kind}: {count} – {self.definition} (source: {self.source})"

    def _refuse(self, _: object) -> NoReturn:
        raise PopulationsNotComparable(
            f"{self.kind} cannot be summed, divided or ordered with others: they are"
            " distinct populations; show them side by side with their definitions"
            " (interface, reading rule 4)"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class FounderAlumni(Population):
    kind = "founder alumni"
    __doc__ = definition = (
        "people: founders among the university's alumni, as the service counts them"
    )


class UniversitySpinouts(Population):
    kind = "university spinout count"
    __doc__ = definition = (
        "the university's own number of spinouts, as reported; it names no company"
    )


class FlaggedCompanies(Population):
    kind = "companies flagged spinout"
    __doc__ = definition = (
        "companies whose own spinout flag is true; the flag names no institution"
    )
