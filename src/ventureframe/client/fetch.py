"""Fetches what a query asks for: walks its lists, one or many, and joins the rows to a result."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import functools
import hashlib
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ventureframe.client import frames
from ventureframe.client.listing import Listing
from ventureframe.client.result import Result, warn_of_less_precise
from ventureframe.client.resume import Folder
from ventureframe.client.walk import By, Progress, Walk, merged, walk
from ventureframe.errors import EvidenceWarning, NotFound
from ventureframe.interface.certificate import Certificate

Answers = list[tuple[Listing, Walk | NotFound]]
"""The parts that were walked: their rows, or the error where the service knows no such owner."""


def fetch(
    whole: Listing,
    parts: Sequence[Listing],
    ids: tuple[str, ...] | None,
    *,
    progress: bool | Progress | None,
    by: By,
    workers: int,
    folder: str | os.PathLike[str] | None,
    cancel: threading.Event | None,
) -> Result:
    """Every row of the parts in one result: of a whole list, or what in it belongs to the ids.

    The parts are the whole itself, one per batch of ids, or one per owner. The other arguments are
    those of `Query.fetch`.
    """
    stop = cancel or threading.Event()
    session, started = whole.connection.session, whole.connection.now()
    if folder is not None:
        kept = Folder(folder, _described(whole, ids, by), started=started)
        started = kept.started
        parts = [dataclasses.replace(part, kept=kept) for part in parts]
    by = by if whole.endpoint in whole.connection.profile.cursor_endpoints else "offset"
    each = functools.partial(walk, by=by, cancel=stop, clock=session.clock)
    began = session.clock()
    with _watched(progress, whole.endpoint) as watch:
        if ids is None:
            answers: Answers = [
                (part, each(part, workers=workers, progress=watch)) for part in parts
            ]
        else:
            answers = _walked(parts, each, workers=workers, cancel=stop, watch=watch)
    seconds = session.clock() - began
    result = _joined(
        whole, ids, answers, is_all=len(answers) == len(parts), seconds=seconds, started=started
    )
    if result.certificate.is_cancelled:
        said = f"The fetch of {whole.endpoint} was ended early: only the rows received so far"
        warnings.warn(f"{said} are in the result", EvidenceWarning, stacklevel=3)
    warn_of_less_precise(result.to_polars(), whole.resource)
    return result


def _described(whole: Listing, ids: tuple[str, ...] | None, by: By) -> dict[str, Any]:
    """What tells one question from another, for the folder that keeps its replies."""
    return {
        "service": whole.connection.address,
        "profile": whole.connection.profile.name,
        "endpoint": whole.path,
        "filter": None if whole.filter is None else str(whole.filter),
        "sort": whole.sort,
        "currency": whole.amounts_in,
        "by": by,
        "ids": None if ids is None else hashlib.sha256("|".join(ids).encode()).hexdigest(),
    }


def _walked(
    parts: Sequence[Listing],
    each: Callable[[Listing], Walk],
    *,
    workers: int,
    cancel: threading.Event,
    watch: Progress | None,
) -> Answers:
    """The parts with their answers, by several workers at once; fewer once cancelled."""

    def answer(part: Listing) -> Walk | NotFound | None:
        if cancel.is_set():
            return None
        try:
            return each(part)
        except NotFound as error:
            if part.owner is None:
                raise
            return error

    answers: Answers = []
    done, total = 0, sum(len(part.asked) for part in parts)
    with contextlib.ExitStack() as stack:
        mapped = map if workers == 1 else stack.enter_context(ThreadPoolExecutor(workers)).map
        try:
            for part, found in zip(parts, mapped(answer, parts), strict=True):
                if found is None:
                    break
                answers.append((part, found))
                done += len(part.asked)
                if watch is not None:
                    watch(done, total)
        except KeyboardInterrupt:
            cancel.set()
    errors = [found for _, found in answers if isinstance(found, NotFound)]
    if errors and len(errors) == len(parts):
        raise errors[0]
    return answers


def _joined(
    whole: Listing,
    ids: tuple[str, ...] | None,
    answers: Answers,
    *,
    is_all: bool,
    started: dt.datetime,
    seconds: float,
) -> Result:
    """The result of the answers; `is_all` where every part was walked."""
    takes, is_key = whole.takes, whole.takes.ids == "key"
    walks = [(part, found) for part, found in answers if isinstance(found, Walk)]
    rows = [part.with_owner(frame) for part, found in walks for frame in found.frames]
    certificate = merged((found.certificate for _, found in walks), seconds=seconds)
    frame = frames.assemble(
        rows or [whole.with_owner(frames.empty(whole.resource))],
        whole.resource,
        owner=whole.owner_column,
        is_distinct=len(walks) == 1 and certificate.rows == certificate.distinct,
    )
    asked, missing = ids, tuple[str, ...]()
    if ids is not None and is_key:
        returned = set(frame.get_column(whole.resource.key).str.to_lowercase())
        missing = tuple(each for each in ids if each not in returned)
    elif ids is not None:
        asked = tuple(each for part, _ in answers for each in part.asked)
        unknown = [part for part, found in answers if isinstance(found, NotFound)]
        missing = tuple(each for part in unknown for each in part.asked)
    if ids is not None:
        certificate = dataclasses.replace(
            certificate,
            distinct=frame.height,
            is_cancelled=certificate.is_cancelled or not is_all,
        )
        certificate = _judged(certificate, is_every=is_key and not missing, misses=bool(missing))
    absent = set[str]().union(*(found.absent for _, found in walks))
    return Result(
        resource=whole.resource,
        certificate=certificate,
        provenance=whole.connection.provenance(
            whole.path,
            filter=whole.filter,
            sort=whole.sort,
            currency=whole.amounts_in,
            started=started,
        ),
        asked=asked,
        missing=missing,
        absent_fields=tuple(sorted(absent - {whole.owner_column})),
        extra_columns=tuple(sorted(set().union(*(found.extra for _, found in walks)))),
        _frame=frame,
        asked_by=() if ids is None else takes.id_columns,
        added_columns=takes.added,
    )


def _judged(certificate: Certificate, *, is_every: bool, misses: bool) -> Certificate:
    """The certificate of what belongs to ids: complete where every record was returned."""
    if is_every:
        return dataclasses.replace(certificate, verdict="complete", is_cancelled=False)
    if certificate.is_cancelled or (misses and certificate.verdict != "drifted"):
        return dataclasses.replace(certificate, verdict="short")
    return certificate


@contextlib.contextmanager
def _watched(progress: bool | Progress | None, name: str) -> Iterator[Progress | None]:
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
