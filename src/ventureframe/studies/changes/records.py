"""A record of each resource: how it is named, dated and shown, and how its fields are compared.

A record can be newly seen and old: its own date says so where it has one, as precisely as that is
given (interface, reading rule 7).
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Mapping
from functools import reduce
from operator import or_
from typing import Final, TypeVar

import narwhals as nw
import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.client.result import Result
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import number

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

CONVERTED: Final[Mapping[str, str]] = {
    "companies": "total_funding",
    "funds": "amount",
    "funding-rounds": "amount",
}
"""The field of each resource whose amounts the service converts to the requested currency."""
NATIVE: Final = "amount_source"
"""The recorded amount of such a record, in its own currency, where the rows show it."""

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
    "cannot_tell": "moved as rates can: cannot tell",
}
"""How a field of a record that both fetches have can differ; the last one is not a change."""
CHANGED: Final = tuple(word for word in KINDS if word != "cannot_tell")
"""The kinds that are a change."""
CHANGE: Final = pl.Struct(dict.fromkeys(("kind", "old", "new"), pl.String()))
"""One change: a word of `KINDS`, and both values as text."""


def own_date(
    new: Result, columns: Collection[str], days: tuple[dt.date, dt.date] | None
) -> pl.Expr:
    """How a new record's own date lies to the days of two fetches: a word of `OWN_DATES`, or null.

    Null for every record where the days are not known, or `columns` do not have the date.
    """
    shows = SHOWN.get(new.resource.name, NAMED)
    names = [column.name for column in shows if column.kind != "text"]
    if not names or days is None or not {*names} <= {*columns}:
        return pl.lit(None, pl.String)
    before, after = (day.isoformat() for day in days)
    # as precisely as it is given, as text that sorts: 2013, 2013-10 or 2013-10-01
    parts = [
        pl.col(name).cast(pl.String).str.zfill(digits)
        for name, digits in zip(names, (4, 2), strict=False)
    ]
    less = (name + TEXT_SUFFIX for name in names if name + TEXT_SUFFIX in new.details.extra_columns)
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


_Expr = TypeVar("_Expr", pl.Expr, nw.Expr)


def recorded(column: _Expr, kind: object) -> _Expr:
    """Whether something is recorded: in a list an entry, in a record a member."""
    if isinstance(kind, pl.List | nw.List):
        return column.list.len() > 0
    if isinstance(kind, pl.Struct | nw.Struct):
        members = (column.struct.field(each.name) for each in kind.fields)
        return reduce(or_, (~member.is_null() for member in members))
    return ~column.is_null()


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
    return pl.when(recorded(pl.col(name), kind)).then(column)


def text(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded as null."""
    if not isinstance(kind, pl.List):
        return plain(name, kind).cast(pl.String)
    whole = pl.struct(pl.col(name).alias("v")).struct.json_encode()
    return pl.when(recorded(pl.col(name), kind)).then(
        whole.str.strip_prefix('{"v":').str.strip_suffix("}")
    )


def moved(old: str, new: str, furthest: float) -> pl.Expr:
    """What two converted amounts say: "cannot_tell" where rates can have moved one to the other.

    >>> amounts = pl.DataFrame({"old": [1e6, 1e6], "new": [1.02e6, 2e6]})
    >>> amounts.select(moved("old", "new", 0.1)).to_series().to_list()
    ['cannot_tell', 'changed']
    """
    before, after = pl.col(old), pl.col(new)
    is_near = (before > 0) & (after > 0) & ((after / before).log().abs() <= furthest)
    return (
        pl.when(is_near & (furthest > 0)).then(pl.lit("cannot_tell")).otherwise(pl.lit("changed"))
    )


def change(old: str, new: str, kind: pl.DataType, *, rate: pl.Expr | None = None) -> pl.Expr:
    """The kind of change from one column to another and both as text; null where none is.

    `rate` says of a converted amount what `moved` does, or "same" where it is not compared.
    """
    before, after = plain(old, kind), plain(new, kind)
    said = pl.lit(None, pl.String) if rate is None else rate
    case = (
        pl.when(before.is_null())
        .then(pl.lit("newly_recorded"))
        .when(after.is_null())
        .then(pl.lit("no_longer_recorded"))
        .when(said == "cannot_tell")
        .then(said)
        .otherwise(pl.lit("changed"))
    )
    both = pl.struct(kind=case, old=text(old, kind), new=text(new, kind))
    return pl.when(before.ne_missing(after) & said.ne_missing("same")).then(both)


def readable(changes: pl.DataFrame, currency: str | None) -> pl.DataFrame:
    """The changes with `before` and `after`: amounts rounded, with their currency; else as text."""
    is_amount = pl.col("field").is_in([NATIVE, *CONVERTED.values()])
    places = changes.select(is_amount).to_series().arg_true()
    shown = changes[places].select("old", "new").iter_rows()
    pairs = [_amounts(old, new, currency) for old, new in shown]
    amounts = pl.DataFrame(pairs, dict.fromkeys(("old", "new"), pl.String()), orient="row")
    return changes.with_columns(
        changes[side].scatter(places, amounts[side]).alias(name)
        for side, name in (("old", "before"), ("new", "after"))
    )


def _amounts(old: str | None, new: str | None, currency: str | None) -> list[str | None]:
    """Two amounts in whole units, or in cents where both are the same number of units."""
    both = [None if text is None else _amount(text, currency) for text in (old, new)]
    whole = [round(each[0]) for each in both if each is not None and each[0] is not None]
    is_whole = len(set(whole)) == len(whole)
    return [
        each and f"{number(round(each[0]) if is_whole and each[0] else each[0])} {each[1]}".rstrip()
        for each in both
    ]


def _amount(text: str, currency: str | None) -> tuple[float | None, str]:
    """The amount and its currency: converted ones are a number, recorded ones a record."""
    found = json.loads(text)
    amount, code = (
        (found["amount"], found["currency"]) if isinstance(found, dict) else (found, currency)
    )
    return amount, code or ""
