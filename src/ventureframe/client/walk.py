"""Walks a list to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions". A short page is not the end, and
neither is the total where a page says that others follow.

Consecutive pages share one row, because a total stays the same where one row has
gone and another one been added. A broken chain, a total that moved, a row that was
sent twice or with other values is drift: the list is walked once more, and if that
walk is clean and has every record of the first, its rows are kept. Where pages
cannot share a row, two walks have to give the same.
"""

import contextlib
import dataclasses
import functools
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

import numpy as np
import polars as pl

from ventureframe.client import checks
from ventureframe.client.decode import Before, Chunk
from ventureframe.errors import EnoughSent, FetchEnded
from ventureframe.interface.certificate import Certificate, Seen, certify, total_of
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page, Reply

By = Literal["offset", "cursor"]  # how the next page is asked for
# told the rows so far and the total, page by page
Progress = Callable[[int, int | None], None]

CHUNK: Final = 3_000_000  # bytes that are decoded together, while the next pages arrive
# replies that are decoded together at most, so that an early end is seen soon
AHEAD: Final = 64
# pages that are planned at once, however large the reported total
PLANNED: Final = 4_096
TOGETHER: Final = 10_000  # rows that are copied together, whatever the size of a page
_LOG: Final = logging.getLogger("ventureframe")
_Hashes = np.ndarray[Any, np.dtype[np.uint64]]


@dataclass(frozen=True, slots=True)
class Step:
    """One page to ask for: by offset, by cursor, or with neither (the first by
    cursor).
    """

    limit: int
    offset: int | None = None
    cursor: str | None = None
    has_total: bool = False
    walk: int = 1  # counted from 1
    overlap: int = 0  # rows that the page before has as well


@dataclass(frozen=True, slots=True)
class Paging:
    """How a list is paged: `limit` rows at a time, by so many `workers` of a `pool`."""

    limit: int
    # the largest number of rows there can be, where that is known
    at_most: int | None = None
    has_totals: bool = True
    has_cursors: bool = True  # else by offset only
    workers: int = 1
    pool: Callable[[int], Executor] = ThreadPoolExecutor


class Pages(Protocol):
    """A list that gives its rows in pages: `ask` requests one, `read` decodes
    several.
    """

    @property
    def paging(self) -> Paging: ...
    def ask(self, step: Step) -> Reply: ...
    def read(self, replies: Sequence[Reply], before: Before = frozenset) -> Chunk: ...


@dataclass
class Offset:
    """The way through a list by offset, from the first page to the last.

    Pages share a row once the total is known; those behind it are read by cursor,
    where the last one says that rows follow. While pages have as many rows as the
    first (`size`), others are planned ahead. `valued` are the keys that had a value
    on a page.
    """

    pages: Pages
    paging: Paging
    walk: int = 1
    position: int = 0
    size: int = 0
    total: int | None = None
    last: Page | None = None
    is_regular: bool = True
    is_over: bool = False
    valued: Set[str] = frozenset()
    _firsts: set[str | int | None] = field(default_factory=set)

    def plan(self) -> list[Step]:
        """The next pages to ask for: every one where the total and the size of pages
        are known.
        """
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
            # or a list sent again had no end
            self.is_over |= page.first in self._firsts
            self._firsts.add(page.first)
        if last is None:
            self.size = page.rows
        if step.has_total:
            self.total = page.total
        self.is_regular &= page.rows == self.size
        self.position = (
            self.position if step.offset is None else step.offset
        ) + page.rows
        end = self.total if self.total is not None else self.paging.at_most
        is_behind = page.goes_on and page.rows > shared and self.total is not None
        self.is_over |= not page.rows or (
            end is not None and self.position >= end and not is_behind
        )
        return shared

    def _step(
        self, offset: int | None = None, cursor: str | None = None, overlap: int = 0
    ) -> Step:
        """The page from there on; the total with the first and what can be the last."""
        limit, start = (
            self.paging.limit,
            (self.position if offset is None else offset + overlap),
        )
        can_be_last = self.total is not None and start + limit >= self.total
        has_total = self.paging.has_totals and (self.last is None or can_be_last)
        return Step(limit, offset, cursor, has_total, self.walk, overlap)


class Cursor(Offset):
    """The way by cursor: one page after the other, by offset where the cursor ends
    too early.
    """

    def plan(self) -> list[Step]:
        """The next page, which the last one says how to ask for."""
        cursor = None if self.last is None else self.last.next_cursor
        offset = None if self.last is None or cursor is not None else self.position
        return [self._step(offset, cursor)]

    def take(self, step: Step, page: Page) -> int:
        """Go on behind the page; without a total, the last cursor is the end."""
        shared = super().take(step, page)
        is_counted = self.total is not None or self.paging.at_most is not None
        self.is_over |= page.next_cursor is None and not is_counted
        return shared


