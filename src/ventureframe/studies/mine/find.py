"""The companies of a list with what the records know of each, from the findings of
other studies.
"""

from collections import Counter
from collections.abc import Collection

import polars as pl
from polars import DataFrame, col

from ventureframe.display.wording import Count
from ventureframe.evidence import rows
from ventureframe.evidence.rows import Frame
from ventureframe.matching.grades import GRADES
from ventureframe.matching.match import Match
from ventureframe.studies.companies import with_facts, with_texts
from ventureframe.studies.hiring.study import Study as Hiring
from ventureframe.studies.institutions.study import Study as Institutions
from ventureframe.studies.mine import words
from ventureframe.studies.mine.study import FOUND_BY, Counts, Study, further

_MEANS = {
    "domain": "one record and one row have the website, and something else agrees",
    "name and place": "one record has the name in that city",
    "confirmed by you": "you said yes",
    "name only": "only the name is equal: confirm or refuse it",
    "several": "several records, or one of which something differs: choose one or none",
    "not found": "no record was found, which does not mean that there is none",
    "refused by you": "you said no",
    "not looked up": "the fetch ended before",
}
_SITE_ALONE = "only the website is equal, under another name: confirm or refuse it"
_IS_USED = col("record_uuid").is_not_null()
_IS_HIRING = pl.any_horizontal(
    col("is_hiring"), col("postings") > 0, col("open_jobs_count") > 0
).fill_null(value=False)
_PERSON = {"uuid": pl.String, "name": pl.String}
_PAIR = {"company_uuid": pl.String, "founder_uuid": pl.String}
_TAG = {"company_uuid": pl.String, "name": pl.String, "type": pl.String}


def find(
    *,
    match: Match,
    hired: Hiring,
    linked: Institutions,
    company_founders: Frame,
    founders: Frame,
    company_tags: Frame,
    withheld: Collection[str] = (),
) -> Study:
    """The study of a list; nothing is fetched.

    Parameters
    ----------
    match : Match
        The list held against the records.
    hired, linked : Study
        The hiring of the companies that are used, and the universities of their
        founders; the currency of the first is that of all amounts.
    company_founders, founders, company_tags : frame
        As the service returns them, lists flat.
    withheld : collection of str
        The companies of which the service does not show where the founders studied.
    """
    institutes = linked.frames["institutions"]
    people = rows.typed(founders, _PERSON).rename({"uuid": "founder_uuid"})
    pairs = rows.typed(company_founders, _PAIR).join(people, on="founder_uuid")
    sectors = rows.typed(company_tags, _TAG).filter(type="sector")
    ranking = hired.frames["ranking"]
    companies = with_facts(ranking, _of_list(match))
    companies = with_texts(companies, pairs, "name", "founders")
    companies = with_texts(companies, sectors, "name", "sectors")
    companies = rows.highest_first(
        companies, "total_funding", "company_name", "company_uuid"
    )
    frames = {
        "grades": _grades(match),
        "companies": companies,
        "universities": institutes.filter(col("companies_evidenced") > 0),
        "hiring": companies.filter(_IS_HIRING),
        "rows": match.rows.frame,
        "to_check": match.to_check.frame,
        "coverage": hired.frames["coverage"],
    }
    by_website = match.graded.filter(_IS_USED, grade="domain")
    site_alone = match.graded.filter(~_IS_USED, grade="domain").height
    states = match.states
    counts = rows.counted(
        Counts,
        frames,
        currency=hired.currency,
        companies_linked=linked.counts.companies_evidenced,
        companies_withheld=Count(len(withheld)),
        founders_read=Count(people.height),
        education_entries=linked.counts.entries,
        list_rows=Count(match.graded.height),
        matched=states["matched"],
        to_decide=states["to decide"],
        not_found=states["not found"],
        not_looked_up=states["not looked up"],
        records=Count(len(match.uuids)),
        renamed=Count(by_website["differs"].str.contains("name").sum()),
        site_alone=Count(site_alone),
        by_grade=Counter(match.counts) - Counter(domain=site_alone),
    )
    return Study.from_words(
        words,
        counts,
        source=hired.source,
        subject=match.list.name,
        currency=hired.currency,
        counts=counts,
        frames=frames,
        match=match,
    )


def _of_list(match: Match) -> DataFrame:
    """Per company the name that the list has for it, what it was found by, and the
    first further column of the list.
    """
    rows = match.graded.filter(_IS_USED)
    at, heading = rows["row"].to_list(), further(match.list)
    values = (
        match.list.frame[heading] if heading else pl.Series([None] * len(match.graded))
    )
    rows = rows.select(
        list_name=match.list.column("name")[at],
        found_by=col("grade").replace_strict(FOUND_BY, default=None),
        own=values.cast(pl.String)[at],
        company_uuid="record_uuid",
    )
    texts = pl.exclude("company_uuid").drop_nulls().unique(maintain_order=True)
    return rows.group_by("company_uuid").agg(texts.str.join("; ").replace("", None))


def _grades(match: Match) -> DataFrame:
    table = match.graded.group_by("grade", is_used=_IS_USED).agg(*rows.tally("rows"))
    is_alone = (col("grade") == "domain") & ~col("is_used")
    means = col("grade").replace_strict(_MEANS)
    meaning = pl.when(is_alone).then(pl.lit(_SITE_ALONE)).otherwise(means)
    order = col("grade").cast(pl.Enum([*GRADES]))
    table = table.sort(order, "is_used", descending=[False, True])
    return table.select("grade", "rows", meaning.alias("meaning"), "is_used")
