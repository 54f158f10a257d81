"""The access token: one exchange for many threads, renewed in time, shown nowhere.

Interface, "Authentication"; the shape of the exchange is the profile's. Nothing here sends: the
session hands in the function that does, so that a token request has the same timeouts and
bounded retries as every other.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NoReturn
from urllib.parse import quote, urlencode

from ventureframe.errors import (
    ConfigurationError,
    CredentialsRejected,
    RequestRejected,
    ServiceError,
    UnreadableReply,
)
from ventureframe.interface.wire.profile import Profile

MARGIN: Final = 60.0
"""Seconds before its end at which a token is renewed, at most a tenth of its lifetime."""

_HEADER_SAFE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_REFUSED: Final = frozenset({"invalid_client", "unauthorized_client", "invalid_grant"})
_BASIC: Final = "basic"
_JSON: Final = "json"
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


def header_safe(text: str, *, setting: str) -> str:
    """The text unchanged where a header can carry it, else a `ConfigurationError` without it."""
    if not _HEADER_SAFE.fullmatch(text):
        raise ConfigurationError(
            f"{setting} cannot be sent in a header. Use printable ASCII characters, "
            "no line breaks and no spaces at either end.",
            settings=[setting],
        )
    return text


@dataclass(frozen=True, slots=True)
class Credentials:
    """A machine-to-machine key; the secret is in no repr."""

    client_id: str
    client_secret: str = field(repr=False)
    audience: str | None = None

    def __post_init__(self) -> None:
        header_safe(self.client_id, setting="client_id")
        if not self.client_secret:
            raise ConfigurationError(
                "client_secret is empty. Give the secret that belongs to the client id.",
                settings=["client_secret"],
            )


@dataclass(frozen=True, slots=True)
class Exchange:
    """One token request, ready to be posted."""

    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


def exchange(credentials: Credentials, profile: Profile) -> Exchange:
    """The request that trades the credentials for a token (RFC 6749, 4.4 and 2.3.1)."""
    asked = {"grant_type": "client_credentials"}
    if credentials.audience is not None:
        asked["audience"] = credentials.audience
    if profile.token_body == _BASIC:
        pair = f"{quote(credentials.client_id, '')}:{quote(credentials.client_secret, '')}"
        basic = base64.b64encode(pair.encode()).decode()
        return Exchange({**_FORM, "Authorization": f"Basic {basic}"}, urlencode(asked).encode())
    asked |= {"client_id": credentials.client_id, "client_secret": credentials.client_secret}
    if profile.token_body == _JSON:
        return Exchange({"Content-Type": "application/json"}, json.dumps(asked).encode())
    return Exchange(dict(_FORM), urlencode(asked).encode())


class Token:
    """One access token and the moment, on the keeper's clock, from which it is renewed."""

    __slots__ = ("renew_at", "value")

    def __init__(self, value: str, renew_at: float) -> None:
        self.value = value
        self.renew_at = renew_at

    def __repr__(self) -> str:
        return "<access token>"


class TokenKeeper:
    """The current token, asked for once however many threads want it.

    `post` sends an `Exchange` and returns status and body.
    """

    def __init__(
        self,
        credentials: Credentials,
        *,
        profile: Profile,
        post: Callable[[Exchange], tuple[int, bytes]],
        clock: Callable[[], float],
        margin: float = MARGIN,
    ) -> None:
        self._credentials = credentials
        self._profile = profile
        self._post = post
        self._clock = clock
        self._margin = margin
        self._lock = threading.Lock()
        self._token: Token | None = None
        self._ended = 0
        self._failure: ServiceError | None = None

    def current(self) -> Token:
        """A token that is not about to end."""
        token = self._token
        if token is not None and self._clock() < token.renew_at:
            return token
        return self.renew(token)

    def renew(self, old: Token | None) -> Token:
        """A token other than `old`: that of another thread where one was faster.

        A thread that waited while another one failed shares its error instead of asking again.
        """
        ended = self._ended
        with self._lock:
            if self._token is not None and self._token is not old:
                return self._token
            if self._ended != ended and self._failure is not None:
                raise self._failure
            return self._obtain()

    def scrub(self, text: str) -> str:
        """The text without the secret or the token, wherever a service echoes them."""
        secrets = [self._credentials.client_secret, self._token.value if self._token else ""]
        for secret in filter(None, secrets):
            text = text.replace(secret, "[hidden]")
        return text

    def _obtain(self) -> Token:
        self._failure = None
        asked_at = self._clock()
        try:
            status, body = self._post(exchange(self._credentials, self._profile))
            value, lifetime = read_token(status, body, profile=self._profile)
        except ServiceError as error:
            self._failure = error
            raise
        finally:
            self._ended += 1
        margin = min(self._margin, lifetime / 10)
        self._token = Token(value, asked_at + lifetime - margin)
        return self._token


def read_token(status: int, body: bytes, *, profile: Profile) -> tuple[str, float]:
    """The token and its lifetime in seconds, from the reply of the token address.

    Raises `CredentialsRejected`, `RequestRejected` or `UnreadableReply`; none of them quotes more
    of the reply than the error code of RFC 6749.
    """
    try:
        reply = json.loads(body)
    except ValueError:
        reply = None
    if status != 200:
        _refused(status, reply)
    if not isinstance(reply, dict):
        _unreadable("is not a JSON object", "check that the token address is right")
    value = reply.get("access_token")
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        _unreadable("carries no usable access_token", "ask the owner of the service")
    if str(reply.get("token_type", "Bearer")).lower() != "bearer":
        _unreadable("is of a token_type other than Bearer", "ask the owner of the service")
    return value, _lifetime(reply.get("expires_in", profile.token_lifetime))


def _lifetime(value: object) -> float:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e10:
        _unreadable("has an expires_in that is no duration", "ask the owner of the service")
    return float(value)


def _refused(status: int, reply: object) -> NoReturn:
    code = reply.get("error") if isinstance(reply, dict) else None
    code = code if isinstance(code, str) and re.fullmatch(r"[\w.-]{1,64}", code) else None
    named = f"{status} {code}" if code else str(status)
    if status == 401 or code in _REFUSED:
        raise CredentialsRejected(
            f"The token address refused the client id and secret ({named}). "
            "Check VENTUREFRAME_CLIENT_ID and VENTUREFRAME_CLIENT_SECRET, or ask for a new key.",
            method="POST",
            status=status,
            code=code,
        )
    raise RequestRejected(
        f"The token address answered {named} instead of a token. "
        "Check VENTUREFRAME_AUTH_URL and VENTUREFRAME_AUDIENCE.",
        method="POST",
        status=status,
        code=code,
    )


def _unreadable(what: str, advice: str) -> NoReturn:
    message = f"The reply of the token address {what}. Nothing was fetched; {advice}."
    raise UnreadableReply(message, method="POST", status=200)
