"""What a fetch takes, said before it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from ventureframe.client.connection import Connection


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests, and about how many seconds and credits; None where that is not known.

    >>> Cost(412, 82.4, 412)
    412 requests · about 1 min 22 s · about 412 credits
    """

    requests: int
    seconds: float | None = None
    credits: float | None = None

    @classmethod
    def of(cls, requests: int, connection: Connection, *, spent: float | None) -> Self:
        """The cost at the service's rate; where none is known, how long it takes is not known.

        The time of one small request says little about that of many full pages.
        """
        rate = None if connection.is_embedded else connection.profile.rate
        seconds = requests / rate if rate and requests else None
        return cls(requests, seconds, None if spent is None else requests * spent)

    def times(self, many: int) -> Cost:
        """The cost of so many like it."""
        seconds = None if self.seconds is None else self.seconds * many
        spent = None if self.credits is None else self.credits * many
        return Cost(self.requests * many, seconds, spent)

    def __add__(self, other: Cost) -> Cost:
        def both(one: float | None, two: float | None) -> float | None:
            return None if one is None or two is None else one + two

        seconds, spent = both(self.seconds, other.seconds), both(self.credits, other.credits)
        return Cost(self.requests + other.requests, seconds, spent)

    def __repr__(self) -> str:
        said = [f"{self.requests:,} request{'' if self.requests == 1 else 's'}"]
        if self.seconds is not None:
            minutes, seconds = divmod(round(self.seconds), 60)
            said.append(f"about {f'{minutes:,} min ' if minutes else ''}{seconds} s")
        if self.credits is not None:
            said.append(f"about {self.credits:,.0f} credits")
        return " · ".join(said)
