"""Every reason to refuse or to doubt what a service answers, in one table: `CHECKS`.

Most say that the service ignored a part of the request. Of a filter only what a row
itself refutes counts: nothing is decided by a null, by a field that rows do not
show, or by another measure than the filter's (a fund's native amount, all companies
of an article).
"""

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import polars as pl

from ventureframe.client.frames import Chunk, owners
from ventureframe.errors import UnreadableReply, shortened
from ventureframe.interface.fields import COMPANIES, FUNDS, NEWS, Resource
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe.interface.gaps import Doubt, DoubtKind
from ventureframe.interface.reply import Page, locked

LINKS = {
    "founders": ("education.university_uuid",),
    "funds": ("manager.uuid",),
    "jobs": ("entity_id",),
    "news": ("entity_id", "entity_ids"),
}
"""By resource, the columns of which a row needs one to say what it belongs to."""
KEY = "Check the key: the service answers as if none were sent"
_OTHERWISE = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
_EDGES: Final[Mapping[str, tuple[Callable[[Any, Any], pl.Series], int]]] = {
    "gte": (operator.lt, -1),
    "gt": (operator.le, -1),
    "lte": (operator.gt, 1),
    "lt": (operator.ge, 1),
}
"""What a value beyond the edge is compared by, and where rounding may have moved it."""

_DECIDING = {*_EDGES, "eq", "in_any", "in_all"}
"""Operators that a row can refute; of those that exclude values nothing is decided."""


@dataclass(frozen=True)
class Request:
    """What rows were requested by, and so are held to.

    `ids` are those of the records whose rows were asked for, or `is_path` the one in
    the path; a row names them in one of `id_columns`.
    """

    resource: Resource
    endpoint: str = ""
    filter: Filter | None = None
    sort: str | None = None
    currency: str | None = None
    ids: tuple[str, ...] | None = None
    is_path: bool = False
    id_columns: tuple[str, ...] = ()


Part = Literal["envelope", "rows"]


class Check(NamedTuple):
    """What is wrong in which part, what that leads to, and each doubt.

    Nothing is wrong where the request has not what the check `needs`.
    """

    of: Part
    needs: Literal["currency", "filter", "ids", "sort"] | None
    wrong: str
    leads_to: Literal["error", "verdict", "doubt"]
    find: Callable[[Chunk, Request], Iterator[Doubt]]


def check(rows: Chunk, request: Request, *parts: Part) -> tuple[Doubt, ...]:
    """Return the doubts about these parts; raise `UnreadableReply` for an error."""
    doubts: dict[Doubt, None] = {}
    for item in CHECKS:
        is_asked = item.needs is None or getattr(request, item.needs) is not None
        if item.of not in parts or not is_asked:
            continue
        for doubt in item.find(rows, request):
            if item.leads_to == "error":
                reply = rows.pages[0].reply
                raise reply.unreadable(doubt.text, kind=doubt.kind)
            doubts[doubt] = None
    return tuple(doubts)


def _other_currency(rows: Chunk, request: Request) -> Iterator[Doubt]:
    for page in rows.pages:
        if page.currency not in (None, request.currency):
            given = f"gives amounts in {page.currency!r}"
            yield Doubt("currency", f"{given} where {request.currency} was asked for")


def _notices(rows: Chunk, _: Request) -> Iterator[Doubt]:
    for page in rows.pages:
        notices = dict(page.notices)
        capped = notices.pop("capped", None)
        if capped:
            says = f"The service says capped {shortened(json.dumps(capped))}"
            rest = "some of what it has may not be shown"
            yield Doubt("capped", f"{says} beside its rows: {rest}.")
        if notices:
            blocks = " and ".join(sorted(locked(notices))) or "parts of its records"
            tier = ""
            if "tier" in notices:
                tier = f" (it says tier {json.dumps(notices['tier'])})"
            yield Doubt("key", f"{KEY}, or its plan leaves out {blocks}{tier}.")


