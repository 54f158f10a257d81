"""Lists that a wire cuts short in a row, read to their end: one request or more for each record."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ventureframe.client import checks
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.pages import Step, in_turn
from ventureframe.client.translate import WITHHELD, more
from ventureframe.errors import CreditsExhausted, NotFound, RequestRejected
from ventureframe.interface.wire.shape import Each, Glance, Where

_CLOSED: Final = 403


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


def wanted(listing: Listing, frame: pl.DataFrame, name: str, glance: Glance) -> list[str]:
    """The records whose list has to be asked for apart."""
    key = listing.resource.key
    if name in listing.lists:
        return frame.get_column(key).to_list()
    if glance.is_of_some:
        return []
    return frame.filter(pl.col(more(name)) > 0).get_column(key).to_list()


def read_whole(
    listing: Listing, frame: pl.DataFrame, *, workers: int | None, cancel: threading.Event
) -> Whole:
    """The rows with every entry of each list that is wanted whole."""
    shape = listing.connection.profile.shapes.get(listing.endpoint)
    found = Whole(frame)
    for name, glance in () if shape is None else shape.glances.items():
        if more(name) in frame.columns:
            found = _with_list(listing, found, name, glance, workers=workers, cancel=cancel)
    return found


def _with_list(
    listing: Listing,
    so_far: Whole,
    name: str,
    glance: Glance,
    *,
    workers: int | None,
    cancel: threading.Event,
) -> Whole:
    frame = so_far.frame
    owners = wanted(listing, frame, name, glance)
    parts = [
        Listing(listing.connection, glance.endpoint, Owner(uuid), kept=listing.kept)
        for uuid in owners
    ]
    answers, ended_by = _answers(parts, workers=workers, cancel=cancel)
    left = frame.get_column(more(name)).fill_null(0)
    is_done = frame.get_column(listing.resource.key).is_in(
        [uuid for uuid, each in zip(owners, answers, strict=False) if each.entries is not None]
    )
    is_partial = ~is_done & ((left > 0) | glance.is_of_some)
    partial = (*so_far.partial, (name, int(((left > 0) & ~is_done).sum())))
    replaced = _replaced(frame, listing, name, owners, answers)
    gone = checks.lacking(frame, replaced, listing.resource, name)
    return Whole(
        replaced.drop(more(name)),
        partial if is_partial.any() else so_far.partial,
        so_far.requests + sum(each.requests for each in answers),
        so_far.credits + sum(each.credits for each in answers),
        so_far.is_short or len(answers) < len(owners) or any(each.is_short for each in answers),
        so_far.absent | ({name} if _leaves_out(answers, _where(listing, name)) else set()),
        so_far.ended_by or ended_by,
        tuple(
            dict.fromkeys(
                (*so_far.doubts, *gone, *(one for each in answers for one in each.doubts))
            )
        ),
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    """The entries of one record's list; None where the service does not show them.

    `is_absent` says that an entry leaves something out.
    """

    entries: pl.DataFrame | None
    requests: int = 1
    credits: float = 0.0
    is_short: bool = False
    is_absent: bool = False
    doubts: tuple[str, ...] = ()

    @property
    def is_withheld(self) -> bool:
        """Whether the key may not read the list."""
        return self.entries is None and not self.is_short


_UNASKED: Final = _Answer(None, requests=0, is_short=True)
_CLOSED_TOO: Final = _Answer(None, requests=0)


def _answers(
    parts: Sequence[Listing], *, workers: int | None, cancel: threading.Event
) -> tuple[list[_Answer], CreditsExhausted | None]:
    """The lists in their order, and the error that credits ran out, if they did.

    Once that or the caller ended it, no other list is asked for. The first record is asked alone:
    where the key may not read its list, no other is asked.
    """
    found, ended_by = list[_Answer](), None
    for some in (parts[:1], parts[1:]):
        if found and found[0].is_withheld:
            return [*found, *(_CLOSED_TOO for _ in some)], None
        given = in_turn(some, _entries, workers=workers, cancel=cancel)
        with contextlib.closing(given) as answers:
            try:
                for each in answers:
                    if isinstance(each, CreditsExhausted):
                        ended_by = ended_by or each
                    found.append(each if isinstance(each, _Answer) else _UNASKED)
            except KeyboardInterrupt:
                cancel.set()
    return found, ended_by


def _entries(part: Listing) -> _Answer:
    """Every entry of one list, page by page."""
    frames: list[pl.DataFrame] = []
    doubts: dict[str, None] = {}
    is_limited = False
    rows, total, requests, spent, is_absent = 0, None, 0, 0.0, False
    while True:
        try:
            reply = part.ask(Step(part.limit, rows, has_total=True))
        except NotFound:
            return _Answer(None, requests + 1, is_short=True)
        except RequestRejected as error:
            if error.status != _CLOSED:
                raise
            return _Answer(None, requests + 1)
        chunk = part.read([reply])
        requests, spent = requests + 1, spent + (reply.credits or 0)
        is_absent |= bool(chunk.absent)
        doubts |= dict.fromkeys(chunk.doubts)
        (page,) = chunk.pages
        is_limited |= page.is_limited
        total = total if page.total is None else page.total
        if frames and page.rows and chunk.frame.equals(frames[-1]):
            raise reply.unreadable("repeats a page, as if the service ignored offset")
        frames.append(chunk.frame)
        rows += page.rows
        if not page.rows or (total is not None and rows >= total and not page.goes_on):
            entries = pl.concat(frames, how="diagonal_relaxed")
            is_short = is_limited or (total is not None and rows != total)
            return _Answer(entries, requests, spent, is_short, is_absent, tuple(doubts))


def _leaves_out(answers: Sequence[_Answer], where: Where | None) -> bool:
    """Whether an entry leaves out something, or what tells if it is one of the field's."""
    frames = [each.entries for each in answers if where and each.entries is not None]
    unknown = any(frame.get_column(where[0]).null_count() for frame in frames if where)
    return unknown or any(each.is_absent for each in answers)


