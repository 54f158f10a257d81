"""How each finding about hiring is listed: titles, columns, captions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ventureframe.display.finding import Listing
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import number
from ventureframe.studies.hiring import figures, words

if TYPE_CHECKING:
    from ventureframe.studies.hiring.find import Study

NAME, COUNTRY = columns("text", company_name="Company", hq_country="Country")
COMPANY_ID: Final = Column("company_uuid", "Company UUID", "id")
OPEN_JOBS: Final = Column("open_jobs_count", "Open jobs", "number")
FUNDING: Final = Column("total_funding", "Total funding", "money")


def _reported(study: Study) -> Iterable[str]:
    c = study.counts
    yield f"open jobs reported by {number(c.open_jobs_known)} of {words.companies(c.companies)}"
    yield f"total funding in {study.currency} known for {number(c.funding_known)}"


RANKING: Final = Listing["Study"](
    "Companies by open jobs: {subject}",
    (
        *(NAME, COUNTRY, Column("launch_date", "Founded", "year")),
        *(Column("is_hiring", "Hiring flag", "flag"), OPEN_JOBS),
        Column("postings", "Postings returned", "number"),
        Column("latest_posting", "Latest posting", "date"),
        Column("news", "News items", "number"),
        Column("latest_news", "Latest news", "date"),
        *columns("number", team_size="Team", signal_rating="Signal rating"),
        *(FUNDING, Column("rounds", "Dated rounds", "state")),
        Column("latest_round_type", "Latest round", null="not known"),
        Column("latest_round_year", "Its year", "year", null="not known"),
        Column("latest_round_amount", "Its amount", "money", null="not known"),
        COMPANY_ID,
    ),
    lambda study: [
        *_reported(study),
        f"rounds asked for the first {number(study.counts.rounds_asked)}",
    ],
    figures.ranking,
)
FUNDING_AND_HIRING: Final = Listing["Study"](
    "Total funding against open jobs: {subject}",
    (NAME, OPEN_JOBS, FUNDING, COMPANY_ID),
    _reported,
    figures.funding_and_hiring,
    rows=lambda study: study.frames["ranking"].select(
        "company_uuid", "company_name", "open_jobs_count", "total_funding", "currency"
    ),
)
MONTHS: Final = Listing["Study"](
    "Postings per month: {subject}",
    (
        Column("month", "Month from", "date"),
        *columns("number", postings="Postings", companies="Companies"),
    ),
    lambda study: [words.dated(study.counts), "0: no posting returned for the month"],
    figures.months,
)
ROLES: Final = Listing["Study"](
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
    figures.roles,
)
POSTINGS: Final = Listing["Study"](
    "Postings: {subject}",
    (
        Column("date_posted", "Posted", "date"),
        NAME,
        Column("title", "Title"),
        Column("families", "Role families by keyword", null="no keyword found"),
        Column("job_id", "Job id", "id"),
    ),
    lambda study: [words.postings(study.counts), f"dated: {number(study.counts.postings_dated)}"],
)
NEWS: Final = Listing["Study"](
    "News: {subject}",
    (
        Column("publish_date", "Published", "date"),
        NAME,
        *columns("text", title="Title", source="Publisher", url="Address"),
        Column("news_item_id", "Article id", "id"),
    ),
    lambda study: [
        f"news of {number(study.counts.companies_with_news)} of "
        f"{words.companies(study.counts.companies)}",
        "an article of several companies is there for each",
    ],
)
