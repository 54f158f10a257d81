"""An amount that a moved exchange rate can have moved is set apart from a changed
amount.
"""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import company
from tests.studies.test_changes_compare import fetched as earlier
from tests.studies.test_changes_compare import later
from ventureframe.interface.fields import FUNDING_ROUNDS, FUNDS, Currency, Resource
from ventureframe.studies.changes import compare


@pytest.mark.parametrize(
    ("new", "is_change"), [(101.0, False), (120.0, False), (125.0, True), (80.0, True)]
)
def test_an_amount_that_moved_further_than_rates_do_in_a_year_is_changed(
    new: float,
    is_change: bool,  # a case of the table
) -> None:
    old = earlier([company(1, total_funding=100.0)])
    found = compare(old, later([company(1, total_funding=new)]))
    said, other = found.field_changes.to_polars(), found.cannot_tell.to_polars()
    if not is_change:
        said, other = other, said
    assert said.select("before", "after").rows() == [("EUR 100", f"EUR {new:.0f}")]
    assert other.is_empty()


@pytest.mark.parametrize("resource", [FUNDS, FUNDING_ROUNDS])
def test_recorded_amounts_are_compared_where_rows_show_them(resource: Resource) -> None:
    def row(number: int, amount: float | None, native: float | None) -> dict[str, Any]:
        source = None if native is None else {"amount": native, "currency": "USD"}
        empty: dict[str, Any] = {field.name: None for field in resource.returned}
        return empty | {"id": number, "amount": amount, "amount_source": source}

    old = earlier(
        [row(1, 75.0, 100.0), row(2, 75.0, 100.0), row(3, 2e6, None)], resource
    )
    new = later(
        [row(1, 60.0, 100.0), row(2, 1.5e9, 2e9), row(3, 2.01e6, None)], resource
    )
    found = compare(old, new)
    rows = (
        found.field_changes.to_polars().select("id", "field", "before", "after").rows()
    )
    assert rows == [(2, "amount_source", "USD 100", "USD 2,000,000,000")]
    assert found.cannot_tell.to_polars()["id"].to_list() == [3]


@pytest.mark.real
@pytest.mark.parametrize("currency", ["USD", "EUR"])
@pytest.mark.slow
def test_no_total_of_the_real_data_is_said_to_be_changed_that_is_not(
    real_data: Path, currency: Currency
) -> None:
    """Held against the recorded totals in the Parquet files, of which 3,071 differ, are
    new or are gone, and the counts in the README of the datasets.
    """
    old, new = (
        vf.connect(data=real_data / name, environment={})
        for name in ("venture-2013", "venture-2013-10")
    )
    with old, new:
        found = compare(
            old.companies.currency(currency).fetch(),
            new.companies.currency(currency).fetch(),
        )
    counts = found.counts
    assert (counts.in_both, counts.newly_seen, counts.no_longer_seen) == (
        72_701,
        2_938,
        0,
    )
    assert 0 < found.newly_seen.to_polars()["own_date"].count() < 2_938
    changes = found.field_changes.to_polars().filter(field="total_funding")
    changed, unsure = set(changes["uuid"]), set(found.cannot_tell.to_polars()["uuid"])
    both, differ = _recorded_twice(real_data)
    assert len(differ) == 2_410
    assert changed & both <= differ
    assert differ <= changed | unsure
    assert len(changed - both) == 661
    assert len(changed) >= 2_300


def _recorded_twice(real_data: Path) -> tuple[set[str], set[str]]:
    """The companies with a total in both files, and those whose recorded total
    differs.
    """
    names = ["uuid", "total_funding", "total_funding_currency"]
    june, october = (
        pl.read_parquet(
            real_data / name / "companies.parquet", columns=names
        ).drop_nulls()
        for name in ("venture-2013", "venture-2013-10")
    )
    was = {row[0]: row[1:] for row in june.iter_rows()}
    now = {row[0]: row[1:] for row in october.iter_rows()}
    both = was.keys() & now.keys()
    return set(both), {each for each in both if was[each] != now[each]}
