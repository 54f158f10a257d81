"""Replies to typed columns, exactly: nulls stay, unknown keys are kept, wrong types are
named.

Pages are read together by Arrow's JSON reader with the declared schema. It refuses
values of another type; NaN, inexact numbers, UUIDs and dates are checked here. In
doubt the plain reader decides page by page: it keeps undeclared keys, and names the
first value that is wrong. A key that no row of a page has is a null for Arrow, so
the plain reader looks at the first page of a walk, and at one that has no value
where an earlier page had some.
"""

import contextlib
import datetime as dt
import functools
import itertools
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute  # else the first page loads it, and the second waits
from pyarrow import json as arrow_json

from ventureframe.client import translate
from ventureframe.client.frames import TEXT_SUFFIX, dtype
from ventureframe.errors import FetchEnded, shortened, visible
from ventureframe.interface.fields import (
    Many,
    Record,
    Resource,
    Type,
    canonical,
    is_uuid,
)
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import (
    Page,
    Reply,
    locked,
    page,
    refuse_error,
    rows_of,
)
from ventureframe.interface.wire.generations import apart
from ventureframe.interface.wire.profile import Profile, Shape

_DAY: Final = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
_LESS: Final = "^[0-9]{4}(-[0-9]{2})?$"
_PARTIAL: Final = "^[12][0-9]{3}(-[0-9]{2}(-[0-9]{2})?)?$"
_UUID: Final = b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"
_AS_IN_UUID: Final = bytes.maketrans(b"h0123456789abcdef", b"?hhhhhhhhhhhhhhhh")
_EXACT: Final = 2.0**53  # from here on, whole numbers may differ from the nearest float
_MEMBERS: Final = (
    *((name, pa.int64()) for name in ("total", "limit", "offset")),
    *((name, pa.bool_()) for name in ("has_more", "capped")),
    *((name, pa.string()) for name in ("tier", "error")),
    *((name, pa.list_(pa.string())) for name in ("locked", "errors")),
)
"""What a reply can say of its rows, in `page` or beside it; of another type it is
read plainly.
"""
TURNED: Final = "OTHER_GENERATION"
"""The code of the error that says that rows are of another generation of the wire."""
Before = Callable[[], Set[str]]
"""The keys that had a value on an earlier page, once that is decoded."""


class _Doubt(Exception):
    """The pages need the plain reader."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The rows of several pages as typed columns, decoded together.

    `key` is the column that identifies a row, None where none does. `absent` are
    declared fields that a page leaves out, `extra` columns that `fields` does not
    declare; `doubts` is what rows say against the request; `valued` are the keys
    that have had a value.
    """

    frame: pl.DataFrame
    key: str | None
    pages: tuple[Page, ...]
    absent: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()
    doubts: tuple[Doubt, ...] = ()
    valued: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rows:
    """What the rows of an endpoint are: records of a resource, as the wire's shape
    writes them.
    """

    resource: Resource
    shape: Shape | None = None

    @property
    def read(self) -> Record:
        """The type of a row without the keys that no field is read from."""
        return Record(self.resource.returned) if self.shape is None else self.shape.read

    @property
    def key(self) -> str | None:
        """The column that identifies a row; None where no column does."""
        return next((field.name for field in self.resource.returned if field.key), None)

    def absent(self, missing: Sequence[Set[str]]) -> frozenset[str]:
        """The fields of the resource that are read from these keys."""
        paths = frozenset[str]().union(*missing)
        return (
            paths
            if self.shape is None
            else frozenset().union(*map(self.shape.reads, paths))
        )


class _Read(NamedTuple):
    """Rows as they are written; by page, how many there are and which keys none of
    them has.
    """

    frame: pl.DataFrame
    extra: frozenset[str]
    sizes: list[int]
    missing: list[set[str]]
    valued: frozenset[str] = frozenset()


