"""What a fetch gives: rows as typed frames, with the certificate and the provenance
beside them.
"""

from __future__ import annotations

import dataclasses
import operator as op
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ventureframe.client import frames, saves
from ventureframe.client.checks import KEY
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import SaveError, shortened
from ventureframe.interface import filters, gaps
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import COMPANIES, FUNDS, Resource
from ventureframe.interface.files import MANIFEST, ending, from_plain, to_plain
from ventureframe.interface.gaps import Doubt, Gap
from ventureframe.interface.source import FACTS, Provenance, Source
from ventureframe.interface.wire.generations import WIRE_2026_10_02

if TYPE_CHECKING:
    import pandas as pd

_MOVED = "The records moved while they were read, so rows may be missing"
_UNKNOWN = "No total is reported, so whether every record was read is not known"
# how a verdict reads in a repr, and the sentence that leads an incomplete result
_VERDICTS: Final[Mapping[str, tuple[str, str | None]]] = {
    "complete": ("complete", None),
    "short": ("short: fewer than reported", "Not every record was read"),
    "less": (
        "short: the service shows less than it has",
        "The service shows less than it has",
    ),
    "over": (
        "over: more than reported",
        "More rows were returned than the service reports",
    ),
    "drifted": ("drifted: the records moved while they were read", _MOVED),
    "total_not_reported": ("total not reported", _UNKNOWN),
    "uncounted": ("total not reported", None),
}
_LISTS = ("education", "founders", "investors", "prior_employers")
_NAMED = 3  # owners that a sentence names
# what a save says of a result beside its details and rows
_FACTS: Final[Mapping[str, Any]] = {
    "resource": Resource,
    "certificate": Certificate,
    "provenance": Provenance,
    "asked": tuple[str, ...] | None,
    "missing": tuple[str, ...],
}
_THRESHOLDS = {"gte": op.ge, "gt": op.gt, "lte": op.le, "lt": op.lt, "eq": op.eq}


