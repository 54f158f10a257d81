"""A plain way to ask a running service."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import requests

from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings


@dataclass
class Caller:
    """Asks a running service as a client would, without being one."""

    running: run.Running
    session: requests.Session = field(default_factory=requests.Session)

    def __post_init__(self) -> None:
        self.session.headers.update(
            {
                "Authorization": f"Bearer {self.token()}",
                "X-Client-Id": self.running.client_id,
                "User-Agent": "service-tests/1",
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.session.close()

    def token(self, **other: str) -> str:
        reply = requests.post(
            self.running.auth_url,
            json={
                "grant_type": "client_credentials",
                "client_id": self.running.client_id,
                "client_secret": self.running.client_secret,
                **other,
            },
            timeout=30,
        )
        reply.raise_for_status()
        return str(reply.json()["access_token"])

    def get(self, path: str, **query: object) -> requests.Response:
        return self.session.get(
            self.running.base_url + path,
            params={k: str(v) for k, v in query.items()},
            timeout=60,
        )

    def page(self, path: str, **query: object) -> dict[str, Any]:
        reply = self.get(path, **query)
        assert reply.status_code == 200, reply.text
        content: dict[str, Any] = reply.json()
        return content

    def rows(self, path: str, **query: object) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.page(path, **query)["data"]
        return rows

    def total(self, path: str, **query: object) -> int:
        page = self.page(path, **{"limit": 1, "include_total": "true", **query})
        return int(page["page"]["total"])

    def error(self, path: str, **query: object) -> tuple[int, str, Any]:
        reply = self.get(path, **query)
        error = reply.json()["error"]
        return reply.status_code, error["code"], error["details"]


@contextmanager
def calling(dataset: Dataset, settings: Settings | None = None) -> Iterator[Caller]:
    """A caller of a service over the dataset, which stops with the block."""
    with run.start(dataset, settings) as running, Caller(running) as caller:
        yield caller
