"""The endpoints over a store: the interface's table and its rules, each where it applies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

import polars as pl

from ventureframe.embedded import aggregate
from ventureframe.embedded.asked import (
    Asked,
    Problem,
    Window,
    digest_of,
    invalid,
    read_id,
    values_in,
)
from ventureframe.embedded.engine.store import Collection, Store
from ventureframe.embedded.search import Names
from ventureframe.interface import fields, filters
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.profile import Profile

_SCOPES: Final = ("companies", "investors", "jobs", "news", "funds")
_PLACES: Final = ("continent", "country", "region", "city")


class Service:
    """The endpoints over one store; each gives the body of its reply."""

    def __init__(self, store: Store, *, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    def dataset(self, _asked: Asked) -> bytes:
        """What the dataset says of itself."""
        return written({"data": self._store.dataset.description.to_json()})

    def companies(self, asked: Asked) -> bytes:
        """`/data/companies`."""
        return self._page("companies", self._store.companies, asked)

    def founders(self, asked: Asked) -> bytes:
        """`/data/founders`, by at most 50 UUIDs a request (interface, "Limits")."""
        asked_for = asked.filter(fields.FOUNDERS)
        if values_in(asked_for) > self._profile.batch:
            raise invalid("filter", f"at most {self._profile.batch} UUIDs a request", status=422)
        return self._page("founders", self._store.founders, asked)

    def funds(self, asked: Asked) -> bytes:
        """`/data/funds`."""
        return self._page("funds", self._store.funds, asked)

    def news(self, asked: Asked) -> bytes:
        """`/data/news`."""
        return self._page("news", self._store.news, asked)

    def jobs(self, asked: Asked) -> bytes:
        """`/data/jobs`."""
        return self._page("jobs", self._store.jobs, asked)

    def funding_rounds(self, asked: Asked, uuid: str) -> bytes:
        """The rounds of a company."""
        within = self._within("company_uuid", uuid, self._store.companies, "company")
        return self._page("funding-rounds", self._store.funding_rounds, asked, within=within)

    def managers(self, asked: Asked, uuid: str) -> bytes:
        """The managers recorded for an LP: firms, not funds."""
        within = self._within("lp_uuid", uuid, self._store.investors, "investor")
        return self._page("lp-funds", self._store.investors, asked, within=within)

    def manager_funds(self, asked: Asked, uuid: str) -> bytes:
        """The fund vehicles of a manager; without the manager, which the path names."""
        within = self._within("investor_id", uuid, self._store.investors, "investor")
        return self._page(
            "manager-funds", self._store.funds, asked, within=within, without="manager"
        )

    def entity(self, asked: Asked, uuid: str) -> bytes:
        """The one record with this UUID, whatever it is."""
        key, currency, store = read_id(uuid), asked.currency(), self._store
        for collection in (store.universities, store.investors, store.companies, store.founders):
            if len(row := collection.by_key(key)):
                record = collection.to_json(row, currency=currency)[1:-1]
                return _reply(record, currency=currency)
        raise _unknown("record", key)

    def aggregate(self, asked: Asked, source: str) -> bytes:
        """`/analytics/aggregate/{source}`: grouped measures, without pages."""
        if source not in aggregate.GROUPS:
            raise _unknown("source", source)
        collection, currency = self._collections[source], asked.currency()
        resource, limit = collection.resource, asked.limit("aggregates")
        measured = asked.listed("metric", aggregate.measures, resource, default="count")
        by = asked.listed("group_by", aggregate.groups, source)
        question = asked.filter(resource)
        found = collection.find(question, currency=currency)
        table = aggregate.aggregate(
            collection, found.every, source=source, by=by, measured=measured, currency=currency
        )
        table = asked.listed("sort", aggregate.ordered, table, default="")
        info = {
            "source": source,
            "metric": [each.text for each in measured],
            "group_by": by,
            "filter": None if question is None else str(question),
            "sort": asked.query.get("sort"),
            "limit": limit,
            "rows": found.total,
            "groups": table.height,
        }
        return _reply(_rows(table.head(limit)), query_info=info, currency=currency)

    def search(self, asked: Asked) -> bytes:
        """Universities and investors whose name is like `q`, the most alike first."""
        limit = asked.limit("search")
        question = asked.question(self._profile.search_minimum)
        types = asked.query.get("types", "university,investor").split(",")
        if unknown := [name for name in types if name not in self._searched]:
            raise invalid("types", f"types are {', '.join(self._searched)}, not {unknown[0]!r}")
        found = []
        for kind in dict.fromkeys(types):
            table, names = self._searched[kind]
            rows, scores = names.find(question)
            likely = pl.Series(rows[:limit])
            found.append(table[likely].with_columns(score=pl.Series(scores[:limit])))
        likeliest = pl.concat(found).sort("score", "uuid", descending=[True, False])
        return _reply(_rows(likeliest.drop("score").head(limit)))

    def tags(self, asked: Asked) -> bytes:
        """Tags whose label is like `q`; only companies are filtered by tags."""
        limit = min(asked.limit("tags"), asked.limit("tags", "limit_per_row"))
        question = asked.question(self._profile.tag_minimum)
        if asked.choice("scope", _SCOPES, default="companies") != "companies":
            return _reply(b"[]")
        table, names = self._tags
        return _reply(_rows(table[pl.Series(names.find(question)[0][:limit])]))

    def locations(self, asked: Asked) -> bytes:
        """Places whose name is like `q`."""
        limit, offset = asked.limit("locations"), asked.whole("offset", default=0, least=0)
        question = asked.question(self._profile.location_minimum)
        kind = asked.choice("type", _PLACES, default=None)
        table, names = self._locations
        rows = table[pl.Series(names.find(question)[0])]
        if kind is not None:
            rows = rows.filter(pl.col("type") == kind)
        page = {"limit": limit, "offset": offset, "has_more": offset + limit < rows.height}
        return _reply(_rows(rows.slice(offset, limit)), page=page)

    def warm(self) -> None:
        """Makes what the first questions of a day would have to wait for."""
        self._store.warm()
        for _, names in (*self._searched.values(), self._tags, self._locations):
            names.find("warm")

    @cached_property
    def _collections(self) -> Mapping[str, Collection]:
        store = self._store
        known = (store.companies, store.founders, store.investors, store.funds)
        every = (*known, store.funding_rounds, store.jobs)
        return {collection.resource.name: collection for collection in every}

    @cached_property
    def _searched(self) -> Mapping[str, tuple[pl.DataFrame, Names]]:
        return {
            kind: (_search_rows(collection.frame(), kind), Names(collection.frame()["name"]))
            for kind, collection in (
                ("university", self._store.universities),
                ("investor", self._store.investors),
            )
        }

    @cached_property
    def _tags(self) -> tuple[pl.DataFrame, Names]:
        table = self._store.dataset.tables["tags"]
        rows = table.select(
            kind=pl.lit("value"),
            filter_key=pl.lit("tag_id"),
            label="label",
            value=pl.col("id").cast(pl.String),
            source_type="type",
        )
        return rows, Names(table["label"])

    @cached_property
    def _locations(self) -> tuple[pl.DataFrame, Names]:
        table = self._store.dataset.tables["locations"]
        names = table.select("name", parent_id="id").rename({"name": "parent_name"})
        named = table.join(names, on="parent_id", how="left", maintain_order="left")
        return named.select(*fields.LOCATIONS), Names(named["name"])

    def _within(self, name: str, uuid: str, owners: Collection, what: str) -> Clause:
        """The clause that keeps what belongs to the record of the path; 404 without a record."""
        key = read_id(uuid)
        if not len(owners.by_key(key)):
            raise _unknown(what, key)
        return Clause(name, "eq", (key,))

    def _page(
        self,
        endpoint: str,
        collection: Collection,
        asked: Asked,
        *,
        within: Clause | None = None,
        without: str | None = None,
    ) -> bytes:
        """One page of a collection, by offset or by cursor."""
        currency, sort = asked.currency(), asked.sort(collection.resource)
        chosen, is_total_asked = asked.filter(collection.resource), asked.flag("include_total")
        parts = [part for part in (within, chosen) if part is not None]
        question = filters.all_of(*parts) if parts else None
        digest = digest_of(endpoint, str(question), sort, currency)
        window = self._window(endpoint, asked, digest=digest)
        found = collection.find(question, sort=sort, currency=currency)
        page = {
            "limit": window.limit,
            "offset": window.offset,
            "total": found.total if is_total_asked else None,
            **self._cursors(endpoint, window, total=found.total, digest=digest),
        }
        rows = found.page(window.offset, window.limit)
        data = collection.to_json(rows, currency=currency, without=without)
        return _reply(data, page=page, currency=currency)

    def _window(self, endpoint: str, asked: Asked, *, digest: str) -> Window:
        cursor = asked.query.get(self._profile.cursor_parameter)
        if cursor is None or endpoint not in self._profile.cursor_endpoints:
            return Window(asked.whole("offset", default=0, least=0), asked.limit(endpoint))
        maximum = self._profile.limits[endpoint].maximum
        return Window.from_cursor(cursor, digest=digest, maximum=maximum)

    def _cursors(
        self, endpoint: str, window: Window, *, total: int, digest: str
    ) -> dict[str, str | None]:
        after, before = window.offset + window.limit, max(0, window.offset - window.limit)
        has_cursors = endpoint in self._profile.cursor_endpoints
        return {
            self._profile.next_cursor: window.to_cursor(after, digest=digest)
            if has_cursors and after < total
            else None,
            self._profile.previous_cursor: window.to_cursor(before, digest=digest)
            if has_cursors and window.offset
            else None,
        }


def _search_rows(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    return frame.with_columns(type=pl.lit(kind)).select(*fields.SEARCH)


def _rows(frame: pl.DataFrame) -> bytes:
    return frame.write_json().encode()


def _reply(data: bytes, **beside: object) -> bytes:
    """A reply's body: `data`, written already, and what stands beside it."""
    return b"".join((b'{"data":', data, b"," if beside else b"", written(beside)[1:]))


