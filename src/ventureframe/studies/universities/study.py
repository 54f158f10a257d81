"""The study of several universities: its numbers, and its findings as they are listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column
from ventureframe.display.wording import Count
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import (
    COMPANIES,
    COMPANY,
    COMPANY_ID,
    ENTRY,
    FOUNDER,
    FOUNDER_ID,
    FOUNDERS,
    FUNDING,
    FUNDING_TOTAL,
    KNOWN,
    OF_A_POINT,
    SPREAD,
    OfAlumni,
)
from ventureframe.studies.spinouts.study import Study as Spinouts


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The studies of a comparison in the order given, and the numbers across them."""

    studies: Sequence[Spinouts]
    companies: Count = of(companies=pl.len())
    shared: Count = of(shared=pl.len())

    @property
    def evidenced(self) -> Sequence[Count]:
        """The companies evidenced at each university."""
        return [study.counts.companies_evidenced for study in self.studies]


_UNIVERSITY: Final = Column("university", "University")
_UNIVERSITY_ID: Final = Column("university_uuid", "University UUID", "id")
_COMPANIES: Final = (
    *(COMPANY, Column("universities", "Universities", "number")),
    *(Column("university_names", "Founded by alumni of"), FUNDING, COMPANY_ID),
)
_LEFT_OUT: Final = (
    Column("not_recorded", "Left out: value not recorded", "number"),
    Column("outside", "Left out: outside the conditions", "number"),
)
_FIGURES: Final = "ventureframe.studies.universities.figures"


def _noted(study: Any, *notes: str) -> Sequence[str]:
    return *notes, rate_day(study.source, "totals")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the studies of several universities, its `studies`, show side by side."""

    currency: Currency
    counts: Counts
    studies: tuple[Spinouts, ...]

    name = "universities"
    universities = Exhibit(
        "Universities side by side",
        (
            *(_UNIVERSITY, Column("pool", "Candidate pool", "number"), *_LEFT_OUT, FOUNDERS[0]),
            *(Column("founders_asked", "Founders asked", "number"), COMPANIES[0]),
            *(Column("shared", "Also at another", "number"), *COMPANIES[1:], KNOWN[1]),
            *(Column("funding_median", "Median total funding", "money"), FUNDING_TOTAL),
            Column("years_median", "Median from study to founding", "number", "years"),
            Column("founder_alumni_total", "Founder alumni (people)", "number"),
            Column("spinout_count", "Spinout count (university-level aggregate)", "number"),
            _UNIVERSITY_ID,
        ),
        lambda study: _noted(
            study,
            f"{study.counts.companies:company}, {study.counts.shared} of them at two or more: "
            "columns are not added up",
            "a smaller number can be a smaller record",
        ),
        f"{_FIGURES}:universities",
        hidden=lambda study: [
            column.name for column in _LEFT_OUT if not any(c.counts.dropped for c in study.studies)
        ],
        meaning="A row per university in the order given. What conditions left out of its pool is "
        "null where the service gives no count; medians and sums are of known totals; founder "
        "alumni and spinout count are as the university's record has them.",
    )
    companies = Exhibit(
        "Companies founded by alumni of any of the universities",
        _COMPANIES,
        lambda study: _noted(study, f"{study.counts.companies:company}"),
    )
    shared = Exhibit(
        "Companies founded by alumni of several universities",
        _COMPANIES,
        lambda study: _noted(study, f"{study.counts.shared} of {study.counts.companies:company}"),
    )
    spread = Exhibit(
        "How known totals are spread at each university",
        (_UNIVERSITY, *SPREAD, _UNIVERSITY_ID),
        lambda study: _noted(study, "a company of several universities counts at each"),
        f"{_FIGURES}:spread",
        rows=lambda study: study.frames["spread"].drop(OF_A_POINT),
    )
    links = Exhibit(
        "University – founder – company, with the entry behind each edge",
        (_UNIVERSITY, FOUNDER, COMPANY, *ENTRY, _UNIVERSITY_ID, FOUNDER_ID, COMPANY_ID),
        lambda _: ["entries are counted from 0"],
        f"{_FIGURES}:network",
    )
