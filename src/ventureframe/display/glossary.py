"""Every column of every record and of the findings of a study: what it holds, what
null says.
"""

from collections.abc import Iterator
from typing import Any, Final

import polars as pl

from ventureframe.display.finding import Finding
from ventureframe.display.table import SHAPES, Column, columns
from ventureframe.display.wording import counted
from ventureframe.interface.fields import RESOURCES, Field, Many, Record

_TYPES: Final = {
    "uuid": "UUID, text",
    "identifier": "identifier, whole number",
    "integer": "whole number",
    "flag": "true or false",
}
_COLUMNS: Final = (
    *columns("text", record="Record", column="Column", meaning="Meaning", type="Type"),
    Column("unit", "Unit", null="–"),
    Column("null", "A null says"),
    Column("uses", "Can be", null="–"),
)
Row = tuple[object, ...]


def glossary(*records: Any) -> Finding:
    """List the columns of these records, or of a study's findings, with type, unit,
    null, uses.

    Without any, the columns of all records.

    >>> import ventureframe as vf
    >>> vf.glossary(vf.spinouts.Study).to_pandas().loc[3, ["column", "unit"]].to_list()
    ['lost', '']
    """
    look_ups = ("search", "tags", "locations")  # records, and no columns of a study
    wanted = records or [name for name in RESOURCES if name not in look_ups]
    parts = (
        _fields(item) if isinstance(item, str) else _findings(item) for item in wanted
    )
    names = dict.fromkeys((column.name for column in _COLUMNS), pl.String)
    rows = pl.DataFrame([row for part in parts for row in part], names, orient="row")
    about = (
        f"{counted(len(rows), 'column')}; a dot leads to a member of a record, [] to"
        " each entry"
    )
    return Finding("Glossary", about, _COLUMNS, rows, name="glossary")


def _findings(study: Any) -> Iterator[Row]:
    for name in study.findings():
        for column in getattr(study, name).listed:
            meaning = ", ".join(filter(None, (column.label, column.meaning)))
            holds, null = SHAPES[column.kind].holds, f"shown as {column.null}"
            yield (
                f"{study.name}.{name}",
                column.name,
                meaning,
                holds,
                column.unit,
                null,
                None,
            )


def _fields(record: str) -> Iterator[Row]:
    for field in RESOURCES[record].fields:
        kind, is_list = _kind(field)
        uses = ["filtered by"] * bool(field.operators) + ["sorted by"] * bool(
            field.sorts
        )
        yield record, field.name, *_described(field), ", ".join(uses) or None
        for member in kind.fields if isinstance(kind, Record) else ():
            yield (
                record,
                f"{field.name}{'[]' * is_list}.{member.name}",
                *_described(member),
                None,
            )


def _kind(field: Field) -> tuple[Any, bool]:
    """The type of a field's values, and whether the field is a list of them."""
    return (
        (field.type.of, True) if isinstance(field.type, Many) else (field.type, False)
    )


def _described(field: Field) -> Row:
    kind, is_list = _kind(field)
    name = "record" if isinstance(kind, Record) else _TYPES.get(kind, kind)
    holds = f"{'list of: ' * is_list}{name}"
    unit = None if field.bounds is None else "{:g} to {:g}".format(*field.bounds)
    if not unit and field.type == "number" and "currency" in field.doc:
        unit = "its own currency" if "own" in field.doc else "the currency asked for"
    elif not unit and field.type == "integer" and "year" in field.doc:
        unit = "year"
    null = "not recorded; not a “no” and not zero" if field.nullable else "never null"
    return (
        field.doc,
        holds,
        unit,
        null if field.returned else "in no row: it can only be asked for",
    )
