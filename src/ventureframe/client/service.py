"""The service as an analyst sees it: collections to query, exact look-ups, grouped metrics."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Final, Self

from ventureframe.client import aggregates, lookups
from ventureframe.client.connection import Connection
from ventureframe.client.listing import Listing
from ventureframe.client.query import JobQuery, NewsQuery, Query, RecordQuery, of_each, owner_of
from ventureframe.client.records import Investor
from ventureframe.client.session import Session
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import FACTS, Source


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
        self.connection: Final = Connection(
            session, currency=currency, is_embedded=is_embedded, now=now
        )
        self._close = close

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

    @property
    def session(self) -> Session:
        """What sends the requests."""
        return self.connection.session

    @property
    def currency(self) -> Currency:
        """The default for amounts."""
        return self.connection.currency

    @property
    def source(self) -> Source:
        """Where the records come from: the dataset's own description, else the service's host."""
        return self.connection.source

    # --- collections

    @property
    def companies(self) -> RecordQuery:
        """All companies; `companies.by_id(uuids)` asks for some."""
        return RecordQuery(self._list("companies"))

    @property
    def founders(self) -> RecordQuery:
        """All founders; `founders.by_id(uuids)` asks for some."""
        return RecordQuery(self._list("founders"))

    @property
    def funds(self) -> Query:
        """Fund vehicles across managers."""
        return Query(self._list("funds"))

    @property
    def news(self) -> NewsQuery:
        """News items; `news.about(companies)` asks for those about some companies."""
        return NewsQuery(self._list("news"))

    @property
    def jobs(self) -> JobQuery:
        """Job postings; `jobs.at(companies)` asks for those at some companies."""
        return JobQuery(self._list("jobs"))

    def managers(self, lp: Investor | str) -> Query:
        """The managers recorded for an LP: the only evidence of that edge (reading rule 5)."""
        return Query(self._list("lp-funds", lp))

    def managers_of(self, lps: Iterable[Investor | str]) -> Query:
        """The managers recorded for each of the LPs; a row per LP and manager."""
        return of_each(Query(self._list("lp-funds")), lps)

    def funds_of_each(self, managers: Iterable[Investor | str]) -> Query:
        """The fund vehicles of each of the managers, asked for one manager at a time.

        Only this says that a manager has a fund, or returned none for a window (reading rules 5
        and 6). The rows name no manager: the one of the path is filled in, and `manager_source`
        is `path`.
        """
        return of_each(Query(self._list("manager-funds")), managers)

    def funding_rounds(self, company: str) -> Query:
        """The funding rounds of the company with this UUID."""
        return Query(self._list("funding-rounds", company))

    def rounds_of(self, companies: Iterable[str]) -> Query:
        """The funding rounds of each of the companies, asked for one company at a time."""
        return of_each(Query(self._list("funding-rounds")), companies)

    def _list(self, endpoint: str, owner: Investor | str | None = None) -> Listing:
        named = None if owner is None else owner_of(owner)
        return Listing(self.connection, endpoint, owner=named)

    # --- what the service computes, and exact look-ups

    aggregate = aggregates.aggregate
    university = lookups.university
    university_by_id = lookups.university_by_id
    lp = lookups.investor
    manager = lookups.investor
    tag = lookups.tag
    location = lookups.location
