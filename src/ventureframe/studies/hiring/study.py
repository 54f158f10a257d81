"""The study of some companies' hiring: its numbers, and how each of its findings is
listed.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import NOT_KNOWN, Count, among, within
from ventureframe.evidence.dropped import Dropped
from ventureframe.evidence.rates import rate_day
from ventureframe.evidence.rows import of
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.fields import Currency
from ventureframe.studies.columns import (
    COMPANY,
    COMPANY_ID,
    COUNTRY,
    FOUNDED,
    FUNDING,
    SITE,
    STATUS,
)
from ventureframe.studies.hiring.roles import named

_FIGURES = "ventureframe.studies.hiring.figures:"
_STATE = "latest_round_amount_state"
_ADDRESS = Column("url", "Address", "link")
_OPEN_JOBS = Column("open_jobs_count", "Open jobs", "number")
_POSTINGS = Column("postings", "Postings", "number")
_ROUNDS, _POSTED, _FLAG = pl.col("rounds"), pl.col("postings") > 0, pl.col("is_hiring")
_LATEST, _TOTAL = pl.col("latest_round_amount"), pl.col("total_funding")
_MORE = 1 + 1e-9
"""Two sums of the same amounts differ by less than this."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """The numbers of one study.

    `open_jobs` adds up the recorded counts of open jobs; `postings` are job records.
    `jobs_read` are the companies whose job records were read. `roles` are those chosen,
    `most_matching` the first companies with postings that match them. `most_open_jobs`
    are up to three companies with more of them than any other, `newest_at` those of the
    (matching) postings of the `newest_day`. `fresh` are the companies with a round
    since the month `fresh_since`, a year before the data, and open jobs or postings, of
    the `fresh_known`. `statuses` has per recorded status (None: not recorded) how many
    companies have it.
    """

    currency: Currency
    companies: Count = of(ranking=pl.len())
    flag_known: Count = of(ranking=_FLAG.count())
    hiring: Count = of(ranking=_FLAG.sum())
    open_jobs_known: Count = of(ranking=pl.count("open_jobs_count"))
    open_jobs: Count = of(ranking=pl.sum("open_jobs_count"))
    with_open_jobs: Count = of(ranking=(pl.col("open_jobs_count") > 0).sum())
    operational: Count = of(ranking=(pl.col("company_status") == "operational").sum())
    jobs_read: Count = of(ranking=pl.count("postings"))
    postings: Count = of(postings=pl.len())
    postings_in_family: Count = of(postings=pl.count("families"))
    companies_with_postings: Count = of(ranking=_POSTED.sum())
    companies_matching: Count = of(ranking=(pl.col("matching") > 0).sum())
    funding_known: Count = of(ranking=_TOTAL.count())
    rounds_asked: Count = of(ranking=(_ROUNDS != "not_asked").sum())
    rounds_dated: Count = of(ranking=(_ROUNDS == "records_returned").sum())
    rounds_undated: Count = of(ranking=(_ROUNDS == "records_without_a_date").sum())
    latest_several: Count = of(ranking=(pl.col("latest_rounds") > 1).sum())
    latest_not_convertible: Count = of(
        ranking=(pl.col(_STATE) == "not_convertible").sum()
    )
    latest_and_total: Count = of(
        ranking=(_LATEST.is_not_null() & _TOTAL.is_not_null()).sum()
    )
    latest_above_total: Count = of(ranking=(_LATEST > _TOTAL * _MORE).sum())
    counts_differ: Count = of(
        ranking=(pl.col("open_jobs_count") != pl.col("postings")).sum()
    )
    unflagged_with_postings: Count = of(ranking=(~_FLAG & _POSTED).sum())
    fresh: Count = of(recent=pl.sum("is_fresh"))
    fresh_known: Count = of(recent=pl.count("is_fresh"))
    fresh_since: str | None
    roles: tuple[str, ...]
    most_matching: tuple[tuple[str | None, int], ...]
    most_open_jobs: tuple[tuple[str | None, int], ...]
    newest_day: dt.date | None
    newest_at: tuple[str | None, ...]
    statuses: tuple[tuple[str | None, int], ...]
    dropped: tuple[Dropped, ...]

    @property
    def order(self) -> str:
        """What the companies are ordered by first."""
        if self.companies_matching:
            return "matching postings"
        if self.with_open_jobs:
            return "open jobs"
        if self.postings:
            return "postings"
        return "total funding" if self.funding_known else "name"

    @property
    def chosen_by(self) -> set[str]:
        """The fields that the companies were chosen by."""
        return {drop.field for drop in self.dropped}

    @property
    def is_fresh_known(self) -> bool:
        """Whether it is known of any company if its round is fresh and it hires."""
        says_who_hires = self.jobs_read + self.open_jobs_known > 0
        return self.fresh_since is not None and self.fresh_known > 0 and says_who_hires

    @property
    def whose_jobs(self) -> str:
        """What the companies are called among which postings are counted."""
        is_all = self.jobs_read == self.companies
        return "company" if is_all else "company whose job records were read"

    @property
    def looked_for(self) -> str:
        """The roles that are chosen, or any role family."""
        return " or ".join(map(named, self.roles)) or "a role family"

    @property
    def matched(self) -> str:
        """How many postings match that, of how many."""
        some = self.postings_in_family
        matches = "match" if some > 1 else "matches"
        return f"{among(some, self.postings, 'posting')} {matches} {self.looked_for}"


def _recorded(study: Any) -> Iterator[str]:
    """For how many companies open jobs and total funding are recorded."""
    c = study.counts
    yield f"open jobs recorded for {within(c.open_jobs_known, c.companies, 'company')}"
    if c.funding_known:
        funded = within(c.funding_known, c.companies, "company")
        yield f"total funding in {study.currency} recorded for {funded}"
        yield rate_day(study.source, "totals")


def _rounds(study: Any) -> Iterator[str]:
    """For how many companies rounds were looked up, and several can be the latest."""
    c = study.counts
    if 0 < c.rounds_asked < c.companies:
        firms = within(c.rounds_asked, c.companies, "company")
        yield f"rounds looked up for {firms}"
    if c.rounds_dated:
        yield rate_day(study.source, "rounds")
    if c.latest_several:
        yield f"several rounds can be the latest of {c.latest_several:company}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What the records show of the hiring of some companies; null: nothing is recorded.

    `frames["role_companies"]` has a row per role family and company with a match.
    """

    name = "hiring"
    lead = ("ranking", "ranking", "company_name", "open_jobs_count")
    about = "open jobs, postings and funding"
    population = "companies"
    measures = ("total_funding", "rounds")

    currency: Currency
    counts: Counts
    seen: dt.date | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no company meets the conditions."""
        return not self.counts.companies

    ranking = Exhibit(
        "Companies by {study.counts.order}: {subject}",
        (
            COMPANY,
            _OPEN_JOBS,
            Column("matching", "Matching postings", "number"),
            Column("newest_posting", "Newest posting", "date"),
            Column("newest_url", "Its address", "link"),
            Column("last_round", "Last round", null=NOT_KNOWN),
            FUNDING,
            COUNTRY,
            FOUNDED,
            STATUS,
            Column("is_hiring", "Hiring flag", "flag"),
            _POSTINGS,
            Column("latest_posting", "Latest posting", "date"),
            Column("news", "News items", "number"),
            Column("latest_news", "Latest news", "date"),
            *columns("number", team_size="Team", signal_rating="Signal rating"),
            Column("rounds", "Rounds", "state"),
            Column(
                "latest_round_amount",
                "Amount of the last round",
                "money",
                "",
                NOT_KNOWN,
                _STATE,
            ),
            # each in the currency that stands beside it, so the study's is not its unit
            Column(
                "latest_round_amount_native", "As announced", "native", null=NOT_KNOWN
            ),
            Column("latest_round_native_currency", "Currency of that", null=NOT_KNOWN),
            SITE,
            COMPANY_ID,
        ),
        lambda study: [*_recorded(study), *_rounds(study)],
        f"{_FIGURES}ranking",
        hidden=lambda study: (
            () if study.counts.roles else ("matching", "latest_posting")
        ),
        order="{study.counts.order}",
        meaning=(
            "The companies, most matching postings first (0: no role is chosen), then"
            " most open jobs, then most postings. The frame also has hq_city;"
            " rounds_returned and rounds_dated (null: not requested); latest_rounds"
            " (how many can be the latest), latest_round_month and"
            " latest_round_amount_state (of evidence.AMOUNTS, or several)."
        ),
    )
    recent = Exhibit(
        "Latest round and newest posting: {subject}",
        (
            COMPANY,
            Column("is_fresh", "Fresh round and hiring", "flag", null=NOT_KNOWN),
            Column("latest_round_year", "Latest round", "year"),
            Column("latest_round_month", "Its month", "number"),
            Column("latest_round_type", "Its type"),
            Column("latest_round_amount", "Its amount", "money", null_by=_STATE),
            Column("months_since_round", "Months since", "number", null=NOT_KNOWN),
            Column("latest_posting", "Newest posting", "date"),
            _POSTINGS,
            _OPEN_JOBS,
            SITE,
            COMPANY_ID,
        ),
        lambda study: [
            "fresh: a round since the same month a year before, and open jobs or"
            " postings",
            *_rounds(study),
        ],
        f"{_FIGURES}recent",
        meaning=(
            "The companies with a dated round, fresh ones first, then by newest"
            " posting."
        ),
    )
    roles = Exhibit(
        "Roles by keyword: {subject}",
        (
            Column("family", "Role"),
            Column(
                "keywords", "Keywords of the family (in brackets: only as the role)"
            ),
            _POSTINGS,
            Column("companies", "Companies", "number"),
        ),
        lambda study: [study.counts.matched, "a keyword is not proof of need"],
        f"{_FIGURES}roles",
        meaning=(
            "A row per role that is chosen, else per role family, most postings first."
        ),
    )
    postings = Exhibit(
        "Postings: {subject}",
        (
            Column("date_posted", "Posted", "date"),
            COMPANY,
            Column("title", "Title"),
            Column("families", "Roles by keyword", null="no keyword found"),
            _ADDRESS,
            Column("job_id", "Job id", "id"),
            COMPANY_ID,
        ),
        lambda study: [
            study.counts.matched if study.counts.roles else None,
            "a posting can be of a job that is filled",
        ],
        rows=lambda study: study.frames["postings"].filter(
            pl.col("families").is_not_null() | (not study.counts.roles)
        ),
        meaning=(
            "A row per posting that matches a chosen role, else per posting, latest"
            " first."
        ),
    )
    news = Exhibit(
        "News: {subject}",
        (
            Column("publish_date", "Published", "date"),
            COMPANY,
            *columns("text", title="Title", source="Publisher"),
            _ADDRESS,
            Column("news_item_id", "Article id", "id"),
            COMPANY_ID,
        ),
        lambda _: ["an article of several companies is with each"],
        meaning="A row per article and company it is linked with, latest first.",
    )
