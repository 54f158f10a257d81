"""Page bytes to typed columns: nulls kept, nothing changed in silence, unknown fields kept.

Columns are polars'; pandas gets the same through Arrow. A page is decoded column by column,
because building a frame from rows would turn 1.5 into 1 under an integer type. What `fields`
declares is checked value by value: a value of another type is an `UnreadableReply` that names
field, row and value.
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

from ventureframe.errors import UnknownField, UnreadableReply
from ventureframe.interface.fields import Field, Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

TEXT_SUFFIX: Final = "_text"
"""Beside a date column: the values that are less precise than a day, as they came."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?", re.ASCII)
_LESS: Final = re.compile(r"\d{4}(-\d{2})?", re.ASCII)
_DIGITS: Final = re.compile(r"-?\d{1,19}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its rows as typed columns, and what it says about the collection.

    `key` is the column that identifies a row; `absent` are declared fields that a row lacks;
    `extra` are columns that `fields` does not declare; `currency` is the one the reply states.
    The reply is kept without its body.
    """

    frame: pl.DataFrame
    key: str
    total: int | None
    next_cursor: str | None
    absent: frozenset[str]
    extra: frozenset[str]
    currency: str | None
    reply: Reply

    def __len__(self) -> int:
        return self.frame.height

    @property
    def keys(self) -> pl.Series:
        """What identifies the rows, in their order."""
        return self.frame.get_column(self.key)


def decode(
    reply: Reply, resource: Resource, *, profile: Profile, currency: str | None = None
) -> Page:
    """The page in a reply; `UnreadableReply` where it is not one, or in another currency."""
    content = reply.json()
    frame, absent, extra = _columns(rows_of(reply, content), resource, reply)
    found = page(reply, content, frame, resource, profile=profile, currency=currency)
    return dataclasses.replace(found, absent=absent, extra=extra)


def page(
    reply: Reply,
    envelope: Mapping[str, object],
    frame: pl.DataFrame,
    resource: Resource,
    *,
    profile: Profile,
    currency: str | None,
) -> Page:
    """The page with these rows; `UnreadableReply` where its envelope is wrong."""
    about = envelope.get("page")
    about = about if isinstance(about, dict) else {}
    stated = envelope.get("currency")
    if currency is not None and stated is not None and stated != currency:
        raise reply.unreadable(f"gives amounts in {stated!r} where {currency} was asked for")
    return Page(
        frame,
        resource.key,
        _total(reply, about.get("total")),
        _cursor(reply, about.get(profile.next_cursor)),
        frozenset(),
        frozenset(),
        stated if isinstance(stated, str) else None,
        dataclasses.replace(reply, body=b""),
    )


def rows_of(reply: Reply, content: Mapping[str, object]) -> list[dict[str, Any]]:
    """The rows under `data`, each an object."""
    rows = content.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise reply.unreadable("has no list of records under 'data'")
    return rows


def records(reply: Reply, rows: list[dict[str, Any]], resource: Resource) -> list[dict[str, Any]]:
    """The same rows once their values are checked and typed, every declared field in each."""
    return _columns(rows, resource, reply)[0].to_dicts()


def joined(pages: Sequence[Page]) -> Page:
    """One page with the rows of several, which lie together and in memory of their own."""
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

    return dataclasses.replace(
        pages[0],
        frame=pl.concat([page.frame for page in pages], how="diagonal", rechunk=True),
        absent=frozenset().union(*(page.absent for page in pages)),
        extra=frozenset().union(*(page.extra for page in pages)),
    )


def assemble(
    pages: Sequence[Page], resource: Resource, *, is_distinct: bool = False
) -> pl.DataFrame:
    """One frame of all pages, each key once (as first seen), also where there is no row.

    `is_distinct` where it is known that no key comes twice.
    """
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

    frames = [page.frame for page in pages] or [empty(resource)]
    frame = pl.concat(frames, how="diagonal")
    declared = [field.name for field in resource.returned]
    wanted = [*declared, *sorted(set(frame.columns) - set(declared))]
    frame = frame if frame.columns == wanted else frame.select(wanted)
    if is_distinct:
        return frame
    return frame.unique(subset=resource.key, keep="first", maintain_order=True)


def empty(resource: Resource) -> pl.DataFrame:
    """No rows, with the columns and types that rows have."""
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame(schema={field.name: dtype(field.type) for field in resource.returned})


def dtype(kind: Type) -> pl.DataType:
    """The polars type of a field: always nullable, lists and records nested."""
    import polars as pl  # noqa: PLC0415

    if isinstance(kind, Many):
        return pl.List(dtype(kind.of))
    if isinstance(kind, Record):
        return pl.Struct({member.name: dtype(member.type) for member in kind.fields})
    plain: Mapping[str, pl.DataType] = {
        "uuid": pl.String(),
        "text": pl.String(),
        "identifier": pl.Int64(),
        "integer": pl.Int64(),
        "number": pl.Float64(),
        "flag": pl.Boolean(),
        "date": pl.Date(),
    }
    return plain[kind]


def child(frame: pl.DataFrame, resource: Resource, name: str) -> pl.DataFrame:
    """One row per entry of a list field: the row's key, `position` from 0, the entry's members.

    A row whose list is null or empty has no entry here. `UnknownField` where `name` is no list.
    """
    import polars as pl  # noqa: PLC0415

    field = resource.get(name)
    if field is None or not isinstance(field.type, Many):
        lists = [field.name for field in resource.returned if isinstance(field.type, Many)]
        raise UnknownField(name, resource=resource.name, known=lists, use="read as a table")
    key = f"{resource.singular}_{resource.key}"
    entries = (
        frame.filter(pl.col(name).list.len() > 0)
        .select(
            pl.col(resource.key).alias(key),
            pl.int_ranges(pl.col(name).list.len().cast(pl.Int64)).alias("position"),
            pl.col(name).alias("entry"),
        )
        .explode("position", "entry")
    )
    if isinstance(field.type.of, Record):
        return entries.unnest("entry")
    return entries.rename({"entry": field.type.each})


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """The same columns in pandas, Arrow-backed, so that nulls and whole numbers stay."""
    import pandas as pd  # noqa: PLC0415

    result: pd.DataFrame = frame.to_arrow().to_pandas(types_mapper=pd.ArrowDtype)
    return result


# --- rows to columns ------------------------------------------------------------------------


def _columns(
    rows: list[dict[str, Any]], resource: Resource, reply: Reply
) -> tuple[pl.DataFrame, frozenset[str], frozenset[str]]:
    """The rows as typed columns, the declared fields some row lacks, the columns not declared."""
    import polars as pl  # noqa: PLC0415

    owners = [row.get(resource.key) for row in rows]
    check = _Check(reply, resource.name)
    series: list[pl.Series] = []
    extra: dict[str, list[str | None]] = {}
    for field in resource.returned:
        values = [row.get(field.name) for row in rows]
        if field.key and None in values:
            raise reply.unreadable(f"has a record without {field.name!r}")
        if field.type == "date":
            extra |= _less_precise(field.name, values)
            values = [None if _is_less(value) else value for value in values]
        extra |= _undeclared_members(field, values)
        values = check.column(values, field.type, field.name, owners)
        series.append(_series(field.name, values, dtype(field.type), reply))
    extra |= _undeclared(rows, resource)
    for name, texts in extra.items():
        series.append(_series(name, texts, pl.String(), reply))
    absent = (f.name for f in resource.returned if not all(f.name in row for row in rows))
    return pl.DataFrame(series), frozenset(absent), frozenset(extra)


def _series(name: str, values: Sequence[object], kind: pl.DataType, reply: Reply) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    try:
        return pl.Series(name, values, dtype=kind, strict=True)
    except UnicodeEncodeError as error:
        raise reply.unreadable(f"has text in {name!r} that is no Unicode") from error


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
    found: set[str] = set()
    for entry in _entries(values):
        found |= entry.keys() - declared
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


def _is_less(value: object) -> bool:
    return isinstance(value, str) and _LESS.fullmatch(value) is not None


def _less_precise(name: str, values: list[Any]) -> dict[str, list[str | None]]:
    if not any(map(_is_less, values)):
        return {}
    return {name + TEXT_SUFFIX: [value if _is_less(value) else None for value in values]}


def _total(reply: Reply, total: object) -> int | None:
    if total is None or (isinstance(total, int) and not isinstance(total, bool) and total >= 0):
        return total
    raise reply.unreadable(f"reports {total!r} as the number of matches")


def _cursor(reply: Reply, cursor: object) -> str | None:
    if cursor is None or isinstance(cursor, str):
        return cursor or None
    raise reply.unreadable("has a cursor that is not text")


@dataclass(frozen=True, slots=True)
class _Check:
    """Turns the values of one column into those of its type, or says which one cannot be."""

    reply: Reply
    resource: str

    def column(
        self, values: list[Any], kind: Type, name: str, owners: Sequence[object]
    ) -> list[Any]:
        """The typed values of a column; `owners` are the keys of the rows they come from."""
        if isinstance(kind, Many):
            return self._lists(values, kind, name, owners)
        if isinstance(kind, Record):
            return self._structs(values, kind, name, owners)
        allowed, convert = _SCALARS[kind]
        if not set(map(type, values)) <= allowed:
            wrong = next(i for i, value in enumerate(values) if type(value) not in allowed)
            raise self._wrong(values[wrong], kind, name, owners[wrong])
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
        self._all(values, list, "list", name, owners)
        of = [owner for owner, value in zip(owners, values, strict=True) for _ in value or ()]
        flat = self.column([each for value in values for each in value or ()], kind.of, name, of)
        each = iter(flat)
        return [None if value is None else [next(each) for _ in value] for value in values]

    def _structs(
        self, values: list[Any], kind: Record, name: str, owners: Sequence[object]
    ) -> list[Any]:
        self._all(values, dict, "record", name, owners)
        present = [value for value in values if value is not None]
        of = [owner for owner, value in zip(owners, values, strict=True) if value is not None]
        names = [member.name for member in kind.fields]
        members = [
            self.column(
                [value.get(member.name) for value in present],
                member.type,
                f"{name}.{member.name}",
                of,
            )
            for member in kind.fields
        ]
        entry = zip(*members, strict=True)
        return [
            None if value is None else dict(zip(names, next(entry), strict=True))
            for value in values
        ]

    def _all(
        self, values: list[Any], wanted: type, kind: str, name: str, owners: Sequence[object]
    ) -> None:
        for value, owner in zip(values, owners, strict=True):
            if value is not None and not isinstance(value, wanted):
                raise self._wrong(value, kind, name, owner)

    def _wrong(self, value: object, kind: str, name: str, owner: object) -> UnreadableReply:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        where = f"has {shown} in {name!r} of {self.resource} record {owner}"
        return self.reply.unreadable(f"{where}, which is no {kind}")


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


_NONE: Final = type(None)
_SCALARS: Final[Mapping[str, tuple[frozenset[type], Callable[[Any], Any] | None]]] = {
    "uuid": (frozenset({str, _NONE}), None),
    "text": (frozenset({str, _NONE}), None),
    "flag": (frozenset({bool, _NONE}), None),
    "integer": (frozenset({int, _NONE}), _whole),
    "identifier": (frozenset({int, str, _NONE}), _identifier),
    "number": (frozenset({int, float, _NONE}), _number),
    "date": (frozenset({str, _NONE}), _day),
}
