"""Rows as a wire writes them to the interface's columns: one selection, no loop over
rows.
"""

import functools
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

import numpy as np
import polars as pl

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.interface.fields import Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import At, Each, Of, Parts, Rule, Shape, Where

WITHHELD: Final = "withheld"
"""The column with the fields that a service withholds from a row; only where it does
from one.
"""
POSTS: Final = "posts"
"""The column with the posts of a founder that a row shows; a fetch leaves it out."""
_FLAG: Final = "withheld "
"""Begins the name of a column that says whether a field is withheld."""

Keys = Callable[[str], pl.Expr]
"""The value under a key: of a row, or of an entry of a list."""


def columns(
    frame: pl.DataFrame,
    reply: Reply,
    resource: Resource,
    shape: Shape | None,
    *,
    missing: Sequence[Set[str]],
    sizes: Sequence[int],
    locked: frozenset[str],
) -> pl.DataFrame:
    """Return the columns of the resource, read from those that rows are written in.

    `locked` are blocks that the reply as a whole withholds, `missing` the keys that
    a page of so many rows leaves out: a list among them is withheld. WITHHELD names
    what is withheld from a row.
    """
    flags = dict[str, pl.Series]()
    if shape is not None:
        firsts, selected = _reading(shape, tuple(frame.schema.items()), locked)
        frame = frame.with_columns(firsts).select(selected)
        flags = {name: frame.drop_in_place(_FLAG + name) for name in shape.blocks}
        extra = [name for name in shape.extras if name.endswith(TEXT_SUFFIX)]
        extra = [
            name for name in extra if name in frame.columns and not frame[name].count()
        ]
        frame = frame.drop(extra)
    for key in resource.returned:
        column, is_list = frame.get_column(key.name), isinstance(key.type, Many)
        if (
            key.key or (key.type == "uuid" and not key.nullable)
        ) and column.null_count():
            raise reply.unreadable(f"has a record without {key.name!r}")
        if shape is None and key.name in locked:
            flags[key.name] = (
                column.list.len().fill_null(0) == 0 if is_list else column.is_null()
            )
        elif shape is None and is_list and any(key.name in names for names in missing):
            flags[key.name] = pl.Series(
                np.repeat([key.name in names for names in missing], sizes)
            )
    if not any(flag.any() for flag in flags.values()):
        return frame
    names = pl.concat_list(
        pl.when(flag).then(pl.lit(name)) for name, flag in flags.items()
    )
    return frame.with_columns(names.list.drop_nulls().alias(WITHHELD))


@functools.lru_cache(64)
def _reading(
    shape: Shape, written: tuple[tuple[str, pl.DataType], ...], locked: frozenset[str]
) -> tuple[list[pl.Expr], list[pl.Expr]]:
    """The entries that several columns share, and the columns, the flags of the
    blocks last.
    """
    types, keys = dict(written), {key.name for key in shape.read.fields}
    rules = {**shape.columns, **shape.extras}
    rules = {
        name: rule
        for name, rule in rules.items()
        if rule.path.partition(".")[0] in types
    }
    firsts, columns = dict[str, pl.Expr](), list[pl.Expr]()
    for rule in rules.values():
        if isinstance(rule, Of):
            entries = _at(pl.col, rule.path)
            entries = (
                entries if rule.where is None else entries.list.filter(_has(rule.where))
            )
            firsts[_first(rule)] = entries.list.first().alias(_first(rule))
    for field in shape.resource.returned:
        is_there = field.name in rules
        value = (
            _read(rules[field.name], pl.col, field.type) if is_there else pl.lit(None)
        )
        columns.append(value.cast(dtype(field.type)).alias(field.name))
    extras = rules.keys() & shape.extras.keys() - {"available", "locked"}
    columns += [
        _read(rules[name], pl.col).alias(name) for name in rules if name in extras
    ]
    columns += [pl.col(name) for name in types if name not in keys]
    for name, glance in shape.glances.items():
        if glance.path.partition(".")[0] in types:
            total, items = (
                _at(pl.col, f"{glance.path}.{key}") for key in ("total", "items")
            )
            left = total - items.list.len().fill_null(0).cast(pl.Int64)
            columns.append(left.cast(pl.Int64).alias(more(name)))
    # withheld: a row says so, or has null for an object
    for name, block in shape.blocks.items():
        key = block.removesuffix("?")
        if key not in types:
            columns.append(pl.lit(key == block).alias(_FLAG + name))
            continue
        lists = [
            pl.col(column) for column in ("available", "locked") if column in types
        ]
        says = [labels.list.contains(key).fill_null(value=False) for labels in lists]
        is_gone, is_said = (
            pl.col(key).is_null(),
            pl.any_horizontal(pl.lit(key in locked), *says),
        )
        if key == block:
            total = _at(pl.col, f"{key}.total") if name in shape.glances else pl.lit(1)
            is_gone |= is_said & (total.fill_null(0) == 0)
        else:
            is_gone &= is_said
        columns.append(is_gone.alias(_FLAG + name))
    return [*firsts.values()], columns


def more(name: str) -> str:
    """The column with how many entries of a list a row does not show; null where it
    is silent.
    """
    return f"{name}_more"


def _at(keys: Keys, path: str) -> pl.Expr:
    first, *inner = path.split(".")
    return functools.reduce(
        lambda value, name: value.struct.field(name), inner, keys(first)
    )


# one case a rule
def _read(rule: Rule, keys: Keys, kind: Type | None = None) -> pl.Expr:  # noqa: PLR0911
    """The value that the rule reads, from a row or from an entry of a list."""
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
            return pl.when(_at(keys, rule.unless_null).is_not_null()).then(value)
        case At() if rule.second:
            return pl.coalesce(value, _at(keys, rule.second))
        case At() if rule.label:
            return pl.when(value.list.contains(rule.label)).then(pl.lit(value=True))
        case Of():
            return _at(pl.col(_first(rule)).struct.field, rule.at)
        case At(form="names"):
            names = value.list.eval(pl.element().struct.field("name")).list.join(", ")
            return pl.when(value.list.len() > 0).then(names)
        case Each():
            entry = (
                pl.element().filter(_has(rule.where)) if rule.where else pl.element()
            )
            return value.list.eval(_record(rule.of, entry.struct.field, kind))
        case Parts():
            members = [_read(each, value.struct.field) for each in rule.of.values()]
            is_there = pl.any_horizontal(each.is_not_null() for each in members)
            return pl.when(is_there).then(_record(rule.of, value.struct.field, kind))
        case _:
            return value


def _first(rule: Of) -> str:
    """The column with the entry that the rule reads, which several rules can share."""
    return f"first {rule.path} {rule.where}"


def _record(of: Rule | Mapping[str, Rule], keys: Keys, kind: Type | None) -> pl.Expr:
    """A value, or a record with every member of the kind in order, null where no
    rule reads it.
    """
    if not isinstance(of, Mapping):
        return _read(of, keys)
    kind = kind.of if isinstance(kind, Many) else kind
    values = {name: _read(rule, keys) for name, rule in of.items()}
    if not isinstance(kind, Record):  # no field's, so with the members that are read
        return pl.struct(value.alias(name) for name, value in values.items())
    members = ((key, values.get(key.name, pl.lit(None))) for key in kind.fields)
    return pl.struct(
        value.cast(dtype(key.type)).alias(key.name) for key, value in members
    )


def _has(where: Where) -> pl.Expr:
    """Whether an entry of a list has the value."""
    value, wanted = _at(pl.element().struct.field, where[0]), where[1]
    return (
        value == wanted
        if isinstance(wanted, bool)
        else value.str.to_lowercase() == wanted
    )
