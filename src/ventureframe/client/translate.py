"""Rows as a wire writes them to the interface's columns: one selection, no loop."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.interface.fields import Field, Many, Record, Type
from ventureframe.interface.wire.profile import (
    EXTRAS,
    At,
    Each,
    Of,
    Parts,
    Rule,
    Shape,
    Where,
)

WITHHELD = "withheld"
"""The column with the fields that a service withholds from a row; rows from which
nothing is withheld have none.
"""
POSTS = "posts"
"""The column with the posts of a founder that a row shows; a fetch leaves it out."""
_MANY = 20
"""Where so many rows have codes and none has the expected one, it has another name."""
_FLAG = "withheld "
"""Begins the name of a column that says whether a field is withheld."""

Keys = Callable[[str], pl.Expr]
"""The value under a key: of a row, or of an entry of a list."""


def columns(
    frame: pl.DataFrame, shape: Shape, locked: frozenset[str]
) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return the columns of the resource, and by field which rows withhold it.

    `locked` are blocks that the reply as a whole withholds.
    """
    frame = frame.select(_selection(shape, locked))
    flags = {name: frame.drop_in_place(_FLAG + name) for name in shape.blocks}
    for name in shape.extras:
        if name.endswith(TEXT_SUFFIX) and not frame[name].count():
            frame = frame.drop(name)
    return frame, flags


@functools.lru_cache(64)
def _selection(shape: Shape, locked: frozenset[str]) -> list[pl.Expr]:
    """Return every column to select from the rows as they are written."""
    columns = _field_columns(shape.resource.returned, shape.columns, pl.col)
    for name, rule in shape.extras.items():
        if name not in ("available", "locked"):
            kind = EXTRAS[name].type if name in EXTRAS else "text"
            columns.append(_read(rule, pl.col, kind).alias(name))
    columns.append(pl.exclude([key.name for key in shape.read.fields]))
    for name, glance in shape.glances.items():
        total = _at(pl.col, f"{glance.path}.total")
        entries = _at(pl.col, f"{glance.path}.items").list.len().fill_null(0)
        columns.append((total - entries).alias(more(name)))
    for name in shape.blocks:
        columns.append(_is_withheld(shape, name, locked).alias(_FLAG + name))
    return columns


def _is_withheld(shape: Shape, name: str, locked: frozenset[str]) -> pl.Expr:
    """Whether a row withholds a field: it says so, or has null for an object."""
    block = shape.blocks[name]
    key = block.removesuffix("?")
    glance, labels = shape.glances.get(name), ["available", "locked"]
    if glance and glance.is_of_some:
        labels = ["locked"]  # an available list can have entries that no row shows
    listed = [
        pl.col(label).list.contains(key) for label in labels if label in shape.extras
    ]
    is_listed = pl.any_horizontal(pl.lit(key in locked), *listed)
    is_withheld = pl.col(key).is_null()
    if key != block:
        is_withheld &= is_listed
    if glance:
        is_empty = _at(pl.col, f"{key}.total").fill_null(0) == 0
        is_withheld |= is_listed & is_empty
    return is_withheld


def more(name: str) -> str:
    """Return the column with how many entries of a list a row does not show."""
    return f"{name}_more"


def _at(keys: Keys, path: str) -> pl.Expr:
    first, *inner = path.split(".")
    value = keys(first)
    for name in inner:
        value = value.struct.field(name)
    return value


# one case a rule
def _read(rule: Rule, keys: Keys, kind: Type = "text") -> pl.Expr:  # noqa: PLR0911
    """Return the value that the rule reads, from a row or from an entry of a list."""
    value = _at(keys, rule.path)
    match rule:
        case At(form="year"):
            return value.str.head(4).cast(pl.Int64, strict=False)
        case At(form="filled"):
            return value.replace("", None)
        case At(form="precise"):
            return pl.when(value.str.len_chars() > 4).then(value)
        case At() if rule.words:
            return value.replace(dict(rule.words))
        case At() if rule.unless_null:
            is_known = _at(keys, rule.unless_null).is_not_null()
            return pl.when(is_known).then(value)
        case At() if rule.second:
            return pl.coalesce(value, _at(keys, rule.second))
        case At() if rule.label:
            return pl.when(value.list.contains(rule.label)).then(pl.lit(value=True))
        case At(form="names"):
            names = value.list.eval(pl.element().struct.field("name"))
            return names.list.join(", ").replace("", None)
        case Of() | Each():
            element, where = pl.element(), rule.where
            entry = element.filter(_code(where) == where.value) if where else element
            keys = entry.struct.field
            if isinstance(rule, Each):
                return value.list.eval(_record(rule.of, keys, kind))
            values = value.list.eval(_at(keys, rule.at))
            return values if isinstance(kind, Many) else values.list.first()
        case Parts():
            keys = value.struct.field
            parts = [_read(part, keys).is_not_null() for part in rule.of.values()]
            return pl.when(pl.any_horizontal(parts)).then(_record(rule.of, keys, kind))
        case _:
            return value


def _record(of: Mapping[str, Rule], keys: Keys, kind: Type) -> pl.Expr:
    """Return a record with every member of the kind: null where no rule reads it."""
    kind = kind.of if isinstance(kind, Many) else kind
    return pl.struct(_field_columns(cast("Record", kind).fields, of, keys))


def _field_columns(
    fields: Iterable[Field], rules: Mapping[str, Rule], keys: Keys
) -> list[pl.Expr]:
    """Return a column for every field: null where no rule reads it."""
    columns = list[pl.Expr]()
    for field in fields:
        value = pl.lit(None)
        if field.name in rules:
            value = _read(rules[field.name], keys, field.type)
        columns.append(value.cast(dtype(field.type)).alias(field.name))
    return columns


def _code(where: Where) -> pl.Expr:
    """Return the value that decides whether an entry of a list is read."""
    value = _at(pl.element().struct.field, where.path)
    return value.str.to_lowercase() if isinstance(where.value, str) else value


def undecided(frame: pl.DataFrame, shape: Shape) -> Iterator[str]:
    """Yield the paths of codes that leave open which entries are read.

    A code is not in the wire's table, or many rows lack the one that is read.
    """
    rules = {
        (rule.path, rule.where)
        for rule in shape.columns.values()
        if isinstance(rule, Of) and rule.where
    }
    for path, where in rules:
        codes = frame.select(_at(pl.col, path).list.eval(_code(where))).to_series()
        codes = codes.filter(codes.list.len() > 0)
        unread = codes.filter(~codes.list.contains(where.value))
        is_renamed = len(unread) == len(codes) >= _MANY
        if is_renamed or {*unread.explode()} - {None, *where.ignored}:
            yield f"{path}.{where.path}"
