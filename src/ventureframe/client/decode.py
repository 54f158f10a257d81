"""Replies to typed columns: nulls stay, wrong types and unknown keys are named.

Pages are read together by Arrow's JSON reader with the declared schema. It refuses
values of another type; NaN, inexact numbers, UUIDs and dates are checked here. In
doubt the plain reader decides page by page: it names keys that are undeclared or that
no row has, and the first value that is wrong.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
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
from ventureframe.errors import FetchEnded, shortened
from ventureframe.interface.fields import Many, Record, Type
from ventureframe.interface.reply import Page, Reply, of_page, page, refuse_error
from ventureframe.interface.wire.generations import distinctive_keys
from ventureframe.interface.wire.profile import Profile, Shape

_UUID = b"hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"
_AS_IN_UUID = bytes.maketrans(b"h0123456789abcdef", b"?hhhhhhhhhhhhhhhh")


class _NeedsPlainReader(Exception):
    """The pages need the plain reader."""


class _Read(NamedTuple):
    """Rows with the keys of the wire, and their number by page.

    `missing` are the declared keys that a row or an entry leaves out, `unknown` those
    that are not declared.
    """

    frame: pl.DataFrame
    sizes: list[int]
    missing: Set[str] = frozenset()
    unknown: frozenset[str] = frozenset()


def decode(replies: Sequence[Reply], shape: Shape, profile: Profile) -> Chunk:
    """Read the rows and pages in the replies, at least one; raises `UnreadableReply`.

    Where they cannot be read together, each half of them is read.
    """
    try:
        contents, read = _read_together(replies, shape, profile)
    except _NeedsPlainReader:
        if len(replies) > 1:
            half = len(replies) // 2
            first = decode(replies[:half], shape, profile)
            second = decode(replies[half:], shape, profile)
            return Chunk(
                pl.concat([first.frame, second.frame], how="diagonal_relaxed"),
                first.pages + second.pages,
                first.absent | second.absent,
                first.unknown | second.unknown,
            )
        contents = [replies[0].json()]
        read = _read_plainly(replies[0], replies[0].rows(), shape)
    chunk = _chunk(replies[0], shape, read, locked(contents[0]))
    key = shape.resource.key
    keys = chunk.frame[key] if key else [None] * len(chunk.frame)
    pages, start = list[Page](), 0
    for reply, content, size in zip(replies, contents, read.sizes, strict=True):
        page_keys = keys[start : start + size]
        pages.append(page(reply, content, page_keys, profile.next_cursor))
        start += size
    return replace(chunk, pages=tuple(pages))


def records(reply: Reply, records: Sequence[dict[str, Any]], shape: Shape) -> Chunk:
    """Read these records of a reply as typed columns, of no page."""
    return _chunk(reply, shape, _read_plainly(reply, records, shape))


def _chunk(
    reply: Reply, shape: Shape, read: _Read, locked: frozenset[str] = frozenset()
) -> Chunk:
    """Return the interface's columns; a row without its key is refused.

    A row withholds what is locked, and a list that the reply leaves out.
    """
    frame, flags, missing = read.frame, dict[str, pl.Series](), read.missing
    if shape.columns:
        missing |= {*translate.undecided(frame, shape)}
        frame, flags = translate.columns(frame, shape, locked)
    absent = frozenset(name for key in missing for name in shape.reads(key))
    frame = frame.with_columns(pl.col(pl.String).replace("", None))
    for field in shape.resource.returned:
        column = frame[field.name]
        is_needed = field.type != "text" and not field.nullable
        if is_needed and column.null_count():
            raise reply.unreadable(f"has a record without {field.name!r}")
        if shape.columns:
            continue
        is_list = isinstance(field.type, Many)
        if is_list and field.name in locked:
            flags[field.name] = column.list.len().fill_null(0) == 0
        elif field.name in (locked | absent if is_list else locked):
            flags[field.name] = column.is_null()
    if any(flag.any() for flag in flags.values()):
        names = [pl.when(flag).then(pl.lit(name)) for name, flag in flags.items()]
        withheld = pl.concat_list(names).list.drop_nulls()
        # null rather than empty: pages without the column are joined to these
        withheld = pl.when(withheld.list.len() > 0).then(withheld)
        frame = frame.with_columns(withheld.alias(translate.WITHHELD))
    return Chunk(frame, (), absent, read.unknown)


def _read_together(
    replies: Sequence[Reply], shape: Shape, profile: Profile
) -> tuple[list[dict[str, Any]], _Read]:
    """Read whole envelopes by Arrow; `_NeedsPlainReader` where that is not enough.

    A null does not tell whether its key is there: where the text has not as many nulls
    as the table, the rows are searched for the keys that they leave out.
    """
    table = _table(replies, shape, profile)
    lists = table.column("data").chunk(0)
    contents = table.drop_columns("data").to_pylist()
    written, ends = lists.flatten(), pl.Series(lists.offsets).to_numpy()
    has_nulls = lists.null_count or written.null_count
    if has_nulls or len(set(map(locked, contents))) > 1:
        raise _NeedsPlainReader
    for reply, content in zip(replies, contents, strict=True):
        refuse_error(reply, content)
    nulls, missing = Counter[str](), set[str]()
    for path, count in _nulls(written, shape.read):
        nulls[path.rpartition(".")[2]] += count
    if not _are_written(nulls, replies):
        for reply in replies:
            records = reply.rows()
            _refuse_generation(reply, records, shape)
            strays = _compare_keys(records, shape.read)
            missing |= {path for path, is_declared in strays if is_declared}
    # pl.from_arrow takes three times as long
    frame = _read_dates(pl.Series(written).struct.unnest(), shape.read)
    return contents, _Read(frame, np.diff(ends).tolist(), missing)


def _table(replies: Sequence[Reply], shape: Shape, profile: Profile) -> pa.Table:
    """Read the envelopes as a table, a row each; `_NeedsPlainReader` where Arrow does
    not take them.
    """
    text = b"\n".join(reply.body for reply in replies)
    schema = schema_of(shape.read, profile.next_cursor, profile.previous_cursor)
    # the reader ends the process where it finds nothing but a null
    if not text.startswith(b"{"):
        raise _NeedsPlainReader
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1)
    unexpected = "error" if not shape.columns else "ignore"
    # the second: values may hold line ends
    parsing = arrow_json.ParseOptions(schema, True, unexpected)
    pool = pa.system_memory_pool()  # gives back what it no longer needs
    try:  # read_json would hand the text to another thread and back
        source = pa.BufferReader(text)
        table = arrow_json.open_json(source, reading, parsing, pool).read_all()
        table.validate(full=True)  # the reader takes bytes that are no text
    except pa.ArrowInvalid:
        raise _NeedsPlainReader from None
    if len(table) != len(replies):
        raise _NeedsPlainReader
    return table


def _are_written(nulls: Counter[str], replies: Sequence[Reply]) -> bool:
    """Whether the rows write every null that was read, so that no key is left out.

    Under a name as many have to be written as were read: more of them can be of a key
    that is not declared. Nulls outside the rows do not count.
    """
    names = Counter[bytes]()
    for reply in replies:
        _, _, content = reply.body.partition(b'"data"')
        rows, _, _ = content.rpartition(b"}]")
        before = rows.replace(b": null", b":null").split(b'":null')[:-1]
        names.update([text.rpartition(b'"')[2] for text in before])
    return all(count in (0, names[name.encode()]) for name, count in nulls.items())


def _nulls(
    holders: pa.StructArray, record: Record, within: str = ""
) -> Iterator[tuple[str, int]]:
    """Check the values under keys at any depth; yield how many records have a null."""
    for column, key in zip(holders.flatten(), record.fields, strict=True):
        path, values, kind = within + key.name, column, key.type
        count = values.null_count - holders.null_count
        if count and not key.nullable:
            raise _NeedsPlainReader
        if not key.is_optional:
            yield path, count
        if isinstance(kind, Many):
            values, kind = values.flatten(), kind.of
            if values.null_count:
                raise _NeedsPlainReader
        if isinstance(kind, Record):
            yield from _nulls(values, kind, f"{path}.")
        elif not _is_exact(values, kind, key.within):
            raise _NeedsPlainReader


def _is_exact(values: pa.Array, kind: Type, within: tuple[float, float] | None) -> bool:
    """Whether numbers are in their limits, and texts of the right form."""
    if kind == "uuid" and values.null_count < len(values):
        # a pattern takes five times as long
        _, ends, letters = values.drop_null().buffers()
        lengths = np.diff(np.frombuffer(ends, np.int32))
        text = letters.to_pybytes().translate(_AS_IN_UUID)
        return bool((lengths == len(_UUID)).all()) and text == _UUID * len(lengths)
    if kind == "partial date":
        return pl.Series(values).str.contains(PARTIAL).all()
    return within is None or pl.Series(values).is_between(*within).all()


def _read_plainly(
    reply: Reply, records: Sequence[dict[str, Any]], shape: Shape
) -> _Read:
    """Read value by value; `UnreadableReply` names the first of another type."""
    _refuse_generation(reply, records, shape)
    read = list[dict[str, Any]]()
    try:
        for row in records:
            if shape.columns and isinstance(row.get("locked"), list):
                row = {**row, "locked": sorted(locked(row))}  # noqa: PLW2901
            read.append(typed(row, shape.read, ""))
    except WrongType as wrong:
        value, name, kind = wrong.args
        key = records[len(read)].get(shape.resource.key)
        problem = (
            f"has {shortened(repr(value), 60)} in {name!r} of {shape.resource.name}"
            f" record {key}, which is not of type {kind}"
        )
        raise reply.unreadable(problem) from None
    schema = dict[str, pl.DataType]()
    for field in shape.read.fields:
        schema[field.name] = pl.String() if field.type == "date" else dtype(field.type)
    frame = _read_dates(pl.DataFrame(read, schema), shape.read)
    strays = [*_compare_keys(records, shape.read)]
    missing = {path for path, is_declared in strays if is_declared}
    unknown = frozenset[str]()
    if not shape.columns:  # a shape reads some of the keys
        unknown = frozenset(dict(strays).keys() - missing)
    return _Read(frame, [len(records)], missing, unknown)


def _refuse_generation(
    reply: Reply, records: Sequence[Mapping[str, Any]], shape: Shape
) -> None:
    """Raise `FetchEnded` where rows have the keys of another generation only."""
    foreign, native = distinctive_keys(shape)
    if any(row.keys() & foreign and not row.keys() & native for row in records):
        message = (
            f"GET {reply.path} has rows of another generation of the wire than the one"
            " in use: connect again, or name one with wire=."
        )
        raise FetchEnded(message, path=reply.path)


def _compare_keys(
    rows: Sequence[Mapping[str, Any]], record: Record, within: str = ""
) -> Iterator[tuple[str, bool]]:
    """Yield the declared keys that a row leaves out, and those not declared, as paths.

    A null counts as no value where there must be one.
    """
    declared = {key.name for key in record.fields}
    for name in {key for row in rows for key in row} - declared:
        yield within + name, False
    for key in record.fields:
        path, kind = within + key.name, key.type
        values = [row.get(key.name) for row in rows]
        is_there = all(key.name in row for row in rows)
        if not key.nullable:
            is_there = None not in values
        if not is_there and not key.is_optional:
            yield path, True
        if isinstance(kind, Many):
            values, kind = [entry for value in values for entry in value or ()], kind.of
            if None in values:
                yield path, True
        if isinstance(kind, Record):
            records = [value for value in values if value is not None]
            yield from _compare_keys(records, kind, f"{path}.")


def _read_dates(frame: pl.DataFrame, record: Record) -> pl.DataFrame:
    """Read days as dates; a column of its own has the text of less precise ones."""
    for key in record.fields:
        if key.type != "date":
            continue
        text = frame[key.name]
        is_less = text.str.contains(LESS)
        day = text.str.head(10).str.to_date("%Y-%m-%d", strict=False)
        is_day = text.str.contains(DAY) & day.is_not_null()
        if not (is_less | is_day).all():
            raise _NeedsPlainReader
        frame = frame.with_columns(day)
        if is_less.any():
            name = key.name + TEXT_SUFFIX
            frame = frame.with_columns(text.set(~is_less, None).alias(name))
    return frame


def locked(content: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of the blocks that a reply or a row withholds; the wire lists
    them as texts or as objects.
    """
    blocks = content.get("locked") or of_page(content).get("locked")
    return frozenset(
        str(block.get("field") if isinstance(block, dict) else block)
        for block in (blocks if isinstance(blocks, list) else ())
    )
