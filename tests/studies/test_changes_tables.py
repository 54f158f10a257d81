"""A comparison listed: counts, the records behind them, and what is not claimed."""

from xml.etree import ElementTree as ET

from tests.client.stand_in import company, uuid
from tests.studies.test_changes_compare import ROBOTICS, compare, fetched, later

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
        "founding year: no value is recorded where one was": 1,
        "tags: no value is recorded where one was": 1,
        "total funding: another value is recorded": 1,
        "status: another value is recorded": 1,
    }
    came = found.newly_seen
    assert came.rows[0][0] == "Company 4"
    assert came.rows[0][-2:] == ("earlier", uuid(4))
    assert "newly seen is not newly happened" in came.caption
    assert found.no_longer_seen.rows[0][-1] == uuid(1)
    changed = [row for row in found.field_changes.rows if row[1] == "total funding"]
    assert changed == [
        ("Company 2", "total funding", "changed", "EUR 0.10", "EUR 0.30", uuid(2))
    ]
    assert len(found.field_changes) == 4
    assert found.results.to_polars().rows() == [("companies", 1, 1, 2, 2, 0, None)]
    said = found.coverage.to_polars().filter(field="tags").drop("field").rows()
    assert said == [("companies, first fetch", 1, 3), ("companies, second fetch", 0, 3)]
    figure = found.results.plot()
    assert "companies: newly seen 1; companies: no longer listed 1" in figure.alt
    ET.fromstring(figure.svg)
