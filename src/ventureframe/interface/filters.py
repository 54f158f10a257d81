"""A filter expression as an immutable value: built with operators, written as text,
read back.

Grammar (interface, "Filter, sort and paging conventions", and the choices beside it)::

    filter = group / clause
    group  = ("and" / "or") "(" filter *("," filter) ")"
    clause = field "[" operator "]:" value *("|" value)

There is no escape: a value ends only before the next clause or the bracket that
closes its group, and one that would be read as something else is refused when it is
built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal, NoReturn, cast

from ventureframe.errors import FilterSyntaxError, UnsupportedOperator, UnsupportedValue
from ventureframe.interface import fields
from ventureframe.interface.fields import SEVERAL, Field, Operator, Resource

MAX_DEPTH = 16  # groups inside groups that are read; deeper text is refused

_HEAD = re.compile(r"([A-Za-z_][\w.]*)\[([A-Za-z_]\w*)\]:", re.ASCII)
_GROUP = re.compile(r"(and|or)\(")
_DEPTH = {"(": 1, ")": -1}
_NEXT = re.compile(rf",(?={_HEAD.pattern}|{_GROUP.pattern})", re.ASCII)
_MARK = re.compile(rf"[()]|{_NEXT.pattern}", re.ASCII)


class Filter:
    """A condition on a row. Combine with `&` and `|`; `str()` gives the wire's text."""

    def __and__(self, other: Filter) -> Filter:
        return all_of(self, other)

    def __or__(self, other: Filter) -> Filter:
        return any_of(self, other)

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a filter is neither true nor false: join filters with & and |, not with"
            " `and`, `or`, `not` or a chained comparison"
        )

    def clauses(self) -> Iterator[Clause]:
        """Yield every clause in it, from left to right."""
        if isinstance(self, Clause):
            yield self
        for part in getattr(self, "parts", ()):
            yield from part.clauses()


@dataclass(frozen=True)
class Clause(Filter):
    """One `field[operator]:value`, with the values as the wire writes them.

    `names` are those of the records that stood in place of identifiers.
    """

    field: str
    operator: Operator
    values: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.operator not in SEVERAL and len(self.values) > 1:
            raise UnsupportedValue(
                list(self.values),
                field=self.field,
                reason=f"{self.operator!r} takes one value",
            )
        for value in self.values or ("",):
            problem = _unwritable(value)
            if problem:
                raise UnsupportedValue(value, field=self.field, reason=problem)

    def __str__(self) -> str:
        return f"{self.field}[{self.operator}]:{'|'.join(self.values)}"


@dataclass(frozen=True)
class Group(Filter):
    """`and(...)` or `or(...)` of at least two filters; made by `all_of` and
    `any_of`.
    """

    word: Literal["and", "or"]
    parts: tuple[Filter, ...]

    def __str__(self) -> str:
        return f"{self.word}({','.join(map(str, self.parts))})"


def all_of(*filters: Filter) -> Filter:
    """Combine filters: every one of them must hold."""
    return _join("and", filters)


def any_of(*filters: Filter) -> Filter:
    """Combine filters: at least one of them must hold."""
    return _join("or", filters)


def mapped(filter: Filter, change: Callable[[Clause], Filter]) -> Filter:
    """Return the filter with what `change` makes of each clause, in the same groups."""
    if isinstance(filter, Group):
        return _join(filter.word, (mapped(part, change) for part in filter.parts))
    return change(cast("Clause", filter))


def _join(word: Literal["and", "or"], filters: Iterable[Filter]) -> Filter:
    parts = list[Filter]()
    for part in filters:
        if not isinstance(part, Filter):
            raise UnsupportedValue(
                part,
                field="filter",
                reason="build one as in company.launch_date >= 2005",
            )
        parts.extend(
            part.parts if isinstance(part, Group) and part.word == word else (part,)
        )
    if not parts:
        raise TypeError("at least one filter is needed")
    return parts[0] if len(parts) == 1 else Group(word, tuple(parts))


def _unwritable(value: str) -> str | None:
    """Why this text cannot stand as a value, or None where it can."""
    depths = [0, *accumulate(_DEPTH[letter] for letter in value if letter in _DEPTH)]
    if not value:
        return "it is empty"
    if "|" in value:
        return "'|' separates values and has no escape"
    if _NEXT.search(value):
        return "it would be read as the start of another clause"
    if min(depths) < 0 or depths[-1] > 0:
        return "its brackets do not pair, so it would close or swallow a group"
    if re.search("[\ud800-\udfff]", value):  # half a character
        return "it has a character that cannot be sent as UTF-8"
    return None


