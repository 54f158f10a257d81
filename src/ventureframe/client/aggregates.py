"""Grouped metrics that the service computes itself, as typed frames.

There is no paging, so as many groups as the limit can mean that there are more. The
embedded service gives records without a value a group of their own, null; another
may leave them out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.connection import Connected
from ventureframe.client.decode import Rows, records
from ventureframe.errors import ServiceError, UnknownField, UnsupportedValue, warn
from ventureframe.interface import filters
from ventureframe.interface.fields import (
    RESOURCES,
    Currency,
    Field,
    Many,
    Resource,
    Scalar,
)
from ventureframe.interface.reply import Page, Reply, of_page, page, rows_of
from ventureframe.interface.source import FACTS, Provenance

if TYPE_CHECKING:
    import pandas as pd

SOURCES: Final = (
    "companies",
    "funding-rounds",
    "funds",
    "jobs",
    "founders",
    "investors",
)
FUNCTIONS: Final = ("count", "count_distinct", "sum", "avg", "median", "p25", "p75")

_WHOLE: Final = frozenset({"count", "count_distinct"})
_METRIC: Final = re.compile(r"(\w+)(?::(\w+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Metric:
    """What is computed of each group; its `column` has one name in every currency."""

    text: str
    function: str
    field: str | None

    @property
    def column(self) -> str:
        return "_".join(filter(None, (self.function, self.field)))

    @property
    def is_money(self) -> bool:
        """Whether it is an amount, so that a currency stands beside it."""
        return self.field in ("total_funding", "amount") and self.function not in _WHOLE


@dataclass(frozen=True, repr=False)
class Aggregate:
    """One row per group: the columns it is grouped by (null: nothing recorded), then
    the metric.

    Between the two stands what else the service says of a group (labels, `count`,
    `known_<field>`: in how many of its rows the field is recorded). `is_complete` is
    false where there are as many groups as were allowed, `credits` is what was
    spent. The metric's null means that nothing is known in the group; it is never
    zero. Beside amounts stands their `currency`.
    """

    source: str
    metric: Metric
    group_by: tuple[str, ...]
    provenance: Provenance
    is_complete: bool
    credits: float | None
    _frame: pl.DataFrame = field(compare=False)

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        asked = self.provenance
        every = "every group" if asked.source.is_embedded else "every group returned"
        every = every if self.is_complete else "INCOMPLETE: there can be more groups"
        day = None if asked.source.as_of is None else f"as of {asked.source.as_of}"
        metric = f"{self.metric.text} of {self.source} by {', '.join(self.group_by)}"
        mark = "SYNTHETIC" if asked.source.synthetic else None
        spent = None if self.credits is None else f"{self.credits:,g} credits"
        parts = (
            metric,
            f"{len(self):,} groups",
            every,
            day,
            asked.currency,
            spent,
            mark,
        )
        return " · ".join(filter(None, parts))

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        shown = f'<p class="vf-result">{html.escape(repr(self))}</p>'
        texts = {"text/plain": repr(self), "text/html": shown}
        return texts, {FACTS: self.provenance.source.facts}

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
    Raises `UnsupportedValue` or `UnknownField`.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> svc.aggregate("companies", group_by="hq_country").to_polars().columns
    ['hq_country', 'count']
    """
    connection, profile = svc.connection, svc.connection.profile
    if source not in SOURCES:
        raise UnsupportedValue(
            source, field="source", reason=f"it is one of {', '.join(SOURCES)}"
        )
    if profile.sources is not None and source not in profile.sources:
        reason = (
            f"on this wire only {', '.join(sorted(profile.sources))} are aggregated"
        )
        raise UnsupportedValue(source, field="source", reason=reason)
    groups = (group_by,) if isinstance(group_by, str) else tuple(group_by)
    if not 1 <= len(groups) <= 2 or len(set(groups)) < len(groups):
        reason = "groups are made by one field or by two"
        raise UnsupportedValue(list(groups), field="group_by", reason=reason)
    resource, parts = RESOURCES[source], _METRIC.fullmatch(metric)
    if (
        parts is None
        or parts[1] not in FUNCTIONS
        or (parts[1] == "count") != (not parts[2])
    ):
        reason = (
            f"a metric is count, {', '.join(f'{name}:field' for name in FUNCTIONS[1:])}"
        )
        raise UnsupportedValue(metric, field="metric", reason=reason)
    if parts[2] and parts[2] not in resource:
        names = [field.name for field in resource.returned]
        raise UnknownField(parts[2], resource=resource.name, known=names, use="compute")
    computed = Metric(metric, parts[1], parts[2])
    conditions = (where,) if isinstance(where, filters.Filter) else tuple(where)
    chosen = (
        filters.check(filters.all_of(*conditions), resource) if conditions else None
    )
    written = {profile.groups.get(name, name): name for name in groups}
    money = connection.checked_currency(currency or connection.currency)
    most = limit or profile.limits["aggregates"].maximum
    path = profile.paths["aggregates"].replace("{source}", source)
    outward = None if chosen is None else connection.outward(chosen)
    asked = {"metric": metric, "group_by": ",".join(written), "filter": outward}
    request = {**asked, "sort": sort, "currency": money, "limit": most}
    frame, last = _decoded(
        connection.get(path, request), resource, computed, written, money
    )
    if computed.is_money and len(frame) and last.currency is None:
        warn(
            f"The service does not say in which currency {metric} is: {money} was asked"
            " for."
        )
    by, is_falling = (sort or "").removeprefix("-"), str(sort).startswith("-")
    by = computed.column if by in (metric, computed.function, "value") else by
    values = frame.get_column(by).drop_nulls() if by in frame.columns else pl.Series()
    if values.dtype.is_numeric() and not values.is_sorted(descending=is_falling):
        warn(
            f"Groups are not in the order asked for (sort {sort}): sort the frame"
            " instead."
        )
    # as many as a service gives that ignores `limit`
    is_cut = frame.height == profile.limits["aggregates"].default
    is_cut |= checks.is_cut(last, frame.height, limit=most)
    text = None if chosen is None else str(chosen)
    about = {"endpoint": path, "filter": text, "sort": sort, "currency": money}
    told, spent = connection.provenance(about), last.reply.credits
    return Aggregate(source, computed, groups, told, not is_cut, spent, frame)


