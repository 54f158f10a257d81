"""What a fetch returns: rows as typed frames, their certificate and provenance."""

from __future__ import annotations

import dataclasses
import operator as op
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from ventureframe.client import frames, saves
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import SaveError, UnsupportedValue, shortened
from ventureframe.interface import filters, gaps
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import FUNDS, Resource
from ventureframe.interface.files import ending, from_plain, home, to_plain
from ventureframe.interface.gaps import Doubt, Gap, GapKind
from ventureframe.interface.source import FACTS, Provenance, Source
from ventureframe.interface.wire.generations import WIRE_2026_10_02

if TYPE_CHECKING:
    import pandas as pd

# the sentence that leads an incomplete result
_LEADS: Final[Mapping[GapKind, str]] = {
    "short": "Not every record was read",
    "less": "The service shows less than it has",
    "over": "More rows were returned than the service reports",
    "drifted": "Records changed while they were read, so rows may be missing",
    "total_not_reported": (
        "No total is reported, so whether every record was read is not known"
    ),
}
_LISTS = ("education", "founders", "investors", "prior_employers")
# what a save holds of a result, apart from its details and rows
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
    `absent_fields` are declared and left out in at least one row, `unknown_keys` are
    sent and not declared, `not_requested` are the fields that the query does without.
    `partial` counts by list field the rows that show only some of its entries. `notes`
    say what the wire was asked in another way, and what it cannot say;
    `is_uncounted` says that the service counts no such rows.
    """

    asked_by: tuple[str, ...] = ()
    added_columns: tuple[str, ...] = ()
    extra_columns: tuple[str, ...] = ()
    absent_fields: tuple[str, ...] = ()
    not_requested: tuple[Gap, ...] = ()
    partial: tuple[tuple[str, int], ...] = ()
    notes: tuple[Doubt, ...] = ()
    is_uncounted: bool = False
    unknown_keys: tuple[str, ...] = ()


class Fetched:
    """Rows, shown as text, with the facts of their source as data."""

    provenance: Provenance
    _frame: pl.DataFrame

    def __len__(self) -> int:
        return self._frame.height

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        return {"text/plain": repr(self)}, {FACTS: self.provenance.source.facts}


@dataclass(frozen=True, repr=False, eq=False)
class Result(Fetched):
    """Rows with their certificate and their provenance.

    `asked` are the ids that were requested; `missing` are those of which the service
    knows no record. The column `withheld`, where there is one, names the fields that
    the service withholds from a row. Two results are equal if all their rows and facts
    are.
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
        rows, other_rows = self.to_polars(), other.to_polars()
        return rows.schema == other_rows.schema and rows.equals(other_rows)

    __hash__ = None  # type: ignore[assignment]  # a frame is compared row by row

    @property
    def line(self) -> str:
        """What was received, in one line: rows, verdict, day, currency and credits."""
        certificate, ids, missing = self.certificate, self.asked, len(self.missing)
        if ids is None:
            reported = certificate.reported_last
            rows = gaps.extent(certificate.distinct, reported, " distinct")
        else:
            with_records = len(ids) - len(self.without_records)
            rows = f"{with_records:,} of {len(ids):,} asked"
            if not _is_by_id(self):
                rows = f"{certificate.distinct:,} distinct · records for {rows}"
        verdict, incomplete = certificate.verdict.replace("_", " "), lead(self)
        if missing and verdict == "short":
            incomplete = f"{missing:,} not returned"
        if incomplete is not None:
            verdict = f"{verdict}: {incomplete}"
        parts = [self.resource.name, rows, verdict]
        for name in _upper_bounds(self):
            parts.append(f"left out: {name.replace('_', ' ')} not recorded")
        parts += map(str, self.details.not_requested)
        parts += of_request(self.provenance, certificate.credits)
        return " · ".join(parts)

    def __repr__(self) -> str:
        rows = frames.first_rows(self._frame, self.resource)
        return f"{self.line}\n{rows}" if rows else self.line

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return the rows, or with the name of a list field its entries, as a polars
        frame.

        Entries carry the row's key (`company_uuid`, …), `position` from 0 and their
        members; rows with amounts a last column `currency`. Null means not recorded.
        Raises `UnknownField`, and `UnsupportedValue` for a list that is not requested.
        """
        if table in [gap.part for gap in self.details.not_requested]:
            raise UnsupportedValue(
                table,
                field="table",
                reason="it was not requested: fetch without .without(…)",
            )
        if table is not None:
            return frames.child(self._frame, self.resource, table)
        money = self.provenance.currency
        if money is None:
            return self._frame
        return self._frame.with_columns(currency=pl.lit(money))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the rows of `to_polars` for a library that takes an Arrow stream, such
        as DuckDB.
        """
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """Return the same columns as `to_polars`, in pandas on Arrow types: nulls and
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
        """The funds that meet the amount filter in their own currency, but not after
        conversion.
        """
        native = pl.col("amount_source").struct.field("amount")
        is_outside = pl.lit(value=False)
        for clause in _amount_clauses(self):
            meets, edge = _THRESHOLDS[clause.operator], float(clause.values[0])
            is_outside |= meets(native, edge) & ~meets(pl.col("amount"), edge)
        return self._frame.filter(is_outside)

    @property
    def withheld(self) -> Mapping[str, int]:
        """The fields that the service withholds, each with the number of rows."""
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
            name = self.resource.name
            caveats.append(f"{incomplete}: {name}, {extent(self)}.")
        silent = len(self.without_records) - len(self.missing)
        if silent > 0 and not _is_by_id(self):
            caveats.append(
                f"For {silent:,} of {len(self.asked or ()):,} asked no record was"
                " returned, which is not evidence that there is none (interface,"
                " reading rule 3)."
            )
        clauses = " and ".join(map(str, _amount_clauses(self)))
        if clauses:
            outside = self.outside_threshold["id"].n_unique()
            caveats.append(
                f"The filter {clauses} acts on native amounts:"
                f" {outside:,} of {len(self):,} rows are outside it after conversion to"
                f" {self.provenance.currency}. Funds that would be inside only after"
                " conversion were not returned (interface, filter conventions)."
            )
        for name in _upper_bounds(self):
            caveats.append(
                f"The upper bound on {name} leaves out rows without a recorded"
                " value (interface, reading rule 3)."
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
        ending(path, "", subject="a result")
        return save(Saved({self.resource.name: self}), path, overwrite=overwrite)


@dataclass(frozen=True)
class Saved:
    """What a folder holds: results by name and, of a study, its name and parameters."""

    results: Mapping[str, Result]
    study: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def save(saved: Saved, folder: str | Path, *, overwrite: bool = False) -> Path:
    """Write results, or all that the findings of a study need, into a folder.

    `opened` reads them back. Raises `SaveError`, also over a save already, unless
    `overwrite`.
    """
    tables = saves.Tables()
    for name, result in saved.results.items():
        facts = {fact: to_plain(getattr(result, fact)) for fact in _FACTS}
        tables[name] = {**facts, **to_plain(result.details)}, result.to_polars()
    about = {"study": saved.study, "parameters": dict(saved.parameters)}
    path = home(folder)
    saves.write(path, tables, about, overwrite=overwrite)
    return path


def opened(folder: str | Path) -> Saved:
    """Read every result of a folder; `SaveError` where it is no save or damaged."""
    tables, about = saves.read(home(folder))
    results = dict[str, Result]()
    try:
        for name, (facts, rows) in tables.items():
            values = {
                fact: from_plain(facts.pop(fact), kind) for fact, kind in _FACTS.items()
            }
            details = from_plain(facts, Details)
            results[name] = Result(**values, _frame=rows, details=details)
        parameters = from_plain(about["parameters"], dict[str, Any])
        return Saved(results, about["study"], parameters)
    except (LookupError, ValueError) as error:
        raise SaveError(
            "does not describe results that this version of ventureframe can read. Open"
            " it with the version that wrote it",
            folder=str(folder),
        ) from error


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
        (part,) = results
    if part in [*results]:
        return results[part]
    names = ", ".join(map(repr, results))
    raise SaveError(
        f"holds {names}: name one of them as the part to load", folder=str(folder)
    )


def of_request(provenance: Provenance, spent: float | None) -> list[str]:
    """Return the day, the currency and the credits of a request, as a line ends."""
    parts, source = list[str](), provenance.source
    if source.as_of is not None:
        parts.append(f"as of {source.as_of}")
    elif provenance.fetched_at is not None:
        parts.append(f"fetched {provenance.fetched_at:%Y-%m-%d %H:%M} UTC")
    if provenance.currency is not None:
        parts.append(provenance.currency)
    if spent is not None:
        parts.append("1 credit" if spent == 1 else f"{spent:,.12g} credits")
    if source.synthetic:
        parts.append("SYNTHETIC")
    return parts


def is_read(result: Result) -> bool:
    """Whether the rows were read to the end: no record is missing but those that the
    service does not know.
    """
    certificate = result.certificate
    is_short = certificate.verdict == "short" and not certificate.is_cancelled
    return lead(result) is None or (is_short and _is_by_id(result))


def lead(result: Result) -> str | None:
    """Return what is incomplete about a result, in words; None where it is complete."""
    missing, requested = len(result.missing), len(result.asked or ())
    is_short = result.certificate.verdict == "short"
    if is_short and missing and not _is_by_id(result):
        name = result.resource.name
        return f"The {name} of {missing:,} of {requested:,} asked were not returned"
    gap = _gap(result)
    return None if gap is None else _LEADS[gap.kind]


def extent(result: Result) -> str:
    """Say how many of how many: `1,203 of 1,300`, or `100 where 30 are reported`."""
    return gaps.extent(result.certificate.distinct, _total(result))


def _total(result: Result) -> int | None:
    """Return how many records there are; None where that is not known."""
    if _is_by_id(result):
        return len(result.asked or ())
    is_of_ids = result.asked is not None
    if is_of_ids and (result.missing or not result.details.added_columns):
        return None  # the reported total can count the whole list
    return result.certificate.reported_last


def doubts(result: Result, lists: Iterable[str] = _LISTS) -> Iterator[Doubt]:
    """Yield what the wire withholds, cannot say of the rows, or was asked in another
    way.

    Of the lists within a row, only these `lists` are mentioned. A doubt about the key
    is main where something is withheld.
    """
    details, withheld = result.details, result.withheld
    unread = set(_LISTS).difference(lists)
    hidden = sorted(set(withheld).difference(unread, details.absent_fields))
    name, of = result.resource.name, f"of {len(result):,} {result.resource.name}"
    for part in hidden:
        rows = f"{name}: {withheld[part]:,} of {len(result):,}"
        text = (
            f"The service withholds {part.replace('_', ' ')} ({rows}): nothing follows"
            " from its absence there. Check the key and its plan."
        )
        yield Doubt("key", text, is_main=True)
    for note in details.notes:
        is_main = bool(hidden) and note.kind == "key"
        yield dataclasses.replace(note, is_main=is_main)
    for part, count in details.partial:
        if part in unread or 0 < len(result) == withheld.get(part):
            continue
        text = f"Of {count:,} {of} only the first entries of {part} are shown."
        if part == "founders":
            text = (
                f"Companies are shown with their current founders only; {count:,} {of}"
                " have more of them than are shown."
            )
        yield Doubt("list", text)
    for gap in details.not_requested:
        if gap.part not in unread:
            text = f"The query does without {gap.part} of {gap.collection}"
            yield Doubt("fields", f"{text}: nothing follows from its absence.")
    if details.absent_fields:
        yield Doubt("fields", f"{frames.left_out('Rows', details.absent_fields)}.")
    if details.unknown_keys:
        keys = shortened(", ".join(details.unknown_keys), 300)
        text = f"Rows have keys that this version does not know, left out: {keys}."
        yield Doubt("fields", text)


def withholding(result: Result, name: str) -> tuple[str, ...]:
    """Return the keys of the rows from which the service keeps the field."""
    if WITHHELD not in result._frame.columns:
        return ()
    rows = result._frame.filter(pl.col(WITHHELD).list.contains(name))
    return tuple(rows.get_column(result.resource.key))


def incomparable_columns(first: Result, second: Result) -> frozenset[str]:
    """Return the columns in which two fetches by different wires cannot be compared:
    today's wire never says "no" of a flag.
    """
    if first.provenance.profile == second.provenance.profile:
        return frozenset()
    return WIRE_2026_10_02.shape(first.resource.name, first.resource).less


def limited(source: Source, fetched: Iterable[Result]) -> Source:
    """Return the source, with the fetches that were not read to the end."""
    unread = [_gap(result) for result in fetched if not is_read(result)]
    incomplete = (*source.incomplete, *filter(None, unread))
    return dataclasses.replace(source, incomplete=incomplete)


def _is_by_id(result: Result) -> bool:
    return result.details.asked_by == (result.resource.key,)


def _gap(result: Result) -> Gap | None:
    """Return how the rows are incomplete; None where they are not."""
    certificate, reported = result.certificate, result.certificate.reported_last
    kind: GapKind | Literal["complete"] = certificate.verdict
    if kind == "total_not_reported" and result.details.is_uncounted:
        return None  # it was read to an empty page
    if kind == "complete":
        return None
    is_all = reported is not None and certificate.distinct >= reported
    if kind == "short" and is_all and not result.missing:
        kind = "less"
    return Gap(kind, result.resource.name, rows=certificate.distinct, of=_total(result))


def _clauses(result: Result) -> Iterable[filters.Clause]:
    """Return the conditions of the rows."""
    text = result.provenance.filter
    return filters.parse(text).clauses() if text else ()


def _upper_bounds(result: Result) -> list[str]:
    """Return the fields with an upper bound, which rows without a value do not meet."""
    return sorted(
        {
            clause.field
            for clause in _clauses(result)
            if clause.operator in ("lt", "lte")
        }
    )


def _amount_clauses(result: Result) -> list[filters.Clause]:
    """Return the conditions on amounts of funds, which the service tests natively."""
    if result.resource is not FUNDS:
        return []
    return [
        clause
        for clause in _clauses(result)
        if clause.field == "amount" and clause.operator in _THRESHOLDS
    ]
