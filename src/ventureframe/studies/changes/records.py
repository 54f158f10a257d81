"""A record of each resource: how it is named, dated and shown, and how its fields are
compared.

A record can be newly seen and old: its own date says so where it has one, as
precisely as that is given (interface, reading rule 7).
"""

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import polars as pl
from polars import DataFrame, col, lit, when

from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.client.result import Result
from ventureframe.display.table import Column
from ventureframe.display.wording import number
from ventureframe.evidence.rows import first_that_holds

SHOWN: Final[Mapping[str, tuple[Column, ...]]] = {
    "companies": (
        Column("name", "Company"),
        Column("launch_date", "Founded", "year"),
        Column("hq_country", "Country"),
        Column("company_status", "Status"),
    ),
    "funds": (
        Column("name", "Fund"),
        Column("fund_date", "Announced", "vintage"),
        Column("fund_type", "Type"),
    ),
    "funding-rounds": (
        Column("round_type", "Round"),
        Column("year", "Year", "year"),
        Column("month", "Month", "number"),
    ),
    "news": (
        Column("title", "Headline"),
        Column("publish_date", "Published", "date"),
    ),
    "jobs": (
        Column("title", "Title"),
        Column("date_posted", "Posted", "date"),
    ),
}
"""What is shown of a record: its name, its own date in columns that are not text,
and more.
"""
NAMED = (Column("name", "Name"),)
"""What is shown of a record of another resource, which has no date of its own."""

CONVERTED = {
    "companies": "total_funding",
    "funds": "amount",
    "funding-rounds": "amount",
}
"""The field of each resource whose amounts the service converts to the requested
currency.
"""
# as recorded, in its own currency, where the rows show it
NATIVE = "amount_source"

EARLIER = "earlier"
"""The own date of a newly seen record that is dated on the day of the first fetch or
before: it was recorded late.
"""

SEEN = {"newly_seen": "newly seen", "no_longer_seen": "no longer listed"}
"""What a record is of which only one of the fetches knows, in words."""
KINDS: Final[Mapping[str, str]] = {
    "changed": "another value is recorded",
    "newly_recorded": "a value is recorded where none was",
    "no_longer_recorded": "no value is recorded where one was",
    "cannot_tell": "may be exchange rates alone",
}
"""How a field of a record that both fetches have can differ; the last one is not a
change.
"""
# what the second fetch's columns end in, beside those of the first
NEW = "__new"
REACH = 0.2
"""How far exchange rates of usual currencies move within a year, as a logarithm."""
RECORD = "__record"  # the column of a record's name beside them


def shown(resource: str) -> tuple[Column, ...]:
    """What is shown of a record of this resource."""
    return SHOWN.get(resource, NAMED)


def own_date(
    new: Result, columns: Collection[str], first: dt.datetime | None
) -> pl.Expr:
    """Whether a new record is dated before the first fetch: `EARLIER`, else null.

    A date is taken as precisely as it is given: 2013, 2013-10 or 2013-10-01, a fund's
    first of January as its year. A record of the year of the first fetch is not known
    to be earlier.
    """
    dates = [one for one in shown(new.resource.name) if one.kind != "text"]
    names = [one.name for one in dates]
    if not names or first is None or not {*names} <= {*columns}:
        return lit(None, pl.String)
    parts = [col(name).cast(pl.String).str.zfill(2) for name in names]
    texts = [name + TEXT_SUFFIX for name in names]
    imprecise = [name for name in texts if name in new.details.extra_columns]
    date = pl.coalesce(pl.concat_str(parts, separator="-"), parts[0], *imprecise)
    if any(one.kind == "vintage" for one in dates):
        date = date.str.strip_suffix("-01-01")
    # the last day that it can be of
    rest = lit("-12-31").str.slice(date.str.len_chars() - len("2013"))
    is_earlier = pl.concat_str(date, rest) <= f"{first:%Y-%m-%d}"
    return when(is_earlier).then(lit(EARLIER))


