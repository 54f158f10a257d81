"""The ways through a list: which page comes next, and whether the last one was the end.

Interface, "Filter, sort and paging conventions". A short page is not the end, and
neither is the total where a page says that others follow. Consecutive pages share one
row, because a total stays the same where one row has gone and another has been added.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

from ventureframe.errors import FetchEnded, UnsupportedValue
from ventureframe.interface.reply import Page

By = Literal["offset", "cursor"]  # how the next page is requested
# receives the rows so far and the total, page by page
Progress = Callable[[int, int | None], None]

# rows of a list without a total, after which it is taken for one that never ends
_MOST = 10_000_000
# pages that are planned at once, however large the reported total
PLANNED = 4_096


def check_positive(*, least: int = 1, **numbers: Any) -> None:
    """Raise `UnsupportedValue` with the name of the first that is no whole number of
    `least` or more; where `least` is 1, None is allowed and means no bound.
    """
    for name, value in numbers.items():
        is_unbounded = value is None and least
        if not is_unbounded and (type(value) is not int or value < least):
            reason = f"give a whole number of {least} or more"
            raise UnsupportedValue(value, field=name, reason=reason)


class Stop(Event):
    """Ends one fetch: set for a `reason`, by an interrupt, or by the caller's event."""

    reason: FetchEnded | None = None

    def __init__(self, cancel: Event | None = None) -> None:
        super().__init__()
        if not hasattr(cancel or self, "is_set"):
            raise UnsupportedValue(
                cancel, field="cancel", reason="give a threading.Event"
            )
        self._is_cancelled = (cancel or Event()).is_set

    def is_set(self) -> bool:
        """Whether the fetch, or the caller, has ended it."""
        return super().is_set() or self._is_cancelled()

    def end(self, error: FetchEnded) -> None:
        """Let nothing more be sent: the first error is the reason."""
        self.reason = self.reason or error
        self.set()


@dataclass(frozen=True)
class Step:
    """One page to request: by offset, by cursor, or the first one by neither."""

    limit: int
    offset: int | None = None
    cursor: str | None = None
    has_total: bool = False
    overlap: int = 0  # rows that the page before has as well


@dataclass(frozen=True)
class Paging:
    """How a list is paged: `limit` rows at a time, by so many `workers` of a `pool`.

    `key` is the column that identifies a row; without one no row can be recognised on
    the next page.
    """

    limit: int
    key: str | None
    # the largest number of rows there can be, where that is known
    at_most: int | None = None
    has_totals: bool = True
    has_cursors: bool = True  # else by offset only
    workers: int = 1
    pool: Callable[[int], Executor] = ThreadPoolExecutor
    clock: Callable[[], float] = time.monotonic


@dataclass
class PagingState:
    """The way through one list, from the first page to the last.

    While pages have as many rows as the first (`is_regular`), others are planned
    ahead. Rows behind the total are read by cursor, where the last page says that
    rows follow. The way `is_broken` where a page does not begin with the last row of
    the page before, or was sent already. It `is_chained` while pages can share a row,
    and `is_endless` more than a page after twice the first total.
    """

    paging: Paging
    by: By = "offset"
    position: int = 0
    total: int | None = None
    is_regular: bool = True
    is_over: bool = False
    is_broken: bool = False
    is_chained: bool = True
    is_endless: bool = False
    ends_plan: bool = False  # the pages that were planned ahead are of no use
    _last: Page | None = None
    _size: int = 0
    _most: int = _MOST
    _marks: set[object] = field(default_factory=set)

    def plan(self) -> list[Step]:
        """Return the next pages to request: all, once total and page size are known.

        The total is requested with the first page and with each that can be the last.
        """
        paging, last, total = self.paging, self._last, self.total
        starts: Sequence[int | None] = [self.position]
        cursor, overlap = None, 0
        is_behind = total is not None and self.position >= total
        can_follow = paging.has_cursors and (self.by == "cursor" or is_behind)
        if last is None:
            starts = [0 if self.by == "offset" else None]
        elif can_follow and last.next_cursor is not None:
            starts, cursor = [None], last.next_cursor
        elif total is None or paging.key is None:
            pass  # one page after the other, without a row in common
        elif is_behind or not self.is_regular or self._size < 2:
            overlap = int(last.rows > 1)
            starts = [self.position - overlap]
        else:
            overlap = 1
            starts = range(self.position - 1, total - 1, self._size - 1)[:PLANNED]
        steps = list[Step]()
        for start in starts:
            first = self.position if start is None else start + overlap
            can_be_last = total is not None and first + paging.limit >= total
            has_total = paging.has_totals and (last is None or can_be_last)
            steps.append(Step(paging.limit, start, cursor, has_total, overlap))
        return steps

    def turn_to_cursor(self) -> bool:
        """Go on by the cursor of the last page; return whether that is new and there
        is one.
        """
        is_new = self.by == "offset" and self.paging.has_cursors
        self.by = "cursor"
        return is_new and self._last is not None and bool(self._last.next_cursor)

    def take(self, step: Step, page: Page, mark: object) -> int:
        """Go on behind a page; return how many of its rows the page before has as well.

        Two pages with the same `mark` are the same page.
        """
        last, self._last = self._last, page
        is_first = last is None
        shared = int(step.overlap > 0 and last is not None and page.first == last.last)
        is_again = page.rows > 0 and mark in self._marks
        self._marks.add(mark)
        if is_first:
            self._size = page.rows
        elif page.rows and not step.overlap and self.paging.key is not None:
            self.is_chained = False
        if step.has_total:
            self.total = page.total
        if is_first and page.total:
            self._most = 2 * page.total + step.limit
        start = self.position if step.offset is None else step.offset
        self.position = start + page.rows
        self.is_regular &= page.rows == self._size
        self.is_broken |= is_again or shared < step.overlap
        self.is_over |= is_again or self._is_end(page, shared)
        self.is_endless = self.position > self._most and not self.is_over
        self.ends_plan = self.is_over or self.is_endless or not self.is_regular
        return shared

    def _is_end(self, page: Page, shared: int) -> bool:
        """Whether no page follows: without a total that is so where no cursor does."""
        if not page.rows:
            return True
        end = self.paging.at_most if self.total is None else self.total
        if end is None:
            return self.by == "cursor" and page.next_cursor is None
        if self.position < end:
            return False
        is_continued = self.total is not None and page.goes_on
        return not (is_continued and page.rows > shared)
