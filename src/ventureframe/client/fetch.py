"""The fetch that answers a query: lists walked, joined to one frame, and certified."""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event

import polars as pl

from ventureframe.client import checks, frames
from ventureframe.client.listing import Listing
from ventureframe.client.lists import CompletedRows, in_turn, read_whole
from ventureframe.client.paging import By, Progress
from ventureframe.client.result import Details, Result
from ventureframe.client.walk import Walk
from ventureframe.errors import FetchEnded, NotFound, of_lab, warn
from ventureframe.interface import fields
from ventureframe.interface.certificate import Certificate, join, total_of
from ventureframe.interface.fields import Resource
from ventureframe.interface.gaps import Doubt

_UNCHAINED = Doubt(
    "list",
    "Consecutive pages shared no row: a record that went while another was added would"
    " not be noticed.",
)


@dataclass
class _Walked:
    """The lists that were walked, and the owners that the service does not know."""

    walks: list[tuple[Listing, Walk]] = dataclasses.field(default_factory=list)
    unknown: tuple[str, ...] = ()
    ended_by: FetchEnded | None = None

    @property
    def ids(self) -> frozenset[str]:
        """The ids of which it is known whether the service has them."""
        walked = (uuid for part, _ in self.walks for uuid in part.ids or ())
        return frozenset({*self.unknown, *walked})


def fetch(
    listing: Listing,
    progress: bool | Progress | None,
    by: By,
    workers: int | None,
    cancel: Event,
) -> Result:
    """Walk the list, or those of owners or batches, and join the rows to a result."""
    connection, resource, ids = listing.connection, listing.resource, listing.ids
    clock = connection.session.clock
    began, started = clock(), connection.now()
    with watched(progress, listing.endpoint) as watch:
        walked = _walk(listing, watch, by, workers, cancel)
    certificates = [walk.certificate for _, walk in walked.walks]
    is_distinct = False
    if len(certificates) == 1:
        is_distinct = certificates[0].rows == certificates[0].distinct
    whole = _joined(listing, walked, is_distinct=is_distinct)
    if listing.shape.glances:
        read_whole(listing, whole, workers=workers, cancel=cancel)
    if resource.name in checks.LINKS:
        is_linked = checks.is_linked(whole.frame, resource)
        checks.refuse_unlinked(
            resource, whole.absent, path=listing.path, is_linked=is_linked
        )
    is_by_key = ids is not None and listing.takes.ids == "key"
    missing = walked.unknown
    if is_by_key:
        keys = {*whole.frame[resource.key]}
        missing = tuple(uuid for uuid in ids or () if uuid not in keys)
    is_ended = cancel.is_set() and bool(whole.requests or whole.ended_by)
    if ids is not None and len(walked.ids) < len(ids):
        is_ended = True
    certificate = join(
        certificates,
        seconds=clock() - began,
        is_of_ids=ids is not None,
        is_by_key=is_by_key,
        missing=len(missing),
        is_cancelled=is_ended,
        is_unequal=whole.is_unequal,
        is_cut=whole.is_short,
    )
    certificate = dataclasses.replace(
        certificate,
        distinct=certificate.distinct if ids is None else whole.frame.height,
        pages=certificate.pages + whole.requests,
        credits=total_of([certificate.credits, whole.credits or None]),
    )
    _warn(listing, certificate, walked, whole)
    asked = ids
    if ids is not None and not is_by_key:
        asked = tuple(uuid for uuid in ids if uuid in walked.ids)
    provenance = connection.provenance(listing.request, started=started)
    details = _details(listing, walked, whole)
    return Result(
        resource, certificate, provenance, whole.frame, asked, missing, details
    )


def _walk(
    listing: Listing,
    watch: Progress | None,
    by: By,
    workers: int | None,
    cancel: Event,
) -> _Walked:
    """Walk the list, or its parts in turn; raise the error that left nothing read."""
    clock = listing.connection.session.clock
    if listing.owners is None:
        whole = Walk(listing, clock, by, workers, cancel, watch).read()
        return _Walked([(listing, whole)])

    def walk_part(part: Listing) -> Walk:
        return Walk(part, clock, by, cancel=cancel).read()

    parts = listing.parts()
    answers, ended_by = in_turn(
        parts, walk_part, workers=workers, cancel=cancel, progress=watch
    )
    walked, unknown = _Walked(ended_by=ended_by), list[NotFound]()
    for part, answer in zip(parts, answers, strict=True):
        if isinstance(answer, NotFound):
            unknown.append(answer)
            walked.unknown += part.ids or ()
        elif answer is not None:
            walked.ended_by = walked.ended_by or answer.ended_by
            if answer.certificate.pages:
                walked.walks.append((part, answer))
    if unknown and len(unknown) == len(parts):
        raise unknown[0]
    if ended_by is not None and not (walked.walks or unknown):
        raise ended_by
    return walked


