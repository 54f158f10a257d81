"""The study of several universities: its numbers, and its findings as they are
listed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import Count
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import FEW, of
from ventureframe.interface.fields import Currency
from ventureframe.studies.columns import (
    COMPANY,
    COMPANY_ID,
    FOUNDER,
    FOUNDER_ID,
    FUNDING,
    UNIVERSITY_ID,
)
from ventureframe.studies.spinouts.study import (
    COMPANIES,
    ENTRY,
    FOUNDERS,
    KNOWN,
    SIDE_BY_SIDE,
    UNIVERSITY,
    OfAlumni,
)
from ventureframe.studies.spinouts.study import Study as Spinouts


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The studies of a comparison, most companies first, and numbers across them."""

    studies: Sequence[Spinouts]
    companies: Count = of(companies=pl.len())
    funding_known: Count = of(companies=pl.count("total_funding"))
    shared: Count = of(shared=pl.len())
    funding_total: float

    @property
    def is_hidden(self) -> bool:
        """Whether the service shows nothing that tells who studied at any of them."""
        return all(study.withheld for study in self.studies)


_COMPANIES = (
    COMPANY,
    Column("universities", "Universities", "number"),
    Column("university_names", "Founders studied at"),
    FUNDING,
    COMPANY_ID,
)
_RANKS = ("place", "share_between")
_FIGURES = "ventureframe.studies.universities.figures"


def _noted(study: Any, *notes: str | None) -> Sequence[str | None]:
    return *notes, rate_day(study.source, "totals")


def _hidden(study: Any) -> list[str]:
    """The columns that say nothing: without candidates or a second university with
    companies.
    """
    every, names = [part.counts for part in study.studies], list[str]()
    if all(c.pool == c.companies_evidenced for c in every):
        names.append("pool")
    if not study.frames["universities"]["place"].count():
        names += _RANKS
    return names


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the studies of several universities, its `studies`, show side by side."""

    currency: Currency
    counts: Counts
    studies: tuple[Spinouts, ...]

    @property
    def is_empty(self) -> bool:
        """Whether none of the universities has a company."""
        return all(study.is_empty for study in self.studies)

    name = "universities"
    population = (
        "companies with a present or former founder who studied at any of these"
        " universities, by its identifier"
    )
    measures = ("total_funding",)
    lead = ("universities", "universities", "university", "companies_evidenced")
    withheld = property(
        lambda self: self.studies[0].withheld if self.counts.is_hidden else ""
    )
    universities = Exhibit(
        "Universities side by side",
        (
            *SIDE_BY_SIDE,
            KNOWN[1],
            Column("shared", "Also at another", "number"),
            *COMPANIES[1:],
            FOUNDERS[0],
            Column("founders_asked", "Founders in all", "number"),
            Column(
                "years_median",
                "Median from study to founding",
                "number",
                "years",
                null=FEW,
            ),
            *columns(
                "number",
                founder_alumni_total="Founder alumni (people)",
                spinout_count="Spinouts, the university's own count",
                pool="Companies found",
            ),
            UNIVERSITY_ID,
        ),
        _noted,
        f"{_FIGURES}:universities",
        lead=len(SIDE_BY_SIDE),
        hidden=_hidden,
        meaning=(
            "A row per university, most companies first; of equal ones in the order"
            " given. A share is of ten companies or more. Medians and sums are of known"
            " totals;"
            " founder alumni and spinout count are as the university's record has them."
        ),
    )
    companies = Exhibit(
        "Companies with a founder from any of the universities",
        _COMPANIES,
        lambda study: _noted(study, f"{study.counts.companies:company}"),
        nothing="No company is counted at any of the universities.",
    )
    shared = Exhibit(
        "Companies with founders from several universities",
        _COMPANIES,
        lambda study: _noted(study, f"{study.counts.shared:company}"),
        nothing="No company is counted at two of the universities.",
    )
    links = Exhibit(
        "University – founder – company, with the education entry behind each line",
        (UNIVERSITY, FOUNDER, COMPANY, *ENTRY, UNIVERSITY_ID, FOUNDER_ID, COMPANY_ID),
        nothing="No company is counted at any of the universities.",
    )
