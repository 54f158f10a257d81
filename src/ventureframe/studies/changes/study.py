"""The comparison of two fetches: the class that lists its findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import polars as pl

from ventureframe.client.result import limited
from ventureframe.display.finding import Exhibit, Finding
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import capital, listed, unwrap
from ventureframe.errors import EvidenceError, UnsupportedValue
from ventureframe.evidence import study
from ventureframe.evidence.scope import line
from ventureframe.studies.changes import words
from ventureframe.studies.changes.edits import Edits
from ventureframe.studies.changes.pair import Counts, Pair
from ventureframe.studies.changes.records import KINDS
from ventureframe.studies.changes.tables import largest, ranked

_COLUMNS = (
    Column("record", "Name"),
    Column("what", "What"),
    Column("detail", "Which", null=""),
    Column("field", "Field", "state"),
    Column("kind", "How", "state"),
    Column("before", "Before"),
    Column("after", "After"),
    Column("amount", "Amount", "money", null=""),
    *columns("text", null="", date="Date", investors="Investors"),
    Column("own_date", "Its own date", "state", null=""),
    *columns("id", null="", uuid="UUID", id="ID", company_uuid="Company UUID"),
)
"""The columns of all listings; each shows those that it fills."""
_SAME = "No change is established."


class _NotClaimed(Finding):
    """A finding that the fetches leave open: it lists nothing and is not an empty
    frame.
    """

    def to_polars(self) -> pl.DataFrame:
        """Raises `EvidenceError`, and so does `to_pandas`: no frame says what is not
        known.
        """
        raise EvidenceError(f"{self.title}. {self.caption}.")


class _OfRecords(Exhibit):
    """A listing of records; one that the study lacks is not claimed of any kind."""

    def finding(self, study: Any) -> Finding:
        """The finding of a study."""
        if self.name in study.frames:
            return super().finding(study)
        subject, none = f"not claimed: {study.subject}", study.frames["largest"].clear()
        frames = {**study.frames, self.name: none}
        made = super().finding(replace(study, subject=subject, frames=frames))
        why = f"Not claimed: {study.pair.unclaimed[self.name]}."
        return _NotClaimed(**{**vars(made), "nothing": why})


def _filled(finding: str) -> Callable[[Study], Sequence[Column]]:
    """The columns of a finding that any of its rows fills with more than a blank."""

    def columns(study: Study) -> Sequence[Column]:
        rows = study.frames[finding]
        columns = [column for column in _COLUMNS if column.name in rows.columns]
        if rows.is_empty():
            return columns
        blank = {None, ""}
        return [column for column in columns if set(rows[column.name]) - blank]

    return columns


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(study.Study):
    """What two fetches of one question show, record by record; of a study, for each of
    its results.

    The findings are about all results, `counts` and `pair` about the first one, which
    the others belong to; `only(name)` is the comparison of another. What an
    incomplete fetch leaves open is not claimed: null as a number, and `EvidenceError`
    as a frame.

    `pairs` is what was compared, by name, `unpaired` are the names that only one
    side has, `kind` is the study that both sides are saves of, or None, `edits` is
    how the rows of its list differ, where it has one, and `headline` what changed most,
    in a sentence.
    """

    pairs: Mapping[str, Pair]
    unpaired: tuple[str, ...]
    kind: str | None
    edits: Edits | None
    headline: str

    largest = _OfRecords(
        "What changed most: {subject}",
        _filled("largest"),
        lambda study: [study.day],
        meaning="The ten differences that matter most, of all kinds of record.",
        nothing=_SAME,
    )
    newly_seen = _OfRecords(
        "Newly seen: {subject}",
        _filled("newly_seen"),
        lambda study: [study.day, "newly seen is not newly happened"],
        "ventureframe.studies.changes.figures:newly_seen",
        nothing="No record is newly seen.",
    )
    no_longer_seen = _OfRecords(
        "No longer listed: {subject}",
        _filled("no_longer_seen"),
        lambda study: [study.day],
        nothing="No record that both fetches cover is gone.",
    )
    field_changes = _OfRecords(
        "Changed fields: {subject}",
        _filled("field_changes"),
        lambda study: [study.day, KINDS],
        nothing=_SAME,
    )
    cannot_tell = _OfRecords(
        "Amounts whose move may be exchange rates alone: {subject}",
        _filled("cannot_tell"),
        lambda study: [study.day, "whether the recorded amount changed cannot be told"],
        nothing="No such amount.",
    )

    name = "changes"
    lead = ("largest", "newly_seen", "record", "amount")
    about = "what changed"
    lists = ("education", "founders", "tags", "entity_ids")

    @classmethod
    def of(
        cls,
        pairs: Mapping[str, Pair],
        unpaired: tuple[str, ...],
        kind: str | None,
        edits: Edits | None,
    ) -> Self:
        """The study of these comparisons."""
        every = [*pairs.values()]
        fetched = [pair.old for pair in every] + [pair.new for pair in every]
        conditions = [pair.conditions for pair in every]
        codes = [pair.new.provenance.currency for pair in every]
        subject = every[0].studied or listed([pair.subject for pair in every])
        names = dict.fromkeys(name for pair in every for name in pair.frames)
        frames = {
            name: pl.concat(
                [pair.frames[name] for pair in every if name in pair.frames],
                how="diagonal",
            )
            for name in names
        }
        rows = ranked(frames, edits)
        counts = (every, rows, edits, unpaired)
        frames["largest"] = largest(rows)
        return cls.from_words(
            words,
            *counts,
            source=limited(every[0].new.provenance.source, fetched),
            frames=frames,
            subject=capital(subject),
            conditions=next(filter(None, conditions), ()),
            limits=tuple(words.caveats(*counts)),
            headline=unwrap(words.headline(*counts)),
            currency=next(filter(None, codes), None),
            fetched=tuple(fetched),
            pairs=pairs,
            unpaired=unpaired,
            kind=kind,
            edits=edits,
        )

    @property
    def counted(self) -> str:
        """The line of what is counted: the records that are compared."""
        records = listed([pair.subject for pair in self.pairs.values()])
        if self.pair.studied:
            records = f"{records} ({self.pair.studied})"
        how = [*self.conditions, "compared by identifier"]
        amounts, dated = [pair.amount for pair in self.pairs.values()], self.day
        if any(amounts) and self.currency:
            dated = f"{dated}, amounts in {self.currency}".removeprefix(", ")
        return line(records, how, amounts, dated=dated)

    @property
    def day(self) -> str:
        """The days of the two fetches."""
        return self.pair.days

    @property
    def pair(self) -> Pair:
        """The two fetches that the findings are about."""
        return next(iter(self.pairs.values()))

    @property
    def counts(self) -> Counts:
        """The numbers of records; None is what cannot be claimed."""
        return self.pair.counts

    def only(self, name: str) -> Self:
        """The comparison of one result alone.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        if name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs)}"
            raise UnsupportedValue(name, field="part", reason=reason)
        return self.of({name: self.pairs[name]}, (), self.kind, self.edits)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "only", "pairs"]
