"""The fixtures of the client's tests: a stand-in for the service, a clock, sessions
with both.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.stand_in import CLIENT_ID, SECRET, Connect, StandIn, Time, standing_in
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.interface.wire.profile import INTERFACE, Profile


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with standing_in() as each:
        yield each


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connect(stand_in: StandIn, time: Time) -> Iterator[Connect]:
    """Makes sessions with the stand-in, on the test's own clock."""
    made: list[Session] = []

    def make(profile: Profile = INTERFACE, **changes: Any) -> Session:
        settings: dict[str, Any] = {
            "base_url": stand_in.base_url,
            "auth_url": stand_in.auth_url,
            "credentials": Credentials(CLIENT_ID, Secret(SECRET)),
            "user_agent": "analysts/1.0",
            "profile": profile,
            "retries": Retries(),
            "timeout": 5.0,
            "sleep": time.sleep,
            "clock": time.clock,
            "now": lambda: 1_000_000_000.0 + time.seconds,
            "random": lambda: 1.0,
        }
        made.append(Session(**{**settings, **changes}))
        return made[-1]

    yield make
    for session in made:
        session.close()


@pytest.fixture
def service(connect: Connect) -> Service:
    return Service(connect())
