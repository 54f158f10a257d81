"""A gate in front of a service: requests that it holds go on when it is opened."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class Gate:
    """Passes bytes on in both directions; while it is closed, requests for `path`
    wait.
    """

    def __init__(self, base_url: str, *, path: str) -> None:
        parts = urlsplit(base_url)
        self._behind = (parts.hostname, parts.port)
        self._path = path.encode()
        self._open = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.base_url = (
            f"http://127.0.0.1:{self._listening.getsockname()[1]}{parts.path}"
        )
        self._open.set()
        threading.Thread(target=self._serve, daemon=True).start()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Holds the requests that arrive meanwhile."""
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()

    def close(self) -> None:
        """Takes no further connection."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                asking, _ = self._listening.accept()
            except OSError:
                return
            answering = socket.create_connection(self._behind)
            for one, other in ((asking, answering), (answering, asking)):
                threading.Thread(
                    target=self._pass_on, args=(one, other), daemon=True
                ).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while received := one.recv(65536):
                if self._path in received.partition(b"\r\n")[0]:
                    self._open.wait()
                other.sendall(received)
        except OSError:
            pass
        finally:
            for end in (one, other):
                end.close()
