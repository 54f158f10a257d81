"""The service as an analyst sees it: collections, exact look-ups, grouped metrics."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Self

from ventureframe.client import aggregates, lookups
from ventureframe.client.connection import Connected, Connection
from ventureframe.client.listing import ENDPOINTS, Listing
from ventureframe.client.lookups import Investor
from ventureframe.client.query import (
    JobQuery,
    NewsQuery,
    Query,
    RecordQuery,
    of_each,
    owner_of,
)
from ventureframe.client.session import Session
from ventureframe.interface.files import home
from ventureframe.interface.source import FACTS, Source
from ventureframe.interface.wire.profile import INTERFACE


class Service(Connected):
    """One service, live or embedded: its collections, its exact look-ups, its source.

    `connection` is what queries see of it, with its settings; `data` is the dataset
    folder that is served, where it was named. A `with` block or `close` ends it,
    with what was embedded.
    """

    data: str | None = None
    _settings_file: str | None = None

    def __init__(
        self,
        session: Session,
        *,
        close: Callable[[], None] | None = None,
        **settings: Any,
    ) -> None:
        self.connection, self._close = Connection(session, **settings), close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections, and the embedded service where there is one.

        >>> import ventureframe as vf
        >>> svc = vf.connect(environment={})
        >>> svc.close()
        """
        self.connection.session.close()
        if self._close is not None:
            self._close()

    def __repr__(self) -> str:
        source, profile = self.source, self.connection.profile
        parts = ["embedded service" if source.is_embedded else "live service"]
        marker = "SYNTHETIC " if source.synthetic else ""
        parts.append(f'{marker}"{source.name}"')
        if source.as_of:
            parts.append(f"as of {source.as_of}")
        if self._settings_file:
            parts.append(f"settings from {self._settings_file}")
        if not (source.is_embedded and profile is INTERFACE):
            wire, served = f"wire {profile.name}", self.connection.session.version
            if served is not None and profile.api_version not in (None, served):
                wire += f" (served {served})"
            parts.append(wire)
        return " · ".join(parts)

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        return {"text/plain": repr(self)}, {FACTS: self.source.facts}

    @property
    def source(self) -> Source:
        """Where records come from: the dataset, else the service's host."""
        return self.connection.source

    @property
    def companies(self) -> RecordQuery:
        """All companies; `companies.by_id(uuids)` is a query of some."""
        return RecordQuery(self._list("companies"))

    @property
    def founders(self) -> RecordQuery:
        """All founders, education included; `founders.by_id(uuids)` is a query of
        some.
        """
        return RecordQuery(self._list("founders")).with_all("education")

    @property
    def funds(self) -> Query:
        """Fund vehicles of all managers."""
        return Query(self._list("funds"))

    @property
    def news(self) -> NewsQuery:
        """News items; `news.about(companies)` is a query of those about some
        companies.
        """
        return NewsQuery(self._list("news"))

    @property
    def jobs(self) -> JobQuery:
        """Job postings; `jobs.at(companies)` is a query of those at some companies."""
        return JobQuery(self._list("jobs"))

    def managers_of(self, lps: Investor | str | Iterable[Investor | str]) -> Query:
        """Return the query of managers by LP: the only evidence that an LP backs one.

        >>> import ventureframe as vf
        >>> svc = vf.connect(environment={})
        >>> lp = svc.lp("Meridian Sovereign Reserve")
        >>> len(svc.managers_of(lp).fetch())
        31
        """
        return self._of("lp-funds", lps)

    def funds_of_each(self, managers: Iterable[Investor | str]) -> Query:
        """Return the query of the fund vehicles of managers, one manager at a time.

        Only this query is evidence that a manager has a fund, or that none was
        returned for some years (interface, reading rules 5 and 6). The rows do not name
        the manager: it is filled in from the request.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).funds_of_each([])
        query of /data/investors/{id}/funds · currency USD · 0 ids
        """
        return of_each(Query(self._list("manager-funds")), managers)

    def rounds_of(self, companies: str | Iterable[str]) -> Query:
        """Return the query of the funding rounds of one or several companies.

        >>> import ventureframe as vf
        >>> vf.connect(environment={}).rounds_of([])
        query of /data/companies/{id}/funding-rounds · currency USD · 0 ids
        """
        return self._of("funding-rounds", companies)

    def _of(
        self, endpoint: str, owners: Investor | str | Iterable[Investor | str]
    ) -> Query:
        listing = self._list(endpoint)
        if isinstance(owners, Investor | str):
            return Query(replace(listing, owner=owner_of(owners)))
        return of_each(Query(listing), owners)

    def _list(self, endpoint: str) -> Listing:
        return Listing(self.connection, ENDPOINTS[endpoint])

    def pull(self, *collections: str, out: str | Path, **options: Any) -> Any:
        """Write whole collections as a folder of Parquet parts.

        `bulk.pull.pull` has the options. `vf.connect(data=out)` serves the folder,
        `vf.bulk.open(out)` opens it on an engine.

        >>> import tempfile
        >>> import ventureframe as vf
        >>> svc = vf.connect(environment={})
        >>> with tempfile.TemporaryDirectory() as out:
        ...     print(svc.pull("funds", out=out).pulls[0].collection)
        funds
        """
        return resolve_name("ventureframe.bulk.pull:pull")(
            self, collections, home(out), **options
        )

    aggregate = aggregates.aggregate
    university = lookups.university
    lp = lookups.investor
    manager = lookups.investor
    tag = lookups.tag
    location = lookups.location
    similar = lookups.similar
