"""The endpoints over a store: the interface's table and its rules, each where it
applies.
"""

import json
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Final, get_args

import polars as pl

from ventureframe.interface import fields, filters
from ventureframe.interface.files import to_plain
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.profile import Limit, Profile
from ventureframe_service import aggregate, request
from ventureframe_service.engine.index import Index
from ventureframe_service.engine.store import Store
from ventureframe_service.request import Parameters, Problem, checked, invalid
from ventureframe_service.search import Names
from ventureframe_service.settings import Tier
from ventureframe_service.writer import FULL_ONLY, write_rows

_PAGING: Final = ("limit", "offset", "include_total", "currency")
_LIST: Final = (*_PAGING, "filter", "sort", "cursor")
_GROUPED: Final = ("metric", "group_by", "filter", "sort", "limit", "currency")
_VALUES: Final = ("q", "type", "limit", "offset", "include_counts")
_TEAM: Final = (*_PAGING, "sort", "role", "is_past")
_START: Final = {"start_date": "start_date"}
ENTRIES: Final[Mapping[str, tuple[str, tuple[str, ...], Mapping[str, str], str]]] = {
    "team": ("companies", _TEAM, {"name": "name"}, "-is_strong_founder,-launch_date"),
    "education": ("founders", (*_PAGING, "sort"), {"start_date": "start_year"}, ""),
    "career": (
        "founders",
        (*_PAGING, "sort"),
        _START,
        "-is_founder,is_past,-start_date",
    ),
}
"""Lists that rows cut short: the index of the record of the path, the parameters, by
what it is sorted and in which column, and the order that rows announce: in it the
entries are kept.
"""
_BLOCKS: Final[Mapping[str, tuple[str, ...]]] = {
    "companies": ("founders",),
    "founders": ("education", "career"),
    "university": ("alumni",),
    "funding-rounds": ("investors",),
}
"""What only a premium key sees of a row."""
_KINDS: Final = {
    "flag": "boolean",
    "number": "numeric",
    "integer": "numeric",
    "date": "date",
} | {**dict.fromkeys(("uuid", "identifier"), "id_lookup")}
_LISTS: Final = ("companies", "founders", "funds", "news", "jobs")
_OWNED: Final[Mapping[str, tuple[str, str, str, tuple[str, ...]]]] = {
    "funding-rounds": ("funding-rounds", "company_uuid", "companies", _PAGING),
    "lp-funds": ("investors", "lp_uuid", "investors", _PAGING),
    "manager-funds": (
        "funds",
        "investor_id",
        "investors",
        (*_PAGING, "filter", "sort"),
    ),
}
"""What belongs to the record of a path: its index, the clause and the index of the
record.
"""

_RANKED: Final = ("entities_count", "score")  # by what names are ranked

Handler = Callable[..., bytes]


