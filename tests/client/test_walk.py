"""A walk gives every row, or its verdict says that it may not have."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal, cast

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client.stand_in import company
from ventureframe.client import frames
from ventureframe.client.decode import decode
from ventureframe.client.frames import Chunk
from ventureframe.client.listing import Listing
from ventureframe.client.paging import Paging, Step
from ventureframe.client.walk import Walk
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import COMPANIES
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Shape


class Collection:
    """A list endpoint in memory; `before` runs ahead of every answer and may change
    it, `about` stands in every page.
    """

    paging = Paging(10, "uuid")
    ids = owner = folder = None

    def __init__(
        self,
        rows: Sequence[int],
        *,
        largest: int = 1000,
        total: Callable[[int], object] = lambda count: count,
        before: Callable[[Collection, Step], None] = lambda *_: None,
        has_cursors: bool = True,
        **about: object,
    ) -> None:
        self.rows = list(rows)
        self.largest = largest
        self.total = total
        self.before = before
        self.paging = dataclasses.replace(self.paging, has_cursors=has_cursors)
        self.about = about
        self.steps: list[Step] = []

    def ask(self, step: Step, _: threading.Event | None = None) -> Reply:
        self.before(self, step)
        self.steps.append(step)
        start = int(step.cursor) if step.cursor is not None else step.offset or 0
        shown = self.rows[start : start + min(step.limit, self.largest)]
        end = start + len(shown)
        goes_on = end < len(self.rows)
        about = {
            "total": self.total(len(self.rows)) if step.has_total else None,
            "next_cursor": str(end) if goes_on and self.paging.has_cursors else None,
            "has_more": goes_on,
        }
        rows = [company(number) for number in shown]
        body = json.dumps({"data": rows, "page": {**about, **self.about}}).encode()
        return Reply("/data/companies", body, {}, retries=1, credits=0.5)

    def read(self, replies: Sequence[Reply]) -> Chunk:
        return decode(replies, Shape(COMPANIES), profile=INTERFACE)

    def walk(
        self, *, limit: int = 10, has_totals: bool = True, **settings: Any
    ) -> Walk:
        self.paging = dataclasses.replace(
            self.paging, limit=limit, has_totals=has_totals
        )
        return Walk(cast("Listing", self), **settings).read()


def assert_all(walked: Walk, count: int) -> None:
    """Every row of so many was read, in their order."""
    rows = pl.concat([frames.empty(COMPANIES), *walked.frames])
    assert rows["name"].to_list() == [f"Company {number}" for number in range(count)]


@settings(deadline=None)
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
    assert_all(walked, count)
    assert walked.certificate.verdict == "complete"
    assert walked.certificate.distinct == walked.certificate.reported_last == count


def test_the_certificate_counts_what_was_seen() -> None:
    assert Collection(range(25)).walk().certificate == Certificate(
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


@pytest.mark.parametrize(
    ("count", "at", "few"), [(25, 9, 1), (25, 9, 2), (25, 9, 7), (200, 18, 4)]
)
def test_a_short_page_is_no_end_and_ends_the_plan(
    count: int, at: int, few: int
) -> None:
    def shorten(collection: Collection, step: Step) -> None:
        collection.largest = few if step.offset == at else 1000

    walked = Collection(range(count), before=shorten).walk()
    assert_all(walked, count)
    assert walked.certificate.verdict == "complete"


@pytest.mark.parametrize("by", ["offset", "cursor"])
def test_without_a_total_the_walk_ends_at_an_empty_page_or_cursor_and_says_so(
    by: Literal["offset", "cursor"],
) -> None:
    walked = Collection(range(20), total=lambda _: None).walk(by=by)
    assert_all(walked, 20)
    assert walked.certificate.verdict == "total_not_reported"
    assert walked.certificate.reported_last is None


def test_an_endpoint_that_does_not_count_is_not_asked_to() -> None:
    collection = Collection(range(5))
    walked = collection.walk(has_totals=False)
    assert not any(step.has_total for step in collection.steps)
    assert walked.certificate.verdict == "total_not_reported"


@pytest.mark.parametrize(("more", "verdict"), [(5, "short"), (-3, "over")])
def test_a_total_that_the_rows_do_not_match_is_short_or_over(
    more: int, verdict: str
) -> None:
    walked = Collection(range(15), total=lambda count: count + more).walk()
    assert walked.certificate.verdict == verdict
    assert walked.certificate.reported_last == 15 + more


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("by", ["offset", "cursor"])
@pytest.mark.parametrize(("count", "at"), [(130, 100), (101, 100), (25, 10), (12, 1)])
def test_a_total_that_a_cursor_contradicts_is_gone_beyond(
    count: int, at: int, by: Literal["offset", "cursor"], workers: int
) -> None:
    def refuse(_: Collection, step: Step) -> None:
        assert (step.offset or 0) < at, "from there on an offset is refused"

    collection = Collection(range(count), total=lambda _: at, before=refuse)
    walked = collection.walk(by=by, workers=workers)
    assert_all(walked, count)
    assert walked.certificate.verdict == "over"
    assert walked.certificate.reported_last == at


def test_a_list_without_cursors_goes_on_by_offset_where_a_page_says_so() -> None:
    walked = Collection(range(33), total=lambda _: 10, has_cursors=False).walk()
    assert_all(walked, 33)
    assert walked.certificate.verdict == "over"


@pytest.mark.parametrize("has_cursors", [True, False])
def test_a_cursor_behind_the_last_row_costs_one_page_and_changes_nothing(
    *, has_cursors: bool
) -> None:
    endless = Collection(range(25), has_cursors=has_cursors, next_cursor="25")
    walked = endless.walk()
    assert_all(walked, 25)
    assert walked.certificate.verdict == "complete"
    assert walked.certificate.pages == 4


@pytest.mark.parametrize("total", [None, 400])
def test_a_service_that_ignores_the_offset_ends_soon_and_is_never_complete(
    total: int | None,
) -> None:
    def repeat(collection: Collection, step: Step) -> None:
        collection.rows[step.offset or 0 :] = range(25)

    walked = Collection(range(25), total=lambda _: total, before=repeat).walk(limit=500)
    assert walked.certificate.verdict == "drifted"
    assert walked.certificate.pages == 2


def test_a_cursor_that_ends_before_the_total_goes_on_by_offset() -> None:
    walked = Collection(range(25), next_cursor=None).walk(by="cursor")
    assert_all(walked, 25)
    assert walked.certificate.verdict == "complete"


def _swap(rows: list[int]) -> None:
    rows.remove(3)
    rows.insert(22, 99)


ONCE: list[tuple[Callable[[list[int]], object], int, int]] = [
    (lambda rows: rows.insert(0, 99), 25, 2),
    (lambda rows: rows.insert(0, rows.pop(20)), 24, 2),
    (lambda rows: rows.remove(3), 25, 0),
    (_swap, 26, 0),
]


@pytest.mark.parametrize(("change", "distinct", "duplicates"), ONCE)
def test_a_change_between_two_pages_is_drift_and_no_page_is_read_again(
    change: Callable[[list[int]], object], distinct: int, duplicates: int
) -> None:
    def once(collection: Collection, step: Step) -> None:
        if step.offset == 18:
            change(collection.rows)

    collection = Collection(range(25), before=once)
    certificate = collection.walk().certificate
    assert certificate.verdict == "drifted"
    assert (certificate.distinct, certificate.duplicates) == (distinct, duplicates)
    assert len(collection.steps) == certificate.pages == 3


@pytest.mark.parametrize(("by", "largest"), [("cursor", 10), ("offset", 1)])
def test_pages_that_cannot_share_a_row_say_what_they_may_miss(
    by: str, largest: int
) -> None:
    walked = Collection(range(25), largest=largest).walk(by=by)
    assert walked.certificate.verdict == "complete"
    assert not walked.way.is_chained
    assert Collection(range(25)).walk().way.is_chained
    assert Collection(range(9)).walk(by="cursor").way.is_chained


def test_another_way_than_by_offset_or_cursor_is_a_named_error() -> None:
    with pytest.raises(UnsupportedValue, match="'by' cannot be 'banana': give"):
        Collection(range(9)).walk(by="banana")
