"""Every call ends, whatever the service sends, with the rows that came and a
sentence.
"""

import contextlib
import datetime as dt
import itertools
import json
import os
import random
import signal
import threading
import time as real
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.client.raw import playing, whole
from tests.client.stand_in import (
    Answer,
    Asked,
    Connect,
    StandIn,
    collection,
    company,
    full,
    live,
    uuid,
)
from tests.client.test_lists import person, serving, studied
from ventureframe.client.query import Query
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.errors import (
    EvidenceWarning,
    ServiceUnreachable,
    UnreadableReply,
    VentureframeError,
)
from ventureframe.interface.fields import INVESTORS
from ventureframe.interface.wire.generations import WIRE_2026_10_02

SOON = 2.0
"""Seconds in which an interrupt or a cancel ends a call."""
REAL: Any = {"sleep": real.sleep, "clock": real.monotonic, "timeout": 60.0}


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """What a block does ends soon, on a machine that may be busy."""
    began = real.monotonic()
    yield
    assert real.monotonic() - began < 2 * SOON


# --- an interrupt, a cancel


def test_an_interrupt_while_rows_are_decoded_waits_for_no_silent_worker(
    connect: Connect,
) -> None:
    rows = [company(number, tagline="x" * 900_000) for number in range(7)]
    is_over = threading.Event()

    def play(head: str) -> Iterator[bytes]:
        for start in (0, 3):
            if f"offset={start}&" in head:
                about = {"page": {"total": 60}, "currency": "USD"}
                body = json.dumps({"data": rows[start : start + 4], **about})
                yield whole(body.encode())
                return
        yield b'HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"data": ['
        while not is_over.is_set():
            yield b""

    def interrupt(done: int, _: int | None) -> None:
        if done > 4:
            raise KeyboardInterrupt

    with playing(play) as raw:
        service = Service(connect(base_url=raw.address, **REAL))
        with soon(), pytest.warns(EvidenceWarning, match="ended early"):
            result = service.companies.fetch(interrupt, workers=3)
        is_over.set()
    assert result.certificate.verdict == "short"


@pytest.mark.parametrize("is_by_id", [False, True])
def test_no_wait_for_a_worker_is_longer_than_a_second(
    stand_in: StandIn, connect: Connect, is_by_id: bool
) -> None:
    """A signal that arrives just before a wait is seen when the wait ends."""
    waits, is_awaited = list[float | None](), threading.Event()

    class Pool(ThreadPoolExecutor):
        def submit(
            self, work: Callable[..., Any], /, *args: Any, **named: Any
        ) -> Future[Any]:
            future = super().submit(lambda: is_awaited.wait() and work(*args, **named))
            result = future.result

            def noted(timeout: float | None = None) -> Any:
                if not future.done():
                    waits.append(timeout)
                    is_awaited.set()
                return result(timeout)

            future.result = noted  # type: ignore[method-assign]
            return future

    rows = [company(number) for number in range(120)]
    listed = collection(rows)

    def answer(asked: Asked) -> Answer:
        if is_by_id:
            return listed(asked)
        return listed(replace(asked, parameters={**asked.parameters, "limit": "9"}))

    stand_in.data = answer
    companies = Service(connect(pool=Pool, **REAL)).companies
    query: Query = companies
    if is_by_id:
        query = companies.by_id([uuid(number) for number in range(120)])
    query.fetch(workers=4)
    assert waits
    assert all(seconds is not None and seconds <= 1.0 for seconds in waits)


def test_a_last_page_whose_count_times_out_makes_no_list_drift(
    stand_in: StandIn, connect: Connect
) -> None:
    rows = collection([company(number) for number in range(17)])

    def answer(asked: Asked) -> Answer:
        is_counted = "include_total" in asked.parameters
        if is_counted and asked.parameters.get("offset") != "0":
            return Answer({}, 504)
        return rows(replace(asked, parameters={**asked.parameters, "limit": "9"}))

    stand_in.data = answer
    result = Service(connect()).companies.fetch()
    assert (len(result), result.certificate.verdict) == (17, "complete")


