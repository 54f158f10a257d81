"""The access token (interface, "Authentication"): one for many threads, shown
nowhere.
"""

import base64
import contextlib
import html
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn
from urllib.parse import quote, unquote_plus, urlencode, urlsplit

import requests
from requests.auth import AuthBase

from ventureframe import errors
from ventureframe.client.retry import Answer
from ventureframe.interface.wire.profile import Profile

HIDDEN = "[hidden]"
_HEADER_SAFE = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_FORM = "application/x-www-form-urlencoded"
_REFUSED = frozenset({"invalid_client", "unauthorized_client", "invalid_grant"})
_DURATION = re.compile(r"[0-9]{1,10}(\.[0-9]+)?")
_AUTH_URL = "VENTUREFRAME_AUTH_URL"
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NESTED = 5  # how often a text may be escaped on its way into a message
Issued = tuple["Secret", float]  # a token, and its lifetime in seconds


class Secret:
    """A text that no repr, message, pickle or JSON shows; `reveal` gives it to what
    sends it.

    >>> f"{Secret('hunter2')}"
    '[hidden]'
    """

    __slots__ = ("_text",)

    def __init__(self, text: "str | Secret") -> None:
        self._text = text.reveal() if isinstance(text, Secret) else text

    def reveal(self) -> str:
        """The text itself."""
        return self._text

    def __repr__(self) -> str:
        return "[hidden]"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down: pass the settings on instead")


def _misset(setting: str, problem: str) -> errors.ConfigurationError:
    return errors.ConfigurationError(f"{setting} {problem}", settings=(setting,))


def header_safe(text: str, setting: str) -> str:
    """Return the text where a header can carry it, else raise `ConfigurationError`
    without it.
    """
    if not _HEADER_SAFE.fullmatch(text):
        advice = "Use printable ASCII, no line breaks and no spaces at either end."
        raise _misset(setting, f"cannot be sent in a header. {advice}")
    return text


def address(url: str, setting: str) -> str:
    """Return the address where it is valid, else raise a `ConfigurationError` that
    hides it.
    """
    problem = "is not an address. Give it as https://host/path."
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        requests.Request("GET", url).prepare()
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            problem = problem if parts.query or parts.fragment else ""
        if "@" in parts.netloc:
            problem = "carries a user name or password. Give the address without them."
    if problem:
        raise _misset(setting, problem)
    return header_safe(url, setting)


def positive(value: float | str, setting: str, unit: str) -> float:
    """Return the value as a positive number, else raise `ConfigurationError`."""
    with contextlib.suppress(TypeError, ValueError):
        if 0 < float(value) <= 86_400:
            return float(value)
    raise _misset(setting, f"is not a number of {unit}.")


@dataclass(frozen=True)
class Credentials:
    """A machine-to-machine key, which no repr shows."""

    client_id: str = field(repr=False)
    client_secret: Secret
    audience: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "client_secret", Secret(self.client_secret))
        header_safe(self.client_id, "client_id")
        if not self.client_secret.reveal():
            raise _misset(
                "client_secret", "is empty. Give the secret of the client id."
            )

    @property
    def basic(self) -> Secret:
        """Id and secret as a Basic header has them (RFC 6749, section 2.3.1)."""
        pair = f"{quote(self.client_id, '')}:{quote(self.client_secret.reveal(), '')}"
        return Secret(base64.b64encode(pair.encode()).decode())


class Secrets:
    """The secret and the tokens that a service has seen, however they are spelt."""

    def __init__(self, credentials: Credentials) -> None:
        self._key = [credentials.client_secret, credentials.basic]
        # a service may repeat one it has replaced
        self._tokens = deque[Secret](maxlen=8)

    def add(self, token: Secret) -> None:
        """Hide this token as well from now on."""
        self._tokens.append(token)

    def words(self, text: str, *, at_most: int = 500) -> str:
        """The text as a message may quote it: a mark where it holds a secret, as it
        stands or with escapes in it.

        Control characters and line ends are escaped.
        """
        plain = unescaped(text)
        for secret in (*self._key, *self._tokens):
            is_there = secret.reveal() in text
            if is_there or unescaped(secret.reveal()) in plain:
                return HIDDEN
        return errors.visible(text[:at_most])[:at_most]

    def body(self, body: bytes) -> bytes:
        """The body of a reply without the tokens; data may hold a shorter one by
        chance.

        An error in it that holds one in another spelling becomes a mark.
        """
        for token in self._tokens:
            text = token.reveal()
            if len(text) >= 12:
                for spelling in {text, text.replace("/", r"\/"), quote(text, "")}:
                    body = body.replace(spelling.encode(), HIDDEN.encode())
        if b'"error' in body and self.words(body.decode(errors="replace")) == HIDDEN:
            return json.dumps({"error": HIDDEN}).encode()
        return body


