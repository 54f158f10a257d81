"""A record of each resource: how it is named, dated and shown, and how its fields are
compared.

A record can be newly seen and old: its own date says so where it has one, as
precisely as that is given (interface, reading rule 7).
"""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final, TypeVar

import narwhals as nw
import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.client.result import Result
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import number
from ventureframe.evidence.rows import first_that_holds

SHOWN: Final[Mapping[str, tuple[Column, ...]]] = {
    "companies": (
        *columns("text", name="Company"),
        *columns("year", launch_date="Founded"),
        *columns("text", hq_country="Country", company_status="Status"),
    ),
    "funds": (
        *columns("text", name="Fund"),
        *columns("vintage", fund_date="Announced"),
        *columns("text", fund_type="Type"),
    ),
    "funding-rounds": (
        *columns("text", round_type="Round"),
        *columns("year", year="Year"),
        *columns("number", month="Month"),
    ),
    "news": (
        *columns("text", title="Headline"),
        *columns("date", publish_date="Published"),
    ),
    "jobs": (*columns("text", title="Title"), *columns("date", date_posted="Posted")),
}
"""What is shown of a record: its name, its own date in columns that are not text,
and more.
"""
NAMED: Final = columns("text", name="Name")
"""What is shown of a record of another resource, which has no date of its own."""

CONVERTED: Final = {
    "companies": "total_funding",
    "funds": "amount",
    "funding-rounds": "amount",
}
"""The field of each resource whose amounts the service converts to the requested
currency.
"""
# as recorded, in its own currency, where the rows show it
NATIVE: Final = "amount_source"

OWN_DATES: Final[Mapping[str, str]] = {
    "before": "dated on the day of the first fetch or earlier",
    "between": "dated after the first fetch and not after the second",
    "after": "dated after the second fetch",
    "cannot_tell": "its date is less precise than the time between the fetches",
}
"""How the date that a newly seen record carries lies to the two fetches; null: it
carries none.
"""

SEEN: Final = {"newly_seen": "newly seen", "no_longer_seen": "no longer listed"}
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
NEW: Final = "__new"
RECORD: Final = "__record"  # the column of a record's name beside them


def own_date(
    new: Result, columns: Collection[str], days: tuple[dt.date, dt.date] | None
) -> pl.Expr:
    """How a new record's own date lies to two days, in a word of `OWN_DATES`; null
    if not known.
    """
    shown = SHOWN.get(new.resource.name, NAMED)
    names = [column.name for column in shown if column.kind != "text"]
    if not names or days is None or not {*names} <= {*columns}:
        return pl.lit(None, pl.String)
    before, after = (day.isoformat() for day in days)
    # as precisely as it is given, as text that sorts: 2013, 2013-10 or 2013-10-01
    parts = [pl.col(name).cast(pl.String) for name in names]
    parts = [
        part.str.zfill(digits) for part, digits in zip(parts, (4, 2), strict=False)
    ]
    texts = (name + TEXT_SUFFIX for name in names)
    less = [name for name in texts if name in new.details.extra_columns]
    date = pl.coalesce(pl.concat_str(parts, separator="-"), parts[0], *less)
    if any(column.kind == "vintage" for column in shown):
        date = date.str.strip_suffix("-01-01")
    first, last = (
        pl.concat_str(date, pl.lit(rest).str.slice(date.str.len_chars() - len("2013")))
        for rest in ("-01-01", "-12-31")
    )
    lies = [(last <= before, "before"), (first > after, "after")]
    lies += [
        ((first > before) & (last <= after), "between"),
        (date.is_not_null(), "cannot_tell"),
    ]
    return pl.coalesce(pl.when(holds).then(pl.lit(word)) for holds, word in lies)


_Expr = TypeVar("_Expr", pl.Expr, nw.Expr)


def recorded(column: _Expr, kind: object) -> _Expr:
    """Whether something is recorded: in a list an entry, in a record a member."""
    if isinstance(kind, pl.List | nw.List):
        return column.list.len() > 0
    if isinstance(kind, pl.Struct | nw.Struct):
        return reduce(
            or_, (~column.struct.field(part.name).is_null() for part in kind.fields)
        )
    return ~column.is_null()


def differences(
    both: pl.DataFrame,
    key: Sequence[str],
    fields: Sequence[str],
    rates: Mapping[str, float],
) -> pl.DataFrame:
    """A row per record and field that differs, with the kind and both values as text.

    `rates` are how far exchange rates can have moved converted amounts, as
    logarithms, by field.
    """
    none = {name: pl.lit("") for name in ("record", "field", "kind", "old", "new")}
    listed = [both.select(key).clear().with_columns(**none)]
    for name in fields:
        kind, pair = both.schema[name], (pl.col(name), pl.col(name + NEW))
        is_list = isinstance(kind, pl.List)
        before, after = (
            pl.when(recorded(side, kind)).then(
                side.list.unique().list.sort() if is_list else side
            )
            for side in pair
        )
        is_same, is_rate = before.eq_missing(after), pl.lit(False)
        if (furthest := rates.get(name, 0)) > 0:
            old, new = pair
            is_rate = (old > 0) & (new > 0) & ((new / old).log().abs() <= furthest)
        if name in rates and NATIVE in fields:  # which is compared wherever it is shown
            native = (pl.col(NATIVE + end).struct.field("amount") for end in ("", NEW))
            is_same |= pl.any_horizontal(amount.is_not_null() for amount in native)
        recording = (
            (before.is_null(), "newly_recorded"),
            (
                after.is_null(),
                "no_longer_recorded",
            ),
        )
        how = first_that_holds(
            [*recording, (is_rate, "cannot_tell")], otherwise="changed"
        )
        texts = {"old": _text(name, kind), "new": _text(name + NEW, kind)}
        shown = {"record": pl.col(RECORD), "field": pl.lit(name), "kind": how, **texts}
        listed.append(both.filter(~is_same).select(*key, **shown))
    return pl.concat(listed)


def _text(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded
    as null.
    """
    column, within = (
        pl.col(name),
        pl.struct(pl.col(name).alias("v")).struct.json_encode(),
    )
    whole = within.str.strip_prefix('{"v":').str.strip_suffix("}")
    text = whole if kind.is_nested() else column.cast(pl.String)
    return pl.when(recorded(column, kind)).then(text)


def readable(changes: pl.DataFrame, currency: str | None) -> pl.DataFrame:
    """The changes with `before` and `after`: amounts rounded, with their currency;
    else as text.
    """
    amounts = {NATIVE, *CONVERTED.values()}
    rows = changes.select("field", "old", "new").iter_rows()
    shown = [
        _amounts(two, currency) if field in amounts else two for field, *two in rows
    ]
    schema = dict.fromkeys(("before", "after"), pl.String())
    return changes.hstack(pl.DataFrame(shown, schema, orient="row"))


def _amounts(texts: Iterable[str | None], currency: str | None) -> list[str | None]:
    """Amounts in whole units, or in cents where two of them are the same number of
    units.
    """
    values = [None if text is None else json.loads(text) for text in texts]
    pairs = [  # converted ones are a number, recorded ones have a currency of their own
        (
            (value["amount"], value["currency"])
            if isinstance(value, dict)
            else (value, currency)
        )
        for value in values
    ]
    whole = [round(amount) for amount, _ in pairs if amount is not None]
    is_whole = len({*whole}) == len(whole)
    pairs = [
        (round(amount) if amount and is_whole else amount, code)
        for amount, code in pairs
    ]
    return [
        None if value is None else f"{code or ''} {number(amount)}".lstrip()
        for value, (amount, code) in zip(values, pairs, strict=True)
    ]
