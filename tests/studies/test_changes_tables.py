"""A comparison listed: counts, the records behind them, and what is not claimed."""

from xml.etree import ElementTree as ET

import pytest

from tests.client.stand_in import company, uuid
from tests.studies.test_changes_compare import ROBOTICS, compare, fetched, later, one
from ventureframe.interface.certificate import Verdict
from ventureframe.interface.fields import (
    FOUNDERS,
    FUNDING_ROUNDS,
    FUNDS,
    JOBS,
    NEWS,
    Resource,
)

OLD = [company(1), company(2, tags=[ROBOTICS], total_funding=0.1), company(3)]
NEW = [
    company(2, company_status="closed", total_funding=0.3),
    company(3, launch_date=None),
    company(4),
]


def test_changes_are_counted_and_listed() -> None:
    found = compare(fetched(OLD), later(NEW))
    assert dict(found.changes.to_polars().rows()) == {
        "in the first fetch": 3,
        "in the second fetch": 3,
        "in both": 2,
        "newly seen": 1,
        "no longer listed": 1,
        "in both, with a changed field": 2,
        "launch date: no value is recorded where one was": 1,
        "tags: no value is recorded where one was": 1,
        "total funding: another value is recorded": 1,
        "company status: another value is recorded": 1,
    }
    came = found.newly_seen
    assert came.rows[0][0] == "Company 4"
    assert came.rows[0][-2:] == ("earlier", uuid(4))
    assert "newly seen is not newly happened" in came.caption
    assert found.no_longer_seen.rows[0][-1] == uuid(1)
    changed = [row for row in found.field_changes.rows if row[1] == "total_funding"]
    assert changed == [
        ("Company 2", "total_funding", "changed", "EUR 0.10", "EUR 0.30", uuid(2))
    ]
    assert len(found.field_changes) == 4
    assert found.results.to_polars().rows() == [("companies", 1, 1, 2, 2, 0, None)]
    figure = found.results.plot()
    assert "companies: newly seen 1; companies: no longer listed 1" in figure.alt
    ET.fromstring(figure.svg)


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        ("drifted", "the records moved while they were read"),
        ("short", "the service shows less than it has"),
    ],
)
def test_what_is_not_claimed_is_no_empty_list_without_a_word(
    verdict: Verdict, why: str
) -> None:
    found = compare(fetched(OLD), later(NEW, verdict=verdict))
    gone = found.no_longer_seen
    assert gone.title == "No longer listed: not claimed: companies"
    assert gone.rows == ()
    assert f"INCOMPLETE: companies 3 of 3 ({why})" in gone.caption
    assert "not claimed" in found.changes._repr_html_()
    assert "companies: no longer listed not claimed" in found.results.plot().alt


@pytest.mark.parametrize("resource", [FOUNDERS, FUNDS, FUNDING_ROUNDS, NEWS, JOBS])
def test_records_of_every_resource_can_be_listed(resource: Resource) -> None:
    row = one(resource)
    found = compare(fetched([], resource), later(row, resource))
    assert len(found.newly_seen.rows) == 1
    changed = compare(fetched(row, resource), later(row, resource))
    assert changed.field_changes.rows == ()
