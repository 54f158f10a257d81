"""Rows as a service writes them: drawn at random, or with something in every key."""

import datetime as dt
import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.client.stand_in import uuid
from ventureframe.client.decode import decode
from ventureframe.client.frames import Chunk
from ventureframe.client.listing import ENDPOINTS
from ventureframe.interface import fields
from ventureframe.interface.fields import COMPANIES, Field, Many, Record, Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Shape

Row = dict[str, Any]
WIRES = {each.name: each for each in (INTERFACE, WIRE_2026_10_02)}


def replies(*bodies: bytes | Sequence[object], **envelope: object) -> list[Reply]:
    """One reply for each body, or for each page of rows."""
    made = (
        (
            body
            if isinstance(body, bytes)
            else json.dumps({"data": body, **envelope}).encode()
        )
        for body in bodies
    )
    return [Reply("/data/x", body, {}) for body in made]


def page_of(rows: Sequence[object], resource: Resource = COMPANIES) -> Chunk:
    """The rows as one page, decoded."""
    return decode(replies(rows), Shape(resource), profile=INTERFACE)


def kind_of(endpoint: str, wire: str) -> Shape:
    """What the rows of an endpoint are on a wire."""
    records = {
        "university": fields.UNIVERSITIES,
        "investor": fields.INVESTORS,
        **fields.RESOURCES,
    }
    known = ENDPOINTS.get(endpoint)
    resource = known.resource if known else records.get(endpoint, fields.COMPANIES)
    return WIRES[wire].shape(endpoint, resource)


# --- rows with something in every key

_VALUES = {
    "text": "Füchsin",
    "uuid": uuid(5),
    "number": 0.1 + 0.2,
    "flag": True,
    "integer": 7,
    "identifier": 2**53 + 1,
    "date": "2013-04-01",
    "partial date": "1999-05",
}
_NAMED: dict[str, Any] = {
    "role": "hq",
    "subtype": "company",
    "start_date": "2001-09",
    "end_date": "2004",
    "classifications": ["startup", "spinout"],
    "total": 1,
    "available": [],
    "locked": [],
}


def value(field: Field) -> Any:
    """A value that a key can have."""
    if field.name in _NAMED:
        return _NAMED[field.name]
    kind = field.type.of if isinstance(field.type, Many) else field.type
    one = proper(kind) if isinstance(kind, Record) else _VALUES[kind]
    return [one] if isinstance(field.type, Many) else one


def proper(record: Record) -> Row:
    """A record with something in every key."""
    return {field.name: value(field) for field in record.fields}


def two(rows: Shape) -> list[Row]:
    """Two rows with something in every key, and keys of their own."""
    made = [proper(rows.read), proper(rows.read)]
    for number, row in enumerate(made, 1):
        key = rows.resource.key
        path = rows.columns[key].path if rows.columns and key else key
        for holder in holders(row, path or ""):
            name = (path or "").split(".")[-1]
            holder[name] = uuid(number) if holder.get(name) == uuid(5) else number
    return made


def holders(row: Row, path: str) -> list[Row]:
    """The records in a row that have the last key of the path."""
    records: list[Any] = [row]
    for name in path.split(".")[:-1]:
        values = [record.get(name) for record in records]
        lists = [value if isinstance(value, list) else [value] for value in values]
        records = [
            entry for entries in lists for entry in entries if isinstance(entry, dict)
        ]
    return records


def keys_of(record: Record, within: str = "") -> Iterator[tuple[str, Field]]:
    """Every key of a row that must be there, with its path."""
    for field in record.fields:
        if getattr(field, "is_optional", False):
            continue
        yield within + field.name, field
        inner = field.type.of if isinstance(field.type, Many) else field.type
        if isinstance(inner, Record):
            yield from keys_of(inner, f"{within}{field.name}.")


# --- rows drawn at random

_DRAWN = {
    "uuid": st.uuids().map(str),
    "text": st.text(st.characters(codec="utf-8")),
    "identifier": st.integers(-(2**63), 2**63 - 1),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "flag": st.booleans(),
    "date": st.dates(min_value=dt.date(1000, 1, 1)).map(str),
}


def _drawn(
    kind: Any, within: tuple[float, float] | None = None
) -> st.SearchStrategy[Any]:
    if isinstance(kind, Many):
        return st.lists(_drawn(kind.of), max_size=3)
    if isinstance(kind, Record):
        return st.fixed_dictionaries(
            {member.name: _member(member) for member in kind.fields}
        )
    if within is None:
        return _DRAWN[kind]
    low, high = within
    if kind == "number":
        return st.floats(low, min(high, 1e300))
    return st.integers(int(low), int(min(high, 2**53)))


def _member(field: Field) -> st.SearchStrategy[Any]:
    there = _drawn(field.type, field.within)
    return st.none() | there if field.nullable else there


def drawn(resource: Resource) -> st.SearchStrategy[list[Row]]:
    """Rows of a resource, each with every key."""
    members = {field.name: _member(field) for field in resource.returned}
    members[resource.key] = _drawn(
        resource[resource.key].type, resource[resource.key].within
    )
    row = st.fixed_dictionaries(members)
    return st.lists(row, max_size=4, unique_by=lambda row: row[resource.key])
