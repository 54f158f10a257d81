"""What a query needs of the service it asks: replies, settings, where the records are from."""

from __future__ import annotations

import datetime as dt
import functools
import importlib.metadata
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Final, Self
from urllib.parse import urlsplit

from ventureframe.client import envelope
from ventureframe.client.decode import Rows, records
from ventureframe.client.envelope import rows_of
from ventureframe.client.result import warn_of_left_out
from ventureframe.client.session import Session
from ventureframe.client.translate import WITHHELD
from ventureframe.errors import EvidenceWarning, ServiceError, UnsupportedValue
from ventureframe.interface import fields
from ventureframe.interface.fields import Currency, Resource
from ventureframe.interface.filters import Filter
from ventureframe.interface.reply import Reply
from ventureframe.interface.source import Provenance, Source
from ventureframe.interface.values import fold
from ventureframe.interface.wire.profile import Profile
from ventureframe.interface.wire.terms import ByRecord, caveats, outward

_DESCRIPTION: Final = 5000
"""Characters that are kept of what a service says about its dataset."""
_version = functools.cache(importlib.metadata.version)


def filter_keys(session: Session) -> frozenset[str]:
    """The keys by which the service filters companies; raises as `Session.get` does."""
    reply = session.get(session.profile.paths["filters"], {"scope": "companies"})
    rows = rows_of(reply, reply.json())
    return frozenset(str(row.get("filter_key") or row.get("key")) for row in rows)


class Connection:
    """One service as its queries see it; `session` sends, `currency` is the default for amounts.

    `is_embedded` is true where it is part of this program, and `close` ends it. A service that
    names its dataset describes it once.
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
        self.currency: Currency = self.checked_currency(currency)
        self.is_embedded = is_embedded
        self._close = close
        self._lock = threading.Lock()
        self._dataset: str | None = None
        self._source: Source | None = None
        self._found_by_name: dict[tuple[str, str], tuple[str, ...]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, and the embedded service where there is one."""
        self.session.close()
        if self._close is not None:
            self._close()

    @property
    def profile(self) -> Profile:
        """What the service is like where the interface does not say."""
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

    def get(self, path: str, parameters: Mapping[str, object] | None = None) -> Reply:
        """One reply of the service; a parameter that is None is not sent."""
        return self.noted(self.session.get(path, sent(parameters or {})))

    def noted(self, reply: Reply) -> Reply:
        """The reply unchanged, once the dataset it comes from is known."""
        dataset = reply.headers.get(self.profile.dataset_header)
        if dataset is not None and dataset != self._dataset:
            self._describe(dataset)
        return reply

    def outward(self, asked: Filter) -> Filter:
        """The filter in the words of the service's wire."""
        terms = self.profile.filters
        return asked if not terms else outward(asked, terms, named=self._named, known=self.takes)

    def caveats(self, asked: Filter | None) -> list[str]:
        """What the wire's words for a filter change about its meaning."""
        return caveats(asked, self.profile.filters, known=self.takes)

    def asks_by_id(self, name: str) -> bool:
        """Whether a filter by this name is asked by the identifiers of the records named."""
        return isinstance(self.profile.filters.get(name), ByRecord) and not self.takes(name)

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

    def _named(self, kind: str, name: str) -> tuple[str, ...]:
        """The UUIDs of all records of a kind that have the name, case ignored."""
        key = (kind, fold(name))
        if key not in self._found_by_name:
            found, is_cut = self.search(kind, name)
            same = [fold(row["name"]) == fold(name) for row in found]
            if is_cut and all(same[-1:]):  # else those after them are less like the name
                warnings.warn(cut("records named", name), EvidenceWarning, stacklevel=4)
            named = (row["uuid"] for row, is_same in zip(found, same, strict=True) if is_same)
            self._found_by_name[key] = tuple(named)
        return self._found_by_name[key]

    def search(self, kind: str, name: str) -> tuple[list[dict[str, Any]], bool]:
        """The records of a kind that the service's search finds for a name; whether it has more."""
        most = self.profile.limits["search"].maximum
        reply = self.get(self.profile.paths["search"], {"q": name, "types": kind, "limit": most})
        rows = self.records(reply, "search", fields.SEARCH)
        is_cut = envelope.is_cut(reply.json(), len(rows), asked=most)
        return [row for row in rows if row["type"] in (None, kind)], is_cut

    def records(
        self,
        reply: Reply,
        endpoint: str,
        resource: Resource,
        rows: list[dict[str, Any]] | None = None,
    ) -> list[dict[str, Any]]:
        """The rows of a reply, or those given, with every field of the resource in each.

        Warns of fields that a row leaves out or the service withholds.
        """
        content = reply.json()
        given = rows_of(reply, content) if rows is None else rows
        for doubt in envelope.doubts(content):
            warnings.warn(doubt, EvidenceWarning, stacklevel=4)
        kind = Rows(resource, self.profile.shapes.get(endpoint))
        found = records(reply, given, kind)
        left_out = found.absent - fields.OPTIONAL
        if left_out and resource is not fields.SEARCH:  # a hit only leads to a record
            warn_of_left_out(resource, left_out, stacklevel=5)
        if WITHHELD in found.frame.columns:
            names = ", ".join(sorted(set(found.frame.get_column(WITHHELD).explode().drop_nulls())))
            said = f"The service withholds {names}: nothing follows from its absence"
            warnings.warn(said, EvidenceWarning, stacklevel=4)
        return found.frame.to_dicts()

    def checked_currency(self, code: str) -> Currency:
        """The currency unchanged if the service converts to it, else `UnsupportedValue`."""
        for known in self.profile.currencies:
            if code == known:
                return known
        reason = f"the service converts to {', '.join(self.profile.currencies)}"
        raise UnsupportedValue(code, field="currency", reason=reason)

    def provenance(
        self, asked: Mapping[str, Any], *, started: dt.datetime | None = None
    ) -> Provenance:
        """What was asked, of whom and when: `started` or now, if the source itself has no date."""
        source = self.source
        return Provenance(
            **asked,
            profile=self.profile.name,
            served=self.session.version,
            source=source,
            fetched_at=(started or self.now()) if source.as_of is None else None,
            version=_version("ventureframe"),
        )

    def _describe(self, dataset: str | None) -> None:
        with self._lock:
            if self._source is not None and dataset == self._dataset:
                return
            reply = self.session.get(self.profile.paths["dataset"])
            data: Any = reply.json().get("data")

            def words(text: str) -> str:
                return self.session.words(text, at_most=_DESCRIPTION)

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


def cut(what: str, name: str) -> str:
    """What is said where a search may have more records than it returned."""
    return (
        f"The service can have more {what} {name!r} than it returned: another one that matches may "
        "not be among them"
    )


def sent(parameters: Mapping[str, object]) -> dict[str, str]:
    """The parameters as text, without those that are None."""
    return {name: str(value) for name, value in parameters.items() if value is not None}
