"""One change of a wire: what it does to a reply, to a request, or to a status."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

Json = Any
Path = tuple[str, ...]
ERROR, NEW_MEMBER = "an error", "a new member beside"
IGNORED = "ignored"
"""The kind of a parameter that the service reads no longer."""
NEW_VALUE = "recently_invented"
CODED = (
    *("company_status", "status", "subtype", "kind", "role"),
    *("source_type", "round_type", "fund_type"),
)
"""Members that have one of a few values. Labels and types of tags are not among them:
that nothing has the value that is looked for is no mistake there.
"""
UNITS = ("in cents", "in thousands")
"""Kinds of an amount that stands beside itself as announced (`amount_source`): of an
amount alone no reply says in which unit it is, so none can tell that it is another.
"""
COMMON = ("data", "page", "items")
"""Members that tell nothing of what is in them."""
EACH = "*"
"""Stands in a path for every entry of a list."""


@dataclass(frozen=True)
class Mutation:
    """A change of one kind at one place of one route's replies or requests."""

    kind: str
    route: str
    path: Path
    at: str = ""
    """What stands in the address of the route's requests, ids left out."""

    @property
    def names(self) -> tuple[str, ...]:
        """The members on its path, the one that changes last; those that every reply
        has only where nothing is below them.
        """
        names = tuple(name for name in self.path if name != EACH)
        return tuple(name for name in names if name not in COMMON) or names

    def __str__(self) -> str:
        return f"{self.kind} {self.route}: {'.'.join(self.path)}"

    def body(self, body: Json) -> Json:
        """What becomes of the content of a good reply."""
        *above, name = self.path
        for number, holder in enumerate(_holders(body, above)):
            if not isinstance(holder, dict) or name not in holder:
                continue
            if self.kind == NEW_MEMBER:
                holder[f"next_{name}"] = holder[name]
            elif self.kind in CHANGES:
                CHANGES[self.kind](holder, name, number)
        return body

    def query(self, query: dict[str, str]) -> dict[str, str]:
        """What becomes of a request's parameters."""
        if self.kind != IGNORED:
            return query
        return {key: value for key, value in query.items() if key not in self.path}


def _holders(value: Json, path: list[str]) -> Iterator[Json]:
    """The values at the end of a path."""
    if not path:
        yield value
        return
    first, *rest = path
    if first == EACH:
        for entry in value if isinstance(value, list) else ():
            yield from _holders(entry, rest)
    elif isinstance(value, dict) and first in value:
        yield from _holders(value[first], rest)


def _rename(holder: dict[str, Json], name: str, _: int) -> None:
    words = name.split("_")
    camel = words[0] + "".join(map(str.title, words[1:]))
    holder[camel if camel != name else f"{name}_v2"] = holder.pop(name)


def _move(holder: dict[str, Json], name: str, _: int) -> None:
    holder.setdefault("attributes", {})[name] = holder.pop(name)


def _wrap(holder: dict[str, Json], name: str, _: int) -> None:
    holder[name] = {"value": holder[name], "source": "reported"}


def _split(holder: dict[str, Json], name: str, _: int) -> None:
    value = holder.pop(name)
    text = "" if value is None else json.dumps(value)
    middle = len(text) // 2
    holder[f"{name}_first"], holder[f"{name}_last"] = text[:middle], text[middle:]


def _retype(holder: dict[str, Json], name: str, _: int) -> None:
    value = holder[name]
    if isinstance(value, bool):
        holder[name] = "yes" if value else "no"
    elif isinstance(value, int | float):
        holder[name] = f"{value:,}"
    elif isinstance(value, str):
        holder[name] = [value]
    elif isinstance(value, list):
        holder[name] = {str(number): entry for number, entry in enumerate(value)}
    elif isinstance(value, dict):
        holder[name] = list(value.items())


def _drop(holder: dict[str, Json], name: str, _: int) -> None:
    del holder[name]


def _drop_some(holder: dict[str, Json], name: str, number: int) -> None:
    if number % 2:
        del holder[name]


def _new_value(holder: dict[str, Json], name: str, number: int) -> None:
    if isinstance(holder[name], str) and number % 3 == 0:
        holder[name] = NEW_VALUE


def _none_for_some(holder: dict[str, Json], name: str, number: int) -> None:
    if number % 2:
        holder[name] = "" if isinstance(holder[name], str) else "n/a"


def _as_text(holder: dict[str, Json], name: str, _: int) -> None:
    value = holder[name]
    if isinstance(value, int | float) and not isinstance(value, bool):
        holder[name] = str(value)


def _null_for_empty(holder: dict[str, Json], name: str, _: int) -> None:
    if holder[name] in ([], {}, ""):
        holder[name] = None


def _one_or_many(holder: dict[str, Json], name: str, _: int) -> None:
    value = holder[name]
    if isinstance(value, list) and len(value) == 1:
        holder[name] = value[0]
    elif isinstance(value, dict):
        holder[name] = [value]


