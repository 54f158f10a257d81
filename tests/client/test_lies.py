"""Whatever a service says wrongly of its rows, on either wire: an error, a verdict or a
doubt.

Each lie is told about lists in turn; what rows leave out is told in `test_shapes`. What
comes of it is honest where the rows are the true ones, or an error, the verdict or a
caveat that comes with a warning says that something is wrong.
"""

from __future__ import annotations

import dataclasses
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl
import pytest

from tests.fake import start_on
from tests.faults import Content, Fault, Faults, connected
from tests.service.sample.sample import sample
from ventureframe.client.query import Query
from ventureframe.client.result import Result
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, VentureframeError
from ventureframe.interface.wire.generations import WIRE_2026_10_02
from ventureframe.interface.wire.profile import INTERFACE, Limit, Profile
from ventureframe_service import run

SMALL: Final = (
    "companies",
    "founders",
    "funds",
    "news",
    "jobs",
    "lp-funds",
    "manager-funds",
)


def with_small_pages(profile: Profile) -> Profile:
    few = {name: Limit(20, 20) for name in SMALL}
    return dataclasses.replace(
        profile, limits={**profile.limits, **few}, ids_per_request=20
    )


WIRES = {each.name: with_small_pages(each) for each in (INTERFACE, WIRE_2026_10_02)}
LISTS: Final[Mapping[str, Callable[[Service, World], Query]]] = {
    "companies": lambda svc, _: svc.companies.sort("-total_funding").currency("EUR"),
    "founders": lambda svc, _: svc.founders,
    "founders by id": lambda svc, at: svc.founders.by_id(at.founders),
    "funds": lambda svc, _: svc.funds.sort("-fund_date").currency("EUR"),
    "news": lambda svc, at: svc.news.about(at.companies),
    "jobs": lambda svc, _: svc.jobs.sort("date_posted"),
    "lp-funds": lambda svc, at: svc.managers_of(at.lp),
    "manager-funds": lambda svc, at: svc.funds_of_each(at.managers).currency("GBP"),
    "funding-rounds": lambda svc, at: svc.rounds_of(at.companies[:4]),
}


@dataclasses.dataclass(frozen=True)
class World:
    """A running service on one wire, the ids asked about, and the true rows of each
    list.
    """

    running: run.Running
    faults: Faults
    profile: Profile
    companies: list[str]
    founders: list[str]
    managers: list[str]
    lp: str
    service: list[Service] = dataclasses.field(default_factory=list)
    true: dict[str, Result] = dataclasses.field(default_factory=dict)


@pytest.fixture(scope="module", params=WIRES)
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    faults, profile = Faults(), WIRES[request.param]
    with start_on(request.param, sample(companies=60), around=faults.around) as running:
        tables = running.dataset.tables
        found = World(
            running,
            faults,
            profile,
            tables["companies"]["uuid"].to_list()[:30],
            tables["company_founders"]["founder_uuid"].unique().sort().to_list()[:70],
            tables["funds"]["manager_uuid"].drop_nulls().unique().sort().to_list()[:4],
            tables["lp_managers"]["lp_uuid"][0],
        )
        with connected(running, profile=profile, sleep=lambda _: None) as service:
            found.service.append(service)
            for name, ask in LISTS.items():
                found.true[name] = ask(service, found).fetch()
            yield found


Query_ = Mapping[str, object]
Lie = Callable[[Content, Query_], Content]


def rewritten(pattern: str, become: Callable[[str], str]) -> Lie:
    """Every text of the rows that has this form, written in another way."""
    return lambda content, _: {
        **content,
        "data": json.loads(
            re.sub(pattern, lambda it: become(it[0]), json.dumps(content["data"]))
        ),
    }


def beside(name: str, value: object, *, within: str | None = None) -> Lie:
    """One more member beside the rows, or in the envelope's record of this name."""

    def lie(content: Content, _: Query_) -> Content:
        if within is None:
            return {**content, name: value}
        return {**content, within: {**content.get(within, {}), name: value}}

    return lie


def capped(content: Content, _: Query_) -> Content:
    """A total of half the rows, while cursors go on; without cursors the page says
    so.
    """
    page = content["page"]
    if (total := page.get("total")) is None:
        return content
    more = page["offset"] + len(content["data"]) < total
    return {**content, "page": {**page, "total": total // 2, "has_more": more}}


def backwards(content: Content, _: Query_) -> Content:
    return {**content, "data": content["data"][::-1]}


def nowhere(content: Content, _: Query_) -> Content:
    return {name: value for name, value in content.items() if name != "currency"}


UUID: Final = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
LIES: Final[Mapping[str, Lie]] = {
    "capped total": capped,
    "uuids in capitals": rewritten(UUID, str.upper),
    "uuids without hyphens": rewritten(UUID, lambda it: it.replace("-", "")),
    "uuids in braces": rewritten(UUID, lambda it: "{" + it + "}"),
    "error beside": beside("error", {"code": "PARTIAL"}),
    "error in the page": beside("error", "timeout", within="page"),
    "locked": beside("locked", ["education"]),
    "capped": beside("capped", True, within="page"),
    "tier": beside("tier", "free"),
    "backwards": backwards,
    "no currency": nowhere,
}
SAID: Final = {"locked", "tier"}
"""Lies that warn of something else than the rows, which can all be there: they are
always said.
"""


def outcome(world: World, name: str, lie: Lie) -> str:
    """What comes of a lie: `error`, the verdict, `doubt`, `true`, or `believed`."""
    world.faults.play([Fault(route=name.partition(" ")[0], lie=lie)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = LISTS[name](world.service[0], world).fetch()
        except VentureframeError:
            return "error"
    before = world.true[name]
    if found.certificate.verdict != before.certificate.verdict:
        return found.certificate.verdict
    has_warned = any(each.category is EvidenceWarning for each in caught)
    if has_warned and set(found.caveats) - set(before.caveats):
        return "doubt"
    withheld = found.withheld.keys() - before.withheld.keys()
    if withheld and set(found.caveats) - set(before.caveats):
        return "doubt"
    return "true" if in_order(found).equals(in_order(before)) else "believed"


def in_order(result: Result) -> pl.DataFrame:
    """The rows by their key: of most lists no order is asked for."""
    owner = [name for name in result.details.added_columns if name.endswith("_uuid")]
    return result.to_polars().sort(result.resource.key, *owner)


FEW: Final = ("companies", "founders by id")
"""The lists that make test tells each lie of; CI tells it of all."""


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(FEW, id="few"),
        pytest.param(tuple(LISTS), id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_never_believed(world: World, lie: str, names: Sequence[str]) -> None:
    seen = {name: outcome(world, name, LIES[lie]) for name in names}
    assert "believed" not in seen.values(), seen
    if lie in SAID:
        assert "true" not in seen.values(), seen