def _replaced(
    frame: pl.DataFrame,
    listing: Listing,
    name: str,
    owners: Sequence[str],
    answers: Sequence[_Answer],
) -> pl.DataFrame:
    """The rows with the lists that were read, and a mark on those that the service withholds."""
    key, kind = listing.resource.key, frame.schema[name]
    where = _where(listing, name)
    read = [
        (uuid, _as_list(each.entries, kind, where))
        for uuid, each in zip(owners, answers, strict=False)
        if each.entries is not None
    ]
    if read:
        lists = pl.DataFrame(
            {key: [uuid for uuid, _ in read], "list": pl.concat([each for _, each in read])}
        )
        joined = frame.join(lists, on=key, how="left", maintain_order="left")
        is_read = pl.col(key).is_in([uuid for uuid, _ in read])
        frame = joined.with_columns(pl.when(is_read).then("list").otherwise(name).alias(name)).drop(
            "list"
        )
    closed = [uuid for uuid, each in zip(owners, answers, strict=False) if each.is_withheld]
    return _marked(frame, key, name, closed) if closed else frame


def _where(listing: Listing, name: str) -> Where | None:
    """What an entry of the list must have to be one of the field's."""
    rule = listing.connection.profile.shapes[listing.endpoint].columns[name]
    return rule.where if isinstance(rule, Each) else None


def _as_list(entries: pl.DataFrame, kind: pl.DataType, where: Where | None) -> pl.Series:
    """The entries as one value of a list column."""
    assert isinstance(kind, pl.List)  # noqa: S101  # only lists are cut short
    if where is not None:
        entries = entries.filter(pl.col(where[0]) == where[1])
    if isinstance(kind.inner, pl.Struct):
        members = entries.select(each.name for each in kind.inner.fields).to_struct()
    else:
        members = entries.to_series().unique(maintain_order=True)
    return pl.Series([members.cast(kind.inner)], dtype=kind)


def _marked(frame: pl.DataFrame, key: str, name: str, closed: Sequence[str]) -> pl.DataFrame:
    """The rows with a mark that the list is withheld from some of them."""
    before = pl.col(WITHHELD) if WITHHELD in frame.columns else pl.lit([], pl.List(pl.String))
    is_closed = pl.col(key).is_in(closed)
    marked = pl.when(is_closed).then(pl.concat_list(before, pl.lit(name))).otherwise(before)
    return frame.with_columns(marked.alias(WITHHELD))