@dataclass(frozen=True)
class Details:
    """What the request and the wire say of the columns of a result.

    `asked_by` are the columns that hold the requested ids. `added_columns` are known
    from the request, `extra_columns` hold dates less precise than a day,
    `absent_fields` are declared and left out in at least one row, `unknown_keys`
    are sent and not declared. `partial` counts by list field the rows that show
    some entries only; `notes` say what the wire asked or cannot say, and
    `is_uncounted` that it counts no such rows.
    """

    asked_by: tuple[str, ...] = ()
    added_columns: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    absent_fields: tuple[str, ...] = ()
    partial: tuple[tuple[str, int], ...] = ()
    notes: tuple[Doubt, ...] = ()
    is_uncounted: bool = False
    unknown_keys: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """Rows with their certificate and their provenance.

    `asked` are the ids that were requested; `missing` are those of which the service
    knows no record. The column `withheld`, where there is one, names the fields that
    the service keeps from a row. Two results are equal where everything about them
    is, and every row.
    """

    resource: Resource
    certificate: Certificate
    provenance: Provenance
    _frame: pl.DataFrame
    asked: tuple[str, ...] | None = None
    missing: tuple[str, ...] = ()
    details: Details = field(default_factory=Details)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        for name in (*_FACTS, "details"):
            if getattr(self, name) != getattr(other, name):
                return False
        rows, others = self.to_polars(), other.to_polars()
        return rows.schema == others.schema and rows.equals(others)

    __hash__ = None  # type: ignore[assignment]  # a frame is compared row by row

    def __len__(self) -> int:
        return self._frame.height

    @property
    def line(self) -> str:
        """What was received, in one line: rows, verdict, day and currency."""
        asked, missing = self.asked, len(self.missing)
        parts = [self.resource.name]
        if asked is None:
            parts.append(extent(self, " distinct"))
        elif _is_by_id(self):
            parts.append(f"{len(asked) - missing:,} of {len(asked):,} asked")
        else:
            with_records = len(asked) - len(self.without_records)
            parts.append(f"{self.certificate.distinct:,} distinct")
            parts.append(f"records for {with_records:,} of {len(asked):,} asked")
        if missing and self.certificate.verdict != "drifted":
            parts.append(f"short: {missing:,} not returned")
        else:
            parts.append(_verdict(self)[0])
        parts += of_request(self.provenance, self.certificate.credits)
        return " · ".join(parts)

    def __repr__(self) -> str:
        rows = frames.first_rows(self._frame, self.resource)
        return f"{self.line}\n{rows}" if rows else self.line

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        return {"text/plain": repr(self)}, {FACTS: self.provenance.source.facts}

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """The rows, or with the name of a list field its entries, as a polars frame.

        Entries carry the row's key (`company_uuid`, …), `position` from 0 and their
        members; rows with amounts a last column `currency`. Null means not recorded.
        Raises `UnknownField`.
        """
        if table is not None:
            return frames.child(self._frame, self.resource, table)
        money = self.provenance.currency
        if money is None:
            return self._frame
        return self._frame.with_columns(currency=pl.lit(money))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows of `to_polars` for a library that takes an Arrow stream, such as
        DuckDB.
        """
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """The same columns as `to_polars`, in pandas on Arrow types: nulls and
        integers stay.
        """
        return frames.to_pandas(self.to_polars(table))

    @property
    def is_complete(self) -> bool:
        """Whether the certificate's verdict is `complete`."""
        return self.certificate.verdict == "complete"

    @property
    def without_records(self) -> tuple[str, ...]:
        """The requested ids without a row: nothing is recorded, which is not a "no"."""
        if not self.asked:
            return ()
        owners = frames.owners(self._frame, self.details.asked_by)
        with_rows = set(owners.explode().drop_nulls())
        return tuple(uuid for uuid in self.asked if uuid not in with_rows)

    @property
    def outside_threshold(self) -> pl.DataFrame:
        """Funds within the amount filter by native amount and outside it once
        converted.
        """
        columns = ("id", "name", "clause", "amount", "amount_source")
        no_clause = pl.lit(None, pl.String)
        outside = [frames.empty(FUNDS).with_columns(clause=no_clause).select(columns)]
        native = pl.col("amount_source").struct.field("amount")
        for clause in _amount_clauses(self):
            meets, edge = _THRESHOLDS[clause.operator], float(clause.values[0])
            is_outside = meets(native, edge) & ~meets(pl.col("amount"), edge)
            rows = self._frame.filter(is_outside)
            rows = rows.with_columns(clause=pl.lit(str(clause)))
            outside.append(rows.select(columns))
        return pl.concat(outside)

    @property
    def withheld(self) -> Mapping[str, int]:
        """The fields that the service keeps from rows, each with the number of rows."""
        if WITHHELD not in self._frame.columns:
            return {}
        names = self._frame.get_column(WITHHELD).explode().drop_nulls()
        return dict(names.value_counts().sort(WITHHELD).iter_rows())

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the rows cannot tell, with the rule of the interface behind it."""
        caveats = list[str]()
        incomplete = lead(self)
        if incomplete is not None:
            caveats.append(f"{incomplete}: {self.line}.")
        silent = len(self.without_records) - len(self.missing)
        if silent > 0:
            caveats.append(
                f"For {silent:,} of {len(self.asked or ()):,} asked no record was"
                " returned, which is not evidence that there is none (interface,"
                " reading rule 3)."
            )
        clauses = [str(clause) for clause in _amount_clauses(self)]
        if clauses:
            outside = self.outside_threshold["id"].n_unique()
            caveats.append(
                f"The filter {' and '.join(clauses)} acts on native amounts:"
                f" {outside:,} of {len(self):,} rows are outside it once converted to"
                f" {self.provenance.currency}, and funds that would be inside only once"
                " converted were not returned (interface, filter conventions)."
            )
        caveats += [doubt.text for doubt in doubts(self)]
        return tuple(caveats)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write everything into a folder, of which `vf.load` makes an equal result.

        No key or token is saved. The rows alone are a file by
        `result.to_polars().write_csv(path)`. Raises `SaveError`, and
        `UnsupportedValue` for a path that ends as a file does.

        >>> import tempfile
        >>> import ventureframe as vf
        >>> funds = vf.connect(environment={}).funds.fetch()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     vf.load(funds.save(f"{folder}/funds")) == funds
        True
        """
        ending(path, "", what="a result")
        return save({self.resource.name: self}, path, overwrite=overwrite)


