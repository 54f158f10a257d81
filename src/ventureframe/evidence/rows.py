"""Rows within a study: whole collections are narrowed on their engine, `find` computes
in polars.

`typed` and `distinct` turn each frame that `find` is given, of any library that
narwhals knows, into a polars frame of the columns that the study reads, one row per
key. Frames with an `origin` are whole collections (`bulk.open`), which may be larger
than memory: of them `find` first says, with narwhals joins and filters and naming no
engine, which records the question is about, and `narrow` counts these on the engine,
refuses too many, and collects them:

    there = lazy(companies).filter(nw.col("hq_country") == country) posted =
    lazy(jobs).join(there.select(entity_id="uuid"), on="entity_id", how="semi") frames =
    narrow({"companies": there.select(*_COMPANY), "jobs": posted}, by="country")

On an engine letters are folded before it (`fold` over the distinct names, then
`is_in`), patterns stay in polars, and a sum of amounts is added by `math.fsum` after
collecting.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, TypeVar

import narwhals as nw
import polars as pl

from ventureframe.client.frames import empty
from ventureframe.display.wording import NOT_RECORDED, Count
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import Resource
from ventureframe.interface.source import FRAMES, NotThere

C = TypeVar("C")

Frame = Any  # a frame of any library that narwhals knows, eager or lazy
Rows = nw.LazyFrame[Any]  # on the engine of the frame they come from
Schema = Mapping[str, Any]  # columns and their polars types
Row = Mapping[str, Any]  # the values of a row by column
COVERAGE = {
    "record": pl.String,
    "field": pl.String,
    "known": pl.Int64,
    "of": pl.Int64,
}
MOST = 2_000_000
"""The most rows of an engine that a study computes with."""
FEWEST = 5
# shown where there are too few values for a median or a quartile
FEW = f"fewer than {FEWEST}"
NAMES = pl.col("^.*_name$").fill_null(NOT_RECORDED)
"""The columns of names as tables show them."""


def schema(resource: Resource, *names: str) -> dict[str, pl.DataType]:
    """The fields of a resource, each with its type as a column.

    >>> from ventureframe.interface import fields
    >>> schema(fields.JOBS, "id", "title")
    {'id': Int64, 'title': String}
    """
    return dict(empty(resource).select(names).schema)


def refuse_strangers(frames: Mapping[str, Frame]) -> None:
    """Raise `TypeError` for an argument that is no frame of a dataset, such as a
    misspelt one.
    """
    if strangers := sorted(frames.keys() - FRAMES):
        raise TypeError(f"find() has no argument {strangers[0]!r}")


def lazy(frame: Frame) -> Rows:
    """The frame as lazy rows; eager ones go to polars through Arrow, so nulls stay
    null.

    Raises `UnsupportedValue` for one that its dataset does not have.

    >>> import pandas as pd
    >>> lazy(pd.DataFrame({"n": [1, 2]})).collect().to_native().height
    2
    """
    if isinstance(frame, NotThere):
        raise UnsupportedValue(frame.name, field="frame", reason=frame.reason)
    rows = nw.from_native(frame)
    if not isinstance(rows, nw.LazyFrame) and not rows.implementation.is_polars():
        rows = nw.from_arrow(rows.to_arrow(), backend="polars")
    lazy_rows: Rows = rows.lazy()
    return lazy_rows


def narrow(
    frames: Mapping[str, Rows], *, by: str, most: int = MOST
) -> dict[str, pl.DataFrame]:
    """Collect the rows of each frame as polars, at most so many.

    Raises `UnsupportedValue` for more; `by` says which condition would narrow them.

    >>> wide = {"numbers": lazy(pl.LazyFrame({"n": [1, 2, 3]})).filter(nw.col("n") > 1)}
    >>> narrow(wide, by="a range")["numbers"].rows()
    [(2,), (3,)]
    """
    tables = dict[str, pl.DataFrame]()
    for name, rows in frames.items():
        table: pl.DataFrame = rows.head(most + 1).collect(backend="polars").to_native()
        if table.height > most:
            reason = f"that is more than a study computes with; narrow it by {by}"
            raise UnsupportedValue(f"over {most:,} rows", field=name, reason=reason)
        tables[name] = table
    return tables


def typed(frame: Frame, columns: Schema) -> pl.DataFrame:
    """The columns in their types, as polars; what is not a number is null."""
    rows = lazy(frame).select(*columns)
    if isinstance(nw.from_native(frame), nw.LazyFrame):
        table = narrow({"frame": rows}, by="a condition on its records")["frame"]
    else:
        table = rows.collect().to_native()
    return table.cast(pl.Schema(columns)).fill_nan(None)


def distinct(frame: Frame, columns: Schema, *, key: Sequence[str]) -> pl.DataFrame:
    """Keep the columns in their types, one row per key: where rows of a key differ,
    always the same one.
    """
    return first_of_each(typed(frame, columns), key, by=columns)


def first_of_each(
    rows: pl.DataFrame, key: Sequence[str], *, by: Iterable[str]
) -> pl.DataFrame:
    """Keep a row per key: where rows of a key differ, the first in the order of these
    columns.
    """
    is_repeated = rows.select(key).is_duplicated()
    several = rows.filter(is_repeated).sort(*by).unique(key, keep="first")
    return pl.concat([rows.filter(~is_repeated), several])


def of(**number: pl.Expr) -> Any:
    """Declare a number of a study, as a field: the frame it is counted in, and how."""
    return field(metadata=number)


def counted(kind: type[C], frames: Mapping[str, pl.DataFrame], **further: Any) -> C:
    """Count the numbers that a class declares `of` these frames; `further` are the
    other fields.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Counts:
    ...     funds: Count = of(funds=pl.len())
    ...     sized: Count = of(funds=pl.col("size").count())
    >>> counted(Counts, {"funds": pl.DataFrame({"size": [1.5, None]})})
    Counts(funds=2, sized=1)
    """
    numbers = {
        name.name: Count(frames[frame].select(number).item())
        for name in fields(kind)  # type: ignore[arg-type]  # a dataclass
        for frame, number in name.metadata.items()
    }
    return kind(**numbers, **further)


def tally(total: str, **counts: str | pl.Expr) -> list[pl.Expr]:
    """How many rows each group has, and in how many a field is recorded, or what else
    is counted.

    >>> table = pl.DataFrame({"type": ["VC"], "fund_size": [None]})
    >>> table.group_by("type").agg(*tally("funds", size_known="fund_size")).rows()
    [('VC', 1, 0)]
    """
    numbers = {total: pl.len()}
    for name, count in counts.items():
        numbers[name] = pl.col(count).count() if isinstance(count, str) else count
    return [number.cast(pl.Int64).alias(name) for name, number in numbers.items()]


def coverage(
    record: str, rows: pl.DataFrame, fields: Iterable[str]
) -> list[tuple[Any, ...]]:
    """Rows of a coverage frame: per field in how many of the rows something is
    recorded.
    """
    return [(record, name, rows[name].count(), rows.height) for name in fields]


def first_that_holds(
    cases: Iterable[tuple[pl.Expr, Any]], *, otherwise: Any
) -> pl.Expr:
    """The result of the first condition that holds for a row."""
    results = (pl.when(condition).then(pl.lit(result)) for condition, result in cases)
    return pl.coalesce(*results, pl.lit(otherwise))


def joined(texts: pl.Expr) -> pl.Expr:
    """The different texts of a group as one, in the order of the alphabet; null where
    there is none.
    """
    return texts.replace("", None).unique().sort().str.join("; ").replace("", None)


def median(column: str) -> pl.Expr:
    """The median of a column, null where fewer than five of its values are known."""
    return quantile(column, 0.5)


def quantile(column: str, share: float) -> pl.Expr:
    """The value that this share of a column is at most; null where fewer than five of
    its values are known.
    """
    values = pl.col(column)
    return pl.when(values.count() >= FEWEST).then(values.quantile(share, "linear"))


def highest_first(
    rows: pl.DataFrame, amounts: str | Sequence[str], *names: str
) -> pl.DataFrame:
    """The rows with the largest known amounts first, those without one last; equal
    rows keep their order.
    """
    first = [amounts] if isinstance(amounts, str) else amounts
    order = [*first, *names]
    descending = [name in first for name in order]
    return rows.sort(order, descending=descending, nulls_last=True, maintain_order=True)


def unknown_last(rows: pl.DataFrame, column: str, number: str) -> pl.DataFrame:
    """The rows with the largest counts first, and the one without the column last."""
    return rows.sort(pl.col(column).is_null(), -pl.col(number), column)


def announced(frame: Frame, columns: Schema, *, key: Sequence[str]) -> pl.DataFrame:
    """The columns, one row per key, with the amount as announced beside the converted
    `amount`.

    `amount_native` and `native_currency` are null where they are not recorded;
    `amount_state` is one of `claims.AMOUNTS`.
    """
    source = nw.col("amount_source").struct
    native = {
        "amount_native": source.field("amount"),
        "native_currency": source.field("currency"),
    }
    types = {**columns, "amount_native": pl.Float64, "native_currency": pl.String}
    rows = distinct(lazy(frame).select(*columns, **native).to_native(), types, key=key)
    cases = [
        (pl.col("amount").is_not_null(), "converted"),
        (pl.col("amount_native").is_not_null(), "not_convertible"),
    ]
    return rows.with_columns(
        amount_state=first_that_holds(cases, otherwise="not_reported")
    )


def latest(
    rows: pl.DataFrame,
    by: Sequence[str],
    *,
    count: str,
    texts: Sequence[str],
    state: str,
) -> pl.DataFrame:
    """A row per owner, the first of `by`, and its latest date: of several records none
    is chosen.

    `rows` are the records of that date, and `count` is how many there are. Of several
    the different texts are joined, the column `state` is "several", and every other
    column is null.
    """
    is_alone = ~rows.select(by).is_duplicated()
    alone = rows.filter(is_alone).with_columns(pl.col(texts).replace("", None))
    groups = rows.filter(~is_alone).group_by(*by)
    is_several = pl.lit("several").alias(state)
    several = groups.agg(*tally(count), joined(pl.col(texts)), is_several)
    number = pl.col(count).fill_null(1)
    return pl.concat([alone, several], how="diagonal").with_columns(number)
