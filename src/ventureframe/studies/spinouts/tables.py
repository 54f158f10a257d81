"""How each finding about a university's founders is listed: titles, columns, captions."""

from collections.abc import Sequence
from typing import Any, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import counted, money_exact, number, verb
from ventureframe.evidence.rates import rate_day

COMPANY_ID, FOUNDER_ID = columns("id", company_uuid="Company UUID", founder_uuid="Founder UUID")
COMPANY, FOUNDER = columns("text", company_name="Company", founder_name="Founder")
STATUS, COUNTRY = columns("text", company_status="Status", hq_country="Country")
FOUNDED: Final = Column("launch_date", "Founded", "year")
FUNDING: Final = Column("total_funding", "Total funding", "money")
EVIDENCED, RECORDED = columns(
    "number", founders_evidenced="Founders evidenced", founders_recorded="Founders recorded"
)
STATE: Final = Column("state", "State", "state", meaning="one of `evidence.STATES`")
ENTRY: Final = (
    Column("position", "Entry", "number", meaning="among those of the founder, from 0"),
    *columns("text", university_name="University as recorded", degree="Degree", major="Major"),
    *columns("year", start_year="From", end_year="To"),
)


def _funding(study: Any) -> tuple[str, str]:
    """For how many companies the total is known, and at which rate it is converted."""
    known = f"total funding in {study.currency} {study.counts.known_funding}"
    return known, rate_day(study.source, "totals")


def _asked(study: Any) -> Sequence[str]:
    c = study.counts
    named, other = c.founders_candidate, c.founders_same_name
    return (
        f"{counted(c.founders_asked, 'founder')} requested, each in one state",
        f"{number(named)} of them {verb(named, 'has', 'have')} an entry that names the university "
        "without a UUID: candidates"
        if named
        else "",
        f"{number(other)} {verb(other, 'has', 'have')} an entry that names it with another "
        "institution's UUID: not candidates"
        if other
        else "",
    )