def _strangers(rows: Chunk, request: Request) -> Iterator[Doubt]:
    columns = [
        path
        for path in request.id_columns
        if path.partition(".")[0] in rows.frame.columns
    ]
    if not columns:
        return
    ids = request.ids or ()
    named = owners(rows.frame, columns)
    is_own = named.list.set_intersection(list(ids)).list.len() > 0
    strangers = named.filter((named.list.len() > 0) & ~is_own)
    if not len(strangers):
        return
    kind: DoubtKind = "filter"
    where, ignored = ", which was not asked for", "filter"
    if request.is_path:
        kind = "ids"
        where, ignored = f" in the list of {ids[0]}", "id in the path"
    elif request.id_columns == (request.resource.key,):
        kind = ignored = "ids"
    stranger = f"has {request.resource.name} of {strangers[0][0]}{where}"
    yield Doubt(kind, f"{stranger}, as if the service ignored the {ignored}")


def _refuting(rows: Chunk, request: Request) -> Iterator[Doubt]:
    """A row that refutes one of the conditions that must all hold."""
    conditions: Sequence[Filter | None] = (request.filter,)
    if isinstance(request.filter, Group) and request.filter.word == "and":
        conditions = request.filter.parts
    resource = request.resource
    for condition in conditions:
        if not isinstance(condition, Clause):
            continue
        values = _shown(rows, condition, request)
        if values is None:
            continue
        is_refuting = _misses(values, condition, resource)
        if not is_refuting.any():
            continue
        row = is_refuting.arg_max() or 0
        value = values[row]
        if isinstance(value, pl.Series):
            value = "|".join(map(str, value))
        record = f"{resource.singular} {rows.frame[resource.key][row]}"
        what = f"has {record} with {condition.field} {value}"
        asked = f"where {shortened(str(condition))} was asked for"
        how = "as if the service ignored the filter or read it in another way"
        yield Doubt("filter", f"{what} {asked}, {how}")


def _shown(rows: Chunk, clause: Clause, request: Request) -> pl.Series | None:
    """Return the values of a field; None where rows cannot refute the clause."""
    resource, frame = request.resource, rows.frame
    name = (resource.name, clause.field)
    if name in _OTHERWISE or clause.operator not in _DECIDING:
        return None
    currencies = {page.currency for page in rows.pages}
    if name == (COMPANIES.name, "total_funding") and currencies != {request.currency}:
        return None
    if name == (FUNDS.name, "year"):
        return frame.get_column("fund_date").dt.year()
    # an empty list may only say that none is recorded
    if clause.field == "tag_id":
        ids = frame.get_column("tags").list.eval(pl.element().struct.field("id"))
        return ids.set(ids.list.len() == 0, None)
    if clause.field == "has_founder":
        has_founder = frame.get_column("founders").list.len() > 0
        return has_founder.set(~has_founder, None)
    field = resource[resource[clause.field].alias_of or clause.field]
    return frame.get_column(field.name) if field.returned else None


def _misses(values: pl.Series, clause: Clause, resource: Resource) -> pl.Series:
    """Return which values contradict the clause, however rounded; a null never does."""
    field, operator = resource[clause.field], clause.operator
    wanted: list[Any] = [field.read(value) for value in clause.values]
    slack = 0.5 if field.scalar == "number" else 0  # it may be shown as a whole number
    if field.scalar in ("uuid", "text"):
        values = values.str.to_lowercase()
        wanted = [value.lower() for value in wanted]
    if operator in _EDGES:
        is_beyond, sign = _EDGES[operator]
        misses = is_beyond(values, wanted[0] + sign * slack)
    elif isinstance(values.dtype, pl.List):
        shared = values.list.set_intersection(wanted).list.len()
        needed = len(set(wanted)) if operator == "in_all" else 1
        misses = shared < needed
    elif slack:
        misses = values.is_not_null()
        for value in wanted:
            misses &= (values - value).abs() > slack
    else:
        misses = ~values.is_in(wanted)
    return misses.fill_null(value=False)


