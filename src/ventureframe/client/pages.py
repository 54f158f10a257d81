"""Pages of one list: which is next, by offset or by cursor, and asking for several ahead."""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final, Protocol

from ventureframe.client.decode import Chunk
from ventureframe.errors import CreditsExhausted
from ventureframe.interface.reply import Page, Reply

CHUNK: Final = 3_000_000
"""Bytes that are decoded together, while the next pages arrive."""
AHEAD: Final = 64
"""Replies that are decoded together at most, so that an early end is seen soon."""
PLANNED: Final = 4_096
"""Pages that are planned at once, however large a total a service reports."""


@dataclass(frozen=True, slots=True)
class Step:
    """One page to ask for: by offset, by cursor, or with neither (the first by cursor).

    `walk` counts the walks from 1; `overlap` is how many rows the page before has as well.
    """

    limit: int
    offset: int | None = None
    cursor: str | None = None
    has_total: bool = False
    walk: int = 1
    overlap: int = 0


@dataclass(frozen=True, slots=True)
class Paging:
    """How a list is paged: `limit` rows at a time, by so many `workers`.

    `at_most` is the largest number of rows there can be, where that is known. `has_totals` is false
    for an endpoint that does not count, `has_cursors` for one that pages by offset only.
    """

    limit: int
    at_most: int | None = None
    has_totals: bool = True
    has_cursors: bool = True
    workers: int = 1


class Pages(Protocol):
    """A list that gives its rows in pages: `ask` requests one, `read` decodes several."""

    @property
    def paging(self) -> Paging: ...
    def ask(self, step: Step) -> Reply: ...
    def read(self, replies: Sequence[Reply], valued: set[str] | None = None) -> Chunk: ...


@dataclass
class Offset:
    """The way through a list by offset, from the first page to the last.

    Advances by the rows received. Pages share a row as soon as the total is known; those behind
    the total are read by cursor, where the last one says that rows follow. `size` is the rows of
    the first page: while others have as many, pages are planned ahead. `valued` are the keys that
    had a value on a page (`decode`).
    """

    pages: Pages
    walk: int = 1
    position: int = 0
    size: int = 0
    total: int | None = None
    last: Page | None = None
    is_regular: bool = True
    is_over: bool = False
    valued: set[str] = field(default_factory=set)
    _firsts: set[str | int | None] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.paging = self.pages.paging

    @property
    def is_off_plan(self) -> bool:
        """Whether the next pages are not those that were planned."""
        return self.is_over or not self.is_regular

    def plan(self) -> list[Step]:
        """The next pages to ask for: every one where the total and the size of pages are known."""
        last, total, size = self.last, self.total, self.size
        if last is None or total is None:
            return [self._step(offset=self.position)]
        if self.position >= total and self.paging.has_cursors and last.next_cursor:
            return [self._step(cursor=last.next_cursor)]
        if self.position >= total or not self.is_regular or size < 2:
            overlap = int(last.rows > 1)
            return [self._step(offset=self.position - overlap, overlap=overlap)]
        starts = range(self.position - 1, total - 1, size - 1)[:PLANNED]
        return [self._step(offset=start, overlap=1) for start in starts]

    def take(self, step: Step, page: Page) -> int:
        """Go on behind the page; how many of its rows the page before has as well."""
        last, self.last = self.last, page
        shared = int(step.overlap > 0 and last is not None and page.first == last.last)
        if page.rows and page.first is not None:
            self.is_over |= page.first in self._firsts  # or a list sent again had no end
            self._firsts.add(page.first)
        if last is None:
            self.size = page.rows
        if step.has_total:
            self.total = page.total
        self.is_regular &= page.rows == self.size
        self.position = (self.position if step.offset is None else step.offset) + page.rows
        end = self.total if self.total is not None else self.paging.at_most
        is_behind = page.goes_on and page.rows > shared and self.total is not None
        is_reached = end is not None and self.position >= end and not is_behind
        self.is_over |= not page.rows or is_reached
        return shared

    def _step(
        self, *, offset: int | None = None, cursor: str | None = None, overlap: int = 0
    ) -> Step:
        """The page from there on; the total with the first and what can be the last."""
        limit, start = self.paging.limit, self.position if offset is None else offset + overlap
        can_be_last = self.total is not None and start + limit >= self.total
        has_total = self.paging.has_totals and (self.last is None or can_be_last)
        return Step(limit, offset, cursor, has_total, self.walk, overlap)


class Cursor(Offset):
    """The way by cursor: one page after the other, by offset where the cursor ends too early."""

    def plan(self) -> list[Step]:
        """The next page, which the last one says how to ask for."""
        cursor = None if self.last is None else self.last.next_cursor
        if self.last is not None and cursor is None:
            return [self._step(offset=self.position)]
        return [self._step(cursor=cursor)]

    def take(self, step: Step, page: Page) -> int:
        """Go on behind the page; without a total, the last cursor is the end."""
        shared = super().take(step, page)
        is_counted = self.total is not None or self.paging.at_most is not None
        self.is_over |= page.next_cursor is None and not is_counted
        return shared


def ahead(
    pages: Pages,
    steps: Sequence[Step],
    *,
    workers: int,
    cancel: threading.Event,
    valued: set[str],
) -> Generator[tuple[Sequence[Step], Chunk], None, None]:
    """Every step with its page, in their order, several in one chunk; fewer once cancelled.

    Pages are requested by several workers, and decoded beside in their order: `valued` are the keys
    that had a value on an earlier page. Raises `CreditsExhausted` after the
    pages that were still paid for.
    """
    spent: CreditsExhausted | None = None
    waiting: deque[tuple[Sequence[Step], Future[Chunk]]] = deque()
    with (
        ThreadPoolExecutor(1) as beside,
        contextlib.closing(_replies(pages, steps, cancel, workers)) as replies,
    ):
        if len(steps) == 1:
            for step, reply in replies:
                yield [step], pages.read([reply], valued)
            return
        while spent is None:
            portion, size = list[tuple[Step, Reply]](), 0
            try:
                for step, reply in replies:
                    portion.append((step, reply))
                    size += len(reply.body)
                    if size >= CHUNK or len(portion) >= AHEAD:
                        break
            except CreditsExhausted as error:
                spent = error
            if portion:
                read = beside.submit(pages.read, [reply for _, reply in portion], valued)
                waiting.append(([step for step, _ in portion], read))
            while waiting and (len(waiting) > 2 or spent or not portion):
                done, chunk = waiting.popleft()
                yield done, chunk.result()
            if not portion:
                break
        if spent is not None:
            raise spent


def _replies(
    pages: Pages, steps: Sequence[Step], cancel: threading.Event, workers: int
) -> Generator[tuple[Step, Reply], None, None]:
    """Every step with its reply: requested when it is wanted, or ahead by several workers."""
    left, sent = iter(steps), deque[tuple[Step, Callable[[], Reply]]]()
    is_ahead = min(workers, len(steps)) > 1
    pool = ThreadPoolExecutor(workers)
    try:
        while not cancel.is_set():
            for step in itertools.islice(left, 2 * workers - len(sent)):
                ask = functools.partial(pages.ask, step)
                sent.append((step, pool.submit(ask).result if is_ahead else ask))
            if not sent:
                return
            step, reply = sent.popleft()
            yield step, reply()
    except KeyboardInterrupt:
        cancel.set()
    finally:
        pool.shutdown(cancel_futures=True)
