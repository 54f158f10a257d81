"""Two fetches of one question, compared record by record by id."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from ventureframe.client.result import Result, owners
from ventureframe.studies.changes import records

_NEW: Final = "__new"
"""What the second fetch's columns end in, where they stand beside those of the first."""
_UNKNOWN: Final = dt.datetime.min.replace(tzinfo=dt.UTC)
_SAME: Final[Mapping[str, Callable[[Result], object]]] = {
    "records differ": lambda result: result.resource.name,
    "endpoint differs": lambda result: result.provenance.endpoint,
    "filter differs": lambda result: result.provenance.filter,
    "currency differs": lambda result: result.provenance.currency,
    "ids asked by differ": lambda result: result.asked_by,
}
"""What two fetches of one question have in common, under the words for a difference."""


class Counts(NamedTuple):
    """The numbers of records in one comparison; None is what cannot be claimed.

    `changed` are those in both with a field that differs.
    """

    newly_seen: int | None
    no_longer_seen: int | None
    in_both: int | None
    changed: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two fetches and what differs between them.

    `refused` says why the two are not comparable where the fetches themselves do not show it.
    """

    old: Result
    new: Result
    refused: str | None = None

    @cached_property
    def incomparable(self) -> str | None:
        """Why nothing can be said: the question, the currency, the scope or the data differ."""
        if self.refused:
            return self.refused
        old, new = self.old, self.new
        for what, of in _SAME.items():
            if of(old) != of(new):
                return f"the {what} ({of(old) or 'none'}, {of(new) or 'none'})"
        if bool(old.provenance.source.synthetic) != bool(new.provenance.source.synthetic):
            return "one of them is of synthetic data"
        if _moment(old) > _moment(new):
            return f"the first ({_day(old)}) is later than the second ({_day(new)})"
        return None

    @property
    def refusal(self) -> str:
        """That the two cannot be compared, and why."""
        return f"The two fetches of {self.subject} cannot be compared: {self.incomparable}."

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
        frames = {"schema_changes": self.schema_changes}
        if not self.incomparable:
            (old, new), days = self.rows, [_moment(self.old).date(), _moment(self.new).date()]
            own_date = records.own_date(self.new, *days)
            came = new.join(old, on=self.key, how="anti", maintain_order="left")
            frames["newly_seen"] = came.with_columns(own_date=own_date)
            frames["no_longer_seen"] = old.join(new, on=self.key, how="anti", maintain_order="left")
            frames["field_changes"] = self._field_changes()
        return {name: rows for name, rows in frames.items() if name not in self.unclaimed}

    @cached_property
    def counts(self) -> Counts:
        """How many records are newly seen, no longer seen, in both, and changed among these."""
        if self.incomparable:
            return Counts(None, None, None, None)
        seen = {name: rows.height for name, rows in self.frames.items()}
        changed = self.frames["field_changes"].select(self.key).n_unique()
        came, went = seen.get("newly_seen"), seen.get("no_longer_seen")
        return Counts(came, went, self._both.height, changed)

    @property
    def subject(self) -> str:
        """What is compared, in words: "funding rounds"."""
        return self.new.resource.name.replace("-", " ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return f"from {_day(self.old)} to {_day(self.new)}"

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
        for name in dict.fromkeys([*old, *new]):
            before, after = old.get(name), new.get(name)
            if before != after:
                change = "type changed" if before and after else "removed" if before else "added"
            elif name in absent:
                change = "left out by the service"
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

    def _field_changes(self) -> pl.DataFrame:
        """A row per record and field that differs, in the order of the fields and the records."""
        both, index = self._both, [*self.key, "__record"]
        name = records.SHOWN.get(self.new.resource.name, records.NAMED)[0].name
        changes = (records.change(field, field + _NEW, both.schema[field]) for field in self.fields)
        rows = both.select(*self.key, pl.col(name + _NEW).alias("__record"), *changes)
        rows = rows.unpivot(index=index, variable_name="field", value_name="change")
        rows = rows.drop_nulls("change").cast({"change": records.CHANGE}).unnest("change")
        return rows.rename({"__record": "record"})


def _moment(result: Result) -> dt.datetime:
    """When a result is of: the start of its source's own day, else the time of the fetch."""
    as_of = result.provenance.source.as_of
    if as_of is None:
        return result.provenance.fetched_at or _UNKNOWN
    return dt.datetime.combine(as_of, dt.time(), dt.UTC)


def _day(result: Result) -> str:
    moment = _moment(result)
    return "an unknown day" if moment is _UNKNOWN else moment.date().isoformat()
