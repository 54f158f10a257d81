"""Asks a service one small question per endpoint and says which choices of the profile hold.

Where the interface says "not shown" the wire profile chooses; a service that chose otherwise is
met by another profile. Nothing that a finding says holds a token, a secret or an address.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from ventureframe.client import decode
from ventureframe.client.service import Service
from ventureframe.errors import (
    CredentialsRejected,
    NotFound,
    RequestRejected,
    ServiceError,
    ServiceUnreachable,
    TokenRejected,
    UnreadableReply,
)
from ventureframe.interface import fields
from ventureframe.interface.fields import Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import Profile

_HOPELESS: Final = (CredentialsRejected, TokenRejected, ServiceUnreachable)
"""After one of these no other request can tell anything."""

_COMMON: Final = {"university": "University", "investor": "Capital"}
"""A word that is likely to be in a name."""

_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of the profile: whether it holds (None: it could not be seen), and what to do."""

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


@dataclass(frozen=True, slots=True)
class _Heard:
    """A request with its reply, or with the error that came instead."""

    request: str
    reply: Reply | None = None
    error: ServiceError | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    page: Mapping[str, Any] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)


def examine(service: Service) -> Iterator[Finding]:
    """One finding per endpoint, each as soon as it is known; at most twenty small requests."""
    return _Examination(service).findings()


