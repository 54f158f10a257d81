"""What arrives of a collection, taken chunk by chunk and written as parts at the end."""

from __future__ import annotations

import datetime as dt
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe.bulk.flat import TABLES, flat
from ventureframe.bulk.parts import Table
from ventureframe.client import checks, glance
from ventureframe.client.keys import Keys
from ventureframe.client.listing import Listing
from ventureframe.client.translate import WITHHELD, more
from ventureframe.dataset.manifest import Part
from ventureframe.interface.certificate import Certificate

DATED: Final = {"news": "publish_date", "jobs": "date_posted", "funds": "fund_date"}
"""The date by which records are kept since a day; those without one are kept as well."""


@dataclass
class Sink:
    """Takes the rows of one walk, or of the two where the first one drifted.

    `is_short` says that a list was not read to its end; `partial` counts the rows that have more
    entries of a list than are kept of it.
    """

    listing: Listing
    folder: Path
    complete: bool
    since: dt.date | None
    workers: int | None
    cancel: threading.Event
    partial: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    is_short: bool = False
    is_linked: bool = False
    credits: float = 0.0
    rows: int = 0
    _at: int = 0
    _starts: list[int] = field(default_factory=list)
    _tables: dict[str, Table] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._keys = Keys(self.folder / "keys")
        for name, order in TABLES[self.listing.resource.name].items():
            self._tables[name] = Table(self.folder, name, order.key, order.within, order.date)

    @property
    def glances(self) -> tuple[str, ...]:
        """The lists that the wire cuts short in a row."""
        shape = self.listing.connection.profile.shapes.get(self.listing.endpoint)
        return () if shape is None else tuple(shape.glances)

    @property
    def cut(self) -> tuple[str, ...]:
        """Those of them of which a row never shows every kind of entry, where they are not read."""
        return () if self.complete or self.listing.shows_every_kind else self.glances

    def take(self, rows: pl.DataFrame, number: int = 1) -> None:
        """Takes rows of the walk with this number."""
        if number > len(self._starts):
            self._starts.append(self._at)
            self.partial, self.withheld = Counter(dict.fromkeys(self.cut, 0)), Counter()
        listing, key = self.listing, self.listing.resource.key
        if rows.get_column(key).n_unique() < rows.height:
            rows = rows.unique(key, keep="last", maintain_order=True)
        self.rows += rows.height
        self.is_linked |= checks.is_linked(rows, listing.resource)
        rows = self._since(self._with_lists(rows))
        if WITHHELD in rows.columns:
            self.withheld.update(rows.get_column(WITHHELD).explode().drop_nulls().to_list())
        self._keys.add(rows.get_column(key), self._at)
        currency = listing.request["currency"]
        is_current = bool(self.cut)
        tables = flat(listing.resource.name, rows, currency=currency, is_current=is_current)
        for name, frame in tables.items():
            self._tables[name].add(frame, self._at)
        self._at += 1

    def write(
        self, certificate: Certificate, *, draft: Path, within: str
    ) -> dict[str, tuple[Part, ...]]:
        """The parts of each table, which now lie in `draft`, by its name.

        Where a second walk certifies the rows, those of the first are left out; where none does,
        every record of both is there once, as it was last sent.
        """
        is_second = len(self._starts) > 1 and certificate.verdict != "drifted"
        first = self._starts[1] if is_second else 0
        stale = self._keys.stale(first)
        return {
            name: tuple(table.write(draft / name, Path(name) / within, stale=stale, first=first))
            for name, table in self._tables.items()
        }

    def _with_lists(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with their lists read to the end where that is wanted, else counted."""
        if self.complete and self.glances:
            found = glance.read_whole(self.listing, rows, workers=self.workers, cancel=self.cancel)
            self.partial.update(dict(found.partial))
            self.is_short |= found.is_short
            self.credits += found.credits
            return found.frame
        for name in self.glances:
            if more(name) in rows.columns:
                self.partial[name] += int((rows.get_column(more(name)) > 0).sum())
        return rows

    def _since(self, rows: pl.DataFrame) -> pl.DataFrame:
        name = DATED.get(self.listing.resource.name)
        if self.since is None or name is None:
            return rows
        date = pl.col(name)
        return rows.filter(date.is_null() | (date >= self.since))
