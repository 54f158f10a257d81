"""What a table of a dataset must keep to; `DatasetError` names file, column and first wrong row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from ventureframe.embedded.schema import TABLES, Table
from ventureframe.errors import DatasetError

_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def completed(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The table with every column of its format, null where the folder has none, and checked."""
    table, file = TABLES[name], f"{name}.parquet"
    missing = [column for column in table.columns if column not in frame.columns]
    if needed := [column for column in missing if column in table.required]:
        raise DatasetError("is missing", file=file, column=needed[0])
    frame = frame.with_columns(pl.lit(None, table.columns[name]).alias(name) for name in missing)
    for column, kind in table.columns.items():
        if frame.schema[column] != kind:
            raise DatasetError(
                f"has type {frame.schema[column]}, needs {kind}", file=file, column=column
            )
    for column in table.columns:
        _check_values(file, frame[column], required=column in table.required)
    _check_key(file, frame, table.key)
    return frame


def check_references(tables: Mapping[str, pl.DataFrame]) -> None:
    """Refuses a reference to a row that is not there; one into a missing table is not checked."""
    for name, frame in tables.items():
        for column, target in TABLES[name].references.items():
            if target in tables:
                _check_reference(name, frame, column, target, tables[target])
    if "locations" in tables:
        _check_places(tables["locations"])


def in_key_order(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The rows in the order of their key."""
    if len(table.key) == 1 and frame[table.key[0]].is_sorted():
        return frame
    return frame.sort(table.key)


def _refuse(file: str, column: str, wrong: pl.Series, reason: str) -> None:
    row = wrong.arg_max() if wrong.any() else None
    if row is not None:
        raise DatasetError(reason, file=file, column=column, row=row)


def _check_values(file: str, values: pl.Series, *, required: bool) -> None:
    if required:
        _refuse(file, values.name, values.is_null(), "is null and must not be")
    if values.dtype == pl.Float64:
        _refuse(file, values.name, ~values.is_finite(), "is not a finite number")
    if isinstance(values.dtype, pl.List):
        flat = values.explode(empty_as_null=False, keep_nulls=False)
        if flat.null_count():
            holes = values.list.len() > values.list.drop_nulls().list.len()
            _refuse(file, values.name, holes, "holds a null")
    if values.name == "per_eur":
        _refuse(file, values.name, values <= 0, "is not a positive rate")
    if values.name == "uuid":
        _refuse(file, "uuid", ~values.str.contains(_UUID), "is not a UUID in lower case")


def _check_key(file: str, frame: pl.DataFrame, key: tuple[str, ...]) -> None:
    if len(key) == 1 and frame[key[0]].is_sorted():
        keys = frame[key[0]]
        is_unique = not (keys.slice(1) == keys.slice(0, max(0, frame.height - 1))).any()
    else:
        is_unique = frame.select(pl.struct(key).n_unique()).item() == frame.height
    if not is_unique:
        again = frame.select(~pl.struct(key).is_first_distinct()).to_series()
        _refuse(file, key[-1], again, f"repeats the key {' and '.join(key)} of an earlier row")


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
