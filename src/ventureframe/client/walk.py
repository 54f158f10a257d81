"""Reads a list to its end, in one pass, and certifies how complete it is.

A broken chain of pages, a total that moved, a row that was sent twice or with other
values is drift. It is said and not mended: reading the list again is the analyst's
decision, because every row may be paid for.
"""

import contextlib
import functools
import itertools
import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import dataclass, field
from typing import Any, Self, get_args

import numpy as np
import polars as pl

from ventureframe.client import checks
from ventureframe.client.listing import Listing
from ventureframe.client.paging import (
    By,
    PagingState,
    Progress,
    Step,
    Stop,
    check_positive,
)
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import (
    EnoughSent,
    FetchEnded,
    RequestRejected,
    UnsupportedValue,
)
from ventureframe.interface.certificate import Certificate, Seen, certify, total_of
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page, Reply

CHUNK = 3_000_000  # bytes that are decoded together, while the next pages arrive
# replies that are decoded together at most, so that an early end is seen soon
AHEAD = 64
_LOG = logging.getLogger("ventureframe")
_BY_CURSOR = " Where a large offset is refused, fetch with by='cursor'."
_Batch = list[tuple[Step, Reply]]


@dataclass(repr=False, eq=False)
class Walk:
    """One pass through a list: iterate for its rows, then read what was seen.

    Once a total is known, pages are requested ahead by so many `workers`, or as the
    list has it. `cancel`, or an interrupt from the keyboard, ends the walk with the
    rows that were received. `frames` are the rows, once `read` has kept them, and
    `refusal` is why there are none.
    """

    listing: Listing
    by: By = "offset"
    workers: int | None = None
    cancel: Stop = field(default_factory=Stop)
    progress: Progress | None = None
    frames: tuple[pl.DataFrame, ...] = ()
    refusal: RequestRejected | None = None
    absent: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()
    doubts: tuple[Doubt, ...] = ()

    def __post_init__(self) -> None:
        if self.by not in get_args(By):
            raise UnsupportedValue(
                self.by, field="by", reason="give 'offset' or 'cursor'"
            )
        if self.workers is not None:
            check_positive(workers=self.workers)
        if not callable(self.progress or print):
            raise UnsupportedValue(
                self.progress, field="progress", reason="give a function"
            )
        paging = self.listing.paging
        self.way = PagingState(paging, self.by if paging.has_cursors else "offset")
        self._seconds = 0.0
        self._rows = 0
        # of every reply, read or not; a kept one is paid for once
        self._credits = dict[object, float | None]()
        self._read = list[tuple[Step, Page]]()
        self._hashes = list[np.ndarray[Any, np.dtype[np.uint64]]]()
        self._tail = pl.DataFrame()  # the last row received
        self._is_contradicted = False
        self._refused: FetchEnded | None = None  # of a page behind the first

    def read(self) -> Self:
        """Walk to the end and keep the rows; an interrupt keeps those that arrived.

        One of several owners may be unknown (404); a list within a row may be withheld
        as well (403).
        """
        try:
            for frame in self:
                self.frames = (*self.frames, frame)
        except KeyboardInterrupt:
            self.cancel.set()
        except FetchEnded as error:
            self.refusal = error
        except RequestRejected as error:
            tolerated = (404,) if self.listing.wanted else (403, 404)
            if self.listing.owner is None or error.status not in tolerated:
                raise
            self.refusal = error
        return self

    def __iter__(self) -> Iterator[pl.DataFrame]:
        way, clock = self.way, self.way.paging.clock
        started = clock()
        try:
            while not (way.is_over or self.cancel.is_set()):
                with contextlib.closing(self._batches(way.plan())) as batches:
                    try:
                        for batch in batches:
                            yield self._take(batch)
                            if way.ends_plan:
                                break
                    except (KeyboardInterrupt, GeneratorExit):
                        self.cancel.set()  # before the workers are waited for
                        raise
                refused, self._refused = self._refused, None
                if refused is not None and not way.turn_to_cursor():
                    self.refusal = self.cancel.reason = refused
                    break
        except FetchEnded as error:
            self.cancel.end(error)
        finally:
            self._seconds = clock() - started
        reason = self.cancel.reason
        is_unread = not self._read and not isinstance(reason, EnoughSent)
        if reason is not None and is_unread:
            raise reason

    @property
    def certificate(self) -> Certificate:
        """The verdict on what the pages say together."""
        return certify([self.seen], seconds=self._seconds)

    @property
    def seen(self) -> Seen:
        """What the pages say together."""
        pages = [page for _, page in self._read]
        rows = distinct = self._rows
        if self._hashes:
            distinct = pl.Series(np.concatenate(self._hashes)).n_unique()
        totals = tuple(
            page.total
            for step, page in self._read
            # None of a page whose count timed out
            if step.has_total and page.total is not None
        )
        return Seen(
            totals=totals,
            rows=rows,
            distinct=distinct,
            pages=len(pages),
            retries=sum(page.reply.retries for page in pages),
            credits=total_of(list(self._credits.values())),  # a copy: threads may add
            # a repeated page says nothing of the pages that were refused behind it
            is_ended=self.way.is_over
            and not (self.way.is_broken and self.cancel.reason),
            is_broken=self.way.is_broken or self._is_contradicted,
            is_limited=any(
                page.is_limited or (page.goes_on and not rows) for page in pages
            ),
        )

    def _batches(self, steps: Sequence[Step]) -> Generator[_Batch, None, None]:
        """Request pages in order, and give those that are decoded together.

        Several workers request ahead; a single one requests a page when it is wanted.
        """
        workers = min(self.workers or self.listing.paging.workers, len(steps))
        is_ahead = workers > 1
        remaining = iter(steps)
        waiting = deque[tuple[Step, Callable[[], Reply | None]]]()
        pool = self.way.paging.pool(workers)
        batch, size = _Batch(), 0
        try:
            while True:
                for step in itertools.islice(remaining, 2 * workers - len(waiting)):
                    ask = functools.partial(self._ask, step)
                    if is_ahead:
                        ask = functools.partial(_wait_for, pool.submit(ask))
                    waiting.append((step, ask))
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
            # pages under way are paid for, but an interrupt waits for none
            is_interrupted = self.cancel.is_set() and not self.cancel.reason
            pool.shutdown(wait=not is_interrupted, cancel_futures=True)
        if batch:
            yield batch

    def _ask(self, step: Step) -> Reply | None:
        """Request a page; None once the walk is ended, or where this page ends it."""
        try:
            if not self.cancel.is_set():
                reply = self.listing.ask(step, self.cancel)
                payment = object() if self.listing.folder is None else step
                self._credits[payment] = reply.credits
                return reply
        except FetchEnded as error:
            self.cancel.end(error)
        except RequestRejected as error:
            if not self._read or error.status not in (400, 404, 422):
                raise
            self._refused = FetchEnded(f"{error}{_BY_CURSOR}", **vars(error))
        except CancelledError:
            pass  # while this page was awaited
        return None

    def _take(self, batch: _Batch) -> pl.DataFrame:
        """Decode and count pages; return their rows, shared ones once."""
        way, key = self.way, self.way.paging.key
        chunk = self.listing.read([reply for _, reply in batch])
        self.absent |= chunk.absent
        self.unknown |= chunk.unknown
        self.doubts = tuple(dict.fromkeys((*self.doubts, *chunk.doubts)))
        frames = list[pl.DataFrame]()
        start = 0
        for (step, _), page in zip(batch, chunk.pages, strict=True):
            rows = chunk.frame.slice(start, page.rows)
            # without a key the rows tell a page, with its offset where there is a total
            mark = page.first if key else (way.total and page.offset, str(rows.rows()))
            shared = way.take(step, page, mark)
            frames.append(rows.slice(shared))
            self._read.append((step, page))
            self._rows += page.rows - shared
            start += page.rows
            total = "unknown" if way.total is None else way.total
            _LOG.debug("page read: %d of %s rows", self._rows, total)
            if self.progress:
                self.progress(self._rows, way.total)
            if way.is_endless:
                message = (
                    f"GET {page.reply.path} goes on behind its end: {way.position:,}"
                    " rows"
                )
                self.cancel.end(FetchEnded(message))
            if way.ends_plan:
                break
        rows = pl.concat(frames, rechunk=True)
        if key is not None and chunk.absent:
            values = pl.exclude(key, WITHHELD)
            self._rows -= rows.height
            # a row with a key and nothing else does not count
            rows = rows.filter(pl.any_horizontal(values.is_not_null()))
            self._rows += rows.height
        if key is not None:
            received = [self._tail, chunk.frame.head(start)]
            if self._tail.height:
                self._is_contradicted |= checks.is_contradicted(received, key)
            self._tail = received[1].tail(1)
            # `Series.hash` costs six times as much
            self._hashes.append(rows.select(key).hash_rows().to_numpy())
        return rows


