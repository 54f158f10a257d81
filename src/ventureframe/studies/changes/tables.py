"""How each finding of a comparison is listed: titles, columns, captions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import polars as pl

from ventureframe.display.finding import Exhibit, Finding
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import caption, incomplete, number
from ventureframe.errors import EvidenceError
from ventureframe.studies.changes.pair import Counts, day
from ventureframe.studies.changes.records import CHANGED, KINDS, NAMED, OWN_DATES, SHOWN

_OPEN: Final = "not claimed"


class NotClaimed(Finding):
    """A finding that the fetches leave open: it lists nothing and is not an empty frame."""

    def to_polars(self) -> pl.DataFrame:
        """Raises `EvidenceError`, and so does `to_pandas`: no frame says what is not known."""
        raise EvidenceError(f"{self.title}. {self.caption}.")


class OfRecords(Exhibit):
    """A listing about the records of one result; a frame that the study lacks is not claimed."""

    def finding(self, study: Any) -> Finding:
        """The finding of a study."""
        one = study.only()
        if self.rows is not None or self.name in one.frames:
            return super().finding(one)
        columns = self.columns(one) if callable(self.columns) else self.columns
        return NotClaimed(
            title=self.title.format(subject=f"{_OPEN}: {one.subject}"),
            caption=caption(*incomplete(one.source), *self.notes(one)),
            columns=tuple(columns),
            frame=pl.DataFrame(schema=[column.name for column in columns]),
            source=one.source,
        )


def _about(study: Any, *more: str) -> Sequence[str]:
    pair = study.pair
    return [pair.days, f"{number(pair.counts.in_both)} in both", *more]


def _record(study: Any, *also: Column) -> Sequence[Column]:
    """What is shown of a record, and its key at the end."""
    return (*SHOWN.get(study.pair.new.resource.name, NAMED), *also, *_ids(study))


def _ids(study: Any) -> Sequence[Column]:
    return columns("id", **{name: name.replace("_", " ") for name in study.pair.key})


def _changed_fields(study: Any) -> Sequence[Column]:
    return (
        *columns("text", record="Record", field="Field"),
        Column("kind", "How", "state"),
        *columns("text", null="nothing recorded", before="Before", after="After"),
        *_ids(study),
    )


def _meanings(words: Mapping[str, str]) -> str:
    return "; ".join(f"{word.replace('_', ' ')}: {meaning}" for word, meaning in words.items())


def _fetches(study: Any) -> pl.DataFrame:
    """The two fetches of the first result; all others are of the same sources."""
    found = []
    for which, result in (("first", study.pair.old), ("second", study.pair.new)):
        source = result.provenance.source
        made_up = "SYNTHETIC" if source.synthetic else None
        found.append((which, source.name, made_up, day(result), study.currency))
    schema = dict.fromkeys(("fetch", "source", "data", "day", "currency"), pl.String())
    return pl.DataFrame(found, schema, orient="row")


def _results(study: Any) -> pl.DataFrame:
    """A row per result; why a number is not claimed stands beside it."""
    found: list[tuple[object, ...]] = [
        (name, *pair.counts, "; ".join(pair.unclaimed.values()) or None)
        for name, pair in study.pairs.items()
    ]
    alone = "saved on one side only, so not compared"
    found += [(name, *[None] * len(Counts._fields), alone) for name in study.unpaired]
    schema: dict[str, Any] = {"result": pl.String, **dict.fromkeys(Counts._fields, pl.Int64)}
    return pl.DataFrame(found, schema | {"note": pl.String}, orient="row")


def _counts(study: Any) -> pl.DataFrame:
    pair, c = study.pair, study.pair.counts
    every = pl.concat([pair.frames["field_changes"], pair.frames["cannot_tell"]])
    kinds = every.group_by("field", "kind", maintain_order=True).len()
    found: list[tuple[str, int | None]] = [
        ("in the first fetch", pair.sizes[0]),
        ("in the second fetch", pair.sizes[1]),
        ("in both", c.in_both),
        ("newly seen", c.newly_seen),
        ("no longer seen", c.no_longer_seen),
        ("in both, with a changed field", c.changed),
        *((f"{field}: {KINDS[kind]}", count) for field, kind, count in kinds.iter_rows()),
    ]
    return pl.DataFrame(found, {"what": pl.String, "records": pl.Int64}, orient="row")


FETCHES: Final = Exhibit(
    "The two fetches: {subject}",
    (
        *columns("text", fetch="Fetch", source="Source"),
        *columns("text", null="–", data="Data", day="Day", currency="Currency"),
    ),
    rows=_fetches,
)
RESULTS: Final = Exhibit(
    "Fetched twice: {subject}",
    (
        Column("result", "Result"),
        *columns(
            "number",
            null=_OPEN,
            newly_seen="Newly seen",
            no_longer_seen="No longer seen",
            in_both="In both",
            changed="In both, with a changed field",
            cannot_tell="Amount moved as rates can: cannot tell",
        ),
        Column("note", "Note", null="–"),
    ),
    lambda study: [study.day, "newly seen is not newly happened"],
    "ventureframe.studies.changes.figures:results",
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
    "No longer seen: {subject}",
    _record,
    lambda study: _about(study, "no longer seen is not ended, and may only have left the filter"),
)
FIELD_CHANGES: Final = OfRecords(
    "Changed fields: {subject}",
    _changed_fields,
    lambda study: _about(study, _meanings({word: KINDS[word] for word in CHANGED})),
)
CANNOT_TELL: Final = OfRecords(
    "Amounts that moved as exchange rates can: {subject}",
    _changed_fields,
    lambda study: _about(study, "whether the recorded amount changed cannot be told"),
)
