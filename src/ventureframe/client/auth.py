"""The access token (interface, "Authentication"): one for many threads, shown
nowhere.
"""

import contextlib
import copy
import html
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import unquote_plus, urlencode, urlsplit

import requests
from requests.auth import AuthBase

from ventureframe import errors
from ventureframe.client.retry import Attempt
from ventureframe.interface.wire.profile import Profile

HIDDEN = "[hidden]"
MARK = b'"[hidden]"'
"""Replaces a text of a reply that holds a secret."""
_HIDDEN_ERROR = b'{"error": %s}' % MARK
_ERROR = re.compile(rb'"errors?"\s*:\s*["{\[]\s*["{\w]')
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_JWT_HEAD = re.compile(r"^eyJ[\w-]+\.", re.ASCII)
_PIECES = re.compile(rb"[A-Za-z0-9]{6,8}")  # which encoders write as they are
_LETTERS = 8  # of a secret: no message shows so many in a row
_LONG = 12  # letters of a secret that no data has by chance
_HEADER_SAFE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_SHARED = 1.0  # seconds in which a request for a token that failed is not repeated
_DURATION = re.compile(r"[0-9]{1,10}(\.[0-9]+)?")
CHECK_KEY = "Check VENTUREFRAME_CLIENT_ID, _CLIENT_SECRET, _AUTH_URL and _AUDIENCE."
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NESTED = 5  # how often a text may be escaped on its way into a message
Issued = tuple["Secret", float]  # a token, and its lifetime in seconds


class Secret:
    """A text that no repr, message, pickle or JSON shows; it is `revealed` to what
    sends it.

    >>> f"{Secret('hunter2')}"
    '[hidden]'
    """

    __slots__ = ("revealed",)

    def __init__(self, text: str) -> None:
        self.revealed = text

    def __repr__(self) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be saved: pass the settings on instead")


def _wrong_setting(setting: str, problem: str) -> errors.ConfigurationError:
    return errors.ConfigurationError(f"{setting} {problem}", settings=(setting,))


def header_safe(text: str, setting: str) -> str:
    """Return the text where a header can carry it, else raise a
    `ConfigurationError` that hides it.
    """
    if not _HEADER_SAFE.fullmatch(text):
        advice = "Use printable ASCII, no line breaks and no spaces at either end."
        raise _wrong_setting(setting, f"cannot be sent in a header. {advice}")
    return text


def address(url: str, setting: str) -> str:
    """Return the address where it is valid, else raise a `ConfigurationError` that
    hides it.
    """
    problem = "is not an address. Give it as https://host/path."
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        requests.Request("GET", url).prepare()
        if "@" in parts.netloc:
            problem = "carries a user name or password. Give the address without them."
        elif parts.scheme in ("http", "https") and not (parts.query or parts.fragment):
            return header_safe(url, setting)
    raise _wrong_setting(setting, problem)


def positive(value: float | str, setting: str, unit: str) -> float:
    """Return the value as a positive number, else raise `ConfigurationError`."""
    with contextlib.suppress(TypeError, ValueError):
        if 0 < float(value) <= 86_400:
            return float(value)
    raise _wrong_setting(setting, f"is not a number of {unit}.")


@dataclass(frozen=True)
class Credentials:
    """A machine-to-machine key, which no repr shows."""

    client_id: str = field(repr=False)
    client_secret: Secret
    audience: str | None = None


@dataclass
class Secrets:
    """The secret and the tokens that a service has seen, however they are spelt."""

    key: Secret
    # a service may repeat one it has replaced
    tokens: deque[Secret] = field(default_factory=lambda: deque(maxlen=8))

    def are_in(self, text: str) -> bool:
        """Whether eight letters in a row of a secret are in the text, its escapes
        undone.

        The head of a JWT does not count: others have the same one.
        """
        plain = unescaped(text)
        for secret in (self.key, *self.tokens):
            value = unescaped(_JWT_HEAD.sub("", secret.revealed))
            size = min(_LETTERS, len(value))
            starts = range(len(value) - size + 1)
            if size and any(value[start : start + size] in plain for start in starts):
                return True
        return False

    def words(self, text: str, *, at_most: int = 500) -> str:
        """Return the text as a message may quote it: a mark for each word that secrets
        `are_in`, or for all of them.

        Control characters and line ends are escaped.
        """
        if self.are_in(text):
            words = (HIDDEN if self.are_in(word) else word for word in text.split(" "))
            text = " ".join(words)
        if self.are_in(text):
            return HIDDEN
        return errors.visible(text[:at_most])[:at_most]

    def body(self, body: bytes) -> bytes:
        """Return the body of a reply, with a mark for each text that holds a whole
        secret.

        A short one can be in the data by chance. An error beside rows becomes a mark
        where secrets `are_in` the reply.
        """
        if _ERROR.search(body) and self.are_in(body.decode(errors="replace")):
            return _HIDDEN_ERROR
        for secret in (self.key, *self.tokens):
            text = secret.revealed
            # two: one may be escaped
            pieces = _PIECES.findall(text[-60:].encode())[-2:]
            is_rare = pieces and not any(piece in body for piece in pieces)
            if len(text) < _LONG or is_rare:
                continue
            whole = unescaped(text)
            # the texts of its JSON first, so that it stays JSON
            for written in [*dict.fromkeys(_TEXT.findall(body)), text.encode()]:
                if whole in unescaped(written.decode(errors="replace")):
                    body = body.replace(written, MARK)
        return body


