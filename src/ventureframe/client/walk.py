"""Walks a collection to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions": `offset` advances by the rows received, never by
the rows asked for, until the total is reached or a page is empty. A short page is not the end, and
neither is the total where a page says that others follow: the rows behind it make the verdict
`over`.

A total that stays the same proves little: one row can have gone and another one been added. So
consecutive pages share one row. Where each page begins with the last row of the page before, every
record that was there throughout lies between two such rows and was read. A broken chain, a total
that moved or a row that was sent twice is drift: the collection is walked once more, and unless
that walk is clean and has every record of the first, the verdict says so; if it is and has, its
rows are the ones that are kept. A walk whose pages cannot share a row, by cursor or with pages of
one row, is complete only if a second one gives the same. One walk cannot see what changed and
changed back between two of its pages: `confirm` asks for a second one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import polars as pl

from ventureframe.client.decode import Chunk
from ventureframe.client.envelope import Page
from ventureframe.client.keys import Keys
from ventureframe.client.pages import Pages, Step, chunks
from ventureframe.errors import CreditsExhausted
from ventureframe.interface.certificate import Certificate, Verdict

By = Literal["offset", "cursor"]
"""How the next page is asked for."""

Progress = Callable[[int, int | None], None]
"""Told the rows so far and the total, after every page."""

Keep = Callable[[pl.DataFrame], pl.DataFrame]
"""Returns the rows to keep of several pages; the certificate counts the others as well."""

PLANNED: Final = 4_096
"""Pages that are planned at once, however large a total a service reports."""

WORST: Final[tuple[Verdict, ...]] = ("drifted", "short", "over", "total_not_reported", "complete")
_LOG: Final = logging.getLogger("ventureframe")
_COUNTS: Final = ("rows", "distinct", "duplicates", "pages", "retries")
_SUMMED: Final = ("reported_first", "reported_last", *_COUNTS)


TOGETHER: Final = 10_000
"""Rows that are copied together, whatever the size of a page."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The rows of a walk in several frames: of two walks those of the second that certifies them.

    Where no walk certifies the rows, those of both are there, as they were last sent first.
    `absent` are declared fields that at least one row left out; `extra` are columns that `fields`
    does not declare; `doubts` is what pages or rows say against themselves, in sentences.
    `ended_by` is what ended it early.
    """

    frames: tuple[pl.DataFrame, ...]
    absent: frozenset[str]
    extra: frozenset[str]
    certificate: Certificate
    ended_by: CreditsExhausted | None = None
    doubts: tuple[str, ...] = ()


def walk(
    pages: Pages,
    *,
    by: By = "offset",
    workers: int | None = None,
    cancel: threading.Event | None = None,
    progress: Progress | None = None,
    keep: Keep | None = None,
    confirm: bool = False,
    clock: Callable[[], float],
) -> Walk:
    """Every page of a collection; of its rows those that `keep` returns, or all.

    Once a total is known, pages are asked for ahead by so many `workers`; None leaves the number
    to the collection. `cancel`, or an interrupt from the keyboard, ends the walk with the rows
    that were received. `confirm` walks twice.
    """
    stop = cancel or threading.Event()
    walking = Walking(pages, clock, by, workers, stop, progress, confirm)
    frames: tuple[list[pl.DataFrame], list[pl.DataFrame]] = [], []
    arriving = iter(walking)
    while walking.found is None:
        try:
            for rows in arriving:
                frames[walking.number - 1].append(rows if keep is None else keep(rows))
        except KeyboardInterrupt:
            stop.set()
    first, second = frames
    is_certified = walking.number > 1 and walking.found.certificate.verdict != "drifted"
    kept = second if is_certified else [*second, *first]
    return dataclasses.replace(walking.found, frames=tuple(kept))


@dataclass
class Walking:
    """The rows of a collection as they arrive, at least `TOGETHER` at a time; none of them is kept.

    `number` is the walk that the last rows are of: 2 where a first one proved nothing. `found` is
    the walk without its frames, once every row has been given. `folder` is where the hashes of
    many keys lie meanwhile; without one they stay in memory.
    """

    pages: Pages
    clock: Callable[[], float]
    by: By = "offset"
    workers: int | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    confirm: bool = False
    folder: Path | None = None
    number: int = 0
    found: Walk | None = None

    def __iter__(self) -> Iterator[pl.DataFrame]:
        started, passes = self.clock(), list[_Pass]()
        for self.number in (1, 2):
            keys = Keys(self.folder and self.folder / f"keys-{self.number}")
            passes.append(_Pass(self.pages, self.number, self.by, self.progress, keys))
            yield from passes[-1].run(self.workers, self.cancel)
            if not passes[-1].is_over or (passes[-1].is_final and not self.confirm):
                break
        self.found = _found(passes, seconds=self.clock() - started, confirm=self.confirm)


def _found(passes: Sequence[_Pass], *, seconds: float, confirm: bool) -> Walk:
    """What the walks found, without their rows."""
    distinct = passes[0].distinct
    if len(passes) > 1:
        distinct = passes[0].keys.distinct(passes[1].keys)
    verdict, first, last = _verdict(passes, distinct), passes[0], passes[-1]
    certificate = Certificate(
        reported_first=next(iter(passes[0].totals), None),
        reported_last=passes[-1].total,
        rows=sum(each.rows for each in passes),
        distinct=distinct,
        duplicates=sum(each.rows - each.distinct for each in passes),
        pages=sum(each.read for each in passes),
        retries=sum(each.retries for each in passes),
        seconds=seconds,
        verdict=verdict,
        credits=_spent(each.credits for each in passes),
        is_cancelled=any(not each.is_over for each in passes),
        is_repeated=any(each.is_repeated for each in passes),
        is_confirmed=confirm and verdict == "complete" and first.distinct == last.distinct,
    )
    kept = passes if verdict == "drifted" else passes[-1:]
    return Walk(
        (),
        frozenset().union(*(each.absent for each in kept)),
        frozenset().union(*(each.extra for each in kept)),
        certificate,
        last.ended_by,
        tuple(dict.fromkeys(doubt for each in kept for doubt in each.doubts)),
    )


@dataclass
class _Pass:
    """One walk from the first page to the last, and what was odd about it.

    `read` is how many pages it has, `totals` what those with a total reported. Of the rows only a
    hash of each key is kept.
    """

    pages: Pages
    number: int
    by: By
    progress: Progress | None
    keys: Keys
    rows: int = 0
    read: int = 0
    retries: int = 0
    credits: float | None = None
    totals: list[int | None] = field(default_factory=list)
    _loose: list[pl.DataFrame] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    extra: set[str] = field(default_factory=set)
    doubts: dict[str, None] = field(default_factory=dict)
    ended_by: CreditsExhausted | None = None
    is_over: bool = False
    is_limited: bool = False
    is_regular: bool = True
    is_broken: bool = False
    is_repeated: bool = False
    is_chained: bool = True
    _key: str = ""
    _position: int = 0
    _size: int = 0
    _last: Page | None = None
    _before: pl.DataFrame | None = None
    _firsts: set[str | int | None] = field(default_factory=set)

    def run(self, workers: int | None, cancel: threading.Event) -> Iterator[pl.DataFrame]:
        """Its rows as they arrive, each once where pages share it."""
        try:
            while not (self.is_over or cancel.is_set()):
                at_once = workers or self.pages.workers
                found = chunks(self.pages, self._plan(), workers=at_once, cancel=cancel)
                with contextlib.closing(found):
                    for steps, chunk in found:
                        goes_on = self._take(steps, chunk)
                        if sum(frame.height for frame in self._loose) >= TOGETHER:
                            yield self._joined_rows()
                        if not goes_on:
                            break
        except KeyboardInterrupt:
            cancel.set()
        except CreditsExhausted as error:
            if not self.read:
                raise
            self.ended_by = error
            cancel.set()
        if self._loose:
            yield self._joined_rows()

    @property
    def is_final(self) -> bool:
        """Whether a second walk would not change the verdict for the better."""
        if not self.is_over or (self.total is None and not self.has_drifted):
            return True
        return not self.has_drifted and (self.is_chained or self.distinct != self.total)

    @property
    def total(self) -> int | None:
        return self.totals[-1] if self.totals else None

    @functools.cached_property
    def distinct(self) -> int:
        return self.keys.distinct()

    @property
    def has_drifted(self) -> bool:
        return len(set(self.totals)) > 1 or self.is_broken or self.distinct < self.rows

    def _plan(self) -> list[Step]:
        """The next pages to ask for: all of them where the total and a page's size are known."""
        size = self._size
        is_known = self.total is not None and self._position < self.total
        if not is_known or not self.is_regular or size < 2 or self.by == "cursor":
            return [self._step(self._position)]
        assert self.total is not None  # noqa: S101  # or it were not known
        starts = range(self._position, self.total, size - 1)
        return [self._step(at) for at in starts[:PLANNED]]

    def _step(self, position: int) -> Step:
        """The page from this position on; the total with the first and what can be the last."""
        last, end, limit = self._last, self.total, self.pages.limit
        has_total = last is None or (end is not None and position + limit >= end)
        has_total &= self.pages.has_totals
        is_behind = end is not None and position >= end and self.pages.has_cursors
        if (self.by == "cursor" or is_behind) and (last is None or last.next_cursor):
            cursor = last.next_cursor if last else None
            return Step(limit, None, cursor, has_total, self.number)
        can_share = last is not None and last.rows > 1 and end is not None
        overlap = int(self.by == "offset" and can_share)
        return Step(limit, position - overlap, None, has_total, self.number, overlap)

    def _take(self, steps: Sequence[Step], chunk: Chunk) -> bool:
        """Keep the rows of the pages; whether the next pages are those that were planned."""
        self.absent |= chunk.absent
        self.extra |= chunk.extra
        self.doubts |= dict.fromkeys(chunk.doubts)
        self._key = chunk.key or ""
        start = 0
        for step, page in zip(steps, chunk.pages, strict=True):
            shared = self._shared(step, page)
            self._loose.append(chunk.frame.slice(start + shared, page.rows - shared))
            start += page.rows
            self._count(step, page, page.rows - shared)
            if self.is_over or not self.is_regular:
                return False
        return True

    def _joined_rows(self) -> pl.DataFrame:
        """The rows of the last pages, copied together, which frees what was cut off."""
        rows = self._loose[0]
        if len(self._loose) > 1:
            rows = pl.concat(self._loose, how="diagonal", rechunk=True)
        self.doubts |= dict.fromkeys(self.pages.disorder(rows, self._before))
        self._before = rows.tail(1) if rows.height else self._before
        self.keys.add(rows.get_column(self._key))
        self._loose = []
        return rows

    def _shared(self, step: Step, page: Page) -> int:
        """How many of the page's rows the page before has as well; notes a broken chain."""
        last = self._last
        if page.rows and page.first in self._firsts:
            self.is_broken = self.is_over = True
            self.is_repeated |= last is not None and _ends(page) == _ends(last)
        self._firsts.add(page.first)
        is_shared = step.overlap > 0 and last is not None and page.first == last.last
        self.is_broken |= step.overlap > 0 and not is_shared
        self.is_chained &= step.overlap > 0 or last is None or not page.rows
        return int(is_shared)

    def _count(self, step: Step, page: Page, new: int) -> None:
        self._size = self._size if self.read else page.rows
        self._last = page
        self.read += 1
        self.retries += page.reply.retries
        self.credits = _spent((self.credits, page.reply.credits))
        self.rows += new
        total = "unknown" if page.total is None else page.total
        _LOG.debug("page read: %d of %s rows", self.rows, total)
        if step.has_total:
            self.totals.append(page.total)
        self.is_regular &= page.rows == self._size
        start = self._position if step.offset is None else step.offset
        self._position = start + page.rows
        self.is_limited |= page.is_limited
        end = self.total if self.total is not None else self.pages.at_most
        goes_on = page.goes_on and new > 0 and self.total is not None
        reached = end is not None and self._position >= end and not goes_on
        ended = self.by == "cursor" and page.next_cursor is None and end is None
        self.is_over |= not page.rows or reached or ended
        if self.progress is not None:
            self.progress(self.rows, self.total)


