"""The invented world while it is made: its rows table by table, its places, tags and rates."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from ventureframe.embedded.sample.dice import Dice
from ventureframe.embedded.sample.invented import WORDS
from ventureframe.embedded.schema import TABLES

AS_OF: Final = dt.date(2026, 6, 30)
FIRST_YEAR: Final = 2001

_NAMESPACE: Final = uuid.UUID("6b0c6f0e-5a55-5d0c-9d3f-7d2c1f0e9a11")
_PER_EUR: Final[Mapping[str, float]] = {
    "EUR": 1.0,
    "USD": 1.12,
    "GBP": 0.85,
    "SEK": 10.6,
    "JPY": 140,
}

Row = dict[str, Any]


class World:
    """The rows made so far, and what later rows are drawn from.

    `cities` holds id, name, country and currency of each city, `weights` how many companies each
    has; `managers` the rows of managers.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = Dice(seed)
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.cities: list[tuple[int, str, str, str]] = []
        self.weights: list[float] = []
        self.managers: list[Row] = []

    def add(self, table: str, **row: Any) -> Row:
        """The row, added to its table."""
        self.rows[table].append(row)
        return row

    def uuid(self, table: str) -> str:
        """The UUID of the table's next row."""
        return str(uuid.uuid5(_NAMESPACE, f"{self.seed}:{table}:{len(self.rows[table])}"))

    def number(self, table: str) -> int:
        """The numeric identifier of the table's next row."""
        return 1001 + len(self.rows[table])

    def day(self, first: int, last: int) -> dt.date:
        """A day of these years, none later than the sample's."""
        day = dt.date(self.dice.whole(first, last), 1, 1)
        return min(day + dt.timedelta(days=self.dice.whole(0, 364)), AS_OF)

    def tables(self) -> dict[str, pl.DataFrame]:
        """The rows as the tables of a dataset."""
        extra = {"founders": {"is_withheld": pl.Boolean()}}
        return {
            name: pl.DataFrame(
                pl.Series(key, [row[key] for row in self.rows[name]], dtype=kind)
                for key, kind in (dict(table.columns) | extra.get(name, {})).items()
            )
            for name, table in TABLES.items()
        }


def add_places(world: World) -> None:
    """Continents, countries, regions and cities; two cities are called Cambridge."""
    for continent, countries in WORDS.places.items():
        above = _place(world, continent, "continent", None)
        for country, (currency, weight, cities) in countries.items():
            land, found = _place(world, country, "country", above), []
            for group in cities.split("; "):
                region, _, names = group.rpartition(": ")
                within = _place(world, region, "region", land) if region else land
                found += [(_place(world, city, "city", within), city) for city in names.split(", ")]
            world.cities += [(number, city, country, currency) for number, city in found]
            world.weights += [weight / len(found)] * len(found)


def _place(world: World, name: str, kind: str, parent: int | None) -> int:
    number = world.number("locations")
    world.add("locations", id=number, name=name, type=kind, parent_id=parent)
    return number


def add_tags(world: World) -> None:
    """Tags; one label exists as a sector and as a technology."""
    for label, kind, _ in WORDS.tags:
        world.add("tags", id=world.number("tags"), label=label, type=kind)


def add_rates(world: World) -> None:
    """A rate a month for each currency but one; each month near the one before."""
    rates = dict(_PER_EUR)
    for year in range(FIRST_YEAR, AS_OF.year + 1):
        for month in range(1, 13 if year < AS_OF.year else 7):
            for currency, rate in rates.items():
                day = dt.date(year, month, 1)
                world.add("fx", currency=currency, date=day, per_eur=round(rate, 4))
                if currency != "EUR":
                    anchor = _PER_EUR[currency] * 0.02 + rate * 0.98
                    rates[currency] = anchor * world.dice.between(0.98, 1.02)
