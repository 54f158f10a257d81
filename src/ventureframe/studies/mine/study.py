"""The study of a list: its numbers, and how each of its findings is listed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl
from polars import col

from ventureframe.client.result import Saved
from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column
from ventureframe.display.wording import Count, within
from ventureframe.evidence import study
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.interface.fields import Currency
from ventureframe.matching.lists import List
from ventureframe.matching.match import Match
from ventureframe.studies.columns import CITY, SECTORS, UNIVERSITY_ID
from ventureframe.studies.hiring.study import Study as Hiring

_HIRING = {column.name: column for column in Hiring.ranking.listed}
"""The columns of a study of hiring, by name."""


FOUND_BY = {
    "domain": "website",
    "name and place": "name and city",
    "confirmed by you": "your decision",
}
"""What the grades of rows that are used say, in a word."""


def further(list_: List) -> str:
    """The first column of a list that is not of names, websites, places or years;
    empty where there is none.
    """
    used_columns = {*list_.columns.values()}
    return next((head for head in list_.frame.columns if head not in used_columns), "")


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study: rows are those of the list, companies those that are
    used.

    `matched`, `to_decide`, `not_found` and `not_looked_up` add up to `list_rows`;
    `records` are those that rows match, `renamed` the rows matched by domain whose
    record has another name, `site_alone` the rows to decide for which nothing but the
    domain speaks. `by_grade` has the other rows of each grade, `funding` the sum of
    the known totals, `companies_linked` the companies with a founder whose
    education entry carries the identifier of a university, `companies_withheld` those
    of which the service does not show where the founders studied.
    """

    currency: Currency
    companies: Count = of(companies=pl.len())
    funding_known: Count = of(companies=pl.count("total_funding"))
    funding: Count = of(companies=pl.sum("total_funding"))
    hiring: Count = of(hiring=pl.len())
    flag_known: Count = of(companies=pl.count("is_hiring"))
    flagged: Count = of(companies=pl.sum("is_hiring"))
    rounds_read: Count = of(companies=(col("rounds") != "not_asked").sum())
    companies_linked: Count
    companies_withheld: Count
    founders_read: Count
    education_entries: Count
    list_rows: Count
    matched: Count
    to_decide: Count
    not_found: Count
    not_looked_up: Count
    records: Count
    renamed: Count
    site_alone: Count
    by_grade: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(study.Study):
    """What the records know of the companies of a list; null: nothing is recorded.

    `match` is the list held against the records; the columns of the list come first in
    `rows` and `to_check`.
    """

    name = "mine"
    lead = ("companies", "grades", "grade", "rows")
    about = "what the records say"
    population = "companies matched to a row of {study.subject}"
    measures = ("total_funding", "rounds")
    lists = ("founders", "education")
    stands = study.Study.stands | {"grades", "companies", "hiring", "to_check", "rows"}

    currency: Currency
    counts: Counts
    match: Match

    grades = Exhibit(
        "The list in the records: {subject}",
        (
            Column("grade", "Grade", "state"),
            Column("rows", "Rows of the list", "number"),
            Column("is_used", "Used below", "flag"),
            Column("meaning", "What it means"),
        ),
        lambda study: study.match.notes,
        "ventureframe.studies.mine.figures:grades",
        meaning="A row per grade that any row of the list has.",
    )
    companies = Exhibit(
        "Companies of the list: {subject}",
        (
            Column("list_name", "Your name"),
            _HIRING["company_name"],
            Column("found_by", "Found by"),
            _HIRING["total_funding"],
            _HIRING["last_round"],
            _HIRING["open_jobs_count"],
            Column("own", "Your column", null=""),
            Column("founders", "Founders"),
            CITY,
            SECTORS,
            _HIRING["website_domain"],
            _HIRING["company_uuid"],
        ),
        lambda study: [rate_day(study.source, "totals")],
        hidden=lambda study: [
            name
            for name in ("founders", "own")
            if not study.frames["companies"][name].count()
        ],
        headings=lambda study: {"own": f"{further(study.match.list)} (your list)"},
        order="total funding",
        meaning="The companies that rows of the list match.",
    )
    universities = Exhibit(
        "Universities of their founders: {subject}",
        (
            Column("university", "University"),
            Column("companies_evidenced", "Companies of the list", "number"),
            Column("founders_evidenced", "Founders", "number"),
            UNIVERSITY_ID,
        ),
        lambda _: ["by education entries that carry the identifier of the university"],
        order="companies of the list",
    )
    hiring = Exhibit(
        "Hiring, of the list: {subject}",
        (
            _HIRING["company_name"],
            _HIRING["is_hiring"],
            _HIRING["open_jobs_count"],
            _HIRING["postings"],
            _HIRING["latest_posting"],
            _HIRING["website_domain"],
            _HIRING["company_uuid"],
        ),
        lambda study: [
            within(study.counts.hiring, study.counts.companies, "company"),
            "flagged as hiring, with open jobs, or with a posting",
        ],
        order="total funding",
        meaning="The companies flagged as hiring, with open jobs, or with a posting.",
    )
    to_check = Exhibit(
        "To be decided: {subject}",
        lambda study: study.match.to_check.columns,
        lambda _: ["write yes or no under Decision, and give the file as decided"],
        meaning=(
            "A row per row of the list and candidate: its columns, then the record."
        ),
    )
    rows = Exhibit(
        "The list, row by row: {subject}",
        lambda study: study.match.rows.columns,
        lambda study: [study.match.summary, *study.match.notes],
        meaning=(
            "Every row of the list in its order: its columns, then grade, record and"
            " why."
        ),
    )

    @property
    def withheld(self) -> str:
        """What the service does not show of any of the companies; nothing where an
        education entry was read, since one founder of each can be withheld.
        """
        c = self.counts
        if 0 < c.companies == c.companies_withheld and not c.education_entries:
            return "The service does not show where their founders studied."
        return ""

    @property
    def saved(self) -> Saved:
        """The study as a save of it holds it, with each row of the list and what it
        matches.
        """
        save = super().saved
        columns = [self.match.list.column(name) for name in ("name", "domain")]
        entries = pl.DataFrame(columns).select(
            entry=pl.concat_str(pl.all(), separator=", ", ignore_nulls=True)
        )
        rows = entries.hstack(self.match.graded.select("grade", "record_uuid")).rows()
        return replace(save, parameters={**save.parameters, "rows": rows})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "match"]
