"""Every reason to refuse or to doubt what a service answers, in one table: `CHECKS`.

Most say that the service ignored a part of the request. Of a filter only what a row itself refutes
counts: a clause stays undecided where the value is null, where rows do not show the field, and
where the filter acts on another measure than the row shows (a fund's native amount, all companies
of an article). An `or(...)` is refuted where every part is.
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
from ventureframe.interface.fields import (
    COMPANIES,
    FUNDING_ROUNDS,
    FUNDS,
    NEWS,
    Many,
    Record,
    Resource,
)
from ventureframe.interface.filters import Clause, Filter, Group
from ventureframe.interface.reply import Page

ROUNDING: Final = 0.5
"""By how much a number in a row may miss an edge: a service may show it rounded to a whole one."""
LINKS: Final = {
    "founders": ("education.university_uuid",),
    "funds": ("manager.uuid",),
    "jobs": ("entity_id",),
    "news": ("entity_id", "entity_ids"),
}
"""By resource, the columns of which a row needs one to say what it belongs to."""
_CONVERTED: Final = (COMPANIES.name, "total_funding")
_OTHERWISE: Final = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
_ENTRIES: Final = {"tag_id": "tags", "has_founder": "founders"}
"""The lists in which a company has the entries that a filter asks for."""
_AMOUNTS: Final = ("total_funding", "amount")
_LETTERS: Final = "^[A-Za-z]+$"
"""Texts that every collation orders in one of two ways."""
_OF_ONE: Final = frozenset({FUNDS.name, FUNDING_ROUNDS.name})
"""Records that belong to one other record: a fund has one manager, a round one company."""
_EDGES: Final[Mapping[str, tuple[Callable[[Any, Any], pl.Series], int]]] = {
    "gte": (operator.lt, -1),
    "gt": (operator.le, -1),
    "lte": (operator.gt, 1),
    "lt": (operator.ge, 1),
}
"""What a value beyond the edge is compared by, and the side to which rounding may have moved it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What rows were requested by, and so are held to.

    `ids` are those of the records whose rows were asked for, or `is_path` the one in the path; a
    row names them in one of `id_columns`. `is_whole`: rows show every entry of their lists.
    """

    resource: Resource
    endpoint: str = ""
    filter: Filter | None = None
    sort: str | None = None
    currency: str | None = None
    ids: tuple[str, ...] | None = None
    is_path: bool = False
    id_columns: tuple[str, ...] = ()
    is_whole: bool = True


Part = Literal["envelope", "values", "rows", "all"]


class Check(NamedTuple):
    """What is wrong, what that leads to, and how it is seen: a sentence for each case.

    `of` says in which part: what stands beside the rows of a reply, the values of its records, its
    rows as an answer to the request, or all rows of a fetch together.
    """

    of: Part
    wrong: str
    leads_to: Literal["error", "verdict", "doubt"]
    find: Callable[[Chunk, Request], Iterator[str]]


def check(rows: Chunk, request: Request, *parts: Part) -> tuple[str, ...]:
    """Return the doubts about these parts; `UnreadableReply` where a check refuses one."""
    doubts: dict[str, None] = {}
    for item in CHECKS:
        for sentence in item.find(rows, request) if item.of in parts else ():
            if item.leads_to == "error":
                raise rows.reply.unreadable(sentence)
            doubts[sentence] = None
    return tuple(doubts)


def _other_currency(rows: Chunk, request: Request) -> Iterator[str]:
    for page in rows.pages:
        if request.currency is not None and page.currency not in (None, request.currency):
            yield f"gives amounts in {page.currency!r} where {request.currency} was asked for"


def _notices(rows: Chunk, _: Request) -> Iterator[str]:
    for name, value in ((name, page.notices[name]) for page in rows.pages for name in page.notices):
        message = f"The service says {name} {shortened(json.dumps(value))} beside its rows"
        yield f"{message}: some of what it has may not be shown."


def _impossible(rows: Chunk, request: Request) -> Iterator[str]:
    numbers = [
        (field.name, field, rows.frame.get_column(field.name))
        for field in request.resource.returned
    ]
    for path, field, values in numbers:
        kind = field.type.of if isinstance(field.type, Many) else field.type
        if isinstance(kind, Record) and any(member.within for member in kind.fields):
            is_list = isinstance(field.type, Many)
            entries = values.explode(empty_as_null=False) if is_list else values
            numbers += [  # they are looked at in their turn
                (f"{path}.{member.name}", member, entries.struct.field(member.name))
                for member in kind.fields
            ]
        if field.within is not None:
            least, most = field.within
            wrong = values.filter((values < least) | (values > most))
            if len(wrong):
                limit = f"below {least}" if wrong[0] < least else f"above {most}"
                yield f"has {wrong[0]} in {path!r}, which is never {limit}"


def _strangers(rows: Chunk, request: Request) -> Iterator[str]:
    columns = [path for path in request.id_columns if path.partition(".")[0] in rows.frame.columns]
    if request.ids is None or not columns:
        return
    named = owners(rows.frame, columns).list.eval(pl.element().str.strip_chars('"'))
    is_own = named.list.set_intersection(list(request.ids)).list.len() > 0
    strangers = named.filter((named.list.len() > 0) & ~is_own)
    if not len(strangers):
        return
    stranger = strangers[0][0]
    if request.is_path:
        yield (
            f"has {request.resource.name} of {stranger} in the list of {request.ids[0]}, as if "
            "the service ignored the id in the path"
        )
    elif request.id_columns == (request.resource.key,):
        what = f"has records that were not asked for ({stranger})"
        yield f"{what}, as if the service ignored the ids"
    else:
        what = f"has records of others than those asked for ({stranger})"
        yield f"{what}, as if the service ignored the filter"


def _conditions(request: Request) -> tuple[Filter, ...]:
    """The conditions that every row meets."""
    if isinstance(request.filter, Group) and request.filter.word == "and":
        return request.filter.parts
    return () if request.filter is None else (request.filter,)


def _refuting(rows: Chunk, request: Request) -> Iterator[str]:
    resource = request.resource
    for condition in _conditions(request):
        refuting = _refuted(condition, rows, request)
        if refuting is None or not refuting.any():
            continue
        row, values = refuting.arg_max() or 0, dict[str, str]()
        for clause in condition.clauses():
            if (column := _shown(rows, clause, resource)) is not None:
                value = column[row]
                is_list = isinstance(value, pl.Series)
                values[clause.field] = "|".join(map(str, value)) if is_list else str(value)
        yield (
            f"has {resource.singular} {rows.frame[resource.key][row]} with "
            f"{', '.join(f'{name} {value}' for name, value in values.items())} where "
            f"{shortened(str(condition))} was asked for, as if the service ignored the filter or "
            "read it in another way"
        )


def _refuted(condition: Filter, rows: Chunk, request: Request) -> pl.Series | None:
    """Which rows refute the condition; None where it cannot be decided."""
    if isinstance(condition, Clause):
        name = (request.resource.name, condition.field)
        is_converted = request.currency is not None and rows.currency == request.currency
        if name in _OTHERWISE or (name == _CONVERTED and not is_converted):
            return None
        values = _shown(rows, condition, request.resource)
        return None if values is None else _missed(values, condition, request.resource)
    assert isinstance(condition, Group)  # noqa: S101  # a filter is a clause or a group
    parts = [_refuted(part, rows, request) for part in condition.parts]
    decided = [part for part in parts if part is not None]
    if not decided or (condition.word == "or" and len(decided) < len(parts)):
        return None
    return functools.reduce(operator.and_ if condition.word == "or" else operator.or_, decided)


def _shown(rows: Chunk, clause: Clause, resource: Resource) -> pl.Series | None:
    """The field's values in the rows; None where rows do not show it."""
    if (resource.name, clause.field) == (FUNDS.name, "year"):
        return rows.frame.get_column("fund_date").dt.year()
    if clause.field == "tag_id":
        ids = rows.frame.get_column("tags").list.eval(pl.element().struct.field("id"))
        return ids.set(ids.list.len() == 0, None)
    field = resource[clause.field]
    field = resource[field.alias_of] if field.alias_of else field
    return rows.frame.get_column(field.name) if field.returned else None


