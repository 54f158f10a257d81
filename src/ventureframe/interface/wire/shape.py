"""How a wire writes a row: where in it each field of the interface stands.

A `Shape` is data. The client reads rows with it, and the embedded service writes them with it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ventureframe.interface.fields import Field, Many, Record, Resource, Type


@dataclass(frozen=True, slots=True)
class Key(Field):
    """One key of a row. A row may leave one out that `is_optional`."""

    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class At:
    """The value at a path: keys joined by dots, null where one of them is null.

    `form` says how text there is read: the `year` of a partial date (`YYYY`, `YYYY-MM` or
    `YYYY-MM-DD`); a `precise` date, null where it is no more than a year; a `filled` text, null
    where it is empty (a wire without null names writes "" there); a day as the `moment`, a
    date-time, at which it begins.
    """

    path: str
    form: Literal["plain", "year", "precise", "filled", "moment"] = "plain"


@dataclass(frozen=True, slots=True)
class Named(At):
    """The value at a path in the interface's words; a value without one passes through."""

    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known(At):
    """The value at a path, null where the flag `where` is null."""

    where: str = ""


@dataclass(frozen=True, slots=True)
class Has:
    """True where a list of labels has this one, else null: a missing label says nothing."""

    path: str
    label: str


Where = tuple[str, str | bool]
"""A path within an entry, and the value that must stand there."""


