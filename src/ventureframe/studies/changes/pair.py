"""Two fetches of one question, compared record by record by id.

A total arrives converted only, at the rate of the fetch's day (interface, reading rule 8). So an
amount that moved by no more than exchange rates usually do in the time between is set apart: it
cannot be told whether the recorded amount changed.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import narwhals as nw
import polars as pl

from ventureframe.client.frames import owners
from ventureframe.client.result import Result, is_read, told_otherwise
from ventureframe.evidence.rows import Frame, Rows, lazy
from ventureframe.studies.changes import records

RATES_A_YEAR: Final = 0.20
"""How far the rates of usual currencies move within a year, as a logarithm; over other times by the
root of the time between, as prices that wander do."""
_NEW: Final = "__new"
"""What the second fetch's columns end in, where they stand beside those of the first."""
_PLACE: Final = "__place"
"""The place of a record in its fetch; tables have no order and are listed by key."""
_RECORD: Final = "__record"
_EVERY: Final = "__every"


class Counts(NamedTuple):
    """The numbers of records in one comparison; None is what cannot be claimed.

    `changed` are those in both with a field that differs; `cannot_tell` those in both with an
    amount that exchange rates can have moved, which is no field that differs.
    """

    newly_seen: int | None
    no_longer_seen: int | None
    in_both: int
    changed: int
    cannot_tell: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pair:
    """Two fetches of one question and what differs between them.

    `key` identifies a record, `fields` are compared, `not_compared` says why others are not.
    `sizes` are the records of each fetch. `scope` are the ids requested both times; None where
    both requested the same ones. `frames` are the rows of each finding that can be claimed: what
    cannot be is not an empty frame. `coverage` has a row per fetch and field. `amount` is the field
    whose amounts a service converts, if it is compared.
    """

    old: Result
    new: Result
    key: tuple[str, ...]
    fields: tuple[str, ...]
    not_compared: Mapping[str, str]
    sizes: tuple[int, int]
    in_both: int
    scope: tuple[str, ...] | None
    frames: Mapping[str, pl.DataFrame]
    coverage: tuple[tuple[str, str, int, int], ...]
    amount: str | None
    is_table: bool

    @property
    def counts(self) -> Counts:
        """How many records are newly seen, no longer seen, in both, and changed among these."""
        seen = {name: frame.height for name, frame in self.frames.items()}
        return Counts(
            newly_seen=seen.get("newly_seen"),
            no_longer_seen=seen.get("no_longer_seen"),
            in_both=self.in_both,
            changed=self.frames["field_changes"].select(self.key).n_unique(),
            cannot_tell=seen["cannot_tell"],
        )

    @property
    def unclaimed(self) -> dict[str, str]:
        """Why an incomplete fetch leaves a finding open, by the name of each that is."""
        return unclaimed(self.old, self.new)

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        return subject(self.new)

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return f"from {day(self.old)} to {day(self.new)}"

    @property
    def is_converted(self) -> bool:
        """Whether the amounts are a service's conversions; else they are as a table has them."""
        return not self.is_table or self.new.provenance.currency is not None

    @property
    def reach(self) -> float:
        """How far exchange rates can have moved amounts, as a share: 0.11."""
        return math.expm1(reach(self.old, self.new))


