"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. Each attempt ends
within one bound of time; `logging.getLogger("ventureframe")` has a line for each: the path and the
outcome, never a header, a body, a parameter or a token.
"""

import contextlib
import datetime as dt
import email.utils
import functools
import http.client
import json
import logging
import random as _random
import re
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlencode, urljoin, urlsplit

import requests
import urllib3
from requests.structures import CaseInsensitiveDict

from ventureframe import errors
from ventureframe.client.auth import (
    Credentials,
    Secrets,
    TokenKeeper,
    address,
    chain,
    header_safe,
    positive,
)
from ventureframe.client.retry import PASSING, Answer, Attempt, Attempts, Pace, Retries, connections
from ventureframe.errors import RequestRejected, ServiceError, UnreadableReply
from ventureframe.interface.reply import Reply
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.profile import INTERFACE, Profile

TIMEOUT: Final = 60.0
"""Seconds for one attempt as a whole, from connecting to the last byte."""
_CONNECT: Final = 10.0
_SILENCE: Final = 20.0
"""A service ends its queries after 15 seconds, so more silence than this says that it is lost."""
_MOST_REDIRECTS: Final = 5
_PORTS: Final = {"http": 80, "https": 443}
_PIECE: Final = 1 << 17
_READ: Final = 50_000
"""Characters of an error that are read; what is shown is far shorter."""
_DEAD: Final = "The fresh token was refused as well, so the key itself is dead: ask for a new one."
_SPENT: Final = "The credits of this key are used up: buy more or wait for the next period."
_CLOSED: Final = (
    "This key may not read it: ask the owner of the service. A new token would not help."
)
_NO_SUCH: Final = "Check the identifier, and that the base address is the one of the service."
_MEANING: Final[Mapping[int, tuple[type[ServiceError], str]]] = {
    400: (RequestRejected, "Correct the request; repeating it unchanged cannot help."),
    401: (errors.TokenRejected, _DEAD),
    402: (errors.CreditsExhausted, _SPENT),
    403: (RequestRejected, _CLOSED),
    404: (errors.NotFound, _NO_SUCH),
    422: (RequestRejected, "Correct the parameter it names."),
    429: (errors.RateLimited, "Ask for less at a time, or wait and run it again."),
    500: (errors.ServiceFailed, "The failure is on the service's side: try again later."),
}
"""The error for a status, and what to do; other statuses mean what their hundred means."""
_UNEXPECTED: Final = (UnreadableReply, "Check the base address: the interface answers 200 here.")
_REFUSES_VERSION: Final = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_HTTP = urllib3.exceptions
_LOST: Final = (_HTTP.HTTPError, http.client.HTTPException, OSError)
_CUT: Final = (_HTTP.ProtocolError, _HTTP.DecodeError)
_SLOW: Final = (_HTTP.ReadTimeoutError, TimeoutError)
_LOG: Final = logging.getLogger("ventureframe")
_RETRIES: Final = Retries()
_E = TypeVar("_E", bound=ServiceError)


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

    `timeout` is the seconds of one attempt as a whole; the service may be silent for 20 of them, or
    a third where that is more. `rate` is the most requests a second, never above what the service
    announces. `largest_reply` bounds the bytes of a reply once unpacked. Proxies and certificates
    of the environment are used unless `trust_environment` is false; a `.netrc` never is. Raises
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
        retries: Retries = _RETRIES,
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
        self.base_url = address(base_url, setting="base_url").rstrip("/")
        self._auth_url = address(auth_url, setting="auth_url")
        seconds = positive(timeout, "timeout", f"seconds. Give one above 0, such as {TIMEOUT:g}")
        most = "requests a second. Give one above 0, such as 5"
        self._client_id, self._largest_reply = credentials.client_id, largest_reply
        self.version: str | None = None
        self._has_warned = False
        self.pace = Pace(
            retries=replace(retries, silence=max(retries.silence, seconds)),
            unlimited_by=profile.dataset_header,
            sleep=sleep,
            clock=clock,
            now=now,
            random=random,
            chosen=None if rate is None else positive(rate, "rate", most),
        )
        self.profile = profile
        self._secrets = Secrets(credentials)
        self.words = self._secrets.words
        self._tokens = TokenKeeper(
            credentials=credentials,
            profile=profile,
            post=self._post,
            secrets=self._secrets,
            clock=clock,
        )
        self._attempts = Attempts(seconds)
        silence = min(seconds, max(_SILENCE, seconds / 3))
        self._timeout = urllib3.Timeout(connect=min(_CONNECT, seconds), read=silence)
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        self._connections = functools.cache(functools.partial(connections, self._http))

    def __repr__(self) -> str:
        return f"<session with {urlsplit(self.base_url).hostname}>"

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        self._connections.cache_clear()
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
            self._own[profile.client_id_header] = self._client_id
        if profile.api_version is not None:
            self._own[profile.version_header] = profile.api_version

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """The complete reply to `GET path`; raises `ServiceError` and its kinds."""
        try:
            query = urlencode(parameters or {}, quote_via=quote, safe="")
            url = self.base_url + quote(path, "/:") + (query and f"?{query}")
        except UnicodeEncodeError as error:  # which JSON can write and UTF-8 not
            reason = "it has half a character in it"
            raise errors.UnsupportedValue(error.object, field=path, reason=reason) from None
        token, is_renewed = self._tokens.current(), False
        while True:
            bearer = Secret(f"Bearer {token.reveal()}")
            call = Call("GET", path, url, {**self._own, "Authorization": bearer})
            answer, attempts = self.pace.repeat(functools.partial(self._attempt, call))
            if answer.status == 401 and not is_renewed:
                token, is_renewed = self._tokens.renew(token), True
            elif answer.status != 400 or not self._unpinned(call, answer):
                break
        if answer.status != 200:
            raise self._refusal(call, answer, attempts)
        headers = self._kept(answer.headers)
        spent = headers.get(self._profile.credits_header, "")
        is_number = re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", spent, re.ASCII)
        body = self._secrets.body(answer.body)
        return Reply(path, body, headers, attempts - 1, float(spent) if is_number else None)

    def _post(self, headers: Mapping[str, str | Secret], body: Secret) -> Answer:
        path = urlsplit(self._auth_url).path
        call = Call("POST", path, self._auth_url, {**self._headers, **headers}, body)
        attempt = functools.partial(self._attempt, call)
        answer, attempts = self.pace.repeat(attempt, is_paced=False)
        if answer.status in PASSING:
            raise self._refusal(call, answer, attempts)
        return answer

    def _attempt(self, call: Call, number: int) -> Answer:
        """The answer to one attempt, after redirects within scheme, host and port of the call.

        Raises `ServiceUnreachable` for a certificate, `UnreadableReply` for a body that is too
        large, and `RequestRejected` for a redirect elsewhere: no further attempt would help.
        """
        url, began, outcome = call.url, time.monotonic(), "no whole answer"
        try:
            with self._attempts.one() as attempt:
                for _ in range(_MOST_REDIRECTS + 1):
                    answer = self._send(call, url, attempt)
                    if answer.status:
                        size = "" if answer.status in PASSING else f", {len(answer.body):,} bytes"
                        outcome = f"{answer.status}{size}"
                    target = answer.headers.get("Location")
                    if not target or answer.status not in (301, 302, 303, 307, 308):
                        return answer
                    own, url = url, redirected(url, target) if call.method == "GET" else ""
                    if not url:
                        where = self.words(_host(target)) or _host(own)
                        message = (
                            f"{call} was redirected to another address ({where}), where "
                            "credentials are never sent. If the service has moved, set its new "
                            "address."
                        )
                        raise call.error(RequestRejected, message, status=answer.status)
            times = f"more than {_MOST_REDIRECTS} times. Check the base address."
            raise call.error(RequestRejected, f"{call} was redirected {times}")
        finally:
            level = logging.DEBUG if number == 1 else logging.INFO
            again = "" if number == 1 else f", attempt {number}"
            took = (time.monotonic() - began) * 1000
            _LOG.log(level, "%s%s: %s in %.0f ms", call, again, outcome, took)

    def _send(self, call: Call, url: str, attempt: Attempt) -> Answer:
        """One answer; no error has the frames below, whose variables hold the token."""
        try:
            scheme, _, host, *rest = url.split("/", 3)
            pool, root = self._connections(f"{scheme}//{host}")
            response = pool.urlopen(
                call.method,
                root + "".join(rest),
                body=None if call.body is None else call.body.reveal().encode(),
                headers={name: Secret(value).reveal() for name, value in call.headers.items()},
                retries=False,
                redirect=False,
                assert_same_host=False,
                timeout=self._timeout,
                preload_content=False,
            )
            try:
                body = self._body(call, response, attempt)
            except BaseException:
                response.close()
                raise
            finally:
                response.release_conn()
            return Answer(response.status, response.headers, body)
        except BaseException as error:
            for cause in chain(error):
                cause.__traceback__ = None
            failure = TimeoutError("the attempt takes too long") if attempt.is_over else error
            if isinstance(failure, _HTTP.SSLError):
                message = (
                    f"{_host(url)} shows a certificate that cannot be trusted. Check the address; "
                    "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate."
                )
                raise call.error(errors.ServiceUnreachable, message) from failure
            if isinstance(failure, _LOST):
                return Answer(0, failure=failure)
            raise

    def _body(self, call: Call, response: Any, attempt: Attempt) -> bytes:
        """The body to its end, within the largest size."""
        pieces, size = [], 0
        for piece in response.stream(_PIECE, decode_content=True):
            pieces.append(piece)
            size += len(piece)
            if attempt.is_over or size > self._largest_reply:
                break
        if attempt.is_over:  # which also looks like the end of a body without a length
            raise TimeoutError
        if size > self._largest_reply:
            most = f"{self._largest_reply:,} bytes. Check the address."
            raise call.error(UnreadableReply, f"The reply to {call} is larger than {most}")
        body = b"".join(pieces)
        text = body.strip()
        is_cut = not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
        if response.status == 200 and is_cut:
            raise _HTTP.ProtocolError("the body ends too early")
        return body

    def _kept(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """The headers that are read further on; the end of the version is warned of once."""
        profile = self._profile
        names = (profile.version_header, profile.credits_header, profile.dataset_header)
        kept = CaseInsensitiveDict(
            (name, self.words(headers[name]))
            for name in (*names, "Sunset", "Deprecation")
            if name in headers
        )
        self.version = kept.get(profile.version_header) or self.version
        ends, is_old = kept.get("Sunset"), kept.get("Deprecation")
        if (ends or is_old) and not self._has_warned:
            self._has_warned = True
            what = f"{'ends' if ends else 'is superseded'}{_on(ends or is_old or '')}"
            message = f"Version {self.version} of the service's wire {what}: update ventureframe."
            warnings.warn(message, errors.WireWarning, stacklevel=2)
        return kept

    def _unpinned(self, call: Call, answer: Answer) -> bool:
        """Whether the service refuses the version of the call; it is not asked for again."""
        header = self._profile.version_header
        if header not in call.headers or not _REFUSES_VERSION.search(answer.body):
            return False
        self._own = {name: value for name, value in self._own.items() if name != header}
        return True

    def _refusal(self, call: Call, answer: Answer, attempts: int) -> ServiceError:
        """The error for no whole answer, or for a status, in the service's words."""
        tries = f" on each of {attempts} attempts" if attempts > 1 else ""
        if answer.failure is not None:
            return _lost(call, answer.failure, tries)
        status, text = answer.status, answer.body.decode(errors="replace")
        code, message, details = self._service_words(text[:_READ])
        words = f" {code}" if code else ""
        words += f": {self.words(message)}" if message else ""
        words += f" ({json.dumps(details, ensure_ascii=False)[:300]})" if details else ""
        if not code and text.lstrip().startswith("<"):
            words += " with HTML, which comes from something in front of the service"
        kind, advice = _MEANING.get(status) or _MEANING.get(status // 100 * 100, _UNEXPECTED)
        if code == "UNKNOWN_FILTER" and isinstance(details, dict) and "replaced_by" in details:
            old, new = (str(details.get(name))[:64] for name in ("filter", "replaced_by"))
            advice = (
                f"This service calls the filter {old!r} {new!r} now, so it speaks another wire: "
                'connect without wire=, or with wire="2026-10-02".'
            )
        words = self.words(words, at_most=1000)
        sentence = f"{call} answered {status}{words}{tries}. {advice}"
        return call.error(kind, sentence, status=status, code=code, details=details)

    def _service_words(self, text: str) -> tuple[str | None, str | None, object]:
        """Code, message and details of an error body, where it has the stated shape."""
        try:
            error = json.loads(text)["error"]
            code, message = error["code"], error.get("message")
            details = json.loads(self._secrets.hide(json.dumps(error.get("details"))))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            return None, None, None
        code = self.words(code, at_most=64) if isinstance(code, str) else None
        return code, message if isinstance(message, str) else None, details


def _lost(call: Call, failure: BaseException, tries: str) -> ServiceError:
    """The error for a request whose last attempt had no whole answer."""
    causes = list(chain(failure))
    kind: type[ServiceError] = errors.ServiceUnreachable
    is_slow = any(isinstance(cause, _SLOW) for cause in causes)
    sentence = (
        f"{_host(call.url)} {'did not answer in time' if is_slow else 'cannot be reached'}{tries} "
        f"({call}). Check the address, the network and whether the service is running."
    )
    if any(isinstance(cause, _CUT) for cause in causes):
        kind = UnreadableReply
        sentence = (
            f"The reply to {call} was cut short{tries}. Try again later; if it stays so, "
            "ask the owner of the service or of the proxy in between."
        )
    lost = call.error(kind, sentence)
    lost.__cause__ = failure
    return lost


def redirected(url: str, target: str) -> str:
    """The address that a redirect leads to; nothing where it is on another scheme, host or port.

    >>> redirected("https://host/data?limit=5", "/v2/data")
    'https://host/v2/data'
    >>> redirected("https://host/data", "https://host.example/data")
    ''
    """
    try:
        both = own, new = urlsplit(url), urlsplit(urljoin(url, target))
        places = {(each.scheme, each.hostname, each.port or _PORTS[each.scheme]) for each in both}
    except (ValueError, KeyError):
        return ""
    path = f"{new.path or '/'}{'?' if new.query else ''}{new.query}"
    return f"{own.scheme}://{own.netloc}{path}" if len(places) == 1 else ""


def _host(url: str) -> str:
    """Host and port of an address; nothing where there is none."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).netloc.rpartition("@")[2]
    return ""


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
