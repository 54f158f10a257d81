"""A request ends in time, whatever the service sends and however slowly."""

import contextlib
import itertools
import json
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from threading import Lock

import pytest

from tests.client.raw import playing, whole
from tests.client.stand_in import (
    Connect,
    StandIn,
    company,
    uuid,
)
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, ServiceUnreachable, UnreadableReply

ONCE = Retries(attempts=1)
LONG = 300
"""Pieces of a hundredth of a second: far beyond the deadline, after which the reply
is whole.
"""


def slowly(pieces: Callable[[], Iterator[bytes]]) -> Callable[[str], Iterator[bytes]]:
    """Plays pieces with a pause after each, and then the end of a whole reply."""

    def play(_: str) -> Iterator[bytes]:
        for piece in itertools.islice(pieces(), LONG):
            yield piece
            yield b""

    return play


def reply(start: bytes, each: bytes, end: bytes) -> Callable[[], Iterator[bytes]]:
    """A start, the same piece many times, an end that makes the reply a whole one."""
    return lambda: iter((start, *[each] * (LONG - 2), end))


OK = whole(b'{"data": []}')
SLOW: dict[str, Callable[[], Iterator[bytes]]] = {
    "nothing at all": reply(b"", b"", OK),
    "a body byte by byte": reply(
        b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n{", b" ", b"} "
    ),
    "chunks of one byte": reply(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
        b"1\r\n \r\n",
        b"1\r\n}\r\n0\r\n\r\n",
    ),
    "trailers without end": reply(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
        b"X-A: a\r\n",
        b"\r\n",
    ),
}


@pytest.mark.parametrize("pieces", SLOW.values(), ids=SLOW)
def test_a_reply_that_takes_longer_than_its_deadline_is_a_named_error(
    connect: Connect, stand_in: StandIn, pieces: Callable[[], Iterator[bytes]]
) -> None:
    with playing(slowly(pieces)) as raw:
        session = connect(base_url=raw.address, timeout=0.4, retries=ONCE)
        with pytest.raises(ServiceUnreachable, match="did not answer in time"):
            session.get("/data/companies")
        assert len(raw.heads) == 1
    assert stand_in.tokens == 1


@pytest.mark.parametrize(
    "start",
    [
        b"hello\r\n",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x15\x03\x01\0\x02\x02\x28\n",  # TLS on an address that begins with http
        b"HTTP/1.1 200 OK\r\nX-A: %b\r\n\r\n" % (b"a" * 70_000),
    ],
)
def test_a_reply_that_is_not_http_is_named_as_such(
    connect: Connect, start: bytes
) -> None:
    said = r"cut short or is not HTTP .* check http or https in the address"
    with playing(lambda _: iter([start])) as raw:
        session = connect(base_url=raw.address, timeout=5.0, retries=ONCE)
        with pytest.raises(UnreadableReply, match=said):
            session.get("/data/companies")


def test_the_token_request_keeps_the_deadline_too(connect: Connect) -> None:
    with playing(slowly(SLOW["a body byte by byte"])) as raw:
        session = connect(auth_url=f"{raw.address}/oauth", timeout=0.2, retries=ONCE)
        with pytest.raises(ServiceUnreachable, match=r"in time \(POST /oauth\)"):
            session.get("/data/companies")


