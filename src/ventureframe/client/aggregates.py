"""Grouped metrics that the service computes itself, as typed frames.

One row per group; there is no paging, so as many groups as the limit can mean that there are more.
The embedded service counts a record once in every group and gives records without a value a group
of their own, null. Of another service only the groups that it returned are known.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.connection import Connected
from ventureframe.client.decode import Chunk, of_page, page, rows_of
from ventureframe.errors import UnknownField, UnsupportedValue, warn
from ventureframe.interface import filters
from ventureframe.interface.fields import RESOURCES, Currency, Many, Record, Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.source import FACTS, Provenance
from ventureframe.interface.values import canonical, is_uuid

if TYPE_CHECKING:
    import pandas as pd

SOURCES: Final = ("companies", "funding-rounds", "funds", "jobs", "founders", "investors")
"""What can be aggregated."""

FUNCTIONS: Final = ("count", "count_distinct", "sum", "avg", "median", "p25", "p75")
"""What a metric computes: `count`, or one of the others with its field, as in `sum:amount`."""

_SINGLE: Final = "dimension"
"""What some services name the only column of groups, whatever it holds."""
_WHOLE: Final = frozenset({"count", "count_distinct"})
_MONEY: Final = frozenset({"total_funding", "amount"})
_METRIC: Final = re.compile(r"(\w+)(?::(\w+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Metric:
    """What is computed of each group, checked before it is asked for."""

    text: str
    function: str
    field: str | None

    @classmethod
    def of(cls, text: str, resource: Resource) -> Metric:
        """The metric that the text names; `UnsupportedValue` or `UnknownField` where it is none."""
        found = _METRIC.fullmatch(text)
        if found is None or found[1] not in FUNCTIONS or (found[1] == "count") != (not found[2]):
            known = ", ".join(f"{name}:field" for name in FUNCTIONS[1:])
            raise UnsupportedValue(text, field="metric", reason=f"a metric is count, {known}")
        if found[2] and found[2] not in resource:
            known_fields = [each.name for each in resource.returned]
            raise UnknownField(found[2], resource=resource.name, known=known_fields, use="compute")
        return cls(text, found[1], found[2])

    @property
    def column(self) -> str:
        """The name of its column: the same in every currency."""
        return "_".join(filter(None, (self.function, self.field)))

    @property
    def is_money(self) -> bool:
        """Whether it is an amount, so that a currency stands beside it."""
        return self.field in _MONEY and self.function not in _WHOLE


@dataclass(frozen=True, repr=False)
class Aggregate:
    """One row per group: the columns it is grouped by (null: nothing recorded), then the metric.

    What else the service says of a group (labels, `count`, `known_<field>`: in how many of its
    rows the field is recorded) stands between the two. `is_complete` is false where there are as
    many groups as were allowed, so that there can be more; where it is true, a service other than
    the embedded one can still leave out records without a value. The metric's null means that
    nothing is known in the group; it is never zero. Beside amounts stands their `currency`.
    """

    source: str
    metric: Metric
    group_by: tuple[str, ...]
    provenance: Provenance
    is_complete: bool
    _frame: pl.DataFrame = field(compare=False)

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        asked = self.provenance
        every = "every group" if asked.source.is_embedded else "every group returned"
        parts = [
            f"{self.metric.text} of {self.source} by {', '.join(self.group_by)}",
            f"{len(self):,} groups",
            every if self.is_complete else "INCOMPLETE: there can be more groups",
            None if asked.source.as_of is None else f"as of {asked.source.as_of}",
            asked.currency,
            "SYNTHETIC" if asked.source.synthetic else None,
        ]
        return " · ".join(part for part in parts if part)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        shown = f'<p class="vf-result">{html.escape(repr(self))}</p>'
        facts = {FACTS: self.provenance.source.facts}
        return {"text/plain": repr(self), "text/html": shown}, facts

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

    `source` is companies, funding-rounds, funds, jobs, founders or investors; `metric` is
    `count`, or `sum:field` with count_distinct, sum, avg, median, p25 or p75; one or two fields to
    group by. A record with several values of a field is in several groups, so counts by tag or by
    university do not add up to the number of records. Raises `UnsupportedValue` or `UnknownField`.

    >>> import ventureframe as vf
    >>> svc = vf.connect()
    >>> svc.aggregate("companies", group_by="hq_country").to_polars().columns
    ['hq_country', 'count']
    """
    connection = svc.connection
    if source not in SOURCES:
        raise UnsupportedValue(source, field="source", reason=f"it is one of {', '.join(SOURCES)}")
    if connection.profile.sources is not None and source not in connection.profile.sources:
        known = ", ".join(sorted(connection.profile.sources))
        reason = f"on this wire only {known} are aggregated"
        raise UnsupportedValue(source, field="source", reason=reason)
    resource = RESOURCES[source]
    computed = Metric.of(metric, resource)
    groups = _groups_of(group_by)
    conditions = (where,) if isinstance(where, filters.Filter) else tuple(where)
    chosen = filters.check(filters.all_of(*conditions), resource) if conditions else None
    named = [connection.profile.groups.get(name, name) for name in groups]
    money = connection.checked_currency(currency or connection.currency)
    most = limit or connection.profile.limits["aggregates"].maximum
    asked = {
        "metric": computed.text,
        "group_by": ",".join(named),
        "filter": None if chosen is None else connection.outward(chosen),
        "sort": sort,
        "currency": money,
        "limit": most,
    }
    path = connection.profile.paths["aggregates"].replace("{source}", source)
    reply = connection.get(path, asked)
    frame = _decoded(reply, resource, computed, dict(zip(groups, named, strict=True)), money)
    content = reply.json()
    info = content.get("query_info")
    info = info if isinstance(info, dict) else {}
    about_rows = {"total": info.get("total_groups"), "limit": info.get("limit"), **of_page(content)}
    answer = Chunk(frame, None, (page(reply, {**content, "page": about_rows}),))
    told = checks.check(answer, checks.Request(resource, currency=money), "envelope")
    for doubt in (*told, *_doubts(frame, computed, money, content, sort)):
        warn(doubt)
    # as many as a service gives that ignores `limit`
    is_cut = frame.height == connection.profile.limits["aggregates"].default
    is_cut |= checks.is_cut(answer.pages[0], frame.height, limit=most)
    text = None if chosen is None else str(chosen)
    about = {"endpoint": path, "filter": text, "sort": sort, "currency": money}
    return Aggregate(source, computed, groups, connection.provenance(about), not is_cut, frame)


