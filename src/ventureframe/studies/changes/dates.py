"""How the date that a record carries lies to the days of two fetches.

A record can be newly seen and old: its own date says so where it has one, as precisely as that is
given (interface, reading rule 7).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl

from ventureframe.client import frames
from ventureframe.client.result import Result
from ventureframe.interface.fields import COMPANIES, FUNDING_ROUNDS

OWN_DATES: Final[Mapping[str, str]] = {
    "before": "dated on the day of the first fetch or earlier",
    "between": "dated after the first fetch and not after the second",
    "after": "dated after the second fetch",
    "cannot_tell": "its date is less precise than the time between the fetches",
}
"""How the date that a newly seen record carries lies to the two fetches; null: it carries none."""


def day(result: Result) -> dt.date | None:
    """The day a result is of: its source's own, else that of the fetch."""
    moment = result.provenance.fetched_at
    return result.provenance.source.as_of or (None if moment is None else moment.date())


def moment(result: Result) -> dt.datetime:
    """When a result is of, to put two in order."""
    as_of, fetched = result.provenance.source.as_of, result.provenance.fetched_at
    if as_of is None and fetched is not None:
        return fetched
    return dt.datetime.combine(as_of or dt.date.min, dt.time(), dt.UTC)


def shown(result: Result) -> str:
    """The day a result is of, in words."""
    known = day(result)
    return "an unknown day" if known is None else known.isoformat()


def own_date(
    result: Result, columns: Sequence[str], old: dt.date | None, new: dt.date | None
) -> pl.Expr:
    """How a record's own date lies to the two fetches: a word of `OWN_DATES`, or null."""
    period = _period(result, columns)
    if period is None or old is None or new is None:
        return pl.lit(None, pl.String)
    first, last = period
    return (
        pl.when(first.is_null())
        .then(pl.lit(None, pl.String))
        .when(last <= _coded(old))
        .then(pl.lit("before"))
        .when(first > _coded(new))
        .then(pl.lit("after"))
        .when((first > _coded(old)) & (last <= _coded(new)))
        .then(pl.lit("between"))
        .otherwise(pl.lit("cannot_tell"))
    )


def _coded(day: dt.date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day


def _period(result: Result, columns: Sequence[str]) -> tuple[pl.Expr, pl.Expr] | None:
    """The first and the last day a record's own date can mean, each written as 20131001."""
    if result.resource is COMPANIES:
        year, month = pl.col("launch_date"), pl.lit(None, pl.Int64)
    elif result.resource is FUNDING_ROUNDS:
        year, month = pl.col("year"), pl.col("month")
    else:
        dates = [each.name for each in result.resource.returned if each.type == "date"]
        return _period_of_day(dates[0], columns) if dates else None
    return year * 10_000 + month.fill_null(1) * 100 + 1, year * 10_000 + month.fill_null(
        12
    ) * 100 + 31


def _period_of_day(name: str, columns: Sequence[str]) -> tuple[pl.Expr, pl.Expr]:
    day = pl.col(name).dt.strftime("%Y%m%d").cast(pl.Int64)
    if name + frames.TEXT_SUFFIX not in columns:
        return day, day
    digits = pl.col(name + frames.TEXT_SUFFIX).str.replace("-", "")
    part: Callable[[str], pl.Expr] = lambda end: (  # noqa: E731
        (digits + pl.lit(end)).str.slice(0, 8).cast(pl.Int64)
    )
    is_year = digits.str.len_chars() == 4
    return (
        pl.coalesce(day, pl.when(is_year).then(part("0101")).otherwise(part("01"))),
        pl.coalesce(day, pl.when(is_year).then(part("1231")).otherwise(part("31"))),
    )
