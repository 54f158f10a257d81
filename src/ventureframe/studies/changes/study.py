"""The comparison of two fetches: the class that lists its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import polars as pl

from ventureframe.client.result import limited
from ventureframe.display.finding import Exhibit, Finding
from ventureframe.display.table import Column
from ventureframe.display.wording import NOT_KNOWN, counted, label
from ventureframe.errors import EvidenceError, UnsupportedValue
from ventureframe.evidence import study
from ventureframe.evidence.counted import line
from ventureframe.studies.changes import words
from ventureframe.studies.changes.pair import Counts, Pair, day
from ventureframe.studies.changes.records import KINDS, SEEN, shown
from ventureframe.studies.changes.tables import largest

_FETCHES = dict.fromkeys(("fetch", "source", "data", "day", "currency"), pl.String())
_RESULTS: Final[Mapping[str, pl.DataType]] = {
    "result": pl.String(),
    **dict.fromkeys(Counts._fields, pl.Int64()),
    "note": pl.String(),
}
_OPEN = "not claimed"
_SAME = "No change is established."
_OWN_DATE = Column(
    "own_date",
    "Its own date",
    "state",
    null="",
)


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
    """A listing about the records of one result; a frame that the study lacks is not
    claimed.
    """

    def finding(self, study: Any) -> Finding:
        """The finding of a study."""
        one = study.only()
        if self.rows is not None or self.name in one.frames:
            return super().finding(one)
        listed = self.columns(one) if callable(self.columns) else self.columns
        none = pl.DataFrame(schema=[column.name for column in listed])
        subject = f"{_OPEN}: {one.subject}"
        one = replace(one, subject=subject, frames={self.name: none})
        facts = vars(super().finding(one))
        why = f"Not claimed: {one.pair.unclaimed[self.name]}."
        return _NotClaimed(**{**facts, "nothing": why})


def _about(study: Study, *more: str) -> Sequence[str]:
    return [
        study.day,
        f"{counted(study.counts.in_both, study.pair.noun)} in both",
        *more,
    ]


def _record(study: Study, *also: Column) -> Sequence[Column]:
    """What is shown of a record, and its key at the end."""
    return (*shown(study.pair.new.resource.name), *also, *_ids(study))


def _ids(study: Study) -> Sequence[Column]:
    return [Column(name, name.replace("_", " "), "id") for name in study.pair.key]


def _changed_fields(study: Study) -> Sequence[Column]:
    return (
        Column("record", "Record"),
        Column("field", "Field", "state"),
        Column("kind", "How", "state"),
        Column("before", "Before"),
        Column("after", "After"),
        *_ids(study),
    )


def _kinds() -> str:
    """What each kind of change means, but for the one that is none."""
    meanings = [
        f"{word.replace('_', ' ')}: {meaning}"
        for word, meaning in KINDS.items()
        if word != "cannot_tell"
    ]
    return "; ".join(meanings)


def _fetches(study: Study) -> pl.DataFrame:
    """The two fetches of the first result; all others are of the same sources."""
    rows = list[tuple[str | None, ...]]()
    for which, result in (("first", study.pair.old), ("second", study.pair.new)):
        source = result.provenance.source
        made_up = "SYNTHETIC" if source.synthetic else None
        rows.append((which, source.name, made_up, day(result), study.currency))
    return pl.DataFrame(rows, _FETCHES, orient="row")


def _results(study: Study) -> pl.DataFrame:
    """A row per result; why a number is not claimed stands beside it."""
    rows = list[tuple[str | int | None, ...]]()
    for name, pair in study.pairs.items():
        note = "; ".join(pair.unclaimed.values()) or None
        rows.append((name, *pair.counts, note))
    unknown = [None] * len(Counts._fields)
    for name in study.unpaired:
        rows.append((name, *unknown, "saved on one side only, so not compared"))
    return pl.DataFrame(rows, _RESULTS, orient="row")


def _counts(study: Study) -> pl.DataFrame:
    pair, c = study.pair, study.counts
    rows: list[tuple[str, int | None]] = [
        ("in the first fetch", len(pair.old)),
        ("in the second fetch", len(pair.new)),
        ("in both", c.in_both),
        (SEEN["newly_seen"], c.newly_seen),
        (SEEN["no_longer_seen"], c.no_longer_seen),
        ("in both, with a changed field", c.changed),
    ]
    changes = pl.concat([pair.frames["field_changes"], pair.frames["cannot_tell"]])
    kinds = changes.group_by("field", "kind", maintain_order=True).len()
    for field, kind, count in kinds.iter_rows():
        rows.append((f"{label(field)}: {KINDS[kind]}", count))
    return pl.DataFrame(rows, {"what": pl.String, "records": pl.Int64}, orient="row")


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(study.Study):
    """What two fetches of one question show, record by record; of a study, for each of
    its results.

    Of several results, all findings but `results` and `fetches`, and the answer, are
    about the first one, which the others belong to; `only(name)` is the same for
    another. What an incomplete fetch leaves open is not claimed: null as a number, and
    `EvidenceError` as a frame.

    `pairs` is what was compared, by name, `unpaired` are the names that only one
    side has, and `kind` is the study that both sides are saves of, or None.
    """

    pairs: Mapping[str, Pair]
    unpaired: tuple[str, ...] = ()
    kind: str | None = None

    fetches = Exhibit(
        "The two fetches: {subject}",
        (
            Column("fetch", "Fetch"),
            Column("source", "Source"),
            Column("data", "Data", null=""),
            Column("day", "Day", null=NOT_KNOWN),
            Column("currency", "Currency", null=""),
        ),
        rows=_fetches,
    )
    results = Exhibit(
        "What differs between the two dates: {subject}",
        (
            Column("result", "Result"),
            Column("newly_seen", "Newly seen", "number", null=NOT_KNOWN),
            Column("no_longer_seen", "No longer listed", "number", null=NOT_KNOWN),
            Column("in_both", "In both", "number", null=NOT_KNOWN),
            Column(
                "changed", "In both, with a changed field", "number", null=NOT_KNOWN
            ),
            Column(
                "cannot_tell",
                "Move may be exchange rates alone",
                "number",
                null=NOT_KNOWN,
            ),
            Column("note", "Note", null=""),
        ),
        lambda study: [study.day],
        "ventureframe.studies.changes.figures:results",
        rows=_results,
    )
    largest = Exhibit(
        "What changed most: {subject}",
        (
            Column("record", "Record"),
            Column("kind", "Kind"),
            Column("what", "What", null=""),
            Column("before", "Before"),
            Column("after", "After"),
        ),
        lambda study: [
            study.day,
            "funding first, larger amounts first",
        ],
        rows=largest,
        meaning="The ten differences that matter most, of all kinds of record.",
        nothing=_SAME,
    )
    changes = _OfRecords(
        "What differs: {subject}",
        (
            Column("what", "What"),
            Column("records", "Records", "number", null=NOT_KNOWN),
        ),
        _about,
        rows=_counts,
    )
    newly_seen = _OfRecords(
        "Newly seen: {subject}",
        lambda study: _record(study, _OWN_DATE),
        lambda study: _about(study, "newly seen is not newly happened"),
        nothing="No record is newly seen.",
    )
    no_longer_seen = _OfRecords(
        "No longer listed: {subject}",
        _record,
        _about,
        nothing="No record that both fetches cover is gone.",
    )
    field_changes = _OfRecords(
        "Changed fields: {subject}",
        _changed_fields,
        lambda study: _about(study, _kinds()),
        nothing=_SAME,
    )
    cannot_tell = _OfRecords(
        "Amounts whose move may be exchange rates alone: {subject}",
        _changed_fields,
        lambda study: _about(
            study, "whether the recorded amount changed cannot be told"
        ),
        nothing="No such amount.",
    )

    name = "changes"
    lead = ("largest", "results", "result", "newly_seen")
    about = "what changed"
    lists = ("education", "founders", "tags", "entity_ids")

    @classmethod
    def of(
        cls,
        pairs: Mapping[str, Pair],
        unpaired: tuple[str, ...] = (),
        kind: str | None = None,
    ) -> Self:
        """The study of these comparisons; the findings are about the first."""
        first, *others = pairs.values()
        every = [first, *others]
        fetched = [*(pair.old for pair in every), *(pair.new for pair in every)]
        coverage = pl.concat(pair.frames["coverage"] for pair in every)
        limits = [limit for pair in every for limit in words.caveats(pair)]
        codes = [pair.new.provenance.currency for pair in every]
        names = ", ".join(pairs).replace("-", " ")
        return cls.told(
            words,
            first,
            source=limited(first.new.provenance.source, fetched),
            frames={**first.frames, "coverage": coverage},
            subject=first.studied if kind else names,
            conditions=first.conditions,
            limits=tuple(dict.fromkeys(limits)),
            currency=next(filter(None, codes), None),
            fetched=tuple(fetched),
            pairs=pairs,
            unpaired=unpaired,
            kind=kind,
        )

    @property
    def counted(self) -> str:
        """The line of what is counted: the records that are compared."""
        records, studied = self.pair.subject, self.pair.studied
        if studied:
            records = f"{records} found for the {studied}"
        how = [*self.conditions, "compared by identifier"]
        amount, dated = self.pair.amount, self.day
        if amount and self.currency:
            dated = f"{dated}, amounts in {self.currency}".removeprefix(", ")
        return line(records, how, [amount], dated=dated)

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

    def only(self, name: str | None = None) -> Self:
        """The comparison of one result alone: of the first where none is named.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        if name is not None and name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs)}"
            raise UnsupportedValue(name, field="part", reason=reason)
        pair = self.pair if name is None else self.pairs[name]
        resource = pair.new.resource.name
        is_named_so = [*self.pairs] == [resource]
        if is_named_so and self.kind is None and not self.unpaired:
            return self
        return self.of({resource: pair})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "only", "pairs"]
