"""What a reply says beside its rows: its page, its currency, and what it warns of itself."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from ventureframe.errors import shortened
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

_LIMITED: Final = re.compile(
    r"(^|_)(capped|cap|truncated?|truncation|partial|incomplete|omitted|limited|preview|sampled?)(_|$)"
)
"""Members that say, where they are not empty, that rows are missing."""
_WHOLE: Final = re.compile(r"(^|_)(complete|exhaustive|has_all)$")
"""Members that say so where they are false."""
_WARNING: Final = re.compile(
    r"(^|_)(lock(ed)?|tier|restrict(ed|ions?)?|warnings?|notices?|upgrade|redacted|withheld|hidden"
    r"|degraded|stale|estimated?)(_|$)"
)
"""Members that say that something else is not as it should be."""
_HIGHEST: Final = "premium"
_MORE: Final = re.compile(r"(^|_)(more|next|next_\w+|remaining)$")
"""Members that say, where they are not empty, that rows follow."""
_GROUPS: Final = frozenset({"total_groups", "groups_total", "group_count", "groups_count"})
"""Members that count the groups there are."""


@dataclass(frozen=True, slots=True)
class Page:
    """What one page says about the collection, with the keys of its first and last row.

    The rows themselves are in a `Chunk`; the reply is kept without its body and headers. `goes_on`
    says that rows follow, `is_limited` that some are missing; `doubts` are sentences on what the
    reply warns of.
    """

    rows: int
    first: str | int | None
    last: str | int | None
    total: int | None
    next_cursor: str | None
    currency: str | None
    reply: Reply
    goes_on: bool = False
    is_limited: bool = False
    doubts: tuple[str, ...] = ()


def page(
    reply: Reply,
    content: Mapping[str, object],
    keys: pl.Series,
    *,
    profile: Profile,
    currency: str | None,
) -> Page:
    """The page with these keys; `UnreadableReply` where what it says about itself is wrong."""
    refuse_error(reply, content)
    about = of_page(content)
    total, cursor = about.get("total"), about.get(profile.next_cursor)
    stated = stated_currency(reply, content, currency)
    if total is not None and (type(total) is not int or total < 0):
        raise reply.unreadable(f"reports {total!r} as the number of matches")
    if cursor is not None and not isinstance(cursor, str):
        raise reply.unreadable("has a cursor that is not text")
    said = {**content, "page": _without_smaller_page(about, reply.limit)}
    return Page(
        rows=len(keys),
        first=keys[0] if len(keys) else None,
        last=keys[-1] if len(keys) else None,
        total=total,
        next_cursor=cursor or None,
        currency=stated,
        reply=dataclasses.replace(reply, body=b"", headers={}),
        goes_on=bool(cursor) or goes_on(content),
        is_limited=is_limited(said),
        doubts=doubts(said),
    )


def of_page(content: Mapping[str, object]) -> Mapping[str, Any]:
    """What a reply says of its page; empty where it says nothing."""
    about = content.get("page")
    return about if isinstance(about, dict) else {}


def _without_smaller_page(about: Mapping[str, object], asked: int | None) -> Mapping[str, object]:
    """A page without `capped` where a smaller limit explains it: the rows after it can be read."""
    applied = about.get("limit")
    is_smaller = asked is not None and type(applied) is int and 0 < applied < asked
    return {name: about[name] for name in about if not (is_smaller and name == "capped")}


def refuse_error(reply: Reply, content: Mapping[str, object]) -> None:
    """Raises `UnreadableReply` where an error stands beside the rows: some may be missing."""
    for where in (content, of_page(content)):
        for name in ("error", "errors"):
            if where.get(name):
                said = shortened(json.dumps(where[name]))
                raise reply.unreadable(f"has an error beside its rows ({said})")


def goes_on(content: Mapping[str, object]) -> bool:
    """Whether a reply says that rows follow."""
    return any(value and _is_named(_MORE, name) for name, value in _members(content))


def is_limited(content: Mapping[str, object]) -> bool:
    """Whether a reply says that rows of the answer are missing."""
    return any(_is_missing(name, value) for name, value in _members(content))


def limit(content: Mapping[str, object], asked: int) -> int:
    """How many rows a reply can have: those asked for, or fewer where it says so."""
    said = (value for name, value in _members(content) if name == "limit")
    return min([asked, *(value for value in said if type(value) is int and value > 0)])


def is_cut(content: Mapping[str, object], rows: int, *, asked: int) -> bool:
    """Whether rows can be missing from an answer that has no second page."""
    totals = [of_page(content).get("total")]
    totals += [value for name, value in _members(content) if name in _GROUPS]
    is_more = any(type(total) is int and total > rows for total in totals)
    return is_more or rows >= limit(content, asked) or goes_on(content) or is_limited(content)


def doubts(content: Mapping[str, object]) -> tuple[str, ...]:
    """What a reply warns of beside its rows, a sentence for each."""
    return tuple(
        f"The service says {name} {shortened(json.dumps(value))} beside its rows: some of what it "
        "has may not be shown."
        for name, value in _members(content)
        if _is_missing(name, value) or _is_warning(name, value)
    )


def _is_missing(name: str, value: object) -> bool:
    """Whether a member says that rows are missing."""
    return bool(value and _is_named(_LIMITED, name)) or (value is False and _is_named(_WHOLE, name))


def _is_warning(name: str, value: object) -> bool:
    """Whether a member warns of something: a tier does below the one that sees everything."""
    return bool(value and _is_named(_WARNING, name)) and (name, value) != ("tier", _HIGHEST)


@functools.lru_cache(512)
def _is_named(kind: re.Pattern[str], name: str) -> bool:
    """Whether a member is of this kind by its name; every page of a list has the same few names."""
    return kind.search(name.lower()) is not None


def _members(content: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The members of the envelope, and those of its records."""
    for name, value in content.items():
        if name == "data":
            continue
        yield name, value
        if isinstance(value, dict):
            yield from ((str(each), inner) for each, inner in value.items())


def locked(content: Mapping[str, object]) -> frozenset[str]:
    """The blocks that a reply as a whole withholds."""
    named = content.get("locked") or of_page(content).get("locked")
    return frozenset(map(str, named)) if isinstance(named, list) else frozenset()


def stated_currency(
    reply: Reply, content: Mapping[str, object], currency: str | None
) -> str | None:
    """The currency that a reply states; `UnreadableReply` where it is not the requested one."""
    stated = content.get("currency")
    if currency is not None and stated not in (None, currency):
        raise reply.unreadable(f"gives amounts in {stated!r} where {currency} was asked for")
    return stated if isinstance(stated, str) else None


def rows_of(reply: Reply, content: Mapping[str, object]) -> list[dict[str, Any]]:
    """The rows under `data`, each an object; raises as `refuse_error` does."""
    refuse_error(reply, content)
    rows = content.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise reply.unreadable("has no list of records under 'data'")
    return rows
