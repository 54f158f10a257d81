"""Requests above the rate are refused, and told when the next is let in."""

from tests.service.caller import calling
from ventureframe_service.access import Rate
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings


def test_requests_above_the_rate_are_told_when_to_come_again(small: Dataset) -> None:
    with calling(small, Settings(rate=3)) as caller:
        replies = [caller.get("/data/jobs", limit=1) for _ in range(8)]
    limited = [reply for reply in replies if reply.status_code == 429]
    assert [reply.status_code for reply in replies[:3]] == [200] * 3
    assert limited
    assert {reply.headers["Retry-After"] for reply in limited} == {"1"}


def test_the_rate_is_kept_over_any_time() -> None:
    now = [0.0]
    rate = Rate(5, clock=lambda: now[0])
    let_in = 0
    for _ in range(1_000):
        now[0] += 0.01
        let_in += rate.wait() == 0
    assert let_in == 5 + 50 - 1
