"""What a query needs of the service it asks: replies, settings, where the records are from."""

from __future__ import annotations

import datetime as dt
import functools
import importlib.metadata
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ventureframe.client.session import Session
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import Currency
from ventureframe.interface.filters import Filter
from ventureframe.interface.reply import Reply
from ventureframe.interface.source import Provenance, Source
from ventureframe.interface.wire.profile import Profile

_version = functools.cache(importlib.metadata.version)


class Origin:
    """Where the records of a session come from; a dataset's description is asked for once."""

    def __init__(self, session: Session, *, is_embedded: bool = False) -> None:
        self._session = session
        self._is_embedded = is_embedded
        self._lock = threading.Lock()
        self._dataset: str | None = None
        self._source: Source | None = None

    @property
    def source(self) -> Source:
        """The dataset's own description where there is one, else the service's host."""
        if self._is_embedded and self._source is None:
            self._describe(None)
        return self._source or Source(name=urlsplit(self._session.base_url).hostname or "")

    @property
    def address(self) -> str:
        """What tells one service from another: its address, or the dataset of an embedded one."""
        if not self._is_embedded:
            return self._session.base_url
        return f"embedded {self.source.name} as of {self.source.as_of}"

    def note(self, reply: Reply) -> None:
        """Ask for a description if the reply names another dataset than the one known."""
        dataset = reply.headers.get(self._session.profile.dataset_header)
        if dataset is not None and dataset != self._dataset:
            self._describe(dataset)

    def _describe(self, dataset: str | None) -> None:
        with self._lock:
            if self._source is None or dataset != self._dataset:
                profile = self._session.profile
                reply = self._session.get(profile.paths["dataset"])
                self._dataset = reply.headers.get(profile.dataset_header, dataset)
                self._source = _source(reply, is_embedded=self._is_embedded)


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


@dataclass(frozen=True)
class Connection:
    """One service as its queries see it; `currency` is the default for amounts."""

    session: Session
    origin: Origin
    currency: Currency
    now: Callable[[], dt.datetime]

    @property
    def profile(self) -> Profile:
        """What the service is like where the interface does not say."""
        return self.session.profile

    def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Reply:
        """One reply of the service, after noting the dataset it comes from."""
        return self.noted(self.session.get(path, parameters))

    def noted(self, reply: Reply) -> Reply:
        """The reply unchanged, once the dataset it comes from is known."""
        self.origin.note(reply)
        return reply

    def checked_currency(self, code: str) -> Currency:
        """The currency unchanged if the service converts to it, else `UnsupportedValue`."""
        return checked_currency(code, self.profile.currencies)

    def provenance(
        self,
        path: str,
        *,
        filter: Filter | None = None,  # noqa: A002  # a filter is called filter
        sort: str | None = None,
        currency: Currency | None = None,
        started: dt.datetime | None = None,
    ) -> Provenance:
        """What was asked, of whom and when: `started` or now, if the source itself has no date."""
        source = self.origin.source
        return Provenance(
            endpoint=path,
            filter=None if filter is None else str(filter),
            sort=sort,
            currency=currency,
            profile=self.profile.name,
            source=source,
            fetched_at=(started or self.now()) if source.as_of is None else None,
            version=_version("ventureframe"),
        )


def checked_currency(code: str, known: Sequence[Currency]) -> Currency:
    """The currency unchanged if it is one of those known, else `UnsupportedValue`."""
    for each in known:
        if code == each:
            return each
    reason = f"the service converts to {', '.join(known)}"
    raise UnsupportedValue(code, field="currency", reason=reason)
