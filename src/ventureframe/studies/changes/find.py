"""What differs between two saves of one question; newly seen is not newly happened.

The service has no change feed, so change is what a client finds by comparing two fetches by id
(interface, reading rule 7). What an incomplete fetch leaves open is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import narwhals as nw
import polars as pl

from ventureframe.client.result import Result, limited
from ventureframe.client.saves import Saved, opened
from ventureframe.errors import FetchesNotComparable, UnknownField, UnsupportedValue
from ventureframe.evidence import rows
from ventureframe.evidence.rows import Frame
from ventureframe.evidence.study import Answer
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import RESOURCES, Currency, Resource
from ventureframe.interface.source import Provenance, Source
from ventureframe.studies.changes import tables, words
from ventureframe.studies.changes.pair import Counts, Pair
from ventureframe.studies.changes.records import recorded
from ventureframe.studies.changes.refusal import refuse

if TYPE_CHECKING:
    from ventureframe.client.service import Service

_MOST_BY_ID: Final = 500
"""Most records that are requested by id: ten requests."""

Side = _Study | Result | str | Path
"""What can be compared: a study, a result, or the folder where either is saved."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(_Study):
    """What two fetches of one question show, record by record; of a study, for each of its results.

    Of several results, all findings but `results` and `fetches`, and the answer, are about the
    first one, which the others belong to; `only(name)` is the same for another. What an incomplete
    fetch leaves open is not claimed: null as a number, and `EvidenceError` as a frame.

    Attributes
    ----------
    fetches : Finding
        A row per fetch: fetch ("first" or "second"), source, data ("SYNTHETIC" or null), day (text)
        and currency (null where nothing is converted).
    results : Finding
        A row per result: result (its name), newly_seen, no_longer_seen, in_both, changed and
        cannot_tell (of these; numbers of records), note (why a number is null).
    changes : Finding
        The numbers of records as rows: what, records.
    newly_seen, no_longer_seen : Finding
        The rows of one fetch that the other lacks; those newly seen with `own_date` (of
        `records.OWN_DATES`): how the record's own date lies to the two fetches; those no longer
        seen with `by_id`: "returned" or "not_returned" by the service, null where not asked.
    field_changes : Finding
        A row per record in both and field that differs: the key, record (its name), field, kind
        (of `records.KINDS`), old and new as text (numbers exact, lists and records as JSON), before
        and after as a reader sees them (amounts rounded, with their currency). Lists have no order,
        and an empty one is nothing recorded. Where rows show a recorded amount, it is compared, and
        not its conversion. `changed(field)` gives typed values.
    cannot_tell : Finding
        The same columns for amounts that moved no further than exchange rates can have moved them:
        whether the recorded amount changed cannot be told. They are not among the changes.
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

    fetches = tables.FETCHES
    results = tables.RESULTS
    changes = tables.CHANGES
    newly_seen = tables.NEWLY_SEEN
    no_longer_seen = tables.NO_LONGER_SEEN
    field_changes = tables.FIELD_CHANGES
    cannot_tell = tables.CANNOT_TELL
    schema_changes = tables.SCHEMA_CHANGES

    @property
    def subject(self) -> str:
        """What was fetched twice, as titles name it."""
        names = ", ".join(self.pairs).replace("-", " ")
        return f"{self.kind} study" if self.kind else names

    @property
    def days(self) -> str:
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

    @property
    def sentence(self) -> str:
        """What the comparison says."""
        return words.answer(self.pair)

    @property
    def answer(self) -> Answer:
        """The bottom line; it names what an incomplete fetch leaves open."""
        return Answer(self.sentence, self.source)

    def only(self, name: str | None = None) -> Study:
        """The comparison of one result alone: of the first where none is named.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        if name is not None and name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs)}"
            raise UnsupportedValue(name, field="result", reason=reason)
        pair = self.pair if name is None else self.pairs[name]
        return _study({pair.new.resource.name: pair})

    def changed(self, field: str) -> pl.DataFrame:
        """The records whose field differs: the key, old and new in the field's own type.

        Raises `UnknownField`.
        """
        pair = self.pair
        if field not in pair.fields:
            resource = pair.new.resource.name
            raise UnknownField(field, resource=resource, known=pair.fields, use="compare")
        found = pair.frames["field_changes"].filter(field=field).select(pair.key)
        values = pair.values(field).select(*pair.key, "old", "new")
        return found.join(values, on=pair.key, maintain_order="left")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "changed", "only", "pairs"]


