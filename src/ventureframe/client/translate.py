"""Rows as a wire writes them to the interface's columns: one selection, no loop."""

import functools
from collections.abc import Callable, Mapping
from typing import cast

import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.interface.fields import Many, Record, Type
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
"""The column with the fields that a service withholds from a row; only where it does
from one.
"""
POSTS = "posts"
"""The column with the posts of a founder that a row shows; a fetch leaves it out."""
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
    frame = frame.select(_selected(shape, tuple(frame.columns), locked))
    flags = {name: frame.drop_in_place(_FLAG + name) for name in shape.blocks}
    for name in shape.extras:
        if name.endswith(TEXT_SUFFIX) and not frame[name].count():
            frame = frame.drop(name)
    return frame, flags


@functools.lru_cache(64)
def _selected(
    shape: Shape, written: tuple[str, ...], locked: frozenset[str]
) -> list[pl.Expr]:
    """Return every column to select from the rows as they are written."""
    columns = list[pl.Expr]()
    for field in shape.resource.returned:
        value = pl.lit(None)
        if field.name in shape.columns:
            value = _read(shape.columns[field.name], pl.col, field.type)
        columns.append(value.cast(dtype(field.type)).alias(field.name))
    for name, rule in shape.extras.items():
        if name not in ("available", "locked"):
            kind = EXTRAS[name].type if name in EXTRAS else "text"
            columns.append(_read(rule, pl.col, kind).alias(name))
    declared = {key.name for key in shape.read.fields}
    columns += [pl.col(name) for name in written if name not in declared]
    for name, glance in shape.glances.items():
        total = _at(pl.col, f"{glance.path}.total")
        shown = _at(pl.col, f"{glance.path}.items").list.len().fill_null(0)
        columns.append((total - shown).alias(more(name)))
    for name in shape.blocks:
        columns.append(_is_withheld(shape, name, locked).alias(_FLAG + name))
    return columns


def _is_withheld(shape: Shape, name: str, locked: frozenset[str]) -> pl.Expr:
    """Whether a row withholds a field: it says so, or has null for an object."""
    block = shape.blocks[name]
    key = block.removesuffix("?")
    told = ["available", "locked"]
    if name in shape.glances and shape.glances[name].is_of_some:
        told = ["locked"]  # what is available can be among those that no row shows
    labels = [pl.col(extra) for extra in told if extra in shape.extras]
    says = [each.list.contains(key).fill_null(value=False) for each in labels]
    is_said = pl.any_horizontal(pl.lit(key in locked), *says)
    is_withheld = pl.col(key).is_null()
    if key != block:
        is_withheld &= is_said
    if name in shape.glances:
        is_empty = _at(pl.col, f"{key}.total").fill_null(0) == 0
        is_withheld |= is_said & is_empty
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
            return value.replace({"": None})
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
            return pl.when(names.list.len() > 0).then(names.list.join(", "))
        case Of() | Each():
            element = pl.element()
            entry = element.filter(_has(rule.where)) if rule.where else element
            keys = entry.struct.field
            if isinstance(rule, Each):
                return value.list.eval(_record(rule.of, keys, kind))
            values = value.list.eval(_at(keys, rule.at))
            return values if isinstance(kind, Many) else values.list.first()
        case Parts():
            keys = value.struct.field
            members = [_read(part, keys) for part in rule.of.values()]
            is_recorded = pl.any_horizontal(part.is_not_null() for part in members)
            return pl.when(is_recorded).then(_record(rule.of, keys, kind))
        case _:
            return value


def _record(of: Mapping[str, Rule], keys: Keys, kind: Type) -> pl.Expr:
    """Return a record with every member of the kind: null where no rule reads it."""
    members = list[pl.Expr]()
    kind = kind.of if isinstance(kind, Many) else kind
    for key in cast("Record", kind).fields:
        value = _read(of[key.name], keys) if key.name in of else pl.lit(None)
        members.append(value.cast(dtype(key.type)).alias(key.name))
    return pl.struct(members)


def _has(where: Where) -> pl.Expr:
    """Whether an entry of a list has the value."""
    path, wanted = where
    value = _at(pl.element().struct.field, path)
    if isinstance(wanted, str):
        value = value.str.to_lowercase()
    return value == wanted
