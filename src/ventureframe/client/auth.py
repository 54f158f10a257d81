"""The access token: one exchange for many threads, renewed in time, shown nowhere.

Interface, "Authentication"; the shape of the exchange is the profile's. The session hands in the
function that sends it, so that it has the same timeouts and retries as every other request.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, urlencode

from ventureframe.client.echoes import Echoes
from ventureframe.client.transport import Answer, bare
from ventureframe.errors import (
    ConfigurationError,
    CredentialsRejected,
    RequestRejected,
    ServiceError,
    UnreadableReply,
)
from ventureframe.interface.secret import Secret
from ventureframe.interface.wire.profile import Profile

MARGIN: Final = 60.0
"""Seconds before its end at which a token is renewed, at most a tenth of its lifetime."""

_HEADER_SAFE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_TOKEN: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
_FORM: Final = "application/x-www-form-urlencoded"
_WHOLE: Final[Mapping[str, tuple[str, Callable[[dict[str, str]], str]]]] = {
    "json": ("application/json", json.dumps),
    "form": (_FORM, urlencode),
}
"""How the body is written that holds the key as well."""
_REFUSED: Final = frozenset({"invalid_client", "unauthorized_client", "invalid_grant"})


def header_safe(text: str, *, setting: str) -> str:
    """The text unchanged where a header can carry it, else a `ConfigurationError` without it."""
    if not _HEADER_SAFE.fullmatch(text):
        raise ConfigurationError(
            f"{setting} cannot be sent in a header. Use printable ASCII characters, "
            "no line breaks and no spaces at either end.",
            settings=(setting,),
        )
    return text


@dataclass(frozen=True, slots=True, init=False)
class Credentials:
    """A machine-to-machine key, which no repr shows."""

    client_id: str = field(repr=False)
    client_secret: Secret
    audience: str | None

    def __init__(
        self, client_id: str, client_secret: str | Secret, audience: str | None = None
    ) -> None:
        client_secret = Secret(client_secret)  # the plain one leaves this frame's variables
        object.__setattr__(self, "client_id", client_id)
        object.__setattr__(self, "client_secret", client_secret)
        object.__setattr__(self, "audience", audience)
        header_safe(client_id, setting="client_id")
        if not client_secret:
            raise ConfigurationError(
                "client_secret is empty. Give the secret that belongs to the client id.",
                settings=("client_secret",),
            )


@dataclass(frozen=True, slots=True)
class Exchange:
    """One token request, ready to be posted."""

    headers: Mapping[str, str | Secret]
    body: Secret


def exchange(credentials: Credentials, profile: Profile) -> Exchange:
    """The request that trades the credentials for a token (RFC 6749, 4.4 and 2.3.1)."""
    secret = credentials.client_secret.reveal()
    key = {"client_id": credentials.client_id, "client_secret": secret}
    grant = {"grant_type": "client_credentials"}
    if credentials.audience is not None:
        grant["audience"] = credentials.audience
    if profile.token_body in _WHOLE:
        kind, written = _WHOLE[profile.token_body]
        return Exchange({"Content-Type": kind}, Secret(written(grant | key)))
    pair = base64.b64encode(":".join(quote(each, "") for each in key.values()).encode())
    basic = Secret(f"Basic {pair.decode()}")
    return Exchange({"Content-Type": _FORM, "Authorization": basic}, Secret(urlencode(grant)))


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One access token, and the moment on the keeper's clock from which it is renewed."""

    value: Secret
    renew_at: float


class TokenKeeper:
    """The current token, requested once for all threads; `post` sends an `Exchange`."""

    def __init__(
        self,
        credentials: Credentials,
        *,
        profile: Profile,
        post: Callable[[Exchange], Answer],
        echoes: Echoes,
        clock: Callable[[], float],
    ) -> None:
        self._credentials, self._profile, self._echoes = credentials, profile, echoes
        self._post, self._clock = post, clock
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
        """A token other than `old`: another thread's where that one was faster.

        A thread that waited while another one failed raises the same error and sends nothing.
        """
        ended = self._ended
        with self._lock:
            if self._token is not None and self._token is not old:
                return self._token
            if self._ended != ended and self._failure is not None:
                raise self._failure
            return self._obtain()

    def _obtain(self) -> Token:
        self._failure, began = None, self._clock()
        try:
            answer = self._post(exchange(self._credentials, self._profile))
            value, lifetime = read_token(answer, self._profile, words=self._echoes.words)
        except BaseException as error:
            self._failure = error if isinstance(error, ServiceError) else None
            raise bare(error)  # noqa: B904  # its frames have the secret among their variables
        finally:
            self._ended += 1
        self._echoes.add(value)
        self._token = Token(value, began + lifetime - min(MARGIN, lifetime / 10))
        return self._token


def read_token(
    answer: Answer, profile: Profile, *, words: Callable[[str], str]
) -> tuple[Secret, float]:
    """The token and its lifetime in seconds, from the reply of the token address.

    Raises `CredentialsRejected`, `RequestRejected` or `UnreadableReply`; none of them quotes more
    of the reply than the error code of RFC 6749, of which `words` gives what may be shown.
    """
    try:
        reply = json.loads(answer.body)
    except (ValueError, RecursionError):
        reply = None
    is_object = isinstance(reply, dict)
    reply = reply if is_object else {}
    if answer.status != 200:
        raise _refusal(answer.status, reply.get("error"), words)
    value, lifetime = reply.get("access_token"), reply.get("expires_in", profile.token_lifetime)
    kind = reply.get("token_type", "Bearer")
    if isinstance(lifetime, str) and re.fullmatch("[0-9]{1,12}", lifetime):
        lifetime = int(lifetime)
    is_number = isinstance(lifetime, (int, float)) and not isinstance(lifetime, bool)
    wrong, advice = "", "ask the owner of the service"
    if not is_object:
        wrong, advice = "is not a JSON object", "check that the token address is right"
    elif not isinstance(value, str) or not _TOKEN.fullmatch(value):
        wrong = "carries no usable access_token"
    elif not isinstance(kind, str) or kind.lower() != "bearer":
        wrong = "is of a token_type other than Bearer"
    elif not is_number or not 0 < lifetime < 1e10:
        wrong = "has an expires_in that is not a duration"
    if wrong:
        message = f"The reply of the token address {wrong}. Nothing was fetched; {advice}."
        raise UnreadableReply(message, method="POST", status=200)
    return Secret(str(value)), float(lifetime)


def _refusal(status: int, code: object, words: Callable[[str], str]) -> ServiceError:
    is_code = isinstance(code, str) and re.fullmatch("[A-Za-z_]{1,40}", code)
    code = words(str(code)) if is_code else None
    named = f"{status} {code}" if code else str(status)
    kind: type[ServiceError] = RequestRejected
    message = (
        f"The token address answered {named} instead of a token. "
        "Check VENTUREFRAME_AUTH_URL and VENTUREFRAME_AUDIENCE."
    )
    if status == 401 or code in _REFUSED:
        kind = CredentialsRejected
        message = (
            f"The token address refused the client id and secret ({named}). "
            "Check VENTUREFRAME_CLIENT_ID and VENTUREFRAME_CLIENT_SECRET, or ask for a new key."
        )
    return kind(message, method="POST", status=status, code=code)
