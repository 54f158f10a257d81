"""Replies to typed columns, exactly: nulls stay, unknown fields are kept, wrong types are named.

Rows are decoded column by column, because building a frame from rows would turn 1.5 into 1 under
an integer type. Every value is checked against the type that `fields` declares: a value of another
type is an `UnreadableReply` that names the field, the record and the value.
"""

from __future__ import annotations

import datetime as dt
import functools
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from ventureframe.client import translate
from ventureframe.client.envelope import Page, locked, page, rows_of
from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.errors import shortened, visible
from ventureframe.interface.fields import Field, Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.values import read as read_value
from ventureframe.interface.wire.profile import Profile
from ventureframe.interface.wire.shape import Key, Shape

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)
_LESS: Final = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
_OWN: Final = frozenset({translate.WITHHELD, "currency"})
"""Columns that the client adds: a key of such a name that no field declares goes beside them."""
_DIGITS: Final = re.compile(r"-?\d{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows of several pages as typed columns, decoded together.

    `key` is the column that identifies a row, None where none does. `absent` are declared fields
    that at least one row leaves out, `extra` columns that `fields` does not declare; `doubts` is
    what rows say against themselves or the request, in sentences.
    """

    frame: pl.DataFrame
    key: str | None
    pages: tuple[Page, ...]
    absent: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()
    doubts: tuple[str, ...] = ()

    @property
    def keys(self) -> pl.Series:
        """What identifies the rows, in their order."""
        if self.key is None:
            return pl.Series([None] * self.frame.height, dtype=pl.String)
        return self.frame.get_column(self.key)

    @property
    def currency(self) -> str | None:
        """The currency that every page states; None where one of them states none."""
        stated = {page.currency for page in self.pages}
        return stated.pop() if len(stated) == 1 else None

    @property
    def reply(self) -> Reply:
        """The first reply, for an error about the rows."""
        return self.pages[0].reply


def decode(
    replies: Sequence[Reply],
    rows: Rows,
    *,
    profile: Profile,
    currency: str | None = None,
) -> Chunk:
    """The rows and pages in the replies, at least one; `UnreadableReply` where one is wrong."""
    parts, pages = list[Chunk](), list[Page]()
    for reply in replies:
        content = reply.json()
        parts.append(_decoded(rows_of(reply, content), rows, reply, locked(content)))
        pages.append(page(reply, content, parts[-1].keys, profile=profile, currency=currency))
    return Chunk(
        pl.concat([part.frame for part in parts], how="diagonal_relaxed"),
        rows.key,
        tuple(pages),
        frozenset().union(*(part.absent for part in parts)),
        frozenset().union(*(part.extra for part in parts)),
    )


@dataclass(frozen=True, slots=True)
class Rows:
    """What the rows of an endpoint are: records of a resource, as the wire's shape writes them.

    Where there is a shape, keys that no field is read from may be missing, new or of any type, and
    are not kept.
    """

    resource: Resource
    shape: Shape | None = None

    @property
    def record(self) -> Record:
        """The type of a row as it is written."""
        return Record(self.resource.returned) if self.shape is None else self.shape.row

    @property
    def read(self) -> Record:
        """The type of a row without the keys that no field is read from."""
        return self.record if self.shape is None else self.shape.read

    @property
    def told(self) -> Record:
        """The same with what tells whether one of the keys is missing (`Shape.told`)."""
        return self.record if self.shape is None else self.shape.told

    @property
    def key(self) -> str | None:
        """The column that identifies a row; None where no column does."""
        return next((field.name for field in self.resource.returned if field.key), None)

    def columns(
        self, frame: pl.DataFrame, reply: Reply, locked: frozenset[str] = frozenset()
    ) -> pl.DataFrame:
        """The columns of the resource from those that were written.

        `locked` are blocks that the reply as a whole withholds.
        """
        if self.shape is not None:
            frame = translate.inward(frame, self.shape, reply, locked=locked)
        elif gone := [frame[name] for name in frame.columns if name in locked]:
            empty = [
                (each.name, each.is_null() | (each.list.len() == 0).fill_null(value=False))
                if isinstance(each.dtype, pl.List)
                else (each.name, each.is_null())
                for each in gone
            ]
            frame = translate.withheld(frame, empty)
        for field in self.resource.returned:
            is_link = field.type == "uuid" and not field.nullable
            if (field.key or is_link) and frame.get_column(field.name).null_count():
                raise reply.unreadable(f"has a record without {field.name!r}")
        _refuse_impossible(frame, self.resource, reply)
        return frame

    def absent(self, paths: Iterable[str]) -> frozenset[str]:
        """The fields of the resource that are read from these keys."""
        if self.shape is None:
            return frozenset(paths)
        return frozenset(name for path in paths for name in self.shape.reads(path))


def records(reply: Reply, rows: list[dict[str, Any]], kind: Rows) -> Chunk:
    """The same rows as typed columns, of no page."""
    return _decoded(rows, kind, reply)


def _decoded(
    rows: list[dict[str, Any]], kind: Rows, reply: Reply, locked: frozenset[str] = frozenset()
) -> Chunk:
    """The rows as typed columns: those declared, then those that only the rows have, as text."""
    columns: dict[str, tuple[list[Any], pl.DataType]] = {}
    extra: dict[str, list[str | None]] = {}
    resource, absent = kind.resource, set[str]()
    for field in kind.read.fields:
        values = [row.get(field.name) for row in rows]
        absent |= set(_missing(rows, field, ""))
        if field.type == "date" and any(map(_is_less, values)):
            less = [value if _is_less(value) else None for value in values]
            extra[field.name + TEXT_SUFFIX] = less
            values = [None if _is_less(value) else value for value in values]
        if kind.shape is None:
            extra |= _undeclared_members(field, values)
        typed: list[Any] = []
        try:
            for value in values:
                typed.append(_typed(value, field.type, field.name))
        except _WrongType as wrong:
            shown, name, wanted = shortened(repr(wrong.args[0]), 60), *wrong.args[1:]
            which = f"{resource.name} record {rows[len(typed)].get(kind.key or '')}"
            what = f"has {shown} in {name!r} of {which}, which is not of type {wanted}"
            raise reply.unreadable(what) from None
        columns[field.name] = typed, dtype(field.type)
    others = {name for row in rows for name in row} - columns.keys()
    for name in sorted(others) if kind.shape is None else ():
        column = name + TEXT_SUFFIX if name in _OWN else name
        extra[column] = [_json(row[name]) if name in row else None for row in rows]
    if odd := next((name for name in extra if visible(name) != name), None):
        raise reply.unreadable(f"has control characters in the key {shortened(repr(odd))}")
    columns |= {name: (texts, pl.String()) for name, texts in extra.items()}
    series = [_series(name, values, of, reply) for name, (values, of) in columns.items()]
    frame = kind.columns(pl.DataFrame(series), reply, locked)
    if kind.shape is None and translate.WITHHELD not in frame.columns:
        # no list is not an empty list: what a row leaves out, nothing is known of
        lists = [field.name for field in resource.returned if isinstance(field.type, Many)]
        left_out = [
            (name, pl.Series([name not in row for row in rows], dtype=pl.Boolean)) for name in lists
        ]
        frame = translate.withheld(frame, left_out)
    return Chunk(frame, kind.key, (), kind.absent(absent), frozenset(extra))


def _refuse_impossible(frame: pl.DataFrame, resource: Resource, reply: Reply) -> None:
    """Raises `UnreadableReply` for a number outside the limits of its field (`Field.within`)."""
    for path, where, (least, most) in _limited(resource.returned):
        if isinstance(where, str):  # a column is much quicker there than by a selection
            values = frame.get_column(where)
        else:
            values = frame.select(where).to_series()
        for found in (values.min(), values.max()):
            assert found is None or isinstance(found, int | float)  # noqa: S101  # numbers only
            if found is not None and not least <= found <= most:
                limit = f"below {least}" if found < least else f"above {most}"
                raise reply.unreadable(f"has {found} in {path!r}, which is never {limit}")


_Limited = tuple[str, str | pl.Expr, tuple[float, float]]
"""Where a number with limits is, its column or its values in a frame, and the limits."""


@functools.cache
def _limited(members: tuple[Field, ...]) -> tuple[_Limited, ...]:
    """Every number with limits, at any depth."""
    return tuple(_limits(members, "", pl.col))


def _limits(
    members: tuple[Field, ...], within: str, values: Callable[[str], pl.Expr]
) -> Iterator[_Limited]:
    for field in members:
        value, below = values(field.name), field.type
        if field.within is not None:
            yield within + field.name, value if within else field.name, field.within
        if isinstance(below, Many):
            value, below = value.explode(empty_as_null=False), below.of
        if isinstance(below, Record):
            yield from _limits(below.fields, f"{within}{field.name}.", value.struct.field)


def _missing(records: list[Any], field: Field, within: str) -> Iterator[str]:
    """The path of a declared key that a record leaves out, and of those in records below it.

    A null is no value where there must be one.
    """
    path = within + field.name
    there = [each[field.name] for each in records if field.name in each]
    there = there if field.nullable else [each for each in there if each is not None]
    if len(there) < len(records) and not (isinstance(field, Key) and field.is_optional):
        yield path
    below = field.type.of if isinstance(field.type, Many) else field.type
    if isinstance(below, Record):
        if isinstance(field.type, Many):
            there = [each for value in there if isinstance(value, list) for each in value]
        inner = [each for each in there if isinstance(each, dict)]
        for member in below.fields:
            yield from _missing(inner, member, f"{path}.")


def _series(name: str, values: Sequence[object], kind: pl.DataType, reply: Reply) -> pl.Series:
    try:
        return pl.Series(name, values, dtype=kind, strict=True)
    except UnicodeEncodeError as error:
        raise reply.unreadable(f"has text in {name!r} that is not Unicode") from error


def _is_less(value: object) -> bool:
    """Whether a value is a date less precise than a day: a year, or a year and a month."""
    return isinstance(value, str) and _LESS.fullmatch(value) is not None


def _undeclared_members(field: Field, values: list[Any]) -> dict[str, list[str | None]]:
    """Members of records that `fields` does not declare, as JSON text under `field.member`."""
    record = field.type.of if isinstance(field.type, Many) else field.type
    if not isinstance(record, Record):
        return {}
    entries = [
        [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]
        for value in values
    ]
    declared = {member.name for member in record.fields}
    found = set[str]().union(*(entry.keys() - declared for each in entries for entry in each))
    return {
        f"{field.name}.{name}": [
            _json([entry.get(name) for entry in each]) if value else None
            for value, each in zip(values, entries, strict=True)
        ]
        for name in sorted(found)
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class _WrongType(Exception):
    """A value that is not of the declared type: the value, its name and the type."""


def _typed(value: Any, kind: Type, name: str) -> Any:
    """The value as its type has it; `_WrongType` where it has no such type, at any depth.

    A member that is never null is of no type where it is null.
    """
    if value is None:
        return None
    if isinstance(kind, Many):
        if not isinstance(value, list):
            raise _WrongType(value, name, "list")
        if None in value:
            raise _WrongType(None, name, kind.of if isinstance(kind.of, str) else "record")
        return [_typed(each, kind.of, name) for each in value]
    if isinstance(kind, Record):
        if not isinstance(value, dict):
            raise _WrongType(value, name, "record")
        for member in kind.fields:
            if not member.nullable and value.get(member.name) is None:
                raise _WrongType(None, f"{name}.{member.name}", member.type)
        return {
            member.name: _typed(value.get(member.name), member.type, f"{name}.{member.name}")
            for member in kind.fields
        }
    allowed, convert = _SCALARS[kind]
    try:
        if type(value) in allowed:
            return convert(value)
    except (ValueError, OverflowError):
        pass
    raise _WrongType(value, name, kind)


def _identifier(value: int | str) -> int:
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise ValueError
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _number(value: float) -> float:
    number = float(value)
    if not math.isfinite(number) or number != value:
        raise ValueError
    return number


def _day(value: str) -> dt.date:
    if not _DAY.fullmatch(value):
        raise ValueError
    return dt.date.fromisoformat(value[:10])


_SCALARS: Final[Mapping[str, tuple[tuple[type, ...], Callable[[Any], Any]]]] = {
    "uuid": ((str,), functools.partial(read_value, "uuid")),
    "text": ((str,), str),
    "flag": ((bool,), bool),
    "integer": ((int,), _identifier),
    "identifier": ((int, str), _identifier),
    "number": ((int, float), _number),
    "date": ((str,), _day),
}
"""The types that JSON may give for each declared type, and what converts them."""
