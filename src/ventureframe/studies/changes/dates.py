"""How the date that a record carries lies to the days of two fetches.

A record can be newly seen and old: its own date says so where it has one, as precisely as that is
given (interface, reading rule 7).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.client.result import Result
from ventureframe.studies.changes.records import NAMED, SHOWN

OWN_DATES: Final[Mapping[str, str]] = {
    "before": "dated on the day of the first fetch or earlier",
    "between": "dated after the first fetch and not after the second",
    "after": "dated after the second fetch",
    "cannot_tell": "its date is less precise than the time between the fetches",
}
"""How the date that a newly seen record carries lies to the two fetches; null: it carries none."""


def moment(result: Result) -> dt.datetime | None:
    """When a result is of: the start of its source's own day, else the time of the fetch."""
    as_of = result.provenance.source.as_of
    if as_of is None:
        return result.provenance.fetched_at
    return dt.datetime.combine(as_of, dt.time(), dt.UTC)


def shown(result: Result) -> str:
    """The day a result is of, in words."""
    known = moment(result)
    return "an unknown day" if known is None else known.date().isoformat()


def own_date(old: Result, new: Result) -> pl.Expr:
    """How a new record's own date lies to the two fetches: a word of `OWN_DATES`, or null."""
    shows = SHOWN.get(new.resource.name, NAMED)
    names = [column.name for column in shows if column.kind != "text"]
    if not names or moment(old) is None or moment(new) is None:
        return pl.lit(None, pl.String)
    # as precisely as it is given, as text that sorts: 2013, 2013-10 or 2013-10-01
    parts = [
        pl.col(name).cast(pl.String).str.zfill(digits)
        for name, digits in zip(names, (4, 2), strict=False)
    ]
    less = (name + TEXT_SUFFIX for name in names if name + TEXT_SUFFIX in new.extra_columns)
    date = pl.coalesce(pl.concat_str(parts, separator="-"), parts[0], *less)
    first, last = (
        pl.concat_str(date, pl.lit(rest).str.slice(date.str.len_chars() - len("2013")))
        for rest in ("-01-01", "-12-31")
    )
    before, after = shown(old), shown(new)
    cases = {
        "before": last <= before,
        "after": first > after,
        "between": (first > before) & (last <= after),
        "cannot_tell": date.is_not_null(),
    }
    return pl.coalesce(pl.when(holds).then(pl.lit(word)) for word, holds in cases.items())
