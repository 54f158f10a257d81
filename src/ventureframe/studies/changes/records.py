"""A record of each resource: how it is named, dated and shown, and how its fields are
compared.

A record can be newly seen and old: its own date says so where it has one, as
precisely as that is given (interface, reading rule 7).
"""

import datetime as dt
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import polars as pl
from polars import DataFrame, col, lit, when

from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.client.result import Result
from ventureframe.display.wording import number, tags_in_words
from ventureframe.evidence.rows import first_that_holds


class Shown(NamedTuple):
    """The columns of a record that name it, say whose it is, and date it, and the
    amount that the service converts to the requested currency.
    """

    name: str = "name"
    owner: str = ""
    dates: tuple[str, ...] = ()
    amount: str = ""


SHOWN = {
    "companies": Shown(dates=("launch_date",), amount="total_funding"),
    "funds": Shown(dates=("fund_date",), amount="amount"),
    "funding-rounds": Shown("round_type", "company_uuid", ("year", "month"), "amount"),
    "news": Shown("title", "entity_id", ("publish_date",)),
    "jobs": Shown("title", "entity_id", ("date_posted",)),
}
AMOUNTS = ("total_funding", "amount")
# as recorded, in its own currency, where the rows show it
NATIVE = "amount_source"

EARLIER = "earlier"
"""Said of a newly seen record whose own date is the day of the first fetch or before:
it was recorded late.
"""

_FIELDS = (
    "total_funding",
    "hq_country",
    "hq_city",
    "company_status",
    "is_hiring",
    "open_jobs_count",
)
PLACES = {name: place for place, name in enumerate(_FIELDS)}
"""The fields that are named first, in this order; all others come after them."""
SEEN = {"newly_seen": "newly seen", "no_longer_seen": "no longer listed"}
"""What a record is called that only one of the fetches has."""
KINDS = (
    "changed: another value is recorded; newly recorded: a value is recorded where none"
    " was; no longer recorded: no value is recorded where one was"
)
"""How a field of a record that both fetches have can differ; `cannot_tell` is no
change.
"""
# the ending of the second fetch's columns in a row of both
NEW = "__new"
_FLAGS: Final[Mapping[str | None, str]] = {"true": "yes", "false": "no"}
REACH = 0.2
"""How far exchange rates of usual currencies move within a year, as a logarithm."""


def shown_columns(resource: str) -> Shown:
    """The columns that name and date a record of this resource."""
    return SHOWN.get(resource, Shown())


def named(
    new: Result, columns: Collection[str], names: Mapping[str, str]
) -> dict[str, pl.Expr]:
    """Name a record: `record` is the name of its owner and `detail` its own name;
    where no owner is known, `record` is its own name and `detail` null.
    """
    columns_of = shown_columns(new.resource.name)
    key = col(new.resource.key).cast(pl.String)
    own_name = col(columns_of.name) if columns_of.name in columns else key
    owner = lit(None, pl.String)
    if columns_of.owner in columns:
        uuid = col(columns_of.owner)
        owner = uuid.replace_strict(names, default=None, return_dtype=pl.String)
    detail = when(owner.is_not_null()).then(own_name)
    return {"record": pl.coalesce(owner, own_name, key), "detail": detail}


def seen(new: Result, columns: Collection[str]) -> dict[str, pl.Expr]:
    """The `amount`, `date` and `investors` of a record that one fetch alone has."""
    amount, investors = lit(None, pl.Float64), lit(None, pl.String)
    converted = shown_columns(new.resource.name).amount
    if converted in columns:
        amount = col(converted).cast(pl.Float64)
    if "investors" in columns:
        names = col("investors").list.eval(pl.element().struct.field("name"))
        investors = names.list.join("; ").replace("", None)
    return {"amount": amount, "date": dated(new, columns), "investors": investors}


def dated(new: Result, columns: Collection[str]) -> pl.Expr:
    """The own date of a record as precisely as it is given: 2013, 2013-10 or
    2013-10-01, a fund's first of January as its year; null where there is none.
    """
    names = shown_columns(new.resource.name).dates
    if not names or not {*names} <= {*columns}:
        return lit(None, pl.String)
    parts = [col(name).cast(pl.String).str.zfill(2) for name in names]
    texts = [name + TEXT_SUFFIX for name in names]
    imprecise = [name for name in texts if name in columns]
    date = pl.coalesce(pl.concat_str(parts, separator="-"), parts[0], *imprecise)
    return date.str.strip_suffix("-01-01") if "fund_date" in names else date


