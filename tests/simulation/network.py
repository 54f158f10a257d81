"""A network and a disk that lose, delay, cut, repeat and refuse, as a schedule draws
it.
"""

import email.utils
import io
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

import requests
import urllib3
from requests.adapters import BaseAdapter, HTTPAdapter
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from tests.simulation.schedule import Schedule
from tests.simulation.world import CLIENT_ID, SECRET, World
from ventureframe.interface.files import write_whole
from ventureframe_service.access import Tokens

HTML: Final = b"<!doctype html><title>Blocked</title>"
LIFETIME: Final = 90  # seconds of a token
SILENCE: Final = 20.0  # seconds of an attempt that answers nothing
_LOST: Final = ("lost before", "lost after", "silent", "cut", "cut short")
_REFUSED: Final = ("429", "500", "502", "503", "504")
PASSING: Final = (*_LOST, *_REFUSED, "revoked", "late")
"""Faults after which the same request succeeds."""
CHANGING: Final = (
    "total",
    "no total",
    "again",
    "stale",
    "empty",
    "missing",
    "page of HTML",
    "402",
    "no offset",
    "left out",
    "id alone",
    "same page",
)
"""Faults after which the rows or the total are not those of the service."""
HARMLESS: Final = ("small pages", "served twice", "echo")


class Told(NamedTuple):
    """A page as it was delivered."""

    target: str
    version: int
    is_counted: bool
    offset: int


class Served(NamedTuple):
    """What the service sends back; `wait` is the seconds that it asks for."""

    status: int
    body: bytes
    # only read
    headers: dict[str, str] = {"Content-Type": "application/json"}  # noqa: RUF012
    wait: float = 0.0


class Reply(urllib3.HTTPResponse):
    """A reply that says when it was closed."""

    open_replies: set[int]

    def close(self) -> None:
        self.open_replies.discard(id(self))
        super().close()


