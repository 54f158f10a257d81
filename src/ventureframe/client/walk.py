"""Walks a list to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions": `offset` advances by the rows received, never by
the rows asked for, until the total is reached or a page is empty. A short page is not the end, and
neither is the total where a page says that others follow: the rows behind it make the verdict
`over`.

A total that stays the same proves little: one row can have gone and another one been added. So
consecutive pages share one row. Where each page begins with the last row of the page before, every
record that was there throughout lies between two such rows and was read. A broken chain, a total
that moved, a row that was sent twice or with other values is drift: the list is walked once more,
and unless that walk is clean and has every record of the first, the verdict says so; if it is and
has, its rows are the ones that are kept. A walk whose pages cannot share a row, by cursor or with
pages of one row, is complete only if a second one gives the same. One walk cannot see what changed
and changed back between two of its pages.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import logging
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
import polars as pl

from ventureframe.client import checks
from ventureframe.client.decode import Chunk
from ventureframe.client.pages import Cursor, Offset, Pages, Step, ahead
from ventureframe.errors import CreditsExhausted
from ventureframe.interface.certificate import Certificate, Seen, Walked, certify, total_of
from ventureframe.interface.reply import Page

By = Literal["offset", "cursor"]
"""How the next page is asked for."""

Progress = Callable[[int, int | None], None]
"""Told the rows so far and the total, after every page."""

WAYS: Final = {"offset": Offset, "cursor": Cursor}
TOGETHER: Final = 10_000
"""Rows that are copied together, whatever the size of a page."""
_LOG: Final = logging.getLogger("ventureframe")
_Hashes = np.ndarray[Any, np.dtype[np.uint64]]
_Read = tuple[Step, Page, int]
"""A page that was read, and how many of its rows the page before has as well."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The rows of a list in several frames: of two walks those of the second that certifies them.

    Where no walk certifies the rows, those of both are there, as they were last sent first.
    `absent`, `extra` and `doubts` are what `Seen` has of these rows; `ended_by` is what ended it
    early.
    """

    frames: tuple[pl.DataFrame, ...]
    certificate: Certificate
    absent: frozenset[str]
    extra: frozenset[str]
    doubts: tuple[str, ...] = ()
    ended_by: CreditsExhausted | None = None


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
    """Read every page of a list; `keep` chooses among the rows, the certificate counts all.

    Once a total is known, pages are asked for ahead by so many `workers`; None leaves the number
    to the list. `cancel`, or an interrupt from the keyboard, ends the walk with the rows that were
    received.
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
    is_certified = second and walking.found.certificate.verdict != "drifted"
    return dataclasses.replace(
        walking.found, frames=tuple(second if is_certified else second + first)
    )


