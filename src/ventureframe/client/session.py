"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else.
Each attempt ends in a bound of time; the log "ventureframe" has a line for each: the
path and the outcome, no more.
"""

import contextlib
import functools
import http.client
import json
import logging
import random as _random
import re
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
import urllib3
from requests.structures import CaseInsensitiveDict

from ventureframe import errors
from ventureframe.client import auth, retry
from ventureframe.client.auth import Secret
from ventureframe.client.retry import (
    PASSING,
    Answer,
    Attempt,
    Budget,
    Pace,
    Retries,
    Transport,
)
from ventureframe.errors import (
    RequestRejected,
    ServiceError,
    ServiceUnreachable,
    UnreadableReply,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Profile

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
_BUNDLE: Final = "Check the address; behind a company proxy set REQUESTS_CA_BUNDLE."
_MOVED: Final = "credentials are never sent. If the service moved, set its new one."
_LATER: Final = (
    "Try again later, or ask the owner of the service or of a proxy in between."
)
_CHECK: Final = "Check the address, the network and whether the service is running."
_FAILURES: Final[tuple[tuple[Any, type[ServiceError], str, str], ...]] = (
    (
        _HTTP.SSLError,
        ServiceUnreachable,
        "shows a certificate that cannot be trusted",
        _BUNDLE,
    ),
    (_CUT, UnreadableReply, "sent a reply that was cut short", _LATER),
    (
        (_HTTP.ReadTimeoutError, TimeoutError),
        ServiceUnreachable,
        "did not answer in time",
        _CHECK,
    ),
    (BaseException, ServiceUnreachable, "cannot be reached", _CHECK),
)
"""The error for a reply that did not arrive: the first row of which a cause is."""
_OLD: Final = frozenset({400, 410, 422})  # how a version is refused
_REFUSES_VERSION: Final = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_LOG: Final = logging.getLogger("ventureframe")


@dataclass(frozen=True, slots=True)
class Call:
    """One request; errors name it by its path, because the address may hold what was
    asked.
    """

    method: str
    path: str
    url: str = field(repr=False)
    headers: Mapping[str, str | Secret] = field(repr=False)
    body: Secret | None = field(repr=False, default=None)

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
    is. `version` is the version of the wire that the last reply named; `words` is
    what a message may quote of a text.
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
        transport: Callable[[requests.Session, float], Transport] = Transport,
        pool: Callable[[int], Executor] = ThreadPoolExecutor,
    ) -> None:
        self.clock, self.pool = clock, pool
        self._headers = {
            "User-Agent": auth.header_safe(user_agent, "user_agent"),
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        self.base_url = auth.address(base_url, "base_url").rstrip("/")
        self._auth_url = auth.address(auth_url, "auth_url")
        seconds = auth.positive(timeout, "timeout", "seconds")
        self._credentials, self._largest_reply = credentials, largest_reply
        self.version: str | None = None
        self._has_warned = False
        self.pace = Pace(
            replace(retries, silence=max(retries.silence, seconds)),
            profile.dataset_header,
            sleep,
            clock,
            now,
            random,
            None if rate is None else auth.positive(rate, "rate", "requests a second"),
        )
        self.profile = profile
        self._secrets = auth.Secrets(credentials)
        self.words = self._secrets.words
        self._tokens = auth.TokenKeeper(self._new_token, clock)
        silence = max(20.0, seconds / 3)  # a service ends its queries after 15
        self._timeout = urllib3.Timeout(
            connect=min(10.0, seconds), read=min(seconds, silence)
        )
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        self._transport = transport(self._http, seconds)

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self._transport.connections.cache_clear()
        self._http.close()

    @property
    def profile(self) -> Profile:
        """The generation of the wire; its version is asked for with every request."""
        return self._profile

    @profile.setter
    def profile(self, profile: Profile) -> None:
        self._profile, self.pace.usual = profile, profile.rate
        self._own = {**self._headers}
        if profile.client_id_header:
            self._own[profile.client_id_header] = self._credentials.client_id
        if profile.api_version is not None:
            self._own[profile.version_header] = profile.api_version

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        budget: Budget | None = None,
    ) -> Reply:
        """Return the complete reply to `GET path`, taking a request from the budget.

        Raises `ServiceError` and its kinds, `EnoughSent` where the budget is spent.
        """
        if budget is not None:
            budget.spend()
        try:
            query = urlencode(parameters or {}, quote_via=quote, safe="")
            url = self.base_url + quote(path, "/:") + (query and f"?{query}")
        except UnicodeEncodeError as error:  # which JSON can write and UTF-8 not
            reason = "it has half a character in it"
            raise errors.UnsupportedValue(
                error.object, field=path, reason=reason
            ) from None
        began, is_renewed = self.clock(), False
        token = self._tokens.current(began)
        version = self._profile.version_header
        while True:
            bearer = Secret(f"Bearer {token.reveal()}")
            call = Call("GET", path, url, {**self._own, "Authorization": bearer})
            answer, attempts = self.pace.repeat(
                functools.partial(self._attempt, call), began=began
            )
            is_refused = answer.status in _OLD and _REFUSES_VERSION.search(answer.body)
            if answer.status == 401 and not is_renewed:
                token, is_renewed = self._tokens.renew(token, began), True
            elif is_refused and version in call.headers:  # which is not asked for again
                self._own = {
                    name: own for name, own in self._own.items() if name != version
                }
            else:
                break
        if answer.status != 200:
            raise self._error(call, answer, attempts)
        profile = self._profile
        names = (
            version,
            profile.credits_header,
            profile.dataset_header,
            "Sunset",
            "Deprecation",
        )
        headers = CaseInsensitiveDict(
            (name, self.words(answer.headers[name]))
            for name in names
            if name in answer.headers
        )
        self.version = headers.get(version) or self.version
        if ("Sunset" in headers or "Deprecation" in headers) and not self._has_warned:
            self._has_warned = True
            ends = (
                f"ends on {headers['Sunset'][:16]}"
                if "Sunset" in headers
                else "is superseded"
            )
            message = (
                f"Version {self.version} of the service's wire {ends}: update"
                " ventureframe."
            )
            warnings.warn(message, errors.WireWarning, stacklevel=2)
        spent = headers.get(profile.credits_header, "")
        is_number = re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", spent, re.ASCII)
        body = self._secrets.body(answer.body)
        return Reply(
            path, body, headers, attempts - 1, float(spent) if is_number else None
        )

    def _new_token(self, began: float) -> auth.Issued:
        """A token and its lifetime in seconds, for the key; `began` as `Pace.repeat`
        takes it.
        """
        headers, body = auth.exchange(self._credentials, self._profile)
        path = urlsplit(self._auth_url).path
        call = Call("POST", path, self._auth_url, {**self._headers, **headers}, body)
        send = functools.partial(self._attempt, call)
        answer, attempts = self.pace.repeat(send, is_paced=False, began=began)
        if answer.status in PASSING:
            raise self._error(call, answer, attempts)
        token, lifetime = auth.read_token(answer, self._profile, self.words)
        self._secrets.add(token)
        return token, lifetime

    def _attempt(self, call: Call, number: int) -> Answer:
        """The answer to one attempt; raises an error where no further attempt would
        help.
        """
        url, began, outcome = call.url, self.clock(), "no whole answer"
        try:
            with self._transport.one() as attempt:
                for _ in range(_MOST_REDIRECTS + 1):
                    try:
                        answer = self._send(call, url, attempt)
                    except BaseException as error:
                        for cause in auth.chain(error):  # their frames hold the token
                            cause.__traceback__ = None
                        failure = TimeoutError() if attempt.is_over else error
                        if not isinstance(failure, _LOST):
                            raise
                        answer = Answer(0, failure=failure)
                        if isinstance(failure, _HTTP.SSLError):
                            raise self._error(call, answer, 1) from failure
                    if answer.status:
                        size = (
                            ""
                            if answer.status in PASSING
                            else f", {len(answer.body):,} bytes"
                        )
                        outcome = f"{answer.status}{size}"
                    target = answer.headers.get("Location")
                    if not target or answer.status not in (301, 302, 303, 307, 308):
                        return answer
                    url = redirected(url, target) if call.method == "GET" else ""
                    if not url:
                        where = self.words(target.partition("?")[0], at_most=80)
                        what = (
                            f"{call} was redirected to another address ({where}), where"
                            f" {_MOVED}"
                        )
                        raise call.error(RequestRejected, what, status=answer.status)
            times = f"more than {_MOST_REDIRECTS} times. Check the base address."
            raise call.error(RequestRejected, f"{call} was redirected {times}")
        finally:
            level, again = logging.DEBUG, ""
            if number > 1:
                level, again = logging.INFO, f", attempt {number}"
            took = (self.clock() - began) * 1000
            _LOG.log(level, "%s%s: %s in %.0f ms", call, again, outcome, took)

    def _send(self, call: Call, url: str, attempt: Attempt) -> Answer:
        """One answer, its body read to the end within the largest size."""
        scheme, _, host, *rest = url.split("/", 3)
        pool, root = self._transport.connections(f"{scheme}//{host}")
        response = pool.urlopen(
            call.method,
            root + "".join(rest),
            body=None if call.body is None else call.body.reveal().encode(),
            headers={
                name: Secret(value).reveal() for name, value in call.headers.items()
            },
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=self._timeout,
            preload_content=False,
        )
        pieces, size = [], 0
        # which keeps a connection that was read to its end
        with contextlib.closing(response):
            for piece in response.stream(1 << 17, decode_content=True):
                pieces.append(piece)
                size += len(piece)
                if size > self._largest_reply:
                    most = f"{self._largest_reply:,} bytes. Check the address."
                    raise call.error(
                        UnreadableReply, f"The reply to {call} is larger than {most}"
                    )
                if attempt.is_over:
                    break
        if attempt.is_over:  # which also looks like the end of a body without a length
            raise TimeoutError
        body = b"".join(pieces)
        text = body.strip()
        if response.status == 200 and (
            not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
        ):
            raise _HTTP.ProtocolError("the body ends too early")
        return Answer(response.status, response.headers, body)

    def _error(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """The error for a status, in the service's words, or for no whole answer."""
        tries = f" on each of {attempts} attempts" if attempts > 1 else ""
        if answer.failure is not None:
            causes = auth.chain(answer.failure)
            rows = (
                row
                for row in _FAILURES
                if any(isinstance(cause, row[0]) for cause in causes)
            )
            _, kind, what, advice = next(rows)
            sentence = f"{urlsplit(call.url).netloc} {what}{tries} ({call}). {advice}"
            error = call.error(kind, sentence)
            error.__cause__ = answer.failure
            return error
        status, text = answer.status, answer.body.decode(errors="replace")[:50_000]
        code = message = details = None
        with contextlib.suppress(ValueError, RecursionError, KeyError, TypeError):
            told = json.loads(self._secrets.hide(json.dumps(json.loads(text)["error"])))
            code, message, details = (
                told["code"],
                told.get("message"),
                told.get("details"),
            )
        code = self.words(code, at_most=64) if isinstance(code, str) else None
        words = f" {code}" if code else ""
        words += f": {message}" if isinstance(message, str) else ""
        words += (
            f" ({json.dumps(details, ensure_ascii=False)[:300]})" if details else ""
        )
        if not code and text.lstrip().startswith("<"):
            words += " with HTML, which comes from something in front of the service"
        kind, advice = _STATUSES.get(status) or _STATUSES.get(
            status // 100 * 100, _UNEXPECTED
        )
        if (
            code == "UNKNOWN_FILTER"
            and isinstance(details, dict)
            and "replaced_by" in details
        ):
            old, new = (
                str(details.get(name))[:64] for name in ("filter", "replaced_by")
            )
            advice = (
                f"This service calls the filter {old!r} {new!r} now, so it speaks"
                " another "
            )
            advice += 'wire: connect without wire=, or with wire="2026-10-02".'
        if wait := retry.retry_after(
            answer.headers.get("Retry-After"), now=self.pace.now()
        ):
            advice += f" It asks to wait {wait:,.0f} s."
        sentence = (
            f"{call} answered {status}{self.words(words, at_most=1000)}{tries}."
            f" {advice}"
        )
        return call.error(kind, sentence, status=status, code=code, details=details)


def redirected(url: str, target: str) -> str:
    """The address that a redirect leads to; nothing where it is on another scheme, host
    or port.

    >>> redirected("https://host/data?limit=5", "/v2/data")
    'https://host/v2/data'
    >>> redirected("https://host/data", "https://host.example/data")
    ''
    """
    try:
        both = own, new = urlsplit(url), urlsplit(urljoin(url, target))
        places = {
            (part.scheme, part.hostname, part.port or _PORTS[part.scheme])
            for part in both
        }
    except (ValueError, KeyError):
        return ""
    path = f"{new.path or '/'}{'?' if new.query else ''}{new.query}"
    return f"{own.scheme}://{own.netloc}{path}" if len(places) == 1 else ""