@dataclass(frozen=True)
class Saved:
    """What a folder holds: results by name and, of a study, its name and parameters."""

    results: Mapping[str, Result]
    study: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def save(
    results: Mapping[str, Result],
    folder: str | Path,
    *,
    study: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write results, or all that the findings of a study need, into a folder.

    `opened` reads them back. Raises `SaveError`, also over a save already, unless
    `overwrite`.
    """
    tables = saves.Tables()
    for name, result in results.items():
        facts = {fact: to_plain(getattr(result, fact)) for fact in _FACTS}
        tables[name] = {**facts, **to_plain(result.details)}, result.to_polars()
    about = {"study": study, "parameters": dict(parameters or {})}
    saves.write(Path(folder), tables, about, overwrite=overwrite)
    return Path(folder)


def opened(folder: str | Path) -> Saved:
    """Read every result of a folder; `SaveError` where it is no save or damaged."""
    tables, about = saves.read(Path(folder))
    try:
        results = {name: _read(*table) for name, table in tables.items()}
        parameters = from_plain(about["parameters"], dict[str, Any])
        return Saved(results, about["study"], parameters)
    except (LookupError, ValueError) as error:
        reason = (
            "does not describe results that this ventureframe knows. Open it with the"
            " one that wrote it"
        )
        raise SaveError(reason, folder=str(folder), file=MANIFEST) from error


def _read(facts: dict[str, Any], rows: pl.DataFrame) -> Result:
    own = {name: from_plain(facts.pop(name), kind) for name, kind in _FACTS.items()}
    return Result(**own, _frame=rows, details=from_plain(facts, Details))


def load(folder: str | Path, part: str | None = None) -> Result:
    """Read the saved result of a folder, equal to the one that was saved.

    Of a study, `part` is the name of one of its results.

    Raises `SaveError`, also where it holds several results and `part` names none of
    them.

    >>> import tempfile
    >>> import ventureframe as vf
    >>> with tempfile.TemporaryDirectory() as folder, vf.connect(environment={}) as svc:
    ...     fetched = svc.funds.fetch()
    ...     vf.load(fetched.save(f"{folder}/funds")) == fetched
    True
    """
    results = opened(folder).results
    if part is None and len(results) == 1:
        part, *_ = results
    if part is not None and part in results:
        return results[part]
    reason = (
        f"holds {', '.join(map(repr, results))}: name one of them as the part to load"
    )
    raise SaveError(reason, folder=str(folder))


def of_request(provenance: Provenance, spent: float | None) -> list[str]:
    """The day, the currency and the credits of a request, as a line ends."""
    parts, source = list[str](), provenance.source
    if source.as_of is not None:
        parts.append(f"as of {source.as_of}")
    elif provenance.fetched_at is not None:
        parts.append(f"fetched {provenance.fetched_at:%Y-%m-%d %H:%M} UTC")
    if provenance.currency is not None:
        parts.append(provenance.currency)
    if spent is not None:
        parts.append("1 credit" if spent == 1 else f"{spent:,g} credits")
    if source.synthetic:
        parts.append("SYNTHETIC")
    return parts


def is_read(result: Result) -> bool:
    """Whether it was read to the end: only ids that the service does not know are
    missing.
    """
    certificate, asked = result.certificate, result.asked or ()
    is_short = certificate.verdict == "short" and not certificate.is_cancelled
    is_every = certificate.distinct + len(result.missing) == len(asked)
    return lead(result) is None or (is_short and _is_by_id(result) and is_every)


def lead(result: Result) -> str | None:
    """What is incomplete about a result, in words; None where it is complete."""
    return _verdict(result)[1]


def extent(result: Result, noun: str = "") -> str:
    """How many of how many: `1,203 of 1,300`, or `100 where 30 are reported`."""
    return gaps.extent(result.certificate.distinct, _reported(result), noun)


def _reported(result: Result) -> int | None:
    """How many records there are; None where that is not known."""
    if _is_by_id(result):
        return len(result.asked or ())
    is_of_ids = result.asked is not None
    if is_of_ids and (result.missing or not result.details.added_columns):
        return None  # the rows can be picked from a list of many others
    return result.certificate.reported_last


def doubts(
    result: Result, fetched: Iterable[Result] = (), lists: Iterable[str] = ()
) -> tuple[Doubt, ...]:
    """What the wire withholds, does not say of the rows, or asks in another way than
    the query.

    A doubt is main where it is about one of the `lists` that a study reads. In a
    study nothing is said of a list of records that are not `fetched` for it.
    """
    details, absent = result.details, result.details.absent_fields
    kinds = {one.resource.name for one in fetched}
    unused = {"founders", "investors"} - kinds if kinds else set[str]()
    withheld = result.withheld
    has_key_note = any(note.kind == "key" for note in details.notes)

    found = list[Doubt]()
    for part, count in withheld.items():
        if part not in {*absent, *unused}:
            is_main = part in lists or part not in _LISTS
            found.append(_withheld(result, part, count, is_main, has_key_note))
    is_any_main = any(doubt.is_main for doubt in found)
    for note in details.notes:
        is_main = is_any_main and note.kind == "key"
        found.append(dataclasses.replace(note, is_main=is_main))
    for part, count in details.partial:
        is_withheld = 0 < len(result) == withheld.get(part)
        if part not in unused and not is_withheld:
            found.append(Doubt("list", _partial(result, part, count)))
    if absent:
        found.append(Doubt("fields", f"{frames.left_out('Rows', absent)}."))
    if details.unknown_keys:
        keys = shortened(", ".join(details.unknown_keys), 300)
        text = f"Rows have keys that this version does not know, left out: {keys}."
        found.append(Doubt("fields", text))
    return tuple(dict.fromkeys(found))


def _withheld(
    result: Result, part: str, count: int, is_main: bool, has_key_note: bool
) -> Doubt:
    """What the service withholds from some of the rows."""
    name = f"{part.replace('_', ' ')} of {count:,} of {len(result):,}"
    text = (
        f"The service withholds {name} {result.resource.name}: nothing follows from its"
        " absence there."
    )
    advice = "" if has_key_note else f" {KEY}, or its plan has less."
    return Doubt("key", text + advice, is_main)


def _partial(result: Result, part: str, count: int) -> str:
    """Say of how many rows a list is shown in part."""
    rows = f"{count:,} of {len(result):,}"
    if result.resource is not COMPANIES:
        kind = result.resource.name
        return f"Of {rows} {kind} only the first entries of {part} are shown."
    shown = "Companies are shown with their current founders only"
    return (
        f"{shown}; {rows} have more of them than are shown." if count else f"{shown}."
    )


def withholding(result: Result, name: str) -> tuple[str, ...]:
    """The keys of the rows from which the service keeps the field."""
    if WITHHELD not in result._frame.columns:
        return ()
    rows = result._frame.filter(pl.col(WITHHELD).list.contains(name))
    return tuple(rows.get_column(result.resource.key))


def told_otherwise(first: Result, second: Result) -> frozenset[str]:
    """The columns that two fetches tell in two ways: today's wire never says "no" of
    a flag.
    """
    if first.provenance.profile == second.provenance.profile:
        return frozenset()
    return WIRE_2026_10_02.shape(first.resource.name, first.resource).less


def limited(source: Source, fetched: Iterable[Result]) -> Source:
    """The source, with the fetches that were not read to the end."""
    unread = [_unread(result) for result in fetched if not is_read(result)]
    return dataclasses.replace(source, incomplete=(*source.incomplete, *unread))


def _unread(result: Result) -> Gap:
    """What is missing of a fetch that was not read to the end."""
    verdict = result.certificate.verdict
    assert verdict != "complete"  # noqa: S101  # it would have been read
    rows, reported = result.certificate.distinct, _reported(result)
    return Gap(verdict, result.resource.name, rows=rows, of=reported)


def _is_by_id(result: Result) -> bool:
    return result.details.asked_by == (result.resource.key,)


def _verdict(result: Result) -> tuple[str, str | None]:
    """How the verdict reads, and the sentence that leads an incomplete result."""
    certificate, missing = result.certificate, result.missing
    verdict, reported = str(certificate.verdict), certificate.reported_last
    if verdict == "short" and missing and not _is_by_id(result):
        named = ", ".join(missing[:_NAMED])
        if len(missing) > _NAMED:
            named += f" and {len(missing) - _NAMED:,} more"
        asked = f"{len(missing):,} of {len(result.asked or ()):,} asked"
        lists = f"The {result.resource.name} of {asked}"
        return verdict, f"{lists} were not returned ({named})"
    if verdict == "short" and not missing and reported is not None:
        is_all = certificate.distinct >= reported
        return _VERDICTS["less" if is_all else "short"]
    if verdict == "total_not_reported" and result.details.is_uncounted:
        return _VERDICTS["uncounted"]  # but read to an empty page
    return _VERDICTS[verdict]


def _amount_clauses(result: Result) -> list[filters.Clause]:
    if result.resource is not FUNDS or result.provenance.filter is None:
        return []
    clauses = filters.parse(result.provenance.filter).clauses()
    amounts = [clause for clause in clauses if clause.field == "amount"]
    return [clause for clause in amounts if clause.operator in _THRESHOLDS]
