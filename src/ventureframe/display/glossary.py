"""Every column of every record and of the findings of a study: what it holds, what
null says.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from ventureframe.display.finding import Finding
from ventureframe.display.table import SHAPES, Column, columns
from ventureframe.display.wording import counted
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import RESOURCES, Field, Many, Record, Type

_TYPES = {
    "uuid": "UUID, text",
    "identifier": "identifier, whole number",
    "integer": "whole number",
    "flag": "true or false",
}
_COLUMNS = (
    *columns("text", record="Record", column="Column", meaning="Meaning", type="Type"),
    Column("unit", "Unit", null=""),
    Column("null", "A null says"),
    Column("uses", "Can be", null=""),
)
_LOOK_UPS = ("search", "tags", "locations")  # of which no study has a column
Row = tuple[str | None, ...]


def glossary(*records: Any) -> Finding:
    """List the columns of these records, or of a study's findings, with type, unit,
    null, uses.

    Without any, the columns of all records. Raises `UnsupportedValue` for another.

    >>> import ventureframe as vf
    >>> vf.glossary(vf.spinouts.Study).to_pandas().loc[3, ["column", "unit"]].to_list()
    ['lost', '']
    """
    rows = list[Row]()
    for item in records or [name for name in RESOURCES if name not in _LOOK_UPS]:
        study = item if isinstance(item, type) else type(item)
        if str(item) in RESOURCES:
            rows += _of_record(str(item))
        elif hasattr(study, "findings"):
            rows += _of_study(study)
        else:
            reason = "give a study, or the name of records, such as companies"
            raise UnsupportedValue(item, field="records", reason=reason)
    about = (
        f"{counted(len(rows), 'column')}; a dot leads to a member of a record, [] to"
        " each entry"
    )
    frame = pl.DataFrame(
        rows, {column.name: pl.String for column in _COLUMNS}, orient="row"
    )
    return Finding("Glossary", about, _COLUMNS, frame, name="glossary")


def _of_study(study: Any) -> Iterator[Row]:
    for name in study.findings():
        for column in getattr(study, name).listed:
            yield (
                f"{study.name}.{name}",
                column.name,
                column.meaning,
                SHAPES[column.kind].holds,
                column.unit,
                f"shown as {column.null or 'an empty cell'}",
                None,
            )


def _of_record(record: str) -> Iterator[Row]:
    for field in RESOURCES[record].fields:
        yield record, field.name, *_described(field)
        kind, path = field.type, field.name
        if isinstance(kind, Many):
            kind, path = kind.of, f"{path}[]"
        if isinstance(kind, Record):
            for member in kind.fields:
                yield record, f"{path}.{member.name}", *_described(member)


def _described(field: Field) -> Row:
    """Return the meaning of a field, its type, its unit, what a null says, its uses."""
    unit = field.unit
    if field.bounds:
        unit = "{:g} to {:g}".format(*field.bounds)
    null = "not recorded; not a “no” and not zero" if field.nullable else "never null"
    if not field.returned:
        null = "in no row: for filters only"
    uses = ["filtered by"] if field.operators else []
    if field.sorts:
        uses.append("sorted by")
    return field.doc, _holds(field.type), unit or None, null, ", ".join(uses) or None


def _holds(kind: Type) -> str:
    if isinstance(kind, Many):
        return f"list of: {_holds(kind.of)}"
    return "record" if isinstance(kind, Record) else _TYPES.get(kind, kind)
