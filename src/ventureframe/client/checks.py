"""Every reason to refuse or to doubt what a service answers, in one table: `CHECKS`.

Most say that the service ignored a part of the request. Of a filter only what a row
itself refutes counts: nothing is decided by a null, by a field that rows do not
show, or by another measure than the filter's (a fund's native amount, all companies
of an article).
"""

import functools
import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import polars as pl

from ventureframe.client.decode import Chunk
from ventureframe.client.frames import TEXT_SUFFIX, owners
from ventureframe.errors import UnreadableReply, shortened, warn
from ventureframe.interface.fields import COMPANIES, FUNDS, NEWS, Resource
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe.interface.gaps import Doubt, DoubtKind
from ventureframe.interface.reply import Page, locked

LINKS: Final = {
    "founders": ("education.university_uuid",),
    "funds": ("manager.uuid",),
    "jobs": ("entity_id",),
    "news": ("entity_id", "entity_ids"),
}
"""By resource, the columns of which a row needs one to say what it belongs to."""
KEY: Final = "Check the key: the service answers as if none were sent"
_OTHERWISE: Final = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
_EDGES: Final[Mapping[str, tuple[Callable[[Any, Any], pl.Series], int]]] = {
    "gte": (operator.lt, -1),
    "gt": (operator.le, -1),
    "lte": (operator.gt, 1),
    "lt": (operator.ge, 1),
}
"""What a value beyond the edge is compared by, and the side to which rounding may
have moved it.
"""


@dataclass(frozen=True, slots=True)
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
    """What is wrong in which part, what that leads to, and how it is seen: a doubt
    a case.
    """

    of: Part
    wrong: str
    leads_to: Literal["error", "verdict", "doubt"]
    find: Callable[[Chunk, Request], Iterator[Doubt]]


def check(rows: Chunk, request: Request, *parts: Part) -> tuple[Doubt, ...]:
    """Return the doubts about these parts; `UnreadableReply` where a check refuses
    one.
    """
    doubts: dict[Doubt, None] = {}
    for item in CHECKS:
        for doubt in item.find(rows, request) if item.of in parts else ():
            if item.leads_to == "error":
                reply = rows.pages[0].reply
                raise reply.unreadable(doubt.text, kind=doubt.kind)
            doubts[doubt] = None
    return tuple(doubts)


def _other_currency(rows: Chunk, request: Request) -> Iterator[Doubt]:
    for page in rows.pages:
        if request.currency is not None and page.currency not in (
            None,
            request.currency,
        ):
            yield Doubt(
                "currency",
                f"gives amounts in {page.currency!r} where {request.currency} was"
                " asked for",
            )


def _notices(rows: Chunk, _: Request) -> Iterator[Doubt]:
    for told in (dict(page.notices) for page in rows.pages):
        if capped := told.pop("capped", None):
            said = (
                f"The service says capped {shortened(json.dumps(capped))} beside its"
                " rows"
            )
            text = f"{said}: some of what it has may not be shown."
            yield Doubt("capped", text)
        blocks = " and ".join(sorted(locked(told))) or "parts of its records"
        if told:
            tier = json.dumps(told.get("tier"))
            said = f" (it says tier {tier})" if "tier" in told else ""
            yield Doubt("key", f"{KEY}, or its plan leaves out {blocks}{said}.")


def _strangers(rows: Chunk, request: Request) -> Iterator[Doubt]:
    columns = [
        path
        for path in request.id_columns
        if path.partition(".")[0] in rows.frame.columns
    ]
    if request.ids is None or not columns:
        return
    named = owners(rows.frame, columns).list.eval(pl.element().str.strip_chars('"'))
    is_own = named.list.set_intersection(list(request.ids)).list.len() > 0
    strangers = named.filter((named.list.len() > 0) & ~is_own)
    if len(strangers):
        kind: DoubtKind = "ids"
        where, what = ", which was not asked for", "ids"
        if request.is_path:
            where, what = f" in the list of {request.ids[0]}", "id in the path"
        elif request.id_columns != (request.resource.key,):
            kind, what = "filter", "filter"
        rows_of = f"{request.resource.name} of {strangers[0][0]}"
        text = f"has {rows_of}{where}, as if the service ignored the {what}"
        yield Doubt(kind, text)


