"""The check of a dataset: every table as its format has it, with the first wrong row
named.
"""

from collections.abc import Iterator, Mapping

import polars as pl

from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError

_PARTIAL_DATE = r"^\d{4}(-\d{2}(-\d{2})?)?$"
_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def checked(
    tables: Mapping[str, pl.DataFrame], *, is_pulled: bool = False
) -> dict[str, pl.DataFrame]:
    """Check the tables: every one of the format, with every column, in the order of its
    key.

    A table that is not given is empty, and references into it are not checked. Of
    what `is_pulled` no references are, and of its values only the keys must be
    there: a service can name records that it does not return, and leave out what a
    dataset must have.
    """
    complete = dict[str, pl.DataFrame]()
    for name, table in TABLES.items():
        if name in tables:
            complete[name] = _complete(name, tables[name], is_pulled)
        else:
            complete[name] = pl.DataFrame(schema=dict(table.columns))
    for name in () if is_pulled else tables:
        for column, target in TABLES[name].references.items():
            if target in tables:
                _check_reference(name, complete[name], column, target, complete[target])
    _check_years(complete["companies"])
    _check_places(complete["locations"])
    for name, frame in complete.items():
        key = TABLES[name].key
        is_sorted = len(key) == 1 and frame[key[0]].is_sorted()
        complete[name] = frame if is_sorted else frame.sort(key)
    return complete


def _check_years(companies: pl.DataFrame) -> None:
    year = companies["launch_date_text"].str.head(4).cast(pl.Int32)
    differs = companies["launch_date"].ne_missing(year) & year.is_not_null()
    reason = "has another year than launch_date"
    _refuse("companies", "launch_date_text", differs, reason)


def _check_places(locations: pl.DataFrame) -> None:
    parents = dict(locations.select("id", "parent_id").iter_rows())
    for row, place in enumerate(parents):
        above, passed = parents[place], {place}
        while above is not None and above not in passed:
            passed.add(above)
            above = parents[above]
        if above == place:
            reason = "makes the place lie within itself"
            raise _broken("locations", "parent_id", reason, row)


def _complete(name: str, frame: pl.DataFrame, is_pulled: bool) -> pl.DataFrame:
    """The table with every column of its format, null where the folder has none, and
    checked.
    """
    table = TABLES[name]
    required = table.key if is_pulled else table.required
    for column, kind in table.columns.items():
        if column not in frame.columns and column in table.required:
            raise _broken(name, column, "is missing")
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, kind).alias(column))
        if (actual := frame.schema[column]) != kind:
            raise _broken(name, column, f"has type {actual}, needs {kind}")
        for wrong, reason in _wrong(frame[column], required=column in required):
            _refuse(name, column, wrong, reason)
    if frame.select(table.key).n_unique() < frame.height:
        repeated = frame.select(~pl.struct(table.key).is_first_distinct()).to_series()
        reason = f"repeats the key {' and '.join(table.key)} of an earlier row"
        _refuse(name, table.key[-1], repeated, reason)
    return frame


def _broken(
    name: str, column: str, reason: str, row: int | None = None
) -> DatasetError:
    return DatasetError(reason, file=f"{name}.parquet", column=column, row=row)


def _refuse(name: str, column: str, wrong: pl.Series, reason: str) -> None:
    if wrong.any():
        raise _broken(name, column, reason, wrong.arg_true()[0])


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
    if values.name in ("launch_date_text", "start_date", "end_date"):
        yield ~values.str.contains(_PARTIAL_DATE), "is not YYYY, YYYY-MM or YYYY-MM-DD"
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
        raise _broken(
            name, top, f"refers to {value!r}, which {target}.parquet does not hold", row
        )
