"""Three populations that stand side by side and are never combined (interface, reading rule 4)."""

from dataclasses import dataclass
from typing import NoReturn

from ventureframe.errors import PopulationsNotComparable


@dataclass(frozen=True, eq=False)
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
            "university-level aggregate spinout_count and the company spinout flag are distinct "
            "populations; show them side by side with their definitions (interface, reading rule 4)"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Population):
            return NotImplemented
        if type(self) is not type(other):
            self._refuse(other)
        return (self.count, self.source, self.note) == (other.count, other.source, other.note)

    def __hash__(self) -> int:
        return hash((self.count, self.source, self.note))

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class FounderAlumni(Population):
    """People: founders among a university's alumni, as the service counts them."""

    kind = "founder alumni"
    definition = "people: founders among the university's alumni, as the service counts them"


class UniversitySpinouts(Population):
    """Companies: the university-level aggregate `spinout_count`."""

    kind = "university spinout count"
    definition = "the university-level aggregate spinout_count, as reported; it lists no company"


class FlaggedCompanies(Population):
    """Companies whose own spinout flag is set; the flag names no institution."""

    kind = "companies flagged spinout"
    definition = "companies whose own spinout flag is true; the flag names no institution"
