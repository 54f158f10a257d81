"""How the findings about every institution are listed."""

from typing import Any, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import counted, number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.spinouts.tables import COMPANY, COMPANY_ID, ENTRY, FOUNDER, FOUNDER_ID

_UNIVERSITY: Final = Column("university", "Institution", null="no name recorded")
_UNIVERSITY_ID: Final = Column("university_uuid", "Institution UUID", "id")


def _known(study: Any) -> str:
    many = counted(study.counts.institutions_evidenced, "institution")
    return f"a total is known at {number(study.counts.funding_known)} of {many}"


def _evidenced(study: Any) -> str:
    founders = counted(study.counts.founders_evidenced, "founder")
    return f"{founders}, {counted(study.counts.companies_evidenced, 'company')}"


INSTITUTIONS: Final = Exhibit(
    "Companies founded by alumni of {subject}",
    (
        Column("rank", "Rank by companies", "number", null="–"),
        _UNIVERSITY,
        *columns(
            "number",
            founders_evidenced="Founders evidenced",
            companies_evidenced="Companies evidenced",
            companies_candidate="Candidates",
            companies_same_name="Same name, other id",
            funding_known="With a total",
        ),
        *columns("money", funding_total="Sum of known totals", funding_median="Median known total"),
        Column("funding_rank", "Rank by known totals", "number", null="–"),
        Column("founded_known", "With a founding year", "number"),
        *columns("year", first_founded="First founded", last_founded="Last founded"),
        _UNIVERSITY_ID,
    ),
    lambda study: [
        "ranked within what these records hold: a lower rank can be a smaller record",
        _known(study),
        "a company at several institutions counts at each: columns are not added up",
        rate_day(study.source, "totals"),
    ],
    "ventureframe.studies.institutions.figures:institutions",
)
LINKS: Final = Exhibit(
    "Education entries that carry the UUID of an institution",
    (_UNIVERSITY, COMPANY, FOUNDER, *ENTRY, _UNIVERSITY_ID, COMPANY_ID, FOUNDER_ID),
    lambda study: [_evidenced(study), "entries are counted from 0"],
)
