"""The comparison of two fetches: the class that lists its findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import polars as pl

from ventureframe.client.result import limited
from ventureframe.display.finding import Exhibit, Finding
from ventureframe.display.table import Column, columns
from ventureframe.display.wording import in_words, number
from ventureframe.errors import EvidenceError, UnsupportedValue
from ventureframe.evidence import study
from ventureframe.studies.changes import words
from ventureframe.studies.changes.pair import Counts, Pair, day
from ventureframe.studies.changes.records import KINDS, SEEN, shown
from ventureframe.studies.changes.tables import largest

_OPEN: Final = "not claimed"
_SAME: Final = "No difference."
_OWN_DATE: Final = Column(
    "own_date",
    "Its own date",
    "state",
    null="–",
    meaning="earlier: dated on the day of the first fetch or before",
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
        frames = {self.name: pl.DataFrame(schema=[column.name for column in listed])}
        empty = super().finding(
            replace(one, subject=f"{_OPEN}: {one.subject}", frames=frames)
        )
        why = f"Not claimed: {one.pair.unclaimed[self.name]}."
        return _NotClaimed(**{**vars(empty), "nothing": why})


def _about(study: Any, *more: str) -> Sequence[str]:
    return [study.day, f"{number(study.counts.in_both)} in both", *more]


def _record(study: Any, *also: Column) -> Sequence[Column]:
    """What is shown of a record, and its key at the end."""
    return (*shown(study.pair.new.resource.name), *also, *_ids(study))


def _ids(study: Any) -> Sequence[Column]:
    return columns("id", **{name: name.replace("_", " ") for name in study.pair.key})


def _changed_fields(study: Any) -> Sequence[Column]:
    return (
        Column("record", "Record"),
        *columns("state", field="Field", kind="How"),
        *columns("text", null="nothing recorded", before="Before", after="After"),
        *_ids(study),
    )


def _meanings(words: Mapping[str, str]) -> str:
    return "; ".join(
        f"{word.replace('_', ' ')}: {meaning}" for word, meaning in words.items()
    )


def _fetches(study: Any) -> pl.DataFrame:
    """The two fetches of the first result; all others are of the same sources."""
    rows = []
    for which, result in (("first", study.pair.old), ("second", study.pair.new)):
        source = result.provenance.source
        made_up = "SYNTHETIC" if source.synthetic else None
        rows.append((which, source.name, made_up, day(result), study.currency))
    schema = dict.fromkeys(("fetch", "source", "data", "day", "currency"), pl.String())
    return pl.DataFrame(rows, schema, orient="row")


def _results(study: Any) -> pl.DataFrame:
    """A row per result; why a number is not claimed stands beside it."""
    rows = [
        (name, *pair.counts, "; ".join(pair.unclaimed.values()) or None)
        for name, pair in study.pairs.items()
    ]
    numbers, alone = Counts._fields, "saved on one side only, so not compared"
    rows += [(name, *[None] * len(numbers), alone) for name in study.unpaired]
    schema = {
        "result": pl.String(),
        **dict.fromkeys(numbers, pl.Int64()),
        "note": pl.String(),
    }
    return pl.DataFrame(rows, schema, orient="row")


def _counts(study: Any) -> pl.DataFrame:
    pair, c = study.pair, study.counts
    every = pl.concat([pair.frames["field_changes"], pair.frames["cannot_tell"]])
    kinds = every.group_by("field", "kind", maintain_order=True).len()
    rows: list[tuple[str, int | None]] = [
        ("in the first fetch", len(pair.old)),
        ("in the second fetch", len(pair.new)),
        ("in both", c.in_both),
        *((SEEN[name], count) for name, count in pair.seen.items()),
        ("in both, with a changed field", c.changed),
        *(
            (f"{in_words(field)}: {KINDS[kind]}", count)
            for field, kind, count in kinds.iter_rows()
        ),
    ]
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
            *columns("text", fetch="Fetch", source="Source"),
            *columns("text", null="–", data="Data", day="Day", currency="Currency"),
        ),
        rows=_fetches,
    )
    results = Exhibit(
        "Fetched twice: {subject}",
        (
            Column("result", "Result"),
            *columns(
                "number",
                null=_OPEN,
                newly_seen="Newly seen",
                no_longer_seen="No longer listed",
                in_both="In both",
                changed="In both, with a changed field",
                cannot_tell="Move may be exchange rates alone",
            ),
            Column("note", "Note", null="–"),
        ),
        lambda study: [study.day, *study.doubt],
        "ventureframe.studies.changes.figures:results",
        rows=_results,
    )
    largest = Exhibit(
        "What changed most: {subject}",
        (
            *columns("text", record="Record", kind="Kind"),
            *columns("text", null="–", what="What", before="Before", after="After"),
        ),
        lambda study: [
            study.day,
            *study.doubt,
            "funding first, larger amounts first",
        ],
        rows=largest,
        meaning="The ten differences that matter most, of all kinds of record.",
        nothing=_SAME,
    )
    changes = _OfRecords(
        "What differs: {subject}",
        (Column("what", "What"), Column("records", "Records", "number", null=_OPEN)),
        _about,
        rows=_counts,
    )
    newly_seen = _OfRecords(
        "Newly seen: {subject}",
        lambda study: _record(study, _OWN_DATE),
        lambda study: _about(study, *study.doubt),
        nothing="No record is newly seen.",
    )
    no_longer_seen = _OfRecords(
        "No longer listed: {subject}",
        _record,
        lambda study: _about(study, f"a {words.gone(study.pair)}"),
        nothing="Every record of the first fetch is in the second.",
    )
    field_changes = _OfRecords(
        "Changed fields: {subject}",
        _changed_fields,
        lambda study: _about(
            study, _meanings({word: KINDS[word] for word in [*KINDS][:3]})
        ),
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
        every = list(pairs.values())
        fetched = (*(pair.old for pair in every), *(pair.new for pair in every))
        coverage = pl.concat(pair.frames["coverage"] for pair in every)
        currencies = (pair.new.provenance.currency for pair in every)
        return cls.told(
            words,
            every[0],
            source=limited(every[0].new.provenance.source, fetched),
            frames={**every[0].frames, "coverage": coverage},
            subject=every[0].studied if kind else ", ".join(pairs).replace("-", " "),
            limits=tuple(
                dict.fromkeys(limit for pair in every for limit in words.caveats(pair))
            ),
            currency=next(filter(None, currencies), None),
            fetched=fetched,
            pairs=pairs,
            unpaired=unpaired,
            kind=kind,
        )

    @property
    def day(self) -> str:
        """The days of the two fetches."""
        return self.pair.days

    @property
    def doubt(self) -> tuple[str, ...]:
        """What newly seen records do not say, where there are some."""
        is_new = any(pair.counts.newly_seen for pair in self.pairs.values())
        return ("newly seen is not newly happened",) * is_new

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
        is_alone = (
            [*self.pairs] == [resource] and self.kind is None and not self.unpaired
        )
        return self if is_alone else self.of({resource: pair})

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "only", "pairs"]
