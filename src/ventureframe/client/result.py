"""What a fetch gives: rows as typed frames, with the certificate and the provenance beside them."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ventureframe.client import frames
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import UnsupportedValue, warn
from ventureframe.interface import filters
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import COMPANIES, FUNDS, Resource
from ventureframe.interface.source import FACTS, Provenance, Source
from ventureframe.interface.wire.y2026_10_02 import WIRE_2026_10_02

if TYPE_CHECKING:
    import pandas as pd

_MOVED: Final = "The records moved while they were read, so rows may be missing"
_UNKNOWN: Final = "No total is reported, so whether every row was returned is not known"
_REPEATED: Final = "the service repeats a page: it may ignore offset or cursor"
_VERDICTS: Final[Mapping[str, tuple[str, str | None]]] = {
    "complete": ("complete", None),
    "short": ("short: fewer than reported", "Not every row was returned"),
    "over": ("over: more than reported", "More rows were returned than the service reports"),
    "drifted": ("drifted: the records moved while they were read", _MOVED),
    "total_not_reported": ("total not reported", _UNKNOWN),
    "repeated": (f"drifted: {_REPEATED}", f"Rows may be missing, as {_REPEATED}"),
}
"""How a verdict reads in a repr, and the sentence that leads an incomplete result."""
_LESS: Final = "The service shows less than it has"
_NAMED: Final = 3
"""Owners that a sentence names."""
_THRESHOLDS: Final[Mapping[str, Callable[[pl.Expr, float], pl.Expr]]] = {
    "gte": pl.Expr.ge,
    "gt": pl.Expr.gt,
    "lte": pl.Expr.le,
    "lt": pl.Expr.lt,
    "eq": pl.Expr.eq,
}


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """Rows with their certificate and their provenance.

    `asked` are the ids that were requested and `asked_by` the columns that hold them: the key,
    where records were requested by their own id (then `missing` names those not returned), else the
    columns that link a row to what was requested. `extra_columns` are not declared in `fields`
    (JSON text, or dates less precise than a day), `added_columns` are known from the request and
    not from the row; `absent_fields` are declared, and left out by the service in at least one row.
    `partial` are list fields of which rows show some entries only, each with the number of rows
    that say so; `notes` say what the wire asked or cannot say; `is_uncounted` that it counts no
    such rows; the column `withheld`, where there is one, names the fields that the service keeps
    from a row. Two results are equal where all of this is equal, and every row.
    """

    resource: Resource
    certificate: Certificate
    provenance: Provenance
    asked: tuple[str, ...] | None
    missing: tuple[str, ...]
    absent_fields: tuple[str, ...]
    extra_columns: tuple[str, ...]
    _frame: pl.DataFrame
    partial: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    is_uncounted: bool = False
    asked_by: tuple[str, ...] = ()
    added_columns: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        names = [each.name for each in dataclasses.fields(self) if each.name != "_frame"]
        rows, others = self.to_polars(), other.to_polars()
        is_same = all(getattr(self, name) == getattr(other, name) for name in names)
        return is_same and rows.schema == others.schema and rows.equals(others)

    __hash__ = None  # type: ignore[assignment]  # a frame is compared row by row

    def __len__(self) -> int:
        return self._frame.height

    @property
    def line(self) -> str:
        """What was received, in one line: rows, verdict, day and currency."""
        return " · ".join(self._parts())

    def __repr__(self) -> str:
        rows = frames.first_rows(self._frame, self.resource)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(f"{text:{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )
        return "\n".join((self.line, *lines))

    def _repr_html_(self) -> str:
        said = f'<p class="vf-result">{html.escape(self.line)}</p>'
        rows = frames.first_rows(self._frame, self.resource)
        lines = ("".join(f"<td>{html.escape(text)}</td>" for text in row) for row in rows)
        table = "\n".join(f"<tr>{line}</tr>" for line in lines)
        return f"{said}\n<table>\n{table}\n</table>" if table else said

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        shown = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return shown, {FACTS: self.provenance.source.facts}

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """The rows, or with the name of a list field its entries, as a polars frame.

        Entries carry the row's key (`company_uuid`, `founder_uuid`, …), `position` from 0 and
        their members. Rows with converted amounts have a last column `currency`. Null means not
        recorded. Raises `UnknownField` where `table` is not a list field.
        """
        if table is not None:
            return frames.child(self._frame, self.resource, table)
        money = self.provenance.currency
        return self._frame if money is None else self._frame.with_columns(currency=pl.lit(money))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows of `to_polars` for a library that takes an Arrow stream, such as DuckDB."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """The same columns as `to_polars`, in pandas on Arrow types: nulls and integers stay."""
        return frames.to_pandas(self.to_polars(table))

    @property
    def is_complete(self) -> bool:
        """Whether the certificate's verdict is `complete`."""
        return self.certificate.verdict == "complete"

    @property
    def is_read(self) -> bool:
        """Whether it was read to the end: only ids that the service does not know are missing."""
        if self.is_complete or self._ends_uncounted:
            return True
        certificate, is_by_id = self.certificate, self.asked_by == (self.resource.key,)
        answered = certificate.distinct + len(self.missing)
        is_short = certificate.verdict == "short" and not certificate.is_cancelled
        return is_by_id and is_short and answered == len(self.asked or ())

    @property
    def extent(self) -> str:
        """How many of how many: `1,203 of 1,300`, or `100 where 30 are reported`."""
        return self._extent()

    @property
    def lead(self) -> str | None:
        """What is incomplete about it, in words; None where it is complete."""
        return None if self._ends_uncounted else self._words[1]

    @property
    def _ends_uncounted(self) -> bool:
        """Whether it was read to an empty page, of an endpoint that counts nothing."""
        return self.is_uncounted and self.certificate.verdict == "total_not_reported"

    @property
    def with_records(self) -> tuple[str, ...]:
        """The requested ids that at least one row belongs to."""
        if not self.asked:
            return ()
        seen = set(owners(self._frame, self.asked_by).explode().drop_nulls())
        return tuple(each for each in self.asked if each in seen)

    @property
    def without_records(self) -> tuple[str, ...]:
        """The requested ids without a row: nothing is recorded, which is not a "no"."""
        seen = set(self.with_records)
        return tuple(each for each in self.asked or () if each not in seen)

    @property
    def outside_threshold(self) -> pl.DataFrame:
        """Funds whose native amount meets the amount filter and whose converted amount does not.

        Interface, "Filter, sort and paging conventions": the filter acts on native amounts. The
        columns are id, name, clause, amount (in the result's currency), amount_source.
        """
        none = frames.empty(FUNDS).with_columns(clause=pl.lit(None, pl.String))
        found = [none, *(_outside(self._frame, clause) for clause in self._amount_clauses())]
        shown = ("id", "name", "clause", "amount", "amount_source")
        return pl.concat([each.select(shown) for each in found])

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the rows cannot tell, with the rule of the interface behind it."""
        said = [] if self.lead is None else [f"{self.lead}: {self.line}."]
        silent = len(self.without_records) - len(self.missing)
        if silent > 0:
            said.append(
                f"For {silent:,} of {len(self.asked or ()):,} asked no record was returned, which "
                "is not evidence that there is none (interface, reading rule 3)."
            )
        clauses = [str(clause) for clause in self._amount_clauses()]
        if clauses:
            outside = self.outside_threshold["id"].n_unique()
            said.append(
                f"The filter {' and '.join(clauses)} acts on native amounts: {outside:,} of "
                f"{len(self):,} rows are outside it once converted to {self.provenance.currency}, "
                "and funds that would be inside only once converted were not returned (interface, "
                "filter conventions)."
            )
        return (*said, *self.doubts)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the wire does not say of the rows, or asks in another way than the query."""
        said = [*self.notes]
        said += [
            f"{name} shows only the first entries of a list in {count:,} rows, and of a company "
            f"none of its former founders: ask with_all({name!r})."
            if self.resource is COMPANIES
            else f"{name} shows only the first entries of a list in {count:,} rows."
            for name, count in self.partial
        ]
        said += [
            f"The service withholds {name} of {count:,} of {len(self):,} {self.resource.name}: "
            "nothing follows from its absence there."
            for name, count in self.withheld.items()
            if name not in self.absent_fields
        ]
        if self.absent_fields:
            said.append(
                f"Rows leave out {', '.join(self.absent_fields)}: that is null there, and does not "
                "say that nothing is recorded."
            )
        return tuple(said)

    @property
    def withheld(self) -> Mapping[str, int]:
        """The fields that the service keeps from rows, each with the number of rows."""
        if WITHHELD not in self._frame.columns:
            return {}
        names = self._frame.get_column(WITHHELD).explode().drop_nulls()
        return {str(row[0]): int(row[1]) for row in names.value_counts().sort(WITHHELD).iter_rows()}

    def said_otherwise(self, other: Result) -> frozenset[str]:
        """The columns that this and another fetch of other generations of the wire say in two ways.

        Today's wire never says "no" of a flag, and shows a part of some lists.
        """
        if self.provenance.profile == other.provenance.profile:
            return frozenset()
        shape = WIRE_2026_10_02.shapes.get(self.resource.name)
        return frozenset() if shape is None else shape.less

    def withholding(self, name: str) -> tuple[str, ...]:
        """The keys of the rows from which the service keeps the field."""
        if WITHHELD not in self._frame.columns:
            return ()
        rows = self._frame.filter(pl.col(WITHHELD).list.contains(name))
        return tuple(rows.get_column(self.resource.key))

    def save(
        self, folder: str | Path, *, also: Iterable[Result] = (), overwrite: bool = False
    ) -> Path:
        """The folder, once it holds the rows as Parquet and a manifest of everything else.

        `vf.load(folder)` gives an equal result. `also` are fetches of the same query in other
        currencies, saved as `companies-eur`: two such saves tell a changed amount from a moved
        exchange rate. No address, key or token is saved. Raises `SaveError`, and
        `UnsupportedValue` where one of `also` is of another query.
        """
        from ventureframe.client import saves  # noqa: PLC0415  # which reads results back

        results = {self.resource.name: self}
        for each in also:
            results[f"{each.resource.name}-{each.provenance.currency}".lower()] = each
            asked, other = self.provenance, each.provenance
            if (asked.endpoint, asked.filter) != (other.endpoint, other.filter):
                reason = "it is of another query than the result itself"
                raise UnsupportedValue(each.line, field="also", reason=reason)
        return saves.save(results, folder, overwrite=overwrite)

    @property
    def _words(self) -> tuple[str, str | None]:
        verdict = self.certificate.verdict
        is_repeated = self.certificate.is_repeated and verdict == "drifted"
        if self._lists_missing:
            missing, many = self.missing, len(self.asked or ())
            named = ", ".join(missing[:_NAMED])
            named += f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
            of_these = f"The {self.resource.name} of {len(missing):,} of {many:,} asked"
            return verdict, f"{of_these} were not returned ({named})"
        reported = self.certificate.reported_last
        is_counted = reported is not None and not self.missing
        if verdict == "short" and is_counted and self.certificate.distinct >= (reported or 0):
            return f"short: {_LESS[0].lower()}{_LESS[1:]}", _LESS
        return _VERDICTS["repeated" if is_repeated else verdict]

    @property
    def _lists_missing(self) -> bool:
        """Whether the service does not know an owner whose list was asked for."""
        is_short = self.certificate.verdict == "short"
        return is_short and bool(self.missing) and self.asked_by != (self.resource.key,)

    def _amount_clauses(self) -> list[filters.Clause]:
        if self.resource is not FUNDS or self.provenance.filter is None:
            return []
        asked = filters.parse(self.provenance.filter).clauses()
        return [each for each in asked if each.field == "amount" and each.operator in _THRESHOLDS]

    def _extent(self, noun: str = "") -> str:
        distinct, reported = self.certificate.distinct, self.certificate.reported_last
        if self.asked_by == (self.resource.key,):
            reported = len(self.asked or ())
        elif self._lists_missing or (self.asked is not None and not self.added_columns):
            reported = None  # the rows can be picked from a list of many others
        if reported is None:
            return f"{distinct:,}{noun}"
        if distinct > reported:
            return f"{distinct:,}{noun} where {reported:,} are reported"
        return f"{distinct:,} of {reported:,}{noun}"

    def _parts(self) -> Iterable[str]:
        certificate, source = self.certificate, self.provenance.source
        yield self.resource.name
        if self.asked is None:
            yield self._extent(" distinct")
        elif self.asked_by == (self.resource.key,):
            yield f"{len(self.asked) - len(self.missing):,} of {len(self.asked):,} asked"
        else:
            yield f"{certificate.distinct:,} distinct"
            yield f"records for {len(self.with_records):,} of {len(self.asked):,} asked"
        yield f"short: {len(self.missing):,} not returned" if self.missing else self._words[0]
        if source.as_of is not None:
            yield f"as of {source.as_of}"
        elif self.provenance.fetched_at is not None:
            yield f"fetched {self.provenance.fetched_at:%Y-%m-%d %H:%M} UTC"
        if self.provenance.currency is not None:
            yield self.provenance.currency
        if certificate.credits is not None:
            yield f"{certificate.credits:,g} credit{'' if certificate.credits == 1 else 's'}"
        if source.synthetic:
            yield "SYNTHETIC"


