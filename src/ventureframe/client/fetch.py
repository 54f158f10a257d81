"""The fetch that answers a query: lists walked, joined to one frame, and certified."""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.listing import Listing
from ventureframe.client.lists import CompletedRows, read_whole
from ventureframe.client.paging import By, Progress, Stop
from ventureframe.client.result import Details, Result
from ventureframe.client.walk import Walk, walk_each
from ventureframe.errors import NotFound, of_lab, visible, warn
from ventureframe.interface import fields
from ventureframe.interface.certificate import Certificate, Seen, certify, total_of
from ventureframe.interface.gaps import Doubt
from ventureframe.interface.wire import terms

_SINGLE = {
    "funding-rounds": (
        "funding rounds are listed for several companies, and a round has one"
    ),
    "funds": "funds are listed for several managers, and a fund has one",
}
"""The records that have one owner, and what is said where several list them."""
_UNCHAINED = Doubt(
    "list",
    "Consecutive pages shared no row, so a record deleted while another was added would"
    " go unnoticed.",
)


def fetch(
    listing: Listing,
    progress: bool | Progress | None,
    by: By,
    workers: int | None,
    cancel: Stop,
) -> Result:
    """Walk the list, or those of owners or batches, and join the rows to a result."""
    connection, resource = listing.connection, listing.endpoint.resource
    ids = listing.ids
    callback = None if progress is True else progress or None
    Walk(listing, by, workers, progress=callback)  # checks them, also without ids
    clock = connection.session.clock
    began, started = clock(), connection.now()
    with watched(progress, listing.endpoint.name) as watch:
        walks = walk_each(
            listing.parts(), by=by, workers=workers, cancel=cancel, progress=watch
        )
    refusals = [walk.refusal for walk in walks if walk.refusal and not walk.frames]
    if refusals and len(refusals) == len(walks):
        raise cancel.reason or refusals[0]
    is_by_key = ids is not None and listing.endpoint.ids == "key"
    parts, answered, unknown = list[Seen](), set[str](), list[str]()
    for walk in walks:
        seen, batch = walk.seen, walk.listing.ids or ()
        is_unknown = isinstance(walk.refusal, NotFound) and not seen.pages
        if is_unknown:
            unknown += batch
        else:
            parts.append(seen)
        # of a batch that was not read to its end, no record is known to be missing
        if is_unknown or seen.is_ended or (seen.pages and not is_by_key):
            answered.update(batch)
    whole = _join(listing, walks)
    if listing.shape.glances:
        read_whole(listing, whole, workers=workers, cancel=cancel)
    if resource.name in checks.LINKS and not listing.not_requested:
        checks.refuse_unlinked(
            resource,
            whole.absent,
            path=listing.path,
            is_linked=checks.is_linked(whole.frame, resource),
        )
    not_returned = tuple(unknown)
    if is_by_key:
        keys = {*whole.frame[resource.key]}
        not_returned = tuple(uuid for uuid in ids or () if uuid not in keys)
    certificate = certify(
        parts,
        seconds=clock() - began,
        is_by_key=is_by_key,
        missing=len(not_returned),
        is_cancelled=cancel.is_set() and whole.is_short,
        is_unequal=whole.is_unequal,
        is_cut=whole.is_short,
    )
    certificate = dataclasses.replace(
        certificate,
        distinct=whole.frame.height,
        duplicates=certificate.rows - whole.frame.height,
        pages=certificate.pages + whole.requests,
        credits=total_of([certificate.credits, whole.credits or None]),
    )
    _warn(listing, certificate, whole, cancel)
    missing = tuple(uuid for uuid in not_returned if uuid in answered)
    requested = ids
    if ids is not None and not is_by_key:
        requested = tuple(uuid for uuid in ids if uuid in answered)
    provenance = connection.provenance(listing.request, started=started)
    details = _details(listing, walks, whole)
    return Result(
        resource, certificate, provenance, whole.frame, requested, missing, details
    )


