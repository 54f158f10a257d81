"""The endpoints of the newer wire, over those of the older one.

A request is put into the interface's words, answered by the embedded service's own
endpoints, and written as the newer wire has it. Paths, limits, names of filters and
what is counted come from the one table of the wire, as the client's do.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, Literal

import polars as pl

import ventureframe as vf
from tests.fake.lists import cut_lists
from tests.fake.rows import summarised, write
from tests.faults import connected
from ventureframe.client.service import Service
from ventureframe.errors import QueryError
from ventureframe.interface import filters
from ventureframe.interface.fields import Field, Many
from ventureframe.interface.filters import Clause
from ventureframe.interface.wire.generations import WIRE_2026_10_02 as WIRE
from ventureframe.interface.wire.terms import renamed
from ventureframe_service import run
from ventureframe_service.dataset import Dataset, sample
from ventureframe_service.endpoints import Endpoints, Handler, reply, written
from ventureframe_service.engine.store import Collection, Store
from ventureframe_service.request import Parameters, Problem, invalid
from ventureframe_service.search import Names
from ventureframe_service.settings import Settings

Tier = Literal["free", "premium"]
"""What a key may see: none of a row's full blocks, or all of it."""


OWNERS: Final = {"team": "companies", "education": "founders", "career": "founders"}
"""The index of the record of the path, for each list that rows cut short."""
_TERMS: Final = {
    term.key: name
    for name, term in WIRE.filters.items()
    if not (term.label or term.kind)
}
_LABELS: Final = {name: term.label for name, term in WIRE.filters.items() if term.label}
_CLASSIFICATION: Final = "classification"
_STUDIED: Final = "founder__university.id"
_OWN_FILTERS: Final = (
    Field(
        _CLASSIFICATION,
        Many("text"),
        "labels of the company",
        returned=False,
        filters=True,
    ),
    Field(
        _STUDIED, Many("uuid"), "a founder studied there", returned=False, filters=True
    ),
)
_UNLABELLED: Final = "-"
"""Stands among the labels of each company, so that "not this label" holds of one
without any.
"""


class _Store(Store):
    """A store whose companies are found by labels and by universities' identifiers."""

    def _companies(self) -> Collection:
        own = super()._companies()
        takes = (*own.resource.fields, *_OWN_FILTERS)
        numbered = own.rows.lazy().with_row_index("row")
        labels = [numbered.select("row", value=pl.lit(_UNLABELLED))]
        for flag, label in _LABELS.items():
            labels.append(numbered.filter(flag).select("row", value=pl.lit(label)))
        postings = {
            **own.postings,
            _CLASSIFICATION: pl.concat(labels),
            _STUDIED: self.studied("university_uuid"),
        }
        resource = dataclasses.replace(own.resource, fields=takes)
        return dataclasses.replace(own, resource=resource, postings=postings)


class Newer(Endpoints):
    """The endpoints of the newer wire over a dataset, for a key of this tier."""

    profile = WIRE

    def __init__(self, dataset: Dataset, *, tier: Tier = "premium") -> None:
        self._lists, self._tier = cut_lists(dataset.tables), tier
        super().__init__(
            _Store(dataclasses.replace(dataset, tables=self._lists.tables))
        )

    @property
    def handlers(self) -> dict[str, Handler]:
        entries = {name: partial(self._list_entries, name) for name in OWNERS}
        return super().handlers | entries

    def parameters(self, query: Mapping[str, str]) -> Parameters:
        return super().parameters(_in_the_interfaces_words(query))

    def write_rows(self, endpoint: str, rows: pl.DataFrame) -> bytes:
        kind = str(rows["type"].first()) if endpoint == "entity" else endpoint
        name = {"company": "companies", "founder": "founders"}.get(kind, kind)
        table = {"investor": "investors"}.get(name, name)
        if table in self._lists.shown:
            shown = self._lists.shown[table]
            key = shown.columns[0]
            rows = rows.drop(shown.columns[1:], strict=False)
            rows = rows.join(shown, on=key, how="left", maintain_order="left")
        is_locked = self._tier == "free"
        return written(write(name, rows.to_dicts(), is_locked=is_locked))

    def write_problem(self, problem: Problem) -> bytes:
        message = str(problem)
        details: object = problem.details or None
        is_method = problem.code == "METHOD_NOT_ALLOWED"
        if "parameter" in problem.details:
            details = [{"path": problem.details["parameter"], "message": message}]
        error = {
            "code": "VALIDATION_ERROR" if is_method else problem.code,
            "message": message,
            "details": details,
        }
        return written({"error": error})

    def _write_page(
        self,
        endpoint: str,
        rows: pl.DataFrame,
        page: Mapping[str, object],
        parameters: Parameters,
    ) -> bytes:
        more: dict[str, object] = {}
        if endpoint in WIRE.cursor_endpoints:
            more = {"capped": False, "tier": self._tier, "ecosystem": None}
        if endpoint in WIRE.uncounted:
            more["total"] = None
        written_page = super()._write_page(endpoint, rows, {**page, **more}, parameters)
        if endpoint not in ("companies", "founders"):
            return written_page
        view = parameters.choice("view", ("full", "summary"), "full")
        body = json.loads(written_page)
        if view == "summary":
            body["data"] = [summarised(row) for row in body["data"]]
        return written({**body, "view": view})

    def _list_entries(self, endpoint: str, parameters: Parameters, uuid: str) -> bytes:
        """A page of the list that the row of the path cuts short."""
        key = self._owner(OWNERS[endpoint], uuid)
        if self._tier == "free":
            raise Problem(403, "FORBIDDEN", "the key does not cover this list")
        found = self._lists.entries[endpoint].filter(owner=key)
        offset, limit = parameters.whole("offset"), parameters.limit(endpoint)
        page = {
            "limit": limit,
            "offset": offset,
            "total": found.height if parameters.is_counted() else None,
            "next_cursor": None,
            "prev_cursor": None,
        }
        rows = self.write_rows(endpoint, found.slice(offset, limit))
        return reply(rows, page=page, currency=parameters.currency())

    def _list_filters(self, parameters: Parameters) -> bytes:
        rows: dict[str, object] = {}
        names = {name: key for key, name in _TERMS.items()}
        for row in json.loads(super()._list_filters(parameters))["data"]:
            key = names.get(row["filter_key"], row["filter_key"])
            if key not in WIRE.filters:
                category = {"key": key, "filter_key": key, "category": "entity"}
                rows.setdefault(key, row | category)
        return written({"data": list(rows.values())})

    def _aggregate(self, parameters: Parameters, source: str) -> bytes:
        if source not in (WIRE.sources or ()):
            raise Problem(404, "NOT_FOUND", f"no source has the id {source}")
        query = dict(parameters.query)
        names = {key: name for name, key in WIRE.groups.items()}
        by = query.get("group_by", "")
        for name in ("group_by", "sort"):
            if name in query:
                query[name] = renamed(query[name], names)
        asked = dataclasses.replace(parameters, query=query)
        body = json.loads(super()._aggregate(asked, source))
        body["data"] = [
            {WIRE.groups.get(name, name): value for name, value in row.items()}
            for row in body["data"]
        ]
        info = body["query_info"]
        info |= {"group_by": by, "metric": query.get("metric", "count")}
        info["groups_count"] = info["groups"]
        return written(body)

    def _find_tags(self, parameters: Parameters) -> bytes:
        most = parameters.whole("limit_per_row", 3, least=1, most=WIRE.tags_per_row)
        query = {**parameters.query, "limit_per_row": str(most)}
        found = self._matching_tags(dataclasses.replace(parameters, query=query))
        return reply(self.write_rows("tags", found))

    def _write_values(
        self, endpoint: str, found: pl.DataFrame, parameters: Parameters
    ) -> bytes:
        body = json.loads(super()._write_values(endpoint, found, parameters))
        body["page"]["total"] = len(body["data"])
        return written(body)

    @cached_property
    def _searched(self) -> Mapping[str, Names]:
        posted = self.store.dataset.tables["jobs"].select(uuid="entity_id")
        companies = self._named("companies", posted.drop_nulls())
        return {**super()._searched, "company": companies}


