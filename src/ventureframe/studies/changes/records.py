"""A record of each resource: how it is named, dated and shown, and how its fields are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

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

KINDS: Final[Mapping[str, str]] = {
    "changed": "another value is recorded",
    "newly_recorded": "a value is recorded where none was",
    "no_longer_recorded": "no value is recorded where one was",
}
"""How a field of a record that both fetches have can differ."""


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


CHANGE: Final = pl.Struct(dict.fromkeys(("kind", "old", "new"), pl.String()))


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
