"""Rows of the interface as a wire writes them: the shape that the client reads with, backwards."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from ventureframe.interface.fields import Many, Record
from ventureframe.interface.wire.shape import (
    At,
    Each,
    Has,
    Key,
    Named,
    Names,
    Of,
    Parts,
    Precise,
    Rule,
    Shape,
    Year,
)

Tree = dict[str, Any]
"""What stands under each key: a value, the tree of a record, or what makes a list."""

_NUMBERED: Final = "#name"
"""The default of an identifier that no dataset has: a number made of the name beside it."""
_LARGEST: Final = 2**31


@dataclass
class _Labels:
    """A list of the labels whose flag is true."""

    flags: list[tuple[str, pl.Expr]] = field(default_factory=list)


@dataclass
class _Entry:
    """A list of one entry, empty where nothing of it is recorded."""

    members: Tree = field(default_factory=dict)


@dataclass
class _Entries:
    """A list with an entry for each value of another."""

    values: pl.Expr
    rule: Each


def outward(frame: pl.DataFrame, shape: Shape, *, hidden: Iterable[str] = ()) -> pl.DataFrame:
    """The rows as the wire writes them; keys that are `hidden` are null."""
    tree: Tree = {}
    for name, rule in {**shape.columns, **shape.extras}.items():
        if name in frame.columns:
            _place(tree, rule, pl.col(name))
    written = [*_members(shape.keys, tree)]
    return frame.select(written).with_columns(pl.lit(None).alias(name) for name in hidden)


def _place(tree: Tree, rule: Rule, value: pl.Expr) -> None:
    """Puts a value where the rule reads it."""
    match rule:
        case Has():
            tree.setdefault(rule.path, _Labels()).flags.append((rule.label, value))
        case Of():
            above, last = _above(tree, rule.path)
            entry = above.setdefault(last, _Entry())
            if isinstance(entry, _Entry):  # else all of its entries are known
                _put(entry.members, rule.at, value)
                if rule.where is not None:
                    _put(entry.members, rule.where[0], pl.lit(rule.where[1]))
        case Names():
            _put(tree, rule.path, _Entry({"name": value}))
        case Each():
            _put(tree, rule.path, _Entries(value, rule))
        case Parts():
            for name, each in rule.of.items():
                _place(tree, At(f"{rule.path}.{each.path}"), value.struct.field(name))
        case Year():
            _put(tree, rule.path, value.cast(pl.String))
        case Precise():
            above, last = _above(tree, rule.path)
            above[last] = pl.coalesce(value, above[last])
        case Named():
            _put(tree, rule.path, value.replace({old: new for new, old in rule.words.items()}))
        case _:
            _put(tree, rule.path, value)


def _above(tree: Tree, path: str) -> tuple[Tree, str]:
    """The tree in which the last key of a path stands, and that key."""
    *records, last = path.split(".")
    return functools.reduce(lambda above, name: above.setdefault(name, {}), records, tree), last


def _put(tree: Tree, path: str, value: object) -> None:
    above, last = _above(tree, path)
    above[last] = value


def _members(keys: Iterable[Key], tree: Mapping[str, Any]) -> Iterable[pl.Expr]:
    for key in keys:
        node = tree.get(key.name)
        if node is not None or not key.is_optional:
            yield _written(key, node, tree).alias(key.name)


def _written(key: Key, node: Any, beside: Mapping[str, Any]) -> pl.Expr:
    """What is written under a key."""
    if isinstance(key.type, Record):
        return _record(key, key.type, node)
    if isinstance(key.type, Many):
        return _list(key.type, node)
    if key.default == _NUMBERED and node is None:
        name = beside.get("name")
        return pl.lit(None) if name is None else name.hash() % _LARGEST
    if node is None:
        return pl.lit(key.default)
    value: pl.Expr = node
    return value if key.default is None else value.fill_null(key.default)


def _record(key: Key, kind: Record, node: Tree | None) -> pl.Expr:
    if node is None and key.default is None:
        return pl.lit(None)
    tree = node or {}
    made = pl.struct(*_members(_of_keys(kind), tree))
    if key.default is not None:
        return made
    return pl.when(pl.any_horizontal(each.is_not_null() for each in _leaves(tree))).then(made)


def _list(kind: Many, node: Any) -> pl.Expr:
    if isinstance(node, _Labels):
        found = (pl.when(flag).then(pl.lit(label)) for label, flag in node.flags)
        return pl.concat_list(*found).list.drop_nulls()
    if isinstance(node, _Entries):
        return node.values.list.eval(_entry(kind, node.rule)).fill_null([])
    if isinstance(node, _Entry) and isinstance(kind.of, Record):
        made = pl.struct(*_members(_of_keys(kind.of), node.members))
        is_there = pl.any_horizontal(
            each.is_not_null() for name, each in _named_leaves(node.members) if name != "role"
        )
        return pl.concat_list(pl.when(is_there).then(made)).list.drop_nulls()
    return pl.lit([], pl.List(pl.String)) if node is None else node


def _entry(kind: Many, rule: Each) -> pl.Expr:
    """One entry of a list from one value."""
    tree: Tree = {}
    if isinstance(rule.of, Mapping):
        for name, each in rule.of.items():
            _place(tree, each, pl.element().struct.field(name))
    else:
        _place(tree, rule.of, pl.element())
    if rule.where is not None:
        _put(tree, rule.where[0], pl.lit(rule.where[1]))
    assert isinstance(kind.of, Record)  # noqa: S101  # only lists of records are made from entries
    return pl.struct(*_members(_of_keys(kind.of), tree))


def _of_keys(kind: Record) -> Iterable[Key]:
    return (each for each in kind.fields if isinstance(each, Key))


def _leaves(tree: Mapping[str, Any]) -> Iterable[pl.Expr]:
    return (each for _, each in _named_leaves(tree))


def _named_leaves(tree: Mapping[str, Any]) -> Iterable[tuple[str, pl.Expr]]:
    """Every value of a tree with its key; of a list the values it is made from."""
    for name, node in tree.items():
        if isinstance(node, pl.Expr):
            yield name, node
        elif isinstance(node, dict):
            yield from _named_leaves(node)
        elif isinstance(node, _Entry):
            yield from _named_leaves(node.members)
        elif isinstance(node, _Entries):
            yield name, node.values
