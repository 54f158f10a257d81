"""The access token (interface, "Authentication"): one for many threads, shown
nowhere.
"""

import base64
import contextlib
import itertools
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, Self
from urllib.parse import quote, quote_plus, urlencode, urlsplit

import requests

from ventureframe import errors
from ventureframe.client.retry import Answer
from ventureframe.interface.wire.profile import Profile

HIDDEN: Final = "[hidden]"
_HEADER_SAFE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_FORM: Final = "application/x-www-form-urlencoded"
_REFUSED: Final = frozenset({"invalid_client", "unauthorized_client", "invalid_grant"})
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

    def __deepcopy__(self, _: object = None) -> Self:
        return self

    __copy__ = __deepcopy__


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


@dataclass(frozen=True, slots=True)
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
        self._key = [*_spellings(credentials.client_secret), credentials.basic]
        # a service may repeat one it has replaced
        self._tokens = deque[list[Secret]](maxlen=8)

    def add(self, token: Secret) -> None:
        """Hide this token as well from now on."""
        self._tokens.append(_spellings(token))

    def hide(self, text: str) -> str:
        """The text without secrets."""
        for spelling in itertools.chain(self._key, *self._tokens):
            text = text.replace(spelling.reveal(), HIDDEN)
        return text

    def words(self, text: str, *, at_most: int = 500) -> str:
        """The text as a message may quote it; control characters and line ends are
        escaped.
        """
        return errors.shortened(errors.visible(self.hide(text[:50_000])), at_most)

    def body(self, body: bytes) -> bytes:
        """The body of a reply without the tokens; data may hold a shorter one by
        chance.
        """
        for spelling in itertools.chain(*self._tokens):
            if len(spelling.reveal()) >= 12:
                body = body.replace(spelling.reveal().encode(), HIDDEN.encode())
        return body


def _spellings(secret: Secret) -> list[Secret]:
    """The secret as it stands, in JSON with plain and escaped slashes, and in an
    address.
    """
    text = secret.reveal()
    in_json = json.dumps(text)[1:-1]
    in_address = [quote(text), quote(text, ""), quote_plus(text)]
    lower = [
        re.sub("%..", lambda code: code[0].lower(), spelling) for spelling in in_address
    ]
    every = {text, in_json, in_json.replace("/", r"\/"), *in_address, *lower}
    return [Secret(spelling) for spelling in sorted(every, key=len, reverse=True)]


def exchange(
    credentials: Credentials, profile: Profile
) -> tuple[dict[str, str | Secret], Secret]:
    """Headers and body of the request that trades the key for a token (RFC 6749,
    4.4).
    """
    grant = {"grant_type": "client_credentials"}
    if credentials.audience is not None:
        grant["audience"] = credentials.audience
    way = profile.token_body
    if way == "basic":
        basic = Secret(f"Basic {credentials.basic.reveal()}")
        return {"Content-Type": _FORM, "Authorization": basic}, Secret(urlencode(grant))
    grant["client_id"] = credentials.client_id
    grant["client_secret"] = credentials.client_secret.reveal()
    if way == "form":
        return {"Content-Type": _FORM}, Secret(urlencode(grant))
    return {"Content-Type": "application/json"}, Secret(json.dumps(grant))


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

    def current(self, began: float) -> Secret:
        """A token that is not about to end."""
        token = self._token
        is_fresh = self._clock() < self._renew_at
        return token if token is not None and is_fresh else self.renew(token, began)

    def renew(self, old: Secret | None, began: float) -> Secret:
        """A token other than `old`: another thread's where that one was faster."""
        with self._lock:
            if self._token is not None and self._token is not old:
                return self._token
            now = self._clock()
            try:
                token, lifetime = self._fetch(began)
            except BaseException as error:
                # their frames have the secret among their variables
                for cause in chain(error):
                    cause.__traceback__ = None
                raise
            self._renew_at = now + lifetime - min(60.0, lifetime / 10)  # before it ends
            self._token = token
            return token


def read_token(answer: Answer, profile: Profile, words: Callable[[str], str]) -> Issued:
    """The token and its lifetime in seconds, or an error that quotes the error code
    at most.
    """
    reply: Any = None
    with contextlib.suppress(ValueError, RecursionError):
        reply = json.loads(answer.body)
    members = reply if isinstance(reply, dict) else {}
    if answer.status != 200:
        code = members.get("error")
        is_code = isinstance(code, str) and re.fullmatch("[A-Za-z_]{1,40}", code)
        code = words(str(code)) if is_code else None
        kind: type[errors.ServiceError] = errors.RequestRejected
        what, names = "gave no token", ("AUTH_URL", "AUDIENCE")
        if answer.status == 401 or code in _REFUSED:
            kind, what = errors.CredentialsRejected, "refused the client id and secret"
            names = "CLIENT_ID", "CLIENT_SECRET"
        advice = " and ".join(f"VENTUREFRAME_{name}" for name in names)
        shown = f"{answer.status} {code or ''}".strip()
        message = f"The token address {what} ({shown}). Check {advice}."
        raise kind(message, method="POST", status=answer.status, code=code)
    token, lifetime = (
        members.get("access_token"),
        members.get("expires_in", profile.token_lifetime),
    )
    of = str(members.get("token_type", "Bearer"))
    is_duration = re.fullmatch(r"[0-9]{1,10}(\.[0-9]+)?", str(lifetime))
    checks = {
        "is not a JSON object": isinstance(reply, dict),
        "carries no usable access_token": (
            isinstance(token, str) and _TOKEN.fullmatch(token)
        ),
        "is of a token_type other than Bearer": of.lower() == "bearer",
        "has an expires_in that is not a duration": is_duration and float(lifetime),
    }
    for problem in (problem for problem, is_right in checks.items() if not is_right):
        message = (
            f"The reply of the token address {problem}. Check VENTUREFRAME_AUTH_URL."
        )
        raise errors.UnreadableReply(message, method="POST", status=200)
    return Secret(str(token)), float(lifetime)


def chain(error: BaseException) -> list[BaseException]:
    """The error and all that led to it, each once."""
    causes = [error]
    for cause in causes:  # which grows on the way
        further = (cause.__cause__, cause.__context__)
        causes += [more for more in further if more is not None and more not in causes]
    return causes
