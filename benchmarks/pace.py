"""How fast a service that lets in five requests a second is read, and how many it has
to refuse.

    python benchmarks/pace.py [--rate 5] [--pages 58] [--delays 20,80,300] [--extra
    PATH] [NAME ...]

A service of this package refuses what is above the rate with 429 and `Retry-After`;
each answer takes so many milliseconds longer. Every contestant reads the same
collection in a process of its own. Names: `naive` (requests, sleeps as `Retry-After`
says), `dlt` (its REST client's offset paginator), `ventureframe` (as connected,
nothing set), `workers-8` (the same with `workers=8`), `unannounced` (as
`ventureframe`, and the service does not announce its rate). `--extra` is a folder
with dlt, which is no part of this project: `pip install --target extra dlt`.
"""

# a contestant loads only what it uses

from __future__ import annotations

import argparse
import asyncio
import collections
import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ALL = ("naive", "dlt", "ventureframe", "workers-8", "unannounced")
ROWS = 10
ANNOUNCING = (b"ratelimit-policy", b"x-dataset")


def signed(asked: argparse.Namespace) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {asked.token}",
        "X-Client-Id": "ventureframe",
        "User-Agent": "benchmark",
    }


def naive(asked: argparse.Namespace) -> int:
    import requests

    session, found = requests.Session(), []
    while len(found) < asked.pages * ROWS:
        params = {"limit": ROWS, "offset": len(found), "include_total": "true"}
        url = f"{asked.base}/data/companies"
        response = session.get(url, params=params, headers=signed(asked), timeout=60)
        if response.status_code == 429:
            time.sleep(float(response.headers["Retry-After"]))
            continue
        response.raise_for_status()
        found += response.json()["data"]
    return len(found)


def dlt(asked: argparse.Namespace) -> int:
    from dlt.sources.helpers.rest_client import RESTClient
    from dlt.sources.helpers.rest_client.paginators import OffsetPaginator

    pages = RESTClient(
        base_url=asked.base,
        headers=signed(asked),
        paginator=OffsetPaginator(limit=ROWS, total_path="page.total"),
        data_selector="data",
    ).paginate("/data/companies", params={"include_total": "true"})
    return sum(len(page) for page in pages)


def ventureframe(asked: argparse.Namespace, workers: int | None = None) -> int:
    import ventureframe as vf
    from ventureframe.interface.wire.profile import INTERFACE, Limit

    names = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "USER_AGENT")
    values = (
        asked.base,
        f"{asked.base}/oauth/token",
        "ventureframe",
        asked.secret,
        "benchmark",
    )
    given = {
        f"VENTUREFRAME_{name}": value for name, value in zip(names, values, strict=True)
    }
    service = vf.connect(environment=given)
    # pages share one row
    limits = {**INTERFACE.limits, "companies": Limit(25, ROWS + 1)}
    connection = service.connection
    connection.profile = dataclasses.replace(connection.profile, limits=limits)
    connection.session.speak(connection.profile)
    result = service.companies.fetch(workers=workers)
    assert result.is_complete, result.line
    return len(result)


CONTESTANTS: dict[str, Callable[[argparse.Namespace], int]] = {
    "naive": naive,
    "dlt": dlt,
    "ventureframe": ventureframe,
    "workers-8": lambda asked: ventureframe(asked, 8),
    "unannounced": ventureframe,
}


@dataclasses.dataclass
class Slow:
    """The service's routes, each answer later; counts what was let in and what was
    refused.
    """

    delay: float
    is_announced: bool
    counted: collections.Counter[int] = dataclasses.field(
        default_factory=collections.Counter
    )
    began: float = 0.0
    ended: float = 0.0

    def around(self, app: Any, _name: str) -> Any:
        async def answer(scope: Any, receive: Any, send: Any) -> None:
            is_page = scope["path"] == "/data/companies"
            if is_page:
                self.began = self.began or time.perf_counter()

            async def counting(message: Any) -> None:
                if message["type"] == "http.response.start":
                    self.counted[message["status"]] += is_page
                    await asyncio.sleep(self.delay)
                    kept = [
                        pair
                        for pair in message["headers"]
                        if self.is_announced or pair[0].lower() not in ANNOUNCING
                    ]
                    message = {**message, "headers": kept}
                await send(message)
                self.ended = time.perf_counter() if is_page else self.ended

            await app(scope, receive, counting)

        return answer


def measured(name: str, delay: int, asked: argparse.Namespace) -> str:
    """One contestant against a service of its own, as a row of the table."""
    from ventureframe_service.dataset import Dataset, sample
    from ventureframe_service.run import start
    from ventureframe_service.settings import Settings

    slow = Slow(delay / 1000, is_announced=name != "unannounced")
    settings = Settings(rate=asked.rate, around=slow.around, client_secret="known here")
    companies = sample().tables["companies"].head(asked.pages * ROWS)
    tables = {"companies": companies, "tags": sample().tables["tags"]}
    dataset = Dataset.of(sample().description, tables)
    with start(dataset, settings) as running:
        import requests

        grant = {"grant_type": "client_credentials", "client_id": running.client_id}
        body = grant | {"client_secret": running.client_secret}
        token = requests.post(running.auth_url, json=body, timeout=60).json()[
            "access_token"
        ]
        command = [sys.executable, __file__, name, "--one", "--base", running.base_url]
        command += [
            "--token",
            token,
            "--secret",
            running.client_secret,
            "--pages",
            str(asked.pages),
        ]
        path = os.pathsep.join(
            filter(None, [os.environ.get("PYTHONPATH"), asked.extra])
        )
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False
        )
    if done.returncode:
        return f"| {delay} | {name} | {done.stderr.strip().splitlines()[-1]} | | |"
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == asked.pages * ROWS, found
    refused, useful = slow.counted[429], slow.counted[200]
    speed = useful / (slow.ended - slow.began)
    share = refused / (refused + useful)
    return (
        f"| {delay} | {name} | {speed:.2f} | {speed / asked.rate:.0%} | {refused}"
        f" ({share:.1%}) |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description="The pace against a service with a rate."
    )
    parser.add_argument("names", nargs="*", default=list(ALL), metavar="NAME")
    parser.add_argument("--rate", type=float, default=5.0, help="requests a second")
    parser.add_argument("--pages", type=int, default=58)
    parser.add_argument(
        "--delays", default="20,80,300", help="milliseconds before each answer"
    )
    parser.add_argument("--extra", default="", help="folder with dlt")
    for hidden in ("--base", "--token", "--secret"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(CONTESTANTS[asked.names[0]](asked))
        return
    print(
        f"{asked.pages} pages, {asked.rate:g} requests a second; load"
        f" {os.getloadavg()[0]:.1f}\n"
    )
    if not asked.extra:
        print("dlt is left out: name a folder with it by --extra.\n")
    print(
        "| ms | | useful requests a second | of the rate | refused"
        " |\n|---|---|---|---|---|"
    )
    for delay in map(int, asked.delays.split(",")):
        for name in asked.names:
            if name != "dlt" or asked.extra:
                print(measured(name, delay, asked), flush=True)


if __name__ == "__main__":
    main()
