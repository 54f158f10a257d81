"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. A
body is bounded by time and size, its head by the time between two of its bytes. The
log "ventureframe" has a line for each attempt: the path and the outcome, no more.
"""

import contextlib
import copy
import functools
import json
import logging
import random as _random
import re
import socket
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final, Self
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
import urllib3
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

_PIECE = 1 << 17  # bytes that are read at a time
_WAIT = 1.0  # seconds that a read waits at a time
_MOST_REDIRECTS = 5
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
_UNEXPECTED = (
    UnreadableReply,
    "Check the base address: the interface answers 200 here.",
)
_HTTP = urllib3.exceptions
_UNTRUSTED = requests.exceptions.SSLError
_CUT = (_HTTP.ProtocolError, _HTTP.DecodeError)
_LATE = (_HTTP.ReadTimeoutError, TimeoutError)
_BUNDLE = "Check the address; behind a company proxy set REQUESTS_CA_BUNDLE."
_MOVED = "credentials are never sent. If the service moved, set its new one."
_LATER = "Try again later, or ask the owner of the service or of a proxy in between."
_CHECK_BASE = "Check the base address."
_CHECK = "Check the address, the network and whether the service is running."
_FAILURES: Final[tuple[tuple[Any, type[ServiceError], str, str], ...]] = (
    (
        _UNTRUSTED,
        ServiceUnreachable,
        "shows a certificate that cannot be trusted",
        _BUNDLE,
    ),
    (_CUT, UnreadableReply, "sent a reply that was cut short", _LATER),
    (_LATE, ServiceUnreachable, "did not answer in time", _CHECK),
    (BaseException, ServiceUnreachable, "cannot be reached", _CHECK),
)
"""The error for a reply that did not arrive: the first row of which a cause is."""
_OLD = frozenset({400, 410, 422})  # how a version is refused
_REFUSES_VERSION = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_CREDITS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)
_LOG = logging.getLogger("ventureframe")


class Elsewhere(Exception):
    """A redirect leads to an address that no credential may reach."""


class Http(requests.Session):
    """A requests session for one service.

    It follows a redirect on the same scheme, host and port only, keeps no cookie and
    reads no `.netrc`.
    """

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__()
        self.headers = CaseInsensitiveDict(headers)
        self.max_redirects = _MOST_REDIRECTS
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where a redirect leads; raise `Elsewhere` for another origin."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        resp.close()  # nobody needs its body, which may be long
        address = self.redirected(resp.url, target)
        if resp.request.method != "GET" or not address:
            raise Elsewhere(target)
        return address

    def redirected(self, url: str, target: str) -> str:
        """Return the address of a redirect; "" on another scheme, host or port.

        >>> Http({}).redirected("https://host/data?limit=5", "/v2/data")
        'https://host/v2/data'
        >>> Http({}).redirected("https://host/data", "https://host.example/data")
        ''
        """
        try:
            address = urljoin(url, target)
            own, new = urlsplit(url), urlsplit(address)
            is_same = not self.should_strip_auth(url, address)  # type: ignore[no-untyped-call]
        except ValueError:
            return ""
        if own.scheme != new.scheme or not is_same:
            return ""
        # whatever else the target says, the host stays the one that was asked
        return new._replace(netloc=own.netloc, fragment="").geturl()

    def rebuild_auth(self, *_: object) -> None:
        """Keep the token, which the same origin gets; requests would read `.netrc`."""


def _read_patiently(
    waiting: socket.socket,
    ends_at: float,
    cancel: threading.Event | None,
    buffer: memoryview,
) -> int:
    """Read from a socket, waiting for a second at a time until the time ends.

    Rows that arrive are paid for, so `cancel` ends it only while nothing arrives.
    """
    waiting.settimeout(_WAIT)
    while time.monotonic() < ends_at:
        with contextlib.suppress(TimeoutError):
            return waiting.recv_into(buffer)
        if cancel is not None and cancel.is_set():
            raise CancelledError
    raise TimeoutError


@dataclass(frozen=True)
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
            retries,
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
        self.http = Http(headers)
        self.http.trust_env = trust_environment
        # of an origin: requests would read the whole environment for each request
        self._settings = functools.cache(
            lambda origin: self.http.merge_environment_settings(
                origin, {}, True, None, None
            )
        )

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
        self.http.close()

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
        try:
            query = urlencode(parameters or {}, quote_via=quote, safe="")
            address = f"{self.base_url}{quote(path, '/:')}?{query}".removesuffix("?")
        except UnicodeEncodeError as error:  # which JSON can write and UTF-8 not
            raise errors.UnsupportedValue(
                error.object, field=path, reason="it has half a character in it"
            ) from None
        call = Call("GET", path, address, cancel=cancel)
        began = self.clock() if began is None else began
        self._tokens.current(began)  # before the request waits for its turn
        answer, attempts = self.pace.repeat(
            functools.partial(self._authorized, call), Attempt(began)
        )
        if answer.status != 200:
            raise self._error(call, answer, attempts)
        return self._reply(path, answer, attempts)

    def _authorized(self, call: Call, attempt: Attempt) -> Answer:
        """The answer to a request with the token; a refused token is replaced once."""
        profile = self.profile
        token = self._tokens.current(attempt.began)
        headers = SecretHeaders(Authorization=Secret(f"Bearer {token.reveal()}"))
        if profile.client_id_header:
            headers[profile.client_id_header] = Secret(self._credentials.client_id)
        if profile.api_version is not None and self._asks_version:
            headers[profile.version_header] = Secret(profile.api_version)
        answer = self._attempt(call, headers, attempt)
        if answer.status == 401 and 401 not in attempt.corrected:
            self._tokens.current(attempt.began, refused=token)
            return replace(answer, is_corrected=True)
        is_old = answer.status in _OLD and profile.version_header in headers
        if is_old and _REFUSES_VERSION.search(answer.body):
            self._asks_version = False
            return replace(answer, is_corrected=True)
        return answer

    def _reply(self, path: str, answer: Answer, attempts: int) -> Reply:
        """The reply of a good answer, without the secrets that it repeats."""
        profile = self.profile
        headers = CaseInsensitiveDict[str]()
        for name in (
            profile.version_header,
            profile.credits_header,
            profile.dataset_header,
            "Sunset",
            "Deprecation",
        ):
            if name in answer.headers:
                headers[name] = self.words(answer.headers[name])
        self.version = headers.get(profile.version_header) or self.version
        ends = "is superseded" if "Deprecation" in headers else ""
        if "Sunset" in headers:
            ends = f"ends on {headers['Sunset'][:16]}"
        if ends and not self._has_warned:
            self._has_warned = True
            what = f"Version {self.version} of the service's wire {ends}"
            warnings.warn(f"{what}: update ventureframe.", errors.WireWarning, 3)
        spent = headers.get(profile.credits_header, "")
        is_number = _CREDITS.fullmatch(spent)
        body = self._secrets.body(answer.body)
        return Reply(
            path, body, headers, attempts - 1, float(spent) if is_number else None
        )

    def _new_token(self, began: float) -> auth.Issued:
        """A token and its lifetime in seconds, for the key; `began` as `get` takes it."""
        headers, body = auth.exchange(self._credentials, self.profile)
        call = Call("POST", urlsplit(self._auth_url).path, self._auth_url, body)
        answer, attempts = self.pace.repeat(
            functools.partial(self._attempt, call, headers),
            Attempt(began, is_paced=False),
        )
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
            answer = self._exchange(call, headers)
            outcome = f"{answer.status}, {len(answer.body):,} bytes"
            return answer  # noqa: TRY300  # whose log line is written below
        except Elsewhere as error:
            place = self.words(str(error).partition("?")[0], at_most=80)
            moved = f"redirected to another address ({place}), where {_MOVED}"
        except requests.TooManyRedirects:
            moved = f"redirected more than {_MOST_REDIRECTS} times. {_CHECK_BASE}"
        except BaseException as error:
            auth.drop_frames(error)
            if isinstance(error, _UNTRUSTED):
                raise _lost(call, error, "") from error
            if isinstance(error, OSError | _HTTP.HTTPError):
                return Answer(0, failure=error)
            raise
        finally:
            again = f", attempt {attempt.number}" if attempt.number > 1 else ""
            level = logging.INFO if again else logging.DEBUG
            took = self.clock() - began
            _LOG.log(level, "%s%s: %s in %.3f s", call, again, outcome, took)
        raise call.error(RequestRejected, f"{call} was {moved}")

    def _exchange(self, call: Call, headers: SecretHeaders) -> Answer:
        """One answer, its body read to the end within the largest size."""
        if call.cancel is not None and call.cancel.is_set():
            raise CancelledError
        seconds = self._seconds
        ends_at = time.monotonic() + seconds
        silence = max(20.0, seconds / 3)  # a service ends its queries after 15
        data = None if call.body is None else call.body.reveal().encode()
        request = requests.Request(call.method, call.url, data=data, auth=headers)
        response = self.http.send(
            self.http.prepare_request(request),
            timeout=(min(10.0, seconds), min(silence, seconds)),
            allow_redirects=call.method == "GET",
            **self._settings(urljoin(call.url, "/")),
        )
        file = getattr(response.raw._fp, "fp", None)
        if file is not None:  # else the body is empty, or comes from no socket
            file.raw.readinto = functools.partial(
                _read_patiently, file.raw._sock, ends_at, call.cancel
            )
        body = bytearray()
        # which keeps a connection that was read to its end
        with contextlib.closing(response):
            while time.monotonic() < ends_at:
                piece = response.raw.read1(_PIECE, decode_content=True)
                if not piece:
                    break
                body += piece
                if len(body) > self._largest_reply:
                    most = f"{self._largest_reply:,} bytes. Check the address."
                    what = f"The reply to {call} is larger than {most}"
                    raise call.error(UnreadableReply, what)
            else:
                raise TimeoutError
        start, end = body.lstrip()[:1], body.rstrip()[-1:]
        # a body without a length may have lost its end
        is_cut = not start or (start in b"{[" and end not in b"}]")
        if response.status_code == 200 and is_cut:
            raise _HTTP.ProtocolError("the body ends too early")
        return Answer(response.status_code, response.headers, bytes(body))

    def _error(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """The error for a status, in the service's words, or for no whole answer."""
        tries = f" on each of {attempts} attempts" if attempts > 1 else ""
        if answer.failure is not None:
            return _lost(call, answer.failure, tries)
        status = answer.status
        text = answer.body.decode(errors="replace")[:50_000]
        code, words, details = self._told(text)
        if text.lstrip().startswith("<"):
            words += " with HTML, which comes from something in front of the service"
        kind, advice = _STATUSES.get(status) or _STATUSES.get(
            status // 100 * 100, _UNEXPECTED
        )
        if code == "UNKNOWN_FILTER" and "replaced_by" in (details or ()):
            advice = (
                "This service calls the filter by another name, so it speaks another"
                ' wire: connect without wire=, or with wire="2026-10-02".'
            )
        header = answer.headers.get("Retry-After")
        wait = retry.retry_after(header, now=self.pace.now())
        if wait:
            advice += f" It asks to wait {wait:,.0f} s."
        sentence = f"{call} answered {status}{words}{tries}. {advice}"
        return call.error(kind, sentence, status=status, code=code, details=details)

    def _told(self, text: str) -> tuple[str | None, str, Any]:
        """Code, words and details of an error; a mark alone where a secret is in it."""
        told: object = None
        with contextlib.suppress(ValueError, RecursionError, LookupError, TypeError):
            error = json.loads(text)["error"]
            if self.words(json.dumps(error, ensure_ascii=False)) == HIDDEN:
                return None, f" {HIDDEN}", None
            told = error  # which is now known to hold no secret
        if not isinstance(told, dict):
            return None, "", None
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
