"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. A
body is bounded by time and size, its head by the time between two of its bytes. The
log "ventureframe" has a line for each attempt: the path and the outcome, no secret.
"""

import contextlib
import functools
import json
import logging
import random as _random
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from dataclasses import replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
from requests.exceptions import SSLError, TooManyRedirects
from urllib3.exceptions import DecodeError, HTTPError, ProtocolError, ReadTimeoutError

from ventureframe import errors
from ventureframe.client import auth
from ventureframe.client.auth import Secret, SecretHeaders
from ventureframe.client.retry import FINAL, Answer, Attempt, Pace, Retries
from ventureframe.errors import (
    RequestRejected,
    ServiceError,
    ServiceFailed,
    ServiceUnreachable,
    UnreadableReply,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Profile

_PIECE = 1 << 17  # bytes that are read at a time
_WAIT = 1.0  # seconds that a read waits at a time
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
    408: (
        ServiceFailed,
        "It took too long: narrow the question, or try again later.",
    ),
    410: (RequestRejected, "This version of the wire has ended: update ventureframe."),
    429: (errors.RateLimited, "Ask for less at a time, or wait and run it again."),
    500: (
        ServiceFailed,
        "The failure is on the service's side: try again later.",
    ),
    504: (
        ServiceFailed,
        "It took too long: narrow the question, or ask without the total.",
    ),
}
"""The error for a status, and what to do; another status counts as its 400 or 500."""
_UNEXPECTED = "Check the base address: the interface answers 200 here."
_EDGE = (
    "Set a user agent of your own (VENTUREFRAME_USER_AGENT), and ask whether the"
    " address of this machine is let in: the key was not looked at."
)
_CHECK = "Check the address, the network and whether the service is running."
_LATER = "Try again later, check http or https in the address, or ask its owner."


class TooLarge(requests.RequestException):
    """A reply has more bytes than the session takes."""


_FAILURES: Final[tuple[tuple[Any, type[ServiceError], str, str], ...]] = (
    (
        SSLError,
        ServiceUnreachable,
        "shows a certificate that cannot be trusted",
        "Check the address; behind a company proxy set REQUESTS_CA_BUNDLE.",
    ),
    (
        TooManyRedirects,
        RequestRejected,
        "redirected to another address or without end",
        "Credentials are sent nowhere else: if the service moved, set its address. No"
        " cookie is kept: a balancer that waits for one redirects without end.",
    ),
    (
        TooLarge,
        UnreadableReply,
        "sent a reply that is too large",
        "Check the base address.",
    ),
    (
        (ProtocolError, DecodeError),
        UnreadableReply,
        "sent a reply that was cut short or is not HTTP",
        _LATER,
    ),
    (ValueError, UnreadableReply, "sent a reply that is not HTTP", _LATER),
    (
        (ReadTimeoutError, TimeoutError),
        ServiceUnreachable,
        "did not answer in time",
        _CHECK,
    ),
    (BaseException, ServiceUnreachable, "cannot be reached", _CHECK),
)
"""The error for a reply that did not arrive: of the first row that fits a cause."""
_VERSION_REFUSALS = frozenset({400, 410, 422})
_REFUSES_VERSION = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_CREDITS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?", re.ASCII)
_LOG = logging.getLogger("ventureframe")


class Http(requests.Session):
    """A requests session for one service.

    It follows a redirect on the same scheme, host and port only, and reads no
    `.netrc`. It follows none to an address that `is_secret`, which logs would show.
    """

    is_secret: Callable[[str], bool]

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return where a redirect leads; raise `TooManyRedirects` for another
        origin.
        """
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        resp.close()  # nobody needs its body, which may be long
        address = self.redirected(resp.url, target)
        if resp.request.method != "GET" or not address or self.is_secret(address):
            raise TooManyRedirects
        return address

    def redirected(self, url: str, target: str) -> str:
        """Return the address of a redirect; "" on another scheme, host or port.

        >>> Http().redirected("https://host/data?limit=5", "/v2/data")
        'https://host/v2/data'
        >>> Http().redirected("https://host/data", "https://host.example/data")
        ''
        """
        try:
            joined = urljoin(url, target)
            current, new = urlsplit(url), urlsplit(joined)
            moved = self.should_strip_auth(url, joined)  # type: ignore[no-untyped-call]
        except ValueError:
            return ""
        if current.scheme != new.scheme or moved:
            return ""
        # the host keeps its spelling, and the target adds no user name to it
        return new._replace(netloc=current.netloc, fragment="").geturl()

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


