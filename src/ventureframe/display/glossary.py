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

_TYPES: Final[dict[str, str]] = {
    "uuid": "UUID, text",
    "identifier": "identifier, whole number",
    "integer": "whole number",
    "flag": "true or false",
}
_COLUMNS = (
    *columns("text", record="Record", column="Column", meaning="Meaning", type="Type"),
    Column("unit", "Unit", null="–"),
    Column("null", "A null says"),
    Column("uses", "Can be", null="–"),
)
_LOOK_UPS = ("search", "tags", "locations")  # of which no study has a column
Row = tuple[str | None, ...]


def glossary(*records: Any) -> Finding:
    """List the columns of these records, or of a study's findings, with type, unit,
    null, uses.

    Without any, the columns of all records.

    >>> import ventureframe as vf
    >>> vf.glossary(vf.spinouts.Study).to_pandas().loc[3, ["column", "unit"]].to_list()
    ['lost', '']
    """
    rows = list[Row]()
    for item in records or [name for name in RESOURCES if name not in _LOOK_UPS]:
        rows += _of_record(item) if isinstance(item, str) else _of_study(item)
    names = {column.name: pl.String for column in _COLUMNS}
    about = (
        f"{counted(len(rows), 'column')}; a dot leads to a member of a record, [] to"
        " each entry"
    )
    frame = pl.DataFrame(rows, names, orient="row")
    return Finding("Glossary", about, _COLUMNS, frame, name="glossary")


def _of_study(study: Any) -> Iterator[Row]:
    for name in study.findings():
        for column in getattr(study, name).listed:
            yield (
                f"{study.name}.{name}",
                column.name,
                ", ".join(filter(None, (column.label, column.meaning))),
                SHAPES[column.kind].holds,
                column.unit,
                f"shown as {column.null}",
                None,
            )


def _of_record(record: str) -> Iterator[Row]:
    for field in RESOURCES[record].fields:
        uses = list[str]()
        if field.operators:
            uses.append("filtered by")
        if field.sorts:
            uses.append("sorted by")
        yield record, field.name, *_described(field), ", ".join(uses) or None
        is_list = isinstance(field.type, Many)
        kind = field.type.of if isinstance(field.type, Many) else field.type
        path = f"{field.name}[]" if is_list else field.name
        for member in kind.fields if isinstance(kind, Record) else ():
            yield record, f"{path}.{member.name}", *_described(member), None


def _described(field: Field) -> Row:
    """Return the meaning of a field, its type, its unit and what a null says."""
    kind = field.type.of if isinstance(field.type, Many) else field.type
    holds = "record" if isinstance(kind, Record) else _TYPES.get(kind, kind)
    if isinstance(field.type, Many):
        holds = f"list of: {holds}"
    unit = field.unit or None
    if field.bounds is not None:
        least, most = field.bounds
        unit = f"{least:g} to {most:g}"
    null = "not recorded; not a “no” and not zero" if field.nullable else "never null"
    if not field.returned:
        null = "in no row: it can only be asked for"
    return field.doc, holds, unit, null
