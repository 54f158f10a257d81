"""Repeats a request whose failure may pass, within bounds for it and for all of a client."""

from __future__ import annotations

import email.utils
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import stamina

from ventureframe.client import log
from ventureframe.client.pace import Pace
from ventureframe.client.transport import Answer, Passing

# Without a handler Python prints each of stamina's messages to stderr, into a notebook as well.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a failed request is repeated.

    At most `attempts` in all, and none that would begin more than `seconds` after the first. A
    wait is drawn between 0 and `base` doubled each time (full jitter), at most `longest`. A
    `Retry-After` longer than `longest` ends the attempts at once. All requests of a client
    together are repeated at most `shared` times, as in the AWS SDKs: an answer at the first
    attempt adds a fifth of a repeat, an answer to a repeat adds a whole one.
    """

    attempts: int = 5
    seconds: float = 120.0
    base: float = 0.5
    longest: float = 60.0
    shared: int = 100


DEFAULT: Final = Retries()


@dataclass(kw_only=True, eq=False)
class Repeater:
    """Repeats what fails, within `Retries`, at the pace of all threads.

    `now` is the wall clock, for dates in `Retry-After`; `random` draws between 0 and 1. A service
    that sends the header `unlimited_by` announces its limit where it has one.
    """

    retries: Retries
    unlimited_by: str
    sleep: Callable[[float], None]
    clock: Callable[[], float]
    now: Callable[[], float]
    random: Callable[[], float]
    pace: Pace = field(init=False)
    _left: float = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self._left = self.retries.shared
        self.pace = Pace(
            sleep=self.sleep,
            clock=self.clock,
            jitter=lambda: self.retries.base * self.random(),
            slowest=self.retries.longest,
        )

    def repeat(self, send: Callable[[], Answer], *, is_paced: bool) -> tuple[Answer, int]:
        """The answer, and how often the request was repeated for it; raises the last `Passing`.

        stamina takes neither a sleep nor a clock, so the wait is in the hook that it calls after
        each failure. Its loop costs as much as a small page, so it begins with the first failure.
        """
        started, failures, sent = self.clock(), 0, 0.0

        def attempt() -> tuple[Answer, int]:
            nonlocal sent
            sent = self.pace.turn() if is_paced else self.clock()
            answer = send()
            if is_paced:
                self.pace.answered(sent, answer.headers, unlimited_by=self.unlimited_by)
            self._give_back(1.0 if failures else 0.2)
            return answer, failures

        def waited(error: Exception) -> float | bool:
            nonlocal failures
            if not isinstance(error, Passing):
                return False
            failures = error.attempts = failures + 1
            asked = self._asked(error.answer)
            wait, limits = self._drawn(failures) if asked is None else asked, self.retries
            is_refused = is_paced and error.answer is not None and error.answer.status == 429
            if is_refused and wait <= limits.longest:
                self.pace.refused(sent, wait=wait, asked=asked)
            is_late = self.clock() - started + wait > limits.seconds
            if failures >= limits.attempts or wait > limits.longest or is_late or not self._take():
                return False
            log.waits(wait)
            if not is_refused:
                self.sleep(wait)
            return 0.0

        try:
            return attempt()
        except Passing as error:
            if waited(error) is False:
                raise
        for each in stamina.retry_context(waited, attempts=None, timeout=None):
            with each:
                return attempt()
        raise AssertionError("stamina raises the last failure")

    def _take(self) -> bool:
        """Whether there is a repeat left for one of the client's requests; it is taken."""
        with self._lock:
            is_left = self._left >= 1
            self._left -= is_left
            return is_left

    def _give_back(self, repeats: float) -> None:
        with self._lock:
            self._left = min(self.retries.shared, self._left + repeats)

    def _asked(self, answer: Answer | None) -> float | None:
        """Seconds that the service asks to wait, where it does."""
        header = None if answer is None else answer.headers.get("Retry-After")
        return retry_after(header, now=self.now())

    def _drawn(self, failures: int) -> float:
        """Seconds until the next attempt, drawn at random."""
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
