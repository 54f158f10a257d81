"""A small service on a real socket that answers as a test tells it to, and rows for
it.
"""

import contextlib
import datetime as dt
import json
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.saves import Folder
from ventureframe.client.session import Session
from ventureframe.interface.fields import COMPANIES, Many, Resource

SECRET = "s3cr3t-marked-value"
CLIENT_ID = "client-7"
QUICK = {"RateLimit-Policy": '"default";q=10000;w=1'}
"""What every answer announces unless it says otherwise, or clients would send five a
second.
"""


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Answer:
    """What goes back: `cut` ends the body after so many bytes, `close` sends nothing at
    all.
    """

    body: object = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    close: bool = False

    @property
    def content(self) -> bytes:
        return (
            self.body
            if isinstance(self.body, bytes)
            else json.dumps(self.body).encode()
        )


@dataclass
class StandIn:
    """A service on loopback; `data` and `token` decide each answer."""

    data: Callable[[Asked], Answer] = lambda _: Answer({"data": []})
    token: Callable[[Asked], Answer] | None = None
    asked: list[Asked] = field(default_factory=list)
    tokens: int = 0
    address: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    @property
    def auth_url(self) -> str:
        return f"{self.address}/oauth/token"

    @property
    def data_asked(self) -> list[Asked]:
        return [each for each in self.asked if each.path != "/oauth/token"]

    def answer(self, asked: Asked) -> Answer:
        with self._lock:
            self.asked.append(asked)
            if asked.path != "/oauth/token":
                return self.data(asked)
            self.tokens += 1
            return self.token(asked) if self.token else self.fresh()

    def fresh(self) -> Answer:
        """A new token, numbered."""
        value = f"token-{self.tokens}"
        return Answer({"access_token": value, "expires_in": 3600})


@contextlib.contextmanager
def standing_in() -> Iterator[StandIn]:
    """A stand-in that listens until the block ends."""
    stand_in = StandIn()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            parts = urlsplit(self.path)
            answer = stand_in.answer(
                Asked(
                    self.command,
                    parts.path.removeprefix("/v1"),
                    dict(parse_qsl(parts.query, keep_blank_values=True)),
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(length),
                )
            )
            if answer.close:
                self.close_connection = True
                return
            self.send_response(answer.status)
            headers = {"Content-Type": "application/json", **QUICK, **answer.headers}
            headers.setdefault("Content-Length", str(len(answer.content)))
            for name, value in headers.items():
                if value:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.content[: answer.cut])
            if answer.cut is not None:
                self.close_connection = True

        do_GET = do_POST = handle_any  # noqa: N815  # http.server's names

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    stand_in.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.seconds += seconds


Connect = Callable[..., Session]
Answers = Callable[[Asked], Answer]


def collection(
    rows: Sequence[Mapping[str, object]], **page: object
) -> Callable[[Asked], Answer]:
    """A well-behaved list endpoint over rows; `page` overrides what it says about
    itself.
    """

    def answer(asked: Asked) -> Answer:
        limit = int(asked.parameters.get("limit", 25))
        start = int(asked.parameters.get("offset", asked.parameters.get("cursor", 0)))
        found = list(rows)
        text = asked.parameters.get("filter", "")
        if text.startswith("id[in_any]:"):
            wanted = text.removeprefix("id[in_any]:").split("|")
            found = [row for row in found if row["uuid"] in wanted]
        shown = found[start : start + limit]
        counted = asked.parameters.get("include_total") == "true"
        more = start + len(shown) < len(found)
        about: dict[str, object] = {
            "limit": limit,
            "offset": start,
            "total": len(found) if counted else None,
            "next_cursor": str(start + len(shown)) if more else None,
        }
        given = asked.parameters
        money = {name: given[name] for name in given if name == "currency"}
        return Answer({"data": shown, "page": about | page, **money})

    return answer


def company(number: int, **fields: object) -> dict[str, object]:
    """A company row with every key, numbered."""
    named = {
        "uuid": uuid(number),
        "name": f"Company {number}",
        "launch_date": 2000 + number % 20,
    }
    return full(COMPANIES, **{**named, "company_status": "operational", **fields})


def full(resource: Resource, **fields: object) -> dict[str, object]:
    """A row of a resource with every key, null or empty where no value is given."""
    return {
        **{
            each.name: [] if isinstance(each.type, Many) else None
            for each in resource.returned
        },
        **fields,
    }


def told(error: BaseException) -> str:
    """All that is shown of an error, the variables of its frames as well, except for
    the test's.
    """
    frames = error.__traceback__ and error.__traceback__.tb_next
    trace = traceback.TracebackException(
        type(error), error, frames, capture_locals=True
    )
    return f"{error!r} {vars(error)} {''.join(trace.format())}"


def keeping(query: Query, folder: Path) -> Query:
    """The query, whose replies are kept in a folder as those of a pull are."""
    listing, started = query.listing, dt.datetime(2026, 11, 2, tzinfo=dt.UTC)
    kept = Folder(folder, listing.question(), started=started)
    return replace(query, listing=replace(listing, folder=kept))


def with_records(result: Result) -> tuple[str, ...]:
    """The requested ids that at least one row belongs to."""
    without = set(result.without_records)
    return tuple(each for each in result.asked or () if each not in without)


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def live(stand_in: StandIn) -> dict[str, str]:
    """The environment of an analyst with a key of the stand-in."""
    return {
        "VENTUREFRAME_BASE_URL": stand_in.base_url + "/",
        "VENTUREFRAME_AUTH_URL": stand_in.auth_url,
        "VENTUREFRAME_CLIENT_ID": CLIENT_ID,
        "VENTUREFRAME_CLIENT_SECRET": SECRET,
        "VENTUREFRAME_USER_AGENT": "analysts/1.0",
    }
