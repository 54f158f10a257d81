"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies are kept in
`.pull` until its tables are sealed in the manifest: a pull that was stopped, however, reads what
was kept and asks for the rest. Tables that are sealed are not asked for again.
"""

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
from typing import Final

import polars as pl

from ventureframe.bulk.sink import DATED, Sink
from ventureframe.bulk.tables import COLLECTIONS
from ventureframe.bulk.target import Target
from ventureframe.client import checks
from ventureframe.client.fetch import watched
from ventureframe.client.listing import Connection
from ventureframe.client.query import Query, of_each
from ventureframe.client.saves import Folder
from ventureframe.client.service import Service
from ventureframe.client.walk import Progress, Walk, walk
from ventureframe.dataset.manifest import Manifest, Pull
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
from ventureframe.interface.certificate import Certificate, Cost, join, total_of
from ventureframe.interface.filters import Filter
from ventureframe.interface.reply import Reply

_REFUSED: Final = frozenset({400, 403, 422})
"""How a service says that a collection cannot be listed as a whole."""
_BATCHES: Final = 64
"""Batches of ids whose rows are taken together."""
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
    shape = query.listing.shape
    is_cut = shape is not None and not query.listing.shows_every_kind
    return query.with_all(*(shape.glances if shape is not None and is_cut else ()))


def _is_unlisted(query: Query, error: RequestRejected) -> bool:
    """Whether the service lists no founders as a whole, but gives those of ids."""
    return query.listing.endpoint == "founders" and error.status in _REFUSED


def _kept(query: Query) -> int:
    """How many replies of a query are kept."""
    return 0 if query.listing.kept is None else query.listing.kept.count


@dataclass
class _Run:
    """One run of a pull: what it costs, then collection by collection; `sent` counts requests."""

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
        connection, now = self.connection, self.connection.now()
        is_here, url = connection.is_embedded, connection.session.base_url
        service = f"embedded {connection.source.name}" if is_here else url  # of whatever day
        self.target = target = Target(self.out, service)
        currencies = {query.listing.request["currency"] for query in queries.values()}
        with target.opened({currency for currency in currencies if currency}):
            own = {
                "service": service,
                "since": None if self.since is None else self.since.isoformat(),
                "complete": self.complete,
                "collections": {name: query.listing.question() for name, query in queries.items()},
            }
            started = target.begin(own, now)
            if started != now:
                self.say(f"Continues the pull of {started:%Y-%m-%d %H:%M} UTC.")
            try:
                todo = self._left(queries, started)
                self._plan(todo)
                for query in todo:
                    pull = self._pulled(query, started)
                    target.seal(pull, connection.source)
                    self.say(str(pull))
                    for doubt in pull.doubts:
                        warning = f"{pull.collection}: {doubt}"
                        warnings.warn(warning, EvidenceWarning, stacklevel=4)
            finally:
                if not target.has_replies():
                    target.drop()
        assert target.held is not None  # noqa: S101  # something was sealed, now or before
        return target.held

    def _day(self, started: dt.datetime) -> dt.date:
        """The day of the records: the source's own, where it states one."""
        return self.connection.source.as_of or started.date()

    def _left(self, queries: Mapping[str, Query], started: dt.datetime) -> list[Query]:
        """The collections that are not sealed by this pull or for its day, their replies kept."""
        todo, held = list[Query](), self.target.held
        for name, query in queries.items():
            pulls = () if held is None else held.pulls
            if any((pull.collection, pull.started) == (name, started) for pull in pulls):
                continue
            place, own = self.target.unfinished(name) / "replies", query.listing.question()
            kept = Folder(place, own, started=started, spend=self._spend)
            listing = dataclasses.replace(query.listing, kept=kept)
            kept_query = dataclasses.replace(query, listing=listing)
            if held and held.source.as_of is not None and self.connection.source.as_of is None:
                self._cost(kept_query)  # a reply states the day of the data
            asked, profile = listing.request, self.connection.profile.name
            since = self.since if name in DATED else None
            about = asked["endpoint"], asked["filter"], since, self.complete, asked["currency"]
            if self.target.pulled_on(name, day := self._day(started), (*about, profile)):
                self.say(f"{name}: pulled on {day} already, nothing is asked")
            else:
                todo.append(kept_query)
        return todo

    # --- what it costs

    def _plan(self, todo: Sequence[Query]) -> None:
        """Say what the pull costs; refuse one that takes more than is allowed or than fits."""
        is_fresh = not any(map(_kept, todo))
        total, left, rows = Cost(0, 0.0, 0.0), 0, 0
        for query in todo:
            name, listing, cost = query.listing.endpoint, query.listing, self._cost(query)
            if cost is None:
                self.say(f"{name}: how many there are is not told before they are read")
                continue
            glances = None if listing.shape is None else listing.shape.glances
            is_cut = self.complete and listing.shows_every_kind and glances
            self.say(f"{name}: {cost!r}{', and one for each list cut short' if is_cut else ''}")
            total += cost
            left += max(0, cost.requests + 1 - _kept(query))
            rows += cost.requests * listing.paging.limit
        if todo:
            self.say(f"together: {total!r}")
        try:
            self._require(left)
            self.target.require_disk(rows * _BYTES)
        except (SaveError, UnsupportedValue):
            if is_fresh:
                self.target.drop()
            raise

    def _cost(self, query: Query) -> Cost | None:
        try:
            return query.cost()
        except UnreadableReply:
            return None
        except RequestRejected as error:
            if _is_unlisted(query, error):
                return None
            raise

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

    # --- rows

    def _pulled(self, query: Query, started: dt.datetime) -> Pull:
        """Read one collection to its end, and write its tables."""
        listing, target, ids = query.listing, self.target, None
        name, asked, kept = listing.endpoint, listing.request, listing.kept
        unfinished, connection = target.unfinished(name), self.connection
        chunks = unfinished / "chunks"
        into = Sink(listing, chunks, self.complete, self.since, self.workers, self.cancel)
        try:
            walked = self._walked(query, into)
        except RequestRejected as error:
            if into.rows or not _is_unlisted(query, error):
                raise
            ids = self._ids_of_founders(error)
            walked = self._by_id(query, into, ids)
        path, day = str(asked["endpoint"]), self._day(started)
        checks.refuse_unlinked(listing.resource, walked.absent, path=path, is_linked=into.is_linked)
        shutil.rmtree(unfinished / "parts", ignore_errors=True)
        tables, differs = into.write(
            walked.certificate, draft=unfinished / "parts", within=f"pulled={day}"
        )
        target.put(tables, unfinished / "parts", f"pulled={day}")
        certificate = join(
            [walked.certificate],
            seconds=walked.certificate.seconds,
            is_unequal=differs,
            is_cut=into.is_short,
        )
        absent = sorted(walked.absent - set(listing.takes.added))
        left_out = [f"Rows leave out {', '.join(absent)}: null there says nothing."]
        return Pull(
            collection=name,
            day=day,
            started=started,
            finished=connection.now(),
            endpoint=path,
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
            requests=0 if kept is None else kept.count,
            credits=total_of([certificate.credits, into.credits or None]),
            asked=None if ids is None else len(ids),
            missing=0 if ids is None else len(ids) - certificate.distinct,
            partial=dict(into.partial),
            cut=into.cut,
            withheld=dict(into.withheld),
            notes=tuple(self._notes(query, certificate, into)),
            doubts=(*(left_out if absent else ()), *walked.doubts),
        )

    def _walked(self, query: Query, into: Sink) -> Walk:
        with watched(self.progress, query.listing.endpoint) as watch:
            pages = query.pages(watch, workers=self.workers, cancel=self.cancel)
            for rows in pages:
                into.take(rows, pages.number)
        end = pages.found
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
        return end

    def _ids_of_founders(self, error: RequestRejected) -> list[str]:
        """The founders that the pulled companies list, always in one order."""
        held = self.target.held
        files = () if held is None else held.files("company_founders")
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

    def _by_id(self, query: Query, into: Sink, ids: Sequence[str]) -> Walk:
        """Read founders in batches of ids; the certificate is that of all batches."""
        clock, size = self.connection.session.clock, self.connection.profile.batch
        requests = -(-len(ids) // size)
        self.say(f"founders: the list is refused; by id {Cost(requests)!r}")
        self._require(max(0, requests - _kept(query)))
        began, walks = clock(), list[Walk]()
        with ThreadPoolExecutor(self.workers or query.listing.paging.workers) as pool:
            for start in range(0, len(ids), size * _BATCHES):
                batches = of_each(query, ids[start : start + size * _BATCHES]).listing.parts()
                for walked in pool.map(
                    lambda batch: walk(batch, cancel=self.cancel, clock=clock), batches
                ):
                    for rows in walked.frames:
                        into.take(rows)
                    walks.append(dataclasses.replace(walked, frames=()))
                if self.cancel.is_set():
                    raise KeyboardInterrupt
        return Walk(
            frames=(),
            certificate=join((walked.certificate for walked in walks), seconds=clock() - began),
            absent=frozenset[str]().union(*(walked.absent for walked in walks)),
            extra=frozenset(),
            doubts=tuple(dict.fromkeys(doubt for walked in walks for doubt in walked.doubts)),
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
