"""Repeats a request whose failure may pass, at one pace for all threads of a client."""

from __future__ import annotations

import email.utils
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import stamina

from ventureframe.client.transport import Answer, Passing

# Without a handler Python prints each of stamina's messages to stderr, into a notebook as well.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a failed request is repeated.

    At most `attempts` in all, and none that would begin more than `seconds` after the first. A
    wait is drawn between 0 and `base` doubled each time (full jitter), at most `longest`. A
    `Retry-After` longer than `longest` ends the attempts at once.
    """

    attempts: int = 5
    seconds: float = 120.0
    base: float = 0.5
    longest: float = 60.0


DEFAULT: Final = Retries()


class Pace:
    """Repeats what fails, within `Retries`; after a 429 every thread waits.

    `now` is the wall clock, for dates in `Retry-After`; `random` draws between 0 and 1.
    """

    def __init__(
        self,
        retries: Retries,
        *,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        now: Callable[[], float],
        random: Callable[[], float],
    ) -> None:
        self._retries = retries
        self._sleep, self._clock, self._now, self._random = sleep, clock, now, random
        self._lock = threading.Lock()
        self._resume_at = 0.0

    def repeat(self, send: Callable[[], Answer]) -> tuple[Answer, int]:
        """The answer, and how often the request was repeated for it; raises the last `Passing`.

        stamina counts attempts and asks `patience` after each failure. It takes neither a sleep
        nor a clock, so it waits 0 seconds, and the next attempt begins with our own wait. It
        costs as much as reading a small page, so it begins with the first failure.
        """
        started, failures, wait = self._clock(), 0, 0.0

        def patience(error: Exception) -> bool | float:
            nonlocal failures, wait
            if not isinstance(error, Passing):
                return False
            failures = error.attempts = failures + 1
            wait = self._wait(error.answer, failures)
            if wait > self._retries.longest:
                return False
            if self._clock() - started + wait > self._retries.seconds:
                return False
            if error.answer is not None and error.answer.status == 429:
                self.slow_down(wait)
                wait = 0.0
            return 0.0

        try:
            self._hold(wait)
            return send(), 0
        except Passing as error:
            first: Passing | None = error
        for attempt in stamina.retry_context(patience, self._retries.attempts, timeout=None):
            with attempt:
                if first is not None:
                    raised, first = first, None
                    raise raised
                self._hold(wait)
                return send(), failures
        raise AssertionError("stamina raises the last failure")

    def slow_down(self, seconds: float) -> None:
        """Let no thread begin an attempt before so many seconds have passed."""
        with self._lock:
            self._resume_at = max(self._resume_at, self._clock() + seconds)

    def _hold(self, wait: float) -> None:
        if wait > 0:
            self._sleep(wait)
        pause = self._resume_at - self._clock()
        if pause > 0:
            self._sleep(pause + self._retries.base * self._random())

    def _wait(self, answer: Answer | None, failures: int) -> float:
        """Seconds until the next attempt: what the service asks for, else drawn at random."""
        if answer is not None:
            asked = retry_after(answer.headers.get("Retry-After"), now=self._now())
            if asked is not None:
                return asked
        ceiling = min(self._retries.longest, self._retries.base * 2.0 ** (failures - 1))
        return ceiling * self._random()


def retry_after(value: str | None, *, now: float) -> float | None:
    """The seconds that a `Retry-After` asks for, as seconds or a date; None for neither.

    >>> retry_after("7", now=0.0)
    7.0
    >>> retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=45.0)
    15.0
    """
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", value.strip(), re.ASCII):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
