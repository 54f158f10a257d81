"""The synthetic sample: an invented world with the traps of a real one, from a seed.

The traps: two universities of one name (and two of one name and domain), typed names without
`university_uuid`, null and empty education, founders withheld from the batch reply, missing
amounts, several currencies (one without any rate), spinout flags on companies whose founders
studied elsewhere, one label as sector and as technology, and names with marks that markup reads.
"""

from __future__ import annotations

from typing import Final

from ventureframe.embedded.dataset import Dataset, Description
from ventureframe.embedded.sample.companies import add_companies
from ventureframe.embedded.sample.founders import add_universities, count_alumni
from ventureframe.embedded.sample.investors import add_investors
from ventureframe.embedded.sample.world import AS_OF, World, add_places, add_rates, add_tags

SEED: Final = 20260630


def sample(*, seed: int = SEED, companies: int = 2_000) -> Dataset:
    """The synthetic dataset of this seed: every table filled, every name invented.

    >>> sample(companies=20)
    <SYNTHETIC dataset 'Harrowmere sample' as of 2026-06-30: 20 companies>
    """
    world = World(seed)
    add_places(world)
    add_tags(world)
    add_investors(world)
    add_universities(world)
    add_companies(world, companies)
    count_alumni(world)
    add_rates(world)
    description = Description(
        name="Harrowmere sample",
        description=(
            "SYNTHETIC: an invented world to try the notebooks on. No company, person, university, "
            "investor, amount or rate in it is real; any likeness is chance."
        ),
        as_of=AS_OF,
        synthetic=True,
        licence="CC0",
        attribution=(f"Synthetic sample, seed {seed}: nothing in it is real",),
    )
    return Dataset.of(description, world.tables())
