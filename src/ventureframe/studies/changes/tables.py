"""The tables of a comparison: what is newly seen, no longer seen, or otherwise recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import narwhals as nw
import polars as pl

from ventureframe.display.table import Column, Table
from ventureframe.display.wording import caption, number
from ventureframe.evidence.rows import Frame
from ventureframe.studies.changes.dates import OWN_DATES
from ventureframe.studies.changes.find import KINDS, Comparison

_COLUMNS: Final = {
    "companies": (
        Column("name", "Company"),
        Column("launch_date", "Founded", "year"),
        Column("hq_country", "Country"),
        Column("company_status", "Status"),
    ),
    "funds": (
        Column("name", "Fund"),
        Column("fund_date", "Announced", "date"),
        Column("fund_type", "Type"),
    ),
    "funding-rounds": (
        Column("round_type", "Round"),
        Column("year", "Year", "year"),
        Column("month", "Month", "number"),
    ),
    "news": (Column("title", "Headline"), Column("publish_date", "Published", "date")),
    "jobs": (Column("title", "Title"), Column("date_posted", "Posted", "date")),
}
"""What is shown of a record; of others its name."""

_OPEN: Final = "not claimed"


def changes(found: Comparison) -> Table:
    """How many records are newly seen, no longer seen or differ, and in which fields."""
    columns = (Column("what", "What"), Column("records", "Records", "number", null=_OPEN))
    return Table(_title("What differs", found), _about(found), columns, tuple(_counts(found)))


def newly_seen(found: Comparison) -> Table:
    """The records that only the second fetch has, with how their own date lies to the two."""
    own = Column("own_date", "Its own date", "state", null="none recorded")
    words = "; ".join(f"{name.replace('_', ' ')}: {said}" for name, said in OWN_DATES.items())
    about = _about(found, "newly seen is not newly happened", words)
    return _records("Newly seen", found, found.newly_seen, about, own)


def no_longer_seen(found: Comparison) -> Table:
    """The records that only the first fetch has; none is listed where that cannot be told."""
    about = _about(found, "no longer seen is not ended")
    return _records("No longer seen", found, found.no_longer_seen, about)


def field_changes(found: Comparison, field: str | None = None) -> Table:
    """Each record and field that differs, or those of one field, with the old and the new value."""
    columns = (
        Column("record", "Record"),
        Column("field", "Field"),
        Column("kind", "How", "state"),
        Column("old", "Before", null="nothing recorded"),
        Column("new", "After", null="nothing recorded"),
        *_ids(found),
    )
    title = _title(f"Changed: {field}" if field else "Changed fields", found)
    about = _about(found, "; ".join(f"{kind.replace('_', ' ')}: {KINDS[kind]}" for kind in KINDS))
    if found.field_changed is None:
        return Table(title, about, columns, ())
    rows = _polars(found.field_changed)
    if field is not None:
        rows = rows.filter(pl.col("field") == field)
    new = found.new.to_polars()
    called = next((name for name in ("name", "title", "round_type") if name in new.columns), None)
    names = new.select(*found.key, record=pl.lit(None, pl.String) if called is None else called)
    named = rows.join(names, on=found.key, how="left", maintain_order="left")
    return Table.of(named, *columns, title=title, caption=about)


def tally(found: Comparison, field: str) -> Table:
    """Per value of a field the records that have it, before and after, and what lies between."""
    columns = (
        Column(field, "Value", null="nothing recorded"),
        Column("old", "Before", "number"),
        Column("newly_seen", "Newly seen", "number"),
        Column("changed_to", "Changed to it", "number"),
        Column("no_longer_seen", "No longer seen", "number"),
        Column("changed_from", "Changed from it", "number"),
        Column("new", "After", "number"),
    )
    title = _title(f"By {field}", found)
    return Table.of(found.tally(field), *columns, title=title, caption=_about(found))


def _records(what: str, found: Comparison, rows: Frame | None, about: str, *also: Column) -> Table:
    columns = _COLUMNS.get(found.new.resource.name, (Column("name", "Name"),))
    columns = (*columns, *also, *_ids(found))
    if rows is None:
        return Table(_title(f"{what}: {_OPEN}", found), about, columns, ())
    return Table.of(rows, *columns, title=_title(what, found), caption=about)


def _ids(found: Comparison) -> Iterator[Column]:
    return (Column(name, name.replace("_", " "), "id") for name in found.key)


def _counts(found: Comparison) -> Iterator[tuple[str, int | None]]:
    yield "in the first fetch", len(found.old)
    yield "in the second fetch", len(found.new)
    if found.incomparable:
        return
    yield "in both", found.in_both
    yield "newly seen", None if found.newly_seen is None else len(found.newly_seen)
    yield "no longer seen", None if found.no_longer_seen is None else len(found.no_longer_seen)
    yield "in both, with a changed field", found.changed_in_both
    counts = _polars(found.field_changed).group_by("field", "kind", maintain_order=True).len()
    for field, kind, count in counts.iter_rows():
        yield f"{field}: {KINDS[kind]}", count


def _polars(frame: Frame) -> pl.DataFrame:
    rows: nw.DataFrame[pl.DataFrame] = nw.from_native(frame, eager_only=True)
    return rows.to_polars()


def _title(what: str, found: Comparison) -> str:
    return f"{what}: {found.new.resource.name.replace('-', ' ')}"


def _about(found: Comparison, *parts: str) -> str:
    said = found.answer if found.incomparable else f"from {found.first_day} to {found.second_day}"
    both = None if found.incomparable else f"{number(found.in_both)} in both"
    return caption(said, both, *parts, source=found.source)