def _joined(listing: Listing, walked: _Walked, *, is_distinct: bool) -> CompletedRows:
    """Put the rows in one frame, a record once, with what the walks say of them."""
    takes, resource = listing.takes, listing.resource
    rows, doubts, absent = list[pl.DataFrame](), list[Doubt](), set[str]()
    for part, walk in walked.walks:
        rows += [_with_owner(part, frame) for frame in walk.frames]
        absent |= walk.absent
        doubts += walk.doubts
    if not rows:
        rows = [_with_owner(listing, frames.empty(resource))]
    owner = None
    if takes.ids == "path":
        owner = takes.id_columns[0].partition(".")[0]
        absent -= {owner}
    frame = assemble(rows, resource, owner=owner, is_distinct=is_distinct)
    is_checked = owner is None and not is_distinct
    return CompletedRows(
        frame,
        absent=frozenset(absent),
        doubts=tuple(dict.fromkeys(doubts)),
        is_unequal=is_checked and checks.is_contradicted(rows, resource),
    )


def assemble(
    parts: Sequence[pl.DataFrame],
    resource: Resource,
    *,
    owner: str | None = None,
    is_distinct: bool = False,
) -> pl.DataFrame:
    """Return one frame of the parts: each record once for each `owner`.

    Declared columns come first.
    """
    # to lie together
    frame = pl.concat(parts, how="diagonal", rechunk=len(parts) > 100)
    declared = [field.name for field in resource.returned]
    names = [*declared, *sorted(set(frame.columns) - set(declared))]
    if frame.columns != names:
        frame = frame.select(names)
    if is_distinct:
        return frame
    key = [resource.key] if owner is None else [owner, resource.key]
    return frame.unique(key, keep="first", maintain_order=True)


def _warn(
    listing: Listing, certificate: Certificate, walked: _Walked, whole: CompletedRows
) -> None:
    """Warn of an early end, and of all that is doubtful about the rows."""
    frame, resource = whole.frame, listing.resource
    if certificate.is_cancelled:
        errors = [walk.ended_by for _, walk in walked.walks]
        errors += [walked.ended_by, whole.ended_by]
        why = next((f" ({error})" for error in errors if error), "")
        rest = "only the rows received so far are in the result"
        warn(f"The fetch of {listing.endpoint} was ended early{why}: {rest}")
    for doubt in whole.doubts:
        warn(doubt.text)
    if whole.absent:
        warn(frames.left_out(f"Rows of {resource.name}", whole.absent))
    for field in resource.returned:
        text = field.name + frames.TEXT_SUFFIX
        if field.type == "date" and text in frame.columns:
            count = f"{frame[text].count():,} of {frame.height:,} {resource.name}"
            what = f"{count} have a {field.name} less precise than a day"
            warn(f"{what}: it is null there, and as it came in {text}")


def _details(listing: Listing, walked: _Walked, whole: CompletedRows) -> Details:
    """State what the request and the wire say of the columns."""
    takes, unknown = listing.takes, set[str]()
    notes = [*listing.notes, *whole.doubts]
    if not all(walk.way.is_chained for _, walk in walked.walks):
        notes.append(_UNCHAINED)
    for _, walk in walked.walks:
        unknown |= walk.unknown
    extra = [name for name in whole.frame.columns if name.endswith(frames.TEXT_SUFFIX)]
    return Details(
        asked_by=() if listing.ids is None else takes.id_columns,
        added_columns=takes.added,
        extra_columns=tuple(sorted(extra)),
        absent_fields=tuple(sorted(whole.absent)),
        partial=whole.partial,
        notes=tuple(notes),
        is_uncounted=not listing.paging.has_totals,
        unknown_keys=tuple(sorted(unknown)),
    )


def _with_owner(part: Listing, frame: pl.DataFrame) -> pl.DataFrame:
    """Add what the path tells of the rows and they do not (`Endpoint.added`)."""
    if not part.takes.added:
        return frame
    uuid, name = part.owner or (None, None)
    if part.resource is not fields.FUNDS:
        owner = pl.lit(uuid, pl.String)
        return frame.with_columns(owner.alias(column) for column in part.takes.added)
    if part.owner is None:
        has_manager = pl.col("manager").struct.field("uuid").is_not_null()
        source = pl.when(has_manager).then(pl.lit("row"))
        return frame.with_columns(manager_source=source)
    manager = pl.struct(uuid=pl.lit(uuid), name=pl.lit(name, pl.String))
    return frame.with_columns(manager=manager, manager_source=pl.lit("path"))


@contextlib.contextmanager
def watched(progress: bool | Progress | None, name: str) -> Iterator[Progress | None]:
    """Give what is told after every page: nothing, a function, or a bar."""
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
