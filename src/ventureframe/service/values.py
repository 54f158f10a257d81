"""How the rows of a collection answer one clause of a filter: a flag per row, never null.

A null satisfies no clause, negated or not; so does a list with nothing in it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Any, Final, Protocol

import polars as pl

from ventureframe.fields import Field
from ventureframe.filters import Clause

Value = str | int | float | bool

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], pl.Series]]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


class Values(Protocol):
    """What a field holds, row by row."""

    @property
    def recorded(self) -> pl.Series:
        """Whether anything is recorded."""

    def among(self, values: Sequence[Value]) -> pl.Series:
        """Whether the row has at least one of `values`."""

    def compare(self, name: str, value: Value) -> pl.Series:
        """Whether the row's value is greater or less than `value`."""


class Scalars:
    """One value a row, or null."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series.cast(pl.Int64) if series.dtype == pl.Int32 else series

    @property
    def recorded(self) -> pl.Series:
        """Whether the value is not null."""
        return self._series.is_not_null()

    def among(self, values: Sequence[Value]) -> pl.Series:
        """Whether the row's value is one of `values`."""
        wanted = pl.Series(values, dtype=self._series.dtype)
        return self._series.is_in(wanted.implode()).fill_null(value=False)

    def compare(self, name: str, value: Value) -> pl.Series:
        """Whether the row's value is on the asked side of `value`."""
        return _COMPARISONS[name](self._series, value).fill_null(value=False)


class Postings:
    """Any number of values a row: for each value, the rows that have it."""

    def __init__(self, values: pl.Series, rows: pl.Series, *, height: int) -> None:
        if not values.is_sorted():
            order = values.arg_sort()
            values, rows = values.gather(order), rows.gather(order)
        self._values = values
        self._rows = rows.cast(pl.UInt32)
        self._height = height

    @cached_property
    def recorded(self) -> pl.Series:
        """Whether the row has any value."""
        return flags(self._rows, height=self._height)

    def rows(self, values: Sequence[Value]) -> pl.Series:
        """The rows that have at least one of `values`, a row once per value it has."""
        wanted = pl.Series(values, dtype=self._values.dtype)
        starts = self._values.search_sorted(wanted, side="left")
        ends = self._values.search_sorted(wanted, side="right")
        parts = [
            self._rows.slice(start, end - start)
            for start, end in zip(starts, ends, strict=True)
            if end > start
        ]
        return pl.concat(parts) if parts else self._rows.clear()

    def among(self, values: Sequence[Value]) -> pl.Series:
        """Whether the row has at least one of `values`."""
        return flags(self.rows(values), height=self._height)

    def compare(self, name: str, value: Value) -> pl.Series:
        """Names have no order, and no field that is named takes such an operator."""
        raise NotImplementedError(f"{name} {value}")


class Places:
    """One place a row, found by that place and by every place above it."""

    def __init__(self, places: pl.Series, parents: Mapping[int, int | None]) -> None:
        self._spans = _spans(parents)
        first = {place: start for place, (start, _) in self._spans.items()}
        self._series = places.replace_strict(first, default=None, return_dtype=pl.Int32)

    @property
    def recorded(self) -> pl.Series:
        """Whether a place is known."""
        return self._series.is_not_null()

    def among(self, values: Sequence[Value]) -> pl.Series:
        """Whether the row's place is one of `values` or lies in one of them."""
        spans = [self._spans.get(int(value), (0, 0)) for value in values]
        within = [(self._series >= start) & (self._series < end) for start, end in spans]
        return reduce(operator.or_, within).fill_null(value=False)

    def compare(self, name: str, value: Value) -> pl.Series:
        """Places have no order."""
        raise NotImplementedError(f"{name} {value}")


def _spans(parents: Mapping[int, int | None]) -> dict[int, tuple[int, int]]:
    """Each place's number in a walk down the tree, and the first number no longer below it."""
    below: dict[int | None, list[int]] = {}
    for place, parent in parents.items():
        below.setdefault(parent if parent in parents else None, []).append(place)
    spans: dict[int, tuple[int, int]] = {}
    walk = [(place, False) for place in below.get(None, [])]
    number = 0
    while walk:
        place, is_left = walk.pop()
        if is_left:
            spans[place] = (spans[place][0], number)
            continue
        spans[place] = (number, number)
        number += 1
        walk.append((place, True))
        walk.extend((inner, False) for inner in below.get(place, []))
    return spans


def flags(rows: pl.Series, *, height: int) -> pl.Series:
    """One flag a row: whether it is among `rows`."""
    return pl.repeat(value=False, n=height, dtype=pl.Boolean, eager=True).scatter(rows, True)


def holds(clause: Clause, field: Field, values: Values) -> pl.Series:
    """Whether each row satisfies the clause."""
    wanted = [field.read(value) for value in clause.values]
    if clause.operator in _COMPARISONS:
        return values.compare(clause.operator, wanted[0])
    if clause.operator in ("in_all", "nin_all"):
        found = reduce(operator.and_, (values.among([value]) for value in wanted))
    else:
        found = values.among(wanted)
    if clause.operator in ("neq", "nin_any", "nin_all"):
        return values.recorded & ~found
    return found
