"""The endpoints over a store: the interface's table and its rules, each where it
applies.
"""

import json
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import ClassVar, Final, NamedTuple, get_args

import polars as pl

from ventureframe.interface import fields, filters
from ventureframe.interface.fields import Field
from ventureframe.interface.files import to_plain
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe_service import aggregate, request
from ventureframe_service.engine.index import Index
from ventureframe_service.engine.store import Store
from ventureframe_service.request import Parameters, Problem, checked, invalid
from ventureframe_service.search import Names

Handler = Callable[..., bytes]
"""Makes the body of a reply from the query parameters and what the path names."""


class Owned(NamedTuple):
    """A list of what belongs to the record of a path."""

    rows: str  # the index of the rows
    clause: str  # the field of a row that names the record
    owners: str  # the index of the record


_LISTS = ("companies", "founders", "funds", "news", "jobs")
_OWNED: Final[Mapping[str, Owned]] = {
    "funding-rounds": Owned("funding-rounds", "company_uuid", "companies"),
    "lp-funds": Owned("investors", "lp_uuid", "investors"),
    "manager-funds": Owned("funds", "investor_id", "investors"),
}
_ENTITIES = ("universities", "investors", "companies", "founders")
_KINDS: Final[Mapping[fields.Scalar, str]] = {
    "flag": "boolean",
    "number": "numeric",
    "integer": "numeric",
    "date": "date",
    "uuid": "id_lookup",
    "identifier": "id_lookup",
}
"""What a reply calls the type of a filter; every other one is text."""