@dataclass(frozen=True, slots=True)
class Of:
    """The value at a path within the first entry of a list, of those that have a value."""

    path: str
    at: str
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a list of named things, joined by a comma; null where it is empty."""

    path: str


@dataclass(frozen=True, slots=True)
class Each:
    """A list: of one value of each entry, or of records whose members stand in each entry.

    Only of entries that have a value, where one is given.
    """

    path: str
    of: Rule | Mapping[str, Rule]
    where: Where | None = None


@dataclass(frozen=True, slots=True)
class Either(At):
    """The value at a path, or where that is null the one at `second`.

    Only the words that are `known`, where any are, stand at the path itself.
    """

    second: str = ""
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Parts:
    """A record of members that stand in a record; null where none of them is recorded."""

    path: str
    of: Mapping[str, At]


_EXTRAS: Final[Mapping[str, Type]] = {
    "available": Many("text"),
    "locked": Many("text"),
    "is_past": "flag",
}
"""The types of what stands in a row beside its fields, where it is no text."""

Rule = At | Has | Of | Names | Each | Parts


@dataclass(frozen=True, slots=True)
class Glance:
    """A list of a row that the wire cuts short.

    `endpoint` has all of it; the row has its length at the path `total`, some entries at `items`.
    `is_of_some` says that others are never in a row, and are not in its length either.
    """

    endpoint: str
    total: str
    items: str
    is_of_some: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a row that a service can withhold: what it names it, and where it stands.

    `is_object` says that the wire declares an object there, so that a null is never "no data";
    `total` is the member that counts its entries, where it is a list.
    """

    name: str
    path: str
    is_object: bool = True
    total: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The rows of an endpoint.

    `columns` say where each field of `resource` stands, `extras` where further values do.
    `glances` are the lists that are cut short, `blocks` what can be withheld, both by the field
    they fill. A row may leave out the `optional` keys.
    """

    resource: Resource
    columns: Mapping[str, Rule]
    extras: Mapping[str, Rule] = field(default_factory=dict)
    glances: Mapping[str, Glance] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)
    optional: frozenset[str] = frozenset({"locked"})

    @property
    def unsaid(self) -> tuple[str, ...]:
        """The fields of the resource that the wire has no place for."""
        named = (each.name for each in self.resource.returned)
        return tuple(name for name in named if name not in self.columns)

    @property
    def less(self) -> frozenset[str]:
        """The fields of which the wire says less than the interface: never a "no", or a part."""
        weak = (name for name, rule in self.columns.items() if isinstance(rule, Has | Known))
        return frozenset({*weak, *self.glances, *self.unsaid})

    @property
    @functools.cache  # noqa: B019  # there are as many shapes as endpoints
    def read(self) -> Record:
        """The type of a row: the keys that a field is read from, and no other."""
        tree: dict[str, Any] = {}
        found = [key for name in self.columns for key in self._keys_of(name)]
        for name, rule in self.extras.items():
            found += _keys(rule, _key(_EXTRAS.get(name, "text")))
        for path, key in found:
            *above, last = path.split(".")
            node = functools.reduce(lambda node, name: node.setdefault(name, {}), above, tree)
            node.setdefault(last, key)
        return _of_tree(tree, self.optional)

    def reads(self, path: str) -> Iterator[str]:
        """The fields that cannot be told without the key at this path, or without one below it."""
        for name in self.columns:
            paths = (read.replace("[]", "") for read, _ in self._keys_of(name))
            if any(f"{read}.".startswith(f"{path}.") for read in paths):
                yield name

    def _keys_of(self, name: str) -> Iterator[tuple[str, Field]]:
        """Every key that a field is told by: its value, and whether it is all there is."""
        yield from _keys(self.columns[name], self.resource[name])
        if name in self.glances:
            yield self.glances[name].total, _key("identifier")
        if block := self.blocks.get(name):
            if "available" in self.extras:
                yield "available", _key(_EXTRAS["available"])
            if block.total:
                yield f"{block.path}.{block.total}", _key("identifier")


def _key(kind: Type, *, nullable: bool = True) -> Field:
    return Field("", kind, "", nullable=nullable)


_FORMS: Final[Mapping[str, Type]] = {
    "year": "partial date",
    "precise": "partial date",
    "moment": "date",
}
"""The type of what stands at a path in this form, whatever the type of the field."""


def _keys(rule: Rule, of: Field) -> Iterator[tuple[str, Field]]:
    """Every key that a rule reads for a field: its path, `[]` after each list, and its type."""
    match rule:
        case Has():
            yield rule.path, _key(Many("text"))
        case Names():
            yield f"{rule.path}[].name", _key("text")
        case Of():
            yield f"{rule.path}[].{rule.at}", of
        case Parts():
            for name, part in rule.of.items():
                yield f"{rule.path}.{part.path}", _member(of.type, name)
        case Each():
            inner = of.type.of if isinstance(of.type, Many) else of.type
            members = rule.of if isinstance(rule.of, Mapping) else {"": rule.of}
            for name, member in members.items():
                within = _member(inner, name) if name else _key(inner, nullable=False)
                yield from ((f"{rule.path}[].{path}", key) for path, key in _keys(member, within))
        case At():
            yield rule.path, _key(_FORMS[rule.form]) if rule.form in _FORMS else of
    if isinstance(rule, Known):
        yield rule.where, _key("flag")
    if isinstance(rule, Either):
        yield rule.second, of
    if isinstance(rule, Of | Each) and rule.where is not None:
        path, value = rule.where
        yield f"{rule.path}[].{path}", _key("flag" if value is True else "text", nullable=False)


def _member(kind: Type, name: str) -> Field:
    assert isinstance(kind, Record)  # noqa: S101  # only records have members
    return next(member for member in kind.fields if member.name == name)


def _of_tree(tree: Mapping[str, Any], optional: frozenset[str] = frozenset()) -> Record:
    """The record whose keys stand in a tree: a field, or what stands below."""
    keys: list[Key] = []
    for path, node in tree.items():
        name, is_field = path.removesuffix("[]"), isinstance(node, Field)
        kind: Type = node.type if is_field else _of_tree(node)
        if path != name and isinstance(kind, Record):
            kind = Many(kind)
        is_null = not is_field or node.nullable
        keys.append(Key(name, kind, "", is_null, is_optional=name in optional))
    return Record(tuple(keys))