class _Examination:
    """One request after the other; ids found in one answer are asked for in the next."""

    def __init__(self, service: Service) -> None:
        self._session = service.session
        self._profile = service.session.profile

    def findings(self) -> Iterator[Finding]:
        first = self._ask("companies", limit=2, include_total="true", currency="EUR")
        headers = (*_access(first, self._profile), *self._list(first, fields.COMPANIES, 2, "EUR"))
        yield _finding("companies", first, headers)
        if isinstance(first.error, _HOPELESS):
            return
        companies = _texts(first.rows, "uuid")
        yield from self._paged(first)
        yield from self._by_id("companies", fields.COMPANIES, "id", companies, own="uuid")
        query = {"filter": "has_founder[eq]:true", "sort": "-launch_date"}
        known = self._ask("companies", limit=2, **query)
        yield _finding("companies, filter and sort", known, self._list(known, fields.COMPANIES, 2))
        people = [each for row in known.rows for each in row.get("founders") or ()][:2]
        by = self._profile.founders_filter
        yield from self._by_id("founders", fields.FOUNDERS, by, people, own="uuid")
        yield from self._searched("university", fields.UNIVERSITIES)
        yield from self._searched("investor", fields.INVESTORS)
        yield from self._belonging(companies)
        yield from self._references(first.rows + known.rows)
        yield self._aggregates()

    # --- what is asked

    def _ask(self, endpoint: str, of: str = "", **parameters: object) -> _Heard:
        path = self._profile.paths[endpoint].replace("{id}", of).replace("{source}", of)
        asked = {name: str(value) for name, value in parameters.items()}
        request = f"GET {path}" + (f"?{urlencode(asked, safe='[]:|,')}" if asked else "")
        try:
            reply = self._session.get(path, asked)
            content = reply.json()
            rows = content.get("data")
            rows = decode.rows_of(reply, content) if isinstance(rows, list) else []
        except ServiceError as error:
            return _Heard(request, error=error)
        page = content.get("page")
        return _Heard(request, reply, None, rows, page if isinstance(page, dict) else {}, content)

    def _paged(self, first: _Heard) -> Iterator[Finding]:
        cursor = first.page.get(self._profile.next_cursor)
        if not isinstance(cursor, str):
            return
        asked = {self._profile.cursor_parameter: cursor}
        heard = self._ask("companies", limit=2, currency="EUR", **asked)
        again = set(_texts(heard.rows, "uuid")) & set(_texts(first.rows, "uuid"))
        moved = bool(heard.rows) and not again
        advice = "Profile(cursor_endpoints=frozenset()): pages are then asked for by offset"
        seen = "the next rows came" if moved else "the same rows came again, or none"
        choices = (Choice(f"cursor in {self._profile.cursor_parameter!r}", moved, seen, advice),)
        yield _finding("companies, by cursor", heard, choices)

    def _by_id(
        self, endpoint: str, resource: Resource, by: str, ids: list[str], *, own: str
    ) -> Iterator[Finding]:
        """Some records by id, with the largest limit: few rows, and the limit is seen."""
        if not ids:
            return
        most = self._profile.limits[endpoint].maximum
        text = f"{by}[in_any]:{'|'.join(ids)}"
        heard = self._ask(endpoint, filter=text, limit=most, include_total="true")
        strangers = [row for row in heard.rows if not _has_one_of(row, own, ids)]
        name = f"ids as filter={by}[in_any]:…"
        advice = "find the parameter in the service's documentation; Profile(founders_filter=…)"
        seen = f"{len(heard.rows)} rows for {len(ids)} ids, {len(strangers)} of others"
        is_own = own == resource.key
        holds = not strangers and (bool(heard.rows) or not is_own or None)
        choices = (Choice(name, holds, seen, advice), *self._list(heard, resource, most))
        yield _finding(f"{endpoint}, by id", heard, choices)

    def _searched(self, kind: str, resource: Resource) -> Iterator[Finding]:
        heard = self._ask("search", q=_COMMON[kind], types=kind, limit=1)
        yield _finding(f"search by name: {kind}", heard, self._list(heard, fields.SEARCH, 1))
        for uuid in _texts(heard.rows, "uuid"):
            entity = self._ask("entity", of=uuid)
            record = entity.content.get("data")
            is_it = isinstance(record, dict) and record.get("uuid") == uuid
            choices = [Choice("the record under 'data'", is_it, "its uuid was compared")]
            if isinstance(record, dict) and entity.reply is not None:
                choices += _fields(entity.reply, [record], resource)
            yield _finding(f"record by id: {kind}", entity, tuple(choices))
            if kind == "investor":
                managers = self._ask("lp-funds", of=uuid, limit=2, include_total="true")
                seen = self._list(managers, fields.INVESTORS, 2)
                yield _finding("an investor's managers", managers, seen)

    def _belonging(self, companies: list[str]) -> Iterator[Finding]:
        funds = self._ask("funds", limit=2, include_total="true", currency="EUR")
        yield _finding("funds", funds, self._list(funds, fields.FUNDS, 2, "EUR"))
        named = [row["manager"] for row in funds.rows if isinstance(row.get("manager"), dict)]
        managers = list(dict.fromkeys(_texts(named, "uuid")))
        yield from self._by_id("funds", fields.FUNDS, "investor_id", managers, own="manager")
        for uuid in managers[:1]:
            heard = self._ask("manager-funds", of=uuid, limit=2, include_total="true")
            yield _finding("a manager's funds", heard, self._list(heard, fields.FUNDS, 2))
        for uuid in companies[:1]:
            heard = self._ask("funding-rounds", of=uuid, limit=2, include_total="true")
            choices = self._list(heard, fields.FUNDING_ROUNDS, 2)
            yield _finding("a company's rounds", heard, choices)
        yield from self._by_id("news", fields.NEWS, "entity_id", companies, own="entity_ids")
        yield from self._by_id("jobs", fields.JOBS, "entity_id", companies, own="entity_id")

    def _references(self, rows: list[dict[str, Any]]) -> Iterator[Finding]:
        tags = [tag for row in rows for tag in row.get("tags") or () if isinstance(tag, dict)]
        labels = [n for n in _texts(tags, "name") if len(n) >= self._profile.tag_minimum]
        scope = self._profile.tag_scope
        heard = self._ask("tags", q=next(iter(labels), "software"), scope=scope, limit=5)
        yield _finding("tags", heard, self._list(heard, fields.TAGS, 5))
        place = next(iter(_texts(rows, "hq_country")), "United")
        heard = self._ask("locations", q=place, type="country", limit=5)
        yield _finding("locations", heard, self._list(heard, fields.LOCATIONS, 5))

    def _aggregates(self) -> Finding:
        heard = self._ask(
            "aggregates", of="companies", metric="count", group_by="company_status", limit=5
        )
        shaped = all("company_status" in row and "count" in row for row in heard.rows)
        choices = (Choice("a row per group with its metric", shaped, f"{len(heard.rows)} rows"),)
        return _finding("aggregates", heard, choices)

    # --- what is seen

    def _list(
        self, heard: _Heard, resource: Resource, limit: int, currency: str = ""
    ) -> tuple[Choice, ...]:
        """The choices that any list shows: its fields, page size, total, cursor and currency."""
        if heard.reply is None:
            return ()
        if not isinstance(heard.content.get("data"), list):
            return (Choice("rows under 'data'", False, "no list", "another profile, or a new one"),)
        found = [*_fields(heard.reply, heard.rows, resource)]
        size, echoed = len(heard.rows), heard.page.get("limit")
        clamped = size > limit or (isinstance(echoed, int) and echoed != limit)
        advice = "lower its maximum in Profile(limits=…); shorter pages lose no row, only time"
        found.append(
            Choice(f"limit {limit}", not clamped, f"{size} rows, page.limit {echoed}", advice)
        )
        if "include_total=true" in heard.request:
            total = heard.page.get("total")
            advice = "results will say 'total not reported', and count() will fail"
            found.append(Choice("page.total", isinstance(total, int), f"{total!r}", advice))
        if currency:
            stated = heard.content.get("currency")
            advice = "amounts would be in another currency than asked for: ask the owner"
            holds = None if stated is None else stated == currency
            found.append(Choice("currency of the reply", holds, f"{stated!r}", advice))
        return (*found, *self._cursors(heard, size))

    def _cursors(self, heard: _Heard, size: int) -> Iterator[Choice]:
        total = heard.page.get("total")
        path = heard.request.removeprefix("GET ").partition("?")[0]
        walked = [self._profile.paths[name] for name in self._profile.cursor_endpoints]
        if path in walked and isinstance(total, int) and total > size:
            cursor = heard.page.get(self._profile.next_cursor)
            seen = "given" if isinstance(cursor, str) else "none, though there are more rows"
            advice = "take the endpoint out of Profile(cursor_endpoints=…), or name the member"
            yield Choice(f"page.{self._profile.next_cursor}", isinstance(cursor, str), seen, advice)