@dataclass
class Walking:
    """The rows of a list as they arrive, at least `TOGETHER` at a time; none of them is kept.

    `number` is the walk that the last rows are of: 2 where a first one proved nothing. `found` is
    the walk without its frames, once every row has been given.
    """

    pages: Pages
    clock: Callable[[], float]
    by: By = "offset"
    workers: int | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    progress: Progress | None = None
    number: int = 1
    found: Walk | None = None
    _ended_by: CreditsExhausted | None = None

    def __iter__(self) -> Iterator[pl.DataFrame]:
        started = self.clock()
        seen, keys = yield from self._walk()
        certificate = certify(Walked(seen, seen, seen.distinct), seconds=self.clock() - started)
        walks = [seen]
        if certificate.verdict == "drifted":
            self.number = 2
            again, others = yield from self._walk()
            distinct = np.unique(np.concatenate([keys, others])).size
            walked = Walked(seen, again, distinct, is_same=np.array_equal(keys, others))
            certificate = certify(walked, seconds=self.clock() - started)
            walks = [seen, again] if certificate.verdict == "drifted" else [again]
        self.found = Walk(
            (),
            certificate,
            frozenset().union(*(each.absent for each in walks)),
            frozenset().union(*(each.extra for each in walks)),
            tuple(dict.fromkeys(doubt for each in walks for doubt in each.doubts)),
            self._ended_by,
        )

    def _walk(self) -> Generator[pl.DataFrame, None, tuple[Seen, _Hashes]]:
        """Give the rows of one walk as they arrive, each once where pages share it."""
        way = WAYS[self.by](self.pages, self.number)
        read, loose, keys = list[_Read](), list[pl.DataFrame](), list[_Hashes]()
        told = list[Chunk]()  # without their rows
        rows, key, tail, is_unequal = 0, "", None, False
        try:
            workers = self.workers or self.pages.paging.workers
            with contextlib.closing(through(way, workers=workers, cancel=self.cancel)) as chunks:
                for steps, chunk in chunks:
                    starts, start, key = list[int](), 0, chunk.key or ""
                    told.append(dataclasses.replace(chunk, frame=pl.DataFrame(), pages=()))
                    for step, page in zip(steps, chunk.pages, strict=True):
                        shared = way.take(step, page)
                        starts += [start] * shared
                        loose.append(chunk.frame.slice(start + shared, page.rows - shared))
                        read.append((step, page, shared))
                        start, rows = start + page.rows, rows + page.rows - shared
                        total = "unknown" if way.total is None else way.total
                        _LOG.debug("page read: %d of %s rows", rows, total)
                        if self.progress is not None:
                            self.progress(rows, way.total)
                        if way.is_off_plan:
                            break
                    is_unequal |= checks.is_unequal(chunk.frame, starts, tail)
                    tail = chunk.frame.slice(start - 1, 1) if start else tail
                    if sum(frame.height for frame in loose) >= TOGETHER:
                        yield _together(loose, key, keys)
        except KeyboardInterrupt:
            self.cancel.set()
        except CreditsExhausted as error:
            if not read:
                raise
            self._ended_by = error
            self.cancel.set()
        if loose:
            yield _together(loose, key, keys)
        hashes = np.concatenate(keys) if keys else np.empty(0, np.uint64)
        distinct = np.unique(hashes).size
        seen = _seen(read, told, distinct, is_ended=way.is_over, is_unequal=is_unequal)
        return seen, hashes


def through(
    way: Offset, *, workers: int, cancel: threading.Event
) -> Generator[tuple[Sequence[Step], Chunk], None, None]:
    """Read one chunk after the other, whose pages the caller takes, until the way is over."""
    while not (way.is_over or cancel.is_set()):
        steps = way.plan()
        read = ahead(way.pages, steps, workers=workers, cancel=cancel, valued=way.valued)
        with contextlib.closing(read) as chunks:
            for chunk in chunks:
                yield chunk
                if way.is_off_plan:
                    break


def _seen(
    read: Sequence[_Read],
    told: Sequence[Chunk],
    distinct: int,
    *,
    is_ended: bool,
    is_unequal: bool,
) -> Seen:
    """What the pages of one walk say together."""
    pages = [page for _, page, _ in read]
    rows = sum(page.rows - shared for _, page, shared in read)
    firsts = [page.first for page in pages if page.rows]
    ends = [(page.rows, page.first, page.last) for page in pages]
    is_again = len(set(firsts)) < len(firsts) or any(step.overlap > n for step, _, n in read)
    return Seen(
        totals=tuple(page.total for step, page, _ in read if step.has_total),
        rows=rows,
        distinct=distinct,
        pages=len(pages),
        retries=sum(page.reply.retries for page in pages),
        credits=total_of(page.reply.credits for page in pages),
        is_ended=is_ended,
        is_chained=all(step.overlap or not page.rows for step, page, _ in read[1:]),
        is_broken=is_unequal or is_again,
        is_repeated=any(end[0] and end == before for before, end in itertools.pairwise(ends)),
        is_limited=any(page.is_limited or (page.goes_on and not rows) for page in pages),
        absent=frozenset().union(*(chunk.absent for chunk in told)),
        extra=frozenset().union(*(chunk.extra for chunk in told)),
        doubts=tuple(doubt for chunk in told for doubt in chunk.doubts),
    )


def _together(loose: list[pl.DataFrame], key: str, keys: list[_Hashes]) -> pl.DataFrame:
    """Copy the rows of several pages together, which frees what was cut off, and hash their keys.

    A hash has eight bytes: two keys with one hash are one chance in forty million for a million.
    """
    rows = pl.concat(loose, how="diagonal", rechunk=True) if len(loose) > 1 else loose[0]
    loose.clear()
    keys.append(rows.select(key).hash_rows().to_numpy())  # `Series.hash` costs six times as much
    return rows
