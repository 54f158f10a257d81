"""How each finding about hiring is listed: titles, columns, captions."""

from collections.abc import Iterator
from typing import Any, Final

from ventureframe.display.finding import Exhibit
from ventureframe.display.table import Column, columns
from ventureframe.evidence.rates import rate_day

_FIGURES: Final = "ventureframe.studies.hiring.figures:"
_UNKNOWN: Final = "not known"
_NAME, _COUNTRY = columns("text", company_name="Company", hq_country="Country")
_SITE: Final = Column("website_domain", "Website")
_COMPANY_ID: Final = Column("company_uuid", "Company UUID", "id")
_OPEN_JOBS: Final = Column(
    "open_jobs_count", "Open jobs", "number", meaning="as the company record says"
)
# a total comes converted: one without a rate cannot be told from one that is not reported
_FUNDING: Final = Column("total_funding", "Total funding", "money", null="none returned")


def _recorded(study: Any) -> Iterator[str]:
    """For how many companies open jobs and total funding are recorded."""
    c = study.counts
    yield f"open jobs reported by {c.open_jobs_known} of {c.companies:company}"
    yield f"total funding in {study.currency} known for {c.funding_known}"
    yield rate_day(study.source, "totals")


def _rounds(study: Any) -> Iterator[str]:
    """For which companies rounds were requested, and for how many several are the latest."""
    c = study.counts
    yield f"rounds requested for the first {c.rounds_asked}"
    if c.rounds_dated:
        yield rate_day(study.source, "rounds")
    if c.latest_several:
        yield f"several: {c.latest_several:company} with several rounds of the latest date"


RANKING: Final = Exhibit(
    "Companies by open jobs: {subject}",
    (
        *(_NAME, _OPEN_JOBS, _FUNDING, _COUNTRY, Column("launch_date", "Founded", "year")),
        *(Column("company_status", "Status"), Column("is_hiring", "Hiring flag", "flag")),
        Column("postings", "Postings returned", "number"),
        Column("latest_posting", "Latest posting", "date"),
        Column("news", "News items", "number"),
        Column("latest_news", "Latest news", "date"),
        *columns("number", team_size="Team", signal_rating="Signal rating"),
        Column("rounds", "Rounds", "state", meaning="of evidence.WINDOWS"),
        Column("latest_round_type", "Latest dated round", null=_UNKNOWN, meaning="of several: all"),
        Column("latest_round_year", "Its year", "year", null=_UNKNOWN),
        Column(
            "latest_round_amount",
            "Its amount",
            "money",
            null=_UNKNOWN,
            null_by="latest_round_amount_state",
            meaning="null where several share the date",
        ),
        # each in the currency that stands beside it, so the study's is not its unit
        Column("latest_round_amount_native", "As announced", "native", null=_UNKNOWN),
        Column("latest_round_native_currency", "Currency of that", null=_UNKNOWN),
        *(_SITE, _COMPANY_ID),
    ),
    lambda study: [*_recorded(study), *_rounds(study)],
    f"{_FIGURES}ranking",
    meaning=(
        "The companies, most open jobs first, then most postings. The frame also has hq_city; "
        "rounds_returned and rounds_dated (null: not requested); latest_rounds (how many share the "
        "latest month), latest_round_month and latest_round_amount_state (of evidence.AMOUNTS, or "
        "several)."
    ),
)
RECENT: Final = Exhibit(
    "Latest round and newest posting: {subject}",
    (
        _NAME,
        Column("is_fresh", "Fresh round and hiring", "flag", null="not known"),
        Column("latest_round_year", "Latest round", "year"),
        Column("latest_round_month", "Its month", "number"),
        Column("latest_round_type", "Its type"),
        Column("latest_round_amount", "Its amount", "money", null_by="latest_round_amount_state"),
        Column("months_since_round", "Months since", "number", null=_UNKNOWN),
        Column("latest_posting", "Newest posting", "date", null="no posting returned"),
        Column("postings", "Postings returned", "number"),
        *(_OPEN_JOBS, _SITE, _COMPANY_ID),
    ),
    lambda study: [
        "fresh: a dated round of the last 12 months, and open jobs or postings",
        *_rounds(study),
    ],
    f"{_FIGURES}recent",
    meaning="The companies with a dated round, fresh ones first, then by newest posting.",
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
    meaning="A row per recorded status, most companies first.",
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
    meaning="A row per condition on a number or on the status, in the order of counting.",
)
FUNDING_AND_HIRING: Final = Exhibit(
    "Total funding against open jobs: {subject}",
    (_NAME, _OPEN_JOBS, _FUNDING, _COMPANY_ID),
    _recorded,
    f"{_FIGURES}funding_and_hiring",
    rows=lambda study: study.frames["ranking"].select(
        "company_uuid", "company_name", "open_jobs_count", "total_funding", "currency"
    ),
)
MONTHS: Final = Exhibit(
    "Postings per month: {subject}",
    (
        Column("month", "Month", "month"),
        *columns("number", postings="Postings", companies="Companies"),
        Column("is_partial", "Partial", "flag", null="not known", meaning="not over on the day"),
    ),
    lambda study: [study.counts.dated, "0: no posting returned for the month", study.partial],
    f"{_FIGURES}months",
    meaning="A row per month from the first to the last dated posting.",
)
ROLES: Final = Exhibit(
    "Role families by keyword: {subject}",
    (
        Column("family", "Role family"),
        Column("keywords", "Keywords (in brackets: only as the role)"),
        *columns("number", postings="Postings", companies="Companies"),
    ),
    lambda study: [
        f"{study.counts.in_family} match a keyword, some several",
        "a keyword match is not proof of need",
    ],
    f"{_FIGURES}roles",
    meaning="A row per role family, most postings first.",
)
POSTINGS: Final = Exhibit(
    "Postings: {subject}",
    (
        Column("date_posted", "Posted", "date"),
        _NAME,
        Column("title", "Title"),
        Column("families", "Role families by keyword", null="no keyword found"),
        Column("url", "Address", "link"),
        *(Column("job_id", "Job id", "id"), _COMPANY_ID),
    ),
    lambda study: [study.counts.returned, f"dated: {study.counts.postings_dated}"],
    meaning="A row per posting, latest first.",
)
NEWS: Final = Exhibit(
    "News: {subject}",
    (
        Column("publish_date", "Published", "date"),
        _NAME,
        *columns("text", title="Title", source="Publisher"),
        Column("url", "Address", "link"),
        *(Column("news_item_id", "Article id", "id"), _COMPANY_ID),
    ),
    lambda study: [
        f"news of {study.counts.companies_with_news} of {study.counts.companies:company}",
        "an article of several companies is there for each",
    ],
    meaning="A row per article and company it is linked with, latest first.",
)
