"""Lists in turn: of several owners, in batches, and those that rows cut short.

A list that a wire cuts short in a row is read to its end, by one request or more for
each record.
"""

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import Final, TypeVar

import polars as pl

from ventureframe.client.listing import Listing, Owner
from ventureframe.client.paging import Progress
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.client.walk import Walk
from ventureframe.errors import FetchEnded, NotFound, RequestRejected
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.wire.profile import Each, Glance, Where

_Answer = TypeVar("_Answer")
_READ: Final = ("complete", "total_not_reported")


@dataclass(slots=True)
class Whole:
    """Rows with their lists read to the end, as far as that was wanted and allowed."""

    frame: pl.DataFrame
    # lists that are not, and how many rows have more
    partial: tuple[tuple[str, int], ...] = ()
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False  # an end was not reached
    absent: frozenset[str] = frozenset()  # what rows or entries leave out
    doubts: tuple[Doubt, ...] = ()
    ended_by: FetchEnded | None = None


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of one record's list; `rows` is None where they are not shown.

    `is_absent`: an entry leaves something out.
    """

    rows: pl.DataFrame | None = None
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False
    is_absent: bool = False
    doubts: tuple[Doubt, ...] = ()

    @property
    def is_withheld(self) -> bool:
        return self.rows is None and not self.is_short


_UNREAD: Final = _Entries(is_short=True)


def in_turn(
    parts: Sequence[Listing],
    answer: Callable[[Listing], _Answer],
    *,
    workers: int | None,
    cancel: Event,
    progress: Progress | None = None,
) -> tuple[list[_Answer | NotFound | None], FetchEnded | None]:
    """Answer the parts in their order, by several workers; tell how many ids are done.

    An answer is the error where the service does not know the owner, and None once
    cancelled. The error that ends the fetch, returned beside the answers, cancels.
    """
    ended_by = list[FetchEnded]()

    def answer_part(part: Listing) -> _Answer | NotFound | None:
        if cancel.is_set():
            return None
        try:
            return answer(part)
        except NotFound as error:
            if part.owner is None:
                raise
            return error
        except FetchEnded as error:
            ended_by.append(error)
            cancel.set()
            return None

    answers = list[_Answer | NotFound | None]()
    done, total = 0, sum(len(part.ids or ()) for part in parts)
    at_once = (workers or parts[0].paging.workers) if parts else 1
    with contextlib.ExitStack() as stack:
        mapped: Callable[..., Iterable[_Answer | NotFound | None]] = map
        if at_once > 1:
            mapped = stack.enter_context(parts[0].paging.pool(at_once)).map
        try:
            for part, answered in zip(parts, mapped(answer_part, parts), strict=True):
                answers.append(answered)
                if answered is not None and progress is not None:
                    done += len(part.ids or ())
                    progress(done, total)
        except KeyboardInterrupt:
            cancel.set()
    answers += [None] * (len(parts) - len(answers))
    return answers, ended_by[0] if ended_by else None


def read_whole(
    listing: Listing, frame: pl.DataFrame, *, workers: int | None, cancel: Event
) -> Whole:
    """Read each list to its end that rows cut short and that is asked for."""
    whole, shape = Whole(frame), listing.shape
    read = functools.partial(_read_each, listing, workers=workers, cancel=cancel)
    for name, glance in shape.glances.items() if shape else ():
        if more(name) in frame.columns:
            _read_list(whole, listing, name, glance, read)
    return whole


_ReadEach = Callable[
    [Glance, Sequence[str]], tuple[dict[str, _Entries], FetchEnded | None]
]


def _read_list(
    whole: Whole, listing: Listing, name: str, glance: Glance, read: _ReadEach
) -> None:
    """Put one list in whole, and state what is still partial, absent or short."""
    rows, key = whole.frame, listing.resource.key
    rule = listing.shape.columns[name] if listing.shape else None
    where = rule.where if isinstance(rule, Each) else None
    has_more = rows[more(name)].fill_null(0) > 0
    is_cut = has_more | glance.is_of_some
    wanted = rows.filter(is_cut & (name in listing.lists))[key].to_list()
    entries, ended_by = read(glance, wanted)
    whole.frame = _replaced(rows, key, name, entries, where)
    whole.frame = whole.frame.drop(more(name)).drop(POSTS, strict=False)

    read_uuids = [uuid for uuid, each in entries.items() if each.rows is not None]
    is_read = rows[key].is_in(read_uuids)
    if (is_cut & ~is_read).any():
        whole.partial += ((name, int((has_more & ~is_read).sum())),)
    for each in entries.values():
        if each.is_absent or _has_null(each.rows, where):
            whole.absent |= {name}
        whole.requests += each.requests
        whole.credits += each.credits
        whole.is_short |= each.is_short
        whole.doubts = tuple(dict.fromkeys((*whole.doubts, *each.doubts)))
    whole.ended_by = whole.ended_by or ended_by


def _has_null(rows: pl.DataFrame | None, where: Where | None) -> bool:
    """Whether an entry does not say whether it belongs to the list."""
    if rows is None or where is None:
        return False
    return rows[where[0]].null_count() > 0


def _read_each(
    listing: Listing,
    glance: Glance,
    uuids: Sequence[str],
    *,
    workers: int | None,
    cancel: Event,
) -> tuple[dict[str, _Entries], FetchEnded | None]:
    """Read the list of each record; where the first is withheld, every list is."""
    part = Listing(listing.connection, glance.endpoint, kept=listing.kept)
    parts = [replace(part, owner=Owner(uuid)) for uuid in uuids]
    read = functools.partial(_read_entries, cancel=cancel)
    answers, ended_by = in_turn(parts[:1], read, workers=workers, cancel=cancel)
    first = answers[0] if answers else None
    if isinstance(first, _Entries) and first.is_withheld:
        answers += [_Entries()] * len(parts[1:])
    else:
        others, later = in_turn(parts[1:], read, workers=workers, cancel=cancel)
        answers += others
        ended_by = ended_by or later
    entries = {
        uuid: each if isinstance(each, _Entries) else _UNREAD
        for uuid, each in zip(uuids, answers, strict=True)
    }
    return entries, ended_by


def _read_entries(part: Listing, cancel: Event) -> _Entries:
    """Read every entry of one list, page by page."""
    clock = part.connection.session.clock
    walk = Walk(part, clock, workers=1, cancel=cancel)
    try:
        walk.read()
    except NotFound:
        return _Entries(requests=1, is_short=True)
    except RequestRejected as error:
        if error.status != 403:
            raise
        return _Entries(requests=1)
    if walk.ended_by is not None:
        raise walk.ended_by
    certificate = walk.certificate
    if not certificate.pages:
        return _UNREAD
    rows = pl.concat(walk.frames, how="diagonal_relaxed")
    is_short = certificate.verdict not in _READ
    if part.endpoint == "team":
        rows = rows.filter(pl.col("is_founder").ne_missing(other=False))
        is_short |= bool(rows["founder_uuid"].is_duplicated().any())
    return _Entries(
        rows,
        requests=certificate.pages,
        credits=certificate.credits or 0,
        is_short=is_short,
        is_absent=bool(walk.absent),
        doubts=walk.doubts,
    )


def _replaced(
    frame: pl.DataFrame,
    key: str,
    name: str,
    entries: Mapping[str, _Entries],
    where: Where | None,
) -> pl.DataFrame:
    """Put in the lists that were read, and mark those that the service withholds."""
    kind = frame.schema[name]
    assert isinstance(kind, pl.List)  # noqa: S101  # only lists are cut short
    lists = {
        uuid: _list_of(each.rows, kind, where)
        for uuid, each in entries.items()
        if each.rows is not None
    }
    if lists:
        read = pl.Series("read", list(lists.values()), dtype=kind)
        whole = pl.DataFrame({key: list(lists), "read": read})
        frame = frame.join(whole, on=key, how="left", maintain_order="left")
        is_read = pl.col(key).is_in(list(lists))
        chosen = pl.when(is_read).then("read").otherwise(name)
        frame = frame.with_columns(chosen.alias(name)).drop("read")
    return _marked(frame, key, name, entries)


def _list_of(rows: pl.DataFrame, kind: pl.List, where: Where | None) -> pl.Series:
    """Return the entries as values of a list: those for which `where` holds."""
    if where is not None:
        rows = rows.filter(pl.col(where[0]) == where[1])
    if isinstance(kind.inner, pl.Struct):
        values = rows.select(field.name for field in kind.inner.fields).to_struct()
    else:
        values = rows.to_series().unique(maintain_order=True)
    return values.cast(kind.inner)


def _marked(
    frame: pl.DataFrame, key: str, name: str, entries: Mapping[str, _Entries]
) -> pl.DataFrame:
    """Mark the rows whose list is withheld; a list that was read to its end is not."""
    withheld = [uuid for uuid, each in entries.items() if each.is_withheld]
    if not withheld and WITHHELD not in frame.columns:
        return frame
    marks = pl.lit(None, pl.List(pl.String))
    if WITHHELD in frame.columns:
        marks = pl.col(WITHHELD)
    whole = [
        uuid
        for uuid, each in entries.items()
        if each.rows is not None and not each.is_short
    ]
    others = marks.fill_null([]).list.set_difference([name])
    marked = pl.concat_list(others, pl.lit(name))
    frame = frame.with_columns(
        pl.when(pl.col(key).is_in(withheld))
        .then(marked)
        .when(pl.col(key).is_in(whole))
        .then(others)
        .otherwise(marks)
        .alias(WITHHELD)
    )
    has_marks = frame[WITHHELD].list.len().sum()
    return frame if has_marks else frame.drop(WITHHELD)
