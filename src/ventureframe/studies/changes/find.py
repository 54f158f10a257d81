"""What differs between two saves of one question; newly seen is not newly happened.

The service has no change feed, so change is what a client finds by comparing two fetches by id
(interface, reading rule 7). What an incomplete fetch leaves open is not claimed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ventureframe.client.result import Result, limited
from ventureframe.client.saves import Saved, opened
from ventureframe.errors import EvidenceError, UnknownField, UnsupportedValue
from ventureframe.evidence import rows
from ventureframe.evidence.study import Answer
from ventureframe.evidence.study import Study as _Study
from ventureframe.studies.changes import tables, words
from ventureframe.studies.changes.pair import Counts, Pair
from ventureframe.studies.changes.records import recorded

Side = _Study | Result | str | Path
"""What can be compared: a study, a result, or the folder where either is saved."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What two fetches of one question show, record by record; of a study, for each of its results.

    Of several results, all findings but `results`, and the answer, are about the first one, which
    the others belong to; `only(name)` is the same for another. What an incomplete fetch leaves
    open is not claimed: null as a number, and `EvidenceError` as a frame.

    Attributes
    ----------
    results : Finding
        A row per result: result (its name), newly_seen, no_longer_seen, in_both, changed (of
        these; numbers of records), note (why a number is null).
    changes : Finding
        The numbers of records as rows: what, records.
    newly_seen, no_longer_seen : Finding
        The rows of one fetch that the other lacks; those newly seen with `own_date` (of
        `dates.OWN_DATES`): how the record's own date lies to the two fetches.
    field_changes : Finding
        A row per record in both and field that differs: the key, record (its name), field, kind
        (of `records.KINDS`), old and new as text (numbers exact, lists and records as JSON). Lists
        have no order, and an empty one is nothing recorded. `changed(field)` gives typed values.
    schema_changes : Finding
        Columns that are not compared: column, change (added, removed, type changed, left out by the
        service), old, new (types).
    pairs : mapping of str to Pair
        What was compared, by name; `unpaired` are the names that only one side has.
    kind : str or None
        The study that both sides are saves of.
    """

    pairs: Mapping[str, Pair]
    unpaired: tuple[str, ...] = ()
    kind: str | None = None

    results = tables.RESULTS
    changes = tables.CHANGES
    newly_seen = tables.NEWLY_SEEN
    no_longer_seen = tables.NO_LONGER_SEEN
    field_changes = tables.FIELD_CHANGES
    schema_changes = tables.SCHEMA_CHANGES

    @property
    def subject(self) -> str:
        """What was fetched twice, as titles name it."""
        names = ", ".join(self.pairs).replace("-", " ")
        return f"{self.kind} study" if self.kind else names

    @property
    def days(self) -> str:
        """The days of the two fetches."""
        return self.pair.days if self.pairs else "with nothing in common"

    @property
    def pair(self) -> Pair:
        """The two fetches that the findings are about; raises `EvidenceError` without any."""
        if not self.pairs:
            raise EvidenceError(self.sentence)
        return next(iter(self.pairs.values()))

    @property
    def counts(self) -> Counts:
        """The numbers of records; None is what cannot be claimed."""
        return self.pair.counts

    @property
    def sentence(self) -> str:
        """What the comparison says."""
        return words.answer(self.pair) if self.pairs else "Nothing was fetched twice."

    @property
    def answer(self) -> Answer:
        """The bottom line; it names what an incomplete fetch leaves open."""
        return Answer(self.sentence, self.source)

    def only(self, name: str | None = None) -> Study:
        """The comparison of one result alone: of the first where none is named.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        if name is not None and name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs) or 'nothing'}"
            raise UnsupportedValue(name, field="result", reason=reason)
        pair = self.pair if name is None else self.pairs[name]
        return _study({pair.new.resource.name: pair})

    def changed(self, field: str) -> pl.DataFrame:
        """The records whose field differs: the key, old and new in the field's own type.

        Raises `UnknownField`, and `EvidenceError` where the fetches cannot be compared.
        """
        pair = self.pair
        if pair.incomparable:
            raise EvidenceError(pair.refusal)
        if field not in pair.fields:
            resource = pair.new.resource.name
            raise UnknownField(field, resource=resource, known=pair.fields, use="compare")
        found = pair.frames["field_changes"].filter(field=field).select(pair.key)
        for side, frame in zip(("old", "new"), pair.rows, strict=True):
            values = frame.select(*pair.key, pl.col(field).alias(side))
            found = found.join(values, on=pair.key, maintain_order="left")
        return found

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "changed", "only", "pairs"]


def compare(old: Side, new: Side) -> Study:
    """What the second fetch has that the first lacks or has otherwise, by id.

    Two results are compared with each other; of two studies, or saves of them, each result with
    that of its name. Folders are loaded, and checked, first: raises `SaveError`.

    >>> import tempfile
    >>> import ventureframe as vf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, day in (("march", "2026-03-31"), ("now", None)):
    ...         _ = vf.connect(sample_day=day).companies.fetch().save(f"{folder}/{name}")
    ...     vf.changes.compare(f"{folder}/march", f"{folder}/now").answer  # doctest: +ELLIPSIS
    From 2026-03-31 to 2026-06-30: 55 companies newly seen, 0 companies no longer seen, ...
    """
    first, second = _saved(old), _saved(new)
    before, after, refused = first.results, second.results, _refused(first, second)
    if len(before) == len(after) == 1 and first.study is second.study is None:
        before = dict(zip(after, before.values(), strict=True))
    return _study(
        {name: Pair(before[name], after[name], refused) for name in before if name in after},
        unpaired=tuple(sorted(before.keys() ^ after.keys())),
        kind=second.study,
    )


def _study(
    pairs: Mapping[str, Pair], *, unpaired: tuple[str, ...] = (), kind: str | None = None
) -> Study:
    every = list(pairs.values())
    fetched = (*(pair.old for pair in every), *(pair.new for pair in every))
    made = every[0].new.provenance if every else None
    known = rows.made([row for pair in every for row in _known(pair)], rows.COVERAGE)
    return Study(
        frames={"coverage": known.to_native(), **(every[0].frames if every else {})},
        statements=(),
        limits=tuple(dict.fromkeys(each for pair in every for each in words.caveats(pair))),
        currency=made.currency if made else None,
        source=limited(made.source, fetched) if made else None,
        fetched=fetched,
        pairs=pairs,
        unpaired=unpaired,
        kind=kind,
    )


def _known(pair: Pair) -> Iterator[tuple[str, str, int, int]]:
    """Per fetch and field that is compared, in how many records something is recorded."""
    sides = () if pair.incomparable else zip(("first", "second"), pair.rows, strict=True)
    for side, frame in sides:
        for name in pair.fields:
            count = frame.select(recorded(name, frame.schema[name]).sum()).item()
            yield f"{pair.subject}, {side} fetch", name, count, frame.height


def _saved(side: Side) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    return side.saved if isinstance(side, _Study) else opened(side)


def _refused(first: Saved, second: Saved) -> str | None:
    """Why two saves are not of one study, if they are not; a save holds parameters as JSON."""
    if first.study != second.study:
        return f"they are of different studies ({first.study}, {second.study})"
    one, other = (
        {name: json.dumps(value) for name, value in each.parameters.items() if value is not None}
        for each in (first, second)
    )
    differ = sorted(name for name in one | other if one.get(name) != other.get(name))
    return f"the studies have another {' and '.join(differ)}" if differ else None
