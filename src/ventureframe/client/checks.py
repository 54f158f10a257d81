"""The reasons to refuse or to doubt the rows of a service, in one table: `CHECKS`.

Most say that the service ignored a part of the request. Of a filter only what a row
itself refutes counts: nothing is decided by a null, by a field that rows do not
show, or by another measure than the filter's (a fund's native amount, all companies
of an article).
"""

import json
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, Final

import polars as pl

from ventureframe.client.auth import HIDDEN
from ventureframe.client.decode import locked
from ventureframe.client.frames import Chunk, owners
from ventureframe.errors import UnreadableReply, shortened
from ventureframe.interface.fields import FUNDS, NEWS, Resource
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page

LINKS = {
    "founders": ("education.university_uuid",),
    "funds": ("manager.uuid",),
    "jobs": ("entity_id",),
    "news": ("entity_id", "entity_ids"),
}
"""By resource, the columns of which a row needs one to say what it belongs to."""
KEY = "Check the key: the service answers as if none were sent"
_REPEATED = (
    "The service repeated the secret or the token of the key in its rows: [hidden]"
    " stands in its place. Report it to the owner of the service."
)
_OTHER_MEASURES = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
"""Fields of which a filter tests another value than a row shows."""
_DECIDING = ("eq", "in_any", "in_all", "gt", "gte", "lt", "lte")
"""Operators that a row can refute; of others nothing is decided."""
_FILTER_ONLY: Final = {
    ("companies", "has_founder"): pl.col("founders").list.len() > 0,
    ("companies", "tag_id"): pl.col("tags").list.eval(pl.element().struct.field("id")),
    ("funds", "year"): pl.col("fund_date").dt.year(),
}
"""Where rows show a value that only a filter has."""
_ROUNDED = 0.5  # how far a number in a row can be from the one that is filtered


@dataclass(frozen=True)
class Request:
    """What was requested, which the rows have to match.

    `ids` are those of the records whose rows were requested; a row names them in one
    of `id_columns`. A `partial` field never says "no".
    """

    resource: Resource
    endpoint: str = ""
    filter: Filter | None = None
    sort: str | None = None
    currency: str | None = None
    ids: tuple[str, ...] | None = None
    id_columns: tuple[str, ...] = ()
    partial: Set[str] = frozenset()


Doubts = Iterable[Doubt]


def check(rows: Chunk, request: Request) -> tuple[Doubt, ...]:
    """Return the doubts about the rows; raise the first `UnreadableReply`."""
    checks = CHECKS if request.ids else CHECKS[:-1]
    return tuple(doubt for find in checks for doubt in find(rows, request))


def _refuse_currency(rows: Chunk, request: Request) -> Doubts:
    """Refuse amounts in another currency; doubt those whose currency is not named, or
    whose unit is not that of the announced amount.
    """
    if request.currency is None:
        return
    for page in rows.pages:
        if page.currency not in (None, request.currency):
            raise page.reply.unreadable(
                f"gives amounts in {page.currency!r} where {request.currency} was asked"
                " for",
                kind="currency",
            )
    is_silent = any(page.currency is None and page.rows for page in rows.pages)
    has_amounts = any(
        column.count()
        for column in rows.frame
        if column.name in ("total_funding", "amount")
    )
    if is_silent and has_amounts:
        text = (
            "The service does not say in which currency the amounts of"
            f" {request.resource.name} are: {request.currency} was asked for."
        )
        yield Doubt("currency", text)
    if "amount_source" not in request.resource:
        return
    amounts, announced = rows.frame["amount"], rows.frame["amount_source"].struct
    native = announced["amount"]
    # an amount may be rounded where it was converted and converted back
    differs = (amounts - native).abs() > native * 0.01 + _ROUNDED
    if (differs & (announced["currency"] == request.currency)).any():
        text = (
            f"In {request.currency}, amount and amount_source of"
            f" {request.resource.name} differ: one of them may be in another unit."
        )
        yield Doubt("currency", text)


def _doubt_notices(rows: Chunk, _: Request) -> Doubts:
    """Doubt a page that was cut, a key that sees less, a secret that is repeated."""
    for page in rows.pages:
        if page.reply.is_marked and HIDDEN in rows.frame.write_json():
            yield Doubt("secret", _REPEATED)
        blocks = " and ".join(sorted(locked(page.notices))) or "parts of its records"
        for name, value in page.notices.items():
            says = f"The service says {name} {shortened(json.dumps(value))}"
            doubt = Doubt(
                "capped", f"{says} beside its rows: some records may be missing."
            )
            if name in ("tier", "locked"):
                doubt = Doubt("key", f"{KEY}, or its plan leaves out {blocks}.")
            yield replace(doubt, text=page.reply.quote(doubt.text))


def _refuse_strangers(rows: Chunk, request: Request) -> Doubts:
    """Refuse a row that belongs to none of the requested records."""
    columns = [
        path
        for path in request.id_columns
        if path.partition(".")[0] in rows.frame.columns
    ]
    if not columns:
        return
    named = owners(rows.frame, columns)
    counts, names = named.list.len(), " or ".join(columns)
    if request.endpoint in LINKS and (counts == 0).any():
        text = (
            f"Some {request.resource.name} have no {names}: they count for none of the"
            " companies requested."
        )
        yield Doubt("ids", text)
    is_requested = named.list.set_intersection(list(request.ids or ())).list.len() > 0
    strangers = named.filter((counts > 0) & ~is_requested)
    if not len(strangers):
        return
    problem = (
        f"has {request.resource.name} of {names} {strangers[0][0]}, which was not asked"
        " for, as if the service ignored the ids"
    )
    raise rows.pages[0].reply.unreadable(problem, kind="ids")


