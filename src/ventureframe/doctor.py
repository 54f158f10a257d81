"""Sends a service one small request per endpoint and says which choices of the profile hold.

Where the interface says "not shown" the wire profile chooses; a service that chose otherwise is
met by another profile. Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from ventureframe import errors
from ventureframe.client import decode
from ventureframe.client.service import Service
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

_HOPELESS: Final = (errors.CredentialsRejected, errors.TokenRejected, errors.ServiceUnreachable)
"""If the first request ends with one of these, no other can tell anything."""
_ADVICE: Final[tuple[tuple[type[errors.ServiceError], str], ...]] = (
    (
        errors.NotFound,
        "Profile(paths=…) with the service's own path, or the endpoint is not offered",
    ),
    (
        errors.CredentialsRejected,
        "check the key; Profile(token_body='form' or 'basic') where it is right",
    ),
    (errors.UnreadableReply, "check the addresses: something else may answer there"),
    (errors.RequestRejected, "Profile(client_id_header=…) or the parameter it names"),
    (errors.ServiceError, "see the service's documentation for this request"),
)
_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}
_SHORTER: Final = "lower its maximum in Profile(limits=…); shorter pages lose no row, only time"
_NO_TOTAL: Final = "results will say 'total not reported', and count() will fail"
_MONEY: Final = "amounts would be in another currency than asked for: ask the owner"
_NO_CURSOR: Final = "take the endpoint out of Profile(cursor_endpoints=…), or name the member"
_OPTIONAL: Final = frozenset({("funds", "manager")})
"""Fields that some lists of a resource rightly lack: the path already says them."""
_OWNER: Final = {"funds": "manager", "news": "entity_ids", "jobs": "entity_id"}
"""The column of the ids in a filter, where that is not the id of the row."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of the profile: whether it holds (None: not seen), and what to change if not."""

    name: str
    holds: bool | None
    seen: str
    change: str = ""

    def __str__(self) -> str:
        change = f" → {self.change}" if self.change and self.holds is False else ""
        return f"{_SIGNS[self.holds]}: {self.name} ({self.seen}){change}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one endpoint answered to one request, and the choices seen in the answer."""

    endpoint: str
    request: str
    answer: str
    choices: tuple[Choice, ...]

    @property
    def holds(self) -> bool:
        """Whether no choice was contradicted."""
        return all(choice.holds is not False for choice in self.choices)

    def __str__(self) -> str:
        lines = [f"{self.endpoint}: {self.request}", f"  answered {self.answer}"]
        return "\n".join([*lines, *(f"  {choice}" for choice in self.choices)])


