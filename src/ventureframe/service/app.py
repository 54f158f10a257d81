"""The routes: the interface's endpoint table over a store, each rule where it applies.

Every reply is JSON. A question that cannot be answered gives the body of the choices beside the
interface, `{"error": {"code", "message", "details"}}`, and never a status of 500.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar
from urllib.parse import quote

import polars as pl
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ventureframe import fields, filters
from ventureframe.errors import (
    FilterSyntaxError,
    QueryError,
    UnknownField,
    UnsupportedOperator,
    UnsupportedValue,
)
from ventureframe.fields import Field, Resource
from ventureframe.filters import Clause, Filter
from ventureframe.service import aggregate, openapi
from ventureframe.service.faults import TOKEN_ROUTE, Fault, Stage
from ventureframe.service.faults import check as check_faults
from ventureframe.service.rate import Rate
from ventureframe.service.search import Names
from ventureframe.service.store import Collection, Store
from ventureframe.service.tokens import Refused, Tokens
from ventureframe.wire import INTERFACE, Profile

TOKEN_PATH: Final = "/oauth/token"  # noqa: S105  # a path, not a token
API_VERSION: Final = "1"
MAX_BODY: Final = 16_384
MAX_FILTER: Final = 32_768
MAX_VALUES: Final = 500
MAX_QUESTION: Final = 400

_ID: Final = Field("id", "uuid", "a path's identifier")
_SCOPES: Final = ("companies", "investors", "jobs", "news", "funds")
_PLACES: Final = ("continent", "country", "region", "city")
_CODES: Final[Mapping[type[QueryError], str]] = {
    UnknownField: "UNKNOWN_FILTER",
    UnsupportedOperator: "UNSUPPORTED_OPERATOR",
    FilterSyntaxError: "FILTER_PARSE_ERROR",
    UnsupportedValue: "VALIDATION_ERROR",
}


Made = TypeVar("Made")


class Problem(Exception):
    """A request that cannot be answered, as its reply says it."""

    def __init__(self, status: int, code: str, message: str, **details: object) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.details = details


def _invalid(parameter: str, message: str, *, status: int = 400) -> Problem:
    return Problem(status, "VALIDATION_ERROR", message, parameter=parameter)


@dataclass(frozen=True, slots=True)
class Asked:
    """The query parameters of a request, read and checked one by one."""

    query: Mapping[str, str]
    profile: Profile

    def whole(self, name: str, *, default: int, least: int) -> int:
        """A whole number of at least `least`."""
        text = self.query.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) <= 15 and int(text) >= least):
            raise _invalid(name, f"{name} needs a whole number of at least {least}")
        return int(text)

    def limit(self, endpoint: str, name: str = "limit") -> int:
        """The page size; one above the endpoint's maximum is refused with 422."""
        bounds = self.profile.limits[endpoint]
        limit = self.whole(name, default=bounds.default, least=1)
        if limit > bounds.maximum:
            raise _invalid(name, f"{name} is at most {bounds.maximum}", status=422)
        return limit

    def flag(self, name: str) -> bool:
        """Whether the parameter is `true`; absent is `false`."""
        return self.choice(name, ("true", "false"), default="false") == "true"

    def choice(self, name: str, known: tuple[str, ...], *, default: str | None) -> str | None:
        """One of the `known` values."""
        value = self.query.get(name, default)
        if value is not None and value not in known:
            raise _invalid(name, f"{name} is one of {', '.join(known)}")
        return value

    def listed(
        self, name: str, read: Callable[..., Made], *known: object, default: str | None = None
    ) -> Made:
        """What `read` makes of a parameter's names, among those `known`."""
        text = self.query.get(name, default)
        if text is None:
            raise _invalid(name, f"{name} is needed")
        try:
            return read(text, *known)
        except ValueError as error:
            raise _invalid(name, str(error)) from error

    def currency(self) -> str:
        """The currency of the reply's amounts."""
        known = self.profile.currencies
        return self.choice("currency", known, default=known[0]) or known[0]

    def question(self, least: int) -> str:
        """The text that is searched for."""
        text = self.query.get("q", "")
        if not least <= len(text) <= MAX_QUESTION:
            raise _invalid("q", f"q needs {least} to {MAX_QUESTION} characters")
        return text

    def filter(self, resource: Resource) -> Filter | None:
        """The filter, once the resource takes every clause of it."""
        text = self.query.get("filter")
        if text is None:
            return None
        if len(text) > MAX_FILTER:
            raise Problem(
                400, "FILTER_PARSE_ERROR", f"a filter has at most {MAX_FILTER} characters"
            )
        found = filters.check(filters.parse(text), resource)
        if _values_in(found) > MAX_VALUES:
            raise _invalid("filter", f"a filter has at most {MAX_VALUES} values", status=422)
        return found

    def sort(self, resource: Resource) -> str:
        """The sort, once the resource sorts by every key of it."""
        sort = self.query.get("sort", "")
        try:
            return resource.check_sort(sort) if sort else ""
        except UnknownField as error:
            raise _invalid("sort", str(error)) from error


