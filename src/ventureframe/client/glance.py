"""Lists that a wire cuts short in a row, read to their end: one request or more for each record."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

import polars as pl

from ventureframe.client import checks
from ventureframe.client.decode import Chunk
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.translate import WITHHELD, more
from ventureframe.client.walk import Offset, Step, through
from ventureframe.errors import CreditsExhausted, NotFound, RequestRejected
from ventureframe.interface.reply import Page
from ventureframe.interface.wire.profile import Each, Glance

_FORBIDDEN: Final = 403
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Whole:
    """Rows with their lists read to the end, as far as that was wanted and allowed.

    `partial` says for each list that still shows only some entries how many rows say that they
    have more, `requests` and `credits` what it took; `is_short` whether an end was not reached,
    `absent` the lists whose entries leave something out, `ended_by` what ended it early, `doubts`
    what the replies make doubtful.
    """

    frame: pl.DataFrame
    partial: tuple[tuple[str, int], ...] = ()
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False
    absent: frozenset[str] = frozenset()
    ended_by: CreditsExhausted | None = None
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of one record's list; None where the service does not show them.

    `is_absent` says that an entry leaves something out.
    """

    rows: pl.DataFrame | None
    requests: int = 1
    credits: float = 0.0
    is_short: bool = False
    is_absent: bool = False
    doubts: tuple[str, ...] = ()

    @property
    def is_withheld(self) -> bool:
        """Whether the key may not read the list."""
        return self.rows is None and not self.is_short


class _Way(Offset):
    """The way through one record's list: page by page, each with the total, none shares a row."""

    def plan(self) -> list[Step]:
        return [Step(self.paging.limit, self.position, has_total=True)]

    def take(self, step: Step, page: Page) -> int:  # noqa: ARG002  # as the other ways
        self.position += page.rows
        self.total = self.total if page.total is None else page.total
        is_reached = self.total is not None and self.position >= self.total and not page.goes_on
        self.is_over = not page.rows or is_reached
        return 0


def read_whole(
    listing: Listing, frame: pl.DataFrame, *, workers: int | None, cancel: threading.Event
) -> Whole:
    """Read each list to its end that the rows cut short and that is wanted whole."""
    whole = Whole(frame)
    for name, glance in () if listing.shape is None else listing.shape.glances.items():
        if more(name) in frame.columns:
            whole = _with_list(listing, whole, name, glance, workers=workers, cancel=cancel)
    return whole


def in_turn(
    parts: Sequence[Listing],
    answer: Callable[[Listing], _Answer],
    *,
    workers: int | None,
    cancel: threading.Event,
    tell: Callable[[Listing], object] = lambda _: None,
) -> tuple[list[_Answer | None], CreditsExhausted | None]:
    """Answer each part, in their order, by several workers at once.

    Beside the answers the error that the credits are spent, which cancels. Once cancelled, the
    answer is None, or there is none.
    """
    answers, spent = list[_Answer | None](), list[CreditsExhausted]()

    def one(part: Listing) -> _Answer | None:
        try:
            return None if cancel.is_set() else answer(part)
        except CreditsExhausted as error:
            spent.append(error)
            cancel.set()
            return None

    at_once = workers or (parts[0].paging.workers if parts else 1)
    with contextlib.ExitStack() as stack:
        mapped = map if at_once == 1 else stack.enter_context(ThreadPoolExecutor(at_once)).map
        try:
            for part, result in zip(parts, mapped(one, parts), strict=True):
                answers.append(result)
                if result is not None:
                    tell(part)
        except KeyboardInterrupt:
            cancel.set()
    return answers, spent[0] if spent else None


