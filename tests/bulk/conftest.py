"""Services to pull from, on real sockets, which count what is asked of them."""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from urllib.parse import unquote

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from tests import fake
from tests.faults import connected
from ventureframe.client.service import Service
from ventureframe.interface.wire.profile import Profile
from ventureframe_service.dataset import Dataset
from ventureframe_service.run import Running


@dataclass
class Served:
    """A service over a dataset; `asked` counts each request by what it says."""

    running: Running
    profile: Profile
    asked: Counter[str] = field(default_factory=Counter)
    refuse: Callable[[str], int | None] = lambda _: None
    """The status to refuse a request with, by its path and query."""

    def service(self, currency: str = "USD") -> AbstractContextManager[Service]:
        return connected(self.running, profile=self.profile, currency=currency)

    @property
    def data_asked(self) -> Counter[str]:
        """Requests for rows: not those for tokens, or for what the dataset is."""
        return Counter({k: n for k, n in self.asked.items() if k.startswith("/data/")})


Serve = Callable[..., AbstractContextManager[Served]]


@contextlib.contextmanager
def serving(dataset: Dataset, profile: Profile) -> Iterator[Served]:
    served: list[Served] = []

    def around(app: ASGIApp, _name: str) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            asked = f"{scope['path']}?{unquote(scope['query_string'].decode())}"
            served[0].asked[asked] += 1
            status = served[0].refuse(asked)
            if status is None:
                await app(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": status, "headers": []})
            await send({"type": "http.response.body", "body": b"{}"})

        return answer

    with fake.start_on(profile.name, dataset, around=around) as running:
        served.append(Served(running, profile))
        yield served[0]


@pytest.fixture
def serve() -> Serve:
    return serving
