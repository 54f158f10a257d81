"""The keys and types of a reply without any value: of what was sent, and of what a table says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final

from ventureframe.client.generation import WIRES
from ventureframe.interface import fields
from ventureframe.interface.fields import Field, Many, Record, Type
from ventureframe.interface.wire.shape import Key

_NAME: Final = re.compile(r"[a-z_][a-zA-Z0-9_]{0,39}", re.ASCII)
_DATA: Final = re.compile(r"\d{3}|^(?=.*\d)[0-9a-f_]{8,}$", re.ASCII)
_JSON: Final[Mapping[type, str]] = {
    type(None): "null",
    bool: "flag",
    int: "number",
    float: "number",
    str: "text",
    list: "list",
    dict: "object",
}
_DECLARED: Final = {
    "flag": {"flag"},
    "integer": {"number", "text"},
    "number": {"number"},
    "identifier": {"number", "text"},
}
"""The types that JSON may give for a declared one; text for every other."""
_MANY: Final = 60


@dataclass(frozen=True, slots=True)
class Outline:
    """What stands at one place: its types, the keys of a record, what each entry of a list is.

    `optional` are keys that some records lack. A record whose keys are data is a `map`: of its
    keys nothing is kept, and `each` is what stands under them.

    >>> outline({"name": None, "by_day": {"2026-01-01": 3}}).to_plain()["keys"]
    {'by_day': {'types': 'map', 'each': 'number'}, 'name': 'null'}
    """

    types: frozenset[str]
    keys: Mapping[str, Outline] = field(default_factory=dict)
    optional: frozenset[str] = frozenset()
    each: Outline | None = None

    @property
    def said(self) -> frozenset[str]:
        """The types without null."""
        return self.types - {"null"}

    def to_plain(self) -> object:
        """It as JSON can hold it."""
        types = " or ".join(sorted(self.types))
        if not self.keys and self.each is None:
            return types
        plain: dict[str, object] = {"types": types}
        if self.keys:
            plain["keys"] = {name: each.to_plain() for name, each in sorted(self.keys.items())}
        if self.optional:
            plain["optional"] = sorted(self.optional)
        if self.each is not None:
            plain["each"] = self.each.to_plain()
        return plain

    @classmethod
    def from_plain(cls, plain: Any) -> Outline:
        """It from what `to_plain` gave; raises where that is something else."""
        if isinstance(plain, str):
            return cls(frozenset(plain.split(" or ")))
        each = plain.get("each")
        return cls(
            frozenset(plain["types"].split(" or ")),
            {name: cls.from_plain(value) for name, value in plain.get("keys", {}).items()},
            frozenset(plain.get("optional", ())),
            None if each is None else cls.from_plain(each),
        )


def outline(value: object) -> Outline:
    """The outline of a value of JSON."""
    types = frozenset({_JSON[type(value)]})
    if isinstance(value, list):
        return Outline(types, each=_union(map(outline, value)))
    if not isinstance(value, dict):
        return Outline(types)
    keys = {name: outline(each) for name, each in value.items()}
    return Outline(types, keys) if all(map(_is_name, keys)) else _map(Outline(types, keys))


def merged(one: Outline, two: Outline) -> Outline:
    """What both are outlines of."""
    if "map" in one.types | two.types:
        one, two = _map(one), _map(two)
    keys = {
        name: reduce(merged, (each.keys[name] for each in (one, two) if name in each.keys))
        for name in (*one.keys, *(name for name in two.keys if name not in one.keys))
    }
    lacking = {name for name in keys if (name in one.keys) != (name in two.keys)}
    is_both = "object" in one.types & two.types
    return Outline(
        one.types | two.types,
        keys,
        one.optional | two.optional | (lacking if is_both else frozenset()),
        _union(each for each in (one.each, two.each) if each is not None),
    )


def tidied(found: Outline) -> Outline:
    """The same, records that have no key in common as maps: such keys are data, too."""
    keys = {name: tidied(each) for name, each in found.keys.items()}
    each = None if found.each is None else tidied(found.each)
    made = Outline(found.types, keys, found.optional, each)
    is_data = keys and (found.optional.issuperset(keys) or len(keys) > _MANY)
    return _map(made) if is_data and _KNOWN.isdisjoint(keys) else made


def of_type(kind: Type, *, nullable: bool = True) -> Outline:
    """The outline of a type that a wire's table declares."""
    null = {"null"} if nullable else set[str]()
    if isinstance(kind, Many):
        return Outline(frozenset({"list", *null}), each=of_type(kind.of, nullable=False))
    if not isinstance(kind, Record):
        return Outline(frozenset({*_DECLARED.get(kind, {"text"}), *null}))
    return Outline(
        frozenset({"object", *null}),
        {each.name: of_type(each.type, nullable=each.nullable) for each in kind.fields},
        frozenset(each.name for each in kind.fields if isinstance(each, Key) and each.is_optional),
    )


def _union(parts: Iterable[Outline]) -> Outline | None:
    every = [*parts]
    return reduce(merged, every) if every else None


def _map(found: Outline) -> Outline:
    """The outline without its keys."""
    each = _union((*found.keys.values(), *(() if found.each is None else (found.each,))))
    types = {"map" if kind == "object" else kind for kind in found.types}
    return Outline(frozenset(types), each=each)


def _is_name(key: str) -> bool:
    """Whether a key reads as a name that a table could have, not as an id, a day or a person."""
    return key in _KNOWN or bool(_NAME.fullmatch(key) and not _DATA.search(key))


def _named(parts: Iterable[Field]) -> Iterator[str]:
    """The names of fields, and of those within them."""
    for each in parts:
        yield each.name
        below = each.type.of if isinstance(each.type, Many) else each.type
        if isinstance(below, Record):
            yield from _named(below.fields)


_KNOWN: Final = frozenset(
    {
        *("data", "page", "limit", "offset", "total", "has_more", "currency", "query_info"),
        *(name for each in fields.RESOURCES.values() for name in _named(each.returned)),
        *(
            name
            for wire in WIRES.values()
            for each in wire.shapes.values()
            for name in _named(each.keys)
        ),
    }
)
"""The keys that a table or the interface has."""