def owners(frame: pl.DataFrame, paths: Iterable[str]) -> pl.Series:
    """Per row the ids in these columns: plain, in lists, or as a member of a record (`a.b`)."""

    def listed(path: str) -> pl.Expr:
        column, _, member = path.partition(".")
        value, is_list = pl.col(column), isinstance(frame.schema[column], pl.List)
        if member:
            of_each = value.list.eval(pl.element().struct.field(member))
            value = of_each if is_list else value.struct.field(member)
        if not is_list:
            return pl.concat_list(value.cast(pl.String))
        return value.fill_null(pl.lit([], pl.List(pl.String)))

    every = pl.concat_list(*map(listed, paths)).list.drop_nulls()
    lower = every.list.eval(pl.element().str.to_lowercase())
    return frame.select(lower.alias("owners")).to_series()


def _outside(frame: pl.DataFrame, clause: filters.Clause) -> pl.DataFrame:
    """The rows that meet the clause by their native amount and not by the converted one."""
    meets, edge = _THRESHOLDS[clause.operator], float(clause.values[0])
    native = pl.col("amount_source").struct.field("amount")
    rows = frame.filter(meets(native, edge) & ~meets(pl.col("amount"), edge))
    return rows.with_columns(clause=pl.lit(str(clause)))


def warn_of_less_precise(frame: pl.DataFrame, resource: Resource) -> None:
    """Warn once per date column of values that do not name a day."""
    for field in resource.returned:
        beside = field.name + frames.TEXT_SUFFIX
        if field.type == "date" and beside in frame.columns:
            count = frame.height - frame[beside].null_count()
            warn(
                f"{count:,} of {frame.height:,} {resource.name} have a {field.name} less precise "
                f"than a day: it is null there, and as it came in {beside}"
            )


def warn_of_left_out(resource: Resource, names: Iterable[str]) -> None:
    """Warn once of the fields that at least one row leaves out."""
    warn(
        f"Rows of {resource.name} leave out {', '.join(sorted(names))}: that is null there, and "
        "does not say that nothing is recorded"
    )


def limited(source: Source, fetched: Iterable[Result]) -> Source:
    """The source, naming the fetches that were not read to the end."""
    partial = (f"{each.resource.name} {each.extent}" for each in fetched if not each.is_read)
    return dataclasses.replace(source, incomplete=(*source.incomplete, *partial))
