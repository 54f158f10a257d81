"""The synthetic sample: an invented world with the traps of a real one, from a seed.

The traps: two universities of one name (and two of one name and domain), typed names
without `university_uuid`, null and empty education, founders withheld from the batch
reply, missing amounts, several currencies (one without any rate), spinout flags on
companies whose founders studied elsewhere, one label as sector and as technology,
names with marks that markup reads, and lists longer than a row of today's wire
shows, with former founders among them.
"""

import datetime as dt
import functools
from typing import Any

from tests.service.sample.beyond import add_beyond
from tests.service.sample.companies import add_companies
from tests.service.sample.founders import count_alumni
from tests.service.sample.institutions import add_investors, add_universities
from tests.service.sample.world import AS_OF, FIRST_YEAR, SEED, WORDS, Row, World
from ventureframe.dataset.manifest import Description
from ventureframe_service.dataset import Dataset


@functools.cache
def sample(*, companies: int = 2_000) -> Dataset:
    """Make the synthetic dataset: every table filled, every name invented."""
    world = World()
    _add_places(world)
    for label, kind, weight in WORDS.tags:
        world.add("tags", label=label, type=kind, weight=weight)
    add_investors(world)
    add_universities(world)
    add_companies(world, companies)
    count_alumni(world)
    _add_rates(world)
    add_beyond(world)
    origin = (f"Synthetic sample, seed {SEED}: nothing in it is real",)
    description = Description(as_of=AS_OF, attribution=origin, **WORDS.dataset)
    return Dataset.of(description, world.tables())


def _add_places(world: World) -> None:
    """Continents, countries, regions and cities; two cities are called Cambridge."""

    def place(name: str, kind: str, parent: Row | None, **more: Any) -> Row:
        above = parent and parent["id"]
        return world.add("locations", name=name, type=kind, parent_id=above, **more)

    for continent, countries in WORDS.places.items():
        above = place(continent, "continent", None)
        for country, (currency, weight, cities) in countries.items():
            land = place(country, "country", above)
            share = weight / (cities.count(", ") + cities.count("; ") + 1)
            for group in cities.split("; "):
                region, _, names = group.rpartition(": ")
                within = place(region, "region", land) if region else land
                for city in names.split(", "):
                    place(
                        city,
                        "city",
                        within,
                        country=country,
                        currency=currency,
                        weight=share,
                    )


def _add_rates(world: World) -> None:
    """A rate a month for each currency but one; each month near the one before."""
    rates = dict(WORDS.rates)
    for year in range(FIRST_YEAR, AS_OF.year + 1):
        for month in range(1, 13 if year < AS_OF.year else 7):
            for currency, rate in rates.items():
                day = dt.date(year, month, 1)
                world.add("fx", currency=currency, date=day, per_eur=round(rate, 4))
                if currency != "EUR":
                    anchor = WORDS.rates[currency] * 0.02 + rate * 0.98
                    rates[currency] = anchor * world.between(0.98, 1.02)
