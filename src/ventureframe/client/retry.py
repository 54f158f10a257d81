"""Repeats what fails in passing, at one pace for all threads of a client."""

from __future__ import annotations

import email.utils
import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import stamina

_T = TypeVar("_T")

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


class Passing(Exception):
    """A failure that another attempt may cure.

    `wait` is the number of seconds the service asks for, if it does; `is_for_all` is true where
    every thread has to wait. `attempts` counts those made when the last one failed.
    """

    def __init__(self, *, wait: float | None = None, is_for_all: bool = False) -> None:
        super().__init__("the request failed and may succeed if repeated")
        self.wait = wait
        self.is_for_all = is_for_all
        self.attempts = 1


class Pace:
    """Repeats calls within `Retries`; a wait that is for all holds back every thread.

    `random` draws between 0 and 1.
    """

    def __init__(
        self,
        retries: Retries,
        *,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
        random: Callable[[], float],
    ) -> None:
        self.retries = retries
        self.sleep, self.clock, self.random = sleep, clock, random
        self._lock = threading.Lock()
        self._resume_at = 0.0

    def repeat(self, call: Callable[[], _T]) -> tuple[_T, int]:
        """What `call` returns, and how often it was repeated; raises its last `Passing`.

        stamina counts the attempts and asks `_Patience` after each failure. It cannot be given
        a sleep or a clock, so its own wait is 0 and the next attempt begins with ours. It costs
        as much as reading a small page, so it begins with the first failure.
        """
        patience = _Patience(self, self.clock())
        failed: list[Passing] = []
        try:
            self._hold(0.0)
            return call(), 0
        except Passing as error:
            failed.append(error)
        for attempt in stamina.retry_context(
            on=patience, attempts=self.retries.attempts, timeout=None
        ):
            with attempt:
                if failed:
                    raise failed.pop()
                self._hold(patience.wait)
                return call(), patience.failures
        raise AssertionError("stamina raises the last failure")

    def slow_down(self, seconds: float) -> None:
        """Let no thread begin an attempt before so many seconds have passed."""
        with self._lock:
            self._resume_at = max(self._resume_at, self.clock() + seconds)

    def _hold(self, seconds: float) -> None:
        if seconds > 0:
            self.sleep(seconds)
        pause = self._resume_at - self.clock()
        if pause > 0:
            self.sleep(pause + self.retries.base * self.random())


@dataclass(slots=True)
class _Patience:
    """What one call went through: stamina asks it whether a failure is worth another attempt."""

    pace: Pace
    started: float
    failures: int = 0
    wait: float = 0.0

    def __call__(self, error: Exception) -> bool | float:
        """0.0 (seconds for stamina to sleep) for another attempt, else False."""
        if not isinstance(error, Passing):
            return False
        self.failures += 1
        error.attempts = self.failures
        retries = self.pace.retries
        wait = error.wait
        if wait is None:
            ceiling = min(retries.longest, retries.base * 2.0 ** (self.failures - 1))
            wait = ceiling * self.pace.random()
        spent = self.pace.clock() - self.started
        if wait > retries.longest or spent + wait > retries.seconds:
            return False
        self.wait = 0.0 if error.is_for_all else wait
        if error.is_for_all:
            self.pace.slow_down(wait)
        return 0.0


def retry_after(value: str | None, *, now: float) -> float | None:
    """The seconds that a `Retry-After` asks for, as seconds or a date; None for neither.

    >>> retry_after("7", now=0.0)
    7.0
    >>> retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=45.0)
    15.0
    >>> retry_after("soon", now=0.0)
    """
    if value is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", value.strip(), re.ASCII):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None
