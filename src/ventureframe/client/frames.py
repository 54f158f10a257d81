"""Frames of rows: columns and types, child tables, the same in pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import polars as pl

from ventureframe.errors import UnknownField, visible
from ventureframe.interface.fields import Many, Record, Resource, Type
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page

if TYPE_CHECKING:
    import pandas as pd

TEXT_SUFFIX = "_text"
"""Ends the name of a column beside a date: the values less precise than a day."""

_TYPES: Final[Mapping[str, pl.DataType]] = {
    "identifier": pl.Int64(),
    "integer": pl.Int64(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "date": pl.Date(),
}
_SHOWN = ("text", "integer", "number", "flag", "date")


@dataclass(frozen=True)
class Chunk:
    """The rows of several pages as typed columns, decoded together.

    `absent` are declared fields that a page leaves out, `unknown` keys that `fields`
    does not declare; `doubts` is what rows say against the request.
    """

    frame: pl.DataFrame
    pages: tuple[Page, ...]
    absent: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    doubts: tuple[Doubt, ...] = ()


def dtype(kind: Type) -> pl.DataType:
    """Return the polars type of a field: nullable, lists and records nested."""
    if isinstance(kind, Many):
        return pl.List(dtype(kind.of))
    if isinstance(kind, Record):
        return pl.Struct({member.name: dtype(member.type) for member in kind.fields})
    return _TYPES.get(kind, pl.String())


def empty(resource: Resource) -> pl.DataFrame:
    """Return a frame without rows that has the columns of a resource."""
    return pl.DataFrame(
        schema={field.name: dtype(field.type) for field in resource.returned}
    )


def child(frame: pl.DataFrame, resource: Resource, name: str) -> pl.DataFrame:
    """Return a row per entry of a list field.

    It has the row's key, `position` from 0, and the entry's members.
    """
    kind = list_of(resource, name, "read as a table")
    entries = pl.col(name).alias("entry")
    key = pl.col(resource.key).alias(f"{resource.singular}_{resource.key}")
    position = pl.int_ranges(entries.list.len().cast(pl.Int64)).alias("position")
    rows = frame.filter(entries.list.len() > 0).select(key, position, entries)
    rows = rows.explode("position", "entry")
    if isinstance(kind.of, Record):
        return rows.unnest("entry")
    return rows.rename({"entry": kind.column})


def list_of(resource: Resource, name: str, use: str) -> Many:
    """Return the type of a list field; raise `UnknownField` where there is none."""
    lists = {
        field.name: field.type
        for field in resource.returned
        if isinstance(field.type, Many)
    }
    if name not in [*lists]:  # which also refuses a list of names
        raise UnknownField(name, resource=resource.name, known=lists, use=use)
    return lists[name]


def owners(frame: pl.DataFrame, paths: Iterable[str]) -> pl.Series:
    """Return per row the ids in these columns.

    They are plain, in lists, or a member of a record (`a.b`).
    """
    columns = list[pl.Expr]()
    for path in paths:
        column, _, member = path.partition(".")
        values = pl.col(column)
        if not isinstance(frame.schema[column], pl.List):
            values = pl.concat_list(column)
        if member:
            values = values.list.eval(pl.element().struct.field(member))
        columns.append(values.cast(pl.List(pl.String)).fill_null([]))
    ids = pl.concat_list(columns).list.drop_nulls()
    lower = ids.list.eval(pl.element().str.to_lowercase())
    return frame.select(lower.alias("owners")).to_series()


def first_rows(frame: pl.DataFrame, resource: Resource) -> str:
    """Return the first rows as polars shows them, numbers ahead of texts; empty without
    rows.

    Ids, lists and empty columns are left out.
    """
    rows = frame.head(5)
    names = [
        name
        for name, field in resource.items()
        if field.type in _SHOWN and name in rows and rows[name].count()
    ]
    if not names:
        return ""
    names.sort(key=lambda name: (name != "name", resource[name].type != "number"))
    with pl.Config(
        tbl_hide_dataframe_shape=True,
        tbl_hide_column_data_types=True,
        tbl_width_chars=1_000,
        fmt_str_lengths=28,
        thousands_separator=True,
        float_precision=0,
    ):
        lines = str(rows.select(names[:4])).splitlines()
    return "\n".join(visible(line) for line in lines)


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return the same columns in pandas on Arrow types: nulls and integers stay."""
    import pandas as pd  # noqa: PLC0415

    return cast("pd.DataFrame", frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype))


def left_out(rows: str, names: Iterable[str]) -> str:
    """Say that rows leave out fields."""
    return (
        f"{rows} leave out {', '.join(sorted(names))}, wholly or in part: what is"
        " missing may still be recorded"
    )
