"""Company rows from a local server to a typed frame: this client beside what people
write today.

    python benchmarks/client.py [--rows 100000] [--rounds 3] [--delays 0] [--extra PATH]
    [NAME ...]

Every contestant runs in a process of its own, in turn, round after round, so that
whatever else the machine does meets all of them; each has made one small request
before its time begins. Ratios are taken within a round and their median is shown.
Names: `naive` (requests, `response.json()`, `pd.DataFrame`), `pyalex` (the same with
a retrying session and a class around each row), `httpx` (with orjson), `dlt` (its
REST client's offset paginator), `floor` (raw socket and simdjson, nothing built),
`polars`, `pandas` (this client, everything a user gets). `--extra` is a folder with
dlt and pysimdjson, which are no part of this project: `pip install --target extra
dlt pysimdjson`.
"""

# a contestant loads only what it uses

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ALL = ("naive", "pyalex", "httpx", "dlt", "floor", "polars", "pandas")
HEADERS = {"Authorization": "Bearer t", "X-Client-Id": "c", "User-Agent": "benchmark"}


def naive(base: str, limit: int, rows: int, _: int) -> int:
    import pandas as pd
    import requests

    session, found = requests.Session(), []
    while len(found) < rows:
        asked = {"limit": limit, "offset": len(found), "include_total": "true"}
        url = f"{base}/data/companies"
        response = session.get(url, params=asked, headers=HEADERS, timeout=60)
        response.raise_for_status()
        found += response.json()["data"]
    return len(pd.DataFrame(found))


def pyalex(base: str, limit: int, rows: int, _: int) -> int:
    import pandas as pd
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    class Company(dict[str, Any]):
        pass

    found: list[Company] = []
    while len(found) < rows:
        # as there: a session, and a connection, per page
        with requests.Session() as session:
            session.mount(
                "http://", HTTPAdapter(max_retries=Retry(total=3, backoff_factor=0.1))
            )
            url = f"{base}/data/companies?limit={limit}&offset={len(found)}&include_total=true"
            response = session.get(url, headers=HEADERS, timeout=60)
        response.raise_for_status()
        found += [Company(row) for row in response.json()["data"]]
    return len(pd.DataFrame(found))


def httpx(base: str, limit: int, rows: int, _: int) -> int:
    import httpx
    import orjson
    import pandas as pd

    found: list[Any] = []
    with httpx.Client(headers=HEADERS, timeout=60) as client:
        while len(found) < rows:
            asked = {"limit": limit, "offset": len(found), "include_total": "true"}
            response = client.get(f"{base}/data/companies", params=asked)
            response.raise_for_status()
            found += orjson.loads(response.content)["data"]
    return len(pd.DataFrame(found))


def dlt(base: str, limit: int, rows: int, _: int) -> int:
    import pandas as pd
    from dlt.sources.helpers.rest_client import RESTClient
    from dlt.sources.helpers.rest_client.paginators import OffsetPaginator

    pages = RESTClient(
        base_url=base,
        headers=HEADERS,
        paginator=OffsetPaginator(
            limit=limit, total_path="page.total", maximum_offset=rows
        ),
        data_selector="data",
    ).paginate("/data/companies", params={"include_total": "true"})
    return len(pd.DataFrame([row for page in pages for row in page]))


def floor(base: str, limit: int, rows: int, _: int) -> int:
    import simdjson

    host, _, port = base.removeprefix("http://").partition(":")
    parser = simdjson.Parser()
    with socket.create_connection((host, int(port))) as raw:
        for start in range(0, rows, limit):
            raw.sendall(
                f"GET /data/companies?limit={limit}&offset={start} HTTP/1.1\r\n\r\n".encode()
            )
            seen = raw.recv(1 << 20)
            head, _, body = seen.partition(b"\r\n\r\n")
            length = int(head.rpartition(b": ")[2])
            pieces, left = [body], length - len(body)
            while left:
                pieces.append(raw.recv(min(left, 1 << 20)))
                left -= len(pieces[-1])
            parser.parse(b"".join(pieces))
    return rows


def polars(base: str, limit: int, rows: int, workers: int) -> int:
    return len(_fetched(base, limit, rows, workers).to_polars())


def pandas(base: str, limit: int, rows: int, workers: int) -> int:
    return len(_fetched(base, limit, rows, workers).to_pandas())


def _fetched(base: str, limit: int, rows: int, workers: int) -> Any:
    from ventureframe.client.auth import Credentials, Secret
    from ventureframe.client.service import Service
    from ventureframe.client.session import Session
    from ventureframe.interface.wire.profile import INTERFACE, Limit

    session = Session(
        base_url=base,
        auth_url=f"{base}/oauth/token",
        credentials=Credentials("c", Secret("s")),
        user_agent="benchmark",
        profile=dataclasses.replace(
            INTERFACE, limits={**INTERFACE.limits, "companies": Limit(25, limit)}
        ),
    )
    companies = Service(session).companies
    if rows == 1:
        return companies.by_id([]).fetch()
    result = companies.fetch(workers=workers)
    assert result.is_complete, result.line
    return result


