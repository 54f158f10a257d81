"""All threads of a client send at one pace: as fast as the service allows, and
hardly faster.
"""

import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import Answer, Connect, StandIn, Time
from ventureframe.client.retry import POLICY, Attempt, Pace, Retries
from ventureframe.client.retry import Answer as Reply
from ventureframe.errors import ServiceError, ServiceFailed

Limiter = Callable[[float], float]
"""Given the time of a request, the seconds after which to come again; 0 lets it in."""


def sliding(rate: float) -> Limiter:
    """Lets in so many in any second, wherever it begins."""
    let_in: deque[float] = deque(maxlen=int(rate))

    def wait(now: float) -> float:
        if len(let_in) == rate and now - let_in[0] < 1:
            return let_in[0] + 1 - now
        let_in.append(now)
        return 0.0

    return wait


def paced(time: Time, chosen: float | None = None, usual: float | None = None) -> Pace:
    return Pace(
        retries=Retries(),
        unlimited_by="X-Dataset",
        sleep=time.sleep,
        clock=time.clock,
        now=time.clock,
        random=lambda: 0.5,
        chosen=chosen,
        usual=usual,
    )


def played(
    limiter: Limiter,
    *,
    requests: int,
    took: float,
    headers: Mapping[str, str] | None = None,
    known: float | None = None,
) -> tuple[float, int]:
    """The seconds that so many answers of a service take, and how many requests it
    refused.
    """
    time, refused = Time(), 0
    pace = paced(time, usual=known)

    def send(_: Attempt) -> Reply:
        nonlocal refused
        time.seconds += took / 2
        wait = limiter(time.seconds)
        time.seconds += took / 2
        if wait:
            refused += 1
            return Reply(429, {"Retry-After": str(-int(-wait // 1))}, b"")
        return Reply(200, headers or {}, b"{}")

    for _ in range(requests):
        pace.repeat(send, Attempt(time.seconds))
    return time.seconds, refused


@given(
    took=st.floats(0.001, 0.19),
    rate=st.integers(1, 12),
    is_announced=st.booleans(),
)
def test_a_rate_that_is_known_is_used_and_never_exceeded(
    took: float, rate: int, *, is_announced: bool
) -> None:
    headers = {POLICY: f'"default";q={rate};w=1'} if is_announced else {}
    known = None if is_announced else float(rate)
    seconds, refused = played(
        sliding(rate), requests=200, took=took, headers=headers, known=known
    )
    assert refused == 0
    assert 200 / seconds >= 0.97 * min(rate, 1 / took)


RATES: list[tuple[float | None, float | None, float | None, float | None]] = [
    (None, None, None, None),
    (None, None, 5.0, 5.0),
    (None, 9.0, 5.0, 9.0),
    (7.0, 3.0, 5.0, 3.0),
    (7.0, 9.0, 5.0, 7.0),
    (math.inf, None, 5.0, None),
    (math.inf, 3.0, 5.0, 3.0),
]


def test_the_rate_is_the_callers_own_but_never_above_an_announced_one() -> None:
    for named, chosen, usual, rate in RATES:
        pace = paced(Time(), chosen, usual)
        policy = {} if named is None else {POLICY: f'"default";q={named:g};w=1'}
        answer = Reply(200, {"X-Dataset": "sample"} if named == math.inf else policy)
        pace.repeat(lambda _, answer=answer: answer, Attempt(0.0))  # type: ignore[misc]
        assert pace.rate == rate, (named, chosen, usual)


def test_a_rate_that_nobody_names_is_the_services_to_say() -> None:
    seconds, refused = played(sliding(5), requests=200, took=0.02)
    assert refused == 1, "from then on it is read at the rate of a key"
    assert 200 / seconds >= 0.97 * 5


def test_a_refusal_makes_every_thread_wait_and_lowers_the_rate_once() -> None:
    time = Time()
    pace = paced(time, usual=5.0)
    answers = [Reply(429, {"Retry-After": wait}) for wait in ("3", "2")]
    _, attempts = pace.repeat(
        lambda attempt: [*answers, Reply(200)][attempt.number - 1], Attempt(0.0)
    )
    assert (attempts, time.seconds) == (3, 5.0)
    assert pace.rate == 4.5


def test_a_wait_for_a_refusal_of_others_ends_within_the_bound_as_well() -> None:
    time = Time()
    time.seconds = 100.0
    pace, refusal = paced(time), Reply(429, {"Retry-After": "60"})
    assert pace.repeat(lambda _: refusal, Attempt(0.0)) == (refusal, 1)
    never_sent = (refusal, 0)
    assert pace.repeat(lambda _: Reply(200), Attempt(30.0)) == never_sent
    assert time.seconds == 100
    assert pace.repeat(lambda _: Reply(200), Attempt(50.0)) == (Reply(200), 1)


def test_what_is_cancelled_while_it_waits_is_neither_sent_nor_counted() -> None:
    time, cancel, sent = Time(), threading.Event(), list[Attempt]()

    def sleep(seconds: float) -> None:
        time.sleep(seconds)
        cancel.set()

    def send(attempt: Attempt) -> Reply:
        sent.append(attempt)
        return Reply(429, {"Retry-After": "5"})

    with pytest.raises(CancelledError):
        replace(paced(time), sleep=sleep).repeat(send, Attempt(0.0, cancel))
    assert [attempt.number for attempt in sent] == [1]


WORKERS = [
    *((None, 0.0, 1), (None, 0.02, 1), (None, 0.3, 3)),
    *((5, 0.02, 1), (5, 0.08, 2), (5, 0.3, 5), (50, 0.3, 8)),
]


def test_as_many_workers_as_keep_the_rate() -> None:
    for rate, took, workers in WORKERS:
        time = Time()
        pace = paced(time, usual=rate)

        def answer(_: Attempt, time: Time = time, took: float = took) -> Reply:
            time.sleep(took)
            return Reply(200)

        for _ in range(5):
            pace.repeat(answer, Attempt(time.seconds))
        assert pace.workers == workers, (rate, took)


def test_no_announced_rate_stops_a_client() -> None:
    time = Time()
    pace = paced(time)
    pace.repeat(lambda _: Reply(200, {POLICY: "1;w=86400"}), Attempt(0.0))
    assert 60.0 < (pace.turn() or 0.0) <= 61.0


def test_fifty_threads_at_a_service_that_refuses_all_repeat_a_hundred_times_in_all(
    stand_in: StandIn, connect: Connect
) -> None:
    stand_in.data = lambda _: Answer({}, 429, {"Retry-After": "1"})
    session, errors = connect(retries=Retries(seconds=math.inf)), list[ServiceError]()

    def ask() -> None:
        for _ in range(2):
            try:
                session.get("/data/companies")
            except ServiceError as error:
                errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 100
    assert 150 <= len(stand_in.data_asked) <= 200, "each once, and a hundred repeats"


def test_answers_at_the_first_attempt_allow_repeats_again(
    stand_in: StandIn, connect: Connect
) -> None:
    session = connect(retries=Retries(shared=2, base=0.0))
    stand_in.data = lambda _: Answer({}, 503)
    for attempts in (3, 1):
        with pytest.raises(ServiceFailed):
            session.get("/data/companies")
        assert len(stand_in.data_asked) == attempts
        stand_in.asked.clear()
    stand_in.data = lambda _: Answer({"data": []})
    for _ in range(5):
        session.get("/data/companies")
    stand_in.asked.clear()
    stand_in.data = lambda _: Answer({}, 503)
    with pytest.raises(ServiceFailed):
        session.get("/data/companies")
    assert len(stand_in.data_asked) == 2
