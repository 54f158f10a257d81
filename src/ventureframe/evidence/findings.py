"""What a record can show: observation states, claims with their basis, caveats with their rule.

Nothing here says "no". A relationship is established by a record, suggested by one, or not
recorded; absence of a record is not evidence that a relationship does not exist (interface,
reading rule 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, Self

from ventureframe.client import result as results
from ventureframe.client.result import Result, Saved, save
from ventureframe.errors import PopulationsNotComparable
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Provenance, Source

if TYPE_CHECKING:
    from ventureframe.client.query import Query

Progress = Callable[[int, int | None], None]
"""Told the rows so far and the total, after every page."""

State = Literal[
    "evidenced",
    "other_institutions_only",
    "entry_without_institution_id",
    "education_not_recorded",
    "founder_not_returned",
]
"""What was observed for one founder asked about one university: exactly one of these holds."""

STATES: Final[Mapping[State, str]] = {
    "evidenced": "an education entry carries the university's UUID",
    "other_institutions_only": "every education entry carries the UUID of another institution",
    "entry_without_institution_id": "an education entry lacks an institution UUID: it is open",
    "education_not_recorded": "the founder was returned, with education left empty",
    "founder_not_returned": "the founder was asked for and is missing from the reply",
}
"""The states, strongest observation first, each with what was seen."""

Window = Literal["records_returned", "no_records_returned", "could_not_ask", "not_asked"]
"""What asking for the records of a date window gave: exactly one of these holds."""

WINDOWS: Final[Mapping[Window, str]] = {
    "records_returned": "at least one record was returned",
    "no_records_returned": "asked and answered with zero records, which is not evidence of none",
    "could_not_ask": "the service was asked and did not give a complete answer",
    "not_asked": "the question was not sent",
}
"""The outcomes with what each means (interface, reading rule 6)."""

Edge = Literal["LP → manager", "manager → fund"]
"""The relationships that records carry; there is none from an LP to a fund (reading rule 5)."""

EDGES: Final[Mapping[Edge, str]] = {
    "LP → manager": "/data/investors/{uuid}/lp-funds",
    "manager → fund": "/data/investors/{uuid}/funds",
}
"""The request whose answer establishes each relationship."""

REACHABLE: Final = "reachable through the manager, not evidenced as a holding"
"""How a fund stands to an LP that backs its manager: this is said, and never made a link."""

Status = Literal["established", "candidate", "not recorded"]
"""How far a record carries a claim; there is no status for "does not exist"."""

STATUSES: Final[Mapping[Status, str]] = {
    "established": "a record returned by the service carries the relationship by identifier",
    "candidate": "a record names it without the identifier that would establish it",
    "not recorded": "no record was returned, which is not evidence against it",
}

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
class Caveat:
    """What a result cannot tell, with the rule of the interface behind it."""

    text: str
    rule: Rule

    def __str__(self) -> str:
        return f"{self.text} (interface, {self.rule})"


@dataclass(frozen=True, kw_only=True, repr=False)
class Findings:
    """What every study carries: its bottom line, what it rests on and what it cannot tell.

    Attributes
    ----------
    currency : {"USD", "EUR", "GBP"}
        The currency of converted amounts.
    coverage : frame
        A row per field used: record, field, known, of.
    claims, caveats : tuple
        What is stated, how far records carry it and which; what it cannot tell, and by which rule.
    fetched : tuple of Result
        The results as they came, with their certificates; empty where nothing was fetched.
    """

    currency: Currency
    coverage: Any
    claims: tuple[Claim, ...]
    caveats: tuple[Caveat, ...]
    source: Source | None = None
    fetched: tuple[Result, ...] = ()

    @property
    def subject(self) -> str:
        """What the study is about, as titles name it."""
        raise NotImplementedError

    @property
    def sentence(self) -> str:
        """What the counts of the study say."""
        raise NotImplementedError

    @property
    def answer(self) -> str:
        """The bottom line; where a fetch was not read to the end, it says what it rests on.

        Records asked for by their id and not returned are counted in the study and named in its
        caveats.
        """
        partial = {
            f"{result.lead} ({result.resource.name} {result.extent})": None
            for result in self.fetched
            if not result.is_read
        }
        if not partial:
            return self.sentence
        return (
            f"{self.sentence} {'. '.join(partial)}: the counts are of the records that came, and "
            "there may be more."
        )

    @property
    def provenance(self) -> tuple[Provenance, ...]:
        """What was asked, of whom and when, for each fetch the study rests on."""
        return tuple(result.provenance for result in self.fetched)

    def resting_on(self, source: Source, *fetched: Result) -> Self:
        """The study with what it was made from; a fetch that is not complete comes first."""
        partial = (
            Caveat(f"{result.lead}: {result!r}.", "reading rule 1")
            for result in fetched
            if result.lead is not None
        )
        return replace(
            self,
            source=results.limited(source, fetched),
            fetched=fetched,
            caveats=(*partial, *self.caveats),
        )

    @property
    def saved(self) -> Saved:
        """The study as a save of it holds it: every result, each under its resource's name.

        A second one of the same resource is `companies-2`, and so on.
        """
        parts: dict[str, Result] = {}
        for result in self.fetched:
            name = result.resource.name
            before = sum(each.resource.name == name for each in parts.values())
            parts[f"{name}-{before + 1}" if before else name] = result
        kind = type(self).__module__.rpartition(".")[2]
        return Saved(parts, kind, {"subject": self.subject, "currency": self.currency})

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """The folder, once it holds every result that was fetched under its name in `saved`.

        `vf.load(folder, "companies")` reads one back. Raises `SaveError`.
        """
        kept = self.saved
        return save(
            kept.results,
            folder,
            study=kept.study,
            parameters=kept.parameters,
            overwrite=overwrite,
        )

    def __repr__(self) -> str:
        return f"<study of {self.subject}: {self.answer}>"


def fetched(
    question: Query,
    *,
    earlier: Findings | None,
    progress: bool | Progress | None,
) -> Result:
    """What an earlier study fetched about the same ids, where no amount is in it; else fetched."""
    for result in earlier.fetched if earlier else ():
        is_same = result.resource == question.resource and result.asked == question.ids
        if is_same and result.provenance.currency is None:
            return result
    return question.fetch(progress)


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """One of three distinct populations: its count, or None where none is reported.

    Populations stand side by side. Adding, subtracting, dividing or ordering them raises
    `PopulationsNotComparable`, and so does asking whether two kinds are equal (interface,
    reading rule 4). `note` says what the count was taken among.
    """

    count: int | None
    source: str
    note: str = ""

    kind = "population"
    definition = ""

    def __str__(self) -> str:
        count = "not reported" if self.count is None else f"{self.count:,}"
        return f"{self.kind}: {count} – {self.definition} (source: {self.source})"

    def _refuse(self, other: object = None) -> NoReturn:
        beside = f" and {other.kind}" if isinstance(other, Population) else ""
        raise PopulationsNotComparable(
            f"{self.kind}{beside} cannot be summed, divided or ordered: founder alumni, the "
            "university's spinout count and the company spinout flag are distinct populations; "
            "show them side by side with their definitions (interface, reading rule 4)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        if type(self) is not type(other):
            self._refuse(other)
        return (self.count, self.source, self.note) == (other.count, other.source, other.note)

    def __hash__(self) -> int:
        return hash((self.kind, self.count, self.source, self.note))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class FounderAlumni(Population):
    """People: founders among a university's alumni, as the service counts them."""

    __slots__ = ()
    kind = "founder alumni"
    definition = "people: founders among the university's alumni, as the service counts them"


class UniversitySpinouts(Population):
    """Companies: the university-level aggregate `spinout_count`."""

    __slots__ = ()
    kind = "university spinout count"
    definition = "the university-level aggregate spinout_count, as reported; it lists no company"


class FlaggedCompanies(Population):
    """Companies whose own spinout flag is set; the flag names no institution."""

    __slots__ = ()
    kind = "companies flagged spinout"
    definition = "companies whose own spinout flag is true; the flag names no institution"
