"""A small service that changes: every reply that it can give, and the rows that are
true.

Each version is a dataset, answered by the embedded service itself: its route
functions are called directly, without a socket or an event loop. A reply depends on
its version and target only, so each is computed once.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import polars as pl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import Match

from tests.fake import Newer
from tests.service.sample.sample import sample
from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.interface.wire.generations import WIRE_2026_10_02, WIRES
from ventureframe.interface.wire.profile import Limit
from ventureframe_service.access import Tokens
from ventureframe_service.app import make_app
from ventureframe_service.dataset import Dataset
from ventureframe_service.endpoints import Endpoints
from ventureframe_service.engine.store import Store
from ventureframe_service.settings import Settings

CLIENT_ID: Final = "client-7"
SECRET: Final = "s3cr3t/of+the=client"
VERSIONS: Final = 9
"""What the world can become: each is a version of every table that changes."""
_SIZES: Final = {
    "companies": 6,
    "team": 3,
    "education": 3,
    "career": 3,
    "funding-rounds": 2,
}
_MOST: Final = {"funds": 20, "news": 25}
_CHANGE: Final = (
    "companies",
    "founders",
    "lp_managers",
    "funding_rounds",
    "company_founders",
)
_TABLES: Final = (*_MOST, *_CHANGE, "career")

Tables = Mapping[str, pl.DataFrame]
Ids = Mapping[str, tuple[str, ...]]
Key = tuple[object, ...]


class Question(NamedTuple):
    """A query, the rows that tables hold for it, and the columns that name one of
    them.
    """

    ask: Callable[[Service, Ids], Query]
    rows: Callable[[Tables, Ids], pl.DataFrame]
    columns: tuple[str, ...] = ("id",)
    is_of_ids: bool = True
    has_lists: bool = False  # that are read to their end where a wire cuts them short


def _in(column: str, ids: tuple[str, ...]) -> pl.Expr:
    return pl.col(column).is_in(ids)


_UUID: Final = ("uuid",)
_IS_SHOWN: Final = ~pl.col("is_withheld").fill_null(value=False)
QUESTIONS: Final[Mapping[str, Question]] = {
    "companies": Question(
        lambda svc, _: svc.companies,
        lambda tables, _: tables["companies"].select("uuid"),
        _UUID,
        is_of_ids=False,
    ),
    "whole companies": Question(
        lambda svc, ids: svc.companies.by_id(ids["some"]).with_all("founders"),
        lambda tables, ids: (
            tables["companies"].filter(_in("uuid", ids["some"])).select("uuid")
        ),
        _UUID,
        has_lists=True,
    ),
    "funds": Question(
        lambda svc, _: svc.funds,
        lambda tables, _: tables["funds"].select("id"),
        is_of_ids=False,
    ),
    "founders": Question(
        lambda svc, ids: svc.founders.by_id(ids["founders"]),
        lambda tables, _: tables["founders"].filter(_IS_SHOWN).select("uuid"),
        _UUID,
        has_lists=True,
    ),
    "news": Question(
        lambda svc, ids: svc.news.about(ids["some"]),
        lambda tables, ids: (
            tables["news"]
            .explode("entity_ids")
            .filter(_in("entity_ids", ids["some"]))
            .select("id")
        ),
    ),
    "managers": Question(
        lambda svc, ids: svc.managers_of(ids["lps"]),
        lambda tables, ids: tables["lp_managers"].filter(_in("lp_uuid", ids["lps"])),
        ("lp_uuid", "uuid"),
    ),
    "rounds": Question(
        lambda svc, ids: svc.rounds_of(ids["some"]),
        lambda tables, ids: (
            tables["funding_rounds"]
            .filter(_in("company_uuid", ids["some"]))
            .join(
                tables["companies"], left_on="company_uuid", right_on="uuid", how="semi"
            )
            .select("company_uuid", "id")
        ),
        ("company_uuid", "id"),
    ),
}


class World:
    """All versions of the service on both wires, and what is true of each."""

    def __init__(self) -> None:
        self.description, self.base = sample(companies=24).description, _base()
        self.apps = dict[tuple[str, int], Starlette]()
        self.results = dict[tuple[str, int, str], Result]()  # where nothing happens
        self.answer, self.tables = (
            functools.cache(self._answer),
            functools.cache(self._tables),
        )
        self.keys = functools.cache(self._keys)
        companies, lps = (
            tuple(self.base["companies"]["uuid"]),
            self.base["lp_managers"]["lp_uuid"],
        )
        few = lps.value_counts().sort("count", "lp_uuid")["lp_uuid"].head(4)
        unknown = "00000000-0000-4000-8000-00000000000f"
        self.ids: Ids = {
            "companies": companies,
            "some": companies[:9],
            "founders": (*self.base["founders"]["uuid"], unknown),
            "lps": tuple(few),
        }
        # batches of few ids, pages of few rows
        own: dict[str, Any] = {"ids_per_request": 6, "rate": None}
        self.profiles = {
            name: dataclasses.replace(
                profile,
                limits={k: Limit(2, _SIZES.get(k, 9)) for k in profile.limits},
                **own,
            )
            for name, profile in WIRES.items()
        }

    def _tables(self, version: int) -> Tables:
        """The tables of a version."""
        return {name: _changed(name, rows, version) for name, rows in self.base.items()}

    def _keys(self, question: str, version: int) -> frozenset[Key]:
        """The rows of a question, by what names them, as the tables of the version
        say.
        """
        rows = QUESTIONS[question].rows(self.tables(version), self.ids)
        return frozenset(rows.iter_rows())

    def _answer(
        self, wire: str, version: int, target: str, token: str | None = None
    ) -> tuple[int, bytes]:
        """Status and body of the service's reply to a request, with a token that is
        valid.
        """
        tokens = Tokens(CLIENT_ID, SECRET, key=b"k")
        if (wire, version) not in self.apps:
            dataset = Dataset(self.description, self.tables(version))
            is_newer = wire == WIRE_2026_10_02.name
            endpoints = Newer(dataset) if is_newer else Endpoints(Store(dataset))
            self.apps[wire, version] = make_app(endpoints, tokens, Settings())
        app = self.apps[wire, version]
        path, _, query = target.partition("?")
        named = {
            "user-agent": "t",
            "authorization": f"Bearer {token or tokens.issue()}",
        }
        named |= {"x-client-id": CLIENT_ID}
        headers = [(name.encode(), value.encode()) for name, value in named.items()]
        scope = {"type": "http", "method": "GET", "path": unquote(path), "app": app}
        scope |= {"headers": headers, "query_string": query.encode(), "root_path": ""}
        found = ((route, *route.matches(scope)) for route in app.routes)
        route, child = next(
            (route, child) for route, how, child in found if how is Match.FULL
        )
        request = Request({**scope, **child})
        try:
            # of a `Route`
            reply = route.endpoint(request)  # type: ignore[attr-defined]
        except Exception as problem:
            handle: Any = app.exception_handlers[type(problem)]
            reply = handle(request, problem)
        return reply.status_code, bytes(reply.body)


def _base() -> Tables:
    """The sample with few rows in most tables, and with long lists."""
    tables = dict(sample(companies=24).tables)
    companies, founders = tables["companies"], tables["founders"]
    long = {1: 9, 4: 7, 6: 6}
    teams = companies["founders"].to_list()
    for at, count in long.items():
        teams[at] = founders["uuid"][at : at + count].to_list()
    companies = companies.with_columns(founders=pl.Series(teams))
    members = companies.select(
        company_uuid="uuid", founder_uuid="founders", is_past=False
    )
    members = members.explode("founder_uuid").drop_nulls()
    studies = founders["education"].to_list()
    entry = next(entries for entries in studies if entries)[0]
    for at, count in long.items():
        studies[at] = [
            {**entry, "start_year": 1990 + n, "end_year": None} for n in range(count)
        ]
    education = pl.Series("education", studies, founders.schema["education"])
    few = {name: tables[name].head(most) for name, most in _MOST.items()}
    changed = {"companies": companies, "founders": founders.with_columns(education)}
    return {**tables, **few, **changed, "company_founders": members}


def _changed(name: str, rows: pl.DataFrame, version: int) -> pl.DataFrame:
    """The rows of a table in a version: some near the end, or anywhere, come, go or
    change.
    """
    if name not in _TABLES or rows.height < 12:
        return rows
    draw = Random(f"{version} {name}")
    without = {rows.height - 6, rows.height - 4}
    for _ in range(version and draw.randrange(4)):
        without ^= {rows.height - draw.choice((4, 6))}
        without ^= {draw.randrange(rows.height)} if version % 2 else set()
    if version % 3 == 2:
        if name == "founders":
            rows = rows.with_columns(pl.col("education").list.head(6))
        for text in {"name", "title"} & {*rows.columns}:
            is_other = pl.int_range(pl.len()) % 5 == 3
            other = pl.when(is_other).then(pl.col(text) + "!").otherwise(text)
            rows = rows.with_columns(other.alias(text))
    return rows.with_row_index("row").filter(~pl.col("row").is_in(without)).drop("row")
