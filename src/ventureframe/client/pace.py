"""The pace at which all threads of a client send, as fast as the service allows."""

from __future__ import annotations

import math
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

POLICY: Final = "RateLimit-Policy"
"""The header of the IETF draft that announces a rate: `"default";q=5;w=1`."""
_POLICY: Final = re.compile(r"(?:^|[\s,;])(?:q=)?([0-9]{1,9});\s*w=([0-9]{1,9})", re.ASCII)
_SLACK: Final = (1.005, 1.02)
"""A second of the service's is as much longer here, because requests do not travel evenly: before
and after a known rate was refused."""
_LATE: Final = 0.004
"""Seconds by which a thread may wake too late without the next ones being later as well."""
_USUAL: Final = 5.0
"""Requests a second for which workers are chosen until more is known."""
_MOST_WORKERS: Final = 8
_FIRST_RAISE: Final = 15.0
"""Seconds after which a measured rate is raised by 2 % a second."""
_NEXT_RAISE: Final = 600.0
"""Seconds after the refusal of a raised rate until it is raised again."""


class Pace:
    """When the next request may be sent, for all threads together.

    The rate is the announced one, else the one of the profile, else the one measured at the first
    refusal; before that nothing waits. No second has more requests than the rate allows, whichever
    second the service counts by, and no rate is below one request in `slowest` seconds. A refusal
    makes every thread wait as long as the service asks for and lowers the rate by a tenth, which
    recovers in ten seconds. A measured rate is raised until it is refused once more.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        jitter: Callable[[], float],
        slowest: float,
    ) -> None:
        self._sleep, self._clock, self._jitter = sleep, clock, jitter
        self._slowest = slowest
        self._lock = threading.Lock()
        self._sent: deque[float] = deque(maxlen=256)
        self._known: float | None = None
        self._is_announced = False
        self._slack = _SLACK[0]
        self._most: float | None = None
        self._low = self._took = 0.0
        self._expected = _USUAL
        self._raised_after = _FIRST_RAISE
        self._resume_at = self._lowered_at = -math.inf

    @property
    def rate(self) -> float | None:
        """Requests a second at this moment; None where no limit is known."""
        if self._most is None:
            return None
        quiet = self._clock() - self._lowered_at
        more = 0.02 * max(0.0, quiet - self._raised_after) if self._known is None else 0.0
        return min(self._most * (1 + more), self._low * (1 + quiet / 80))

    @property
    def workers(self) -> int:
        """How many requests at a time keep the rate, by how long the last ones took.

        One where the service has no limit, as the embedded one: it answers at once.
        """
        at_once = (3 * self.rate if self.rate else 1.5 * self._expected) * self._took
        return max(1, min(_MOST_WORKERS, math.ceil(at_once)))

    def know(self, rate: float | None, *, is_announced: bool = False) -> None:
        """Take the rate as the service's own; None where it is not known.

        One that the service announces, `is_announced`, stands against any other.
        """
        with self._lock:
            if self._is_announced and not is_announced:
                return
            self._is_announced = is_announced
            if rate != self._known:
                self._known, self._most = rate, rate and max(rate, 1 / self._slowest)
                self._low = self._most or 0.0

    def turn(self) -> float:
        """Waits until a request may be sent; the time at which it is."""
        while True:
            with self._lock:
                now = self._clock()
                due = self._due(now)
                wait = due - now
                if wait < 1e-6:
                    self._sent.append(now if self._most is None else max(due, now - _LATE))
                    return now
            # nothing but chance keeps threads apart where no rate is known
            self._sleep(wait + (self._jitter() if self._most is None else 0.0))

    def answered(self, sent: float, headers: Mapping[str, str], *, unlimited_by: str) -> None:
        """Note how long an answer took and the rate it announces.

        A service that sends the header `unlimited_by` announces its limit where it has one.
        """
        took = self._clock() - sent
        self._took += (took - self._took) * (0.5 if self._took else 1)
        policy = headers.get(POLICY)
        if policy is not None or unlimited_by in headers:
            self._expected = 0.0
            self.know(announced(policy or ""), is_announced=True)

    def refused(self, sent: float, *, wait: float, asked: float | None) -> None:
        """Let nothing be sent for `wait` seconds, and lower the rate.

        `asked` is the service's own `Retry-After`. Requests that were under way together count as
        one refusal.
        """
        with self._lock:
            now = self._clock()
            rate = self.rate
            self._resume_at = max(self._resume_at, now + wait)
            if sent < self._lowered_at:
                return
            self._lowered_at = now
            if rate is None or self._most is None:
                before = [each for each in self._sent if each < sent]
                self._most = measured(before, sent, per=asked or 1.0)
                self._low = self._most or 0.0
            else:
                self._low = max(0.9 * rate, 1 / self._slowest)
                self._most = max(0.97 * rate, self._low) if self._known is None else self._known
                self._raised_after = _NEXT_RAISE
                self._slack = _SLACK[1]

    def _due(self, now: float) -> float:
        """When the next request may be sent: half as close again as the rate, in no full second."""
        rate = self.rate
        if rate is None:
            return self._resume_at
        count = min(max(1, round(rate)), 256)
        second = count / rate * self._slack
        if len(self._sent) < count or self._sent[-count] < now - 2 * second:
            return self._resume_at
        last = self._sent[-1] + second / count / 2
        return max(self._resume_at, self._sent[-count] + second, last)


def announced(policy: str) -> float | None:
    """Requests a second by a `RateLimit-Policy`, the lowest of several; None for none.

    >>> announced('"default";q=5;w=1'), announced("100;w=50, 5000;w=3600"), announced("soon")
    (5.0, 1.388..., None)
    """
    found = [(int(count), int(seconds)) for count, seconds in _POLICY.findall(policy)]
    rates = [count / seconds for count, seconds in found if count and seconds]
    return min(rates, default=None)


def measured(sent: list[float], refused: float, *, per: float) -> float | None:
    """The rate of a service that let these requests in and refused the next one.

    A service lets in the requests of `per` seconds at once and the others at its rate, so it
    allows at least every count of last ones over their time and `per`, and less than one more.
    A whole number in between is taken to be the rate. None where nothing was let in.

    >>> measured([0.0, 0.02, 0.04, 0.06, 0.08], 0.1, per=1.0)
    5
    """
    if not sent:
        return None
    spans = [refused - each + per for each in sorted(sent, reverse=True)]
    least = max(count / span for count, span in enumerate(spans, 1))
    below = max((count + 1) / span for count, span in enumerate(spans, 1))
    whole = math.ceil(least - 1e-9)
    return whole if whole < below else least
