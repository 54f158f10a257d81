"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies are kept in
`.pull` until its tables are sealed in the manifest: a pull that was stopped, however, reads what
was kept and asks for the rest. Tables that are sealed are not asked for again.
"""

import datetime as dt
import functools
import importlib.metadata
import os
import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe import errors
from ventureframe.bulk.sink import DATED, TABLES, Sink, with_founded
from ventureframe.client import checks
from ventureframe.client.fetch import watched
from ventureframe.client.listing import Connection
from ventureframe.client.query import Query, of_each
from ventureframe.client.saves import Folder
from ventureframe.client.service import Service
from ventureframe.client.walk import Progress, Walk, walk
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import DESCRIPTION, SEALED, Description, Manifest, Pull
from ventureframe.interface import filters
from ventureframe.interface.certificate import Cost, join, total_of
from ventureframe.interface.files import inside, locked, write_json
from ventureframe.interface.filters import Filter

_BATCHES: Final = 64  # batches of ids whose rows are taken together
_BYTES: Final = 3_000  # of a row while it is pulled: its reply, its chunk, its place in a part
_UNFINISHED: Final = ".pull"
# the folders that a pull writes and removes
_PLACES: Final = re.compile(rf"{re.escape(_UNFINISHED)}(/[a-z]+)*|[a-z_]+/pulled=[\d-]+")


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

    `where` is a filter for every collection, or by collection, as conditions or as the service
    reads it; `since` a day: of news, jobs and funds, records dated then or later, and those without
    a date. `complete` reads lists that the wire cuts short to their end, record by record. Before
    it sends more than `at_most` requests, repeats not counted, the pull ends. `workers` are
    requests at the same time; None for as many as keep the service's rate. `say` is told what a
    collection costs, and what was sealed.

    A pull that was stopped goes on when the same is asked again: no request is sent twice, and
    the day stays that on which it began. Pulls of other days stay beside; the latest is read.

    Raises `FetchEnded` where it is short: `at_most` is reached or credits are used up, and what
    arrived is kept; `UnsupportedValue` where the folder holds something else, an unfinished pull of
    something else, or pulls of another service or currency; `SaveError` where the disk is too full;
    and as `Query.fetch` does.
    """
    day = dt.date.fromisoformat(since) if isinstance(since, str) else since
    service = service._within(at_most)
    for name in collections:
        if name not in TABLES:
            raise errors.UnknownField(name, resource="a service", known=TABLES, use="pull")
    wanted = [name for name in TABLES if name in (collections or TABLES)]
    by_name = where if isinstance(where, Mapping) else dict.fromkeys(wanted, where)
    queries = list[Query]()
    for name in wanted:
        query: Query = getattr(service, name)
        if (only := by_name.get(name)) is not None:
            query = query.where(filters.parse(only) if isinstance(only, str) else only)
        if day is not None and name == "funds":
            query = query.where(filters.fund.year >= day.year)
        if currency is not None and query.listing.takes.takes_currency:
            query = query.currency(service.connection.checked_currency(currency))
        queries.append(query)
    run = _Run(service.connection, out, day, complete, workers, progress, say)
    return run.pull(queries)


def sink(query: Query, out: str | os.PathLike[str], *, complete: bool, workers: int | None) -> Pull:
    """Pull one query, as `Query.sink` describes it."""
    name = query.listing.endpoint
    if query.listing.owners or query.listing.owner or name not in TABLES:
        reason = f"only whole collections are pulled: {', '.join(TABLES)}"
        raise errors.UnsupportedValue(repr(query), field="sink", reason=reason)
    run = _Run(query.listing.connection, Path(out), None, complete, workers)
    return next(pull for pull in reversed(run.pull([query]).pulls) if pull.collection == name)


def _is_unlisted(query: Query, error: errors.RequestRejected) -> bool:
    """Whether the service lists no founders as a whole, but gives those of ids."""
    return query.listing.endpoint == "founders" and error.status in (400, 403, 422)


