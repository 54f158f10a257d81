"""Columns as other programs write them, read in the types of the format.

A type that loses nothing is read: whole numbers as floats or in 64 bits, decimals,
dictionaries, timestamps at midnight, UUIDs as 16 bytes, columns and lists of nulls,
members of a struct in another order. Whether a value was lost shows when it is
written back.
"""

from typing import Any

import polars as pl

_UUIDS = ("uuid", "founders", "investors", "entity_id", "entity_ids")
"""How the names of columns and members end that hold UUIDs."""
_UUID = r"^(.{8})(.{4})(.{4})(.{4})(.{12})$"


def obstacle(name: str, actual: Any, needs: Any) -> str | None:
    """Say why values of a type cannot be read as the needed one; None where they can.

    >>> obstacle("launch_date", pl.String(), pl.Int32())
    'has type String, needs Int32'
    >>> obstacle("launch_date", pl.Float64(), pl.Int32()) is None
    True
    """
    if actual in (needs, pl.Null):
        return None
    if isinstance(needs, pl.List) and isinstance(actual, pl.List):
        return obstacle(name, actual.inner, needs.inner)
    if isinstance(needs, pl.Struct) and isinstance(actual, pl.Struct):
        return _obstacle_in_members(actual, needs)
    is_number = needs.is_numeric() and actual.is_numeric()
    is_day = needs == pl.Date and isinstance(actual, pl.Datetime)
    is_uuid = actual == pl.Binary and name.endswith(_UUIDS)
    is_word = isinstance(actual, pl.Categorical | pl.Enum) or is_uuid
    if is_number or is_day or (needs == pl.String and is_word):
        return None
    return f"has type {actual}, needs {needs}"


def _obstacle_in_members(actual: pl.Struct, needs: pl.Struct) -> str | None:
    types = needs.to_schema()
    for name, kind in actual.to_schema().items():
        if name not in types:
            return f"has a member {name!r}, which is none of {', '.join(types)}"
        reason = obstacle(name, kind, types[name])
        if reason is not None:
            return f"{reason} in its member {name!r}"
    return None


def converted(value: pl.Expr, actual: Any, needs: Any) -> pl.Expr:
    """Return the value in the needed type; what does not fit it is null or cut."""
    if actual == needs:
        return value
    if isinstance(actual, pl.List) and isinstance(needs, pl.List):
        entry = converted(pl.element(), actual.inner, needs.inner)
        return value.list.eval(entry)
    if isinstance(actual, pl.Struct) and isinstance(needs, pl.Struct):
        return _converted_members(value, actual, needs)
    return _converted_leaf(value, actual, needs)


def _converted_leaf(value: pl.Expr, actual: pl.DataType, needs: pl.DataType) -> pl.Expr:
    if isinstance(actual, pl.Datetime):
        return value.dt.date()
    if isinstance(needs, pl.Datetime):
        midnight = value.cast(pl.Datetime(needs.time_unit))
        return midnight.dt.replace_time_zone(needs.time_zone, non_existent="null")
    if actual == pl.Binary:
        return value.bin.encode("hex").str.replace(_UUID, "$1-$2-$3-$4-$5")
    if needs == pl.Binary:
        return value.str.replace_all("-", "").str.decode("hex", strict=False)
    return value.cast(needs, strict=False)


def _converted_members(value: pl.Expr, actual: pl.Struct, needs: pl.Struct) -> pl.Expr:
    """Return the struct with the needed members by name, missing ones null."""
    types = actual.to_schema()
    members = list[pl.Expr]()
    for name, kind in needs.to_schema().items():
        if name in types:
            member = converted(value.struct.field(name), types[name], kind)
        else:
            member = pl.when(value.is_null()).then(None).cast(kind)
        members.append(member.alias(name))
    return pl.when(value.is_not_null()).then(pl.struct(members))


def is_lost(value: pl.Expr, actual: pl.DataType, needs: pl.DataType) -> pl.Expr:
    """Flag each value that is another one when it is converted, and back again.

    >>> years = pl.DataFrame({"year": [2015.0, 2015.5, None]})
    >>> years.select(is_lost(pl.col("year"), pl.Float64(), pl.Int32())).rows()
    [(False,), (True,), (False,)]
    """
    there = converted(value, actual, needs)
    return converted(there, needs, actual).ne_missing(value)