class Call(NamedTuple):
    """One request; errors name it by its path: its address holds the question."""

    method: str
    path: str
    url: str
    body: Secret = Secret("")

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Session:
    """Requests to one service: bytes with their headers, or an error.

    `timeout` is the seconds of one attempt as a whole, `rate` the most requests a
    second, `largest_reply` the most bytes of a reply once unpacked. Proxies and
    certificates of the environment are used if `trust_environment`; a `.netrc` never
    is. `profile` is the generation of the wire, `version` the one that the last reply
    named. `words` returns what a message may quote of a text. `asks_version` says that
    requests name a version, which they do until one is refused.
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
        auth.header_safe(credentials.client_id, "client_id")
        self._largest_reply = largest_reply
        self._seconds = auth.positive(timeout, "timeout", "seconds")
        self.asks_version = True
        self._has_warned = False
        self._secrets = auth.Secrets(credentials.client_secret)
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
        self.http = Http()
        self.http.is_secret = self._secrets.are_in
        self.http.headers.update(
            {
                "User-Agent": auth.header_safe(user_agent, "user_agent"),
                "Accept": "application/json",
                "Accept-Encoding": "gzip, deflate",
            }
        )
        self.http.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.http.trust_env = trust_environment
        # by origin: requests would read the whole environment for each request
        self._settings = functools.cache(
            lambda origin: self.http.merge_environment_settings(
                origin, {}, True, None, None
            )
        )

    def speak(self, profile: Profile) -> None:
        """Speak another generation of the wire from now on."""
        self.profile = profile
        self.pace = replace(
            self.pace, usual=profile.rate, unlimited_by=profile.dataset_header
        )

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self.http.close()

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        cancel: threading.Event | None = None,
        began: float | None = None,
    ) -> Reply:
        """Return the complete reply to `GET path`.

        Requests with the same `began` share one bound of time. Raises `ServiceError`
        and its kinds, and `CancelledError` once `cancel` is set.
        """
        try:
            query = urlencode(parameters or {}, quote_via=quote, safe="")
            address = f"{self.base_url}{quote(path, '/:')}?{query}"
        except UnicodeEncodeError as error:  # which JSON can write and UTF-8 not
            raise errors.UnsupportedValue(
                error.object, field=path, reason="it contains an incomplete character"
            ) from None
        call = Call("GET", path, address)
        first = Attempt(self.clock() if began is None else began, cancel)
        self._tokens.current(first)  # before the request waits for its turn
        send = functools.partial(self._send_authorized, call)
        answer, attempts = self.pace.repeat(send, first)
        if answer.status != 200:
            raise self._error(call, answer, attempts) from answer.failure
        return self._reply(path, answer, attempts)

    def _send_authorized(self, call: Call, attempt: Attempt) -> Answer:
        """Return the answer to a request with the token; a refused token is replaced
        once.
        """
        profile = self.profile
        token = self._tokens.current(attempt)
        secret = SecretHeaders({"Authorization": f"Bearer {token.revealed}"})
        if profile.client_id_header:
            secret.headers[profile.client_id_header] = self._credentials.client_id
        if profile.api_version is not None and self.asks_version:
            secret.headers[profile.version_header] = profile.api_version
        answer = self._attempt(call, secret, attempt)
        if answer.status == 401 and not attempt.is_renewed:
            self._tokens.current(attempt, refused=token)
            return replace(answer, is_corrected=True)
        has_version = profile.version_header in secret.headers
        can_refuse = has_version and answer.status in _VERSION_REFUSALS
        if can_refuse and _REFUSES_VERSION.search(answer.body):
            self.asks_version = False
            return replace(answer, is_corrected=True)
        return answer

    def _reply(self, path: str, answer: Answer, attempts: int) -> Reply:
        """Return the reply of a good answer, without the secrets that it repeats."""
        profile, headers = self.profile, answer.headers
        version = headers.get(profile.version_header)
        if version not in (None, self.version):
            self.version = self.words(version)
        ends = "is superseded" if "Deprecation" in headers else ""
        if "Sunset" in headers:
            ends = f"ends on {self.words(headers['Sunset'])[:16]}"
        if ends and not self._has_warned:
            self._has_warned = True
            subject = f"Version {self.version}" if self.version else "The version"
            message = f"{subject} of the service's wire {ends}: update ventureframe."
            errors.warn(message, errors.WireWarning)
        name = profile.dataset_header
        dataset = {name: self.words(headers[name])} if name in headers else {}
        spent = headers.get(profile.credits_header, "")
        used = float(spent) if _CREDITS.fullmatch(spent) else None
        body = self._secrets.body(answer.body)
        is_marked = body != answer.body
        return Reply(path, body, dataset, attempts - 1, used, is_marked=is_marked)

    def _new_token(self, attempt: Attempt) -> auth.Issued:
        """Request a token for an attempt; return it and its lifetime in seconds."""
        headers, body = auth.token_request(self._credentials, self.profile)
        call = Call("POST", urlsplit(self._auth_url).path, self._auth_url, body)
        first = Attempt(attempt.began, attempt.cancel, is_paced=False)
        send = functools.partial(self._attempt, call, headers)
        answer, attempts = self.pace.repeat(send, first)
        if answer.status != 200:
            raise self._error(call, answer, attempts) from answer.failure
        token, lifetime = auth.read_token(answer.body, self.profile)
        self._secrets.tokens.append(token)
        return token, lifetime

    def _attempt(self, call: Call, headers: SecretHeaders, attempt: Attempt) -> Answer:
        """Return the answer to one attempt, and write a line to the log."""
        began, outcome = self.clock(), "no whole answer"
        try:
            answer = self._send_once(call, headers, attempt)
            outcome = f"{answer.status}, {len(answer.body):,} bytes"
            return answer  # noqa: TRY300  # whose log line is written below
        except BaseException as error:
            auth.drop_frames(error)
            if not isinstance(error, OSError | HTTPError | ValueError):
                raise
            # which another attempt would meet as well
            is_final = isinstance(error, SSLError | TooManyRedirects | TooLarge)
            return Answer(FINAL if is_final else 0, failure=error)
        finally:
            text = "%s, attempt %d: %s in %.3f s"
            _LOG.debug(text, call, attempt.number, outcome, self.clock() - began)

    def _send_once(
        self, call: Call, headers: SecretHeaders, attempt: Attempt
    ) -> Answer:
        """Return one answer, its body read to the end within the largest size and the
        time that is left of all attempts.
        """
        remaining = attempt.began + self.pace.retries.seconds - self.clock()
        seconds = min(self._seconds, max(remaining, _WAIT))
        ends_at = time.monotonic() + seconds
        silence = max(min(20.0, seconds), seconds / 3)  # services end queries after 15
        data = call.body.revealed.encode()
        request = requests.Request(call.method, call.url, data=data, auth=headers)
        response = self.http.send(
            self.http.prepare_request(request),
            timeout=silence,
            **self._settings(urljoin(call.url, "/")),
        )
        file = getattr(response.raw._fp, "fp", None)
        if file is not None:  # else the body is empty, or comes from no socket
            file.raw.readinto = functools.partial(
                _read_patiently, file.raw._sock, ends_at, attempt.cancel
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
                    raise TooLarge
            else:
                raise TimeoutError
        # a body without a length may have lost its end
        is_whole = body.rstrip().endswith((b"}", b"]", b">"))
        if response.status_code == 200 and not is_whole:
            raise ProtocolError("the body ends too early")
        return Answer(response.status_code, response.headers, bytes(body))

    def _error(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """Return the error for a status, in the service's words, or for no whole
        answer.
        """
        tries = f" on each of {attempts} attempts" if attempts > 1 else ""
        facts: dict[str, Any] = {"method": call.method, "path": call.path}
        if answer.failure is not None:
            causes = auth.drop_frames(answer.failure)
            rows = [
                row
                for row in _FAILURES
                if any(isinstance(cause, row[0]) for cause in causes)
            ]
            _, kind, failure, advice = rows[0]
            host = urlsplit(call.url).netloc
            return kind(f"{host} {failure}{tries} ({call}). {advice}", **facts)
        status = answer.status
        code, words, details = self._read_error(answer.body)
        kind, advice = _STATUSES.get(status) or _STATUSES.get(
            status // 100 * 100, (UnreadableReply, _UNEXPECTED)
        )
        if answer.body.lstrip().startswith(b"<"):
            words += (
                " with HTML, which comes from a proxy or page in front of the service"
            )
            facts["kind"] = "html"
            if status == 403:
                advice = _EDGE
        if call.method == "POST" and status < 405:
            kind, advice = errors.CredentialsRejected, auth.CHECK_KEY
        if code == "UNKNOWN_FILTER" and "replaced_by" in str(details):
            advice = (
                "Another version of the wire calls the filter by another name: connect"
                " without wire=, else update ventureframe."
            )
        wait = answer.headers.get("Retry-After")
        if wait:
            advice += f" It asks to wait (Retry-After: {self.words(wait)})."
        facts |= {"status": status, "code": code, "details": details}
        return kind(f"{call} answered {status}{words}{tries}. {advice}", **facts)

    def _read_error(self, body: bytes) -> tuple[str | None, str, Any]:
        """Code, words and details of an error; nothing of one that repeats a secret."""
        error: object = None
        if self._secrets.are_in(body.decode(errors="replace")):
            return None, f" {auth.HIDDEN}", None
        with contextlib.suppress(ValueError, RecursionError, LookupError, TypeError):
            content = json.loads(body)
            json.dumps(content)  # what is too deep to be written is left out
            error = content["error"]
        if isinstance(error, str):
            error = {"code": error}
        if not isinstance(error, dict):
            return None, "", None
        code, message, details = map(error.get, ("code", "message", "details"))
        code = errors.visible(code)[:64] if isinstance(code, str) else None
        words = f" {code}" if code else ""
        if isinstance(message, str):
            words += f": {message}"
        if details:
            words += f" ({json.dumps(details, ensure_ascii=False)[:300]})"
        return code, errors.visible(words[:1000]), details
