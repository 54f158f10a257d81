"""Many pages to columns at once, where that is provably what the exact decoder would give.

Arrow's JSON reader with the declared schema refuses every value of another type (1.5 or 7.0 for
a whole number, "7" for a number, 1 for a flag, text for a list), shows unknown fields, and runs
without the interpreter's lock. What it lets through is checked here: NaN and numbers too large
to be exact, invalid Unicode, dates, and a missing key, which differs from a null only in the
text. Wherever one of these is in doubt, `frames.decode` looks at each page by itself.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from ventureframe.client import frames
from ventureframe.client.frames import Page
from ventureframe.interface.fields import Many, Record, Resource, Type
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_DATA: Final = re.compile(rb'"data"\s*:\s*\[\s*(?=\{)')
_DAY: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
_LESS: Final = r"^[0-9]{4}(-[0-9]{2})?$"
_EXACT: Final = 2.0**53
"""Whole numbers from here on may differ from the floating-point number next to them."""


class _Doubt(Exception):
    """The pages need the exact decoder."""


class _Split(NamedTuple):
    """A body without its rows, and the text of the rows."""

    envelope: dict[str, Any]
    rows: memoryview


def decode(
    replies: Sequence[Reply], resource: Resource, *, profile: Profile, currency: str | None = None
) -> list[Page]:
    """The pages in the replies, in their order; `UnreadableReply` as `frames.decode` raises it."""
    try:
        splits = [_split(reply) for reply in replies]
        frame, sizes, extra = _read(splits, resource)
    except _Doubt:
        return [
            frames.decode(reply, resource, profile=profile, currency=currency) for reply in replies
        ]
    pages, start = [], 0
    for reply, split, size in zip(replies, splits, sizes, strict=True):
        rows = frame.slice(start, size)
        page = frames.page(
            reply, split.envelope, rows, resource, profile=profile, currency=currency
        )
        pages.append(dataclasses.replace(page, extra=extra))
        start += size
    return pages


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
        envelope = json.loads(body[: start.end()] + body[end + 1 :])
    except ValueError:
        raise _Doubt from None
    if not isinstance(envelope, dict) or envelope.get("data") != []:
        raise _Doubt
    return _Split(envelope, memoryview(body)[start.end() : end + 1])


def _read(
    splits: Sequence[_Split], resource: Resource
) -> tuple[pl.DataFrame, list[int], frozenset[str]]:
    """The rows of all pages, how many each page has, and columns that `fields` does not declare."""
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask
    import pyarrow as pa  # noqa: PLC0415

    pieces = [part for each in splits for part in (b'{"data":[', each.rows, b"]}\n")]
    text = b"".join(pieces)
    lists = _parsed(text, resource)
    if len(lists) != len(splits) or lists.null_count:
        raise _Doubt
    rows = lists.flatten()
    if rows.null_count or rows.field(resource.key).null_count:
        raise _Doubt
    if _nulls(rows, _record(resource)) != _nulls_written(text):
        raise _Doubt
    frame = cast("pl.DataFrame", pl.from_arrow(pa.RecordBatch.from_struct_array(rows)))
    frame, extra = _dated(frame, resource)
    return frame, lists.value_lengths().to_pylist(), extra


def _parsed(text: bytes, resource: Resource) -> pa.ListArray:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import json as arrow_json  # noqa: PLC0415

    schema = _schema(_record(resource))
    try:
        _checked_text(text)
        table = arrow_json.read_json(
            pa.BufferReader(text),
            read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
            parse_options=arrow_json.ParseOptions(
                explicit_schema=schema, newlines_in_values=True, unexpected_field_behavior="error"
            ),
            memory_pool=pa.system_memory_pool(),  # gives back what it no longer needs
        )
    except pa.ArrowInvalid:
        raise _Doubt from None
    if table.schema != schema or table.column("data").num_chunks != 1:
        raise _Doubt
    return table.column("data").chunk(0)


def _checked_text(text: bytes) -> None:
    """Refuses what is no UTF-8, which the reader takes as it is."""
    import pyarrow as pa  # noqa: PLC0415

    ends = pa.array([0, len(text)], pa.int32()).buffers()[1]
    pa.StringArray.from_buffers(1, ends, pa.py_buffer(text)).validate(full=True)


def _nulls(values: pa.Array, kind: Type) -> int:
    """How many members are null, at any depth, in records that are not null themselves."""
    import pyarrow.compute as pc  # noqa: PLC0415

    if isinstance(kind, Many):
        return _nulls(values.flatten(), kind.of)
    if isinstance(kind, Record):
        members = zip(values.flatten(), kind.fields, strict=True)
        return sum(
            member.null_count - values.null_count + _nulls(member, field.type)
            for member, field in members
        )
    if kind == "number" and len(values) > values.null_count:
        span = pc.min_max(values).as_py()
        has_nan = pc.any(pc.is_nan(values)).as_py()
        if has_nan or not -_EXACT < span["min"] <= span["max"] < _EXACT:
            raise _Doubt
    return 0


def _nulls_written(text: bytes) -> int:
    """How many keys are written with null: fewer than there are where a key is left out.

    A quote before a colon ends a key, unless it is part of a text, where a backslash precedes it.
    """
    null = b'": null' if b'": ' in text[:120] else b'":null'
    escaped = text.count(b"\\" + null) if b"\\" in text else 0
    return text.count(null) - escaped


def _dated(frame: pl.DataFrame, resource: Resource) -> tuple[pl.DataFrame, frozenset[str]]:
    """Dates as dates, and beside them as they came those less precise than a day."""

    extra = []
    for field in resource.returned:
        if field.type != "date":
            continue
        text = frame.get_column(field.name)
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
            extra.append(field.name + frames.TEXT_SUFFIX)
            frame = frame.with_columns(text.set(~is_less, None).alias(extra[-1]))
    return frame, frozenset(extra)


def _record(resource: Resource) -> Record:
    return Record(resource.returned)


@functools.cache
def _schema(rows: Record) -> pa.Schema:
    import pyarrow as pa  # noqa: PLC0415

    def arrow(kind: Type) -> pa.DataType:
        if isinstance(kind, Many):
            return pa.list_(arrow(kind.of))
        if isinstance(kind, Record):
            return pa.struct([(member.name, arrow(member.type)) for member in kind.fields])
        types = {"integer": pa.int64(), "identifier": pa.int64(), "number": pa.float64()}
        return types.get(kind, pa.bool_() if kind == "flag" else pa.string())

    return pa.schema([("data", pa.list_(arrow(rows)))])
