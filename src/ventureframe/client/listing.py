"""One service as its queries see it, and one of its lists as a walk reads it."""

import contextlib
import copy
import dataclasses
import datetime as dt
import functools
import hashlib
import importlib.metadata
import json
import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Self
from urllib.parse import urlsplit

from ventureframe import errors
from ventureframe.client import checks, frames
from ventureframe.client.decode import Before, Chunk, Rows, decode, records
from ventureframe.client.retry import Budget
from ventureframe.client.saves import Folder, Write
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.client.walk import Paging, Step
from ventureframe.errors import UnsupportedValue, warn
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Currency, Resource, fold
from ventureframe.interface.files import from_plain, write_whole
from ventureframe.interface.gaps import Doubt, Gap
from ventureframe.interface.reply import Page, Reply, page, rows_of
from ventureframe.interface.source import Provenance, Source
from ventureframe.interface.wire import terms
from ventureframe.interface.wire.generations import WIRES
from ventureframe.interface.wire.profile import Shape

COUNTED_FROM: Final = 4  # batches of ids, from which on the whole list is counted
_version = functools.cache(importlib.metadata.version)


def filter_keys(session: Session, **bounds: Any) -> frozenset[str]:
    """The keys by which the service filters companies.

    The bounds are those of `Session.get`, which says what it raises.
    """
    path = session.profile.paths["filters"]
    reply = session.get(path, {"scope": "companies"}, **bounds)
    rows = rows_of(reply, reply.json())
    return frozenset(str(row.get("filter_key") or row.get("key")) for row in rows)


