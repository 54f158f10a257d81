"""Columns as other programs write them, to be cast to the types of the format.

A type that loses nothing is read: whole numbers as floats or in 64 bits, decimals,
dictionaries, timestamps at midnight, UUIDs as 16 bytes, columns and lists of nulls,
members of a struct in another order. Whether a value was lost shows when it is cast
and back again.
"""

from typing import Any

import polars as pl

from ventureframe.errors import DatasetError

_UUIDS = ("uuid", "founders", "investors", "entity_id", "entity_ids")
"""How the names of columns and members end that hold UUIDs."""
_UUID = r"^(.{8})(.{4})(.{4})(.{4})(.{12})$"


def castable(file: str, path: str, value: pl.Expr, actual: Any, needs: Any) -> pl.Expr:
    """Return values of a column, or of a member by its path, as a cast reads them: a
    UUID of 16 bytes as text, a time as the clocks of its zone show it.

    Raises `DatasetError` where no cast does.

    >>> castable("jobs.parquet", "id", pl.col("id"), pl.String(), pl.Int64())
    Traceback (most recent call last):
    ventureframe.errors.DatasetError: jobs.parquet, column 'id': has type String, needs Int64
    """
    if isinstance(needs, pl.List) and isinstance(actual, pl.List):
        entry = castable(file, path, pl.element(), actual.inner, needs.inner)
        return value.list.eval(entry)
    if isinstance(needs, pl.Struct) and isinstance(actual, pl.Struct):
        types, members = needs.to_schema(), list[pl.Expr]()
        for name, kind in actual.to_schema().items():
            if name not in types:
                reason = f"has a member {name!r}, which is none of {', '.join(types)}"
                raise DatasetError(reason, file=file, column=path)
            part = value.struct.field(name)
            members.append(castable(file, f"{path}.{name}", part, kind, types[name]))
        return value.struct.with_fields(members)
    if needs == pl.String and actual == pl.Binary and path.endswith(_UUIDS):
        return value.bin.encode("hex").str.replace(_UUID, "$1-$2-$3-$4-$5")
    if needs == pl.Date and isinstance(actual, pl.Datetime):
        return value.dt.replace_time_zone(None)
    is_number = needs.is_numeric() and actual.is_numeric()
    is_word = needs == pl.String and isinstance(actual, pl.Categorical | pl.Enum)
    if is_number or is_word or actual in (needs, pl.Null):
        return value
    reason = f"has type {actual}, needs {needs}"
    raise DatasetError(reason, file=file, column=path)
