"""Every column of every record: what it holds, in which unit, and what a null says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ventureframe.display.table import Column, Table, columns
from ventureframe.display.wording import counted
from ventureframe.interface.fields import RESOURCES, Field, Many, Record, Resource

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

_COLUMNS: Final = (
    *columns("text", record="Record", column="Column", meaning="Meaning", type="Type"),
    Column("unit", "Unit", null="–"),
    Column("null", "A null says"),
    Column("uses", "Can be", null="–"),
)
Row = tuple[object, ...]


def glossary(*records: str) -> Table:
    """The columns of these records, of all without any: meaning, type, unit, null, uses."""
    wanted = records or [name for name in RESOURCES if name not in _ASKED]
    rows = tuple(row for name in wanted for row in _rows(RESOURCES[name]))
    about = f"{counted(len(rows), 'column')}; a dot leads to a member of a record, [] to each entry"
    return Table("Glossary", about, _COLUMNS, rows)


def _rows(resource: Resource) -> Iterator[Row]:
    for each in resource.fields:
        many = isinstance(each.type, Many)
        kind = each.type.of if isinstance(each.type, Many) else each.type
        uses = ["filtered by"] * bool(each.operators) + ["sorted by"] * bool(each.sorts)
        yield (resource.name, each.name, *_told(each), ", ".join(uses) or None)
        for member in kind.fields if isinstance(kind, Record) else ():
            path = f"{each.name}{'[]' * many}.{member.name}"
            yield (resource.name, path, *_told(member), None)


def _told(field: Field) -> Row:
    """What is said of every field: meaning, type, unit, null."""
    kind = field.type.of if isinstance(field.type, Many) else field.type
    said = "record" if isinstance(kind, Record) else _TYPES[kind]
    said = f"list of: {said}" if isinstance(field.type, Many) else said
    null = "not recorded; not a “no” and not zero" if field.nullable else "never null"
    if not field.returned:
        null = "in no row: it can only be asked for"
    return field.doc, said, _unit(field), null


def _unit(field: Field) -> str | None:
    if field.bounds is not None:
        return "{:g} to {:g}".format(*field.bounds)
    if field.type == "number" and "currency" in field.doc:
        return "its own currency" if "own" in field.doc else "the currency asked for"
    if field.type == "integer" and "year" in field.doc:
        return "year"
    return None
