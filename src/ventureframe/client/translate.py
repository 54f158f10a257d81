"""Rows as a wire writes them to the interface's columns: one selection, no loop over rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from ventureframe.client.frames import dtype
from ventureframe.interface.fields import Many, Record, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.shape import (
    Block,
    Each,
    Either,
    Filled,
    Has,
    Known,
    Named,
    Names,
    Of,
    Parts,
    Precise,
    Rule,
    Shape,
    Where,
    Year,
)

WITHHELD: Final = "withheld"
"""The column with the fields that a service withholds from a row; only where it does from one."""
_PARTIAL: Final = "^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"

Keys = Callable[[str], pl.Expr]
"""The value under a key: of a row, or of an entry of a list."""


def inward(
    frame: pl.DataFrame, shape: Shape, reply: Reply, *, locked: frozenset[str] = frozenset()
) -> pl.DataFrame:
    """The rows in the interface's columns, with the extra columns of the shape.

    `locked` are blocks that the reply as a whole withholds. Raises `UnreadableReply` where a
    value cannot be what its field holds.
    """
    _refuse_other_dates(frame, shape, reply)
    wanted = {**shape.columns, **shape.extras}
    there = {name: rule for name, rule in wanted.items() if _top(rule.path) in frame.columns}
    own = {key.name for key in shape.keys}
    found = frame.select(
        *(_read(rule, pl.col).alias(name) for name, rule in there.items()),
        *(pl.col(name) for name in frame.columns if name not in own),
    )
    typed = [
        _typed(found, name, field.type, reply)
        for name, field in shape.resource.items()
        if field.returned
    ]
    found = found.with_columns([*typed, *_more(frame, shape)])
    return _with_withheld(frame, found, shape, locked)


def more(name: str) -> str:
    """The column with how many entries of a list the row does not show."""
    return f"{name}_more"


def _more(frame: pl.DataFrame, shape: Shape) -> Iterator[pl.Series]:
    """How many entries of each list a row does not show; null where it does not say."""
    for name, glance in shape.glances.items():
        if _top(glance.total) in frame.columns:
            total, items = _at(pl.col, glance.total), _at(pl.col, glance.items)
            left = total - items.list.len().fill_null(0).cast(pl.Int64)
            yield frame.select(left.cast(pl.Int64).alias(more(name))).to_series()


def _top(path: str) -> str:
    return path.partition(".")[0]


def _typed(found: pl.DataFrame, name: str, kind: Type, reply: Reply) -> pl.Series:
    """A column in the type of its field, null where the wire has none."""
    if name not in found.columns:
        return pl.Series(name, [None] * found.height, dtype=dtype(kind))
    values = found.get_column(name)
    if kind == "integer" and values.dtype == pl.Float64 and (values != values.round()).any():
        wrong = values.filter(values != values.round())[0]
        raise reply.unreadable(f"has {wrong} in {name!r}, which is not a whole number")
    typed = _completed(pl.col(name), values.dtype, kind)
    return values.to_frame().select(typed.alias(name)).to_series()


def _completed(value: pl.Expr, given: pl.DataType, kind: Type) -> pl.Expr:
    """The value with every member of its type, in their order."""
    wanted = dtype(kind)
    if isinstance(kind, Many) and isinstance(given, pl.List) and given != wanted:
        return value.list.eval(_completed(pl.element(), given.inner, kind.of))  # type: ignore[arg-type]
    if isinstance(kind, Record) and isinstance(given, pl.Struct) and given != wanted:
        types = dict(given.to_schema())
        members = [
            value.struct.field(each.name).cast(dtype(each.type))
            if each.name in types
            else pl.lit(None, dtype(each.type)).alias(each.name)
            for each in kind.fields
        ]
        return pl.when(value.is_not_null()).then(pl.struct(members))
    return value.cast(wanted)


def _refuse_other_dates(frame: pl.DataFrame, shape: Shape, reply: Reply) -> None:
    """Raises `UnreadableReply` for a partial date that is not one."""
    for name, path in _years(shape):
        if _top(path) in frame.columns:
            texts = frame.select(_flat(frame, path)).to_series().drop_nulls()
            wrong = texts.filter(~texts.str.contains(_PARTIAL))
            if len(wrong):
                raise reply.unreadable(f"has {wrong[0]!r} in {name!r}, which is not a date")


def _years(shape: Shape) -> Iterator[tuple[str, str]]:
    """The fields that hold a year, each with the whole path it is read from."""
    for name, rule in shape.columns.items():
        if isinstance(rule, Year):
            yield name, rule.path
        elif isinstance(rule, Each) and isinstance(rule.of, Mapping):
            for member, each in rule.of.items():
                if isinstance(each, Year):
                    yield f"{name}.{member}", f"{rule.path}.{each.path}"


def _flat(frame: pl.DataFrame, path: str) -> pl.Expr:
    """Every value at a path, those of all entries of its lists one after the other."""
    first, *inner = path.split(".")
    value, kind = pl.col(first), frame.schema[first]
    for name in inner:
        if isinstance(kind, pl.List):
            value, kind = value.explode(empty_as_null=False, keep_nulls=False), _plain(kind.inner)
        assert isinstance(kind, pl.Struct)  # noqa: S101  # only records have keys
        value, kind = value.struct.field(name), _plain(kind.to_schema()[name])
    return value


def _plain(kind: Any) -> pl.DataType:
    made: pl.DataType = kind
    return made


def _with_withheld(
    frame: pl.DataFrame, found: pl.DataFrame, shape: Shape, locked: frozenset[str]
) -> pl.DataFrame:
    """The rows with a column that names what is withheld from them, where anything is."""
    flags = [
        (name, frame.select(_is_withheld(frame, block, locked)).to_series())
        for name, block in shape.blocks.items()
    ]
    unused = {"available", "locked", *(f"{name}_total" for name in shape.glances)}
    unused |= {name for name, rule in shape.extras.items() if isinstance(rule, Precise)} - {
        each.name for each in found if each.null_count() < len(each)
    }
    return withheld(found.drop(*unused, strict=False), flags)


def withheld(found: pl.DataFrame, flags: Sequence[tuple[str, pl.Series]]) -> pl.DataFrame:
    """The rows with a column that names what is withheld, where a flag of a field says so."""
    if not any(flag.any() for _, flag in flags):
        return found
    names = pl.concat_list(pl.when(flag).then(pl.lit(name)) for name, flag in flags)
    return found.with_columns(names.list.drop_nulls().alias(WITHHELD))


def _is_withheld(frame: pl.DataFrame, block: Block, locked: frozenset[str]) -> pl.Expr:
    """Whether a row withholds the block: it says so, or has null where the wire has an object."""
    says = [pl.lit(block.name in locked)]
    for column in ("available", "locked"):
        if column in frame.columns:
            says.append(pl.col(column).list.contains(block.name).fill_null(value=False))
    if _top(block.path) not in frame.columns:
        return pl.repeat(block.is_object, frame.height, dtype=pl.Boolean)
    value, is_said = _at(pl.col, block.path), functools.reduce(pl.Expr.or_, says)
    is_gone = value.is_null() & (pl.lit(block.is_object) | is_said)
    if block.total is None:
        return is_gone
    is_empty = _at(pl.col, f"{block.path}.{block.total}").fill_null(0) == 0
    return is_gone | (is_said & is_empty)


def _at(keys: Keys, path: str) -> pl.Expr:
    first, *inner = path.split(".")
    return functools.reduce(lambda value, name: value.struct.field(name), inner, keys(first))


def _read(rule: Rule, keys: Keys) -> pl.Expr:  # noqa: PLR0911  # one case a rule
    """The value that the rule reads, from a row or from an entry of a list."""
    value = _at(keys, rule.path)
    match rule:
        case Year():
            return value.str.head(4).cast(pl.Int64, strict=False)
        case Filled():
            return value.replace({"": None})
        case Precise():
            return pl.when(value.str.len_chars() > 4).then(value)
        case Named():
            return value.replace(dict(rule.words))
        case Known():
            return pl.when(_at(keys, rule.where).is_not_null()).then(value)
        case Either():
            return pl.coalesce(value, _at(keys, rule.second))
        case Has():
            return pl.when(value.list.contains(rule.label)).then(pl.lit(value=True))
        case Of():
            entries = value if rule.where is None else value.list.filter(_has(rule.where))
            return _at(entries.list.first().struct.field, rule.at)
        case Names():
            names = value.list.eval(_entry("name")).list.join(", ")
            return pl.when(value.list.len() > 0).then(names)
        case Each():
            return value.list.eval(_each(rule))
        case Parts():
            members = {name: _read(each, value.struct.field) for name, each in rule.of.items()}
            is_there = pl.any_horizontal(each.is_not_null() for each in members.values())
            return pl.when(is_there).then(_struct(members))
        case _:
            return value


def _each(rule: Each) -> pl.Expr:
    def keys(name: str) -> pl.Expr:
        entry = pl.element()
        return (entry.filter(_has(rule.where)) if rule.where else entry).struct.field(name)

    if not isinstance(rule.of, Mapping):
        return _read(rule.of, keys)
    return _struct({name: _read(each, keys) for name, each in rule.of.items()})


def _struct(members: Mapping[str, pl.Expr]) -> pl.Expr:
    return pl.struct([value.alias(name) for name, value in members.items()])


def _entry(name: str) -> pl.Expr:
    return pl.element().struct.field(name)


def _has(where: Where) -> pl.Expr:
    """Whether an entry of a list has the value."""
    return _at(_entry, where[0]) == where[1]
