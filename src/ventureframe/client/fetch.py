"""The fetch that answers a query: lists walked, joined to one frame, and certified as a
whole.

A list that a wire cuts short in a row is read to its end, by one request or more for
each record.
"""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Final, TypeVar

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.decode import TURNED, Chunk
from ventureframe.client.listing import Listing, Owner
from ventureframe.client.result import Details, Result
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.client.walk import By, Offset, Progress, Step, Walk, through, walk
from ventureframe.errors import FetchEnded, NotFound, RequestRejected, of_lab, warn
from ventureframe.interface import fields
from ventureframe.interface.certificate import join, total_of
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.reply import Page
from ventureframe.interface.wire.profile import Each

_OTHERS: Final = (
    "The service gave other people as founders of companies: they are left out."
)
_REPEATED: Final = (
    "A list of {} repeats a page, as if the service ignored offset: it is not whole."
)
_Answer = TypeVar("_Answer")
_Walks = list[tuple[Listing, Walk]]


@dataclass(slots=True)
class Whole:
    """Rows with their lists read to the end, as far as that was wanted and allowed."""

    frame: pl.DataFrame
    # lists that are not, and how many rows have more
    partial: tuple[tuple[str, int], ...] = ()
    requests: int = 0
    credits: float = 0.0
    is_short: bool = False  # an end was not reached
    is_unequal: bool = False  # a record came with two contents
    absent: frozenset[str] = frozenset()  # what rows or entries leave out
    ended_by: FetchEnded | None = None
    doubts: tuple[Doubt, ...] = ()


def fetch(
    listing: Listing,
    progress: bool | Progress | None,
    by: By,
    workers: int | None,
    cancel: Event,
) -> Result:
    """Walk the list, or those of the owners or of the batches, and join the rows to
    a result.
    """
    takes, resource, ids, kept = (
        listing.takes,
        listing.resource,
        listing.ids,
        listing.kept,
    )
    connection, clock = listing.connection, listing.connection.session.clock
    began, started = clock(), connection.now() if kept is None else kept.started
    with watched(progress, listing.endpoint) as watch:
        try:
            counted = listing.entire() if listing.ids else None
            walks, missing, spent = _walked(
                listing, counted, watch, by, workers, cancel=cancel
            )
        # nothing is read yet: by the other generation it can be
        except FetchEnded as error:
            if error.code != TURNED or kept is not None or not connection.turn():
                raise
            cancel.clear()
            return fetch(dataclasses.replace(listing), progress, by, workers, cancel)
    whole, walked = (
        _joined(listing, walks, workers, cancel),
        [walked for _, walked in walks],
    )
    asked = {*missing, *(uuid for part, _ in walks for uuid in part.ids or ())}
    is_by_key = takes.ids == "key" and ids is not None
    if is_by_key:
        keys = {*whole.frame[resource.key]}
        missing = tuple(uuid for uuid in ids or () if uuid not in keys)
    certificate = join(
        (part.certificate for part in walked),
        seconds=clock() - began,
        is_of_ids=ids is not None,
        is_by_key=is_by_key,
        missing=len(missing),
        is_cancelled=len(asked) < len(ids or ())
        or (cancel.is_set() and bool(whole.requests or whole.ended_by)),
        is_unequal=whole.is_unequal,
        is_cut=whole.is_short,
    )
    told = [] if counted is None else [counted[2].reply.credits]
    if certificate.is_cancelled:
        errors = (*(part.ended_by for part in walked), spent, whole.ended_by)
        why = next((f" ({error})" for error in errors if error), "")
        rest = "only the rows received so far are in the result"
        warn(f"The fetch of {listing.endpoint} was ended early{why}: {rest}")
    for doubt in whole.doubts:
        warn(doubt.text)
    if whole.absent:
        warn(frames.left_out(f"Rows of {resource.name}", whole.absent))
    checks.warn_of_less_precise(whole.frame, resource)
    certificate = dataclasses.replace(
        certificate,
        distinct=certificate.distinct if ids is None else whole.frame.height,
        pages=certificate.pages + whole.requests + (counted is not None),
        credits=total_of([certificate.credits, whole.credits or None, *told]),
    )
    provenance = connection.provenance(listing.request, started=started)
    wanted = ids if ids is None or is_by_key else tuple(filter(asked.__contains__, ids))
    extra = tuple(sorted(set[str]().union(*(part.extra for part in walked))))
    columns = () if ids is None else takes.id_columns, takes.added, extra
    notes, is_uncounted = (*listing.notes, *whole.doubts), not listing.paging.has_totals
    details = Details(
        *columns, tuple(sorted(whole.absent)), whole.partial, notes, is_uncounted
    )
    return Result(
        resource, certificate, provenance, whole.frame, wanted, missing, details
    )