def unescaped(text: str) -> str:
    r"""Return the text without the escapes of JSON, addresses, forms and HTML.

    >>> unescaped(r"a\/b \u0041 %2541 &#65; x+y")
    'a/b A A A x y'
    """
    for _ in range(_NESTED):
        plain = _ESCAPE.sub(r"&#x\1;", text).replace("\\", "")
        plain = html.unescape(unquote_plus(plain))
        if plain == text:
            break
        text = plain
    return text


@dataclass(repr=False)
class SecretHeaders(AuthBase):
    """Sets headers of a request, and does nothing else; no repr shows them."""

    headers: dict[str, str]

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(self.headers)
        return request


def token_request(
    credentials: Credentials, profile: Profile
) -> tuple[SecretHeaders, Secret]:
    """Return headers and body of the request that trades the key for a token (RFC 6749,
    4.4).
    """
    grant = {
        "grant_type": "client_credentials",
        "client_id": credentials.client_id,
        "client_secret": credentials.client_secret.revealed,
    }
    if credentials.audience is not None:
        grant["audience"] = credentials.audience
    kind, body = "application/json", json.dumps(grant)
    if profile.token_body == "form":  # noqa: S105  # no password
        kind, body = "application/x-www-form-urlencoded", urlencode(grant)
    return SecretHeaders({"Content-Type": kind}), Secret(body)


@dataclass
class TokenKeeper:
    """The current token, fetched once for all threads.

    `fetch` returns a token and its lifetime; the bound of time and the `cancel` of the
    attempt that needs the token hold for it as well.
    """

    fetch: Callable[[Attempt], Issued]
    clock: Callable[[], float]
    lock: threading.Lock = field(default_factory=threading.Lock)
    token: Secret = Secret("")  # noqa: RUF009  # which does not change
    renew_at: float = 0.0
    failure: errors.ServiceError | None = None
    ask_at: float = 0.0  # until then every thread gets the failure

    def current(self, attempt: Attempt, refused: Secret | None = None) -> Secret:
        """Return a token that is not about to end, and is not the one that was
        `refused`.

        Whoever comes first fetches it; the other threads wait for it.
        """
        with self.lock:
            now = self.clock()
            if self.failure is not None and now < self.ask_at:
                raise copy.copy(self.failure)
            if self.token is refused or now >= self.renew_at:
                try:
                    self.token, lifetime = self.fetch(attempt)
                except BaseException as error:
                    drop_frames(error)
                    if isinstance(error, errors.ServiceError):
                        self.failure, self.ask_at = error, self.clock() + _SHARED
                    raise
                self.renew_at = now + lifetime - min(60.0, lifetime / 10)
            return self.token


def read_token(body: bytes, profile: Profile) -> Issued:
    """Return the token and its lifetime in seconds: the usual one where the reply has
    none.

    Raises `UnreadableReply`, which quotes nothing.
    """
    reply: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        reply = json.loads(body)
    token = reply.get("access_token") if isinstance(reply, dict) else None
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise errors.UnreadableReply(
            f"The token address returned no usable access_token. {CHECK_KEY}",
            method="POST",
            status=200,
        )
    lifetime = str(reply.get("expires_in"))
    seconds = float(lifetime) if _DURATION.fullmatch(lifetime) else 0.0
    return Secret(token), seconds or profile.token_lifetime


def drop_frames(error: BaseException) -> list[BaseException]:
    """Cut off the frames of an error and of its causes, whose variables hold secrets.

    Returns all of them, the error first.
    """
    causes = [error]
    for cause in causes:  # which grows on the way
        cause.__traceback__ = None
        if isinstance(cause, requests.RequestException):
            cause.request = cause.response = None
        further = (cause.__cause__, cause.__context__)
        causes += [more for more in further if more is not None and more not in causes]
    return causes
