"""Rows within a study: lazy frames of whichever engine the caller's frames come from.

A study names no engine. `taken` and `distinct` take a frame of any library that narwhals knows:
eager polars, pandas and pyarrow (computed in polars), a polars LazyFrame, a DuckDB relation, a
Spark Connect frame, an Ibis table. What they give, and what a study works on, is a lazy narwhals
frame, `Rows`; the frames of one study belong to one engine. Its few ways out of laziness are

- `keep`: a middle result computed once, because an engine may compute each output from scratch;
- `one`: scalars in one query, such as all counts of a frame; `known` makes coverage of them;
- `collected`: few rows as polars, where text is joined and floats are added;
- `findings`: the frames of a study, each of them polars once it is asked for.

`beside` puts few rows of polars on the engine of other rows, to be joined there. Sums of flags
are cast first (`WHOLE`), sums of whole numbers are cast back, and rows are sorted last and by a
key: engines differ silently in all three.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.client.frames import empty
from ventureframe.errors import UnsupportedValue
from ventureframe.interface import files
from ventureframe.interface.fields import Resource
from ventureframe.interface.source import FRAMES, NotThere

Frame = Any
"""A frame of any library that narwhals knows, eager or lazy."""

Rows = nw.LazyFrame[Any]
"""Rows within a study, on the engine of the frame they come from."""

TEXT, WHOLE, NUMBER = nw.String(), nw.Int64(), nw.Float64()
FLAG, DAY = nw.Boolean(), nw.Date()
COVERAGE: Final = {"record": TEXT, "field": TEXT, "known": WHOLE, "of": WHOLE}
"""The columns of every study's coverage."""

SCRATCH: Final = "spark.ventureframe.scratch"
"""The setting of a Spark session that names a folder its whole cluster can write and read."""


def typed(resource: Resource, *names: str) -> dict[str, nw.dtypes.DType]:
    """The fields of a resource, each with its type as a column.

    >>> from ventureframe.interface import fields
    >>> typed(fields.JOBS, "id", "title")
    {'id': Int64, 'title': String}
    """
    return dict(nw.from_native(empty(resource), eager_only=True).select(*names).schema)


def lazy(frame: Frame) -> Rows:
    """The frame as lazy rows; eager ones go to polars through Arrow, so nulls stay null.

    Raises `UnsupportedValue` for one that its dataset does not have.

    >>> import pandas as pd
    >>> lazy(pd.DataFrame({"n": [1, 2]})).collect().to_native().height
    2
    """
    if isinstance(frame, NotThere):
        raise UnsupportedValue(frame.name, field="frame", reason=frame.reason)
    given = nw.from_native(frame)
    if not isinstance(given, nw.LazyFrame) and not given.implementation.is_polars():
        given = nw.from_arrow(given.to_arrow(), backend="polars")
    rows: Rows = given.lazy()
    return rows


def refuse_strangers(others: Mapping[str, Frame]) -> None:
    """Raises `TypeError` for an argument that is no frame of a dataset: one misspelled."""
    if strangers := sorted(others.keys() - set(FRAMES)):
        raise TypeError(f"find() has no argument {strangers[0]!r}")


def taken(frame: Frame, columns: Mapping[str, nw.dtypes.DType]) -> Rows:
    """The columns in their types; what is not a number is null, on every engine."""
    rows = lazy(frame)
    return rows.select(
        nw.col(name).cast(kind).fill_nan(None) if kind == NUMBER else nw.col(name).cast(kind)
        for name, kind in columns.items()
    )


def distinct(frame: Frame, columns: Mapping[str, nw.dtypes.DType], *, key: Sequence[str]) -> Rows:
    """The columns in their types, one row per key: of rows that differ, the same one each time.

    The rows come in any order.
    """
    rows = taken(frame, columns)
    if set(key) == set(columns):
        return once(rows, *key)
    return one_each(rows, key, order=list(columns))


def one_each(rows: Rows, key: Sequence[str], *, order: Sequence[str]) -> Rows:
    """The rows, one per key: the first in this order of columns."""
    if is_key(rows, key):
        return rows
    return keep(rows.unique(list(key), keep="first", order_by=list(order)))


