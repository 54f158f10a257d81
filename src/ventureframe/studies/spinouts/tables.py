"""The tables of a study of a university's founders."""

from __future__ import annotations

from typing import Final

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, counted, money_exact, number
from ventureframe.evidence.findings import STATES
from ventureframe.studies.spinouts.find import Study


def funnel(study: Study) -> Table:
    """From the candidate pool to evidence; companies and founders are counted apart."""
    return Table.of(
        study.funnel,
        Column("step", "Step"),
        Column("unit", "Counted"),
        Column("count", "Count", "number"),
        Column("lost", "Left behind", "number", null="–"),
        Column("lost_because", "What was observed of those", null="–"),
        title=f"From pool to evidence: {study.university.name}",
        caption=caption("a candidate is not a link", source=study.source),
    )


def states(study: Study) -> Table:
    """How many founders were observed in each state; a state nobody is in is listed too."""
    rows = tuple((state, STATES[state], count) for state, count in study.observed.items())
    columns = (
        Column("state", "State", "state"),
        Column("meaning", "What was observed"),
        Column("founders", "Founders", "number"),
    )
    about = caption(
        f"{counted(study.counts.founders_asked, 'founder')} asked, each in one state",
        f"{number(study.counts.founders_candidate)} of them have an entry that names the "
        "university without its UUID: candidates",
        source=study.source,
    )
    return Table(f"Observation states: {study.university.name}", about, columns, rows)


def populations(study: Study) -> Table:
    """The three populations side by side, each with its definition; they are not comparable."""
    rows = tuple(
        (each.kind, each.count, each.definition, each.source, each.note or None)
        for each in study.populations
    )
    columns = (
        Column("population", "Population"),
        Column("count", "Count", "number"),
        Column("definition", "Definition"),
        Column("source", "Source"),
        Column("note", "Note", null="–"),
    )
    about = caption("never summed, divided or ranked", source=study.source)
    return Table(f"Three populations: {study.university.name}", about, columns, rows)


def companies(study: Study) -> Table:
    """The companies with an evidenced founder, highest known funding first."""
    c = study.counts
    return Table.of(
        study.companies,
        Column("company_name", "Company"),
        Column("launch_date", "Founded", "year"),
        Column("company_status", "Status"),
        Column("hq_country", "Country"),
        Column(study.funding, "Total funding", "money", study.currency),
        Column("founders_evidenced", "Founders evidenced", "number"),
        Column("founders_recorded", "Founders recorded", "number"),
        Column("company_uuid", "Company UUID", "id"),
        title=f"Companies with a founder evidenced at {study.university.name}",
        caption=caption(
            f"total funding in {study.currency} known for {number(c.funding_known)} of "
            f"{counted(c.companies_evidenced, 'company', 'companies')}",
            f"sum of the known {money_exact(c.funding_total, study.currency)}",
            source=study.source,
        ),
    )


ENTRY: Final = (
    Column("position", "Entry", "number"),
    Column("university_name", "University as recorded"),
    Column("degree", "Degree"),
    Column("major", "Major"),
    Column("start_year", "From", "year"),
    Column("end_year", "To", "year"),
)


def links(study: Study) -> Table:
    """The evidence: a row per company, founder and education entry with the university's UUID."""
    c = study.counts
    return Table.of(
        study.links,
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        *ENTRY,
        Column("company_uuid", "Company UUID", "id"),
        Column("founder_uuid", "Founder UUID", "id"),
        title=f"Education entries that carry the UUID of {study.university.name}",
        caption=caption(
            f"{counted(c.founders_evidenced, 'founder')} of {number(c.founders_asked)} asked",
            counted(c.companies_evidenced, "company", "companies"),
            f"university_uuid {study.university.uuid}",
            "entries are counted from 0",
            source=study.source,
        ),
    )


def candidates(study: Study) -> Table:
    """Entries that name the university and carry no UUID: to verify, counted nowhere as links."""
    return Table.of(
        study.candidates,
        Column("founder_name", "Founder"),
        *ENTRY,
        Column("founder_uuid", "Founder UUID", "id"),
        title=f"Candidates: entries that name {study.university.name} without its UUID",
        caption=caption("candidates, not links", source=study.source),
    )


def years(study: Study) -> Table:
    """Years from study to founding for each evidenced company and founder."""
    c = study.counts
    return Table.of(
        study.years,
        Column("company_name", "Company"),
        Column("founder_name", "Founder"),
        Column("end_year", "End of study", "year"),
        Column("launch_date", "Founded", "year"),
        Column("years", "From study to founding", "number", "years"),
        Column("company_uuid", "Company UUID", "id"),
        Column("founder_uuid", "Founder UUID", "id"),
        title=f"Years from study at {study.university.name} to founding",
        caption=caption(
            f"known for {number(c.years_known)} of {counted(c.years_of, 'pair')} of company and "
            "founder",
            "founding year minus the latest recorded end of study there; negative: founded before",
            source=study.source,
        ),
    )


def sectors(study: Study) -> Table:
    """How the known totals are spread within each sector of the evidenced companies."""
    c = study.counts
    money = [
        Column(name, label, "money", study.currency)
        for name, label in (
            ("least", "Least"),
            ("lower_quartile", "Lower quartile"),
            ("median", "Median"),
            ("upper_quartile", "Upper quartile"),
            ("most", "Most"),
        )
    ]
    return Table.of(
        study.sectors,
        Column("sector", "Sector", null="not tagged"),
        Column("companies", "Companies", "number"),
        Column("funding_known", "With a total", "number"),
        *money,
        title=f"Total funding by sector: {study.university.name}",
        caption=caption(
            f"total funding in {study.currency} known for {number(c.funding_known)} of "
            f"{counted(c.companies_evidenced, 'company', 'companies')}",
            "a company with several sectors is in each of them",
            source=study.source,
        ),
    )
