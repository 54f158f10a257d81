"""Grouped metrics that the service computes itself, as typed frames.

There is no paging, so as many groups as the limit can mean that there are more. The
embedded service gives records without a value a group of their own, null; another
may leave them out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.connection import Connected, Connection
from ventureframe.client.result import of_request
from ventureframe.errors import UnsupportedValue, warn
from ventureframe.interface import filters
from ventureframe.interface.fields import (
    RESOURCES,
    Currency,
    Field,
    Resource,
    Scalar,
)
from ventureframe.interface.reply import Page, Reply, rows_of
from ventureframe.interface.source import FACTS, Provenance

if TYPE_CHECKING:
    import pandas as pd

SOURCES = (
    "companies",
    "funding-rounds",
    "funds",
    "jobs",
    "founders",
    "investors",
)
_MONEY = ("total_funding", "amount")


@dataclass(frozen=True, repr=False)
class Aggregate:
    """One row per group: the columns it is grouped by, then the metric.

    A column that it is grouped by is null where nothing is recorded; the metric is
    null where nothing is known in the group, which is never zero. Beside amounts
    stands their `currency`. `is_complete` is false where there are as many groups as
    were allowed, `credits` is what was spent.
    """

    source: str
    metric: str
    group_by: tuple[str, ...]
    provenance: Provenance
    is_complete: bool
    credits: float | None
    _frame: pl.DataFrame = field(compare=False)

    def __len__(self) -> int:
        return self._frame.height

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        return {"text/plain": repr(self)}, {FACTS: self.provenance.source.facts}

    def __repr__(self) -> str:
        every = "every group returned"
        if not self.is_complete:
            every = "INCOMPLETE: there can be more groups"
        elif self.provenance.source.is_embedded:
            every = "every group"
        metric = f"{self.metric} of {self.source} by {', '.join(self.group_by)}"
        parts = [metric, f"{len(self):,} groups", every]
        return " · ".join([*parts, *of_request(self.provenance, self.credits)])

    def to_polars(self) -> pl.DataFrame:
        """The groups as a polars frame."""
        return self._frame

    def to_pandas(self) -> pd.DataFrame:
        """The same columns in pandas on Arrow types."""
        return frames.to_pandas(self._frame)


def aggregate(
    svc: Connected,
    source: str,
    *,
    group_by: str | Sequence[str],
    metric: str = "count",
    where: filters.Filter | Iterable[filters.Filter] = (),
    sort: str | None = None,
    currency: Currency | None = None,
    limit: int | None = None,
) -> Aggregate:
    """One number per group, which the service computes from every match.

    `source` is companies, funding-rounds, funds, jobs, founders or investors; `metric`
    is `count`, or `sum:field` with count_distinct, sum, avg, median, p25 or p75; one or
    two fields to group by. A record with several values of a field is in several
    groups, so counts by tag or by university do not add up to the number of records.
    Raises `UnsupportedValue`, or `RequestRejected` where the service refuses a metric.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> svc.aggregate("companies", group_by="hq_country").to_polars().columns
    ['hq_country', 'count']
    """
    connection, profile = svc.connection, svc.connection.profile
    sources = SOURCES if profile.sources is None else sorted(profile.sources)
    if source not in sources:
        reason = f"on this wire it is one of {', '.join(sources)}"
        raise UnsupportedValue(source, field="source", reason=reason)
    groups = (group_by,) if isinstance(group_by, str) else tuple(group_by)
    conditions = (where,) if isinstance(where, filters.Filter) else tuple(where)
    condition = written = None
    if conditions:
        condition = filters.check(filters.all_of(*conditions), RESOURCES[source])
        written = connection.outward(condition)
    money = connection.checked_currency(currency or connection.currency)
    maximum = profile.limits["aggregates"].maximum
    names = [profile.groups.get(name, name) for name in groups]
    request = {
        "metric": metric,
        "group_by": ",".join(names),
        "filter": written,
        "sort": sort,
        "currency": money,
        "limit": limit or maximum,
    }
    path = profile.paths["aggregates"].replace("{source}", source)
    reply = connection.get(path, request)
    written_as = dict(zip(names, groups, strict=True))
    frame, page = _read(connection, reply, RESOURCES[source], written_as, metric)
    if page.currency not in (None, money):
        what = f"gives amounts in {page.currency!r} where {money} was asked for"
        raise reply.unreadable(what)
    by = (sort or "").removeprefix("-").replace(":", "_")
    if by in frame.columns:  # whichever order the service gave
        is_falling = str(sort).startswith("-")
        frame = frame.sort(by, descending=is_falling, nulls_last=True)
    function, _, name = metric.partition(":")
    if name in _MONEY and not function.startswith("count"):
        frame = frame.with_columns(currency=pl.lit(money))
        if page.currency is None:
            warn(f"The service does not say the currency of {metric}: {money} asked.")
    # a service that ignores `limit` gives as many as it gives by default
    is_cut = frame.height == profile.limits["aggregates"].default
    is_cut |= checks.is_cut(page, frame.height, limit=limit or maximum)
    is_cut |= _says_more(reply, frame.height)
    about = {
        "endpoint": path,
        "filter": None if condition is None else str(condition),
        "sort": sort,
        "currency": money,
    }
    return Aggregate(
        source=source,
        metric=metric,
        group_by=groups,
        provenance=connection.provenance(about),
        is_complete=not is_cut,
        credits=reply.credits,
        _frame=frame,
    )


def _read(
    connection: Connection,
    reply: Reply,
    resource: Resource,
    written_as: Mapping[str, str],
    metric: str,
) -> tuple[pl.DataFrame, Page]:
    """The groups of a reply as typed columns, each group once."""
    column = metric.replace(":", "_")
    rows = _rows(reply, written_as, column)
    groups = list(written_as.values())
    is_whole = metric.startswith("count")
    kinds = {group: _kind(resource, group, rows) for group in groups}
    columns = _resource(kinds, column, is_whole=is_whole)
    typed, page = connection.rows(reply, "aggregates", columns, rows)
    frame = pl.DataFrame(typed, frames.empty(columns).schema)
    if is_whole and frame[column].null_count():
        raise reply.unreadable(f"has a group without {column}")
    if frame.select(groups).is_duplicated().any():
        raise reply.unreadable("has a group more than once")
    return frame, page


def _rows(
    reply: Reply, written: Mapping[str, str], column: str
) -> list[dict[str, object]]:
    """The groups of a reply under our names; a single field can be the `dimension`."""
    rows = list[dict[str, object]]()
    for row in rows_of(reply, reply.json()):
        value = row.get(column)
        is_below = not isinstance(value, int) or value < 0
        if is_below and column.startswith("count"):
            raise reply.unreadable("has a group without a count, or below 0")
        group = {column: value}
        for key, name in written.items():
            own = "dimension" if len(written) == 1 and key not in row else key
            if own not in row or column not in row:
                raise reply.unreadable(f"has a group without {name} or {column}")
            group[name] = row[own]
        rows.append(group)
    return rows


def _resource(kinds: Mapping[str, Scalar], column: str, *, is_whole: bool) -> Resource:
    """What a group is: the columns it is made by, and the metric."""
    columns = [Field(name, kinds[name], "", nullable=True) for name in kinds]
    if is_whole:
        value = Field(column, "integer", "", nullable=True, within=(0, math.inf))
    else:
        value = Field(column, "number", "", nullable=True)
    return Resource("groups", "group", (*columns, value))


def _kind(
    resource: Resource, name: str, rows: Sequence[Mapping[str, object]]
) -> Scalar:
    """The type of a column that groups are made by."""
    declared = resource[name].type if name in resource else None
    if isinstance(declared, str):
        return declared
    if name.endswith("uuid"):
        return "uuid"
    return "integer" if any(type(row[name]) is int for row in rows) else "text"


def _says_more(reply: Reply, groups: int) -> bool:
    """Whether a reply says of its query that there are more groups."""
    info = reply.json().get("query_info")
    if not isinstance(info, dict):
        return False
    is_full = info.get("limit") == groups
    return is_full or info.get("total_groups") not in (None, groups)
