"""How each finding about several universities is listed: titles, columns, captions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Listing
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import number
from ventureframe.studies.spinouts import tables as spinouts
from ventureframe.studies.spinouts.words import companies
from ventureframe.studies.universities import figures

if TYPE_CHECKING:
    from ventureframe.studies.universities.find import Study

UNIVERSITY: Final = Column("university", "University")
UNIVERSITY_ID: Final = Column("university_uuid", "University UUID", "id")
_COMPANIES: Final = (
    *(spinouts.COMPANY, Column("universities", "Universities", "number")),
    *(Column("university_names", "Evidenced at"), spinouts.FUNDING, spinouts.COMPANY_ID),
)


def _companies(study: Study) -> str:
    return companies(study.counts.companies)


UNIVERSITIES: Final = Listing["Study"](
    "Universities side by side",
    (
        *(UNIVERSITY, Column("pool", "Candidate pool", "number"), spinouts.EVIDENCED),
        Column("founders_asked", "Founders asked", "number"),
        *columns("number", companies_evidenced="Companies evidenced", shared="Also at another"),
        Column("funding_known", "With a total", "number"),
        Column("funding_median", "Median total funding", "money"),
        Column("funding_total", "Sum of known totals", "money"),
        Column("years_median", "Median from study to founding", "number", "years"),
        Column("founder_alumni_total", "Founder alumni (people)", "number"),
        Column("spinout_count", "Spinout count (own figure)", "number"),
        UNIVERSITY_ID,
    ),
    lambda study: [
        f"{_companies(study)}, {number(study.counts.shared)} of them at two or more: columns are "
        "not added up",
        "a smaller number can be a smaller record",
    ],
    figures.universities,
)
COMPANIES: Final = Listing["Study"](
    "Companies evidenced at any of the universities",
    _COMPANIES,
    lambda study: [_companies(study)],
)
SHARED: Final = Listing["Study"](
    "Companies evidenced at several universities",
    _COMPANIES,
    lambda study: [f"{number(study.counts.shared)} of {_companies(study)}"],
)
LINKS: Final = Listing["Study"](
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
    figures.network,
)
