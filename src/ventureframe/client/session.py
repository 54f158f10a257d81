"""One HTTP session with a service: a whole reply, or an error that names what to do.

The token goes to the scheme, host and port of the base address and nowhere else. Retries stand
above the transport, so that the embedded service exercises them.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import random as _random
import re
import time
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import quote, urlsplit

import requests
from requests.structures import CaseInsensitiveDict

from ventureframe.client import deadline, log
from ventureframe.client.auth import Credentials, Exchange, Token, TokenKeeper, header_safe
from ventureframe.client.echoes import Echoes
from ventureframe.client.retry import DEFAULT, Repeater, Retries
from ventureframe.client.transport import (
    RETRIED,
    Answer,
    Call,
    Passing,
    Transport,
    lost,
    on_each_of,
)
from ventureframe.errors import (
    ConfigurationError,
    CreditsExhausted,
    NotFound,
    RateLimited,
    RequestRejected,
    ServiceError,
    ServiceFailed,
    TokenRejected,
    UnreadableReply,
    UnsupportedValue,
    WireWarning,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.profile import INTERFACE, Profile

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
_ENDS: Final = ("Sunset", "Deprecation")
_REFUSES_VERSION: Final = re.compile(rb"(?<![a-z])versions?(?![a-z])", re.IGNORECASE)
_UNEXPECTED: Final = (UnreadableReply, "Check the base address: the interface answers 200 here.")


class Session:
    """Requests to one service: bytes with their headers, or an error.

    `timeout` is the seconds of one attempt as a whole, from connecting to the last byte; the
    service may be silent for 20 of them, or a third where that is more. `largest_reply` bounds the
    bytes of a reply once unpacked. Proxies and certificates
    of the environment are used unless `trust_environment` is false; a `.netrc` never is. `sleep`,
    `clock` (monotonic), `now` (wall clock, for dates in `Retry-After`) and `random` are arguments
    so that tests need not wait. Raises `ConfigurationError` where an address or the user agent
    cannot be used. `version` is the version of the wire that the last reply named, `pace` how fast
    all threads together may send; `words` is what a message may quote of a text of the service.
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
        retries: Retries = DEFAULT,
        timeout: float = deadline.TIMEOUT,
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
        self.version: str | None = None
        self._has_warned = False
        self._repeater = Repeater(
            retries=retries,
            unlimited_by=profile.dataset_header,
            sleep=sleep,
            clock=clock,
            now=now,
            random=random,
        )
        self.pace = self._repeater.pace
        self.profile = profile
        self._echoes = Echoes(credentials.client_secret)
        self.words = self._echoes.words
        self._transport = Transport(
            timeout=deadline.seconds(timeout, setting="timeout"),
            largest_reply=largest_reply,
            trust_environment=trust_environment,
            words=self.words,
        )
        self._tokens = TokenKeeper(
            credentials, profile=profile, post=self._post, echoes=self._echoes, clock=clock
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
        self.pace.know(profile.rate)
        named = (profile.version_header, profile.credits_header, profile.dataset_header)
        self._read_headers = frozenset({*named, *_ENDS})
        self._own = {**self._headers}
        if profile.client_id_header:
            self._own[profile.client_id_header] = self._client_id
        if profile.api_version is not None:
            self._own[profile.version_header] = profile.api_version

    def close(self) -> None:
        """End every connection."""
        self._transport.close()

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """The complete reply to `GET path`; raises `ServiceError` and its kinds."""
        url = self._url(path, parameters or {})
        token = self._tokens.current()
        call = self._signed(path, url, token)
        answer, retries = self._answer(call)
        if answer.status == 401:
            call = self._signed(path, url, self._tokens.renew(token))
            answer, retries = self._answer(call)
        if answer.status == 400 and self._unpinned(call, answer):
            return self.get(path, parameters)
        if answer.status != 200:
            raise self._refusal(call, answer, retries)
        headers = self._kept(answer.headers)
        self._note_version(headers)
        spent = _credits(headers.get(self.profile.credits_header, ""))
        return Reply(path, self._echoes.body(answer.body), headers, retries, spent)

    def _url(self, path: str, parameters: Mapping[str, str]) -> str:
        try:
            pairs = [f"{_quoted(name)}={_quoted(value)}" for name, value in parameters.items()]
            return self.base_url + _quoted(path, "/:") + ("?" + "&".join(pairs) if pairs else "")
        except UnicodeEncodeError as error:  # half a character, which JSON can write and UTF-8 not
            if parameters.get(self.profile.cursor_parameter) == error.object:
                said = f"The cursor of {path} is no text. Page by offset, or tell the service."
                raise UnreadableReply(said, path=path, status=200) from None
            reason = "it has half a character in it"
            raise UnsupportedValue(error.object, field=path, reason=reason) from None

    def _kept(self, headers: Mapping[str, str]) -> CaseInsensitiveDict[str]:
        """The headers that are read further on; others may say anything, and be kept on a disk."""
        found = {name: headers[name] for name in self._read_headers if name in headers}
        return CaseInsensitiveDict({k: self.words(v) for k, v in found.items()})

    def _unpinned(self, call: Call, answer: Answer) -> bool:
        """Whether the service refuses the version of the call; it is not asked for again."""
        header = self._profile.version_header
        if header not in call.headers or not _REFUSES_VERSION.search(answer.body):
            return False
        self._own = {name: value for name, value in self._own.items() if name != header}
        return True

    def _note_version(self, headers: Mapping[str, str]) -> None:
        """Keeps the version that is served, and warns once that it will end."""
        self.version = headers.get(self._profile.version_header) or self.version
        ends, is_old = headers.get("Sunset"), headers.get("Deprecation")
        if (ends or is_old) and not self._has_warned:
            self._has_warned = True
            what = "ends" if ends else "is superseded"
            said = f"Version {self.version} of the service's wire {what}{_on(ends or is_old or '')}"
            warnings.warn(f"{said}: update ventureframe.", WireWarning, stacklevel=2)

    def _signed(self, path: str, url: str, token: Token) -> Call:
        bearer = Secret(f"Bearer {token.value.reveal()}")
        return Call("GET", path, url, {**self._own, "Authorization": bearer})

    def _post(self, exchange: Exchange) -> Answer:
        length = {"Content-Length": str(len(exchange.body.reveal().encode()))}
        headers = {**self._headers, **exchange.headers, **length}
        path = urlsplit(self._auth_url).path
        call = Call("POST", path, self._auth_url, headers, exchange.body)
        answer, retries = self._answer(call)
        if answer.status in RETRIED:
            raise self._refusal(call, answer, retries)
        return answer

    def _answer(self, call: Call) -> tuple[Answer, int]:
        """The answer, and how often the request was repeated for it."""
        try:
            send = log.attempts(self._transport.answer, call)
            return self._repeater.repeat(send, is_paced=call.method == "GET")
        except Passing as failure:
            if failure.answer is None:
                raise lost(call, failure) from failure.__cause__
            return failure.answer, failure.attempts - 1

    def _refusal(self, call: Call, answer: Answer, retries: int) -> ServiceError:
        """The error for a status other than 200, in the service's words, without secrets."""
        status, words = answer.status, self.words
        text = answer.body.decode(errors="replace")
        code, message, details = _service_words(text)
        code = None if code is None else words(code, at_most=64)
        details = self._echoes.plain(details)
        said = f" {code}" if code else ""
        said += f": {words(message)}" if message else ""
        said += f" ({json.dumps(details, ensure_ascii=False)[:300]})" if details else ""
        if not code and text.lstrip().startswith("<"):
            said += " with HTML, which comes from something in front of the service"
        kind, advice = _MEANING.get(status) or _MEANING.get(status // 100 * 100, _UNEXPECTED)
        advice = _renamed(code, details) or advice
        said = words(said, at_most=1000)
        said = f"{call} answered {status}{said}{on_each_of(retries + 1)}. {advice}"
        return call.error(kind, said, status=status, code=code, details=details)


@lru_cache(512)
def _quoted(text: str, safe: str = "") -> str:
    is_plain = text.isascii() and text.isalnum()  # as an offset, which differs each time
    return text if is_plain else quote(text, safe)


def _service_words(text: str) -> tuple[str | None, str | None, object]:
    """Code, message and details of an error body, where it has the stated shape."""
    try:
        error = json.loads(text)["error"]
        code, message, details = error["code"], error.get("message"), error.get("details")
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None, None, None
    return (
        code if isinstance(code, str) else None,
        message if isinstance(message, str) else None,
        details,
    )


def _renamed(code: str | None, details: object) -> str | None:
    """What to do about a filter that the service calls by another name now."""
    if code != "UNKNOWN_FILTER" or not isinstance(details, dict):
        return None
    old, new = details.get("filter"), details.get("replaced_by")
    if not (isinstance(old, str) and isinstance(new, str)):
        return None
    return (
        f"This service calls the filter {old[:64]!r} {new[:64]!r} now, so it speaks another wire: "
        'connect without wire=, or with wire="2026-10-02".'
    )


def _address(url: str, *, setting: str) -> str:
    """The address unchanged where it is valid, else a `ConfigurationError` that hides it."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_address = is_address and not (parts.query or parts.fragment) and parts.port != 0
        requests.Request("GET", url).prepare()
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigurationError(
            f"{setting} is not an address. Give it as https://host/path.", settings=(setting,)
        )
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"{setting} carries a user name or password. Give the address without them.",
            settings=(setting,),
        )
    return header_safe(url, setting=setting)


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


def _credits(text: str) -> float | None:
    return float(text) if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text, re.ASCII) else None
