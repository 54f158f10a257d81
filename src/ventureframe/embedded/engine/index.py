"""The rows of one resource, found by filter and sort, and shown a page at a time.

`find` says which rows answer a query, `page` writes some of them, `table` gives their columns for
grouping: nothing else of an index is read outside this folder. Rows are numbered in the order of
their key, so ties fall to the id. A clause gives one flag a row, null where nothing is recorded;
`and` and `or` join flags as SQL does, so a null satisfies no clause, negated or not. The orders of
sorts and the rows of the latest queries are kept.
"""

from __future__ import annotations

import io
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from ventureframe.interface.fields import SEVERAL, Resource
from ventureframe.interface.filters import Clause, Filter, Group

Rows = npt.NDArray[np.uint32]

_PYTHON: Final = {"neq": "ne", "gte": "ge", "lte": "le"}
"""The operators that Python names otherwise."""


class Postings:
    """Any number of values a row: for each value, the rows that have it.

    `pairs` are the columns `row` and `value`, null values left out; `height` is the number of
    rows, those without a value included.
    """

    def __init__(self, pairs: pl.LazyFrame, *, height: int) -> None:
        flat = pairs.select("value", pl.col("row").cast(pl.UInt32)).drop_nulls("value").collect()
        if not flat["value"].is_sorted():
            flat = flat.sort("value")
        self._values = flat["value"]
        self._rows: Rows = flat["row"].to_numpy()
        self._height = height

    def have(self, values: Sequence[object]) -> pl.Series:
        """A flag a row: whether it has at least one of `values`."""
        wanted = pl.Series(sorted(set(values)), dtype=self._values.dtype)
        starts = self._values.search_sorted(wanted, side="left")
        ends = self._values.search_sorted(wanted, side="right")
        return self._flags([self._rows[a:b] for a, b in zip(starts, ends, strict=True)])

    def recorded(self) -> pl.Series:
        """A flag a row: whether it has any value."""
        return self._flags([self._rows])

    def _flags(self, parts: Sequence[Rows]) -> pl.Series:
        flags = np.zeros(self._height, np.bool_)
        for rows in parts:
            flags[rows] = True
        return pl.Series(flags)


def pairs(frame: pl.DataFrame, column: str) -> pl.LazyFrame:
    """The rows and values of a column, plain or of lists."""
    flat = frame.lazy().select(value=column).with_row_index("row")
    return flat.explode("value") if isinstance(frame.schema[column], pl.List) else flat


@dataclass(frozen=True, slots=True)
class Found:
    """The rows that answer a query, in its order and currency."""

    rows: Rows = field(repr=False)
    currency: str

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.rows)


class Index:
    """The rows of one resource behind `find`, `page` and `table`.

    Parameters
    ----------
    frame : the rows in the order of their key, with every column that is shown or filtered by.
    postings : by name of a field that lists or names values, the pairs of row and value.
    money : makes the column of an amount in a currency; by name of the field.
    native : amounts that a filter compares as recorded, not as converted.
    """

    def __init__(
        self,
        resource: Resource,
        frame: pl.DataFrame,
        *,
        postings: Mapping[str, pl.LazyFrame] | None = None,
        money: Mapping[str, Callable[[str], pl.Series]] | None = None,
        native: Sequence[str] = (),
    ) -> None:
        self.resource = resource
        self._frame = frame
        self._shown = frame.select(field.name for field in resource.returned)
        self._pairs = {resource.key: pairs(frame, resource.key), **(postings or {})}
        self._money = money or {}
        self._converted_filters = set(self._money) - set(native)
        self._every: Rows = np.arange(frame.height, dtype=np.uint32)
        self._postings = lru_cache(64)(
            lambda name: Postings(self._pairs[name], height=frame.height)
        )
        self._columns = lru_cache(8)(self._converted)
        self._order = lru_cache(24)(self._sorted)
        self._found = lru_cache(16)(self._rows)

    def find(self, where: Filter | None = None, *, sort: str = "", currency: str = "USD") -> Found:
        """The rows that satisfy `where`, in the order of `sort`; nulls last, ties by id."""
        return Found(self._found(where, sort, currency), currency)

    def page(
        self, found: Found, offset: int = 0, limit: int = 1, *, without: Sequence[str] = ()
    ) -> bytes:
        """So many of the rows found, `offset` of them skipped, as a JSON list."""
        part = self._columns(found.currency)[pl.Series(found.rows[offset : offset + limit])]
        text = io.BytesIO()
        (part.drop(without) if without else part).write_json(text)
        return text.getvalue()

    def table(self, found: Found, columns: Sequence[str]) -> pl.DataFrame:
        """These columns of every row found."""
        frame = self._columns(found.currency).select(columns)
        return frame if found.rows is self._every else frame[pl.Series(found.rows)]

    def warm(self, *sorts: str) -> None:
        """Makes what the first queries would have to wait for."""
        for name in self._pairs:
            self._postings(name)
        for sort in sorts:
            self._order(sort, "USD")

    def _converted(self, currency: str) -> pl.DataFrame:
        amounts = {name: convert(currency) for name, convert in self._money.items()}
        return self._shown.with_columns(**amounts)

    def _rows(self, where: Filter | None, sort: str, currency: str) -> Rows:
        order = self._order(sort, currency) if sort else self._every
        if where is None:
            return order
        flags = self._flags(where, currency).fill_null(value=False).to_numpy()
        return order[flags[order]] if sort else np.flatnonzero(flags).astype(np.uint32)

    def _flags(self, where: Filter, currency: str) -> pl.Series:
        if not isinstance(where, Clause):
            group = cast("Group", where)
            join = operator.and_ if group.word == "and" else operator.or_
            return reduce(join, (self._flags(part, currency) for part in group.parts))
        name, values = where.field, list[Any](where.values)
        if field := self.resource.get(name):  # else the owner that a path names, read already
            name, values = field.alias_of or name, list(map(field.read, where.values))
        if name in self._pairs:
            return _posted(where.operator, self._postings(name), values)
        frame = self._columns(currency) if name in self._converted_filters else self._frame
        return _compared(where.operator, frame[name], values)

    def _sorted(self, sort: str, currency: str) -> Rows:
        descending: dict[str, bool] = {}
        for part in sort.split(","):
            descending.setdefault(part.removeprefix("-"), part.startswith("-"))
        order = pl.arg_sort_by(
            list(descending),
            descending=list(descending.values()),
            nulls_last=[True] * len(descending),
            maintain_order=True,
        )
        return self._columns(currency).select(order.cast(pl.UInt32)).to_series().to_numpy()


def _compared(name: str, column: pl.Series, values: Sequence[Any]) -> pl.Series:
    """A flag a row of a column that holds one value a row; null where that is null."""
    if name not in SEVERAL:
        compare: Callable[..., pl.Series] = getattr(operator, _PYTHON.get(name, name))
        return compare(column, values[0])
    found = column.is_in(pl.Series(values, dtype=column.dtype))
    return found if name == "in_any" else ~found


def _posted(name: str, postings: Postings, values: Sequence[Any]) -> pl.Series:
    """A flag a row of a field that holds any number of values; a negation needs one recorded."""
    if name in ("in_all", "nin_all"):
        found = reduce(operator.and_, (postings.have([value]) for value in values))
    else:
        found = postings.have(values)
    return postings.recorded() & ~found if name in ("neq", "nin_any", "nin_all") else found
