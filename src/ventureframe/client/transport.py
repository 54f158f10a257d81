"""Sends one request once, through requests: a whole answer, or an error that holds no token."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from ventureframe.client.retry import Passing
from ventureframe.errors import RequestRejected, ServiceUnreachable, UnreadableReply

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS: Final = 3
_PIECE: Final = 1 << 17
_CONNECTIONS: Final = 16


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Lost(Passing):
    """No answer, or none to its end; the cause is the error of the HTTP library."""


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
        super().__init__(pool_maxsize=_CONNECTIONS, max_retries=0)
        self._pools: dict[str, Any] = {}

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, *settings: Any, **named: Any
    ) -> Any:
        scheme, _, rest = (request.url or "").partition("://")
        origin = f"{scheme}://{rest.partition('/')[0]}"
        if origin not in self._pools:
            pool = super().get_connection_with_tls_context(request, *settings, **named)
            self._pools[origin] = pool
        return self._pools[origin]

    def request_url(self, request: requests.PreparedRequest, proxies: Any) -> str:
        return super().request_url(request, proxies) if proxies else request.path_url

    def build_response(
        self, req: requests.PreparedRequest, resp: urllib3.BaseHTTPResponse
    ) -> requests.Response:
        response = requests.Response()
        response.status_code, response.headers = resp.status, resp.headers  # type: ignore[assignment]  # both are case-insensitive
        response.raw, response.request, response.url = resp, req, req.url or ""
        return response


class _Requests(requests.Session):
    """Sends a request and nothing more: no cookies, no hooks, no redirects."""

    def send(self, request: requests.PreparedRequest, **settings: Any) -> requests.Response:
        return self.get_adapter(request.url or "").send(request, **settings)


class Transport:
    """One `requests.Session`, with the limits of a whole answer.

    `timeouts` are seconds to connect and between two pieces of an answer; `longest_reply` bounds
    the seconds of a body and `largest_reply` its bytes once unpacked. Proxies and certificates
    of the environment are used unless `trust_environment` is false; a `.netrc` never is.
    """

    def __init__(
        self,
        *,
        timeouts: tuple[float, float],
        longest_reply: float,
        largest_reply: int,
        trust_environment: bool,
        clock: Callable[[], float],
    ) -> None:
        self._timeouts = timeouts
        self._longest_reply, self._largest_reply = longest_reply, largest_reply
        self._clock = clock
        self._http = _Requests()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, _Connections())
        self._settings: dict[str, dict[str, Any]] = {}

    def close(self) -> None:
        """End every connection."""
        self._http.close()

    def send(self, request: requests.PreparedRequest, *, path: str, home: str) -> Answer:
        """The answer, after redirects within scheme, host and port of the request.

        `path` names the request in errors; `home` is the address whose proxies and certificates
        apply. Raises `Lost` where another attempt may help, `ServiceUnreachable` for a
        certificate, `UnreadableReply` for a body that is too large, `RequestRejected` for a
        redirect elsewhere.
        """
        method, url = request.method or "", request.url or ""
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._attempt(request, path=path, home=home)
            target = answer.headers.get("Location")
            if answer.status not in REDIRECTS or not target:
                return answer
            url = _joined(request.url or "", target)
            if method != "GET" or not _has_origin(url, home):
                said = (
                    f"was redirected to another address ({host(url)}), where credentials are "
                    "never sent. If the service has moved, set its new address."
                )
                break
            request = request.copy()
            request.url = url
        else:
            said = f"was redirected more than {MOST_REDIRECTS} times. Check the base address."
        raise RequestRejected(
            f"{method} {path} {said}", method=method, path=path, status=answer.status
        )

    def _attempt(self, request: requests.PreparedRequest, *, path: str, home: str) -> Answer:
        try:
            return self._exchange(request, home)
        except _UNTRUSTED as error:
            raise ServiceUnreachable(
                f"{host(home)} shows a certificate that cannot be trusted. Check the address; "
                "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate.",
                method=request.method or "",
                path=path,
            ) from _bare(error)
        except _TooLarge as error:
            raise UnreadableReply(
                f"The reply to {request.method} {path} is larger than "
                f"{self._largest_reply:,} bytes. Check the address.",
                method=request.method or "",
                path=path,
            ) from _bare(error)
        except _LOST as error:
            raise Lost from _bare(error)

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


def given_up(
    failure: Lost, *, method: str, path: str, home: str
) -> UnreadableReply | ServiceUnreachable:
    """The error after the last attempt: what was lost, how often, and what to do."""
    tries = on_each_of(failure.attempts)
    causes = list(_chain(failure.__cause__))
    if any(isinstance(each, _CUT) for each in causes):
        return UnreadableReply(
            f"The reply to {method} {path} was cut short{tries}. Try again later; if it stays so, "
            "ask the owner of the service or of the proxy in between.",
            method=method,
            path=path,
        )
    what = "did not answer in time" if isinstance(causes[0], _SLOW) else "cannot be reached"
    return ServiceUnreachable(
        f"{host(home)} {what}{tries} ({method} {path}). "
        "Check the address, the network and whether the service is running.",
        method=method,
        path=path,
    )


def on_each_of(attempts: int) -> str:
    """The number of attempts as words for a message; none for a single one."""
    return f" on each of {attempts} attempts" if attempts > 1 else ""


def host(url: str) -> str:
    """Host and port of an address, without user name and password."""
    return urlsplit(url).netloc.rpartition("@")[2]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _bare(error: Exception) -> Exception:
    """The error without the frames it passed through: their variables hold the token."""
    for each in _chain(error):
        each.__traceback__ = None
    return error


def _joined(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError:
        return ""


def _has_origin(url: str, home: str) -> bool:
    """Whether two addresses have the same scheme, host and port."""

    def origin(address: str) -> tuple[str, str | None, int | None]:
        parts = urlsplit(address)
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname, parts.port or usual

    try:
        return origin(url) == origin(home)
    except ValueError:
        return False


def _is_cut(body: bytes) -> bool:
    """Whether the body is empty, or JSON that begins and does not end."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
