"""Rows of the interface as a wire writes them: the shape that the client reads with, backwards."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from ventureframe.interface.fields import Many, Record
from ventureframe.interface.wire.shape import (
    At,
    Each,
    Either,
    Has,
    Key,
    Moment,
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

FULL_ONLY: Final = frozenset(
    ("founders", "revenue", "traffic", "patents", "alumni", "founded_companies", "career")
) | {"education", "portfolio", "exits", "match", "rank", "available", "locked"}
"""Keys that the summary of a row leaves out."""
Tree = dict[str, Any]
"""What stands under each key: a value, the tree of a record, or what makes a list."""

_READY: Final = "/"
"""Begins the name of a column that holds a key as it is written."""
_NUMBERED: Final = "#name"
"""The default of an identifier that no dataset has: a number made of the name beside it."""
_LARGEST: Final = 2**31
_INVESTS: Final = ("signal_rating", "types", "stages", "deal_size", "investments", "investor")
_DATES: Final = ("became_unicorn_date", "became_thoroughbred_date", "exit_date")
_WORTH: Final = ("funding", "valuation", "jobs", "investor", "signal_rating", "classifications")
_OF_SUBTYPE: Final[Mapping[object, Iterable[str]]] = {
    "investor": _INVESTS,
    "university": ("spinouts_count", "investor"),
    "company": ("employee_count_1y_growth", "status", "unicorn_type", *_DATES, *_WORTH),
}
"""Keys that only rows of organisations of this subtype have: there they are not left out."""


@dataclass
class _Labels:
    """A list of the labels whose flag is true."""

    flags: list[tuple[str, pl.Expr]] = field(default_factory=list)


@dataclass
class _Entry:
    """A list of one entry, empty where nothing of it is recorded; `where` is in each such entry."""

    members: Tree = field(default_factory=dict)
    where: Where | None = None


@dataclass
class _Entries:
    """A list with an entry for each value of another, which may be records of `members`."""

    values: pl.Expr
    rule: Each
    members: tuple[str, ...]


def outward(frame: pl.DataFrame, shape: Shape, *, hidden: Sequence[str] = ()) -> pl.DataFrame:
    """The rows as the wire writes them; keys that are `hidden` are null, and named as locked.

    A column whose name is a key of the row, and which no rule of the shape reads, is that key as
    it is written. So is a member of an entry. A UUID that is a record of `uuid` and `name` is
    written with its name.
    """
    written = frame.select(_expressions(shape, tuple(frame.schema.items())))
    if not hidden:
        return written
    if any(key.name == "locked" for key in shape.keys):
        written = written.with_columns(locked=pl.lit(list(hidden)))
    return written.with_columns(pl.lit(None).alias(name) for name in hidden)


def ready(columns: pl.DataFrame, shape: Shape) -> pl.DataFrame:
    """What these columns put into a row, as keys that are written already; made once for all rows.

    A column that only adds precision to another stays as it is.
    """
    later = [name for name in columns.columns if isinstance(shape.extras.get(name), Precise)]
    first = columns.drop(later)
    tree = _tree(shape, dict(first.schema))
    keys = [key for key in shape.keys if key.name in tree]
    made = first.select(_members(keys, tree)).rename(lambda name: _READY + name)
    return made.with_columns(columns.select(later))


@functools.lru_cache(64)
def _expressions(shape: Shape, columns: tuple[tuple[str, pl.DataType], ...]) -> list[pl.Expr]:
    """What makes the keys of a row out of these columns."""
    return [*_members(shape.keys, _tree(shape, dict(columns)))]


def _tree(shape: Shape, kinds: Mapping[str, pl.DataType]) -> Tree:
    """What stands under each key that columns of these types say something of."""
    rules = {**shape.columns, **shape.extras}
    plain = {key.name for key in shape.keys} & kinds.keys() - rules.keys()
    tree: Tree = {name: pl.col(name) for name in plain}
    made = {name.removeprefix(_READY): name for name in kinds if name.startswith(_READY)}
    for name, rule in rules.items():
        if name in kinds and rule.path.partition(".")[0] not in made:
            _place(tree, _named(rule, kinds[name]), pl.col(name), kinds[name])
    return tree | {name: pl.col(column) for name, column in made.items()}


def _named(rule: Rule, kind: pl.DataType) -> Rule:
    """The rule of a UUID that is a record of UUID and name: both have a place."""
    if isinstance(rule, Each) and isinstance(rule.of, At) and _inner(kind):
        path = rule.of.path.removesuffix("uuid")
        both = {"uuid": At(f"{path}uuid"), "name": At(f"{path}name")}
        return Each(rule.path, both, where=rule.where)
    if type(rule) is At and isinstance(kind, pl.Struct) and rule.path.endswith(".uuid"):
        return Parts(rule.path.removesuffix(".uuid"), {"uuid": At("uuid"), "name": At("name")})
    return rule


def _inner(kind: pl.DataType) -> tuple[str, ...]:
    """The members of the records of a list; empty for a list of plain values."""
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        return tuple(field.name for field in kind.inner.fields)
    return ()


def _place(  # noqa: PLR0912  # one case a rule
    tree: Tree, rule: Rule, value: pl.Expr, kind: pl.DataType | None = None
) -> None:
    """Puts a value where the rule reads it."""
    match rule:
        case Has():
            tree.setdefault(rule.path, _Labels()).flags.append((rule.label, value))
        case Of():
            above, last = _above(tree, rule.path)
            entry = above.setdefault(last, _Entry())
            if isinstance(entry, _Entry):  # else all of its entries are known
                _put(entry.members, rule.at, value)
                entry.where = rule.where
        case Names():
            _put(tree, rule.path, _Entry({"name": value}))
        case Each():
            members = () if kind is None else _inner(kind)
            _put(tree, rule.path, _Entries(value, rule, members))
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
        case Either():
            is_known = value.is_in(sorted(rule.known)) if rule.known else pl.lit(value=True)
            _put(tree, rule.path, pl.when(is_known).then(value))
            _put(tree, rule.second, value)
        case Moment():
            _put(tree, rule.path, value.dt.to_string("%Y-%m-%dT00:00:00.000Z"))
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
    known = {key.name: key for key in keys}
    kind = known.get("subtype")
    own = () if kind is None else _OF_SUBTYPE.get(kind.default, ())
    for key in known.values():
        node = tree.get(key.name)
        if node is not None or not key.is_optional or key.name in own:
            yield _written(key, node, tree).alias(key.name)


def _written(key: Key, node: Any, beside: Mapping[str, Any]) -> pl.Expr:
    """What is written under a key."""
    if isinstance(node, pl.Expr) and not isinstance(key.type, str):
        return node
    if isinstance(key.type, Record):
        return _record(key, key.type, node)
    if isinstance(key.type, Many):
        return _list(key.type, node, key.default)
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


def _list(kind: Many, node: Any, default: Any) -> pl.Expr:
    if isinstance(node, _Labels):
        found = (pl.when(flag).then(pl.lit(label)) for label, flag in node.flags)
        return pl.concat_list(*found).list.drop_nulls()
    if isinstance(node, _Entries):
        return node.values.list.eval(_entry(kind, node)).fill_null([])
    if isinstance(node, _Entry) and isinstance(kind.of, Record):
        is_there = pl.any_horizontal(each.is_not_null() for each in _leaves(node.members))
        made = _entry_of(kind.of, node.members, node.where)
        return pl.when(is_there).then(pl.concat_list(made)).otherwise(pl.lit([]))
    return pl.lit([] if default is None else [default], pl.List(pl.String))


def _entry(kind: Many, node: _Entries) -> pl.Expr:
    """One entry of a list from one value."""
    tree: Tree = {}
    rule, value = node.rule, pl.element()
    if isinstance(rule.of, Mapping):
        for name in node.members or rule.of:
            _place(tree, rule.of.get(name, At(name)), value.struct.field(name))
    else:
        _place(tree, rule.of, value)
    assert isinstance(kind.of, Record)  # noqa: S101  # only lists of records are made from entries
    return _entry_of(kind.of, tree, rule.where)


def _entry_of(kind: Record, tree: Tree, where: Where | None) -> pl.Expr:
    """An entry with what the rule demands of each that it reads, unless that is recorded."""
    if where is not None:
        above, last = _above(tree, where[0])
        above.setdefault(last, pl.lit(where[1]))
    return pl.struct(*_members(_of_keys(kind), tree))


def _of_keys(kind: Record) -> Iterable[Key]:
    return (each for each in kind.fields if isinstance(each, Key))


def _leaves(tree: Mapping[str, Any]) -> Iterable[pl.Expr]:
    """Every value of a tree; of a list the values it is made from."""
    for node in tree.values():
        if isinstance(node, pl.Expr):
            yield node
        elif isinstance(node, dict):
            yield from _leaves(node)
        elif isinstance(node, _Entry):
            yield from _leaves(node.members)
        elif isinstance(node, _Entries):
            yield node.values
