"""The tables of several universities side by side."""

from __future__ import annotations

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, counted, number
from ventureframe.studies.spinouts.tables import ENTRY
from ventureframe.studies.universities.find import Comparison


def universities(study: Comparison) -> Table:
    """Each university with what its study found; columns are not added up."""
    return Table.of(
        study.universities,
        Column("university", "University"),
        Column("pool", "Candidate pool", "number"),
        Column("founders_evidenced", "Founders evidenced", "number"),
        Column("founders_asked", "Founders asked", "number"),
        Column("companies_evidenced", "Companies evidenced", "number"),
        Column("shared", "Also at another", "number"),
        Column("funding_known", "With a total", "number"),
        Column("funding_median", "Median total funding", "money", study.currency),
        Column("funding_total", "Sum of known totals", "money", study.currency),
        Column("years_median", "Median from study to founding", "number", "years"),
        Column("founder_alumni_total", "Founder alumni (people)", "number"),
        Column("spinout_count", "Spinout count (own figure)", "number"),
        Column("university_uuid", "University UUID", "id"),
        title="Universities side by side",
        caption=caption(
            f"{counted(study.counts.companies, 'company', 'companies')}, "
            f"{number(study.counts.shared)} of them at two or more: columns are not added up",
            "a smaller number can be a smaller record",
            source=study.source,
        ),
    )


def shared_companies(study: Comparison) -> Table:
    """The companies evidenced at two or more of the universities."""
    return Table.of(
        study.shared,
        Column("company_name", "Company"),
        Column("universities", "Universities", "number"),
        Column("university_names", "Evidenced at"),
        Column(study.funding, "Total funding", "money", study.currency),
        Column("company_uuid", "Company UUID", "id"),
        title="Companies evidenced at several universities",
        caption=caption(
            f"{number(study.counts.shared)} of "
            f"{counted(study.counts.companies, 'company', 'companies')}",
            source=study.source,
        ),
    )


def network(study: Comparison) -> Table:
    """The edges university – founder – company with the education entry behind each."""
    return Table.of(
        study.links,
        Column("university", "University"),
        Column("founder_name", "Founder"),
        Column("company_name", "Company"),
        *ENTRY,
        Column("university_uuid", "University UUID", "id"),
        Column("founder_uuid", "Founder UUID", "id"),
        Column("company_uuid", "Company UUID", "id"),
        title="University – founder – company, with the entry behind each edge",
        caption=caption("entries are counted from 0", source=study.source),
    )