def _in_the_interfaces_words(query: Mapping[str, str]) -> dict[str, str]:
    """The parameters under the names of the interface; a name that the wire has
    replaced is refused.
    """
    asked = dict(query)
    if "sort" in asked:
        for part in asked["sort"].split(","):
            if part.removeprefix("-") in WIRE.sorts:
                raise invalid("sort", f"{part} is not known here")
        names = {key: name for name, key in WIRE.sorts.items()}
        asked["sort"] = renamed(asked["sort"], names)
    if asked.get("type") == "state":
        asked["type"] = "region"
    try:
        where = filters.parse(asked["filter"])
    except (KeyError, QueryError):
        return asked  # refused where it is read
    asked["filter"] = str(filters.mapped(where, _translate))
    return asked


def _translate(clause: Clause) -> Clause:
    term = WIRE.filters.get(clause.field)
    if term is not None and clause.field not in ("id", "uuid"):
        message = f"{clause.field} is not known here"
        names = {"filter": clause.field, "replaced_by": term.key}
        raise Problem(400, "UNKNOWN_FILTER", message, **names)
    return dataclasses.replace(clause, field=_TERMS.get(clause.field, clause.field))


def start(
    dataset: Dataset,
    *,
    tier: Tier = "premium",
    **settings: Any,
) -> run.Running:
    """A service of the newer wire over the dataset, on a socket of its own."""
    endpoints = Newer(dataset, tier=tier)
    return run.start(dataset, Settings(**settings), endpoints=endpoints)


def environment_of(running: run.Running) -> dict[str, str]:
    """The settings of an environment that name a running service."""
    return {
        "VENTUREFRAME_BASE_URL": running.base_url,
        "VENTUREFRAME_AUTH_URL": running.auth_url,
        "VENTUREFRAME_CLIENT_ID": running.client_id,
        "VENTUREFRAME_CLIENT_SECRET": running.client_secret,
        "VENTUREFRAME_USER_AGENT": "tests/1",
    }


@contextmanager
def serving(dataset: Dataset, *, tier: Tier = "premium") -> Iterator[dict[str, str]]:
    """The settings of an environment that name a service of the newer wire."""
    with start(dataset, tier=tier) as running:
        yield environment_of(running)


def start_on(wire: str, dataset: Dataset, **settings: Any) -> run.Running:
    """A service of either generation over the dataset."""
    if wire == WIRE.name:
        return start(dataset, **settings)
    return run.start(dataset, Settings(**settings))


@contextmanager
def connected_on(
    wire: str, data: Path | None = None, *, currency: str = "USD"
) -> Iterator[Service]:
    """A client of either generation over the sample or a folder; nothing else differs,
    so the newer one is taken for an embedded service as well.
    """
    if wire == WIRE.name:
        dataset = sample() if data is None else Dataset.open(data)
        own: dict[str, Any] = {"profile": WIRE, "currency": currency}
        with (
            start(dataset) as running,
            connected(running, is_embedded=True, **own) as service,
        ):
            yield service
    else:
        with vf.connect(environment={}, data=data, currency=currency) as service:
            yield service
