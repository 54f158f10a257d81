"""How far exchange rates can have moved converted amounts between two fetches.

A total comes converted only, at the rate of the fetch's day (interface, reading rule 8). Where the
recorded amount stayed, it moves by the ratio of its currency, and so do all others in that
currency: a ratio that many totals share, to the cent, is a moved rate. Other currencies may have
too few totals to show theirs, so a move within that reach is never called a change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import polars as pl

A_YEAR: Final = 0.10
"""How far rates of the usual currencies move within a year, at least; over other times by the root
of the time between, as prices that wander do."""
_CENT: Final = 0.005
"""What rounding to the cent can add or take."""
_CLOSE: Final = 2e-6
"""Two ratios nearer than this are one."""
_SHARED: Final = 3
_SHARE: Final = 0.001
"""A ratio is a rate's where so many different totals share it, and this share of all of them."""
_BULK: Final = 0.10
"""A ratio that this share of all totals has is a rate's, however round it is."""
_ROUND: Final = 20
"""Amounts are raised by round factors (2, 3/2, 7/4): denominators up to this are no rate's."""


def reach(amounts: pl.DataFrame, *, days: int | None) -> float:
    """The furthest that rates can have moved amounts, as a logarithm; `amounts` has old and new.

    At least what is usual for the time between the fetches, a year where `days` is None; more
    where amounts show a ratio that moved further.

    >>> frame = pl.DataFrame({"old": [1e6, 2e6, 5e6, 7e6], "new": [2e6, 2e6, 6e6, 8.4e6]})
    >>> round(reach(frame, days=365), 4), reach(frame, days=0)
    (0.1, 0.0)
    """
    usual = A_YEAR * math.sqrt((365 if days is None else days) / 365)
    return max([usual, *(abs(math.log(ratio)) for ratio in ratios(amounts))])


def ratios(amounts: pl.DataFrame) -> list[float]:
    """The ratios of new to old by which moved rates moved amounts, those of most amounts first."""
    known = amounts.filter(pl.col("old") > 0, pl.col("new") > 0)
    # one ratio, as exact as the larger amounts tell it: the cent is too much of a small one
    exact = pl.min_horizontal("old", "new") > 2 * _CENT / _CLOSE
    groups = (
        known.filter(exact, pl.col("old") != pl.col("new"))
        .select("old", ratio=pl.col("new") / pl.col("old"))
        .sort("ratio")
        .with_columns(
            group=(pl.col("ratio").log().diff() > _CLOSE).fill_null(value=False).cum_sum()
        )
        .group_by("group", maintain_order=True)
        .agg(pl.col("ratio").median(), count=pl.len(), totals=pl.col("old").n_unique())
        .filter(pl.col("totals") >= max(_SHARED, _SHARE * known.height))
        .sort("count", descending=True, maintain_order=True)
    )
    found: list[float] = []
    for ratio, count in groups.select("ratio", "count").iter_rows():
        is_round = any(_is_round(ratio / base) for base in (1.0, *found))
        if count >= _BULK * known.height or not is_round:
            found.append(ratio)
    return found


def judged(currencies: Sequence[pl.DataFrame], reaches: Sequence[float]) -> pl.Series:
    """Per record, what its amounts say; `reaches` is the `reach` of each of the currencies.

    `currencies` has old and new of the records in each.
    "same" where an amount is equal in one of them, so that only rates moved; "cannot_tell" where
    rates can have moved it in all of them; else "changed", and null where it is not recorded.

    >>> usd = pl.DataFrame({"old": [1e6, 2e6, 3e6], "new": [1e6, 2.02e6, 3e7]})
    >>> judged([usd], [reach(usd, days=90)]).to_list()
    ['same', 'cannot_tell', 'changed']
    """
    every = pl.DataFrame(
        [
            each.select(_said(furthest).alias(str(index))).to_series()
            for index, (each, furthest) in enumerate(zip(currencies, reaches, strict=True))
        ]
    )
    is_same = pl.any_horizontal(pl.all() == "same")
    is_rate = pl.all_horizontal((pl.all() != "changed").fill_null(value=True))
    first = pl.col("0")
    case = (
        pl.when(is_same)
        .then(pl.lit("same"))
        .when(is_rate | first.is_null())
        .then(first)
        .otherwise(pl.lit("changed"))
    )
    return every.select(judged=case).to_series()


def _said(furthest: float) -> pl.Expr:
    """What one currency says of each record; amounts are known to half a cent."""
    old, new = pl.col("old"), pl.col("new")
    least, most = (new - _CENT) / (old + _CENT), (new + _CENT) / (old - _CENT)
    within = (most >= math.exp(-furthest) - _CLOSE) & (least <= math.exp(furthest) + _CLOSE)
    is_rate = (old > _CENT) & (new > 0) & within & (furthest > 0)
    return (
        pl.when(old == new)
        .then(pl.lit("same"))
        .when(is_rate)
        .then(pl.lit("cannot_tell"))
        .when(old.is_not_null() & new.is_not_null())
        .then(pl.lit("changed"))
    )


def _is_round(factor: float) -> bool:
    nearest = Fraction(factor).limit_denominator(_ROUND)
    return abs(factor - nearest) <= _CLOSE * factor
