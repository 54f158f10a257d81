"""The Arrow schema of a reply: its rows, its page, and what can stand beside them."""

import functools
from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from ventureframe.interface.fields import Many, Record, Type

_ARROW: Final[Mapping[Type, pa.DataType]] = {
    "integer": pa.int64(),
    "identifier": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
}
"""The Arrow types of scalars; every other is text."""
_MEMBERS: Final[Mapping[str, Type]] = {
    "total": "integer",
    "limit": "integer",
    "offset": "integer",
    "has_more": "flag",
    "capped": "flag",
    "partial": "flag",
    "timed_out": "flag",
    "tier": "text",
    "ok": "flag",
    "success": "flag",
    "status": "text",
    "error": "text",
    "locked": Many("text"),
    "errors": Many("text"),
    "warnings": Many("text"),
}
"""Members of a reply, in `page` or beside it; one of another type needs the plain
reader.
"""


@functools.lru_cache(64)
def schema_of(record: Record, *cursors: str) -> pa.Schema:
    """Return the schema of an envelope: the rows first."""
    about = [(name, _arrow(kind)) for name, kind in _MEMBERS.items()]
    page = [*about, *((name, pa.string()) for name in cursors)]
    rows = pa.list_(_arrow(record))
    currency = ("currency", pa.string())
    return pa.schema([("data", rows), ("page", pa.struct(page)), currency, *about])


def _arrow(kind: Type) -> pa.DataType:
    if isinstance(kind, Many):
        return pa.list_(_arrow(kind.of))
    if isinstance(kind, Record):
        return pa.struct([(member.name, _arrow(member.type)) for member in kind.fields])
    return _ARROW.get(kind, pa.string())
