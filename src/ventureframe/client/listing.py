"""One list of the service as a walk reads it: what its requests say and what its rows must be."""

import contextlib
import dataclasses
import functools
import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Self

import polars as pl

from ventureframe.client import checks
from ventureframe.client.connection import Connection, sent
from ventureframe.client.decode import Before, Chunk, Rows, decode
from ventureframe.client.frames import owners
from ventureframe.client.saves import Folder
from ventureframe.client.walk import Paging, Step
from ventureframe.errors import RequestRejected, UnreadableReply
from ventureframe.interface import fields, filters
from ventureframe.interface.certificate import Cost
from ventureframe.interface.fields import Currency, Resource
from ventureframe.interface.reply import Page, Reply
from ventureframe.interface.wire.profile import Shape
from ventureframe.interface.wire.terms import renamed


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a list endpoint takes (interface, "Endpoint table").

    `ids` says how it takes ids: the records' own (`key`), those of records that rows are linked
    to (`link`), or one owner's in the path (`path`); None where it takes none. `id_columns` hold
    those ids in a frame; `added` are the columns that only the request tells.
    """

    resource: Resource
    ids: Literal["key", "link", "path"] | None = None
    id_columns: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    takes_currency: bool = False
    takes_filter_and_sort: bool = True


_SOURCE: Final = ("manager_source",)
_MANAGER: Final = ("manager.uuid",)
_LP: Final = ("lp_uuid",)
_COMPANY: Final = ("company_uuid",)

ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "companies": Endpoint(fields.COMPANIES, "key", ("uuid",), takes_currency=True),
    "founders": Endpoint(fields.FOUNDERS, "key", ("uuid",)),
    "funds": Endpoint(fields.FUNDS, added=_SOURCE, takes_currency=True),
    "news": Endpoint(fields.NEWS, "link", ("entity_id", "entity_ids")),
    "jobs": Endpoint(fields.JOBS, "link", ("entity_id",)),
    "lp-funds": Endpoint(fields.INVESTORS, "path", _LP, _LP, takes_filter_and_sort=False),
    "manager-funds": Endpoint(fields.FUNDS, "path", _MANAGER, _SOURCE, takes_currency=True),
    "funding-rounds": Endpoint(
        fields.FUNDING_ROUNDS,
        "path",
        _COMPANY,
        _COMPANY,
        takes_currency=True,
        takes_filter_and_sort=False,
    ),
}


_COUNTED_FROM: Final = 4
"""From how many batches on the whole list is counted."""


class Owner(NamedTuple):
    """A record that is asked for, or whose rows are, and its name where that is known."""

    uuid: str
    name: str | None = None


@dataclass(frozen=True, repr=False)
class Listing:
    """A list endpoint with everything that is asked of it: a whole list, or a part to walk.

    `owner` is the record in the path; `owners` are the records whose rows are asked for, or whose
    own rows; None where the whole list is. `is_entire`: the whole list is asked for all the same,
    to pick the rows of the owners from it. `lists` are the list fields to read to their end where
    the wire cuts them short in a row. `kept` is where replies are kept.
    """

    connection: Connection = field(compare=False)
    endpoint: str
    owner: Owner | None = None
    owners: tuple[Owner, ...] | None = None
    filter: filters.Filter | None = None
    sorted_by: str | None = None
    converted_to: Currency | None = None
    lists: tuple[str, ...] = ()
    is_entire: bool = False
    kept: Folder | None = field(default=None, compare=False)

    @property
    def paging(self) -> Paging:
        """How it is paged; records asked for by id are one row each at most."""
        profile, is_by_key = self.connection.profile, self.takes.ids == "key"
        at_most = len(self.owners) if self.owners is not None and is_by_key else None
        return Paging(
            at_most or profile.limits[self.endpoint].maximum,
            at_most,
            has_totals=self.endpoint not in profile.uncounted,
            has_cursors=self.endpoint in profile.cursor_endpoints,
            workers=self.connection.session.pace.workers,
        )

    @property
    def shape(self) -> Shape | None:
        """The shape in which the wire writes the rows; None where it is that of `fields`."""
        return self.connection.profile.shapes.get(self.endpoint)

    @property
    def takes(self) -> Endpoint:
        """What the endpoint takes; one that a shape names lists entries of a record in the path."""
        if self.endpoint in ENDPOINTS:
            return ENDPOINTS[self.endpoint]
        shape = self.connection.profile.shapes[self.endpoint]
        return Endpoint(shape.resource, "path", takes_filter_and_sort=False)

    @property
    def resource(self) -> Resource:
        """The resource whose rows are returned."""
        return self.takes.resource

    @property
    def shows_every_kind(self) -> bool:
        """Whether a list that a row shows whole is whole: a company's has current founders only."""
        return self.resource is not fields.COMPANIES

    @property
    def ids(self) -> tuple[str, ...] | None:
        """The ids asked for, of records or of their owners; None for a whole collection."""
        return None if self.owners is None else tuple(owner.uuid for owner in self.owners)

    @property
    def request(self) -> dict[str, str | None]:
        """What it asks for, by the names that `Provenance` has for it."""
        path = self.connection.profile.paths[self.endpoint]
        currency = self.converted_to or self.connection.currency
        return {
            "endpoint": path if self.owner is None else path.replace("{id}", self.owner.uuid),
            "filter": None if self.filter is None else str(self.filter),
            "sort": self.sorted_by,
            "currency": currency if self.takes.takes_currency else None,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the wire asks in another way than the query, or has no place for."""
        unsaid = () if self.shape is None else self.shape.unsaid
        names = [name for name in unsaid if name not in self.takes.added and name != "manager"]
        left_out = f"{', '.join(names)} of {self.endpoint}: not given on this wire."
        uncounted = f"The service does not count {self.endpoint}: each list was read to an empty"
        is_counted = self.paging.has_totals
        return (
            *self.connection.caveats(self.filter),
            *([left_out] if names else []),
            *([] if is_counted else [f"{uncounted} page."]),
        )

    def question(self, *, by: str = "offset") -> dict[str, object]:
        """What tells one fetch from another: the replies of one are not those of another."""
        ids = None if self.ids is None else "|".join(self.ids).encode()
        return {
            "service": self.connection.address,
            "profile": self.connection.profile.name,
            **self.request,
            **({"lists": list(self.lists)} if self.lists else {}),
            "by": by,
            "ids": None if ids is None else hashlib.sha256(ids).hexdigest(),
        }

    def kept_in(self, folder: str | os.PathLike[str] | None, *, by: str) -> Self:
        """The list, whose replies are kept in the folder where one is given."""
        if folder is None:
            return self
        kept = Folder(folder, self.question(by=by), started=self.connection.now())
        return dataclasses.replace(self, kept=kept)

    def parts(self) -> list[Self]:
        """The lists to walk: itself, one per owner in the path, or one per batch of ids."""
        if self.owners is None:
            return [self]
        size = self.connection.profile.batch
        if self.takes.ids == "path":
            return [dataclasses.replace(self, owner=one, owners=(one,)) for one in self.owners]
        batches = (self.owners[at : at + size] for at in range(0, len(self.owners), size))
        return [dataclasses.replace(self, owners=batch) for batch in batches]

    def counted(self, *, is_sure: bool = False) -> tuple[int, Page]:
        """How many rows there are, from one small request, and the page that says so.

        `is_limited` of the page says that the number is the least there can be; where it has to
        be sure, a second request behind the last row tells. Raises `UnreadableReply` where the
        service reports no total.
        """
        (page,) = self.read([self.ask(Step(1, 0, has_total=True))]).pages
        total, is_limited = page.total, page.is_limited
        if total is None:
            raise page.reply.unreadable("reports no total", advice="Fetch the rows instead")
        if total and is_sure:
            with contextlib.suppress(RequestRejected, UnreadableReply):
                is_limited |= self.read([self.ask(Step(1, total))]).pages[0].rows > 0
        is_limited |= total < page.rows or (total == page.rows and page.goes_on)
        return total, dataclasses.replace(page, is_limited=is_limited)

    def pages_of(self, total: int) -> int:
        """In how many pages so many rows are returned; consecutive pages share one row."""
        return max(1, math.ceil((total - 1) / max(1, self.paging.limit - 1)))

    def cost_of(self, requests: int, credit: float | None) -> Cost:
        """The cost of requests that take so many credits each, at the rate where it is known."""
        rate = None if self.connection.is_embedded else self.connection.profile.rate
        seconds = requests / rate if rate and requests else None
        return Cost(requests, seconds, None if credit is None else requests * credit)

    def entire(self) -> Self | None:
        """The whole list, to pick the rows of the ids from, where that takes fewer requests.

        A count tells: it is sent where there are so many batches that it matters little.
        """
        batches = len(self.parts())
        if self.takes.ids == "link" and batches >= _COUNTED_FROM:
            whole = dataclasses.replace(self, is_entire=True)
            with contextlib.suppress(RequestRejected, UnreadableReply):
                return whole if whole.pages_of(whole.counted()[0]) < batches else None
        return None

    def picked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows that belong to the ids, in the order of the batches that would return them."""
        size = self.connection.profile.batch
        batches = pl.DataFrame({"id": self.ids or ()}, schema={"id": pl.String})
        batches = batches.with_columns(batch=pl.int_range(pl.len()) // size)
        rows = pl.DataFrame({"id": owners(frame, self.takes.id_columns)}).with_row_index("row")
        rows = rows.explode("id").join(batches, on="id").group_by("row").agg(pl.col("batch").min())
        return frame[rows.sort("batch", "row")["row"]]

    def ask(self, step: Step) -> Reply:
        """Request one page, or read it from the folder of kept replies where it is there."""
        profile, request = self.connection.profile, self.request
        path = str(request.pop("endpoint"))
        parameters = sent(
            {
                **profile.fixed.get(self.endpoint, {}),
                **request,
                "filter": self._outward_filter(),
                "sort": None if self.sorted_by is None else renamed(self.sorted_by, profile.sorts),
                "limit": step.limit,
                "offset": step.offset,
                profile.cursor_parameter: step.cursor,
                "include_total": "true" if step.has_total else None,
            }
        )
        get = functools.partial(self.connection.session.get, path, parameters)
        name = json.dumps([path, step.walk, parameters])
        reply = get() if self.kept is None else self.kept.reply(name, get)
        return dataclasses.replace(self.connection.noted(reply), limit=step.limit)

    def _outward_filter(self) -> filters.Filter | None:
        """The filter in the words of the wire, with the ids of a batch."""
        outward = None if self.filter is None else self.connection.outward(self.filter)
        if self.owner is not None or self.ids is None or self.is_entire:
            return outward
        is_key = self.takes.ids == "key"
        name = self.connection.profile.founders_filter if is_key else self.takes.id_columns[0]
        wanted = filters.Clause(name, "in_any", self.ids)
        return wanted if outward is None else filters.all_of(wanted, outward)

    def read(self, replies: Sequence[Reply], before: Before = frozenset) -> Chunk:
        """Decode several pages; `UnreadableReply` where one is not what was asked for.

        `before` gives the keys that had a value on an earlier page (`decode`).
        """
        rows = Rows(self.resource, self.shape)
        chunk = decode(replies, rows, profile=self.connection.profile, before=before)
        request = checks.Request(
            resource=self.resource,
            endpoint=self.endpoint,
            filter=self.filter,
            sort=self.sorted_by,
            currency=self.request["currency"],
            ids=None if self.is_entire else (self.owner.uuid,) if self.owner else self.ids,
            is_path=self.owner is not None,
            id_columns=self.takes.id_columns,
        )
        doubts = checks.check(chunk, request, "envelope", "values", "rows")
        return dataclasses.replace(chunk, doubts=doubts)

    def with_owner(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Add what the path tells of the rows and they do not (`Endpoint.added`)."""
        if not self.takes.added:
            return frame
        uuid, name = self.owner or (None, None)
        if self.resource is not fields.FUNDS:
            return frame.with_columns(pl.lit(uuid, pl.String).alias(to) for to in self.takes.added)
        if self.owner is None:
            has_manager = pl.col("manager").struct.field("uuid").is_not_null()
            return frame.with_columns(manager_source=pl.when(has_manager).then(pl.lit("row")))
        manager = pl.struct(uuid=pl.lit(uuid), name=pl.lit(name, pl.String))
        return frame.with_columns(manager=manager, manager_source=pl.lit("path"))