class Network(BaseAdapter):
    """The connections of one client to the world; `chances` are those of each fault."""

    def __init__(
        self, world: World, wire: str, schedule: Schedule, chances: Mapping[str, float]
    ) -> None:
        super().__init__()
        self.world, self.wire, self.schedule, self.chances = (
            world,
            wire,
            schedule,
            chances,
        )
        self.version, self.spent, self.worst = 0, 0, 0  # and the most attempts in a row
        self.told, self.versions, self.tokens = list[Told](), set[int](), list[str]()
        self.happened, self.broken, self.revoked = (
            Counter[str](),
            list[str](),
            set[str](),
        )
        clock = lambda: 1_790_000_000.0 + schedule.seconds  # noqa: E731
        self.keys = Tokens(CLIENT_ID, SECRET, lifetime=LIFETIME, clock=clock, key=b"k")
        self._made = HTTPAdapter()
        self.replies, self.open_replies = dict[str, bytes](), set[int]()
        self.same = dict[str, bytes]()  # pages of lists that ignore the offset
        self.begin()

    def begin(self) -> None:
        """Begin the life of a process, which knows of no failure and of no wait."""
        self.open_replies.clear()
        self.not_before, self.first, self.late = 0.0, len(self.told), 0
        self.failures, self.begun = Counter[str](), set[str]()

    def left(self) -> list[str]:
        """What is still open, and which rules were not kept."""
        return [*self.broken, *["a reply is left open"] * bool(self.open_replies)]

    def send(  # type: ignore[override]  # whatever else a session passes
        self, request: requests.PreparedRequest, **_: Any
    ) -> requests.Response:
        """What a requests session sends, answered or lost as urllib3 would."""
        reply = self._answered(
            str(request.method),
            request.path_url,
            {"headers": request.headers, "body": request.body},
        )
        return self._made.build_response(request, reply)

    def close(self) -> None:
        """Nothing is kept open."""

    def _answered(self, method: str, target: str, request: Mapping[str, Any]) -> Reply:
        """The reply to one request, as the client's connections give it."""
        schedule, is_token = self.schedule, method == "POST"
        schedule.is_held = is_token  # under the lock of the token
        if not is_token:
            self._hold(target)
        schedule.point("request")
        fault = self._drawn(is_token=is_token)
        schedule.note(
            f"{method} {target.removeprefix('/v1')}{f' · {fault}' if fault else ''}"
        )
        if fault == "lost before":
            raise ProtocolError(
                "Connection aborted.", ConnectionResetError(104, "reset")
            )
        version, sent = self.version, request["headers"].get("Authorization", "")
        served = (
            self._token(request, sent) if is_token and fault not in _REFUSED else None
        )
        served = served or self._served(target, sent, fault)
        until = schedule.seconds + served.wait
        schedule.seconds += schedule.draw.uniform(0.01, 0.2) * (
            50 if fault == "late" else 1
        )
        if fault == "lost after":
            raise ProtocolError(
                "Connection aborted.", ConnectionResetError(104, "reset")
            )
        if fault == "silent":
            schedule.seconds += SILENCE
            raise ReadTimeoutError(self, target, "Read timed out.")  # type: ignore[arg-type]
        schedule.point("reply")
        body, headers = served.body, served.headers
        if fault != "cut short":
            headers = {**headers, "Content-Length": str(len(body))}
        if fault in _LOST:
            # or it looks whole
            body = body[: schedule.draw.randrange(len(body))].rstrip(b"}]")
        elif served.status == 200 and not is_token:
            query = parse_qs(urlsplit(target).query)
            offset = int(query.get("offset", ["0"])[0])
            self.told.append(Told(target, version, "include_total" in query, offset))
            self.failures.clear()
        if served.wait and not is_token and not schedule.off + schedule.ahead:
            self.not_before = max(self.not_before, until)
        reply = Reply(io.BytesIO(body), headers, served.status, preload_content=False)
        reply.open_replies = self.open_replies
        self.open_replies.add(id(reply))
        return reply

    def _drawn(self, *, is_token: bool) -> str:
        """The fault of this request, or none."""
        for fault, chance in self.chances.items():
            if is_token and fault not in (*_LOST, *_REFUSED):
                continue
            if self.schedule.draw.random() < chance / (5 if is_token else 1):
                self.happened[fault] += 1
                self.happened["token"] += is_token
                return fault
        return ""

    def _hold(self, target: str) -> None:
        """Hold the client to its bounds: attempts in a row, a wait asked for, an end
        that came.
        """
        is_page = "/data/" in target and "limit=1&" not in target
        self.late += (
            is_page and self.schedule.cancel.is_set() and target not in self.begun
        )
        self.begun.add(target)
        self.failures[target] += 1
        self.worst = max(self.worst, self.failures[target])
        if self.failures[target] > 12:
            self.broken.append(f"more than 12 attempts in a row at {target}")
        early = self.not_before - self.schedule.seconds
        if early > 0.01 and not self.schedule.ahead:
            self.broken.append(f"{target} is sent {early:.2f} s too early")

    def _served(self, target: str, sent: str, fault: str) -> Served:
        """What the service answers, with what stands in front of it."""
        token = sent.removeprefix("Bearer ")
        if fault in _REFUSED:
            return self._refused(sent, fault)
        if fault == "402":
            return Served(
                402, b'{"error": {"code": "CREDITS_EXHAUSTED", "message": "none left"}}'
            )
        if fault == "no offset" and int(_offset(target)):
            return Served(400, b'{"error": {"code": "OFFSET_TOO_LARGE"}}')
        if fault == "revoked":
            self.revoked.add(token)
        if token in self.revoked or not self.keys.is_valid(token):
            self.happened["401"] += 1
            return Served(
                *self.world.answer(self.wire, 0, "/data/companies", "another")
            )
        self.versions.add(self.version)
        status, body = self.world.answer(
            self.wire, self.version, target.removeprefix("/v1")
        )
        if status != 200 or fault == "page of HTML":
            return Served(status, HTML if fault else body)
        is_billed = "/data/" in target
        self.spent += is_billed + (fault == "served twice")
        headers = {"X-Credits-Used": "1"} if is_billed else {}
        return Served(200, self._altered(target, body, fault, token), headers)

    def _refused(self, sent: str, fault: str) -> Served:
        """A refusal that repeats what was sent, and says sometimes how long to wait."""
        draw, token = self.schedule.draw, sent.removeprefix("Bearer ")
        told = {
            "code": f"E{fault}",
            "message": f"no luck with {sent}",
            "details": [token],
        }
        body = HTML if fault == "502" else json.dumps({"error": told}).encode()
        wait = draw.choice([None, 0, 1, 7, 30]) if fault == "429" else None
        if wait is None:
            return Served(int(fault), body)
        at = email.utils.formatdate(self.keys.clock() + wait, usegmt=True)
        if draw.random() < 0.3 and not self.schedule.off + self.schedule.ahead:
            return Served(429, body, {"Retry-After": at}, wait - 1)  # of whole seconds
        return Served(429, body, {"Retry-After": str(wait)}, wait)

    def _token(self, request: Mapping[str, Any], sent: str) -> Served:
        """A token for the key, numbered so that two runs issue the same."""
        kind = request["headers"]["Content-Type"]
        content = self.keys.exchange(request["body"], kind, sent)
        ends, number = int(self.keys.clock()) + LIFETIME, len(self.tokens) + 1
        token = f"{ends}.token-number-{number:04d}"
        self.tokens.append(f"{token}.{self.keys._signature(token)}")
        return Served(
            200, json.dumps({**content, "access_token": self.tokens[-1]}).encode()
        )

    def _altered(  # noqa: PLR0912  # one case a fault
        self, target: str, body: bytes, fault: str, token: str
    ) -> bytes:
        """The body of a good reply, with a fault in it."""
        path, draw = urlsplit(target).path, self.schedule.draw
        before = self.replies.setdefault(path, body)
        self.replies[path] = body if draw.random() < 0.5 else before
        is_of_row = path.endswith(("team", "education"))  # whose length is believed
        if fault == "same page" and is_of_row and not int(_offset(target)):
            self.same[path] = body
        if path in self.same:
            content = json.loads(self.same[path])
            content["page"] |= {"offset": int(_offset(target)), "total": None}
            return json.dumps(content).encode()
        if fault == "stale":
            return before
        if fault not in (*CHANGING, *HARMLESS):
            return body
        content = json.loads(body)
        rows, page = content["data"], content.get("page") or {}
        if fault == "echo":
            content["sent"] = {"token": token}
        if fault == "total" and page.get("total") is not None and not is_of_row:
            page["total"] = max(0, page["total"] + draw.choice([-3, -1, 1, 2]))
            # none can doubt that
            page["total"] += page["total"] == int(_offset(target)) + len(rows)
        if fault == "no total":
            page["total"] = None
        if fault == "again" and len(rows) > 1:
            rows[-1] = rows[0]
        if fault in ("left out", "id alone") and rows and "/data/" in path:
            row = rows[-1].get("investor") or rows[-1]
            for name in [*row]:
                is_gone = name in ("name", "title", "year", "person")
                if is_gone or (fault == "id alone" and name not in ("uuid", "id")):
                    del row[name]
                    self.happened["a key less"] += fault == "left out"
        if fault == "missing":
            del rows[:1]
        if fault == "empty":
            content["data"] = []
        if fault == "small pages" and len(rows) > 2 and "offset=" in target:
            content["data"], page["limit"] = rows[:2], 2
            page.update({name: None for name in page if name.endswith("_cursor")})
        return json.dumps(content, ensure_ascii=False).encode()


def _offset(target: str) -> str:
    """The offset that a request asks for, as text."""
    return "".join(re.findall(r"offset=(\d+)", target)) or "0"


class Disk:
    """The disk on which replies are kept: `full_at` is the write from which on it is
    full.
    """

    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.full_at, self.writes = schedule, math.inf, 0
        self.names = Counter[str]()  # of the replies that were written

    def write(self, path: Path, content: bytes | str) -> None:
        """Write a file, unless the disk is full or the process ends in the middle of
        it.
        """
        self.writes += 1
        path.parent.mkdir(exist_ok=True)
        try:
            self.schedule.point("write")
        except BaseException:
            path.with_name(f".{path.name}.1-1.part").write_bytes(b"half")
            raise
        if self.writes >= self.full_at:
            self.schedule.note("the disk is full")
            full = path.with_name(".full")
            full.touch()
            write_whole(full / path.name, content)  # fails, as below any file
        write_whole(path, content)
        if isinstance(content, bytes):
            self.names[path.name] += 1
