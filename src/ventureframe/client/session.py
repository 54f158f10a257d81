"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. Each attempt ends
within one bound of time, retries stand above it, and `logging.getLogger("ventureframe")` has a line
for each: the path and the outcome, never a header, a body, a parameter or a token.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import email.utils
import functools
import http.client
import json
import logging
import math
import os
import random as _random
import re
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from urllib3.connection import HTTPConnection, HTTPSConnection

from ventureframe.client.auth import (
    Credentials,
    Secrets,
    Token,
    TokenKeeper,
    bare,
    chain,
    header_safe,
)
from ventureframe.client.retry import PASSING, Answer, Pace, Repeater, Retries
from ventureframe.errors import (
    ConfigurationError,
    CreditsExhausted,
    NotFound,
    RateLimited,
    RequestRejected,
    ServiceError,
    ServiceFailed,
    ServiceUnreachable,
    TokenRejected,
    UnreadableReply,
    UnsupportedValue,
    WireWarning,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.profile import INTERFACE, Profile

TIMEOUT: Final = 60.0
_CONNECT: Final = 10.0
_SILENCE: Final = 20.0
"""A service ends its queries after 15 seconds, so more silence than this says that it is lost."""
_MOST_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_PIECE: Final = 1 << 17
_DEAD: Final = "The fresh token was refused as well, so the key itself is dead: ask for a new one."
_SPENT: Final = "The credits of this key are used up: buy more or wait for the next period."
_CLOSED: Final = (
    "This key may not read it: ask the owner of the service. A new token would not help."
)
_MEANING: Final[Mapping[int, tuple[type[ServiceError], str]]] = {
    400: (RequestRejected, "Correct the request; repeating it unchanged cannot help."),
    401: (TokenRejected, _DEAD),
    402: (CreditsExhausted, _SPENT),
    403: (RequestRejected, _CLOSED),
    404: (NotFound, "Check the identifier, and that the base address is the one of the service."),
    422: (RequestRejected, "Correct the parameter it names."),
    429: (RateLimited, "Ask for less at a time, or wait and run it again."),
    500: (ServiceFailed, "The failure is on the service's side: try again later."),
}
"""The error for a status, and what to do; other statuses mean what their hundred means."""
_UNEXPECTED: Final = (UnreadableReply, "Check the base address: the interface answers 200 here.")
_REFUSES_VERSION: Final = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_ENDS: Final = ("Sunset", "Deprecation")
_MOST_VALUES: Final = 1_000_000
"""Lists and objects in a reply: of nothing else can a small text make gigabytes once read."""
_READ: Final = 50_000
"""Characters of an error that are read; what is shown is far shorter."""
_PORTS: Final = {"http": 80, "https": 443}
_LOST: Final = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
)
_CUT: Final = (urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError)
_SLOW: Final = (requests.Timeout, urllib3.exceptions.ReadTimeoutError, TimeoutError)
_LOG: Final = logging.getLogger("ventureframe")
_E = TypeVar("_E", bound=ServiceError)
_THREAD: Final = threading.local()


@dataclass(frozen=True, slots=True)
class Call:
    """One request; errors name it by its path, because the address may hold what was asked."""

    method: str
    path: str
    url: str = field(repr=False)
    headers: Mapping[str, str | Secret] = field(repr=False)
    body: Secret | None = field(repr=False, default=None)

    def error(self, kind: type[_E], sentence: str, **facts: object) -> _E:
        """An error about this request."""
        return kind(sentence, method=self.method, path=self.path, **facts)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


