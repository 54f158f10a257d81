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

from ventureframe.client import checks, frames, lookups
from ventureframe.client.connection import Connected
from ventureframe.client.paging import check_positive
from ventureframe.client.result import Fetched, of_request
from ventureframe.errors import UnsupportedValue, warn
from ventureframe.interface import filters
from ventureframe.interface.fields import RESOURCES, Currency, Field, Resource, Scalar
from ventureframe.interface.reply import Reply
from ventureframe.interface.source import Provenance
from ventureframe.interface.wire import terms

if TYPE_CHECKING:
    import pandas as pd

SOURCES = ("companies", "funding-rounds", "funds", "jobs", "founders", "investors")
_MONEY = ("total_funding", "amount")


@dataclass(frozen=True, repr=False)
class Aggregate(Fetched):
    """One row per group: the columns it is grouped by, then the metric.

    A column that it is grouped by is null where nothing is recorded; the metric is
    null where nothing is known in the group, which is never zero. A column `currency`
    stands beside amounts. `is_complete` is false where there are as many groups as
    were allowed, `credits` are those that were spent.
    """

    source: str
    metric: str
    group_by: tuple[str, ...]
    provenance: Provenance
    is_complete: bool
    credits: float | None
    _frame: pl.DataFrame = field(compare=False)

    def __repr__(self) -> str:
        extent = "every group returned"
        if not self.is_complete:
            extent = "INCOMPLETE: there can be more groups"
        elif self.provenance.source.is_embedded:
            extent = "every group"
        metric = f"{self.metric} of {self.source} by {', '.join(self.group_by)}"
        parts = [metric, f"{len(self):,} groups", extent]
        return " · ".join([*parts, *of_request(self.provenance, self.credits)])

    def to_polars(self) -> pl.DataFrame:
        """Return the groups as a polars frame."""
        return self._frame

    def to_pandas(self) -> pd.DataFrame:
        """Return the same columns in pandas on Arrow types."""
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
    """Return one number per group, which the service computes from every match.

    `source` is companies, funding-rounds, funds, jobs, founders or investors; `metric`
    is `count`, or `sum:field` with count_distinct, sum, avg, median, p25 or p75; one or
    two fields to group by. A record with several values of a field is in several
    groups, so counts by tag or by university do not add up to the number of records.
    Raises `UnsupportedValue`, or `RequestRejected` if the service refuses a metric.

    >>> import ventureframe as vf
    >>> vf.connect().aggregate("companies", group_by="hq_city").to_polars().columns
    ['hq_city', 'count']
    """
    connection, profile = svc.connection, svc.connection.profile
    sources = sorted(profile.sources or SOURCES)
    if source not in sources:
        reason = f"on this wire it is one of {', '.join(sources)}"
        raise UnsupportedValue(source, field="source", reason=reason)
    size = profile.limits["aggregates"]
    check_positive(limit=limit)
    limit = limit or size.maximum
    groups: Any = group_by if isinstance(group_by, list | tuple) else [group_by]
    for group in groups:
        lookups.check_texts(group_by=group, metric=metric, sort=sort or "")
    names = {profile.groups.get(name, name): name for name in groups}
    groups = tuple(names.values())
    conditions = tuple(where or ()) if isinstance(where, Iterable | None) else (where,)
    condition = written = None
    if conditions:
        condition = filters.check(filters.all_of(*conditions), RESOURCES[source])
        written = connection.outward(condition)
    money = connection.checked_currency(currency or connection.currency)
    request = {
        "metric": metric,
        "group_by": ",".join(names),
        "filter": written,
        "sort": sort and terms.renamed(sort, profile.groups),
        "currency": money,
        "limit": limit,
    }
    path = profile.paths["aggregates"].replace("{source}", source)
    reply = connection.get(path, request, priced_as="aggregates")
    column = metric.replace(":", "_")
    rows = _rows(reply, names, column)
    resource = _resource(RESOURCES[source], groups, column, rows)
    typed, page = connection.rows(reply, "aggregates", resource, rows, money)
    frame = pl.DataFrame(typed, frames.empty(resource).schema)
    if frame.select(groups).is_duplicated().any():
        raise reply.unreadable("has a group more than once")
    by = (sort or "").removeprefix("-").replace(":", "_")
    if by in frame.columns:  # in whatever order the service sent them
        frame = frame.sort(by, descending=str(sort).startswith("-"), nulls_last=True)
    function, _, name = metric.partition(":")
    is_money = name in _MONEY and not function.startswith("count")
    if is_money:
        frame = frame.with_columns(currency=pl.lit(money))
        if page.currency is None:
            warn(f"The service does not say the currency of {metric}: {money} asked.")
    # a service that ignores `limit` gives as many as it gives by default
    is_cut = frame.height == size.default
    is_cut |= checks.is_cut(page, frame.height, limit=min(limit, size.maximum))
    about = {
        "endpoint": path,
        "filter": None if condition is None else str(condition),
        "sort": sort,
        "currency": money if is_money else None,
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


def _rows(
    reply: Reply, names: Mapping[str, str], column: str
) -> list[dict[str, object]]:
    """Return the groups of a reply under our names; a single field can be the
    `dimension`.
    """
    columns = {**names, column: column}
    if len(names) == 1:
        (columns["dimension"],) = names.values()
    rows = list[dict[str, object]]()
    for row in reply.rows():
        group = {columns[key]: value for key, value in row.items() if key in columns}
        is_uncounted = column.startswith("count") and group.get(column) is None
        if is_uncounted or len(group) <= len(names):
            raise reply.unreadable(f"has a group without {' or '.join(columns)}")
        rows.append(group)
    return rows


def _resource(
    source: Resource,
    groups: Sequence[str],
    column: str,
    rows: Sequence[Mapping[str, object]],
) -> Resource:
    """Return what a group is: the columns that it is made by, and the metric."""
    columns = list[Field]()
    for name in groups:
        field = source.get(name)
        kind: Scalar = "text"
        if field is not None and isinstance(field.type, str):
            kind = field.type
        elif name.endswith("uuid"):
            kind = "uuid"
        elif any(type(row[name]) is int for row in rows):
            kind = "integer"
        columns.append(Field(name, kind))
    value = Field(column, "number")
    if column.startswith("count"):
        value = Field(column, "integer", within=(0, math.inf))
    return Resource("groups", "group", (*columns, value))