def unescaped(text: str) -> str:
    r"""The text without the escapes of JSON, addresses, forms and HTML.

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


class SecretHeaders(dict[str, Secret], AuthBase):
    """Sets headers of a request, and does nothing else."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        for name, secret in self.items():
            request.headers[name] = secret.reveal()
        return request


def exchange(
    credentials: Credentials, profile: Profile
) -> tuple[SecretHeaders, Secret]:
    """Headers and body of the request that trades the key for a token (RFC 6749,
    4.4).
    """
    way = profile.token_body
    grant = {"grant_type": "client_credentials"}
    if credentials.audience is not None:
        grant["audience"] = credentials.audience
    headers = SecretHeaders()
    if way == "basic":
        headers["Authorization"] = Secret(f"Basic {credentials.basic.reveal()}")
    else:
        grant["client_id"] = credentials.client_id
        grant["client_secret"] = credentials.client_secret.reveal()
    is_json = way == "json"
    headers["Content-Type"] = Secret("application/json" if is_json else _FORM)
    return headers, Secret(json.dumps(grant) if is_json else urlencode(grant))


class TokenKeeper:
    """The current token, fetched once for all threads: `fetch` gives one and its
    lifetime.

    It is told when the request for rows began, whose bound of time is that of both.
    """

    def __init__(
        self, fetch: Callable[[float], Issued], clock: Callable[[], float]
    ) -> None:
        self._fetch, self._clock, self._lock = fetch, clock, threading.Lock()
        self._token: Secret | None = None
        self._renew_at = 0.0

    def current(self, began: float, refused: Secret | None = None) -> Secret:
        """A token that is not about to end, and is not the one that was `refused`.

        Whoever comes first fetches it; the other threads wait for it.
        """
        with self._lock:
            now = self._clock()
            is_good = self._token is not refused and now < self._renew_at
            if self._token is None or not is_good:
                try:
                    self._token, lifetime = self._fetch(began)
                except BaseException as error:
                    drop_frames(error)
                    raise
                self._renew_at = now + lifetime - min(60.0, lifetime / 10)
            return self._token


def read_token(answer: Answer, profile: Profile, words: Callable[[str], str]) -> Issued:
    """The token and its lifetime in seconds, or an error that quotes the error code
    at most.
    """
    reply: object = None
    with contextlib.suppress(ValueError, RecursionError):
        reply = json.loads(answer.body)
    members: dict[str, object] = reply if isinstance(reply, dict) else {}
    if answer.status != 200:
        raise _not_given(answer, members.get("error"), words)
    token = members.get("access_token")
    lifetime = str(members.get("expires_in", profile.token_lifetime))
    of = str(members.get("token_type", "Bearer"))
    is_token = isinstance(token, str) and _TOKEN.fullmatch(token)
    is_duration = _DURATION.fullmatch(lifetime) and float(lifetime)
    checks = {
        "is not a JSON object": isinstance(reply, dict),
        "carries no usable access_token": is_token,
        "is of a token_type other than Bearer": of.lower() == "bearer",
        "has an expires_in that is not a duration": is_duration,
    }
    for problem, is_right in checks.items():
        if not is_right:
            message = f"The reply of the token address {problem}. Check {_AUTH_URL}."
            raise errors.UnreadableReply(message, method="POST", status=200)
    return Secret(str(token)), float(lifetime)


def _not_given(
    answer: Answer, code: object, words: Callable[[str], str]
) -> errors.ServiceError:
    """The error for a token address that refuses, with its code where that is one."""
    is_code = isinstance(code, str) and re.fullmatch("[A-Za-z_]{1,40}", code)
    code = words(str(code)) if is_code else None
    kind: type[errors.ServiceError] = errors.RequestRejected
    what = "gave no token"
    advice = f"{_AUTH_URL} and VENTUREFRAME_AUDIENCE"
    if answer.status == 401 or code in _REFUSED:
        kind = errors.CredentialsRejected
        what = "refused the client id and secret"
        advice = "VENTUREFRAME_CLIENT_ID and VENTUREFRAME_CLIENT_SECRET"
    shown = f"{answer.status} {code or ''}".strip()
    message = f"The token address {what} ({shown}). Check {advice}."
    return kind(message, method="POST", status=answer.status, code=code)


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
