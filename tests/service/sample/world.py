"""The invented world while it is made: rows table by table, chosen by one seeded
stream.

Only `random.Random.random` is drawn from, whose stream Python promises to keep, and
no function of the platform's mathematics library is used: the same seed gives the
same values everywhere.
"""

import datetime as dt
import json
import random
import uuid
from collections.abc import Sequence
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, Final, TypeVar

import polars as pl

from ventureframe.dataset.schema import TABLES

AS_OF: Final = dt.date(2026, 6, 30)
FIRST_YEAR: Final = 2001
SEED: Final = 20260630
WORDS: Final[Any] = json.loads(
    files(__package__).joinpath("invented.json").read_text(encoding="utf-8"),
    object_hook=lambda words: (
        SimpleNamespace(**words) if "universities" in words else words
    ),
)
"""The words the sample is made of: invented names in real places, from `invented.json`.

Universities: name, domain, city, country, weight among founders, spinouts as the
university counts them. Places: continent > country > currency, weight, cities;
"Region: City" names a region. Tags: label, type, weight; a label can exist twice, as
a sector and as a technology. LPs: name, domain, city, country, managers it backs.
Stages: name, size in millions. Rates: units for a euro at first. Units: how much
larger amounts in a currency are. Years: from the end of studies to the founding.
"""
_NAMESPACE: Final = uuid.UUID("6b0c6f0e-5a55-5d0c-9d3f-7d2c1f0e9a11")

Item = TypeVar("Item")
Row = dict[str, Any]


class World:
    """The rows made so far, and the choices that later rows are drawn with.

    A row also holds what others are drawn by and no table shows, such as `weight`.
    """

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self._next = random.Random(SEED).random  # a repeatable story, no secret

    def chance(self, share: float) -> bool:
        """True in this share of draws."""
        return self._next() < share

    def whole(self, least: int, most: int) -> int:
        """A whole number within both bounds."""
        return least + int(self._next() * (most - least + 1))

    def between(self, least: float, most: float) -> float:
        """A number within both bounds."""
        return least + self._next() * (most - least)

    def pick(
        self, items: Sequence[Item], weights: Sequence[float] | None = None
    ) -> Item:
        """One of the items, each as likely as its weight says."""
        if weights is None:
            return items[int(self._next() * len(items))]
        at = self._next() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        return items[-1]

    def row(self, table: str) -> Row:
        """One of the table's rows that have a `weight`, each as likely as it says."""
        rows = [row for row in self.rows[table] if "weight" in row]
        return self.pick(rows, [row["weight"] for row in rows])

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """Different items, `count` of them or all."""
        left = list(items)
        return [
            left.pop(int(self._next() * len(left)))
            for _ in range(min(count, len(left)))
        ]

    def maybe(self, value: Item, *, missing: float) -> Item | None:
        """The value, or null in this share of draws."""
        return None if self.chance(missing) else value

    def day(self, first: int, last: int) -> dt.date:
        """A day of these years, none later than the sample's."""
        day = dt.date(self.whole(first, last), 1, 1)
        return min(day + dt.timedelta(days=self.whole(0, 364)), AS_OF)

    def add(self, table: str, **row: Any) -> Row:
        """The row, added to its table with the next `uuid` or `id`; a column not
        given is null.
        """
        if TABLES[table].key == ("uuid",):
            text = f"{SEED}:{table}:{len(self.rows[table])}"
            row["uuid"] = str(uuid.uuid5(_NAMESPACE, text))
        row["id"] = self.number(table)
        self.rows[table].append(row)
        return row

    def number(self, table: str) -> int:
        """The numeric identifier of the table's next row."""
        return 1001 + len(self.rows[table])

    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows as the tables of a dataset."""
        extra = {"founders": {"is_withheld": pl.Boolean()}}
        return {
            name: pl.DataFrame(
                _column(key, kind, [row.get(key) for row in self.rows[name]])
                for key, kind in (dict(table.columns) | extra.get(name, {})).items()
            )
            for name, table in TABLES.items()
        }


def _column(name: str, kind: pl.DataType, values: list[Any]) -> pl.Series:
    """The values as a column; lists and records through JSON, which is many times
    quicker.
    """
    if not kind.is_nested():
        return pl.Series(name, values, dtype=kind)
    rows = json.dumps([{name: value} for value in values]).encode()
    return pl.read_json(rows, schema={name: kind})[name]