def _refuting(rows: Chunk, request: Request) -> Iterator[Doubt]:
    resource = request.resource
    conditions: Sequence[Filter] = () if request.filter is None else (request.filter,)
    if isinstance(request.filter, Group) and request.filter.word == "and":
        conditions = request.filter.parts
    for condition in conditions:
        refuting = _refuted(condition, rows, request)
        if refuting is None or not refuting.any():
            continue
        row, values = refuting.arg_max() or 0, dict[str, str]()
        for clause in condition.clauses():
            if (column := _shown(rows, clause, resource)) is not None:
                value = column[row]
                is_list = isinstance(value, pl.Series)
                values[clause.field] = (
                    "|".join(map(str, value)) if is_list else str(value)
                )
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        what = (
            f"has {resource.singular} {rows.frame[resource.key][row]} with {shown}"
            " where "
        )
        what += f"{shortened(str(condition))} was asked for"
        how = "as if the service ignored the filter or read it in another way"
        yield Doubt("filter", f"{what}, {how}")


def _refuted(condition: Filter, rows: Chunk, request: Request) -> pl.Series | None:
    """Which rows refute the condition; None where it cannot be decided."""
    if isinstance(condition, Clause):
        name = (request.resource.name, condition.field)
        is_converted = {page.currency for page in rows.pages} == {
            request.currency or ""
        }
        if name in _OTHERWISE or (
            name == (COMPANIES.name, "total_funding") and not is_converted
        ):
            return None
        values = _shown(rows, condition, request.resource)
        return None if values is None else _missed(values, condition, request.resource)
    assert isinstance(condition, Group)  # noqa: S101  # a filter is a clause or a group
    parts = [_refuted(part, rows, request) for part in condition.parts]
    decided = [part for part in parts if part is not None]
    if not decided or (condition.word == "or" and len(decided) < len(parts)):
        return None
    return functools.reduce(
        operator.and_ if condition.word == "or" else operator.or_, decided
    )


def _shown(rows: Chunk, clause: Clause, resource: Resource) -> pl.Series | None:
    """The field's values in the rows; None where rows do not show it."""
    if (resource.name, clause.field) == (FUNDS.name, "year"):
        return rows.frame.get_column("fund_date").dt.year()
    if clause.field == "tag_id":
        ids = rows.frame.get_column("tags").list.eval(pl.element().struct.field("id"))
        return ids.set(ids.list.len() == 0, None)
    # an empty list may only say that none is recorded
    if clause.field == "has_founder":
        has_founder = rows.frame.get_column("founders").list.len() > 0
        return has_founder.set(~has_founder, None)
    field = resource[resource[clause.field].alias_of or clause.field]
    return rows.frame.get_column(field.name) if field.returned else None


def _missed(values: pl.Series, clause: Clause, resource: Resource) -> pl.Series:
    """Which values contradict the clause, however they were rounded; a null never
    does.
    """
    field = resource[clause.field]
    wanted: list[Any] = [field.read(value) for value in clause.values]
    slack = 0.5 if field.scalar == "number" else 0  # it may be shown as a whole number
    if field.scalar in ("uuid", "text"):
        values, wanted = values.str.to_lowercase(), [value.lower() for value in wanted]
    if isinstance(values.dtype, pl.List):
        shared = values.list.set_intersection(wanted).list.len()
        is_all = shared == len(set(wanted))
        missed = {"in_all": ~is_all, "nin_all": is_all}.get(
            clause.operator, (shared > 0) == (clause.operator in ("neq", "nin_any"))
        )
    elif clause.operator in _EDGES:
        compare, sign = _EDGES[clause.operator]
        missed = compare(values, wanted[0] + sign * slack)
    elif clause.operator not in ("eq", "in_any", "in_all"):
        missed = values.is_in([] if slack else wanted)
    elif slack:
        missed = functools.reduce(
            operator.and_, [(values - near).abs() > slack for near in wanted]
        )
    else:
        missed = ~values.is_in(wanted)
    return missed.fill_null(value=False)


def _no_currency(rows: Chunk, request: Request) -> Iterator[Doubt]:
    amounts = [
        rows.frame[name]
        for name in ("total_funding", "amount")
        if name in request.resource
    ]
    is_silent = any(page.currency is None and page.rows for page in rows.pages)
    if request.currency and is_silent and any(amount.count() for amount in amounts):
        what = f"in which currency the amounts of {request.resource.name} are"
        text = f"The service does not say {what}: {request.currency} was asked for."
        yield Doubt("currency", text)


