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
    checked,
    digest_of,
    invalid,
    read_id,
    to_cursor,
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
_GROUPED: Final = ("metric", "group_by", "filter", "sort", "limit", "currency")
_LISTS: Final = ("companies", "founders", "funds", "news", "jobs")
_OWNED: Final[Mapping[str, tuple[str, str, str, tuple[str, ...]]]] = {
    "funding-rounds": ("funding_rounds", "company_uuid", "companies", _PAGING),
    "lp-funds": ("investors", "lp_uuid", "investors", _PAGING),
    "manager-funds": ("funds", "investor_id", "investors", (*_PAGING, "filter", "sort")),
}
"""What belongs to the record of a path: its index, the clause and the index of the record."""

Handler = Callable[..., bytes]


class Endpoints:
    """The endpoints over one store; each gives the body of its reply."""

    def __init__(self, store: Store, *, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    @property
    def handlers(self) -> dict[str, tuple[Handler, tuple[str, ...]]]:
        """Each endpoint's handler and the query parameters it knows."""
        return {
            "dataset": (self._dataset, ()),
            **{name: (partial(self._page, name, self._index(name)), _LIST) for name in _LISTS},
            **{name: (partial(self._owned, name), known) for name, (*_, known) in _OWNED.items()},
            "entity": (self._entity, ("currency",)),
            "search": (self._search, ("q", "types", "limit")),
            "tags": (self._find_tags, ("q", "scope", "limit_per_row", "limit")),
            "locations": (self._find_locations, ("q", "type", "limit", "offset")),
            "aggregates": (self._aggregate, _GROUPED),
        }

    def warm(self) -> None:
        """Makes what the first queries of a day would have to wait for."""
        self._store.warm()
        for names in (*self._searched.values(), self._tags, self._locations):
            names.find("warm")

    def _index(self, name: str) -> Index:
        index: Index = getattr(self._store, name.replace("-", "_"))
        return index

    def _dataset(self, _parameters: Parameters) -> bytes:
        return written({"data": self._store.dataset.description.to_json()})

    def _owned(self, endpoint: str, parameters: Parameters, uuid: str) -> bytes:
        """A page of what belongs to the record of the path; 404 without a record."""
        name, column, owners, _ = _OWNED[endpoint]
        key, owner = read_id(uuid), self._index(owners)
        if not owner.find(Clause("uuid", "eq", (key,))).total:
            raise _unknown(owner.resource.singular, key)
        return self._page(endpoint, self._index(name), parameters, Clause(column, "eq", (key,)))

    def _page(self, endpoint: str, index: Index, parameters: Parameters, *within: Clause) -> bytes:
        profile, resource = self._profile, index.resource
        if endpoint == "founders" and values_in(parameters.filter(resource)) > profile.batch:
            raise invalid("filter", f"at most {profile.batch} UUIDs a request", status=422)
        currency, sort = parameters.currency(), parameters.sort(resource)
        parts = [part for part in (*within, parameters.filter(resource)) if part is not None]
        is_counted = parameters.choice("include_total", ("true", "false")) == "true"
        where = filters.all_of(*parts) if parts else None
        digest = digest_of(endpoint, str(where), sort, currency)
        offset, limit = parameters.window(endpoint, digest)
        found = index.find(where, sort=sort, currency=currency)
        after, before = offset + limit, max(0, offset - limit)
        is_paged = endpoint in profile.cursor_endpoints
        next_, previous = is_paged and after < found.total, is_paged and offset > 0
        page = {
            "limit": limit,
            "offset": offset,
            "total": found.total if is_counted else None,
            profile.next_cursor: to_cursor(digest, after, limit) if next_ else None,
            profile.previous_cursor: to_cursor(digest, before, limit) if previous else None,
        }
        without = ("manager",) if endpoint == "manager-funds" else ()  # the path names it
        data = index.page(found, offset, limit, without=without)
        return _reply(data, page=page, currency=currency)

    def _entity(self, parameters: Parameters, uuid: str) -> bytes:
        """The one record with this UUID, whatever it is; its `type` says what."""
        key, currency = read_id(uuid), parameters.currency()
        for index in map(self._index, ("universities", "investors", "companies", "founders")):
            found = index.find(Clause("uuid", "eq", (key,)), currency=currency)
            if found.total:
                kind = written({"type": index.resource.singular})
                data = kind[:-1] + b"," + index.page(found)[2:-1]
                return _reply(data, currency=currency)
        raise _unknown("record", key)

    def _aggregate(self, parameters: Parameters, source: str) -> bytes:
        if source not in aggregate.GROUPS:
            raise _unknown("source", source)
        index, query = self._index(source), parameters.query
        resource, limit = index.resource, parameters.limit("aggregates")
        measured = checked("metric", aggregate.measures, query.get("metric", "count"), resource)
        if "group_by" not in query:
            raise invalid("group_by", "group_by is needed")
        by = checked("group_by", aggregate.groups, query["group_by"], source)
        where = parameters.filter(resource)
        found = index.find(where, currency=parameters.currency())
        groups = aggregate.aggregate(index, found, source=source, by=by, measured=measured)
        groups = checked("sort", aggregate.ordered, query.get("sort", ""), groups)
        info = {
            "source": source,
            "metric": measured,
            "group_by": by,
            "filter": None if where is None else str(where),
            "sort": query.get("sort"),
            "limit": limit,
            "rows": found.total,
            "groups": groups.height,
        }
        return _reply(_rows(groups.head(limit)), query_info=info, currency=found.currency)

    def _search(self, parameters: Parameters) -> bytes:
        """Universities and investors whose name is like `q`, the most alike first."""
        limit, text = parameters.limit("search"), parameters.text(self._profile.search_minimum)
        types = parameters.query.get("types", "university,investor").split(",")
        if unknown := [name for name in types if name not in self._searched]:
            raise invalid("types", f"types are {', '.join(self._searched)}, not {unknown[0]!r}")
        found = [self._searched[kind].find(text).head(limit) for kind in dict.fromkeys(types)]
        best = pl.concat(found).sort("score", "uuid", descending=[True, False])
        return _reply(_rows(best.head(limit).drop("score")))

    def _find_tags(self, parameters: Parameters) -> bytes:
        """Tags whose label is like `q`; only companies are filtered by tags."""
        limit = min(parameters.limit("tags"), parameters.limit("tags", "limit_per_row"))
        text = parameters.text(self._profile.tag_minimum)
        if parameters.choice("scope", _SCOPES, "companies") != "companies":
            return _reply(b"[]")
        return _reply(_rows(self._tags.find(text).head(limit).drop("score")))

    def _find_locations(self, parameters: Parameters) -> bytes:
        limit, offset = parameters.limit("locations"), parameters.offset()
        found = self._locations.find(parameters.text(self._profile.location_minimum))
        if kind := parameters.choice("type", _PLACES):
            found = found.filter(type=kind)
        page = {"limit": limit, "offset": offset, "has_more": offset + limit < found.height}
        return _reply(_rows(found.slice(offset, limit).drop("score")), page=page)

    @cached_property
    def _searched(self) -> Mapping[str, Names]:
        uuid, _, *more = fields.SEARCH
        found = {}
        for kind, name in {"university": "universities", "investor": "investors"}.items():
            rows = self._index(name).table(self._index(name).find(), [uuid, *more])
            found[kind] = Names(rows.select(uuid, pl.lit(kind).alias("type"), *more), by="name")
        return found

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
        above = places.select(parent_name="name", parent_type="type", parent_id="id")
        rows = places.join(above, on="parent_id", how="left", maintain_order="left")
        return Names(rows.select(*fields.LOCATIONS), by="name")


def written(content: object) -> bytes:
    """The content as JSON."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="replace")


def _rows(frame: pl.DataFrame) -> bytes:
    return frame.write_json().encode()


def _reply(data: bytes, **beside: object) -> bytes:
    """A reply's body: `data`, written already, and what stands beside it."""
    return b"".join((b'{"data":', data, b"," if beside else b"", written(beside)[1:]))


def _unknown(what: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {what} has the id {key}")
