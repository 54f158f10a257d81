"""The study of one university's founders: its numbers, and its findings as they are
listed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import (
    NOT_KNOWN,
    Count,
    listed,
    number,
    percent,
    within,
)
from ventureframe.evidence import claims
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import FEW, of
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.columns import (
    CITY,
    COMPANY,
    COMPANY_ID,
    COUNTRY,
    FOUNDED,
    FOUNDER,
    FOUNDER_ID,
    FUNDING,
    SECTORS,
    SITE,
    STATUS,
)
from ventureframe.studies.young import ARRIVING, FOUNDING, marked

TOP_TEN = 10
FOUND_BY = {
    "name": (
        "the university's name as recorded",
        "Alumni whose records spell it otherwise are missing.",
    ),
    "id": (
        "the identifiers of all institutions of that name",
        "Alumni recorded without an identifier are missing.",
    ),
    "list": (
        "the list that is given",
        "Alumni whose companies are not on it are missing.",
    ),
    "whole": (
        "the university's identifier or name in the education of a founder",
        "Alumni recorded under another spelling and without the identifier are missing.",
    ),
}
"""How the companies of a university were found, and which alumni that can miss."""
STUDIED, WITH_ALUMNI = "who studied there", "with a founder who studied there"
"""The last steps of the funnel: the founders and the companies that are counted."""
_SEEN, _STATUS = pl.col("state"), pl.col("status")


class Institution(Protocol):
    """What an analysis needs of a university, as its record has it;
    `client.University` is one.
    """

    @property
    def uuid(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def founder_alumni_total(self) -> int | None: ...
    @property
    def spinout_count(self) -> int | None: ...


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study; each stands beside the number it was counted among.

    `found_by` is one of `FOUND_BY`; `dropped` is what conditions left out of the
    pool. `companies_named` have a founder whose entry names the university without its
    identifier. The funding is that of evidenced companies in the study's currency, None
    where none is known; `funding_leaders` names the companies with most.
    """

    university: Institution
    currency: Currency
    pool: Count = of(pool=pl.len())
    pool_with_founder: Count = of(pool=(pl.col("founders_recorded") > 0).sum())
    companies_evidenced: Count = of(companies=pl.len())
    companies_same_name: Count = of(pool=(_STATUS == "same_name_other_id").sum())
    companies_named: Count = of(
        pool=((_STATUS == "candidate") & (pl.col("founders_candidate") > 0)).sum()
    )
    companies_withheld: Count = of(pool=pl.col("founders_recorded").null_count())
    flagged: Count = of(pool=pl.sum("is_spinout"))
    flag_known: Count = of(pool=pl.count("is_spinout"))
    founders_asked: Count = of(founders=pl.len())
    founders_returned: Count = of(founders=(_SEEN != "founder_not_returned").sum())
    founders_with_education: Count = of(founders=(pl.col("entries") > 0).sum())
    founders_evidenced: Count = of(founders=(_SEEN == "evidenced").sum())
    founders_withheld: Count = of(founders=(_SEEN == "withheld").sum())
    founders_candidate: Count = of(founders=(_STATUS == "candidate").sum())
    founders_same_name: Count = of(founders=(_SEEN == "same_name_other_id").sum())
    funding_known: Count = of(companies=pl.count("total_funding"))
    years_known: Count = of(years=pl.count("years"))
    years_of: Count = of(years=pl.len())
    funding_total: float | None
    funding_most: float | None
    funding_leaders: str
    funding_top_ten: float
    found_by: tuple[str, str]
    dropped: tuple[Dropped, ...]

    @property
    def companies_candidate(self) -> Count:
        """Companies of the pool that are neither evidenced nor only of another
        institution.
        """
        return self.pool - self.companies_evidenced - self.companies_same_name

    @property
    def companies_unread(self) -> Count:
        """Companies of the pool without an entry, among those read, that names the
        university.
        """
        return self.companies_candidate - self.companies_named

    @property
    def founders_silent(self) -> Count:
        """Founders without an education entry, or missing from the reply."""
        return self.founders_asked - self.founders_with_education

    @property
    def gaps(self) -> list[str]:
        """What is not known of some companies' founders, and of some founders."""
        visible = self.pool - self.companies_withheld
        unread = self.founders_asked - self.founders_returned
        read = self.founders_returned - self.founders_withheld
        firms = (self.pool, "company")
        people = (self.founders_asked, "founder")
        gaps = [
            ("founders are missing for", visible - self.pool_with_founder, firms),
            (
                "the service does not show the founders of",
                self.companies_withheld,
                firms,
            ),
            ("education is missing for", read - self.founders_with_education, people),
            ("the record is missing for", unread, people),
            (
                "the service does not show the education of",
                self.founders_withheld,
                people,
            ),
        ]
        return [f"{gap} {within(count, *of)}" for gap, count, of in gaps if count]

    @property
    def hidden(self) -> str:
        """What the service shows of no company or founder, so that nothing is known
        of the pool.
        """
        if self.pool and self.companies_withheld == self.pool:
            return f"the founders of {self.pool:this company|these companies}"
        is_every = 0 < self.founders_withheld == self.founders_returned
        if is_every and not self.companies_evidenced:
            return "the education of any founder"
        return ""

    @property
    def silence(self) -> str | None:
        """Why nothing is known of the founders of the pool; None where something is."""
        if not self.pool or self.founders_with_education:
            return None
        if self.hidden:
            return f"the service does not show {self.hidden}"
        return listed(self.gaps)

    @property
    def nothing(self) -> str:
        """Why no company is counted; empty where one is."""
        if self.companies_evidenced:
            return ""
        if self.pool:
            return self.silence or "no education entry that was read has the identifier"
        if self.dropped:
            return "no company meets the conditions"
        return "no company is found"

    @property
    def known_funding(self) -> str:
        """For how many of the linked companies the total funding is known."""
        whom = within(self.funding_known, self.companies_evidenced, "company")
        return f"known for {whom}"

    @property
    def held_by_ten(self) -> str:
        """The part of the known funding that the ten largest hold."""
        return percent(self.funding_top_ten, self.funding_total or 0)

    @property
    def known_years(self) -> str:
        """For how many pairs of company and founder both years are recorded."""
        pair = within(self.years_known, self.years_of, "pair of company and founder")
        return f"both years are recorded for {pair}" if self.years_of else ""


