"""A service between a client and another one, which changes what passes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.wires.mutations import ERRORS, Mutation, Path, paths_of, route_of


class Proxy:
    """Passes requests on to a service, and its replies back, under one mutation.

    What passed while there was none is kept: the paths of members of each route's
    replies, and the names of parameters.
    """

    def __init__(self, behind: str, paths: Mapping[str, str]) -> None:
        self.behind, self.paths = urlsplit(behind).netloc, paths
        self.mutation: Mutation | None = None
        self.asked = 0
        self.replies: dict[str, set[Path]] = {}
        self.queries: dict[str, set[str]] = {}

    def answer(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, headers and content that a request gets."""
        address = urlsplit(target)
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        route, mutation = route_of(address.path, self.paths), self.mutation
        if mutation is not None and route == mutation.route:
            self.asked += 1
            if mutation.kind in ERRORS:
                status, kind, text = ERRORS[mutation.kind]
                return status, {"Content-Type": kind}, text.encode()
            changed = mutation.query(query)
            if changed != query:
                target = f"{address.path}?{urlencode(changed)}"
        status, own, content = self._passed_on(method, target, headers, body)
        if route is None or status != 200:
            return status, own, content
        value = self.changed(route, json.loads(content))
        if mutation is None:
            self.queries.setdefault(route, set()).update(query)
            self.replies.setdefault(route, set()).update(paths_of(value))
        elif route == mutation.route:
            value = mutation.body(value)
        return status, own, json.dumps(value).encode()

    def changed(self, route: str, value: Any) -> Any:
        """The content of a good reply as it is passed on: the same here."""
        del route
        return value

    def _passed_on(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        dropped = ("host", "connection", "content-length", "accept-encoding")
        sent = {
            name: text for name, text in headers.items() if name.lower() not in dropped
        }
        connection = HTTPConnection(self.behind)
        connection.request(method, target, body or None, sent)
        reply = connection.getresponse()
        content = reply.read()
        left_out = ("content-length", "transfer-encoding", "content-encoding", "date")
        own = {
            name: text
            for name, text in reply.getheaders()
            if name.lower() not in left_out
        }
        connection.close()
        return reply.status, own, content


@contextmanager
def proxied(
    behind: str, paths: Mapping[str, str], kind: type[Proxy] = Proxy
) -> Iterator[tuple[Proxy, str]]:
    """A proxy before a service, and its address."""
    proxy = kind(behind, paths)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body together: apart, each waits for the other side
        disable_nagle_algorithm = True

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            status, own, content = proxy.answer(
                self.command, self.path, dict(self.headers), body
            )
            self.send_response(status)
            for name, text in own.items():
                self.send_header(name, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer  # noqa: N815  # names of the standard library

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
