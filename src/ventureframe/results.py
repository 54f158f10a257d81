"""What a fetch gives: rows as typed frames, with the certificate and the provenance beside them."""

from __future__ import annotations

import datetime as dt
import html
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from ventureframe import frames
from ventureframe.errors import EvidenceWarning, IncompleteResult
from ventureframe.fields import Currency, Resource
from ventureframe.paging import Certificate

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_WORDS: Final[Mapping[str, str]] = {
    "complete": "complete",
    "short": "short: fewer than reported",
    "over": "over: more than reported",
    "drifted": "drifted: the records moved while they were read",
    "total_not_reported": "total not reported",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where records come from; `is_synthetic` None and `as_of` None where the service tells not."""

    name: str
    description: str = ""
    as_of: dt.date | None = None
    synthetic: bool | None = None
    attribution: tuple[str, ...] = ()
    licence: str | None = None
    is_embedded: bool = False


@dataclass(frozen=True, slots=True)
class Provenance:
    """What was asked, of whom, and when; `fetched_at` only where the source has no date itself."""

    endpoint: str
    filter: str | None
    sort: str | None
    currency: Currency | None
    profile: str
    source: Source
    fetched_at: dt.datetime | None
    version: str


@dataclass(frozen=True, repr=False)
class Result:
    """Rows with their certificate. `asked` and `missing` are ids, where records were asked by id.

    `extra_columns` are those that `fields` does not declare (JSON text, or dates less precise
    than a day); `absent_fields` are declared and left out by the service in at least one row.
    """

    resource: Resource = field(compare=False)
    certificate: Certificate
    provenance: Provenance
    asked: tuple[str, ...] | None
    missing: tuple[str, ...]
    absent_fields: tuple[str, ...]
    extra_columns: tuple[str, ...]
    _frame: pl.DataFrame = field(compare=False)

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        return " · ".join(self._parts())

    def _repr_html_(self) -> str:
        return f'<p class="vf-result">{html.escape(repr(self))}</p>'

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """The rows, or with the name of a list field its entries, as a polars frame.

        Entries carry the row's key (`company_uuid`, `founder_uuid`, …), `position` from 0 and
        their members. Null means not recorded. `UnknownField` where `table` is no list field.
        """
        return self._frame if table is None else frames.child(self._frame, self.resource, table)

    def to_pandas(self, table: str | None = None) -> pd.DataFrame:
        """The same columns as `to_polars`, in pandas on Arrow types: nulls and integers stay."""
        return frames.to_pandas(self.to_polars(table))

    @property
    def coverage(self) -> dict[str, frames.Known]:
        """Per field, in how many of the rows something is recorded."""
        return frames.coverage(self._frame, self.resource)

    @property
    def is_complete(self) -> bool:
        """Whether the certificate's verdict is `complete`."""
        return self.certificate.verdict == "complete"

    def require_complete(self) -> Self:
        """The result itself where it is complete, else `IncompleteResult`."""
        if not self.is_complete:
            raise IncompleteResult(
                f"This result is not complete ({self!r}). Fetch it again, or use it with its "
                "verdict beside it.",
                verdict=self.certificate.verdict,
            )
        return self

    def _parts(self) -> Iterable[str]:
        certificate, source = self.certificate, self.provenance.source
        yield self.resource.name
        if self.asked is not None:
            yield f"{len(self.asked) - len(self.missing):,} of {len(self.asked):,} asked"
        elif certificate.reported_last is None:
            yield f"{certificate.distinct:,} distinct"
        else:
            yield f"{certificate.distinct:,} of {certificate.reported_last:,} distinct"
        yield (
            f"short: {len(self.missing):,} not returned"
            if self.missing
            else (_WORDS[certificate.verdict])
        )
        if source.as_of is not None:
            yield f"as of {source.as_of}"
        elif self.provenance.fetched_at is not None:
            yield f"fetched {self.provenance.fetched_at:%Y-%m-%d %H:%M} UTC"
        if self.provenance.currency is not None:
            yield self.provenance.currency
        if source.synthetic:
            yield "SYNTHETIC"


def warn_of_less_precise(frame: pl.DataFrame, resource: Resource) -> None:
    """Say once per date column how many of its values name no day."""
    for each in resource.returned:
        beside = each.name + frames.TEXT_SUFFIX
        if each.type == "date" and beside in frame.columns:
            count = frame.height - frame[beside].null_count()
            warnings.warn(
                f"{count:,} of {frame.height:,} {resource.name} have a {each.name} less precise "
                f"than a day: it is null there, and as it came in {beside}",
                EvidenceWarning,
                stacklevel=4,
            )
