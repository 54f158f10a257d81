"""The service as an analyst sees it: collections to query, exact look-ups, grouped metrics."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ventureframe.client import aggregates, lookups
from ventureframe.client.connection import Connection
from ventureframe.client.listing import Listing
from ventureframe.client.query import JobQuery, NewsQuery, Query, RecordQuery, of_each, owner_of
from ventureframe.client.records import Investor
from ventureframe.dataset.manifest import Manifest
from ventureframe.interface.source import FACTS
from ventureframe.interface.wire.profile import INTERFACE


class Service(Connection):
    """One service, live or embedded: its collections, its exact look-ups, its source.

    `settings_file` names the file that settings were read from, where one was used; `data` is the
    dataset folder that is served, where it was named.
    """

    settings_file: str | None = None
    data: str | None = None

    def __repr__(self) -> str:
        source = self.source
        kind = "embedded service" if source.is_embedded else "live service"
        synthetic = "SYNTHETIC " if source.synthetic else ""
        dated = [f"as of {source.as_of}"] if source.as_of else []
        parts = [kind, f'{synthetic}"{source.name}"', *dated]
        if self.settings_file is not None:
            parts.append(f"settings from {self.settings_file}")
        return " · ".join([*parts, *self._wire])

    @property
    def _wire(self) -> list[str]:
        """The generation of the wire, unless it is the embedded service's usual one."""
        if self.is_embedded and self.profile is INTERFACE:
            return []
        version, served = self.profile.name, self.session.version
        is_other = served is not None and self.profile.api_version not in (None, served)
        return [f"wire {version}" + (f" (served {served})" if is_other else "")]

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        return {"text/plain": repr(self)}, {FACTS: self.source.facts}

    # --- collections

    @property
    def companies(self) -> RecordQuery:
        """All companies; `companies.by_id(uuids)` asks for some."""
        return RecordQuery(Listing(self, "companies"))

    @property
    def founders(self) -> RecordQuery:
        """All founders; `founders.by_id(uuids)` asks for some."""
        return RecordQuery(Listing(self, "founders"))

    @property
    def funds(self) -> Query:
        """Fund vehicles across managers."""
        return Query(Listing(self, "funds"))

    @property
    def news(self) -> NewsQuery:
        """News items; `news.about(companies)` asks for those about some companies."""
        return NewsQuery(Listing(self, "news"))

    @property
    def jobs(self) -> JobQuery:
        """Job postings; `jobs.at(companies)` asks for those at some companies."""
        return JobQuery(Listing(self, "jobs"))

    def managers(self, lp: Investor | str) -> Query:
        """The managers recorded for an LP: the only evidence of that edge (reading rule 5)."""
        return Query(Listing(self, "lp-funds", owner_of(lp)))

    def managers_of(self, lps: Iterable[Investor | str]) -> Query:
        """The managers recorded for each of the LPs; a row per LP and manager."""
        return of_each(Query(Listing(self, "lp-funds")), lps)

    def funds_of_each(self, managers: Iterable[Investor | str]) -> Query:
        """The fund vehicles of each of the managers, asked for one manager at a time.

        Only this says that a manager has a fund, or returned none for a window (reading rules 5
        and 6). The rows name no manager: the one of the path is filled in, and `manager_source`
        is `path`.
        """
        return of_each(Query(Listing(self, "manager-funds")), managers)

    def funding_rounds(self, company: str) -> Query:
        """The funding rounds of the company with this UUID."""
        return Query(Listing(self, "funding-rounds", owner_of(company)))

    def rounds_of(self, companies: Iterable[str]) -> Query:
        """The funding rounds of each of the companies, asked for one company at a time."""
        return of_each(Query(Listing(self, "funding-rounds")), companies)

    def pull(self, *collections: str, out: str | os.PathLike[str], **options: Any) -> Manifest:
        """Whole collections as a folder of sorted Parquet parts; `bulk.pull.pull` has the options.

        `vf.connect(data=out)` serves the folder, `vf.bulk.open(out)` opens it on an engine.
        """
        from ventureframe.bulk.pull import pull  # noqa: PLC0415  # which is built on queries

        return pull(self, collections, Path(out), **options)

    # --- what the service computes, and exact look-ups

    aggregate = aggregates.aggregate
    university = lookups.university
    university_by_id = lookups.university_by_id
    investor_by_id = lookups.investor_by_id
    lp = lookups.investor
    manager = lookups.investor
    tag = lookups.tag
    location = lookups.location
    location_by_id = lookups.location_by_id
    similar = lookups.similar
