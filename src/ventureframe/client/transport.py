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

RETRIED: Final = frozenset({429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS: Final = 3
_PIECE: Final = 1 << 17

_E = TypeVar("_E", bound=ServiceError)


@dataclass(frozen=True, slots=True)
class Call:
    """One request, the path that names it in errors, and the address that it must stay at."""

    request: requests.PreparedRequest
    path: str
    home: str

    def error(self, kind: type[_E], sentence: str, **facts: Any) -> _E:
        """An error about this request."""
        return kind(sentence, method=self.request.method or "", path=self.path, **facts)

    def __str__(self) -> str:
        return f"{self.request.method} {self.path}"

    @property
    def host(self) -> str:
        """Host and port."""
        return _host(self.home)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Passing(Exception):
    """A failure that another attempt may cure.

    `answer` has a status in `RETRIED`, or is None where no whole one was received: the cause
    then is the error of the HTTP library. `attempts` counts those made.
    """

    def __init__(self, answer: Answer | None = None) -> None:
        super().__init__("the request failed and may succeed if repeated")
        self.answer = answer
        self.attempts = 1


class _Cut(Exception):
    """The body ends too early."""


class _TooLarge(Exception):
    """The body is larger than allowed."""


_CUT: Final = (_Cut, urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError)
_SLOW: Final = (requests.Timeout, urllib3.exceptions.ReadTimeoutError)
_LOST: Final = (_Cut, requests.RequestException, urllib3.exceptions.HTTPError, OSError)
_UNTRUSTED: Final = (requests.exceptions.SSLError, urllib3.exceptions.SSLError)


class _Connections(HTTPAdapter):
    """Finds the connections to an address once, and reads no cookies.

    requests does both for each request, which takes a quarter of the time of a small one.
    """

    def __init__(self) -> None:
        super().__init__(pool_maxsize=16, max_retries=0)
        self._pools: dict[str, Any] = {}

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, *settings: Any, **named: Any
    ) -> Any:
        origin = "/".join((request.url or "").split("/", 3)[:3])
        if origin not in self._pools:
            pool = super().get_connection_with_tls_context(request, *settings, **named)
            self._pools[origin] = pool
        return self._pools[origin]

    def request_url(self, request: requests.PreparedRequest, proxies: Any) -> str:
        return super().request_url(request, proxies) if proxies else request.path_url

    def build_response(self, req: requests.PreparedRequest, resp: Any) -> requests.Response:
        response = requests.Response()
        response.request = req
        response.status_code, response.headers, response.raw = resp.status, resp.headers, resp
        return response


class _Requests(requests.Session):
    """Sends a request and nothing more: no cookies, no hooks, no redirects."""

    def send(self, request: requests.PreparedRequest, **settings: Any) -> requests.Response:
        return self.get_adapter(request.url or "").send(request, **settings)


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
        self._timeouts, self._clock = timeouts, clock
        self._longest_reply, self._largest_reply = longest_reply, largest_reply
        self._http = _Requests()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, _Connections())
        self._settings: dict[str, dict[str, Any]] = {}

    def close(self) -> None:
        """End every connection."""
        self._http.close()

    def send(self, call: Call) -> Answer:
        """The answer, after redirects within the scheme, host and port of `call.home`.

        Raises `Passing` where another attempt may help, `ServiceUnreachable` for a certificate,
        `UnreadableReply` for a body that is too large, `RequestRejected` for a redirect elsewhere.
        """
        request = call.request
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._attempt(request, call)
            target = answer.headers.get("Location")
            if answer.status in RETRIED:
                raise Passing(answer)
            if answer.status not in REDIRECTS or not target:
                return answer
            request = request.copy()
            request.url = _redirected(request.url or "", target, home=call.home)
            if request.url is None or request.method != "GET":
                said = (
                    f"{call} was redirected to another address "
                    f"({_host(target) or call.host}), where credentials are never sent. "
                    "If the service has moved, set its new address."
                )
                raise call.error(RequestRejected, said, status=answer.status)
        said = f"{call} was redirected more than {MOST_REDIRECTS} times. Check the base address."
        raise call.error(RequestRejected, said, status=answer.status)

    def _attempt(self, request: requests.PreparedRequest, call: Call) -> Answer:
        try:
            return self._exchange(request, call.home)
        except _UNTRUSTED as error:
            said = (
                f"{call.host} shows a certificate that cannot be trusted. Check the address; "
                "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate."
            )
            raise call.error(ServiceUnreachable, said) from _bare(error)
        except _TooLarge as error:
            most = f"{self._largest_reply:,} bytes"
            said = f"The reply to {call} is larger than {most}. Check the address."
            raise call.error(UnreadableReply, said) from _bare(error)
        except _LOST as error:
            raise Passing from _bare(error)

    def _exchange(self, request: requests.PreparedRequest, home: str) -> Answer:
        if home not in self._settings:
            found = self._http.merge_environment_settings(home, {}, True, None, None)
            self._settings[home] = {**found}
        response = self._http.send(request, timeout=self._timeouts, **self._settings[home])
        with contextlib.closing(response.raw) as raw:
            body = self._body(raw)
            raw.release_conn()
        if response.status_code == 200 and _is_cut(body):
            raise _Cut("the body ends too early")
        return Answer(response.status_code, response.headers, body)

    def _body(self, raw: urllib3.BaseHTTPResponse) -> bytes:
        """The body to its end, within the longest time and the largest size."""
        ends_at = self._clock() + self._longest_reply
        pieces, size = [], 0
        is_packed = "Content-Encoding" in raw.headers
        while piece := raw.read1(_PIECE, decode_content=is_packed):
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                raise _TooLarge("the body is larger than allowed")
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
        f"{call.host} {what}{tries} ({call}). "
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


def _host(url: str) -> str:
    """Host and port of an address; nothing where there is none."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).netloc.rpartition("@")[2]
    return ""


def _redirected(url: str, target: str, *, home: str) -> str | None:
    """The address a redirect leads to; None where scheme, host or port are not those of `home`."""

    def origin(address: str) -> tuple[str, str | None, int | None]:
        parts = urlsplit(address)
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname, parts.port or usual

    with contextlib.suppress(ValueError):
        if origin(urljoin(url, target)) == origin(home):
            return urljoin(url, target)
    return None


def _is_cut(body: bytes) -> bool:
    """Whether the body is empty, or JSON that begins and does not end."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
