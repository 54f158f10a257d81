"""Rows as a wire writes them to the interface's columns: one selection, no loop."""

import functools
from collections.abc import Callable, Mapping, Set

import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.interface.fields import Many, Record, Type
from ventureframe.interface.wire.profile import (
    At,
    Each,
    Glance,
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
    firsts, selected = _reading(shape, tuple(frame.schema.items()), locked)
    frame = frame.with_columns(firsts).select(selected)
    flags = {name: frame.drop_in_place(_FLAG + name) for name in shape.blocks}
    for name in shape.extras:
        is_text = name.endswith(TEXT_SUFFIX) and name in frame.columns
        if is_text and not frame[name].count():
            frame = frame.drop(name)
    return frame, flags


@functools.lru_cache(64)
def _reading(
    shape: Shape, written: tuple[tuple[str, pl.DataType], ...], locked: frozenset[str]
) -> tuple[list[pl.Expr], list[pl.Expr]]:
    """Return the entries that several columns share, and every column to select."""
    keys = {name for name, _ in written}
    rules = {
        name: rule
        for name, rule in {**shape.columns, **shape.extras}.items()
        if _first_key(rule.path) in keys
    }
    firsts = {
        _first(rule): _first_entry(rule)
        for rule in rules.values()
        if isinstance(rule, Of)
    }
    columns = list[pl.Expr]()
    for field in shape.resource.returned:
        value = pl.lit(None)
        if field.name in rules:
            value = _read(rules[field.name], pl.col, field.type)
        columns.append(value.cast(dtype(field.type)).alias(field.name))
    for name, rule in rules.items():
        if name in shape.extras and name not in ("available", "locked"):
            columns.append(_read(rule, pl.col).alias(name))
    declared = {key.name for key in shape.read.fields}
    columns += [pl.col(name) for name, _ in written if name not in declared]
    for name, glance in shape.glances.items():
        if _first_key(glance.path) in keys:
            columns.append(_hidden(glance).alias(more(name)))
    for name in shape.blocks:
        is_withheld = _is_withheld(shape, name, keys, locked)
        columns.append(is_withheld.alias(_FLAG + name))
    return [*firsts.values()], columns


def _first_key(path: str) -> str:
    return path.partition(".")[0]


def _first_entry(rule: Of) -> pl.Expr:
    """The first entry of a list for which the rule's condition holds."""
    entries = _at(pl.col, rule.path)
    if rule.where is not None:
        entries = entries.list.filter(_has(rule.where))
    return entries.list.first().alias(_first(rule))


def _hidden(glance: Glance) -> pl.Expr:
    """How many entries of a list a row does not show."""
    total = _at(pl.col, f"{glance.path}.total")
    shown = _at(pl.col, f"{glance.path}.items").list.len().fill_null(0)
    return (total - shown.cast(pl.Int64)).cast(pl.Int64)


def _is_withheld(
    shape: Shape, name: str, keys: Set[str], locked: frozenset[str]
) -> pl.Expr:
    """Whether a row withholds a field: it says so, or has null for an object."""
    block = shape.blocks[name]
    key = block.removesuffix("?")
    can_be_null = key != block
    if key not in keys:
        return pl.lit(not can_be_null)
    labels = [pl.col(column) for column in ("available", "locked") if column in keys]
    says = [each.list.contains(key).fill_null(value=False) for each in labels]
    is_said = pl.any_horizontal(pl.lit(key in locked), *says)
    is_null = pl.col(key).is_null()
    if can_be_null:
        return is_null & is_said
    total = pl.lit(1)
    if name in shape.glances:
        total = _at(pl.col, f"{key}.total").fill_null(0)
    return is_null | (is_said & (total == 0))


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
def _read(rule: Rule, keys: Keys, kind: Type | None = None) -> pl.Expr:  # noqa: PLR0911
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
        case Of():
            return _at(pl.col(_first(rule)).struct.field, rule.at)
        case At(form="names"):
            names = value.list.eval(pl.element().struct.field("name"))
            return pl.when(names.list.len() > 0).then(names.list.join(", "))
        case Each():
            element = pl.element()
            entry = element.filter(_has(rule.where)) if rule.where else element
            return value.list.eval(_record(rule.of, entry.struct.field, kind))
        case Parts():
            members = [_read(part, value.struct.field) for part in rule.of.values()]
            is_recorded = pl.any_horizontal(part.is_not_null() for part in members)
            return pl.when(is_recorded).then(_record(rule.of, value.struct.field, kind))
        case _:
            return value


def _first(rule: Of) -> str:
    """Return the column with the entry that the rule reads, which rules can share."""
    return f"first {rule.path} {rule.where}"


def _record(of: Rule | Mapping[str, Rule], keys: Keys, kind: Type | None) -> pl.Expr:
    """Return a value, or a record with every member of the kind in order.

    A member that no rule reads is null.
    """
    if not isinstance(of, Mapping):
        return _read(of, keys)
    values = {name: _read(rule, keys) for name, rule in of.items()}
    kind = kind.of if isinstance(kind, Many) else kind
    if not isinstance(kind, Record):  # no field's, so with the members that are read
        return pl.struct(value.alias(name) for name, value in values.items())
    members = list[pl.Expr]()
    for key in kind.fields:
        value = values.get(key.name, pl.lit(None))
        members.append(value.cast(dtype(key.type)).alias(key.name))
    return pl.struct(members)


def _has(where: Where) -> pl.Expr:
    """Whether an entry of a list has the value."""
    path, wanted = where
    value = _at(pl.element().struct.field, path)
    if isinstance(wanted, bool):
        return value == wanted
    return value.str.to_lowercase() == wanted
