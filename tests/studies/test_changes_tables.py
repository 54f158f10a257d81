"""A comparison listed: counts, the records behind them, and what is not claimed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.stand_in import company, uuid
from tests.studies.test_snapshots import ROBOTICS, compare, fetched, later
from ventureframe import tables
from ventureframe.interface.fields import FOUNDERS, FUNDING_ROUNDS, FUNDS, JOBS, NEWS, Resource
from ventureframe.studies import changes as snapshots

OLD = [company(1), company(2, tags=[ROBOTICS], total_funding=0.1), company(3)]
NEW = [
    company(2, company_status="closed", total_funding=0.3),
    company(3, launch_date=None),
    company(4),
]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_changes_are_counted_and_listed(library: Any) -> None:
    found: Any = snapshots.compare(fetched(OLD), later(NEW), library=library)
    assert {row[0]: row[1] for row in tables.changes(found).rows} == {
        "in the first fetch": 3,
        "in the second fetch": 3,
        "in both": 2,
        "newly seen": 1,
        "no longer seen": 1,
        "in both, with a changed field": 2,
        "launch_date: no value is recorded where one was": 1,
        "tags: no value is recorded where one was": 1,
        "total_funding: another value is recorded": 1,
        "company_status: another value is recorded": 1,
    }
    came = tables.newly_seen(found)
    assert came.rows[0][0] == "Company 4"
    assert came.rows[0][-2:] == ("before", uuid(4))
    assert "newly seen is not newly happened" in came.caption
    assert tables.no_longer_seen(found).rows[0][-1] == uuid(1)
    changed = tables.field_changes(found, "total_funding")
    assert changed.rows == (("Company 2", "total_funding", "changed", "0.1", "0.3", uuid(2)),)
    assert len(tables.field_changes(found).rows) == 4
    assert ("closed", 0, 0, 1, 0, 0, 1) in tables.tally(found, "company_status").rows
    assert repr(tables.changes(found)) == repr(tables.changes(compare(fetched(OLD), later(NEW))))


def test_what_is_not_claimed_is_no_empty_list_without_a_word() -> None:
    found = compare(fetched(OLD), later(NEW, verdict="short"))
    gone = tables.no_longer_seen(found)
    assert gone.title == "No longer seen: not claimed: companies"
    assert gone.rows == ()
    assert "INCOMPLETE: companies 3 of 3" in gone.caption
    assert "not claimed" in tables.changes(found)._repr_html_()


def test_incomparable_fetches_are_listed_with_the_reason() -> None:
    found = compare(fetched(OLD), later(NEW, about={"currency": "GBP"}))
    for show in (tables.changes, tables.newly_seen, tables.no_longer_seen, tables.field_changes):
        assert "cannot be compared: the currency differs (EUR, GBP)" in repr(show(found))


@pytest.mark.parametrize("resource", [FOUNDERS, FUNDS, FUNDING_ROUNDS, NEWS, JOBS])
def test_records_of_every_resource_can_be_listed(resource: Resource) -> None:
    key: Any = uuid(1) if resource.key == "uuid" else 1
    row: dict[str, Any] = {field.name: None for field in resource.returned} | {resource.key: key}
    found = compare(fetched([], resource), later([row], resource))
    assert len(tables.newly_seen(found).rows) == 1
    changed = compare(fetched([row], resource), later([row], resource))
    assert tables.field_changes(changed).rows == ()
