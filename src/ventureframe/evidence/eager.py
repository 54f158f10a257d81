"""Frames of the studies that are still computed eagerly: replaced one by one by `rows`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.client.frames import empty
from ventureframe.interface.fields import Resource

Frame = Any
"""A frame of any eager library that narwhals knows: polars, pandas, pyarrow."""

Rows = nw.DataFrame[Any]
"""Rows within a study."""

TEXT, WHOLE, NUMBER = nw.String(), nw.Int64(), nw.Float64()
FLAG, DAY = nw.Boolean(), nw.Date()
COVERAGE: Final = {"record": TEXT, "field": TEXT, "known": WHOLE, "of": WHOLE}
"""The columns of every study's coverage."""


def typed(resource: Resource, *names: str) -> dict[str, nw.dtypes.DType]:
    """The fields of a resource, each with its type as a column.

    >>> from ventureframe.interface import fields
    >>> typed(fields.JOBS, "id", "title")
    {'id': Int64, 'title': String}
    """
    return dict(nw.from_native(empty(resource), eager_only=True).select(*names).schema)


def taken(frame: Frame, *columns: str) -> Rows:
    """The columns as polars holds them; other libraries go through Arrow, so nulls stay null."""
    rows: Rows = nw.from_native(frame, eager_only=True).select(*columns)
    if not rows.implementation.is_polars():
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


def announced(frame: Frame, columns: Mapping[str, nw.dtypes.DType], *, key: Sequence[str]) -> Rows:
    """The columns, one row per key, with the amount as announced beside the converted `amount`.

    `amount_native` and `native_currency` are null where they are not recorded; `amount_state` is
    one of `states.AMOUNTS`.
    """
    source = nw.col("amount_source").struct
    found = taken(frame, *columns, "amount_source").with_columns(
        amount_native=source.field("amount"), native_currency=source.field("currency")
    )
    also = {"amount_native": NUMBER, "native_currency": TEXT}
    found = distinct(found.to_native(), {**columns, **also}, key=key)
    cases: list[tuple[nw.Expr, str | int]] = [
        (~nw.col("amount").is_null(), "converted"),
        (~nw.col("amount_native").is_null(), "not_convertible"),
    ]
    return found.with_columns(amount_state=first_that_holds(cases, otherwise="not_reported"))


def latest(found: Rows, by: Sequence[str], *, count: str, texts: Sequence[str], state: str) -> Rows:
    """A row per owner and its latest date: of several records of that date none is chosen.

    `count` is how many there are; their different texts are joined. Every other column is null
    where there are several, and the column `state` is then "several".
    """
    others = [name for name in found.columns if name not in (*by, state, *texts)]
    is_one = pl.len() == 1
    rows = (
        found.to_native()
        .group_by(by)
        .agg(
            pl.len().cast(pl.Int64).alias(count),
            *(pl.col(name).unique().sort().str.join("; ").replace("", None) for name in texts),
            *(pl.when(is_one).then(pl.col(name).first()) for name in others),
            pl.when(is_one).then(pl.col(state).first()).otherwise(pl.lit("several")),
        )
    )
    return nw.from_native(rows, eager_only=True)


def native(frames: Mapping[str, Rows]) -> dict[str, pl.DataFrame]:
    """The frames of a study as polars frames, under the same names."""
    return {name: rows.to_native() for name, rows in frames.items()}


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


def first_that_holds(
    cases: Sequence[tuple[nw.Expr, str | int]], *, otherwise: str | int
) -> nw.Expr:
    """The result of the first condition that holds for a row."""
    value = nw.lit(otherwise)
    for condition, result in reversed(cases):
        value = nw.when(condition).then(nw.lit(result)).otherwise(value)
    return value


def highest_first(rows: Rows, amounts: str | Sequence[str], *names: str) -> Rows:
    """The rows with the largest known amounts first, those without one last."""
    first = [amounts] if isinstance(amounts, str) else amounts
    descending = [name in first for name in (*first, *names)]
    return rows.sort(*first, *names, descending=descending, nulls_last=True)


def tally(many: str, **counts: str | nw.Expr) -> list[nw.Expr]:
    """How many rows each group has, and in how many a field is recorded, or what else is counted.

    >>> shown = tally("funds", size_known="fund_size", managers=nw.col("manager").n_unique())
    >>> rows = nw.from_native(pl.DataFrame({"type": ["VC"], "fund_size": [None], "manager": ["A"]}))
    >>> rows.group_by("type").agg(*shown).rows()
    [('VC', 1, 0, 1)]
    """
    every = {many: nw.len()} | {
        name: nw.col(count).count() if isinstance(count, str) else count
        for name, count in counts.items()
    }
    return [count.cast(WHOLE).alias(name) for name, count in every.items()]


def share(rows: Rows, condition: nw.Expr) -> int:
    """In how many rows the condition holds; where it is null it does not."""
    return len(rows.filter(condition))
