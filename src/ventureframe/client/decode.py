"""Replies to typed columns: nulls stay, wrong types and unknown keys are named.

Pages are read together by Arrow's JSON reader with the declared schema. It refuses
values of another type; NaN, inexact numbers, UUIDs and dates are checked here. In
doubt the plain reader decides page by page: it names undeclared keys, and the first
value that is wrong. A key that no row of a page has is a null for Arrow, so
the plain reader looks at the first page of a walk, and at one that has no value
where an earlier page had some.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute  # else the first page loads it, and the second waits
from pyarrow import json as arrow_json

from ventureframe.client import translate
from ventureframe.client.envelope import schema_of
from ventureframe.client.frames import TEXT_SUFFIX, Chunk, dtype
from ventureframe.client.plain import DAY, LESS, PARTIAL, WrongType, typed
from ventureframe.errors import FetchEnded, shortened, visible
from ventureframe.interface.fields import (
    Many,
    Record,
    Resource,
    Type,
)
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

_UUID = b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"
_AS_IN_UUID = bytes.maketrans(b"h0123456789abcdef", b"?hhhhhhhhhhhhhhhh")
_EXACT = 2.0**53  # from here on, whole numbers may differ from the nearest float
_Ends = np.ndarray[Any, np.dtype[np.integer[Any]]]  # of the rows of each page
_PerPage = np.ndarray[Any, np.dtype[np.bool_]]


class _NeedsPlainReader(Exception):
    """The pages need the plain reader."""


@dataclass(frozen=True)
class Rows:
    """What the rows of an endpoint are: records, as the wire's shape writes them.

    `owner_keys` are not declared, and are read where a row names its owner.
    """

    resource: Resource
    shape: Shape | None = None
    owner_keys: tuple[str, ...] = ()

    @functools.cached_property
    def read(self) -> Record:
        """The type of a row without the keys that no field is read from."""
        return Record(self.resource.returned) if self.shape is None else self.shape.read

    @functools.cached_property
    def key(self) -> str | None:
        """The column that identifies a row; None where no column does."""
        return next((field.name for field in self.resource.returned if field.key), None)

    def is_other_wire(self, records: Sequence[Mapping[str, object]]) -> bool:
        """Whether a record has keys of another generation, and none of this one."""
        others, own = apart(self.resource, self.shape)
        return any(row.keys() & others and not row.keys() & own for row in records)


rows_as = functools.lru_cache(64)(Rows)
"""What the rows of an endpoint are, once for all requests."""


class _Read(NamedTuple):
    """Rows as they are written; by page their number and the keys that none has."""

    frame: pl.DataFrame
    sizes: list[int]
    missing: list[set[str]]
    unknown: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()


def decode(
    replies: Sequence[Reply],
    rows: Rows,
    *,
    profile: Profile,
    valued: Set[str] = frozenset(),
) -> Chunk:
    """Read the rows and pages in the replies, at least one; raises `UnreadableReply`.

    `valued` are the keys that had a value on an earlier page.
    """
    try:
        contents, read = _read_together(replies, rows, profile, valued)
    except _NeedsPlainReader:
        if len(replies) > 1:
            return _decode_apart(replies, rows, profile, valued)
        contents = [replies[0].json()]
        read = _read_plainly(replies[0], rows_of(replies[0], contents[0]), rows)
    chunk = _chunk(replies[0], rows, read, locked(contents[0]))
    keys = chunk.frame.get_column(rows.key) if rows.key else [None] * len(chunk.frame)
    pages, start = list[Page](), 0
    for reply, content, size in zip(replies, contents, read.sizes, strict=False):
        own = keys[start : start + size]
        pages.append(page(reply, content, own, profile.next_cursor))
        start += size
    return replace(chunk, pages=tuple(pages), valued=read.valued | valued)


def _decode_apart(
    replies: Sequence[Reply], rows: Rows, profile: Profile, valued: Set[str]
) -> Chunk:
    """Read the replies one by one, and put their chunks together."""
    chunks = list[Chunk]()
    for reply in replies:
        chunks.append(decode([reply], rows, profile=profile, valued=valued))
        valued = chunks[-1].valued
    frames = [chunk.frame for chunk in chunks]
    return Chunk(
        frame=pl.concat(frames, how="diagonal_relaxed"),
        pages=tuple(page for chunk in chunks for page in chunk.pages),
        absent=frozenset[str]().union(*(chunk.absent for chunk in chunks)),
        unknown=frozenset[str]().union(*(chunk.unknown for chunk in chunks)),
        valued=frozenset(valued),
    )


def records(reply: Reply, records: Sequence[dict[str, Any]], rows: Rows) -> Chunk:
    """Read these records of a reply as typed columns, of no page."""
    return _chunk(reply, rows, _read_plainly(reply, records, rows))


def _chunk(
    reply: Reply, rows: Rows, read: _Read, locked: frozenset[str] = frozenset()
) -> Chunk:
    """Return the interface's columns; a row without its key is refused."""
    frame, resource, flags = read.frame, rows.resource, dict[str, pl.Series]()
    absent = frozenset[str]().union(*read.missing)
    if rows.shape is not None:
        frame, flags = translate.columns(frame, rows.shape, locked)
        absent = frozenset[str]().union(*map(rows.shape.reads, absent))
    elif locked or absent:
        flags = _withheld(read, resource, locked)
    for field in resource.returned:
        is_needed = field.key or (field.type == "uuid" and not field.nullable)
        if is_needed and frame.get_column(field.name).null_count():
            raise reply.unreadable(f"has a record without {field.name!r}")
    if any(flag.any() for flag in flags.values()):
        names = [pl.when(flag).then(pl.lit(name)) for name, flag in flags.items()]
        withheld = pl.concat_list(names).list.drop_nulls()
        # null where nothing is: as in pages that lack the column
        some = pl.when(withheld.list.len() > 0).then(withheld)
        frame = frame.with_columns(some.alias(translate.WITHHELD))
    return Chunk(frame, (), absent, read.unknown)


