"""Detects rows that contradict the filter of their request: the service then ignored it.

Only what a row itself refutes counts. A clause stays undecided where the value is null, where
rows do not show the field, and where the filter acts on another measure than the row shows (a
fund's native amount, all companies of an article). An `or(...)` is refuted where every part is.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ventureframe.client.decode import Chunk
from ventureframe.errors import UnreadableReply
from ventureframe.interface.fields import COMPANIES, FUNDS, NEWS, Resource
from ventureframe.interface.filters import Clause, Filter, Group

if TYPE_CHECKING:
    import polars as pl

ROUNDING: Final = 0.5
"""By how much a number in a row may miss an edge: a service may show it rounded to a whole one."""

_CONVERTED: Final = (COMPANIES.name, "total_funding")
_OTHERWISE: Final = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
_LONGEST: Final = 80
_EDGES: Final[Mapping[str, tuple[Callable[[Any, Any], pl.Series], int]]] = {
    "gte": (operator.lt, -1),
    "gt": (operator.le, -1),
    "lte": (operator.gt, 1),
    "lt": (operator.ge, 1),
}
"""What a value beyond the edge is compared by, and the side to which rounding may have moved it."""


def refuse(page: Chunk, asked: Filter, resource: Resource, *, currency: str | None) -> None:
    """Raises `UnreadableReply`, naming clause, row and value, where a row contradicts the filter.

    `currency` is the requested currency of amounts.
    """
    has_currency = currency is not None and page.currency == currency
    every = asked.parts if isinstance(asked, Group) and asked.word == "and" else (asked,)
    for part in every:
        refuted = _refuted(part, page, resource, has_currency=has_currency)
        if refuted is not None and refuted.any():
            raise _error(page, part, resource, refuted.arg_max() or 0)


def _refuted(
    asked: Filter, page: Chunk, resource: Resource, *, has_currency: bool
) -> pl.Series | None:
    """Which rows refute the filter; None where it cannot be decided."""
    if isinstance(asked, Clause):
        name = (resource.name, asked.field)
        if name in _OTHERWISE or (name == _CONVERTED and not has_currency):
            return None
        values = _shown(page, asked, resource)
        return None if values is None else _missed(values, asked, resource)
    assert isinstance(asked, Group)  # noqa: S101  # a filter is a clause or a group
    parts = [_refuted(part, page, resource, has_currency=has_currency) for part in asked.parts]
    decided = [part for part in parts if part is not None]
    if not decided or (asked.word == "or" and len(decided) < len(parts)):
        return None
    return functools.reduce(operator.and_ if asked.word == "or" else operator.or_, decided)


def _shown(page: Chunk, clause: Clause, resource: Resource) -> pl.Series | None:
    """The field's values in the rows; None where rows do not show it."""
    if (resource.name, clause.field) == (FUNDS.name, "year"):
        return page.frame.get_column("fund_date").dt.year()
    field = resource[clause.field]
    field = resource[field.alias_of] if field.alias_of else field
    return page.frame.get_column(field.name) if field.returned else None


def _missed(values: pl.Series, clause: Clause, resource: Resource) -> pl.Series:
    """Which values contradict the clause, however they were rounded; a null never does."""
    field = resource[clause.field]
    wanted: list[Any] = [field.read(value) for value in clause.values]
    is_rounded, slack = field.scalar == "number", ROUNDING if field.scalar == "number" else 0
    if field.scalar in ("uuid", "text"):
        values, wanted = values.str.to_lowercase(), [value.lower() for value in wanted]
    if clause.operator in _EDGES:
        compare, sign = _EDGES[clause.operator]
        missed = compare(values, wanted[0] + sign * slack)
    elif clause.operator not in ("eq", "in_any", "in_all"):
        missed = values.is_in([] if is_rounded else wanted)
    elif is_rounded:
        away = [(values - value).abs() > slack for value in wanted]
        missed = functools.reduce(operator.and_, away)
    else:
        missed = ~values.is_in(wanted)
    return missed.fill_null(value=False)


def _error(page: Chunk, asked: Filter, resource: Resource, row: int) -> UnreadableReply:
    columns = {clause.field: _shown(page, clause, resource) for clause in asked.clauses()}
    values = [f"{name} {each[row]}" for name, each in columns.items() if each is not None]
    text = str(asked)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return page.reply.unreadable(
        f"has {resource.singular} {page.keys[row]} with {', '.join(values)} where {text} was asked "
        "for, as if the service ignored the filter or read it in another way"
    )