WAYS: Final = {"offset": Offset, "cursor": Cursor}
_Chunks = Generator[tuple[Sequence[Step], Chunk], None, None]
# and how many rows of each the page before has as well
_Read = list[tuple[Step, Page, int]]


@dataclass(frozen=True, slots=True)
class Walk:
    """The rows of a list: those of the walk that certifies them, else of both, the
    last first.
    """

    frames: tuple[pl.DataFrame, ...]
    certificate: Certificate
    absent: frozenset[str]
    extra: frozenset[str]
    doubts: tuple[Doubt, ...] = ()
    ended_by: FetchEnded | None = None


def walk(
    pages: Pages,
    *,
    by: By = "offset",
    workers: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    keep: Callable[[pl.DataFrame], pl.DataFrame] = lambda rows: rows,
    clock: Callable[[], float],
) -> Walk:
    """Read every page of a list; `keep` chooses among the rows, the certificate counts
    all.

    Once a total is known, pages are asked for ahead by so many `workers`, or as the
    list has it. `cancel`, or an interrupt from the keyboard, ends the walk with the
    rows that were received.
    """
    walking = Walking(pages, clock, by, workers, cancel or threading.Event(), progress)
    first, second = frames = list[pl.DataFrame](), list[pl.DataFrame]()
    arriving = iter(walking)
    while walking.found is None:
        try:
            for rows in arriving:
                frames[walking.number - 1].append(keep(rows))
        except KeyboardInterrupt:
            walking.cancel.set()
    if not second or walking.found.certificate.verdict == "drifted":
        second += first
    return dataclasses.replace(walking.found, frames=tuple(second))


@dataclass
class Walking:
    """The rows of a list as they arrive; `number` is their walk, `found` at the end
    the result.
    """

    pages: Pages
    clock: Callable[[], float]
    by: By = "offset"
    workers: int | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    number: int = 1
    found: Walk | None = None
    _ended_by: FetchEnded | None = None

    def __iter__(self) -> Iterator[pl.DataFrame]:
        started = self.clock()
        seen, keys, told = yield from self._walk()
        seconds = self.clock() - started
        certificate = certify(seen, seen, seen.distinct, seconds=seconds)
        if certificate.verdict == "drifted":
            self.number = 2
            again, others, further = yield from self._walk()
            distinct = pl.Series(np.concatenate([keys, others])).n_unique()
            is_same, seconds = np.array_equal(keys, others), self.clock() - started
            certificate = certify(
                seen, again, distinct, is_same=is_same, seconds=seconds
            )
            told = told + further if certificate.verdict == "drifted" else further
        self.found = Walk(
            (),
            certificate,
            frozenset().union(*(chunk.absent for chunk in told)),
            frozenset().union(*(chunk.extra for chunk in told)),
            tuple(dict.fromkeys(doubt for chunk in told for doubt in chunk.doubts)),
            self._ended_by,
        )

    def _walk(self) -> Generator[pl.DataFrame, None, tuple[Seen, _Hashes, list[Chunk]]]:
        """Give the rows of one walk as they arrive, once where pages share them."""
        way = WAYS[self.by](self.pages, self.pages.paging, self.number)
        read, loose, keys = _Read(), list[pl.DataFrame](), list[_Hashes]()
        told = list[Chunk]()  # without their rows
        rows, key, tail, is_unequal = 0, "", None, False
        try:
            workers = self.workers or way.paging.workers
            with contextlib.closing(
                through(way, workers=workers, cancel=self.cancel)
            ) as chunks:
                for steps, chunk in chunks:
                    starts, start, key = list[int](), 0, chunk.key or ""
                    told.append(
                        dataclasses.replace(chunk, frame=pl.DataFrame(), pages=())
                    )
                    for step, page in zip(steps, chunk.pages, strict=True):
                        shared = way.take(step, page)
                        starts += [start] * shared
                        loose.append(
                            chunk.frame.slice(start + shared, page.rows - shared)
                        )
                        read.append((step, page, shared))
                        start, rows = start + page.rows, rows + page.rows - shared
                        total = "unknown" if way.total is None else way.total
                        _LOG.debug("page read: %d of %s rows", rows, total)
                        if self.progress is not None:
                            self.progress(rows, way.total)
                        if way.is_over or not way.is_regular:
                            break
                    is_unequal |= checks.is_unequal(chunk.frame, starts, tail)
                    tail = chunk.frame.slice(start - 1, 1) if start else tail
                    if sum(frame.height for frame in loose) >= TOGETHER:
                        yield _together(loose, key, keys)
        except KeyboardInterrupt:
            self.cancel.set()
        except FetchEnded as error:
            if not read and not isinstance(error, EnoughSent):
                raise
            self._ended_by = error
            self.cancel.set()
        if loose:
            yield _together(loose, key, keys)
        hashes = np.concatenate(keys) if keys else np.empty(0, np.uint64)
        return (
            _seen(read, hashes, is_ended=way.is_over, is_unequal=is_unequal),
            hashes,
            told,
        )