def _withheld(
    read: _Read, resource: Resource, locked: frozenset[str]
) -> dict[str, pl.Series]:
    """Return by field the rows that withhold it: locked, or a missing list."""
    flags = dict[str, pl.Series]()
    for field in resource.returned:
        is_list = isinstance(field.type, Many)
        if field.name in locked:
            column = read.frame.get_column(field.name)
            is_empty = column.list.len().fill_null(0) == 0 if is_list else False
            flags[field.name] = column.is_null() | is_empty
        elif is_list:
            is_missing = [field.name in names for names in read.missing]
            flags[field.name] = pl.Series(np.repeat(is_missing, read.sizes))
    return flags


def _read_together(
    replies: Sequence[Reply], rows: Rows, profile: Profile, valued: Set[str]
) -> tuple[list[dict[str, Any]], _Read]:
    """Read whole envelopes by Arrow; `_NeedsPlainReader` where that is not enough."""
    table = _table(replies, rows, profile)
    data, contents = table.column("data"), table.drop_columns("data").to_pylist()
    lists = data.chunk(0)
    written = lists.flatten()
    has_nulls = lists.null_count or written.null_count
    if has_nulls or len(set(map(locked, contents))) > 1:
        raise _NeedsPlainReader
    for reply, content in zip(replies, contents, strict=True):
        refuse_error(reply, content)
    sizes = lists.value_lengths().to_pylist()
    seen = [*_seen(written, rows.read, np.cumsum([0, *sizes]))]
    # pl.from_arrow takes three times as long
    frame = _dated(pl.Series(written).struct.unnest(), rows.read)
    missing = [set[str]() for _ in replies]
    for number in _silent(seen, valued, len(replies)):
        records = rows_of(replies[number], replies[number].json())
        missing[number], _ = _compare_keys(records, rows.read)
        if rows.is_other_wire(records):
            raise _NeedsPlainReader
    own = frozenset(path for path, has_value, _ in seen if has_value.any())
    return contents, _Read(frame, sizes, missing, valued=own)


