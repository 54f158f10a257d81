"""How a wire writes a row: its keys, and where in them each field of the interface stands.

A `Shape` is data. The client reads rows with it, and the embedded service writes them with it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from ventureframe.interface.fields import Field, Many, Record, Resource, Type
from ventureframe.interface.values import Scalar


@dataclass(frozen=True, slots=True)
class Key(Field):
    """One key of a row.

    `nullable` is false where a value is never null. A row may leave an `is_optional` key out.
    `default` is written where nothing is recorded.
    """

    is_optional: bool = False
    default: str | float | bool | None = None


@dataclass(frozen=True, slots=True)
class At:
    """The value at a path: keys joined by dots, null where one of them is null."""

    path: str


@dataclass(frozen=True, slots=True)
class Year(At):
    """The year of a partial date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`."""


@dataclass(frozen=True, slots=True)
class Precise(At):
    """A partial date as written, where it says more than a year."""


@dataclass(frozen=True, slots=True)
class Filled(At):
    """The text at a path, null where it is empty: a wire without null names writes "" there."""


@dataclass(frozen=True, slots=True)
class Moment(At):
    """A day that is written as the date-time at which it begins."""


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


Rule = At | Has | Of | Names | Each | Parts


@dataclass(frozen=True, slots=True)
class Glance:
    """A list of a row that the wire cuts short.

    `endpoint` has all of it; the row has its length at the path `total`, some entries at `items`.
    """

    endpoint: str
    total: str
    items: str


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

    `keys` are those of a row, `columns` say where each field of `resource` stands, `extras` where
    further values do. `glances` are the lists that are cut short, `blocks` what can be withheld,
    both by the field they fill.
    """

    resource: Resource
    keys: tuple[Key, ...]
    columns: Mapping[str, Rule]
    extras: Mapping[str, Rule] = field(default_factory=dict)
    glances: Mapping[str, Glance] = field(default_factory=dict)
    blocks: Mapping[str, Block] = field(default_factory=dict)

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
    def row(self) -> Record:
        """The type of a row."""
        return Record(self.keys)

    @property
    def read(self) -> Record:
        """The type of a row without the keys that nothing is read from."""
        return _read_of(self)

    @property
    def told(self) -> Record:
        """The same with every other key that has the name of one that can be null.

        So the nulls under a name in a text can be compared with those that were read.
        """
        return _told_of(self)

    def reads(self, path: str) -> Iterator[str]:
        """The fields that cannot be told without the key at this path, or without one below it."""
        for name in self.columns:
            if any(f"{read}.".startswith(f"{path}.") for read in self._paths_of(name)):
                yield name

    def _paths_of(self, name: str) -> Iterator[str]:
        """Every path that a field is told by: its value, and whether it is all there is."""
        yield from paths(self.columns[name])
        if name in self.glances:
            yield from (self.glances[name].total, self.glances[name].items)
        if name in self.blocks:
            yield from (self.blocks[name].path, "available")


@functools.cache
def _read_of(shape: Shape) -> Record:
    wanted = {path for name in shape.columns for path in shape._paths_of(name)}
    wanted |= {path for rule in shape.extras.values() for path in paths(rule)}
    wanted |= {f"{each.path}.{each.total}" for each in shape.blocks.values() if each.total}
    return Record(tuple(_pruned(shape.keys, wanted)))


@functools.cache
def _told_of(shape: Shape) -> Record:
    read = list(_every(shape.read.fields))
    names = {key.name for _, key in read if key.nullable}
    same = (path for path, key in _every(shape.keys) if key.name in names)
    return Record(tuple(_pruned(shape.keys, {*same, *(path for path, _ in read)})))


def _every(keys: Iterable[Field], within: str = "") -> Iterator[tuple[str, Field]]:
    """Every key, through lists as through records, with its path."""
    for key in keys:
        yield f"{within}{key.name}", key
        kind = key.type.of if isinstance(key.type, Many) else key.type
        if isinstance(kind, Record):
            yield from _every(kind.fields, f"{within}{key.name}.")


def _pruned(keys: Iterable[Field], wanted: Iterable[str]) -> Iterator[Field]:
    """The keys on the way to the wanted paths; one that is wanted as a whole stays whole."""
    for key in keys:
        below = {
            path.removeprefix(f"{key.name}.")
            for path in wanted
            if f"{path}.".startswith(f"{key.name}.")
        } - {key.name}
        kind = key.type.of if isinstance(key.type, Many) else key.type
        if below and isinstance(kind, Record):
            inner = Record(tuple(_pruned(kind.fields, below)))
            yield replace(key, type=Many(inner) if isinstance(key.type, Many) else inner)
        elif any(path.partition(".")[0] == key.name for path in wanted):
            yield key


def paths(rule: Rule) -> Iterator[str]:
    """Every path that a rule reads, through lists as through records."""
    yield rule.path
    if isinstance(rule, Of | Each) and rule.where is not None:
        yield f"{rule.path}.{rule.where[0]}"
    if isinstance(rule, Known):
        yield rule.where
    elif isinstance(rule, Either):
        yield rule.second
    elif isinstance(rule, Of):
        yield f"{rule.path}.{rule.at}"
    elif isinstance(rule, Names):
        yield f"{rule.path}.name"
    elif isinstance(rule, Each | Parts):
        inner = rule.of.values() if isinstance(rule.of, Mapping) else (rule.of,)
        yield from (f"{rule.path}.{path}" for each in inner for path in paths(each))


_TYPES: Final = {"n": "number", "i": "identifier", "f": "flag", "u": "uuid", "d": "date"}
_TOKEN: Final = re.compile(r"(\w+)(?::([nifud]))?([!~]?)(?:=(\S*?))?(?=[\s{}\[\]]|$)|([{}\[\]])")
_CLOSING: Final = {"{": "}", "[": "]"}


def keys(text: str) -> tuple[Key, ...]:
    """The keys of a row from their notation, in which every key is one word.

    `name` is a text, `name:n` a number, `:i` an identifier, `:f` a flag, `:u` a UUID, `:d` a date.
    `name!` is never null, `name~` may be left out, `name=value` has a default. `name{…}` is a
    record, `name[…]` a list of records, `name[]` one of texts.
    """
    tokens = list(_TOKEN.finditer(text))
    found, end = _keys(tokens, 0)
    if end != len(tokens):
        raise ValueError(f"the notation has a bracket too many: {text[tokens[end].start() :]!r}")
    return found


def _keys(tokens: list[re.Match[str]], at: int) -> tuple[tuple[Key, ...], int]:
    found: list[Key] = []
    while at < len(tokens) and tokens[at][1]:
        name, kind, mark, default, _ = tokens[at].groups()
        at += 1
        scalar = cast("Scalar", _TYPES.get(kind or "", "text"))
        value: Type = scalar
        bracket = tokens[at][5] if at < len(tokens) else None
        if bracket in _CLOSING:
            inner, at = _keys(tokens, at + 1)
            if tokens[at][5] != _CLOSING[bracket]:
                raise ValueError(f"{name} is not closed")
            at += 1
            each = Record(inner) if inner else scalar
            value = Record(inner) if bracket == "{" else Many(each)
        is_null = mark != "!"
        found.append(Key(name, value, "", is_null, is_optional=mark == "~", default=_read(default)))
    return tuple(found), at


def _read(default: str | None) -> str | float | bool | None:
    words = {"true": True, "false": False}
    if default is None or default in words:
        return None if default is None else words[default]
    return int(default) if default.isdigit() else default
