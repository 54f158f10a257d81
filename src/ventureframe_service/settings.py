"""How an embedded service is set up: where it listens, whom it lets in, how it
behaves.
"""

import ipaddress
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from starlette.types import ASGIApp

from ventureframe.errors import ConfigurationError
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe_service.access import Tokens

# what a key may see: none of a row's full blocks, or all of it
Tier = Literal["free", "premium"]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_LOOPBACK: Final = "127.0.0.1"
_LONG_ENOUGH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where a service listens and how it behaves, the same for each of its processes.

    Raises `ConfigurationError` where credentials are empty, or not enough for a host
    that other machines can reach, or the rate is not positive.
    """

    host: str = _LOOPBACK
    port: int = 0  # takes a free one
    client_id: str = "ventureframe"
    # None makes a random one
    client_secret: str | None = field(default=None, repr=False)
    token_lifetime: int = INTERFACE.token_lifetime  # seconds
    strict: bool = False  # refuses unknown query parameters instead of ignoring them
    proxy: Network | None = None  # of a proxy whose `X-Forwarded-For` names who asks
    # seconds to send a request, and to read its reply, before a cut
    patience: float = 60
    rate: float | None = None  # data requests a second before 429 and `Retry-After`
    profile: Profile = INTERFACE  # the generation of the wire that it speaks
    # below, blocks of a row are withheld where the wire can say so
    tier: Tier = "premium"
    clock: Callable[[], float] = time.time  # by which tokens expire
    around: Callable[[ASGIApp, str], ASGIApp] | None = None
    """Makes of the application of each route and its name ("token" for the token
    address) what answers in its place; tests play faults with it.
    """

    def __post_init__(self) -> None:
        if not self.client_id or self.client_secret == "":
            reason = (
                "the service needs a client id and a client secret that are not empty"
            )
            raise ConfigurationError(reason, settings=("client_id", "client_secret"))
        if self.rate is not None and not 0 < self.rate < 1e6:
            raise ConfigurationError(
                f"a rate of {self.rate:g} is not positive", settings=("rate",)
            )
        if not (len(self.client_secret or "") >= _LONG_ENOUGH or self.is_loopback):
            safe = (
                f"a client secret of at least {_LONG_ENOUGH} characters, or serve at"
                f" {_LOOPBACK}"
            )
            reason = f"{self.host} can be reached from other machines: choose {safe}"
            raise ConfigurationError(reason, settings=("host", "client_secret"))

    @property
    def is_loopback(self) -> bool:
        """Whether no other machine can reach the service."""
        try:
            return (
                self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
            )
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