class Connection:
    """One service as its queries see it: session, currency, source, wall clock,
    disk, wire; `budget` bounds the requests of its fetches.
    """

    budget: Budget | None = None

    def __init__(
        self,
        session: Session,
        *,
        currency: str = "USD",
        is_embedded: bool = False,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
        write: Write = write_whole,
    ) -> None:
        self.session, self.is_embedded, self.now, self.write = (
            session,
            is_embedded,
            now,
            write,
        )
        self.profile = session.profile
        self.currency: Currency = self.checked_currency(currency)
        self._describing = threading.Lock()
        # as the last reply names it, and as it is described
        self._dataset: str | None = None
        self._described: str | None = None
        self._source: Source | None = None
        self._filter_keys = list[frozenset[str]]()  # once they are asked for
        self._uuids: dict[tuple[str, str], tuple[str, ...]] = {}
        # of aggregates, once read
        self.groups: dict[str, Mapping[str, Mapping[str, Any]]] = {}
        self._has_turned = False

    def within(self, at_most: int | None) -> Self:
        """This connection, of which fetches end before they together send more
        requests.
        """
        if at_most is None:
            return self
        if at_most < 1:
            raise UnsupportedValue(at_most, field="at_most", reason="give 1 or more")
        own = copy.copy(self)
        own.budget = Budget(at_most)
        # an embedded service ends once it is gone
        own._whole = self  # type: ignore[attr-defined]
        return own

    def turn(self) -> bool:
        """Speak the other generation of the wire from now on; once, and false
        otherwise.
        """
        other, *_ = (wire for name, wire in WIRES.items() if name != self.profile.name)
        if may_turn := self.profile.name in WIRES and not self._has_turned:
            self.profile, self.session = other, self.session.speaking(other)
            self._filter_keys, self._uuids, self._has_turned = [], {}, True
            warn(
                f"The service answers as wire {other.name!r} now: the fetch began anew"
                " with it"
            )
        return may_turn

    @property
    def source(self) -> Source:
        """Where the records come from: the dataset's own description, else the
        service's host.
        """
        if self._dataset is None and not self.is_embedded:
            return Source(name=urlsplit(self.session.base_url).hostname or "")
        with self._describing:
            if self._source is None or self._dataset != self._described:
                self._describe()
            assert self._source is not None  # noqa: S101  # it is described
            return self._source

    def get(
        self,
        path: str,
        parameters: Mapping[str, object],
        kept: Folder | None = None,
        walk: int = 0,
    ) -> Reply:
        """Return one reply, from the folder where it is `kept`; a parameter of None
        is not sent.
        """
        texts = {
            name: str(value) for name, value in parameters.items() if value is not None
        }
        send = functools.partial(self.session.get, path, texts, budget=self.budget)
        reply = (
            send()
            if kept is None
            else kept.reply(json.dumps([path, walk, texts]), send)
        )
        self._dataset = reply.headers.get(self.profile.dataset_header, self._dataset)
        return reply

    def _describe(self) -> None:
        reply = self.session.get(self.profile.paths["dataset"])
        data: Any = reply.json().get("data")
        words = functools.partial(self.session.words, at_most=5000)  # characters
        try:
            gaps = json.loads(words(json.dumps(data.get("incomplete") or [])))
            self._source = Source(
                name=words(data["name"]),
                description=words(data["description"]),
                as_of=dt.date.fromisoformat(data["as_of"]),
                synthetic=bool(data["synthetic"]),
                attribution=tuple(map(words, data["attribution"])),
                licence=words(data["licence"]),
                is_embedded=self.is_embedded,
                incomplete=from_plain(gaps, tuple[Gap, ...]),
            )
        except (LookupError, TypeError, ValueError) as error:
            raise reply.unreadable("does not describe a dataset") from error
        self._dataset = reply.headers.get(self.profile.dataset_header, self._dataset)
        self._described = self._dataset

    def checked_currency(self, code: str) -> Currency:
        """Return the currency if the service converts to it, else raise
        `UnsupportedValue`.
        """
        for known in self.profile.currencies:
            if code == known:
                return known
        reason = f"the service converts to {', '.join(self.profile.currencies)}"
        raise UnsupportedValue(code, field="currency", reason=reason)

    def provenance(
        self, asked: Mapping[str, Any], *, started: dt.datetime | None = None
    ) -> Provenance:
        """Say what was requested, of whom and when: `started`, else now, if it has
        no date.
        """
        source, version = self.source, _version("ventureframe")
        at = (started or self.now()) if source.as_of is None else None
        wire: dict[str, Any] = {
            "profile": self.profile.name,
            "served": self.session.version,
        }
        return Provenance(
            **asked, **wire, source=source, fetched_at=at, version=version
        )

    def outward(self, asked: filters.Filter) -> filters.Filter:
        """Translate a filter to the words of the service's wire."""
        named, takes = self._uuids_of, self.filters_by
        return terms.outward(asked, self.profile.filters, named=named, takes=takes)

    def asks_by_id(self, name: str) -> bool:
        """Whether a filter by this name is asked by the identifiers of the records
        named.
        """
        term = self.profile.filters.get(name)
        return term is not None and bool(term.kind) and not self.filters_by(name)

    def filters_by(self, key: str) -> bool:
        """Whether the service names the key among the filters of companies; no if it
        names none.
        """
        if not self._filter_keys:
            try:
                self._filter_keys.append(filter_keys(self.session, budget=self.budget))
            except errors.EnoughSent:
                return False  # which is not known, and no request follows
            except errors.ServiceError:
                self._filter_keys.append(frozenset())
        return key in self._filter_keys[0]

    def _uuids_of(self, kind: str, name: str) -> tuple[str, ...]:
        """The UUIDs of all records of a kind that have the name, case ignored."""
        key = (kind, fold(name))
        if key not in self._uuids:
            rows, is_cut = self.search(kind, name)
            uuids = tuple(
                row["uuid"] for row in rows if fold(row["name"]) == fold(name)
            )
            if is_cut and (not rows or rows[-1]["uuid"] in uuids):
                # else those after them are less like the name
                warn(cut("records named", name))
            self._uuids[key] = uuids
        return self._uuids[key]

    def rows(
        self,
        reply: Reply,
        endpoint: str,
        resource: Resource,
        rows: Sequence[Any] | None = None,
    ) -> tuple[list[dict[str, Any]], Page]:
        """Read the rows of a reply, or those given; warn of fields left out or
        withheld.
        """
        content = reply.json()
        rows = rows_of(reply, content) if rows is None else rows
        chunk = records(reply, rows, Rows(resource, self.profile.shapes.get(endpoint)))
        chunk = dataclasses.replace(chunk, pages=(page(reply, content),))
        for doubt in checks.check(chunk, checks.Request(resource), "envelope"):
            warn(doubt.text)
        # a hit only leads to a record
        if chunk.absent and resource is not fields.SEARCH:
            warn(frames.left_out(f"Rows of {resource.name}", chunk.absent))
        if WITHHELD in chunk.frame.columns:
            names = ", ".join(
                sorted(set(chunk.frame.get_column(WITHHELD).explode().drop_nulls()))
            )
            what = f"its plan leaves out {names.replace('_', ' ')}"
            warn(f"{checks.KEY}, or {what}: nothing follows from its absence.")
        return chunk.frame.to_dicts(), chunk.pages[0]

    def search(self, kind: str, text: str) -> tuple[list[dict[str, Any]], bool]:
        """The records of a kind that the service's search finds for a text; whether
        it has more.
        """
        most = self.profile.limits["search"].maximum
        reply = self.get(
            self.profile.paths["search"], {"q": text, "types": kind, "limit": most}
        )
        rows, about = self.rows(reply, "search", fields.SEARCH)
        is_cut = checks.is_cut(about, len(rows), limit=most)
        return [row for row in rows if row["type"] in (None, kind)], is_cut