FOUNDERS = columns(
    "number",
    founders_evidenced="Founders who studied there",
    founders_recorded="Founders recorded",
    null="not shown",
)
ENTRY = (
    Column("position", "Entry", "number"),
    *columns(
        "text", university_name="University as recorded", degree="Degree", major="Major"
    ),
    *columns("year", start_year="From", end_year="To"),
)
COMPANIES = (
    *columns(
        "number", companies_evidenced="Companies", companies_candidate="Candidates"
    ),
    Column("companies_same_name", "Same name, other id", "number"),
)
KNOWN = columns("number", companies="Companies", funding_known="With a total")
OF_A_POINT = ("company_uuid", "company_name", "total_funding")
"""What a figure of the spread of totals draws of each company, as lists of equal
length.
"""
FUNDING_TOTAL = Column("funding_total", "Sum of known totals", "money")
TOTALS = (*KNOWN, FUNDING_TOTAL)
UNIVERSITY = Column("university", "University")
SIDE_BY_SIDE = (
    UNIVERSITY,
    COMPANIES[0],
    FUNDING_TOTAL,
    Column("funding_median", "Median known total", "money", null=FEW),
    Column("share_between", "Share of the companies counted", null=""),
    Column("place", "Rank by companies", null=NOT_KNOWN),
)
"""What a table of universities begins with."""
LINK = (COMPANY, FOUNDER, *ENTRY, COMPANY_ID, FOUNDER_ID)
_FIGURES = "ventureframe.studies.spinouts.figures"
_NOTHING = "Nothing to list: {study.counts.nothing}."


def funded(study: Any, *notes: str) -> Iterable[str]:
    """The parts of a caption: how many totals are known and at which rate, then
    these notes.
    """
    if study.counts.companies_evidenced:
        yield f"total funding in {study.currency} {study.counts.known_funding}"
        yield from (rate_day(study.source, "totals"), *notes)


