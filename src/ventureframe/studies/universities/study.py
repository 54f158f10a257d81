"""The study of several universities: its numbers, and the class that lists its findings."""

from collections.abc import Sequence
from dataclasses import dataclass

from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies import spinouts
from ventureframe.studies.spinouts.study import since
from ventureframe.studies.universities import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of a comparison: per university, in the order given, and across them.

    `funding_total` is the sum of the known totals of each, None where none is known;
    `left_out`: what conditions left out of each pool in which nothing is left, in words;
    `is_asked_alike`: whether every pool was requested with the same conditions.
    """

    names: Sequence[str]
    evidenced: Sequence[int]
    funding_known: Sequence[int]
    funding_total: Sequence[float | None]
    currency: Currency
    companies: int
    shared: int
    is_asked_alike: bool
    left_out: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the studies of several universities show side by side.

    Attributes
    ----------
    studies : tuple of spinouts.Study
        The study of each university.
    """

    currency: Currency
    counts: Counts
    studies: tuple[spinouts.Study, ...]

    universities = tables.UNIVERSITIES
    companies = tables.COMPANIES
    shared = tables.SHARED
    spread = tables.SPREAD
    links = tables.LINKS

    name = "universities"
    about = "companies founded by alumni"

    @property
    def title(self) -> str:
        """Subject, question, day, currency and the first founding year, where one is asked for."""
        return since(super().title, self.question)
