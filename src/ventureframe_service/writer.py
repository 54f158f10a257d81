"""Rows of the interface as a wire writes them: the shape that the client reads with,
backwards.

`blank.json` has for each endpoint a row in which nothing is recorded, with every key
that the published schema requires. In a list stands the pattern of its entries, and
an object whose name ends in `?` is null where none of its values is recorded.
"""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from ventureframe.interface.wire.profile import At, Each, Of, Parts, Rule, Shape, Where

Blank = dict[str, Any]  # a row, or an object in it, in which nothing is recorded
Tree = dict[str, Any]  # by key a value, the tree of a record, or what makes a list

_FILE: Final = Path(__file__).with_name("blank.json")
BLANK: Final[Mapping[str, Blank]] = json.loads(_FILE.read_text("utf-8"))  # by endpoint
FULL_ONLY: Final = frozenset(
    (
        "founders",
        "revenue",
        "traffic",
        "patents",
        "alumni",
        "founded_companies",
        "career",
    )
) | {"education", "portfolio", "exits", "match", "rank", "available", "locked"}
"""Keys that the summary of a row leaves out."""


@dataclass
class _Entry:
    """A list of one entry, empty where nothing of it is recorded; `where` is in each
    such entry.
    """

    members: Tree = field(default_factory=dict)
    where: Where | None = None


@dataclass
class _Entries:
    """A list with an entry for each value of another, which may be records of
    `members`.
    """

    values: pl.Expr
    rule: Each
    members: tuple[str, ...]


def write_rows(
    rows: pl.DataFrame, shape: Shape, endpoint: str, *, hidden: Sequence[str] = ()
) -> pl.DataFrame:
    """Write the rows as an endpoint of the wire does; `hidden` keys are null, and named
    as locked.

    A column that no rule of the shape reads is the key of its name as it is written;
    so is a member of an entry. A UUID that is a record of `uuid` and `name` is
    written with its name. The length of a list that the wire cuts short is the
    column `NAME_total`.
    """
    written = rows.select(_keys(shape, endpoint, tuple(rows.schema.items())))
    if hidden and "available" in BLANK[endpoint]:
        written = written.with_columns(locked=pl.lit(list(hidden)))
    return written.with_columns(pl.lit(None).alias(name) for name in hidden)


@functools.lru_cache(64)
def _keys(
    shape: Shape, endpoint: str, columns: tuple[tuple[str, pl.DataType], ...]
) -> list[pl.Expr]:
    totals = {
        f"{name}_total": At(f"{glance.path}.total")
        for name, glance in shape.glances.items()
    }
    rules: dict[str, Rule] = {**shape.columns, **totals, **shape.extras}
    blank, kinds = BLANK[endpoint], dict(columns)
    tree: Tree = {
        name: pl.col(name) for name in kinds if name in blank and name not in rules
    }
    for name, rule in rules.items():
        if name in kinds:
            _place(tree, _with_name(rule, kinds[name]), pl.col(name), kinds[name])
    return list(_members(blank, tree))


def _with_name(rule: Rule, kind: pl.DataType) -> Rule:
    """The rule of a UUID that is a record of UUID and name: both have a place."""
    if isinstance(rule, Each) and isinstance(rule.of, At) and _inner(kind):
        path = rule.of.path.removesuffix("uuid")
        both = {"uuid": At(f"{path}uuid"), "name": At(f"{path}name")}
        return Each(rule.path, both, where=rule.where)
    if type(rule) is At and isinstance(kind, pl.Struct) and rule.path.endswith(".uuid"):
        return Parts(
            rule.path.removesuffix(".uuid"), {"uuid": At("uuid"), "name": At("name")}
        )
    return rule


def _inner(kind: pl.DataType | None) -> tuple[str, ...]:
    """The members of the records of a list; empty for a list of plain values."""
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        return tuple(member.name for member in kind.inner.fields)
    return ()


