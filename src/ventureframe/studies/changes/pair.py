"""Two fetches of one question, compared record by record by id."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from ventureframe.client.result import Result, owners
from ventureframe.studies.changes import rates, records

_NEW: Final = "__new"
"""What the second fetch's columns end in, where they stand beside those of the first."""
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
    it was asked for their ids; None where it was not asked.
    """

    old: Result
    new: Result
    also: tuple[tuple[Result, Result], ...] = ()
    returned: frozenset[str] | None = None

    @cached_property
    def unclaimed(self) -> dict[str, str]:
        """Why an incomplete fetch leaves a finding open, by the name of each that is."""
        sides = (("newly_seen", "first", self.old), ("no_longer_seen", "second", self.new))
        return {
            name: f"the {side} fetch is not complete"
            for name, side, result in sides
            if not result.is_read
        }

    @cached_property
    def frames(self) -> dict[str, pl.DataFrame]:
        """The rows of each finding that can be claimed; what cannot is not an empty frame."""
        old, new = self.rows
        came = new.join(old, on=self.key, how="anti", maintain_order="left")
        by_id = pl.lit(None, pl.String)
        if self.returned is not None:
            is_there = pl.col(self.key[-1]).is_in(sorted(self.returned))
            by_id = pl.when(is_there).then(pl.lit("returned")).otherwise(pl.lit("not_returned"))
        is_rate = pl.col("kind") == "cannot_tell"
        frames = {
            "schema_changes": self.schema_changes,
            "newly_seen": came.with_columns(own_date=records.own_date(self.new, self.between)),
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

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        name = self.new.resource.name
        return "news items" if name == "news" else name.replace("-", " ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return f"from {day(self.old)} to {day(self.new)}"

    @property
    def gone(self) -> pl.DataFrame:
        """The records that only the first fetch has."""
        old, new = self.rows
        return old.join(new, on=self.key, how="anti", maintain_order="left")

    @property
    def in_both(self) -> int:
        """The number of records that both fetches have."""
        return self._both.height

    @property
    def between(self) -> tuple[dt.date, dt.date] | None:
        """The two days; None where one of them is not known."""
        old, new = moment(self.old), moment(self.new)
        return None if old is None or new is None else (old.date(), new.date())

    @property
    def key(self) -> list[str]:
        """What identifies a row: its key, and the record of the path where that is part of it."""
        owner = (name for name in self.new.added_columns if name.endswith("_uuid"))
        return [*owner, self.new.resource.key]

    @cached_property
    def fields(self) -> list[str]:
        """The columns whose values are compared: both sides have them in one type."""
        left_out = {*self.schema_changes["column"], *self.key, *self.new.added_columns}
        return [name for name in self.old.to_polars().columns if name not in left_out]

    @cached_property
    def schema_changes(self) -> pl.DataFrame:
        """A row per column that one side lacks, has in another type, or was not always given."""
        old, new = self.old.to_polars().schema, self.new.to_polars().schema
        absent, found = {*self.old.absent_fields, *self.new.absent_fields}, []
        other = self.old.said_otherwise(self.new)
        for name in dict.fromkeys([*old, *new]):
            before, after = old.get(name), new.get(name)
            if before != after:
                change = "type changed" if before and after else "removed" if before else "added"
            elif name in absent:
                change = "left out by the service"
            elif name in other:
                change = "said in another way on the other wire"
            else:
                continue
            found.append((name, change, before and str(before), after and str(after)))
        schema = dict.fromkeys(("column", "change", "old", "new"), pl.String())
        return pl.DataFrame(found, schema, orient="row")

    @cached_property
    def scope(self) -> list[str] | None:
        """The ids requested both times; None where both fetches requested the same ones."""
        old, new = set(self.old.asked or ()), set(self.new.asked or ())
        return None if old == new else sorted(old & new)

    @cached_property
    def rows(self) -> list[pl.DataFrame]:
        """Of each fetch a row per record; where `scope` is known, of the ids requested twice."""
        every = [
            result.to_polars().unique(self.key, keep="first", maintain_order=True)
            for result in (self.old, self.new)
        ]
        if self.scope is None:
            return every
        theirs = [owners(rows, self.new.asked_by) for rows in every]
        twice = [ids.list.set_intersection(self.scope).list.len() > 0 for ids in theirs]
        return [rows.filter(kept) for rows, kept in zip(every, twice, strict=True)]

    @cached_property
    def _both(self) -> pl.DataFrame:
        """The records that both have; a column of the second ends in `_NEW`."""
        old, new = self.rows
        return old.join(new, on=self.key, how="inner", suffix=_NEW, maintain_order="left")

    @cached_property
    def _differences(self) -> pl.DataFrame:
        """A row per record and field that differs, in the order of the fields and the records."""
        both, index = self._both, [*self.key, "__record"]
        name = records.SHOWN.get(self.new.resource.name, records.NAMED)[0].name
        kinds = both.schema
        if self.converted is not None:
            both = both.with_columns(self._judged.alias(_RATE))
        changes = [
            records.change(
                field, field + _NEW, kinds[field], judged=_RATE if field == self.converted else None
            )
            for field in self.fields
        ]
        rows = both.select(*self.key, pl.col(name + _NEW).alias("__record"), *changes)
        rows = rows.unpivot(index=index, variable_name="field", value_name="change")
        rows = rows.drop_nulls("change").cast({"change": records.CHANGE}).unnest("change")
        rows = rows.rename({"__record": "record"})
        return records.readable(rows, self.new.provenance.currency)

    @property
    def converted(self) -> str | None:
        """The field that is compared and whose amounts the service converts, if there is one."""
        name = records.CONVERTED.get(self.new.resource.name)
        return name if name in self.fields else None

    @cached_property
    def reach(self) -> float:
        """How far exchange rates can have moved amounts, as a share: 0.05."""
        return math.expm1(rates.reach(self._amounts[0], days=self._days))

    @property
    def _days(self) -> int | None:
        return None if self.between is None else (self.between[1] - self.between[0]).days

    @cached_property
    def _amounts(self) -> list[pl.DataFrame]:
        """In each currency, the converted amounts of the records in both: old and new."""
        found = []
        for sides in ((self.old, self.new), *self.also):
            frame = self._both.select(self.key)
            for side, result in zip(("old", "new"), sides, strict=True):
                amounts = result.to_polars().unique(self.key, keep="first")
                amounts = amounts.select(*self.key, pl.col(str(self.converted)).alias(side))
                frame = frame.join(amounts, on=self.key, how="left", maintain_order="left")
            found.append(frame)
        return found

    @property
    def _judged(self) -> pl.Series:
        """`rates.judged`; the recorded amount is what is compared of a record that shows it."""
        said = rates.judged(self._amounts, days=self._days)
        if records.NATIVE not in self.fields:
            return said
        sides = (pl.col(records.NATIVE + end).struct.field("amount") for end in ("", _NEW))
        is_shown = pl.any_horizontal(*(side.is_not_null() for side in sides))
        return self._both.select(pl.when(is_shown).then(pl.lit("same")).otherwise(said)).to_series()


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