def _walked(
    listing: Listing,
    counted: tuple[Listing, int, Page] | None,
    watch: Progress | None,
    by: By,
    workers: int | None,
    *,
    cancel: Event,
) -> tuple[_Walks, tuple[str, ...], FetchEnded | None]:
    """Walk the list, or its parts; give also the unknown owners, and the error of spent
    credits.

    Where the whole list has fewer pages than there are batches of ids, and rows cost
    nothing or are no more, they are picked from it (a count tells); records that it
    lacks are asked for by id.
    """
    by, clock = (
        (by if listing.paging.has_cursors else "offset"),
        listing.connection.session.clock,
    )
    read = functools.partial(walk, by=by, cancel=cancel, clock=clock)
    parts, walks = listing.parts(), _Walks()
    if listing.owners is None:
        return [(listing, read(listing, workers=workers, progress=watch))], (), None
    if counted is not None and counted[0].is_picked(counted[1]):
        whole, keep = counted[0], functools.partial(_picked, listing)
        walked = read(whole, workers=workers, progress=watch, keep=keep)
        if listing.takes.ids != "key" or cancel.is_set():
            return [(whole, walked)], (), None
        listed = set[str]().union(
            *(rows[listing.resource.key] for rows in walked.frames)
        )
        own = tuple(owner for owner in listing.owners if owner.uuid in listed)
        left = tuple(owner for owner in listing.owners if owner.uuid not in listed)
        walks = [(dataclasses.replace(whole, owners=own), walked)]
        # unlisted, or unknown
        parts = dataclasses.replace(listing, owners=left).parts()
    answers, spent = in_turn(
        parts, read, workers=workers, cancel=cancel, progress=watch
    )
    given = list(zip(parts, answers, strict=False))
    unknown = [(part, error) for part, error in given if isinstance(error, NotFound)]
    if unknown and len(unknown) == len(parts):
        raise unknown[0][1]
    walks += [(part, walked) for part, walked in given if isinstance(walked, Walk)]
    if spent is not None and not (walks or unknown):
        raise spent
    spent = spent or next(
        (walked.ended_by for _, walked in walks if walked.ended_by), None
    )
    walks = [(part, walked) for part, walked in walks if walked.certificate.pages]
    return walks, tuple(uuid for part, _ in unknown for uuid in part.ids or ()), spent


def _joined(
    listing: Listing, walks: _Walks, workers: int | None, cancel: Event
) -> Whole:
    """Put the rows in one frame, a record once, their lists whole; and what is
    doubtful of them.
    """
    takes, resource = listing.takes, listing.resource
    owner = takes.id_columns[0].partition(".")[0] if takes.ids == "path" else None
    parts = [(part, rows) for part, walked in walks for rows in walked.frames]
    parts = parts or [(listing, frames.empty(resource))]
    rows = [_with_owner(part, rows) if takes.added else rows for part, rows in parts]
    walked = [walked for _, walked in walks]
    counts = [(part.certificate.rows, part.certificate.distinct) for part in walked]
    is_distinct = len(counts) == 1 and counts[0][0] == counts[0][1]
    frame = frames.assemble(rows, resource, owner=owner, is_distinct=is_distinct)
    if any(part.is_entire for part, _ in walks):
        frame = _picked(listing, frame)  # in the order of the batches
    whole = read_whole(listing, frame, workers=workers, cancel=cancel)
    if owner is None and not is_distinct:
        whole.is_unequal = checks.is_contradicted(rows, resource)
    whole.absent = whole.absent.union(*(part.absent for part in walked)) - {owner}
    path, is_linked = (
        str(listing.request["endpoint"]),
        checks.is_linked(whole.frame, resource),
    )
    checks.refuse_unlinked(resource, whole.absent, path=path, is_linked=is_linked)
    doubts = (doubt for part in walked for doubt in part.doubts)
    whole.doubts = tuple(dict.fromkeys((*doubts, *whole.doubts)))
    return whole


