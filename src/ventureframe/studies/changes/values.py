"""How the values of one field differ between two fetches: lists without order, empty as nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

KINDS: Final[Mapping[str, str]] = {
    "changed": "another value is recorded",
    "newly_recorded": "a value is recorded where none was",
    "no_longer_recorded": "no value is recorded where one was",
}
"""How a field of a record that both fetches have can differ."""

NEW: Final = "__new"
"""What the second fetch's columns end in, where they stand beside those of the first."""


def differing(both: pl.DataFrame, key: Sequence[str], field: str) -> pl.DataFrame:
    """The key and both values of the records whose field differs."""
    kind = both.schema[field]
    rows = both.select(*key, field, field + NEW)
    return rows.filter(plain(field, kind).ne_missing(plain(field + NEW, kind)))


def changes(both: pl.DataFrame, key: Sequence[str], field: str) -> pl.DataFrame:
    """A row per record whose field differs: the key, field, kind, old and new as text."""
    kind = both.schema[field]
    return differing(both, key, field).select(
        *key,
        pl.lit(field).alias("field"),
        pl.when(plain(field, kind).is_null())
        .then(pl.lit("newly_recorded"))
        .when(plain(field + NEW, kind).is_null())
        .then(pl.lit("no_longer_recorded"))
        .otherwise(pl.lit("changed"))
        .alias("kind"),
        _shown(field, kind).alias("old"),
        _shown(field + NEW, kind).alias("new"),
    )


def plain(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as two sides of it can be compared; null where nothing is recorded."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        entry = pl.element() if isinstance(kind.inner, pl.Struct) else pl.struct(pl.element())
        texts = column.list.eval(entry.struct.json_encode()).list.sort()
        return pl.when(recorded(name, kind)).then(texts.list.join("\x1e"))
    if isinstance(kind, pl.Struct):
        return pl.when(recorded(name, kind)).then(column.struct.json_encode())
    return column


def recorded(name: str, kind: pl.DataType) -> pl.Expr:
    """Whether something is recorded: in a list an entry, in a record a member."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        return (column.list.len() > 0).fill_null(value=False)
    if isinstance(kind, pl.Struct):
        members = [column.struct.field(each.name).is_not_null() for each in kind.fields]
        return pl.any_horizontal(members)
    return column.is_not_null()


def _shown(name: str, kind: pl.DataType) -> pl.Expr:
    """The column as text: numbers exact, lists and records as JSON, nothing recorded as null."""
    column = pl.col(name)
    if isinstance(kind, pl.List):
        whole = pl.struct(column.alias("v")).struct.json_encode()
        inside = whole.str.strip_prefix('{"v":').str.strip_suffix("}")
        return pl.when(recorded(name, kind)).then(inside)
    return plain(name, kind).cast(pl.String)