def test_an_interrupt_at_any_moment_ends_a_fetch_soon(
    stand_in: StandIn, connect: Connect
) -> None:
    rows = collection([company(number) for number in range(120)])

    def answer(asked: Asked) -> Answer:
        return rows(replace(asked, parameters={**asked.parameters, "limit": "9"}))

    stand_in.data = answer
    service, draw = Service(connect(**REAL)), random.Random(7)
    service.companies.fetch()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(30):
            with (
                soon(),
                warnings.catch_warnings(),
                contextlib.suppress(KeyboardInterrupt),
            ):
                warnings.simplefilter("ignore")
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.001, 0.06))
                service.companies.fetch(workers=draw.choice([1, 4]))
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_that_the_service_asks_for_ends_soon_once_it_is_cancelled(
    stand_in: StandIn, connect: Connect, status: int
) -> None:
    cancel = threading.Event()

    def answer(_: Asked) -> Answer:
        threading.Timer(0.2, cancel.set).start()
        return Answer({}, status, {"Retry-After": "50"})

    stand_in.data = answer
    with soon(), pytest.raises(CancelledError):
        connect(**REAL).get("/data/companies", cancel=cancel)


# --- one bound for a request


def test_attempts_share_one_bound_and_the_last_of_them_too(connect: Connect) -> None:
    def play(_: str) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"
        yield from itertools.repeat(b"", 1000)

    with playing(play) as raw:
        own = {**REAL, "retries": Retries(seconds=1.0)}
        session = connect(base_url=raw.address, **own)
        with soon(), pytest.raises(ServiceUnreachable, match="did not answer in time"):
            session.get("/data/companies")


@pytest.mark.parametrize("size", [b"-1", b"z"])
def test_a_size_of_a_chunk_that_is_none_is_a_named_error(
    connect: Connect, size: bytes
) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    def play(_: str) -> Iterator[bytes]:
        yield head + size + b"\r\n{}\r\n0\r\n\r\n"
        raise ConnectionError

    with playing(play) as raw:
        session = connect(base_url=raw.address, retries=Retries(attempts=2))
        with pytest.raises(UnreadableReply, match=r"sent a reply that .* 2 attempts"):
            session.get("/data/companies")


@pytest.mark.parametrize("status", [401, 503])
def test_fifty_threads_that_fail_together_ask_for_one_token(
    stand_in: StandIn, connect: Connect, status: int
) -> None:
    stand_in.token = lambda _: Answer({}, status)
    session = connect(retries=Retries(attempts=2, base=0.0))

    def ask(_: int) -> str:
        with pytest.raises(VentureframeError) as caught:
            session.get("/data/companies")
        return str(caught.value)

    with ThreadPoolExecutor(50) as pool:
        (message,) = set(pool.map(ask, range(50)))
    assert "POST /oauth/token answered" in message
    assert len(stand_in.asked) == (1 if status == 401 else 2)


# --- lists without an end


@pytest.mark.parametrize("echoes", [True, False])
@pytest.mark.parametrize("most", [5, 500])
def test_a_list_in_a_row_that_ignores_the_offset_ends_and_is_doubted(
    stand_in: StandIn, connect: Connect, most: int, *, echoes: bool
) -> None:
    studies = [studied(1, number) for number in range(1, 8)]
    rows = serving([person(1, education=studies)], {uuid(1): studies}, most=most)

    def answer(asked: Asked) -> Answer:
        if not asked.path.endswith("education"):
            return rows(asked)
        offset = int(asked.parameters["offset"])
        same = {**asked.parameters, "offset": "0", "include_total": "false"}
        body: Any = rows(replace(asked, parameters=same)).body
        body["page"]["offset"] = offset if echoes else 0
        return Answer(body)

    stand_in.data = answer
    result = Service(connect(WIRE_2026_10_02)).founders.fetch()
    assert len(stand_in.data_asked) <= 1 + 3
    assert result.certificate.verdict == "short"
    assert result.details.partial == ()


@pytest.mark.parametrize("by", ["offset", "cursor"])
@pytest.mark.parametrize("total", [100, 3000])
def test_a_list_that_goes_on_for_ever_ends_after_twice_its_total(
    stand_in: StandIn, service: Service, by: Any, total: int
) -> None:
    numbers = itertools.count()

    def answer(asked: Asked) -> Answer:
        rows = [company(next(numbers)) for _ in range(100)]
        page = {"total": total, "next_cursor": "more", "limit": 100}
        return Answer({"data": rows, "page": page, "currency": "USD"})

    stand_in.data = answer
    with pytest.warns(EvidenceWarning, match=r"goes on behind its end"):
        result = service.companies.fetch(by=by, workers=1)
    assert result.certificate.verdict == "short"
    assert 2 * total <= next(numbers) <= 2 * total + 700