def _picked(listing: Listing, frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that belong to the ids, in the order of the batches that would return
    them.
    """
    size, ids = (
        listing.connection.profile.batch,
        pl.Series(listing.ids or (), dtype=pl.String),
    )
    batches = pl.DataFrame({"id": ids}).with_columns(
        batch=pl.int_range(pl.len()) // size
    )
    owners = frames.owners(frame, listing.takes.id_columns)
    rows = pl.DataFrame({"id": owners}).with_row_index("row")
    rows = (
        rows.explode("id")
        .join(batches, on="id")
        .group_by("row")
        .agg(pl.col("batch").min())
    )
    return frame[rows.sort("batch", "row")["row"]]


def _with_owner(part: Listing, frame: pl.DataFrame) -> pl.DataFrame:
    """Add what the path tells of the rows and they do not (`Endpoint.added`)."""
    uuid, name = part.owner or (None, None)
    if part.resource is not fields.FUNDS:
        return frame.with_columns(
            pl.lit(uuid, pl.String).alias(to) for to in part.takes.added
        )
    if part.owner is None:
        has_manager = pl.col("manager").struct.field("uuid").is_not_null()
        return frame.with_columns(
            manager_source=pl.when(has_manager).then(pl.lit("row"))
        )
    manager = pl.struct(uuid=pl.lit(uuid), name=pl.lit(name, pl.String))
    return frame.with_columns(manager=manager, manager_source=pl.lit("path"))


@contextlib.contextmanager
def watched(progress: bool | Progress | None, name: str) -> Iterator[Progress | None]:
    """What to tell after every page: nothing, a function, or a bar that is closed at
    the end.
    """
    if progress is not True:
        yield progress or None
        return
    with of_lab("A bar"):
        from tqdm.auto import tqdm  # noqa: PLC0415  # only where a bar is wanted

    with tqdm(desc=name, unit="row") as bar:

        def advance(rows: int, total: int | None) -> None:
            bar.total = total
            bar.update(rows - bar.n)

        yield advance


@dataclass(frozen=True, slots=True)
class _Entries:
    """The entries of one record's list, None where not shown; whether one leaves
    something out.
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


class _Way(Offset):
    """The way through one record's list: page by page, each with the total, none
    shares a row.
    """

    def plan(self) -> list[Step]:
        return [Step(self.paging.limit, self.position, has_total=True)]

    def take(self, step: Step, page: Page) -> int:  # noqa: ARG002  # as the other ways
        self.position += page.rows
        self.total = self.total if page.total is None else page.total
        is_reached = (
            self.total is not None and self.position >= self.total and not page.goes_on
        )
        self.is_over = not page.rows or is_reached
        return 0


def read_whole(
    listing: Listing, frame: pl.DataFrame, *, workers: int | None, cancel: Event
) -> Whole:
    """Read each list to its end that rows cut short and that is evidence, or asked
    for.
    """
    whole, key, shape = Whole(frame), listing.resource.key, listing.shape
    for name, glance in shape.glances.items() if shape else ():
        if more(name) not in frame.columns:
            continue
        rows, rule = whole.frame, shape.columns[name] if shape else None
        where = rule.where if isinstance(rule, Each) else None
        left = rows[more(name)].fill_null(0)
        asked = rows.filter(((left > 0) | glance.is_of_some) & (name in listing.lists))[
            key
        ]
        part = Listing(listing.connection, glance.endpoint, kept=listing.kept)
        parts = [dataclasses.replace(part, owner=Owner(uuid)) for uuid in asked]
        read_one = functools.partial(_entries, cancel=cancel)
        answers, ended_by = in_turn(parts[:1], read_one, workers=workers, cancel=cancel)
        if any(
            isinstance(entries, _Entries) and entries.is_withheld for entries in answers
        ):
            # where one is withheld, every list is
            answers += [_Entries()] * len(parts[1:])
        else:
            others, spent = in_turn(parts[1:], read_one, workers=workers, cancel=cancel)
            answers, ended_by = [*answers, *others], ended_by or spent
        unread = _Entries(is_short=True)
        every = [
            entries if isinstance(entries, _Entries) else unread for entries in answers
        ]
        lists = dict(zip(asked, every, strict=False))
        whole.frame = _replaced(rows, key, name, lists, where)
        read = [entries.rows for entries in every if entries.rows is not None]
        is_done = rows[key].is_in(
            [uuid for uuid in lists if lists[uuid].rows is not None]
        )
        if (~is_done & ((left > 0) | glance.is_of_some)).any():
            whole.partial += ((name, int(((left > 0) & ~is_done).sum())),)
        has_null = where is not None and any(
            entries[where[0]].null_count() for entries in read
        )
        if has_null or any(entries.is_absent for entries in every):
            whole.absent |= {name}
        doubts = [doubt for entries in every for doubt in entries.doubts]
        ended = rows.filter(~pl.col(key).is_in([k for k in lists if lists[k].is_short]))
        doubts = [*checks.lacking(ended, whole.frame, listing.resource, name), *doubts]
        whole.doubts = tuple(dict.fromkeys((*whole.doubts, *doubts)))
        whole.frame = whole.frame.drop(more(name), *{POSTS} & {*whole.frame.columns})
        whole.requests += sum(entries.requests for entries in every)
        whole.credits += sum(entries.credits for entries in every)
        whole.is_short |= len(every) < len(parts) or any(
            entries.is_short for entries in every
        )
        whole.ended_by = whole.ended_by or ended_by
    return whole


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
    cancelled. Beside them stands the error that the credits are spent, which
    cancels.
    """
    answers, spent = list[_Answer | NotFound | None](), list[FetchEnded]()
    done, total = 0, sum(len(part.ids or ()) for part in parts)

    def one(part: Listing) -> _Answer | NotFound | None:
        try:
            return None if cancel.is_set() else answer(part)
        except NotFound as error:
            if part.owner is None:
                raise
            return error
        except FetchEnded as error:
            spent.append(error)
            cancel.set()
            return None

    at_once = (workers or parts[0].paging.workers) if parts else 1
    with contextlib.ExitStack() as stack:
        mapped = (
            map
            if at_once == 1
            else stack.enter_context(parts[0].paging.pool(at_once)).map
        )
        try:
            for part, result in zip(parts, mapped(one, parts), strict=True):
                answers.append(result)
                done += len(part.ids or ()) if result is not None else 0
                if result is not None and progress is not None:
                    progress(done, total)
        except KeyboardInterrupt:
            cancel.set()
    return answers, spent[0] if spent else None


def _entries(part: Listing, cancel: Event) -> _Entries:
    """Read every entry of one list, page by page."""
    way, chunks, doubts = _Way(part, part.paging), list[Chunk](), dict[Doubt, None]()
    try:
        for (step,), chunk in through(way, workers=1, cancel=cancel):
            page = chunk.pages[0]
            is_again = bool(chunks) and chunk.frame.equals(chunks[-1].frame)
            # else two pages can hold equal entries
            is_again &= page.offset != step.offset
            if is_again and chunk.frame.height:
                doubts[Doubt("list", _REPEATED.format(part.endpoint))] = None
                break
            way.take(step, page)
            chunks.append(chunk)
    except RequestRejected as error:
        is_gone = isinstance(error, NotFound)
        if error.status != 403 and not is_gone:
            raise
        return _Entries(None, len(chunks) + 1, is_short=is_gone)
    if not chunks:
        return _Entries(is_short=True)
    pages = [chunk.pages[0] for chunk in chunks]
    rows = pl.concat([chunk.frame for chunk in chunks], how="diagonal_relaxed")
    doubts |= dict.fromkeys(doubt for chunk in chunks for doubt in chunk.doubts)
    if part.endpoint == "team" and not rows["is_founder"].all():
        rows = rows.filter(pl.col("is_founder").ne_missing(other=False))
        doubts[Doubt("list", _OTHERS)] = None
    return _Entries(
        rows,
        len(pages),
        sum(page.reply.credits or 0 for page in pages),
        is_short=not way.is_over
        or way.total not in (None, way.position)
        or (part.endpoint == "team" and rows["founder_uuid"].is_duplicated().any())
        or any(page.is_limited for page in pages),
        is_absent=any(chunk.absent for chunk in chunks),
        doubts=tuple(doubts),
    )


def _replaced(
    frame: pl.DataFrame,
    key: str,
    name: str,
    lists: dict[str, _Entries],
    where: tuple[str, object] | None,
) -> pl.DataFrame:
    """Put in the lists that were read, and mark those that the service withholds."""
    kind, read = frame.schema[name], dict[str, pl.Series]()
    assert isinstance(kind, pl.List)  # noqa: S101  # only lists are cut short
    read_of = {uuid: one.rows for uuid, one in lists.items() if one.rows is not None}
    for uuid, rows in read_of.items():
        if where is not None:
            rows = rows.filter(pl.col(where[0]) == where[1])  # noqa: PLW2901
        if isinstance(kind.inner, pl.Struct):
            values = rows.select(field.name for field in kind.inner.fields).to_struct()
        else:
            values = rows.to_series().unique(maintain_order=True)
        read[uuid] = values.cast(kind.inner)
    if read:
        whole = pl.DataFrame(
            {key: list(read), "list": pl.Series(list(read.values()), dtype=kind)}
        )
        frame = frame.join(whole, on=key, how="left", maintain_order="left")
        chosen = pl.when(pl.col(key).is_in(list(read))).then("list").otherwise(name)
        frame = frame.with_columns(chosen.alias(name)).drop("list")
    closed = [uuid for uuid in lists if lists[uuid].is_withheld]
    if closed or WITHHELD in frame.columns:
        marks = (
            pl.col(WITHHELD)
            if WITHHELD in frame.columns
            else pl.lit(None, pl.List(pl.String))
        )
        others = marks.fill_null([]).list.set_difference([name])
        # what was read decides
        ended = [uuid for uuid in read_of if not lists[uuid].is_short]
        unread = pl.when(pl.col(key).is_in(ended)).then(others).otherwise(marks)
        marked = pl.when(pl.col(key).is_in(closed)).then(
            pl.concat_list(others, pl.lit(name))
        )
        frame = frame.with_columns(marked.otherwise(unread).alias(WITHHELD))
        frame = frame if frame[WITHHELD].list.len().sum() else frame.drop(WITHHELD)
    return frame
