"""How each finding of a comparison is listed: titles, columns, captions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import polars as pl

from ventureframe.display.finding import Finding, Listing
from ventureframe.display.table import Column
from ventureframe.display.wording import caption, number
from ventureframe.errors import EvidenceError
from ventureframe.studies.changes import figures
from ventureframe.studies.changes.dates import OWN_DATES
from ventureframe.studies.changes.values import KINDS

if TYPE_CHECKING:
    from ventureframe.studies.changes.find import Study

_OPEN: Final = "not claimed"
_RECORDS: Final = {
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


class NotClaimed(Finding):
    """A finding that the fetches leave open: it lists nothing and is not an empty frame."""

    def to_polars(self) -> pl.DataFrame:
        """Raises `EvidenceError`, and so does `to_pandas`: no frame says what is not known."""
        raise EvidenceError(f"{self.title}. {self.caption}.")


class OfRecords(Listing["Study"]):
    """A listing about the records of one result; a frame that the study lacks is not claimed."""

    def finding(self, study: Study) -> Finding:
        """The finding of a study."""
        one = study.only()
        if self.rows is not None or self.name in one.frames:
            return super().finding(one)
        columns = self.columns(one) if callable(self.columns) else self.columns
        return NotClaimed(
            title=self.title.format(subject=f"{_OPEN}: {one.subject}"),
            caption=caption(*self.notes(one), source=one.source),
            columns=tuple(columns),
            frame=pl.DataFrame(schema=[column.name for column in columns]),
            source=one.source,
        )


def _about(study: Study, *more: str) -> Sequence[str | None]:
    pair = study.pair
    if pair.incomparable:
        return [pair.refusal, *more]
    return [pair.days, f"{number(pair.counts.in_both)} in both", *more]


def _record(study: Study, *also: Column) -> Sequence[Column]:
    """What is shown of a record, and its key at the end."""
    own = _RECORDS.get(study.pair.new.resource.name, (Column("name", "Name"),))
    return (*own, *also, *_ids(study))


def _ids(study: Study) -> Iterator[Column]:
    return (Column(name, name.replace("_", " "), "id") for name in study.pair.key)


def _meanings(words: Mapping[str, str]) -> str:
    return "; ".join(f"{word.replace('_', ' ')}: {meaning}" for word, meaning in words.items())


def _results(study: Study) -> pl.DataFrame:
    """A row per result; why a number is not claimed stands beside it."""
    rows: list[tuple[object, ...]] = []
    for name, pair in study.pairs.items():
        c, sides = pair.counts, (("first", pair.old), ("second", pair.new))
        short = [f"the {side} fetch is not complete" for side, each in sides if not each.is_read]
        note = pair.incomparable or "; ".join(short) or None
        rows.append((name, c.newly_seen, c.no_longer_seen, c.in_both, c.changed, note))
    alone = "saved on one side only, so not compared"
    rows += [(name, None, None, None, None, alone) for name in study.unpaired]
    counts = dict.fromkeys(("newly_seen", "no_longer_seen", "in_both", "changed"), pl.Int64())
    return pl.DataFrame(rows, {"result": pl.String(), **counts, "note": pl.String()}, orient="row")


def _counts(study: Study) -> pl.DataFrame:
    pair, c = study.pair, study.pair.counts
    rows: list[tuple[str, int | None]] = [
        ("in the first fetch", len(pair.old)),
        ("in the second fetch", len(pair.new)),
    ]
    if pair.field_changes is not None:
        rows += [
            ("in both", c.in_both),
            ("newly seen", c.newly_seen),
            ("no longer seen", c.no_longer_seen),
            ("in both, with a changed field", c.changed),
        ]
        kinds = pair.field_changes.group_by("field", "kind", maintain_order=True).len()
        rows += [(f"{field}: {KINDS[kind]}", count) for field, kind, count in kinds.iter_rows()]
    return pl.DataFrame(rows, {"what": pl.String(), "records": pl.Int64()}, orient="row")


RESULTS: Final = Listing["Study"](
    "Fetched twice: {subject}",
    (
        Column("result", "Result"),
        Column("newly_seen", "Newly seen", "number", null=_OPEN),
        Column("no_longer_seen", "No longer seen", "number", null=_OPEN),
        Column("in_both", "In both", "number", null=_OPEN),
        Column("changed", "In both, with a changed field", "number", null=_OPEN),
        Column("note", "Note", null="–"),
    ),
    lambda study: [study.days, "newly seen is not newly happened"],
    figures.results,
    rows=_results,
)
CHANGES: Final = OfRecords(
    "What differs: {subject}",
    (Column("what", "What"), Column("records", "Records", "number", null=_OPEN)),
    _about,
    rows=_counts,
)
NEWLY_SEEN: Final = OfRecords(
    "Newly seen: {subject}",
    lambda study: _record(study, Column("own_date", "Its own date", "state", null="none recorded")),
    lambda study: _about(study, "newly seen is not newly happened", _meanings(OWN_DATES)),
)
NO_LONGER_SEEN: Final = OfRecords(
    "No longer seen: {subject}", _record, lambda study: _about(study, "no longer seen is not ended")
)
FIELD_CHANGES: Final = OfRecords(
    "Changed fields: {subject}",
    lambda study: (
        Column("record", "Record"),
        Column("field", "Field"),
        Column("kind", "How", "state"),
        Column("old", "Before", null="nothing recorded"),
        Column("new", "After", null="nothing recorded"),
        *_ids(study),
    ),
    lambda study: _about(study, _meanings(KINDS)),
)
SCHEMA_CHANGES: Final = OfRecords(
    "Columns that are not compared: {subject}",
    (
        Column("column", "Column"),
        Column("change", "Why"),
        Column("old", "Type before", null="–"),
        Column("new", "Type after", null="–"),
    ),
    _about,
)