def examine(service: Service) -> Iterator[Finding]:
    """One finding per endpoint, each as soon as it is known; at most twenty small requests.

    >>> import ventureframe as vf
    >>> with vf.connect(environment={}) as svc:
    ...     print(next(examine(svc)).endpoint)
    companies
    """
    profile = service.session.profile
    known: dict[str, Any] = {"first": {}}
    for probe in _PROBES:
        try:
            endpoint, of, parameters = probe.filled({"profile": profile, **_USUAL, **known})
        except KeyError:
            continue
        path = profile.paths[endpoint].replace("{id}", of).replace("{source}", of)
        request = f"GET {path}" + (f"?{urlencode(parameters, safe='[]:|,')}" if parameters else "")
        try:
            reply = service.session.get(path, parameters)
            content: dict[str, Any] = reply.json()
            rows = decode.rows_of(reply, content) if isinstance(content.get("data"), list) else []
        except errors.ServiceError as error:
            yield Finding(probe.name, request, "with an error", (_refused(error),))
            if probe is _PROBES[0] and isinstance(error, _HOPELESS):
                return
            continue
        answer = _Answer(probe, endpoint, parameters, reply, content, rows, profile, known)
        choices = tuple(choice for check in probe.checks for choice in check(answer))
        yield Finding(probe.name, request, str(answer), choices)
        for name, values in _given(answer).items():
            if values and name not in known:
                known[name], known["first"][name] = "|".join(values), values[0]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reply to a probe, beside what earlier replies gave."""

    probe: _Probe
    endpoint: str
    parameters: Mapping[str, str]
    reply: Reply
    content: Mapping[str, Any]
    rows: list[dict[str, Any]]
    profile: Profile
    known: Mapping[str, Any]

    def page(self, name: str, kind: type = object) -> Any:
        """What `page` says under a name; None where it is of another kind."""
        page = self.content.get("page")
        value = page.get(name) if isinstance(page, dict) else None
        return value if isinstance(value, kind) else None

    def __str__(self) -> str:
        if not isinstance(self.content.get("data"), list):
            return "one record" if self.content.get("data") else "nothing under 'data'"
        total = self.page("total", int)
        return f"{len(self.rows)} rows" + ("" if total is None else f" of {total:,}")


def _refused(error: errors.ServiceError) -> Choice:
    change = next(advice for kind, advice in _ADVICE if isinstance(error, kind))
    if error.status == 422:
        change = "Profile(limits=…) with a smaller maximum"
    return Choice("the request is understood", False, str(error), change)


def _given(answer: _Answer) -> dict[str, list[str]]:
    """What any answer may give to later probes; the first that gives it counts."""
    rows, profile = answer.rows, answer.profile
    tags = [each for each in _held(rows, "tags", "name") if len(each) >= profile.tag_minimum]
    return {
        "cursor": [each for each in [answer.page(profile.next_cursor, str)] if each],
        "founders": _held(rows, "founders")[:2],
        "managers": list(dict.fromkeys(_held(rows, "manager", "uuid"))),
        "label": tags[:1],
        "place": _held(rows, "hq_country")[:1],
        answer.probe.name.removeprefix(_SEARCH): _held(rows, "uuid"),
    }


def _held(rows: Iterable[Any], *path: str) -> list[str]:
    """The texts that rows hold under a path of members; each list on the way is opened."""
    for name in path:
        values = [row.get(name) for row in rows if isinstance(row, dict)]
        rows = [
            each for value in values for each in (value if isinstance(value, list) else [value])
        ]
    return [each for each in rows if isinstance(each, str)]


# --- what is checked in an answer


def _access(answer: _Answer) -> Iterator[Choice]:
    profile = answer.profile
    yield Choice(f"token request as {profile.token_body}", True, "a token was given")
    sent = profile.client_id_header or "no client id header"
    yield Choice(f"request headers ({sent})", True, "the request was let in")
    for header in (profile.version_header, profile.credits_header):
        value = answer.reply.headers.get(header)
        yield Choice(f"reply header {header}", True if value else None, value or "not sent")


def _list(answer: _Answer) -> Iterator[Choice]:
    """The choices that any list shows: its fields, page size, total, cursor and currency."""
    if not isinstance(answer.content.get("data"), list):
        yield Choice("rows under 'data'", False, "no list", "another profile, or a new one")
        return
    yield from _fields(answer, answer.rows)
    profile, size, total = answer.profile, len(answer.rows), answer.page("total")
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


def _fields(answer: _Answer, rows: list[dict[str, Any]]) -> Iterator[Choice]:
    """Whether the rows have the declared fields in their types."""
    resource = answer.probe.resource
    if resource is None:
        return
    if not rows:
        yield Choice(f"fields of {resource.name}", None, "no row to see them in")
        return
    try:
        shape = answer.profile.shapes.get(answer.endpoint)
        decode.records(answer.reply, rows, decode.Rows(resource, shape))
    except errors.UnreadableReply as error:
        change = "a value is of another type: report it, or change the type in fields"
        yield Choice(f"types of {resource.name}", False, str(error), change)
        return
    declared = [each.name for each in resource.returned]
    needed = [name for name in declared if (resource.name, name) not in _OPTIONAL]
    missing = [name for name in needed if any(name not in row for row in rows)]
    extra = {name for row in rows for name in row}.difference(declared)
    seen = f"all there, and {len(extra)} more" if extra else "all there, in their types"
    seen = f"without {', '.join(missing)}" if missing else seen
    change = "those columns stay null, and results list them as absent"
    yield Choice(f"fields of {resource.name}", not missing, seen, change)


def _next_page(answer: _Answer) -> Iterator[Choice]:
    """Whether the cursor of the first page leads to other rows."""
    first = set(answer.known["companies"].split("|"))
    moved = bool(answer.rows) and first.isdisjoint(_held(answer.rows, "uuid"))
    seen = "the next rows came" if moved else "the same rows came again, or none"
    advice = "Profile(cursor_endpoints=frozenset()): pages are then asked for by offset"
    yield Choice(f"cursor in {answer.profile.cursor_parameter!r}", moved, seen, advice)


def _record(answer: _Answer) -> Iterator[Choice]:
    """Whether a record by id is the one in the path, with its fields."""
    record = answer.content.get("data")
    records = [record] if record and isinstance(record, dict) else []
    is_it = any(answer.reply.path.endswith(str(each.get("uuid"))) for each in records)
    yield Choice("the record under 'data'", is_it, "its uuid was compared")
    if records:
        yield from _fields(answer, records)


def _belongs(answer: _Answer) -> Iterator[Choice]:
    """Whether each row has one of the ids, and whether rows came for their own ids."""
    by, _, values = answer.parameters["filter"].partition("[in_any]:")
    own, ids = _OWNER.get(answer.endpoint, "uuid"), {*values.split("|")}
    held = ([*_held([row], own), *_held([row], own, "uuid")] for row in answer.rows)
    strangers = sum(ids.isdisjoint(each) for each in held)
    seen = f"{len(answer.rows)} rows for {len(ids)} ids, {strangers} of others"
    holds = not strangers and (bool(answer.rows) or own != "uuid" or None)
    advice = "find the parameter in the service's documentation; Profile(founders_filter=…)"
    yield Choice(f"ids as filter={by}[in_any]:…", holds, seen, advice)


def _groups(answer: _Answer) -> Iterator[Choice]:
    """Whether grouped metrics name group and metric in each row."""
    holds = all("company_status" in row and "count" in row for row in answer.rows)
    yield Choice("a row per group with its metric", holds, f"{len(answer.rows)} rows")


# --- the probes, in their order


@dataclass(frozen=True, slots=True)
class _Probe:
    """One request, and what is checked in its answer.

    `request` is the endpoint, the id in its path, and parameters. It may name what an earlier
    answer gave: `{companies}` are ids, `{first[companies]}` is one; a probe that names what no
    answer gave is left out.
    """

    name: str
    request: str
    resource: Resource | None
    checks: tuple[Callable[[_Answer], Iterable[Choice]], ...] = (_list,)

    def filled(self, known: Mapping[str, Any]) -> tuple[str, str, dict[str, str]]:
        """Endpoint, id and parameters; raises `KeyError` where something is not known."""
        target, _, query = self.request.partition("?")
        endpoint, _, of = target.partition(" ")
        pairs = [(name.format_map(known), value) for name, value in parse_qsl(query)]
        return endpoint, of.format_map(known), {n: v.format_map(known) for n, v in pairs}


def _by_id(resource: Resource, ids: str) -> _Probe:
    """Some records by id, with the largest limit: few rows, and the limit is seen."""
    name = resource.name
    limit = f"limit={{profile.limits[{name}].maximum}}&include_total=true"
    return _Probe(f"{name}, by id", f"{name}?filter={ids}&{limit}", resource, (_belongs, _list))


def _named(name: str, kind: str, resource: Resource) -> tuple[_Probe, _Probe]:
    """A search for a kind of record, and the first one found."""
    request = f"search?q={name}&types={kind}&limit=1"
    found = _Probe(f"{_SEARCH}{kind}", request, fields.SEARCH)
    record = f"entity {{first[{kind}]}}"
    return found, _Probe(f"record by id: {kind}", record, resource, (_record,))


_SEARCH: Final = "search by name: "
_USUAL: Final = {"label": "software", "place": "United"}
"""Where no answer gives one: words that are likely to be in a name."""
_TWO: Final = "limit=2&include_total=true"
_NEXT: Final = "companies?limit=2&currency=EUR&{profile.cursor_parameter}={cursor}"
_KNOWN: Final = "companies?limit=2&filter=has_founder[eq]:true&sort=-launch_date"
_ROUNDS: Final = f"funding-rounds {{first[companies]}}?{_TWO}"
_GROUPS: Final = "aggregates companies?metric=count&group_by=company_status&limit=5"
_TAGS: Final = "tags?q={label}&scope={profile.tag_scope}&limit=5"

_PROBES: Final = (
    _Probe("companies", f"companies?{_TWO}&currency=EUR", fields.COMPANIES, (_access, _list)),
    _Probe("companies, by cursor", _NEXT, None, (_next_page,)),
    _by_id(fields.COMPANIES, "id[in_any]:{companies}"),
    _Probe("companies, filter and sort", _KNOWN, fields.COMPANIES),
    _by_id(fields.FOUNDERS, "{profile.founders_filter}[in_any]:{founders}"),
    *_named("University", "university", fields.UNIVERSITIES),
    *_named("Capital", "investor", fields.INVESTORS),
    _Probe("an investor's managers", f"lp-funds {{first[investor]}}?{_TWO}", fields.INVESTORS),
    _Probe("funds", f"funds?{_TWO}&currency=EUR", fields.FUNDS),
    _by_id(fields.FUNDS, "investor_id[in_any]:{managers}"),
    _Probe("a manager's funds", f"manager-funds {{first[managers]}}?{_TWO}", fields.FUNDS),
    _Probe("a company's rounds", _ROUNDS, fields.FUNDING_ROUNDS),
    _by_id(fields.NEWS, "entity_id[in_any]:{companies}"),
    _by_id(fields.JOBS, "entity_id[in_any]:{companies}"),
    _Probe("tags", _TAGS, fields.TAGS),
    _Probe("locations", "locations?q={place}&type=country&limit=5", fields.LOCATIONS),
    _Probe("aggregates", _GROUPS, None, (_groups,)),
)