def _folder(query: Query) -> Folder:
    """Where the replies of a query are kept."""
    assert query.listing.kept is not None  # noqa: S101  # every query of a run keeps them
    return query.listing.kept


@dataclass
class _Run:
    """One run of a pull: what it costs, then collection by collection."""

    connection: Connection
    out: Path
    since: dt.date | None
    complete: bool
    workers: int | None
    progress: bool | Progress | None = None
    say: Callable[[str], object] = lambda _: None
    cancel: threading.Event = field(default_factory=threading.Event)

    def pull(self, queries: Sequence[Query]) -> Manifest:
        """Pull these whole collections, once nobody else writes into the folder."""
        source, url = self.connection.source, self.connection.session.base_url
        service = f"embedded {source.name}" if self.connection.is_embedded else url  # of any day
        self.held = Manifest(service, source)
        try:
            if not SEALED.is_in(self.out):  # refused before a byte is written
                SEALED.refuse_other(self.out, leftovers=re.compile(re.escape(_UNFINISHED)))
        except ValueError as error:
            raise self._refusal(f"it {error}") from error
        with locked(self.out):
            self._pull(queries)
        return self.held

    def _refusal(self, reason: str) -> errors.UnsupportedValue:
        return errors.UnsupportedValue(str(self.out), field="out", reason=reason)

    def _place(self, name: str) -> Path:
        """A folder of the pulls that may be removed; `UnsupportedValue` where a link leads out."""
        try:
            return inside(self.out, name, _PLACES)
        except ValueError as error:
            raise self._refusal(f"{error} in it leads to another folder: give a new one") from error

    def _pull(self, queries: Sequence[Query]) -> None:
        unfinished, service = self._place(_UNFINISHED), self.held.service
        if SEALED.is_in(self.out):
            self.held = manifest.opened(self.out)
            money = {pull.currency for pull in self.held.current if pull.currency}
            currencies = {query.listing.request["currency"] for query in queries} - {None}
            if self.held.service != service:
                raise self._refusal(f"it holds pulls of {self.held.service}: give another")
            if money and currencies - money:
                amounts = " and ".join(sorted(money))
                raise self._refusal(f"it holds amounts in {amounts}: give another")
        try:
            todo = self._left(queries)
            self._plan(todo)
            for query in todo:
                try:
                    pull = self._pulled(query)
                except errors.FetchEnded as error:
                    name = query.listing.endpoint
                    rest = f"{name} are short, and what arrived is kept in {self.out}: pull again"
                    error.args = (f"{str(error).rstrip('.')}; {rest} once that is settled.",)
                    raise
                self.say(str(pull))
                for doubt in pull.doubts:
                    errors.warn(f"{pull.collection}: {doubt}")
            for pull in self.held.pulls:
                founders = self.held.pull("founders", pull.day)
                is_cut = "founders" in pull.cut and len(pull.tables["company_founders"]) == 1
                if is_cut and founders is not None and "founded" in founders.tables:
                    draft = self._place(f"{_UNFINISHED}/founded")
                    whole = with_founded(pull, founders, self.out, draft)
                    pulls = tuple(whole if old is pull else old for old in self.held.pulls)
                    self.held = replace(self.held, pulls=pulls)
                    self.held.write(self.out)
            for gap in self.held.incomplete:
                self.say(f"Not held: {gap}")
        finally:
            replies = (len([*folder.glob("*.reply")]) for folder in unfinished.glob("*/replies"))
            if not any(count > 1 for count in replies):  # one is that which counts the rows
                shutil.rmtree(unfinished, ignore_errors=True)

    def _left(self, queries: Sequence[Query]) -> list[Query]:
        """The collections that are not sealed for their day or by the run that goes on."""
        now, held, keeping, todo = self.connection.now(), self.held, list[Query](), list[Query]()
        for query in queries:
            listing = query.listing
            if self.complete and listing.shape is not None:
                listing = query.with_all(*listing.shape.glances).listing
            place = self._place(f"{_UNFINISHED}/{listing.endpoint}/replies")
            kept = Folder(place, listing.question(), started=now)
            keeping.append(replace(query, listing=replace(listing, kept=kept)))
        if begun := {_folder(query).started for query in keeping} - {now}:
            self.say(f"Continues the pull of {min(begun):%Y-%m-%d %H:%M} UTC.")
        for query in keeping:
            name, replies = query.listing.endpoint, _folder(query)
            sealed = {pull.started for pull in held.pulls if pull.collection == name}
            if sealed & begun and not replies.count:
                continue
            if held.source.as_of is not None and self.connection.source.as_of is None:
                self._cost(query)  # a reply states the day of the data
            pull = held.pull(name, day := self._day(query))
            if pull is None:
                todo.append(query)
                continue
            shutil.rmtree(self._place(f"{_UNFINISHED}/{name}"))
            request, profile = query.listing.request, self.connection.profile.name
            about = request["endpoint"], request["filter"], self._since(name), self.complete
            if pull.question != (*about, request["currency"], profile):
                reason = f"it holds another pull of {name} of {day}: give another folder"
                raise self._refusal(reason)
            self.say(f"{name}: pulled on {day} already, nothing is asked")
        return todo

    def _day(self, query: Query) -> dt.date:
        """The day of the records: the source's own, where it states one."""
        return self.connection.source.as_of or _folder(query).started.date()

    def _since(self, name: str) -> dt.date | None:
        return self.since if name in DATED else None

    # --- what it costs

    def _plan(self, todo: Sequence[Query]) -> None:
        """Say what the pull costs; refuse one that takes more disk than there is."""
        total, rows = Cost(0, 0.0, 0.0), 0
        for query in todo:
            listing, cost = query.listing, self._cost(query)
            if cost is None:
                self.say(f"{listing.endpoint}: how many there are is not told before they are read")
                continue
            self.say(f"{listing.endpoint}: {cost!r}")
            total += cost
            rows += cost.requests * listing.paging.limit
        if todo:
            self.say(f"together: {total!r}")
        size, free = rows * _BYTES, shutil.disk_usage(self.out).free
        if size > free:
            needed, has = (f"{number / 1e9:,.1f} GB" for number in (size, free))
            reason = f"needs about {needed} of disk while it is pulled, and has {has}"
            raise errors.SaveError(reason, folder=str(self.out))

    def _cost(self, query: Query) -> Cost | None:
        """What a collection costs; None where that is not told before it is read."""
        try:
            lists = query.listing.lists if self.complete else ()
            return replace(query, listing=replace(query.listing, lists=lists)).cost()
        except (errors.UnreadableReply, errors.RequestRejected) as error:
            if isinstance(error, errors.UnreadableReply) or _is_unlisted(query, error):
                return None
            raise

    # --- rows

    def _pulled(self, query: Query) -> Pull:
        """Read one collection to its end, and write and seal its tables."""
        listing, connection, replies = query.listing, self.connection, _folder(query)
        name, request, day = listing.endpoint, listing.request, self._day(query)
        place, ids, within = self._place(f"{_UNFINISHED}/{name}"), None, f"pulled={day}"
        chunks, draft = place / "chunks", place / "parts"
        into = Sink(listing, chunks, self.complete, self.since, self.workers, self.cancel)
        try:
            walked = self._walked(query, into)
        except errors.RequestRejected as error:
            if into.portions > 1 or not _is_unlisted(query, error):
                raise
            ids = self._ids_of_founders(error)
            walked = self._by_id(query, into, ids)
        path, absent = str(request["endpoint"]), walked.absent
        checks.refuse_unlinked(listing.resource, absent, path=path, is_linked=into.is_linked)
        shutil.rmtree(draft, ignore_errors=True)
        tables, differs = into.write(walked.certificate, draft=draft, within=within)
        seconds, is_cut = walked.certificate.seconds, into.is_short
        certificate = join([walked.certificate], seconds=seconds, is_unequal=differs, is_cut=is_cut)
        missing = ", ".join(sorted(absent - set(listing.takes.added)))
        left_out = [f"Rows leave out {missing}: null there says nothing."] if missing else []
        pull = Pull(
            collection=name,
            day=day,
            started=replies.started,
            finished=connection.now(),
            endpoint=path,
            certificate=certificate,
            tables=tables,
            profile=connection.profile.name,
            api_version=connection.session.version,
            version=importlib.metadata.version("ventureframe"),
            filter=request["filter"],
            since=self._since(name),
            complete=self.complete,
            currency=request["currency"],  # type: ignore[arg-type]  # one of the profile's
            converted=request["currency"] is not None,
            requests=replies.count,
            credits=total_of([certificate.credits, into.credits or None]),
            asked=None if ids is None else len(ids),
            missing=0 if ids is None else len(ids) - certificate.distinct,
            partial=dict(into.partial),
            cut=into.cut,
            withheld=dict(into.withheld),
            notes=tuple(listing.notes),
            doubts=(*left_out, *walked.doubts),
        )
        self._seal(pull, draft, within)
        return pull

    def _seal(self, pull: Pull, draft: Path, within: str) -> None:
        """Move the written tables to their places, and name them in the manifest."""
        for table in pull.tables:
            place = self._place(f"{table}/{within}")
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            (draft / table / within).rename(place)
        source = self.connection.source
        self.held = held = replace(self.held, source=source).having(pull)
        held.write(self.out)
        licence = source.licence or "not stated by the service"
        told = held.description, held.day, bool(source.synthetic), licence
        about = Description(source.name, *told, source.attribution or (f"Source: {source.name}",))
        write_json(self.out / DESCRIPTION, about.to_json())
        shutil.rmtree(self._place(f"{_UNFINISHED}/{pull.collection}"))

    def _walked(self, query: Query, into: Sink) -> Walk:
        with watched(self.progress, query.listing.endpoint) as watch:
            pages = query.pages(watch, workers=self.workers, cancel=self.cancel)
            for rows in pages:
                into.take(rows, pages.number)
        assert pages.found is not None  # noqa: S101  # every row was given
        self._require_end([pages.found])
        return pages.found

    def _require_end(self, walks: Sequence[Walk]) -> None:
        """Raise why one of the walks was not read to its end."""
        for error in (walked.ended_by for walked in walks if walked.ended_by):
            raise error
        if self.cancel.is_set():
            raise KeyboardInterrupt

    def _ids_of_founders(self, error: errors.RequestRejected) -> list[str]:
        """The founders that the pulled companies list, always in one order."""
        files = self.held.files("company_founders")
        if not files:
            advice = "Pull companies as well, whose founders have ids"
            reason = f"their list is refused ({error}). {advice}"
            raise errors.UnsupportedValue("founders", field="pull", reason=reason) from error
        paths = [self.out / file for file in files]
        listed = pl.scan_parquet(paths, hive_partitioning=False).select("founder_uuid")
        ids = listed.drop_nulls().unique().sort("founder_uuid").collect(engine="streaming")
        return ids.to_series().to_list()

    def _by_id(self, query: Query, into: Sink, ids: Sequence[str]) -> Walk:
        """Read founders in batches of ids; the certificate is that of all batches."""
        clock, size = self.connection.session.clock, self.connection.profile.batch
        requests = -(-len(ids) // size)
        self.say(f"founders: the list is refused; by id {Cost(requests)!r}")
        began, walks = clock(), list[Walk]()
        read = functools.partial(walk, cancel=self.cancel, clock=clock)
        with ThreadPoolExecutor(self.workers or query.listing.paging.workers) as pool:
            for start in range(0, len(ids), size * _BATCHES):
                batches = of_each(query, ids[start : start + size * _BATCHES]).listing.parts()
                together = [*pool.map(read, batches)]
                self._require_end(together)
                for walked in together:
                    for rows in walked.frames:
                        into.take(rows)
                    walks.append(replace(walked, frames=()))
        certificate = join((walked.certificate for walked in walks), seconds=clock() - began)
        absent = frozenset[str]().union(*(walked.absent for walked in walks))
        doubts = dict.fromkeys(doubt for walked in walks for doubt in walked.doubts)
        return Walk((), certificate, absent, frozenset(), tuple(doubts))
