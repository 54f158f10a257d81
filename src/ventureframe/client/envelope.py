"""The Arrow schema of a reply: its rows, its page, and what can stand beside them."""

import functools
from collections.abc import Mapping
from typing import Final

import pyarrow as pa

from ventureframe.interface.fields import Many, Record, Type

_ARROW: Final[Mapping[str, pa.DataType]] = {
    "integer": pa.int64(),
    "identifier": pa.int64(),
    "number": pa.float64(),
    "flag": pa.bool_(),
}
"""The Arrow types of scalars; every other is text."""
_MEMBERS = (
    ("total", pa.int64()),
    ("limit", pa.int64()),
    ("offset", pa.int64()),
    ("has_more", pa.bool_()),
    ("capped", pa.bool_()),
    ("tier", pa.string()),
    ("error", pa.string()),
    ("locked", pa.list_(pa.string())),
    ("errors", pa.list_(pa.string())),
)
"""What a reply can say of its rows, in `page` or beside it; of another type it is
read plainly.
"""


@functools.lru_cache(64)
def schema_of(record: Record, *cursors: str) -> pa.Schema:
    """Return the schema of an envelope: the rows first."""
    about = [*_MEMBERS, *((name, pa.string()) for name in cursors)]
    return pa.schema(
        [
            ("data", pa.list_(_arrow(record))),
            ("page", pa.struct(about)),
            ("currency", pa.string()),
            *_MEMBERS,
        ]
    )


def _arrow(kind: Type) -> pa.DataType:
    if isinstance(kind, Many):
        return pa.list_(_arrow(kind.of))
    if isinstance(kind, Record):
        members = [(member.name, _arrow(member.type)) for member in kind.fields]
        return pa.struct(members)
    return _ARROW.get(kind, pa.string())
