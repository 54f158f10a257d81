"""One service as its queries see it: replies, settings, and where the records are from."""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import importlib.metadata
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import urlsplit

from ventureframe.client import checks
from ventureframe.client.decode import Rows, records
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import ServiceError, UnsupportedValue, warn
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency, Resource, fold
from ventureframe.interface.filters import Filter
from ventureframe.interface.reply import Reply, page, rows_of
from ventureframe.interface.source import Provenance, Source
from ventureframe.interface.wire import terms
from ventureframe.interface.wire.profile import Profile

if TYPE_CHECKING:
    from ventureframe.client.session import Session  # which loads requests

_DESCRIPTION: Final = 5000
"""Characters that are kept of what a service says about its dataset."""
_version = functools.cache(importlib.metadata.version)


def filter_keys(session: Session) -> frozenset[str]:
    """The keys by which the service filters companies; raises as `Session.get` does."""
    reply = session.get(session.profile.paths["filters"], {"scope": "companies"})
    rows = rows_of(reply, reply.json())
    return frozenset(str(row.get("filter_key") or row.get("key")) for row in rows)


class Connection:
    """One service as its queries see it: the session that sends, the default currency, the source.

    `is_embedded` is true where the service is part of this program; `now` is the wall clock.
    """

    def __init__(
        self,
        session: Session,
        *,
        currency: str = "USD",
        is_embedded: bool = False,
        now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.session, self.is_embedded, self.now = session, is_embedded, now
        self.currency: Currency = self.checked_currency(currency)
        self._describing = threading.Lock()
        self._dataset: str | None = None
        self._source: Source | None = None
        self._uuids: dict[tuple[str, str], tuple[str, ...]] = {}

    @property
    def profile(self) -> Profile:
        """The generation of the wire that the service speaks."""
        return self.session.profile

    @property
    def source(self) -> Source:
        """Where the records come from: the dataset's own description, else the service's host."""
        if self.is_embedded and self._source is None:
            self._describe(None)
        return self._source or Source(name=urlsplit(self.session.base_url).hostname or "")

    @property
    def address(self) -> str:
        """What tells one service from another: its address, or the dataset of an embedded one."""
        if not self.is_embedded:
            return self.session.base_url
        return f"embedded {self.source.name} as of {self.source.as_of}"

    def get(self, path: str, parameters: Mapping[str, object]) -> Reply:
        """Return one reply of the service; a parameter that is None is not sent."""
        return self.noted(self.session.get(path, sent(parameters)))

    def noted(self, reply: Reply) -> Reply:
        """Return the reply unchanged, once the dataset that it comes from is described."""
        dataset = reply.headers.get(self.profile.dataset_header)
        if dataset is not None and dataset != self._dataset:
            self._describe(dataset)
        return reply

    def _describe(self, dataset: str | None) -> None:
        with self._describing:
            if self._source is not None and dataset == self._dataset:
                return
            reply = self.session.get(self.profile.paths["dataset"])
            data: Any = reply.json().get("data")
            words = functools.partial(self.session.words, at_most=_DESCRIPTION)
            try:
                self._source = Source(
                    name=words(data["name"]),
                    description=words(data["description"]),
                    as_of=dt.date.fromisoformat(data["as_of"]),
                    synthetic=bool(data["synthetic"]),
                    attribution=tuple(map(words, data["attribution"])),
                    licence=words(data["licence"]),
                    is_embedded=self.is_embedded,
                    incomplete=tuple(map(words, data.get("incomplete") or ())),
                )
            except (LookupError, TypeError, ValueError) as error:
                raise reply.unreadable("does not describe a dataset") from error
            self._dataset = reply.headers.get(self.profile.dataset_header, dataset)

    def checked_currency(self, code: str) -> Currency:
        """Return the currency if the service converts to it, else raise `UnsupportedValue`."""
        for known in self.profile.currencies:
            if code == known:
                return known
        reason = f"the service converts to {', '.join(self.profile.currencies)}"
        raise UnsupportedValue(code, field="currency", reason=reason)

    def provenance(
        self, asked: Mapping[str, Any], *, started: dt.datetime | None = None
    ) -> Provenance:
        """Say what was requested, of whom and when: `started`, else now, if it has no date."""
        return Provenance(
            **asked,
            profile=self.profile.name,
            served=self.session.version,
            source=self.source,
            fetched_at=(started or self.now()) if self.source.as_of is None else None,
            version=_version("ventureframe"),
        )

    def outward(self, filter: Filter) -> Filter:  # noqa: A002  # as in `interface.filters`
        """Translate a filter to the words of the service's wire."""
        names = self.profile.filters
        if not names:
            return filter
        return terms.outward(filter, names, named=self._uuids_of, takes=self.takes)

    def caveats(self, filter: Filter | None) -> list[str]:  # noqa: A002
        """Say what the wire's words for a filter change about its meaning."""
        return terms.caveats(filter, self.profile.filters, takes=self.takes)

    def asks_by_id(self, name: str) -> bool:
        """Whether a filter by this name is asked by the identifiers of the records named."""
        term = self.profile.filters.get(name)
        return term is not None and bool(term.kind) and not self.takes(name)

    def takes(self, key: str) -> bool:
        """Whether the service names the key among the filters of companies."""
        return key in self._filter_keys

    @functools.cached_property
    def _filter_keys(self) -> frozenset[str]:
        """The keys that companies can be filtered by; none where the service does not tell."""
        try:
            return filter_keys(self.session)
        except ServiceError:
            return frozenset()

    def _uuids_of(self, kind: str, name: str) -> tuple[str, ...]:
        """The UUIDs of all records of a kind that have the name, case ignored."""
        key = (kind, fold(name))
        if key not in self._uuids:
            rows, is_cut = self.search(kind, name)
            uuids = tuple(row["uuid"] for row in rows if fold(row["name"]) == fold(name))
            if is_cut and (not rows or rows[-1]["uuid"] in uuids):
                warn(cut("records named", name))  # else those after them are less like the name
            self._uuids[key] = uuids
        return self._uuids[key]

    def rows(
        self,
        reply: Reply,
        endpoint: str,
        resource: Resource,
        rows: list[dict[str, Any]] | None = None,
    ) -> list[dict[str, Any]]:
        """Read the rows of a reply, or those given, with every field of the resource in each.

        Warns of fields that a row leaves out or the service withholds.
        """
        content = reply.json()
        rows = rows_of(reply, content) if rows is None else rows
        chunk = records(reply, rows, Rows(resource, self.profile.shapes.get(endpoint)))
        chunk = dataclasses.replace(chunk, pages=(page(reply, content),))
        for doubt in checks.check(chunk, checks.Request(resource), "envelope", "values"):
            warn(doubt)
        left_out = chunk.absent
        if left_out and resource is not fields.SEARCH:  # a hit only leads to a record
            warn(checks.left_out(f"Rows of {resource.name}", left_out))
        if WITHHELD in chunk.frame.columns:
            names = ", ".join(sorted(set(chunk.frame.get_column(WITHHELD).explode().drop_nulls())))
            warn(f"The service withholds {names}: nothing follows from its absence")
        return chunk.frame.to_dicts()

    def search(self, kind: str, text: str) -> tuple[list[dict[str, Any]], bool]:
        """The records of a kind that the service's search finds for a text; whether it has more."""
        profile = self.profile
        most = profile.limits["search"].maximum
        reply = self.get(profile.paths["search"], {"q": text, "types": kind, "limit": most})
        rows = self.rows(reply, "search", fields.SEARCH)
        is_cut = checks.is_cut(page(reply, reply.json()), len(rows), limit=most)
        return [row for row in rows if row["type"] in (None, kind)], is_cut


class Connected(Protocol):
    """What has a connection: the service that an analyst holds."""

    connection: Connection


def cut(what: str, name: str) -> str:
    """Say that a search may have more records than it returned."""
    return (
        f"The service can have more {what} {name!r} than it returned: another one that matches may "
        "not be among them"
    )


def sent(parameters: Mapping[str, object]) -> dict[str, str]:
    """Write the parameters as text, without those that are None."""
    return {name: str(value) for name, value in parameters.items() if value is not None}
