"""The wire profile: what this project does where the interface says "not shown", as
data.

A service that differs is met by another profile, not by other code: other paths and
names, and a `Shape` of its rows, with which the client reads them and the embedded
service writes them.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast

from ventureframe.interface.fields import Currency, Field, Many, Record, Resource

Form = Literal["plain", "year", "precise", "filled", "names"]


@dataclass(frozen=True)
class At:
    """The value at a path: keys joined by dots, null where one of them is null.

    `form` says how text there is read: the `year` of a partial date (`YYYY`,
    `YYYY-MM` or `YYYY-MM-DD`); a `precise` date, null where it is no more than a
    year; a `filled` text, null where it is empty (a wire without null names writes
    "" there); the `names` in a list of named things, joined by a comma. `words` are
    the interface's for those of the wire. A `label` makes it a flag: true where a
    list of labels has this one, else null, because a missing label says nothing. The
    value is null where the flag at the path `unless_null` is, and the one at `second`
    where it is null.
    """

    path: str
    form: Form = "plain"
    words: Mapping[str, str] | None = None
    label: str = ""
    unless_null: str = ""
    second: str = ""


class Where(NamedTuple):
    """The value that must stand at a path within an entry.

    `ignored` are all further codes of the wire there: an entry with a code that is
    neither can be the one to read, under a new name.
    """

    path: str
    value: str | bool
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class Of:
    """The value at a path within entries of a list, of those for which `where` holds.

    It is that of each entry where the field is a list, else that of the first.
    """

    path: str
    at: str
    where: Where | None = None


@dataclass(frozen=True)
class Each:
    """A list of one record of each entry for which `where` holds."""

    path: str
    of: Mapping[str, Rule]
    where: Where | None = None


@dataclass(frozen=True)
class Parts:
    """A record of members that stand in a record; null where none of them is
    recorded.
    """

    path: str
    of: Mapping[str, At]


Rule = At | Of | Each | Parts

_TEXT = Field("", "text")
_FLAG = Field("", "flag")
_LABELS = Field("", Many("text"))
_DATE = Field("", "partial date")
_POST = (
    Field("company_uuid", "uuid"),
    Field("is_founder", "flag", is_optional=True),
    Field("is_past", "flag"),
)
EXTRAS: Mapping[str, Field] = {
    "available": _LABELS,
    "locked": replace(_LABELS, is_optional=True),
    "is_past": _FLAG,
    "is_founder": _FLAG,
    "posts": Field("", Many(Record(_POST))),
}
"""The types of values beside the fields; any other such value is text."""


@dataclass(frozen=True)
class Glance:
    """A list of a row that the wire cuts short: `path.total` counts it, `path.items`
    has some.

    `endpoint` has all of it. Where a glance `is_of_some`, further kinds of entries are
    neither in the row nor in its total.
    """

    endpoint: str
    path: str
    is_of_some: bool = False


@dataclass(frozen=True, eq=False)
class Shape:
    """The rows of an endpoint.

    `columns` say where each field of `resource` stands; without any, rows have the
    fields themselves. `extras` say where further values stand. `glances` are the
    lists that are cut short, `blocks` the keys that can be withheld, both by the
    field that they fill. A null under such a key means that it is withheld, except for
    a key that ends in `?`. `parameters` request such rows; those of the `summary`
    request rows without the glances. Rows have the price that `Profile.prices` has for
    `priced_as`, else for the endpoint.
    """

    resource: Resource
    columns: Mapping[str, Rule] = field(default_factory=dict)
    extras: Mapping[str, Rule] = field(default_factory=dict)
    glances: Mapping[str, Glance] = field(default_factory=dict)
    blocks: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    summary: Mapping[str, str] = field(default_factory=dict)
    priced_as: str = ""

    @functools.cached_property
    def short(self) -> Shape:
        """The shape of the rows of the summary."""
        left_out = {*self.glances, "available", "posts"}

        def remaining(members: Mapping[str, Any]) -> dict[str, Any]:
            return {
                name: member for name, member in members.items() if name not in left_out
            }

        return Shape(
            replace(self.resource, fields=tuple(remaining(self.resource).values())),
            remaining(self.columns),
            remaining(self.extras),
            blocks=remaining(self.blocks),
            parameters=self.summary,
            priced_as="summary",
        )

    @functools.cached_property
    def unsaid(self) -> tuple[str, ...]:
        """The fields of the resource that the wire has no place for."""
        fields = self.resource.returned if self.columns else ()
        return tuple(field.name for field in fields if field.name not in self.columns)

    @property
    def less(self) -> frozenset[str]:
        """The fields that the wire has in part or not at all, or never says "no" of."""
        flags = [
            name
            for name, rule in self.columns.items()
            if isinstance(rule, At) and (rule.label or rule.unless_null)
        ]
        return frozenset({*flags, *self.glances, *self.unsaid})

    @functools.cached_property
    def read(self) -> Record:
        """The type of a row: the keys that a field is read from, and no other."""
        if not self.columns:
            return Record(self.resource.returned)
        keys = [key for name in self.columns for key in self._keys_of(name)]
        for name, rule in self.extras.items():
            keys += _keys(rule, EXTRAS.get(name, _TEXT))
        return _record_of(keys)

    def reads(self, path: str) -> Iterator[str]:
        """Yield the fields that are read from the key at this path, or from one below
        it.
        """
        if not self.columns:
            yield path
        for name in self.columns:
            paths = [key.replace("[]", "") for key, _ in self._keys_of(name)]
            if any(f"{key}.".startswith(f"{path}.") for key in paths):
                yield name

    def _keys_of(self, name: str) -> Iterator[tuple[str, Field]]:
        """Yield every key that a field is read from: its value, the length of a list,
        and what is available.
        """
        yield from _keys(self.columns[name], self.resource[name])
        if name in self.glances:
            yield f"{self.glances[name].path}.total", Field("", "identifier")
        if name in self.blocks and "available" in self.extras:
            yield "available", _LABELS


_as_declared = functools.lru_cache(64)(Shape)
"""The shape of rows that have the fields of a resource, once for all requests."""


def _keys(rule: Rule, of: Field) -> Iterator[tuple[str, Field]]:
    """Yield every key that a rule reads for a field: its path, `[]` after each list,
    and its type.
    """
    kind = of.scalar
    match rule:
        case At(form="names"):
            yield f"{rule.path}[].name", _TEXT
        case At() if rule.label:
            yield rule.path, _LABELS
        case At():
            yield rule.path, _DATE if rule.form in ("year", "precise") else of
            if rule.unless_null:
                yield rule.unless_null, _FLAG
            if rule.second:
                yield rule.second, of
        case Of():
            is_list = isinstance(of.type, Many)
            yield f"{rule.path}[].{rule.at}", Field("", kind, nullable=not is_list)
        case Parts() | Each():
            path = rule.path if isinstance(rule, Parts) else f"{rule.path}[]"
            for member in cast("Record", kind).fields:
                if member.name in rule.of:
                    for inner, key in _keys(rule.of[member.name], member):
                        yield f"{path}.{inner}", key
    if isinstance(rule, Of | Each) and rule.where:
        key = _FLAG if rule.where.value is True else _TEXT
        yield f"{rule.path}[].{rule.where.path}", replace(key, nullable=False)


def _record_of(keys: Iterable[tuple[str, Field]]) -> Record:
    """Return the record with these keys, by their paths."""
    groups = dict[str, list[tuple[str, Field]]]()
    for path, key in keys:
        first, _, below = path.partition(".")
        groups.setdefault(first, []).append((below, key))
    fields = list[Field]()
    for first, inner in groups.items():
        below, key = inner[0]
        if below:
            record = _record_of(inner)
            key = Field("", Many(record))
            if not first.endswith("[]"):
                can_be_null = any(member.nullable for member in record.fields)
                key = Field("", record, nullable=can_be_null)
        fields.append(replace(key, name=first.removesuffix("[]")))
    return Record(tuple(fields))


@dataclass(frozen=True)
class Term:
    """What a wire calls a filter: the same filter under another `key`.

    With a `label`, a flag is true where that is among the labels under `key`, and not
    known where it is not. With a `kind`, the filter takes the ids of the records of
    that kind that have the name.
    """

    key: str
    label: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Limit:
    """The page size an endpoint applies where a request names none, and the largest
    it accepts.
    """

    default: int
    maximum: int


_PATHS = {
    "companies": "/data/companies",
    "founders": "/data/founders",
    "funds": "/data/funds",
    "news": "/data/news",
    "jobs": "/data/jobs",
    "search": "/data/search",
    "entity": "/data/entities/{id}",
    "funding-rounds": "/data/companies/{id}/funding-rounds",
    "lp-funds": "/data/investors/{id}/lp-funds",
    "manager-funds": "/data/investors/{id}/funds",
    "tags": "/reference/filters/search",
    "tag-values": "/reference/filters/tag_id/values",
    "locations": "/reference/filters/location/values",
    "filters": "/reference/filters",
    "aggregates": "/analytics/aggregate/{source}",
    "dataset": "/dataset",
}
_LIMITS = {
    **dict.fromkeys(
        ("companies", "founders", "funding-rounds", "lp-funds", "manager-funds"),
        Limit(25, 500),
    ),
    **dict.fromkeys(("funds", "news", "jobs"), Limit(25, 2000)),
    **dict.fromkeys(("tag-values", "locations"), Limit(100, 1000)),
    "search": Limit(5, 20),
    "tags": Limit(20, 50),
    "aggregates": Limit(500, 500),
}
_PRICES = {
    "funding-rounds": 1.0,
    "news": 1.0,
    "jobs": 1.0,
    "summary": 1.0,
    "filters": 0.0,
    "aggregates": 5.0,
}


@dataclass(frozen=True)
class Profile:
    """Every choice a client and the embedded service share.

    `paths` and `limits` are keyed by endpoint: the resource's name where it has one
    of its own, else as `_PATHS` has it. `cursor_endpoints` page by cursor or
    offset, every other list by offset only. `dataset_header` is sent by the embedded
    service only.
    """

    name: str = "interface"
    paths: Mapping[str, str] = field(default_factory=lambda: _PATHS)
    limits: Mapping[str, Limit] = field(default_factory=lambda: _LIMITS)

    token_body: Literal["json", "form"] = "json"
    token_lifetime: int = 86_400
    client_id_header: str | None = "X-Client-Id"
    version_header: str = "API-Version"
    api_version: str | None = None
    credits_header: str = "X-Credits-Used"
    dataset_header: str = "X-Dataset"

    cursor_parameter: str = "cursor"
    next_cursor: str = "next_cursor"
    previous_cursor: str = "prev_cursor"
    cursor_endpoints: frozenset[str] = frozenset(
        {"companies", "founders", "funds", "news", "jobs"}
    )

    currencies: tuple[Currency, ...] = ("USD", "EUR", "GBP")
    # requests a second that a key may send, where that is known
    rate: float | None = None
    # credits of a row, or of an aggregate, where no reply has reported them
    prices: Mapping[str, float] = field(default_factory=lambda: _PRICES)
    ids_per_request: int = 50  # most UUIDs in one request (interface, "Limits")
    # `/data/founders` takes its UUIDs as `filter=id[in_any]:…`
    ids_filter: str = "id"
    search_minimum: int = 1
    finds_companies: bool = False  # the search knows companies, too
    tag_minimum: int = 3
    tag_scope: str = "companies"
    tags_per_row: int = 10  # most values that a tag search gives for one filter
    location_minimum: int = 2

    # by endpoint, rows not written in the interface's fields
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    uncounted: frozenset[str] = frozenset()  # endpoints that report no total
    # names of the interface in other words: fields to filter, sort and group by, types
    # of places
    filters: Mapping[str, Term] = field(default_factory=dict)
    sorts: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    place_types: Mapping[str, str] = field(default_factory=dict)
    sources: frozenset[str] | None = None  # what can be aggregated; None where all can
    tag_key: str = "tag_id"
    kind_key: str = "type"  # the member of a record that says what it is

    def shape(
        self, endpoint: str, resource: Resource, unread: Collection[str] = ()
    ) -> Shape:
        """Return how the rows of an endpoint are written: as a summary where the lists
        that it leaves out are `unread`.
        """
        shape = self.shapes.get(endpoint) or _as_declared(resource)
        if shape.summary and {*shape.glances} <= {*unread}:
            return shape.short
        return shape


INTERFACE = Profile()
