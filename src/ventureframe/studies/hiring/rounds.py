"""The latest round of each company beside its postings, and the companies that an answer names."""

from __future__ import annotations

import datetime as dt
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.client.frames import empty
from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence.engine_rows import Frame, Rows
from ventureframe.interface import fields

_ROUND: Final = {"company_uuid": rows.TEXT} | rows.typed(
    fields.FUNDING_ROUNDS, "id", "year", "month", "round_type", "amount"
)
BY_COMPANY: Final = ("company_name", "company_uuid")
ORDER: Final = (("open_jobs_count", "postings"), *BY_COMPANY)


def no_rounds(companies: Frame) -> Frame:
    """No round, on the engine of the companies."""
    none = empty(fields.FUNDING_ROUNDS).with_columns(company_uuid=pl.lit(None, pl.String))
    return rows.beside(none.select(*_ROUND, "amount_source"), rows.lazy(companies)).to_native()


def latest_rounds(rounds: Frame) -> Rows:
    """Per company its rounds counted, and the latest dated one; of several none is chosen."""
    found = rows.announced(rounds, _ROUND, key=["company_uuid", "id"])
    counted = found.group_by("company_uuid").agg(
        *rows.tally("rounds_returned", rounds_dated="year")
    )
    latest = rows.latest(
        _of_the_latest_month(found).drop("id"),
        ("company_uuid", "year", "month"),
        count="latest_rounds",
        texts=("round_type",),
        state="amount_state",
    )
    latest = latest.select(
        *("company_uuid", "latest_rounds"),
        nw.col("round_type").alias("latest_round_type"),
        nw.col(
            "year", "month", "amount", "amount_state", "amount_native", "native_currency"
        ).name.prefix("latest_round_"),
    )
    return counted.join(latest, on="company_uuid", how="left")


def _of_the_latest_month(found: Rows) -> Rows:
    """Per company the rounds that can be its latest: one of that year without a month can be."""
    year, month = nw.col("year"), nw.col("month")
    found = found.filter(year == year.max().over("company_uuid"))
    last = found.group_by("company_uuid").agg(month.max().alias("last"))
    found = found.join(last, on="company_uuid", how="left")
    return (
        found.filter(month.is_null() | (month == nw.col("last")))
        .with_columns(month=nw.col("last"))
        .drop("last")
    )


def recent(ranking: Rows, seen: dt.date | None) -> Rows:
    """The companies with a dated round, and whether that is fresh and they are hiring."""
    year, month = nw.col("latest_round_year"), nw.col("latest_round_month")
    months = (
        nw.lit(None, rows.WHOLE) if seen is None else (seen.year - year) * 12 + (seen.month - month)
    )
    since = nw.col("months_since_round")
    is_hiring = (nw.col("postings") > 0) | (nw.col("open_jobs_count").fill_null(0) > 0)
    found = ranking.filter(nw.col("rounds") == "records_returned")
    found = found.with_columns(months_since_round=months.cast(rows.WHOLE))
    found = found.with_columns(is_fresh=(since >= 0) & (since <= _FRESH) & is_hiring)
    return rows.highest_first(found, ("is_fresh", "latest_posting"), *BY_COMPANY).select(
        *("company_uuid", "company_name", "website_domain", "latest_round_year"),
        *("latest_round_month", "latest_round_type", "latest_round_amount"),
        *("latest_round_amount_state", "currency", "months_since_round", "is_fresh"),
        *("latest_posting", "postings", "open_jobs_count"),
    )


_FRESH: Final = 12
"""A round is fresh for so many months."""
_NAMED: Final = 3
"""Most companies that the answer names."""


def leaders(ranking: Rows, recent: Rows, seen: dt.date | None) -> dict[str, Any]:
    """Who has most open jobs, who posted last, and how many have a fresh round and are hiring."""
    most = rows.highest_first(ranking.filter(nw.col("open_jobs_count") > 0), *ORDER)
    last = rows.highest_first(
        ranking.filter(~nw.col("latest_posting").is_null()), "latest_posting", *BY_COMPANY
    )
    newest = rows.collected(last.select("company_name", "latest_posting").head(1)).rows()
    return {
        "most_open_jobs": tuple(
            rows.collected(most.select("company_name", "open_jobs_count").head(_NAMED)).rows()
        ),
        "newest_posting": newest[0] if newest else None,
        "fresh": None
        if seen is None
        else rows.one(recent, fresh=rows.holds(nw.col("is_fresh")))["fresh"],
    }
