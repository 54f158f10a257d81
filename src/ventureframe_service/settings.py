"""How an embedded service is set up: where it listens, whom it lets in, how it
behaves.
"""

import ipaddress
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import ASGIApp

from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service.access import Tokens

_LOOPBACK = "127.0.0.1"
_LONG_ENOUGH = 16


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where a service listens and how it behaves.

    Raises `ConfigurationError` where credentials are empty, or not enough for a host
    that other machines can reach, or the rate is not positive.
    """

    host: str = _LOOPBACK
    port: int = 0  # takes a free one
    client_id: str = "ventureframe"
    # None makes a random one
    client_secret: str | None = field(default=None, repr=False)
    token_lifetime: int = INTERFACE.token_lifetime  # seconds
    rate: float | None = None  # data requests a second before 429 and `Retry-After`
    clock: Callable[[], float] = time.time  # by which tokens expire
    around: Callable[[ASGIApp, str], ASGIApp] | None = None
    """Wraps the application of each route, given with the route's name ("token" for
    the token address); tests inject faults with it.
    """

    def __post_init__(self) -> None:
        texts = (self.client_id, self.client_secret)
        if not all(text is None or text.strip() for text in texts):
            raise ConfigurationError(
                "the service needs a client id and a client secret that are not blank",
                settings=("client_id", "client_secret"),
            )
        if self.rate is not None and not 0 < self.rate < 1e6:
            reason = f"a rate of {self.rate:g} is not positive"
            raise ConfigurationError(reason, settings=("rate",))
        is_safe = len(self.client_secret or "") >= _LONG_ENOUGH
        if not (is_safe or self.is_loopback):
            raise ConfigurationError(
                f"{self.host} can be reached from other machines: choose a client"
                f" secret of at least {_LONG_ENOUGH} characters, or serve at"
                f" {_LOOPBACK}",
                settings=("host", "client_secret"),
            )

    @property
    def is_loopback(self) -> bool:
        """Whether no other machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def tokens(self) -> Tokens:
        """Make what issues and reads the tokens; with a random secret where none was
        given.
        """
        secret = self.client_secret or secrets.token_urlsafe(32)
        return Tokens(
            self.client_id, secret, lifetime=self.token_lifetime, clock=self.clock
        )