def _groups_of(group_by: str | Sequence[str]) -> tuple[str, ...]:
    """The fields to group by; `UnsupportedValue` where they are not one or two."""
    groups = (group_by,) if isinstance(group_by, str) else tuple(group_by)
    if not 1 <= len(groups) <= 2 or len(set(groups)) < len(groups):
        reason = "groups are made by one field or by two"
        raise UnsupportedValue(list(groups), field="group_by", reason=reason)
    return groups


def _decoded(
    reply: Reply,
    resource: Resource,
    metric: Metric,
    groups: Mapping[str, str],
    currency: str | None,
) -> pl.DataFrame:
    """The groups in a reply as typed columns; `UnreadableReply` where it holds anything else.

    `groups` are the fields to group by, each with the wire's name for it.
    """
    content = reply.json()
    own = {written: name for name, written in groups.items()}
    if len(groups) == 1:
        own[_SINGLE] = next(iter(groups))
    rows = [{own.get(key, key): row[key] for key in row} for row in rows_of(reply, content)]
    names = [_metric_in(reply, row, metric, tuple(groups)) for row in rows]
    columns = [_group(reply, resource, name, rows) for name in groups]
    if columns and pl.DataFrame(columns).is_duplicated().any():
        raise reply.unreadable("has a group more than once")
    also = dict.fromkeys(name for row in rows for name in row)
    columns += [_label(name, rows) for name in also if name not in (*groups, *names)]
    computed = [row[name] for row, name in zip(rows, names, strict=True)]
    kind: type[pl.Int64 | pl.Float64] = pl.Int64 if metric.function in _WHOLE else pl.Float64
    found = pl.DataFrame([*columns, pl.Series(metric.column, computed, dtype=kind)])
    return found.with_columns(currency=pl.lit(currency)) if metric.is_money else found


def _doubts(
    frame: pl.DataFrame,
    metric: Metric,
    currency: str,
    content: Mapping[str, object],
    sort: str | None,
) -> Iterator[str]:
    """What is doubtful about the groups: their order, the currency of their amounts."""
    if metric.is_money and len(frame) and not content.get("currency"):
        yield (
            f"The service does not say in which currency {metric.text} is: {currency} was asked "
            "for."
        )
    name = "" if sort is None else sort.removeprefix("-")
    name = metric.column if name in (metric.text, metric.function, "value") else name
    values = frame.get_column(name).drop_nulls() if name in frame.columns else pl.Series()
    is_falling = str(sort).startswith("-")
    if values.dtype.is_numeric() and not values.is_sorted(descending=is_falling):
        yield f"Groups are not in the order asked for (sort {sort}): sort the frame instead."


def _group(
    reply: Reply, resource: Resource, name: str, rows: Sequence[Mapping[str, Any]]
) -> pl.Series:
    """The values of one grouping column: of its field's type, else whole numbers or text."""
    declared = resource.get(name)
    values = [row.get(name) for row in rows]
    kinds = {type(value) for value in values if value is not None}
    if any(name not in row for row in rows) or not kinds <= {str, int, bool}:
        raise reply.unreadable(f"has a group without a plain {name!r}")
    if name.endswith("uuid"):
        if not all(
            value is None or (isinstance(value, str) and is_uuid(value)) for value in values
        ):
            raise reply.unreadable(f"has a group whose {name!r} is not a UUID")
        values = [value and canonical(value) for value in values]
    wanted: pl.DataType = pl.Int64() if kinds == {int} else pl.String()
    if declared is not None and not isinstance(declared.type, Many | Record):
        is_plain = declared.type in ("integer", "identifier", "flag")
        wanted = frames.dtype(declared.type) if is_plain else pl.String()
    try:
        return pl.Series(name, values, dtype=wanted, strict=True)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise reply.unreadable(f"has a group whose {name!r} is no {wanted}") from error


def _label(name: str, rows: Sequence[Mapping[str, Any]]) -> pl.Series:
    """What else is said of each group: whole numbers, text, or JSON text of anything else."""
    values = [row.get(name) for row in rows]
    kinds = {type(value) for value in values} - {type(None)}
    if kinds <= {int}:
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds != {str}:
        values = [None if value is None else json.dumps(value) for value in values]
    return pl.Series(name, values, dtype=pl.String)


def _metric_in(reply: Reply, row: Mapping[str, Any], metric: Metric, groups: Sequence[str]) -> str:
    """Where a group has the metric: under its own name, or under the only other one there is."""
    others = [name for name in row if name not in groups]
    named = (metric.text, f"{metric.function}_{metric.field}", metric.function, "value")
    name = next((name for name in named if name in others), others[0] if len(others) == 1 else None)
    value = None if name is None else row[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_count = isinstance(value, int) and value >= 0
    is_fit = is_number and is_count if metric.function in _WHOLE else is_number or value is None
    if name is None or not is_fit:
        raise reply.unreadable(f"has a group without a number for {metric.text}")
    return name
