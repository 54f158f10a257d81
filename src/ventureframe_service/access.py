"""Who is let in, and how often: a signed token for client credentials, and a rate."""

import base64
import hmac
import json
import math
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from urllib.parse import parse_qsl, unquote_plus


class Refused(Exception):
    """A token request refused: the status and the code of RFC 6749, section 5.2."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


@dataclass(frozen=True)
class Tokens:
    """Issues and reads tokens of one client (RFC 6749, 2.3.1 and 4.4); its repr has
    no secret.
    """

    client_id: str
    client_secret: str = field(repr=False)
    lifetime: int = 86_400
    clock: Callable[[], float] = field(default=time.time, repr=False)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def exchange(
        self, body: bytes, content_type: str, authorization: str
    ) -> dict[str, object]:
        """Return the reply to a token request; `Refused` where it is not one, or not
        the client's.
        """
        sent = _read_body(body, content_type)
        if authorization[:6].lower() == "basic ":
            try:
                text = base64.b64decode(
                    authorization[6:].strip(), validate=True
                ).decode()
            except ValueError:
                raise Refused(401, "invalid_client") from None
            client_id, _, client_secret = map(unquote_plus, text.partition(":"))
            sent |= {"client_id": client_id, "client_secret": client_secret}
        if not sent.get("grant_type"):
            raise Refused(400, "invalid_request")
        if sent["grant_type"] != "client_credentials":
            raise Refused(400, "unsupported_grant_type")
        same_id = _same(sent.get("client_id", ""), self.client_id)
        if not (_same(sent.get("client_secret", ""), self.client_secret) and same_id):
            raise Refused(401, "invalid_client")
        return {
            "access_token": self.issue(),
            "token_type": "Bearer",
            "expires_in": self.lifetime,
        }

    def issue(self) -> str:
        """Make a fresh token: when it expires, something unique, and the signature
        of both.
        """
        content = f"{int(self.clock()) + self.lifetime}.{secrets.token_hex(8)}"
        return f"{content}.{self._signature(content)}"

    def is_valid(self, token: str) -> bool:
        """Whether the token was issued here, to this client, and has not expired."""
        content, _, signature = token.rpartition(".")
        is_own = _same(signature, self._signature(content))
        return is_own and self.clock() < int(content.partition(".")[0])

    def _signature(self, content: str) -> str:
        text = f"{self.client_id}.{content}".encode(errors="replace")
        return hmac.digest(self.key, text, "sha256").hex()


def _same(sent: str, expected: str) -> bool:
    """Whether two texts are equal, in a time that does not tell how far they agree."""
    return hmac.compare_digest(sent.encode(errors="replace"), expected.encode())


def _read_body(body: bytes, content_type: str) -> dict[str, str]:
    try:
        text = body.decode()
        if content_type.partition(";")[0].strip().lower() != "application/json":
            return dict(parse_qsl(text, max_num_fields=20))
        members = json.loads(text or "{}").items()
    except (ValueError, AttributeError, RecursionError):
        raise Refused(400, "invalid_request") from None
    return {key: value for key, value in members if isinstance(value, str)}


class Rate:
    """Admits `per_second` requests a second, those of one second at once."""

    def __init__(
        self, per_second: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._step = 1 / per_second
        self._ahead = max(0.0, 1 - self._step)
        self._clock, self._next = clock, clock()
        self._lock = threading.Lock()

    @property
    def policy(self) -> str:
        """The rate in the words of the IETF's `RateLimit-Policy`: requests per
        seconds.
        """
        rate = Fraction(1 / self._step).limit_denominator(3600)
        return f'"default";q={rate.numerator};w={rate.denominator}'

    def wait(self) -> int:
        """Admit a request and return 0, or the whole seconds until the next is
        admitted.
        """
        with self._lock:
            now = self._clock()
            due = max(self._next, now)
            if (early := due - now - self._ahead) > 0:
                return math.ceil(early)
            self._next = due + self._step
            return 0