def _other_words(holder: dict[str, Json], name: str, _: int) -> None:
    value = holder[name]
    if isinstance(value, str) and name in CODED:
        holder[name] = f"{value}_{NEW_VALUE}"


def _in_cents(holder: dict[str, Json], name: str, _: int) -> None:
    if isinstance(holder[name], int | float):
        holder[name] *= 100


def _in_thousands(holder: dict[str, Json], name: str, _: int) -> None:
    if isinstance(holder[name], int | float):
        holder[name] /= 1000


CHANGES: Mapping[str, Callable[[dict[str, Json], str, int], None]] = {
    "renamed": _rename,
    "moved": _move,
    "wrapped": _wrap,
    "split": _split,
    "of another type": _retype,
    "dropped": _drop,
    "dropped in some": _drop_some,
    "a new value": _new_value,
    "text for nothing": _none_for_some,
    "a number as text": _as_text,
    "null for empty": _null_for_empty,
    "one for a list of one": _one_or_many,
    "other words": _other_words,
    "in cents": _in_cents,
    "in thousands": _in_thousands,
}
"""How each kind changes one member of an object in place; its number comes last."""

ERRORS: Mapping[str, tuple[int, str, str]] = {
    "an error as a problem document": (
        422,
        "application/problem+json",
        '{"type": "about:blank", "title": "Unprocessable", "detail": "not so"}',
    ),
    "a list of errors": (400, "application/json", '{"errors": [{"msg": "not so"}]}'),
    "an error as text": (500, "text/plain", "upstream connect error"),
    "an error in a good reply": (200, "application/json", '{"ok": false, "data": []}'),
    "an error beside rows": (
        200,
        "application/json",
        '{"data": [], "error": {"message": "partly not so"}}',
    ),
    "an error by its status": (
        200,
        "application/json",
        '{"status": "error", "message": "not so", "data": []}',
    ),
    "an error without data": (200, "application/json", '{"message": "not so"}'),
    "a page of a gateway": (403, "text/html", "<html><h1>403 Forbidden</h1></html>"),
    "nothing": (204, "application/json", ""),
}
"""A status, a type of content and a body in place of a good reply."""


def paths_of(body: Json, above: Path = ()) -> Iterator[Path]:
    """Every member of a reply, entries of lists taken together."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield (*above, name)
            yield from paths_of(value, (*above, name))
    elif isinstance(body, list):
        for entry in body:
            yield from paths_of(entry, (*above, EACH))


def drawn(
    seed: int,
    replies: Mapping[str, set[Path]],
    queries: Mapping[str, set[str]],
    addresses: Mapping[str, str],
) -> Mutation:
    """The mutation of a seed, over what each route answered and was asked.

    Of every four seeds one ignores a parameter, so that 300 ignore each.
    """
    random = Random(seed)
    routes = sorted(replies.keys() - {"dataset"})
    route, kind = random.choice(routes), random.choice([*CHANGES, ERROR, NEW_MEMBER])
    sent = [(one, name) for one in routes for name in sorted(queries.get(one, ()))]
    is_ignored = seed % 4 == 3
    if is_ignored:
        route, name = sent[seed // 4 % len(sent)]
    at = _address(addresses[route])
    if is_ignored:
        return Mutation(IGNORED, route, (name,), at)
    if kind == ERROR:
        kind = random.choice(sorted(ERRORS))
        return Mutation(kind, route, ("status",), at)
    paths = [path for path in sorted(replies[route]) if path[0] == "page"]
    if kind == NEW_MEMBER and paths:
        return Mutation(kind, route, random.choice(paths), at)
    kind = kind if kind in CHANGES else random.choice(sorted(CHANGES))
    fitting = [
        (one, path)
        for one in routes
        for path in sorted(replies[one])
        if _fits(kind, path, replies[one])
    ]
    if fitting:
        route, path = random.choice(fitting)
        return Mutation(kind, route, path, _address(addresses[route]))
    return Mutation(kind, route, random.choice(sorted(replies[route])), at)


def _fits(kind: str, path: Path, paths: set[Path]) -> bool:
    """Whether a kind that changes a few members only changes the one at the path."""
    if kind == "other words":
        return path[-1] in CODED
    is_announced = (*path[:-1], "amount_source") in paths
    return kind in UNITS and path[-1] == "amount" and is_announced


def _address(pattern: str) -> str:
    """What stands in the address of a route, ids left out."""
    return pattern.rpartition("{id}")[2] or pattern.partition("{id}")[0]


def route_of(path: str, paths: Mapping[str, str]) -> str | None:
    """The route of a request's path, by the table of a wire."""
    for route, pattern in paths.items():
        if re.fullmatch(re.escape(pattern).replace(r"\{id\}", "[^/]+"), path):
            return route
    return None
