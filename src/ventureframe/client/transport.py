"""Sends one request once, through requests: a whole answer, or an error that holds no token."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from ventureframe.errors import RequestRejected, ServiceError, ServiceUnreachable, UnreadableReply

RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS: Final = 3
_PIECE: Final = 1 << 17

_CUT: Final = (urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError)
_SLOW: Final = (requests.Timeout, urllib3.exceptions.ReadTimeoutError)
_LOST: Final = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_UNTRUSTED: Final = (requests.exceptions.SSLError, urllib3.exceptions.SSLError)

_E = TypeVar("_E", bound=ServiceError)


@dataclass(frozen=True, slots=True)
class Call:
    """One request; errors name it by its path, because the address may hold what was asked."""

    method: str
    path: str
    url: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    body: bytes | None = field(repr=False, default=None)

    def error(self, kind: type[_E], sentence: str, **facts: object) -> _E:
        """An error about this request."""
        return kind(sentence, method=self.method, path=self.path, **facts)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Passing(Exception):
    """A failure that another attempt may cure; `attempts` counts those made.

    `answer` has a status in `RETRIED`, or is None where no whole one was received: the cause
    then is the error of the HTTP library.
    """

    def __init__(self, answer: Answer | None = None) -> None:
        super().__init__("the request failed and may succeed if repeated")
        self.answer = answer
        self.attempts = 1


class _Connections(HTTPAdapter):
    """Finds the connections to an address once, and reads no cookies.

    requests does both for each request, which takes a quarter of the time of a small one.
    """

    def __init__(self) -> None:
        super().__init__(pool_maxsize=16, max_retries=0)
        self._pools: dict[str, Any] = {}

    def get_connection_with_tls_context(self, request: Any, *args: Any, **named: Any) -> Any:
        origin = _origin(request.url)
        if origin not in self._pools:
            pool = super().get_connection_with_tls_context(request, *args, **named)
            self._pools[origin] = pool
        return self._pools[origin]

    def request_url(self, request: requests.PreparedRequest, proxies: Any) -> str:
        return super().request_url(request, proxies) if proxies else request.path_url

    def build_response(self, _: Any, resp: Any) -> Any:
        return resp


class Transport:
    """One `requests.Session`, with the limits of a whole answer; `Session` says which."""

    def __init__(
        self,
        *,
        timeouts: tuple[float, float],
        longest_reply: float,
        largest_reply: int,
        trust_environment: bool,
        clock: Callable[[], float],
    ) -> None:
        self._timeouts, self._clock = urllib3.Timeout(connect=timeouts[0], read=timeouts[1]), clock
        self._longest_reply, self._largest_reply = longest_reply, largest_reply
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, _Connections())
        self._settings: dict[str, Mapping[str, Any]] = {}
        self.close = self._http.close

    def answer(self, call: Call) -> Answer:
        """The answer, after redirects within the scheme, host and port of the call.

        Raises `Passing` where another attempt may help, `ServiceUnreachable` for a certificate,
        `UnreadableReply` for a body that is too large, `RequestRejected` for a redirect elsewhere.
        """
        url = call.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._attempt(call, url)
            if answer.status in RETRIED:
                raise Passing(answer)
            target = answer.headers.get("Location")
            if answer.status not in REDIRECTS or not target:
                return answer
            url = _redirected(url, target)
            if not url or call.method != "GET":
                said = (
                    f"{call} was redirected to another address "
                    f"({_host(target) or _host(call.url)}), where credentials are never sent. "
                    "If the service has moved, set its new address."
                )
                raise call.error(RequestRejected, said, status=answer.status)
        said = f"{call} was redirected more than {MOST_REDIRECTS} times. Check the base address."
        raise call.error(RequestRejected, said, status=answer.status)

    def _attempt(self, call: Call, url: str) -> Answer:
        request = requests.PreparedRequest()
        request.method, request.url, request.body = call.method, url, call.body
        request.headers = call.headers  # type: ignore[assignment]  # a dict is faster
        try:
            raw: Any = self._http.get_adapter(url).send(request, **self._settings_for(url))
            with contextlib.closing(raw):
                body = self._body(raw, call)
                raw.release_conn()
            if raw.status == 200 and _is_cut(body):
                raise urllib3.exceptions.ProtocolError("the body ends too early")
        except _UNTRUSTED as error:
            said = (
                f"{_host(call.url)} shows a certificate that cannot be trusted. Check the address; "
                "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate."
            )
            raise call.error(ServiceUnreachable, said) from _bare(error)
        except _LOST as error:
            raise Passing from _bare(error)
        return Answer(raw.status, raw.headers, body)

    def _settings_for(self, url: str) -> Mapping[str, Any]:
        """The time-outs, and the environment's proxies and certificates, looked up once."""
        origin = _origin(url)
        if origin not in self._settings:
            found = self._http.merge_environment_settings(url, {}, True, None, None)
            self._settings[origin] = {**found, "timeout": self._timeouts}
        return self._settings[origin]

    def _body(self, raw: urllib3.BaseHTTPResponse, call: Call) -> bytes:
        """The body to its end, within the longest time and the largest size."""
        ends_at = self._clock() + self._longest_reply
        pieces, size = [], 0
        is_packed = "Content-Encoding" in raw.headers
        while piece := raw.read1(_PIECE, decode_content=is_packed):
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                most = f"{self._largest_reply:,} bytes"
                said = f"The reply to {call} is larger than {most}. Check the address."
                raise call.error(UnreadableReply, said)
            if self._clock() > ends_at:
                raise requests.Timeout("the body takes too long")
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def lost(call: Call, failure: Passing) -> UnreadableReply | ServiceUnreachable:
    """The error for a request whose last attempt had no whole answer either."""
    causes = list(_chain(failure.__cause__))
    tries = on_each_of(failure.attempts)
    if any(isinstance(each, _CUT) for each in causes):
        said = (
            f"The reply to {call} was cut short{tries}. Try again later; if it stays so, "
            "ask the owner of the service or of the proxy in between."
        )
        return call.error(UnreadableReply, said)
    what = "did not answer in time" if isinstance(causes[0], _SLOW) else "cannot be reached"
    said = (
        f"{_host(call.url)} {what}{tries} ({call}). "
        "Check the address, the network and whether the service is running."
    )
    return call.error(ServiceUnreachable, said)


def on_each_of(attempts: int) -> str:
    """The number of attempts as words for a message; none for a single one."""
    return f" on each of {attempts} attempts" if attempts > 1 else ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _bare(error: Exception) -> Exception:
    """The error without the frames it passed through: their variables hold the token."""
    for each in _chain(error):
        each.__traceback__ = None
    return error


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _host(url: str) -> str:
    """Host and port of an address; nothing where there is none."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).netloc.rpartition("@")[2]
    return ""


def _redirected(url: str, target: str) -> str:
    """The address a redirect leads to; nothing where scheme, host or port differ."""

    def place(address: str) -> tuple[str, str | None, int | None]:
        parts = urlsplit(address)
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname, parts.port or usual

    with contextlib.suppress(ValueError):
        if place(urljoin(url, target)) == place(url):
            return urljoin(url, target)
    return ""


def _is_cut(body: bytes) -> bool:
    """Whether the body is empty, or JSON that begins and does not end."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
