"""Walks a collection to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions": `offset` advances by the rows received, never by
the rows asked for, until the total is reached or a page is empty. A short page is not the end.

A total that stays the same proves little: one row can have gone and another one been added. So
consecutive pages share one row. Where each page begins with the last row of the page before, every
record that was there throughout lies between two such rows and was read. A broken chain, a total
that moved or a row that was sent twice is drift: the collection is walked once more, and unless
that walk is clean and has every record of the first, the verdict says so. A walk whose pages
cannot share a row, by cursor or with pages of one row, is complete only if a second one gives the
same.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import polars as pl

from ventureframe.client.decode import Chunk, Page
from ventureframe.client.pages import Pages, Step, chunks
from ventureframe.interface.certificate import Certificate, Verdict

By = Literal["offset", "cursor"]
"""How the next page is asked for."""

Progress = Callable[[int, int | None], None]
"""Told the rows so far and the total, after every page."""

PLANNED: Final = 4_096
"""Pages that are planned at once, however large a total a service reports."""

SEVERITY: Final[tuple[Verdict, ...]] = (
    "drifted",
    "short",
    "over",
    "total_not_reported",
    "complete",
)


@dataclass(frozen=True, slots=True)
class Walk:
    """The rows of a walk in several frames, those of a second walk after those of the first.

    `absent` are declared fields that at least one row leaves out, `extra` columns that `fields`
    does not declare.
    """

    frames: tuple[pl.DataFrame, ...]
    absent: frozenset[str]
    extra: frozenset[str]
    certificate: Certificate


def walk(
    pages: Pages,
    *,
    by: By = "offset",
    workers: int = 1,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float],
) -> Walk:
    """Every page of a collection.

    Once a total is known, pages are asked for ahead by so many `workers`. `cancel`, or an
    interrupt from the keyboard, ends the walk with the rows that were received.
    """
    started = clock()
    stop = cancel or threading.Event()
    passes = [_Pass(pages, 1, by, progress).run(workers, stop)]
    if not passes[0].is_final:
        passes.append(_Pass(pages, 2, by, progress).run(workers, stop))
    return Walk(
        tuple(frame for each in passes for frame in each.frames),
        frozenset().union(*(each.absent for each in passes)),
        frozenset().union(*(each.extra for each in passes)),
        _certify(passes, seconds=clock() - started),
    )


class _Pass:
    """One walk from the first page to the last, and what was odd about it.

    `frames` hold each row once where pages share it.
    """

    def __init__(self, pages: Pages, number: int, by: By, progress: Progress | None) -> None:
        self._pages, self._number, self._by, self._progress = pages, number, by, progress
        self._size = 0
        self._position = 0
        self._last: Page | None = None
        self._firsts: set[str | int | None] = set()
        self._is_over = False
        self._is_regular = True
        self._is_broken = False
        self.is_repeated = False
        self.is_chained = True
        self.rows = 0
        self.read: list[Page] = []
        self.totals: list[int | None] = []
        self.frames: list[pl.DataFrame] = []
        self._keys: list[pl.Series] = []
        self.absent: set[str] = set()
        self.extra: set[str] = set()

    def run(self, workers: int, cancel: threading.Event) -> _Pass:
        """This pass, once it is walked to its end or cancelled."""
        try:
            while not (self._is_over or cancel.is_set()):
                found = chunks(self._pages, self._plan(), workers=workers, cancel=cancel)
                with contextlib.closing(found):
                    for steps, chunk in found:
                        if not self._take(steps, chunk):
                            break
        except KeyboardInterrupt:
            cancel.set()
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
        """What identifies the rows, in their order."""
        return _joined(self._keys)

    @functools.cached_property
    def distinct(self) -> int:
        return self.keys.n_unique()

    @property
    def has_drifted(self) -> bool:
        moved = len(set(self.totals)) > 1
        return moved or self._is_broken or self.distinct < self.rows

    def _plan(self) -> list[Step]:
        """The next pages to ask for: all of them where the total and a page's size are known."""
        if self._last is None or self.total is None or not self._is_regular or self._size < 2:
            return [self._step(self._position)]
        if self._by == "cursor":
            return [self._step(self._position)]
        starts = range(self._position, self.total, self._size - 1)
        return [self._step(at) for at in starts[:PLANNED]]

    def _step(self, position: int) -> Step:
        """The page from this position on; the total with the first and what can be the last."""
        last, end, limit = self._last, self.total, self._pages.limit
        has_total = last is None or (end is not None and position + limit >= end)
        has_total &= self._pages.has_totals
        if self._by == "cursor" and (last is None or last.next_cursor):
            cursor = last.next_cursor if last else None
            return Step(limit, None, cursor, has_total, self._number)
        can_share = last is not None and last.rows > 1 and end is not None
        overlap = int(self._by == "offset" and can_share)
        return Step(limit, position - overlap, None, has_total, self._number, overlap)

    def _take(self, steps: Sequence[Step], chunk: Chunk) -> bool:
        """Keep the rows of the pages; whether the next pages are those that were planned."""
        self.absent |= chunk.absent
        self.extra |= chunk.extra
        start, parts = 0, list[pl.DataFrame]()
        try:
            for step, page in zip(steps, chunk.pages, strict=True):
                shared = self._shared(step, page)
                parts.append(chunk.frame.slice(start + shared, page.rows - shared))
                start += page.rows
                if not self._count(step, page, parts[-1].height):
                    return False
            return True
        finally:  # also where an interrupt ends the walk while progress is told
            self._keep(parts, chunk.key)

    def _keep(self, parts: Sequence[pl.DataFrame], key: str) -> None:
        """Join the rows of pages that were decoded together, and let go of what was cut off."""
        if parts:
            self.frames.append(parts[0] if len(parts) == 1 else pl.concat(parts, rechunk=True))
            self._keys.append(self.frames[-1].get_column(key))

    def _shared(self, step: Step, page: Page) -> int:
        """How many of the page's rows the page before has as well; notes a broken chain."""
        if not page.rows:
            self._is_broken |= step.overlap > 0
            return 0
        last = self._last
        if page.first in self._firsts:
            self._is_broken = self._is_over = True
            self.is_repeated |= last is not None and _has_same_rows(page, last)
        self._firsts.add(page.first)
        if last is None:
            return 0
        if not step.overlap:
            self.is_chained = False
            return 0
        if page.first != last.last:
            self._is_broken = True
            return 0
        return 1

    def _count(self, step: Step, page: Page, new: int) -> bool:
        """Count a page with so many new rows in; whether the next is the one that was planned."""
        self.read.append(page)
        self.rows += new
        if step.has_total:
            self.totals.append(page.total)
        self._size = self._size or page.rows
        self._is_regular &= page.rows == self._size
        start = self._position if step.offset is None else step.offset
        self._position = start + page.rows
        self._last = page
        end = self.total if self.total is not None else self._pages.at_most
        reached = end is not None and self._position >= end
        ended = self._by == "cursor" and page.next_cursor is None and end is None
        self._is_over |= not page.rows or reached or ended
        if self._progress is not None:
            self._progress(self.rows, self.total)
        return self._is_regular and not self._is_over


def _has_same_rows(page: Page, other: Page) -> bool:
    return (page.rows, page.first, page.last) == (other.rows, other.first, other.last)


def _joined(keys: Sequence[pl.Series]) -> pl.Series:
    return pl.concat(keys) if keys else pl.Series()


def _certify(passes: Sequence[_Pass], *, seconds: float) -> Certificate:
    distinct = passes[0].distinct
    if len(passes) > 1:
        distinct = _joined([each.keys for each in passes if each.rows]).n_unique()
    replies = [page.reply for each in passes for page in each.read]
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
        credits=_spent(reply.credits for reply in replies),
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
    """One certificate for several walks that each asked for ids of their own."""
    parts = list(certificates)
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
        credits=_spent(part.credits for part in parts),
        is_cancelled=any(part.is_cancelled for part in parts),
        is_repeated=any(part.is_repeated for part in parts),
    )


def _sum(totals: Iterable[int | None]) -> int | None:
    """The sum; None where one of them is not known."""
    known = list(totals)
    return None if None in known else sum(total for total in known if total is not None)


def _spent(amounts: Iterable[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [each for each in amounts if each is not None]
    return sum(known) if known else None
