"""So many requests a second, and 429 with `Retry-After` for those above it."""

from __future__ import annotations

import math
import multiprocessing
import threading
import time
from collections.abc import Callable
from fractions import Fraction


class Rate:
    """Lets in `per_second` requests a second, those of one second at once.

    One that `is_shared` is given to the processes that are started with it, and is one for all.
    """

    def __init__(
        self,
        per_second: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        is_shared: bool = False,
    ) -> None:
        self._step = 1 / per_second
        self._ahead = max(0.0, 1 - self._step)
        self._clock = clock
        context = multiprocessing.get_context("spawn")
        lock = context.RLock() if is_shared else threading.RLock()
        self._next = context.Value("d", clock(), lock=lock)  # type: ignore[arg-type]  # any lock will do

    @property
    def policy(self) -> str:
        """The rate in the words of the IETF's `RateLimit-Policy`: requests per seconds."""
        rate = Fraction(1 / self._step).limit_denominator(3600)
        return f'"default";q={rate.numerator};w={rate.denominator}'

    def wait(self) -> int:
        """Lets a request in and gives 0, or the whole seconds after which the next is let in."""
        with self._next.get_lock():
            now = self._clock()
            due = max(self._next.value, now)
            if (early := due - now - self._ahead) > 0:
                return math.ceil(float(early))
            self._next.value = due + self._step
            return 0
