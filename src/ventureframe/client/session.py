"""One HTTP session: addresses, headers, timeouts, bounded retries; a whole reply or a named error.

The token goes to the scheme, host and port of the base address and nowhere else. Retries live
here, above the transport, so that the embedded service exercises them.
"""

from __future__ import annotations

import contextlib
import email.utils
import itertools
import json
import random as _random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from ventureframe.client.auth import Credentials, Exchange, Token, TokenKeeper, header_safe
from ventureframe.errors import (
    ConfigurationError,
    NotFound,
    RateLimited,
    RequestRejected,
    ServiceFailed,
    ServiceUnreachable,
    TokenRejected,
    UnreadableReply,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Profile

RETRIED: Final = frozenset({429, 500, 502, 503, 504})
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS: Final = 3

_ADVICE: Final[Mapping[int, str]] = {
    400: "Correct the request; repeating it unchanged cannot help.",
    402: "The credits of this key are used up: buy more or wait for the next period.",
    403: "This key may not read it: ask the owner of the service. A new token would not help.",
    404: "Check the identifier, and that the base address is the one of the service.",
    422: "Correct the parameter it names.",
    429: "Ask for less at a time, or wait and run it again.",
}
_FAILED: Final = "The failure is on the service's side: try again later."


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a failed request is repeated.

    At most `attempts` in all, none begun once `seconds` have passed or would pass while waiting;
    waits are drawn between 0 and `base` doubled each time (full jitter), at most `longest`. A
    `Retry-After` longer than `longest` ends the attempts at once.
    """

    attempts: int = 5
    seconds: float = 120.0
    base: float = 0.5
    longest: float = 60.0


@dataclass(frozen=True, slots=True)
class _Call:
    """One request as it will be sent, whatever the attempt."""

    method: str
    url: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    token: Token | None = None
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came back, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    retries: int = 0


class _Cut(Exception):
    """The body ended before its end."""


class _TooLarge(Exception):
    """The body is larger than the caller allows."""


_CUT: Final = (
    _Cut,
    urllib3.exceptions.ProtocolError,
    urllib3.exceptions.DecodeError,
    requests.exceptions.ChunkedEncodingError,
    requests.exceptions.ContentDecodingError,
)
_PIECE: Final = 1 << 17
_Route = tuple[urllib3.HTTPConnectionPool, bool]
"""Connections, and whether a proxy has to be told the whole address with each request."""
_LOST: Final = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


class Session:
    """Requests to one service: bytes with their headers, or a named error.

    `timeouts` are seconds to connect and between two pieces of an answer; `longest_reply` bounds
    the seconds, `largest_reply` the bytes of a whole one, unpacked. Proxies and
    certificates of the environment are honoured (not with `trust_environment=False`); a `.netrc`
    never is. `sleep`, `clock` (monotonic), `now` (wall clock, for dates in `Retry-After`) and
    `random` are arguments so that a test needs no patience.
    """

    def __init__(
        self,
        *,
        base_url: str,
        auth_url: str,
        credentials: Credentials,
        user_agent: str,
        profile: Profile = INTERFACE,
        retries: Retries = Retries(),
        timeouts: tuple[float, float] = (10.0, 60.0),
        longest_reply: float = 300.0,
        largest_reply: int = 256 * 1024 * 1024,
        trust_environment: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = _random.random,
    ) -> None:
        self.base_url = _address(base_url, setting="base_url").rstrip("/")
        self.profile = profile
        self._auth_url = _address(auth_url, setting="auth_url")
        self._headers = {
            "User-Agent": header_safe(user_agent, setting="user_agent"),
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        self._own = _identity(credentials, profile)
        self._retries = retries
        self._timeouts = urllib3.Timeout(connect=timeouts[0], read=timeouts[1])
        self._longest_reply, self._largest_reply = longest_reply, largest_reply
        self._sleep, self.clock, self._now, self._random = sleep, clock, now, random
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, HTTPAdapter(pool_maxsize=16, max_retries=0))
        self._routes: dict[str, _Route] = {}
        self._tokens = TokenKeeper(credentials, profile=profile, post=self._post, clock=clock)
        self._lock = threading.Lock()
        self._resume_at = 0.0

    def __repr__(self) -> str:
        return f"<session with {urlsplit(self.base_url).hostname}>"

    def close(self) -> None:
        """End every connection."""
        self._http.close()

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """The complete reply to `GET path`; `ServiceError` and its kinds otherwise."""
        url = self.base_url + quote(path, safe="/:")
        if parameters:
            url += "?" + urlencode(parameters, quote_via=quote)
        token = self._tokens.current()
        answer = self._answer(_Call("GET", url, path, self._own, token), route=self.base_url)
        if answer.status == 401:
            token = self._tokens.renew(token)
            answer = self._answer(_Call("GET", url, path, self._own, token), route=self.base_url)
        if answer.status != 200:
            self._refuse(answer, method="GET", path=path)
        return Reply(
            path, answer.body, answer.headers, answer.retries, _credits(answer, self.profile)
        )

    def _post(self, request: Exchange) -> tuple[int, bytes]:
        path = urlsplit(self._auth_url).path
        call = _Call("POST", self._auth_url, path, request.headers, body=request.body)
        answer = self._answer(call, route=self._auth_url)
        if answer.status in RETRIED:
            self._refuse(answer, method="POST", path=call.path)
        return answer.status, answer.body

    def _answer(self, call: _Call, *, route: str) -> _Answer:
        """The first answer that is not worth another attempt, or the last one allowed."""
        started = self.clock()
        for attempt in itertools.count(1):
            self._hold()
            answer, lost = self._attempt(call, route)
            if answer is not None and answer.status not in RETRIED:
                return _Answer(answer.status, answer.headers, answer.body, attempt - 1)
            wait = self._wait(answer, attempt)
            spent = self.clock() - started
            if (
                attempt >= self._retries.attempts
                or wait > self._retries.longest
                or spent + wait > self._retries.seconds
            ):
                if answer is None:
                    _give_up(call, lost, attempt)
                return _Answer(answer.status, answer.headers, answer.body, attempt - 1)
            if answer is not None and answer.status == 429:
                self._slow_everyone(wait)
            else:
                self._sleep(wait)
        raise AssertionError("attempts are counted without end")

    def _attempt(self, call: _Call, route: str) -> tuple[_Answer | None, Exception | None]:
        try:
            return self._follow(call, route), None
        except (requests.exceptions.SSLError, urllib3.exceptions.SSLError) as error:
            raise ServiceUnreachable(
                f"{_host(call.url)} shows a certificate that cannot be trusted. Check the address; "
                "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate.",
                method=call.method,
                path=call.path,
            ) from _bare(error)
        except _TooLarge as error:
            raise UnreadableReply(
                f"The reply to {call.method} {call.path} is larger than "
                f"{self._largest_reply:,} bytes. Check the address.",
                method=call.method,
                path=call.path,
            ) from _bare(error)
        except (*_CUT, *_LOST) as error:
            return None, _bare(error)

    def _follow(self, call: _Call, route: str) -> _Answer:
        """The answer after redirects within the same scheme, host and port."""
        url = call.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._send(call, url, route)
            target = answer.headers.get("Location")
            if answer.status not in REDIRECTS or not target:
                return answer
            url = _joined(url, target)
            if call.method != "GET" or not _is_within(url, call.url):
                raise RequestRejected(
                    f"{call.method} {call.path} was redirected to another address "
                    f"({_host(url)}), where credentials are never sent. "
                    "If the service has moved, set its new address.",
                    method=call.method,
                    path=call.path,
                    status=answer.status,
                )
        raise RequestRejected(
            f"{call.method} {call.path} was redirected more than {MOST_REDIRECTS} times. "
            "Check the base address.",
            method=call.method,
            path=call.path,
            status=answer.status,
        )

    def _send(self, call: _Call, url: str, route: str) -> _Answer:
        headers = {**self._headers, **call.headers}
        if call.token is not None:
            headers["Authorization"] = f"Bearer {call.token.value}"
        parts = urlsplit(url)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        pool, is_told_whole = self._routes.get(route) or self._route(route)
        # requests' own pool: prepared once, it follows no redirects and looks for no netrc.
        response = pool.urlopen(
            call.method,
            url if is_told_whole else target,
            body=call.body,
            headers=headers,
            timeout=self._timeouts,
            retries=False,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
            decode_content=False,
        )
        with contextlib.closing(response):
            body = self._body(response)
            response.release_conn()
        if response.status == 200 and _is_cut(body):
            raise _Cut("the body ends before its end")
        return _Answer(response.status, response.headers, body)

    def _body(self, response: urllib3.BaseHTTPResponse) -> bytes:
        """The body to its end, within the longest time and the largest size allowed."""
        ends_at = self.clock() + self._longest_reply
        pieces, size = [], 0
        is_packed = "Content-Encoding" in response.headers
        while piece := response.read1(_PIECE, decode_content=is_packed):
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                raise _TooLarge("the body is larger than allowed")
            if self.clock() > ends_at:
                raise requests.Timeout("the body takes too long")
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _route(self, url: str) -> _Route:
        """The connections to an address with its proxies and certificates, found once."""
        found = self._http.merge_environment_settings(url, {}, None, None, None)
        verify, cert, proxies = found["verify"], found["cert"], found["proxies"]
        request = requests.Request("GET", url).prepare()
        adapter: Any = self._http.get_adapter(url)  # types of requests do not tell which
        pool = adapter.get_connection_with_tls_context(request, verify, proxies, cert)
        adapter.cert_verify(pool, url, verify, cert)
        is_told_whole = adapter.request_url(request, proxies).startswith("http")
        return self._routes.setdefault(url, (pool, is_told_whole))

    def _wait(self, answer: _Answer | None, attempt: int) -> float:
        """Seconds until the next attempt: what the service asks for, else drawn at random."""
        if answer is not None:
            asked = _retry_after(answer.headers.get("Retry-After"), now=self._now())
            if asked is not None:
                return asked
        ceiling = min(self._retries.longest, self._retries.base * 2.0 ** (attempt - 1))
        return ceiling * self._random()

    def _slow_everyone(self, wait: float) -> None:
        """After a 429 every thread waits, not only the one that met it."""
        with self._lock:
            self._resume_at = max(self._resume_at, self.clock() + wait)

    def _hold(self) -> None:
        pause = self._resume_at - self.clock()
        if pause > 0:
            self._sleep(pause + self._retries.base * self._random())

    def _refuse(self, answer: _Answer, *, method: str, path: str) -> NoReturn:
        status = answer.status
        text = self._tokens.scrub(answer.body.decode(errors="replace"))
        code, message, details = _service_words(text)
        said = f" {code}" if code else ""
        said += f": {message}" if message else ""
        said += f" ({json.dumps(details, ensure_ascii=False)[:300]})" if details else ""
        if not code and text.lstrip().startswith("<"):
            said += " with HTML, which comes from something in front of the service"
        tries = f" on each of {answer.retries + 1} attempts" if answer.retries else ""
        kind, advice = _meaning(status)
        raise kind(
            f"{method} {path} answered {status}{said}{tries}. {advice}",
            method=method,
            path=path,
            status=status,
            code=code,
            details=details,
        )


_Refusal = type[RequestRejected] | type[ServiceFailed] | type[TokenRejected] | type[UnreadableReply]


def _meaning(status: int) -> tuple[_Refusal, str]:
    """The error a status stands for, and what to do about it."""
    if status == 401:
        return TokenRejected, (
            "The fresh token was refused as well, so the key itself is dead: ask for a new one."
        )
    if status in (404, 429):
        return NotFound if status == 404 else RateLimited, _ADVICE[status]
    if 400 <= status < 500:
        return RequestRejected, _ADVICE.get(status, _ADVICE[400])
    if status >= 500:
        return ServiceFailed, _FAILED
    return UnreadableReply, "Check the base address: the interface answers 200 here."


def _service_words(text: str) -> tuple[str | None, str | None, object]:
    """Code, message and details of an error body, where it has the stated shape."""
    try:
        error = json.loads(text)["error"]
        code, message, details = error["code"], error.get("message"), error.get("details")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None, None, None
    return (
        code[:64] if isinstance(code, str) else None,
        message[:500] if isinstance(message, str) else None,
        details,
    )


def _give_up(call: _Call, lost: Exception | None, attempts: int) -> NoReturn:
    tries = f" on each of {attempts} attempts" if attempts > 1 else ""
    if isinstance(lost, _CUT):
        raise UnreadableReply(
            f"The reply to {call.method} {call.path} was cut short{tries}. Try again later; if it "
            "stays so, ask the owner of the service or of the proxy in between.",
            method=call.method,
            path=call.path,
        ) from lost
    slow = isinstance(lost, (requests.Timeout, urllib3.exceptions.TimeoutError))
    slow = slow and not isinstance(lost, urllib3.exceptions.NewConnectionError)
    what = "did not answer in time" if slow else "cannot be reached"
    raise ServiceUnreachable(
        f"{_host(call.url)} {what}{tries} ({call.method} {call.path}). "
        "Check the address, the network and whether the service is running.",
        method=call.method,
        path=call.path,
    ) from lost


def _bare(error: Exception) -> Exception:
    """The error without the frames it came through: their variables hold the token."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _joined(url: str, target: str) -> str:
    try:
        return urljoin(url, target)
    except ValueError:
        return ""


def _is_within(url: str, home: str) -> bool:
    """Whether an address has the scheme, host and port of another one."""

    def origin(address: str) -> tuple[str, str | None, int | None]:
        parts = urlsplit(address)
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        return parts.scheme, parts.hostname, parts.port or usual

    try:
        return origin(url) == origin(home)
    except ValueError:
        return False


def _address(url: str, *, setting: str) -> str:
    """The address unchanged where it is one, else a `ConfigurationError` that does not quote it."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and not (parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigurationError(
            f"{setting} is not an address. Give it as https://host/path.", settings=[setting]
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"{setting} carries a user name or password. Give the address without them.",
            settings=[setting],
        )
    return header_safe(url, setting=setting)


def _identity(credentials: Credentials, profile: Profile) -> dict[str, str]:
    """The headers that say who asks, beside the token."""
    own = {profile.client_id_header: credentials.client_id} if profile.client_id_header else {}
    if profile.api_version is not None:
        own[profile.version_header] = profile.api_version
    return own


def _is_cut(body: bytes) -> bool:
    """Whether JSON was begun and not ended, which no length has to tell."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")


def _credits(answer: _Answer, profile: Profile) -> float | None:
    text = answer.headers.get(profile.credits_header, "")
    return float(text) if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text, re.ASCII) else None


def _retry_after(value: str | None, *, now: float) -> float | None:
    """Seconds a `Retry-After` asks for, written as seconds or as a date; None for neither."""
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", value.strip(), re.ASCII):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
