"""What is checked in an answer: each check gives the choices of the wire that it sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ventureframe import errors
from ventureframe.client.generation import WIRES
from ventureframe.client.translate import WITHHELD
from ventureframe.doctor.answer import Answer, Choice, held, table
from ventureframe.interface import fields
from ventureframe.interface.wire.profile import Profile
from ventureframe.interface.wire.terms import ByRecord

_ADVICE: Final[tuple[tuple[type[errors.ServiceError], str], ...]] = (
    (
        errors.NotFound,
        "Profile(paths=…) with the service's own path, or the endpoint is not offered",
    ),
    (
        errors.CredentialsRejected,
        "check the key; Profile(token_body='form' or 'basic') where it is right",
    ),
    (errors.CreditsExhausted, "buy more credits, or wait for the next period"),
    (errors.UnreadableReply, "check the addresses: something else may answer there"),
    (errors.RequestRejected, "Profile(client_id_header=…) or the parameter it names"),
    (errors.ServiceError, "see the service's documentation for this request"),
)
_SHORTER: Final = "lower its maximum in Profile(limits=…); shorter pages lose no row, only time"
_NO_TOTAL: Final = "results will say 'total not reported', and count() will fail"
_MONEY: Final = "amounts would be in another currency than asked for: ask the owner"
_NO_CURSOR: Final = "take the endpoint out of Profile(cursor_endpoints=…), or name the member"
_OFFSET_ONLY: Final = "Profile(cursor_endpoints=frozenset()): pages are then asked for by offset"
_UPDATE: Final = "update ventureframe, which then knows the newer version"
_OWNER: Final = {"funds": "manager.uuid", "news": "entity_ids", "jobs": "entity_id"}
"""The column of the ids in a filter, where that is not the id of the row."""
OPTIONAL: Final = frozenset({("manager-funds", "manager")})
"""Fields that a list rightly lacks: the path already says them."""
ROWS: Final = "rows of wire "
"""How the choice begins without which no row can be read."""
_HARMLESS: Final = re.compile(r"[\w ,:+-]{1,40}", re.ASCII)
_SHOWN: Final = 5


def refused(error: errors.ServiceError, profile: Profile) -> Choice:
    """What a refusal says about the wire, and what to change."""
    change = next(advice for kind, advice in _ADVICE if isinstance(error, kind))
    name = "the request is understood"
    known = error.details.get("replaced_by") if isinstance(error.details, dict) else None
    if error.status == 403:
        name = "the key may read it"
        change = "ask the owner of the service for this right; until then it is withheld"
    elif error.status == 422:
        change = "Profile(limits=…) with a smaller maximum"
    elif isinstance(known, str):
        change = f"name the filter {known!r} in `filters` of {table(profile)}"
    return Choice(name, False, str(error), change)


# --- which wire it is


def wire(answer: Answer) -> Iterator[Choice]:
    """The generation that the filters name, its version, and how the request was let in."""
    profile, headers = answer.profile, answer.reply.headers
    keys = {*held(answer.rows, "filter_key"), *held(answer.rows, "key")}
    spoken = next((name for name in [*WIRES][::-1] if WIRES[name].tag_key in keys), None)
    seen = f"companies are filtered by {WIRES[spoken].tag_key}" if spoken else _UNTOLD
    yield _spoken(f"wire {profile.name}", profile, spoken, seen)
    yield from _version(answer)
    yield Choice(f"token request as {profile.token_body}", True, "a token was given")
    sent = profile.client_id_header or "no client id header"
    yield Choice(f"request headers ({sent})", True, "the request was let in")
    spent = headers.get(profile.credits_header)
    yield Choice(
        f"reply header {profile.credits_header}", True if spent else None, spent or "not sent"
    )
    if keys:
        yield _filters(profile, keys)


_UNTOLD: Final = "its filters name neither tag_id nor taxonomy_id: the first company decides"


def _spoken(name: str, profile: Profile, spoken: str | None, seen: str) -> Choice:
    is_known = spoken is not None and profile.name in WIRES
    change = f"vf.connect(wire={spoken!r}), or VENTUREFRAME_WIRE={spoken}"
    return Choice(name, spoken == profile.name if is_known else None, seen, change)


def _version(answer: Answer) -> Iterator[Choice]:
    """Whether the version asked for is served, and for how long."""
    wanted, served = answer.profile.api_version, answer.version
    holds = None if served is None else wanted in (None, served)
    name = f"version {wanted}" if wanted else f"reply header {answer.profile.version_header}"
    said = "not stated" if served is None else f"{_short(served)} is served"
    yield Choice(name, holds, said, _UPDATE)
    ends = answer.reply.headers.get("Sunset") or answer.reply.headers.get("Deprecation")
    if ends:
        yield Choice("the version stays in service", False, f"it ends: {_short(ends)}", _UPDATE)


def _short(text: str) -> str:
    return text if _HARMLESS.fullmatch(text) else "a value that is not shown"


def _filters(profile: Profile, keys: set[str]) -> Choice:
    """Whether the service names every key that companies are filtered by."""
    known: dict[str, set[str]] = {}
    for field in (*fields.COMPANIES.values(), *profile.own_filters):
        if field.filters:
            term, same = profile.filters.get(field.name), field.alias_of or field.name
            names = {field.name} if term is None else {term.key}
            names |= {field.name} if isinstance(term, ByRecord) else set()
            known.setdefault(same, set()).update(names)
    missing = [min(names) for names in known.values() if not names & keys]
    seen = f"not named: {', '.join(missing)}" if missing else f"all among the {len(keys)} named"
    change = (
        f"name them as the service does in `filters` of {table(profile)}, or do not filter by them"
    )
    return Choice("filters of companies", not missing, seen, change)


def generation(answer: Answer) -> Iterator[Choice]:
    """The generation whose keys the rows have."""
    keys = {name for row in answer.rows for name in row}
    counts = {name: len(keys & _names(each, answer.of)) for name, each in WIRES.items()}
    likely = [name for name, count in counts.items() if count == max(counts.values())]
    spoken = likely[0] if len(likely) == 1 else None
    seen = f"their keys are those of wire {spoken}" if spoken else "their keys do not tell"
    yield _spoken(ROWS + answer.profile.name, answer.profile, spoken, seen)


def _names(profile: Profile, of: str) -> set[str]:
    shape = profile.shapes.get(of)
    return {each.name for each in (fields.RESOURCES[of].returned if shape is None else shape.keys)}


# --- lists and records


def listed(answer: Answer) -> Iterator[Choice]:
    """The choices that any list shows: its fields, page size, total, cursor and currency."""
    if not isinstance(answer.content.get("data"), list):
        yield Choice("rows under 'data'", False, "no list", "another profile, or a new one")
        return
    yield from _fields(answer)
    profile, size, total = answer.profile, len(answer.rows), answer.page("total")
    if "limit" in answer.parameters:
        limit, echoed = int(answer.parameters["limit"]), answer.page("limit")
        fits = size <= limit and (not isinstance(echoed, int) or echoed == limit)
        yield Choice(f"limit {limit}", fits, f"{size} rows, page.limit {echoed}", _SHORTER)
    if "include_total" in answer.parameters:
        yield Choice("page.total", isinstance(total, int), f"{total!r}", _NO_TOTAL)
    if "currency" in answer.parameters:
        stated = answer.content.get("currency")
        holds = None if stated is None else stated == answer.parameters["currency"]
        yield Choice("currency of the reply", holds, f"{stated!r}", _MONEY)
    if answer.endpoint in profile.cursor_endpoints and isinstance(total, int) and total > size:
        has_next = answer.page(profile.next_cursor, str) is not None
        seen = "given" if has_next else "none, though there are more rows"
        yield Choice(f"page.{profile.next_cursor}", has_next, seen, _NO_CURSOR)


def _fields(answer: Answer) -> Iterator[Choice]:
    """Whether the rows have the declared fields in their types, and what they withhold."""
    if answer.resource is None:
        return
    name = f"fields of {answer.of}"
    if not answer.rows:
        yield Choice(name, None, "no row to see them in")
        return
    if isinstance(answer.chunk, errors.UnreadableReply):
        change = f"correct its type in {table(answer.profile)}, or report it to the owner"
        yield Choice(f"types of {answer.of}", False, str(answer.chunk), change)
        return
    absent = {each for each in answer.chunk.absent if (answer.of, each) not in OPTIONAL}
    extra = sorted(each for each in answer.chunk.extra if "." not in each)
    more = f", and {len(extra)} more" if extra else ""
    if absent:
        more = f"; has {', '.join(extra[:_SHOWN])} instead" if extra else ""
    missing = [each.name for each in answer.resource.returned if each.name in absent]
    seen = f"without {', '.join(missing)}" if missing else "all there, in their types"
    yield Choice(name, not missing, seen + more, _moved(answer.of, missing, answer.profile))
    yield from _withheld(answer)


def _moved(of: str, missing: Iterable[str], profile: Profile) -> str:
    """What to change in the wire's table for fields that stand elsewhere now."""
    shape = profile.shapes.get(of)
    if shape is None:
        where = f"say where they stand in a shape for {of!r} in {table(profile)}"
    else:
        read = (f"{name} (now at {shape.columns[name].path!r})" for name in missing)
        where = f"correct in shapes[{of!r}] of {table(profile)}: {', '.join(read)}"
    return f"{where}; until then those columns stay null, and results list them as absent"


