"""Slows down who tries one wrong secret after the other."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

FREE: Final = 10
"""Wrong secrets that are answered at once."""
LONGEST: Final = 4.0
"""The longest wait for an answer, in seconds."""
_FORGOTTEN: Final = 300.0
_MOST: Final = 1024


class Guesses:
    """Wrong secrets by address, of the last ones to send any; a right one never waits."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, most: int = _MOST) -> None:
        self._clock, self._most = clock, most
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._wrong)

    def wait(self, address: str) -> float:
        """Seconds after which to answer another wrong secret: from the eleventh on, ever more."""
        with self._lock:
            count, last = self._wrong.pop(address, (0, 0.0))
            now = self._clock()
            count = 1 if now - last > _FORGOTTEN else count + 1
            self._wrong[address] = count, now
            if len(self._wrong) > self._most:
                self._wrong.popitem(last=False)
        return min(LONGEST, 0.1 * 2.0 ** min(count - FREE - 1, 10)) if count > FREE else 0.0
