"""Replies to typed columns, exactly: nulls stay, unknown fields are kept, wrong types are named.

Rows are decoded column by column, because building a frame from rows would turn 1.5 into 1 under
an integer type. Every value is checked against the type that `fields` declares: a value of another
type is an `UnreadableReply` that names the field, the record and the value.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.errors import UnreadableReply
from ventureframe.interface.fields import Field, Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

if TYPE_CHECKING:
    import polars as pl

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)
_LESS: Final = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
_DIGITS: Final = re.compile(r"-?\d{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Page:
    """What one page says about the collection, with the keys of its first and last row.

    The rows themselves are in a `Chunk`; the reply is kept without its body.
    """

    rows: int
    first: str | int | None
    last: str | int | None
    total: int | None
    next_cursor: str | None
    currency: str | None
    reply: Reply


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows of several pages as typed columns, decoded together.

    `key` is the column that identifies a row; `absent` are declared fields that at least one row
    leaves out; `extra` are columns that `fields` does not declare.
    """

    frame: pl.DataFrame
    key: str
    pages: tuple[Page, ...]
    absent: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()

    @property
    def keys(self) -> pl.Series:
        """What identifies the rows, in their order."""
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
    replies: Sequence[Reply], resource: Resource, *, profile: Profile, currency: str | None = None
) -> Chunk:
    """The rows and pages in the replies, at least one; `UnreadableReply` where one is wrong."""
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to build a query

    parts, pages = list[_Columns](), list[Page]()
    for reply in replies:
        content = reply.json()
        parts.append(_columns(rows_of(reply, content), resource, reply))
        keys = parts[-1].frame.get_column(resource.key)
        pages.append(page(reply, content, keys, profile=profile, currency=currency))
    return Chunk(
        pl.concat([part.frame for part in parts], how="diagonal"),
        resource.key,
        tuple(pages),
        frozenset().union(*(part.absent for part in parts)),
        frozenset().union(*(part.extra for part in parts)),
    )


def page(
    reply: Reply,
    content: Mapping[str, object],
    keys: pl.Series,
    *,
    profile: Profile,
    currency: str | None,
) -> Page:
    """The page with these keys; `UnreadableReply` where what it says about itself is wrong."""
    about = content.get("page")
    about = about if isinstance(about, dict) else {}
    stated = content.get("currency")
    if currency is not None and stated is not None and stated != currency:
        raise reply.unreadable(f"gives amounts in {stated!r} where {currency} was asked for")
    return Page(
        rows=len(keys),
        first=keys[0] if len(keys) else None,
        last=keys[-1] if len(keys) else None,
        total=_total(reply, about.get("total")),
        next_cursor=_cursor(reply, about.get(profile.next_cursor)),
        currency=stated if isinstance(stated, str) else None,
        reply=dataclasses.replace(reply, body=b""),
    )


def rows_of(reply: Reply, content: Mapping[str, object]) -> list[dict[str, Any]]:
    """The rows under `data`, each an object."""
    rows = content.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise reply.unreadable("has no list of records under 'data'")
    return rows


def records(reply: Reply, rows: list[dict[str, Any]], resource: Resource) -> list[dict[str, Any]]:
    """The same rows with checked and typed values, every declared field in each."""
    return _columns(rows, resource, reply).frame.to_dicts()


def _total(reply: Reply, total: object) -> int | None:
    if total is None or (isinstance(total, int) and not isinstance(total, bool) and total >= 0):
        return total
    raise reply.unreadable(f"reports {total!r} as the number of matches")


def _cursor(reply: Reply, cursor: object) -> str | None:
    if cursor is None or isinstance(cursor, str):
        return cursor or None
    raise reply.unreadable("has a cursor that is not text")


# --- rows to columns


@dataclass(frozen=True, slots=True)
class _Columns:
    frame: pl.DataFrame
    absent: frozenset[str]
    extra: frozenset[str]


def _columns(rows: list[dict[str, Any]], resource: Resource, reply: Reply) -> _Columns:
    """The rows as typed columns: those declared, then those that only the rows have, as text."""
    import polars as pl  # noqa: PLC0415

    check = _Check(reply, resource.name)
    owners = [row.get(resource.key) for row in rows]
    series: list[pl.Series] = []
    extra: dict[str, list[str | None]] = {}
    for field in resource.returned:
        values = [row.get(field.name) for row in rows]
        if field.key and None in values:
            raise reply.unreadable(f"has a record without {field.name!r}")
        if field.type == "date" and any(map(_is_less, values)):
            less = [value if _is_less(value) else None for value in values]
            extra[field.name + TEXT_SUFFIX] = less
            values = [None if _is_less(value) else value for value in values]
        extra |= _undeclared_members(field, values)
        values = check.column(values, field.type, field.name, owners)
        series.append(_series(field.name, values, dtype(field.type), reply))
    extra |= _undeclared(rows, resource)
    series += [_series(name, texts, pl.String(), reply) for name, texts in extra.items()]
    absent = (f.name for f in resource.returned if not all(f.name in row for row in rows))
    return _Columns(pl.DataFrame(series), frozenset(absent), frozenset(extra))


