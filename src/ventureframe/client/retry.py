"""Repeats a request whose failure may pass, at one pace for all threads of a client."""

from __future__ import annotations

import email.utils
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
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


@dataclass(kw_only=True, eq=False)
class Pace:
    """Repeats what fails, within `Retries`; after a 429 every thread waits.

    `now` is the wall clock, for dates in `Retry-After`; `random` draws between 0 and 1.
    """

    retries: Retries
    sleep: Callable[[float], None]
    clock: Callable[[], float]
    now: Callable[[], float]
    random: Callable[[], float]
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _resume_at: float = field(default=0.0, init=False)

    def repeat(self, send: Callable[[], Answer]) -> tuple[Answer, int]:
        """The answer, and how often the request was repeated for it; raises the last `Passing`.

        stamina takes neither a sleep nor a clock, so the wait is in the hook that it calls after
        each failure. Its loop costs as much as a small page, so it begins with the first failure.
        """
        started, failures = self.clock(), 0

        def waited(error: Exception) -> float | bool:
            nonlocal failures
            if not isinstance(error, Passing):
                return False
            failures = error.attempts = failures + 1
            wait, limits = self._wait(error.answer, failures), self.retries
            is_late = self.clock() - started + wait > limits.seconds
            if failures >= limits.attempts or wait > limits.longest or is_late:
                return False
            if error.answer is not None and error.answer.status == 429:
                self.slow_down(wait)
            elif wait > 0:
                self.sleep(wait)
            return 0.0

        self._hold()
        try:
            return send(), 0
        except Passing as error:
            if waited(error) is False:
                raise
        for attempt in stamina.retry_context(waited, attempts=None, timeout=None):
            with attempt:
                self._hold()
                return send(), failures
        raise AssertionError("stamina raises the last failure")

    def slow_down(self, seconds: float) -> None:
        """Let no thread begin an attempt before so many seconds have passed."""
        with self._lock:
            self._resume_at = max(self._resume_at, self.clock() + seconds)

    def _hold(self) -> None:
        pause = self._resume_at - self.clock()
        if pause > 0:
            self.sleep(pause + self.retries.base * self.random())

    def _wait(self, answer: Answer | None, failures: int) -> float:
        """Seconds until the next attempt: what the service asks for, else drawn at random."""
        header = None if answer is None else answer.headers.get("Retry-After")
        asked = retry_after(header, now=self.now())
        if asked is not None:
            return asked
        return min(self.retries.longest, self.retries.base * 2.0 ** (failures - 1)) * self.random()


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
