"""The studies say the same on both generations of the wire, wherever today's can say
as much.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest

import ventureframe as vf
from tests.fake import connected_on
from ventureframe.client.service import Service
from ventureframe.evidence.study import Study
from ventureframe.interface.filters import company

LPS = [("Amitim", "amitim.com"), ("Altshuler Shaham", "as-invest.co.il")]
STANFORD: dict[str, Any] = {
    "university": "Stanford University",
    "domain": "stanford.edu",
}
Made = Callable[[Service], Study]

STUDIES: Final[Mapping[str, tuple[str, Made]]] = {
    "spinouts of Stanford": (
        "venture-2013",
        lambda svc: vf.spinouts.study(svc, **STANFORD),
    ),
    "spinouts of Stanford in October": (
        "venture-2013-10",
        lambda svc: vf.spinouts.study(svc, **STANFORD, since=2005, currency="EUR"),
    ),
    "exposure": (
        "venture-2013",
        lambda svc: vf.exposure.study(svc, lps=LPS, since=2005),
    ),
    "hiring of 2013": (
        "venture-2013",
        lambda svc: vf.hiring.study(
            svc, founded=(2011, 2011), rounds_of=5, currency="GBP"
        ),
    ),
    "hiring of 2026": (
        "startups-2026",
        lambda svc: vf.hiring.study(svc, founded=(2019, None)),
    ),
}
NOT_SAID: Final[Mapping[str, set[str] | None]] = {
    "founders": {"state", "entries", "entries_without_id"},
    "links": {"position"},
    "same_name": {"position"},
    "ranking": {
        "open_jobs_count",
        "latest_round_amount_native",
        "latest_round_native_currency",
    },
    "states": None,
    "funnel": None,
    "coverage": None,
}
"""What today's wire cannot say: entries without an institution and what is counted
of them, native amounts of rounds, and whether a count of no open jobs is one that is
not recorded.
"""


@pytest.fixture(scope="module")
def both(real_data: Path) -> Iterator[Callable[[str], tuple[Service, Service]]]:
    """The services over a real dataset on both wires."""
    with ExitStack() as stack:

        @cache
        def served(name: str) -> tuple[Service, Service]:
            old, new = (
                stack.enter_context(connected_on(wire, real_data / name))
                for wire in ("interface", "2026-10-02")
            )
            return old, new

        yield served


@pytest.mark.real
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.slow
def test_a_study_is_the_same_on_both_wires(
    name: str, both: Callable[[str], tuple[Service, Service]]
) -> None:
    dataset, made = STUDIES[name]
    old, new = (made(service).frames for service in both(dataset))
    assert old.keys() == new.keys()
    for frame in old:
        assert old[frame].schema == new[frame].schema, frame
        less = NOT_SAID.get(frame, set())
        if less is None:
            continue
        kept = [column for column in old[frame].columns if column not in less]
        ids = re.compile(".*_uuid|id|month")
        keys = [column for column in kept if ids.fullmatch(column)]
        one, other = (each[frame][kept].sort(keys) for each in (old, new))
        assert one.equals(other), frame


@pytest.mark.parametrize(
    ("source", "by"),
    [
        ("companies", "hq_country"),
        ("companies", "launch_date"),
        ("companies", ("company_status", "launch_date")),
        ("companies", "tag_id"),
        ("founders", "university_uuid"),
        ("investors", "hq_country"),
        ("funding-rounds", "year"),
    ],
)
def test_groups_are_the_same_on_both_wires(
    source: str, by: Any, services: tuple[Service, Service]
) -> None:
    old, new = (
        each.aggregate(source, group_by=by, currency="EUR") for each in services
    )
    assert old.to_polars().equals(new.to_polars())
    assert old.group_by == new.group_by


def test_a_source_that_a_wire_does_not_group_is_refused_with_those_it_does(
    services: tuple[Service, Service],
) -> None:
    message = "on this wire it is one of companies, founders"
    with pytest.raises(vf.errors.UnsupportedValue, match=message):
        services[1].aggregate("jobs", group_by="year")


@pytest.fixture(scope="module")
def services() -> Iterator[tuple[Service, Service]]:
    """The sample on both wires."""
    with connected_on("interface") as old, connected_on("2026-10-02") as new:
        yield old, new


@pytest.mark.slow
def test_companies_in_both_pools_have_the_same_evidence(
    services: tuple[Service, Service],
) -> None:
    """Today's wire finds the pool by identifier: entries without a name are in it."""
    old, new = (
        vf.spinouts.study(
            each, university="Harrowmere University", domain="harrowmere.example"
        )
        for each in services
    )
    common = set(old.frames["pool"]["company_uuid"]) & set(
        new.frames["pool"]["company_uuid"]
    )
    assert len(common) > 300
    one, other = (
        each.frames["links"]
        .filter(pl.col("company_uuid").is_in(sorted(common)))
        .drop("position", "university_name")
        .sort("company_uuid", "founder_uuid", "degree", "major")
        for each in (old, new)
    )
    assert one.equals(other)


@pytest.mark.parametrize(("rounds", "said"), [(0, False), (1, True)])
def test_what_rounds_lack_is_said_only_where_rounds_were_read(
    services: tuple[Service, Service], rounds: int, said: bool
) -> None:
    question = vf.hiring.Question(
        tags=[("Robotics", "sector")], signal_team=60, rounds_of=rounds
    )
    limits = "\n".join(question.study(services[1]).caveats.to_polars()["caveat"])
    assert ("all that it lists were read" in limits) == said
    assert ("round size as announced" in limits) == said


@pytest.mark.slow
def test_former_founders_are_found_company_by_company(
    services: tuple[Service, Service],
) -> None:
    old, new = services
    where = company.launch_date >= 2018
    every = [
        each.companies.where(where).with_all("founders").fetch() for each in services
    ]
    columns = ["company_uuid", "founder_uuid"]
    one, other = (each.to_polars("founders")[columns].sort(columns) for each in every)
    assert one.equals(other)
    assert every[1].details.partial == ()
    cost = new.companies.where(where).with_all("founders").cost()
    assert cost.requests == len(every[1]) + 2  # two pages, and a request a company
    assert old.companies.where(where).with_all("founders").cost().requests == 2


def test_fetches_of_both_wires_are_compared_in_what_both_say(
    services: tuple[Service, Service],
) -> None:
    """A flag that is not set, a shortened list and a missing count are no changes."""
    old, new = (each.companies.fetch() for each in services)
    found = vf.changes.compare(old, new)
    assert "None of the 2,000 companies in both fetches changed." in found.answer
    assert found.frames["field_changes"].is_empty()
    assert {
        name for name, why in found.pair.not_compared.items() if "by each wire" in why
    } == {
        "is_startup",
        "is_spinout",
        "founders",
        "open_jobs_count",
    }
