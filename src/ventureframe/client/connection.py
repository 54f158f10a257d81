"""One service as its queries see it: session, currency, source, clock and wire."""

import contextlib
import copy
import dataclasses
import datetime as dt
import functools
import importlib.metadata
import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Self
from urllib.parse import urlsplit

from ventureframe import errors
from ventureframe.client import checks, frames
from ventureframe.client.budget import Budget
from ventureframe.client.decode import records
from ventureframe.client.paging import check_positive
from ventureframe.client.saves import Folder
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import UnsupportedValue, warn
from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Currency, Resource, fold
from ventureframe.interface.files import from_plain
from ventureframe.interface.gaps import Gap
from ventureframe.interface.reply import Page, Reply, page
from ventureframe.interface.source import Provenance, Source
from ventureframe.interface.wire import terms

_version = functools.cache(importlib.metadata.version)
_ENTITY = 2.0  # credits of a row that has no other price


def filter_keys(client: "Session | Connection", **bounds: Any) -> frozenset[str]:
    """Return the keys by which the service filters companies.

    The bounds are those of `Session.get`, which says what it raises.
    """
    path = client.profile.paths["filters"]
    rows = client.get(path, {"scope": "companies"}, **bounds).rows()
    return frozenset(str(row.get("filter_key") or row.get("key")) for row in rows)