def once(rows: Rows, *names: str) -> Rows:
    """What the rows have in these columns, once each; a group costs engines less than a window."""
    return rows.group_by(*names).agg(nw.len().alias("__rows")).drop("__rows")


def is_key(rows: Rows, key: Sequence[str]) -> bool:
    """Whether no two of the rows have one key."""
    groups = rows.group_by(*key).agg(nw.len().alias("__rows"))
    most = one(groups, most=nw.col("__rows").max())["most"]
    return most is None or int(most) == 1


def one(rows: Rows, /, **scalars: nw.Expr) -> dict[str, Any]:
    """The scalars, all from one query; whole numbers are `int`.

    >>> one(lazy(pl.DataFrame({"n": [1, None]})), rows=nw.len(), known=nw.col("n").count())
    {'rows': 2, 'known': 1}
    """
    row = collected(rows.select(**scalars)).row(0, named=True)
    return {name: int(it) if isinstance(it, Decimal) else it for name, it in row.items()}


Condition = nw.Expr | None
"""A condition on rows; None: all of them."""


def ranges(frames: Sequence[Rows], name: str, *, most: int) -> list[Condition]:
    """Conditions on a column that split all frames alike, into about `most` rows of each.

    Every row is in one range, null in the first. Polars holds both sides of a join in memory: a
    table larger than that is joined range by range, and of Parquet in the order of the column each
    is read once. Other engines write what they cannot hold, so theirs is one range.
    """
    kinds = {frame.collect_schema()[name] for frame in frames}
    if not _is_polars(frames[0]) or len(kinds) > 1 or kinds - {TEXT, WHOLE}:
        return [None]
    step, column = max(most // _SAMPLED, 1), pl.col(name)
    sampled = pl.col("__place") % step == 0
    keys = [frame.to_native().select(column).with_row_index("__place") for frame in frames]
    samples = [each.filter(sampled).select(column).collect(engine="streaming") for each in keys]
    size = len(frames) * -(-most // step)
    cuts = pl.concat(samples).drop_nulls().to_series().sort().to_list()[size::size]
    cuts = list(dict.fromkeys(cuts))
    if not cuts:
        return [None]
    key = nw.col(name)
    between = [(key >= low) & (key < high) for low, high in itertools.pairwise(cuts)]
    return [(key < cuts[0]) | key.is_null(), *between, key >= cuts[-1]]


_SAMPLED: Final = 100
"""How many rows of a range are looked at to find where it ends."""


def within(rows: Rows, condition: Condition) -> Rows:
    """The rows of a range."""
    return rows if condition is None else rows.filter(condition)


def collected_in_turn(parts: Iterable[Rows]) -> pl.DataFrame:
    """The rows of one part after the other; each part is let go before the next is computed."""
    return pl.concat([_alone(collected(part)) for part in parts])


def kept_in_turn(parts: Iterable[Rows]) -> list[Rows]:
    """What `keep` makes of each part, the parts let go."""
    kept = map(keep, parts)
    return [lazy(_alone(collected(each))) if _is_polars(each) else each for each in kept]


def _is_polars(rows: Rows) -> bool:
    return rows.implementation.is_polars()


def _alone(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in memory of its own: a few rows of polars keep all the text they are a part of."""
    copied = io.BytesIO()
    frame.write_ipc(copied)
    copied.seek(0)
    return pl.read_ipc(copied)


def keep(rows: Rows) -> Rows:
    """The same rows, computed once: polars keeps them in memory, other engines as Parquet.

    The files lie in the temporary folder of this process, or in the folder that a Spark session
    names by its setting `SCRATCH`; an Ibis table is kept by its own backend.
    """
    if _is_polars(rows):
        return lazy(rows.to_native().collect())
    if rows.implementation.is_ibis():
        return lazy(rows.to_native().cache())
    path, opened = f"{_folder(rows)}/{next(_NUMBER)}.parquet", _opener(rows)
    rows.sink_parquet(path)
    return opened(path)


def beside(frame: pl.DataFrame, rows: Rows) -> Rows:
    """Few rows of polars on the engine of other rows."""
    if _is_polars(rows):
        return lazy(frame.lazy())
    if rows.implementation.is_ibis():
        return lazy(import_module("ibis").memtable(frame.to_arrow()))
    if _is_spark(rows):
        table = frame.to_arrow()
        schema = import_module("pyspark.sql.pandas.types").from_arrow_schema(table.schema)
        return lazy(rows.to_native().sparkSession.createDataFrame(table, schema=schema))
    path = f"{_folder(rows)}/{next(_NUMBER)}.parquet"
    frame.write_parquet(path)
    return _opener(rows)(path)


_NUMBER: Final = itertools.count()


def _folder(rows: Rows) -> str:
    named = rows.to_native().sparkSession.conf.get(SCRATCH, None) if _is_spark(rows) else None
    return f"{named}/{files.scratch().name}" if named else str(files.scratch())


def _is_spark(rows: Rows) -> bool:
    return rows.implementation.is_pyspark() or rows.implementation.is_pyspark_connect()


def _opener(rows: Rows) -> Callable[[str], Rows]:
    """What opens a path on the engine and over the connection of the rows, knowing nothing of them.

    DuckDB binds every step of a relation again after each file written: a kept one has to begin
    anew, so what it is opened from is no rows, held in memory.
    """
    native = rows.to_native()
    if _is_spark(rows):
        # a folder of no rows may hold no file to read the columns from
        reader = native.sparkSession.read.schema(native.schema)
        return lambda path: lazy(reader.parquet(path))
    alone = native.limit(0).materialize()
    return lambda path: lazy(
        alone.query("kept", "FROM read_parquet('{}')".format(path.replace("'", "''")))
    )


def collected(rows: Rows) -> pl.DataFrame:
    """The rows as a polars frame."""
    frame: pl.DataFrame = rows.collect(backend="polars").to_native()
    return frame


Later = Callable[[], Rows]
"""Rows that nothing is computed for until they are asked for."""


def findings(frames: Mapping[str, Rows | pl.DataFrame | Later]) -> Mapping[str, pl.DataFrame]:
    """The frames of a study by name; rows are collected when they are first asked for.

    >>> findings({"pool": lazy(pl.DataFrame({"n": [1]}))})["pool"].height
    1
    """
    return _Collected(dict(frames))


@dataclass(frozen=True, slots=True, eq=False)
class _Collected(Mapping[str, pl.DataFrame]):
    frames: dict[str, Rows | pl.DataFrame | Later]

    def __getitem__(self, name: str) -> pl.DataFrame:
        frame = self.frames[name]
        if not isinstance(frame, pl.DataFrame):
            rows = frame if isinstance(frame, nw.LazyFrame) else frame()
            frame = self.frames[name] = collected(rows)
        return frame

    def __iter__(self) -> Iterator[str]:
        return iter(self.frames)

    def __len__(self) -> int:
        return len(self.frames)


def known(record: str, rows: Rows, fields: Sequence[str]) -> list[tuple[str, str, int, int]]:
    """Rows of a coverage frame: per field in how many of the rows something is recorded."""
    counted = one(rows, every=nw.len(), **{f"{name}_": nw.col(name).count() for name in fields})
    return [(record, name, counted[f"{name}_"], counted["every"]) for name in fields]


def made(rows: Sequence[Sequence[object]], schema: Mapping[str, nw.dtypes.DType]) -> pl.DataFrame:
    """A frame of a few rows counted or given one by one."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    data = {name: list(column) for name, column in zip(schema, columns, strict=True)}
    frame: pl.DataFrame = nw.from_dict(data, schema, backend="polars").to_native()
    return frame


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


def unknown_last(frame: pl.DataFrame, column: str, count: str) -> pl.DataFrame:
    """Few rows with the largest counts first, and the one without the column last."""
    return frame.sort(pl.col(column).is_null(), -pl.col(count), column)


def zero_where(condition: nw.Expr, names: Sequence[str]) -> list[nw.Expr]:
    """The counts, which are zero where the condition holds."""
    return [
        nw.when(condition).then(nw.lit(0, WHOLE)).otherwise(nw.col(name)).alias(name)
        for name in names
    ]


def tally(many: str, **counts: str | nw.Expr) -> list[nw.Expr]:
    """How many rows each group has, and in how many a field is recorded, or what else is counted.

    >>> shown = tally("funds", size_known="fund_size", managers=nw.col("manager").n_unique())
    >>> rows = lazy(pl.DataFrame({"type": ["VC"], "fund_size": [None], "manager": ["A"]}))
    >>> collected(rows.group_by("type").agg(*shown)).rows()
    [('VC', 1, 0, 1)]
    """
    every = {many: nw.len()} | {
        name: nw.col(count).count() if isinstance(count, str) else count
        for name, count in counts.items()
    }
    return [count.cast(WHOLE).alias(name) for name, count in every.items()]


def holds(condition: nw.Expr) -> nw.Expr:
    """In how many rows the condition holds; where it is null it does not.

    >>> one(lazy(pl.DataFrame({"n": [1, 5, None]})), large=holds(nw.col("n") > 2))
    {'large': 1}
    """
    return condition.cast(WHOLE).sum().fill_null(0).cast(WHOLE)


def announced(frame: Frame, columns: Mapping[str, nw.dtypes.DType], *, key: Sequence[str]) -> Rows:
    """The columns, one row per key, with the amount as announced beside the converted `amount`.

    `amount_native` and `native_currency` are null where they are not recorded; `amount_state` is
    one of `states.AMOUNTS`.
    """
    source = nw.col("amount_source").struct
    found = lazy(frame).select(
        *columns, amount_native=source.field("amount"), native_currency=source.field("currency")
    )
    also = {"amount_native": NUMBER, "native_currency": TEXT}
    found = distinct(found.to_native(), {**columns, **also}, key=key)
    cases: list[tuple[nw.Expr, str | int]] = [
        (~nw.col("amount").is_null(), "converted"),
        (~nw.col("amount_native").is_null(), "not_convertible"),
    ]
    return found.with_columns(amount_state=first_that_holds(cases, otherwise="not_reported"))


def latest(found: Rows, by: Sequence[str], *, count: str, texts: Sequence[str], state: str) -> Rows:
    """A row per owner, the first of `by`, and its latest date: of several records none is chosen.

    `found` are the records of that date. `count` is how many there are; their different texts are
    joined. Every other column is null where there are several, and the column `state` is then
    "several".
    """
    owner, is_one = by[0], nw.col(count) == 1
    others = [name for name in found.collect_schema().names() if name not in by]
    groups = found.group_by(*by).agg(*tally(count), nw.col(*others).max())
    groups = groups.with_columns(nw.when(is_one).then(nw.col(name)).alias(name) for name in others)
    groups = keep(groups)
    several = found.join(groups.filter(~is_one).select(owner), on=owner, how="semi")
    # narwhals joins no text within a group
    joined = collected(several.select(owner, *texts))
    joined = joined.group_by(owner).agg(
        pl.col(name).unique().sort().str.join("; ").replace("", None).alias(f"{name}_joined")
        for name in texts
    )
    rows = groups.join(beside(joined, groups), on=owner, how="left").with_columns(
        nw.col(state).fill_null("several"),
        *(
            nw.when(nw.col(name) != "").then(nw.col(name)).otherwise(nw.col(f"{name}_joined"))
            for name in texts
        ),
    )
    return rows.drop(*(f"{name}_joined" for name in texts))


def flagged(rows: Rows, key: str, values: Iterable[str], flag: str) -> Rows:
    """The rows with a flag: true where the key is one of the values, else null."""
    named = pl.DataFrame({key: sorted(set(values))}, {key: pl.String})
    named = named.with_columns(pl.lit(value=True).alias(flag))
    return rows.join(beside(named, rows), on=key, how="left")
