"""How each finding about hiring is listed: titles, columns, captions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import number
from ventureframe.evidence.rates import rate_day
from ventureframe.studies.hiring import figures, words

if TYPE_CHECKING:
    from ventureframe.studies.hiring.find import Study

NAME, COUNTRY = columns("text", company_name="Company", hq_country="Country")
SITE: Final = Column("website_domain", "Website")
COMPANY_ID: Final = Column("company_uuid", "Company UUID", "id")
_UNKNOWN: Final = "not known"
OPEN_JOBS: Final = Column("open_jobs_count", "Open jobs", "number")
# a total comes converted: one without a rate cannot be told from one that is not reported
FUNDING: Final = Column("total_funding", "Total funding", "money", null="none returned")


def _reported(study: Study) -> Iterable[str]:
    c = study.counts
    yield f"open jobs reported by {number(c.open_jobs_known)} of {words.companies(c.companies)}"
    yield f"total funding in {study.currency} known for {number(c.funding_known)}"
    yield rate_day(study.source, "totals")


def _first_rounds(study: Study) -> Iterable[str | None]:
    c = study.counts
    yield f"rounds requested for the first {number(c.rounds_asked)}"
    yield rate_day(study.source, "rounds") if c.rounds_dated else None
    few = c.latest_several
    yield f"several: {words.companies(few)} with several rounds of the latest date" if few else None


RANKING: Final = Exhibit(
    "Companies by open jobs: {subject}",
    (
        *(NAME, OPEN_JOBS, FUNDING, COUNTRY, Column("launch_date", "Founded", "year")),
        *(Column("company_status", "Status"), Column("is_hiring", "Hiring flag", "flag")),
        Column("postings", "Postings returned", "number"),
        Column("latest_posting", "Latest posting", "date"),
        Column("news", "News items", "number"),
        Column("latest_news", "Latest news", "date"),
        *columns("number", team_size="Team", signal_rating="Signal rating"),
        Column("rounds", "Rounds", "state"),
        Column("latest_round_type", "Latest dated round", null=_UNKNOWN),
        Column("latest_round_year", "Its year", "year", null=_UNKNOWN),
        Column(
            "latest_round_amount",
            "Its amount",
            "money",
            null=_UNKNOWN,
            null_by="latest_round_amount_state",
        ),
        # each in the currency that stands beside it, so the study's is not its unit
        Column("latest_round_amount_native", "As announced", "native", null=_UNKNOWN),
        Column("latest_round_native_currency", "Currency of that", null=_UNKNOWN),
        *(SITE, COMPANY_ID),
    ),
    lambda study: [*_reported(study), *_first_rounds(study)],
    "ventureframe.studies.hiring.figures:ranking",
)
RECENT: Final = Exhibit(
    "Latest round and newest posting: {subject}",
    (
        NAME,
        Column("is_fresh", "Fresh round and hiring", "flag", null="not known"),
        Column("latest_round_year", "Latest round", "year"),
        Column("latest_round_month", "Its month", "number"),
        Column("latest_round_type", "Its type"),
        Column("latest_round_amount", "Its amount", "money", null_by="latest_round_amount_state"),
        Column("months_since_round", "Months since", "number", null=_UNKNOWN),
        Column("latest_posting", "Newest posting", "date", null="no posting returned"),
        Column("postings", "Postings returned", "number"),
        *(OPEN_JOBS, SITE, COMPANY_ID),
    ),
    lambda study: [
        "fresh: a dated round of the last 12 months, and open jobs or postings",
        *_first_rounds(study),
    ],
    "ventureframe.studies.hiring.figures:recent",
)
STATUSES: Final = Exhibit(
    "Companies by recorded status: {subject}",
    (
        Column("company_status", "Status"),
        *columns("number", companies="Companies", hiring="With the hiring flag"),
        Column("with_postings", "With a posting", "number"),
        Column("left_out", "Left out by the condition", "number", null=_UNKNOWN),
    ),
    lambda _: ["operational can mean that no closing and no acquisition is recorded"],
)
LEFT_OUT: Final = Exhibit(
    "What each condition leaves out: {subject}",
    (
        *columns("text", condition="Condition on", asked="As requested"),
        *columns(
            "number",
            null=_UNKNOWN,
            before="Companies before it",
            not_recorded="Left out: not recorded",
            outside="Left out: recorded and outside",
            inside="Companies after it",
        ),
    ),
    lambda _: ["conditions are counted one after the other, so no company is counted twice"],
)
FUNDING_AND_HIRING: Final = Exhibit(
    "Total funding against open jobs: {subject}",
    (NAME, OPEN_JOBS, FUNDING, COMPANY_ID),
    _reported,
    "ventureframe.studies.hiring.figures:funding_and_hiring",
    rows=lambda study: study.frames["ranking"].select(
        "company_uuid", "company_name", "open_jobs_count", "total_funding", "currency"
    ),
)
MONTHS: Final = Exhibit(
    "Postings per month: {subject}",
    (
        Column("month", "Month", "month"),
        *columns("number", postings="Postings", companies="Companies"),
        Column("is_partial", "Partial", "flag", null="not known"),
    ),
    lambda study: [
        words.dated(study.counts),
        "0: no posting returned for the month",
        figures.partial(study),
    ],
    "ventureframe.studies.hiring.figures:months",
)
ROLES: Final = Exhibit(
    "Role families by keyword: {subject}",
    (
        Column("family", "Role family"),
        Column("keywords", "Keywords (in brackets: only as the role)"),
        *columns("number", postings="Postings", companies="Companies"),
    ),
    lambda study: [
        f"{words.in_family(study.counts)} match a keyword, some several",
        "a keyword match is not proof of need",
    ],
    "ventureframe.studies.hiring.figures:roles",
)
POSTINGS: Final = Exhibit(
    "Postings: {subject}",
    (
        Column("date_posted", "Posted", "date"),
        NAME,
        Column("title", "Title"),
        Column("families", "Role families by keyword", null="no keyword found"),
        Column("url", "Address", "link"),
        *(Column("job_id", "Job id", "id"), COMPANY_ID),
    ),
    lambda study: [words.postings(study.counts), f"dated: {number(study.counts.postings_dated)}"],
)
NEWS: Final = Exhibit(
    "News: {subject}",
    (
        Column("publish_date", "Published", "date"),
        NAME,
        *columns("text", title="Title", source="Publisher"),
        Column("url", "Address", "link"),
        *(Column("news_item_id", "Article id", "id"), COMPANY_ID),
    ),
    lambda study: [
        f"news of {number(study.counts.companies_with_news)} of "
        f"{words.companies(study.counts.companies)}",
        "an article of several companies is there for each",
    ],
)