def _no_currency(rows: Chunk, request: Request) -> Iterator[Doubt]:
    is_silent = any(page.currency is None and page.rows for page in rows.pages)
    has_amounts = any(
        rows.frame[name].count()
        for name in ("total_funding", "amount")
        if name in request.resource
    )
    if is_silent and has_amounts:
        what = f"in which currency the amounts of {request.resource.name} are"
        text = f"The service does not say {what}: {request.currency} was asked for."
        yield Doubt("currency", text)


def _disorder(rows: Chunk, request: Request) -> Iterator[Doubt]:
    """Rows out of the order of the sort's first field, wherever nulls stand."""
    first = (request.sort or "").partition(",")[0]
    name = first.removeprefix("-")
    if (request.resource.name, name) in _OTHERWISE or name not in rows.frame.columns:
        return
    values = rows.frame.get_column(name).drop_nulls()
    follows = operator.lt if first == name else operator.gt
    is_wrong = follows(values, values.shift())
    # every collation orders letters in one of two ways
    if request.resource[name].type == "text":
        letters = values.filter(values.str.contains("^[A-Za-z]+$"))
        lower = letters.str.to_lowercase()
        is_wrong = follows(letters, letters.shift()) & follows(lower, lower.shift())
    if is_wrong.any():
        order = f"the order asked for (sort {request.sort})"
        what = f"Rows of {request.endpoint} are not in {order}"
        text = f"{what}, as if the service ignored it: sort the frame instead."
        yield Doubt("sort", text)


CHECKS = (
    Check(
        "envelope",
        "currency",
        "amounts in another currency than requested",
        "error",
        _other_currency,
    ),
    Check(
        "envelope",
        None,
        "a page that was cut, a key that sees less",
        "verdict",
        _notices,
    ),
    Check("rows", "ids", "a row that belongs to none of the ids", "error", _strangers),
    Check("rows", "filter", "a row that refutes the filter", "error", _refuting),
    Check("rows", "currency", "amounts without a currency", "doubt", _no_currency),
    Check("rows", "sort", "rows out of the order of the sort", "doubt", _disorder),
)


def is_cut(page: Page, rows: int, *, limit: int) -> bool:
    """Whether rows can be missing from an answer that has no second page."""
    is_full = rows >= min(limit, page.limit or limit)
    return is_full or (page.total or 0) > rows or page.goes_on or page.is_limited


def refuse_unlinked(
    resource: Resource, absent: Iterable[str], path: str, is_linked: bool
) -> None:
    """Raise `UnreadableReply` where every row leaves out what it belongs to."""
    links = LINKS.get(resource.name, ())
    if is_linked or not links:
        return
    left_out = tuple(f"{name}." for name in absent)
    if all(f"{link}.".startswith(left_out) for link in links):
        what = f"No row of {resource.name} has {' or '.join(links)}"
        advice = "The service writes its rows in another way: see `ventureframe doctor`"
        message = f"{what}, which says what it belongs to. {advice}."
        raise UnreadableReply(message, path=path)


def is_linked(frame: pl.DataFrame, resource: Resource) -> bool:
    """Whether any row says what it belongs to."""
    links = LINKS.get(resource.name, ())
    return bool(links) and bool(owners(frame, links).list.len().sum())


def is_unequal(
    rows: pl.DataFrame, repeated: Sequence[int], before: pl.DataFrame | None
) -> bool:
    """Whether a repeated row differs from the one before it (or `before`)."""
    for number in repeated:
        previous = rows.row(number - 1, named=True) if number else {}
        if not number and before is not None:
            previous = before.row(0, named=True)
        row = rows.row(number, named=True)
        if any(row.get(name) != value for name, value in previous.items()):
            return True
    return False


def is_contradicted(frames: Sequence[pl.DataFrame], resource: Resource) -> bool:
    """Whether the service sent one record with two contents."""
    keys = pl.concat([frame.get_column(resource.key) for frame in frames])
    is_repeated = keys.is_duplicated()
    if not is_repeated.any():
        return False
    rows = pl.concat(frames, how="diagonal").filter(is_repeated)
    rows = rows.sort(resource.key, maintain_order=True)
    keys = rows.get_column(resource.key)
    repeated = (keys == keys.shift()).arg_true().to_list()
    return is_unequal(rows, repeated, None)
