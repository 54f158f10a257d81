"""Faults on demand: what a service does in the field, played by a plan, so that clients
meet it.

A plan is a list of faults, each for one route and some of its requests. Requests are
counted per fault as they arrive, from 1, repeats included.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

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
def connected(
    running: run.Running,
    *,
    currency: str = "USD",
    is_embedded: bool = False,
    **settings: Any,
) -> Iterator[Service]:
    """A client of its own to a running service, on a token of its own; closed at the
    end.
    """
    session = Session(
        base_url=running.base_url,
        auth_url=running.auth_url,
        credentials=Credentials(running.client_id, Secret(running.client_secret)),
        user_agent="tests/1",
        trust_environment=False,
        **settings,
    )
    try:
        yield Service(session, currency=currency, is_embedded=is_embedded)
    finally:
        session.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong, at which route, and which of its requests it hits.

    `route` is the endpoint's name in the wire profile, `token`, or `*` for every data
    endpoint. `nth` are the numbers of the requests it hits, `after` that it hits all
    after so many; else it hits every one. `close` breaks the connection off in the
    middle of the body. `status` and `retry_after` are an error reply. `total` makes
    `page.total` so much more, `null` or `absent`. `lie` says what the content of a good
    reply becomes, told the query.
    """

    route: str = "*"
    nth: tuple[int, ...] = ()
    after: int = 0
    close: Literal["during"] | None = None
    status: int | None = None
    retry_after: int | str | None = None
    total: int | Literal["null", "absent"] | None = None
    lie: Callable[[Content, Mapping[str, object]], Content] | None = None

    def is_for(self, route: str) -> bool:
        """Whether the route is the fault's."""
        return self.route == route or (self.route == "*" and route != "token")

    def hits(self, number: int) -> bool:
        """Whether it hits the request of this number."""
        return (not self.nth or number in self.nth) and number > self.after


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
            content
            if isinstance(content, dict) and isinstance(content.get("data"), list)
            else None
        )


class Faults:
    """Plays a plan on the replies of a service, whose setting `around` takes its
    method.
    """

    def __init__(self, plan: Iterable[Fault] = ()) -> None:
        self.play(plan)

    def play(self, plan: Iterable[Fault]) -> None:
        """Plays this plan from now on, and counts requests from 1."""
        self._plan = tuple(plan)
        known = sorted({*INTERFACE.paths, "token", "*"})
        for fault in self._plan:
            if fault.route not in known:
                raise ValueError(
                    f"no route {fault.route!r} for a fault; known: {', '.join(known)}"
                )
        self._seen: Counter[int] = Counter()

    def around(self, app: ASGIApp, route: str) -> ASGIApp:
        """The application of one route, with the faults that are for it."""

        async def played(scope: Scope, receive: Receive, send: Send) -> None:
            if not any(fault.is_for(route) for fault in self._plan):
                await app(scope, receive, send)
                return
            due = self._due(route)
            refusals = (fault for fault in due if fault.status is not None)
            reply = next(map(_refusal, refusals), None)
            reply = reply or await _altered(app, scope, receive, due)
            await _send(reply, due, receive, send)

        return played

    def _due(self, route: str) -> list[Fault]:
        """The faults that hit this request."""
        due = []
        for place, fault in enumerate(self._plan):
            if fault.is_for(route):
                self._seen[place] += 1
                if fault.hits(self._seen[place]):
                    due.append(fault)
        return due


def _refusal(fault: Fault) -> _Reply:
    """The reply of a fault that answers in the service's place."""
    status = fault.status or 500
    content = {
        "code": _CODES.get(status, "ERROR"),
        "message": "a fault on demand",
        "details": {},
    }
    headers = {"content-type": "application/json"}
    if fault.retry_after is not None:
        headers["retry-after"] = str(fault.retry_after)
    return _Reply(status, headers, json.dumps({"error": content}).encode())


def _query(scope: Scope) -> dict[str, object]:
    return dict(
        parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    )


async def _altered(
    app: ASGIApp, scope: Scope, receive: Receive, due: Sequence[Fault]
) -> _Reply:
    """The application's reply with its content or its total changed."""
    reply = _Reply(500, {}, b"")

    async def collect(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.headers = {
                k.decode(): v.decode("latin-1") for k, v in message["headers"]
            }
        else:
            reply.body += message.get("body", b"")

    await app(scope, receive, collect)
    for fault in due if reply.status == 200 else ():
        content = json.loads(reply.body)
        if fault.lie is not None:
            content = fault.lie(content, _query(scope))
        if isinstance(fault.total, int):
            content["page"]["total"] += fault.total
        if fault.total == "null":
            content["page"]["total"] = None
        if fault.total == "absent":
            content["page"].pop("total", None)
        reply.body = json.dumps(content, ensure_ascii=False).encode()
    return reply


async def _send(
    reply: _Reply, due: Sequence[Fault], receive: Receive, send: Send
) -> None:
    """The reply on the wire, its body broken off where a fault says so."""
    reply.headers["content-length"] = str(len(reply.body))
    headers = [
        (k.lower().encode(), v.encode("latin-1")) for k, v in reply.headers.items()
    ]
    await send(
        {"type": "http.response.start", "status": reply.status, "headers": headers}
    )
    if any(fault.close == "during" for fault in due):
        half = reply.body[: len(reply.body) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await _close(receive)
    else:
        await send({"type": "http.response.body", "body": reply.body})


async def _close(receive: Receive) -> None:
    """Closes the connection: uvicorn's `receive` is a method of what holds the
    transport.
    """
    receive.__self__.transport.close()  # type: ignore[attr-defined]
    while (await receive())["type"] != "http.disconnect":
        pass


def start(
    dataset: Dataset, *, faults: Iterable[Fault] = (), **settings: Any
) -> run.Running:
    """A service over the dataset that plays the faults."""
    return run.start(dataset, Settings(around=Faults(faults).around, **settings))
