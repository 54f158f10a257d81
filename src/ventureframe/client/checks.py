"""Every reason to refuse or to doubt rows: the service then ignored a part of the request.

Of a filter only what a row itself refutes counts. A clause stays undecided where the value is null,
where rows do not show the field, and where the filter acts on another measure than the row shows (a
fund's native amount, all companies of an article). An `or(...)` is refuted where every part is.

What only makes a request doubtful becomes a sentence: rows out of order, lists that are empty where
the filter wants an entry, amounts without a currency, or with the same number in two currencies.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from ventureframe.client.decode import Chunk
from ventureframe.client.frames import TEXT_SUFFIX, owners
from ventureframe.client.translate import more
from ventureframe.errors import UnreadableReply, shortened, warn
from ventureframe.interface.fields import COMPANIES, FUNDING_ROUNDS, FUNDS, NEWS, Resource
from ventureframe.interface.filters import Clause, Filter, Group

ROUNDING: Final = 0.5
"""By how much a number in a row may miss an edge: a service may show it rounded to a whole one."""

_CONVERTED: Final = (COMPANIES.name, "total_funding")
_OTHERWISE: Final = {(FUNDS.name, "amount"), (NEWS.name, "entity_id")}
_ENTRIES: Final = {
    (COMPANIES.name, "tag_id"): "tags",
    (COMPANIES.name, "has_founder"): "founders",
}
"""The lists in which a row has the entries that a filter asks for."""
_AMOUNTS: Final = ("total_funding", "amount")
_PLAIN: Final = "^[A-Za-z ]+$"
"""Texts that every collation orders in one of three ways; digits can be read as numbers."""
_NEAR: Final = 0.01
"""By what part an amount may miss the announced one: some are converted there and back."""
_OF_ONE: Final = frozenset({FUNDS.name, FUNDING_ROUNDS.name})
"""Records that belong to one other record: a fund has one manager, a round one company."""
_CODE: Final = "^[A-Z]{3}$"
_EDGES: Final[Mapping[str, tuple[Callable[[Any, Any], pl.Series], int]]] = {
    "gte": (operator.lt, -1),
    "gt": (operator.le, -1),
    "lte": (operator.gt, 1),
    "lt": (operator.ge, 1),
}
"""What a value beyond the edge is compared by, and the side to which rounding may have moved it."""

LINKS: Final = {
    "founders": ("education.university_uuid",),
    "funds": ("manager.uuid",),
    "jobs": ("entity_id",),
    "news": ("entity_id", "entity_ids"),
}
"""By resource, the columns of which a row needs one to say what it belongs to."""


def refuse_other_owners(
    chunk: Chunk, owner: str, resource: Resource, id_columns: Iterable[str]
) -> None:
    """Raise `UnreadableReply` where a row names another owner than the one in the path."""
    for path in id_columns:
        if path.partition(".")[0] in chunk.frame.columns:
            named = owners(chunk.frame, (path,)).explode(empty_as_null=False).drop_nulls()
            named = named.str.strip_chars('"')
            if (others := named.filter(named != owner)).len():
                raise chunk.reply.unreadable(
                    f"has {resource.name} of {others[0]} in the list of {owner}, as if the service "
                    "ignored the id in the path"
                )


def refuse_strangers(
    chunk: Chunk, ids: Sequence[str], id_columns: Sequence[str], *, is_key: bool
) -> None:
    """Raise `UnreadableReply` where a row belongs to none of the ids."""
    belongs = owners(chunk.frame, id_columns)
    theirs = belongs.list.set_intersection(list(ids)).list.len()
    strangers = belongs.filter((belongs.list.len() > 0) & (theirs == 0))
    if strangers.len():
        what, ignored = "records of others than those asked for", "filter"
        if is_key:
            what, ignored = "records that were not asked for", "ids"
        raise chunk.reply.unreadable(
            f"has {what} ({strangers[0][0]}), as if the service ignored the {ignored}"
        )


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
    later = [start for start in starts if start]
    is_other = bool(later) and not rows[later].equals(rows[[start - 1 for start in later]])
    if 0 in starts and before is not None:
        names = [name for name in before.columns if name in rows.columns]
        is_other |= not before.select(names).equals(rows.head(1).select(names))
    return is_other


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
    if clause.field == "tag_id":
        ids = page.frame.get_column("tags").list.eval(pl.element().struct.field("id"))
        return ids.set(ids.list.len() == 0, None)
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


def _error(page: Chunk, asked: Filter, resource: Resource, row: int) -> UnreadableReply:
    columns = {clause.field: _shown(page, clause, resource) for clause in asked.clauses()}
    values = [f"{name} {_written(each[row])}" for name, each in columns.items() if each is not None]
    return page.reply.unreadable(
        f"has {resource.singular} {page.keys[row]} with {', '.join(values)} where "
        f"{shortened(str(asked))} was asked for, as if the service ignored the filter or read it "
        "in another way"
    )


def _written(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, pl.Series) else str(value)


def doubts(
    page: Chunk, asked: Filter | None, resource: Resource, *, currency: str | None, is_whole: bool
) -> Iterator[str]:
    """What the rows make doubtful of their request, in sentences.

    `currency` is the requested currency of amounts; `is_whole` says that rows show every entry of
    their lists.
    """
    if currency is not None:
        yield from _of_amounts(page, resource, currency)
    for field in resource.returned:
        left = more(field.name)
        if left in page.frame.columns and (page.frame.get_column(left) < 0).any():
            yield f"Rows of {resource.name} show more {field.name} than they say there are."
    parts = asked.parts if isinstance(asked, Group) and asked.word == "and" else (asked,)
    for part in parts:
        name = _ENTRIES.get((resource.name, part.field)) if isinstance(part, Clause) else None
        if name is None or not (is_whole or name == "tags"):
            continue
        assert isinstance(part, Clause)  # noqa: S101  # or it has no name
        is_wanted = (part.operator in ("eq", "in_any", "in_all")) != (part.values == ("false",))
        entries = page.frame.get_column(name).list.len()
        refuting = entries == 0 if is_wanted else entries > 0
        if (name == "founders" or is_wanted) and refuting.any():
            shown = "no" if is_wanted else "some"
            yield (
                f"Rows of {resource.name} show {shown} {name} where {part} was asked for: the "
                "service may have ignored the filter there."
            )


def _of_amounts(page: Chunk, resource: Resource, currency: str) -> Iterator[str]:
    """What is doubtful about amounts that were asked for in a currency."""
    names = [name for name in _AMOUNTS if name in resource]
    known = any(page.frame.get_column(name).count() for name in names)
    if known and any(each.currency is None and each.rows for each in page.pages):
        yield (
            f"The service does not say in which currency the amounts of {resource.name} are: "
            f"{currency} was asked for."
        )
    if "amount_source" not in resource:
        return
    amount, native = page.frame.get_column("amount"), page.frame.get_column("amount_source")
    stated = native.struct.field("currency").str.to_uppercase()
    is_other = stated.str.contains(_CODE) & (stated != currency)
    same = (amount == native.struct.field("amount")) & (amount != 0) & is_other
    if same.any():
        yield (
            f"Amounts of {resource.name} have the same number in {currency} and in another "
            "currency, as if they were not converted: compare amount with amount_source."
        )
    announced = native.struct.field("amount")
    is_away = ((amount - announced).abs() > announced.abs() * _NEAR + ROUNDING).fill_null(
        value=True
    )
    if (is_away & announced.is_not_null() & (stated == currency)).any():
        yield (
            f"Amounts of {resource.name} are not the announced ones where both are in {currency}: "
            "compare amount with amount_source."
        )


def shared(rows: pl.DataFrame, resource: Resource) -> Iterator[str]:
    """What is doubtful about the rows of several lists, each of another id in the path."""
    if resource.name not in _OF_ONE or not len(rows):
        return
    if several := rows.get_column(resource.key).is_duplicated().sum():
        yield (
            f"{several:,} of {len(rows):,} rows of {resource.name} are in the lists of several "
            "records, and each can belong to one only: the service may have ignored the id in the "
            "path."
        )


def disorder(rows: pl.DataFrame, sort: str, resource: Resource, *, is_exact: bool) -> bool:
    """Whether rows are out of the order of a sort, wherever a null or a tie leaves none open.

    A later name of the sort counts only among rows whose earlier values are shown exactly, which
    `is_exact` says of years. A text counts where no usual collation gives the order of the rows.
    """
    ties = pl.lit(value=True)
    for part in sort.split(","):
        name = part.removeprefix("-")
        if (resource.name, name) in _OTHERWISE or name not in rows.columns:
            return False
        kind, value = resource[name].type, pl.col(name)
        rows = rows.filter(value.is_not_null())
        if kind == "text":
            rows = rows.filter(value.str.contains(_PLAIN))
        lower = value.str.to_lowercase() if kind == "text" else value
        ways = (value, lower, lower.str.replace_all(" ", "")) if kind == "text" else (value,)
        wrong = [each > each.shift() if part != name else each < each.shift() for each in ways]
        if rows.select((ties & pl.all_horizontal(wrong)).any()).item():
            return True
        if kind not in ("integer", "identifier") or not is_exact:
            return False
        ties &= value == value.shift()
    return False


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
