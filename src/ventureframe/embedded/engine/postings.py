"""For each value of a field the rows that have it: how lists and names are found without a scan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

Rows = npt.NDArray[np.uint32]


class Postings:
    """Any number of values a row: for each value, the rows that have it.

    `pairs` are the columns `value` and `row`, in the order of the rows; `height` is the number of
    rows, those without a value included.
    """

    def __init__(self, pairs: pl.DataFrame, *, height: int) -> None:
        flat = pairs.select("value", pl.col("row").cast(pl.UInt32)).drop_nulls("value")
        if not flat["value"].is_sorted():
            flat = flat.sort("value", maintain_order=True)
        self._values = flat["value"]
        self._rows: Rows = flat["row"].to_numpy()
        self._height = height

    @classmethod
    def of(cls, column: pl.Series) -> Postings:
        """The postings of a column, plain or of lists."""
        flat = column.alias("value").to_frame().with_row_index("row")
        if isinstance(column.dtype, pl.List):
            flat = flat.explode("value", empty_as_null=False, keep_nulls=False)
        return cls(flat, height=len(column))

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
