"""The study of every institution: its numbers, and its findings as they are listed."""

from dataclasses import dataclass
from typing import Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import Count
from ventureframe.evidence.rates import rate_day
from ventureframe.interface.fields import Currency
from ventureframe.studies.spinouts.study import (
    COMPANY,
    COMPANY_ID,
    ENTRY,
    FOUNDER,
    FOUNDER_ID,
    OfAlumni,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers over all institutions; a company or founder at several is counted once.

    `names_shared`: institutions whose name, case ignored, another one has. `funding_known`:
    institutions with a known total of at least one company.
    """

    institutions: Count
    institutions_evidenced: Count
    names_shared: Count
    funding_known: Count
    entries: Count
    entries_with_id: Count
    entries_with_name: Count
    entries_named_only: Count
    founders_evidenced: Count
    companies_evidenced: Count


_UNIVERSITY: Final = Column("university", "Institution", null="no name recorded")
_UNIVERSITY_ID: Final = Column("university_uuid", "Institution UUID", "id")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(OfAlumni):
    """What the records show about the founders of every institution."""

    currency: Currency
    counts: Counts

    institutions = Exhibit(
        "Companies founded by alumni of {subject}",
        (
            Column("rank", "Rank by companies", "number", null="–"),
            _UNIVERSITY,
            *columns("number", founders_evidenced="Founders evidenced"),
            *columns("number", companies_evidenced="Companies evidenced"),
            *columns("number", companies_candidate="Candidates"),
            *columns("number", companies_same_name="Same name, other id"),
            Column("funding_known", "With a total", "number"),
            *columns("money", funding_total="Sum of known totals"),
            *columns("money", funding_median="Median known total"),
            Column("funding_rank", "Rank by known totals", "number", null="–"),
            Column("founded_known", "With a founding year", "number"),
            *columns("year", first_founded="First founded", last_founded="Last founded"),
            _UNIVERSITY_ID,
        ),
        lambda study: [
            "ranked within what these records hold: a lower rank can be a smaller record",
            f"a total is known at {study.counts.funding_known} of "
            f"{study.counts.institutions_evidenced:institution}",
            "a company at several institutions counts at each: columns are not added up",
            rate_day(study.source, "totals"),
        ],
        "ventureframe.studies.institutions.figures:institutions",
    )
    links = Exhibit(
        "Education entries that carry the UUID of an institution",
        (
            *(_UNIVERSITY, COMPANY, FOUNDER, *ENTRY),
            *(_UNIVERSITY_ID, COMPANY_ID, FOUNDER_ID),
        ),
        lambda study: [
            f"{study.counts.founders_evidenced:founder}, "
            f"{study.counts.companies_evidenced:company}",
            "entries are counted from 0",
        ],
    )