class Endpoints:
    """The endpoints over one store; each gives the body of its reply."""

    def __init__(
        self, store: Store, *, profile: Profile, tier: Tier = "premium"
    ) -> None:
        self._store, self._profile, self._tier = store, profile, tier

    @property
    def handlers(self) -> dict[str, tuple[Handler, tuple[str, ...]]]:
        """Each endpoint's handler and the query parameters it knows."""
        handlers: dict[str, tuple[Handler, tuple[str, ...]]] = {
            "dataset": (self._dataset, ()),
            "filters": (self._filters, ("scope",)),
            "entity": (self._entity, ("currency",)),
            "search": (self._search, ("q", "types", "limit")),
            "tags": (self._find_tags, ("q", "scope", "limit_per_row", "limit")),
            "aggregates": (self._aggregate, _GROUPED),
        }
        for name in ("tag-values", "locations"):
            handlers[name] = partial(self._find_values, name), _VALUES
        for name in _LISTS:
            known = (*_LIST, *self._profile.fixed.get(name, ()))
            handlers[name] = partial(self._page, name, self._index(name)), known
        for name, (_, known, *_) in ENTRIES.items() if self._store.entries else ():
            handlers[name] = partial(self._entries, name), known
        for name, (*_, known) in _OWNED.items():
            handlers[name] = partial(self._owned, name), known
        return handlers

    def _index(self, name: str) -> Index:
        return self._store.indexes[name]

    def _dataset(self, _parameters: Parameters) -> bytes:
        about = self._store.dataset.description
        gaps = to_plain(about.incomplete)
        more = {"incomplete": gaps} if gaps else {}
        return written({"data": {**about.to_json(), **more}})

    def _owned(self, endpoint: str, parameters: Parameters, uuid: str) -> bytes:
        """A page of what belongs to the record of the path; 404 without a record."""
        name, column, owners, _ = _OWNED[endpoint]
        key = self._owner(owners, uuid)
        return self._page(
            endpoint, self._index(name), parameters, Clause(column, "eq", (key,))
        )

    def _owner(self, name: str, uuid: str) -> str:
        """The key of the record of a path, once the index of this name has it; else
        404.
        """
        key, index = request.read_id(uuid), self._index(name)
        if not index.find(Clause("uuid", "eq", (key,))).total:
            raise _unknown(index.resource.singular, key)
        return key

    def _page(
        self, endpoint: str, index: Index, parameters: Parameters, *within: Clause
    ) -> bytes:
        profile, resource = self._profile, index.resource
        asked = parameters.filter(resource)
        if endpoint == "founders" and request.values_in(asked) > profile.batch:
            raise invalid(
                "filter", f"at most {profile.batch} UUIDs a request", status=422
            )
        currency, sort = parameters.currency(), parameters.sort(resource)
        parts = [part for part in (*within, asked) if part is not None]
        is_counted = parameters.is_counted()
        where = filters.all_of(*parts) if parts else None
        digest = request.digest_of(endpoint, str(where), sort, currency)
        offset, limit = parameters.window(endpoint, digest)
        found = index.find(where, sort=sort, currency=currency)
        after, before = offset + limit, max(0, offset - limit)
        is_paged = endpoint in profile.cursor_endpoints
        next_, previous = is_paged and after < found.total, is_paged and offset > 0
        page = {
            "limit": limit,
            "offset": offset,
            "total": (
                found.total
                if is_counted and endpoint not in profile.uncounted
                else None
            ),
            profile.next_cursor: (
                request.to_cursor(digest, after, limit) if next_ else None
            ),
            profile.previous_cursor: (
                request.to_cursor(digest, before, limit) if previous else None
            ),
        }
        if profile.shapes and is_paged:
            page |= {"capped": False, "tier": self._tier, "ecosystem": None}
        rows = index.page(found, offset, limit)
        if endpoint == "manager-funds":  # the path names it
            rows = rows.drop("manager")
        data = self._written(rows, endpoint)
        beside: dict[str, object] = {"page": page, "currency": currency}
        if endpoint in profile.fixed:
            beside["view"] = parameters.choice("view", ("full", "summary"), "full")
            data = data.drop(
                FULL_ONLY if beside["view"] == "summary" else (), strict=False
            )
        return _reply(_rows(data), **beside)

    def _written(self, rows: pl.DataFrame, endpoint: str) -> pl.DataFrame:
        hidden = () if self._tier == "premium" else _BLOCKS.get(endpoint, ())
        shape = self._profile.shapes.get(endpoint)
        return (
            rows if shape is None else write_rows(rows, shape, endpoint, hidden=hidden)
        )

    def _entries(self, endpoint: str, parameters: Parameters, uuid: str) -> bytes:
        """A page of the list that the row of the path cuts short."""
        (owner, _, sorts, order), sort = (
            ENTRIES[endpoint],
            parameters.query.get("sort", ""),
        )
        key = self._owner(owner, uuid)
        if self._tier != "premium":
            raise Problem(403, "FORBIDDEN", "the key does not cover this list")
        found = self._store.entries[endpoint].filter(owner=key)
        if sort not in ("", order):
            if (column := sorts.get(sort.removeprefix("-"))) is None:
                raise invalid("sort", f"sort is one of {', '.join(sorts)}")
            down = sort.startswith("-")
            found = found.sort(
                column, descending=down, nulls_last=True, maintain_order=True
            )
        if past := parameters.choice("is_past", ("true", "false")):
            found = found.filter(is_past=past == "true")
        if (
            parameters.choice("role", ("founder", "executive", "partner"), "founder")
            != "founder"
        ):
            found = found.clear()
        is_counted = parameters.is_counted()
        offset, limit = parameters.whole("offset"), parameters.limit(endpoint)
        total = found.height if is_counted else None
        page = {"limit": limit, "offset": offset, "total": total}
        page |= {"next_cursor": None, "prev_cursor": None}
        data = self._written(found.slice(offset, limit), endpoint)
        return _reply(_rows(data), page=page, currency=parameters.currency())

    def _filters(self, parameters: Parameters) -> bytes:
        scope = parameters.choice("scope", (*request.SCOPES, "founders"), "companies")
        resource, rows = fields.RESOURCES[str(scope)], []
        for key, field in request.filter_keys(resource, self._profile).items():
            kind, operators = _KINDS.get(field.scalar, "text"), list(field.operators)
            row = {"key": key, "filter_key": key, "label": field.doc, "type": kind}
            rows.append({**row, "category": resource.singular, "operators": operators})
        return _reply(written(rows))

    def _entity(self, parameters: Parameters, uuid: str) -> bytes:
        """The one record with this UUID, whatever it is; its `type` says what."""
        key, currency = request.read_id(uuid), parameters.currency()
        for index in map(
            self._index, ("universities", "investors", "companies", "founders")
        ):
            found = index.find(Clause("uuid", "eq", (key,)), currency=currency)
            if found.total:
                kind, name = index.resource.singular, index.resource.name
                shape = name if name in self._profile.shapes else kind
                data = _rows(self._written(index.page(found), shape))[1:-1]
                if not self._profile.shapes:
                    data = written({"type": kind})[:-1] + b"," + data[1:]
                return _reply(data, currency=currency)
        raise _unknown("record", key)

    def _aggregate(self, parameters: Parameters, source: str) -> bytes:
        profile = self._profile
        if source not in (profile.sources or aggregate.GROUPS):
            raise _unknown("source", source)
        index, query = self._index(source), parameters.query
        resource, limit = index.resource, parameters.limit("aggregates")
        measured = checked(
            "metric", aggregate.measures, query.get("metric", "count"), resource
        )
        if "group_by" not in query:
            raise invalid("group_by", "group_by is needed")
        named = {written: name for name, written in profile.groups.items()}
        asked = ",".join(named.get(name, name) for name in query["group_by"].split(","))
        by = checked("group_by", aggregate.groups, asked, source)
        where = parameters.filter(resource)
        found = index.find(where, currency=parameters.currency())
        groups = aggregate.aggregate(
            index, found, source=source, by=by, measured=measured
        )
        groups = groups.rename({name: profile.groups.get(name, name) for name in by})
        groups = checked("sort", aggregate.ordered, query.get("sort", ""), groups)
        text = None if where is None else str(where)
        info: dict[str, object] = {"source": source, "metric": measured, "group_by": by}
        info |= {"filter": text, "sort": query.get("sort"), "limit": limit}
        info |= {"rows": found.total, "groups": groups.height}
        if profile.shapes:
            info |= {
                "group_by": query["group_by"],
                "metric": query.get("metric", aggregate.COUNT),
            }
            info["groups_count"] = groups.height
        return _reply(
            _rows(groups.head(limit)), query_info=info, currency=found.currency
        )

    def _search(self, parameters: Parameters) -> bytes:
        limit, text = (
            parameters.limit("search"),
            parameters.text(self._profile.search_minimum),
        )
        types = parameters.query.get("types", "university,investor").split(",")
        if unknown := [name for name in types if name not in self._searched]:
            raise invalid(
                "types", f"types are {', '.join(self._searched)}, not {unknown[0]!r}"
            )
        found = [
            self._searched[kind].find(text).head(limit) for kind in dict.fromkeys(types)
        ]
        best = pl.concat(found).sort("score", descending=True, maintain_order=True)
        return _reply(_rows(self._written(best.head(limit).drop(*_RANKED), "search")))

    def _find_tags(self, parameters: Parameters) -> bytes:
        """Tags whose label is like `q`; only companies are filtered by tags."""
        profile = self._profile
        bounds = (
            Limit(3, profile.tags_per_row) if profile.shapes else profile.limits["tags"]
        )
        per = parameters.whole(
            "limit_per_row", bounds.default, least=1, most=bounds.maximum
        )
        limit = min(parameters.limit("tags"), per)
        text = parameters.text(profile.tag_minimum)
        if parameters.choice("scope", request.SCOPES, "companies") != "companies":
            return _reply(b"[]")
        found = self._tags.find(text).head(limit).drop(_RANKED[bool(profile.shapes) :])
        return _reply(_rows(self._written(found, "tags")))

    def _find_values(self, endpoint: str, parameters: Parameters) -> bytes:
        """The values of a filter like `q`, else all of them, those of most companies
        first.
        """
        limit, offset = parameters.limit(endpoint), parameters.whole("offset")
        text = (
            parameters.text(self._profile.location_minimum)
            if "q" in parameters.query
            else ""
        )
        is_counted = parameters.choice("include_counts", ("true", "false")) == "true"
        types = {
            self._profile.place_types.get(kind, kind): kind
            for kind in get_args(fields.Place)
        }
        if endpoint == "tag-values":
            types = {kind: kind for kind in [parameters.query.get("type", "")]}
            found = self._tags.find(text)
            found = found.rename(
                {"value": "id", "label": "name", "source_type": "type"}
            )
            found = found.drop("kind", "filter_key")
        else:
            found = self._locations.find(text)
        if kind := parameters.choice("type", tuple(types)):
            found = found.filter(type=types[kind])
        rows = found.slice(offset, limit).drop(_RANKED[is_counted:])
        page = {
            "limit": limit,
            "offset": offset,
            "has_more": offset + limit < found.height,
        }
        if self._profile.shapes:
            page["total"] = rows.height
        return _reply(_rows(self._written(rows, "locations")), page=page)

    @cached_property
    def _searched(self) -> Mapping[str, Names]:
        """By kind the records: of names alike, those with most founders or managers
        first.
        """
        (uuid, _, *more), tables = fields.SEARCH, self._store.dataset.tables
        studied = pl.col("education").list.eval(
            pl.element().struct.field("university_uuid")
        )
        entries = tables["founders"].select(studied.list.unique().alias("uuid"))
        records = {
            "universities": entries.explode("uuid").drop_nulls(),
            "investors": tables["lp_managers"].select(uuid="lp_uuid"),
        }
        if self._profile.finds_companies:
            posted = tables["jobs"].select(uuid="entity_id")
            records["companies"] = posted.drop_nulls()
        names = dict[str, Names]()
        for name, each in records.items():
            index, counts = (
                self._index(name),
                each.group_by("uuid").len("entities_count"),
            )
            kind = pl.lit(index.resource.singular).alias("type")
            rows = index.table(index.find(), [uuid, *more]).join(
                counts, on=uuid, how="left"
            )
            rows = rows.sort(
                "entities_count", uuid, descending=[True, False], nulls_last=True
            )
            rows = rows.select(uuid, kind, *more, "entities_count")
            names[index.resource.singular] = Names(
                rows, by="name", also="website_domain"
            )
        return names

    @cached_property
    def _tags(self) -> Names:
        kind, key = (
            pl.lit("value").alias("kind"),
            pl.lit(self._profile.tag_key).alias("filter_key"),
        )
        value = pl.col("id").cast(pl.String).alias("value")
        tags, counts = (
            self._store.dataset.tables["tags"],
            self._index("companies").counts("tag_id"),
        )
        rows = tags.join(counts, on="id", how="left", maintain_order="left")
        rows = rows.select(
            kind, key, "label", value, "entities_count", source_type="type"
        )
        return Names(rows, by="label")

    @cached_property
    def _locations(self) -> Names:
        places = self._store.dataset.tables["locations"]
        above = places.select(parent_name="name", parent_type="type", parent_id="id")
        rows = places.join(above, on="parent_id", how="left", maintain_order="left")
        counts = self._index("companies").counts("hq_location")
        rows = rows.join(counts, on="id", how="left", maintain_order="left")
        return Names(rows.select(*fields.LOCATIONS), by="name")


def written(content: object) -> bytes:
    """The content as JSON."""
    text = json.dumps(
        content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode(errors="replace")


def _rows(frame: pl.DataFrame) -> bytes:
    return frame.write_json().encode()


def _reply(data: bytes, **beside: object) -> bytes:
    """A reply's body: `data`, written already, and what stands beside it."""
    return b"".join((b'{"data":', data, b"," if beside else b"", written(beside)[1:]))


def _unknown(what: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {what} has the id {key}")
