"""What differs between two saves of one question, or two tables; newly seen is not newly happened.

The service has no change feed, so change is what a client finds by comparing two fetches by id
(interface, reading rule 7). What an incomplete fetch leaves open is not claimed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import narwhals as nw
import polars as pl

from ventureframe.bulk.open import open as open_folder
from ventureframe.client import saves
from ventureframe.client.result import Result, Saved, limited, opened
from ventureframe.dataset.manifest import SEALED
from ventureframe.errors import FetchesNotComparable, UnsupportedValue
from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence.engine_rows import Frame
from ventureframe.evidence.study import Study as _Study
from ventureframe.interface.certificate import Certificate, Verdict
from ventureframe.interface.fields import RESOURCES, Currency, Resource
from ventureframe.interface.source import NotThere, Provenance, Source
from ventureframe.studies.changes import tables, words
from ventureframe.studies.changes.pair import Counts, Pair
from ventureframe.studies.changes.records import recorded
from ventureframe.studies.changes.refusal import refuse

if TYPE_CHECKING:
    from ventureframe.client.service import Service

_MOST_BY_ID: Final = 500
"""Most records that are requested by id: ten requests."""

Side = _Study | Result | Mapping[str, Any] | str | Path
"""What can be compared: a study, a result, the folder where either is saved, or a pull."""
Table = Frame | Mapping[str, Any]
"""A frame of any library or engine, or the frames of a dataset with its `origin`."""


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
        not its conversion.
    cannot_tell : Finding
        The same columns for amounts that moved no further than exchange rates can have moved them:
        whether the recorded amount changed cannot be told. They are not among the changes.
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

    name = "changes"
    about = "what changed"

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

    def _of_fetches(self) -> str:
        """Nothing: the sentence names what an incomplete fetch leaves open."""
        return ""

    def only(self, name: str | None = None) -> Study:
        """The comparison of one result alone: of the first where none is named.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        self._check(name, field="result")
        is_one = [*self.pairs] == [self.pair.new.resource.name]
        if is_one and self.kind is None and not self.unpaired:
            return self
        pair = self.pair if name is None else self.pairs[name]
        return _study({pair.new.resource.name: pair})

    def showing(self, name: str | None = None, *, currency: Currency | None = None) -> Study:
        """The same comparison with one result first, and amounts in a currency of both fetches.

        Raises `UnsupportedValue` for a name or a currency that both fetches do not have.
        """
        self._check(name, field="part")
        ordered = sorted(self.pairs, key=lambda each: each != name)
        pairs = {each: self.pairs[each] for each in ordered}
        if currency is not None:
            pairs = {each: pair.in_currency(currency) for each, pair in pairs.items()}
        return _study(pairs, unpaired=self.unpaired, kind=self.kind)

    def _check(self, name: str | None, *, field: str) -> None:
        if name is not None and name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs)}"
            raise UnsupportedValue(name, field=field, reason=reason)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "only", "pairs"]


