"""Fetches what a query asks for: walks its lists, one or many, and joins the rows to a result."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ventureframe.client import checks, frames, lists
from ventureframe.client.listing import Listing
from ventureframe.client.pages import in_turn
from ventureframe.client.result import Details, Result, warn_of_left_out, warn_of_less_precise
from ventureframe.client.resume import Folder
from ventureframe.client.walk import By, Progress, Walk, merged, walk
from ventureframe.errors import (
    CreditsExhausted,
    NotFound,
    RequestRejected,
    UnreadableReply,
    warn,
)
from ventureframe.interface.certificate import Certificate

Asked = TypeVar("Asked", bound=Listing)
Answers = list[tuple[Listing, Walk | NotFound]]
"""The parts that were walked: their rows, or the error where the service knows no such owner."""


def fetch(
    whole: Listing,
    progress: bool | Progress | None,
    *,
    by: By,
    workers: int | None,
    folder: str | os.PathLike[str] | None,
    cancel: threading.Event,
    confirm: bool = False,
) -> Result:
    """Every row of a list in one result, or what in it belongs to the ids.

    The arguments are those of `Query.fetch`.
    """
    whole = kept_in(whole, folder, by=by)
    started = whole.connection.now() if whole.kept is None else whole.kept.started
    by, clock = by if whole.has_cursors else "offset", whole.connection.session.clock
    each = functools.partial(walk, by=by, cancel=cancel, confirm=confirm, clock=clock)
    began = clock()
    with watched(progress, whole.endpoint) as watch:
        answers, ended_by = _answers(whole, each, workers=workers, cancel=cancel, watch=watch)
    walks = (found for _, found in answers if isinstance(found, Walk))
    certificate = merged((found.certificate for found in walks), seconds=clock() - began)
    if len(_ids(part for part, _ in answers)) < len(whole.ids or ()):
        certificate = dataclasses.replace(certificate, is_cancelled=True)
    result = _joined(whole, answers, certificate, started=started)
    result, spent = _with_lists(result, whole, workers=workers, cancel=cancel)
    is_linked = checks.is_linked(result._frame, whole.resource)
    path = str(whole.request["endpoint"])
    absent = result.details.absent_fields
    checks.refuse_unlinked(whole.resource, absent, path=path, is_linked=is_linked)
    ends = [found.ended_by for _, found in answers if isinstance(found, Walk)]
    every = (*ends, ended_by, spent)
    _warn(result, whole, next((error for error in every if error is not None), None))
    return result


def kept_in(whole: Asked, folder: str | os.PathLike[str] | None, *, by: By) -> Asked:
    """The list, whose replies are kept in the folder where one is given."""
    if folder is None:
        return whole
    kept = Folder(folder, question(whole, by=by), started=whole.connection.now())
    return dataclasses.replace(whole, kept=kept)


def question(whole: Listing, *, by: By = "offset") -> dict[str, object]:
    """What tells one fetch from another: the replies of one are not those of another."""
    joined = None if whole.ids is None else "|".join(whole.ids)
    return {
        "service": whole.connection.address,
        "profile": whole.connection.profile.name,
        **whole.request,
        **({"lists": list(whole.lists)} if whole.lists else {}),
        "by": by,
        "ids": None if joined is None else hashlib.sha256(joined.encode()).hexdigest(),
    }


def _answers(
    whole: Listing,
    each: Callable[..., Walk],
    *,
    workers: int | None,
    cancel: threading.Event,
    watch: Progress | None,
) -> tuple[Answers, CreditsExhausted | None]:
    """The list walked, or that of each owner, or the batches of ids, or the list picked from.

    Records by id that the list does not return are requested by their ids as well: the service
    may list fewer records than it knows. Beside them what ended it early.
    """
    if whole.owners is None:
        return [(whole, each(whole, workers=workers, progress=watch))], None
    batched = functools.partial(_walked, each=each, workers=workers, cancel=cancel, watch=watch)
    entire = whole.entire()
    if entire is None:
        return batched(whole.parts())
    try:
        found = each(entire, workers=workers, progress=watch, keep=entire.picked)
    except CreditsExhausted:
        raise
    except (RequestRejected, UnreadableReply):
        return batched(whole.parts())
    if whole.takes.ids != "key" or found.certificate.is_cancelled:
        return [(entire, found)], None
    returned = {key for frame in found.frames for key in frame.get_column(whole.resource.key)}
    left = tuple(owner for owner in whole.owners if owner.uuid not in returned)
    kept = tuple(owner for owner in whole.owners if owner.uuid in returned)
    entire = dataclasses.replace(entire, owners=kept)
    answers, ended_by = batched(dataclasses.replace(whole, owners=left).parts())
    return [(entire, found), *answers], ended_by


def _warn(result: Result, whole: Listing, ended_by: CreditsExhausted | None) -> None:
    """Says what is doubtful about the result: an early end, fields left out, days not given."""
    if result.certificate.is_cancelled:
        why = "" if ended_by is None else f" ({ended_by})"
        said = f"The fetch of {whole.endpoint} was ended early{why}: only the rows received so far"
        warn(f"{said} are in the result")
    for doubt in result.details.notes[len(notes(whole)) :]:
        warn(doubt)
    if result.details.absent_fields:
        warn_of_left_out(result.resource, result.details.absent_fields)
    warn_of_less_precise(result._frame, whole.resource)


def _walked(
    parts: Sequence[Listing],
    each: Callable[..., Walk],
    *,
    workers: int | None,
    cancel: threading.Event,
    watch: Progress | None,
) -> tuple[Answers, CreditsExhausted | None]:
    """The parts with their answers, by several workers at once; fewer once cancelled.

    Beside them the error that there are no more credits, where it ended this.
    """

    def answer(part: Listing) -> Walk | NotFound:
        try:
            return each(part)
        except NotFound as error:
            if part.owner is None:
                raise
            return error

    answers, ended_by = Answers(), None
    done, total = 0, sum(len(part.ids or ()) for part in parts)
    with contextlib.closing(in_turn(parts, answer, workers=workers, cancel=cancel)) as given:
        try:
            for part, found in zip(parts, given, strict=True):
                if found is None or isinstance(found, CreditsExhausted):
                    ended_by = ended_by or found
                    continue
                answers.append((part, found))
                done += len(part.ids or ())
                if watch is not None:
                    watch(done, total)
        except KeyboardInterrupt:
            cancel.set()
    errors = [found for _, found in answers if isinstance(found, NotFound)]
    if errors and len(errors) == len(parts):
        raise errors[0]
    if ended_by is not None and not answers:
        raise ended_by
    return answers, ended_by


def _joined(
    whole: Listing, answers: Answers, certificate: Certificate, *, started: dt.datetime
) -> Result:
    """The result of the answers; the certificate is the one of their walks together."""
    takes, resource, asked = whole.takes, whole.resource, whole.ids
    walks = [(part, found) for part, found in answers if isinstance(found, Walk)]
    rows = [part.with_owner(frame) for part, found in walks for frame in found.frames]
    frame = frames.assemble(
        rows or [whole.with_owner(frames.empty(resource))],
        resource,
        owner=takes.owner_column,
        is_distinct=len(walks) == 1 and certificate.rows == certificate.distinct,
    )
    extra = set[str]().union(*(found.extra for _, found in walks))
    if any(part.is_entire for part, _ in walks):
        frame = whole.picked(frame)
        of_others = {name for name in extra if frame[name].null_count() == frame.height}
        frame, extra = frame.drop(of_others), extra - of_others
    missing = tuple[str, ...]()
    if asked is not None and takes.ids == "key":
        returned = set(frame.get_column(resource.key))
        missing = tuple(each for each in asked if each not in returned)
    elif asked is not None:
        asked = _ids(part for part, _ in answers)
        missing = _ids(part for part, found in answers if isinstance(found, NotFound))
    if asked is not None:
        certificate = dataclasses.replace(certificate, distinct=frame.height)
        if takes.ids == "key" and not missing:
            certificate = dataclasses.replace(certificate, verdict="complete", is_cancelled=False)
        elif certificate.is_cancelled or (missing and certificate.verdict != "drifted"):
            certificate = dataclasses.replace(certificate, verdict="short")
    absent = set[str]().union(*(found.absent for _, found in walks))
    return Result(
        resource=resource,
        certificate=certificate,
        provenance=whole.connection.provenance(whole.request, started=started),
        asked=asked,
        missing=missing,
        _frame=frame,
        details=Details(
            asked_by=() if asked is None else takes.id_columns,
            added_columns=takes.added,
            extra_columns=tuple(sorted(extra)),
            absent_fields=tuple(sorted(absent - {takes.owner_column})),
            notes=(
                *dict.fromkeys(doubt for _, found in walks for doubt in found.doubts),
                *checks.shared(frame, resource),
            ),
            is_uncounted=not whole.has_totals,
        ),
    )


def _with_lists(
    result: Result, whole: Listing, *, workers: int | None, cancel: threading.Event
) -> tuple[Result, CreditsExhausted | None]:
    """The result with the lists that its rows cut short read to their end, where that is wanted.

    Beside it the error that ended this early, if one did.
    """
    found = lists.read_whole(whole, result._frame, workers=workers, cancel=cancel)
    certificate = result.certificate
    if found.requests:
        spent = certificate.credits
        certificate = dataclasses.replace(
            certificate,
            pages=certificate.pages + found.requests,
            credits=spent if spent is None and not found.credits else (spent or 0) + found.credits,
            is_cancelled=certificate.is_cancelled or cancel.is_set(),
            verdict="short" if found.is_short else certificate.verdict,
        )
    result = dataclasses.replace(
        result,
        certificate=certificate,
        details=dataclasses.replace(
            result.details,
            notes=(*notes(whole), *dict.fromkeys((*result.details.notes, *found.doubts))),
            partial=found.partial,
            absent_fields=tuple(sorted({*result.details.absent_fields, *found.absent})),
        ),
        _frame=found.frame,
    )
    return result, found.ended_by


def notes(whole: Listing) -> tuple[str, ...]:
    """What the wire asks in another way than the query, or has no place for."""
    shape = whole.connection.profile.shapes.get(whole.endpoint)
    unsaid = () if shape is None else shape.unsaid
    names = [name for name in unsaid if name not in whole.takes.added and name != "manager"]
    said = [f"{', '.join(names)} of {whole.endpoint}: not given on this wire."] if names else []
    if not whole.has_totals:
        said.append(
            f"The service does not count {whole.endpoint}: each list was read to an empty page."
        )
    return (*whole.connection.caveats(whole.filter), *said)


def _ids(parts: Iterable[Listing]) -> tuple[str, ...]:
    return tuple(each for part in parts for each in part.ids or ())


@contextlib.contextmanager
def watched(progress: bool | Progress | None, name: str) -> Iterator[Progress | None]:
    """What to tell after every page: nothing, a function, or a bar that is closed at the end."""
    if progress is not True:
        yield progress or None
        return
    from tqdm.auto import tqdm  # noqa: PLC0415  # only where a bar is wanted

    with tqdm(desc=name, unit="row") as bar:

        def advance(rows: int, total: int | None) -> None:
            bar.total = total
            bar.update(rows - bar.n)

        yield advance
