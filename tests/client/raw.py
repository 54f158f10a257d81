"""Sockets that play bytes: a service, or a proxy, whose replies no HTTP library
would write.
"""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

TOKEN = b'{"access_token": "token-of-the-raw-service", "expires_in": 3600}'


def whole(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A well-formed reply that keeps the connection open."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


@dataclass
class Raw:
    """A listener; `play` is given the head of each request and yields the pieces of its
    reply.

    An empty piece waits a hundredth of a second. `heads` keeps every request as it
    arrived; `ended` is set once a connection is closed.
    """

    play: Callable[[str], Iterator[bytes]]
    heads: list[str] = field(default_factory=list)
    address: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def targets(self) -> list[str]:
        """What each request line asks for."""
        return [head.split(" ")[1] for head in self.heads]

    def serve(self, connection: socket.socket) -> None:
        """Answers each request of a connection until either side closes it."""
        with (
            connection,
            contextlib.suppress(OSError),
            connection.makefile("rb") as file,
        ):
            while line := file.readline():
                head = line
                while (line := file.readline()) not in (b"\r\n", b""):
                    head += line
                text = head.decode("latin-1")
                self.heads.append(text)
                for name, _, value in (
                    each.partition(":") for each in text.splitlines()
                ):
                    if name.lower() == "content-length":
                        file.read(int(value))
                for piece in self.play(text):
                    connection.sendall(piece)
                    if not piece:
                        threading.Event().wait(0.01)
        self.ended.set()


@contextlib.contextmanager
def playing(
    play: Callable[[str], Iterator[bytes]], context: ssl.SSLContext | None = None
) -> Iterator[Raw]:
    """A listener that plays replies until the block ends, over TLS with a context.

    Its connections end with it.
    """
    raw, connections = Raw(play), list[socket.socket]()
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        raw.address = f"http://127.0.0.1:{listener.getsockname()[1]}"

        def serve(connection: socket.socket) -> None:
            with contextlib.suppress(OSError):  # a client that trusts nobody
                if context is not None:
                    connection = context.wrap_socket(connection, server_side=True)
                raw.serve(connection)

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connections.append(connection)
                    threading.Thread(
                        target=serve, args=(connection,), daemon=True
                    ).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield raw
        finally:
            # also those on which a client still waits
            for each in (listener, *connections):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