def paired(
    old: Result,
    new: Result,
    tables: tuple[Frame, Frame] | None = None,
    *,
    key: Sequence[str] = (),
) -> Pair:
    """Compare two fetches; `tables` are the rows, of any engine, where the results hold none.

    One join on the engine of the rows: only those that differ are collected.
    """
    asked = {*(old.asked or ())}, {*(new.asked or ())}
    scope = None if asked[0] == asked[1] else tuple(sorted(asked[0] & asked[1]))
    key, order = [*key] or _key_of(new), [_PLACE]
    if tables is None:
        first, second = (_rows(result, key, scope, new.details.asked_by) for result in (old, new))
    else:
        first, second = (_distinct(lazy(table), key) for table in tables)
        order = key
    schemas = [dict(rows.collect_schema()) for rows in (first, second)]
    not_compared = dict(_not_compared(old, new, *schemas))
    left_out = {_PLACE, *key, *not_compared, *new.details.added_columns}
    fields = [name for name in schemas[0] if name not in left_out]
    known = [_known(rows, schemas[0], fields) for rows in (first, second)]
    gone, came = (
        _collected(here.join(there.select(key), on=key, how="anti"), order).drop(
            _PLACE, strict=False
        )
        for here, there in ((first, second), (second, first))
    )
    named = records.SHOWN.get(new.resource.name, records.NAMED)[0].name
    beside = second.select(
        *key,
        nw.col(named if named in schemas[1] else key[-1]).cast(nw.String()).alias(_RECORD),
        *(nw.col(name).alias(name + _NEW) for name in fields),
    )
    both = first.join(beside, on=key, how="inner")
    if fields:
        both = both.filter(nw.any_horizontal(*map(_differs, fields), ignore_nulls=True))
    amount = records.CONVERTED.get(new.resource.name)
    amount = amount if amount in fields else None
    is_converted = tables is None or new.provenance.currency is not None
    furthest = reach(old, new) if amount and is_converted else None
    found = _differences(
        _collected(both if fields else both.head(0), order), key, fields, amount, furthest
    )
    found = records.readable(found, new.provenance.currency)
    is_rate = pl.col("kind") == "cannot_tell"
    frames = {
        "newly_seen": came.with_columns(
            own_date=records.own_date(new, came.columns, _between(old, new))
        ),
        "no_longer_seen": gone,
        "field_changes": found.filter(~is_rate),
        "cannot_tell": found.filter(is_rate),
    }
    return Pair(
        old=old,
        new=new,
        key=tuple(key),
        fields=tuple(fields),
        not_compared=not_compared,
        sizes=(len(old), len(new)) if tables is None else (known[0][_EVERY], known[1][_EVERY]),
        in_both=known[1][_EVERY] - came.height,
        scope=scope,
        frames={name: rows for name, rows in frames.items() if name not in unclaimed(old, new)},
        coverage=tuple(
            (f"{subject(new)}, {side} fetch", name, counts[name], counts[_EVERY])
            for side, counts in zip(("first", "second"), known, strict=True)
            for name in fields
        ),
        amount=amount,
        is_table=tables is not None,
    )


def unclaimed(old: Result, new: Result) -> dict[str, str]:
    """Why an incomplete fetch leaves a finding open, by the name of each that is."""
    sides = (("newly_seen", "first", old), ("no_longer_seen", "second", new))
    return {
        name: f"the {side} fetch is not complete"
        for name, side, result in sides
        if not is_read(result)
    }


def subject(result: Result) -> str:
    """What a result has rows of, in words: "funding rounds"."""
    name = result.resource.name
    return "news items" if name == "news" else name.replace("-", " ")


def reach(old: Result, new: Result) -> float:
    """How far exchange rates can have moved amounts between two fetches, as a logarithm.

    As far as is usual for the time between, a year where that is not known.
    """
    days = _between(old, new)
    apart = 365 if days is None else (days[1] - days[0]).days
    return RATES_A_YEAR * math.sqrt(max(apart, 0) / 365)


def moment(result: Result) -> dt.datetime | None:
    """When a result is of: the start of its source's own day, else the time of the fetch."""
    as_of = result.provenance.source.as_of
    if as_of is None:
        return result.provenance.fetched_at
    return dt.datetime.combine(as_of, dt.time(), dt.UTC)


def day(result: Result) -> str:
    """The day of `moment`, in words."""
    known = moment(result)
    return "an unknown day" if known is None else known.date().isoformat()


def _between(old: Result, new: Result) -> tuple[dt.date, dt.date] | None:
    """The two days; None where one of them is not known."""
    first, second = moment(old), moment(new)
    return None if first is None or second is None else (first.date(), second.date())


def _key_of(result: Result) -> list[str]:
    """What identifies a row: its key, and the record of the path where that is part of it."""
    owner = (name for name in result.details.added_columns if name.endswith("_uuid"))
    return [*owner, result.resource.key]


