"""A record of each resource: how it is named, dated and shown, and how its fields are compared.

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
from ventureframe.display.table import Column, columns

SHOWN: Final[Mapping[str, tuple[Column, ...]]] = {
    "companies": (
        *columns("text", name="Company"),
        *columns("year", launch_date="Founded"),
        *columns("text", hq_country="Country", company_status="Status"),
    ),
    "funds": (
        *columns("text", name="Fund"),
        *columns("date", fund_date="Announced"),
        *columns("text", fund_type="Type"),
    ),
    "funding-rounds": (
        *columns("text", round_type="Round"),
        *columns("year", year="Year"),
        *columns("number", month="Month"),
    ),
    "news": (*columns("text", title="Headline"), *columns("date", publish_date="Published")),
    "jobs": (*columns("text", title="Title"), *columns("date", date_posted="Posted")),
}
"""What is shown of a record: its name, its own date in columns that are not text, and more."""
NAMED: Final = columns("text", name="Name")
"""What is shown of a record of another resource, which has no date of its own."""

OWN_DATES: Final[Mapping[str, str]] = {
    "before": "dated on the day of the first fetch or earlier",
    "between": "dated after the first fetch and not after the second",
    "after": "dated after the second fetch",
    "cannot_tell": "its date is less precise than the time between the fetches",
}
"""How the date that a newly seen record carries lies to the two fetches; null: it carries none."""

KINDS: Final[Mapping[str, str]] = {
    "changed": "another value is recorded",
    "newly_recorded": "a value is recorded where none was",
    "no_longer_recorded": "no value is recorded where one was",
}
"""How a field of a record that both fetches have can differ."""
CHANGE: Final = pl.Struct(dict.fromkeys(("kind", "old", "new"), pl.String()))
"""One change: a word of `KINDS`, and both values as text."""


def own_date(new: Result, first_day: dt.date, second_day: dt.date) -> pl.Expr:
    """How a new record's own date lies to the days of two fetches: a word of `OWN_DATES`, or null.

    The first day of the calendar is a day that is not known.
    """
    shows = SHOWN.get(new.resource.name, NAMED)
    names = [column.name for column in shows if column.kind != "text"]
    if not names or dt.date.min in (first_day, second_day):
        return pl.lit(None, pl.String)
    before, after = first_day.isoformat(), second_day.isoformat()
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
    cases = {
        "before": last <= before,
        "after": first > after,
        "between": (first > before) & (last <= after),
        "cannot_tell": date.is_not_null(),
    }
    return pl.coalesce(pl.when(holds).then(pl.lit(word)) for word, holds in cases.items())


def recorded(name: str, kind: pl.DataType) -> pl.Expr:
    """Whether something is recorded: in a list an entry, in a record a member."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        return column.list.len() > 0
    if isinstance(kind, pl.Struct):
        return pl.any_horizontal(column.struct.field(*kind.to_schema()).is_not_null())
    return column.is_not_null()


def plain(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as two sides of it can be compared; null where nothing is recorded.

    Lists are compared without their order.
    """
    column = pl.col(name)
    if isinstance(kind, pl.List):
        entry = pl.element() if isinstance(kind.inner, pl.Struct) else pl.struct(pl.element())
        column = column.list.eval(entry.struct.json_encode()).list.sort().list.join("\x1e")
    elif isinstance(kind, pl.Struct):
        column = column.struct.json_encode()
    return pl.when(recorded(name, kind)).then(column)


def text(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded as null."""
    if not isinstance(kind, pl.List):
        return plain(name, kind).cast(pl.String)
    whole = pl.struct(pl.col(name).alias("v")).struct.json_encode()
    return pl.when(recorded(name, kind)).then(whole.str.strip_prefix('{"v":').str.strip_suffix("}"))


def change(old: str, new: str, kind: pl.DataType) -> pl.Expr:
    """The kind of change from one column to another and both as text; null where none is."""
    before, after = plain(old, kind), plain(new, kind)
    case = (
        pl.when(before.is_null())
        .then(pl.lit("newly_recorded"))
        .when(after.is_null())
        .then(pl.lit("no_longer_recorded"))
        .otherwise(pl.lit("changed"))
    )
    both = pl.struct(kind=case, old=text(old, kind), new=text(new, kind))
    return pl.when(before.ne_missing(after)).then(both).alias(old)
