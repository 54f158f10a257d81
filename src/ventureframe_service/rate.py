"""So many requests a second, and 429 with `Retry-After` for those above it."""

import math
import threading
import time
from collections.abc import Callable
from fractions import Fraction


class Rate:
    """Admits `per_second` requests a second, those of one second at once."""

    def __init__(self, per_second: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._step = 1 / per_second
        self._ahead = max(0.0, 1 - self._step)
        self._clock = clock
        self._next = clock()
        self._lock = threading.Lock()

    @property
    def policy(self) -> str:
        """The rate in the words of the IETF's `RateLimit-Policy`: requests per seconds."""
        rate = Fraction(1 / self._step).limit_denominator(3600)
        return f'"default";q={rate.numerator};w={rate.denominator}'

    def wait(self) -> int:
        """Admit a request and return 0, or the whole seconds until the next is admitted."""
        with self._lock:
            now = self._clock()
            due = max(self._next, now)
            if (early := due - now - self._ahead) > 0:
                return math.ceil(early)
            self._next = due + self._step
            return 0