def _ends(page: Page) -> tuple[object, ...]:
    return page.rows, page.first, page.last


def _verdict(passes: Sequence[_Pass], distinct: int) -> Verdict:
    """On the last walk: it is drifted unless clean and without loss against an earlier one."""
    first, last = passes[0], passes[-1]
    if not first.is_over:
        return "short"
    if not last.is_over or last.has_drifted or last.distinct != distinct:
        return "drifted"
    if last.total is None:
        return "total_not_reported"
    if distinct != last.total:
        return "short" if distinct < last.total else "over"
    if any(each.is_limited for each in passes):
        return "short"
    agree = last.is_chained or (first is not last and first.keys.is_same(last.keys))
    agree &= first is last or first.has_drifted or first.distinct == distinct
    return "complete" if agree else "drifted"


def merged(certificates: Iterable[Certificate], *, seconds: float) -> Certificate:
    """One certificate for several walks: sums, and the worst verdict of all."""
    parts = list(certificates)

    def total(name: str) -> Any:
        values = [getattr(part, name) for part in parts]
        return None if None in values else sum(values)

    return Certificate(
        **{name: total(name) for name in _SUMMED},
        seconds=seconds,
        verdict=min((part.verdict for part in parts), key=WORST.index, default="complete"),
        credits=_spent(part.credits for part in parts),
        is_cancelled=any(part.is_cancelled for part in parts),
        is_repeated=any(part.is_repeated for part in parts),
        is_confirmed=bool(parts) and all(part.is_confirmed for part in parts),
    )


def _spent(amounts: Iterable[float | None]) -> float | None:
    """The sum of those that are known; None where none is."""
    known = [each for each in amounts if each is not None]
    return sum(known) if known else None