def _finding(endpoint: str, heard: _Heard, choices: tuple[Choice, ...]) -> Finding:
    if heard.error is not None:
        return Finding(endpoint, heard.request, "with an error", (_refused(heard.error),))
    total = heard.page.get("total")
    of = f" of {total:,}" if isinstance(total, int) else ""
    answer = f"{len(heard.rows)} rows{of}"
    if not isinstance(heard.content.get("data"), list):
        answer = "one record" if heard.content.get("data") else "nothing under 'data'"
    return Finding(endpoint, heard.request, answer, choices)


def _refused(error: ServiceError) -> Choice:
    """The choice that an error contradicts, as far as the error tells."""
    change = "see the service's documentation for this request"
    if isinstance(error, NotFound):
        change = "Profile(paths=…) with the service's own path, or the endpoint is not offered"
    elif isinstance(error, CredentialsRejected):
        change = "check the key; Profile(token_body='form' or 'basic') where it is right"
    elif isinstance(error, UnreadableReply):
        change = "check the addresses: something else may answer there"
    elif error.status == 422:
        change = "Profile(limits=…) with a smaller maximum"
    elif isinstance(error, RequestRejected):
        change = "Profile(client_id_header=…) or the parameter it names"
    return Choice("the request is understood", False, str(error), change)


def _access(heard: _Heard, profile: Profile) -> Iterator[Choice]:
    """The choices about token and headers, seen in the first answer."""
    if heard.reply is None:
        return
    yield Choice(f"token request as {profile.token_body}", True, "a token was given")
    sent = profile.client_id_header or "no client id header"
    yield Choice(f"request headers ({sent})", True, "the request was let in")
    for header in (profile.version_header, profile.credits_header):
        value = heard.reply.headers.get(header)
        yield Choice(f"reply header {header}", True if value else None, value or "not sent")


def _fields(reply: Reply, rows: list[dict[str, Any]], resource: Resource) -> Iterator[Choice]:
    """Whether the rows have the declared fields in their types."""
    if not rows:
        yield Choice(f"fields of {resource.name}", None, "no row to see them in")
        return
    try:
        decode.records(reply, rows, resource)
    except UnreadableReply as error:
        change = "a value is of another type: report it, or change the type in fields"
        yield Choice(f"types of {resource.name}", False, str(error), change)
        return
    missing = [each.name for each in resource.returned if any(each.name not in row for row in rows)]
    missing = [name for name in missing if (resource.name, name) not in _OPTIONAL]
    extra = sorted(
        {name for row in rows for name in row} - {each.name for each in resource.returned}
    )
    seen = f"all there, and {len(extra)} more" if extra else "all there, in their types"
    left_out = f"without {', '.join(missing)}"
    change = "those columns stay null, and results list them as absent"
    yield Choice(f"fields of {resource.name}", not missing, left_out if missing else seen, change)


_OPTIONAL: Final = frozenset({("funds", "manager")})
"""Fields that some lists of a resource rightly lack: the path already says them."""


def _texts(rows: list[dict[str, Any]], name: str) -> list[str]:
    return [row[name] for row in rows if isinstance(row.get(name), str)]


def _has_one_of(row: Mapping[str, Any], name: str, ids: list[str]) -> bool:
    """Whether the row belongs to one of the ids: by a plain value, a list or a record's uuid."""
    value = row.get(name)
    held = [value.get("uuid")] if isinstance(value, dict) else value
    return bool(set(held if isinstance(held, list) else [held]) & set(ids))