def through(way: Offset, *, workers: int, cancel: threading.Event) -> _Chunks:
    """Read one chunk after the other, whose pages the caller takes, until the way is
    over.
    """
    while not cancel.is_set():
        with contextlib.closing(_ahead(way, workers, cancel)) as chunks:
            for steps, chunk in chunks:
                way.valued = chunk.valued
                yield steps, chunk
                if way.is_over:
                    return
                if not way.is_regular:
                    break


def _ahead(way: Offset, workers: int, cancel: threading.Event) -> _Chunks:
    """Read the planned pages; raise `FetchEnded` after those that were still paid
    for.
    """
    steps, waiting = way.plan(), deque[tuple[Sequence[Step], Future[Chunk]]]()
    before: Before = functools.partial(frozenset, way.valued)
    spent: FetchEnded | None = None
    replies = _replies(way, steps, cancel, workers)
    with way.paging.pool(2) as beside, contextlib.closing(replies):
        if len(steps) == 1:
            for step, reply in replies:
                yield [step], way.pages.read([reply], before)
            return
        portion: list[tuple[Step, Reply]] | None = None
        while portion != [] and spent is None:
            portion, size = [], 0
            try:
                for step, reply in replies:
                    portion.append((step, reply))
                    size += len(reply.body)
                    if size >= CHUNK or len(portion) >= AHEAD:
                        break
            except FetchEnded as error:
                spent = error
            if portion:
                read = beside.submit(
                    way.pages.read, [reply for _, reply in portion], before
                )
                before = functools.partial(lambda read: read.result().valued, read)
                waiting.append(([step for step, _ in portion], read))
            while waiting and (len(waiting) > 2 or spent or not portion):
                done, chunk = waiting.popleft()
                yield done, chunk.result()
        if spent is not None:
            raise spent


def _replies(
    way: Offset, steps: Sequence[Step], cancel: threading.Event, workers: int
) -> Generator[tuple[Step, Reply], None, None]:
    """Every step with its reply: requested when it is wanted, or ahead by several
    workers.
    """
    left, sent = iter(steps), deque[tuple[Step, Callable[[], Reply | None]]]()
    is_ahead = min(workers, len(steps)) > 1
    ask_one = lambda step: None if cancel.is_set() else way.pages.ask(step)  # noqa: E731
    pool = way.paging.pool(workers)
    try:
        while not cancel.is_set():
            for step in itertools.islice(left, 2 * workers - len(sent)):
                ask = functools.partial(ask_one, step)
                sent.append((step, pool.submit(ask).result if is_ahead else ask))
            if not sent:
                return
            step, answered = sent.popleft()
            if (reply := answered()) is None:
                return
            yield step, reply
    except KeyboardInterrupt:
        cancel.set()
    finally:
        pool.shutdown(cancel_futures=True)


def _seen(read: _Read, hashes: _Hashes, *, is_ended: bool, is_unequal: bool) -> Seen:
    """What the pages of one walk say together."""
    pages = [page for _, page, _ in read]
    rows = sum(page.rows - shared for _, page, shared in read)
    ends = [(page.first, page.last, page.rows) for page in pages if page.rows]
    firsts = [first for first, _, _ in ends]
    is_again = len(set(firsts)) < len(firsts) or any(
        step.overlap > n for step, _, n in read
    )
    return Seen(
        totals=tuple(page.total for step, page, _ in read if step.has_total),
        rows=rows,
        distinct=pl.Series(hashes).n_unique(),
        pages=len(pages),
        retries=sum(page.reply.retries for page in pages),
        credits=total_of(page.reply.credits for page in pages),
        is_ended=is_ended,
        is_chained=all(step.overlap or not page.rows for step, page, _ in read[1:]),
        is_broken=is_unequal or is_again,
        is_limited=any(
            page.is_limited or (page.goes_on and not rows) for page in pages
        ),
    )


def _together(loose: list[pl.DataFrame], key: str, keys: list[_Hashes]) -> pl.DataFrame:
    """Copy the rows of several pages together, and hash their keys, which so stay
    distinct.
    """
    rows = (
        pl.concat(loose, how="diagonal", rechunk=True) if len(loose) > 1 else loose[0]
    )
    loose.clear()
    # `Series.hash` costs six times as much
    keys.append(rows.select(key).hash_rows().to_numpy())
    return rows
