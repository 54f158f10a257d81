"""Connections of the service: so many at a time, each with a request in time."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

try:
    import resource
except ImportError:  # Windows has no such limit
    _FILES = -1
else:
    _FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[0]

MOST: Final = 1000 if _FILES < 0 else max(16, min(1000, _FILES // 2))
"""Connections at a time: at most half the files that the process may open."""


class Timely(H11Protocol):
    """The HTTP of uvicorn, which closes a connection without a whole request head in time.

    Where `most` are open, the one that has waited longest for a head is closed for a new one, and
    the new one where none waits.
    """

    def __init__(self, head_seconds: float, most: int, **named: Any) -> None:
        super().__init__(**named)
        self._head_seconds, self._most = head_seconds, most
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        if len(self.connections) >= self._most:
            waiting = [each for each in self.connections if isinstance(each, Timely) and each._end]
            oldest = min(waiting, key=lambda each: each._end.when(), default=self)  # type: ignore[union-attr]  # those without an end are left out
            self.connections.discard(oldest)  # its end is only told later
            (transport if oldest is self else oldest.transport).abort()
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._end is not None:
            self._end.cancel()

    def _wait_for_head(self) -> None:
        """Keeps the end of a head that is not whole, and drops it with one that is."""
        is_waiting = self.conn.their_state is h11.IDLE
        if is_waiting and self._end is None:
            self._end = self.loop.call_later(self._head_seconds, self.transport.abort)
        elif self._end is not None and not is_waiting:
            self._end.cancel()
            self._end = None