def _missed(values: pl.Series, clause: Clause, resource: Resource) -> pl.Series:
    """Which values contradict the clause, however they were rounded; a null never does."""
    field = resource[clause.field]
    wanted: list[Any] = [field.read(value) for value in clause.values]
    is_rounded, slack = field.scalar == "number", ROUNDING if field.scalar == "number" else 0
    if field.scalar in ("uuid", "text"):
        values, wanted = values.str.to_lowercase(), [value.lower() for value in wanted]
    if isinstance(values.dtype, pl.List):
        found = values.list.set_intersection(wanted).list.len()
        is_all = found == len(set(wanted))
        missed = {"in_all": ~is_all, "nin_all": is_all}.get(
            clause.operator, (found > 0) == (clause.operator in ("neq", "nin_any"))
        )
    elif clause.operator in _EDGES:
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


def _no_currency(rows: Chunk, request: Request) -> Iterator[str]:
    names = [name for name in _AMOUNTS if name in request.resource]
    is_silent = any(page.currency is None and page.rows for page in rows.pages)
    if (
        request.currency
        and is_silent
        and any(rows.frame.get_column(name).count() for name in names)
    ):
        yield (
            "The service does not say in which currency the amounts of "
            f"{request.resource.name} are: {request.currency} was asked for."
        )


