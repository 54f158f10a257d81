"""Two fetches of one question, compared record by record by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import polars as pl

from ventureframe.client.result import Result, owners
from ventureframe.errors import EvidenceError, UnknownField
from ventureframe.studies.changes import dates, values
from ventureframe.studies.changes.values import NEW


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of records in one comparison; None is what cannot be claimed.

    `changed` are those in both with a field that differs.
    """

    newly_seen: int | None
    no_longer_seen: int | None
    in_both: int | None
    changed: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Pair:
    """Two fetches and what differs between them; None, never an empty frame, where that is open.

    `refused` says why the two are not comparable where the fetches themselves do not show it.
    """

    old: Result
    new: Result
    refused: str | None = None

    @cached_property
    def incomparable(self) -> str | None:
        """Why nothing can be said: the question, the currency, the scope or the data differ."""
        return self.refused or _incomparable(self.old, self.new)

    @cached_property
    def newly_seen(self) -> pl.DataFrame | None:
        """The rows that only the second fetch has, with how their own date lies to the two."""
        if self.incomparable or not self.old.is_read:
            return None
        old, new = self._rows
        rows = new.join(old, on=self.key, how="anti", maintain_order="left")
        days = dates.day(self.old), dates.day(self.new)
        return rows.with_columns(own_date=dates.own_date(self.new, rows.columns, *days))

    @cached_property
    def no_longer_seen(self) -> pl.DataFrame | None:
        """The rows that only the first fetch has."""
        if self.incomparable or not self.new.is_read:
            return None
        old, new = self._rows
        return old.join(new, on=self.key, how="anti", maintain_order="left")

    @cached_property
    def field_changes(self) -> pl.DataFrame | None:
        """A row per record and field that differs, in the order of the fields and the records."""
        if self.incomparable:
            return None
        columns, new = ("field", "kind", "old", "new"), self._rows[1]
        none = new.clear().select(*self.key, **dict.fromkeys(columns, pl.lit(None, pl.String)))
        changes = (values.changes(self._both, self.key, field) for field in self.fields)
        called = next((n for n in ("name", "title", "round_type") if n in new.columns), None)
        names = new.select(*self.key, record=pl.lit(None, pl.String) if called is None else called)
        rows = pl.concat([none, *changes])
        rows = rows.join(names, on=self.key, how="left", maintain_order="left")
        return rows.select(*self.key, "record", *columns)

    @cached_property
    def schema_changes(self) -> pl.DataFrame:
        """A row per column that one side lacks, has in another type, or was not always given."""
        schema = dict.fromkeys(("column", "change", "old", "new"), pl.String())
        return pl.DataFrame(list(_schema_changes(self.old, self.new)), schema, orient="row")

    @cached_property
    def counts(self) -> Counts:
        """How many records are newly seen, no longer seen, in both, and changed among these."""
        came, went, changes = self.newly_seen, self.no_longer_seen, self.field_changes
        return Counts(
            newly_seen=None if came is None else came.height,
            no_longer_seen=None if went is None else went.height,
            in_both=None if changes is None else self._both.height,
            changed=None if changes is None else changes.select(self.key).n_unique(),
        )

    def changed(self, field: str) -> pl.DataFrame:
        """The records whose field differs: the key, old and new in the field's own type."""
        if self.incomparable:
            raise EvidenceError(self.refusal)
        if field not in self.fields:
            resource = self.new.resource.name
            raise UnknownField(field, resource=resource, known=self.fields, use="compare")
        rows = values.differing(self._both, self.key, field)
        return rows.rename({field: "old", field + NEW: "new"})

    def known(self) -> Iterator[tuple[str, str, int, int]]:
        """Per fetch and field that is compared, in how many records something is recorded."""
        if self.incomparable:
            return
        for fetch, rows in zip(("first", "second"), self._rows, strict=True):
            for name in self.fields:
                count = rows.select(values.recorded(name, rows.schema[name]).sum()).item()
                yield f"{self.records}, {fetch} fetch", name, count, rows.height

    @property
    def records(self) -> str:
        """What is compared, in words: "funding rounds"."""
        return self.new.resource.name.replace("-", " ")

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return f"from {dates.shown(self.old)} to {dates.shown(self.new)}"

    @property
    def refusal(self) -> str:
        """That the two cannot be compared, and why."""
        return f"The two fetches of {self.records} cannot be compared: {self.incomparable}."

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
    def scope(self) -> list[str] | None:
        """The ids requested both times; None where both fetches requested the same ones."""
        old, new = self.old.asked, self.new.asked
        if old is None or new is None or set(old) == set(new):
            return None
        return sorted(set(old) & set(new))

    @cached_property
    def _rows(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self._in_scope(self.old), self._in_scope(self.new)

    @cached_property
    def _both(self) -> pl.DataFrame:
        """The records that both have; a column of the second ends in `NEW`."""
        old, new = self._rows
        return old.join(new, on=self.key, how="inner", suffix=NEW, maintain_order="left")

    def _in_scope(self, result: Result) -> pl.DataFrame:
        """One row per record; where other ids were requested, those of ids requested twice."""
        rows = result.to_polars().unique(self.key, keep="first", maintain_order=True)
        if self.scope is None:
            return rows
        theirs = owners(rows, result.asked_by).list.set_intersection(self.scope)
        return rows.filter(theirs.list.len() > 0)


_PLURAL: Final = frozenset({"records", "ids asked by"})


def _incomparable(old: Result, new: Result) -> str | None:
    """Why two results are not two fetches of one question, if they are not."""
    asked, again = old.provenance, new.provenance
    pairs: Sequence[tuple[str, object, object]] = (
        ("records", old.resource.name, new.resource.name),
        ("endpoint", asked.endpoint, again.endpoint),
        ("filter", asked.filter or "none", again.filter or "none"),
        ("currency", asked.currency or "none", again.currency or "none"),
        ("ids asked by", old.asked_by or "none", new.asked_by or "none"),
    )
    for what, before, after in pairs:
        if before != after:
            return f"the {what} differ{'' if what in _PLURAL else 's'} ({before}, {after})"
    if bool(asked.source.synthetic) != bool(again.source.synthetic):
        return "one of them is of synthetic data"
    if dates.moment(old) > dates.moment(new):
        return f"the first ({dates.shown(old)}) is later than the second ({dates.shown(new)})"
    return None


def _schema_changes(old: Result, new: Result) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Column, change, old and new type."""
    before, after = (
        {name: str(kind) for name, kind in result.to_polars().schema.items()}
        for result in (old, new)
    )
    for name in dict.fromkeys([*before, *after]):
        was, now = before.get(name), after.get(name)
        if was != now:
            change = "added" if was is None else "removed" if now is None else "type changed"
            yield name, change, was, now
        elif name in old.absent_fields or name in new.absent_fields:
            yield name, "left out by the service", was, now
