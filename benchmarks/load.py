"""Three hundred connections that ask the service twelve kinds of question at once,
beside one.

    python benchmarks/load.py [--companies 100000] [--connections 300] [--seconds 20]

The dataset is made once, as for service.py. Every connection is kept and asks its
next question as soon as it has read the answer to the last; who asks and the service
share the machine. An error is anything but a 200 whose body has the length that it
announced.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from dataset import write

from service import World, rested, service, shapes


async def ask(
    address: str, head: str, targets: list[str], until: float
) -> list[float | None]:
    """Milliseconds of each answer through one connection; None for an error."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    took: list[float | None] = []
    reader, writer = await asyncio.open_connection(host, port, limit=2**22)
    while (began := time.perf_counter()) < until:
        writer.write(f"GET {random.choice(targets)} HTTP/1.1\r\n{head}\r\n".encode())
        try:
            reply = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = reply.partition("content-length:")[2].split()[0]
            await reader.readexactly(int(length))
        except (OSError, asyncio.IncompleteReadError, IndexError):
            took.append(None)
            reader, writer = await asyncio.open_connection(host, port, limit=2**22)
            continue
        is_good = reply.split()[1] == "200"
        took.append((time.perf_counter() - began) * 1000 if is_good else None)
    writer.close()
    return took


async def load(
    address: str, head: str, targets: list[str], connections: int, seconds: float
) -> str:
    """What so many connections were answered in so many seconds, said in a line."""
    until = time.perf_counter() + seconds
    asked = (ask(address, head, targets, until) for _ in range(connections))
    took = [each for one in await asyncio.gather(*asked) for each in one]
    good = sorted(each for each in took if each is not None)
    return (
        f"{connections:>4} connections: {len(good) / seconds:,.0f} answers a second,"
        f" median {statistics.median(good):,.0f} ms, p99"
        f" {good[int(len(good) * 0.99)]:,.0f} ms, longest {good[-1]:,.0f} ms,"
        f" {len(took) - len(good)} errors"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--companies", type=int, default=100_000)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "ventureframe"
    )
    parser.add_argument("--connections", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=20)
    asked = parser.parse_args()
    random.seed(1)
    folder = write(asked.folder / f"{asked.companies}", companies=asked.companies)
    made = shapes(World(folder, random.Random(1)))
    targets = [each()[0] for each in made.values() for _ in range(40)]
    with service(folder) as (server, _):
        rested(server)
        headers = server.headers | {"Host": server.address.netloc}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        for connections in (1, asked.connections):
            said = load(
                server.address.geturl(), head, targets, connections, asked.seconds
            )
            print(asyncio.run(said))
        print(f"peak of the service {server.memory('VmHWM'):,.0f} MiB")


if __name__ == "__main__":
    main()
