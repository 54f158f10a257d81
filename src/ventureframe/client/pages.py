"""Pages of one collection in their order: asked for ahead, decoded beside, several together."""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import polars as pl

from ventureframe.client.decode import Chunk
from ventureframe.errors import CreditsExhausted
from ventureframe.interface.reply import Reply

CHUNK: Final = 3_000_000
"""Bytes that are decoded together, while the next pages arrive."""
AHEAD: Final = 64
"""Replies that are decoded together at most, so that an early end is seen soon."""


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


class Pages(Protocol):
    """A collection that gives its rows in pages: `ask` fetches one, `read` decodes several.

    `limit` rows are asked for at a time; `at_most` is the largest number of rows there can be,
    where that is known; `has_totals` is false for an endpoint that does not count, `has_cursors`
    for one that pages by offset only. `workers` are the requests at a time that suit the service.
    `disorder` says where rows, after the one before them, are not in the order that was asked for.
    """

    @property
    def limit(self) -> int: ...
    @property
    def at_most(self) -> int | None: ...
    @property
    def has_totals(self) -> bool: ...
    @property
    def has_cursors(self) -> bool: ...
    @property
    def workers(self) -> int: ...
    def ask(self, step: Step) -> Reply: ...
    def read(self, replies: Sequence[Reply], valued: set[str] | None = None) -> Chunk: ...
    def disorder(self, rows: pl.DataFrame, before: pl.DataFrame | None) -> Iterable[str]: ...


_Part = TypeVar("_Part", bound=Pages)
_Answer = TypeVar("_Answer")


def chunks(
    pages: Pages,
    steps: Sequence[Step],
    *,
    workers: int,
    cancel: threading.Event,
    valued: set[str] | None = None,
) -> Generator[tuple[Sequence[Step], Chunk], None, None]:
    """Every step with its page, in their order, several in one chunk; fewer once cancelled.

    `valued` are the keys that had a value on an earlier page: pages are read in their order.

    Raises `CreditsExhausted` after the pages that were still paid for.
    """
    waiting: deque[tuple[Sequence[Step], Future[Chunk]]] = deque()
    spent: CreditsExhausted | None = None

    def paid(replies: Iterable[tuple[Step, Reply]]) -> Iterator[tuple[Step, Reply]]:
        nonlocal spent
        try:
            yield from replies
        except CreditsExhausted as error:
            spent = error

    with (
        ThreadPoolExecutor(1) as beside,
        contextlib.closing(_replies(pages, steps, cancel, workers)) as replies,
    ):
        if len(steps) == 1:
            for step, reply in replies:
                yield [step], pages.read([reply], valued)
            return
        for together in _together(paid(replies)):
            asked, replies_of = zip(*together, strict=True)
            waiting.append((asked, beside.submit(pages.read, replies_of, valued)))
            if len(waiting) > 2:
                done, chunk = waiting.popleft()
                yield done, chunk.result()
        for done, chunk in waiting:
            yield done, chunk.result()
        if spent is not None:
            raise spent


def in_turn(
    parts: Sequence[_Part],
    answer: Callable[[_Part], _Answer],
    *,
    workers: int | None,
    cancel: threading.Event,
) -> Generator[_Answer | CreditsExhausted | None, None, None]:
    """What `answer` gives for each part, in their order, by several workers at once.

    None for what is left once cancelled. A `CreditsExhausted` cancels, and is given as it came.
    """

    def one(part: _Part) -> _Answer | CreditsExhausted | None:
        try:
            return None if cancel.is_set() else answer(part)
        except CreditsExhausted as error:
            cancel.set()
            return error

    at_once = workers or (parts[0].workers if parts else 1)
    with contextlib.ExitStack() as stack:
        mapped = map if at_once == 1 else stack.enter_context(ThreadPoolExecutor(at_once)).map
        yield from mapped(one, parts)


def _replies(
    pages: Pages, steps: Sequence[Step], cancel: threading.Event, workers: int
) -> Generator[tuple[Step, Reply], None, None]:
    """Every step with its reply: asked for when it is wanted, or ahead by several workers."""
    left, asked = iter(steps), deque[tuple[Step, Callable[[], Reply]]]()
    pool, is_ahead = ThreadPoolExecutor(workers), min(workers, len(steps)) > 1

    def begun(step: Step) -> Callable[[], Reply]:
        ask = functools.partial(pages.ask, step)
        return pool.submit(ask).result if is_ahead else ask

    try:
        while not cancel.is_set():
            for step in itertools.islice(left, 2 * workers - len(asked)):
                asked.append((step, begun(step)))
            if not asked:
                return
            step, reply = asked.popleft()
            yield step, reply()
    except KeyboardInterrupt:
        cancel.set()
    finally:
        pool.shutdown(cancel_futures=True)


def _together(replies: Iterable[tuple[Step, Reply]]) -> Iterator[list[tuple[Step, Reply]]]:
    """Steps and replies in portions to decode together."""
    portion, size = list[tuple[Step, Reply]](), 0
    for each in replies:
        portion.append(each)
        size += len(each[1].body)
        if size >= CHUNK or len(portion) >= AHEAD:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