def compare(old: Side, new: Side, *, svc: Service | None = None) -> Study:
    """What the second fetch has that the first lacks or has otherwise, by id.

    Two results are compared with each other; of two studies, or saves of them, each result with
    that of its name. A result in two currencies on both sides (`Result.save(folder, also=…)`) is
    compared once: an amount that stayed the same in one of them did not change.

    Two pulls, as folders or as `vf.bulk.open(folder, pulled=day)` gives them, are compared table by
    table where they lie, as `find` does, and nothing is asked.

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
    if (one := _pulled(old)) and (other := _pulled(new)):
        return _of_pulls(one, other)
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


_TABLES: Final = ("companies", "founders", "funds", "news", "jobs")
"""The tables of a pull that are compared."""


def _pulled(side: Side) -> Mapping[str, Any] | None:
    """The frames of a pull; None for anything else."""
    if isinstance(side, str | Path):
        folder = Path(side)
        is_pull = SEALED.is_in(folder) and not saves.SEALED.is_in(folder)
        return open_folder(folder) if is_pull else None
    return side if isinstance(side, Mapping) else None


def _of_pulls(before: Mapping[str, Any], after: Mapping[str, Any]) -> Study:
    """The comparison of every table that both have; of none, `find` says why."""
    here, there = (
        {name for name in _TABLES if not isinstance(each[name], NotThere)}
        for each in (before, after)
    )
    both = [name for name in _TABLES if name in here & there] or ["companies"]
    found = (find(before=before, after=after, table=name) for name in both)
    pairs = {name: pair for study in found for name, pair in study.pairs.items()}
    return _study(pairs, unpaired=tuple(sorted(here ^ there)))


def find(
    *,
    before: Table,
    after: Table,
    table: str = "companies",
    key: Sequence[str] = (),
    sources: tuple[Source, Source] | None = None,
    currency: Currency | None = None,
) -> Study:
    """What the second of two tables has that the first lacks or has otherwise; nothing is fetched.

    They are joined by key on the engine of the frames, so two pulls of a million rows need little
    memory: only rows that differ are collected. Rows are listed in the order of the key.

    Parameters
    ----------
    before, after : frame, or what `vf.bulk.open` gives
        The two tables, of any library or engine, both of the same; a table that is opened with its
        dataset brings its source and, where a service converted its amounts, their currency.
    table : str
        What a row is: the name of a resource, or of another table of a dataset.
    key : sequence of str, optional
        The columns that identify a row; those of the tables of a dataset are known.
    sources : (Source, Source), optional
        Where the frames are from: `as_of` is the day of each, and one whose `incomplete` names
        the table does not hold every record: what it leaves open is not claimed.
    currency : {"USD", "EUR", "GBP"}, optional
        What amounts are converted to; None: they are as recorded, so that every difference counts.

    Raises `FetchesNotComparable` where the first is the later one or they are of other data, and
    `UnsupportedValue` for a table that needs a `key`.

    >>> import polars as pl
    >>> before = pl.LazyFrame({"uuid": ["a", "b"], "name": ["A", "B"]})
    >>> after = pl.LazyFrame({"uuid": ["b", "c"], "name": ["Bee", "C"]})
    >>> find(before=before, after=after).counts
    Counts(newly_seen=1, no_longer_seen=1, in_both=1, changed=1, cannot_tell=0)
    """
    resource, keyed = _resource(table, tuple(key))
    names = ("the first table", "the second table")
    first, second = (
        _with_source(side, table, source)
        for side, source in zip((before, after), sources or map(Source, names), strict=True)
    )
    old, new = (
        _described(frame, resource, source, currency or converted_to)
        for frame, source, converted_to in (first, second)
    )
    pair = Pair(old, new, given=(first[0], second[0]), keyed=keyed)
    one, other = (Saved({resource.name: result}) for result in (old, new))
    refuse(one, other, {resource.name: pair}, names=names)
    return _study({resource.name: pair})


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "company_founders": ("company_uuid", "founder_uuid"),
    "company_tags": ("company_uuid", "name", "type"),
    "education": ("founder_uuid", "position"),
    "lp_managers": ("lp_uuid", "manager_uuid"),
}
"""What identifies a row of a table that is no resource."""


def _resource(table: str, key: tuple[str, ...]) -> tuple[Resource, tuple[str, ...]]:
    """What a row of the table is, and the columns that identify it."""
    name = table.replace("_", "-")
    known = RESOURCES.get(name)
    key = key or _KEYS.get(table, ()) or ((known.key,) if known else ())
    if not key:
        reason = "name the columns that identify a row: key=(…)"
        raise UnsupportedValue(table, field="table", reason=reason)
    return known or Resource(f"rows-of-{name}", f"row_of_{table}", ()), key


def _with_source(side: Table, table: str, source: Source) -> tuple[Frame, Source, Currency | None]:
    """The frame with its source, and the currency a service converted its amounts to."""
    if not isinstance(side, Mapping):
        return side, source, None
    origin, given = side["origin"], rows.lazy(side[table])
    is_converted = not origin.source.is_embedded and len(origin.rates) == 1
    currency = next(iter(origin.rates)) if is_converted else None
    amounts = [name for name in given.collect_schema().names() if name.startswith("amount_in_")]
    if f"amount_in_{currency}" in amounts:
        given = given.with_columns(amount=nw.col(f"amount_in_{currency}"))
    return given.drop(amounts).to_native(), origin.source, currency


def _described(
    frame: Frame, resource: Resource, source: Source, currency: Currency | None
) -> Result:
    """What is known of a frame, as of a fetch; it does not hold the rows."""
    many = int(rows.one(rows.lazy(frame), every=nw.len())["every"])
    named = rf"{resource.name} \d" if resource.fields else ""
    only = f"{resource.name} only "
    narrowed = (said.removeprefix(only) for said in source.incomplete if said.startswith(only))
    is_partial = any(re.match(named, said) for said in source.incomplete)
    total, verdict = (None, "short") if is_partial else (many, "complete")
    return Result(
        resource=resource,
        certificate=Certificate(total, total, many, many, 0, 0, 0, 0.0, cast("Verdict", verdict)),
        provenance=Provenance(
            resource.name, next(narrowed, None), None, currency, "", source, None, ""
        ),
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
    fetched = tuple(
        getattr(pair, side) for side in ("old", "new") for pair in every if pair.given is None
    )
    currencies = (pair.new.provenance.currency for pair in every)
    known = rows.made([row for pair in every for row in _known(pair)], rows.COVERAGE)
    return Study(
        frames={"coverage": known, **every[0].frames},
        subject=f"{kind} study" if kind else ", ".join(pairs).replace("-", " "),
        sentence=words.answer(every[0]),
        key_figures=words.key_figures(every[0]),
        limits=tuple(dict.fromkeys(each for pair in every for each in words.caveats(pair))),
        currency=next(filter(None, currencies), None),
        source=limited(every[0].new.provenance.source, fetched),
        fetched=fetched,
        pairs=pairs,
        unpaired=unpaired,
        kind=kind,
    )


def _known(pair: Pair) -> Iterator[tuple[str, str, int, int]]:
    for side, parts in zip(("first", "second"), zip(*pair.parts, strict=True), strict=True):
        kinds = parts[0].collect_schema()
        counted = {
            f"{name}_": rows.holds(recorded(nw.col(name), kinds[name])) for name in pair.fields
        }
        found = [rows.one(each, every=nw.len(), **counted) for each in parts]
        known = {name: sum(each[name] for each in found) for name in found[0]}
        for name in pair.fields:
            yield f"{pair.subject}, {side} fetch", name, known[f"{name}_"], known["every"]


def _saved(side: Side) -> Saved:
    if isinstance(side, Result):
        return Saved({side.resource.name: side})
    if isinstance(side, Mapping):
        advice = "Give two pulls, or two fetches"
        names = {"first": "one of them", "second": "the other"}
        raise FetchesNotComparable("only one of them is a pull", **names, advice=advice)
    return side.saved if isinstance(side, _Study) else opened(side)


def _named(side: Side, otherwise: str) -> str:
    return f"{otherwise} ({str(side)!r})" if isinstance(side, str | Path) else otherwise
