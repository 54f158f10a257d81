"""The endpoints over a store: the interface's table and its rules, each where it applies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Final, get_args

import polars as pl

from ventureframe.embedded import aggregate
from ventureframe.embedded.engine.index import Index
from ventureframe.embedded.engine.store import Store
from ventureframe.embedded.request import (
    Parameters,
    Problem,
    Window,
    digest_of,
    invalid,
    read_id,
    values_in,
)
from ventureframe.embedded.search import Names
from ventureframe.interface import fields, filters
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.profile import Profile

_PAGING: Final = ("limit", "offset", "include_total", "currency")
_LIST: Final = (*_PAGING, "filter", "sort", "cursor")
_SCOPES: Final = ("companies", "investors", "jobs", "news", "funds")
_PLACES: Final = get_args(fields.Place)

Handler = Callable[..., bytes]


class Endpoints:
    """The endpoints over one store; each gives the body of its reply."""

    def __init__(self, store: Store, *, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    @property
    def handlers(self) -> dict[str, tuple[Handler, tuple[str, ...]]]:
        """Each endpoint's handler and the query parameters it knows."""
        store = self._store
        return {
            "dataset": (self.dataset, ()),
            "companies": (partial(self._page, "companies", store.companies), _LIST),
            "founders": (self.founders, _LIST),
            "funds": (partial(self._page, "funds", store.funds), _LIST),
            "news": (partial(self._page, "news", store.news), _LIST),
            "jobs": (partial(self._page, "jobs", store.jobs), _LIST),
            "funding-rounds": (self.funding_rounds, _PAGING),
            "lp-funds": (self.managers, _PAGING),
            "manager-funds": (self.manager_funds, (*_PAGING, "filter", "sort")),
            "entity": (self.entity, ("currency",)),
            "search": (self.search, ("q", "types", "limit")),
            "tags": (self.tags, ("q", "scope", "limit_per_row", "limit")),
            "locations": (self.locations, ("q", "type", "limit", "offset")),
            "aggregates": (
                self.aggregate,
                ("metric", "group_by", "filter", "sort", "limit", "currency"),
            ),
        }

    def dataset(self, _parameters: Parameters) -> bytes:
        """What the dataset says of itself."""
        return written({"data": self._store.dataset.description.to_json()})

    def founders(self, parameters: Parameters) -> bytes:
        """`/data/founders`, by at most 50 UUIDs a request (interface, "Limits")."""
        if values_in(parameters.filter(fields.FOUNDERS)) > self._profile.batch:
            raise invalid("filter", f"at most {self._profile.batch} UUIDs a request", status=422)
        return self._page("founders", self._store.founders, parameters)

    def funding_rounds(self, parameters: Parameters, uuid: str) -> bytes:
        """The rounds of a company."""
        within = self._within("company_uuid", uuid, self._store.companies)
        return self._page("funding-rounds", self._store.funding_rounds, parameters, within=within)

    def managers(self, parameters: Parameters, uuid: str) -> bytes:
        """The managers recorded for an LP: firms, not funds."""
        within = self._within("lp_uuid", uuid, self._store.investors)
        return self._page("lp-funds", self._store.investors, parameters, within=within)

    def manager_funds(self, parameters: Parameters, uuid: str) -> bytes:
        """The fund vehicles of a manager; without the manager, which the path names."""
        within = self._within("investor_id", uuid, self._store.investors)
        return self._page(
            "manager-funds", self._store.funds, parameters, within=within, without="manager"
        )

    def entity(self, parameters: Parameters, uuid: str) -> bytes:
        """The one record with this UUID, whatever it is."""
        key, currency, store = read_id(uuid), parameters.currency(), self._store
        for index in (store.universities, store.investors, store.companies, store.founders):
            found = index.find(Clause("uuid", "eq", (key,)), currency=currency)
            if found.total:
                return _reply(index.page(found)[1:-1], currency=currency)
        raise _unknown("record", key)

    def aggregate(self, parameters: Parameters, source: str) -> bytes:
        """`/analytics/aggregate/{source}`: grouped measures, without pages."""
        if source not in aggregate.GROUPS:
            raise _unknown("source", source)
        index: Index = getattr(self._store, source.replace("-", "_"))
        resource, limit = index.resource, parameters.limit("aggregates")
        measured = parameters.listed("metric", aggregate.measures, resource, default="count")
        by = parameters.listed("group_by", aggregate.groups, source)
        where = parameters.filter(resource)
        found = index.find(where, currency=parameters.currency())
        groups = aggregate.aggregate(index, found, source=source, by=by, measured=measured)
        groups = parameters.listed("sort", aggregate.ordered, groups, default="")
        info = {
            "source": source,
            "metric": [each.text for each in measured],
            "group_by": by,
            "filter": None if where is None else str(where),
            "sort": parameters.query.get("sort"),
            "limit": limit,
            "rows": found.total,
            "groups": groups.height,
        }
        return _reply(_rows(groups.head(limit)), query_info=info, currency=found.currency)

    def search(self, parameters: Parameters) -> bytes:
        """Universities and investors whose name is like `q`, the most alike first."""
        limit, text = parameters.limit("search"), parameters.text(self._profile.search_minimum)
        types = parameters.query.get("types", "university,investor").split(",")
        if unknown := [name for name in types if name not in self._searched]:
            raise invalid("types", f"types are {', '.join(self._searched)}, not {unknown[0]!r}")
        found = [self._searched[kind].find(text).head(limit) for kind in dict.fromkeys(types)]
        best = pl.concat(found).sort("score", "uuid", descending=[True, False])
        return _reply(_rows(best.head(limit)))

    def tags(self, parameters: Parameters) -> bytes:
        """Tags whose label is like `q`; only companies are filtered by tags."""
        limit = min(parameters.limit("tags"), parameters.limit("tags", "limit_per_row"))
        text = parameters.text(self._profile.tag_minimum)
        if parameters.choice("scope", _SCOPES, default="companies") != "companies":
            return _reply(b"[]")
        return _reply(_rows(self._tags.find(text).head(limit)))

    def locations(self, parameters: Parameters) -> bytes:
        """Places whose name is like `q`."""
        limit = parameters.limit("locations")
        offset = parameters.whole("offset", default=0, least=0)
        found = self._locations.find(parameters.text(self._profile.location_minimum))
        kind = parameters.choice("type", _PLACES, default=None)
        if kind is not None:
            found = found.filter(pl.col("type") == kind)
        page = {"limit": limit, "offset": offset, "has_more": offset + limit < found.height}
        return _reply(_rows(found.slice(offset, limit)), page=page)

    def warm(self) -> None:
        """Makes what the first queries of a day would have to wait for."""
        self._store.warm()
        for names in (*self._searched.values(), self._tags, self._locations):
            names.find("warm")

    @cached_property
    def _searched(self) -> Mapping[str, Names]:
        kinds = {"university": self._store.universities, "investor": self._store.investors}
        named = [field for field in fields.SEARCH if field != "type"]
        return {
            kind: Names(
                index.table(index.find(), named)
                .with_columns(type=pl.lit(kind))
                .select(*fields.SEARCH),
                by="name",
            )
            for kind, index in kinds.items()
        }

    @cached_property
    def _tags(self) -> Names:
        rows = self._store.dataset.tables["tags"].select(
            kind=pl.lit("value"),
            filter_key=pl.lit("tag_id"),
            label="label",
            value=pl.col("id").cast(pl.String),
            source_type="type",
        )
        return Names(rows, by="label")

    @cached_property
    def _locations(self) -> Names:
        places = self._store.dataset.tables["locations"]
        above = places.select(parent_name="name", parent_id="id")
        rows = places.join(above, on="parent_id", how="left", maintain_order="left")
        return Names(rows.select(*fields.LOCATIONS), by="name")

    def _within(self, name: str, uuid: str, owners: Index) -> Clause:
        """The clause that keeps what belongs to the record of the path; 404 without a record."""
        key = read_id(uuid)
        if not owners.find(Clause("uuid", "eq", (key,))).total:
            raise _unknown(owners.resource.singular, key)
        return Clause(name, "eq", (key,))

    def _page(
        self,
        endpoint: str,
        index: Index,
        parameters: Parameters,
        *,
        within: Clause | None = None,
        without: str | None = None,
    ) -> bytes:
        """One page of a collection, by offset or by cursor."""
        currency, sort = parameters.currency(), parameters.sort(index.resource)
        chosen, is_counted = parameters.filter(index.resource), parameters.flag("include_total")
        parts = [part for part in (within, chosen) if part is not None]
        where = filters.all_of(*parts) if parts else None
        digest = digest_of(endpoint, str(where), sort, currency)
        window = self._window(endpoint, parameters, digest=digest)
        found = index.find(where, sort=sort, currency=currency)
        page = {
            "limit": window.limit,
            "offset": window.offset,
            "total": found.total if is_counted else None,
            **self._cursors(endpoint, window, total=found.total, digest=digest),
        }
        data = index.page(found, window.offset, window.limit, without=without)
        return _reply(data, page=page, currency=currency)

    def _window(self, endpoint: str, parameters: Parameters, *, digest: str) -> Window:
        cursor = parameters.query.get(self._profile.cursor_parameter)
        if cursor is None or endpoint not in self._profile.cursor_endpoints:
            offset = parameters.whole("offset", default=0, least=0)
            return Window(offset, parameters.limit(endpoint))
        maximum = self._profile.limits[endpoint].maximum
        return Window.from_cursor(cursor, digest=digest, maximum=maximum)

    def _cursors(
        self, endpoint: str, window: Window, *, total: int, digest: str
    ) -> dict[str, str | None]:
        """The cursors of the next and the previous page, null where there is none."""
        after, before = window.offset + window.limit, max(0, window.offset - window.limit)
        is_paged = endpoint in self._profile.cursor_endpoints
        next_, previous = is_paged and after < total, is_paged and window.offset > 0
        return {
            self._profile.next_cursor: window.to_cursor(after, digest=digest) if next_ else None,
            self._profile.previous_cursor: (
                window.to_cursor(before, digest=digest) if previous else None
            ),
        }


def written(content: object) -> bytes:
    """The content as JSON."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="replace")


def _rows(frame: pl.DataFrame) -> bytes:
    return frame.drop("score", strict=False).write_json().encode()


def _reply(data: bytes, **beside: object) -> bytes:
    """A reply's body: `data`, written already, and what stands beside it."""
    return b"".join((b'{"data":', data, b"," if beside else b"", written(beside)[1:]))


def _unknown(what: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {what} has the id {key}")
