"""What a table of a dataset must keep to; `DatasetError` names file, column and first wrong row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import polars as pl

from ventureframe.embedded.schema import TABLES
from ventureframe.errors import DatasetError

_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def checked(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Every table of the format, with every column, in the order of its key.

    A table that is not given is empty, and references into it are not checked.
    """
    given = {name: _completed(name, frame) for name, frame in tables.items()}
    for name, frame in given.items():
        for column, target in TABLES[name].references.items():
            if target in given:
                _check_reference(name, frame, column, target, given[target])
    if "locations" in given:
        _check_places(given["locations"])
    return {
        name: _in_key_order(given[name], table.key)
        if name in given
        else pl.DataFrame(schema=dict(table.columns))
        for name, table in TABLES.items()
    }


def _completed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The table with every column of its format, null where the folder has none, and checked."""
    table, file = TABLES[name], f"{name}.parquet"
    missing = [column for column in table.columns if column not in frame.columns]
    if needed := [column for column in missing if column in table.required]:
        raise DatasetError("is missing", file=file, column=needed[0])
    frame = frame.with_columns(pl.lit(None, table.columns[name]).alias(name) for name in missing)
    for column, kind in table.columns.items():
        if (found := frame.schema[column]) != kind:
            raise DatasetError(f"has type {found}, needs {kind}", file=file, column=column)
    for column in table.columns:
        for wrong, reason in _wrong(frame[column], required=column in table.required):
            _refuse(file, column, wrong, reason)
    if frame.select(table.key).n_unique() < frame.height:
        again = frame.select(~pl.struct(table.key).is_first_distinct()).to_series()
        reason = f"repeats the key {' and '.join(table.key)} of an earlier row"
        _refuse(file, table.key[-1], again, reason)
    return frame


def _in_key_order(frame: pl.DataFrame, key: tuple[str, ...]) -> pl.DataFrame:
    is_sorted = len(key) == 1 and frame[key[0]].is_sorted()
    return frame if is_sorted else frame.sort(key)


def _refuse(file: str, column: str, wrong: pl.Series, reason: str) -> None:
    if wrong.any():
        raise DatasetError(reason, file=file, column=column, row=wrong.arg_true()[0])


def _wrong(values: pl.Series, *, required: bool) -> Iterator[tuple[pl.Series, str]]:
    """A flag a row and what it says of the value, for each rule of the column."""
    if required:
        yield values.is_null(), "is null and must not be"
    if values.dtype == pl.Float64:
        yield ~values.is_finite(), "is not a finite number"
    if isinstance(values.dtype, pl.List):
        yield values.list.eval(pl.element().is_null()).list.any(), "holds a null"
    if values.name == "per_eur":
        yield values <= 0, "is not a positive rate"
    if values.name == "uuid":
        yield ~values.str.contains(_UUID), "is not a UUID in lower case"


def _check_reference(
    name: str, frame: pl.DataFrame, column: str, target: str, held: pl.DataFrame
) -> None:
    top, _, member = column.partition(".")
    values = frame.select(value=pl.col(top)).with_row_index("row")
    if isinstance(values.schema["value"], pl.List):
        values = values.explode("value", keep_nulls=False)
    if member:
        values = values.with_columns(value=pl.col("value").struct.field(member))
    keys = held.lazy().select(value=TABLES[target].key[0])
    dangling = values.lazy().drop_nulls("value").join(keys, on="value", how="anti")
    for row, value in dangling.sort("row").head(1).collect().iter_rows():
        reason = f"refers to {value!r}, which {target}.parquet does not hold"
        raise DatasetError(reason, file=f"{name}.parquet", column=top, row=row)


def _check_places(locations: pl.DataFrame) -> None:
    """Refuses a place that lies within itself."""
    parents = dict(zip(locations["id"], locations["parent_id"], strict=True))
    for row, place in enumerate(parents):
        above, seen = parents[place], {place}
        while above is not None and above not in seen:
            seen.add(above)
            above = parents[above]
        if above == place:
            reason = "makes the place lie within itself"
            raise DatasetError(reason, file="locations.parquet", column="parent_id", row=row)
