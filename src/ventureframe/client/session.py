"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. A
body is bounded by time and size, its head by the time between two of its bytes. The
log "ventureframe" has a line for each attempt: the path and the outcome, no more.
"""

import contextlib
import copy
import functools
import http.client
import json
import logging
import random as _random
import re
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final, Self
from urllib.parse import SplitResult, quote, urlencode, urljoin, urlsplit

import requests
import urllib3
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from ventureframe import errors
from ventureframe.client import auth, retry
from ventureframe.client.auth import HIDDEN, Secret, SecretHeaders
from ventureframe.client.retry import PASSING, Answer, Attempt, Budget, Pace, Retries
from ventureframe.errors import (
    RequestRejected,
    ServiceError,
    ServiceUnreachable,
    UnreadableReply,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Profile

_PIECE: Final = 1 << 17  # bytes that are read at a time
_WAIT: Final = 1.0  # seconds that a read waits at a time
_MOST_REDIRECTS: Final = 5
_PORTS: Final = {"http": 80, "https": 443}
_STATUSES: Final[Mapping[int, tuple[type[ServiceError], str]]] = {
    400: (RequestRejected, "Correct the request; repeating it unchanged cannot help."),
    401: (
        errors.TokenRejected,
        "The fresh token was refused as well: ask for a new key.",
    ),
    402: (
        errors.CreditsExhausted,
        "The credits of this key are used up: buy more or wait.",
    ),
    403: (RequestRejected, "This key may not read it: ask the owner of the service."),
    404: (errors.NotFound, "Check the identifier and the base address of the service."),
    410: (RequestRejected, "This version of the wire has ended: update ventureframe."),
    422: (RequestRejected, "Correct the parameter it names."),
    429: (errors.RateLimited, "Ask for less at a time, or wait and run it again."),
    500: (
        errors.ServiceFailed,
        "The failure is on the service's side: try again later.",
    ),
    504: (
        errors.ServiceFailed,
        "It took too long: narrow the question, or ask without the total.",
    ),
}
"""The error for a status, and what to do; other statuses mean what their hundred
means.
"""
_UNEXPECTED: Final = (
    UnreadableReply,
    "Check the base address: the interface answers 200 here.",
)
_HTTP = urllib3.exceptions
_LOST: Final = (_HTTP.HTTPError, http.client.HTTPException, OSError)
_CUT: Final = (_HTTP.ProtocolError, _HTTP.DecodeError)
_TLS: Final = (_HTTP.SSLError, requests.exceptions.SSLError)
_LATE: Final = (_HTTP.ReadTimeoutError, TimeoutError)
_BUNDLE: Final = "Check the address; behind a company proxy set REQUESTS_CA_BUNDLE."
_MOVED: Final = "credentials are never sent. If the service moved, set its new one."
_LATER: Final = (
    "Try again later, or ask the owner of the service or of a proxy in between."
)
_CHECK_BASE: Final = "Check the base address."
_CHECK: Final = "Check the address, the network and whether the service is running."
_FAILURES: Final[tuple[tuple[Any, type[ServiceError], str, str], ...]] = (
    (_TLS, ServiceUnreachable, "shows a certificate that cannot be trusted", _BUNDLE),
    (_CUT, UnreadableReply, "sent a reply that was cut short", _LATER),
    (_LATE, ServiceUnreachable, "did not answer in time", _CHECK),
    (BaseException, ServiceUnreachable, "cannot be reached", _CHECK),
)
"""The error for a reply that did not arrive: the first row of which a cause is."""
_OLD: Final = frozenset({400, 410, 422})  # how a version is refused
_REFUSES_VERSION: Final = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_CREDITS: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)
_LOG: Final = logging.getLogger("ventureframe")


class Elsewhere(Exception):
    """A redirect leads to an address that no credential may reach."""


class Http(requests.Session):
    """A requests session for one service.

    It follows a redirect on the same scheme, host and port only, keeps no cookie,
    reads no `.netrc`, and reads the environment once for an origin. An `adapter`, if
    given, sends everything.
    """

    def __init__(
        self,
        headers: Mapping[str, str],
        *,
        trust_environment: bool,
        adapter: BaseAdapter | None = None,
    ) -> None:
        super().__init__()
        self.headers = CaseInsensitiveDict(headers)
        self.trust_env = trust_environment
        self.max_redirects = _MOST_REDIRECTS
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._settings: dict[str, Any] = {}
        if adapter is not None:
            self.mount("http://", adapter)
            self.mount("https://", adapter)

    def merge_environment_settings(self, url: Any, *settings: Any) -> Any:
        """Return proxies and certificates, read once for the origin of the address."""
        origin = urljoin(url, "/")
        if origin not in self._settings:
            merged = super().merge_environment_settings(origin, *settings)
            self._settings[origin] = merged
        return self._settings[origin]

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where a redirect leads; raise `Elsewhere` for another origin."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        resp.close()  # nobody needs its body, which may be long
        address = redirected(resp.url, target)
        if resp.request.method != "GET" or not address:
            raise Elsewhere(target)
        return address

    def rebuild_auth(self, *_: object) -> None:
        """Keep the token, which the same origin gets; requests would read `.netrc`."""


def redirected(url: str, target: str) -> str:
    """The address that a redirect leads to; nothing where it is on another scheme, host
    or port.

    >>> redirected("https://host/data?limit=5", "/v2/data")
    'https://host/v2/data'
    >>> redirected("https://host/data", "https://host.example/data")
    ''
    """
    try:
        own = urlsplit(url)
        new = urlsplit(urljoin(url, target))
        is_same = _origin(own) == _origin(new)
    except ValueError:
        return ""
    # whatever else the target says, the host stays the one that was asked
    moved = new._replace(netloc=own.netloc, path=new.path or "/", fragment="")
    return moved.geturl() if is_same else ""


def _origin(address: SplitResult) -> tuple[str, str | None, int | None]:
    return address.scheme, address.hostname, address.port or _PORTS.get(address.scheme)


class _Patient:
    """A socket whose reads wait for a second at a time, with a `look` before each."""

    def __init__(self, waiting: socket.socket, look: Callable[[], None]) -> None:
        self._socket = waiting
        self._look = look
        waiting.settimeout(_WAIT)

    def recv_into(self, buffer: memoryview) -> int:
        while True:
            self._look()
            with contextlib.suppress(TimeoutError):
                return self._socket.recv_into(buffer)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)


def _pieces(response: requests.Response, look: Callable[[], None]) -> Iterator[bytes]:
    """Give the body as it arrives, unpacked; `look` is called at least once a second."""
    raw = response.raw
    file = getattr(raw._fp, "fp", None)
    if file is not None:  # else the body is empty, or comes from no socket
        file.raw._sock = _Patient(file.raw._sock, look)
    # which keeps a connection that was read to its end
    with contextlib.closing(response):
        while True:
            look()
            piece = raw.read1(_PIECE, decode_content=True)
            if not piece:
                return
            yield piece


@dataclass(frozen=True, slots=True)
class Call:
    """One request; errors name it by its path, because the address may hold what was
    asked.
    """

    method: str
    path: str
    url: str = field(repr=False)
    body: Secret | None = field(repr=False, default=None)
    cancel: threading.Event | None = field(repr=False, default=None)

    def error(
        self, kind: type[ServiceError], sentence: str, **facts: object
    ) -> ServiceError:
        """An error about this request."""
        return kind(sentence, method=self.method, path=self.path, **facts)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Session:
    """Requests to one service: bytes with their headers, or an error.

    `timeout` is the seconds of one attempt as a whole, `rate` the most requests a
    second, `largest_reply` the most bytes of a reply once unpacked. Proxies and
    certificates of the environment are used if `trust_environment`; a `.netrc` never
    is. `profile` is the generation of the wire, `version` the one that the last reply
    named; `words` is what a message may quote of a text.
    """

    def __init__(
        self,
        *,
        base_url: str,
        auth_url: str,
        credentials: auth.Credentials,
        user_agent: str,
        profile: Profile = INTERFACE,
        retries: Retries = Retries(),  # noqa: B008  # which is frozen
        timeout: float | str = 60.0,
        rate: float | str | None = None,
        largest_reply: int = 32 * 1024 * 1024,
        trust_environment: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = _random.random,
        adapter: BaseAdapter | None = None,
        pool: Callable[[int], Executor] = ThreadPoolExecutor,
    ) -> None:
        self.clock = clock
        self.pool = pool
        self.base_url = auth.address(base_url, "base_url").rstrip("/")
        self.profile = profile
        self.version: str | None = None
        self._auth_url = auth.address(auth_url, "auth_url")
        self._credentials = credentials
        self._largest_reply = largest_reply
        self._seconds = auth.positive(timeout, "timeout", "seconds")
        self._asks_version = True
        self._has_warned = False
        self._secrets = auth.Secrets(credentials)
        self.words = self._secrets.words
        self._tokens = auth.TokenKeeper(self._new_token, clock)
        self.pace = Pace(
            replace(retries, silence=max(retries.silence, self._seconds)),
            profile.dataset_header,
            sleep,
            clock,
            now,
            random,
            None if rate is None else auth.positive(rate, "rate", "requests a second"),
            profile.rate,
        )
        headers = {
            "User-Agent": auth.header_safe(user_agent, "user_agent"),
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        self._http = Http(headers, trust_environment=trust_environment, adapter=adapter)

    def speaking(self, profile: Profile) -> Self:
        """Return the session for another generation of the wire.

        It shares token, connections and pace with this one.
        """
        other = copy.copy(self)
        other.profile = profile
        other.pace = replace(self.pace, usual=profile.rate)
        return other

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self._http.close()

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        budget: Budget | None = None,
        cancel: threading.Event | None = None,
        began: float | None = None,
    ) -> Reply:
        """Return the complete reply to `GET path`, taking a request from the budget.

        Requests that `began` at one time end in one bound of it. Raises
        `ServiceError` and its kinds, `EnoughSent` where the budget is spent, and
        `CancelledError` once `cancel` is set.
        """
        if budget is not None:
            budget.spend()
        address = self._address(path, parameters or {})
        call = Call("GET", path, address, cancel=cancel)
        began = self.clock() if began is None else began
        self._tokens.current(began)  # before the request waits for its turn
        send = functools.partial(self._authorized, call)
        answer, attempts = self.pace.repeat(send, Attempt(began))
        if answer.status != 200:
            raise self._error(call, answer, attempts)
        return self._reply(path, answer, attempts)

    def _address(self, path: str, parameters: Mapping[str, str]) -> str:
        """The address of a path below the base address, with its parameters."""
        try:
            query = urlencode(parameters, quote_via=quote, safe="")
            address = self.base_url + quote(path, "/:")
        except UnicodeEncodeError as error:  # which JSON can write and UTF-8 not
            reason = "it has half a character in it"
            raise errors.UnsupportedValue(
                error.object, field=path, reason=reason
            ) from None
        return f"{address}?{query}" if query else address

    def _authorized(self, call: Call, attempt: Attempt) -> Answer:
        """The answer to a request with the token; a refused token is replaced once."""
        profile = self.profile
        token = self._tokens.current(attempt.began)
        headers = {"Authorization": Secret(f"Bearer {token.reveal()}")}
        if profile.client_id_header:
            headers[profile.client_id_header] = Secret(self._credentials.client_id)
        if profile.api_version is not None and self._asks_version:
            headers[profile.version_header] = Secret(profile.api_version)
        answer = self._attempt(call, SecretHeaders(headers), attempt)
        if answer.status == 401 and 401 not in attempt.corrected:
            self._tokens.renew(token, attempt.began)
            return replace(answer, is_corrected=True)
        is_old = answer.status in _OLD and profile.version_header in headers
        if is_old and _REFUSES_VERSION.search(answer.body):
            self._asks_version = False
            return replace(answer, is_corrected=True)
        return answer

    def _reply(self, path: str, answer: Answer, attempts: int) -> Reply:
        """The reply of a good answer, without the secrets that it repeats."""
        profile = self.profile
        names = (
            profile.version_header,
            profile.credits_header,
            profile.dataset_header,
            "Sunset",
            "Deprecation",
        )
        headers = CaseInsensitiveDict[str]()
        for name in names:
            if name in answer.headers:
                headers[name] = self.words(answer.headers[name])
        self.version = headers.get(profile.version_header) or self.version
        self._warn_of_end(headers)
        spent = headers.get(profile.credits_header, "")
        is_number = _CREDITS.fullmatch(spent)
        body = self._secrets.body(answer.body)
        return Reply(
            path, body, headers, attempts - 1, float(spent) if is_number else None
        )

    def _warn_of_end(self, headers: Mapping[str, str]) -> None:
        """Warn once where the service says that the version ends."""
        ends = "is superseded" if "Deprecation" in headers else ""
        if "Sunset" in headers:
            ends = f"ends on {headers['Sunset'][:16]}"
        if ends and not self._has_warned:
            self._has_warned = True
            what = f"Version {self.version} of the service's wire {ends}"
            warnings.warn(
                f"{what}: update ventureframe.", errors.WireWarning, stacklevel=4
            )

    def _new_token(self, began: float) -> auth.Issued:
        """A token and its lifetime in seconds, for the key; `began` as `get` takes it."""
        headers, body = auth.exchange(self._credentials, self.profile)
        call = Call("POST", urlsplit(self._auth_url).path, self._auth_url, body)
        send = functools.partial(self._attempt, call, headers)
        answer, attempts = self.pace.repeat(send, Attempt(began, is_paced=False))
        if answer.status in PASSING:
            raise self._error(call, answer, attempts)
        token, lifetime = auth.read_token(answer, self.profile, self.words)
        self._secrets.add(token)
        return token, lifetime

    def _attempt(self, call: Call, headers: SecretHeaders, attempt: Attempt) -> Answer:
        """The answer to one attempt, with a line in the log.

        Raises an error where no further attempt would help.
        """
        began, outcome = self.clock(), "no whole answer"
        try:
            answer = self._sent(call, headers)
            if answer.status:
                outcome = f"{answer.status}"
            if answer.status not in PASSING:
                outcome = f"{outcome}, {len(answer.body):,} bytes"
            return answer
        finally:
            level, again = logging.DEBUG, ""
            if attempt.number > 1:
                level, again = logging.INFO, f", attempt {attempt.number}"
            took = (self.clock() - began) * 1000
            _LOG.log(level, "%s%s: %s in %.0f ms", call, again, outcome, took)

    def _sent(self, call: Call, headers: SecretHeaders) -> Answer:
        """The answer of the service, or what came in its place."""
        try:
            return self._exchange(call, headers)
        except Elsewhere as error:
            place = self.words(str(error).partition("?")[0], at_most=80)
            moved = f"redirected to another address ({place}), where {_MOVED}"
        except requests.TooManyRedirects:
            moved = f"redirected more than {_MOST_REDIRECTS} times. {_CHECK_BASE}"
        except BaseException as error:
            causes = auth.drop_frames(error)
            if not isinstance(error, _LOST):
                raise
            failure = Answer(0, failure=error)
            if any(isinstance(cause, _TLS) for cause in causes):
                raise self._error(call, failure, 1) from error
            return failure
        raise call.error(RequestRejected, f"{call} was {moved}")

    def _exchange(self, call: Call, headers: SecretHeaders) -> Answer:
        """One answer, its body read to the end within the largest size."""
        ends_at = time.monotonic() + self._seconds

        def look() -> None:
            if call.cancel is not None and call.cancel.is_set():
                raise CancelledError
            if time.monotonic() > ends_at:
                raise TimeoutError

        look()
        silence = max(20.0, self._seconds / 3)  # a service ends its queries after 15
        response = self._http.request(
            call.method,
            call.url,
            data=None if call.body is None else call.body.reveal().encode(),
            auth=headers,
            timeout=(min(10.0, self._seconds), min(silence, self._seconds)),
            stream=True,
            allow_redirects=call.method == "GET",
        )
        pieces, size = [], 0
        for piece in _pieces(response, look):
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                most = f"{self._largest_reply:,} bytes. Check the address."
                what = f"The reply to {call} is larger than {most}"
                raise call.error(UnreadableReply, what)
        body = b"".join(pieces)
        if response.status_code == 200 and _is_cut(body):
            raise _HTTP.ProtocolError("the body ends too early")
        return Answer(response.status_code, response.headers, body)

    def _error(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """The error for a status, in the service's words, or for no whole answer."""
        tries = f" on each of {attempts} attempts" if attempts > 1 else ""
        if answer.failure is not None:
            return _lost(call, answer.failure, tries)
        status = answer.status
        text = answer.body.decode(errors="replace")[:50_000]
        code, words, details = self._told(text)
        if not code and text.lstrip().startswith("<"):
            words += " with HTML, which comes from something in front of the service"
        kind, advice = _STATUSES.get(status) or _STATUSES.get(
            status // 100 * 100, _UNEXPECTED
        )
        if code == "UNKNOWN_FILTER" and "replaced_by" in details:
            old, new = str(details.get("filter")), str(details["replaced_by"])
            advice = (
                f"This service calls the filter {old[:64]!r} {new[:64]!r} now, so it"
                " speaks another wire: connect without wire=, or with"
                ' wire="2026-10-02".'
            )
        header = answer.headers.get("Retry-After")
        wait = retry.retry_after(header, now=self.pace.now())
        if wait:
            advice += f" It asks to wait {wait:,.0f} s."
        sentence = f"{call} answered {status}{words}{tries}. {advice}"
        facts = {"status": status, "code": code, "details": details or None}
        return call.error(kind, sentence, **facts)

    def _told(self, text: str) -> tuple[str | None, str, Any]:
        """Code, words and details of an error; a mark alone where a secret is in it."""
        told: object = None
        with contextlib.suppress(ValueError, RecursionError, LookupError, TypeError):
            told = json.loads(text)["error"]
            if self._secrets.are_in(json.dumps(told, ensure_ascii=False)):
                return None, f" {HIDDEN}", ()
        if not isinstance(told, dict):
            return None, "", ()
        code, message, details = map(told.get, ("code", "message", "details"))
        code = self.words(code, at_most=64) if isinstance(code, str) else None
        words = f" {code}" if code else ""
        if isinstance(message, str):
            words += f": {message}"
        if details:
            words += f" ({json.dumps(details, ensure_ascii=False)[:300]})"
        return code, self.words(words, at_most=1000), details


def _lost(call: Call, failure: Exception, tries: str) -> ServiceError:
    """The error for an answer that did not arrive as a whole."""
    causes = auth.drop_frames(failure)
    rows = [row for row in _FAILURES if any(isinstance(c, row[0]) for c in causes)]
    _, kind, what, advice = rows[0]
    host = urlsplit(call.url).netloc
    error = call.error(kind, f"{host} {what}{tries} ({call}). {advice}")
    error.__cause__ = failure
    return error


def _is_cut(body: bytes) -> bool:
    """Whether a body without a length has lost its end."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
