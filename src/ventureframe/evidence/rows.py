"""Frames in and out of an analysis: typed, one row per key, back in the library they came in.

Whatever comes in is computed in polars, so that both libraries get the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import narwhals as nw

from ventureframe.client.frames import to_pandas

Frame = Any
"""A polars or a pandas frame: whichever was given comes back."""

Rows = nw.DataFrame[Any]
"""Rows within an analysis."""

TEXT, WHOLE, NUMBER = nw.String(), nw.Int64(), nw.Float64()
FLAG, DAY = nw.Boolean(), nw.Date()
COVERAGE: Final = {"record": TEXT, "field": TEXT, "known": WHOLE, "of": WHOLE}
"""The columns of every study's coverage."""


def taken(frame: Frame, *columns: str) -> Rows:
    """The columns as polars holds them; pandas comes through Arrow, so its nulls stay."""
    rows: Rows = nw.from_native(frame, eager_only=True).select(*columns)
    if rows.implementation.is_pandas():
        rows = nw.from_arrow(rows.to_arrow(), backend="polars")
    return rows


def distinct(frame: Frame, columns: Mapping[str, nw.dtypes.DType], *, key: Sequence[str]) -> Rows:
    """The columns in their types, one row per key: of rows that differ, the same one each time.

    The rows come in any order.
    """
    rows = taken(frame, *columns)
    rows = rows.select(nw.col(name).cast(kind) for name, kind in columns.items())
    if len(rows.unique(subset=list(key))) == len(rows):
        return rows
    return rows.sort(*columns).unique(subset=list(key), keep="first", maintain_order=True)


def known(record: str, frame: Rows, fields: Sequence[str]) -> list[tuple[str, str, int, int]]:
    """Rows of a coverage frame: per field in how many of the rows something is recorded."""
    return [(record, name, recorded(frame, name), len(frame)) for name in fields]


def recorded(rows: Rows, column: str) -> int:
    """In how many rows something is recorded."""
    return len(rows) - int(rows[column].null_count())


def made(rows: Sequence[Sequence[object]], schema: Mapping[str, nw.dtypes.DType]) -> Rows:
    """A frame of a few rows counted or given one by one."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    data = {name: list(column) for name, column in zip(schema, columns, strict=True)}
    return nw.from_dict(data, schema, backend="polars")


def given_back(*, like: Frame) -> Callable[[Rows], Frame]:
    """A function to the library of `like`: to Arrow's nullable types where that is pandas."""
    if not nw.from_native(like, eager_only=True).implementation.is_pandas():
        return lambda frame: frame.to_native()
    return lambda frame: to_pandas(frame.to_native())


def first_that_holds(
    cases: Sequence[tuple[nw.Expr, str | int]], *, otherwise: str | int
) -> nw.Expr:
    """The result of the first condition that holds for a row."""
    value = nw.lit(otherwise)
    for condition, result in reversed(cases):
        value = nw.when(condition).then(nw.lit(result)).otherwise(value)
    return value