def _with_list(
    listing: Listing,
    so_far: Whole,
    name: str,
    glance: Glance,
    *,
    workers: int | None,
    cancel: threading.Event,
) -> Whole:
    frame, key = so_far.frame, listing.resource.key
    left = frame.get_column(more(name)).fill_null(0)
    owners: list[str] = frame.get_column(key).to_list()
    if name not in listing.lists:
        owners = [] if glance.is_of_some else frame.filter(left > 0).get_column(key).to_list()
    endpoint, kept = glance.endpoint, listing.kept
    parts = [Listing(listing.connection, endpoint, Owner(uuid), kept=kept) for uuid in owners]
    answers, ended_by = in_turn(parts[:1], _entries, workers=workers, cancel=cancel)
    if answers and answers[0] is not None and answers[0].is_withheld:  # then every list is
        answers += [_Entries(None, requests=0) for _ in parts[1:]]
    else:
        others, spent = in_turn(parts[1:], _entries, workers=workers, cancel=cancel)
        answers, ended_by = [*answers, *others], ended_by or spent
    unasked = _Entries(None, requests=0, is_short=True)
    lists = dict(zip(owners, (answer or unasked for answer in answers), strict=False))
    rule = listing.shape.columns[name] if listing.shape else None
    where = rule.where if isinstance(rule, Each) else None
    whole = _replaced(frame, key, name, lists, where)
    is_done = frame.get_column(key).is_in([uuid for uuid in lists if lists[uuid].rows is not None])
    is_partial = (~is_done & ((left > 0) | glance.is_of_some)).any()
    is_absent = any(
        entries.is_absent
        or (where and entries.rows is not None and entries.rows[where[0]].null_count())
        for entries in lists.values()
    )
    doubts = dict.fromkeys(
        [
            *so_far.doubts,
            *checks.lacking(frame, whole, listing.resource, name),
            *(doubt for entries in lists.values() for doubt in entries.doubts),
        ]
    )
    partial = (name, int(((left > 0) & ~is_done).sum()))
    return Whole(
        whole.drop(more(name)),
        (*so_far.partial, partial) if is_partial else so_far.partial,
        so_far.requests + sum(entries.requests for entries in lists.values()),
        so_far.credits + sum(entries.credits for entries in lists.values()),
        so_far.is_short
        or len(lists) < len(owners)
        or any(entries.is_short for entries in lists.values()),
        so_far.absent | ({name} if is_absent else set()),
        so_far.ended_by or ended_by,
        tuple(doubts),
    )


def _entries(part: Listing) -> _Entries:
    """Read every entry of one list, page by page."""
    way, chunks = _Way(part), list[Chunk]()
    try:
        for (step,), chunk in through(way, workers=1, cancel=threading.Event()):
            is_again = bool(chunks) and chunk.frame.equals(chunks[-1].frame)
            if is_again and chunk.frame.height:
                raise chunk.reply.unreadable("repeats a page, as if the service ignored offset")
            way.take(step, chunk.pages[0])
            chunks.append(chunk)
    except RequestRejected as error:
        is_unknown = isinstance(error, NotFound)
        if not is_unknown and error.status != _FORBIDDEN:
            raise
        return _Entries(None, len(chunks) + 1, is_short=is_unknown)
    pages = [chunk.pages[0] for chunk in chunks]
    return _Entries(
        pl.concat([chunk.frame for chunk in chunks], how="diagonal_relaxed"),
        len(pages),
        sum(page.reply.credits or 0 for page in pages),
        is_short=way.total not in (None, way.position) or any(page.is_limited for page in pages),
        is_absent=any(chunk.absent for chunk in chunks),
        doubts=tuple(dict.fromkeys(doubt for chunk in chunks for doubt in chunk.doubts)),
    )


def _replaced(
    frame: pl.DataFrame,
    key: str,
    name: str,
    lists: dict[str, _Entries],
    where: tuple[str, object] | None,
) -> pl.DataFrame:
    """The rows with the lists that were read, and a mark on those that the service withholds."""
    kind = frame.schema[name]
    assert isinstance(kind, pl.List)  # noqa: S101  # only lists are cut short
    read = dict[str, pl.Series]()
    for uuid, entries in lists.items():
        rows = entries.rows
        if rows is None:
            continue
        if where is not None:  # what an entry must have to be one of the field's
            rows = rows.filter(pl.col(where[0]) == where[1])
        if isinstance(kind.inner, pl.Struct):
            values = rows.select(field.name for field in kind.inner.fields).to_struct()
        else:
            values = rows.to_series().unique(maintain_order=True)
        read[uuid] = values.cast(kind.inner)
    if read:
        values = pl.Series("list", list(read.values()), dtype=kind)
        whole = pl.DataFrame({key: list(read)}).with_columns(values)
        frame = frame.join(whole, on=key, how="left", maintain_order="left")
        is_read = pl.col(key).is_in(list(read))
        chosen = pl.when(is_read).then("list").otherwise(name).alias(name)
        frame = frame.with_columns(chosen).drop("list")
    if closed := [uuid for uuid, entries in lists.items() if entries.is_withheld]:
        marks = pl.col(WITHHELD) if WITHHELD in frame.columns else pl.lit([], pl.List(pl.String))
        marked = pl.when(pl.col(key).is_in(closed)).then(pl.concat_list(marks, pl.lit(name)))
        frame = frame.with_columns(marked.otherwise(marks).alias(WITHHELD))
    return frame