def decode(
    replies: Sequence[Reply],
    rows: Rows,
    *,
    profile: Profile,
    before: Before = frozenset,
) -> Chunk:
    """Read the rows and pages in the replies, at least one; raises
    `UnreadableReply`.
    """
    try:
        contents, read = _read_together(replies, rows, profile, before)
    except _Doubt:
        if len(replies) > 1:
            chunks = list[Chunk]()
            for reply in replies:
                chunks.append(decode([reply], rows, profile=profile, before=before))
                before = functools.partial(frozenset, chunks[-1].valued)
            frame = pl.concat([chunk.frame for chunk in chunks], how="diagonal_relaxed")
            pages = tuple(page for chunk in chunks for page in chunk.pages)
            absent = frozenset[str]().union(*(chunk.absent for chunk in chunks))
            extra = frozenset[str]().union(*(chunk.extra for chunk in chunks))
            return Chunk(
                frame, rows.key, pages, absent, extra, valued=chunks[-1].valued
            )
        contents = [replies[0].json()]
        read = _read_plainly(replies[0], rows_of(replies[0], contents[0]), rows)
    chunk = _chunk(replies[0], rows, read, locked(contents[0]))
    keys = chunk.frame.get_column(rows.key) if rows.key else [None] * len(chunk.frame)
    starts = itertools.accumulate(read.sizes, initial=0)
    pages = tuple(
        page(reply, content, keys[start : start + size], profile.next_cursor)
        for reply, content, start, size in zip(
            replies, contents, starts, read.sizes, strict=False
        )
    )
    return replace(chunk, pages=pages, valued=read.valued | before())


def records(reply: Reply, records: Sequence[dict[str, Any]], rows: Rows) -> Chunk:
    """Read these records of a reply as typed columns, of no page."""
    return _chunk(reply, rows, _read_plainly(reply, records, rows))


def _chunk(
    reply: Reply, rows: Rows, read: _Read, locked: frozenset[str] = frozenset()
) -> Chunk:
    keys: dict[str, Any] = {
        "missing": read.missing,
        "sizes": read.sizes,
        "locked": locked,
    }
    frame = translate.columns(read.frame, reply, rows.resource, rows.shape, **keys)
    return Chunk(frame, rows.key, (), rows.absent(read.missing), read.extra)


def _read_together(
    replies: Sequence[Reply], rows: Rows, profile: Profile, before: Before
) -> tuple[list[dict[str, Any]], _Read]:
    """Read whole envelopes by Arrow; `_Doubt` where that is not enough."""
    text = b"\n".join(reply.body for reply in replies)
    schema = _schema(rows.read, profile.next_cursor, profile.previous_cursor)
    # the reader ends the process where it finds nothing but a null
    if not text.startswith(b"{"):
        raise _Doubt
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1)
    unexpected = "error" if rows.shape is None else "ignore"
    # with line ends in values
    parsing = arrow_json.ParseOptions(schema, True, unexpected)
    pool = pa.system_memory_pool()  # gives back what it no longer needs
    try:  # read_json would hand the text to another thread and back
        table = arrow_json.open_json(
            pa.BufferReader(text), reading, parsing, pool
        ).read_all()
        table.validate(full=True)  # the reader takes bytes that are no text
    except pa.ArrowInvalid:
        raise _Doubt from None
    del text  # another page may have to be waited for
    data, contents = table.column("data"), table.drop_columns("data").to_pylist()
    if len(table) != len(replies) or data.num_chunks > 1 or table.schema != schema:
        raise _Doubt
    lists = data.chunk(0)
    rows_read = lists.flatten()
    if lists.null_count or rows_read.null_count or len(set(map(locked, contents))) > 1:
        raise _Doubt
    for reply, content in zip(replies, contents, strict=True):
        refuse_error(reply, content)
    sizes = lists.value_lengths().to_pylist()
    looked = [*_looked(rows_read, rows.read, np.cumsum([0, *sizes]))]
    # pl.from_arrow takes three times as long
    frame = pl.Series(rows_read).struct.unnest()
    frame, extra = _dated(frame, rows.read)
    # large, and the pages before may have to be waited for
    del table, data, lists, rows_read
    earlier, is_silent = before(), np.zeros(len(sizes), bool)
    for path, has_value, has_none in looked:
        start = (
            0
            if path in earlier
            else has_value.argmax()
            if has_value.any()
            else len(sizes)
        )
        is_silent[start:] |= has_none[start:]
        is_silent[0] |= has_none[0] and not earlier
    missing = [set[str]() for _ in replies]
    for number in np.flatnonzero(is_silent).tolist():
        records = rows_of(replies[number], replies[number].json())
        missing[number] = set(_missing(records, rows.read))
        others, own = apart(rows.resource, rows.shape)
        if any(row.keys() & others and not row.keys() & own for row in records):
            raise _Doubt
    valued = frozenset(path for path, has_value, _ in looked if has_value.any())
    return contents, _Read(frame, extra, sizes, missing, valued)


