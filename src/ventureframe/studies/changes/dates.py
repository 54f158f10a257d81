"""How the date that a record carries lies to the days of two fetches.

A record can be newly seen and old: its own date says so where it has one, as precisely as that is
given (interface, reading rule 7).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

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
    parts = _parts(result, columns)
    if parts is None or old is None or new is None:
        return pl.lit(None, pl.String)
    year, month, day = (part.cast(pl.Int64) for part in parts)
    first = _coded(year, month.fill_null(1), day.fill_null(1))
    last = _coded(year, month.fill_null(12), day.fill_null(31))
    before, after = _coded(old.year, old.month, old.day), _coded(new.year, new.month, new.day)
    return (
        pl.when(last <= before)
        .then(pl.lit("before"))
        .when(first > after)
        .then(pl.lit("after"))
        .when((first > before) & (last <= after))
        .then(pl.lit("between"))
        .when(year.is_not_null())
        .then(pl.lit("cannot_tell"))
    )


def _coded(year: Any, month: Any, day: Any) -> Any:
    """A day as a number that sorts: 20131001."""
    return year * 10_000 + month * 100 + day


def _parts(result: Result, columns: Sequence[str]) -> tuple[pl.Expr, pl.Expr, pl.Expr] | None:
    """Year, month and day of a record's own date, as far as it has them; None without a date."""
    nothing = pl.lit(None, pl.Int64)
    if result.resource is COMPANIES:
        return pl.col("launch_date"), nothing, nothing
    if result.resource is FUNDING_ROUNDS:
        return pl.col("year"), pl.col("month"), nothing
    name = next((each.name for each in result.resource.returned if each.type == "date"), None)
    if name is None:
        return None
    day = pl.col(name).dt
    if name + frames.TEXT_SUFFIX not in columns:
        return day.year(), day.month(), day.day()
    less = pl.col(name + frames.TEXT_SUFFIX).str  # "2013" or "2013-10"
    return (
        pl.coalesce(day.year(), less.slice(0, 4).cast(pl.Int64)),
        pl.coalesce(day.month(), less.slice(5, 2).cast(pl.Int64, strict=False)),
        day.day(),
    )
