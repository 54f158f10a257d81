"""How each finding about several universities is listed: titles, columns, captions."""

from collections.abc import Sequence
from typing import Any, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import counted, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts import tables as spinouts

UNIVERSITY: Final = Column("university", "University")
UNIVERSITY_ID: Final = Column("university_uuid", "University UUID", "id")
_COMPANIES: Final = (
    *(spinouts.COMPANY, Column("universities", "Universities", "number")),
    *(Column("university_names", "Founded by alumni of"), spinouts.FUNDING, spinouts.COMPANY_ID),
)


def _companies(study: Any) -> str:
    return counted(study.counts.companies, "company")


_ROW: Final = (
    *(UNIVERSITY, Column("pool", "Candidate pool", "number"), spinouts.EVIDENCED),
    Column("founders_asked", "Founders asked", "number"),
    *columns("number", companies_evidenced="Companies evidenced", shared="Also at another"),
    *columns("number", companies_candidate="Candidates", companies_same_name="Same name, other id"),
    Column("funding_known", "With a total", "number"),
    Column("funding_median", "Median total funding", "money"),
    Column("funding_total", "Sum of known totals", "money"),
    Column("years_median", "Median from study to founding", "number", "years"),
    Column("founder_alumni_total", "Founder alumni (people)", "number"),
    Column("spinout_count", "Spinout count (university-level aggregate)", "number"),
    UNIVERSITY_ID,
)
_LEFT_OUT: Final = columns(
    "number",
    not_recorded="Left out: value not recorded",
    outside="Left out: outside the conditions",
)


def _hidden(study: Any) -> Sequence[str]:
    """What conditions left out, where no pool has any."""
    has_conditions = any(each.counts.dropped for each in study.studies)
    return () if has_conditions else [column.name for column in _LEFT_OUT]


UNIVERSITIES: Final = Exhibit(
    "Universities side by side",
    (*_ROW[:2], *_LEFT_OUT, *_ROW[2:]),
    lambda study: [
        f"{_companies(study)}, {number(study.counts.shared)} of them at two or more: columns are "
        "not added up",
        "a smaller number can be a smaller record",
        rate_day(study.source, "totals"),
    ],
    "ventureframe.studies.universities.figures:universities",
    hidden=_hidden,
    meaning="A row per university in the order given. What conditions left out of its pool is null "
    "where the service gives no count; medians and sums are of known totals; founder alumni and "
    "spinout count are as the university's record has them.",
)
COMPANIES: Final = Exhibit(
    "Companies founded by alumni of any of the universities",
    _COMPANIES,
    lambda study: [_companies(study), rate_day(study.source, "totals")],
)
SHARED: Final = Exhibit(
    "Companies founded by alumni of several universities",
    _COMPANIES,
    lambda study: [
        f"{number(study.counts.shared)} of {_companies(study)}",
        rate_day(study.source, "totals"),
    ],
)
SPREAD: Final = Exhibit(
    "How known totals are spread at each university",
    (
        *(UNIVERSITY, *columns("number", companies="Companies", funding_known="With a total")),
        *columns("money", least="Least", lower_quartile="Lower quartile", median="Median"),
        *columns("money", upper_quartile="Upper quartile", most="Most"),
        UNIVERSITY_ID,
    ),
    lambda study: [
        "a company of several universities counts at each",
        rate_day(study.source, "totals"),
    ],
    "ventureframe.studies.universities.figures:spread",
    rows=lambda study: study.frames["spread"].drop("company_uuid", "company_name", "total_funding"),
)
LINKS: Final = Exhibit(
    "University – founder – company, with the entry behind each edge",
    (
        UNIVERSITY,
        spinouts.FOUNDER,
        spinouts.COMPANY,
        *spinouts.ENTRY,
        UNIVERSITY_ID,
        spinouts.FOUNDER_ID,
        spinouts.COMPANY_ID,
    ),
    lambda _: ["entries are counted from 0"],
    "ventureframe.studies.universities.figures:network",
)
