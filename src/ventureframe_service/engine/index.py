"""The rows of one resource, found by filter and sort, and shown a page at a time.

`find`, `page` and `table` are all that is read outside this folder. Rows are
numbered in the order of their key, so ties fall to the id. A clause gives one flag a
row; where nothing is recorded it is not satisfied, negated or not. The flags of
clauses, orders of sorts and latest queries are kept.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from ventureframe.interface.fields import SEVERAL, Resource
from ventureframe.interface.filters import Clause, Filter, Group

Rows = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]

# operators that Python names otherwise
_PYTHON: Final = {"neq": "ne", "gte": "ge", "lte": "le"}


class Postings:
    """For each value of `pairs` (`row`, `value`) the rows that have it, of `height`
    rows in all.
    """

    def __init__(self, pairs: pl.LazyFrame, height: int) -> None:
        flat = (
            pairs.select("value", pl.col("row").cast(pl.UInt32))
            .drop_nulls("value")
            .collect()
        )
        if not flat["value"].is_sorted():
            flat = flat.sort("value")
        self._values, self._height = flat["value"], height
        self._rows: Rows = flat["row"].to_numpy()

    def have(self, values: Sequence[object]) -> Flags:
        """A flag a row: whether it has at least one of `values`."""
        wanted = pl.Series(sorted(set(values)), dtype=self._values.dtype)
        starts = self._values.search_sorted(wanted, side="left")
        ends = self._values.search_sorted(wanted, side="right")
        return self._flags([self._rows[a:b] for a, b in zip(starts, ends, strict=True)])

    def recorded(self) -> Flags:
        """A flag a row: whether it has any value."""
        return self._flags([self._rows])

    def _flags(self, parts: Sequence[Rows]) -> Flags:
        flags = np.zeros(self._height, np.bool_)
        for rows in parts:
            flags[rows] = True
        return flags


def pairs(frame: pl.DataFrame, column: str) -> pl.LazyFrame:
    """The rows and values of a column, plain or of lists."""
    flat = frame.lazy().select(value=column).with_row_index("row")
    return flat.explode("value") if isinstance(frame.schema[column], pl.List) else flat


class Found(NamedTuple):
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
        # of lists: pairs of row and value
        postings: Mapping[str, pl.LazyFrame] | None = None,
        # an amount in a currency
        money: Mapping[str, Callable[[str], pl.Series]] | None = None,
        native: Sequence[str] = (),  # amounts that a filter compares as recorded
    ) -> None:
        self.resource, self._frame = resource, frame
        self._shown = frame.select(field.name for field in resource.returned)
        self._pairs = {resource.key: pairs(frame, resource.key), **(postings or {})}
        self._money = money or {}
        self._converted_filters = set(self._money) - set(native)
        self._every: Rows = np.arange(frame.height, dtype=np.uint32)
        self._postings = lru_cache(64)(
            lambda name: Postings(self._pairs[name], frame.height)
        )
        self._columns = lru_cache(8)(self._converted)
        self._order = lru_cache(24)(self._sorted)
        self._clause = lru_cache(48)(self._satisfied)
        self._found = lru_cache(32)(self._answer)

    def find(
        self, where: Filter | None = None, *, sort: str = "", currency: str = "USD"
    ) -> Found:
        """The rows that satisfy `where`, in the order of `sort`; nulls last, ties by
        id.
        """
        return self._found(where, sort, currency)

    def page(self, found: Found, offset: int = 0, limit: int = 1) -> pl.DataFrame:
        """So many of the rows found, `offset` of them skipped, as they are shown."""
        rows = pl.Series(found.rows[offset : offset + limit])
        return self._columns(found.currency)[rows]

    def table(self, found: Found, columns: Sequence[str]) -> pl.DataFrame:
        """These columns of every row found, of those that no page shows as well."""
        shown = self._columns(found.currency)
        more = self._frame.select(name for name in columns if name not in shown.columns)
        return shown.with_columns(more).select(columns)[pl.Series(found.rows)]

    def counts(self, name: str) -> pl.DataFrame:
        """How many rows have each value (`id`) of a list that filters:
        `entities_count`.
        """
        rows = self._pairs[name].group_by(id="value")
        return rows.agg(entities_count=pl.col("row").n_unique()).collect()

    def _converted(self, currency: str) -> pl.DataFrame:
        amounts = {name: convert(currency) for name, convert in self._money.items()}
        return self._shown.with_columns(**amounts)

    def _answer(self, where: Filter | None, sort: str, currency: str) -> Found:
        order = self._order(sort, currency) if sort else self._every
        rows = order if where is None else order[self._flags(where, currency)[order]]
        return Found(rows, currency)

    def _flags(self, where: Filter, currency: str) -> Flags:
        if isinstance(where, Clause):
            return self._clause(
                where, currency if where.field in self._converted_filters else ""
            )
        group = cast("Group", where)
        join = operator.and_ if group.word == "and" else operator.or_
        return reduce(join, (self._flags(part, currency) for part in group.parts))

    def _satisfied(self, where: Clause, currency: str) -> Flags:
        """A flag a row; `currency` is that of an amount, empty for every other
        field.
        """
        name, values = where.field, list[Any](where.values)
        # else the owner that a path names, read already
        if field := self.resource.get(name):
            name, values = field.alias_of or name, list(map(field.read, where.values))
        if name in self._pairs:
            postings = self._postings(name)
            parts = (
                [[value] for value in values] if "_all" in where.operator else [values]
            )
            flags = reduce(operator.and_, map(postings.have, parts))
            if where.operator not in ("neq", "nin_any", "nin_all"):
                return flags
            # nothing is recorded where such a list is empty, and a negation does not
            # hold
            return postings.recorded() & ~flags
        frame = self._columns(currency) if currency else self._frame
        column = _compared(where.operator, frame[name], values)
        return column.fill_null(value=False).to_numpy()

    def _sorted(self, sort: str, currency: str) -> Rows:
        descending: dict[str, bool] = {}
        for part in sort.split(","):
            descending.setdefault(part.removeprefix("-"), part.startswith("-"))
        keys, down = list(descending), list(descending.values())
        order = pl.arg_sort_by(
            keys, descending=down, nulls_last=True, maintain_order=True
        )
        return (
            self._columns(currency).select(order.cast(pl.UInt32)).to_series().to_numpy()
        )


def _compared(name: str, column: pl.Series, values: Sequence[Any]) -> pl.Series:
    """A flag a row of a column that holds one value a row; null where that is null."""
    if column.dtype.is_integer():
        column = column.cast(pl.Int64)  # as wide as the values that a filter takes
    if name not in SEVERAL:
        compare: Callable[..., pl.Series] = getattr(operator, _PYTHON.get(name, name))
        return compare(column, values[0])
    found = column.is_in(pl.Series(values, dtype=column.dtype))
    return found if name == "in_any" else ~found