def _disorder(rows: Chunk, request: Request) -> Iterator[Doubt]:
    """Rows out of the order of the first field of the sort, wherever a null leaves
    none open.
    """
    part = (request.sort or "").partition(",")[0]
    name = part.removeprefix("-")
    if (request.resource.name, name) in _OTHERWISE or name not in rows.frame.columns:
        return
    values = rows.frame.get_column(name).drop_nulls()
    ways = [values]
    # every collation orders letters in one of two ways
    if request.resource[name].type == "text":
        values = values.filter(values.str.contains("^[A-Za-z]+$"))
        ways = [values, values.str.to_lowercase()]
    follows = operator.lt if part == name else operator.gt
    if functools.reduce(
        operator.and_, [follows(way, way.shift()) for way in ways]
    ).any():
        what = (
            f"Rows of {request.endpoint} are not in the order asked for (sort"
            f" {request.sort})"
        )
        text = f"{what}, as if the service ignored it: sort the frame instead."
        yield Doubt("sort", text)


CHECKS: Final = (
    Check(
        "envelope",
        "amounts in another currency than requested",
        "error",
        _other_currency,
    ),
    Check("envelope", "a page that was cut, a key that sees less", "verdict", _notices),
    Check("rows", "a row that belongs to none of the ids", "error", _strangers),
    Check("rows", "a row that refutes the filter", "error", _refuting),
    Check("rows", "amounts without a currency", "doubt", _no_currency),
    Check("rows", "rows out of the order of the sort", "doubt", _disorder),
)


def is_cut(page: Page, rows: int, *, limit: int) -> bool:
    """Whether rows can be missing from an answer that has no second page."""
    is_full = rows >= min(limit, page.limit or limit)
    return is_full or (page.total or 0) > rows or page.goes_on or page.is_limited


def refuse_unlinked(
    resource: Resource, absent: Iterable[str], path: str, is_linked: bool
) -> None:
    """Raise `UnreadableReply` where no row says what it belongs to: each leaves it
    out.
    """
    links, left_out = LINKS.get(resource.name, ()), tuple(f"{name}." for name in absent)
    if (
        links
        and not is_linked
        and all(f"{link}.".startswith(left_out) for link in links)
    ):
        message = (
            f"No row of {resource.name} has {' or '.join(links)}, which says what it"
        )
        advice = (
            "The service writes its rows in another way: see `ventureframe doctor`."
        )
        raise UnreadableReply(f"{message} belongs to. {advice}", path=path)


def is_linked(frame: pl.DataFrame, resource: Resource) -> bool:
    """Whether any row says what it belongs to."""
    links = LINKS.get(resource.name, ())
    return bool(links) and bool(owners(frame, links).list.len().sum())


def is_unequal(
    rows: pl.DataFrame, starts: Sequence[int], before: pl.DataFrame | None
) -> bool:
    """Whether one of these rows, or the first after `before`, differs from its
    repetition.
    """
    if 0 in starts and before is not None:
        first = rows.row(0, named=True)
        if any(
            first.get(name) != value
            for name, value in before.row(0, named=True).items()
        ):
            return True
    return any(rows.row(start) != rows.row(start - 1) for start in starts if start)


def is_contradicted(frames: Sequence[pl.DataFrame], resource: Resource) -> bool:
    """Whether the service sent one record with two contents."""
    again = pl.concat(
        [frame.get_column(resource.key) for frame in frames]
    ).is_duplicated()
    if not again.any():
        return False
    rows = (
        pl.concat(frames, how="diagonal")
        .filter(again)
        .sort(resource.key, maintain_order=True)
    )
    keys = rows.get_column(resource.key)
    return is_unequal(rows, (keys == keys.shift()).arg_true().to_list(), None)


def lacking(
    before: pl.DataFrame, after: pl.DataFrame, of: Resource, name: str
) -> Iterator[Doubt]:
    """What is doubtful about rows whose whole list lacks an entry that the row
    itself shows.
    """

    def entries(frame: pl.DataFrame) -> pl.DataFrame:
        rows = (
            frame.select(of.key, name).explode(name, empty_as_null=False).drop_nulls()
        )
        if isinstance(rows.schema[name], pl.Struct):
            rows = rows.unnest(name).drop("name", "university_name", strict=False)
        return rows

    shown = entries(before)
    missing = shown.join(entries(after), on=shown.columns, how="anti", nulls_equal=True)
    if missing.height:
        lacks = f"The whole list of {name} lacks entries that rows of {of.name} show"
        text = f"{lacks}: the service may have ignored the id in the path."
        yield Doubt("list", text)


def warn_of_less_precise(frame: pl.DataFrame, resource: Resource) -> None:
    """Warn once per date column of values that do not name a day."""
    for name in (field.name for field in resource.returned if field.type == "date"):
        if name + TEXT_SUFFIX in frame.columns:
            which = (
                f"{frame[name + TEXT_SUFFIX].count():,} of {frame.height:,}"
                f" {resource.name}"
            )
            what = f"{which} have a {name} less precise than a day"
            warn(f"{what}: it is null there, and as it came in {name + TEXT_SUFFIX}")
