"""The evidenced companies by one of their fields: how many, and what is known of their funding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import polars as pl

TOP_TEN: Final = 10


def grouped(evidenced: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The findings `founded`, `statuses` and `places`, a row per value of a field.

    Columns are the field (null: not recorded, the last row), companies, funding_known,
    funding_total (of the known totals), currency.
    """
    found = {name: _by(field, evidenced) for name, field in _FIELDS.items()}
    return {**found, "founded": _every_year(found["founded"])}


_FIELDS: Final[Mapping[str, str]] = {
    "founded": "launch_date",
    "statuses": "company_status",
    "places": "hq_country",
}


def _by(field: str, evidenced: pl.DataFrame) -> pl.DataFrame:
    rows = evidenced.group_by(field).agg(
        pl.len().cast(pl.Int64).alias("companies"),
        pl.col("total_funding").count().cast(pl.Int64).alias("funding_known"),
        pl.col("total_funding").drop_nulls(),
        pl.first("currency"),
    )
    # fsum: the sum of the same amounts is the same in every order and on every engine
    sums = [math.fsum(each) if len(each) else None for each in rows["total_funding"].to_list()]
    rows = rows.with_columns(funding_total=pl.Series(sums, dtype=pl.Float64))
    rows = rows.select(field, "companies", "funding_known", "funding_total", "currency")
    return rows.sort(pl.col(field).is_null(), -pl.col("companies"), field)


def _every_year(rows: pl.DataFrame) -> pl.DataFrame:
    """Each year from the first to the last, also those without a company; none recorded last."""
    years = rows["launch_date"].drop_nulls()
    if years.is_empty():
        return rows
    span = pl.DataFrame({"launch_date": range(int(min(years)), int(max(years)) + 1)})
    every = span.cast(rows.schema["launch_date"]).join(rows, on="launch_date", how="left")
    every = every.with_columns(
        pl.col("companies", "funding_known").fill_null(0),
        pl.lit(rows["currency"][0]).alias("currency"),
    )
    return pl.concat([every, rows.filter(pl.col("launch_date").is_null())])


def largest(evidenced: pl.DataFrame) -> list[tuple[str | None, float]]:
    """The names and totals of the companies with the largest known ones: at most ten."""
    known = evidenced.drop_nulls("total_funding")
    known = known.sort(-pl.col("total_funding"), "company_name", "company_uuid", nulls_last=True)
    return known.select("company_name", "total_funding").head(TOP_TEN).rows()
