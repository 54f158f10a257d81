"""The study of one university's founders: its numbers, and the class that lists its findings."""

from dataclasses import dataclass
from typing import Final, Protocol

from ventureframe.display.wording import counted, number, percent, verb
from ventureframe.evidence.claims import Population
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts import tables

TOP_TEN: Final = 10


class Institution(Protocol):
    """What an analysis needs of a university, as its record has it; `client.University` is one."""

    @property
    def uuid(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def founder_alumni_total(self) -> int | None: ...
    @property
    def spinout_count(self) -> int | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `dropped` is what conditions on numbers left out of the pool, `evidenced_dropped` what they left
    out of the evidenced companies where those were fetched. `is_by_id` says that the pool was found
    by the identifiers of the institutions of the name, `is_whole` that it was found in whole
    collections. `funding_total` is the sum of the known
    totals of evidenced companies in the study's currency, None where none is known,
    `funding_top_ten` that of the ten largest, `funding_most` the company with the largest and that
    total.
    """

    pool: int
    pool_with_founder: int
    founders_asked: int
    founders_returned: int
    founders_with_education: int
    founders_evidenced: int
    founders_candidate: int
    founders_same_name: int
    companies_evidenced: int
    companies_same_name: int
    funding_known: int
    funding_total: float | None
    funding_most: tuple[str | None, float] | None
    funding_top_ten: float
    years_known: int
    years_of: int
    flagged: int
    flag_known: int
    founders_withheld: int = 0
    companies_withheld: int = 0
    is_by_id: bool = False
    is_whole: bool = False
    dropped: tuple[Dropped, ...] = ()
    evidenced_dropped: tuple[Dropped, ...] = ()

    @property
    def companies_candidate(self) -> int:
        """Companies of the pool that are neither evidenced nor only of another institution."""
        return self.pool - self.companies_evidenced - self.companies_same_name

    @property
    def silence(self) -> str | None:
        """Why nothing is known of the founders of the pool; None where something is."""
        if not self.pool or self.companies_evidenced:
            return None
        if not self.pool_with_founder:
            return f"no founder is recorded for {verb(self.pool, 'it', 'any of them')}"
        if self.founders_withheld and self.founders_withheld == self.founders_returned:
            return "the service withholds the education of every founder"
        if not self.founders_with_education:
            many = self.founders_asked
            of_them = "the only founder" if many == 1 else f"any of {counted(many, 'founder')}"
            return f"no education is recorded for {of_them}"
        return None

    @property
    def companies_not_same_name(self) -> int:
        """Companies with a founder recorded, without those of another institution of that name."""
        return self.pool_with_founder - self.companies_same_name

    @property
    def founders_not_same_name(self) -> int:
        """Founders with education recorded, without those at another institution of that name."""
        return self.founders_with_education - self.founders_same_name

    @property
    def known_funding(self) -> str:
        """For how many evidenced companies the total funding is known, of how many."""
        whole = counted(self.companies_evidenced, "company")
        return f"known for {number(self.funding_known)} of {whole}"

    @property
    def held_by_ten(self) -> str:
        """The part of the known funding that the ten largest hold."""
        return percent(self.funding_top_ten, self.funding_total or 0)

    @property
    def known_years(self) -> str:
        """For how many pairs the years from study to founding are known, of how many."""
        return f"known for {number(self.years_known)} of {counted(self.years_of, 'pair')}"

    @property
    def found_by(self) -> tuple[str, str]:
        """How the pool was found, and whom that can miss."""
        if self.is_whole:
            return (
                "the university's UUID or its name in an education entry of a founder",
                "recorded under another spelling and without the UUID",
            )
        if self.is_by_id:
            return (
                "the identifier of every institution of that name",
                "whose education entry carries no identifier",
            )
        return "name only", "recorded under another spelling"


def since(title: str, question: object) -> str:
    """The title with the first founding year of a question that has one."""
    year = getattr(question, "since", None)
    return title if year is None else f"{title} · founded {year} or later"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show about one university's founders and their companies.

    Frames with amounts have a `currency` column; null means that nothing is recorded, never "no"
    and never zero.

    Attributes
    ----------
    three_populations : tuple of Population
        The rows of `populations` as values that refuse arithmetic.
    """

    currency: Currency
    university: Institution
    counts: Counts
    three_populations: tuple[Population, ...]

    funnel = tables.FUNNEL
    states = tables.STATES
    companies = tables.COMPANIES
    founded = tables.FOUNDED_BY_YEAR
    statuses = tables.STATUSES
    places = tables.PLACES
    sectors = tables.SECTORS
    links = tables.LINKS
    candidates = tables.CANDIDATES
    same_name = tables.SAME_NAME
    years = tables.YEARS
    populations = tables.POPULATIONS
    pool = tables.POOL
    founders = tables.FOUNDERS

    name = "spinouts"
    about = "companies founded by alumni"

    @property
    def title(self) -> str:
        """Subject, question, day, currency and the first founding year, where one is asked for."""
        return since(super().title, self.question)
