"""Choices drawn from one seeded stream.

Only `random.Random.random` is drawn from, whose stream Python promises to keep, and no function
of the platform's mathematics library is used: the same seed gives the same values everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """Choices drawn from one seeded stream."""

    def __init__(self, seed: int) -> None:
        self._next = random.Random(seed).random  # noqa: S311  # a repeatable story, no secret

    def chance(self, share: float) -> bool:
        """True in this share of draws."""
        return self._next() < share

    def whole(self, least: int, most: int) -> int:
        """A whole number within both bounds."""
        return least + int(self._next() * (most - least + 1))

    def between(self, least: float, most: float) -> float:
        """A number within both bounds."""
        return least + self._next() * (most - least)

    def pick(self, items: Sequence[Item], weights: Sequence[float] | None = None) -> Item:
        """One of the items, each as likely as its weight says."""
        if weights is None:
            return items[int(self._next() * len(items))]
        at = self._next() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            at -= weight
            if at < 0:
                return item
        return items[-1]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """Different items, `count` of them or all."""
        left = list(items)
        return [left.pop(int(self._next() * len(left))) for _ in range(min(count, len(left)))]

    def maybe(self, value: Item, *, missing: float) -> Item | None:
        """The value, or null in this share of draws."""
        return None if self.chance(missing) else value