@functools.lru_cache(64)
def _schema(record: Record, *cursors: str) -> pa.Schema:
    """The schema of an envelope: the rows first."""

    def arrow(kind: Type) -> pa.DataType:
        if isinstance(kind, Many):
            return pa.list_(arrow(kind.of))
        if isinstance(kind, Record):
            return pa.struct(
                [(member.name, arrow(member.type)) for member in kind.fields]
            )
        types = {
            "integer": pa.int64(),
            "identifier": pa.int64(),
            "number": pa.float64(),
        }
        return types.get(kind, pa.bool_() if kind == "flag" else pa.string())

    about = [*_MEMBERS, *((name, pa.string()) for name in cursors)]
    beside = [("page", pa.struct(about)), ("currency", pa.string()), *_MEMBERS]
    return pa.schema([("data", pa.list_(arrow(record))), *beside])


def _looked(
    holders: pa.StructArray, record: Record, ends: Any, within: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """The keys at any depth; which pages, between `ends`, have a value and which
    have none.
    """
    has_record = _per_page(holders, ends)
    for values, key in zip(holders.flatten(), record.fields, strict=True):
        path, kind, inner = within + key.name, key.type, ends
        if within and not key.nullable and values.null_count > holders.null_count:
            raise _Doubt
        has_value = _per_page(values, ends)
        yield path, has_value, has_record & ~has_value
        if isinstance(kind, Many):
            inner = np.frombuffer(values.offsets.buffers()[1], np.int32)[ends]
            values, kind = values.flatten(), kind.of  # noqa: PLW2901
            if values.null_count:
                raise _Doubt
        if isinstance(kind, Record) and len(values) > values.null_count:
            yield from _looked(values, kind, inner, f"{path}.")
        elif not _is_exact(values, kind, key.within):
            raise _Doubt


def _is_exact(values: pa.Array, kind: Type, within: tuple[float, float] | None) -> bool:
    """Whether numbers are exact and in their limits, UUIDs and partial dates as they
    should be.
    """
    if kind == "partial date":
        return bool(pl.Series(values).str.contains(_PARTIAL).all())
    is_number = kind == "number" or within is not None
    if not (is_number or kind == "uuid") or len(values) == values.null_count:
        return True
    known = values.drop_null() if values.null_count else values
    if is_number:  # pyarrow's own comparison with a number would import pandas, 30 MB
        of = np.float64 if kind == "number" else np.int64
        numbers = np.frombuffer(known.buffers()[1], of)[known.offset :][: len(known)]
        least, most = within or (-_EXACT, _EXACT)
        is_exact = kind == "integer" or (np.abs(numbers) < _EXACT).all()
        return bool(is_exact and (numbers >= least).all() and (numbers <= most).all())
    _, ends, letters = known.buffers()  # three times as fast as a regular expression
    starts = np.frombuffer(ends, np.int32)[known.offset :][: len(known) + 1]
    text = letters[starts[0] : starts[-1]].to_pybytes().translate(_AS_IN_UUID)
    return bool((np.diff(starts) == len(_UUID)).all()) and text == _UUID * len(known)


def _per_page(values: pa.Array, ends: Any) -> Any:
    """Whether each page has a value that is not null."""
    if not values.null_count:
        return np.diff(ends) > 0
    bits = np.unpackbits(
        np.frombuffer(values.buffers()[0], np.uint8), bitorder="little"
    )
    known = np.cumsum(bits[values.offset :][: len(values)], dtype=np.int32)
    return np.diff(np.concatenate(([0], known))[ends]) > 0


def _read_plainly(reply: Reply, records: Sequence[dict[str, Any]], rows: Rows) -> _Read:
    """Read the rows value by value; `UnreadableReply` names the first that is not of
    its type.
    """
    typed, series = list[dict[str, Any]](), list[pl.Series]()
    others, own = apart(rows.resource, rows.shape)
    if any(row.keys() & others and not row.keys() & own for row in records):
        what = (
            f"GET {reply.path} has rows of another generation of the wire than the one"
            " in use"
        )
        advice = "connect again, or name one with wire="
        raise FetchEnded(f"{what}: {advice}.", path=reply.path, code=TURNED)
    try:
        for row in records:
            names = (
                {"locked": sorted(locked(row))}
                if isinstance(row.get("locked"), list)
                else {}
            )
            typed.append(_typed({**row, **names} if rows.shape else row, rows.read, ""))
    except _WrongType as wrong:
        value, name, kind = wrong.args
        which = f"{rows.resource.name} record {records[len(typed)].get(rows.key or '')}"
        what = f"has {shortened(repr(value), 60)} in {name!r} of {which}"
        raise reply.unreadable(f"{what}, which is not of type {kind}") from None
    undeclared = {} if rows.shape else translate.undeclared(records, rows.read)
    if odd := next((name for name in undeclared if visible(name) != name), None):
        raise reply.unreadable(
            f"has control characters in the key {shortened(repr(odd))}"
        )
    for key in rows.read.fields:
        of = pl.String() if key.type == "date" else dtype(key.type)
        series.append(pl.Series(key.name, [row[key.name] for row in typed], of))
    series += [pl.Series(name, texts, pl.String) for name, texts in undeclared.items()]
    frame, less = _dated(pl.DataFrame(series), rows.read)
    return _Read(
        frame,
        less.union(undeclared),
        [len(records)],
        [set(_missing(records, rows.read))],
    )


def _missing(rows: Sequence[Any], record: Record, within: str = "") -> Iterator[str]:
    """The paths of declared keys that no record has; a null is none where there must
    be a value.
    """
    for key in record.fields:
        path, kind = within + key.name, key.type
        values = [row[key.name] for row in rows if key.name in row]
        inner = [value for value in values if value is not None]
        if rows and not (values if key.nullable else inner) and not key.is_optional:
            yield path
        if isinstance(kind, Many):
            inner = [
                entry for value in inner if isinstance(value, list) for entry in value
            ]
            kind = kind.of
        if isinstance(kind, Record):
            yield from _missing(
                [row for row in inner if isinstance(row, dict)], kind, f"{path}."
            )


class _WrongType(Exception):
    """A value that is not of the declared type: the value, its name and the type."""


def _typed(value: Any, kind: Type, name: str) -> Any:
    """Return the value as its type has it; `_WrongType` where it has no such type,
    at any depth.
    """
    if value is None:
        return None
    if isinstance(kind, Many):
        if not isinstance(value, list):
            raise _WrongType(value, name, "list")
        if None in value:
            raise _WrongType(
                None, name, kind.of if isinstance(kind.of, str) else "record"
            )
        return [_typed(entry, kind.of, name) for entry in value]
    if isinstance(kind, Record):
        if not isinstance(value, dict):
            raise _WrongType(value, name, "record")
        typed = dict[str, Any]()
        for member in kind.fields:
            path, inner = (
                f"{name}.{member.name}" if name else member.name,
                value.get(member.name),
            )
            if name and inner is None and not member.nullable:
                raise _WrongType(None, path, member.type)
            typed[member.name] = read = _typed(inner, member.type, path)
            least, most = member.within or (-math.inf, math.inf)
            if isinstance(read, int | float) and not least <= read <= most:
                limits = (
                    f"{least:g} on" if most == math.inf else f"{least:g} to {most:g}"
                )
                raise _WrongType(inner, path, f"{member.type} from {limits}")
        return typed
    with contextlib.suppress(ValueError):
        if (read := _scalar(value, kind)) is not None:
            return read
    raise _WrongType(value, name, kind)


def _scalar(value: Any, kind: str) -> Any:
    """The value as its type has it; None or `ValueError` where it has no such type."""
    if (
        kind == "identifier"
        and isinstance(value, str)
        and re.fullmatch("-?[0-9]{1,19}", value)
    ):
        value = int(value)
    if kind in ("integer", "identifier"):
        return value if type(value) is int and -(2**63) <= value < 2**63 else None
    if kind == "number":
        is_number = type(value) in (int, float) and abs(value) <= sys.float_info.max
        return float(value) if is_number and float(value) == value else None
    if kind == "flag" or not isinstance(value, str):
        return value if isinstance(value, bool) and kind == "flag" else None
    if kind == "uuid":
        return canonical(value) if is_uuid(value) else None
    if kind == "date" and not re.fullmatch(_LESS, value):
        dt.date.fromisoformat(value[:10])
        return value if re.fullmatch(_DAY, value) else None
    value.encode()  # half a character is no text
    return value if kind != "partial date" or re.fullmatch(_PARTIAL, value) else None


def _dated(frame: pl.DataFrame, record: Record) -> tuple[pl.DataFrame, frozenset[str]]:
    """Dates as dates, with a column of text beside each that has values less precise
    than a day.
    """
    extra = set[str]()
    for name in (key.name for key in record.fields if key.type == "date"):
        text = frame.get_column(name)
        is_less = text.str.contains(_LESS)
        day = text.set(~text.str.contains(_DAY), None).str.head(10)
        day = day.str.to_date("%Y-%m-%d", strict=False)
        if (day.is_null() & text.is_not_null() & ~is_less).any() or (
            day.dt.year() < 1
        ).any():
            raise _Doubt
        frame = frame.with_columns(day)
        if is_less.any():
            extra.add(name + TEXT_SUFFIX)
            frame = frame.with_columns(
                text.set(~is_less, None).alias(name + TEXT_SUFFIX)
            )
    return frame, frozenset(extra)