def test_a_token_request_ends_once_its_fetch_is_cancelled(connect: Connect) -> None:
    cancel = threading.Event()

    def play(_: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"
        cancel.set()
        yield from itertools.repeat(b"", 10 * LONG)

    with playing(play) as raw:
        session = connect(auth_url=f"{raw.address}/oauth", timeout=60.0, retries=ONCE)
        with pytest.raises(CancelledError):
            session.get("/data/companies", cancel=cancel)


def test_a_slow_reply_within_its_deadline_is_read(connect: Connect) -> None:
    def play(_: str) -> Iterator[bytes]:
        for byte in OK:
            yield bytes([byte])

    with playing(play) as raw:
        session = connect(base_url=raw.address, timeout=30.0, retries=ONCE)
        assert session.get("/data/companies").json() == {"data": []}
        assert session.get("/data/companies").json() == {"data": []}, (
            "and again, on its connection"
        )


BODY = b'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"data": ['


@contextlib.contextmanager
def interrupted(
    connect: Connect, start: bytes, workers: int, first: Callable[[str], bytes]
) -> Iterator[Service]:
    """A service that plays what is first of a request, else a start and then nothing,
    and interrupts this program once so many requests wait; at the end, soon.
    """
    waiting, ticks = list[str](), Counter[str]()
    is_interrupted, is_over, once = threading.Event(), threading.Event(), Lock()

    def play(head: str) -> Iterator[bytes]:
        if reply := first(head):
            yield reply
            return
        yield start
        waiting.append(head)
        if len(waiting) == workers and once.acquire(blocking=False):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            is_interrupted.set()
        while not is_over.is_set():
            yield b""
            ticks[head] += is_interrupted.is_set()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with playing(play) as raw:
            with pytest.warns(EvidenceWarning, match="only the rows received so far"):
                yield Service(connect(base_url=raw.address, timeout=60.0))
            took = max([0, *ticks.values()])
    finally:
        is_over.set()
        signal.signal(signal.SIGINT, before)
    assert took < 200, "two seconds of hundredths, which a busy machine makes longer"
    assert len(waiting) == workers


SILENT = pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nA: ", BODY])


@pytest.mark.parametrize("workers", [1, 8])
@SILENT
def test_an_interrupt_ends_a_fetch_that_waits_for_silent_replies_in_two_seconds(
    connect: Connect, start: bytes, workers: int
) -> None:
    rows = [company(number) for number in range(1, 9)]
    page = {"data": rows, "page": {"total": 200}, "currency": "USD"}
    reply = whole(json.dumps(page).encode())

    def first(head: str) -> bytes:
        return reply if "offset=0&" in head else b""

    with interrupted(connect, start, workers, first) as service:
        result = service.companies.fetch(workers=workers)
    assert len(result) == len(rows)
    assert result.certificate.verdict == "short"


@SILENT
def test_an_interrupt_ends_a_fetch_of_batches_that_are_silent_in_two_seconds(
    connect: Connect, start: bytes
) -> None:
    """The rows of the batch that arrived are kept."""
    rows = [company(number) for number in range(1, 51)]
    page = {"data": rows, "page": {"total": 50}, "currency": "USD"}
    replies = iter([whole(json.dumps(page).encode())])
    with interrupted(connect, start, 4, lambda _: next(replies, b"")) as service:
        query = service.companies.by_id([uuid(number) for number in range(1, 401)])
        result = query.fetch(workers=4)
    assert len(result) == result.certificate.rows == len(rows)
    assert result.certificate.verdict == "short"


def test_pages_that_are_paid_while_another_is_refused_are_counted(
    connect: Connect,
) -> None:
    numbers, started, paid = itertools.count(), list[int](), list[int]()
    refused = threading.Event()

    def play(head: str) -> Iterator[bytes]:
        start = int(re.findall(r"offset=(\d+)", head)[0])
        rows = [company(number) for number in range(start + 1, start + 9)]
        page = {"data": rows, "page": {"total": 200}, "currency": "USD"}
        number = next(numbers)
        started.append(number)
        if number == 1:
            while len(started) < 5:  # until three others are under way
                yield b""
            yield whole(b'{"error": {"code": "CREDITS_EXHAUSTED"}}', "402 Payment")
            refused.set()
            return
        if number > 1:
            while not refused.is_set():
                yield b""
            yield from [b""] * 50
        paid.append(number)
        yield whole(json.dumps(page).encode(), "200 OK", "X-Credits-Used: 2")

    with playing(play) as raw:
        service = Service(connect(base_url=raw.address, timeout=60.0))
        with pytest.warns(EvidenceWarning, match="CREDITS_EXHAUSTED"):
            result = service.companies.fetch(workers=4)
    assert sorted(paid) == [0, 2, 3, 4]
    assert result.certificate.credits == 2 * len(paid)