def _without_entries(rows: Chunk, request: Request) -> Iterator[str]:
    for condition in _conditions(request):
        name = _ENTRIES.get(condition.field) if isinstance(condition, Clause) else None
        if name is None or not (request.is_whole or name == "tags"):
            continue
        assert isinstance(condition, Clause)  # noqa: S101  # or it has no name
        is_named = condition.operator in ("eq", "in_any", "in_all")
        is_wanted = is_named != (condition.values == ("false",))
        entries = rows.frame.get_column(name).list.len()
        refuting = entries == 0 if is_wanted else entries > 0
        if (name == "founders" or is_wanted) and refuting.any():
            yield (
                f"Rows of {request.resource.name} show {'no' if is_wanted else 'some'} {name} "
                f"where {condition} was asked for: the service may have ignored the filter there."
            )


def _disorder(rows: Chunk, request: Request) -> Iterator[str]:
    """Rows out of the order of the first field of the sort, wherever a null leaves none open."""
    part = (request.sort or "").partition(",")[0]
    name = part.removeprefix("-")
    if (request.resource.name, name) in _OTHERWISE or name not in rows.frame.columns:
        return
    values = rows.frame.get_column(name).drop_nulls()
    ways = [values]
    if request.resource[name].type == "text":
        values = values.filter(values.str.contains(_LETTERS))
        ways = [values, values.str.to_lowercase()]
    before = [way.shift() for way in ways]
    wrong = [a > b if part != name else a < b for a, b in zip(ways, before, strict=True)]
    if functools.reduce(operator.and_, wrong).any():
        yield (
            f"Rows of {request.endpoint} are not in the order asked for (sort {request.sort}), as "
            "if the service ignored it: sort the frame instead."
        )


def _shared(rows: Chunk, request: Request) -> Iterator[str]:
    """Rows of one record in the lists of several, each of another id in the path."""
    resource, number = request.resource, len(rows.frame)
    if resource.name not in _OF_ONE or not number:
        return
    if several := rows.frame.get_column(resource.key).is_duplicated().sum():
        yield (
            f"{several:,} of {number:,} rows of {resource.name} are in the lists of several "
            "records, and each can belong to one only: the service may have ignored the id in the "
            "path."
        )


CHECKS: Final = (
    Check("envelope", "amounts in another currency than requested", "error", _other_currency),
    Check("envelope", "a page that was cut, a key that sees less", "verdict", _notices),
    Check("values", "a number outside the limits of its field", "error", _impossible),
    Check("rows", "a row that belongs to none of the ids", "error", _strangers),
    Check("rows", "a row that refutes the filter", "error", _refuting),
    Check("rows", "amounts without a currency", "doubt", _no_currency),
    Check("rows", "an empty list where the filter wants an entry", "doubt", _without_entries),
    Check("rows", "rows out of the order of the sort", "doubt", _disorder),
    Check("all", "one record in the lists of several", "doubt", _shared),
)