class Session:
    """Requests to one service: bytes with their headers, or an error.

    `timeout` is the seconds of one attempt as a whole, from connecting to the last byte; the
    service may be silent for 20 of them, or a third where that is more. `rate` is the most requests
    a second, never above what the service announces. `largest_reply` bounds the bytes of a reply
    once unpacked. Proxies and certificates of the environment are used unless `trust_environment`
    is false; a `.netrc` never is. `sleep`, `clock` (monotonic), `now` (wall clock, for dates in
    `Retry-After`) and `random` are arguments so that tests need not wait. Raises
    `ConfigurationError` where a setting cannot be used. `version` is the version of the wire that
    the last reply named, `pace` how fast all threads together may send; `words` is what a message
    may quote of a text of the service.
    """

    base_url: str = ""

    def __init__(
        self,
        *,
        base_url: str,
        auth_url: str,
        credentials: Credentials,
        user_agent: str,
        profile: Profile = INTERFACE,
        retries: Retries = Retries(),  # noqa: B008  # a frozen value
        timeout: float | str = TIMEOUT,
        rate: float | str | None = None,
        largest_reply: int = 32 * 1024 * 1024,
        trust_environment: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = _random.random,
    ) -> None:
        self.clock = clock
        self._headers = {
            "User-Agent": header_safe(user_agent, setting="user_agent"),
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        self.base_url = _address(base_url, setting="base_url").rstrip("/")
        self._auth_url = _address(auth_url, setting="auth_url")
        self._client_id = credentials.client_id
        self._largest_reply = largest_reply
        self.version: str | None = None
        self._has_warned = False
        seconds = _positive(timeout, setting="timeout", what="seconds", such_as=TIMEOUT)
        self._alarm = _Alarm(seconds)
        self._timeouts = min(_CONNECT, seconds), min(seconds, max(_SILENCE, seconds / 3))
        if rate is not None:
            rate = _positive(rate, setting="rate", what="requests a second", such_as=5.0)
        self.pace = Pace(
            sleep=sleep,
            clock=clock,
            chosen=rate,
            unlimited_by=profile.dataset_header,
            slowest=retries.longest,
        )
        limits = replace(retries, silence=max(retries.silence, seconds))
        self._repeater = Repeater(
            limits, self.pace, sleep=sleep, clock=clock, now=now, random=random
        )
        self.profile = profile
        self._secrets = Secrets(credentials)
        self.words = self._secrets.words
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, _Adapter(pool_maxsize=16))
        self._settings = functools.cache(
            lambda origin: self._http.merge_environment_settings(origin, {}, True, None, None)
        )
        self.close = self._http.close
        self._tokens = TokenKeeper(
            credentials, profile=profile, post=self._post, secrets=self._secrets, clock=clock
        )

    def __repr__(self) -> str:
        return f"<session with {urlsplit(self.base_url).hostname}>"

    @property
    def profile(self) -> Profile:
        """The generation of the wire; its version is asked for with every request."""
        return self._profile

    @profile.setter
    def profile(self, profile: Profile) -> None:
        self._profile = profile
        self.pace.expect(profile.rate)
        self._own = {**self._headers}
        if profile.client_id_header:
            self._own[profile.client_id_header] = self._client_id
        if profile.api_version is not None:
            self._own[profile.version_header] = profile.api_version

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """The complete reply to `GET path`; raises `ServiceError` and its kinds."""
        url = self._url(path, parameters or {})
        token = self._tokens.current()
        call = self._signed(path, url, token)
        answer, attempts = self._answer(call)
        if answer.status == 401:
            call = self._signed(path, url, self._tokens.renew(token))
            answer, attempts = self._answer(call)
        if answer.status == 400 and self._unpinned(call, answer):
            return self.get(path, parameters)
        if answer.status != 200:
            raise self._refusal(call, answer, attempts)
        headers = self._kept(answer.headers)
        spent = headers.get(self._profile.credits_header, "")
        is_number = re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", spent, re.ASCII)
        body = self._secrets.body(answer.body)
        return Reply(path, body, headers, attempts - 1, float(spent) if is_number else None)

    def _url(self, path: str, parameters: Mapping[str, str]) -> str:
        try:
            query = urlencode(parameters, quote_via=quote, safe="")
            return self.base_url + quote(path, "/:") + (f"?{query}" if query else "")
        except UnicodeEncodeError as error:  # half a character, which JSON can write and UTF-8 not
            if parameters.get(self._profile.cursor_parameter) == error.object:
                message = f"The cursor of {path} is no text. Page by offset, or tell the service."
                raise UnreadableReply(message, path=path, status=200) from None
            reason = "it has half a character in it"
            raise UnsupportedValue(error.object, field=path, reason=reason) from None

    def _signed(self, path: str, url: str, token: Token) -> Call:
        bearer = Secret(f"Bearer {token.value.reveal()}")
        return Call("GET", path, url, {**self._own, "Authorization": bearer})

    def _post(self, headers: Mapping[str, str | Secret], body: Secret) -> Answer:
        path = urlsplit(self._auth_url).path
        call = Call("POST", path, self._auth_url, {**self._headers, **headers}, body)
        answer, attempts = self._answer(call)
        if answer.status in PASSING:
            raise self._refusal(call, answer, attempts)
        return answer

    def _answer(self, call: Call) -> tuple[Answer, int]:
        """The whole answer to the last attempt, and how many attempts there were."""
        answer, attempts = self._repeater.repeat(
            lambda number: self._attempt(call, number), is_paced=call.method == "GET"
        )
        if answer.failure is not None:
            raise _lost(call, answer.failure, attempts) from answer.failure
        return answer, attempts

    def _attempt(self, call: Call, number: int) -> Answer:
        """The answer to one attempt, after redirects within scheme, host and port of the call.

        Raises `ServiceUnreachable` for a certificate, `UnreadableReply` for a body that is too
        large, and `RequestRejected` for a redirect elsewhere: no further attempt would help.
        """
        url, began, outcome = call.url, time.monotonic(), "no whole answer"
        try:
            with self._alarm.attempt() as attempt:
                for _ in range(_MOST_REDIRECTS + 1):
                    answer = self._send(call, url, attempt)
                    if answer.status:
                        size = f", {len(answer.body):,} bytes"
                        outcome = f"{answer.status}{'' if answer.status in PASSING else size}"
                    target = answer.headers.get("Location")
                    if answer.status not in _REDIRECTS or not target:
                        return answer
                    url = self._redirected(call, url, target, answer.status)
            message = f"{call} was redirected more than {_MOST_REDIRECTS} times."
            message += " Check the base address."
            raise call.error(RequestRejected, message, status=answer.status)
        finally:
            level = logging.DEBUG if number == 1 else logging.INFO
            again = "" if number == 1 else f", attempt {number}"
            took = (time.monotonic() - began) * 1000
            _LOG.log(level, "%s%s: %s in %.0f ms", call, again, outcome, took)

    def _send(self, call: Call, url: str, attempt: _Attempt) -> Answer:
        """One answer; no error has the frames below, whose variables hold the token."""
        try:
            request = requests.Request(
                call.method,
                url,
                headers={
                    name: value.reveal() if isinstance(value, Secret) else value
                    for name, value in call.headers.items()
                },
                data=None if call.body is None else call.body.reveal().encode(),
            ).prepare()
            settings: Any = self._settings("/".join(url.split("/", 3)[:3]))
            adapter = self._http.get_adapter(url)  # its session would read a redirect's body whole
            with adapter.send(request, timeout=self._timeouts, **settings) as response:
                return Answer(
                    response.status_code, response.headers, self._body(call, response, attempt)
                )
        except BaseException as error:
            bare(error)
            failure = TimeoutError("the attempt takes too long") if attempt.is_over else error
            if isinstance(failure, requests.exceptions.SSLError):
                message = (
                    f"{_host(url)} shows a certificate that cannot be trusted. Check the address; "
                    "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate."
                )
                raise call.error(ServiceUnreachable, message) from failure
            if isinstance(failure, _LOST):
                return Answer(0, failure=failure)
            raise

    def _body(self, call: Call, response: requests.Response, attempt: _Attempt) -> bytes:
        """The body to its end, within the largest size."""
        pieces, size, too_large = [], 0, "The reply to {} {}. Check the address."
        for piece in response.iter_content(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                what = f"is larger than {self._largest_reply:,} bytes"
                raise call.error(UnreadableReply, too_large.format(call, what))
            if attempt.is_over:  # unpacking takes time as well
                break
        if attempt.is_over:
            raise TimeoutError
        body = b"".join(pieces)
        if size > _MOST_VALUES and body.count(b"[") + body.count(b"{") > _MOST_VALUES:
            what = f"has more than {_MOST_VALUES:,} lists and objects"
            raise call.error(UnreadableReply, too_large.format(call, what))
        text = body.strip()
        is_cut = not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
        if response.status_code == 200 and is_cut:
            raise urllib3.exceptions.ProtocolError("the body ends too early")
        return body

    def _redirected(self, call: Call, url: str, target: str, status: int) -> str:
        """The address on the same host that a redirect leads to; `RequestRejected` elsewhere."""
        address = redirected(url, target)
        if address and call.method == "GET":
            return address
        where = self.words(_host(target)) or _host(call.url)
        message = (
            f"{call} was redirected to another address ({where}), where credentials are "
            "never sent. If the service has moved, set its new address."
        )
        raise call.error(RequestRejected, message, status=status)

    def _kept(self, headers: Mapping[str, str]) -> CaseInsensitiveDict[str]:
        """The headers that are read further on; the end of the version is warned of once."""
        profile = self._profile
        names = (profile.version_header, profile.credits_header, profile.dataset_header, *_ENDS)
        kept = {name: self.words(headers[name]) for name in names if name in headers}
        self.version = kept.get(profile.version_header) or self.version
        ends, is_old = kept.get("Sunset"), kept.get("Deprecation")
        if (ends or is_old) and not self._has_warned:
            self._has_warned = True
            what = f"{'ends' if ends else 'is superseded'}{_on(ends or is_old or '')}"
            message = f"Version {self.version} of the service's wire {what}: update ventureframe."
            warnings.warn(message, WireWarning, stacklevel=2)
        return CaseInsensitiveDict(kept)

    def _unpinned(self, call: Call, answer: Answer) -> bool:
        """Whether the service refuses the version of the call; it is not asked for again."""
        header = self._profile.version_header
        if header not in call.headers or not _REFUSES_VERSION.search(answer.body):
            return False
        self._own = {name: value for name, value in self._own.items() if name != header}
        return True

    def _refusal(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """The error for a status other than 200, in the service's words, without secrets."""
        status, text = answer.status, answer.body.decode(errors="replace")
        code, message, details, shown = _service_words(text, self._secrets.hide)
        words = f" {code}" if code else ""
        words += f": {self.words(message)}" if message else ""
        words += f" ({shown[:300]})" if details else ""
        if not code and text.lstrip().startswith("<"):
            words += " with HTML, which comes from something in front of the service"
        kind, advice = _MEANING.get(status) or _MEANING.get(status // 100 * 100, _UNEXPECTED)
        if code == "UNKNOWN_FILTER" and isinstance(details, dict) and "replaced_by" in details:
            old, new = (str(details.get(name))[:64] for name in ("filter", "replaced_by"))
            advice = (
                f"This service calls the filter {old!r} {new!r} now, so it speaks another wire: "
                'connect without wire=, or with wire="2026-10-02".'
            )
        words = f"answered {status}{self.words(words, at_most=1000)}{_on_each_of(attempts)}"
        sentence = f"{call} {words}. {advice}"
        return call.error(kind, sentence, status=status, code=code, details=details)


class _Attempt:
    """The sockets of one attempt, which are shut down once it has taken too long."""

    def __init__(self, ends_at: float) -> None:
        self.ends_at, self.is_over = ends_at, False
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()

    def watch(self, sock: Any) -> None:
        """Keep a second handle on the socket: TLS takes the first one over."""
        handle = socket.socket(fileno=os.dup(sock.fileno()))
        with self._lock:
            self._sockets.append(handle)
        if self.is_over:
            self.end()

    def end(self) -> None:
        """Shut every socket down: closing one would not wake the thread that reads it."""
        with self._lock:
            self.is_over = True
            for sock in self._sockets:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give up the handles."""
        with self._lock:
            while self._sockets:
                self._sockets.pop().close()


class _Alarm:
    """Ends attempts that take longer than `seconds`, from one thread while there are any."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._attempts: set[_Attempt] = set()
        self._lock = threading.Lock()
        self._is_running = False

    @contextlib.contextmanager
    def attempt(self) -> Iterator[_Attempt]:
        """An attempt of this thread, which begins now."""
        attempt = _THREAD.attempt = _Attempt(time.monotonic() + self._seconds)
        with self._lock:
            self._attempts.add(attempt)
            if not self._is_running:
                threading.Thread(target=self._run, daemon=True).start()
                self._is_running = True
        try:
            yield attempt
        finally:
            with self._lock:
                self._attempts.discard(attempt)
            attempt.close()

    def _run(self) -> None:
        while True:
            with self._lock:
                now = time.monotonic()
                late = {attempt for attempt in self._attempts if attempt.ends_at <= now}
                self._attempts -= late
                next_end = min((attempt.ends_at for attempt in self._attempts), default=None)
                self._is_running = next_end is not None
            for attempt in late:
                attempt.end()
            if next_end is None:
                return
            time.sleep(next_end - now)


class _Watched:
    """A connection that shows its socket to the attempt of its thread."""

    _sock: socket.socket | None = None

    @property
    def sock(self) -> Any:
        return self._sock

    @sock.setter
    def sock(self, sock: Any) -> None:
        self._sock = sock
        if sock is not None:
            _THREAD.attempt.watch(sock)

    def request(self, *args: Any, **named: Any) -> None:
        if self._sock is not None:
            _THREAD.attempt.watch(self._sock)
        super().request(*args, **named)  # type: ignore[misc]  # the connection's


class _Http(_Watched, HTTPConnection):
    pass


class _Https(_Watched, HTTPSConnection):
    pass


class _Adapter(HTTPAdapter):
    """Gives the pools of connections our class of connection."""

    def get_connection_with_tls_context(self, *args: Any, **named: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*args, **named)
        pool.ConnectionCls = _Https if pool.scheme == "https" else _Http
        return pool


def _lost(call: Call, failure: BaseException, attempts: int) -> ServiceError:
    """The error for a request whose last attempt had no whole answer."""
    causes, tries = list(chain(failure)), _on_each_of(attempts)
    if any(isinstance(cause, _CUT) for cause in causes):
        sentence = (
            f"The reply to {call} was cut short{tries}. Try again later; if it stays so, "
            "ask the owner of the service or of the proxy in between."
        )
        return call.error(UnreadableReply, sentence)
    is_slow = isinstance(failure, _SLOW) or any(isinstance(cause, _SLOW[1:]) for cause in causes)
    what = "did not answer in time" if is_slow else "cannot be reached"
    sentence = (
        f"{_host(call.url)} {what}{tries} ({call}). "
        "Check the address, the network and whether the service is running."
    )
    return call.error(ServiceUnreachable, sentence)


def _on_each_of(attempts: int) -> str:
    return f" on each of {attempts} attempts" if attempts > 1 else ""


def _service_words(
    text: str, hide: Callable[[str], str]
) -> tuple[str | None, str | None, object, str]:
    """Code, message and details of an error body of the stated shape; the details as text, too."""
    try:
        error = json.loads(text[:_READ])["error"]
        code, message = error["code"], error.get("message")
        shown = hide(json.dumps(error.get("details"), ensure_ascii=False))
        details = json.loads(shown)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None, None, None, ""
    code = hide(code)[:64] if isinstance(code, str) else None
    return code, message if isinstance(message, str) else None, details, shown


def redirected(url: str, target: str) -> str:
    """The address that a redirect leads to; nothing where it is on another scheme, host or port.

    >>> redirected("https://host/data?limit=5", "/v2/data")
    'https://host/v2/data'
    >>> redirected("https://host/data", "https://host.example/data")
    ''
    """
    try:
        own, new = urlsplit(url), urlsplit(urljoin(url, target))
        places = {
            (parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme))
            for parts in (own, new)
        }
    except ValueError:
        return ""
    query = f"?{new.query}" if new.query else ""
    return f"{own.scheme}://{own.netloc}{new.path or '/'}{query}" if len(places) == 1 else ""


def _host(url: str) -> str:
    """Host and port of an address; nothing where there is none."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).netloc.rpartition("@")[2]
    return ""


def _address(url: str, *, setting: str) -> str:
    """The address unchanged where it is valid, else a `ConfigurationError` that hides it."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and not (parts.query or parts.fragment) and parts.port != 0
        requests.Request("GET", url).prepare()
    except ValueError:
        is_address = False
    problem = "" if is_address else "is not an address. Give it as https://host/path."
    if is_address and "@" in parts.netloc:
        problem = "carries a user name or password. Give the address without them."
    if problem:
        raise ConfigurationError(f"{setting} {problem}", settings=(setting,))
    return header_safe(url, setting=setting)


def _positive(value: float | str, *, setting: str, what: str, such_as: float) -> float:
    """The value as a positive number, else a `ConfigurationError`."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number <= 86_400:
        message = f"{setting} is not a number of {what}. Give one above 0, such as {such_as:g}."
        raise ConfigurationError(message, settings=(setting,))
    return number


def _on(header: str) -> str:
    """The day in a `Sunset` or `Deprecation` header, in words; nothing where it has none.

    >>> _on("Sun, 08 Nov 2026 23:59:59 GMT"), _on("@1794182399"), _on("true")
    (' on 2026-11-08', ' on 2026-11-08', '')
    """
    try:
        if header.startswith("@"):
            moment = dt.datetime.fromtimestamp(int(header[1:]), dt.UTC)
        else:
            moment = email.utils.parsedate_to_datetime(header)
    except (ValueError, OverflowError, OSError):
        return f" on {header[:10]}" if re.match(r"\d{4}-\d{2}-\d{2}", header) else ""
    return f" on {moment:%Y-%m-%d}"
