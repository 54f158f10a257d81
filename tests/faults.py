"""Faults on demand: what a service does in the field, played by a plan, so that clients meet it.

A plan is a list of faults, each for one route and some of its requests. Requests are counted per
fault as they arrive, from 1, repeats included.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

_HTML: Final = b"<!doctype html><title>Request blocked</title><h1>Request blocked</h1>"
_CODES: Final[Mapping[int, str]] = {
    400: "VALIDATION_ERROR",
    401: "UNAUTHORIZED",
    402: "CREDITS_EXHAUSTED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    422: "VALIDATION_ERROR",
    429: "RATE_LIMITED",
}

Content = dict[str, Any]


@contextmanager
def connected(running: run.Running, **settings: Any) -> Iterator[Service]:
    """A client of its own to a running service, on a token of its own; closed at the end."""
    session = Session(
        base_url=running.base_url,
        auth_url=running.auth_url,
        credentials=Credentials(running.client_id, Secret(running.client_secret)),
        user_agent="tests/1",
        trust_environment=False,
        **settings,
    )
    try:
        yield Service(session)
    finally:
        session.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong, at which route, and which of its requests it hits.

    Parameters
    ----------
    route : the endpoint's name in the wire profile, `token`, or `*` for every data endpoint.
    nth, first, every, after : the requests it hits: those of these numbers, the first so many,
        each so many-th, all after so many. None of them: every request; several: where all agree.
    delay : seconds before the answer.
    close : `before` closes the connection without a byte, `during` in the middle of the body.
    status, retry_after, headers : an error reply, with `Retry-After` where given.
    html : an HTML page in place of the body (200 where no status is given).
    expire : the token of this request is refused from now on, with 401.
    cut : the share of the body that is sent, so that the JSON ends early.
    repeat : page one again, whatever the request says.
    clamp : at most so many rows a page; `page.limit` says so.
    short : so many rows fewer than requested; `page.limit` does not say so.
    shift : the rows before the page became fewer by so many (more, where negative) meanwhile.
    total : `page.total` moves by so much with each hit, or is `null` or `absent`.
    missing : so many rows are left out, or those with these ids.
    lie : what the whole content of a good reply becomes, told the query.
    """

    route: str = "*"
    nth: tuple[int, ...] = ()
    first: int | None = None
    every: int | None = None
    after: int = 0
    delay: float = 0.0
    close: Literal["before", "during"] | None = None
    status: int | None = None
    retry_after: int | str | None = None
    headers: Mapping[str, str] | None = None
    html: bool = False
    expire: bool = False
    cut: float | None = None
    repeat: bool = False
    clamp: int | None = None
    short: int = 0
    shift: int = 0
    total: int | Literal["null", "absent"] = 0
    missing: int | tuple[str, ...] = 0
    lie: Callable[[Content, Mapping[str, object]], Content] | None = None

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.said.items())

    @property
    def said(self) -> Mapping[str, Any]:
        """The route, and each part that differs from a fault that does nothing."""
        parts = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        return {k: value for k, (value, unset) in parts.items() if k == "route" or value != unset}

    def is_for(self, route: str) -> bool:
        """Whether the route is the fault's."""
        return self.route == route or (self.route == "*" and route != "token")

    def hits(self, number: int) -> bool:
        """Whether it hits the request of this number."""
        return (
            (not self.nth or number in self.nth)
            and (self.first is None or number <= self.first)
            and (self.every is None or number % self.every == 0)
            and number > self.after
        )


@dataclass(slots=True)
class _Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def content(self) -> Content | None:
        """The body of a good list reply."""
        content = json.loads(self.body) if self.status == 200 else None
        return (
            content if isinstance(content, dict) and isinstance(content.get("data"), list) else None
        )


class Faults:
    """Plays a plan on the replies of a service, whose setting `around` takes its method."""

    def __init__(self, plan: Iterable[Fault] = ()) -> None:
        self.play(plan)

    def play(self, plan: Iterable[Fault]) -> None:
        """Plays this plan from now on, and counts requests from 1."""
        self._plan = tuple(plan)
        known = sorted({*INTERFACE.paths, "token", "*"})
        for fault in self._plan:
            if fault.route not in known:
                raise ValueError(f"no route {fault.route!r} for a fault; known: {', '.join(known)}")
        self._seen: Counter[int] = Counter()
        self._hits: Counter[int] = Counter()
        self._dead: set[bytes] = set()

    def around(self, app: ASGIApp, route: str) -> ASGIApp:
        """The application of one route, with the faults that are for it."""

        async def played(scope: Scope, receive: Receive, send: Send) -> None:
            if not any(fault.is_for(route) for fault in self._plan):
                await app(scope, receive, send)
                return
            due = self._due(route)
            await asyncio.sleep(sum(fault.delay for fault, _ in due))
            if any(fault.close == "before" for fault, _ in due):
                await _close(receive)
                return
            reply = self._refusal(scope, [fault for fault, _ in due])
            if reply is None:
                reply = await _altered(app, scope, receive, due)
            await _send(reply, [fault for fault, _ in due], receive, send)

        return played

    def _due(self, route: str) -> list[tuple[Fault, int]]:
        """The faults that hit this request, each with how often it has hit so far."""
        due = []
        for place, fault in enumerate(self._plan):
            if fault.is_for(route):
                self._seen[place] += 1
                if fault.hits(self._seen[place]):
                    self._hits[place] += 1
                    due.append((fault, self._hits[place]))
        return due

    def _refusal(self, scope: Scope, due: Sequence[Fault]) -> _Reply | None:
        """The reply of a fault that answers in the service's place."""
        token = dict(scope["headers"]).get(b"authorization", b"")
        if any(fault.expire for fault in due):
            self._dead.add(token)
        if token in self._dead:
            return _error(401, {})
        for fault in due:
            if fault.status is not None:
                headers = dict(fault.headers or {})
                if fault.retry_after is not None:
                    headers["Retry-After"] = str(fault.retry_after)
                return _error(fault.status, headers)
        return None


