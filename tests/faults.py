"""Faults on demand: what a service does in the field, played by a plan, so that clients
meet it.

A plan is a list of faults, each for one route and some of its requests. Requests are
counted per fault as they arrive, from 1, repeats included.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

Content = dict[str, Any]
Lie = Callable[[Content, Mapping[str, object]], Content]


@contextmanager
def connected(
    running: run.Running,
    *,
    currency: Any = "USD",
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
    """What goes wrong at a route of the wire profile, and at which of its requests.

    `nth` are the numbers of those that it hits, else every one. It is answered with an
    error `status`; else `lie` says what the content of a good reply becomes, told the
    query.
    """

    route: str
    nth: Collection[int] = ()
    status: int | None = None
    lie: Lie | None = None


def totalled(more: int | None) -> Lie:
    """The total is so much more, or none."""

    def lie(content: Content, _: Mapping[str, object]) -> Content:
        total = None if more is None else content["page"]["total"] + more
        return {**content, "page": {**content["page"], "total": total}}

    return lie


async def answered(app: ASGIApp, scope: Scope, receive: Receive) -> tuple[Any, bytes]:
    """The head of an answer, and its body."""
    messages = list[Message]()

    async def collect(message: Message) -> None:
        messages.append(message)

    await app(scope, receive, collect)
    start, *parts = messages
    return start, b"".join(part["body"] for part in parts)


class Faults:
    """Plays a plan on the replies of a service, whose setting `around` takes its
    method.
    """

    def __init__(self, plan: Iterable[Fault] = ()) -> None:
        self.play(plan)

    def play(self, plan: Iterable[Fault]) -> None:
        """Plays this plan from now on, and counts requests from 1."""
        self._plan = tuple(plan)
        self._seen = Counter[int]()

    def around(self, app: ASGIApp, route: str) -> ASGIApp:
        """The application of one route, with the faults that are for it."""

        async def played(scope: Scope, receive: Receive, send: Send) -> None:
            due = list[Fault]()
            for place, fault in enumerate(self._plan):
                if fault.route == route:
                    self._seen[place] += 1
                    if not fault.nth or self._seen[place] in fault.nth:
                        due.append(fault)
            start, body = await answered(app, scope, receive)
            status = start["status"]
            for fault in due:
                if fault.status is not None:
                    status, content = fault.status, {"error": {"code": "A_FAULT"}}
                    body = json.dumps(content).encode()
                elif fault.lie is not None and status == 200:
                    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
                    content = fault.lie(json.loads(body), query)
                    body = json.dumps(content, ensure_ascii=False).encode()
            headers = [pair for pair in start["headers"] if b"length" not in pair[0]]
            headers.append((b"content-length", str(len(body)).encode()))
            await send({**start, "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": body})

        return played


def start(
    dataset: Dataset, *, faults: Iterable[Fault] = (), **settings: Any
) -> run.Running:
    """A service over the dataset that plays the faults."""
    return run.start(dataset, Settings(around=Faults(faults).around, **settings))