def compare(old: Side, new: Side, *, svc: Service | None = None) -> Study:
    """What the second fetch has that the first lacks or has otherwise, by id.

    Two results are compared with each other; of two studies, or saves of them, each result with
    that of its name. A result in two currencies on both sides (`Result.save(folder, also=…)`) is
    compared once: an amount that stayed the same in one of them did not change.

    No service is asked unless `svc` is given: of a filtered query, up to 500 companies or founders
    no longer seen are then requested by their ids, because they may only have left the filter.

    Raises `FetchesNotComparable` where the first is the later one, where the two are of other data
    or of another question, and where `svc` is not the source of the second; folders are loaded, and
    checked, first: `SaveError`.

    >>> import tempfile
    >>> import ventureframe as vf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, day in (("march", "2026-03-31"), ("now", None)):
    ...         _ = vf.connect(sample_day=day).companies.fetch().save(f"{folder}/{name}")
    ...     vf.changes.compare(f"{folder}/march", f"{folder}/now").counts
    Counts(newly_seen=55, no_longer_seen=0, in_both=1945, changed=388, cannot_tell=524)
    """
    first, second = _saved(old), _saved(new)
    before, after = first.results, second.results
    if len(before) == len(after) == 1 and first.study is second.study is None:
        before = dict(zip(after, before.values(), strict=True))
    pairs = {name: Pair(before[name], after[name]) for name in before if name in after}
    names = (_named(old, "the first fetch"), _named(new, "the second fetch"))
    refuse(first, second, pairs, names=names)
    unpaired = tuple(sorted(before.keys() ^ after.keys()))
    pairs = _once(pairs)
    if svc is not None:
        pairs = {name: replace(pair, returned=_returned(pair, svc)) for name, pair in pairs.items()}
    return _study(pairs, unpaired=unpaired, kind=second.study)


def find(
    *,
    before: Frame,
    after: Frame,
    table: str = "companies",
    key: Sequence[str] = (),
    sources: tuple[Source, Source] = (Source("the first frame"), Source("the second frame")),
    currency: Currency | None = None,
    is_complete: tuple[bool, bool] = (True, True),
) -> Study:
    """What the second of two tables has that the first lacks or has otherwise; nothing is fetched.

    The frames are of any library or engine that narwhals knows, both of one: two pulls of a million
    rows are joined there by key, and only rows that differ come back. Rows are listed by their key.

    Parameters
    ----------
    before, after : frame
        The two tables, as dataset folders or pulls hold them.
    table : str
        What a row is: the name of a resource or of another table of a dataset.
    key : sequence of str, optional
        The columns that identify a row; by default the resource's own.
    sources : (Source, Source)
        Where each is from, with its day: `as_of`.
    currency : {"USD", "EUR", "GBP"}, optional
        What amounts are converted to, so that moved rates are told from changes; None: they are
        as recorded.
    is_complete : (bool, bool)
        Whether each holds every record; what an incomplete one leaves open is not claimed.

    Raises `FetchesNotComparable` where the first is the later one or they are of other data, and
    `UnsupportedValue` for a table that needs a `key`.

    >>> import polars as pl
    >>> before = pl.LazyFrame({"uuid": ["a", "b"], "name": ["A", "B"]})
    >>> after = pl.LazyFrame({"uuid": ["b", "c"], "name": ["Bee", "C"]})
    >>> find(before=before, after=after).counts
    Counts(newly_seen=1, no_longer_seen=1, in_both=1, changed=1, cannot_tell=0)
    """
    resource = _resource(table, key)
    old, new = (
        _described(frame, resource, source, currency, is_complete=whole)
        for frame, source, whole in zip((before, after), sources, is_complete, strict=True)
    )
    pair = Pair(old, new, given=(before, after), keyed=tuple(key) or (resource.key,))
    first, second = (Saved({resource.name: result}) for result in (old, new))
    pairs = {resource.name: pair}
    refuse(first, second, pairs, names=("the first frame", "the second frame"))
    return _study(pairs)


