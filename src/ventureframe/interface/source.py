"""Where records come from and what was requested: facts that travel with every
result.
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ventureframe.interface.fields import Currency
from ventureframe.interface.gaps import Gap

FRAMES = (
    "companies",
    "company_founders",
    "founders",
    "education",
    "prior_employers",
    "company_tags",
    "universities",
    "jobs",
    "news",
    "news_companies",
    "rounds",
    "investors",
    "lps",
    "lp_managers",
    "funds",
)
"""The frames of a dataset, by name: the arguments of `find` of the studies."""
FACTS = "ventureframe"
"""The key of the metadata of a notebook, or of an output, under which its facts
stand as data.
"""


@dataclass(frozen=True)
class Source:
    """Where records come from; `incomplete` is what the source lacks."""

    name: str
    description: str = ""
    as_of: dt.date | None = None
    synthetic: bool | None = None
    attribution: tuple[str, ...] = ()
    licence: str | None = None
    is_embedded: bool = False
    incomplete: tuple[Gap, ...] = ()

    @property
    def known_as(self) -> str:
        """What readers call it: the first whose data it contains, by its attribution,
        else its name.

        >>> acme = "Contains Acme data (2013), CC BY"
        >>> Source("folder", attribution=(acme,)).known_as
        'Acme'
        >>> Source("folder", attribution=(acme, "Universities: ROR, CC0")).known_as
        'Acme and others'
        """
        owner = re.search(r"\bContains (.+?) data\b", " · ".join(self.attribution))
        if owner is None:
            return self.name
        if all(owner[0] in line for line in self.attribution):
            return owner[1]
        return f"{owner[1]} and others"

    @property
    def facts(self) -> Mapping[str, Any]:
        """What an output states as data beside its text: `source`, `as_of` (ISO),
        `synthetic`, `licence`.
        """
        return {
            "source": self.known_as,
            "as_of": self.as_of and self.as_of.isoformat(),
            "synthetic": self.synthetic,
            "licence": self.licence,
        }


@dataclass(frozen=True)
class Origin:
    """The dataset whose whole collections the frames are.

    `rates` are units of each currency for one euro on the day of the dataset. Where
    a service converted the totals, it has their currency only: they are not
    converted again.
    """

    source: Source
    rates: Mapping[str, float]


@dataclass(frozen=True)
class NotThere:
    """Stands for a frame that a dataset does not have: its name, and the reason."""

    name: str
    reason: str


@dataclass(frozen=True)
class Provenance:
    """What was requested, from whom and when, on which generation and version of the
    wire.
    """

    endpoint: str
    filter: str | None
    sort: str | None
    currency: Currency | None
    profile: str
    source: Source
    fetched_at: dt.datetime | None
    version: str
    served: str | None = None

    @property
    def day(self) -> dt.date | None:
        """The day of the data, else of the fetch."""
        if self.fetched_at is None:
            return self.source.as_of
        return self.fetched_at.date()