def recorded(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Whether something is recorded: in a list an entry, in a record a member."""
    if isinstance(kind, pl.List):
        return column.list.len() > 0
    if isinstance(kind, pl.Struct):
        members = [column.struct.field(part.name) for part in kind.fields]
        return pl.any_horizontal(member.is_not_null() for member in members)
    return column.is_not_null()


def differences(
    both: DataFrame, key: Sequence[str], fields: Sequence[str], converted: str
) -> DataFrame:
    """A row per record and field that differs, with the kind and both values as text.

    The amounts of the field `converted` move with exchange rates. Where its amount
    as recorded is known, that one is compared instead.
    """
    none = {name: lit("") for name in ("record", "field", "kind", "old", "new")}
    changes = [both.select(key).clear().with_columns(**none)]
    for name in fields:
        old, new = col(name), col(name + NEW)
        rows = both.filter(old.ne_missing(new))
        if name == converted and NATIVE in fields:
            rows = rows.filter(~_has_native(NATIVE), ~_has_native(NATIVE + NEW))
        kind = both.schema[name]
        before, after = _comparable(old, kind), _comparable(new, kind)
        cases = [
            (before.is_null(), "newly_recorded"),
            (after.is_null(), "no_longer_recorded"),
        ]
        if name == converted:
            cases.append((_moved_as_rates(old, new), "cannot_tell"))
        change = rows.filter(before.ne_missing(after)).select(
            *key,
            record=col(RECORD),
            field=lit(name),
            kind=first_that_holds(cases, otherwise="changed"),
            old=_text(name, kind),
            new=_text(name + NEW, kind),
        )
        changes.append(change)
    return pl.concat(changes)


def _has_native(name: str) -> pl.Expr:
    amount = col(name).struct.field("amount")
    return amount.is_not_null()


def _moved_as_rates(old: pl.Expr, new: pl.Expr) -> pl.Expr:
    are_known = (old > 0) & (new > 0)
    return are_known & ((new / old).log().abs() <= REACH)


def _comparable(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """The value, null where nothing is recorded, a list as a set."""
    is_list = isinstance(kind, pl.List)
    value = column.list.unique().list.sort() if is_list else column
    return when(recorded(column, kind)).then(value)


def _text(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded
    as null.
    """
    column = col(name)
    text = column.cast(pl.String)
    if kind.is_nested():
        record = pl.struct(column.alias("v")).struct.json_encode()
        text = record.str.strip_prefix('{"v":').str.strip_suffix("}")
    return when(recorded(column, kind)).then(text)


def readable(changes: DataFrame, currency: str | None) -> DataFrame:
    """Add `before` and `after`: amounts rounded, with their currency; else as text."""
    amounts = {NATIVE, *CONVERTED.values()}
    rows = list[Sequence[str | None]]()
    for field, *texts in changes.select("field", "old", "new").iter_rows():
        rows.append(_amounts(texts, currency) if field in amounts else texts)
    schema = dict.fromkeys(("before", "after"), pl.String())
    return changes.hstack(DataFrame(rows, schema, orient="row"))


def _amounts(texts: Sequence[str | None], currency: str | None) -> Sequence[str | None]:
    """Amounts in whole units, or in cents where both are the same number of units."""
    values = [_amount(text, currency) for text in texts]
    units = [round(amount) for amount, _ in values if amount is not None]
    is_whole = len({*units}) == len(units)
    shown = list[str | None]()
    for text, (amount, code) in zip(texts, values, strict=True):
        rounded = round(amount) if amount and is_whole else amount
        amount_text = f"{code or ''} {number(rounded)}".lstrip()
        shown.append(None if text is None else amount_text)
    return shown


def _amount(text: str | None, currency: str | None) -> tuple[float | None, str | None]:
    """The amount and its currency: a converted one is a number, a recorded one has a
    currency of its own.
    """
    value = None if text is None else json.loads(text)
    if isinstance(value, dict):
        return value["amount"], value["currency"]
    return value, currency
