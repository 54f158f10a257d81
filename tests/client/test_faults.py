"""Whatever goes wrong at the service: a result is all there is, or says that it is not."""

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.faults import Fault, Faults, connected
from tests.service.sample.sample import sample
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.errors import ServiceError
from ventureframe.interface.wire.profile import INTERFACE, Limit
from ventureframe_service import run
from ventureframe_service.settings import Settings

PROFILE = dataclasses.replace(
    INTERFACE, limits={**INTERFACE.limits, "companies": Limit(25, 20), "funds": Limit(25, 20)}
)


@pytest.fixture(scope="module")
def faults() -> Faults:
    return Faults()


@pytest.fixture(scope="module")
def running(faults: Faults) -> Iterator[run.Running]:
    with run.start(sample(companies=130), Settings(around=faults.around)) as running:
        yield running


@pytest.fixture(scope="module")
def truth(running: run.Running) -> frozenset[str]:
    return frozenset(running.dataset.tables["companies"]["uuid"])


@contextmanager
def asking(
    running: run.Running, *, sleep: Callable[[float], None] = lambda _: None
) -> Iterator[Service]:
    """A client of its own with small pages, which does not wait."""
    with connected(running, profile=PROFILE, sleep=sleep) as service:
        yield service


def assert_honest(result: Result, truth: frozenset[str]) -> None:
    found = result.to_polars()["uuid"]
    assert found.n_unique() == found.len() == result.certificate.distinct
    if result.is_complete:
        # A service that leaves a row out and counts it out, page after page, has one row fewer.
        assert set(found) == truth or result.certificate.reported_last == len(found) < 130
    else:
        assert not repr(result).count("complete")
    assert set(found) <= truth


Verdicts = tuple[str, ...]

PLANS: list[tuple[list[Fault], Verdicts]] = [
    ([Fault(route="companies", nth=(2,), status=429, retry_after=1)], ("complete",)),
    ([Fault(route="companies", nth=(2, 3), status=503)], ("complete",)),
    ([Fault(route="companies", nth=(3,), cut=0.5)], ("complete",)),
    ([Fault(route="companies", nth=(3,), close="before")], ("complete",)),
    ([Fault(route="companies", nth=(3,), close="during")], ("complete",)),
    ([Fault(route="companies", nth=(3,), expire=True)], ("complete",)),
    ([Fault(route="companies", clamp=7)], ("complete",)),
    ([Fault(route="companies", after=2, clamp=1)], ("complete",)),
    ([Fault(route="companies", nth=(3,), short=5)], ("complete",)),
    ([Fault(route="companies", nth=(3,), short=20)], ("short", "drifted", "complete")),
    ([Fault(route="companies", nth=(3,), repeat=True)], ("complete",)),
    ([Fault(route="companies", repeat=True)], ("drifted",)),
    ([Fault(route="companies", nth=(3,), shift=2)], ("complete",)),
    ([Fault(route="companies", nth=(3,), shift=-2)], ("complete",)),
    ([Fault(route="companies", after=2, shift=2)], ("drifted",)),
    ([Fault(route="companies", nth=(1,), total=3)], ("complete", "drifted")),
    ([Fault(route="companies", total="null")], ("total_not_reported",)),
    ([Fault(route="companies", total="absent")], ("total_not_reported",)),
    ([Fault(route="companies", nth=(4,), missing=2)], ("complete", "short", "drifted")),
]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(("plan", "verdicts"), PLANS, ids=lambda each: str(each)[:60])
def test_a_fault_is_overcome_or_said(
    faults: Faults,
    running: run.Running,
    truth: frozenset[str],
    *,
    plan: list[Fault],
    verdicts: Verdicts,
    workers: int,
) -> None:
    faults.play(plan)
    with asking(running) as service:
        result = service.companies.fetch(workers=workers)
    assert_honest(result, truth)
    assert result.certificate.verdict in verdicts


PLAN = st.lists(
    st.builds(
        lambda where, what: Fault(route="companies", **where, **what),
        st.sampled_from([{"nth": (2,)}, {"nth": (3, 5)}, {"every": 2}, {"after": 3}, {}]),
        st.sampled_from(
            [
                *({"shift": by} for by in (-3, -1, 1, 2)),
                *({"short": by} for by in (1, 19, 20)),
                *({"clamp": at} for at in (1, 7)),
                *({"total": by} for by in (-2, 1, "null", "absent")),
                *({"missing": by} for by in (1, 3)),
                {"repeat": True},
                {"cut": 0.9},
                {"status": 503},
                {"expire": True},
                {"html": True},
            ]
        ),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=25, deadline=None)
@given(plan=PLAN, by=st.sampled_from(["offset", "cursor"]), workers=st.sampled_from([1, 3]))
def test_no_plan_of_faults_is_called_complete_with_a_record_missing(
    faults: Faults,
    running: run.Running,
    truth: frozenset[str],
    *,
    plan: list[Fault],
    by: Literal["offset", "cursor"],
    workers: int,
) -> None:
    note(" · ".join(map(str, plan)))
    faults.play(plan)
    with asking(running) as service, contextlib.suppress(ServiceError):
        assert_honest(service.companies.fetch(by=by, workers=workers), truth)


def test_several_workers_stay_within_the_rate_and_lose_nothing(truth: frozenset[str]) -> None:
    world, settings = sample(companies=130), Settings(rate=50.0)
    with run.start(world, settings) as running, asking(running, sleep=time.sleep) as service:
        result = service.companies.fetch(workers=4)
    assert_honest(result, truth)
    assert result.is_complete