def _error(status: int, headers: dict[str, str]) -> _Reply:
    code = _CODES.get(status, "ERROR")
    content = {"error": {"code": code, "message": "a fault on demand", "details": {}}}
    headers = {"content-type": "application/json", **headers}
    return _Reply(status, headers, json.dumps(content).encode())


def _query(scope: Scope) -> dict[str, object]:
    return dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))


async def _ask(app: ASGIApp, scope: Scope, receive: Receive, **query: object) -> _Reply:
    """The application's reply to the request, with these query parameters (None: left out)."""
    kept = {name: value for name, value in (_query(scope) | query).items() if value is not None}
    inner = dict(scope, query_string=urlencode(kept).encode()) if query else scope
    reply = _Reply(500, {}, b"")

    async def collect(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = {k.decode(): v.decode("latin-1") for k, v in message["headers"]}
        else:
            reply.body += message.get("body", b"")

    await app(inner, receive, collect)
    return reply


async def _altered(
    app: ASGIApp, scope: Scope, receive: Receive, due: Sequence[tuple[Fault, int]]
) -> _Reply:
    """The application's reply with its page moved, its rows left out, its total changed."""
    reply = await _ask(app, scope, receive)
    for fault, hits in due:
        if fault.lie is not None and reply.status == 200:
            told = fault.lie(json.loads(reply.body), _query(scope))
            reply.body = json.dumps(told, ensure_ascii=False).encode()
        if (content := reply.content) is None:
            continue
        if fault.repeat or fault.clamp or fault.short or fault.shift:
            content = await _moved(app, scope, receive, fault, content)
        _leave_out(content, fault.missing)
        _count_wrongly(content, fault.total, hits)
        reply.body = json.dumps(content, ensure_ascii=False).encode()
    return reply


async def _moved(
    app: ASGIApp, scope: Scope, receive: Receive, fault: Fault, content: Content
) -> Content:
    """Another page in place of the requested one."""
    page = content.get("page")
    if page is None:
        return content | {"data": content["data"][: len(content["data"]) - fault.short]}
    offset = int(page["offset"])
    limit = int(str(_query(scope).get("limit", page["limit"])))
    wanted = min(limit, fault.clamp or limit) - fault.short
    start = 0 if fault.repeat else max(0, offset + fault.shift)
    reply = await _ask(app, scope, receive, cursor=None, offset=start, limit=max(1, wanted))
    other = reply.content
    if other is None:
        return content
    other["data"] = other["data"][: max(0, wanted)]
    if fault.shift or fault.short:
        other["page"] |= {"offset": 0 if fault.repeat else offset, "limit": wanted + fault.short}
    return other


def _leave_out(content: Content, missing: int | tuple[str, ...]) -> None:
    rows = content["data"]
    if isinstance(missing, tuple):
        kept = [row for row in rows if str(row.get("uuid", row.get("id"))) not in missing]
    else:
        kept = rows[: max(0, len(rows) - missing)]
    content["data"] = kept
    if content.get("page", {}).get("total") is not None:
        content["page"]["total"] -= len(rows) - len(kept)


def _count_wrongly(content: Content, total: int | str, hits: int) -> None:
    page = content.get("page", {})
    if total == "absent":
        page.pop("total", None)
    elif total == "null":
        page["total"] = None
    elif isinstance(total, int) and page.get("total") is not None:
        page["total"] = max(0, page["total"] + total * hits)


async def _send(reply: _Reply, due: Sequence[Fault], receive: Receive, send: Send) -> None:
    """The reply on the wire, its body replaced, cut or broken off as the faults say."""
    for fault in due:
        if fault.html:
            reply.body, reply.headers["content-type"] = _HTML, "text/html; charset=utf-8"
        if fault.cut is not None:
            reply.body = reply.body[: int(len(reply.body) * fault.cut)]
    reply.headers["content-length"] = str(len(reply.body))
    headers = [(k.lower().encode(), v.encode("latin-1")) for k, v in reply.headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if any(fault.close == "during" for fault in due):
        half = reply.body[: len(reply.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await _close(receive)
    else:
        await send({"type": "http.response.body", "body": reply.body})


async def _close(receive: Receive) -> None:
    """Closes the connection: uvicorn's `receive` is a method of what holds the transport."""
    receive.__self__.transport.close()  # type: ignore[attr-defined]
    while (await receive())["type"] != "http.disconnect":
        pass


def start(dataset: Dataset, *, faults: Iterable[Fault] = (), **settings: Any) -> run.Running:
    """A service over the dataset that plays the faults."""
    return run.start(dataset, Settings(around=Faults(faults).around, **settings))