class Endpoints:
    """The endpoints over one store; each gives the body of its reply."""

    profile: ClassVar[Profile] = INTERFACE

    def __init__(self, store: Store) -> None:
        self.store = store

    @property
    def handlers(self) -> dict[str, Handler]:
        """Each endpoint's handler, by the endpoint's name in the profile."""
        return {
            "dataset": self._describe,
            "filters": self._list_filters,
            "entity": self._find_entity,
            "search": self._search,
            "tags": self._find_tags,
            "tag-values": self._list_tags,
            "locations": self._list_locations,
            "aggregates": self._aggregate,
            **{name: partial(self._list, name) for name in _LISTS},
            **{name: partial(self._list_owned, name) for name in _OWNED},
        }

    def parameters(self, query: Mapping[str, str]) -> Parameters:
        """Return the parameters of a request."""
        return Parameters(query, self.profile, self.store.can_show)

    def write_rows(self, endpoint: str, rows: pl.DataFrame) -> bytes:  # noqa: ARG002
        """Return the rows of a reply as JSON; a wire can write those of an endpoint in
        its own way.
        """
        return rows.write_json().encode()

    def write_problem(self, problem: Problem) -> bytes:
        """Return the body of a reply that refuses a request."""
        error = {
            "code": problem.code,
            "message": str(problem),
            "details": problem.details,
        }
        return written({"error": error})

    def _describe(self, _parameters: Parameters) -> bytes:
        about = self.store.dataset.description
        content = about.to_json()
        if about.incomplete:
            content["incomplete"] = to_plain(about.incomplete)
        return written({"data": content})

    def _list(self, name: str, parameters: Parameters) -> bytes:
        return self._page(name, self._index(name), parameters)

    def _list_owned(self, endpoint: str, parameters: Parameters, uuid: str) -> bytes:
        """Return a page of what belongs to the record of the path; 404 without a
        record.
        """
        owned = _OWNED[endpoint]
        key = self._owner(owned.owners, uuid)
        within = Clause(owned.clause, "eq", (key,))
        return self._page(endpoint, self._index(owned.rows), parameters, within)

    def _page(
        self, endpoint: str, index: Index, parameters: Parameters, *within: Clause
    ) -> bytes:
        condition = parameters.filter(index.resource)
        batch = self.profile.ids_per_request
        if endpoint == "founders" and request.values_in(condition) > batch:
            raise invalid("filter", f"at most {batch} UUIDs a request", status=422)
        currency = parameters.currency()
        sort = parameters.sort(index.resource)
        parts = [part for part in (*within, condition) if part is not None]
        where = filters.all_of(*parts) if parts else None
        digest = request.digest_of(endpoint, str(where), sort, currency)
        offset, limit = parameters.window(endpoint, digest)
        matches = index.find(where, sort=sort, currency=currency)
        page: dict[str, object] = {"limit": limit, "offset": offset}
        page["total"] = matches.total if parameters.is_counted() else None
        is_paged = endpoint in self.profile.cursor_endpoints
        following = previous = None
        if is_paged and offset + limit < matches.total:
            following = request.to_cursor(digest, offset + limit, limit)
        if is_paged and offset > 0:
            previous = request.to_cursor(digest, max(0, offset - limit), limit)
        page[self.profile.next_cursor] = following
        page[self.profile.previous_cursor] = previous
        rows = index.page(matches, offset, limit)
        if endpoint == "manager-funds":  # the path names it
            rows = rows.drop("manager")
        return self._write_page(endpoint, rows, page, parameters)

    def _write_page(
        self,
        endpoint: str,
        rows: pl.DataFrame,
        page: Mapping[str, object],
        parameters: Parameters,
    ) -> bytes:
        data = self.write_rows(endpoint, rows)
        return reply(data, page=page, currency=parameters.currency())

    def _list_filters(self, parameters: Parameters) -> bytes:
        scope = parameters.choice("scope", (*request.SCOPES, "founders"), "companies")
        columns = self._index(str(scope)).resource.fields
        return written(
            {"data": [_as_filter(field) for field in columns if field.filters]}
        )

    def _find_entity(self, parameters: Parameters, uuid: str) -> bytes:
        """Return the record with this UUID, of any kind; its `type` says which."""
        key = request.read_id(uuid)
        currency = parameters.currency()
        for name in _ENTITIES:
            index = self._index(name)
            matches = index.find(Clause("uuid", "eq", (key,)), currency=currency)
            if matches.total:
                kind = pl.lit(index.resource.singular).alias("type")
                row = index.page(matches).select(kind, pl.all())
                [record] = json.loads(self.write_rows("entity", row))
                return written({"data": record, "currency": currency})
        raise _unknown("record", key)

    def _aggregate(self, parameters: Parameters, source: str) -> bytes:
        if source not in aggregate.GROUPS:
            raise _unknown("source", source)
        query = parameters.query
        index = self._index(source)
        metric = query.get("metric", aggregate.COUNT)
        measured = checked("metric", aggregate.measures, metric, index.resource)
        if "group_by" not in query:
            raise invalid("group_by", "group_by is needed")
        by = checked("group_by", aggregate.groups, query["group_by"], source)
        where = parameters.filter(index.resource)
        matches = index.find(where, currency=parameters.currency())
        groups = aggregate.aggregate(
            index, matches, source=source, by=by, measured=measured
        )
        groups = checked("sort", aggregate.ordered, query.get("sort", ""), groups)
        limit = parameters.limit("aggregates")
        info = {
            "source": source,
            "metric": measured,
            "group_by": by,
            "filter": None if where is None else str(where),
            "sort": query.get("sort"),
            "limit": limit,
            "rows": matches.total,
            "groups": groups.height,
        }
        rows = self.write_rows("aggregates", groups.head(limit))
        return reply(rows, query_info=info, currency=matches.currency)

    def _search(self, parameters: Parameters) -> bytes:
        limit = parameters.limit("search")
        text = parameters.text(self.profile.search_minimum)
        names = self._searched
        types = parameters.query.get("types", "university,investor").split(",")
        for kind in types:
            if kind not in names:
                raise invalid("types", f"types are {', '.join(names)}, not {kind!r}")
        hits = [names[kind].find(text).head(limit) for kind in dict.fromkeys(types)]
        best = pl.concat(hits).sort("score", descending=True, maintain_order=True)
        rows = best.head(limit).drop("score", "entities_count")
        return reply(self.write_rows("search", rows))

    def _find_tags(self, parameters: Parameters) -> bytes:
        rows = self._matching_tags(parameters).drop("entities_count")
        return reply(self.write_rows("tags", rows))

    def _matching_tags(self, parameters: Parameters) -> pl.DataFrame:
        """Return tags whose label is like `q`; only companies are filtered by tags."""
        per_row = parameters.limit("tags", "limit_per_row")
        limit = min(parameters.limit("tags"), per_row)
        tags = self._tags.find(parameters.text(self.profile.tag_minimum))
        scope = parameters.choice("scope", request.SCOPES, "companies")
        return tags.head(limit if scope == "companies" else 0).drop("score")

    def _list_tags(self, parameters: Parameters) -> bytes:
        """Return the tags like `q`, else all, those of most companies first."""
        tags = self._tags.find(self._value_text(parameters))
        if "type" in parameters.query:
            tags = tags.filter(source_type=parameters.query["type"])
        rows = tags.select(
            "entities_count", id="value", name="label", type="source_type"
        )
        return self._write_values("tag-values", rows, parameters)

    def _list_locations(self, parameters: Parameters) -> bytes:
        """Return the places like `q`, else all, those of most companies first."""
        places = self._locations.find(self._value_text(parameters))
        if kind := parameters.choice("type", get_args(fields.Place)):
            places = places.filter(type=kind)
        return self._write_values("locations", places.drop("score"), parameters)

    def _value_text(self, parameters: Parameters) -> str:
        if "q" not in parameters.query:
            return ""
        return parameters.text(self.profile.location_minimum)

    def _write_values(
        self, endpoint: str, values: pl.DataFrame, parameters: Parameters
    ) -> bytes:
        offset, limit = parameters.whole("offset"), parameters.limit(endpoint)
        rows = values.slice(offset, limit)
        if parameters.choice("include_counts", ("true", "false")) != "true":
            rows = rows.drop("entities_count")
        has_more = offset + limit < values.height
        page = {"limit": limit, "offset": offset, "has_more": has_more}
        return reply(self.write_rows(endpoint, rows), page=page)

    def _index(self, name: str) -> Index:
        return self.store.indexes[name]

    def _owner(self, name: str, uuid: str) -> str:
        """Return the key of the record of a path, once the index of this name has it;
        else 404.
        """
        key, index = request.read_id(uuid), self._index(name)
        if not index.find(Clause("uuid", "eq", (key,))).total:
            raise _unknown(index.resource.singular, key)
        return key

    @cached_property
    def _searched(self) -> Mapping[str, Names]:
        """The records by kind; of equal matches, those with most founders or managers
        come first.
        """
        tables = self.store.dataset.tables
        entry = pl.element().struct.field("university_uuid")
        studied = pl.col("education").list.eval(entry).list.unique()
        founders = tables["founders"].select(uuid=studied).explode("uuid").drop_nulls()
        managers = tables["lp_managers"].select(uuid="lp_uuid")
        return {
            "university": self._named("universities", founders),
            "investor": self._named("investors", managers),
        }

    def _named(self, name: str, counted: pl.DataFrame) -> Names:
        """Return the records of an index by name; `counted` has a row for each count of
        a `uuid`.
        """
        index = self._index(name)
        columns = [name for name in fields.SEARCH if name != "type"]
        counts = counted.group_by("uuid").len("entities_count")
        rows = index.table(index.find(), columns).join(counts, on="uuid", how="left")
        order = ["entities_count", "uuid"]
        rows = rows.sort(order, descending=[True, False], nulls_last=True)
        rows = rows.with_columns(type=pl.lit(index.resource.singular))
        rows = rows.select(*fields.SEARCH, "entities_count")
        return Names(rows, by="name", also="website_domain")

    @cached_property
    def _tags(self) -> Names:
        counts = self._index("companies").counts("tag_id")
        tags = self.store.dataset.tables["tags"]
        rows = tags.join(counts, on="id", how="left", maintain_order="left")
        rows = rows.with_columns(
            kind=pl.lit("value"),
            filter_key=pl.lit(self.profile.tag_key),
            value=pl.col("id").cast(pl.String),
            source_type="type",
        )
        return Names(rows.select(*fields.TAGS), by="label")

    @cached_property
    def _locations(self) -> Names:
        places = self.store.dataset.tables["locations"]
        above = places.select(parent_name="name", parent_type="type", parent_id="id")
        counts = self._index("companies").counts("hq_location")
        rows = places.join(above, on="parent_id", how="left", maintain_order="left")
        rows = rows.join(counts, on="id", how="left", maintain_order="left")
        return Names(rows.select(*fields.LOCATIONS), by="name")


def _as_filter(field: Field) -> dict[str, object]:
    return {
        "filter_key": field.name,
        "label": field.doc,
        "type": _KINDS.get(field.scalar, "text"),
        "operators": field.operators,
    }


def written(content: object) -> bytes:
    """Return the content as JSON."""
    text = json.dumps(
        content, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode(errors="replace")


def reply(data: bytes, **members: object) -> bytes:
    """Return a reply's body: `data`, written already, and its other members."""
    more = written(members)[1:]
    return b'{"data":' + data + (b"," if members else b"") + more


def _unknown(kind: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {kind} has the id {key}")
