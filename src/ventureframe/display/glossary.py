"""Every column of every record: what it holds, in which unit, and what a null says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import counted
from ventureframe.interface.fields import RESOURCES, Field, Many, Record, Resource, Type

_TYPES: Final = {
    "uuid": "UUID, text",
    "identifier": "identifier, whole number",
    "text": "text",
    "integer": "whole number",
    "number": "number",
    "flag": "true or false",
    "date": "date",
}
_ASKED: Final = ("search", "tags", "locations")
"""Rows of look-ups, which give records and no columns of a study."""

Row = tuple[object, ...]


def glossary(*records: str) -> Table:
    """The columns of these records, of all without any: meaning, type, unit, null, uses."""
    wanted = records or [name for name in RESOURCES if name not in _ASKED]
    rows = tuple(row for name in wanted for row in _rows(RESOURCES[name]))
    columns = (
        Column("record", "Record"),
        Column("column", "Column"),
        Column("meaning", "Meaning"),
        Column("type", "Type"),
        Column("unit", "Unit", null="–"),
        Column("null", "A null says"),
        Column("uses", "Can be", null="–"),
    )
    about = f"{counted(len(rows), 'column')}; a dot leads to a member of a record, [] to each entry"
    return Table("Glossary", about, columns, rows)


def _rows(resource: Resource) -> Iterator[Row]:
    for each in resource.fields:
        yield (resource.name, each.name, each.doc, *_kind(each), _null(each), _uses(each))
        for path, member in _members(each.name, each.type):
            yield (resource.name, path, member.doc, *_kind(member), _null(member), None)


def _members(path: str, kind: Type) -> Iterator[tuple[str, Field]]:
    if isinstance(kind, Many):
        path, kind = f"{path}[]", kind.of
    if isinstance(kind, Record):
        yield from ((f"{path}.{member.name}", member) for member in kind.fields)


def _kind(field: Field) -> tuple[str, str | None]:
    """The type in words, and the unit."""
    kind = field.type.of if isinstance(field.type, Many) else field.type
    said = "record" if isinstance(kind, Record) else _TYPES[kind]
    return f"list of: {said}" if isinstance(field.type, Many) else said, _unit(field)


def _unit(field: Field) -> str | None:
    if field.bounds is not None:
        return "{:g} to {:g}".format(*field.bounds)
    if field.type == "number" and "currency" in field.doc:
        return "its own currency" if "own" in field.doc else "the currency asked for"
    if field.type == "integer" and "year" in field.doc:
        return "year"
    return None


def _null(field: Field) -> str:
    if not field.returned:
        return "in no row: it can only be asked for"
    return "not recorded; not a “no” and not zero" if field.nullable else "never null"


def _uses(field: Field) -> str | None:
    uses = ["filtered by"] if field.operators else []
    return ", ".join([*uses, *(["sorted by"] if field.sorts else [])]) or None
