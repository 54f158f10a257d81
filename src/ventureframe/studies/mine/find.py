"""The companies of a list with what the records know of each, from the findings of
others.
"""

from collections.abc import Collection

import polars as pl

from ventureframe.display.wording import Count
from ventureframe.evidence import rows
from ventureframe.evidence.rows import Frame
from ventureframe.matching.match import Match
from ventureframe.studies.hiring.study import Study as Hiring
from ventureframe.studies.institutions.study import Study as Institutions
from ventureframe.studies.mine import words
from ventureframe.studies.mine.study import Counts, Study

_MEANS = {
    "domain": "the registered domain is equal, and nothing says otherwise",
    "name and place": "name and place are equal, and nothing says otherwise",
    "name only": "one record has the name: to be confirmed",
    "several": "several records, or one of which something differs: to be decided",
    "not found": "no record was found, which does not mean that there is none",
    "decided by you": "your decision",
    "not asked": "the fetch ended before",
}
_USED = ("domain", "name and place", "decided by you")


def find(
    *,
    match: Match,
    hired: Hiring,
    linked: Institutions,
    company_founders: Frame,
    founders: Frame,
    company_tags: Frame,
    changed: pl.DataFrame | None = None,
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
    changed : polars.DataFrame, optional
        Their changed fields, as `changes` lists them: uuid, field, kind.
    withheld : collection of str
        The companies of which the service does not show where the founders studied.
    """
    table = hired.frames["ranking"]
    names = rows.typed(founders, {"uuid": pl.String, "name": pl.String})
    pairs = rows.typed(
        company_founders, dict.fromkeys(("company_uuid", "founder_uuid"), pl.String)
    )
    named = pairs.join(names.rename({"uuid": "founder_uuid"}), on="founder_uuid")
    tags = rows.typed(
        company_tags, dict.fromkeys(("company_uuid", "name", "type"), pl.String)
    )
    parts = {
        "founders": named.select("company_uuid", text="name"),
        "sectors": tags.filter(type="sector").select("company_uuid", text="name"),
    }
    if changed is not None:
        parts["changed"] = changed.select(company_uuid="uuid", text="field")
    for name, part in parts.items():
        texts = pl.col("text").unique().sort().str.join("; ").alias(name)
        table = table.join(
            part.group_by("company_uuid").agg(texts), on="company_uuid", how="left"
        )
    parts_of = ("latest_round_type", "latest_round_year")
    last = pl.concat_str(*parts_of, separator=", ", ignore_nulls=True).replace("", None)
    table = table.with_columns(last_round=last)
    is_hiring = (
        pl.col("is_hiring") | (pl.col("postings") > 0) | (pl.col("open_jobs_count") > 0)
    )
    grades = [
        (grade, many, _MEANS[grade], grade in _USED)
        for grade, many in match.counts.items()
    ]
    schema = {
        "grade": pl.String,
        "rows": pl.Int64,
        "meaning": pl.String,
        "is_used": pl.Boolean,
    }
    institutes = linked.frames["institutions"].filter(pl.col("companies_evidenced") > 0)
    frames = {
        "grades": pl.DataFrame(grades, schema, orient="row"),
        "companies": rows.highest_first(
            table, "total_funding", "company_name", "company_uuid"
        ),
        "universities": institutes,
        "hiring": table.filter(is_hiring.fill_null(value=False)),
        "rows": match.rows.frame,
        "to_check": match.to_check.frame,
        "coverage": hired.frames["coverage"],
    }
    counts = rows.counted(
        *(Counts, frames),
        companies_linked=linked.counts.companies_evidenced,
        companies_withheld=Count(len(withheld)),
        list_rows=Count(match.graded.height),
        at_least=Count(match.band.at_least),
        at_most=Count(match.band.at_most),
        by_grade=match.counts,
    )
    return Study.told(
        *(words, counts, hired.counts.currency),
        source=hired.source,
        subject=match.list.name,
        currency=hired.counts.currency,
        counts=counts,
        frames=frames,
        match=match,
    )