def by_uuid(svc: Connected, source: str, by: str) -> Mapping[str, Mapping[str, Any]]:
    """Count the records of each UUID, once for a service; none where it refuses to."""
    known = svc.connection.groups
    if by not in known:
        known[by] = {}
        with contextlib.suppress(ServiceError):
            groups = (
                aggregate(svc, source, group_by=by, sort="-count")
                .to_polars()
                .drop_nulls(by)
            )
            known[by] = {row[by]: row for row in groups.iter_rows(named=True)}
    return known[by]


def records_of(row: Mapping[str, Any]) -> str:
    """How many records a row that was found has, in words; empty where they are not
    counted.

    >>> records_of({"records": 1204, "of": "company"})
    '1,204 companies'
    """
    records, of = row.get("records"), row.get("of", "")
    several = re.sub("y$", "ie", of) + "s"
    return f"{records:,} {of if records == 1 else several}" if records else ""


def _decoded(
    reply: Reply,
    resource: Resource,
    metric: Metric,
    written: Mapping[str, str],
    currency: str,
) -> tuple[pl.DataFrame, Page]:
    """Read the groups, which are `written` under the wire's names, and what the
    reply says.
    """
    content, groups = reply.json(), tuple(written.values())
    own = {**written, "dimension": groups[0]} if len(groups) == 1 else written
    rows = [
        {own.get(key, key): row[key] for key in row} for row in rows_of(reply, content)
    ]
    names = (metric.text, f"{metric.function}_{metric.field}", metric.function, "value")
    numbers = list[object]()
    for row in rows:
        others = [name for name in row if name not in groups]
        name = next(
            (name for name in names if name in others), others[0] if others else ""
        )
        is_other = re.split("[:_]", name)[0] in (*FUNCTIONS, "known")
        if name not in names and (len(others) != 1 or is_other):
            raise reply.unreadable(f"has a group without a number for {metric.text}")
        numbers.append(row.pop(name))
    plain = dict[str, Scalar]()
    for name in dict.fromkeys((*groups, *(name for row in rows for name in row))):
        kinds = {type(row.get(name)) for row in rows} - {type(None)}
        kind = resource[name].type if name in groups and name in resource else None
        if isinstance(kind, str) and kind in ("uuid", "integer", "identifier", "flag"):
            plain[name] = kind
        elif name in groups and (kind is None or isinstance(kind, Many)):
            whole: Scalar = "integer" if kinds == {int} else "text"
            plain[name] = "uuid" if name.endswith("uuid") else whole
        elif name in groups or kinds == {str}:
            plain[name] = "text"
        elif kinds <= {int}:
            plain[name] = "integer"
    value = Field(metric.column, "number", "", nullable=True)
    if metric.function in _WHOLE:
        value = Field(
            metric.column, "integer", "", nullable=False, within=(0, math.inf)
        )
    fields = [
        *(Field(name, kind, "", nullable=True) for name, kind in plain.items()),
        value,
    ]
    rows = [
        {**row, metric.column: value} for row, value in zip(rows, numbers, strict=True)
    ]
    kind_of = Resource("groups", "group", tuple(fields))
    info = of_page({"page": content.get("query_info")})
    about = {
        "total": info.get("total_groups"),
        "limit": info.get("limit"),
        **of_page(content),
    }
    answer = page(reply, {**content, "page": about})
    chunk = dataclasses.replace(records(reply, rows, Rows(kind_of)), pages=(answer,))
    for doubt in checks.check(
        chunk, checks.Request(kind_of, currency=currency), "envelope"
    ):
        warn(doubt.text)
    if missing := chunk.absent & {*groups, metric.column}:
        raise reply.unreadable(f"has a group without {', '.join(sorted(missing))}")
    if chunk.frame.select(groups).is_duplicated().any():
        raise reply.unreadable("has a group more than once")
    labels = [
        name for name in chunk.frame.columns if name not in (*groups, metric.column)
    ]
    frame = chunk.frame.select(*groups, *labels, metric.column)
    return (
        frame.with_columns(currency=pl.lit(currency)) if metric.is_money else frame
    ), answer
