"""Many pages to columns at once, where that provably gives what the exact decoder would give.

Arrow's JSON reader with the declared schema refuses every value of another type (1.5 or 7.0 for
a whole number, "7" for a number, 1 for a flag, text for a list), every unknown field (of a wire
that nests more it passes over what no field is read from) and every field that is written twice,
and runs without the interpreter's lock. What it lets through is checked here: NaN and numbers too
large to be exact, invalid Unicode, dates, UUIDs, and a missing key, which it reads as a null. Where
one of these is in doubt, `decode` decides page by page. UUIDs in capitals or without hyphens are
rewritten a column at a time.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, Self, cast

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json as arrow_json

from ventureframe.client import decode as exact
from ventureframe.client import scan
from ventureframe.client.decode import Chunk, Rows
from ventureframe.client.envelope import locked, page
from ventureframe.client.frames import TEXT_SUFFIX
from ventureframe.interface.fields import Field, Many, Record, Type
from ventureframe.interface.reply import Reply, read
from ventureframe.interface.wire.profile import Profile
from ventureframe.interface.wire.shape import Key

_DATA: Final = re.compile(rb'"data"\s*:\s*\[\s*(?=\{)')
_DAY: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
_LESS: Final = r"^[0-9]{4}(-[0-9]{2})?$"
_ANY_UUID: Final = "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32})$"
_PLAIN: Final = "^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$"
_EXACT: Final = 2.0**53
"""Whole numbers from here on may differ from the floating-point number next to them."""


class _Doubt(Exception):
    """The pages need the exact decoder."""


class _Split(NamedTuple):
    """A body without its rows, and the text of the rows."""

    envelope: dict[str, Any]
    rows: memoryview


class _Read(NamedTuple):
    """The rows of all pages, how many each page has, and columns that `fields` does not declare."""

    frame: pl.DataFrame
    sizes: list[int]
    extra: frozenset[str]


def decode(
    replies: Sequence[Reply], kind: Rows, *, profile: Profile, currency: str | None = None
) -> Chunk:
    """The rows and pages in the replies; `UnreadableReply` as `decode.decode` raises it."""
    try:
        splits = _splits(replies)
        rows = _read([split.rows for split in splits], kind)
    except _Doubt:
        return exact.decode(replies, kind, profile=profile, currency=currency)
    frame = kind.columns(rows.frame, replies[0], locked(splits[0].envelope))
    chunk, start, pages = Chunk(frame, kind.key, (), extra=rows.extra), 0, []
    for reply, split, size in zip(replies, splits, rows.sizes, strict=True):
        own = chunk.keys.slice(start, size)
        pages.append(page(reply, split.envelope, own, profile=profile, currency=currency))
        start += size
    return dataclasses.replace(chunk, pages=tuple(pages))


def _splits(replies: Sequence[Reply]) -> list[_Split]:
    """Every body cut at its rows, where all of them withhold the same."""
    splits = [_split(reply) for reply in replies]
    if len({locked(split.envelope) for split in splits}) > 1:
        raise _Doubt
    return splits


def _split(reply: Reply) -> _Split:
    """Cuts a body at its rows.

    The cut is right exactly if the envelope with an empty list in its place and the rows by
    themselves can both be read: the first is tried here, the second by `_read`.
    """
    body = reply.body
    start, end = _DATA.search(body), body.rfind(b"}]")
    if start is None or end < start.end():
        raise _Doubt
    try:
        envelope = read(body[: start.end()] + body[end + 1 :])
    except (ValueError, RecursionError):
        raise _Doubt from None
    if not isinstance(envelope, dict) or envelope.get("data") != []:
        raise _Doubt
    return _Split(envelope, memoryview(body)[start.end() : end + 1])


def _read(texts: Sequence[memoryview], kind: Rows) -> _Read:
    text = b"".join(part for each in texts for part in (b'{"data":[', each, b"]}\n"))
    record = kind.told
    table = _parsed(text, _schema(record), other="error" if kind.shape is None else "ignore")
    lists = table.column("data").chunk(0)
    if len(lists) != len(texts) or lists.null_count:
        raise _Doubt
    rows = lists.flatten()
    if rows.null_count:
        raise _Doubt
    keys = _Keys.of(rows, record)
    if kind.shape is not None:
        _compare_nulls(text, keys)
    elif len(texts) + keys.number != scan.keys_written(text):
        raise _Doubt
    frame = pl.Series(rows).struct.unnest()  # pl.from_arrow takes three times as long
    if keys.has_other_uuids:
        named = (
            (field.name, _canonical(pl.col(field.name), field.type)) for field in record.fields
        )
        frame = frame.with_columns(value.alias(name) for name, value in named if value is not None)
    frame, extra = _dated(frame, record)
    return _Read(frame, lists.value_lengths().to_pylist(), extra)


def _parsed(text: bytes, schema: pa.Schema, *, other: str) -> pa.Table:
    """The text by its schema; `other` says what is done with other fields."""
    ends = pa.py_buffer(struct.pack("=2i", 0, len(text)))  # pa.array would import pandas
    try:  # bytes that are not UTF-8 are refused first: the reader would take them unchanged
        pa.StringArray.from_buffers(1, ends, pa.py_buffer(text)).validate(full=True)
        # read_json would hand the text to another thread and back
        table = arrow_json.open_json(
            pa.BufferReader(text),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=schema, newlines_in_values=True, unexpected_field_behavior=other
            ),
            memory_pool=pa.system_memory_pool(),  # gives back what it no longer needs
        ).read_all()
    except pa.ArrowInvalid:
        raise _Doubt from None
    if table.schema != schema or table.column("data").num_chunks != 1:
        raise _Doubt
    return table


@dataclasses.dataclass
class _Keys:
    """The keys that records must have, at any depth: how many, and by name how many are null.

    Only names of keys that can be null are counted. `has_other_uuids`: a UUID is not written in
    lower case with its hyphens.
    """

    number: int = 0
    has_other_uuids: bool = False
    nulls: Counter[str] = dataclasses.field(default_factory=Counter)

    @classmethod
    def of(cls, rows: pa.Array, record: Record) -> Self:
        """The keys of the rows, once each value is one that the reader reads exactly."""
        found = cls()
        for field, values, records in _fields(rows, record):
            nulls = values.null_count - records.null_count
            if nulls and not (field.nullable or field.key):
                raise _Doubt
            found.has_other_uuids |= _has_other_uuids(values, field.type)
            if not (isinstance(field, Key) and field.is_optional):
                found.number += len(records) - records.null_count
                if field.nullable:
                    found.nulls[field.name] += nulls
        return found


def _fields(values: pa.Array, kind: Type) -> Iterator[tuple[Field, pa.Array, pa.Array]]:
    """Every key of records and of those below them: its values, and the records that have it."""
    if isinstance(kind, Many):
        entries = values.flatten()
        if entries.null_count:
            raise _Doubt
        yield from _fields(entries, kind.of)
    elif isinstance(kind, Record) and len(values) > values.null_count:
        for member, field in zip(values.flatten(), kind.fields, strict=True):
            yield field, member, values
            yield from _fields(member, field.type)


def _has_other_uuids(values: pa.Array, kind: Type) -> bool:
    """Whether a UUID is written in another way; `_Doubt` where it is none or a number inexact."""
    if isinstance(kind, Many):
        return _has_other_uuids(values.flatten(), kind.of)
    if kind == "uuid":
        if _are_plain_uuids(values):
            return False
        if pc.any(pc.invert(pc.match_substring_regex(values, _ANY_UUID))).as_py():
            raise _Doubt
        return True
    if kind == "number":
        there = _known(values)  # its own to_numpy would import pandas, 30 MB
        numbers = np.frombuffer(there.buffers()[1] or b"", np.float64)[there.offset :]
        if not (np.abs(numbers[: len(there)]) < _EXACT).all():
            raise _Doubt
    return False


def _known(values: pa.Array) -> pa.Array:
    """The values that are not null."""
    return values.drop_null() if values.null_count else values


def _are_plain_uuids(values: pa.StringArray) -> bool:
    """Whether every UUID is written in lower case with hyphens."""
    there = _known(values)
    _, ends, letters = there.buffers()
    if letters is None:
        return True
    starts = np.frombuffer(ends, np.int32)[there.offset :][: len(there) + 1]
    is_long = np.diff(starts) == 36
    return bool(is_long.all()) and scan.are_uuids(letters[starts[0] : starts[-1]].to_pybytes())


def _canonical(value: pl.Expr, kind: Type) -> pl.Expr | None:
    """The value with its UUIDs in lower case with hyphens, at any depth; None where it has none."""
    if kind == "uuid":
        return value.str.to_lowercase().str.replace(_PLAIN, "$1-$2-$3-$4-$5")
    if isinstance(kind, Many):
        inner = _canonical(pl.element(), kind.of)
        return None if inner is None else value.list.eval(inner)
    if not isinstance(kind, Record):
        return None
    members = {member.name: value.struct.field(member.name) for member in kind.fields}
    changed = {each.name: _canonical(members[each.name], each.type) for each in kind.fields}
    if not any(each is not None for each in changed.values()):
        return None
    either = (
        (name, old if changed[name] is None else changed[name]) for name, old in members.items()
    )
    there = pl.struct([cast("pl.Expr", each).alias(name) for name, each in either])
    return pl.when(value.is_not_null()).then(there)


def _compare_nulls(text: bytes, keys: _Keys) -> None:
    """Raises `_Doubt` unless each null that was read is written as one: then no key is missing.

    A key without a value in the text is read as a null and is written nowhere.
    """
    found = {name: number for name, number in keys.nulls.items() if number}
    if found and scan.nulls_written(text, found) != found:
        raise _Doubt


def _dated(frame: pl.DataFrame, record: Record) -> tuple[pl.DataFrame, frozenset[str]]:
    """Dates as dates, with a column of text beside each that has values less precise than a day."""
    extra = []
    for name in (field.name for field in record.fields if field.type == "date"):
        text = frame.get_column(name)
        is_less = text.str.contains(_LESS)
        day = (
            text.set(~text.str.contains(_DAY), None)
            .str.head(10)
            .str.to_date("%Y-%m-%d", strict=False)
        )
        if (day.is_null() & text.is_not_null() & ~is_less).any() or (day.dt.year() < 1).any():
            raise _Doubt
        frame = frame.with_columns(day)
        if is_less.any():
            extra.append(name + TEXT_SUFFIX)
            frame = frame.with_columns(text.set(~is_less, None).alias(extra[-1]))
    return frame, frozenset(extra)


@functools.cache
def _schema(rows: Record) -> pa.Schema:
    def arrow(kind: Type) -> pa.DataType:
        if isinstance(kind, Many):
            return pa.list_(arrow(kind.of))
        if isinstance(kind, Record):
            return pa.struct([(member.name, arrow(member.type)) for member in kind.fields])
        types = {"integer": pa.int64(), "identifier": pa.int64(), "number": pa.float64()}
        return types.get(kind, pa.bool_() if kind == "flag" else pa.string())

    return pa.schema([("data", pa.list_(arrow(rows)))])