def _resource(table: str, key: Sequence[str]) -> Resource:
    known = RESOURCES.get(table.replace("_", "-"))
    if known is None and not key:
        reason = "name the columns that identify a row: key=(…)"
        raise UnsupportedValue(table, field="table", reason=reason)
    name = table.replace("_", "-")
    return known or Resource(f"rows-of-{name}", f"row_of_{table}", ())


def _described(
    frame: Frame,
    resource: Resource,
    source: Source,
    currency: Currency | None,
    *,
    is_complete: bool,
) -> Result:
    """What is known of a frame, as of a fetch; it does not hold the rows."""
    many = int(rows.one(rows.lazy(frame), every=nw.len())["every"])
    reported = many if is_complete else None
    return Result(
        resource=resource,
        certificate=Certificate(
            *(reported, reported, many, many, 0, 0, 0, 0.0),
            "complete" if is_complete else "short",
        ),
        provenance=Provenance(resource.name, None, None, currency, "", source, None, ""),
        asked=None,
        missing=(),
        absent_fields=(),
        extra_columns=(),
        _frame=pl.DataFrame(),
    )


def _returned(pair: Pair, svc: Service) -> frozenset[str] | None:
    """The records no longer seen that the service has under their ids; None where not asked."""
    source = pair.new.provenance.source
    if (svc.source.name, svc.source.as_of) != (source.name, source.as_of):
        said = f"{svc!r} is not the source of the second, {source.name!r}"
        advice = "Give the service that the second fetch is of, or none"
        names = {"first": "the first fetch", "second": "the second fetch"}
        raise FetchesNotComparable(said, **names, advice=advice)
    queries = {"companies": svc.companies, "founders": svc.founders}
    query, gone = queries.get(pair.new.resource.name), pair.gone
    is_open = pair.new.provenance.filter is not None and "no_longer_seen" not in pair.unclaimed
    if query is None or not is_open or not 0 < gone.height <= _MOST_BY_ID:
        return None
    key = pair.new.resource.key
    return frozenset(query.by_id(gone[key]).fetch().to_polars()[key])


def _once(pairs: Mapping[str, Pair]) -> dict[str, Pair]:
    """Each question once; what a save also has in other currencies is named after it."""
    found = dict(pairs)
    for name, pair in pairs.items():
        first, _, currency = name.rpartition("-")
        if first in found and currency == str(pair.new.provenance.currency).lower():
            found[first] = replace(found[first], also=(*found[first].also, (pair.old, pair.new)))
            del found[name]
    return found


def _study(
    pairs: Mapping[str, Pair], *, unpaired: tuple[str, ...] = (), kind: str | None = None
) -> Study:
    every = list(pairs.values())
    every_side = (*(pair.old for pair in every), *(pair.new for pair in every))
    currencies = (pair.new.provenance.currency for pair in every)
    known = rows.made([row for pair in every for row in _known(pair)], rows.COVERAGE)
    return Study(
        frames={"coverage": known, **every[0].frames},
        statements=(),
        limits=tuple(dict.fromkeys(each for pair in every for each in words.caveats(pair))),
        currency=next(filter(None, currencies), None),
        source=limited(every[0].new.provenance.source, every_side),
        fetched=() if every[0].given else every_side,
        pairs=pairs,
        unpaired=unpaired,
        kind=kind,
    )


def _known(pair: Pair) -> Iterator[tuple[str, str, int, int]]:
    for side, frame in zip(("first", "second"), pair.rows, strict=True):
        kinds = frame.collect_schema()
        counted = {
            f"{name}_": rows.holds(recorded(nw.col(name), kinds[name])) for name in pair.fields
        }
        known = rows.one(frame, every=nw.len(), **counted)
        for name in pair.fields:
            yield f"{pair.subject}, {side} fetch", name, known[f"{name}_"], known["every"]


def _saved(side: Side) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    return side.saved if isinstance(side, _Study) else opened(side)


def _named(side: Side, otherwise: str) -> str:
    return f"{otherwise} ({str(side)!r})" if isinstance(side, str | Path) else otherwise