def walk_each(
    parts: Sequence[Listing],
    *,
    by: By = "offset",
    workers: int | None,
    cancel: Stop,
    progress: Progress | None = None,
) -> list[Walk]:
    """Read the parts in order; `progress` receives how many rows, or ids, are done.

    After the first part, which shows the pace, several are read at a time; of a single
    part several pages are.
    """
    done, total = 0, sum(len(part.ids or ()) for part in parts)
    of_rows = None if total else progress
    ahead = workers if len(parts) == 1 else 1
    walks = [Walk(part, by, ahead, cancel, of_rows) for part in parts]
    pool: Executor | None = None
    futures = list[Future[Walk]]()
    try:
        for number, walk in enumerate(walks):
            if number == 1:
                paging = walk.listing.paging
                pool = paging.pool(workers or paging.workers)
                futures = [pool.submit(later.read) for later in walks[1:]]
            if futures:
                _wait_for(futures[number - 1])
            else:
                walk.read()
            done += len(walk.listing.ids or ())
            if progress and total and not cancel.is_set():
                progress(done, total)
    except KeyboardInterrupt:
        cancel.set()
    finally:
        if pool:
            pool.shutdown(wait=not cancel.is_set(), cancel_futures=True)
    if cancel.is_set():
        for future in futures:  # what is decoded arrives; a silent reply is left
            with contextlib.suppress(Exception, KeyboardInterrupt):
                future.result(0.2)
    return walks


def _wait_for(future: Future[Any]) -> Any:
    """Wait for a result, a second at a time: an interrupt that arrives just before a
    wait shows only after it.
    """
    while not future.done():
        with contextlib.suppress(TimeoutError):
            future.result(1.0)
    return future.result()
