"""How each finding about a university's founders is listed: titles, columns, captions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Listing
from ventureframe.display.table import Column
from ventureframe.display.wording import counted, money_exact, number
from ventureframe.studies.spinouts import figures

if TYPE_CHECKING:
    from ventureframe.studies.spinouts.find import Study

COMPANY_ID: Final = Column("company_uuid", "Company UUID", "id")
FOUNDER_ID: Final = Column("founder_uuid", "Founder UUID", "id")
ENTRY: Final = (
    Column("position", "Entry", "number"),
    Column("university_name", "University as recorded"),
    Column("degree", "Degree"),
    Column("major", "Major"),
    Column("start_year", "From", "year"),
    Column("end_year", "To", "year"),
)


def _funding_known(study: Study) -> str:
    return figures.funding_known(study.counts, study.currency)


def _states_notes(study: Study) -> Iterable[str]:
    c = study.counts
    yield f"{counted(c.founders_asked, 'founder')} asked, each in one state"
    yield (
        f"{number(c.founders_candidate)} of them have an entry that names the university without "
        "its UUID: candidates"
    )


FUNNEL: Final = Listing["Study"](
    "From pool to evidence: {subject}",
    (
        Column("step", "Step"),
        Column("unit", "Counted"),
        Column("count", "Count", "number"),
        Column("lost", "Left behind", "number", null="–"),
        Column("lost_because", "What was observed of those", null="–"),
    ),
    lambda _: ["a candidate is not a link"],
    figures.funnel,
)
STATES: Final = Listing["Study"](
    "Observation states: {subject}",
    (
        Column("state", "State", "state"),
        Column("meaning", "What was observed"),
        Column("founders", "Founders", "number"),
    ),
    _states_notes,
    figures.states,
)
FOUNDERS: Final = Listing["Study"](
    "The state of each founder: {subject}",
    (
        Column("founder_name", "Founder"),
        Column("state", "State", "state"),
        Column("status", "Status"),
        Column("companies", "Companies", "number"),
        Column("entries", "Entries", "number"),
        Column("entries_here", "Entries here", "number"),
        Column("entries_without_id", "Without a UUID", "number"),
        FOUNDER_ID,
    ),
    _states_notes,
)
POPULATIONS: Final = Listing["Study"](
    "Three populations: {subject}",
    (
        Column("population", "Population"),
        Column("count", "Count", "number"),
        Column("definition", "Definition"),
        Column("source", "Source"),
        Column("note", "Note", null="–"),
    ),
    lambda _: ["never summed, divided or ranked"],
)
POOL: Final = Listing["Study"](
    "The candidate pool of {subject}",
    (
        Column("company_name", "Company"),
        Column("status", "Status of the link"),
        Column("launch_date", "Founded", "year"),
        Column("company_status", "Status"),
        Column("hq_city", "City"),
        Column("hq_country", "Country"),
        Column("is_spinout", "Spinout flag", "flag"),
        Column("total_funding", "Total funding", "money"),
        Column("founders_recorded", "Founders recorded", "number"),
        Column("founders_evidenced", "Founders evidenced", "number"),
        COMPANY_ID,
    ),
    lambda _: ["found by name only", "the spinout flag names no institution"],
)
COMPANIES: Final = Listing["Study"](
    "Companies with a founder evidenced at {subject}",
    (
        Column("company_name", "Company"),
        Column("launch_date", "Founded", "year"),
        Column("company_status", "Status"),
        Column("hq_country", "Country"),
        Column("total_funding", "Total funding", "money"),
        Column("founders_evidenced", "Founders evidenced", "number"),
        Column("founders_recorded", "Founders recorded", "number"),
        COMPANY_ID,
    ),
    lambda study: [
        _funding_known(study),
        f"sum of the known {money_exact(study.counts.funding_total, study.currency)}",
    ],
    figures.funding,
)
LINKS: Final = Listing["Study"](
    "Education entries that carry the UUID of {subject}",
    (
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        *ENTRY,
        COMPANY_ID,
        FOUNDER_ID,
    ),
    lambda study: [
        f"{counted(study.counts.founders_evidenced, 'founder')} of "
        f"{number(study.counts.founders_asked)} asked",
        counted(study.counts.companies_evidenced, "company", "companies"),
        f"university_uuid {study.university.uuid}",
        "entries are counted from 0",
    ],
    figures.network,
)
CANDIDATES: Final = Listing["Study"](
    "Candidates: entries that name {subject} without its UUID",
    (Column("founder_name", "Founder"), *ENTRY, FOUNDER_ID),
    lambda _: ["candidates, not links"],
)
YEARS: Final = Listing["Study"](
    "Years from study at {subject} to founding",
    (
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        Column("end_year", "End of study", "year"),
        Column("launch_date", "Founded", "year"),
        Column("years", "From study to founding", "number", "years"),
        COMPANY_ID,
        FOUNDER_ID,
    ),
    lambda study: [
        f"known for {number(study.counts.years_known)} of "
        f"{counted(study.counts.years_of, 'pair')} of company and founder",
        "founding year minus the latest recorded end of study there; negative: founded before",
    ],
    figures.years,
)
SECTORS: Final = Listing["Study"](
    "Total funding by sector: {subject}",
    (
        Column("sector", "Sector", null="not tagged"),
        Column("companies", "Companies", "number"),
        Column("funding_known", "With a total", "number"),
        Column("least", "Least", "money"),
        Column("lower_quartile", "Lower quartile", "money"),
        Column("median", "Median", "money"),
        Column("upper_quartile", "Upper quartile", "money"),
        Column("most", "Most", "money"),
    ),
    lambda study: [_funding_known(study), "a company with several sectors is in each of them"],
    figures.sectors,
)
