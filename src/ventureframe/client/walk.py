"""Reads a list to its end, in one pass, and certifies how complete it is.

A broken chain of pages, a total that moved, a row that was sent twice or with other
values is drift. It is said and not mended: reading the list again is the analyst's
decision, because every row may be paid for.
"""

import contextlib
import functools
import itertools
import logging
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence, Set
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Self, get_args

import numpy as np
import polars as pl

from ventureframe.client import checks
from ventureframe.client.paging import By, PageSource, PagingState, Progress, Step
from ventureframe.errors import EnoughSent, FetchEnded, UnsupportedValue
from ventureframe.interface.certificate import Certificate, Seen, certify, total_of
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page, Reply

CHUNK = 3_000_000  # bytes that are decoded together, while the next pages arrive
# replies that are decoded together at most, so that an early end is seen soon
AHEAD = 64
TOGETHER = 10_000  # rows that are copied together, whatever the size of a page
_LOG = logging.getLogger("ventureframe")
_Batch = list[tuple[Step, Reply]]


@dataclass(repr=False, eq=False)
class Walk:
    """One pass through a list: iterate for its rows, then read what was seen.

    Once a total is known, pages are requested ahead by so many `workers`, or as the
    list has it. `cancel`, or an interrupt from the keyboard, ends the walk with the
    rows that were received. `frames` are the rows, once `read` has kept them.
    """

    pages: PageSource
    clock: Callable[[], float]
    by: By = "offset"
    workers: int | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    frames: tuple[pl.DataFrame, ...] = ()
    absent: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    doubts: tuple[Doubt, ...] = ()
    ended_by: FetchEnded | None = None

    def __post_init__(self) -> None:
        if self.by not in get_args(By):
            reason = "give 'offset' or 'cursor'"
            raise UnsupportedValue(self.by, field="by", reason=reason)
        paging = self.pages.paging
        self.way = PagingState(paging, self.by if paging.has_cursors else "offset")
        self._seconds = 0.0
        self._rows = 0
        self._read = list[tuple[Step, Page]]()
        self._loose = list[pl.DataFrame]()  # rows of pages that are not copied yet
        self._hashes = list[np.ndarray[Any, np.dtype[np.uint64]]]()
        self._valued: Set[str] = frozenset()
        self._tail = pl.DataFrame()  # the last row received
        self._is_unequal = False

    def read(self) -> Self:
        """Walk to the end and keep the rows; an interrupt keeps those that arrived."""
        rows = iter(self)
        kept = list[pl.DataFrame]()
        try:
            kept.extend(rows)
        except KeyboardInterrupt:
            self.cancel.set()
            kept.extend(rows)
        self.frames = tuple(kept)
        return self

    def __iter__(self) -> Iterator[pl.DataFrame]:
        started, way = self.clock(), self.way
        try:
            while not (way.is_over or self.cancel.is_set()):
                with contextlib.closing(self._batches(way.plan())) as batches:
                    for batch in batches:
                        self._take(batch)
                        if sum(rows.height for rows in self._loose) >= TOGETHER:
                            yield self._copied()
                        if way.ends_plan:
                            break
        except KeyboardInterrupt:
            self.cancel.set()
        except FetchEnded as error:
            self._end(error)
        if self._loose:
            yield self._copied()
        self._seconds = self.clock() - started
        is_unread = not self._read and not isinstance(self.ended_by, EnoughSent)
        if self.ended_by is not None and is_unread:
            raise self.ended_by

    @property
    def certificate(self) -> Certificate:
        """What the pages say together, and the verdict."""
        pages = [page for _, page in self._read]
        rows = self._rows
        distinct = rows
        if self._hashes:
            distinct = pl.Series(np.concatenate(self._hashes)).n_unique()
        is_limited = any(
            page.is_limited or (page.goes_on and not rows) for page in pages
        )
        seen = Seen(
            totals=tuple(page.total for step, page in self._read if step.has_total),
            rows=rows,
            distinct=distinct,
            pages=len(pages),
            retries=sum(page.reply.retries for page in pages),
            credits=total_of(page.reply.credits for page in pages),
            is_ended=self.way.is_over,
            is_broken=self.way.is_broken or self._is_unequal,
            is_limited=is_limited,
        )
        return certify(seen, seconds=self._seconds)

    def _batches(self, steps: Sequence[Step]) -> Generator[_Batch, None, None]:
        """Request pages in order, and give those that are decoded together.

        Several workers request ahead; one requests what is wanted next.
        """
        workers = min(self.workers or self.pages.paging.workers, len(steps))
        is_ahead = workers > 1
        remaining = iter(steps)
        waiting = deque[tuple[Step, Callable[[], Reply | None]]]()
        pool = self.pages.paging.pool(workers)
        batch, size = _Batch(), 0
        try:
            while True:
                for step in itertools.islice(remaining, 2 * workers - len(waiting)):
                    ask = functools.partial(self._ask, step)
                    waiting.append((step, pool.submit(ask).result if is_ahead else ask))
                if not waiting:
                    break
                step, reply_of = waiting.popleft()
                reply = reply_of()
                if reply is None:
                    break
                batch.append((step, reply))
                size += len(reply.body)
                if size >= CHUNK or len(batch) >= AHEAD:
                    yield batch
                    batch, size = _Batch(), 0
        except KeyboardInterrupt:
            self.cancel.set()
        finally:
            pool.shutdown(cancel_futures=True)
        if batch:
            yield batch

    def _ask(self, step: Step) -> Reply | None:
        """Request a page; None once the walk is ended, or where this page ends it."""
        if self.cancel.is_set():
            return None
        try:
            return self.pages.ask(step, self.cancel)
        except FetchEnded as error:
            self._end(error)
            return None
        except CancelledError:  # while this page was awaited
            return None

    def _end(self, error: FetchEnded) -> None:
        """Send nothing more: the first error is the reason."""
        self.ended_by = self.ended_by or error
        self.cancel.set()

    def _take(self, batch: _Batch) -> None:
        """Decode and count pages, and keep their rows, shared ones once."""
        way, key = self.way, self.way.paging.key
        steps = [step for step, _ in batch]
        chunk = self.pages.read([reply for _, reply in batch], self._valued)
        self._valued = chunk.valued
        self.absent |= chunk.absent
        self.unknown |= chunk.unknown
        self.doubts = tuple(dict.fromkeys((*self.doubts, *chunk.doubts)))
        repeated = list[int]()  # rows that the page before has as well
        start = 0
        for step, page in zip(steps, chunk.pages, strict=True):
            rows = chunk.frame.slice(start, page.rows)
            # without a key, the offset that the service states tells equal pages apart
            mark = page.first if key else (page.offset, str(rows.rows()))
            shared = way.take(step, page, mark)
            repeated += [start] * shared
            self._loose.append(rows.slice(shared))
            self._read.append((step, page))
            self._rows += page.rows - shared
            start += page.rows
            total = "unknown" if way.total is None else way.total
            _LOG.debug("page read: %d of %s rows", self._rows, total)
            if self.progress is not None:
                self.progress(self._rows, way.total)
            if way.ends_plan:
                break
        self._is_unequal |= checks.is_unequal(chunk.frame, repeated, self._tail)
        if start:
            self._tail = chunk.frame.slice(start - 1, 1)

    def _copied(self) -> pl.DataFrame:
        """Copy the rows of several pages together, and hash their keys."""
        rows = self._loose[0]
        if len(self._loose) > 1:
            rows = pl.concat(self._loose, how="diagonal", rechunk=True)
        self._loose.clear()
        key = self.way.paging.key
        if key is not None:
            # `Series.hash` costs six times as much
            self._hashes.append(rows.select(key).hash_rows().to_numpy())
        return rows
