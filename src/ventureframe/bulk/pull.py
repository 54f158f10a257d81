"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies
are kept in `.pull` until its tables are named in the manifest: a pull that was
stopped reads them and requests the rest. Tables that the manifest names are not
requested again.
"""

import datetime as dt
import functools
import importlib.metadata
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe import errors
from ventureframe.bulk.sink import DATED, TABLES, Sink, with_founded
from ventureframe.client import checks, fetch
from ventureframe.client.listing import Connection
from ventureframe.client.query import Query, of_each
from ventureframe.client.saves import Folder
from ventureframe.client.service import Service
from ventureframe.client.walk import Progress, Walk, walk
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import (
    DESCRIPTION,
    PULLS,
    Description,
    Manifest,
    Pull,
)
from ventureframe.interface import filters
from ventureframe.interface.certificate import Cost, join, total_of
from ventureframe.interface.files import locked, write_json
from ventureframe.interface.filters import Filter

_BATCHES: Final = 64  # batches of ids whose rows are taken together
# of a row while it is pulled: its reply, its chunk, its place in a part
_BYTES: Final = 3_000
_UNFINISHED: Final = ".pull"


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
    """Pull these collections, or every one, into the folder `out`, and return its
    manifest.

    `where` is a filter for every collection, or by collection, as conditions or as the
    service reads it. `since` keeps of news, jobs and funds the records dated that day
    or later, and those without a date. `complete` reads lists that the wire cuts short
    to their end, record by record. The pull ends before it sends more than `at_most`
    requests, repeats not counted. `workers` is the number of requests at the same time;
    None for as many as keep the service's rate. `say` receives a sentence on the cost
    of each collection, and on what was written.

    The same call resumes a pull that was stopped: no request is sent twice, and the day
    stays that on which it began. Pulls of other days are kept; readers take the latest.

    Raises `FetchEnded` where `at_most` is reached or credits are used up, and keeps
    what arrived; `UnsupportedValue` where the folder holds other files, an
    unfinished pull with other options, or pulls of another service or currency;
    `SaveError` where the disk is too full; and the errors of `Query.fetch`.
    """
    day = dt.date.fromisoformat(since) if isinstance(since, str) else since
    service = service._within(at_most)
    for name in collections:
        if name not in TABLES:
            raise errors.UnknownField(
                name, resource="a service", known=TABLES, use="pull"
            )
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


def sink(
    query: Query, out: str | os.PathLike[str], *, complete: bool, workers: int | None
) -> Pull:
    """Pull one query, as `Query.sink` describes it."""
    name = query.listing.endpoint
    if query.listing.owners or query.listing.owner or name not in TABLES:
        reason = f"only whole collections are pulled: {', '.join(TABLES)}"
        raise errors.UnsupportedValue(repr(query), field="sink", reason=reason)
    run = _Run(query.listing.connection, Path(out), None, complete, workers)
    return next(
        pull for pull in reversed(run.pull([query]).pulls) if pull.collection == name
    )


@dataclass
class _Run:
    """One call of `pull`: states the cost, then reads collection by collection."""

    connection: Connection
    out: Path
    since: dt.date | None
    complete: bool
    workers: int | None
    progress: bool | Progress | None = None
    say: Callable[[str], object] = lambda _: None
    cancel: threading.Event = field(default_factory=threading.Event)
    # why the service does not list founders
    refused: errors.RequestRejected | None = None

    def pull(self, queries: Sequence[Query]) -> Manifest:
        """Lock the folder and pull these collections into it."""
        source, url = self.connection.source, self.connection.session.base_url
        # of any day
        service = f"embedded {source.name}" if self.connection.is_embedded else url
        self.held = Manifest(service, source)
        try:
            if not PULLS.is_in(self.out):  # refused before a byte is written
                PULLS.refuse_other(self.out)
        except ValueError as error:
            raise self._refusal(f"it {error}") from error
        with locked(self.out):
            self._pull(queries)
        return self.held

    def _refusal(self, reason: str) -> errors.UnsupportedValue:
        return errors.UnsupportedValue(str(self.out), field="out", reason=reason)

    def _place(self, name: str) -> Path:
        """A folder that a pull may remove; `UnsupportedValue` where a link leads out
        of `out`.
        """
        path = self.out / name
        if not path.resolve().is_relative_to(self.out.resolve()):
            what = f"{name!r} in it leads to another folder: give a new one"
            raise self._refusal(what)
        return path

    def _pull(self, queries: Sequence[Query]) -> None:
        unfinished, service = self._place(_UNFINISHED), self.held.service
        if PULLS.is_in(self.out):
            self.held = manifest.opened(self.out)
            money = {pull.currency for pull in self.held.current if pull.currency}
            currencies = {query.listing.request["currency"] for query in queries} - {
                None
            }
            if self.held.service != service:
                raise self._refusal(
                    f"it holds pulls of {self.held.service}: give another"
                )
            if money and currencies - money:
                amounts = " and ".join(sorted(money))
                raise self._refusal(f"it holds amounts in {amounts}: give another")
        try:
            todo = self._missing(queries)
            self._plan(todo)
            for query in todo:
                try:
                    pull = self._pulled(query)
                except errors.FetchEnded as error:
                    name = query.listing.endpoint
                    rest = (
                        f"{name} are short, and what arrived is kept in {self.out}:"
                        " pull again"
                    )
                    error.args = (
                        f"{str(error).rstrip('.')}; {rest} once that is settled.",
                    )
                    raise
                self.say(str(pull))
                for doubt in pull.doubts:
                    errors.warn(f"{pull.collection}: {doubt}")
            for pull in self.held.pulls:
                founders = self.held.pull("founders", pull.day)
                is_cut = (
                    "founders" in pull.cut and len(pull.tables["company_founders"]) == 1
                )
                if is_cut and founders is not None and "founded" in founders.tables:
                    draft = self._place(f"{_UNFINISHED}/founded")
                    whole = with_founded(pull, founders, self.out, draft)
                    pulls = tuple(
                        whole if old is pull else old for old in self.held.pulls
                    )
                    self.held = replace(self.held, pulls=pulls)
                    self.held.write(self.out)
            for gap in self.held.incomplete:
                self.say(f"Incomplete: {gap}")
        finally:
            replies = (
                len([*folder.glob("*.reply")])
                for folder in unfinished.glob("*/replies")
            )
            # one is that which counts the rows
            if not any(count > 1 for count in replies):
                shutil.rmtree(unfinished, ignore_errors=True)

    def _missing(self, queries: Sequence[Query]) -> list[Query]:
        """Select the collections without a pull of the day; a resumed run keeps its
        first day.
        """
        now, keeping, todo = self.connection.now(), list[Query](), list[Query]()
        self.replies = dict[str, Folder]()
        for query in queries:
            listing = query.listing
            lists = (
                tuple(listing.shape.glances) if listing.shape and self.complete else ()
            )
            whole = replace(listing, lists=lists)
            place = self._place(f"{_UNFINISHED}/{whole.endpoint}/replies")
            kept = self.replies[whole.endpoint] = Folder(
                place, whole.question(), started=now
            )
            keeping.append(replace(query, listing=replace(whole, kept=kept)))
        self.started = min(kept.started for kept in self.replies.values())
        if self.started < now:
            self.say(f"Continues the pull of {self.started:%Y-%m-%d %H:%M} UTC.")
        # the last one is rarely sealed, so its reply is of use
        for query in reversed(keeping):
            if (
                self.held.source.as_of is not None
                and self.connection.source.as_of is None
            ):
                self._cost(query)  # the reply states the day of the data
        for query in keeping:
            listing, name = query.listing, query.listing.endpoint
            pull = self.held.pull(name, self._day)
            if pull is None:
                todo.append(query)
                continue
            shutil.rmtree(self._place(f"{_UNFINISHED}/{name}"))
            request, profile = listing.request, self.connection.profile.name
            about = (
                request["endpoint"],
                request["filter"],
                self._since(name),
                self.complete,
            )
            if pull.question != (*about, request["currency"], profile):
                reason = (
                    f"it holds another pull of {name} of {pull.day}: give another"
                    " folder"
                )
                raise self._refusal(reason)
            self.say(f"{name}: already pulled on {pull.day}, so not requested again")
        return todo

    @property
    def _day(self) -> dt.date:
        """The day of the records: that of the source, or else the first day of the
        run.
        """
        return self.connection.source.as_of or self.started.date()

    def _since(self, name: str) -> dt.date | None:
        return self.since if name in DATED else None

    def _plan(self, todo: Sequence[Query]) -> None:
        """State the cost of the pull; refuse one that needs more disk than is free."""
        total, rows = Cost(0, 0.0, 0.0), 0
        for query in todo:
            listing, cost = query.listing, self._cost(query)
            if cost is None:
                self.say(
                    f"{listing.endpoint}: the service does not say how many there are"
                )
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
        """The cost of a collection; None where the service reports no total.

        Where the service refuses the list of founders, `refused` keeps why: they are
        read by id.
        """
        try:
            return query.cost()
        except errors.UnreadableReply:
            return None
        except errors.RequestRejected as error:
            if query.listing.endpoint != "founders" or error.status not in (
                400,
                403,
                422,
            ):
                raise
            self.refused = error
            return None

    def _pulled(self, query: Query) -> Pull:
        """Read one collection to its end, and write and seal its tables."""
        listing, connection, ids = query.listing, self.connection, None
        name, request, within = listing.endpoint, listing.request, f"pulled={self._day}"
        place = self._place(f"{_UNFINISHED}/{name}")
        read_lists = functools.partial(
            fetch.read_whole, workers=self.workers, cancel=self.cancel
        )
        into = Sink(listing, place / "chunks", self.since, read_lists)
        if name == "founders" and self.refused is not None:
            ids = self._ids_of_founders(self.refused)
            walked = self._by_id(query, into, ids)
        else:
            with fetch.watched(self.progress, name) as watch:
                pages = query.pages(watch, workers=self.workers, cancel=self.cancel)
                for rows in pages:
                    into.take(rows, pages.number)
            assert pages.found is not None  # noqa: S101  # every row was given
            walked = pages.found
        if walked.ended_by is not None:
            raise walked.ended_by
        if self.cancel.is_set():
            raise KeyboardInterrupt
        draft = place / "parts"
        shutil.rmtree(draft, ignore_errors=True)
        tables, differs = into.write(walked.certificate, draft=draft, within=within)
        wholes, path = into.wholes, str(request["endpoint"])
        absent = walked.absent.union(*(whole.absent for whole in wholes))
        checks.refuse_unlinked(
            listing.resource, absent, path=path, is_linked=into.is_linked
        )
        seconds, is_cut = (
            walked.certificate.seconds,
            any(whole.is_short for whole in wholes),
        )
        certificate = join(
            [walked.certificate], seconds=seconds, is_unequal=differs, is_cut=is_cut
        )
        missing = ", ".join(sorted(absent - set(listing.takes.added)))
        left_out = (
            [f"Rows leave out {missing}: null there says nothing."] if missing else []
        )
        doubts = (
            *left_out,
            *walked.doubts,
            *(doubt for whole in wholes for doubt in whole.doubts),
        )
        pull = Pull(
            collection=name,
            day=self._day,
            started=self.started,
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
            # one of the profile's
            currency=request["currency"],  # type: ignore[arg-type]
            converted=request["currency"] is not None,
            requests=self.replies[name].count,
            credits=total_of(
                [certificate.credits, *(whole.credits or None for whole in wholes)]
            ),
            asked=None if ids is None else len(ids),
            missing=0 if ids is None else len(ids) - certificate.distinct,
            partial=dict(into.partial),
            cut=into.cut,
            withheld=into.withheld,
            notes=tuple(listing.notes),
            doubts=tuple(dict.fromkeys(doubts)),
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
        credit = source.attribution or (f"Source: {source.name}",)
        facts = held.description, held.day, bool(source.synthetic), licence, credit
        write_json(self.out / DESCRIPTION, Description(source.name, *facts).to_json())
        shutil.rmtree(self._place(f"{_UNFINISHED}/{pull.collection}"))

    def _ids_of_founders(self, error: errors.RequestRejected) -> list[str]:
        """Return the sorted ids of the founders that the pulled companies list."""
        files = self.held.files("company_founders")
        if not files:
            advice = "Pull companies as well, whose rows have the ids of founders"
            reason = f"the service refuses the list ({error}). {advice}"
            raise errors.UnsupportedValue(
                "founders", field="pull", reason=reason
            ) from error
        paths = [self.out / file for file in files]
        listed = pl.scan_parquet(paths, hive_partitioning=False).select("founder_uuid")
        ids = (
            listed.drop_nulls()
            .unique()
            .sort("founder_uuid")
            .collect(engine="streaming")
        )
        return ids.to_series().to_list()

    def _by_id(self, query: Query, into: Sink, ids: Sequence[str]) -> Walk:
        """Read founders in batches of ids; the certificate is that of all batches."""
        clock, size = self.connection.session.clock, self.connection.profile.batch
        requests = -(-len(ids) // size)
        self.say(
            "founders: the service refuses the list, so they are read by id:"
            f" {Cost(requests)!r}"
        )
        began, walks, ended_by = clock(), list[Walk](), None
        read = functools.partial(walk, cancel=self.cancel, clock=clock)
        for start in range(0, len(ids), size * _BATCHES):
            batches = of_each(
                query, ids[start : start + size * _BATCHES]
            ).listing.parts()
            answers, spent = fetch.in_turn(
                batches, read, workers=self.workers, cancel=self.cancel
            )
            for walked in (answer for answer in answers if isinstance(answer, Walk)):
                for rows in walked.frames:
                    into.take(rows)
                walks.append(replace(walked, frames=()))
                ended_by = ended_by or walked.ended_by
            ended_by = ended_by or spent
        certificate = join(
            (walked.certificate for walked in walks), seconds=clock() - began
        )
        absent = frozenset[str]().union(*(walked.absent for walked in walks))
        doubts = dict.fromkeys(doubt for walked in walks for doubt in walked.doubts)
        return Walk((), certificate, absent, frozenset(), tuple(doubts), ended_by)
