"""One list of a service: what is requested of it, page by page, and its parts."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Literal, NamedTuple, Self

from ventureframe import errors
from ventureframe.client import checks
from ventureframe.client.connection import Connection
from ventureframe.client.decode import decode
from ventureframe.client.frames import Chunk
from ventureframe.client.paging import Paging, Step
from ventureframe.client.saves import Folder
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Currency, Resource
from ventureframe.interface.gaps import Gap
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire import terms
from ventureframe.interface.wire.profile import Profile, Shape


@dataclass(frozen=True)
class Endpoint:
    """What a list endpoint takes (interface, "Endpoint table").

    `ids`: it takes the records' own (`key`), linked ones (`link`), or one in the
    path (`path`).
    """

    name: str
    resource: Resource
    ids: Literal["key", "link", "path"] | None = None
    id_columns: tuple[str, ...] = ()  # which hold those ids in a frame
    added: tuple[str, ...] = ()  # columns that only the request tells
    takes_currency: bool = False
    takes_filter: bool = True  # and an order


_FROM = ("manager_source",)
_LP = ("lp_uuid",)
_COMPANY = ("company_uuid",)

_ENDPOINTS = (
    Endpoint("companies", fields.COMPANIES, "key", ("uuid",), takes_currency=True),
    Endpoint("founders", fields.FOUNDERS, "key", ("uuid",)),
    Endpoint("funds", fields.FUNDS, added=_FROM, takes_currency=True),
    Endpoint("news", fields.NEWS, "link", ("entity_id", "entity_ids")),
    Endpoint("jobs", fields.JOBS, "link", ("entity_id",)),
    Endpoint("lp-funds", fields.INVESTORS, "path", _LP, _LP, takes_filter=False),
    Endpoint(
        "manager-funds",
        fields.FUNDS,
        "path",
        ("manager.uuid",),
        _FROM,
        takes_currency=True,
    ),
    Endpoint(
        "funding-rounds",
        fields.FUNDING_ROUNDS,
        "path",
        _COMPANY,
        _COMPANY,
        takes_currency=True,
        takes_filter=False,
    ),
)
ENDPOINTS: Mapping[str, Endpoint] = {endpoint.name: endpoint for endpoint in _ENDPOINTS}


def endpoint(name: str, profile: Profile) -> Endpoint:
    """Return what an endpoint takes; one of a wire alone takes an id in its path."""
    if name in ENDPOINTS:
        return ENDPOINTS[name]
    return Endpoint(name, profile.shapes[name].resource, "path", takes_filter=False)


class Owner(NamedTuple):
    """A record that is requested, or whose rows are, and its name if that is known."""

    uuid: str
    name: str | None = None


@dataclass(frozen=True, repr=False)
class Listing:
    """A list endpoint with all that is requested of it: whole, or a part."""

    connection: Connection = field(compare=False)
    endpoint: Endpoint
    owner: Owner | None = None  # the record that the path names
    # the records that are requested, or whose rows are; None for the whole list
    wanted: tuple[Owner, ...] | None = None
    filter: filters.Filter | None = None
    sorted_by: str | None = None
    converted_to: Currency | None = None
    lists: tuple[str, ...] = ()  # list fields to read to their end
    unread: tuple[str, ...] = ()  # fields that the rows need not have
    folder: Folder | None = field(default=None, compare=False)  # of kept replies

    @cached_property
    def shape(self) -> Shape:
        """The shape of its rows on the wire."""
        profile, endpoint = self.connection.profile, self.endpoint
        return profile.shape(endpoint.name, endpoint.resource, self.unread)

    @cached_property
    def priced_as(self) -> str:
        """The name under which `Connection.prices` has the price of its rows."""
        return self.shape.priced_as or self.endpoint.name

    @property
    def not_requested(self) -> tuple[Gap, ...]:
        """The fields of the records that no row has, because none is needed."""
        resource = self.endpoint.resource
        return tuple(
            Gap("not_requested", resource.name, name)
            for name in resource
            if name not in self.shape.resource
        )

    @cached_property
    def ids(self) -> tuple[str, ...] | None:
        """The UUIDs of the wanted records; None where the whole list is requested."""
        if self.wanted is None:
            return None
        return tuple(owner.uuid for owner in self.wanted)

    @property
    def paging(self) -> Paging:
        """How it is paged; a record requested by id is at most one row."""
        profile, session = self.connection.profile, self.connection.session
        at_most = None
        if self.ids and self.endpoint.ids == "key":
            at_most = len(self.ids)
        return Paging(
            at_most or profile.limits[self.endpoint.name].maximum,
            self.shape.resource.key or None,
            at_most,
            has_totals=self.endpoint.name not in profile.uncounted,
            has_cursors=self.endpoint.name in profile.cursor_endpoints,
            workers=session.pace.workers,
            pool=session.pool,
            clock=session.clock,
        )

    @cached_property
    def path(self) -> str:
        """The path of the list, below the base address."""
        path = self.connection.profile.paths[self.endpoint.name]
        return path if self.owner is None else path.replace("{id}", self.owner.uuid)

    @cached_property
    def request(self) -> Mapping[str, str | None]:
        """What is requested, by the names that `Provenance` has for it."""
        currency = self.converted_to or self.connection.currency
        return {
            "endpoint": self.path,
            "filter": None if self.filter is None else str(self.filter),
            "sort": self.sorted_by,
            "currency": currency if self.endpoint.takes_currency else None,
        }

    def question(self) -> dict[str, object]:
        """Return what tells one pull from another: their replies are kept in other
        folders.
        """
        connection = self.connection
        service = connection.session.base_url
        if connection.is_embedded:
            source = connection.source
            service = f"embedded {source.name} as of {source.as_of}"
        return {
            "service": service,
            "profile": connection.profile.name,
            **self.request,
            "lists": list(self.lists),
            "ids": self.ids and list(self.ids),
        }

    def parts(self) -> list[Self]:
        """Return the lists to walk: itself, one per owner, or one per batch of ids."""
        if self.wanted is None:
            return [self]
        if self.endpoint.ids == "path":
            return [
                dataclasses.replace(self, owner=owner, wanted=(owner,))
                for owner in self.wanted
            ]
        size = self.connection.profile.ids_per_request
        starts = range(0, len(self.wanted), size)
        batches = (self.wanted[start : start + size] for start in starts)
        return [dataclasses.replace(self, wanted=batch) for batch in batches]

    def counted(self, *, is_sure: bool = False) -> tuple[int, bool]:
        """Return the number of rows, by a small request, and whether there can be more.

        To be sure, a second request asks for a row behind the last. Raises
        `UnreadableReply` where no total is reported.
        """
        # the cheapest rows there are
        brief = dataclasses.replace(self, unread=tuple(self.endpoint.resource))
        (page,) = brief.read([brief.ask(Step(1, 0, has_total=True))]).pages
        total = page.total
        if total is None:
            raise page.reply.unreadable(
                "reports no total", advice="Fetch the rows instead"
            )
        is_limited = page.is_limited or total < page.rows
        is_limited |= total == page.rows and page.goes_on
        if total and is_sure:
            try:
                behind = brief.read([brief.ask(Step(1, total))])
                is_limited |= behind.frame.height > 0
            except errors.UnreadableReply:
                pass
            except errors.RequestRejected as error:
                if error.status not in (400, 404, 422):  # no page behind the last
                    raise
        return total, is_limited

    def ask(self, step: Step, cancel: Event | None = None) -> Reply:
        """Request one page, or read it from the folder of kept replies."""
        parameters = {
            **self._parameters,
            "limit": step.limit,
            "offset": step.offset,
            self.connection.profile.cursor_parameter: step.cursor,
            "include_total": "true" if step.has_total else None,
        }
        try:
            reply = self.connection.get(
                self.path,
                parameters,
                self.folder,
                cancel,
                rows=step.limit,
                priced_as=self.priced_as,
            )
        except errors.ServiceFailed as error:
            if error.status != 504 or not step.has_total:  # counting takes the longest
                raise
            return self.ask(dataclasses.replace(step, has_total=False), cancel)
        return dataclasses.replace(reply, limit=step.limit)

    @cached_property
    def _parameters(self) -> Mapping[str, object]:
        """What is sent with every page, in the words of the wire."""
        profile = self.connection.profile
        condition, sort = self.filter, self.sorted_by
        if condition is not None and profile.filters:
            condition = self.connection.outward(condition)
        if self.ids is not None and self.owner is None:
            is_by_key = self.endpoint.ids == "key"
            name = profile.ids_filter if is_by_key else self.endpoint.id_columns[0]
            owned = filters.Clause(name, "in_any", self.ids)
            condition = owned if condition is None else owned & condition
        if sort and profile.sorts:
            sort = terms.renamed(sort, profile.sorts)
        return {
            **self.shape.parameters,
            "filter": None if condition is None else str(condition),
            "sort": sort,
            "currency": self.request["currency"],
        }

    def read(self, replies: Sequence[Reply]) -> Chunk:
        """Decode several pages; refuse or doubt rows that were not requested."""
        chunk = decode(replies, self.shape, self.connection.profile)
        request = checks.Request(
            self.shape.resource,
            self.endpoint.name,
            filter=self.filter,
            sort=self.sorted_by,
            currency=self.request["currency"],
            ids=(self.owner.uuid,) if self.owner else self.ids,
            id_columns=self.endpoint.id_columns,
            partial=self.shape.less,
        )
        doubts = checks.check(chunk, request)
        for page in chunk.pages:
            if page.rows and page.reply.credits:
                self.connection.prices[self.priced_as] = page.reply.credits / page.rows
        return dataclasses.replace(chunk, doubts=doubts)
