"""The rows of one resource, found by filter and sort, and shown a page at a time.

`find`, `page` and `table` are all that is read outside this folder. Rows are
numbered in the order of their key, so ties fall to the id. A clause gives one flag a
row; where nothing is recorded it is not satisfied, negated or not. The flags of
clauses, orders of sorts and latest queries are kept.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from ventureframe.interface.fields import SEVERAL, Operator, Resource
from ventureframe.interface.filters import Clause, Filter, Group

Rows = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]
Convert = Callable[[str], pl.Series]
"""Makes the column of an amount in a currency."""

# operators that Python names otherwise
_PYTHON = {"neq": "ne", "gte": "ge", "lte": "le"}


class Postings:
    """For each value of `pairs` (`row`, `value`) the rows that have it, of `height`
    rows in all.
    """

    def __init__(self, pairs: pl.LazyFrame, height: int) -> None:
        numbered = pairs.select("value", pl.col("row").cast(pl.UInt32))
        flat = numbered.drop_nulls("value").collect()
        if not flat["value"].is_sorted():
            flat = flat.sort("value")
        self._values, self._height = flat["value"], height
        self._rows: Rows = flat["row"].to_numpy()

    def have(self, values: Sequence[object]) -> Flags:
        """Return a flag a row: whether it has at least one of `values`."""
        wanted = pl.Series(sorted(set(values)), dtype=self._values.dtype)
        starts = self._values.search_sorted(wanted, side="left")
        ends = self._values.search_sorted(wanted, side="right")
        parts = zip(starts, ends, strict=True)
        return self._flags([self._rows[start:end] for start, end in parts])

    def recorded(self) -> Flags:
        """Return a flag a row: whether it has any value."""
        return self._flags([self._rows])

    def _flags(self, parts: Sequence[Rows]) -> Flags:
        flags = np.zeros(self._height, np.bool_)
        for rows in parts:
            flags[rows] = True
        return flags


def pairs(frame: pl.DataFrame, column: str) -> pl.LazyFrame:
    """Return the rows and values of a column, plain or of lists."""
    flat = frame.lazy().select(value=column).with_row_index("row")
    return flat.explode("value") if isinstance(frame.schema[column], pl.List) else flat


class Matches(NamedTuple):
    """The rows that answer a query, in its order, and the currency that amounts are
    shown in.
    """

    rows: Rows
    currency: str

    @property
    def total(self) -> int:
        """How many rows answer it."""
        return len(self.rows)


class Index:
    """One resource; `frame` has its rows by key, with every column that is shown or
    filtered by.
    """

    def __init__(
        self,
        resource: Resource,
        frame: pl.DataFrame,
        *,
        postings: Mapping[str, pl.LazyFrame],  # of lists: pairs of row and value
        money: Mapping[str, Convert],
        native: Iterable[str],  # amounts that a filter compares as recorded
    ) -> None:
        self.resource, self._frame = resource, frame
        self._shown = frame.select(field.name for field in resource.returned)
        self._pairs = {resource.key: pairs(frame, resource.key), **postings}
        self._money = money
        self._converted_filters = set(money) - set(native)
        self._every: Rows = np.arange(frame.height, dtype=np.uint32)
        self._postings = lru_cache(64)(self._posted)
        self._columns = lru_cache(8)(self._converted)
        self._order = lru_cache(24)(self._sorted)
        self._clause = lru_cache(48)(self._satisfied)
        self._found = lru_cache(32)(self._answer)

    def find(
        self, where: Filter | None = None, *, sort: str = "", currency: str = "USD"
    ) -> Matches:
        """Return the rows that satisfy `where`, in the order of `sort`; nulls last,
        ties by id.
        """
        return self._found(where, sort, currency)

    def page(self, matches: Matches, offset: int = 0, limit: int = 1) -> pl.DataFrame:
        """Return so many of the rows found, `offset` of them skipped, as they are
        shown.
        """
        rows = pl.Series(matches.rows[offset : offset + limit])
        return self._columns(matches.currency)[rows]

    def table(self, matches: Matches, columns: Sequence[str]) -> pl.DataFrame:
        """Return these columns of every row found, also columns that no page shows."""
        frame = self._columns(matches.currency)
        more = self._frame.select(name for name in columns if name not in frame.columns)
        return frame.with_columns(more).select(columns)[pl.Series(matches.rows)]

    def counts(self, name: str) -> pl.DataFrame:
        """Return how many rows have each value (`id`) of a list that filters:
        `entities_count`.
        """
        rows = self._pairs[name].group_by(id="value")
        return rows.agg(entities_count=pl.col("row").n_unique()).collect()

    def _posted(self, name: str) -> Postings:
        return Postings(self._pairs[name], self._frame.height)

    def _converted(self, currency: str) -> pl.DataFrame:
        amounts = {name: convert(currency) for name, convert in self._money.items()}
        return self._shown.with_columns(**amounts)

    def _answer(self, where: Filter | None, sort: str, currency: str) -> Matches:
        rows = self._order(sort, currency) if sort else self._every
        if where is not None:
            flags = self._flags(where, currency)
            rows = rows[flags[rows]]
        return Matches(rows, currency)

    def _flags(self, where: Filter, currency: str) -> Flags:
        if isinstance(where, Clause):
            is_converted = where.field in self._converted_filters
            return self._clause(where, currency if is_converted else "")
        group = cast("Group", where)
        join = operator.and_ if group.word == "and" else operator.or_
        return reduce(join, (self._flags(part, currency) for part in group.parts))

    def _satisfied(self, where: Clause, currency: str) -> Flags:
        """Return a flag a row; `currency` is that of an amount, empty for every other
        field.
        """
        name, values = where.field, list[Any](where.values)
        field = self.resource.get(name)
        if field is not None:  # else the owner that a path names, read already
            name = field.alias_of or name
            values = [field.read(text) for text in where.values]
        if name in self._pairs:
            return self._satisfied_by_list(name, where.operator, values)
        frame = self._columns(currency) if currency else self._frame
        flags = _compare(where.operator, frame[name], values)
        return flags.fill_null(value=False).to_numpy()

    def _satisfied_by_list(
        self, name: str, word: Operator, values: Sequence[object]
    ) -> Flags:
        postings = self._postings(name)
        if word in ("in_all", "nin_all"):
            parts = [postings.have([value]) for value in values]
            flags: Flags = np.logical_and.reduce(parts)
        else:
            flags = postings.have(values)
        if word in ("neq", "nin_any", "nin_all"):
            # of an empty list nothing is recorded, and a negation does not hold
            return postings.recorded() & ~flags
        return flags

    def _sorted(self, sort: str, currency: str) -> Rows:
        descending: dict[str, bool] = {}
        for part in sort.split(","):
            descending.setdefault(part.removeprefix("-"), part.startswith("-"))
        names, is_reversed = list(descending), list(descending.values())
        order = pl.arg_sort_by(
            names, descending=is_reversed, nulls_last=True, maintain_order=True
        )
        frame = self._columns(currency).select(order.cast(pl.UInt32))
        return frame.to_series().to_numpy()


def _compare(name: str, column: pl.Series, values: Sequence[Any]) -> pl.Series:
    """Return a flag a row of a column that holds one value a row; null where that is
    null.
    """
    if column.dtype.is_integer():
        column = column.cast(pl.Int64)  # as wide as the values that a filter takes
    if name not in SEVERAL:
        compare: Callable[..., pl.Series]
        compare = getattr(operator, _PYTHON.get(name, name))
        return compare(column, values[0])
    is_in = column.is_in(pl.Series(values, dtype=column.dtype).implode())
    return is_in if name == "in_any" else ~is_in