def own_date(date: pl.Expr, first: dt.datetime | None) -> pl.Expr:
    """Whether a new record is dated before the first fetch: `EARLIER`, else null.

    A record of the year of the first fetch is not known to be earlier.
    """
    if first is None:
        return lit(None, pl.String)
    # the last day that it can be of
    month_and_day = lit("-12-31").str.slice(date.str.len_chars() - len("2013"))
    is_earlier = pl.concat_str(date, month_and_day) <= f"{first:%Y-%m-%d}"
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
    common: DataFrame, key: Sequence[str], fields: Sequence[str], converted: str
) -> DataFrame:
    """A row per record and field that differs, with the kind and both values as text.

    The amounts of the field `converted` move with exchange rates. Where its amount
    as recorded is known, that one is compared instead.
    """
    texts = ("record", "detail", "field", "kind", "old", "new")
    none = {name: lit("") for name in texts}
    changes = [common.select(key).clear().with_columns(**none)]
    for name in fields:
        old, new = col(name), col(name + NEW)
        rows = common.filter(old.ne_missing(new))
        if name == converted and NATIVE in fields:
            rows = rows.filter(~_has_native(NATIVE), ~_has_native(NATIVE + NEW))
        kind = common.schema[name]
        before, after = comparable(old, kind), comparable(new, kind)
        cases = [
            (before.is_null(), "newly_recorded"),
            (after.is_null(), "no_longer_recorded"),
        ]
        if name == converted:
            are_known = (old > 0) & (new > 0)
            moved_as_rates = are_known & ((new / old).log().abs() <= REACH)
            cases.append((moved_as_rates, "cannot_tell"))
        change = rows.filter(before.ne_missing(after)).select(
            *key,
            record="record" + NEW,
            detail="detail" + NEW,
            field=lit(name),
            kind=first_that_holds(cases, otherwise="changed"),
            old=_text(name, kind),
            new=_text(name + NEW, kind),
        )
        changes.append(change)
    return pl.concat(changes)


def _has_native(name: str) -> pl.Expr:
    return col(name).struct.field("amount").is_not_null()


def comparable(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
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


def readable(
    changes: DataFrame,
    schema: Mapping[str, pl.DataType],
    currency: str | None,
    names: Mapping[str, str],
) -> DataFrame:
    """Add `before` and `after` as a reader sees them: amounts with their currency, of
    a list the entries that differ, by name, a flag as yes or no. And `moved`, how far
    a number moved.
    """
    amounts = {NATIVE, *AMOUNTS}
    rows = list[Sequence[str | None]]()
    for field, *texts in changes.select("field", "old", "new").iter_rows():
        if field in amounts:
            rows.append([_amount(text, currency) for text in texts])
        elif schema[field].is_nested():
            old, new = (_entries(text, names) for text in texts)
            rows.append([_without(old, new, "gone: "), _without(new, old, "new: ")])
        elif schema[field] == pl.Boolean:
            rows.append([_FLAGS.get(text) for text in texts])
        else:
            rows.append(texts)
    ends = dict.fromkeys(("before", "after"), pl.String())
    first, second = (col(end).cast(pl.Float64, strict=False) for end in ("old", "new"))
    moved = pl.sum_horizontal(second, -first, ignore_nulls=True)
    return changes.hstack(DataFrame(rows, ends, orient="row")).with_columns(moved=moved)


def _entries(text: str | None, names: Mapping[str, str]) -> list[str]:
    """Each entry of a list, or the one record, by its name and what else it says."""
    value = json.loads(text or "[]")
    entries = list[str]()
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            members = [entry[name] for name in entry if not name.endswith("id")]
            text = ", ".join(str(member) for member in members if member is not None)
            entries.append(tags_in_words(text) if "type" in entry else text)
        else:
            entries.append(names.get(entry, str(entry)))
    return entries


def _without(entries: Sequence[str], excluded: Sequence[str], word: str) -> str:
    return "; ".join(word + entry for entry in entries if entry not in excluded)


def _amount(text: str | None, currency: str | None) -> str | None:
    """The amount in whole units with its currency: a converted one is a number, a
    recorded one has a currency of its own.
    """
    value = None if text is None else json.loads(text)
    if isinstance(value, dict):
        value, currency = value["amount"], value["currency"]
    return None if value is None else f"{currency or ''} {number(round(value))}".strip()
