"""For each value of a field the rows that have it: how lists and names are found without a scan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

Rows = npt.NDArray[np.uint32]


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