def parse(text: str) -> Filter:
    """Return the filter that `text` writes; raises `FilterSyntaxError`, or the error of
    a clause that cannot be built.
    """
    parsed, end = _filter_at(text, 0, depth=0)
    if end != len(text):
        raise FilterSyntaxError(text, position=end, expected="the end of the filter")
    return parsed


def _filter_at(text: str, start: int, *, depth: int) -> tuple[Filter, int]:
    """Return the filter that begins there, and where it ends."""
    if depth > MAX_DEPTH:
        raise FilterSyntaxError(
            text, position=start, expected=f"at most {MAX_DEPTH} nested groups"
        )
    if head := _HEAD.match(text, start):
        return _clause(text, head, is_inner=depth > 0)
    group = _GROUP.match(text, start)
    if group is None:
        raise FilterSyntaxError(
            text, position=start, expected="field[operator]:value, and( or or("
        )
    parts = list[Filter]()
    end, following = group.end() - 1, ","
    while following == ",":
        part, end = _filter_at(text, end + 1, depth=depth + 1)
        parts.append(part)
        following = text[end : end + 1]
    if following != ")":
        raise FilterSyntaxError(text, position=end, expected="',' or ')'")
    return _join(cast("Literal['and', 'or']", group[1]), parts), end + 1


def _clause(text: str, head: re.Match[str], *, is_inner: bool) -> tuple[Clause, int]:
    """Return the clause; inside a group it ends before the next clause or the closing
    bracket.
    """
    field, operator = head.groups()
    end, depth = len(text), 0
    for mark in _MARK.finditer(text, head.end()) if is_inner else ():
        if not depth and mark[0] != "(":
            end = mark.start()
            break
        depth += _DEPTH.get(mark[0], 0)
    written = text[head.end() : end]
    values = tuple(written.split("|")) if operator in SEVERAL else (written,)
    return Clause(field, cast("Operator", operator), values), end


def check(filter: Filter, resource: Resource) -> Filter:
    """Return the filter, checked, with UUIDs as they are read; raises `QueryError`."""

    def checked(clause: Clause) -> Clause:
        field = _check_operator(
            clause.operator, resource.filterable(clause.field), resource
        )
        values = tuple(str(field.read(value)) for value in clause.values)
        return replace(clause, values=values) if field.scalar == "uuid" else clause

    return mapped(filter, checked)


def _check_operator(operator: Operator, field: Field, resource: Resource) -> Field:
    if operator not in field.operators:
        raise UnsupportedOperator(
            operator,
            field=field.name,
            resource=resource.name,
            known=field.operators,
        )
    return field


def _comparison(operator: Operator) -> Callable[[Column, object], Filter]:
    return lambda column, value: column._clause(operator, (value,))


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """One field to filter by: compare it with a value to get a filter."""

    _field: Field
    _resource: Resource
    # == builds a filter, so it cannot be a dict key
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self._resource.singular}.{self._field.name}: {self._field.doc}>"

    __eq__ = _comparison("eq")  # type: ignore[assignment]  # builds a filter
    __ne__ = _comparison("neq")  # type: ignore[assignment]
    __ge__ = _comparison("gte")
    __gt__ = _comparison("gt")
    __le__ = _comparison("lte")
    __lt__ = _comparison("lt")

    def in_any(self, values: Iterable[object]) -> Filter:
        """Holds where the field has at least one of `values`."""
        return self._clause("in_any", values)

    def in_all(self, values: Iterable[object]) -> Filter:
        """Holds where the field has every one of `values`."""
        return self._clause("in_all", values)

    def nin_any(self, values: Iterable[object]) -> Filter:
        """Holds where the field has a value recorded and none of `values`."""
        return self._clause("nin_any", values)

    def _clause(self, operator: Operator, values: Iterable[object]) -> Clause:
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise UnsupportedValue(
                values, field=self._field.name, reason="give a list of values"
            )
        field = _check_operator(operator, self._field, self._resource)
        items = [*values]
        texts = (field.write(getattr(item, "id", item)) for item in items)
        names = (item.named[0] for item in items if hasattr(item, "named"))
        return Clause(field.name, operator, tuple(texts), tuple(names))


@dataclass(frozen=True, repr=False)
class Columns:
    """The fields of one resource to filter by, as attributes (with completion)."""

    _resource: Resource

    def __repr__(self) -> str:
        return f"<{self._resource.singular}: filter by {', '.join(dir(self))}>"

    def __dir__(self) -> list[str]:
        return [field.name for field in self._resource.fields if field.operators]

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        return Column(self._resource.filterable(name), self._resource)


company = Columns(fields.COMPANIES)
founder = Columns(fields.FOUNDERS)
fund = Columns(fields.FUNDS)
news_item = Columns(fields.NEWS)
job = Columns(fields.JOBS)
