"""The sample as it stood at an earlier day, so that two fetches of it can be compared.

Some of what differs happened in between, some was only recorded late: which is which, a reader of
two fetches can often not tell, and that is the lesson. Every choice follows from a row's own id.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Final

import polars as pl

from ventureframe.embedded.dataset import Dataset

_TAKEN_DOWN: Final = 1_000_000
"""Added to the id of a posting to make that of one which is there on the earlier day only."""


def earlier(dataset: Dataset, day: dt.date) -> Dataset:
    """The dataset with nothing dated after `day`, and without what was entered late."""
    tables = dict(dataset.tables)
    rounds = tables["funding_rounds"]
    since = (pl.col("year") > day.year) | (
        (pl.col("year") == day.year) & (pl.col("month").fill_null(12) > day.month)
    )
    later = rounds.filter(since.fill_null(value=False))
    companies = _companies(tables["companies"], later, day)
    there = companies["uuid"].implode()
    jobs = tables["jobs"].filter(_dated("date_posted", day))
    down = jobs.filter(_one_in(7, "id")).with_columns(pl.col("id") + _TAKEN_DOWN)
    news = tables["news"].filter(_dated("publish_date", day) & ~_one_in(30, "id"))
    linked = pl.col("entity_ids").list.set_intersection(pl.lit(there))
    tables |= {
        "companies": companies,
        "funding_rounds": rounds.join(later, on="id", how="anti").filter(
            pl.col("company_uuid").is_in(there)
        ),
        "jobs": pl.concat([jobs, down]).filter(pl.col("entity_id").is_in(there)),
        "news": news.with_columns(entity_ids=linked).filter(pl.col("entity_ids").list.len() > 0),
        "funds": tables["funds"].filter(_dated("fund_date", day)),
        "fx": tables["fx"].filter(pl.col("date") <= day),
    }
    return Dataset.of(dataclasses.replace(dataset.description, as_of=day), tables)


def _companies(companies: pl.DataFrame, later: pl.DataFrame, day: dt.date) -> pl.DataFrame:
    """Without those entered late; with the totals, open jobs, states and sizes of that day."""
    raised = later.group_by("company_uuid").agg(raised=pl.col("amount").sum())
    total = pl.col("total_funding") - pl.col("raised").fill_null(0)
    is_new = (pl.col("launch_date") >= day.year).fill_null(value=False) & _one_in(2, "uuid")
    was_operational = (pl.col("company_status") == "acquired") & _one_in(8, "uuid")
    return (
        companies.join(raised, left_on="uuid", right_on="company_uuid", how="left")
        .with_columns(
            total_funding=pl.when(total > 0).then(total),
            total_funding_currency=pl.when(total > 0).then("total_funding_currency"),
            company_status=pl.when(was_operational)
            .then(pl.lit("operational"))
            .otherwise("company_status"),
            team_size=pl.when(~_one_in(13, "uuid")).then("team_size"),
            open_jobs_count=pl.when(_one_in(3, "uuid") & (pl.col("open_jobs_count") > 1))
            .then(pl.col("open_jobs_count") - 1)
            .otherwise("open_jobs_count"),
        )
        .filter(~is_new & ~_one_in(40, "uuid"))
        .select(companies.columns)
    )


def _dated(name: str, day: dt.date) -> pl.Expr:
    """Dated that day or before, or not dated."""
    return (pl.col(name) <= day).fill_null(value=True)


def _one_in(count: int, key: str) -> pl.Expr:
    """One row in so many, always the same ones."""
    id_ = pl.col(key)
    number = id_ if key == "id" else id_.str.slice(-6).str.to_integer(base=16)
    return number % count == 0