def _withheld(answer: Answer) -> Iterator[Choice]:
    """The fields that the key does not see, which says nothing about the wire."""
    closed = [row[WITHHELD] for row in answer.records if row.get(WITHHELD)]
    names = sorted({name for each in closed for name in each})
    if names:
        tier = answer.page("tier", str)
        seen = f"withheld from {len(closed)} of {len(answer.rows)} rows"
        seen += f", page.tier {_short(tier)!r}" if tier else ""
        yield Choice(f"{', '.join(names)} of {answer.of}", None, seen)


def kept(answer: Answer) -> Iterator[Choice]:
    """Whether the rows are startups, the largest team first, as they were asked for."""
    flags = [row["is_startup"] for row in answer.records]
    sizes = [-1 if row["team_size"] is None else row["team_size"] for row in answer.records]
    advice = "find the parameters of filter and sort in the service's documentation"
    asked = answer.parameters["filter"]
    seen = f"{sum(flag is True for flag in flags)} of {len(flags)} rows are startups"
    yield Choice(f"filter={asked}", all(flags) if any(flags) else None, seen, advice)
    holds = sizes == sorted(sizes, reverse=True) if len(set(sizes)) > 1 else None
    seen = f"{len(set(sizes))} team sizes"
    yield Choice(f"sort={answer.parameters['sort']}", holds, seen, advice)