def _table(replies: Sequence[Reply], rows: Rows, profile: Profile) -> pa.Table:
    """Read the envelopes as a table with a row each; `_NeedsPlainReader` where one is odd."""
    text = b"\n".join(reply.body for reply in replies)
    schema = schema_of(rows.read, profile.next_cursor, profile.previous_cursor)
    # the reader ends the process where it finds nothing but a null
    if not text.startswith(b"{"):
        raise _NeedsPlainReader
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1)
    unexpected = "error" if rows.shape is None else "ignore"
    # with line ends in values
    parsing = arrow_json.ParseOptions(schema, True, unexpected)
    pool = pa.system_memory_pool()  # gives back what it no longer needs
    try:  # read_json would hand the text to another thread and back
        source = pa.BufferReader(text)
        table = arrow_json.open_json(source, reading, parsing, pool).read_all()
        table.validate(full=True)  # the reader takes bytes that are no text
    except pa.ArrowInvalid:
        raise _NeedsPlainReader from None
    is_one_each = len(table) == len(replies) and table.column("data").num_chunks == 1
    if not is_one_each or table.schema != schema:
        raise _NeedsPlainReader
    return table


_Seen = tuple[str, _PerPage, _PerPage]
"""A key, and which pages have a value under it, and which have none."""


def _seen(
    holders: pa.StructArray, record: Record, ends: _Ends, within: str = ""
) -> Iterator[_Seen]:
    """Check the values under keys at any depth, and state on which pages they are."""
    has_record = _per_page(holders, ends)
    for column, key in zip(holders.flatten(), record.fields, strict=True):
        path, values, kind, inner = within + key.name, column, key.type, ends
        if within and not key.nullable and values.null_count > holders.null_count:
            raise _NeedsPlainReader
        has_value = _per_page(values, ends)
        yield path, has_value, has_record & ~has_value
        if isinstance(kind, Many):
            inner = np.frombuffer(values.offsets.buffers()[1], np.int32)[ends]
            values, kind = values.flatten(), kind.of
            if values.null_count:
                raise _NeedsPlainReader
        if isinstance(kind, Record) and len(values) > values.null_count:
            yield from _seen(values, kind, inner, f"{path}.")
        elif not _is_exact(values, kind, key.within):
            raise _NeedsPlainReader


def _silent(seen: Sequence[_Seen], valued: Set[str], pages: int) -> list[int]:
    """Return the pages that may leave a key out, as a null does not tell.

    These are pages without a value under a key that had one before, and the first
    page of all where it has none.
    """
    is_silent = np.zeros(pages, bool)
    for path, has_value, has_none in seen:
        start = pages
        if path in valued:
            start = 0
        elif has_value.any():
            start = int(has_value.argmax())
        is_silent[start:] |= has_none[start:]
        is_silent[0] |= has_none[0] and not valued
    return np.flatnonzero(is_silent).tolist()


def _is_exact(values: pa.Array, kind: Type, within: tuple[float, float] | None) -> bool:
    """Whether numbers are exact and in their limits, and texts of the right form."""
    if kind == "partial date":
        return bool(pl.Series(values).str.contains(PARTIAL).all())
    is_number = kind == "number" or within is not None
    is_checked = is_number or kind == "uuid"
    if not is_checked or len(values) == values.null_count:
        return True
    known = values.drop_null() if values.null_count else values
    if is_number:
        # pyarrow's own comparison with a number would import pandas, 30 MB
        of = np.float64 if kind == "number" else np.int64
        numbers = np.frombuffer(known.buffers()[1], of)[known.offset :][: len(known)]
        least, most = within or (-_EXACT, _EXACT)
        is_within = (numbers >= least).all() and (numbers <= most).all()
        is_exact = kind == "integer" or (np.abs(numbers) < _EXACT).all()
        return bool(is_within and is_exact)
    _, ends, letters = known.buffers()  # three times as fast as a regular expression
    starts = np.frombuffer(ends, np.int32)[known.offset :][: len(known) + 1]
    text = letters[starts[0] : starts[-1]].to_pybytes().translate(_AS_IN_UUID)
    has_lengths = (np.diff(starts) == len(_UUID)).all()
    return bool(has_lengths) and text == _UUID * len(known)