def _place(  # noqa: PLR0912  # one case a rule
    tree: Tree, rule: Rule, value: pl.Expr, kind: pl.DataType | None = None
) -> None:
    *records, last = rule.path.split(".")
    above = functools.reduce(
        lambda node, name: node.setdefault(name, {}), records, tree
    )
    match rule:
        case At() if rule.label:
            above.setdefault(last, []).append((rule.label, value))
        case Of():
            entry = above.setdefault(last, _Entry(where=rule.where))
            if isinstance(entry, _Entry):  # else all of its entries are known
                _place(entry.members, At(rule.at), value)
        case At(form="names"):
            above[last] = _Entry({"name": value})
        case Each():
            above[last] = _Entries(value, rule, _inner(kind))
        case Parts():
            for name, part in rule.of.items():
                _place(tree, At(f"{rule.path}.{part.path}"), value.struct.field(name))
        case At(form="year"):
            above[last] = value.cast(pl.String)
        case At(form="precise"):
            above[last] = pl.coalesce(value, above[last])
        case At() if rule.words:
            above[last] = value.replace({old: new for new, old in rule.words.items()})
        case At() if rule.second:
            is_known = value.is_in(sorted(rule.own)) if rule.own else pl.lit(value=True)
            above[last] = pl.when(is_known).then(value)
            _place(tree, At(rule.second), value)
        case At(form="moment"):
            above[last] = value.dt.to_string("%Y-%m-%dT00:00:00.000Z")
        case _:
            above[last] = value


def _members(blank: Blank, tree: Tree) -> Iterator[pl.Expr]:
    """Every key of a record: those of the blank one, and further ones that have a
    value.
    """
    names = [name.removesuffix("?") for name in blank]
    for name in (*names, *(name for name in tree if name not in names)):
        can_be_null = f"{name}?" in blank
        value = blank.get(f"{name}?" if can_be_null else name)
        yield _written(value, tree.get(name), can_be_null=can_be_null).alias(name)


def _written(blank: Any, node: Any, *, can_be_null: bool = False) -> pl.Expr:
    if isinstance(node, list | _Entry | _Entries):
        return _list(blank[0] if blank else {}, node)
    if isinstance(node, pl.Expr):
        return (
            node
            if blank is None or isinstance(blank, dict | list)
            else node.fill_null(blank)
        )
    if isinstance(blank, dict) or node:
        record = pl.struct(*_members(blank or {}, node or {}))
        return pl.when(_is_recorded(node or {})).then(record) if can_be_null else record
    if isinstance(blank, list):
        return pl.lit(
            [text for text in blank if isinstance(text, str)], pl.List(pl.String)
        )
    return pl.lit(blank)


def _list(
    pattern: Blank, node: list[tuple[str, pl.Expr]] | _Entry | _Entries
) -> pl.Expr:
    """A list, its entries after the pattern; empty where nothing is recorded."""
    if isinstance(node, list):
        labels = (pl.when(flag).then(pl.lit(label)) for label, flag in node)
        return pl.concat_list(*labels).list.drop_nulls()
    if isinstance(node, _Entries):
        # the tree of an entry, its value
        one, rule, value = Tree(), node.rule, pl.element()
        if isinstance(rule.of, Mapping):
            for name in node.members or rule.of:
                _place(one, rule.of.get(name, At(name)), value.struct.field(name))
        else:
            _place(one, rule.of, value)
        return node.values.list.eval(_entry(pattern, one, rule.where)).fill_null([])
    entries = pl.concat_list(_entry(pattern, node.members, node.where))
    return pl.when(_is_recorded(node.members)).then(entries).otherwise(pl.lit([]))


def _entry(blank: Blank, tree: Tree, where: Where | None) -> pl.Expr:
    """An entry with what the rule demands of each that it reads, unless that is
    recorded.
    """
    if where is not None and not _stands(tree, where[0]):
        _place(tree, At(where[0]), pl.lit(where[1]))
    return pl.struct(*_members(blank, tree))


def _stands(tree: Any, path: str) -> bool:
    name, _, below = path.partition(".")
    return name in tree and (not below or _stands(tree[name], below))


def _is_recorded(tree: Tree) -> pl.Expr:
    return pl.any_horizontal(
        pl.lit(value=False), *(part.is_not_null() for part in _values(tree))
    )


def _values(tree: Tree) -> Iterator[pl.Expr]:
    """Every value of a tree; of a list the values it is made from."""
    for node in tree.values():
        if isinstance(node, dict):
            yield from _values(node)
        elif isinstance(node, _Entry):
            yield from _values(node.members)
        elif isinstance(node, _Entries):
            yield node.values
        elif isinstance(node, pl.Expr):
            yield node