def _rows(
    result: Result, key: list[str], scope: Sequence[str] | None, asked_by: Sequence[str]
) -> Rows:
    """A row per record of a fetch, with its place; of the ids in `scope` where that is given."""
    frame = result.to_polars().unique(key, keep="first", maintain_order=True)
    if scope is not None:
        theirs = owners(frame, asked_by)
        frame = frame.filter(theirs.list.set_intersection([*scope]).list.len() > 0)
    return lazy(frame.with_row_index(_PLACE))


def _distinct(rows: Rows, key: list[str]) -> Rows:
    """The rows, one per key: of rows that differ, the same one on every engine."""
    rows = rows.select(
        nw.col(name).fill_nan(None) if kind.is_float() else nw.col(name)
        for name, kind in rows.collect_schema().items()
    )
    repeated = rows.group_by(*key).agg(nw.len().alias("n")).filter(nw.col("n") > 1)
    if not _collected(repeated.head(1), key).height:
        return rows
    return rows.unique(key, keep="first", order_by=rows.collect_schema().names())


def _not_compared(
    old: Result, new: Result, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Why a column is not compared: one side lacks it, or says another thing with it."""
    absent = {*old.details.absent_fields, *new.details.absent_fields}
    otherwise = told_otherwise(old, new)
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield name, "only the first fetch has it"
        elif name not in before:
            yield name, "only the second fetch has it"
        elif before[name] != after[name]:
            yield name, f"it was {before[name]} and is {after[name]}"
        elif name in absent:
            yield name, "the service left it out"
        elif name in otherwise:
            yield name, "the two wires say it in different ways"


def _known(rows: Rows, schema: Mapping[str, object], fields: list[str]) -> dict[str, int]:
    """In how many rows each field is recorded; under `_EVERY` how many rows there are."""
    counts = [
        records.recorded(nw.col(name), schema[name]).cast(nw.Int64()).sum().alias(name)
        for name in fields
    ]
    (row,) = _collected(rows.select(nw.len().alias(_EVERY), *counts), []).rows(named=True)
    return {name: int(count or 0) for name, count in row.items()}


def _collected(rows: Rows, order: list[str]) -> pl.DataFrame:
    """The rows as polars in this order; polars reads them in a stream, as other engines do."""
    native = rows.to_native()
    if isinstance(native, pl.LazyFrame):
        frame = native.collect(engine="streaming")
    else:
        frame = rows.collect(backend="polars").to_native()
    return frame.sort(order) if order else frame


def _differs(name: str) -> nw.Expr:
    """Whether two values differ as they are stored; lists in another order do, too."""
    old, new = nw.col(name), nw.col(name + _NEW)
    return (old != new) | (old.is_null() != new.is_null())


def _differences(
    both: pl.DataFrame,
    key: list[str],
    fields: list[str],
    amount: str | None,
    furthest: float | None,
) -> pl.DataFrame:
    """A row per record and field that differs, with the kind and both values as text."""
    texts = dict.fromkeys(("record", "field", *records.CHANGE.to_schema()), pl.String())
    listed = [both.select(key).clear().with_columns(pl.lit("").alias(name) for name in texts)]
    for name in fields:
        rate = None
        if name == amount and furthest is not None:
            rate = records.moved(name, name + _NEW, furthest)
            if records.NATIVE in fields:  # which is compared wherever it is shown
                sides = (pl.col(records.NATIVE + end).struct.field("amount") for end in ("", _NEW))
                is_shown = pl.any_horizontal(*(side.is_not_null() for side in sides))
                rate = pl.when(is_shown).then(pl.lit("same")).otherwise(rate)
        change = records.change(name, name + _NEW, both.schema[name], rate=rate)
        rows = both.select(*key, record=_RECORD, field=pl.lit(name), change=change)
        listed.append(
            rows.with_columns(pl.col("change").cast(records.CHANGE))
            .drop_nulls("change")
            .unnest("change")
        )
    return pl.concat(listed)