class Connected:
    """What has a connection: the service that an analyst holds."""

    connection: Connection

    def _within(self, at_most: int | None) -> Self:
        """The same, of which all fetches end before they together send more
        requests.
        """
        own = copy.copy(self)
        own.connection = self.connection.within(at_most)
        return own


def cut(what: str, name: str) -> str:
    """Say that a search may have more records than it returned."""
    other = "another one that matches may not be among them"
    return f"The service can have more {what} {name!r} than it returned: {other}"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a list endpoint takes (interface, "Endpoint table").

    `ids`: it takes the records' own (`key`), linked ones (`link`), or one in the
    path (`path`).
    """

    resource: Resource
    ids: Literal["key", "link", "path"] | None = None
    id_columns: tuple[str, ...] = ()  # which hold those ids in a frame
    added: tuple[str, ...] = ()  # columns that only the request tells
    takes_currency: bool = False
    takes_filter: bool = True  # and an order


_FROM: Final = ("manager_source",)
_LP: Final = ("lp_uuid",)
_COMPANY: Final = ("company_uuid",)

ENDPOINTS: Final[Mapping[str, Endpoint]] = {
    "companies": Endpoint(fields.COMPANIES, "key", ("uuid",), takes_currency=True),
    "founders": Endpoint(fields.FOUNDERS, "key", ("uuid",)),
    "funds": Endpoint(fields.FUNDS, added=_FROM, takes_currency=True),
    "news": Endpoint(fields.NEWS, "link", ("entity_id", "entity_ids")),
    "jobs": Endpoint(fields.JOBS, "link", ("entity_id",)),
    "lp-funds": Endpoint(fields.INVESTORS, "path", _LP, _LP, takes_filter=False),
    "manager-funds": Endpoint(
        fields.FUNDS, "path", ("manager.uuid",), _FROM, takes_currency=True
    ),
    "funding-rounds": Endpoint(
        fields.FUNDING_ROUNDS,
        "path",
        _COMPANY,
        _COMPANY,
        takes_currency=True,
        takes_filter=False,
    ),
}


class Owner(NamedTuple):
    """A record that is asked for, or whose rows are, and its name where that is
    known.
    """

    uuid: str
    name: str | None = None


@dataclass(frozen=True, repr=False)
class Listing:
    """A list endpoint with everything that is asked of it: a whole list, or a part to
    walk.

    From it follow the `shape` in which the wire writes rows (None for that of
    `fields`), what the endpoint `takes`, the `resource` of the rows, and the `ids`
    of the owners.
    """

    connection: Connection = field(compare=False)
    endpoint: str
    owner: Owner | None = None  # the record in the path
    # that, or whose rows, are asked for; None for all
    owners: tuple[Owner, ...] | None = None
    filter: filters.Filter | None = None
    sorted_by: str | None = None
    converted_to: Currency | None = None
    lists: tuple[str, ...] = ()  # list fields to read to their end
    is_entire: bool = False  # the whole list is asked for all the same, to pick from
    kept: Folder | None = field(default=None, compare=False)
    shape: Shape | None = field(init=False, compare=False)
    takes: Endpoint = field(init=False, compare=False)
    resource: Resource = field(init=False, compare=False)
    ids: tuple[str, ...] | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        shape = self.connection.profile.shapes.get(self.endpoint)
        takes = ENDPOINTS.get(self.endpoint)
        if takes is None:
            # it lists entries of a record in the path
            assert shape is not None  # noqa: S101
            takes = Endpoint(shape.resource, "path", takes_filter=False)
        ids = (
            None if self.owners is None else tuple(owner.uuid for owner in self.owners)
        )
        vars(self).update(shape=shape, takes=takes, resource=takes.resource, ids=ids)

    @property
    def paging(self) -> Paging:
        """How it is paged; records asked for by id are one row each at most."""
        profile, is_by_key = self.connection.profile, self.takes.ids == "key"
        at_most = (
            len(self.ids) if self.ids and is_by_key and not self.is_entire else None
        )
        return Paging(
            at_most or profile.limits[self.endpoint].maximum,
            at_most,
            has_totals=self.endpoint not in profile.uncounted,
            has_cursors=self.endpoint in profile.cursor_endpoints,
            workers=self.connection.session.pace.workers,
            pool=self.connection.session.pool,
        )

    @property
    def request(self) -> dict[str, str | None]:
        """What it asks for, by the names that `Provenance` has for it."""
        path = self.connection.profile.paths[self.endpoint]
        currency = self.converted_to or self.connection.currency
        return {
            "endpoint": (
                path if self.owner is None else path.replace("{id}", self.owner.uuid)
            ),
            "filter": None if self.filter is None else str(self.filter),
            "sort": self.sorted_by,
            "currency": currency if self.takes.takes_currency else None,
        }

    @property
    def notes(self) -> tuple[Doubt, ...]:
        """What the wire asks in another way than the query, or has no place for."""
        if self.ids == ():  # nothing is read
            return ()
        unsaid, known = (
            (self.shape.unsaid if self.shape else ()),
            self.connection.filters_by,
        )
        what = {*unsaid} - {*self.takes.added, "manager"}
        notes = [f"Not given: {f.doc}." for f in self.resource.fields if f.name in what]
        if self.endpoint in self.connection.profile.uncounted:
            kind = self.endpoint.replace("-", " ")
            notes.append(
                f"The service does not count {kind}: all that it lists were read."
            )
        asked = self.connection.profile.filters
        caveats = terms.caveats(self.filter, asked, takes=known) if asked else ()
        return tuple(Doubt("wire", text) for text in (*caveats, *notes))

    def question(self, *, by: str = "offset") -> dict[str, object]:
        """What tells one fetch from another: the replies of one are not those of
        another.
        """
        ids = None if self.ids is None else "|".join(self.ids).encode()
        connection, source = self.connection, self.connection.source
        here = f"embedded {source.name} as of {source.as_of}"
        return {
            "service": here if connection.is_embedded else connection.session.base_url,
            "profile": connection.profile.name,
            **self.request,
            **({"lists": list(self.lists)} if self.lists else {}),
            "by": by,
            "ids": None if ids is None else hashlib.sha256(ids).hexdigest(),
        }

    def kept_in(self, folder: str | os.PathLike[str], *, by: str) -> Self:
        """The list, whose replies are kept in the folder."""
        now, write = self.connection.now(), self.connection.write
        kept = Folder(folder, self.question(by=by), started=now, write=write)
        return dataclasses.replace(self, kept=kept)

    def parts(self) -> list[Self]:
        """The lists to walk: itself, one per owner in the path, or one per batch of
        ids.
        """
        if self.owners is None:
            return [self]
        size = self.connection.profile.batch
        if self.takes.ids == "path":
            return [
                dataclasses.replace(self, owner=one, owners=(one,))
                for one in self.owners
            ]
        batches = (
            self.owners[at : at + size] for at in range(0, len(self.owners), size)
        )
        return [dataclasses.replace(self, owners=batch) for batch in batches]

    def counted(self, *, is_sure: bool = False) -> tuple[int, Page]:
        """How many rows there are, or the least where the page `is_limited`, from a
        small request.

        To be sure a second one asks behind the last row. Raises `UnreadableReply`
        without a total.
        """
        (page,) = self.read([self.ask(Step(1, 0, has_total=True))]).pages
        total, is_limited = page.total, page.is_limited
        if total is None:
            raise page.reply.unreadable(
                "reports no total", advice="Fetch the rows instead"
            )
        if total and is_sure:
            with contextlib.suppress(errors.RequestRejected, errors.UnreadableReply):
                is_limited |= self.read([self.ask(Step(1, total))]).pages[0].rows > 0
        is_limited |= total < page.rows or (total == page.rows and page.goes_on)
        return total, dataclasses.replace(page, is_limited=is_limited)

    def entire(self) -> tuple[Self, int, Page] | None:
        """The whole list, counted, where batches of ids are many enough for it, and
        it is told.
        """
        with contextlib.suppress(errors.RequestRejected, errors.UnreadableReply):
            if self.takes.ids != "path" and len(self.parts()) >= COUNTED_FROM:
                whole = dataclasses.replace(self, is_entire=True)
                return whole, *whole.counted()
        return None

    @property
    def price(self) -> float | None:
        """Credits of a row; None where that is not known, and of a service of this
        package.
        """
        is_own = self.connection.source.as_of is not None
        return None if is_own else self.connection.profile.prices.get(self.endpoint)

    def is_picked(self, total: int) -> bool:
        """Whether rows of ids are picked from the whole list, of so many: at no more
        credits.
        """
        is_fair = not self.price or (
            self.takes.ids == "key" and total <= len(self.ids or ())
        )
        return is_fair and self.pages_of(total) < len(self.parts())

    def pages_of(self, total: int) -> int:
        """In how many pages so many rows are returned; consecutive pages share one
        row.
        """
        return max(1, math.ceil((total - 1) / max(1, self.paging.limit - 1)))

    def ask(self, step: Step) -> Reply:
        """Request one page, or read it from the folder of kept replies where it is
        there.
        """
        profile, request, condition = self.connection.profile, self.request, self.filter
        if condition is not None and profile.filters:
            condition = self.connection.outward(condition)
        if self.ids is not None and self.owner is None and not self.is_entire:
            name = (
                self.takes.id_columns[0]
                if self.takes.ids != "key"
                else profile.founders_filter
            )
            wanted = filters.Clause(name, "in_any", self.ids)
            condition = (
                wanted if condition is None else filters.all_of(wanted, condition)
            )
        sort = self.sorted_by
        parameters = {
            **profile.fixed.get(self.endpoint, {}),
            **request,
            "filter": condition,
            "sort": (
                terms.renamed(sort, profile.sorts) if sort and profile.sorts else sort
            ),
            "limit": step.limit,
            "offset": step.offset,
            profile.cursor_parameter: step.cursor,
            "include_total": "true" if step.has_total else None,
        }
        path = str(parameters.pop("endpoint"))
        reply = self.connection.get(path, parameters, self.kept, step.walk)
        return dataclasses.replace(reply, limit=step.limit)

    def read(self, replies: Sequence[Reply], before: Before = frozenset) -> Chunk:
        """Decode several pages as `decode` does; refuse what was not asked for, say
        what is odd.
        """
        rows = Rows(self.resource, self.shape)
        chunk = decode(replies, rows, profile=self.connection.profile, before=before)
        owners = (self.owner.uuid,) if self.owner else self.ids
        asked = self.filter, self.sorted_by, self.request["currency"]
        ids = (
            (None if self.is_entire else owners),
            self.owner is not None,
            self.takes.id_columns,
        )
        request = checks.Request(self.resource, self.endpoint, *asked, *ids)
        return dataclasses.replace(
            chunk, doubts=checks.check(chunk, request, "envelope", "rows")
        )
