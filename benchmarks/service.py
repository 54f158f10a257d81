"""Twelve request shapes of a working day, asked of the service and of Datasette on the
same rows.

    python benchmarks/service.py [--companies 1000000] [--requests 100] [--datasette
    PATH]

`--datasette` names the program of an installed Datasette, which is no part of this
project; a virtual environment of its own will do: `python -m venv ds && ds/bin/pip
install datasette`. Without it only the service is measured. The dataset and the
database are made once and kept in `--folder`. Each shape is asked with other values
every time (so that no kept result answers), one request after the other on one kept
connection; bodies are read, not parsed.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import polars as pl
from database import make_database
from dataset import write

Ask = tuple[str, str]
"""A request to the service, and the SQL that asks Datasette the same."""


class Server:
    """A running server and one kept connection to it."""

    def __init__(self, address: str, pid: int, headers: dict[str, str]) -> None:
        self.address = urlsplit(address)
        self.pid = pid
        self.headers = headers
        self.connection = self.connect()

    def connect(self) -> http.client.HTTPConnection:
        """A new connection."""
        made = http.client.HTTPConnection(
            str(self.address.hostname), self.address.port, timeout=120
        )
        made.connect()
        made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made

    def get(
        self, target: str, connection: http.client.HTTPConnection | None = None
    ) -> bytes:
        """The body of a good reply."""
        through = connection or self.connection
        through.request("GET", target, headers=self.headers)
        reply = through.getresponse()
        body = reply.read()
        if reply.status != 200:
            raise RuntimeError(f"{reply.status} for {target}: {body[:300]!r}")
        return body

    def cpu(self) -> float:
        """Processor seconds so far: what is left of a time when the machine has
        other work.
        """
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, what: str) -> float:
        """MiB by the kernel's account: `VmHWM` at its peak, `VmRSS` now."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(text.split(f"{what}:")[1].split()[0]) / 1024


@contextmanager
def service(folder: Path) -> Iterator[tuple[Server, float]]:
    """The service over the folder, and the seconds until it answered."""
    command = [sys.executable, "-m", "ventureframe.cli", "serve", "--data", str(folder)]
    command += ["--client-secret", "benchmark", "--client-id", "benchmark"]
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        said: dict[str, str] = {}
        assert process.stdout
        while "client_id" not in said:
            name, _, value = process.stdout.readline().strip().partition("=")
            said[name] = value
        ready = time.perf_counter() - start
        yield Server(said["base_url"], process.pid, _headers(said["auth_url"])), ready
    finally:
        process.terminate()
        process.wait()


def _headers(auth_url: str) -> dict[str, str]:
    address = urlsplit(auth_url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port)
    asked = {"grant_type": "client_credentials", "client_id": "benchmark"}
    body = json.dumps(asked | {"client_secret": "benchmark"})
    connection.request("POST", address.path, body, {"Content-Type": "application/json"})
    token = json.loads(connection.getresponse().read())["access_token"]
    return {
        "Authorization": f"Bearer {token}",
        "X-Client-Id": "benchmark",
        "User-Agent": "bench/1",
    }