def is_cut(page: Page, rows: int, *, limit: int) -> bool:
    """Whether rows can be missing from an answer that has no second page."""
    is_full = rows >= min(limit, page.limit or limit)
    return is_full or (page.total or 0) > rows or page.goes_on or page.is_limited


def refuse_unlinked(
    resource: Resource, absent: Iterable[str], *, path: str, is_linked: bool
) -> None:
    """Raise `UnreadableReply` where no row says what it belongs to: each leaves it out."""
    links = LINKS.get(resource.name, ())
    left_out = tuple(f"{name}." for name in absent)
    is_silent = all(f"{link}.".startswith(left_out) for link in links)
    if links and is_silent and not is_linked:
        raise UnreadableReply(
            f"No row of {resource.name} has {' or '.join(links)}, which says what it "
            "belongs to. The service writes its rows in another way: see `ventureframe doctor`.",
            path=path,
        )


def is_linked(frame: pl.DataFrame, resource: Resource) -> bool:
    """Whether any row says what it belongs to."""
    links = LINKS.get(resource.name, ())
    return bool(links) and bool(owners(frame, links).list.len().sum())


def is_unequal(rows: pl.DataFrame, starts: Sequence[int], before: pl.DataFrame | None) -> bool:
    """Whether one of these rows differs from the one before it, which is the same record.

    `before` is the row before the first one; it may lack columns that only later pages have.
    """
    if 0 in starts and before is not None:
        first = rows.row(0, named=True)
        if any(first.get(name) != value for name, value in before.row(0, named=True).items()):
            return True
    return any(rows.row(start) != rows.row(start - 1) for start in starts if start)


def is_contradicted(frames: Sequence[pl.DataFrame], resource: Resource) -> bool:
    """Whether the service sent one record with two contents."""
    keys = pl.concat([frame.get_column(resource.key) for frame in frames])
    again = keys.is_duplicated()
    if not again.any():
        return False
    rows = pl.concat(frames, how="diagonal").filter(again).sort(resource.key, maintain_order=True)
    is_same = rows.get_column(resource.key) == rows.get_column(resource.key).shift()
    return is_unequal(rows, is_same.arg_true().to_list(), None)


def lacking(
    before: pl.DataFrame, after: pl.DataFrame, resource: Resource, name: str
) -> Iterator[str]:
    """What is doubtful about rows whose whole list lacks an entry that the row itself shows."""

    def entries(frame: pl.DataFrame) -> pl.DataFrame:
        rows = frame.select(resource.key, name).explode(name, empty_as_null=False)
        rows = rows.filter(pl.col(name).is_not_null())
        if isinstance(rows.schema[name], pl.Struct):
            rows = rows.unnest(name).select(pl.exclude("name", "university_name"))
        return rows

    shown = entries(before)
    missing = shown.join(entries(after), on=shown.columns, how="anti", nulls_equal=True)
    if number := missing.n_unique(resource.key):
        yield (
            f"The whole list of {name} lacks entries that {number:,} of {len(before):,} rows show: "
            "the service may have ignored the id in the path."
        )


def warn_of_less_precise(frame: pl.DataFrame, resource: Resource) -> None:
    """Warn once per date column of values that do not name a day."""
    for each in resource.returned:
        beside = each.name + TEXT_SUFFIX
        if each.type == "date" and beside in frame.columns:
            count = frame.height - frame[beside].null_count()
            warn(
                f"{count:,} of {frame.height:,} {resource.name} have a {each.name} less precise "
                f"than a day: it is null there, and as it came in {beside}"
            )


def warn_of_left_out(resource: Resource, names: Iterable[str]) -> None:
    """Warn once of the fields that at least one row leaves out."""
    warn(left_out(f"Rows of {resource.name}", sorted(names)))


def left_out(rows: str, names: Iterable[str]) -> str:
    """Say that rows leave out fields."""
    return (
        f"{rows} leave out {', '.join(names)}: that is null there, and does not say that nothing "
        "is recorded"
    )