def _states(study: Any) -> Iterable[str]:
    c = study.counts
    yield f"{c.founders_asked:founder}, each in one state"
    if named := c.founders_candidate:
        yield (
            f"{named} {named:is a candidate|are candidates}: an entry names it without"
            " an id"
        )
    if named := c.founders_same_name:
        yield f"{named} of another institution of that name: not candidates"


def kinds_not_counted(c: Counts) -> list[str]:
    """The companies found and not counted, where there are any."""
    kinds = {
        "candidate with the name and without the identifier": c.companies_named,
        "company of another institution of that name only": c.companies_same_name,
        "company of which no entry that was read has the name": c.companies_unread,
    }
    return [f"{count:{kind}}" for kind, count in kinds.items() if count]


def _populations(study: Any) -> pl.DataFrame:
    populations = [
        {
            "population": population.kind,
            "count": population.count,
            "definition": population.definition,
            "source": population.source,
            "note": population.note or None,
        }
        for population in study.three_populations
    ]
    return pl.DataFrame(
        populations, schema_overrides={"count": pl.Int64, "note": pl.String}
    )


class OfAlumni(_Study):
    """A study of companies by their founders' universities."""

    about = "companies founded by alumni"
    lists = ("education", "founders", "founded companies")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the records show about one university's founders and their companies.

    Frames with amounts have a `currency` column; null means that nothing is
    recorded, never "no" and never zero.
    """

    currency: Currency
    university: Institution
    counts: Counts

    @property
    def is_empty(self) -> bool:
        """Whether no company has a founder who studied there, where that is known."""
        return not self.counts.companies_evidenced and self.counts.silence is None

    name = "spinouts"
    population = (
        "companies with a present or former founder who studied at"
        " {study.university.name} (by its identifier)"
    )
    measures = ("total_funding", "groups", "years")
    lead = ("companies", "founded", "launch_date", "companies")
    stands = OfAlumni.stands | {"pool", "populations"}
    funnel = Exhibit(
        "From companies found to companies counted: {subject}",
        (
            *columns("text", step="Step", unit="Counted"),
            Column("count", "Count", "number"),
            Column(
                "lost",
                "Left behind",
                "number",
                null="",
            ),
            Column("lost_because", "Why", null=""),
        ),
        lambda _: [
            "a founder counts where an education entry carries the university's"
            " identifier"
        ],
        f"{_FIGURES}:funnel",
        meaning="A row per step.",
    )
    states = Exhibit(
        "What is recorded of the founders: {subject}",
        (
            Column("state", "State", "state"),
            Column("meaning", "What is recorded"),
            Column("founders", "Founders", "number"),
        ),
        _states,
    )
    companies = Exhibit(
        "Companies founded by alumni of {subject}",
        (
            COMPANY,
            Column("founder_names", "Founders"),
            CITY,
            SECTORS,
            FUNDING,
            FOUNDED,
            STATUS,
            SITE,
            COUNTRY,
            *FOUNDERS,
            COMPANY_ID,
        ),
        lambda study: funded(
            study,
            f"sum {study.currency} {number(study.counts.funding_total)}"
            if study.counts.funding_known
            else "",
        ),
        f"{_FIGURES}:funding",
        meaning=(
            "The rows of `pool` that are established, the largest known total first."
        ),
        order="total funding",
        nothing=_NOTHING,
    )
    founded = Exhibit(
        "Companies by founding year: {subject}",
        (FOUNDED, *TOTALS, ARRIVING),
        lambda study: funded(
            study, "total funding of all years, by the year of founding"
        ),
        f"{_FIGURES}:founded",
        rows=lambda study: marked(
            study.frames["founded"], "launch_date", study.as_of, FOUNDING
        ),
        meaning=(
            "A row per year from the first to the last, and one for companies without a"
            " year."
        ),
        nothing=_NOTHING,
    )
    places = Exhibit(
        "Companies by headquarters country: {subject}",
        (COUNTRY, *TOTALS),
        funded,
        f"{_FIGURES}:places",
        nothing=_NOTHING,
    )
    sectors = Exhibit(
        "Total funding by sector: {subject}",
        (
            Column("sector", "Sector", "tag"),
            *KNOWN,
            Column("least", "Least", "money"),
            *columns(
                "money", lower_quartile="Lower quartile", median="Median", null=FEW
            ),
            Column("upper_quartile", "Upper quartile", "money", null=FEW),
            Column("most", "Most", "money"),
        ),
        lambda study: funded(
            study, "a company with several sectors is in each of them"
        ),
        f"{_FIGURES}:sectors",
        meaning=(
            "A row per sector tag of the established companies; one with several is in"
            " each."
        ),
        nothing=_NOTHING,
    )
    links = Exhibit(
        "Education entries at {subject}",
        LINK,
        lambda study: [
            f"{study.counts.founders_evidenced:founder},"
            f" {study.counts.companies_evidenced:company}"
        ],
        meaning=(
            "The evidence: a row per company, founder and entry with the"
            " university's id."
        ),
        nothing=_NOTHING,
    )
    candidates = Exhibit(
        "Candidates: entries that name {subject} without its identifier",
        (FOUNDER, *ENTRY, FOUNDER_ID),
        lambda _: ["to verify; not counted"],
        nothing="No such entry was read.",
        meaning=(
            "A row per such entry, case ignored: suggestions to verify, counted as no"
            " links."
        ),
    )
    same_name = Exhibit(
        "Entries of another institution named {subject}",
        (FOUNDER, *ENTRY, Column("university_uuid", "Other UUID", "id"), FOUNDER_ID),
        lambda _: ["neither counted nor candidates"],
        nothing="No such entry was read.",
        meaning="A row per such entry, case ignored: set apart, and no candidates.",
    )
    years = Exhibit(
        "Years from study at {subject} to founding",
        (
            COMPANY,
            FOUNDER,
            Column(
                "end_year",
                "End of study",
                "year",
            ),
            FOUNDED,
            Column("years", "From study to founding", "number", "years"),
            COMPANY_ID,
            FOUNDER_ID,
        ),
        lambda study: [
            study.counts.known_years,
            (
                "founding year minus the last recorded year of study; negative: founded"
                " before it"
            ),
        ],
        f"{_FIGURES}:years",
        meaning=(
            "A row per company and founder who studied there; null where a year is not"
            " known."
        ),
        nothing=_NOTHING,
    )
    populations = Exhibit(
        "Three populations: {subject}",
        (
            Column("population", "Population"),
            Column("count", "Count *", "number"),
            *columns("text", definition="Definition", source="Source"),
            Column("note", "Note", null=""),
        ),
        lambda _: [
            "* different things are counted: not to be added, divided or ranked"
        ],
        rows=_populations,
        meaning=(
            "Founder alumni, university spinouts and flagged companies: never combined."
        ),
    )
    pool = Exhibit(
        "Companies found for {subject}",
        (
            COMPANY,
            FUNDING,
            Column("status", "Status of the link", "state"),
            FOUNDED,
            STATUS,
            CITY,
            COUNTRY,
            Column("is_spinout", "Spinout flag", "flag"),
            *FOUNDERS[::-1],
            COMPANY_ID,
        ),
        lambda study: [
            f"found by {study.counts.found_by[0]}",
            *kinds_not_counted(study.counts),
            "the spinout flag names no institution",
            rate_day(study.source, "totals"),
        ],
        nothing=_NOTHING,
    )

    @property
    def withheld(self) -> str:
        """What the service does not show of any company or founder."""
        hidden = self.counts.hidden
        return f"The service does not show {hidden}." if hidden else ""

    @property
    def three_populations(self) -> tuple[claims.Population, ...]:
        """The rows of `populations` as values that refuse arithmetic."""
        c, institution, record = self.counts, self.university, "university record"
        flagged = c.flagged if c.flag_known else None
        is_withheld = "founder_alumni_total" in getattr(institution, "withheld", ())
        withheld = "the service does not show it" if is_withheld else ""
        pool, note = "records of the companies found", f"{c.flag_known} of {c.pool}"
        return (
            claims.FounderAlumni(
                institution.founder_alumni_total,
                f"{record}, founder_alumni_total",
                withheld,
            ),
            claims.UniversitySpinouts(
                institution.spinout_count, f"{record}, spinout_count"
            ),
            claims.FlaggedCompanies(
                flagged, f"{pool}, is_spinout", f"flag recorded for {note}"
            ),
        )