def _refuse_unfiltered(rows: Chunk, request: Request) -> Doubts:
    """Refuse a row that refutes one of the conditions that must all hold."""
    conditions: Sequence[Filter | None] = (request.filter,)
    if isinstance(request.filter, Group) and request.filter.word == "and":
        conditions = request.filter.parts
    resource = request.resource
    for condition in conditions:
        if not isinstance(condition, Clause):
            continue
        values = _values(rows, condition, request)
        if values is None:
            continue
        is_refuting = _misses(values, condition, resource)
        if not is_refuting.any():
            continue
        row = is_refuting.arg_max() or 0
        value = values.to_list()[row]
        key = rows.frame[resource.key][row]
        problem = (
            f"has {resource.singular} {key} with {condition.field} {value} where"
            f" {shortened(str(condition))} was asked for, as if the service ignored the"
            " filter or read it otherwise"
        )
        raise rows.pages[0].reply.unreadable(problem, kind="filter")
    return ()


def _values(rows: Chunk, clause: Clause, request: Request) -> pl.Series | None:
    """Return what rows show of a field; None where that cannot refute the clause."""
    is_other = (request.resource.name, clause.field) in _OTHER_MEASURES
    if is_other or clause.operator not in _DECIDING:
        return None
    currencies = {page.currency for page in rows.pages}
    if clause.field == "total_funding" and currencies != {request.currency}:
        return None
    column = _column(request.resource, clause.field)
    if column is None:
        return None
    values = rows.frame.select(column).to_series()
    if clause.field == "has_founder" and "founders" in request.partial:
        return values.set(~values, None)  # rows leave out founders who left
    return values


def _column(resource: Resource, name: str) -> pl.Expr | None:
    """Return where rows show the value that a filter tests, or None."""
    column = pl.col(resource[name].alias_of or name)
    column = _FILTER_ONLY.get((resource.name, name), column)
    (root,) = column.meta.root_names()
    return column if root in resource and resource[root].returned else None


def unchecked(condition: Filter, resource: Resource) -> list[Doubt]:
    """Say which fields of a filter no row shows, so that none can refute it."""
    names = dict[str, None]()
    for clause in condition.clauses():
        if _column(resource, clause.field) is None:
            names[clause.field] = None
    text = f"Not checked: that the rows meet the filter on {' and '.join(names)}"
    return [Doubt("filter", f"{text}, which no row shows.")] * bool(names)


def _misses(values: pl.Series, clause: Clause, resource: Resource) -> pl.Series:
    """Return which values contradict the clause, however rounded; a null never does."""
    field = resource[clause.field]
    wanted: list[Any] = [field.read(value) for value in clause.values]
    if field.scalar in ("uuid", "text"):
        values = values.str.to_lowercase()
        wanted = [value.lower() for value in wanted]
    if field.scalar in ("integer", "number"):
        least, most = min(wanted) - _ROUNDED, max(wanted) + _ROUNDED
        if clause.operator in ("gt", "gte"):
            most = math.inf
        if clause.operator in ("lt", "lte"):
            least = -math.inf
        misses = ~values.is_between(least, most)
    elif isinstance(values.dtype, pl.List):
        shared = values.list.set_intersection(wanted).list.len()
        needed = len(set(wanted)) if clause.operator == "in_all" else 1
        # an empty list may only say that none is recorded
        misses = (shared < needed) & (values.list.len() > 0)
    else:
        misses = ~values.is_in(wanted)
    return misses.fill_null(value=False)


def _doubt_order(rows: Chunk, request: Request) -> Doubts:
    """Doubt rows out of the order of the sort's first field, wherever nulls stand."""
    first = (request.sort or "").partition(",")[0]
    name = first.removeprefix("-")
    is_other = (request.resource.name, name) in _OTHER_MEASURES
    if is_other or name not in rows.frame.columns:
        return
    values = rows.frame[name].drop_nulls()
    orders = [values]
    # every collation orders letters in one of two ways
    if request.resource[name].type == "text":
        letters = values.filter(values.str.contains("^[A-Za-z]+$"))
        orders = [letters, letters.str.to_lowercase()]
    if not any(order.is_sorted(descending=first != name) for order in orders):
        text = (
            f"Rows of {request.endpoint} are not in the order asked for (sort"
            f" {request.sort}), as if the service ignored it: sort the frame instead."
        )
        yield Doubt("sort", text)


CHECKS = (
    _refuse_currency,
    _doubt_notices,
    _refuse_unfiltered,
    _doubt_order,
    _refuse_strangers,
)
"""Each yields doubts, or refuses the rows by an `UnreadableReply`; the last one only
checks rows that were requested by ids.
"""


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
        message = (
            f"No row of {resource.name} has {' or '.join(links)}, which says what it"
            " belongs to. The service writes its rows differently: run `ventureframe"
            " doctor`."
        )
        raise UnreadableReply(message, path=path)


def is_linked(frame: pl.DataFrame, resource: Resource) -> bool:
    """Whether any row names what it belongs to, or says that it belongs to nothing."""
    links = LINKS.get(resource.name, ())
    for link in links:
        values = frame[link.partition(".")[0]]
        if values.dtype == pl.List(pl.Struct) and values.list.len().sum() == 0:
            return values.count() > 0
    return bool(links) and bool(owners(frame, links).list.len().sum())


def is_contradicted(frames: Sequence[pl.DataFrame], key: str) -> bool:
    """Whether the service sent one record with two contents."""
    repeated = pl.concat(frames, how="diagonal").filter(pl.col(key).is_duplicated())
    return repeated.n_unique() > repeated.n_unique(key)