def _join(listing: Listing, walks: Sequence[Walk]) -> CompletedRows:
    """Put the rows in one frame, a record once, with what the walks say of them.

    Declared columns come first.
    """
    takes, resource = listing.endpoint, listing.endpoint.resource
    rows, doubts, absent = list[pl.DataFrame](), list[Doubt](), set[str]()
    for walk in walks:
        rows += [_with_owner(walk.listing, frame) for frame in walk.frames]
        absent |= walk.absent
        doubts += walk.doubts
    if not rows:
        rows = [_with_owner(listing, frames.empty(listing.shape.resource))]
    # to lie together
    frame = pl.concat(rows, how="diagonal", rechunk=len(rows) > 100)
    declared = [field.name for field in listing.shape.resource.returned]
    frame = frame.select(*declared, *sorted(set(frame.columns) - set(declared)))
    key, is_unequal = [resource.key], False
    if takes.ids == "path":  # a record once for each owner
        key.append(takes.id_columns[0].partition(".")[0])
        absent -= {key[1]}
    if frame.n_unique(key) < frame.height:
        is_unequal = takes.ids != "path" and checks.is_contradicted(rows, resource.key)
        frame = frame.unique(key, keep="first", maintain_order=True)
    if takes.ids == "path" and resource.name in _SINGLE:
        ids = frame[resource.key]
        count = ids.filter(ids.is_duplicated()).n_unique()
        if count:
            listed = f"{count:,} of {ids.n_unique():,} {_SINGLE[resource.name]}"
            doubts.append(Doubt("ids", f"{listed}: whose they are is not sure."))
    return CompletedRows(
        frame,
        absent=frozenset(absent),
        doubts=tuple(doubts),
        is_unequal=is_unequal,
    )


def _warn(
    listing: Listing, certificate: Certificate, whole: CompletedRows, cancel: Stop
) -> None:
    """Warn of an early end, and of all that is doubtful about the rows."""
    frame, resource = whole.frame, listing.endpoint.resource
    if certificate.is_cancelled:
        why = f" ({cancel.reason})" if cancel.reason else ""
        warn(
            f"The fetch of {listing.endpoint.name} was ended early{why}: only the rows"
            " received so far are in the result"
        )
    for doubt in dict.fromkeys(whole.doubts):
        warn(doubt.text)
    if whole.absent:
        warn(frames.left_out(f"Rows of {resource.name}", whole.absent))
    for field in resource.returned:
        text = field.name + frames.TEXT_SUFFIX
        if field.type == "date" and text in frame.columns:
            count = f"{frame[text].count():,} of {frame.height:,} {resource.name}"
            warn(
                f"{count} have a {field.name} less precise than a day: it is null"
                f" there, and {text} has the original text"
            )


def _details(listing: Listing, walks: Sequence[Walk], whole: CompletedRows) -> Details:
    """State what the request and the wire say of the columns.

    The wire asks some of it in another way than the query, or has no place for it.
    """
    endpoint, connection = listing.endpoint, listing.connection
    profile, wire = connection.profile, list[str]()
    is_uncounted = endpoint.name in profile.uncounted
    if profile.filters:
        asks_by_id = connection.asks_by_id
        wire += terms.caveats(listing.filter, profile.filters, asks_by_id=asks_by_id)
    for name in listing.shape.unsaid:
        if name not in (*endpoint.added, "manager"):
            wire.append(f"Not given: {endpoint.resource[name].doc}.")
    if is_uncounted:
        name = endpoint.name.replace("-", " ")
        wire.append(f"The service does not count {name}: all that it lists were read.")
    notes = [Doubt("wire", text) for text in wire]
    if not walks:  # nothing is read
        notes = []
    if listing.filter is not None and not connection.is_embedded:
        notes += checks.unchecked(listing.filter, listing.shape.resource)
    notes += dict.fromkeys(whole.doubts)
    if not all(walk.way.is_chained for walk in walks):
        notes.append(_UNCHAINED)
    unknown = {visible(key) for walk in walks for key in walk.unknown}
    extra = [name for name in whole.frame.columns if name.endswith(frames.TEXT_SUFFIX)]
    return Details(
        asked_by=() if listing.ids is None else endpoint.id_columns,
        added_columns=endpoint.added,
        extra_columns=tuple(sorted(extra)),
        absent_fields=tuple(sorted(whole.absent)),
        partial=whole.partial,
        notes=tuple(notes),
        not_requested=listing.not_requested,
        is_uncounted=is_uncounted,
        unknown_keys=tuple(sorted(unknown)),
    )


def _with_owner(part: Listing, frame: pl.DataFrame) -> pl.DataFrame:
    """Add the columns that only the path tells (`Endpoint.added`)."""
    uuid, name = part.owner or (None, None)
    columns = {column: pl.lit(uuid, pl.String) for column in part.endpoint.added}
    is_of_funds = part.endpoint.resource is fields.FUNDS
    if is_of_funds and part.owner is None:
        has_manager = pl.col("manager").struct.field("uuid").is_not_null()
        columns["manager_source"] = pl.when(has_manager).then(pl.lit("row"))
    elif is_of_funds:
        columns["manager_source"] = pl.lit("path")
        columns["manager"] = pl.struct(uuid=pl.lit(uuid), name=pl.lit(name, pl.String))
    return frame.with_columns(**columns)


@contextlib.contextmanager
def watched(progress: bool | Progress | None, name: str) -> Iterator[Progress | None]:
    """Yield what receives the progress after every page: nothing, a function, a bar."""
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
