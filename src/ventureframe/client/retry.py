"""When requests are sent, repeated and ended: one pace, one budget, one bound for
each attempt.
"""

import contextlib
import email.utils
import functools
import itertools
import logging
import math
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import requests

from ventureframe.errors import EnoughSent

PASSING: Final = frozenset({0, 408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed; 0 is no whole answer."""
POLICY: Final = "RateLimit-Policy"
"""The header of the IETF draft that announces a rate: `"default";q=5;w=1`."""
_POLICY: Final = re.compile(
    r"(?:^|[\s,;])(?:q=)?([0-9]{1,9});\s*w=([0-9]{1,9})", re.ASCII
)
_LEAST: Final = 5.0  # requests a second that every key may send
_LOG: Final = logging.getLogger("ventureframe")
_THREAD: Final = threading.local()


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long a failed request is repeated.

    At most `attempts`, and none that would begin more than `seconds` after the
    first, or `silence` without an answer. A wait is drawn between 0 and `base`
    doubled each time, at most `longest`; a longer `Retry-After` ends the attempts.
    All requests together are repeated `shared` times: a first answer adds a fifth of
    a repeat, a later one a whole.
    """

    attempts: int = 5
    seconds: float = 120.0
    silence: float = 60.0
    base: float = 0.5
    longest: float = 60.0
    shared: int = 100


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered; `status` is 0 where `failure` left no whole answer."""

    status: int
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)
    body: bytes = field(repr=False, default=b"")
    failure: Exception | None = field(repr=False, default=None)


class Budget:
    """How many requests a fetch may still send, for all of its threads.

    >>> budget = Budget(1)
    >>> budget.spend()
    >>> budget.spend()
    Traceback (most recent call last):
    ventureframe.errors.EnoughSent: at_most= requests are sent: allow more
    """

    def __init__(self, requests: int) -> None:
        self._remaining = requests
        self._lock = threading.Lock()

    def spend(self) -> None:
        """Take one request from the budget; raise `EnoughSent` where none remains."""
        with self._lock:
            if self._remaining < 1:
                raise EnoughSent("at_most= requests are sent: allow more")
            self._remaining -= 1


@dataclass(eq=False)
class Pace:
    """Sends the requests of all threads at one pace, and repeats what fails within
    `retries`.

    The rate is `chosen`, never above an announced one; else the announced one; else
    the `usual` one. A service that sends the header `unlimited_by` announces its
    limit where it has one. After a 429 all threads wait; the rate is then a tenth
    lower, or that of every key if none is known.
    """

    retries: Retries
    unlimited_by: str
    sleep: Callable[[float], None]
    clock: Callable[[], float]
    now: Callable[[], float]
    random: Callable[[], float]
    chosen: float | None = None
    usual: float | None = None
    ends_at: float = math.inf  # when no request is repeated any more

    def __post_init__(self) -> None:
        self._announced: float | None = None
        self._share, self._took, self._resume_at = 1.0, 0.0, -math.inf
        self._sent: deque[float] = deque(maxlen=256)
        self._left: float = self.retries.shared
        self._refusal = Answer(429)  # the last one, for which all wait
        self._lock = threading.Lock()

    @property
    def rate(self) -> float | None:
        """Requests a second at this moment; None where no limit is known."""
        limit = self._announced or self.chosen or self.usual or math.inf
        rate = min(limit, self.chosen or math.inf) * self._share
        return None if rate == math.inf else max(rate, 1 / self.retries.longest)

    @property
    def workers(self) -> int:
        """How many requests at a time keep the rate, at most 8; one where there is
        no limit.
        """
        rate = self.rate
        # until a rate is known
        at_once = 3 * rate if rate else 0.0 if self._announced else 7.5
        return max(1, min(8, math.ceil(at_once * self._took)))

    def turn(self, latest: float = math.inf) -> float | None:
        """Wait until a request may be sent, half an interval after the last at least;
        the time.

        None where a refusal makes all threads wait for longer than until the
        `latest` time.
        """
        while True:
            with self._lock:
                now, rate, due = self.clock(), self.rate, self._resume_at
                if due > max(now, latest):
                    return None
                count = min(max(1, round(rate or 0)), 256)
                if rate is not None and len(self._sent) >= count:
                    # the network's jitter compresses gaps
                    second = count / rate * 1.005
                    due = max(
                        due,
                        self._sent[-count] + second,
                        self._sent[-1] + second / count / 2,
                    )
                if due - now < 1e-6:
                    # waking a bit late delays no other
                    self._sent.append(max(due, now - 0.004))
                    return now
            self.sleep(due - now)

    def repeat(
        self,
        attempt: Callable[[int], Answer],
        is_paced: bool = True,
        began: float | None = None,
    ) -> tuple[Answer, int]:
        """The answer to the last of the numbered attempts, and how many there were."""
        limits, started = self.retries, self.clock() if began is None else began
        end = min(started + limits.seconds, self.ends_at)
        for number in itertools.count(1):
            sent = self.turn(end) if is_paced else self.clock()
            if sent is None:
                return self._refusal, number
            answer = attempt(number)
            if is_paced and answer.status:
                self._took += (self.clock() - sent - self._took) * (
                    0.5 if self._took else 1
                )
                if POLICY in answer.headers:
                    self._announced = announced(answer.headers[POLICY]) or math.inf
                elif self.unlimited_by in answer.headers:
                    self._announced = math.inf
            if answer.status not in PASSING:
                self._add(0.2 if number == 1 else 1.0)
                break
            wait = retry_after(answer.headers.get("Retry-After"), now=self.now())
            if wait is None:
                wait = min(
                    limits.longest, limits.base * 2.0 ** (number - 1) * self.random()
                )
            is_held = is_paced and answer.status == 429 and wait <= limits.longest
            if is_held:
                with self._lock:
                    self._resume_at = max(self._resume_at, self.clock() + wait)
                    self._share, self._refusal = 0.9 if self.rate else 1.0, answer
                    self.usual = self.usual or _LEAST
            latest = end if answer.status else min(end, started + limits.silence)
            is_over = number >= limits.attempts or wait > limits.longest
            if is_over or self.clock() + wait > latest or not self._add(-1.0):
                break
            _LOG.info("waits %.2f s before the next attempt", wait)
            if not is_held:
                self.sleep(wait)
        return answer, number

    def _add(self, repeats: float) -> bool:
        """Add to the repeats left for all requests together; taking one fails where
        none is.
        """
        with self._lock:
            left = min(self.retries.shared, self._left + repeats)
            self._left = left if left >= 0 else self._left
            return left >= 0


@dataclass(eq=False)
class Attempt:
    """One attempt at a request, on a connection; its socket is kept beside once it
    is open.
    """

    ends_at: float
    is_over: bool = False
    connection: Any = None
    sock: Any = None


class Transport:
    """Connections by origin, and what ends their attempts after `seconds`: one
    thread, if any.
    """

    def __init__(self, http: requests.Session, seconds: float) -> None:
        self.connections = functools.cache(functools.partial(connections, http))
        self._seconds, self._lock = seconds, threading.Lock()
        self._under_way: list[Attempt] = []
        self._is_watched = False

    @contextlib.contextmanager
    def one(self) -> Iterator[Attempt]:
        """An attempt of this thread, which begins now."""
        attempt = _THREAD.attempt = Attempt(time.monotonic() + self._seconds)
        with self._lock:
            self._under_way.append(attempt)
            is_watched, self._is_watched = self._is_watched, True
        if not is_watched:
            threading.Thread(target=self._watch, daemon=True).start()
        try:
            yield attempt
        finally:
            with self._lock:
                self._under_way.remove(attempt)

    def _watch(self) -> None:
        """Shut down sockets in time: closing them would not wake the thread that
        reads.
        """
        while True:
            with self._lock:
                now = time.monotonic()
                for attempt in self._under_way:
                    attempt.is_over = attempt.ends_at <= now
                    sock = attempt.sock or getattr(attempt.connection, "sock", None)
                    if attempt.is_over and sock:
                        # of the socket itself, below TLS
                        with contextlib.suppress(OSError):
                            socket.socket.shutdown(sock, socket.SHUT_RDWR)
                self._is_watched = bool(self._under_way)
                if not self._is_watched:
                    return
                ends_at = min(attempt.ends_at for attempt in self._under_way)
            # one that is over may have opened a socket late
            time.sleep(max(0.02, ends_at - now))


class _Watched:
    """A connection that the attempt of its thread knows."""

    def connect(self) -> None:
        _THREAD.attempt.connection = self
        super().connect()  # type: ignore[misc]  # of the connection

    def request(self, *args: Any, **named: Any) -> None:
        _THREAD.attempt.connection = self
        super().request(*args, **named)  # type: ignore[misc]
        # lost where it is closed
        _THREAD.attempt.sock = self.sock  # type: ignore[attr-defined]


def connections(http: requests.Session, origin: str) -> tuple[Any, str]:
    """The connections to an origin, each of which its attempt can end, and how
    targets begin.
    """
    settings: Any = http.merge_environment_settings(origin, {}, True, None, None)
    adapter: Any = http.get_adapter(origin)
    request = requests.PreparedRequest()
    request.url = f"{origin}/"
    pool = adapter.get_connection_with_tls_context(
        request, settings["verify"], proxies=settings["proxies"], cert=settings["cert"]
    )
    adapter.cert_verify(pool, origin, settings["verify"], settings["cert"])
    if not issubclass(pool.ConnectionCls, _Watched):
        pool.ConnectionCls = type("Watched", (_Watched, pool.ConnectionCls), {})
    return pool, adapter.request_url(request, settings["proxies"])


def announced(policy: str) -> float | None:
    """Requests a second by a `RateLimit-Policy`, the lowest of several; None for none.

    >>> announced('"default";q=5;w=1'), announced("100;w=50, 5000;w=3600"), announced("soon")
    (5.0, 1.388..., None)
    """
    pairs = [(int(count), int(seconds)) for count, seconds in _POLICY.findall(policy)]
    return min(
        (count / seconds for count, seconds in pairs if count and seconds), default=None
    )


def retry_after(value: str | None, *, now: float) -> float | None:
    """The seconds that a `Retry-After` asks for, as seconds or a date; None for
    neither.

    >>> retry_after("7", now=0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", now=45.0)
    (7.0, 15.0)
    """
    if value is not None and re.fullmatch(r"[0-9]{1,9}", value.strip(), re.ASCII):
        return float(value)
    with contextlib.suppress(ValueError, OverflowError):
        return max(
            0.0, email.utils.parsedate_to_datetime(value or "").timestamp() - now
        )
    return None
