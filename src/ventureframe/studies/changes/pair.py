"""Two fetches of one question, compared record by record by id."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

import narwhals as nw
import polars as pl

from ventureframe.client.frames import owners
from ventureframe.client.result import Result, is_read, told_otherwise
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence.engine_rows import Frame, Rows
from ventureframe.studies.changes import rates, records

_NEW: Final = "__new"
"""What the second fetch's columns end in, where they stand beside those of the first."""
_PLACE: Final = "__place"
"""The place of a record in its fetch; frames of other engines have no order."""
_RECORD: Final = "__record"
_PART: Final = 100_000
"""How many records of a table larger than that are compared at a time."""
_RATE: Final = "__rate"
"""How a converted amount moved, of each record in both: see `rates.judged`."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two fetches of one question and what differs between them.

    `also` are the same two fetches in other currencies: an amount that stays the same in one of
    them did not change. `returned` are those records no longer seen that the service returned when
    it was asked for their ids; None where it was not asked. `given` are the rows, frames of any
    engine, where the results do not hold them; `keyed` is then what identifies a row.
    """

    old: Result
    new: Result
    also: tuple[tuple[Result, Result], ...] = ()
    returned: frozenset[str] | None = None
    given: tuple[Frame, Frame] | None = field(default=None, repr=False)
    keyed: tuple[str, ...] = ()

    @cached_property
    def unclaimed(self) -> dict[str, str]:
        """Why an incomplete fetch leaves a finding open, by the name of each that is."""
        sides = (("newly_seen", "first", self.old), ("no_longer_seen", "second", self.new))
        return {
            name: f"the {side} fetch is not complete"
            for name, side, result in sides
            if not is_read(result)
        }

    @cached_property
    def frames(self) -> dict[str, pl.DataFrame]:
        """The rows of each finding that can be claimed; what cannot is not an empty frame."""
        came = self._only(1)
        by_id = pl.lit(None, pl.String)
        if self.returned is not None:
            is_there = pl.col(self.key[-1]).is_in(sorted(self.returned))
            by_id = pl.when(is_there).then(pl.lit("returned")).otherwise(pl.lit("not_returned"))
        is_rate = pl.col("kind") == "cannot_tell"
        frames = {
            "newly_seen": came.with_columns(
                own_date=records.own_date(self.new, came.columns, self.between)
            ),
            "no_longer_seen": self.gone.with_columns(by_id=by_id),
            "field_changes": self._differences.filter(~is_rate),
            "cannot_tell": self._differences.filter(is_rate),
        }
        return {name: rows for name, rows in frames.items() if name not in self.unclaimed}

    @cached_property
    def counts(self) -> Counts:
        """How many records are newly seen, no longer seen, in both, and changed among these."""
        seen = {name: rows.height for name, rows in self.frames.items()}
        changed = self.frames["field_changes"].select(self.key).n_unique()
        return Counts(
            newly_seen=seen.get("newly_seen"),
            no_longer_seen=seen.get("no_longer_seen"),
            in_both=self.in_both,
            changed=changed,
            cannot_tell=seen["cannot_tell"],
        )

    def in_currency(self, currency: str) -> Pair:
        """The same records with amounts in another currency of both; unchanged without amounts.

        Raises `UnsupportedValue` where they were not both fetched in it.
        """
        known = [(self.old, self.new), *self.also]
        codes = [new.provenance.currency for _, new in known]
        if codes[0] is None:
            return self
        if currency not in codes:
            reason = f"amounts were fetched in {', '.join(map(str, codes))}"
            raise UnsupportedValue(currency, field="currency", reason=reason)
        old, new = known.pop(codes.index(currency))
        return replace(self, old=old, new=new, also=tuple(known))

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        name = self.new.resource.name
        return "news items" if name == "news" else name.replace("-", " ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return f"from {day(self.old)} to {day(self.new)}"

    @cached_property
    def gone(self) -> pl.DataFrame:
        """The records that only the first fetch has."""
        return self._only(0)

    @cached_property
    def in_both(self) -> int:
        """The number of records that both fetches have."""
        keys = ([side.select(self.key) for side in sides] for sides in self.parts)
        return sum(_count(old.join(new, on=self.key, how="inner")) for old, new in keys)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """How many records each fetch has."""
        if self.given is None:
            return len(self.old), len(self.new)
        first, second = (sum(map(_count, side)) for side in zip(*self.parts, strict=True))
        return first, second

    @property
    def between(self) -> tuple[dt.date, dt.date] | None:
        """The two days; None where one of them is not known."""
        old, new = moment(self.old), moment(self.new)
        return None if old is None or new is None else (old.date(), new.date())

    @property
    def key(self) -> list[str]:
        """What identifies a row: its key, and the record of the path where that is part of it."""
        if self.keyed:
            return [*self.keyed]
        owner = (name for name in self.new.details.added_columns if name.endswith("_uuid"))
        return [*owner, self.new.resource.key]

    @cached_property
    def fields(self) -> list[str]:
        """The columns whose values are compared: both sides have them in one type."""
        left_out = {*self.not_compared, *self.key, *self.new.details.added_columns}
        return [name for name in self._schemas[0] if name not in left_out]

    @cached_property
    def not_compared(self) -> dict[str, str]:
        """Why a column is not compared, by its name: one side lacks it, or says another thing."""
        old, new = self._schemas
        absent = {name for side in (self.old, self.new) for name in side.details.absent_fields}
        found = dict[str, str]()
        other = told_otherwise(self.old, self.new)
        for name in dict.fromkeys([*old, *new]):
            before, after = old.get(name), new.get(name)
            if before != after:
                one_side = (
                    "only the first fetch has it" if before else "only the second fetch has it"
                )
                found[name] = f"it was {before} and is {after}" if before and after else one_side
            elif name in absent:
                found[name] = "the service left it out"
            elif name in other:
                found[name] = "the two wires say it in different ways"
        return found

    @cached_property
    def scope(self) -> list[str] | None:
        """The ids requested both times; None where both fetches requested the same ones."""
        old, new = set(self.old.asked or ()), set(self.new.asked or ())
        return None if old == new else sorted(old & new)

    @cached_property
    def _schemas(self) -> tuple[Mapping[str, nw.dtypes.DType], Mapping[str, nw.dtypes.DType]]:
        """The columns of each fetch with their types."""
        old, new = (side.collect_schema() for side in self.parts[0])
        for schema in (old, new):
            schema.pop(_PLACE, None)
        return old, new

    @cached_property
    def parts(self) -> list[tuple[Rows, Rows]]:
        """Of each fetch a row per record; where `scope` is known, of the ids requested twice.

        Frames of many rows come in parts, both sides of a record in one.
        """
        if self.given is not None:
            return [self._part(each) for each in self._ranges]
        every = [
            result.to_polars().unique(self.key, keep="first", maintain_order=True)
            for result in (self.old, self.new)
        ]
        if self.scope is not None:
            theirs = [owners(frame, self.new.details.asked_by) for frame in every]
            twice = [ids.list.set_intersection(self.scope).list.len() > 0 for ids in theirs]
            every = [frame.filter(kept) for frame, kept in zip(every, twice, strict=True)]
        old, new = (rows.lazy(frame.with_row_index(_PLACE)) for frame in every)
        return [(old, new)]

    @property
    def _ranges(self) -> list[rows.Condition]:
        return rows.ranges([*map(rows.lazy, self.given or ())], self.key[0], most=_PART)

    def _part(self, condition: rows.Condition) -> tuple[Rows, Rows]:
        """What is given of both sides in this range of the key."""
        given = (rows.within(rows.lazy(frame), condition) for frame in self.given or ())
        old, new = (rows.distinct(each, each.collect_schema(), key=self.key) for each in given)
        return old, new

    def _listed(self, found: Iterable[Rows]) -> pl.DataFrame:
        """The rows as polars has them, in the order of the fetch or, without one, of the key."""
        return rows.collected_in_turn(found).sort(self._order).drop(_PLACE, strict=False)

    @property
    def _order(self) -> list[str]:
        return [_PLACE] if self.given is None else self.key

    def _only(self, side: int) -> pl.DataFrame:
        """The records that only this fetch has."""
        sides = ((part[side], part[1 - side].select(self.key)) for part in self.parts)
        return self._listed(here.join(other, on=self.key, how="anti") for here, other in sides)

    @cached_property
    def _moved(self) -> list[Rows]:
        """The records in both that differ in a field; a column of the second ends in `_NEW`."""
        return rows.kept_in_turn(self._moved_of(*sides) for sides in self.parts)

    def _moved_of(self, old: Rows, new: Rows) -> Rows:
        named = self._name if self._name in self._schemas[1] else self.key[-1]
        new = new.select(
            *self.key,
            nw.col(named).cast(nw.String()).alias(_RECORD),
            *(nw.col(name).alias(name + _NEW) for name in self.fields),
        )
        both = old.join(new, on=self.key, how="inner")
        differs = [_differs(name) for name in self.fields]
        return both.filter(nw.any_horizontal(*differs, ignore_nulls=True))

    @property
    def _name(self) -> str:
        """The column by which a record is named."""
        return records.SHOWN.get(self.new.resource.name, records.NAMED)[0].name

    def _values(self, name: str) -> pl.DataFrame:
        """The key, `old` and `new` of every record whose field may differ, in its own type."""
        also = [records.NATIVE] if name == self.converted and records.NATIVE in self.fields else []
        columns = [
            *(nw.col(each) for each in dict.fromkeys([*self._order, *self.key, _RECORD])),
            *(nw.col(end) for each in also for end in (each, each + _NEW)),
            nw.col(name).alias("old"),
            nw.col(name + _NEW).alias("new"),
        ]
        return self._listed(each.filter(_differs(name)).select(columns) for each in self._moved)

    @cached_property
    def _differences(self) -> pl.DataFrame:
        """A row per record and field that differs, in the order of the fields and the records."""
        none = rows.collected(self.parts[0][0].select(self.key).head(0))
        texts = dict.fromkeys(("record", "field", *records.CHANGE.to_schema()), pl.String())
        listed = [pl.DataFrame(schema={**none.schema, **texts}), *map(self._changes, self.fields)]
        return records.readable(pl.concat(listed), self.new.provenance.currency)

    def _changes(self, name: str) -> pl.DataFrame:
        """A row per record of which the field differs, with the kind and both values as text."""
        found, judged = self._values(name), None
        if name == self.converted:
            found, judged = found.with_columns(self._judged(found).alias(_RATE)), _RATE
        change = records.change("old", "new", found.schema["old"], judged=judged)
        said = found.select(
            *self.key, record=_RECORD, field=pl.lit(name), change=change.cast(records.CHANGE)
        )
        return said.drop_nulls("change").unnest("change")

    @property
    def converted(self) -> str | None:
        """The field that is compared and whose amounts the service converts, if there is one."""
        return None if self.as_recorded else self._amount

    @property
    def as_recorded(self) -> str | None:
        """The field whose amounts are compared as the given frames have them."""
        is_given = self.given is not None and self.new.provenance.currency is None
        return self._amount if is_given else None

    @property
    def _amount(self) -> str | None:
        name = records.CONVERTED.get(self.new.resource.name)
        return name if name in self.fields else None

    @cached_property
    def reach(self) -> float:
        """How far exchange rates can have moved amounts, as a share: 0.05."""
        return math.expm1(self._reaches[0])

    @property
    def _days(self) -> int | None:
        return None if self.between is None else (self.between[1] - self.between[0]).days

    @cached_property
    def _reaches(self) -> list[float]:
        """In each currency `rates.reach`, from the amounts of the records in both."""
        sides = [self.parts, *([self._amounts(*pair)] for pair in self.also)]
        return [rates.reach(self._side_by_side(each), days=self._days) for each in sides]

    def _amounts(self, *results: Result) -> tuple[Rows, Rows]:
        """The keys and the converted amounts of two results in another currency."""
        columns = [*self.key, str(self.converted)]
        old, new = (
            rows.lazy(result.to_polars().unique(self.key, keep="first").select(columns))
            for result in results
        )
        return old, new

    def _side_by_side(self, parts: Iterable[tuple[Rows, Rows]]) -> pl.DataFrame:
        """The converted amounts `old` and `new` of the records in both."""
        amounts = (
            [
                side.select(*self.key, nw.col(str(self.converted)).alias(name))
                for side, name in zip(sides, ("old", "new"), strict=True)
            ]
            for sides in parts
        )
        both = (old.join(new, on=self.key, how="inner") for old, new in amounts)
        return rows.collected_in_turn(each.select("old", "new") for each in both)

    def _judged(self, found: pl.DataFrame) -> pl.Series:
        """`rates.judged`; the recorded amount is what is compared of a record that shows it."""
        currencies = [found]
        for pair in self.also:
            each = found.select(self.key)
            for side, name in zip(self._amounts(*pair), ("old", "new"), strict=True):
                amounts = rows.collected(side.rename({str(self.converted): name}))
                each = each.join(amounts, on=self.key, how="left", maintain_order="left")
            currencies.append(each)
        said = rates.judged(currencies, self._reaches)
        if records.NATIVE not in found.columns:
            return said
        sides = (pl.col(records.NATIVE + end).struct.field("amount") for end in ("", _NEW))
        is_shown = pl.any_horizontal(*(side.is_not_null() for side in sides))
        return found.select(pl.when(is_shown).then(pl.lit("same")).otherwise(said)).to_series()


def _count(found: Rows) -> int:
    return int(rows.one(found, every=nw.len())["every"])


def _differs(name: str) -> nw.Expr:
    """Whether two values differ as they are stored; lists in another order do, too."""
    old, new = nw.col(name), nw.col(name + _NEW)
    return (old != new) | (old.is_null() != new.is_null())


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
