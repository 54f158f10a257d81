"""When requests are sent, repeated and ended: one pace for all threads of a client."""

import contextlib
import email.utils
import logging
import math
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace

PASSING = frozenset({0, 408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed; 0 is no whole answer."""
FINAL = -1
"""The status of an answer that did not arrive, and will not another time either."""
POLICY = "RateLimit-Policy"
"""The header of the IETF draft that announces a rate: `"default";q=5;w=1`."""
_POLICY = re.compile(r"(?:^|[\s,;])(?:q=)?([0-9]{1,9});\s*w=([0-9]{1,9})", re.ASCII)
_LOOK = 1.0  # seconds of a wait after which a cancel is looked for
_LEAST = 5.0  # requests a second that every key may send
_LOG = logging.getLogger("ventureframe")


@dataclass(frozen=True)
class Retries:
    """How often and how long a failed request is repeated.

    At most `attempts`, and none that would begin more than `seconds` after the
    first. A wait is drawn between 0 and `base`, which doubles each time, and is at most
    `longest`; a longer `Retry-After` ends the attempts. All requests together are
    repeated `shared` times; an answer to a first attempt gives back a fifth of a
    repeat, to a later attempt a whole one.
    """

    attempts: int = 5
    seconds: float = 120.0
    base: float = 0.5
    longest: float = 60.0
    shared: int = 100


@dataclass(frozen=True)
class Attempt:
    """One attempt at a request, from which the next one is made.

    `began` is the time of the first attempt; once `cancel` is set nothing more is
    sent. It `is_renewed` where the token was refused and replaced by a fresh one. The
    request for a token is not `is_paced`: it waits for no turn.
    """

    began: float
    cancel: threading.Event | None = None
    number: int = 1
    is_renewed: bool = False
    is_paced: bool = True


@dataclass(frozen=True, repr=False)
class Answer:
    """What the service answered; `status` is 0 or `FINAL` where `failure` left no
    whole answer. No repr shows it, because a token may be in it.

    `is_corrected` says that the client has changed what was refused.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    failure: BaseException | None = None
    is_corrected: bool = False


@dataclass
class Traffic:
    """What the answers to all threads have shown so far.

    `slowdown` is the factor by which a refusal lowered the rate, `took` the seconds
    that an answer takes, `resume_at` the time at which requests go on after a
    `refusal`, `repeats` the number of repeats that were spent.
    """

    announced: float | None = None
    slowdown: float = 1.0
    took: float = 0.0
    resume_at: float = -math.inf
    refusal: Answer = Answer(0)
    repeats: float = 0.0
    sent: deque[float] = field(default_factory=lambda: deque(maxlen=256))
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
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
    traffic: Traffic = field(default_factory=Traffic, repr=False)

    @property
    def rate(self) -> float | None:
        """Requests a second at this moment; None where no limit is known."""
        traffic = self.traffic
        least = _LEAST if traffic.refusal.status else math.inf
        limit = traffic.announced or self.chosen or self.usual or least
        rate = min(limit, self.chosen or math.inf) * traffic.slowdown
        return None if rate == math.inf else max(rate, 1 / self.retries.longest)

    @property
    def workers(self) -> int:
        """How many requests at a time keep the rate, at most 8; one where there is
        no limit.
        """
        rate = self.rate
        at_once = 7.5  # until a rate is known
        if rate:
            at_once = 3 * rate
        elif self.traffic.announced:
            at_once = 0.0
        return max(1, min(8, math.ceil(at_once * self.traffic.took)))

    def turn(
        self, latest: float = math.inf, cancel: threading.Event | None = None
    ) -> float | None:
        """Wait until a request may be sent, and return the time.

        Half an interval at least lies between two requests. Returns None where a
        refusal makes all threads wait beyond the `latest` time. Raises
        `CancelledError`.
        """
        traffic = self.traffic
        sent = traffic.sent
        while True:
            with traffic.lock:
                now, rate, due = self.clock(), self.rate, traffic.resume_at
                if due > max(now, latest):
                    return None
                count = min(max(1, round(rate or 0)), 256)
                if rate is not None and len(sent) >= count:
                    # the network's jitter compresses gaps
                    span = count / rate * 1.005
                    gap = span / count / 2
                    due = max(due, sent[-count] + span, sent[-1] + gap)
                if due - now < 1e-6:
                    # waking a bit late delays no other
                    sent.append(max(due, now - 0.004))
                    return now
            self.wait(due - now, cancel)

    def wait(self, seconds: float, cancel: threading.Event | None) -> None:
        """Sleep; raise `CancelledError` within a second once `cancel` is set."""
        longest = seconds if cancel is None else _LOOK
        while True:
            if cancel is not None and cancel.is_set():
                raise CancelledError
            if seconds <= 0:
                return
            self.sleep(min(seconds, longest))
            seconds -= longest

    def repeat(
        self, send: Callable[[Attempt], Answer], attempt: Attempt
    ) -> tuple[Answer, int]:
        """Return the answer to the last of the attempts, and how many were sent.

        Each answer shows how long one takes, and may announce a rate; a final one
        gives back some of the repeats that all requests share. Raises
        `CancelledError`.
        """
        traffic, cancel = self.traffic, attempt.cancel
        end = attempt.began + self.retries.seconds
        while True:
            sent = self.turn(end, cancel) if attempt.is_paced else math.inf
            if sent is None:
                return traffic.refusal, attempt.number - 1
            self.wait(0, cancel)
            answer = send(attempt)
            if answer.status > 0 and sent < math.inf:
                weight = 0.5 if traffic.took else 1.0
                traffic.took += (self.clock() - sent - traffic.took) * weight
                if POLICY in answer.headers:
                    traffic.announced = announced(answer.headers[POLICY]) or math.inf
                elif self.unlimited_by in answer.headers:
                    traffic.announced = math.inf
            if not answer.is_corrected and answer.status not in PASSING:
                earned = 0.2 if attempt.number == 1 else 1.0
                with traffic.lock:
                    traffic.repeats = max(0.0, traffic.repeats - earned)
                return answer, attempt.number
            following = self._next_attempt(attempt, answer, end)
            if following is None:
                return answer, attempt.number
            attempt = following

    def _next_attempt(
        self, attempt: Attempt, answer: Answer, end: float
    ) -> Attempt | None:
        """Return the next attempt when it is due; None where there is to be none."""
        is_renewed = answer.status == 401 or attempt.is_renewed
        following = replace(attempt, number=attempt.number + 1, is_renewed=is_renewed)
        if answer.is_corrected:
            return following
        traffic, limits = self.traffic, self.retries
        wait = retry_after(answer.headers.get("Retry-After", ""), self.now())
        if wait is None:  # full jitter
            drawn = limits.base * 2.0 ** (attempt.number - 1) * self.random()
            wait = min(limits.longest, drawn)
        is_held = attempt.is_paced and answer.status == 429 and wait <= limits.longest
        with traffic.lock:
            if is_held:
                traffic.resume_at = max(traffic.resume_at, self.clock() + wait)
                traffic.slowdown = 0.9 if self.rate else 1.0
                traffic.refusal = answer
            is_last = attempt.number >= limits.attempts or wait > limits.longest
            is_late = self.clock() + wait > end
            if is_last or is_late or traffic.repeats + 1 > limits.shared:
                return None
            traffic.repeats += 1
        _LOG.info("waits %.2f s before the next attempt", wait)
        if not is_held:
            self.wait(wait, attempt.cancel)
        return following


def announced(policy: str) -> float | None:
    """Requests a second by a `RateLimit-Policy`, the lowest of several; None for none.

    >>> announced('"default";q=5;w=1'), announced("100;w=50, 5000;w=3600")
    (5.0, 1.388...)
    >>> announced("soon") is None
    True
    """
    pairs = [(int(count), int(seconds)) for count, seconds in _POLICY.findall(policy)]
    rates = [count / seconds for count, seconds in pairs if count and seconds]
    return min(rates, default=None)


def retry_after(value: str, now: float) -> float | None:
    """Return the seconds that a `Retry-After` asks for, as a number or a date; else
    None.

    >>> retry_after("7", 0.0), retry_after("Thu, 01 Jan 1970 00:01:00 GMT", 45.0)
    (7.0, 15.0)
    """
    if re.fullmatch(r"[0-9]{1,9}", value.strip(), re.ASCII):
        return float(value)
    with contextlib.suppress(ValueError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    return None
