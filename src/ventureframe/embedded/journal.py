"""One line a request: when, what, how it was answered, how long it took. Never a secret.

The path is written as it came, percent signs and all, so that no path can forge a line; queries
and headers, where a token could stand, are left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Journal:
    """Writes the line once the application has answered."""

    def __init__(self, app: ASGIApp, *, write: Callable[[str], None]) -> None:
        self._app = app
        self._write = write

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start, status, size = time.perf_counter(), "-", 0

        async def watched(message: Message) -> None:
            nonlocal status, size
            status = str(message.get("status", status))
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            spent = (time.perf_counter() - start) * 1e3
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            path = scope["raw_path"].decode("ascii", "backslashreplace")
            self._write(f"{at} {scope['method']} {path} {status} {size} B {spent:.1f} ms")