# --- pages that are refused


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("has_cursor", [True, False])
def test_rows_before_a_refused_offset_are_kept_and_the_rest_is_read_by_cursor(
    stand_in: StandIn, service: Service, workers: int, *, has_cursor: bool
) -> None:
    rows = collection([company(number) for number in range(90)])

    def answer(asked: Asked) -> Answer:
        given = {**asked.parameters, "limit": "10"}
        if int(given.get("offset", 0)) > 40:
            return Answer({"error": {"code": "OFFSET_TOO_LARGE"}}, 400)
        body: Any = rows(replace(asked, parameters=given)).body
        body["page"]["next_cursor"] = (
            has_cursor and body["page"]["next_cursor"]
        ) or None
        return Answer(body)

    stand_in.data = answer
    if has_cursor:
        result = service.companies.fetch(workers=workers)
        assert result.is_complete
        assert any("shared no row" in said for said in result.caveats)
        return
    with pytest.warns(EvidenceWarning, match="OFFSET_TOO_LARGE.*fetch with by='cursor"):
        result = service.companies.fetch(workers=workers)
    assert (len(result), result.certificate.verdict) == (46, "short")


@pytest.mark.parametrize("others", [0, 3])
def test_an_owner_that_is_gone_behind_its_first_page_keeps_the_rows_that_came(
    stand_in: StandIn, service: Service, others: int
) -> None:
    rows = [full(INVESTORS, uuid=uuid(number), name="M") for number in range(25)]

    def answer(asked: Asked) -> Answer:
        given = {**asked.parameters, "limit": "10"}
        is_gone = uuid(1) in asked.path and int(given["offset"]) > 0
        if is_gone:
            return Answer({"error": {"code": "NOT_FOUND"}}, 404)
        return collection(rows)(replace(asked, parameters=given))

    stand_in.data = answer
    lps = [uuid(number) for number in range(1, 2 + others)]
    with pytest.warns(EvidenceWarning, match="404 NOT_FOUND"):
        result = service.managers_of(lps).fetch()
    assert len(result) == 10 + 25 * others
    assert (result.certificate.verdict, result.missing) == ("short", ())


# --- what a connection holds


def held() -> tuple[int, int]:
    return threading.active_count(), len(os.listdir("/proc/self/fd"))


def refused(environment: dict[str, str], **changes: Any) -> Callable[[], object]:
    def act() -> None:
        with pytest.raises(VentureframeError):
            vf.connect(environment=environment, **changes)

    return act


@pytest.mark.slow
def test_what_was_closed_or_could_not_be_opened_holds_nothing(
    stand_in: StandIn,
) -> None:
    stand_in.token = lambda _: Answer({}, 401)
    acts = Counter[Callable[[], object]](
        {
            lambda: vf.connect(environment={}).close(): 10,
            refused({}, timeout=-1): 10,
            refused(live(stand_in)): 10,
        }
    )
    for act, times in acts.items():
        act()
        before = held()
        for _ in range(times):
            act()
        real.sleep(0.1)
        threads, files = held()
        assert threads <= before[0] + 1
        assert files <= before[1] + 2


# --- arguments


@pytest.mark.parametrize(
    "given",
    [
        {"by": "banana"},
        {"by": 7},
        {"workers": 0},
        {"workers": "many"},
        {"at_most": "x"},
        {"at_most": 0.5},
        {"cancel": "x"},
        {"progress": "x"},
    ],
    ids=str,
)
def test_an_argument_of_another_kind_is_named(service: Service, given: Any) -> None:
    (name,) = given
    with pytest.raises(vf.errors.UnsupportedValue, match=f"'{name}' cannot be"):
        service.companies.fetch(**given)


def test_a_folder_that_is_none_is_named() -> None:
    with pytest.raises(vf.errors.UnsupportedValue, match="'path' cannot be 5"):
        vf.connect(data=5, environment={})  # type: ignore[arg-type]


