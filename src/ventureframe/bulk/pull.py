"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies are kept until
its tables are sealed in the manifest: a pull that was stopped, however, reads what was kept and
asks for the rest. Tables that are sealed are not asked for again.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib.metadata
import os
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from ventureframe.bulk import package
from ventureframe.bulk.asked import Founders, asked, with_lists
from ventureframe.bulk.flat import COLLECTIONS
from ventureframe.bulk.sink import DATED, Sink
from ventureframe.bulk.unfinished import Meter, Unfinished, place
from ventureframe.client import checks
from ventureframe.client.connection import Connection
from ventureframe.client.query import Query, notes, of_each, question, watched
from ventureframe.client.resume import Folder
from ventureframe.client.service import Service
from ventureframe.client.walk import Progress, Walking, walk
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import Manifest, Pull
from ventureframe.errors import (
    CreditsExhausted,
    EvidenceWarning,
    RequestRejected,
    SaveError,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.interface.certificate import Certificate, Cost, join
from ventureframe.interface.files import locked
from ventureframe.interface.filters import Filter

_REFUSED: Final = frozenset({400, 403, 422})
"""How a service says that a collection cannot be listed as a whole."""
_BATCHES: Final = 64
"""Batches of ids whose rows are taken together."""


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
    say: Callable[[str], object] | None = None,
) -> Manifest:
    """The manifest of the folder `out`, once it holds these collections, or every one.

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

    Raises `UnsupportedValue` where `at_most` is too small, where the folder holds an unfinished
    pull of something else or pulls of another service or currency; and as `Query.fetch` does.
    """
    day = dt.date.fromisoformat(since) if isinstance(since, str) else since
    queries = asked(service, collections, where=where, since=day, currency=currency)
    if complete:
        queries = {name: with_lists(query) for name, query in queries.items()}
    run = _Run(service.connection, out, day, complete, workers, progress, say or _silent, at_most)
    return run.pull(queries)


def sink(query: Query, out: str | os.PathLike[str], *, complete: bool, workers: int | None) -> Pull:
    """The pull of one query, as `Query.sink` describes it."""
    name = query.listing.endpoint
    is_whole = query.listing.owners is None and query.listing.owner is None
    if not is_whole or name not in COLLECTIONS:
        reason = f"only whole collections are pulled: {', '.join(COLLECTIONS)}"
        raise UnsupportedValue(repr(query), field="sink", reason=reason)
    run = _Run(query.listing.connection, Path(out), None, complete, workers, None, _silent, None)
    found = run.pull({name: with_lists(query) if complete else query})
    return next(each for each in reversed(found.pulls) if each.collection == name)


def _silent(_: str) -> None:
    """Says nothing."""


