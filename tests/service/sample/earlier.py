"""The sample as it stood at an earlier day, so that two fetches of it can be compared.

Some of what differs happened in between, some was only recorded late: which is
which, a reader of two fetches can often not tell, and that is the lesson. Every
choice follows from a row's own id.
"""

import dataclasses
import datetime as dt
from typing import Final

import polars as pl

from ventureframe_service.dataset import Dataset

_DATES: Final = {
    "jobs": "date_posted",
    "news": "publish_date",
    "funds": "fund_date",
    "fx": "date",
}
_TAKEN_DOWN: Final = 1_000_000
"""Added to the id of a posting to make that of one which is there on the earlier day
only.
"""


def earlier(dataset: Dataset, day: dt.date) -> Dataset:
    """The dataset with nothing dated after `day`, and without what was entered late."""
    tables = dict(dataset.tables)
    for name, date in _DATES.items():
        tables[name] = tables[name].filter((pl.col(date) <= day).fill_null(value=True))
    rounds, jobs, news = (tables[name] for name in ("funding_rounds", "jobs", "news"))
    month = pl.col("month").fill_null(12)
    since = (pl.col("year") > day.year) | (
        (pl.col("year") == day.year) & (month > day.month)
    )
    is_later = since.fill_null(value=False)
    companies = _companies(tables["companies"], rounds.filter(is_later), day)
    there = companies["uuid"].implode()
    down = jobs.filter(_one_in(7, "id")).with_columns(pl.col("id") + _TAKEN_DOWN)
    linked = pl.col("entity_ids").list.set_intersection(pl.lit(there))
    tables |= {
        "companies": companies,
        "funding_rounds": rounds.filter(
            ~is_later & pl.col("company_uuid").is_in(there)
        ),
        "jobs": pl.concat([jobs, down]).filter(pl.col("entity_id").is_in(there)),
        "news": (
            news.filter(~_one_in(30, "id"))
            .with_columns(entity_ids=linked)
            .filter(pl.col("entity_ids").list.len() > 0)
        ),
    }
    for name in ("company_founders", "career"):
        tables[name] = tables[name].filter(pl.col("company_uuid").is_in(there))
    return Dataset.of(dataclasses.replace(dataset.description, as_of=day), tables)


def _companies(
    companies: pl.DataFrame, later: pl.DataFrame, day: dt.date
) -> pl.DataFrame:
    """Without those entered late; with the totals, open jobs, states and sizes of
    that day.
    """
    raised = later.group_by(uuid="company_uuid").agg(raised=pl.col("amount").sum())
    total = pl.col("total_funding") - pl.col("raised").fill_null(0)
    jobs, status = pl.col("open_jobs_count"), pl.col("company_status")
    was_operational = (status == "acquired") & _one_in(8, "uuid")
    is_new = (pl.col("launch_date") >= day.year).fill_null(value=False) & _one_in(
        2, "uuid"
    )
    return (
        companies.join(raised, on="uuid", how="left", maintain_order="left")
        .with_columns(
            total_funding=pl.when(total > 0).then(total),
            total_funding_currency=pl.when(total > 0).then("total_funding_currency"),
            company_status=pl.when(was_operational)
            .then(pl.lit("operational"))
            .otherwise(status),
            team_size=pl.when(~_one_in(13, "uuid")).then("team_size"),
            open_jobs_count=jobs - (_one_in(3, "uuid") & (jobs > 1)),
        )
        .filter(~is_new & ~_one_in(40, "uuid"))
        .select(companies.columns)
    )


def _one_in(count: int, key: str) -> pl.Expr:
    """One row in so many, always the same ones."""
    id_ = pl.col(key)
    number = id_ if key == "id" else id_.str.slice(-6).str.to_integer(base=16)
    return number % count == 0
