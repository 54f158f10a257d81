"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies are kept in
`.pull` until its tables are sealed in the manifest: a pull that was stopped, however, reads what
was kept and asks for the rest. Tables that are sealed are not asked for again.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib.metadata
import os
import re
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from ventureframe.bulk.sink import DATED, Sink
from ventureframe.bulk.tables import COLLECTIONS
from ventureframe.client import checks
from ventureframe.client.connection import Connection
from ventureframe.client.query import Query, of_each, watched
from ventureframe.client.saves import Folder, begun
from ventureframe.client.service import Service
from ventureframe.client.walk import Progress, Walking, walk
from ventureframe.dataset import manifest
from ventureframe.dataset.description import DESCRIPTION, Description
from ventureframe.dataset.manifest import SEALED, Manifest, Pull
from ventureframe.errors import (
    CreditsExhausted,
    EvidenceWarning,
    RequestRejected,
    SaveError,
    UnknownField,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.interface import filters
from ventureframe.interface.certificate import Certificate, Cost, join
from ventureframe.interface.files import inside, locked, write_json
from ventureframe.interface.filters import Filter
from ventureframe.interface.reply import Reply

_REFUSED: Final = frozenset({400, 403, 422})
"""How a service says that a collection cannot be listed as a whole."""
_BATCHES: Final = 64
"""Batches of ids whose rows are taken together."""
_UNFINISHED: Final = ".pull"
_PLACES: Final = re.compile(rf"{re.escape(_UNFINISHED)}|[a-z_]+/pulled=[\d-]+")
_BYTES: Final = 3_000
"""What a row takes on disk while it is pulled: its reply, its chunk and its place in a part."""


def pull(
    service: Service,
    collections: Sequence[str],
    out: Path,
    *,
    where: Filter | str | Mapping[str, Filter | str] | None = None,
    since: dt.date | str | None = None,
    currency: str | None = None,
    complete: bool = False,
    at_most: int | None = None,
    workers: int | None = None,
    progress: bool | Progress | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Manifest:
    """Pull these collections, or every one, into the folder `out`, and return its manifest.

    Parameters
    ----------
    where
        A filter for each collection, or by collection; as conditions or as the service reads it.
    since
        Of news, jobs and funds, records dated on this day or later, and those without a date.
    complete
        Reads lists that the wire cuts short in a row to their end, record by record.
    at_most
        Requests that may be sent. A pull that takes more is refused once its collections are
        counted, which is one small request each; it never sends more than this.
    workers
        Requests at the same time; None for as many as keep the service's rate.
    say
        Is told what each collection costs before it is asked for, and what was sealed.

    A pull that was stopped goes on when the same is asked again: no request is sent twice, and
    the day stays that on which it began. Pulls of other days stay beside; the latest is read.

    Raises `UnsupportedValue` where `at_most` is too small, where the folder holds something else,
    an unfinished pull of something else, or pulls of another service or currency; `SaveError` where
    the disk is too full; and as `Query.fetch` does.
    """
    day = dt.date.fromisoformat(since) if isinstance(since, str) else since
    for name in collections:
        if name not in COLLECTIONS:
            raise UnknownField(name, resource="a service", known=COLLECTIONS, use="pull")
    wanted = [name for name in COLLECTIONS if name in (collections or COLLECTIONS)]
    by_name = where if isinstance(where, Mapping) else dict.fromkeys(wanted, where)
    queries: dict[str, Query] = {}
    for name in wanted:
        query: Query = getattr(service, name)
        only = by_name.get(name)
        if only is not None:
            query = query.where(filters.parse(only) if isinstance(only, str) else only)
        if day is not None and name == "funds":
            query = query.where(filters.fund.year >= day.year)
        if currency is not None and query.listing.takes.takes_currency:
            query = query.currency(service.connection.checked_currency(currency))
        queries[name] = _with_lists(query) if complete else query
    run = _Run(service.connection, out, day, complete, workers, progress, say, at_most)
    return run.pull(queries)


def sink(query: Query, out: str | os.PathLike[str], *, complete: bool, workers: int | None) -> Pull:
    """Pull one query, as `Query.sink` describes it."""
    name = query.listing.endpoint
    if query.listing.owners or query.listing.owner or name not in COLLECTIONS:
        reason = f"only whole collections are pulled: {', '.join(COLLECTIONS)}"
        raise UnsupportedValue(repr(query), field="sink", reason=reason)
    run = _Run(query.listing.connection, Path(out), None, complete, workers)
    pulls = run.pull({name: _with_lists(query) if complete else query}).pulls
    return next(pull for pull in reversed(pulls) if pull.collection == name)


def _with_lists(query: Query) -> Query:
    """The query with every list of a company that the wire shows in part."""
    listing = query.listing
    shape = listing.connection.profile.shapes.get(listing.endpoint)
    return query.with_all(*(() if shape is None or listing.shows_every_kind else shape.glances))


@dataclass
class _Run:
    """One run of a pull, from its plan to its seal; `sent` counts its requests."""

    connection: Connection
    out: Path
    since: dt.date | None
    complete: bool
    workers: int | None
    progress: bool | Progress | None = None
    say: Callable[[str], object] = lambda _: None
    at_most: int | None = None
    sent: int = 0
    cancel: threading.Event = field(default_factory=threading.Event)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def pull(self, queries: Mapping[str, Query]) -> Manifest:
        try:
            self._refuse_strangers()
            with locked(self.out):
                return self._locked(queries)
        except BlockingIOError as error:
            raise self._refusal(
                "another process is pulling into it: wait for its end, or give another"
            ) from error
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise SaveError(reason, folder=str(self.out)) from error

    def _refusal(self, reason: str) -> UnsupportedValue:
        return UnsupportedValue(str(self.out), field="out", reason=reason)

    def _refuse_strangers(self) -> None:
        """Refuse a folder that holds something else than pulls, before a byte is written."""
        try:
            if not SEALED.is_in(self.out):
                SEALED.refuse_other(self.out, leftovers=re.compile(re.escape(_UNFINISHED)))
        except ValueError as error:
            raise self._refusal(f"it {error}") from error

    def _locked(self, queries: Mapping[str, Query]) -> Manifest:
        self._held = manifest.opened(self.out) if SEALED.is_in(self.out) else None
        self._refuse_others(queries)
        now = self.connection.now()
        started = self._begin(queries, now)
        if started != now:
            self.say(f"Continues the pull of {started:%Y-%m-%d %H:%M} UTC.")
        try:
            todo = self._left(queries, started)
            if todo:
                self._plan(todo)
            for name, query in todo.items():
                self._seal(self._pulled(name, query, started))
        finally:
            if not any(self._place(_UNFINISHED).glob("*/replies/*.reply")):
                self._drop()
        assert self._held is not None  # noqa: S101  # something was sealed, now or before
        return self._held

    # --- what is there already

    def _place(self, name: str) -> Path:
        """A folder of the pulls that may be emptied; `UnsupportedValue` where a link leads out."""
        try:
            return inside(self.out, name, _PLACES)
        except ValueError as error:
            raise self._refusal(f"{error} in it leads to another folder: give a new one") from error

    def _drop(self, name: str = "") -> None:
        """Remove what is kept of a collection, or of all of them."""
        shutil.rmtree(self._place(_UNFINISHED) / name, ignore_errors=True)

    @property
    def _service(self) -> str:
        """What tells the service from another, the day of its data left out."""
        if self.connection.is_embedded:
            return f"embedded {self.connection.source.name}"
        return self.connection.session.base_url

    def _refuse_others(self, queries: Mapping[str, Query]) -> None:
        held = self._held
        if held is None:
            return
        if held.service != self._service:
            raise self._refusal(f"it holds pulls of {held.service}: give another")
        money = {pull.currency for pull in held.current if pull.currency}
        if money and {query.listing.request["currency"] for query in queries.values()} - {
            None,
            *money,
        }:
            raise self._refusal(f"it holds amounts in {' and '.join(sorted(money))}: give another")

    def _begin(self, queries: Mapping[str, Query], now: dt.datetime) -> dt.datetime:
        """When the pull began: now, or when an unfinished one of the same question did."""
        folder = self._place(_UNFINISHED)
        folder.mkdir(parents=True, exist_ok=True)
        asked = {name: query.listing.question() for name, query in queries.items()}
        own = {
            "service": self._service,
            "since": None if self.since is None else self.since.isoformat(),
            "complete": self.complete,
            "collections": asked,
        }
        try:
            started, held = begun(folder / "begun.json", own, now=now)
        except ValueError as error:
            reason = f"its unfinished pull cannot be read: delete {folder}"
            raise self._refusal(reason) from error
        if held != own:
            names = held.get("collections")
            raise self._refusal(
                f"it has an unfinished pull of "
                f"{', '.join(names) if isinstance(names, dict) else 'something else'}, begun on "
                f"{started:%Y-%m-%d}: ask the same again to finish it, or delete {folder}"
            )
        return started

    def _left(self, queries: Mapping[str, Query], started: dt.datetime) -> dict[str, Query]:
        """The collections that are not sealed by this pull or for its day.

        Another question for the same day is refused.
        """
        todo = dict[str, Query]()
        for name, query in queries.items():
            sealed = () if self._held is None else self._held.pulls
            if any((pull.collection, pull.started) == (name, started) for pull in sealed):
                continue
            kept = Folder(
                self._place(_UNFINISHED) / name / "replies",
                query.listing.question(),
                started=started,
                spend=self._spend,
            )
            listing = dataclasses.replace(query.listing, kept=kept)
            query = dataclasses.replace(query, listing=listing)  # noqa: PLW2901  # the same, kept
            before = self._before(query, started)
            if before is None:
                todo[name] = query
                continue
            self._drop(name)
            if before.question != self._asked(query):
                reason = f"it holds another pull of {name} of {before.day}: give another folder"
                raise self._refusal(reason)
            self.say(f"{name}: pulled on {before.day} already, nothing is asked")
        return todo

    def _day_of(self, started: dt.datetime) -> dt.date:
        """The day of the records: the source's own, where it states one."""
        return self.connection.source.as_of or started.date()

    def _before(self, query: Query, started: dt.datetime) -> Pull | None:
        """The pull of the same collection and day that the folder holds.

        A service that states the day of its data does so with a reply: where the folder says that
        this one does, one is asked for.
        """
        held = self._held
        if held is None:
            return None
        if held.source.as_of is not None and self.connection.source.as_of is None:
            self._cost(query)
        return held.pull(query.listing.endpoint, self._day_of(started))

    def _asked(self, query: Query) -> tuple[object, ...]:
        """What `Pull.question` says of a pull of this."""
        asked, profile = query.listing.request, self.connection.profile.name
        since = self.since if query.listing.endpoint in DATED else None
        return asked["endpoint"], asked["filter"], since, self.complete, asked["currency"], profile

    # --- what it costs

    def _plan(self, todo: Mapping[str, Query]) -> None:
        """Say what the pull costs; refuse one that takes more than is allowed or than fits."""
        is_fresh = not any(map(_count, todo.values()))
        total, left, rows = Cost(0, 0.0, 0.0), 0, 0
        for name, query in todo.items():
            cost = self._cost(query)
            if cost is None:
                self.say(f"{name}: how many there are is not told before they are read")
                continue
            shape = self.connection.profile.shapes.get(query.listing.endpoint)
            is_cut = self.complete and query.listing.shows_every_kind and shape and shape.glances
            self.say(f"{name}: {cost!r}{', and one for each list cut short' if is_cut else ''}")
            total += cost
            left += max(0, cost.requests + 1 - _count(query))
            rows += cost.requests * query.listing.paging.limit
        self.say(f"together: {total!r}")
        try:
            self._require(left)
            self._require_disk(rows * _BYTES)
        except (SaveError, UnsupportedValue):
            if is_fresh:
                self._drop()
            raise

    def _require_disk(self, size: int) -> None:
        free = shutil.disk_usage(self.out).free
        if size > free:
            needed, has = (f"{each / 1e9:,.1f} GB" for each in (size, free))
            reason = f"needs about {needed} of disk while it is pulled, and has {has}"
            raise SaveError(reason, folder=str(self.out))

    def _require(self, requests: int) -> None:
        """Raise `UnsupportedValue` where so many more requests are not allowed."""
        if self.at_most is not None and self.sent + requests > self.at_most:
            more = "1 more request" if requests == 1 else f"{requests:,} more requests"
            reason = f"the pull takes {more} after {self.sent:,} sent: give a greater number"
            raise UnsupportedValue(self.at_most, field="at_most", reason=reason)

    def _spend(self, ask: Callable[[], Reply]) -> Reply:
        """The reply, once its request is counted."""
        with self._counting:
            self._require(1)
            self.sent += 1
        return ask()

    def _cost(self, query: Query) -> Cost | None:
        try:
            return query.cost()
        except UnreadableReply:
            return None
        except RequestRejected as error:
            if query.listing.endpoint == "founders" and error.status in _REFUSED:
                return None
            raise

    # --- rows

    def _pulled(self, name: str, query: Query, started: dt.datetime) -> Pull:
        """Read one collection to its end, and write its tables."""
        chunks = self._place(_UNFINISHED) / name / "chunks"
        into = Sink(query.listing, chunks, self.complete, self.since, self.workers, self.cancel)
        facts: dict[str, Any] = {}
        absent, doubts = frozenset[str](), tuple[str, ...]()
        try:
            certificate, absent, doubts = self._walked(query, into)
        except RequestRejected as error:
            if name != "founders" or error.status not in _REFUSED or into.rows:
                raise
            ids = self._ids_of_founders(error)
            certificate = self._by_id(query, into, ids)
            facts = {"asked": len(ids), "missing": len(ids) - certificate.distinct}
        path = str(query.listing.request["endpoint"])
        checks.refuse_unlinked(query.listing.resource, absent, path=path, is_linked=into.is_linked)
        if into.is_short and certificate.verdict == "complete":
            certificate = dataclasses.replace(certificate, verdict="short")
        if left_out := sorted(absent - set(query.listing.takes.added)):
            doubts = (f"Rows leave out {', '.join(left_out)}: null there says nothing.", *doubts)
        facts |= {"notes": tuple(self._notes(query, certificate, into)), "doubts": doubts}
        return self._written(query, into, certificate, day=self._day_of(started), **facts)

    def _walked(
        self, query: Query, into: Sink
    ) -> tuple[Certificate, frozenset[str], tuple[str, ...]]:
        clock = self.connection.session.clock
        with watched(self.progress, query.listing.endpoint) as watch:
            walking = Walking(
                query.listing, clock, workers=self.workers, cancel=self.cancel, progress=watch
            )
            for rows in walking:
                into.take(rows, walking.number)
        end = walking.found
        assert end is not None  # noqa: S101  # every row was given
        if isinstance(end.ended_by, CreditsExhausted):
            error = end.ended_by
            raise CreditsExhausted(
                f"{error} What arrived is kept in {self.out}: pull again once there are credits.",
                method=error.method,
                path=error.path,
                status=error.status,
                code=error.code,
            )
        if self.cancel.is_set():
            raise KeyboardInterrupt
        return end.certificate, end.absent, end.doubts

    def _ids_of_founders(self, error: RequestRejected) -> list[str]:
        """The founders that the pulled companies list, always in one order."""
        files = () if self._held is None else self._held.files("company_founders")
        if not files:
            reason = (
                f"the service cannot list all founders ({error}). Pull companies as well; their "
                "founders are then fetched by id"
            )
            raise UnsupportedValue("founders", field="pull", reason=reason) from error
        paths = [self.out / file for file in files]
        listed = pl.scan_parquet(paths, hive_partitioning=False).select("founder_uuid")
        ids = listed.drop_nulls().unique().sort("founder_uuid").collect(engine="streaming")
        return ids.to_series().to_list()

    def _by_id(self, query: Query, into: Sink, ids: Sequence[str]) -> Certificate:
        """Read founders in batches of ids; the certificate is that of all batches."""
        clock, size = self.connection.session.clock, self.connection.profile.batch
        requests = -(-len(ids) // size)
        self.say(f"founders: the list is refused; by id {Cost(requests)!r}")
        self._require(max(0, requests - _count(query)))
        began, certificates = clock(), list[Certificate]()
        with ThreadPoolExecutor(self.workers or query.listing.paging.workers) as pool:
            for start in range(0, len(ids), size * _BATCHES):
                parts = of_each(query, ids[start : start + size * _BATCHES]).listing.parts()
                walks = list(
                    pool.map(lambda part: walk(part, cancel=self.cancel, clock=clock), parts)
                )
                if self.cancel.is_set():
                    raise KeyboardInterrupt
                frames = [rows for each in walks for rows in each.frames if rows.height]
                if frames:
                    into.take(pl.concat(frames, how="diagonal"))
                certificates.append(join((each.certificate for each in walks), seconds=0.0))
        return join(certificates, seconds=clock() - began)

    # --- the seal

    def _written(
        self, query: Query, into: Sink, certificate: Certificate, *, day: dt.date, **facts: Any
    ) -> Pull:
        """What the manifest says of the collection, whose parts now lie in their place."""
        name, kept = query.listing.endpoint, query.listing.kept
        assert kept is not None  # noqa: S101  # as planned
        draft, within = self._place(_UNFINISHED) / name / "parts", f"pulled={day}"
        shutil.rmtree(draft, ignore_errors=True)
        tables, differs = into.write(certificate, draft=draft, within=within)
        if differs and certificate.verdict == "complete":
            certificate = dataclasses.replace(certificate, verdict="drifted")
        for table in tables:
            target = self._place(f"{table}/{within}")
            shutil.rmtree(target, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            (draft / table).rename(target)
        asked, connection, spent = query.listing.request, self.connection, certificate.credits
        return Pull(
            collection=name,
            day=day,
            started=kept.started,
            finished=connection.now(),
            endpoint=str(asked["endpoint"]),
            certificate=certificate,
            tables=tables,
            profile=connection.profile.name,
            api_version=connection.session.version,
            version=importlib.metadata.version("ventureframe"),
            filter=asked["filter"],
            since=self.since if name in DATED else None,
            complete=self.complete,
            currency=asked["currency"],  # type: ignore[arg-type]  # one of the profile's
            converted=asked["currency"] is not None,
            requests=kept.count,
            credits=spent if not into.credits else (spent or 0.0) + into.credits,
            partial=dict(into.partial),
            cut=into.cut,
            withheld=dict(into.withheld),
            **facts,
        )

    def _notes(self, query: Query, certificate: Certificate, into: Sink) -> Iterator[str]:
        yield from query.listing.notes
        name, since = query.listing.endpoint, self.since
        if since is not None and name in ("news", "jobs"):
            yield (
                f"The service does not filter {name} by date: all {certificate.distinct:,} were "
                f"read, those dated before {since} left out, those without a date kept."
            )
        if since is not None and name == "funds":
            yield f"Funds dated {since} or later; funds without a date were not asked for."
        if since is not None and name not in DATED:
            yield f"No record of {name} says since when it is there: all of them were pulled."
        for withheld, rows in sorted(into.withheld.items()):
            yield f"The service withholds {withheld} of {rows:,} {name}: nothing follows from it."

    def _seal(self, pulled: Pull) -> None:
        """Put the manifest over the parts; the replies are done with."""
        source = self.connection.source
        held = self._held or Manifest(self._service, source)
        self._held = dataclasses.replace(held, source=source).having(pulled)
        self._held.write(self.out)
        write_json(self.out / DESCRIPTION, description(self._held).to_json())
        self._drop(pulled.collection)
        self.say(str(pulled))
        for doubt in pulled.doubts:
            warnings.warn(f"{pulled.collection}: {doubt}", EvidenceWarning, stacklevel=5)


def description(held: Manifest) -> Description:
    """What the folder says of itself as a dataset."""
    source = held.source
    return Description(
        name=source.name,
        description=held.description,
        as_of=held.day,
        synthetic=bool(source.synthetic),
        licence=source.licence or "not stated by the service",
        attribution=source.attribution or (f"Source: {source.name}",),
    )


def _count(query: Query) -> int:
    """How many replies of a query are kept."""
    return 0 if query.listing.kept is None else query.listing.kept.count
