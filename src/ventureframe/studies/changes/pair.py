"""Two fetches of one question, compared record by record by id.

A total arrives converted only, at the rate of the fetch's day (interface, reading
rule 8). So an amount that moved by no more than exchange rates usually do in a year
is set apart. A rare currency can move further: which currency an amount was recorded
in, its conversion does not show.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from polars import DataFrame, col, lit

from ventureframe.client.frames import owners
from ventureframe.client.result import Result, incomparable_columns, is_read
from ventureframe.client.translate import WITHHELD
from ventureframe.display.wording import condition, counted, day_in_words
from ventureframe.evidence.rows import COVERAGE, coverage
from ventureframe.interface import filters
from ventureframe.studies.changes import records

_NAMES = ("record", "detail")
_SUBJECTS = ("founder_university_name", "tag_id", "hq_location")
"""The fields of a filter that the name of a study says in words."""


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
    """Two fetches of one question, and what differs.

    `key` identifies a record, `not_compared` says why columns are not. `studied`
    names the study that both are fetches of, `filter` is what its records meet, and
    `names` are those of companies and founders by UUID. Records of the companies
    that `moved` into the records or out of them are compared although one fetch alone
    requested them. `frames` are the rows of the findings that can be claimed, and the
    coverage.
    """

    old: Result
    new: Result
    key: tuple[str, ...]
    studied: str
    filter: str | None
    names: Mapping[str, str]
    moved: frozenset[str]
    not_compared: Mapping[str, str] = field(default_factory=dict)
    in_both: int = 0
    frames: Mapping[str, DataFrame] = field(default_factory=dict)

    @property
    def noun(self) -> str:
        """A record of what is compared, in words: "funding round"."""
        return self.new.resource.singular.replace("_", " ")

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        return counted(2, self.noun).removeprefix("2 ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        if not (moment(self.old) or moment(self.new)):
            return ""
        first, second = day(self.old), day(self.new)
        return f"both of {first}" if first == second else f"from {first} to {second}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions on the records in words; of a study, without the one that says
        what the study is about.
        """
        text = self.filter or self.new.provenance.filter
        if text is None:
            return ()
        parts = [filters.parse(text)]
        if isinstance(parts[0], filters.Group) and parts[0].word == "and":
            parts = [*parts[0].parts]
        about = _SUBJECTS if self.studied else ()
        return tuple(
            condition(part, self.new.provenance.currency or "")
            for part in parts
            if not str(part).startswith(about)
        )

    @property
    def unclaimed(self) -> dict[str, str]:
        """Why a finding cannot be claimed, by its name: an incomplete or drifted fetch
        may lack a record that exists.
        """
        sides = {
            "newly_seen": (self.old, "first"),
            "no_longer_seen": (self.new, "second"),
        }
        return {
            name: _why_open(*side)
            for name, side in sides.items()
            if not is_read(side[0])
        }

    @property
    def scope(self) -> set[str] | None:
        """The ids requested both times, and those of companies that moved; None where
        both requested the same ones.
        """
        old, new = {*(self.old.asked or ())}, {*(self.new.asked or ())}
        if old == new:
            return None
        return (old & new) | ((old ^ new) & self.moved)

    @property
    def amount(self) -> str:
        """The field whose amounts a service converts; empty where there is none."""
        return records.shown_columns(self.new.resource.name).amount

    @property
    def seen(self) -> dict[str, int | None]:
        """How many records only one of the fetches has, by finding; None where not
        claimed.
        """
        return {
            name: self.frames[name].height if name in self.frames else None
            for name in records.SEEN
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

    @property
    def unsure(self) -> int:
        """Records whose amount alone moved, by no more than exchange rates can."""
        changed = self.frames["field_changes"]
        return self.frames["cannot_tell"].join(changed, on=self.key, how="anti").height


def paired(old: Result, new: Result, **about: Any) -> Pair:
    """Compare two fetches of one question; `about` are other members of the pair."""
    owner = [name for name in new.details.added_columns if name.endswith("_uuid")]
    key = [*owner, new.resource.key]
    pair = Pair(old=old, new=new, key=tuple(key), **about)
    first, second = _rows(old, pair), _rows(new, pair)
    not_compared = dict(_not_compared(old, new, first, second))
    # rows of a withheld record, and their currency, are no fields of it
    no_fields = {*_NAMES, *new.details.added_columns, new.resource.key}
    no_fields |= {*not_compared, WITHHELD, "currency"}
    fields = [name for name in first.columns if name not in no_fields]
    fields.sort(key=lambda name: records.PLACES.get(name, len(records.PLACES)))
    common = first.join(second, on=key, suffix=records.NEW, maintain_order="left")
    changes = records.differences(common, key, fields, pair.amount)
    changes = records.readable(
        changes, common.schema, new.provenance.currency, pair.names
    )
    changes = changes.with_columns(what=lit(pair.noun))
    is_rate = col("kind") == "cannot_tell"
    appeared = second.join(first, on=key, how="anti", maintain_order="left")
    gone = first.join(second, on=key, how="anti", maintain_order="left")
    recorded = _coverage(f"{pair.subject}, first fetch", first, fields)
    recorded += _coverage(f"{pair.subject}, second fetch", second, fields)
    frames = {
        "newly_seen": _seen(appeared, pair),
        "no_longer_seen": _seen(gone, pair).drop("own_date"),
        "field_changes": changes.filter(~is_rate),
        "cannot_tell": changes.filter(is_rate),
        "coverage": DataFrame(recorded, COVERAGE, orient="row"),
    }
    for name in pair.unclaimed:
        del frames[name]
    return replace(
        pair, not_compared=not_compared, in_both=common.height, frames=frames
    )


def _rows(result: Result, pair: Pair) -> DataFrame:
    """Keep a row per record of a fetch, of the ids that were requested both times,
    and add its names.
    """
    frame = result.to_polars().unique(pair.key, keep="first", maintain_order=True)
    frame = frame.with_columns(**records.named(result, frame.columns, pair.names))
    if pair.scope is None:
        return frame
    requested = owners(frame, pair.new.details.asked_by)
    in_scope = requested.list.set_intersection([*pair.scope]).list.len() > 0
    return frame.filter(in_scope)


def _seen(rows: DataFrame, pair: Pair) -> DataFrame:
    """The records that one fetch alone has, in the columns of every kind."""
    seen = records.seen(pair.new, rows.columns)
    own_date = records.own_date(seen["date"], moment(pair.old))
    return rows.select(
        *pair.key, *_NAMES, **seen, own_date=own_date, what=lit(pair.noun)
    )


def _why_open(result: Result, side: str) -> str:
    if result.certificate.verdict == "drifted":
        return f"the records moved while the {side} fetch read them"
    return f"the {side} fetch is not complete"


def moment(result: Result) -> dt.datetime | None:
    """When a result is of: the start of its source's own day, else the time of the
    fetch.
    """
    fetched, day = result.provenance.fetched_at, result.provenance.source.as_of
    return fetched if day is None else dt.datetime.combine(day, dt.time(), dt.UTC)


def day(result: Result) -> str:
    """The day of `moment`, in words."""
    return day_in_words(moment(result)) or "an unknown day"


def _not_compared(
    old: Result, new: Result, first: DataFrame, second: DataFrame
) -> Iterator[tuple[str, str]]:
    """Yield each column that is not compared, and why: one fetch lacks it, or it means
    something else there.
    """
    reasons = {
        "its entries are complete in one of the two only": _partial(old)
        ^ _partial(new),
        "recorded in another way by each wire": incomparable_columns(old, new),
        "withheld by the service": {*old.withheld, *new.withheld},
        "left out by the service": {
            name.partition(".")[0]
            for name in old.details.absent_fields + new.details.absent_fields
        },
    }  # where several reasons hold, the last one is given
    declared = [field.name for field in new.resource.returned]
    sides = {"first": old, "second": new}
    for name in dict.fromkeys([*first.columns, *second.columns, *declared]):
        before, after = first.schema.get(name), second.schema.get(name)
        without = [side for side in sides if name in _not_requested(sides[side])]
        if without:
            yield name, f"not requested in the {' and the '.join(without)} fetch"
        elif before is None and after is None:
            yield name, "in neither of the two"
        elif after is None:
            yield name, "only in the first fetch"
        elif before is None:
            yield name, "only in the second fetch"
        elif before != after:
            yield name, f"{before} in the first fetch, {after} in the second"
        else:
            yield from ((name, why) for why, names in reasons.items() if name in names)


def _not_requested(result: Result) -> list[str | None]:
    """The fields that the query left out."""
    return [gap.part for gap in result.details.not_requested]


def _partial(result: Result) -> set[str]:
    """The lists that some rows show in part only."""
    return {name for name, rows in result.details.partial if rows}


def _coverage(record: str, rows: DataFrame, fields: list[str]) -> list[tuple[Any, ...]]:
    """In how many of the rows each field is recorded."""
    values = [records.comparable(col(name), rows.schema[name]) for name in fields]
    return coverage(record, rows.select(values), fields)