FUNNEL: Final = Exhibit(
    "From pool to evidence: {subject}",
    (
        *columns("text", step="Step", unit="Counted"),
        Column("count", "Count", "number"),
        Column(
            *("lost", "Left behind", "number"),
            null="–",
            meaning="against the step before of the same unit",
        ),
        Column("lost_because", "What was observed of those", null="–"),
    ),
    lambda _: [
        "a candidate lacks the university's UUID and is not a link",
        "an entry with the UUID of another institution of that name is not a candidate",
    ],
    "ventureframe.studies.spinouts.figures:funnel",
    meaning="A row per step, beginning before the conditions on numbers; a count is null where the "
    "service does not give it.",
)
STATES: Final = Exhibit(
    "Observation states: {subject}",
    (STATE, Column("meaning", "What was observed"), Column("founders", "Founders", "number")),
    _asked,
)
FOUNDERS: Final = Exhibit(
    "The state of each founder: {subject}",
    (
        *(FOUNDER, STATE, Column("status", "Status", "state")),
        *columns("number", companies="Companies", entries="Entries", entries_here="Entries here"),
        Column("entries_without_id", "Without a UUID", "number"),
        FOUNDER_ID,
    ),
    _asked,
)
POPULATIONS: Final = Exhibit(
    "Three populations: {subject}",
    (
        Column("population", "Population"),
        Column("count", "Count", "number"),
        *columns("text", definition="Definition", source="Source"),
        Column("note", "Note", null="–"),
    ),
    lambda _: ["never summed, divided or ranked"],
    meaning="Founder alumni, university spinouts and flagged companies: never combined.",
)
_LINK: Final = Column(
    *("status", "Status of the link", "state"),
    meaning="established where a founder is evidenced, same_name_other_id where the only entries "
    "that name the university carry another institution's UUID, else candidate",
)
POOL: Final = Exhibit(
    "The candidate pool of {subject}",
    (
        *(COMPANY, FUNDING, _LINK, FOUNDED, STATUS),
        *(Column("hq_city", "City"), COUNTRY, Column("is_spinout", "Spinout flag", "flag")),
        *(RECORDED, EVIDENCED, COMPANY_ID),
    ),
    lambda study: [
        f"found by {study.counts.found_by[0]}",
        f"{number(study.counts.companies_candidate)} are candidates",
        f"{number(study.counts.companies_same_name)} are only of another institution of that name",
        "the spinout flag names no institution",
        rate_day(study.source, "totals"),
    ],
)
COMPANIES: Final = Exhibit(
    "Companies founded by alumni of {subject}",
    (COMPANY, FUNDING, FOUNDED, STATUS, COUNTRY, EVIDENCED, RECORDED, COMPANY_ID),
    lambda study: [
        *_funding(study),
        f"sum of the known {money_exact(study.counts.funding_total, study.currency)}",
    ],
    "ventureframe.studies.spinouts.figures:funding",
    meaning="The rows of `pool` that are established, the largest known total first.",
)
LINKS: Final = Exhibit(
    "Education entries that carry the UUID of {subject}",
    (COMPANY, FOUNDER, *ENTRY, COMPANY_ID, FOUNDER_ID),
    lambda study: [
        f"{counted(study.counts.founders_evidenced, 'founder')} of "
        f"{number(study.counts.founders_asked)} asked",
        counted(study.counts.companies_evidenced, "company"),
        f"university_uuid {study.university.uuid}",
        "entries are counted from 0",
    ],
    "ventureframe.studies.spinouts.figures:network",
    meaning="The evidence: a row per company, founder and entry with the university's UUID.",
)
CANDIDATES: Final = Exhibit(
    "Candidates: entries that name {subject} without its UUID",
    (FOUNDER, *ENTRY, FOUNDER_ID),
    lambda _: ["candidates, not links"],
    meaning="A row per such entry, case ignored: suggestions to verify, counted nowhere as links.",
)
SAME_NAME: Final = Exhibit(
    "Entries that name {subject} with another institution's UUID",
    (FOUNDER, *ENTRY, Column("university_uuid", "Other UUID", "id"), FOUNDER_ID),
    lambda study: [
        f"{counted(study.counts.founders_same_name, 'founder')} and "
        f"{counted(study.counts.companies_same_name, 'company')} are set apart by these"
        if study.counts.founders_same_name
        else "none is set apart by these",
        "neither links nor candidates",
    ],
    meaning="A row per such entry, case ignored: set apart, and no candidates.",
)
_END: Final = Column("end_year", "End of study", "year", meaning="the latest of their entries")
YEARS: Final = Exhibit(
    "Years from study at {subject} to founding",
    (
        *(COMPANY, FOUNDER, _END, FOUNDED),
        Column("years", "From study to founding", "number", "years"),
        *(COMPANY_ID, FOUNDER_ID),
    ),
    lambda study: [
        f"{study.counts.known_years} of company and founder",
        "founding year minus the latest recorded end of study there; negative: founded before",
    ],
    "ventureframe.studies.spinouts.figures:years",
    meaning="A row per evidenced company and founder; years are null where either is not known.",
)
_COUNTED: Final = (
    *columns("number", companies="Companies", funding_known="With a total"),
    Column("funding_total", "Sum of known totals", "money"),
)
FOUNDED_BY_YEAR: Final = Exhibit(
    "Companies by founding year: {subject}",
    (Column("launch_date", "Founded", "year"), *_COUNTED),
    lambda study: [*_funding(study), "total funding of all years, by the year of founding"],
    "ventureframe.studies.spinouts.figures:founded",
    meaning="A row per year from the first to the last, and one for companies without a year.",
)
STATUSES: Final = Exhibit(
    "Companies by recorded status: {subject}",
    (STATUS, *_COUNTED),
    lambda study: [*_funding(study), "operational: no closing and no acquisition is recorded"],
    "ventureframe.studies.spinouts.figures:statuses",
)
PLACES: Final = Exhibit(
    "Companies by headquarters country: {subject}",
    (COUNTRY, *_COUNTED),
    _funding,
    "ventureframe.studies.spinouts.figures:places",
)
SECTORS: Final = Exhibit(
    "Total funding by sector: {subject}",
    (
        Column("sector", "Sector", null="not tagged"),
        *columns("number", companies="Companies", funding_known="With a total"),
        *columns("money", least="Least", lower_quartile="Lower quartile", median="Median"),
        *columns("money", upper_quartile="Upper quartile", most="Most"),
    ),
    lambda study: [*_funding(study), "a company with several sectors is in each of them"],
    "ventureframe.studies.spinouts.figures:sectors",
    meaning="A row per sector tag of the established companies; one with several is in each.",
)