CONTESTANTS: dict[str, Callable[[str, int, int, int], int]] = {
    each.__name__: each for each in (naive, pyalex, httpx, dlt, floor, polars, pandas)
}


@dataclasses.dataclass(frozen=True)
class Run:
    """What one process needed, for all rows."""

    seconds: float
    cpu: float
    peak: float


def one(name: str, base: str, limit: int, rows: int, workers: int) -> Run:
    """One contestant in this process, after a small request that loads what it
    loads.
    """
    contestant = CONTESTANTS[name]
    warm_up(name, base)
    began, worked = time.perf_counter(), time.process_time()
    count = contestant(base, limit, rows, workers)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    if count != rows:
        raise SystemExit(f"{name} has {count} of {rows} rows")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Run(seconds, cpu, peak)


def warm_up(name: str, base: str) -> None:
    """Imports and first use are paid before the time begins, by every contestant
    alike.
    """
    if name in ("polars", "pandas"):
        import requests

        from ventureframe.client.decode import decode
        from ventureframe.interface.fields import COMPANIES
        from ventureframe.interface.reply import Reply
        from ventureframe.interface.wire.profile import INTERFACE

        body = requests.get(
            f"{base}/data/companies?limit=1&offset=0", timeout=60
        ).content
        decode(
            [Reply("", body, {})],
            INTERFACE.shape("companies", COMPANIES),
            profile=INTERFACE,
        )
        result = _fetched(base, 1, 1, 1)
        result.to_pandas() if name == "pandas" else result.to_polars()
    else:
        CONTESTANTS[name](base, 1, 1, 1)


@contextmanager
def serving(folder: Path, rows: int, delay: float) -> Iterator[str]:
    """The server of pages, in a process of its own."""
    command = [
        sys.executable,
        str(HERE / "pages.py"),
        str(folder),
        str(rows),
        str(delay),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.terminate()


def apart(name: str, base: str, limit: int, asked: argparse.Namespace) -> Run:
    """One contestant in a process of its own."""
    command = [
        sys.executable,
        __file__,
        "--one",
        name,
        "--base",
        base,
        "--limit",
        str(limit),
    ]
    command += ["--rows", str(asked.rows), "--workers", str(asked.workers)]
    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), asked.extra]))
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return Run(**json.loads(done.stdout.splitlines()[-1]))


def table(rounds: Sequence[dict[str, Run]], rows: int, title: str) -> str:
    """Medians, and the median of the ratios to the naive loop of the same round."""

    def median(name: str, of: Callable[[Run], float]) -> float:
        return statistics.median(of(each[name]) for each in rounds)

    def ratio(name: str, of: Callable[[Run], float]) -> str:
        if "naive" not in rounds[0]:
            return "-"
        return f"{statistics.median(of(each[name]) / of(each['naive']) for each in rounds):.2f}"

    heads = (
        "| | rows/s | times naive | CPU s per million | of naive | peak MB | of naive |"
    )
    lines = [f"### {title}", "", heads, "|---|---|---|---|---|---|---|"]
    for name in rounds[0]:
        cells = [
            f"{rows / median(name, lambda run: run.seconds):,.0f}",
            ratio(name, lambda run: 1 / run.seconds),
            f"{median(name, lambda run: run.cpu) / rows * 1e6:.1f}",
            ratio(name, lambda run: run.cpu),
            f"{median(name, lambda run: run.peak):,.0f}",
            ratio(name, lambda run: run.peak),
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="This client beside what people write today."
    )
    parser.add_argument("names", nargs="*", default=list(ALL), metavar="NAME")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limits", default="100,500", help="rows a page")
    parser.add_argument("--delays", default="0", help="milliseconds before each answer")
    parser.add_argument("--workers", type=int, default=1, help="of this client")
    parser.add_argument("--extra", default="", help="folder with dlt and pysimdjson")
    parser.add_argument(
        "--folder", default=Path(tempfile.gettempdir()) / "ventureframe-pages"
    )
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--base", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        run = one(asked.one, asked.base, asked.limit, asked.rows, asked.workers)
        print(json.dumps(dataclasses.asdict(run)))
        return
    folder = Path(asked.folder)
    folder.mkdir(exist_ok=True)
    names = [
        name for name in asked.names if asked.extra or name not in ("dlt", "floor")
    ]
    for delay in map(int, asked.delays.split(",")):
        with serving(folder, asked.rows, delay / 1000) as base:
            for limit in map(int, asked.limits.split(",")):
                rounds = [
                    {name: apart(name, base, limit, asked) for name in names}
                    for _ in range(asked.rounds)
                ]
                said = (
                    f"{asked.rows:,} rows, {limit} a page, {delay} ms, {asked.workers}"
                    " worker(s)"
                )
                print(table(rounds, asked.rows, said), flush=True)


if __name__ == "__main__":
    main()