@contextmanager
def datasette(program: Path, database: Path) -> Iterator[Server]:
    """Datasette over the database, its limits out of the way and its cache warm."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = [
        "sql_time_limit_ms",
        "60000",
        "max_returned_rows",
        "2000",
        "num_sql_threads",
        "2",
    ]
    command = [str(program), "serve", "--immutable", str(database), "--port", str(port)]
    for name, value in zip(settings[::2], settings[1::2], strict=True):
        command += ["--setting", name, value]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield Server(address, process.pid, {})
    finally:
        process.terminate()
        process.wait()


@dataclass
class World:
    """What the questions are made from."""

    folder: Path
    draw: random.Random

    def __post_init__(self) -> None:
        def column(table: str, name: str) -> list[object]:
            return pl.read_parquet(self.folder / f"{table}.parquet", columns=[name])[
                name
            ].to_list()

        companies = pl.read_parquet(
            self.folder / "companies.parquet", columns=["uuid", "tag_id"]
        )
        self.companies: list[str] = companies["uuid"].to_list()
        self.tag_pairs: list[list[int]] = [
            sorted(self.draw.sample(tags, 2))
            for tags in companies["tag_id"].sample(5_000, seed=1).to_list()
            if len(tags) > 1
        ]
        self.founders: list[str] = column("founders", "uuid")  # type: ignore[assignment]
        funds = pl.read_parquet(self.folder / "funds.parquet", columns=["manager_uuid"])
        self.managers: list[str] = (
            funds["manager_uuid"].unique(maintain_order=True).to_list()
        )
        names: list[str] = column("universities", "name")  # type: ignore[assignment]
        self.universities = names[20 : len(names) // 4]
        places = pl.read_parquet(self.folder / "locations.parquet")
        self.places: list[tuple[int, str]] = list(
            places.filter(pl.col("type") == "continent")
            .select("id", "type")
            .iter_rows()
        )


def service_target(path: str, **query: object) -> str:
    return f"{path}?{urlencode(query)}"


def several(values: list[str]) -> str:
    return "|".join(values)


def quoted(values: list[str]) -> str:
    return ",".join(f"'{value}'" for value in values)


ROW = "select c.* from companies c"
PAGE = 50


# twelve of them
def shapes(world: World) -> dict[str, Callable[[], Ask]]:  # noqa: PLR0915
    """The twelve shapes, each a function that makes another question of it."""
    draw = world.draw

    def tags_place_flags() -> Ask:
        one, two = draw.choice(world.tag_pairs)
        place, kind = draw.choice(world.places)
        flags = "is_startup[eq]:true,is_hiring[eq]:true"
        clauses = f"and(tag_id[in_all]:{one}|{two},hq_location[eq]:{place},{flags})"
        sql = (
            f"{ROW} where c.id in (select company from company_tags where tag={one})"
            f" and c.id in (select company from company_tags where tag={two})"
            f" and {kind}_id={place} and is_startup=1 and is_hiring=1"
            f" order by signal_rating desc, uuid limit {PAGE}"
        )
        return (
            service_target(
                "/data/companies", filter=clauses, sort="-signal_rating", limit=PAGE
            ),
            sql,
        )

    def flags(*, is_deep: bool) -> tuple[str, str]:
        year = draw.randrange(1990, 2001)
        clauses = ["company_status[eq]:operational", f"launch_date[gte]:{year}"]
        where = ["company_status='operational'", f"launch_date>={year}"]
        for name in () if is_deep else ("is_startup", "is_hiring", "is_spinout"):
            if value := draw.choice(("true", "false", "")):
                clauses.append(f"{name}[eq]:{value}")
                where.append(f"{name}={int(value == 'true')}")
        return f"and({','.join(clauses)})", " and ".join(where)

    def broad(offset: int = 0) -> Ask:
        clauses, where = flags(is_deep=offset > 0)
        query = {
            "filter": clauses,
            "sort": "-total_funding",
            "limit": PAGE,
            "include_total": "true",
        }
        total = f"(select count(*) from companies where {where}) as total"
        sql = (
            f"select {total}, c.* from companies c where {where}"
            f" order by total_funding desc, uuid limit {PAGE}"
        )
        if offset:
            query["offset"], sql = offset, f"{sql} offset {offset}"
        return service_target("/data/companies", **query), sql

    def funding_range() -> Ask:
        low = round(10 ** draw.uniform(5, 7.5))
        high = round(low * draw.uniform(1.01, 3))
        clauses = f"and(total_funding[gte]:{low},total_funding[lte]:{high})"
        sql = (
            f"{ROW} where total_funding between {low} and {high} order by uuid limit"
            f" {PAGE}"
        )
        return service_target("/data/companies", filter=clauses, limit=PAGE), sql

    def fifty_ids() -> Ask:
        ids = draw.sample(world.companies, 50)
        sql = f"{ROW} where uuid in ({quoted(ids)}) order by uuid"
        return (
            service_target(
                "/data/companies", filter=f"id[in_any]:{several(ids)}", limit=50
            ),
            sql,
        )

    def candidates() -> Ask:
        name = draw.choice(world.universities)
        sql = (
            f"{ROW} where c.id in (select company from company_universities where"
            f" name='{name}') order by uuid limit {PAGE}"
        )
        clause = f"founder_university_name[eq]:{name}"
        return service_target("/data/companies", filter=clause, limit=PAGE), sql

    def scores() -> Ask:
        rating, timing, team = (round(draw.uniform(20, 90), 1) for _ in range(3))
        clauses = (
            f"and(signal_rating[gte]:{rating},signal_timing[gte]:{timing}"
            f",signal_team[gte]:{team})"
        )
        sql = (
            f"{ROW} where signal_rating>={rating} and signal_timing>={timing}"
            f" and signal_team>={team} order by signal_rating desc, uuid limit {PAGE}"
        )
        return (
            service_target(
                "/data/companies", filter=clauses, sort="-signal_rating", limit=PAGE
            ),
            sql,
        )

    def plain_page() -> Ask:
        offset = draw.randrange(len(world.companies) - PAGE)
        sql = f"{ROW} order by uuid limit {PAGE} offset {offset}"
        return service_target("/data/companies", offset=offset, limit=PAGE), sql

    def funds_of_managers() -> Ask:
        managers = draw.sample(world.managers, 20)
        year = draw.randrange(2010, 2026)
        clauses = f"and(investor_id[in_any]:{several(managers)},year[gte]:{year})"
        sql = (
            f"select f.* from funds f where manager_uuid in ({quoted(managers)})"
            f" and fund_date>='{year}' order by fund_date desc, id limit 100"
        )
        return (
            service_target("/data/funds", filter=clauses, sort="-fund_date", limit=100),
            sql,
        )

    def founders() -> Ask:
        ids = draw.sample(world.founders, 50)
        sql = f"select * from founders where uuid in ({quoted(ids)}) order by uuid"
        return (
            service_target(
                "/data/founders", filter=f"id[in_any]:{several(ids)}", limit=50
            ),
            sql,
        )

    def news() -> Ask:
        ids = draw.sample(world.companies, 50)
        sql = (
            "select n.* from news n where n.id in (select news from news_companies"
            f" where company in ({quoted(ids)})) order by publish_date desc, id"
            " limit 100"
        )
        clause = f"entity_id[in_any]:{several(ids)}"
        return (
            service_target(
                "/data/news", filter=clause, sort="-publish_date", limit=100
            ),
            sql,
        )

    def search() -> Ask:
        name = draw.choice(world.universities)
        asked = name[: draw.randrange(6, len(name) + 1)]
        target = service_target(
            "/data/search", q=asked, types="university,investor", limit=20
        )
        match = asked.replace('"', "").replace("'", "")
        sql = (
            f"select * from names where names match '\"{match}\"' order by rank"
            " limit 20"
        )
        return target, sql

    return {
        "two tags, place, flags by score": tags_place_flags,
        "broad flags by funding, total": broad,
        "the same at offset 200,000": lambda: broad(200_000),
        "a funding range": funding_range,
        "50 ids": fifty_ids,
        "candidates of a university": candidates,
        "three scores": scores,
        "a plain page": plain_page,
        "funds of 20 managers since a year": funds_of_managers,
        "50 founders": founders,
        "news of 50 companies": news,
        "a text search": search,
    }


def timed(server: Server, targets: list[str]) -> list[float]:
    """Milliseconds of each request."""
    spent = []
    for target in targets:
        start = time.perf_counter()
        server.get(target)
        spent.append((time.perf_counter() - start) * 1e3)
    return spent


def rested(server: Server) -> float:
    """Seconds until the server has nothing more to do by itself."""
    start, before = time.perf_counter(), -1.0
    while server.cpu() - before > 0.05:
        before = server.cpu()
        time.sleep(1)
    return time.perf_counter() - start


def at(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def mixed(server: Server, targets: list[str], *, connections: int) -> float:
    """Requests a second with so many connections at once."""
    left = iter(targets)
    lock = threading.Lock()

    def work() -> None:
        connection = server.connect()
        while True:
            with lock:
                target = next(left, None)
            if target is None:
                return
            server.get(target, connection)

    threads = [threading.Thread(target=work) for _ in range(connections)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(targets) / (time.perf_counter() - start)


def machine() -> str:
    """The cores and the memory of this machine, and how busy it is with other work."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        "unknown",
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB, load"
        f" {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="p50 and p99 of twelve request shapes")
    parser.add_argument("--companies", type=int, default=1_000_000)
    parser.add_argument("--requests", type=int, default=100, help="of each shape")
    parser.add_argument("--datasette", type=Path, metavar="PROGRAM")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "ventureframe"
    )
    parser.add_argument("--only", default="", help="shapes whose name has this")
    options = parser.parse_args()
    folder = write(options.folder / f"{options.companies}", companies=options.companies)
    asked = {
        name: [make() for _ in range(options.requests)]
        for name, make in shapes(World(folder, random.Random(11))).items()
        if options.only in name
    }
    mix = [ask for round_ in zip(*asked.values(), strict=True) for ask in round_]
    print(
        f"{options.companies:,} companies, {options.requests} requests a shape;"
        f" {machine()}"
    )
    ours: dict[str, list[float]] = {}
    with service(folder) as (server, ready):
        spent, memory = server.cpu(), server.memory("VmRSS")
        print(
            f"service: ready in {ready:.1f} s, {spent:.1f} s of CPU, {memory:.0f} MiB"
        )
        print(f"service: indexes made after {rested(server):.0f} s more")
        for name, asks in asked.items():
            ours[name] = timed(server, [target for target, _ in asks])
        for connections in (1, 4):
            rate = mixed(server, [target for target, _ in mix], connections=connections)
            print(
                f"service: {rate:.0f} requests/s on the mix, {connections} connections"
            )
        now, peak = server.memory("VmRSS"), server.memory("VmHWM")
        print(f"service: {now:.0f} MiB now, {peak:.0f} at its peak")
    theirs: dict[str, list[float]] = {}
    if options.datasette is not None:
        database = make_database(folder)
        with datasette(options.datasette, database) as server:
            for name, asks in asked.items():
                targets = [
                    f"/{database.stem}.json?{urlencode({'sql': sql, '_shape': 'objects'})}"
                    for _, sql in asks
                ]
                theirs[name] = timed(server, targets[: max(10, options.requests // 4)])
            print(f"Datasette: {server.memory('VmHWM'):.0f} MiB at its peak")
    report(ours, theirs)


def report(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> None:
    """One line a shape."""
    heads = (
        f"{'first':>8}{'p50':>8}{'p99':>8}{'Datasette p50':>16}{'p99':>8}{'ratio':>8}"
    )
    print(f"\n{'milliseconds':36}{heads}")
    for name, spent in ours.items():
        line = f"{name:36}{spent[0]:8.1f}{statistics.median(spent):8.1f}{at(spent, 0.99):8.1f}"
        if name in theirs:
            other = statistics.median(theirs[name])
            line += f"{other:16.1f}{at(theirs[name], 0.99):8.1f}"
            line += f"{other / statistics.median(spent):8.1f}"
        print(line)


if __name__ == "__main__":
    main()