@dataclass
class _Run:
    """One run of a pull, from its plan to its seal."""

    connection: Connection
    out: Path
    since: dt.date | None
    complete: bool
    workers: int | None
    progress: bool | Progress | None
    say: Callable[[str], object]
    at_most: int | None
    cancel: threading.Event = field(default_factory=threading.Event)

    def pull(self, queries: Mapping[str, Query]) -> Manifest:
        try:
            with locked(self.out):
                return self._locked(queries)
        except BlockingIOError as error:
            reason = "another process is pulling into it: wait for its end, or give another"
            raise UnsupportedValue(str(self.out), field="out", reason=reason) from error
        except OSError as error:
            raise SaveError(
                f"cannot be written: {error.strerror or error}", folder=str(self.out)
            ) from error

    def _locked(self, queries: Mapping[str, Query]) -> Manifest:
        self._unfinished = Unfinished(self.out, Meter())
        self._held = manifest.opened(self.out) if manifest.SEALED.is_in(self.out) else None
        self._refuse_others(queries)
        now = self.connection.now()
        started = self._unfinished.begin(self._question(queries), now=now)
        if started != now:
            self.say(f"Continues the pull of {started:%Y-%m-%d %H:%M} UTC.")
        try:
            todo = self._left(queries, started)
            if todo:
                self._plan(todo)
            for name, query in todo.items():
                self._seal(self._pulled(name, query, started))
        finally:
            if self._unfinished.is_empty:
                self._unfinished.drop()
        assert self._held is not None  # noqa: S101  # something was sealed, now or before
        return self._held

    # --- what is there already

    def _refuse_others(self, queries: Mapping[str, Query]) -> None:
        held = self._held
        if held is None:
            return
        reason = ""
        if held.service != self._service:
            reason = f"it holds pulls of {held.service}"
        money = {each.currency for each in held.current if each.currency}
        wanted = {query.listing.request["currency"] for query in queries.values()} - {None}
        if money and wanted - money:
            reason = f"it holds amounts in {' and '.join(sorted(map(str, money)))}"
        if reason:
            raise UnsupportedValue(str(self.out), field="out", reason=f"{reason}: give another")

    @property
    def _service(self) -> str:
        """What tells the service from another, the day of its data left out."""
        connection = self.connection
        return (
            f"embedded {connection.source.name}"
            if connection.is_embedded
            else (connection.session.base_url)
        )

    def _question(self, queries: Mapping[str, Query]) -> dict[str, Any]:
        return {
            "service": self._service,
            "since": None if self.since is None else self.since.isoformat(),
            "complete": self.complete,
            "collections": {name: question(query.listing) for name, query in queries.items()},
        }

    def _day_of(self, started: dt.datetime) -> dt.date:
        """The day of the records: the source's own, where it states one."""
        return self.connection.source.as_of or started.date()

    def _left(self, queries: Mapping[str, Query], started: dt.datetime) -> dict[str, Query]:
        """The collections that are not sealed by this pull or for its day.

        Another question for the same day is refused.
        """
        todo = dict[str, Query]()
        for name, query in queries.items():
            if self._is_sealed(name, started):
                continue
            kept = self._unfinished.kept(name, question(query.listing), started=started)
            query = _kept_in(query, kept)  # noqa: PLW2901  # the same, kept
            before = self._before(query, started)
            if before is None:
                todo[name] = query
            elif before.question == self._asked(query):
                self.say(f"{name}: pulled on {before.day} already, nothing is asked")
                self._unfinished.drop(name)
            else:
                reason = f"it holds another pull of {name} of {before.day}: give another folder"
                self._unfinished.drop(name)
                raise UnsupportedValue(str(self.out), field="out", reason=reason)
        return todo

    def _is_sealed(self, name: str, started: dt.datetime) -> bool:
        """Whether this very pull has sealed the collection, before it was stopped."""
        pulls = () if self._held is None else self._held.pulls
        return any((each.collection, each.started) == (name, started) for each in pulls)

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
        """Says what the pull costs, and refuses one that takes more than is allowed."""
        is_fresh = not any(_count(query) for query in todo.values())
        total, left = Cost(0, 0.0, 0.0), 0
        for name, query in todo.items():
            cost = self._cost(query)
            if cost is None:
                self.say(f"{name}: how many there are is not told before they are read")
                continue
            lists = "" if not self._reads_more(query) else ", and one for each list cut short"
            self.say(f"{name}: {cost!r}{lists}")
            total += cost
            left += max(0, cost.requests + 1 - _count(query))
        self.say(f"together: {total!r}")
        try:
            self._unfinished.meter.at_most = self.at_most
            self._unfinished.meter.require(left)
        except UnsupportedValue:
            if is_fresh:
                self._unfinished.drop()
            raise

    def _reads_more(self, query: Query) -> bool:
        """Whether lists are read to their end of which only the rows tell that they are cut."""
        shape = self.connection.profile.shapes.get(query.listing.endpoint)
        return self.complete and query.listing.shows_every_kind and bool(shape and shape.glances)

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

    def _pulled(self, name: str, query: Query, started: dt.datetime) -> Callable[[], Pull]:
        """One collection read to its end; what is given back writes its tables."""
        runs = self._unfinished.emptied(name, "runs")
        into = Sink(query.listing, runs, self.complete, self.since, self.workers, self.cancel)
        facts: dict[str, Any] = {}
        try:
            certificate, absent, doubts = self._walked(query, into)
        except RequestRejected as error:
            if name != "founders" or error.status not in _REFUSED or into.rows:
                raise
            ids = self._ids_of_founders(error)
            certificate, absent, doubts = self._by_id(query, into, ids), frozenset[str](), ()
            facts = {"asked": ids.count, "missing": ids.count - certificate.distinct}
        path = str(query.listing.request["endpoint"])
        checks.refuse_unlinked(query.listing.resource, absent, path=path, is_linked=into.is_linked)
        if into.is_short and certificate.verdict == "complete":
            certificate = dataclasses.replace(certificate, verdict="short")
        if left_out := sorted(absent - set(query.listing.takes.added)):
            doubts = (f"Rows leave out {', '.join(left_out)}: null there says nothing.", *doubts)
        facts |= {"notes": tuple(self._notes(query, certificate, into)), "doubts": doubts}
        return lambda: self._written(query, into, certificate, day=self._day_of(started), **facts)

    def _walked(
        self, query: Query, into: Sink
    ) -> tuple[Certificate, frozenset[str], tuple[str, ...]]:
        clock = self.connection.session.clock
        with watched(self.progress, query.listing.endpoint) as watch:
            walking = Walking(
                query.listing,
                clock,
                workers=self.workers,
                cancel=self.cancel,
                progress=watch,
            )
            for rows in walking:
                into.take(rows, walking.number)
        found = walking.found
        assert found is not None  # noqa: S101  # every row was given
        if isinstance(found.ended_by, CreditsExhausted):
            raise _kept_so_far(found.ended_by, self.out)
        if self.cancel.is_set():
            raise KeyboardInterrupt
        return found.certificate, found.absent, found.doubts

    def _ids_of_founders(self, error: RequestRejected) -> Founders:
        """The founders that the pulled companies list."""
        files = () if self._held is None else self._held.files("company_founders")
        if not files:
            raise UnsupportedValue(
                "founders",
                field="pull",
                reason=f"the service does not list all of them ({error}), and asks for ids: pull "
                "companies as well, whose founders are then asked for by id",
            ) from error
        return Founders([self.out / file for file in files])

    def _by_id(self, query: Query, into: Sink, ids: Founders) -> Certificate:
        """Founders asked for in batches of ids; the certificate is that of all batches."""
        clock, size = self.connection.session.clock, self.connection.profile.batch
        requests = -(-ids.count // size)
        self.say(f"founders: the list is refused; by id {Cost(requests)!r}")
        self._unfinished.meter.require(max(0, requests - _count(query)))
        began, together = clock(), list[Certificate]()
        with ThreadPoolExecutor(self.workers or query.listing.paging.workers) as pool:
            for batch in ids.batches(size * _BATCHES):
                parts = of_each(query, batch).listing.parts()
                found = list(
                    pool.map(lambda part: walk(part, cancel=self.cancel, clock=clock), parts)
                )
                if self.cancel.is_set():
                    raise KeyboardInterrupt
                frames = [rows for each in found for rows in each.frames if rows.height]
                if frames:
                    into.take(pl.concat(frames, how="diagonal"))
                each = join((each.certificate for each in found), seconds=0.0)
                together.append(each)
        return join(together, seconds=clock() - began)

    # --- the seal

    def _written(
        self, query: Query, into: Sink, certificate: Certificate, *, day: dt.date, **facts: Any
    ) -> Pull:
        """What the manifest says of the collection, whose parts now lie in their place."""
        name, kept = query.listing.endpoint, query.listing.kept
        assert kept is not None  # noqa: S101  # as planned
        draft, within = self._unfinished.emptied(name, "parts"), f"pulled={day}"
        tables = into.write(certificate, draft=draft, within=within)
        for table in tables:
            target = place(self.out, f"{table}/{within}")
            shutil.rmtree(target, ignore_errors=True)
            target.parent.mkdir(parents=True, exist_ok=True)
            (draft / table).rename(target)
        asked, connection = query.listing.request, self.connection
        spent = certificate.credits
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
        yield from notes(query.listing)
        name = query.listing.endpoint
        if self.since is not None and name in ("news", "jobs"):
            yield (
                f"The service does not filter {name} by date: all {certificate.distinct:,} were "
                f"read, those dated before {self.since} left out, those without a date kept."
            )
        if self.since is not None and name == "funds":
            yield f"Funds dated {self.since} or later; funds without a date were not asked for."
        if self.since is not None and name not in DATED:
            yield f"No record of {name} says since when it is there: all of them were pulled."
        for field_, rows in sorted(into.withheld.items()):
            yield f"The service withholds {field_} of {rows:,} {name}: nothing follows from it."

    def _seal(self, write: Callable[[], Pull]) -> None:
        """Puts the parts in their place and the manifest over them; the replies are done with."""
        pulled = write()
        source = self.connection.source
        held = self._held or Manifest(self._service, source)
        self._held = dataclasses.replace(held, source=source).having(pulled)
        self._held.write(self.out)
        package.describe(self.out, self._held)
        self._unfinished.drop(pulled.collection)
        self.say(str(pulled))
        for doubt in pulled.doubts:
            warnings.warn(f"{pulled.collection}: {doubt}", EvidenceWarning, stacklevel=5)


def _kept_in(query: Query, kept: Folder) -> Query:
    """The query, whose replies are kept in the folder."""
    return dataclasses.replace(query, listing=dataclasses.replace(query.listing, kept=kept))


def _count(query: Query) -> int:
    """How many replies of a query are kept."""
    return 0 if query.listing.kept is None else query.listing.kept.count


def _kept_so_far(error: CreditsExhausted, out: Path) -> CreditsExhausted:
    return CreditsExhausted(
        f"{error} What arrived is kept in {out}: pull again once there are credits.",
        method=error.method,
        path=error.path,
        status=error.status,
        code=error.code,
    )