def next_page(answer: Answer) -> Iterator[Choice]:
    """Whether the cursor of the first page leads to other rows."""
    first = answer.known.get("companies", "").split("|")
    moved = bool(answer.records) and set(first).isdisjoint(held(answer.records, "uuid"))
    seen = "the next rows" if moved else "the same rows as before, or none"
    name, is_known = f"cursor in {answer.profile.cursor_parameter!r}", any(first)
    yield Choice(name, moved if is_known else None, seen, _OFFSET_ONLY)


def record(answer: Answer) -> Iterator[Choice]:
    """Whether a record by id is the one in the path, of its kind, with its fields."""
    given = answer.content.get("data")
    row: dict[str, Any] = given if isinstance(given, dict) else {}
    uuid = str(row.get("uuid")).lower()
    is_it = answer.reply.path.lower().endswith(uuid)
    yield Choice("the record under 'data'", is_it, "its uuid was compared")
    key = answer.profile.kind_key
    if row.get(key) is not None:
        change = "Profile(kind_key=…) with the member that says what the record is"
        yield Choice(f"its kind in {key!r}", row[key] == answer.of, f"{row[key]!r}", change)
    if row:
        yield from _fields(answer)


def belongs(answer: Answer) -> Iterator[Choice]:
    """Whether each row has one of the ids, and whether there are rows for their own ids."""
    by, _, values = answer.parameters["filter"].partition("[in_any]:")
    own, ids = _OWNER.get(answer.endpoint, "uuid"), {*values.lower().split("|")}
    found = [{each.lower() for each in held([row], own)} for row in answer.records]
    strangers = sum(ids.isdisjoint(each) for each in found)
    seen = f"{len(found)} rows for {len(ids)} ids, {strangers} of others"
    holds = not strangers and (bool(found) or own != "uuid" or None)
    where = "Profile(founders_filter=…)" if answer.of == "founders" else "Profile(filters=…)"
    advice = f"find the parameter in the service's documentation; {where}"
    yield Choice(f"ids as filter={by}[in_any]:…", holds, seen, advice)


def tagged(answer: Answer) -> Iterator[Choice]:
    """Whether a tag says which filter takes it."""
    data = answer.content.get("data")
    keys, wanted = (
        held(data if isinstance(data, list) else [], "filter_key"),
        answer.profile.tag_key,
    )
    seen = f"{len(answer.rows)} of them, among those of {', '.join(keys) or 'no filter'}"
    advice = f"Profile(tag_key=…) with one of them: no tag is found under {wanted!r}"
    yield Choice(f"tags of the filter {wanted}", wanted in keys if keys else None, seen, advice)


def groups(answer: Answer) -> Iterator[Choice]:
    """Whether grouped metrics name group and metric in each row."""
    names = {answer.parameters["group_by"], "dimension"}
    holds = all(names & row.keys() and "count" in row for row in answer.rows)
    advice = "Profile(groups=…) with the service's name for the column"
    yield Choice("a row per group with its metric", holds, f"{len(answer.rows)} rows", advice)
