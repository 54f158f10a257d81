"""Pulls whole collections into a folder of sorted Parquet parts.

A collection is walked as a fetch walks it, with the same certificate. Its replies are
kept in `.pull` until the manifest names its tables: the run after a stop reads them,
and requests only what is missing. A folder holds the records of one day.
"""

import datetime as dt
import importlib.metadata
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from ventureframe.bulk.sink import TABLES, Sink, with_founded
from ventureframe.client import checks, fetch
from ventureframe.client.connection import Connection
from ventureframe.client.frames import left_out
from ventureframe.client.listing import Listing
from ventureframe.client.paging import Progress, Stop
from ventureframe.client.query import Query
from ventureframe.client.saves import Folder
from ventureframe.client.service import Service
from ventureframe.client.walk import Walk
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import PULLS, Manifest, Pull
from ventureframe.errors import (
    FetchEnded,
    UnknownField,
    UnreadableReply,
    UnsupportedValue,
)
from ventureframe.interface.certificate import certify
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import locked
from ventureframe.interface.filters import Filter
from ventureframe.interface.gaps import Doubt


def pull(
    service: Service,
    collections: Sequence[str],
    out: Path,
    *,
    where: Mapping[str, Filter] = MappingProxyType({}),
    currency: Currency | None = None,
    complete: bool = False,
    at_most: int | None = None,
    at_most_credits: int | None = None,
    workers: int | None = None,
    progress: bool | Progress | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> Manifest:
    """Pull these collections, or every one, into a folder and return its manifest.

    The same call resumes a pull that was stopped: no request is sent twice, and the day
    stays that on which it began. A pull of another day needs a folder of its own.

    Parameters
    ----------
    where
        By collection, the condition that its records meet.
    complete
        Reads lists that the wire cuts short to their end, record by record.
    at_most, at_most_credits
        Ends the pull before it sends more requests, repeats not counted, or can spend
        more credits. Replies that are kept already are free.
    workers
        Requests at the same time; None for as many as keep the service's rate.
    say
        Receives a sentence on the cost of each collection, and on what was written.

    Raises
    ------
    FetchEnded
        Where a bound is reached or credits are used up; what arrived is kept.
    UnsupportedValue
        Where the folder holds other files, an unfinished pull with other options, or a
        pull of another day, service or currency.
    VentureframeError
        The other errors of `Query.fetch`.
    """
    if not isinstance(where, Mapping):
        raise UnsupportedValue(
            where,
            field="where",
            reason="give conditions by collection, such as {'companies': condition}",
        )
    wanted = dict.fromkeys(map(str, collections or TABLES))
    for names, choices in ((wanted, TABLES), (where, wanted)):
        for name in names:
            if name not in choices:
                raise UnknownField(
                    name, resource="a service", known=choices, use="pull"
                )
    service, queries = service._within(at_most, at_most_credits), list[Query]()
    for name in wanted:
        query: Query = getattr(service, name)
        if name in where:
            query = query.where(where[name])
        if currency is not None and query.listing.endpoint.takes_currency:
            query = query.currency(currency)
        queries.append(query)
    return _Run(service.connection, out, complete, workers, progress, say).pull(queries)


@dataclass
class _Run:
    """One call of `pull`: states the cost, then reads collection by collection."""

    connection: Connection
    out: Path
    complete: bool
    workers: int | None
    progress: bool | Progress | None
    say: Callable[[str], object]
    cancel: Stop = field(default_factory=Stop)
    manifest: Manifest = field(init=False)
    started: dt.datetime = field(init=False)

    def pull(self, queries: Sequence[Query]) -> Manifest:
        """Lock the folder and pull these collections into it."""
        try:
            if not PULLS.is_in(self.out):
                PULLS.refuse_other(self.out)
        except ValueError as error:
            raise self._refusal(str(error)) from error
        with locked(self.out):
            if {path.name for path in self.unfinished.glob("*")} - {*TABLES, "founded"}:
                raise self._refusal("holds a .pull of another program: give another")
            self.manifest = self._open()
            is_short = False
            try:
                self._pull_all(self._remaining(queries))
            except FetchEnded:
                is_short = True
                raise
            finally:
                folders = [
                    path.parent for path in self.unfinished.glob("*/replies/*.reply")
                ]
                if not is_short and len(folders) == len(set(folders)):
                    # no rows are kept: the only reply of a folder is a count
                    shutil.rmtree(self.unfinished, ignore_errors=True)
        return self.manifest

    def _refusal(self, reason: str) -> UnsupportedValue:
        return UnsupportedValue(str(self.out), field="out", reason=f"it {reason}")

    @property
    def unfinished(self) -> Path:
        """Where unfinished tables and replies lie, by collection."""
        return self.out / ".pull"

    def _open(self) -> Manifest:
        """Read the manifest, or begin one; refuse pulls from another service."""
        source = self.connection.source
        service = self.connection.session.base_url
        if self.connection.is_embedded:
            service = f"embedded {source.name}"
        if not PULLS.is_in(self.out):
            return Manifest(service, source)
        existing = manifest.opened(self.out)
        if existing.service != service:
            raise self._refusal(f"holds pulls of {existing.service}: give another")
        return existing

    def _is_pulled(self, query: Query) -> bool:
        """Whether the folder holds this collection; refuse one with other options."""
        request, name = query.listing.request, query.listing.endpoint.name
        pulls = [pull for pull in self.manifest.pulls if pull.collection == name]
        if not pulls:
            return False
        (pull,) = pulls
        options = (pull.profile, pull.filter, pull.currency, pull.complete, pull.since)
        if options != (
            self.connection.profile.name,
            request["filter"],
            request["currency"],
            self.complete,
            None,
        ):
            raise self._refusal(
                f"holds another pull of {name} of {pull.day}: give another folder"
            )
        self.say(str(pull))
        return True

    def _remaining(self, queries: Sequence[Query]) -> list[Query]:
        """Return the queries that are not pulled yet, with folders for their replies.

        A run that resumes another one keeps the day on which that began.
        """
        self.started = now = self.connection.now()
        remaining = list[Query]()
        for query in queries:
            if self._is_pulled(query):
                continue
            cut = tuple(query.listing.shape.glances) if self.complete else ()
            listing = replace(query.listing, lists=cut)
            place = self.unfinished / listing.endpoint.name / "replies"
            folder = Folder(place, listing.question(), started=now)
            self.started = min(self.started, folder.started)
            remaining.append(replace(query, listing=replace(listing, folder=folder)))
        return remaining

    def _pull_all(self, queries: Sequence[Query]) -> None:
        for query in queries:
            self._state_cost(query)
        if queries:
            self._refuse_other(queries)
        for query in queries:
            pull = self._pull_one(query)
            self.say(str(pull))
            pull.warn()
        self._add_founded()

    def _refuse_other(self, queries: Sequence[Query]) -> None:
        """Refuse a folder of another day or currency."""
        existing = self.manifest
        currencies = {query.listing.request["currency"] for query in queries}
        if existing.currency and currencies - {existing.currency, None}:
            raise self._refusal(f"holds amounts in {existing.currency}: give another")
        if existing.pulls and existing.day != self._day:
            raise self._refusal(
                f"holds records of {existing.day}, and these are of {self._day}: give"
                " another folder"
            )

    @property
    def _day(self) -> dt.date:
        """The day of the records: that of the source, else the first of the run."""
        return self.connection.source.as_of or self.started.date()

    def _state_cost(self, query: Query) -> None:
        """State what the pull of the collection takes, by one small request."""
        name = query.listing.endpoint.name
        try:
            self.say(f"{name}: {query.cost()!r}")
        except UnreadableReply:
            self.say(f"{name}: the service does not say how many there are")
        except FetchEnded as error:
            raise self._incomplete(name, error) from error

    def _pull_one(self, query: Query) -> Pull:
        """Read one collection to its end, write its tables, name them in the
        manifest.
        """
        listing = query.listing
        place = self.unfinished / listing.endpoint.name
        sink = Sink(listing, place / "chunks", self.workers, self.cancel)
        walk = self._read(query, sink)
        draft = place / "parts"
        shutil.rmtree(draft, ignore_errors=True)
        sink.write(draft)
        pull = self._describe(listing, sink, walk)
        for table in pull.tables:
            # files of a run that was stopped before it wrote the manifest
            shutil.rmtree(self.out / table, ignore_errors=True)
            (draft / table).rename(self.out / table)
        self._write(self.manifest.with_pulls(pull))
        shutil.rmtree(place)
        return pull

    def _read(self, query: Query, sink: Sink) -> Walk:
        """Give every page of a collection to the sink; raise what ended it early."""
        name = query.listing.endpoint.name
        try:
            with fetch.watched(self.progress, name) as watch:
                walk = Walk(
                    query.listing,
                    workers=self.workers,
                    cancel=self.cancel,
                    progress=watch,
                )
                for rows in walk:
                    sink.take(rows)
            if self.cancel.reason is not None:
                raise self.cancel.reason
        except FetchEnded as error:
            raise self._incomplete(name, error) from error
        if self.cancel.is_set():
            raise KeyboardInterrupt
        return walk

    def _incomplete(self, name: str, error: FetchEnded) -> FetchEnded:
        """Return the error with the collection that is incomplete, and what to do."""
        return type(error)(
            f"The pull of {name} is incomplete: {str(error).rstrip('.')}. What arrived"
            f" is kept in {self.out}: pull again to go on.",
            **vars(error),
        )

    def _describe(self, listing: Listing, sink: Sink, walk: Walk) -> Pull:
        """Describe the pull of a collection for the manifest."""
        connection, endpoint = self.connection, listing.endpoint
        request = listing.request
        absent = walk.absent.union(*(whole.absent for whole in sink.wholes))
        path = str(request["endpoint"])
        checks.refuse_unlinked(
            endpoint.resource, absent, path=path, is_linked=sink.is_linked
        )
        certificate = certify(
            [walk.seen],
            seconds=walk.certificate.seconds,
            is_unequal=sink.is_unequal,
            is_cut=any(whole.is_short for whole in sink.wholes),
        )
        doubts = list[Doubt]()
        missing = absent - set(endpoint.added)
        if missing:
            doubts.append(Doubt("fields", f"{left_out('Rows', missing)}."))
        doubts += walk.doubts
        for whole in sink.wholes:
            doubts += whole.doubts
        return Pull(
            collection=endpoint.name,
            day=self._day,
            finished=connection.now(),
            endpoint=path,
            certificate=certificate,
            tables=sink.tables,
            profile=connection.profile.name,
            api_version=connection.session.version,
            version=importlib.metadata.version("ventureframe"),
            filter=request["filter"],
            complete=self.complete,
            # a currency of the profile
            currency=request["currency"],  # type: ignore[arg-type]
            partial=dict(sink.partial),
            cut=sink.cut,
            withheld=sink.withheld,
            doubts=tuple(dict.fromkeys(doubts)),
        )

    def _write(self, changed: Manifest) -> None:
        self.manifest = replace(changed, source=self.connection.source)
        self.manifest.write(self.out)

    def _add_founded(self) -> None:
        """Add the pairs that only rows of founders show, once both are pulled."""
        pulls = {pull.collection: pull for pull in self.manifest.pulls}
        companies, founders = pulls.get("companies"), pulls.get("founders")
        if companies is None or founders is None or "founded" not in founders.tables:
            return
        if "founders" in companies.cut and not companies.tables["company_founders"][1:]:
            whole = with_founded(
                companies, founders, self.out, self.unfinished / "founded"
            )
            self._write(self.manifest.with_pulls(whole))
            self.say(str(whole))
