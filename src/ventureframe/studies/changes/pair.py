"""Two fetches of one question, compared record by record by id.

A total arrives converted only, at the rate of the fetch's day (interface, reading
rule 8). So an amount that moved by no more than exchange rates usually do in that
time is set apart. A rare currency can move further: which currency an amount was
recorded in, its conversion does not show.
"""

import datetime as dt
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

import narwhals as nw
import polars as pl

from ventureframe.client.frames import owners
from ventureframe.client.result import Result, is_read, told_otherwise
from ventureframe.client.translate import WITHHELD
from ventureframe.display.wording import condition
from ventureframe.evidence.rows import COVERAGE, Frame, Rows, lazy
from ventureframe.interface import filters
from ventureframe.studies.changes import records

_SIDE: Final = "__side"  # the fetch, 0 or 1, that an entry of a list is of
_PLACE: Final = "__place"  # of a record in its fetch; tables are listed by key


class Tables(NamedTuple):
    """Two tables on an engine, and what identifies a row.

    `lists` are the entries of the lists of the rows, by name and of both tables;
    `left` says why another is not compared.
    """

    rows: tuple[Frame, Frame]
    key: tuple[str, ...]
    lists: Mapping[str, tuple[Rows, Rows]]
    left: Mapping[str, str]


class Counts(NamedTuple):
    """The numbers of records in one comparison; None is what cannot be claimed.

    Of those in both `changed` have a field that differs, and `cannot_tell` an amount
    whose move may be exchange rates alone.
    """

    newly_seen: int | None
    no_longer_seen: int | None
    in_both: int
    changed: int
    cannot_tell: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pair:
    """Two fetches of one question, or two tables as if they had been fetched, and what
    differs.

    `key` identifies a record, `not_compared` says why columns are not, `studied`
    names the study that both are saves of, `sizes` are the records of both. `frames`
    are the rows of the findings that can be claimed, and the coverage.
    """

    old: Result
    new: Result
    is_table: bool
    key: tuple[str, ...]
    not_compared: Mapping[str, str] = field(default_factory=dict)
    studied: str = ""
    sizes: tuple[int, int] = (0, 0)
    in_both: int = 0
    frames: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def noun(self) -> str:
        """A record of what is compared, in words: "funding round"."""
        return self.new.resource.singular.replace("_", " ")

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        name = self.new.resource.name
        return "news items" if name == "news" else name.replace("-", " ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        if not (moment(self.old) or moment(self.new)):
            return ""
        first, second = day(self.old), day(self.new)
        return f"both of {first}" if first == second else f"from {first} to {second}"

    @property
    def where(self) -> str:
        """What narrows the records, in words; empty where nothing does."""
        if self.studied:
            return f" of the {self.studied}"
        asked = self.new.provenance.filter
        return f" {condition(filters.parse(asked))}" if asked else ""

    @property
    def between(self) -> tuple[dt.date, dt.date] | None:
        """The two days; None where one of them is not known."""
        first, second = moment(self.old), moment(self.new)
        return (
            None if first is None or second is None else (first.date(), second.date())
        )

    @property
    def unclaimed(self) -> dict[str, str]:
        """Why an incomplete fetch leaves a finding open, by the name of each that
        is.
        """
        why = (
            {}
            if is_read(self.old)
            else {"newly_seen": "the first fetch is not complete"}
        )
        if not is_read(self.new):
            why["no_longer_seen"] = "the second fetch is not complete"
        return why

    @property
    def scope(self) -> tuple[str, ...] | None:
        """The ids requested both times; None where both requested the same ones."""
        old, new = {*(self.old.asked or ())}, {*(self.new.asked or ())}
        return None if old == new else tuple(sorted(old & new))

    @property
    def amount(self) -> str:
        """The field whose amounts a service converts; empty where there is none."""
        return records.CONVERTED.get(self.new.resource.name, "")

    @property
    def is_converted(self) -> bool:
        """Whether the amounts are a service's conversions; else they are as a table
        has them.
        """
        return not self.is_table or self.new.provenance.currency is not None

    @property
    def reach(self) -> float:
        """How far exchange rates can have moved amounts, as a logarithm.

        The rates of usual currencies move by 0.2 within a year, which is taken where
        the time between is not known; over other times by its root, as prices that
        wander do.
        """
        days = self.between
        apart = 365 if days is None else (days[1] - days[0]).days
        return 0.2 * math.sqrt(max(apart, 0) / 365)

    @property
    def seen(self) -> dict[str, int | None]:
        """How many records only one of the fetches has, by finding; None where not
        claimed.
        """
        names = ("newly_seen", "no_longer_seen")
        return {
            name: self.frames[name].height if name in self.frames else None
            for name in names
        }

    @property
    def counts(self) -> Counts:
        """How many records are newly seen, no longer seen, in both, and changed
        among these.
        """
        changed = self.frames["field_changes"].select(self.key).n_unique()
        newly_seen, no_longer_seen = self.seen.values()
        cannot_tell = self.frames["cannot_tell"].height
        return Counts(newly_seen, no_longer_seen, self.in_both, changed, cannot_tell)


def paired(old: Result, new: Result, tables: Tables | None, studied: str) -> Pair:
    """Compare two fetches; `tables` are the rows, of any engine, where the results
    hold none.
    """
    owner = (name for name in new.details.added_columns if name.endswith("_uuid"))
    key = [*tables.key] if tables else [*owner, new.resource.key]
    left, lists = (tables.left, tables.lists) if tables else ({}, {})
    pair = Pair(
        old=old, new=new, is_table=tables is not None, key=tuple(key), studied=studied
    )
    order = key if tables else [_PLACE]
    first, second = (
        [_distinct(lazy(table), key) for table in tables.rows]
        if tables
        else [
            _rows(result, key, pair.scope, new.details.asked_by)
            for result in (old, new)
        ]
    )
    schemas = [dict(rows.collect_schema()) for rows in (first, second)]
    not_compared = {**dict(_not_compared(old, new, *schemas)), **left}
    left_out = {_PLACE, *key, *not_compared, *new.details.added_columns}
    left_out |= set() if tables else {WITHHELD, "currency"}  # not fields of a record
    fields = {name: kind for name, kind in schemas[0].items() if name not in left_out}
    before, recorded = _coverage(f"{pair.subject}, first fetch", first, fields)
    after, recorded_later = _coverage(f"{pair.subject}, second fetch", second, fields)
    gone = _collected(first.join(second.select(key), on=key, how="anti"), order)
    came = _collected(second.join(first.select(key), on=key, how="anti"), order)
    named = records.SHOWN.get(new.resource.name, records.NAMED)[0].name
    beside = second.select(
        *key,
        nw.col(named if named in schemas[1] else key[-1])
        .cast(nw.String())
        .alias(records.RECORD),
        *(nw.col(name).alias(name + records.NEW) for name in fields),
    )
    both = first.join(beside, on=key, how="inner")
    # as they are stored
    sides = [(nw.col(name), nw.col(name + records.NEW)) for name in fields]
    differ = [(old != new) | (old.is_null() != new.is_null()) for old, new in sides]
    both = (
        both.filter(nw.any_horizontal(*differ, ignore_nulls=True))
        if differ
        else both.head(0)
    )
    rates = {pair.amount: pair.reach} if pair.is_converted else {}
    found = [(_collected(both, order), [*fields])]
    common = beside.select(*key, records.RECORD).join(
        first.select(key), on=key, how="semi"
    )
    found += [
        (_listed(name, *sides, common, key), [name]) for name, sides in lists.items()
    ]
    changes = pl.concat(
        records.differences(rows, key, names, rates) for rows, names in found
    )
    changes = records.readable(changes, new.provenance.currency)
    is_rate = pl.col("kind") == "cannot_tell"
    frames = {
        "newly_seen": came.with_columns(
            own_date=records.own_date(new, came.columns, pair.between)
        ),
        "no_longer_seen": gone,
        "field_changes": changes.filter(~is_rate),
        "cannot_tell": changes.filter(is_rate),
        "coverage": pl.DataFrame(recorded + recorded_later, COVERAGE, orient="row"),
    }
    claimed = {
        name: rows for name, rows in frames.items() if name not in pair.unclaimed
    }
    sizes, in_both = (
        ((before, after) if tables else (len(old), len(new))),
        after - came.height,
    )
    return replace(
        pair, not_compared=not_compared, sizes=sizes, in_both=in_both, frames=claimed
    )


def moment(result: Result) -> dt.datetime | None:
    """When a result is of: the start of its source's own day, else the time of the
    fetch.
    """
    fetched, day = result.provenance.fetched_at, result.provenance.source.as_of
    return fetched if day is None else dt.datetime.combine(day, dt.time(), dt.UTC)


def day(result: Result) -> str:
    """The day of `moment`, in words."""
    when = moment(result)
    return "an unknown day" if when is None else f"{when.day} {when:%B %Y}"


def _rows(
    result: Result, key: list[str], scope: Sequence[str] | None, asked_by: Sequence[str]
) -> Rows:
    """A row per record of a fetch, with its place; of the ids in `scope` where that
    is given.
    """
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
    is_once, order = (
        _collected(repeated.head(1), key).is_empty(),
        rows.collect_schema().names(),
    )
    return rows if is_once else rows.unique(key, keep="first", order_by=order)


def _listed(
    name: str, old: Rows, new: Rows, common: Rows, key: list[str]
) -> pl.DataFrame:
    """The records in both whose entries of a list, as a set, differ, with those of
    both sides.
    """
    members = [column for column in old.collect_schema().names() if column not in key]
    side = nw.col(_SIDE)
    both = nw.concat(
        [
            rows.select(*key, *members, nw.lit(at).alias(_SIDE))
            for at, rows in enumerate((old, new))
        ]
    )
    sides = both.group_by(*key, *members).agg(
        side.min().alias("__least"), side.max().alias("__most")
    )
    alone = sides.filter(nw.col("__least") == nw.col("__most")).select(key)
    rows = both.join(alone, on=key, how="semi").join(common, on=key, how="inner")
    frame = _collected(rows, [*key, *members])
    entry = pl.struct(members) if len(members) > 1 else pl.col(*members)
    entries = (
        entry.filter(pl.col(_SIDE) == at).unique(maintain_order=True) for at in (0, 1)
    )
    named = dict(zip((name, name + records.NEW), entries, strict=True))
    return frame.group_by(*key, records.RECORD, maintain_order=True).agg(**named)


def _not_compared(
    old: Result, new: Result, before: Mapping[str, object], after: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Why a column is not compared: one side lacks it, or says another thing with
    it.
    """
    absent = {*old.details.absent_fields, *new.details.absent_fields}
    otherwise, closed = told_otherwise(old, new), {*old.withheld, *new.withheld}
    for name in dict.fromkeys([*before, *after]):
        kinds = before.get(name), after.get(name)
        reasons = (
            (name not in after, "only in the first fetch"),
            (name not in before, "only in the second fetch"),
            (
                kinds[0] != kinds[1],
                f"{kinds[0]} in the first fetch, {kinds[1]} in the second",
            ),
            (name in absent, "left out by the service"),
            (name in closed, "withheld by the service"),
            (name in otherwise, "recorded in another way by each wire"),
        )
        yield from [(name, why) for holds, why in reasons if holds][:1]


def _coverage(
    record: str, rows: Rows, fields: Mapping[str, object]
) -> tuple[int, list[tuple[str, str, int, int]]]:
    """How many rows there are, and as coverage in how many of them each field is
    recorded.
    """
    filled = [
        records.recorded(nw.col(name), kind).cast(nw.Int64()).sum().alias(name)
        for name, kind in fields.items()
    ]
    row = _collected(rows.select(nw.len().alias("__rows"), *filled), []).row(0)
    many, *held = (int(count or 0) for count in row)
    return many, [
        (record, name, count, many) for name, count in zip(fields, held, strict=True)
    ]


def _collected(rows: Rows, order: list[str]) -> pl.DataFrame:
    """The rows as polars in this order; polars reads them in a stream, as other
    engines do.
    """
    native = rows.to_native()
    if isinstance(native, pl.LazyFrame):
        frame = native.collect(engine="streaming")
    else:
        frame = rows.collect(backend="polars").to_native()
    return (frame.sort(order) if order else frame).drop(_PLACE, strict=False)
