"""The study of a list: its numbers, and how each of its findings is listed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from polars import col

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column
from ventureframe.display.wording import NOT_KNOWN, Count
from ventureframe.evidence import study
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.interface.fields import Currency
from ventureframe.matching.grades import GRADES
from ventureframe.matching.match import Match
from ventureframe.studies.hiring.study import Study as Hiring

_HIRING = {column.name: column for column in Hiring.ranking.listed}
"""The columns of a study of hiring, by name."""
_SAYS_OF_HIRING = pl.any_horizontal(
    col("is_hiring", "open_jobs_count").is_not_null(), col("postings") > 0
).fill_null(value=False)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study: rows are those of the list, companies those that are
    used.

    `at_least`, `at_most` are the rows in the records by domain, and with any
    candidate. `by_grade` has the rows of each grade, `companies_linked` the
    companies with a founder whose education entry carries the identifier of a
    university, `companies_withheld` those of which the service does not show where
    the founders studied.
    """

    companies: Count = of(companies=pl.len())
    founders_known: Count = of(companies=col("founders").count())
    funding_known: Count = of(companies=col("total_funding").count())
    hiring: Count = of(hiring=pl.len())
    hiring_known: Count = of(companies=_SAYS_OF_HIRING.sum())
    to_decide: Count = of(
        grades=col("rows").filter(col("grade").is_in(GRADES[2:4])).sum()
    )
    companies_linked: Count
    companies_withheld: Count
    list_rows: Count
    at_least: Count
    at_most: Count
    by_grade: Mapping[str, int]


def _matched(study: Any) -> Iterator[str]:
    yield repr(study.match)
    yield from study.match.notes


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(study.Study):
    """What the records know of the companies of a list; null: nothing is recorded.

    `match` is the list held against the records; her columns come first in `rows`,
    `to_check`.
    """

    name = "mine"
    lead = ("companies", "grades", "grade", "rows")
    about = "what the records know"
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
            Column("grade", "Grade"),
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
            _HIRING["company_name"],
            Column("founders", "Founders"),
            Column("hq_city", "City"),
            Column("sectors", "Sectors", "tag"),
            _HIRING["total_funding"],
            Column("last_round", "Last round", null=NOT_KNOWN),
            _HIRING["open_jobs_count"],
            _HIRING["website_domain"],
            _HIRING["company_uuid"],
        ),
        lambda study: [
            (
                f"total funding recorded for {study.counts.funding_known} of"
                f" {study.counts.companies}"
            ),
            rate_day(study.source, "totals"),
        ],
        hidden=lambda study: ["founders"] * study.has_no_founders,
        order="total funding",
        meaning="The companies by domain, by name and place, and by her decision.",
    )
    universities = Exhibit(
        "Universities of their founders: {subject}",
        (
            Column("university", "University"),
            Column("companies_evidenced", "Companies of the list", "number"),
            Column("founders_evidenced", "Founders", "number"),
            Column("university_uuid", "University UUID", "id"),
        ),
        lambda _: ["by education entries that carry the identifier of the university"],
        order="companies",
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
        lambda study: [f"{study.counts.hiring} of {study.counts.companies:company}"],
        order="open jobs",
        meaning="The companies with a hiring flag, open jobs or a posting.",
    )
    to_check = Exhibit(
        "To be decided: {subject}",
        lambda study: study.match.to_check.columns,
        lambda _: ["write yes or no under Decision, and give the file as decided"],
        meaning=(
            "A row per row of the list and candidate: her columns, then the record."
        ),
    )
    rows = Exhibit(
        "The list, row by row: {subject}",
        lambda study: study.match.rows.columns,
        _matched,
        meaning=(
            "Every row of the list in her order: her columns, then grade, record and"
            " why."
        ),
    )

    @property
    def withheld(self) -> str:
        """What the service does not show of any of the companies."""
        c = self.counts
        if 0 < c.companies == c.companies_withheld:
            return "The service does not show where their founders studied."
        return ""

    @property
    def has_no_founders(self) -> bool:
        """Whether the service shows no founder of any company."""
        return not self.counts.founders_known and bool(self.withheld)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "match"]
