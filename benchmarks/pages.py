"""A server of company pages that is never the bottleneck: rows made ahead, a page is
one slice.

Run by `client.py` in a process of its own. It answers as the interface says, each
answer after `delay` seconds, and counts nothing else.
"""

from __future__ import annotations

import random
import socket
import socketserver
import sys
import time
import uuid
from array import array
from pathlib import Path

WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "robotics",
    "energy",
    "health",
    "data",
    "cloud",
    "platform",
    "network",
    "labs",
    "systems",
    "quantum",
    "bio",
    "green",
    "urban",
    "smart",
    "deep",
    "open",
]


def rows(count: int) -> tuple[bytes, array[int]]:
    """The rows as JSON with a comma after each, and where each begins; about 700
    bytes a row.
    """
    draw = random.Random(2026)
    made, starts, at = [], array("q", [0]), 0
    for number in range(count):
        row = _row(draw, number)
        made.append(row)
        at += len(row)
        starts.append(at)
    return b"".join(made), starts


def _row(draw: random.Random, number: int) -> bytes:
    def known(share: float, value: object) -> object:
        return value if draw.random() < share else "null"

    def identifier() -> str:
        return str(uuid.UUID(int=draw.getrandbits(128), version=4))

    tags = ",".join(
        f'{{"id":{draw.getrandbits(40)},"name":"{draw.choice(WORDS)}","type":"technology"}}'
        for _ in range(draw.randrange(4))
    )
    founders = ",".join(f'"{identifier()}"' for _ in range(draw.randrange(4)))
    words = " ".join(draw.choices(WORDS, k=30))
    return (
        f'{{"uuid":"{identifier()}","name":"{draw.choice(WORDS).title()} {number}",'
        f'"tagline":{known(0.8, f"{chr(34)}{words}{chr(34)}")},'
        f'"website_domain":{known(0.7, f"{chr(34)}company{number}.example{chr(34)}")},'
        '"hq_city":"Zürich","hq_country":"Switzerland","hq_continent":"Europe",'
        f'"launch_date":{known(0.6, draw.randint(1990, 2024))},'
        f'"team_size":{known(0.4, draw.randint(1, 900))},"tags":[{tags}],'
        f'"total_funding":{known(0.5, round(draw.random() * 1e8, 2))},'
        f'"company_status":"operational","is_startup":{known(0.5, "true")},"is_spinout":null,'
        f'"is_hiring":{known(0.5, "false")},"open_jobs_count":{known(0.2, draw.randint(0, 40))},'
        f'"founders":[{founders}],"signal_rating":{known(0.7, round(draw.random() * 100, 1))}}},'
    ).encode()


def _length(head: bytes) -> int:
    """The length of a request's body."""
    _, found, value = head.lower().partition(b"content-length:")
    return int(value.split(b"\r\n", 1)[0]) if found else 0


class Handler(socketserver.BaseRequestHandler):
    """One connection: requests in, pages out, until the other side closes."""

    text: bytes
    starts: array[int]
    delay: float

    def handle(self) -> None:
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        seen = b""
        while True:
            head, found, rest = seen.partition(b"\r\n\r\n")
            if not found:
                more = self.request.recv(65536)
                if not more:
                    return
                seen += more
                continue
            target = head.split(b" ", 2)[1].decode()
            body_length = _length(head)
            while len(rest) < body_length:
                rest += self.request.recv(65536)
            seen = rest[body_length:]
            if self.delay and "limit=" in target:
                time.sleep(self.delay)
            self._answer(target)

    def _answer(self, target: str) -> None:
        asked = dict(
            pair.split("=", 1) for pair in target.partition("?")[2].split("&") if pair
        )
        if "limit" not in asked:
            parts = [b'{"access_token":"t","token_type":"Bearer","expires_in":86400}']
        else:
            parts = self._page(asked)
        length = sum(map(len, parts))
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length:"
            f" {length}\r\n\r\n"
        )
        self.request.sendall(b"".join([head.encode(), *parts]))

    def _page(self, asked: dict[str, str]) -> list[bytes | memoryview]:
        limit, count = int(asked["limit"]), len(self.starts) - 1
        start = min(int(asked.get("offset", 0)), count)
        end = min(start + limit, count)
        total = str(count) if asked.get("include_total") == "true" else "null"
        text = memoryview(self.text)[self.starts[start] : max(self.starts[end] - 1, 0)]
        about = (
            f'],"page":{{"limit":{limit},"offset":{start},"total":{total},"next_cursor":null,'
            '"prev_cursor":null},"currency":"USD"}'
        )
        return [b'{"data":[', text if end > start else b"", about.encode()]


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


def main() -> None:
    folder, count, delay = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    kept, index = folder / f"{count}.rows", folder / f"{count}.starts"
    if not index.exists():
        text, starts = rows(count)
        kept.write_bytes(text)
        index.write_bytes(starts.tobytes())
    Handler.text, Handler.starts = kept.read_bytes(), array("q", index.read_bytes())
    Handler.delay = delay
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_address[1], flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