def _series(name: str, values: Sequence[object], kind: pl.DataType, reply: Reply) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    try:
        return pl.Series(name, values, dtype=kind, strict=True)
    except UnicodeEncodeError as error:
        raise reply.unreadable(f"has text in {name!r} that is not Unicode") from error


def _is_less(value: object) -> bool:
    """Whether a value is a date less precise than a day: a year, or a year and a month."""
    return isinstance(value, str) and _LESS.fullmatch(value) is not None


def _undeclared(rows: list[dict[str, Any]], resource: Resource) -> dict[str, list[str | None]]:
    """Fields that rows carry and `fields` does not declare, each as JSON text."""
    declared = {field.name for field in resource.returned}
    names = sorted({name for row in rows for name in row} - declared)
    return {name: [_json(row[name]) if name in row else None for row in rows] for name in names}


def _undeclared_members(field: Field, values: list[Any]) -> dict[str, list[str | None]]:
    """Members of records that `fields` does not declare, as JSON text under `field.member`."""
    record = field.type.of if isinstance(field.type, Many) else field.type
    if not isinstance(record, Record):
        return {}
    declared = {member.name for member in record.fields}
    found = set[str]().union(*(entry.keys() - declared for entry in _entries(values)))
    return {
        f"{field.name}.{name}": [
            _json([entry.get(name) for entry in _entries([value])]) if value else None
            for value in values
        ]
        for name in sorted(found)
    }


def _entries(values: Iterable[Any]) -> Iterable[dict[str, Any]]:
    for value in values:
        for entry in value if isinstance(value, list) else (value,):
            if isinstance(entry, dict):
                yield entry


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# --- values to their types


@dataclass(frozen=True, slots=True)
class _Check:
    """Turns the values of one column into those of its type, or names the one that cannot be."""

    reply: Reply
    resource: str

    def column(
        self, values: list[Any], kind: Type, name: str, owners: Sequence[object]
    ) -> list[Any]:
        """The typed values of a column; `owners` are the keys of the rows they belong to."""
        if isinstance(kind, Many):
            return self._lists(values, kind, name, owners)
        if isinstance(kind, Record):
            return self._structs(values, kind, name, owners)
        allowed, convert = _SCALARS[kind]
        self._all(values, allowed, kind, name, owners)
        if convert is None:
            return values
        typed = []
        for value, owner in zip(values, owners, strict=True):
            try:
                typed.append(None if value is None else convert(value))
            except ValueError:
                raise self._wrong(value, kind, name, owner) from None
        return typed

    def _lists(
        self, values: list[Any], kind: Many, name: str, owners: Sequence[object]
    ) -> list[Any]:
        self._all(values, _LISTS, "list", name, owners)
        of = [owner for owner, value in zip(owners, values, strict=True) for _ in value or ()]
        flat = self.column([each for value in values for each in value or ()], kind.of, name, of)
        each = iter(flat)
        return [None if value is None else [next(each) for _ in value] for value in values]

    def _structs(
        self, values: list[Any], kind: Record, name: str, owners: Sequence[object]
    ) -> list[Any]:
        self._all(values, _RECORDS, "record", name, owners)
        present = [value for value in values if value is not None]
        of = [owner for owner, value in zip(owners, values, strict=True) if value is not None]
        members = {
            each.name: self.column(
                [value.get(each.name) for value in present], each.type, f"{name}.{each.name}", of
            )
            for each in kind.fields
        }
        entry = zip(*members.values(), strict=True)
        return [
            None if value is None else dict(zip(members, next(entry), strict=True))
            for value in values
        ]

    def _all(
        self,
        values: list[Any],
        allowed: frozenset[type],
        kind: str,
        name: str,
        owners: Sequence[object],
    ) -> None:
        if not set(map(type, values)) <= allowed:
            wrong = next(i for i, value in enumerate(values) if type(value) not in allowed)
            raise self._wrong(values[wrong], kind, name, owners[wrong])

    def _wrong(self, value: object, kind: str, name: str, owner: object) -> UnreadableReply:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        where = f"has {shown} in {name!r} of {self.resource} record {owner}"
        return self.reply.unreadable(f"{where}, which is not of type {kind}")


def _whole(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _identifier(value: int | str) -> int:
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise ValueError
    return _whole(int(value))


def _number(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise ValueError from None
    if not math.isfinite(number) or number != value:
        raise ValueError
    return number


def _day(value: str) -> dt.date:
    if not _DAY.fullmatch(value):
        raise ValueError
    return dt.date.fromisoformat(value[:10])


def _or_null(*types: type) -> frozenset[type]:
    return frozenset({*types, type(None)})


_LISTS: Final = _or_null(list)
_RECORDS: Final = _or_null(dict)
_SCALARS: Final[Mapping[str, tuple[frozenset[type], Callable[[Any], Any] | None]]] = {
    "uuid": (_or_null(str), None),
    "text": (_or_null(str), None),
    "flag": (_or_null(bool), None),
    "integer": (_or_null(int), _whole),
    "identifier": (_or_null(int, str), _identifier),
    "number": (_or_null(int, float), _number),
    "date": (_or_null(str), _day),
}
"""The types that JSON may give for each declared type, and what converts them."""