def _values_in(question: Filter | None) -> int:
    return 0 if question is None else sum(len(clause.values) for clause in question.clauses())


@dataclass(frozen=True, slots=True)
class Window:
    """Which rows of a result a page shows."""

    offset: int
    limit: int

    def to_cursor(self, offset: int, *, digest: str) -> str:
        """The opaque text for another page of the same walk."""
        content = json.dumps([digest, offset, self.limit]).encode()
        return base64.urlsafe_b64encode(content).decode().rstrip("=")

    @classmethod
    def from_cursor(cls, text: str, *, digest: str, maximum: int) -> Window:
        """The window a cursor stands for, if it was made for the same question."""
        try:
            padded = text + "=" * (-len(text) % 4)
            made_for, offset, limit = json.loads(base64.urlsafe_b64decode(padded))
            is_sound = type(offset) is type(limit) is int and offset >= 0 and 1 <= limit <= maximum
        except (ValueError, TypeError, binascii.Error, RecursionError):
            is_sound = False
        if not is_sound:
            raise _invalid("cursor", "cursor is not one this service gave")
        if made_for != digest:
            raise _invalid("cursor", "cursor belongs to another filter, sort or currency")
        return cls(offset, limit)


class Service:
    """The endpoints over one store; each gives the body of its reply."""

    def __init__(self, store: Store, *, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    def dataset(self, _asked: Asked) -> bytes:
        """What the dataset says of itself."""
        return _written({"data": self._store.dataset.description.to_json()})

    def companies(self, asked: Asked) -> bytes:
        """`/data/companies`."""
        return self._page("companies", self._store.companies, asked)

    def founders(self, asked: Asked) -> bytes:
        """`/data/founders`, by at most 50 UUIDs a request (interface, "Limits")."""
        asked_for = asked.filter(fields.FOUNDERS)
        if _values_in(asked_for) > self._profile.batch:
            raise _invalid("filter", f"at most {self._profile.batch} UUIDs a request", status=422)
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
        key, currency, store = _read_id(uuid), asked.currency(), self._store
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
            raise _invalid("types", f"types are {', '.join(self._searched)}, not {unknown[0]!r}")
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
        key = _read_id(uuid)
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
        digest = _digest(endpoint, str(question), sort, currency)
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


def _read_id(text: str) -> str:
    try:
        return str(_ID.read(text))
    except UnsupportedValue as error:
        raise Problem(400, "VALIDATION_ERROR", str(error), parameter="id") from error


def _unknown(what: str, key: str) -> Problem:
    return Problem(404, "NOT_FOUND", f"no {what} has the id {key}")


def _search_rows(frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    return frame.with_columns(type=pl.lit(kind)).select(*fields.SEARCH)


def _rows(frame: pl.DataFrame) -> bytes:
    return frame.write_json().encode()


def _reply(data: bytes, **beside: object) -> bytes:
    """A reply's body: `data`, written already, and what stands beside it."""
    return b"".join((b'{"data":', data, b"," if beside else b"", _written(beside)[1:]))


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


_PAGING: Final = ("limit", "offset", "include_total", "currency")
_LIST: Final = (*_PAGING, "filter", "sort", "cursor")


def _handlers(service: Service) -> dict[str, tuple[Callable[..., bytes], tuple[str, ...]]]:
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


def make_app(
    store: Store,
    tokens: Tokens,
    *,
    profile: Profile = INTERFACE,
    strict: bool = False,
    faults: Sequence[Fault] = (),
    rate: Rate | None = None,
) -> Starlette:
    """The ASGI application: every route of the interface, the token address and `/health`.

    `strict` refuses a query parameter the endpoint does not know; otherwise it is ignored. The
    application's `state.warm` makes what the first questions would have to wait for.
    """
    service = Service(store, profile=profile)
    handlers = _handlers(service)
    stage = Stage(check_faults(faults, routes=handlers))
    common = {
        profile.version_header: API_VERSION,
        profile.dataset_header: quote(store.dataset.description.name, safe=" "),
    }

    def data_route(name: str, handler: Callable[..., bytes], known: tuple[str, ...]) -> Route:
        def answer(request: Request) -> Response:
            try:
                _admit(request, tokens, profile)
                if rate is not None:
                    _keep_to(rate)
                if strict:
                    _refuse_unknown(request, known)
                asked = Asked(request.query_params, profile)
                return _json(handler(asked, *request.path_params.values()), headers=common)
            except Problem as problem:
                return _error(problem)
            except QueryError as error:
                return _error(_as_problem(error))

        route = Route(profile.paths[name], answer, name=name)
        route.app = stage.around(route.app, name)
        return route

    async def token(request: Request) -> Response:
        return await _token(request, tokens)

    token_route = Route(TOKEN_PATH, token, methods=["POST"], max_body_size=MAX_BODY)
    token_route.app = stage.around(token_route.app, TOKEN_ROUTE)
    known = {name: parameters for name, (_, parameters) in handlers.items()}
    contract = _written(openapi.document(profile, routes=known, token_path=TOKEN_PATH))
    app = Starlette(
        routes=[
            *(data_route(name, *each) for name, each in handlers.items()),
            token_route,
            Route("/openapi.json", lambda _request: _json(contract)),
            Route("/health", lambda _request: _json(_written({"status": "ok"}))),
        ],
        exception_handlers={HTTPException: _not_routed},
    )
    app.state.warm = service.warm
    return app


def _admit(request: Request, tokens: Tokens, profile: Profile) -> None:
    """Refuses a request without user agent, valid token, or the token's own client id."""
    if not request.headers.get("user-agent", "").strip():
        raise Problem(400, "VALIDATION_ERROR", "a User-Agent header is needed", header="User-Agent")
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not tokens.is_valid(token.strip()):
        raise Problem(401, "UNAUTHORIZED", "the token is missing, expired or not from here")
    header = profile.client_id_header
    if header and request.headers.get(header) != tokens.client_id:
        raise Problem(
            400, "VALIDATION_ERROR", f"{header} is missing or not the token's client", header=header
        )


def _keep_to(rate: Rate) -> None:
    if wait := rate.wait():
        raise Problem(429, "RATE_LIMITED", f"too many requests; next in {wait} s", wait=wait)


def _refuse_unknown(request: Request, known: tuple[str, ...]) -> None:
    for name in request.query_params:
        if name not in known:
            raise _invalid(name, f"the endpoint has no parameter {name!r}")


def _as_problem(error: QueryError) -> Problem:
    position = {"position": error.position} if isinstance(error, FilterSyntaxError) else {}
    return Problem(400, _CODES[type(error)], str(error), parameter="filter", **position)


async def _token(request: Request, tokens: Tokens) -> Response:
    body = await request.body()
    try:
        reply = await run_in_threadpool(
            tokens.exchange,
            body,
            content_type=request.headers.get("content-type", ""),
            authorization=request.headers.get("authorization", ""),
        )
    except Refused as refused:
        challenge = {"WWW-Authenticate": "Basic"} if refused.status == 401 else {}
        return _json(_written({"error": refused.code}), status=refused.status, headers=challenge)
    return _json(_written(reply), headers={"Cache-Control": "no-store"})


def _not_routed(_request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = getattr(error, "headers", None)
    code = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED", 413: "BODY_TOO_LARGE"}.get(status, "ERROR")
    return _error(Problem(status, code, str(getattr(error, "detail", error))), headers=headers)


def _error(problem: Problem, *, headers: Mapping[str, str] | None = None) -> Response:
    more = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    if "wait" in problem.details:
        more["Retry-After"] = str(problem.details["wait"])
    content = {"code": problem.code, "message": str(problem), "details": problem.details}
    return _json(
        _written({"error": content}), status=problem.status, headers={**more, **(headers or {})}
    )


def _written(content: object) -> bytes:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode(errors="replace")


def _json(body: bytes, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(
        body, status_code=status, headers=dict(headers or {}), media_type="application/json"
    )