@dataclass(repr=False, eq=False)
class Connection:
    """One service as its queries see it; `budgets` bound what its requests take."""

    session: Session
    currency: Currency = "USD"
    is_embedded: bool = False
    now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)
    budgets: tuple[Budget, ...] = ()
    absent: Collection[str] = ()  # tables that an embedded dataset lacks

    def __post_init__(self) -> None:
        self.profile = self.session.profile
        self.checked_currency(self.currency)
        self._dataset: str | None = None  # as the last reply names it
        self._sources: dict[str | None, Source] = {}  # as each dataset is described
        self._filter_keys = list[frozenset[str]]()  # once they are requested
        self._uuids: dict[tuple[str, str], tuple[str, ...]] = {}
        self.prices = dict(self.profile.prices)  # as rows were last billed

    def within(self, at_most: int | None, at_most_credits: int | None) -> Self:
        """Return this connection with a bound on what its fetches take together."""
        check_positive(at_most=at_most, at_most_credits=at_most_credits)
        if not (at_most or at_most_credits):
            return self
        bounded = copy.copy(self)
        budget = Budget(at_most or math.inf, at_most_credits or math.inf)
        bounded.budgets = (*self.budgets, budget)
        if self.is_embedded and not self._sources:
            bounded._describe()  # whatever its rows take
        return bounded

    @property
    def source(self) -> Source:
        """Where records come from: the dataset, else the service's host.

        It is the host as well where no request is left to ask for a description.
        """
        host = Source(name=urlsplit(self.session.base_url).hostname or "")
        is_named = self._dataset is not None or self.is_embedded
        if is_named and self._dataset not in self._sources:
            with contextlib.suppress(errors.EnoughSent):
                self._describe()
        return self._sources.get(self._dataset, host)

    def price(self, name: str) -> float | None:
        """Return the credits of a row: as last billed, else the usual ones.

        None where a dataset is served, which is free.
        """
        if self.is_embedded or self._dataset is not None:
            return None
        return self.prices.get(name, _ENTITY)

    def get(
        self,
        path: str,
        parameters: Mapping[str, object],
        folder: Folder | None = None,
        cancel: Event | None = None,
        *,
        rows: int = 1,
        priced_as: str = "filters",  # which are free
    ) -> Reply:
        """Return one reply, from the `folder` where that keeps it.

        A parameter that is None is not sent. The reply has at most so many `rows`,
        `priced_as` this entry of `Profile.prices`: fewer are requested where a budget
        does not allow all.
        """
        texts = {
            name: str(value) for name, value in parameters.items() if value is not None
        }
        send = functools.partial(self.session.get, path, texts, cancel=cancel)
        for budget in self.budgets:
            price = self.price(priced_as) or 0.0
            send = functools.partial(budget.send, send, texts, rows, price)
        if folder is not None:
            send = functools.partial(folder.reply, json.dumps([path, texts]), send)
        reply = send()
        self._dataset = reply.headers.get(self.profile.dataset_header, self._dataset)
        return dataclasses.replace(reply, words=self.session.words)

    def _describe(self) -> None:
        """Request what the dataset says of itself."""
        reply = self.get(self.profile.paths["dataset"], {})
        data: Any = reply.json().get("data")
        words = functools.partial(self.session.words, at_most=5000)  # characters
        try:
            gaps = json.dumps(data.get("incomplete") or [])
            gaps = self.session.words(gaps, at_most=len(gaps))
            self._sources[self._dataset] = Source(
                name=words(data["name"]),
                description=words(data["description"]),
                as_of=dt.date.fromisoformat(data["as_of"]),
                synthetic=bool(data["synthetic"]),
                attribution=tuple(map(words, data["attribution"])),
                licence=words(data["licence"]),
                is_embedded=self.is_embedded,
                incomplete=from_plain(json.loads(gaps), tuple[Gap, ...]),
            )
        except (AttributeError, LookupError, TypeError, ValueError):
            # a cause could repeat a secret
            raise reply.unreadable("does not describe a dataset") from None

    def checked_currency(self, code: str) -> Currency:
        """Return a currency of the service, else raise `UnsupportedValue`."""
        for currency in self.profile.currencies:
            if code == currency:
                return currency
        raise UnsupportedValue(
            code,
            field="currency",
            reason=f"the service converts to {', '.join(self.profile.currencies)}",
        )

    def provenance(
        self, request: Mapping[str, Any], *, started: dt.datetime | None = None
    ) -> Provenance:
        """State what was requested of which source, and when if that has no date."""
        source = self.source
        fetched_at = (started or self.now()) if source.as_of is None else None
        return Provenance(
            **request,
            profile=self.profile.name,
            served=self.session.version,
            source=source,
            fetched_at=fetched_at,
            version=_version("ventureframe"),
        )

    def outward(self, condition: filters.Filter) -> filters.Filter:
        """Translate a filter to the words of the service's wire."""
        return terms.outward(
            condition,
            self.profile.filters,
            named=self._uuids_of,
            asks_by_id=self.asks_by_id,
        )

    def asks_by_id(self, name: str) -> bool:
        """Whether a filter by this name is sent as identifiers of the records."""
        term = self.profile.filters.get(name)
        return term is not None and bool(term.kind) and not self.filters_by(name)

    def filters_by(self, key: str) -> bool:
        """Whether the service lists the key among the filters of companies.

        An answer is remembered, also that there is no such list; a failure is not.
        """
        if not self._filter_keys:
            try:
                keys = filter_keys(self)
            except errors.ServiceError as error:
                if error.status not in (200, 400, 403, 404):
                    return False
                keys = frozenset()
            self._filter_keys.append(keys)
        return key in self._filter_keys[0]

    def _uuids_of(self, kind: str, name: str) -> tuple[str, ...]:
        """Return the UUIDs of the records that have the name, case ignored."""
        wanted = fold(name)
        key = (kind, wanted)
        if key not in self._uuids:
            rows, is_cut = self.search(kind, name)
            uuids = [row["uuid"] for row in rows if fold(row["name"] or "") == wanted]
            # records come by likeness: after another name, none has this one
            is_last_named = not rows or rows[-1]["uuid"] in uuids
            if is_cut and is_last_named:
                warn(cut("records named", name))
            self._uuids[key] = tuple(uuids)
        return self._uuids[key]

    def rows(
        self,
        reply: Reply,
        endpoint: str,
        resource: Resource,
        rows: Sequence[Any],
        currency: str | None = None,
    ) -> tuple[list[dict[str, Any]], Page]:
        """Read these rows of a reply; warn of what is left out."""
        chunk = records(reply, rows, self.profile.shape(endpoint, resource))
        about = page(reply, reply.json())
        chunk = dataclasses.replace(chunk, pages=(about,))
        for doubt in checks.check(chunk, checks.Request(resource, currency=currency)):
            warn(doubt.text)
        # a hit only leads to a record
        if chunk.absent and resource is not fields.SEARCH:
            warn(frames.left_out(f"Rows of {resource.name}", chunk.absent))
        if WITHHELD in chunk.frame.columns:
            withheld = chunk.frame.get_column(WITHHELD).explode().drop_nulls()
            names = ", ".join(sorted(set(withheld))).replace("_", " ")
            warn(
                f"{checks.KEY}, or its plan leaves out {names}: nothing follows from"
                " its absence."
            )
        return chunk.frame.to_dicts(), about

    def search(self, kind: str, text: str) -> tuple[list[dict[str, Any]], bool]:
        """Return the records that the search finds, and whether it has more."""
        most = self.profile.limits["search"].maximum
        parameters = {"q": text, "types": kind, "limit": most}
        reply = self.get(self.profile.paths["search"], parameters)
        hits = reply.rows()
        for hit in hits:
            subtype = hit.get("subtype") or hit.get("organization_subtype")
            hit["type"] = subtype or hit.get("type")
        rows, about = self.rows(reply, "search", fields.SEARCH, hits)
        is_cut = checks.is_cut(about, len(rows), limit=most)
        return [row for row in rows if row["type"] in (None, kind)], is_cut


class Connected:
    """What has a connection: the service that an analyst holds."""

    connection: Connection

    def _within(self, *bounds: int | None) -> Self:
        """Return the same, with `Connection.within` for its fetches together."""
        bounded = copy.copy(self)
        bounded.connection = self.connection.within(*bounds)
        return bounded


def cut(records: str, name: str) -> str:
    """Say that a search may have more records than it returned."""
    return (
        f"The service may have more {records} {name!r} than it returned: another of"
        " them may match"
    )
