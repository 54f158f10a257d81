"""Walks a collection to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions": `offset` advances by the rows received, never by
the rows asked for, until the total is reached or a page is empty. A short page is no end.

A total that stays the same proves little: one row may have gone and another one come. So pages
overlap by one row. Where each begins with the row that the page before ended with, every record
that was there throughout lies between two such rows and was read. A broken chain, a total that
moved or a row that came twice is drift: the collection is walked once more, and unless that walk
is clean and has every record of the first, the verdict says so. A walk whose pages cannot
overlap, by cursor or by single rows, is complete only if a second one gives the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from ventureframe.client.frames import Page, joined
from ventureframe.interface.certificate import Certificate, Verdict
from ventureframe.interface.reply import Reply

if TYPE_CHECKING:
    import polars as pl

Progress = Callable[[int, int | None], None]
"""Told the rows so far and the total, after every page."""


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


Ask = Callable[[Step], Reply]
"""Fetches one page."""
Decode = Callable[[Sequence[Reply]], Sequence[Page]]
"""Reads several pages together."""

CHUNK: Final = 3_000_000
"""Bytes that are decoded together, while the next pages arrive."""
AHEAD: Final = 64
"""Replies that are decoded together at most: an end that comes early is seen soon."""
PLANNED: Final = 4_096
"""Pages that are planned at once, however large a total a service reports."""
TOGETHER: Final = 10_000
"""Rows that lie together in memory, whatever the size of a page."""

SEVERITY: Final[tuple[Verdict, ...]] = (
    "drifted",
    "short",
    "over",
    "total_not_reported",
    "complete",
)


@dataclass(frozen=True, slots=True)
class Walk:
    """The rows of a walk, several pages together, those of a second one after them."""

    pages: tuple[Page, ...]
    certificate: Certificate


def walk(
    ask: Ask,
    decode: Decode,
    *,
    limit: int,
    by: Literal["offset", "cursor"] = "offset",
    has_totals: bool = True,
    at_most: int | None = None,
    workers: int = 1,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float],
) -> Walk:
    """Every page of a collection, `limit` rows asked for at a time.

    `has_totals` is false for an endpoint that does not count; `at_most` is a number of rows that
    ends the walk where no total is reported. Once a total is known, pages are asked for ahead by
    so many `workers`. `cancel`, or an interrupt from the keyboard, ends the walk with what came.
    """
    started = clock()
    source = _Source(ask, decode, workers, cancel or threading.Event())
    make = functools.partial(
        _Pass, limit=limit, by=by, has_totals=has_totals, at_most=at_most, progress=progress
    )
    passes = [make(1).run(source)]
    if not passes[0].is_final:
        passes.append(make(2).run(source))
    pages = tuple(page for each in passes for page in each.pages)
    return Walk(pages, _certify(passes, pages, seconds=clock() - started))


class _Source:
    """Gives the pages of steps in their order, asking ahead and decoding beside."""

    def __init__(self, ask: Ask, decode: Decode, workers: int, cancel: threading.Event) -> None:
        self._ask = ask
        self._decode = decode
        self._workers = workers
        self.cancel = cancel

    def pages(self, steps: Sequence[Step]) -> Generator[tuple[Step, Page], None, None]:
        """Each step with its page; fewer once cancelled."""
        if len(steps) == 1:
            for step, reply in self._replies(steps):
                yield step, self._decode([reply])[0]
            return
        replies = self._replies if self._workers == 1 else self._replies_ahead
        with ThreadPoolExecutor(2) as beside, contextlib.closing(replies(steps)) as came:
            waiting: deque[Callable[[], Iterable[tuple[Step, Page]]]] = deque()
            for chunk in _chunks(came):
                asked, answers = zip(*chunk, strict=True)
                future = beside.submit(self._decode, answers)
                waiting.append(functools.partial(_decoded, asked, future))
                if len(waiting) > 2:
                    yield from waiting.popleft()()
            for decoded in waiting:
                yield from decoded()

    def _replies(self, steps: Sequence[Step]) -> Generator[tuple[Step, Reply], None, None]:
        for step in steps:
            if self.cancel.is_set():
                return
            try:
                reply = self._ask(step)
            except KeyboardInterrupt:
                self.cancel.set()
                return
            yield step, reply

    def _replies_ahead(self, steps: Sequence[Step]) -> Generator[tuple[Step, Reply], None, None]:
        left, asked = iter(steps), deque[tuple[Step, Future[Reply]]]()
        pool = ThreadPoolExecutor(self._workers)
        try:
            while not self.cancel.is_set():
                for step in itertools.islice(left, 2 * self._workers - len(asked)):
                    asked.append((step, pool.submit(self._ask, step)))
                if not asked:
                    return
                step, reply = asked.popleft()
                yield step, reply.result()
        except KeyboardInterrupt:
            self.cancel.set()
        finally:
            pool.shutdown(cancel_futures=True)


def _chunks(replies: Iterable[tuple[Step, Reply]]) -> Iterator[list[tuple[Step, Reply]]]:
    chunk: list[tuple[Step, Reply]] = []
    size = 0
    for step, reply in replies:
        chunk.append((step, reply))
        size += len(reply.body)
        if size >= CHUNK or len(chunk) >= AHEAD:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _decoded(steps: Sequence[Step], pages: Future[Sequence[Page]]) -> Iterable[tuple[Step, Page]]:
    return zip(steps, pages.result(), strict=True)


class _Pass:
    """One walk from the first page to the last, and what was odd about it.

    The rows by which pages overlap are cut off, and `pages` are joined to larger ones.
    """

    def __init__(
        self,
        number: int,
        *,
        limit: int,
        by: Literal["offset", "cursor"],
        has_totals: bool,
        at_most: int | None,
        progress: Progress | None,
    ) -> None:
        self._limit = limit
        self._by = by
        self._has_totals = has_totals
        self._at_most = at_most
        self._progress = progress
        self._number = number
        self._size = 0
        self._last: Page | None = None
        self._firsts: set[str | int] = set()
        self._is_over = False
        self._is_regular = True
        self._is_broken = False
        self.is_repeated = False
        self._position = 0
        self.rows = 0
        self.is_chained = True
        self._loose: list[Page] = []
        self.pages: list[Page] = []
        self.replies: list[Reply] = []
        self.totals: list[int | None] = []

    def run(self, source: _Source) -> _Pass:
        try:
            while not (self._is_over or source.cancel.is_set()):
                with contextlib.closing(source.pages(self._plan())) as found:
                    for step, page in found:
                        if not self._take(step, page):
                            break
        except KeyboardInterrupt:
            source.cancel.set()
        self._join()
        return self

    @property
    def is_cancelled(self) -> bool:
        return not self._is_over

    @property
    def is_final(self) -> bool:
        """Whether a second walk would not change the verdict for the better."""
        if self.is_cancelled or (self.total is None and not self.has_drifted):
            return True
        return not self.has_drifted and (self.is_chained or self.distinct != self.total)

    @property
    def total(self) -> int | None:
        """The total as reported last."""
        return self.totals[-1] if self.totals else None

    @functools.cached_property
    def keys(self) -> pl.Series:
        return _keys(self.pages)

    @functools.cached_property
    def distinct(self) -> int:
        return self.keys.n_unique()

    @property
    def has_drifted(self) -> bool:
        moved = len(set(self.totals)) > 1
        return moved or self._is_broken or self.distinct < self.rows

    def _plan(self) -> list[Step]:
        """The next pages to ask for: all of them where total and size of a page are known."""
        if self._last is None or self.total is None or not self._is_regular or self._size < 2:
            return [self._step(self._position)]
        if self._by == "cursor":
            return [self._step(self._position)]
        starts = range(self._position, self.total, self._size - 1)
        return [self._step(at) for at in starts[:PLANNED]]

    def _step(self, position: int) -> Step:
        """The page from this position on; the total with the first and what may be the last."""
        end = self.total
        has_total = self._last is None or (end is not None and position + self._limit >= end)
        has_total &= self._has_totals
        if self._by == "cursor" and (self._last is None or self._last.next_cursor):
            cursor = self._last.next_cursor if self._last else None
            return Step(self._limit, None, cursor, has_total, self._number)
        overlap = int(self._by == "offset" and end is not None and self._overlaps())
        return Step(self._limit, position - overlap, None, has_total, self._number, overlap)

    def _overlaps(self) -> bool:
        """Whether there is a row to overlap by, and room for another one beside it."""
        return self._last is not None and len(self._last) > 1

    def _take(self, step: Step, page: Page) -> bool:
        """Count the page in; whether the next is the one that was planned."""
        self.replies.append(page.reply)
        if step.has_total:
            self.totals.append(page.total)
        if len(page):
            self._link(step, page)
        else:
            self._is_broken |= step.overlap > 0
        self._size = self._size or len(page)
        self._is_regular &= len(page) == self._size
        start = self._position if step.offset is None else step.offset
        self._position = start + len(page)
        self._last = page
        end = self.total if self.total is not None else self._at_most
        reached = end is not None and self._position >= end
        ended = self._by == "cursor" and page.next_cursor is None and end is None
        self._is_over |= not len(page) or reached or ended
        if self._progress is not None:
            self._progress(self.rows, self.total)
        return self._is_regular and not self._is_over

    def _link(self, step: Step, page: Page) -> None:
        """Keep the page's rows but the one it shares with the page before, which it must share."""
        first = page.keys[0]
        if first in self._firsts:
            self._is_broken = self._is_over = True
            self.is_repeated |= self._last is not None and page.keys.equals(self._last.keys)
        self._firsts.add(first)
        if self._last is not None and not step.overlap:
            self.is_chained = False
        elif self._last is not None and first != self._last.keys[-1]:
            self._is_broken = True
        elif self._last is not None:
            page = dataclasses.replace(page, frame=page.frame.slice(1))
        self._loose.append(page)
        self.rows += len(page)
        if sum(map(len, self._loose)) >= TOGETHER:
            self._join()

    def _join(self) -> None:
        """Lay the rows of the last pages together, and let go of what they were read from."""
        if self._loose:
            self.pages.append(joined(self._loose))
            self._loose = []