SVC = vf.connect(environment={})
FUNDS = SVC.funds.fetch()
WRONG: tuple[tuple[str, Callable[[], object]], ...] = (
    ("engine", lambda: vf.bulk.open(engine="sqlite")),
    ("engine", lambda: vf.bulk.open(engine=5)),
    ("svc", lambda: vf.form(None, vf.spinouts.Question())),  # type: ignore[arg-type]
    ("question", lambda: vf.form(SVC, None)),  # type: ignore[arg-type]
    ("university", lambda: vf.spinouts.Question(university=5)),  # type: ignore[arg-type]
    ("limit", lambda: SVC.aggregate("companies", group_by="name", limit="x")),  # type: ignore[arg-type]
    ("by", lambda: SVC.founders.by_id([]).fetch(by="banana")),  # type: ignore[arg-type]
    ("workers", lambda: SVC.founders.by_id([]).fetch(workers=0)),
    ("progress", lambda: SVC.funds.pages(True)),  # type: ignore[arg-type]
    ("filter", lambda: SVC.companies.where(5)),  # type: ignore[arg-type]
    ("filter", lambda: vf.any_of(vf.company.launch_date >= 2005, None)),  # type: ignore[arg-type]
    ("launch_date", lambda: vf.company.launch_date.in_any(5)),  # type: ignore[arg-type]
    ("path", lambda: SVC.funds.fetch().save(5)),  # type: ignore[arg-type]
    ("tags", lambda: vf.hiring.Question(tags=5)),  # type: ignore[arg-type]
    ("lps", lambda: vf.exposure.Question(lps=5)),  # type: ignore[arg-type]
    ("rounds_of", lambda: vf.hiring.Question(rounds_of=-1)),
    ("rounds_of", lambda: vf.mine.Question(rounds_of="9")),  # type: ignore[arg-type]
    ("rounds_of", lambda: vf.hiring.Question(rounds_of=None)),  # type: ignore[arg-type]
    ("funds_of", lambda: vf.exposure.Question(funds_of=1.5)),  # type: ignore[arg-type]
    ("path", lambda: SVC.pull(out="\ud800")),
    ("status", lambda: vf.hiring.Question(status=5)),  # type: ignore[arg-type]
    ("university", lambda: vf.founders.Question(university=5)),  # type: ignore[arg-type]
    ("companies", lambda: vf.changes.compare(FUNDS, FUNDS, companies=5)),
    ("records", lambda: vf.glossary(5)),
    ("records", lambda: vf.glossary("companys")),
    ("records", lambda: vf.glossary(vf.spinouts.Question)),
    ("group_by", lambda: SVC.aggregate("companies", group_by=5)),  # type: ignore[arg-type]
    ("group_by", lambda: SVC.aggregate("companies", group_by=["name", None])),  # type: ignore[list-item]
    ("metric", lambda: SVC.aggregate("companies", group_by="name", metric=5)),  # type: ignore[arg-type]
    ("sort", lambda: SVC.aggregate("companies", group_by="name", sort=["count"])),  # type: ignore[arg-type]
    ("filter", lambda: SVC.aggregate("companies", group_by="name", where=5)),  # type: ignore[arg-type]
    ("path", lambda: vf.bulk.open(engine="duckdb", scratch="a\0b")),
)
AREAS = (
    vf.spinouts,
    vf.founders,
    vf.exposure,
    vf.hiring,
    vf.mine,
    vf.universities,
)


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("svc", [None, 5, "https://live.example", vf.hiring.Question()])
def test_a_study_of_no_service_says_what_to_give(area: Any, svc: Any) -> None:
    says = "'svc' cannot be .*: give what vf.connect"
    with pytest.raises(vf.errors.UnsupportedValue, match=says):
        area.study(svc)
    with pytest.raises(vf.errors.UnsupportedValue, match=says):
        vf.form(svc, area.Question())


@pytest.mark.parametrize("area", [*AREAS, vf.changes])
def test_what_is_no_list_is_refused_by_every_question(area: Any) -> None:
    names = [
        member.name
        for member in area.Question.members()
        if member.kind.is_list or member.kind.name in ("place", "years", "amounts")
    ]
    if hasattr(area.Question, "companies"):
        names.append("companies")
    for name in names:
        for value in (object(), dt.date(2026, 1, 1), SVC):
            with pytest.raises(vf.errors.UnsupportedValue) as refused:
                area.Question(**{name: value})
            assert refused.value.field == name
            assert "give " in refused.value.reason
            assert "iterable" not in str(refused.value)


@pytest.mark.parametrize("name", [5, None, 1.5, ["education"]])
def test_a_field_that_is_no_text_is_named(name: Any) -> None:
    for call in (SVC.companies.with_all, SVC.funds.fetch().to_pandas):
        if name is not None or call == SVC.companies.with_all:
            with pytest.raises(vf.errors.UnknownField, match="no field"):
                call(name)


def test_a_setting_without_a_value_is_not_set_and_a_number_is_read() -> None:
    with pytest.raises(vf.errors.ConfigurationError, match="rate is not a number"):
        vf.connect(environment={"VENTUREFRAME_RATE": -1})  # type: ignore[dict-item]
    none: dict[str, Any] = dict.fromkeys(live(StandIn()))
    with vf.connect(environment=none) as service:
        assert service.source.is_embedded


def test_a_pipe_is_no_list_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "list.csv")
    with soon(), pytest.raises(vf.errors.UnsupportedValue, match=r"list\.csv"):
        vf.match(SVC, tmp_path / "list.csv")


@pytest.mark.parametrize(("name", "call"), WRONG)
def test_an_argument_of_another_kind_is_named_everywhere(
    name: str, call: Callable[[], object]
) -> None:
    with pytest.raises(vf.errors.UnsupportedValue, match=f"'{name}' cannot be"):
        call()
