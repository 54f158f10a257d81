"""So many requests a second for each client, and 429 with `Retry-After` for those above it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Final

_BURST_SECONDS: Final = 1.0


class Rate:
    """A bucket that gains `per_second` requests a second, and holds those of one second at most."""

    def __init__(self, per_second: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._most = max(1.0, per_second * _BURST_SECONDS)
        self._left = self._most
        self._clock = clock
        self._at = clock()
        self._lock = threading.Lock()

    def wait(self) -> int:
        """Takes one request from the bucket; 0, or the whole seconds after which it has one."""
        with self._lock:
            now = self._clock()
            self._left = min(self._most, self._left + (now - self._at) * self._per_second)
            self._at = now
            if self._left < 1:
                return math.ceil((1 - self._left) / self._per_second)
            self._left -= 1
            return 0