def _unknown(what: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {what} has the id {key}")


def written(content: object) -> bytes:
    """The content as JSON."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="replace")


_PAGING: Final = ("limit", "offset", "include_total", "currency")
_LIST: Final = (*_PAGING, "filter", "sort", "cursor")


def handlers(service: Service) -> dict[str, tuple[Callable[..., bytes], tuple[str, ...]]]:
    """Each endpoint's handler and the query parameters it knows."""
    return {
        "dataset": (service.dataset, ()),
        "companies": (service.companies, _LIST),
        "founders": (service.founders, _LIST),
        "funds": (service.funds, _LIST),
        "news": (service.news, _LIST),
        "jobs": (service.jobs, _LIST),
        "funding-rounds": (service.funding_rounds, _PAGING),
        "lp-funds": (service.managers, _PAGING),
        "manager-funds": (service.manager_funds, (*_PAGING, "filter", "sort")),
        "entity": (service.entity, ("currency",)),
        "search": (service.search, ("q", "types", "limit")),
        "tags": (service.tags, ("q", "scope", "limit_per_row", "limit")),
        "locations": (service.locations, ("q", "type", "limit", "offset")),
        "aggregates": (
            service.aggregate,
            ("metric", "group_by", "filter", "sort", "limit", "currency"),
        ),
    }