def _keys(pages: Sequence[Page]) -> pl.Series:
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

    return pl.concat([page.keys for page in pages]) if pages else pl.Series()


def _certify(passes: Sequence[_Pass], pages: Sequence[Page], *, seconds: float) -> Certificate:
    distinct = passes[0].distinct if len(passes) == 1 else _keys(pages).n_unique()
    replies = [reply for each in passes for reply in each.replies]
    spent = [reply.credits for reply in replies if reply.credits is not None]
    return Certificate(
        reported_first=passes[0].totals[0] if passes[0].totals else None,
        reported_last=passes[-1].total,
        rows=sum(each.rows for each in passes),
        distinct=distinct,
        duplicates=sum(each.rows - each.distinct for each in passes),
        pages=len(replies),
        retries=sum(reply.retries for reply in replies),
        seconds=seconds,
        verdict=_verdict(passes, distinct),
        credits=sum(spent) if spent else None,
        is_cancelled=any(each.is_cancelled for each in passes),
        is_repeated=any(each.is_repeated for each in passes),
    )


def _verdict(passes: Sequence[_Pass], distinct: int) -> Verdict:
    """On the last walk: it is drifted unless clean and without loss against an earlier one."""
    first, last = passes[0], passes[-1]
    if first.is_cancelled:
        return "short"
    if last.is_cancelled or last.has_drifted or last.distinct != distinct:
        return "drifted"
    if last.total is None:
        return "total_not_reported"
    if distinct != last.total:
        return "short" if distinct < last.total else "over"
    agree = last.is_chained or (first is not last and first.keys.equals(last.keys))
    return "complete" if agree else "drifted"


def merged(certificates: Iterable[Certificate], *, seconds: float) -> Certificate:
    """One certificate for several walks of which each asked for its own ids."""
    parts = list(certificates)
    spent = [part.credits for part in parts if part.credits is not None]
    verdicts = {part.verdict for part in parts} or {"complete"}
    return Certificate(
        reported_first=_sum(part.reported_first for part in parts),
        reported_last=_sum(part.reported_last for part in parts),
        rows=sum(part.rows for part in parts),
        distinct=sum(part.distinct for part in parts),
        duplicates=sum(part.duplicates for part in parts),
        pages=sum(part.pages for part in parts),
        retries=sum(part.retries for part in parts),
        seconds=seconds,
        verdict=next(verdict for verdict in SEVERITY if verdict in verdicts),
        credits=sum(spent) if spent else None,
        is_cancelled=any(part.is_cancelled for part in parts),
        is_repeated=any(part.is_repeated for part in parts),
    )


def _sum(totals: Iterable[int | None]) -> int | None:
    known = list(totals)
    return None if None in known else sum(total for total in known if total is not None)
