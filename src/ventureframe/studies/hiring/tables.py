"""The tables of a study of hiring."""

from __future__ import annotations

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, counted, number
from ventureframe.studies.hiring.find import Study


def ranking(study: Study) -> Table:
    """The companies, most open jobs first, with their postings, news, funding and latest round."""
    c = study.counts
    return Table.of(
        study.companies,
        Column("company_name", "Company"),
        Column("hq_country", "Country"),
        Column("launch_date", "Founded", "year"),
        Column("is_hiring", "Hiring flag", "flag"),
        Column("open_jobs_count", "Open jobs", "number"),
        Column("postings", "Postings returned", "number"),
        Column("latest_posting", "Latest posting", "date"),
        Column("news", "News items", "number"),
        Column("latest_news", "Latest news", "date"),
        Column("team_size", "Team", "number"),
        Column("signal_rating", "Signal rating", "number"),
        Column(study.funding, "Total funding", "money", study.currency),
        Column("rounds", "Dated rounds", "state"),
        Column("latest_round_type", "Latest round", null="not known"),
        Column("latest_round_year", "Its year", "year", null="not known"),
        Column(study.latest_round, "Its amount", "money", study.currency, null="not known"),
        Column("company_uuid", "Company UUID", "id"),
        title=f"Companies by open jobs: {study.subject}",
        caption=caption(
            f"open jobs reported by {number(c.open_jobs_known)} of "
            f"{counted(c.companies, 'company', 'companies')}",
            f"total funding in {study.currency} known for {number(c.funding_known)}",
            f"rounds asked for the first {number(c.rounds_asked)}",
            source=study.source,
        ),
    )


def postings(study: Study) -> Table:
    """Every posting, latest first, with the role families its title matches."""
    c = study.counts
    return Table.of(
        study.jobs,
        Column("date_posted", "Posted", "date"),
        Column("company_name", "Company"),
        Column("title", "Title"),
        Column("families", "Role families by keyword", null="no keyword found"),
        Column("job_id", "Job id", "id"),
        title=f"Postings: {study.subject}",
        caption=caption(
            f"{counted(c.postings, 'posting')} of "
            f"{counted(c.companies_with_postings, 'company', 'companies')}",
            f"dated: {number(c.postings_dated)}",
            source=study.source,
        ),
    )


def news(study: Study) -> Table:
    """The news items, latest first, at every company each is linked with."""
    c = study.counts
    return Table.of(
        study.news,
        Column("publish_date", "Published", "date"),
        Column("company_name", "Company"),
        Column("title", "Title"),
        Column("source", "Publisher"),
        Column("url", "Address"),
        Column("news_item_id", "Article id", "id"),
        title=f"News: {study.subject}",
        caption=caption(
            f"news of {number(c.companies_with_news)} of "
            f"{counted(c.companies, 'company', 'companies')}",
            "an article of several companies is there for each",
            source=study.source,
        ),
    )


def months(study: Study) -> Table:
    """Postings returned per month, also the months without any."""
    c = study.counts
    return Table.of(
        study.months,
        Column("month", "Month from", "date"),
        Column("postings", "Postings", "number"),
        Column("companies", "Companies", "number"),
        title=f"Postings per month: {study.subject}",
        caption=caption(
            f"{number(c.postings_dated)} of {counted(c.postings, 'posting')} dated",
            "0: no posting returned for the month",
            source=study.source,
        ),
    )


def roles(study: Study) -> Table:
    """The role families with the keywords that make them, and how many titles match."""
    c = study.counts
    return Table.of(
        study.roles,
        Column("family", "Role family"),
        Column("keywords", "Keywords, matched as whole words, case ignored"),
        Column("postings", "Postings", "number"),
        Column("companies", "Companies", "number"),
        title=f"Role families by keyword: {study.subject}",
        caption=caption(
            f"{number(c.postings_in_family)} of {counted(c.postings, 'posting')} match a keyword, "
            "some several",
            "a keyword match is not proof of need",
            source=study.source,
        ),
    )


def growth(study: Study) -> Table:
    """Open jobs and postings against an earlier save, for companies in both."""
    c = study.counts
    return Table.of(
        study.growth,
        Column("company_name", "Company"),
        Column("open_jobs_then", "Open jobs then", "number"),
        Column("open_jobs_now", "Open jobs now", "number"),
        Column("change", "Change", "number", null="not known"),
        Column("postings_newly_seen", "Postings newly seen", "number", null="not known"),
        Column("postings_no_longer_seen", "No longer seen", "number", null="not known"),
        Column("company_uuid", "Company UUID", "id"),
        title=f"Against the earlier save: {study.subject}",
        caption=caption(
            f"{counted(c.compared, 'company', 'companies')} in both"
            if c.has_previous
            else "no earlier save was given",
            "newly seen is not newly happened",
            source=study.source,
        ),
    )
