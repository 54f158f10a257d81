"""Lists in turn: of several owners, in batches, and those that rows cut short.

A list that a wire cuts short in a row is read to its end, by one request or more for
each record.
"""

import contextlib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import TypeVar

import polars as pl

from ventureframe.client.listing import Listing, Owner
from ventureframe.client.paging import Progress
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.client.walk import Walk
from ventureframe.errors import FetchEnded, NotFound, RequestRejected
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.wire.profile import Each, Glance

_Answer = TypeVar("_Answer")


@dataclass
class CompletedRows:
    """Rows with their lists read to the end, as far as that was wanted and allowed."""

    frame: pl.DataFrame
    # lists that are not, and how many rows have more
    partial: tuple[tuple[str, int], ...] = ()
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False  # an end was not reached
    is_unequal: bool = False  # a record was sent with two contents
    absent: frozenset[str] = frozenset()  # what rows or entries leave out
    doubts: tuple[Doubt, ...] = ()
    ended_by: FetchEnded | None = None


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
    return answers, next(iter(ended_by), None)


def read_whole(
    listing: Listing, whole: CompletedRows, *, workers: int | None, cancel: Event
) -> None:
    """Read each list to its end that rows cut short and that is asked for."""
    for name, glance in listing.shape.glances.items():
        if more(name) in whole.frame.columns:
            _read_list(whole, listing, name, glance, workers=workers, cancel=cancel)


def _read_list(
    whole: CompletedRows,
    listing: Listing,
    name: str,
    glance: Glance,
    *,
    workers: int | None,
    cancel: Event,
) -> None:
    """Put one list in whole, and state what is still partial, absent or short."""
    rows, key = whole.frame, listing.resource.key
    has_more = rows[more(name)].fill_null(0) > 0
    is_cut = has_more | glance.is_of_some
    wanted = rows.filter(is_cut & (name in listing.lists))[key].to_list()
    part = Listing(listing.connection, glance.endpoint, kept=listing.kept)
    parts = [replace(part, owner=Owner(uuid)) for uuid in wanted]
    answers, ended_by = _walk_each(parts, workers, cancel)
    entries = dict[str, pl.DataFrame]()
    ended, withheld = list[str](), list[str]()
    for uuid, answer in zip(wanted, answers, strict=True):
        if isinstance(answer, RequestRejected) and answer.status == 403:
            withheld.append(uuid)
        elif isinstance(answer, Walk) and answer.frames:
            entries[uuid] = _entries(answer)
            whole.requests += answer.certificate.pages
            whole.credits += answer.certificate.credits or 0
            whole.doubts = tuple(dict.fromkeys((*whole.doubts, *answer.doubts)))
            whole.absent |= {name} if answer.absent else set()
            if _is_whole(answer, entries[uuid]):
                ended.append(uuid)
    refusals = {id(each) for each in answers if isinstance(each, RequestRejected)}
    whole.requests += len(refusals)
    whole.is_short |= len(ended) + len(withheld) < len(wanted)
    whole.ended_by = whole.ended_by or ended_by
    is_read = rows[key].is_in(list(entries))
    if (is_cut & ~is_read).any():
        whole.partial += ((name, int((has_more & ~is_read).sum())),)
    rule = listing.shape.columns[name]
    if isinstance(rule, Each) and rule.where is not None:
        path, value = rule.where
        for uuid, each in entries.items():
            if each[path].null_count():  # it does not say whether it belongs there
                whole.absent |= {name}
            entries[uuid] = each.filter(pl.col(path) == value)
    rows = _replaced(rows, key, name, entries)
    rows = _marked(rows, key, name, withheld, ended)
    whole.frame = rows.drop(more(name)).drop(POSTS, strict=False)


def _walk_each(
    parts: Sequence[Listing], workers: int | None, cancel: Event
) -> tuple[list[Walk | RequestRejected | None], FetchEnded | None]:
    """Walk the list of each record; where the first is withheld, every list is."""
    walk = functools.partial(_walk_entries, cancel=cancel)
    answers, ended_by = in_turn(parts[:1], walk, workers=workers, cancel=cancel)
    first = answers[0] if answers else None
    if isinstance(first, RequestRejected) and first.status == 403:
        return [first, *[first] * len(parts[1:])], ended_by
    others, later = in_turn(parts[1:], walk, workers=workers, cancel=cancel)
    return [*answers, *others], ended_by or later


def _walk_entries(part: Listing, cancel: Event) -> Walk | RequestRejected:
    """Read every entry of one list, or return the refusal where it is withheld."""
    walk = Walk(part, part.connection.session.clock, workers=1, cancel=cancel)
    try:
        walk.read()
    except RequestRejected as error:
        if error.status != 403:
            raise
        return error
    if walk.ended_by is not None:
        raise walk.ended_by
    return walk


def _entries(walk: Walk) -> pl.DataFrame:
    """Return the entries of one list; of a team the founders."""
    rows = pl.concat(walk.frames, how="diagonal_relaxed")
    if "is_founder" in rows.columns:
        rows = rows.filter(pl.col("is_founder").ne_missing(other=False))
    return rows


def _is_whole(walk: Walk, rows: pl.DataFrame) -> bool:
    """Whether a list was read to its end; a founder twice in a team is one too few."""
    if "founder_uuid" in rows.columns and rows["founder_uuid"].is_duplicated().any():
        return False
    return walk.certificate.verdict in ("complete", "total_not_reported")


def _replaced(
    frame: pl.DataFrame, key: str, name: str, entries: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Put in the lists that were read."""
    kind = frame.schema[name]
    assert isinstance(kind, pl.List)  # noqa: S101  # only lists are cut short
    if not entries:
        return frame
    lists = list[pl.Series]()
    for rows in entries.values():
        if isinstance(kind.inner, pl.Struct):
            values = rows.select(field.name for field in kind.inner.fields).to_struct()
        else:
            values = rows.to_series().unique(maintain_order=True)
        lists.append(values.cast(kind.inner))
    read = pl.DataFrame({key: list(entries), "read": pl.Series(lists, dtype=kind)})
    frame = frame.join(read, on=key, how="left", maintain_order="left")
    is_read = pl.col(key).is_in(list(entries))
    chosen = pl.when(is_read).then("read").otherwise(name)
    return frame.with_columns(chosen.alias(name)).drop("read")


def _marked(
    frame: pl.DataFrame, key: str, name: str, withheld: list[str], ended: list[str]
) -> pl.DataFrame:
    """Mark the rows whose list is withheld; one that was read to its end is not."""
    if not withheld and WITHHELD not in frame.columns:
        return frame
    marks = pl.lit(None, pl.List(pl.String))
    if WITHHELD in frame.columns:
        marks = pl.col(WITHHELD)
    others = marks.fill_null([]).list.set_difference([name])
    is_withheld, is_ended = pl.col(key).is_in(withheld), pl.col(key).is_in(ended)
    marked = pl.when(is_withheld).then(pl.concat_list(others, pl.lit(name)))
    chosen = marked.when(is_ended).then(others).otherwise(marks)
    frame = frame.with_columns(chosen.alias(WITHHELD))
    has_marks = frame[WITHHELD].list.len().sum()
    return frame if has_marks else frame.drop(WITHHELD)
