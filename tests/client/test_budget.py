"""`at_most_credits` bounds what is spent, on a real socket and by several threads."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import ventureframe as vf
from tests.client.stand_in import Time
from tests.client.test_cost import COMPANIES, KINDS, LIST, SAMPLE, SURVEYS, Billing
from tests.fake import start_on
from tests.faults import connected
from ventureframe.client.budget import Budget
from ventureframe.client.service import Service
from ventureframe.errors import (
    EnoughSent,
    EvidenceWarning,
    UnsupportedValue,
    VentureframeWarning,
)
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE


class Silent(Billing):
    """A service that bills every row, and does not say so."""

    def around(self, app: Any, name: str) -> Any:
        bill = super().around(app, name)

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            async def hide(message: Any) -> None:
                if "headers" in message:
                    message["headers"].pop()
                await send(message)

            await bill(scope, receive, hide)

        return answer


FEW = {"companies", "jobs at few", "few ids", "no company", "hiring", "exposure"}
"""Kinds that are tried each time; the others with the slow tests."""


def each(kinds: Iterable[str]) -> list[Any]:
    """The kinds as parameters of a test."""
    return [
        pytest.param(kind, marks=() if kind in FEW else pytest.mark.slow)
        for kind in kinds
    ]


@pytest.fixture(
    scope="module",
    params=[
        (Billing, INTERFACE),
        (Billing, WIRE_2026_10_02),
        (Silent, WIRE_2026_10_02),
    ],
    ids=lambda pair: f"{pair[0].__name__} {pair[1].name}",
)
def billing(request: pytest.FixtureRequest) -> Iterator[tuple[Billing, Service]]:
    kind, wire = request.param
    billing, time = kind(wire), Time()
    with (
        start_on(wire.name, SAMPLE, around=billing.around) as running,
        connected(
            running, profile=billing.wire, sleep=time.sleep, clock=time.clock
        ) as service,
    ):
        yield billing, service


def spent(bills: Billing, work: Callable[[], Any]) -> tuple[int, Any]:
    """What the work spends, and what it gives."""
    before = bills.credits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VentureframeWarning)
        result = work()
    return bills.credits - before, result


@pytest.mark.parametrize("kind", each(KINDS))
def test_a_fetch_spends_no_more_and_keeps_its_rows(
    billing: tuple[Billing, Service], kind: str
) -> None:
    (bills, service), query = billing, KINDS[kind]
    whole, result = spent(bills, lambda: query(service).fetch())
    for most in {whole // 3, whole, 2 * whole + 2} - {0}:
        fetch = partial(query(service).fetch, at_most_credits=most)
        cost, part = spent(bills, fetch)
        assert cost <= most
        assert len(part) <= len(result)
        assert set(part.missing) <= set(result.missing), "what is not read is not there"
        if most < whole:
            assert part.certificate.verdict == "short"
            # the last request asks for the rows that remain
            assert cost > most - 4
        elif most > whole:
            assert part.certificate.verdict == result.certificate.verdict
    if whole > 10:
        with pytest.warns(EvidenceWarning, match="early .at_most_credits= is reached"):
            part = query(service).fetch(at_most_credits=whole // 2, workers=8)
        assert 0 < len(part) <= len(result)


@pytest.mark.parametrize("survey", each(SURVEYS))
def test_a_study_spends_no_more_and_says_that_it_ended(
    billing: tuple[Billing, Service], survey: str
) -> None:
    (bills, service), question = billing, SURVEYS[survey]()
    whole, _ = spent(bills, lambda: question.study(service))
    bounded = question.set(at_most_credits=whole // 2)
    cost, study = spent(bills, lambda: bounded.study(service))
    assert whole // 2 - 10 < cost <= whole // 2
    ended = "the counts are of the records read, and there may be more"
    assert ended in str(study.answer)


@pytest.mark.parametrize("kind", ["company", "university"])
def test_a_list_is_held_against_what_the_credits_allow(
    billing: tuple[Billing, Service], kind: Any
) -> None:
    bills, service = billing
    cost, match = spent(
        bills, lambda: vf.match(service, LIST, kind=kind, at_most_credits=50)
    )
    assert cost <= 50
    is_fetched = kind == "company" and bills.wire is not INTERFACE
    assert match.states["not looked up"] or not is_fetched or not cost
    with pytest.raises(UnsupportedValue, match="'at_most_credits' cannot be 'all'"):
        vf.match(service, LIST, at_most_credits="all")  # type: ignore[arg-type]


def test_a_pull_goes_on_where_its_credits_ended(
    billing: tuple[Billing, Service], tmp_path: Path
) -> None:
    bills, service = billing
    whole, result = spent(bills, service.funds.fetch)

    before, runs, is_whole = bills.credits, 0, False
    while not is_whole and runs < 9:
        runs, start = runs + 1, bills.credits
        try:
            service.pull("funds", out=tmp_path, at_most_credits=150)
            is_whole = True
        except EnoughSent:
            assert 140 < bills.credits - start <= 150
    assert is_whole
    assert 1 < runs < 4
    assert bills.credits - before < 1.5 * whole, "what is kept is not paid for again"
    with vf.connect(data=tmp_path, environment={}) as pulled:
        assert pulled.funds.count() == len(result)


def test_threads_together_spend_no_more_and_none_waits_for_ever() -> None:
    """Each request bills fewer rows than it may: what it does not spend is returned."""
    budget, billed, refused = Budget(credits=1_000), list[float](), list[int]()

    def send(number: int) -> None:
        rows = 50 + number % 400
        parameters = {"limit": str(rows)}

        def ask() -> Reply:
            spent = min(int(parameters["limit"]), 7)
            return Reply("/data/jobs", b"", {}, credits=spent)

        try:
            billed.append(budget.send(ask, parameters, rows, 1.0).credits or 0)
        except EnoughSent:
            refused.append(number)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(send, range(200)))
    assert len(billed) + len(refused) == 200
    assert sum(billed) == 1_000
    assert budget.credits == 0


def test_a_failed_request_costs_nothing() -> None:
    budget, parameters = Budget(requests=2, credits=10), {"limit": "50"}

    def ask() -> Reply:
        raise ValueError(parameters["limit"])

    with pytest.raises(ValueError, match="5"):
        budget.send(ask, parameters, 50, 2.0)
    assert (budget.requests, budget.credits) == (1, 10)


def test_bounds_within_bounds_hold_together(
    billing: tuple[Billing, Service],
) -> None:
    bills, service = billing
    bounded = service._within(None, 60)
    for most, least in ((40, 40), (500, 18), (None, 0)):
        cost, funds = spent(
            bills, partial(bounded.funds.fetch, at_most_credits=most, workers=1)
        )
        assert least <= cost <= least + 2
        assert funds.certificate.verdict == "short"


def test_data_of_a_folder_cost_no_credits() -> None:
    """The same notebook runs on the sample, where the bound is never reached."""
    svc = vf.connect(environment={})
    funds = svc.funds.fetch(at_most_credits=1)
    assert funds.is_complete
    study = vf.hiring.study(svc, companies=COMPANIES[:3], at_most_credits=1)
    assert all(result.is_complete for result in study.fetched)