def _per_page(values: pa.Array, ends: _Ends) -> _PerPage:
    """Whether each page has a value that is not null."""
    if not values.null_count:
        return np.diff(ends) > 0
    validity = np.frombuffer(values.buffers()[0], np.uint8)
    bits = np.unpackbits(validity, bitorder="little")
    known = np.cumsum(bits[values.offset :][: len(values)], dtype=np.int32)
    return np.diff(np.concatenate(([0], known))[ends]) > 0


def _read_plainly(reply: Reply, records: Sequence[dict[str, Any]], rows: Rows) -> _Read:
    """Read value by value; `UnreadableReply` names the first of another type."""
    if rows.is_other_wire(records):
        what = "has rows of another generation of the wire than the one in use"
        advice = "connect again, or name one with wire="
        raise FetchEnded(f"GET {reply.path} {what}: {advice}.", path=reply.path)
    read = list[dict[str, Any]]()
    try:
        for row in records:
            if rows.shape and isinstance(row.get("locked"), list):
                row = {**row, "locked": sorted(locked(row))}  # noqa: PLW2901
            read.append(typed(row, rows.read, ""))
    except WrongType as wrong:
        value, name, kind = wrong.args
        key = records[len(read)].get(rows.key or "")
        which = f"{name!r} of {rows.resource.name} record {key}"
        what = f"has {shortened(repr(value), 60)} in {which}"
        raise reply.unreadable(f"{what}, which is not of type {kind}") from None
    series = list[pl.Series]()
    for field in rows.read.fields:
        values = [row[field.name] for row in read]
        kind = pl.String() if field.type == "date" else dtype(field.type)
        series.append(pl.Series(field.name, values, kind))
    for name in rows.owner_keys:
        if any(name in row for row in records):
            texts = [row.get(name) for row in records]
            series.append(pl.Series(name, texts, pl.String, strict=False))
    frame = _dated(pl.DataFrame(series), rows.read)
    missing, unknown = _compare_keys(records, rows.read)
    if rows.shape is not None:  # which reads some of the keys
        unknown.clear()
    names = frozenset(map(visible, unknown))
    return _Read(frame, [len(records)], [missing], names)


def _compare_keys(
    rows: Sequence[Mapping[str, Any]], record: Record, within: str = ""
) -> tuple[set[str], set[str]]:
    """Return the paths of declared keys that no row has, and of undeclared ones.

    A null counts as no value where there must be one.
    """
    keys = {key for row in rows for key in row}
    declared = {key.name for key in record.fields}
    missing = set[str]()
    unknown = {within + name for name in keys - declared}
    for key in record.fields:
        path, kind = within + key.name, key.type
        values = [row[key.name] for row in rows if key.name in row]
        if not key.nullable:
            values = [value for value in values if value is not None]
        if rows and not values and not key.is_optional:
            missing.add(path)
        if isinstance(kind, Many):
            lists = [value for value in values if isinstance(value, list)]
            values = [entry for entries in lists for entry in entries]
            kind = kind.of
        if isinstance(kind, Record):
            inner = [value for value in values if isinstance(value, dict)]
            inner_missing, inner_unknown = _compare_keys(inner, kind, f"{path}.")
            missing |= inner_missing
            unknown |= inner_unknown
    return missing, unknown


def _dated(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    """Return dates as dates, and lesser ones as text in a column beside."""
    for key in record.fields:
        if key.type != "date":
            continue
        text = frame.get_column(key.name)
        is_less = text.str.contains(LESS)
        day = text.set(~text.str.contains(DAY), None).str.head(10)
        day = day.str.to_date("%Y-%m-%d", strict=False)
        is_wrong = day.is_null() & text.is_not_null() & ~is_less
        if is_wrong.any() or (day.dt.year() < 1).any():
            raise _NeedsPlainReader
        frame = frame.with_columns(day)
        if is_less.any():
            name = key.name + TEXT_SUFFIX
            frame = frame.with_columns(text.set(~is_less, None).alias(name))
    return frame
