"""A walk gives every row, or its verdict says that it may not have."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.conftest import company
from ventureframe import decoding, frames, paging
from ventureframe.fields import COMPANIES
from ventureframe.paging import Certificate, Step, Verdict, Walk
from ventureframe.session import Reply
from ventureframe.wire import INTERFACE

ABSENT = object()


class Collection:
    """A list endpoint in memory; `before` runs ahead of every answer and may change it."""

    def __init__(
        self,
        rows: Sequence[int],
        *,
        largest: int = 1000,
        total: Callable[[int], object] = lambda count: count,
        before: Callable[[Collection, Step], None] = lambda *_: None,
    ) -> None:
        self.rows = list(rows)
        self.largest = largest
        self.total = total
        self.before = before
        self.steps: list[Step] = []

    def ask(self, step: Step) -> Reply:
        self.before(self, step)
        self.steps.append(step)
        start = int(step.cursor) if step.cursor is not None else step.offset or 0
        shown = self.rows[start : start + min(step.limit, self.largest)]
        end = start + len(shown)
        about = {
            "total": self.total(len(self.rows)) if step.has_total else None,
            "next_cursor": str(end) if end < len(self.rows) else None,
        }
        return reply(shown, about)

    def walk(self, **settings: Any) -> Walk:
        return walk(self.ask, **settings)


def walk(ask: paging.Ask, *, limit: int = 10, **settings: Any) -> Walk:
    return paging.walk(ask, decode, limit=limit, clock=lambda: 0.0, **settings)


def reply(numbers: Sequence[int], about: dict[str, object]) -> Reply:
    body = {"data": [company(number) for number in numbers], "page": about}
    return Reply("/data/companies", json.dumps(body).encode(), {}, retries=1, credits=0.5)


def decode(replies: Sequence[Reply]) -> list[frames.Page]:
    return decoding.decode(replies, COMPANIES, profile=INTERFACE)


def names(walked: Walk) -> list[str]:
    return frames.assemble(walked.pages, COMPANIES)["name"].to_list()


def named(numbers: Sequence[int]) -> list[str]:
    return [f"Company {number}" for number in numbers]


@given(
    count=st.integers(0, 40),
    limit=st.integers(1, 50),
    largest=st.integers(1, 50),
    by=st.sampled_from(["offset", "cursor"]),
)
def test_any_page_size_gives_the_same_rows(
    count: int, limit: int, largest: int, by: Literal["offset", "cursor"]
) -> None:
    walked = Collection(range(count), largest=largest).walk(limit=limit, by=by)
    assert names(walked) == named(range(count))
    assert walked.certificate.verdict == "complete"
    assert walked.certificate.distinct == walked.certificate.reported_last == count


def test_the_certificate_counts_what_was_seen() -> None:
    assert Collection(range(25)).walk().certificate == Certificate(
        reported_first=25,
        reported_last=25,
        rows=25,
        distinct=25,
        duplicates=0,
        pages=3,
        retries=3,
        seconds=0.0,
        verdict="complete",
        credits=1.5,
    )


def test_the_total_is_asked_for_with_the_first_and_the_last_page_only() -> None:
    collection = Collection(range(25))
    collection.walk()
    assert [(step.offset, step.has_total) for step in collection.steps] == [
        (0, True),
        (9, False),
        (18, True),
    ]


def test_offset_advances_by_the_rows_received_under_a_clamped_limit() -> None:
    collection = Collection(range(9), largest=4)
    walked = collection.walk(limit=500)
    assert [step.offset for step in collection.steps] == [0, 3, 6]
    assert walked.certificate.verdict == "complete"


@pytest.mark.parametrize("few", [1, 2, 7])
def test_a_short_page_is_no_end(few: int) -> None:
    def shorten(collection: Collection, step: Step) -> None:
        collection.largest = few if step.offset == 9 else 1000

    collection = Collection(range(25), before=shorten)
    walked = collection.walk()
    assert names(walked) == named(range(25))
    assert walked.certificate.verdict == "complete"


@pytest.mark.parametrize("by", ["offset", "cursor"])
def test_without_a_total_the_walk_ends_at_an_empty_page_or_cursor_and_says_so(
    by: Literal["offset", "cursor"],
) -> None:
    walked = Collection(range(20), total=lambda _: None).walk(by=by)
    assert names(walked) == named(range(20))
    assert walked.certificate.verdict == "total_not_reported"
    assert walked.certificate.reported_last is None


def test_an_endpoint_that_does_not_count_is_not_asked_to() -> None:
    collection = Collection(range(5))
    walked = collection.walk(has_totals=False)
    assert not any(step.has_total for step in collection.steps)
    assert walked.certificate.verdict == "total_not_reported"


def test_an_empty_page_before_the_total_is_short() -> None:
    walked = Collection(range(15), total=lambda count: count + 5).walk()
    assert walked.certificate.verdict == "short"
    assert walked.certificate.reported_last == 20


def test_more_rows_than_the_total_are_over() -> None:
    walked = Collection(range(10), total=lambda count: count - 3).walk()
    assert walked.certificate.verdict == "over"


def test_a_service_that_ignores_the_offset_ends_soon_and_is_never_complete() -> None:
    for total in (None, 400):

        def stuck(step: Step, total: int | None = total) -> Reply:
            return reply(range(25), {"total": total if step.has_total else None})

        walked = walk(stuck, limit=500)
        assert walked.certificate.verdict == "drifted"
        assert walked.certificate.pages == 4


def test_a_cursor_that_ends_before_the_total_goes_on_by_offset() -> None:
    collection = Collection(range(25))

    def forgetful(step: Step) -> Reply:
        (answered,) = decode([collection.ask(step)])
        about: dict[str, object] = {"total": answered.total, "next_cursor": None}
        return reply([int(name.split()[1]) for name in answered.frame["name"]], about)

    walked = walk(forgetful, by="cursor")
    assert names(walked) == named(range(25))
    assert walked.certificate.verdict == "complete"


def test_one_change_is_walked_again_and_complete_when_the_second_walk_is_clean() -> None:
    def insert_once(collection: Collection, step: Step) -> None:
        if step.offset == 18 and 99 not in collection.rows:
            collection.rows.insert(0, 99)

    walked = Collection(range(25), before=insert_once).walk()
    assert sorted(names(walked)) == sorted(named([*range(25), 99]))
    assert walked.certificate.verdict == "complete"
    assert walked.certificate.duplicates == 2
    assert walked.certificate.pages == 6


def test_a_row_that_was_there_and_is_gone_leaves_the_walk_drifted() -> None:
    def remove_once(collection: Collection, step: Step) -> None:
        if step.offset == 18 and 3 in collection.rows:
            collection.rows.remove(3)

    walked = Collection(range(25), before=remove_once).walk()
    assert sorted(names(walked)) == sorted(named(range(25)))
    assert walked.certificate.verdict == "drifted"


def test_a_collection_that_never_rests_is_walked_twice_at_most() -> None:
    def always(collection: Collection, step: Step) -> None:
        if step.offset:
            collection.rows.insert(0, 1000 + len(collection.rows))

    walked = Collection(range(25), before=always).walk()
    assert walked.certificate.verdict == "drifted"
    assert walked.certificate.pages < 12


def test_progress_is_told_after_every_page() -> None:
    told: list[tuple[int, int | None]] = []
    Collection(range(25)).walk(progress=lambda rows, total: told.append((rows, total)))
    assert told == [(10, 25), (19, 25), (25, 25)]


def certificate(verdict: Verdict, total: int | None = 3) -> Certificate:
    return Certificate(total, total, 3, 3, 0, 1, 0, 0.1, verdict)


@pytest.mark.parametrize(
    ("verdicts", "worst"),
    [
        ([], "complete"),
        (["complete", "short"], "short"),
        (["over", "complete", "drifted"], "drifted"),
        (["total_not_reported", "complete"], "total_not_reported"),
    ],
)
def test_several_walks_are_as_complete_as_the_worst_of_them(
    verdicts: list[Verdict], worst: Verdict
) -> None:
    together = paging.merged(map(certificate, verdicts), seconds=1.0)
    assert together.verdict == worst
    assert together.distinct == together.reported_last == 3 * len(verdicts)


def test_one_walk_without_a_total_leaves_the_sum_unknown() -> None:
    parts = [certificate("complete"), certificate("total_not_reported", None)]
    assert paging.merged(parts, seconds=1.0).reported_last is None
