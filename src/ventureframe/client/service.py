"""The service as an analyst sees it: queries that send nothing until fetched, exact look-ups.

Interface, "Endpoints" and "Rules per endpoint".
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import functools
import hashlib
import importlib.metadata
import json
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar
from urllib.parse import urlsplit

from ventureframe.client import aggregates, contradictions, decoding, frames
from ventureframe.client import result as results
from ventureframe.client import walk as paging
from ventureframe.client.result import Result
from ventureframe.client.resume import Folder
from ventureframe.client.session import Session
from ventureframe.client.walk import Progress, Step
from ventureframe.errors import (
    EvidenceWarning,
    LookupFailed,
    NotFound,
    UnsupportedOperator,
    UnsupportedValue,
)
from ventureframe.interface import fields, filters
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import Currency, Field, Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.source import FACTS, Provenance, Source

if TYPE_CHECKING:
    import polars as pl

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class University:
    """A university's canonical record; its two counts are different populations."""

    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None
    founder_alumni_total: int | None
    spinout_count: int | None


@dataclass(frozen=True, slots=True)
class Investor:
    """The canonical record of an LP or a manager."""

    uuid: str
    name: str
    website_domain: str | None
    hq_city: str | None
    hq_country: str | None


@dataclass(frozen=True, slots=True)
class Tag:
    """A taxonomy tag, for `company.tag_id`."""

    id: int
    label: str
    type: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place, for `company.hq_location`."""

    id: int
    name: str
    type: str
    parent_name: str | None


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """What a list endpoint takes (interface, "Endpoint table")."""

    resource: Resource
    takes_filter: bool = True
    takes_sort: bool = True
    takes_currency: bool = False
    has_totals: bool = True


_version = functools.cache(importlib.metadata.version)

_ENDPOINTS: Final[Mapping[str, _Endpoint]] = {
    "companies": _Endpoint(fields.COMPANIES, takes_currency=True),
    "founders": _Endpoint(fields.FOUNDERS),
    "funds": _Endpoint(fields.FUNDS, takes_currency=True),
    "news": _Endpoint(fields.NEWS),
    "jobs": _Endpoint(fields.JOBS),
    "lp-funds": _Endpoint(fields.INVESTORS, takes_filter=False, takes_sort=False),
    "manager-funds": _Endpoint(fields.FUNDS, takes_currency=True),
    "funding-rounds": _Endpoint(
        fields.FUNDING_ROUNDS, takes_filter=False, takes_sort=False, takes_currency=True
    ),
}

_OWNERS: Final[Mapping[str, str]] = {"lp-funds": "lp_uuid", "funding-rounds": "company_uuid"}
"""Lists of which only the path says whose they are, and the column that says it in a frame."""


@dataclass(frozen=True, repr=False)
class Query:
    """A question about one collection: frozen, and nothing is sent until `count` or `fetch`.

    >>> import ventureframe as vf
    >>> q = vf.connect().companies.where(vf.company.launch_date >= 2005).sort("-total_funding")
    """

    service: Service = field(compare=False)
    endpoint: str
    of: str | None = None
    filter: filters.Filter | None = None
    order: str | None = None
    money: Currency | None = None
    owner: str | None = None
    guard: Callable[[frames.Page], None] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        asked = {"filter": self.filter, "sort": self.order, "currency": self._currency}
        shown = [f"{name} {value}" for name, value in asked.items() if value is not None]
        return " · ".join([f"query of {self._path}", *shown])

    def where(self, *conditions: filters.Filter) -> Query:
        """This query with the conditions added: all of them must hold.

        Raises `UnknownField`, `UnsupportedOperator` or `UnsupportedValue`.
        """
        if not conditions:
            return self
        if not self._takes.takes_filter:
            raise UnsupportedOperator("filter", field="rows", resource=self.endpoint, known=())
        own = () if self.filter is None else (self.filter,)
        joined = filters.all_of(*own, *conditions)
        return dataclasses.replace(self, filter=filters.check(joined, self.resource))

    def sort(self, by: str) -> Query:
        """This query in another order: a sortable field's name, `-` before it for descending."""
        if not self._takes.takes_sort:
            raise UnsupportedValue(by, field="sort", reason=f"{self.endpoint} cannot be sorted")
        return dataclasses.replace(self, order=self.resource.check_sort(by))

    def currency(self, code: Currency) -> Query:
        """This query with amounts in another currency: USD, EUR or GBP."""
        if not self._takes.takes_currency:
            raise UnsupportedValue(code, field="currency", reason=f"{self.endpoint} has no amounts")
        return dataclasses.replace(self, money=checked_currency(code, self.service))

    def by_id(self, uuids: Iterable[str]) -> ById:
        """The records with these ids, asked in batches of at most 50."""
        if self.filter is not None or self.order is not None:
            raise UnsupportedValue(
                str(self), field="by_id", reason="a filter or sort does not combine with ids"
            )
        return ById(self, _checked_ids(uuids, self.resource[self.resource.key]))

    def managed_by(self, managers: Iterable[Investor | str]) -> Belonging:
        """The funds of these managers, asked in batches of at most 50."""
        return self._of(managers, "investor_id", ("manager.uuid",))

    def about(self, companies: Iterable[str]) -> Belonging:
        """The news of these companies, asked in batches of at most 50."""
        linked = ("entity_id", "entity_ids") if "entity_ids" in self.resource else ("entity_id",)
        return self._of(companies, "entity_id", linked)

    def at(self, companies: Iterable[str]) -> Belonging:
        """The jobs at these companies, asked in batches of at most 50."""
        return self.about(companies)

    def count(self) -> int:
        """How many rows match, from one small request."""
        (page,) = self._read([self._ask(Step(1, 0, None, has_total=self._takes.has_totals))])
        if page.total is None:
            raise page.reply.unreadable("reports no total", advice="Fetch the rows instead")
        return page.total

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        by: Literal["offset", "cursor"] = "offset",
        workers: int = 1,
        folder: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Result:
        """Every matching row, with the certificate that says whether it is every one.

        `progress=True` shows a bar; a function is told the rows so far and the total.
        `by="cursor"` walks by cursor where the endpoint has one. Several `workers` ask for pages
        at the same time, which helps where answers take long and the service allows it. A
        `folder` keeps every reply: a fetch that ended early goes on where it was, and asks for
        no page twice. `cancel`, once set, or an interrupt from the keyboard ends the fetch with
        what came, which is `short` and warned of.
        """
        profile = self.service.session.profile
        kept = self._kept(folder, by=by)
        with _watched(progress, self.endpoint) as watch:
            started = self.service.now()
            walked = paging.walk(
                functools.partial(self._ask, kept=kept),
                self._read,
                limit=profile.limits[self.endpoint].maximum,
                by=by if self.endpoint in profile.cursor_endpoints else "offset",
                has_totals=self._takes.has_totals,
                workers=workers,
                cancel=cancel,
                progress=watch,
                clock=self.service.session.clock,
            )
        return self._result(walked.pages, walked.certificate, kept.started if kept else started)

    @property
    def resource(self) -> Resource:
        """The resource whose rows come back."""
        return self._takes.resource

    @property
    def _takes(self) -> _Endpoint:
        return _ENDPOINTS[self.endpoint]

    @property
    def _path(self) -> str:
        path = self.service.session.profile.paths[self.endpoint]
        return path if self.of is None else path.replace("{id}", self.of)

    @property
    def _currency(self) -> Currency | None:
        return (self.money or self.service.currency) if self._takes.takes_currency else None

    def _ask(self, step: Step, *, kept: Folder | None = None) -> Reply:
        asked = {
            "filter": self.filter,
            "sort": self.order,
            "currency": self._currency,
            "limit": step.limit,
            "offset": step.offset,
            self.service.session.profile.cursor_parameter: step.cursor,
            "include_total": "true" if step.has_total else None,
        }
        named = {name: str(value) for name, value in asked.items() if value is not None}
        if kept is None:
            return self.service.get(self._path, named)
        name = json.dumps([step.walk, named])
        return self.service.noted(
            kept.reply(name, lambda: self.service.session.get(self._path, named))
        )

    def _read(self, replies: Sequence[Reply]) -> list[frames.Page]:
        profile, money = self.service.session.profile, self._currency
        pages = decoding.decode(replies, self.resource, profile=profile, currency=money)
        for page in pages:
            if self.guard is not None:
                self.guard(page)
            if self.filter is not None:
                contradictions.refuse(page, self.filter, self.resource, currency=money)
        return pages

    def _kept(self, folder: str | os.PathLike[str] | None, **more: str) -> Folder | None:
        """The replies kept in a folder, if they are to this question."""
        if folder is None:
            return None
        question = {
            "service": self.service.address,
            "profile": self.service.session.profile.name,
            "endpoint": self._path,
            "filter": None if self.filter is None else str(self.filter),
            "sort": self.order,
            "currency": self._currency,
            **more,
        }
        return Folder(folder, question, started=self.service.now())

    def _of(self, ids: Iterable[Investor | str], by: str, asked_by: tuple[str, ...]) -> Belonging:
        """The rows whose field `by` is one of the ids, which are in the columns `asked_by`."""
        if self.order is not None:
            reason = "batches come one after the other: sort the frame instead"
            raise UnsupportedValue(self.order, field="sort", reason=reason)
        asked = _checked_ids(map(_uuid_of, _several(ids)), self.resource.filterable(by))
        size = self.service.session.profile.batch
        batches = [asked[start : start + size] for start in range(0, len(asked), size)]
        own = () if self.filter is None else (self.filter,)
        queries = tuple(
            dataclasses.replace(
                self,
                filter=filters.all_of(filters.Clause(by, "in_any", batch), *own),
                guard=_only(batch, asked_by),
            )
            for batch in batches
        )
        return Belonging(self, queries, asked, asked_by)

    def _with_owner(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
        """The frame with what the path says and its rows do not, and the columns that say so."""
        import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

        if self.endpoint in _OWNERS:
            name = _OWNERS[self.endpoint]
            return frame.with_columns(pl.lit(self.of, pl.String).alias(name)), (name,)
        if self.resource is not fields.FUNDS:
            return frame, ()
        source: pl.Expr = pl.when(pl.col("manager").struct.field("uuid").is_not_null()).then(
            pl.lit("row")
        )
        if self.of is not None:
            source = pl.lit("path")
            names = pl.struct(uuid=pl.lit(self.of), name=pl.lit(self.owner, pl.String))
            frame = frame.with_columns(manager=names)
        return frame.with_columns(manager_source=source.cast(pl.String)), ("manager_source",)

    def _result(
        self,
        pages: Sequence[frames.Page],
        certificate: Certificate,
        started: dt.datetime,
        *,
        asked: tuple[str, ...] | None = None,
    ) -> Result:
        is_distinct = certificate.rows == certificate.distinct
        frame = frames.assemble(pages, self.resource, is_distinct=is_distinct)
        frame, added = self._with_owner(frame)
        absent = set[str]().union(*(page.absent for page in pages))
        if self.of is not None:
            absent -= {"manager"}
        returned = {str(key).lower() for page in pages for key in page.keys} if asked else set()
        source = self.service.source
        if certificate.is_cancelled:
            said = f"The fetch of {self.endpoint} was ended early: these are the rows that came"
            warnings.warn(said, EvidenceWarning, stacklevel=3)
        results.warn_of_less_precise(frame, self.resource)
        return Result(
            resource=self.resource,
            certificate=certificate,
            provenance=Provenance(
                endpoint=self._path,
                filter=None if self.filter is None else str(self.filter),
                sort=self.order,
                currency=self._currency,
                profile=self.service.session.profile.name,
                source=source,
                fetched_at=started if source.as_of is None else None,
                version=_version("ventureframe"),
            ),
            asked=asked,
            missing=tuple(key for key in asked or () if key not in returned),
            absent_fields=tuple(sorted(absent)),
            extra_columns=tuple(sorted(set().union(*(page.extra for page in pages)))),
            _frame=frame,
            asked_by=() if asked is None else (self.resource.key,),
            added_columns=added,
        )


@dataclass(frozen=True, repr=False)
class ById:
    """Records asked for by id, in batches (interface, "Limits"); the missing are named."""

    query: Query
    ids: tuple[str, ...]

    def __repr__(self) -> str:
        return f"query of {self.query._path} · {len(self.ids):,} ids"

    def currency(self, code: Currency) -> ById:
        """The same with amounts in another currency."""
        return dataclasses.replace(self, query=self.query.currency(code))

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        workers: int = 1,
        folder: str | os.PathLike[str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Result:
        """The records the service has under the ids: `short` where it lacks one of them.

        The arguments are those of `Query.fetch`.
        """
        service = self.query.service
        size = service.session.profile.batch
        batches = [self.ids[start : start + size] for start in range(0, len(self.ids), size)]
        ids = hashlib.sha256("|".join(self.ids).encode()).hexdigest()
        kept = self.query._kept(folder, ids=ids)
        stop = cancel or threading.Event()
        with _watched(progress, self.query.endpoint) as watch:
            started, clock = service.now(), service.session.clock
            began, walks, done = clock(), list[paging.Walk](), 0
            walk = functools.partial(self._batch, kept=kept, cancel=stop)
            with _mapped(workers) as each, _interrupt_sets(stop):
                for batch, walked in zip(batches, each(walk, batches), strict=True):
                    walks.append(walked)
                    done += len(batch)
                    if watch is not None:
                        watch(done, len(self.ids))
        pages = [page for walked in walks for page in walked.pages]
        certificate = paging.merged(
            (walked.certificate for walked in walks), seconds=clock() - began
        )
        if certificate.distinct == len(self.ids):
            certificate = dataclasses.replace(certificate, verdict="complete", is_cancelled=False)
        elif certificate.verdict != "drifted":
            certificate = dataclasses.replace(
                certificate, verdict="short", is_cancelled=stop.is_set()
            )
        return self.query._result(
            pages, certificate, kept.started if kept else started, asked=self.ids
        )

    def _batch(
        self, batch: tuple[str, ...], *, kept: Folder | None, cancel: threading.Event
    ) -> paging.Walk:
        by = self.query.service.session.profile.founders_filter
        asked = dataclasses.replace(
            self.query,
            filter=filters.Clause(by, "in_any", batch),
            guard=functools.partial(_refuse_strangers, batch),
        )
        return paging.walk(
            functools.partial(asked._ask, kept=kept),
            asked._read,
            limit=len(batch),
            at_most=len(batch),
            cancel=cancel,
            clock=asked.service.session.clock,
        )


def _refuse_strangers(batch: tuple[str, ...], page: frames.Page) -> None:
    strangers = [key for key in page.keys if str(key).lower() not in batch]
    if strangers:
        raise page.reply.unreadable(
            f"has records that were not asked for ({strangers[0]}), as if the service "
            "ignored the ids"
        )


@contextlib.contextmanager
def _mapped(workers: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """`map`, by several threads where there are to be several."""
    if workers == 1:
        yield map
        return
    with ThreadPoolExecutor(workers) as pool:
        yield pool.map


@contextlib.contextmanager
def _interrupt_sets(cancel: threading.Event) -> Iterator[None]:
    """An interrupt from the keyboard ends the block, as if it had been cancelled."""
    try:
        yield
    except KeyboardInterrupt:
        cancel.set()


@dataclass(frozen=True, repr=False)
class Belonging:
    """Records that belong to others, asked for by the ids of those: none may belong to some.

    `query` is what is asked of each, `queries` the requests that ask it.
    """

    query: Query
    queries: tuple[Query, ...]
    ids: tuple[str, ...]
    asked_by: tuple[str, ...]

    def __repr__(self) -> str:
        return f"{self.query!r} · of {len(self.ids):,} ids"

    def where(self, *conditions: filters.Filter) -> Belonging:
        """The same with the conditions added: all of them must hold."""
        return self._each(lambda query: query.where(*conditions))

    def currency(self, code: Currency) -> Belonging:
        """The same with amounts in another currency."""
        return self._each(lambda query: query.currency(code))

    def fetch(
        self,
        progress: bool | Progress | None = None,
        *,
        workers: int = 1,
        cancel: threading.Event | None = None,
    ) -> Result:
        """Every record that belongs to one of the ids; `without_records` are those with none.

        `short` where the service does not know one of the ids: it is among `missing`. The
        arguments are those of `Query.fetch`; several `workers` ask several questions at once.
        """
        parts: list[Result] = []
        unknown: dict[str, NotFound] = {}
        service, done, stop = self.query.service, 0, cancel or threading.Event()
        answer = functools.partial(_answered, cancel=stop)
        with _watched(progress, self.query.endpoint) as watch:
            started, began = service.now(), service.session.clock()
            with _mapped(workers) as each, _interrupt_sets(stop):
                for query, part in zip(self.queries, each(answer, self.queries), strict=True):
                    if part is None:
                        break
                    if isinstance(part, NotFound):
                        unknown[query.of or ""] = part
                    else:
                        parts.append(part)
                    done += service.session.profile.batch if query.of is None else 1
                    if watch is not None:
                        watch(min(done, len(self.ids)), len(self.ids))
        if unknown and len(unknown) == len(self.queries):
            raise next(iter(unknown.values()))
        certificate = paging.merged(
            (part.certificate for part in parts), seconds=service.session.clock() - began
        )
        if stop.is_set() or (unknown and certificate.verdict != "drifted"):
            certificate = dataclasses.replace(
                certificate, verdict="short", is_cancelled=stop.is_set()
            )
        whole = dataclasses.replace(
            self.query._result((), certificate, started, asked=self.ids[:done]),
            asked_by=self.asked_by,
            missing=tuple(unknown),
        )
        return results.joined(parts, whole, certificate=certificate)

    def _each(self, change: Callable[[Query], Query]) -> Belonging:
        queries = tuple(map(change, self.queries))
        return dataclasses.replace(self, query=change(self.query), queries=queries)


def _answered(query: Query, *, cancel: threading.Event) -> Result | NotFound | None:
    """The result of one of several queries; nothing once they are cancelled."""
    if cancel.is_set():
        return None
    try:
        return query.fetch(cancel=cancel)
    except NotFound as error:
        if query.of is None:
            raise
        return error


class Service:
    """One service, live or embedded: its collections, its exact look-ups, its source.

    `session` sends; `currency` is the default for amounts; `close` ends the embedded service.
    """

    def __init__(
        self,
        session: Session,
        *,
        currency: str = "USD",
        is_embedded: bool = False,
        close: Callable[[], None] | None = None,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.session = session
        self.now = now
        self._is_embedded = is_embedded
        self._close = close
        self._lock = threading.Lock()
        self._dataset: str | None = None
        self._source: Source | None = None
        self.currency: Currency = checked_currency(currency, self)

    def __repr__(self) -> str:
        source = self.source
        kind = "embedded service" if source.is_embedded else "live service"
        synthetic = "SYNTHETIC " if source.synthetic else ""
        dated = [f"as of {source.as_of}"] if source.as_of else []
        return " · ".join([kind, f'{synthetic}"{source.name}"', *dated, self.currency])

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        return {"text/plain": repr(self)}, {FACTS: self.source.facts}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, and the embedded service where there is one."""
        self.session.close()
        if self._close is not None:
            self._close()

    # --- collections

    @property
    def companies(self) -> Query:
        """All companies."""
        return Query(self, "companies")

    @property
    def founders(self) -> Query:
        """All founders; `founders.by_id(uuids)` asks for some."""
        return Query(self, "founders")

    @property
    def funds(self) -> Query:
        """Fund vehicles across managers."""
        return Query(self, "funds")

    @property
    def news(self) -> Query:
        """News items."""
        return Query(self, "news")

    @property
    def jobs(self) -> Query:
        """Job postings."""
        return Query(self, "jobs")

    def managers(self, lp: Investor | str) -> Query:
        """The managers recorded for an LP: the only evidence of that edge (reading rule 5)."""
        return Query(self, "lp-funds", of=_uuid_of(lp), owner=_name_of(lp))

    def managers_of(self, lps: Iterable[Investor | str]) -> Belonging:
        """The managers recorded for each of the LPs; a row per LP and manager."""
        return self._of_each("lp-funds", lps, "lp_uuid")

    def funds_of(self, manager: Investor | str) -> Query:
        """The fund vehicles of one manager (reading rules 5 and 6).

        The rows name no manager: the one of the path is filled in, and `manager_source` is `path`.
        """
        return Query(self, "manager-funds", of=_uuid_of(manager), owner=_name_of(manager))

    def funds_of_each(self, managers: Iterable[Investor | str]) -> Belonging:
        """The fund vehicles of each of the managers, asked for one manager at a time.

        Only this says that a manager has a fund, or returned none for a window (reading rules 5
        and 6); `funds.managed_by` asks the list across managers in batches.
        """
        return self._of_each("manager-funds", managers, "manager.uuid")

    def funding_rounds(self, company: str) -> Query:
        """The funding rounds of the company with this UUID."""
        return Query(self, "funding-rounds", of=_uuid_of(company))

    def rounds_of(self, companies: Iterable[str]) -> Belonging:
        """The funding rounds of each of the companies, asked for one company at a time."""
        return self._of_each("funding-rounds", companies, "company_uuid")

    def _of_each(self, endpoint: str, owners: Iterable[Investor | str], asked_by: str) -> Belonging:
        asked = {_uuid_of(owner).lower(): _name_of(owner) for owner in _several(owners)}
        query = Query(self, endpoint)
        queries = (dataclasses.replace(query, of=uuid, owner=name) for uuid, name in asked.items())
        return Belonging(query, tuple(queries), tuple(asked), (asked_by,))

    # --- what the service computes

    def aggregate(
        self,
        source: str,
        *,
        group_by: str | Sequence[str],
        metric: str = "count",
        where: filters.Filter | Iterable[filters.Filter] = (),
        sort: str | None = None,
        currency: Currency | None = None,
        limit: int | None = None,
    ) -> aggregates.Aggregate:
        """One number per group, which the service computes: of every match, not of a page.

        `source` is companies, funding-rounds, funds, jobs, founders or investors; `metric` is
        `count`, or `sum:field` with count_distinct, sum, avg, median, p25 or p75; one or two
        fields to group by. Raises `UnsupportedValue` or `UnknownField`.

        >>> import ventureframe as vf
        >>> vf.connect().aggregate("companies", group_by="hq_country").to_polars()
        """
        resource = aggregates.checked_source(source)
        computed = aggregates.Metric.of(metric, resource)
        groups = aggregates.checked_groups(group_by)
        conditions = (where,) if isinstance(where, filters.Filter) else tuple(where)
        chosen = filters.check(filters.all_of(*conditions), resource) if conditions else None
        money = checked_currency(currency or self.currency, self)
        most = limit or self.session.profile.limits["aggregates"].maximum
        asked = {
            "metric": computed.text,
            "group_by": ",".join(groups),
            "filter": chosen,
            "sort": sort,
            "currency": money,
            "limit": most,
        }
        path = self.session.profile.paths["aggregates"].replace("{source}", source)
        reply = self.get(
            path, {name: str(value) for name, value in asked.items() if value is not None}
        )
        frame = aggregates.decode(reply, resource, computed, groups, money)
        about = self._asked(path, filter=chosen, sort=sort, currency=money)
        return aggregates.Aggregate(source, computed, groups, about, frame.height < most, frame)

    def _asked(
        self,
        endpoint: str,
        *,
        filter: filters.Filter | None = None,  # noqa: A002  # a filter is called filter
        sort: str | None = None,
        currency: Currency | None = None,
    ) -> Provenance:
        """What was asked, of whom and when: now, where the source has no date itself."""
        return Provenance(
            endpoint=endpoint,
            filter=None if filter is None else str(filter),
            sort=sort,
            currency=currency,
            profile=self.session.profile.name,
            source=self.source,
            fetched_at=self.now() if self.source.as_of is None else None,
            version=_version("ventureframe"),
        )

    # --- exact look-ups

    def university(self, name: str, *, domain: str | None = None) -> University:
        """The one university of this name and website domain (rules per endpoint, 4).

        Raises `LookupFailed`, which lists near misses and what differed, where none or several
        match both, and where no domain is given.
        """
        return University(**self._entity("university", name, domain, fields.UNIVERSITIES))

    def university_by_id(self, uuid: str) -> University:
        """The university with this UUID, for where several share a name and a domain.

        Raises `NotFound` where there is no such record, `LookupFailed` where it is no university.
        """
        uuid = fields.UNIVERSITIES["uuid"].write(uuid).lower()
        return University(**self._record(uuid, "university", fields.UNIVERSITIES))

    def lp(self, name: str, *, domain: str | None = None) -> Investor:
        """The one investor of this name and website domain; raises as `university` does."""
        return Investor(**self._entity("investor", name, domain, fields.INVESTORS))

    def manager(self, name: str, *, domain: str | None = None) -> Investor:
        """The one investor of this name and website domain; raises as `university` does."""
        return Investor(**self._entity("investor", name, domain, fields.INVESTORS))

    def tag(self, label: str, *, type: str) -> Tag:  # noqa: A002  # the interface's word
        """The one tag of this label (case ignored) and type (rules per endpoint, 3)."""
        profile = self.session.profile
        _long_enough(label, profile.tag_minimum, "label")
        asked = {
            "q": label,
            "scope": profile.tag_scope,
            "limit_per_row": str(profile.tags_per_row),
            "limit": str(profile.limits["tags"].maximum),
        }
        reply = self.get(profile.paths["tags"], asked)
        rows = [row for row in frames.rows_of(reply, reply.json()) if _is_tag(row)]
        found = frames.records(reply, rows, fields.TAGS)
        row = _exactly_one(
            "tag", found, {"label": label, "source_type": type}, key="value", folded=True
        )
        return Tag(row["value"], row["label"], row["source_type"])

    def location(
        self,
        name: str,
        *,
        type: str,  # noqa: A002  # the interface's word
        within: str | None = None,
    ) -> Location:
        """The one place of this name and type (case ignored), in `within` where that is given."""
        profile = self.session.profile
        _long_enough(name, profile.location_minimum, "name")
        found: list[dict[str, Any]] = []
        has_more = True
        while has_more:
            asked = {
                "q": name,
                "type": type,
                "limit": str(profile.limits["locations"].maximum),
                "offset": str(len(found)),
            }
            reply = self.get(profile.paths["locations"], asked)
            content = reply.json()
            rows = frames.records(reply, frames.rows_of(reply, content), fields.LOCATIONS)
            known = {row["id"] for row in found}
            found += [row for row in rows if row["id"] not in known]
            page = content.get("page")
            has_more = isinstance(page, dict) and page.get("has_more") is True
            has_more = has_more and any(row["id"] not in known for row in rows)
        wanted = {"name": name, "type": type} | ({"parent_name": within} if within else {})
        row = _exactly_one("location", found, wanted, key="id", folded=True, also="parent_name")
        return Location(row["id"], row["name"], row["type"], row["parent_name"])

    def _entity(
        self, kind: str, name: str, domain: str | None, resource: Resource
    ) -> dict[str, Any]:
        profile = self.session.profile
        _long_enough(name, profile.search_minimum, "name")
        limit = str(profile.limits["search"].maximum)
        reply = self.get(profile.paths["search"], {"q": name, "types": kind, "limit": limit})
        rows = frames.records(reply, frames.rows_of(reply, reply.json()), fields.SEARCH)
        rows = [row for row in rows if row["type"] in (None, kind)]
        wanted = {"name": name, "website_domain": domain or None}
        row = _exactly_one(kind, rows, wanted, key="uuid")
        return self._record(row["uuid"], kind, resource)

    def _record(self, uuid: str, kind: str, resource: Resource) -> dict[str, Any]:
        """The canonical record with this UUID."""
        reply = self.get(self.session.profile.paths["entity"].replace("{id}", uuid))
        entity = reply.json().get("data")
        if not isinstance(entity, dict) or str(entity.get("uuid")).lower() != uuid.lower():
            raise reply.unreadable(f"is not the record {uuid} that was asked for")
        if entity.get("type") not in (None, kind):
            raise LookupFailed(
                f"The record {uuid} is no {kind} but of type {entity['type']!r}. Give the UUID "
                f"of a {kind}.",
                candidates=[entity],
            )
        (record,) = frames.records(reply, [entity], resource)
        return {field.name: record[field.name] for field in resource.returned}

    # --- source

    @property
    def source(self) -> Source:
        """Where the records come from: the dataset's own description, else the service's host."""
        if self._is_embedded and self._source is None:
            self._describe(None)
        host = urlsplit(self.session.base_url).hostname or ""
        return self._source or Source(name=host)

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """One reply of the service, noting the dataset it comes from."""
        return self.noted(self.session.get(path, parameters))

    def noted(self, reply: Reply) -> Reply:
        """The reply unchanged, once the dataset it comes from is known."""
        dataset = reply.headers.get(self.session.profile.dataset_header)
        if dataset is not None and dataset != self._dataset:
            self._describe(dataset)
        return reply

    @property
    def address(self) -> str:
        """What tells this service from others: its address, or the dataset of an embedded one."""
        if not self._is_embedded:
            return self.session.base_url
        return f"embedded {self.source.name} as of {self.source.as_of}"

    def _describe(self, dataset: str | None) -> None:
        """Ask once what a service that names its dataset says about it."""
        with self._lock:
            if self._source is None or dataset != self._dataset:
                reply = self.session.get(self.session.profile.paths["dataset"])
                self._dataset = reply.headers.get(self.session.profile.dataset_header, dataset)
                self._source = _source(reply, is_embedded=self._is_embedded)


def checked_currency(code: str, service: Service) -> Currency:
    """The currency unchanged where the service has it, else `UnsupportedValue`."""
    for known in service.session.profile.currencies:
        if code == known:
            return known
    known_codes = ", ".join(service.session.profile.currencies)
    raise UnsupportedValue(code, field="currency", reason=f"the service converts to {known_codes}")


def _source(reply: Reply, *, is_embedded: bool) -> Source:
    data: Any = reply.json().get("data")
    try:
        return Source(
            name=str(data["name"]),
            description=str(data["description"]),
            as_of=dt.date.fromisoformat(data["as_of"]),
            synthetic=bool(data["synthetic"]),
            attribution=tuple(map(str, data["attribution"])),
            licence=str(data["licence"]),
            is_embedded=is_embedded,
        )
    except (LookupError, TypeError, ValueError) as error:
        raise reply.unreadable("does not describe a dataset") from error


def _checked_ids(uuids: Iterable[str], key: Field) -> tuple[str, ...]:
    """The ids once each, in their order, in lower case."""
    return tuple(dict.fromkeys(key.write(uuid).lower() for uuid in _several(uuids)))


def _several(ids: Iterable[_T]) -> Iterable[_T]:
    if isinstance(ids, str):
        raise UnsupportedValue(ids, field="ids", reason="give a list of ids, not text")
    return ids


def _only(batch: tuple[str, ...], asked_by: tuple[str, ...]) -> Callable[[frames.Page], None]:
    """What refuses a page with a row of somebody else: the service ignored the filter."""

    def check(page: frames.Page) -> None:
        found = results.owners(page.frame, asked_by)
        theirs = found.list.set_intersection(list(batch)).list.len()
        strangers = found.filter((found.list.len() > 0) & (theirs == 0))
        if len(strangers):
            raise page.reply.unreadable(
                f"has records of others than those asked for ({strangers[0][0]}), as if the "
                "service ignored the filter"
            )

    return check


def _uuid_of(record: Investor | str) -> str:
    uuid = record if isinstance(record, str) else record.uuid
    return fields.INVESTORS["uuid"].write(uuid)


def _name_of(record: Investor | str) -> str | None:
    return None if isinstance(record, str) else record.name


def _long_enough(text: str, minimum: int, name: str) -> None:
    if len(text.strip()) < minimum:
        reason = f"the service searches from {minimum} characters on"
        raise UnsupportedValue(text, field=name, reason=reason)


def _is_tag(row: Mapping[str, Any]) -> bool:
    """Whether a row of the reference search is a tag, not another filter's value."""
    return bool(row.get("kind", "value") == "value" and row.get("filter_key", "tag_id") == "tag_id")


def _exactly_one(
    kind: str,
    rows: Iterable[Mapping[str, Any]],
    wanted: Mapping[str, str | None],
    *,
    key: str,
    folded: bool = False,
    also: str | None = None,
) -> Mapping[str, Any]:
    """The one row that equals `wanted` in every member, else `LookupFailed` with near misses.

    `also` is a member to show beside those that were asked for.
    """

    def same(name: str, value: object, target: str | None) -> bool:
        if not isinstance(value, str) or target is None:
            return False
        if folded or name == "website_domain":
            return value.casefold() == target.casefold()
        return value == target

    candidates = [
        {
            **row,
            "differs": tuple(name for name in wanted if not same(name, row[name], wanted[name])),
        }
        for row in {row[key]: row for row in rows}.values()
    ]
    matches = [row for row in candidates if not row["differs"]]
    if len(matches) == 1:
        return matches[0]
    listed = matches or sorted(candidates, key=lambda row: len(row["differs"]))
    shown = "; ".join(_candidate(row, wanted, key, also) for row in listed[:5])
    shown += f"; and {len(listed) - 5} more" if len(listed) > 5 else ""
    named = " and ".join(f"{_say(name)} {value!r}" for name, value in wanted.items() if value)
    unsaid = [_say(name) for name, value in wanted.items() if value is None]
    if matches:
        advice = (
            f"give the {_say(also)} as well"
            if also and also not in wanted
            else "the service does not tell them apart, so none is taken"
        )
        if kind == "university":
            advice = "take the one that is meant with university_by_id"
        message = f"Several records are a {kind} with {named}: {advice}. They are: {shown}."
    elif unsaid:
        message = f"A {kind} with {named} is not found without its {unsaid[0]}: give both. "
        message += f"Came back: {shown}." if shown else "Nothing similar came back."
    elif shown:
        message = (
            f"No {kind} has {named}: give them exactly as in one record. Near misses: {shown}."
        )
    else:
        message = f"No {kind} has {named}, and nothing similar came back. Check the spelling."
    raise LookupFailed(message, candidates=listed)


def _candidate(
    row: Mapping[str, Any], wanted: Mapping[str, str | None], key: str, also: str | None
) -> str:
    names = dict.fromkeys([*wanted, *([also] if also else [])])
    facts = ", ".join(str(row[name] or f"no {_say(name)}") for name in names)
    differs = [_say(name) for name in row["differs"] if wanted[name] is not None]
    said = f" ({' and '.join(differs)} differ{'s' if len(differs) == 1 else ''})" if differs else ""
    return f"{facts} [{row[key]}]{said}"


def _say(name: str) -> str:
    return {
        "website_domain": "domain",
        "source_type": "type",
        "parent_name": "place it is within",
    }.get(name, name)


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
