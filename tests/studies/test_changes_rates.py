"""An amount that a moved exchange rate can have moved is set apart from a changed
amount.
"""

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ventureframe as vf
from tests.client.stand_in import company, uuid
from tests.studies.test_changes_compare import fetched as earlier
from tests.studies.test_changes_compare import ids, later
from ventureframe.client.result import Result
from ventureframe.interface.fields import FUNDING_ROUNDS, FUNDS, Currency, Resource
from ventureframe.interface.source import Source
from ventureframe.studies.changes import compare

EUR_OF = {"june": {"USD": 0.75, "GBP": 1.17}, "october": {"USD": 0.738, "GBP": 1.19}}
"""What one unit is in EUR on the two days."""


def totals(
    day: str, recorded: list[tuple[float, str]], currency: str = "EUR"
) -> Result:
    """Companies whose recorded totals are converted to `currency` at the rates of
    the day.
    """
    rate = {**EUR_OF[day], "EUR": 1.0}
    rows = [
        company(
            number,
            total_funding=(
                amount * rate[own] / rate[currency] if own != currency else amount
            ),
        )
        for number, (amount, own) in enumerate(recorded)
    ]
    fetch = earlier if day == "june" else later
    return fetch(rows, about={"currency": currency})


JUNE = [(1_000_000.0 * number, "USD") for number in range(1, 41)] + [
    (3e6, "EUR"),
    (2e6, "GBP"),
]
OCTOBER = [(9e7, "USD"), *JUNE[1:40], (6e6, "EUR"), (2e6, "GBP")]


def test_a_total_that_moved_with_its_currency_is_not_said_to_be_changed() -> None:
    found = compare(totals("june", JUNE), totals("october", OCTOBER))
    assert ids(found.field_changes) == [uuid(0), uuid(40)]
    assert found.counts.changed == 2
    assert found.counts.cannot_tell == 40
    said = found.cannot_tell.to_polars().row(0, named=True)
    assert (said["kind"], said["before"], said["after"]) == (
        "cannot_tell",
        "EUR 1,500,000",
        "EUR 1,476,000",
    )
    assert "2 changed (total funding 2)" in found.answer
    assert "cannot" not in found.answer
    assert "total funding: may be exchange rates alone" in repr(found.changes)
    caveat = next(str(each) for each in found.limits if "converted" in str(each))
    assert "A move of more than 22 % is counted as a change" in caveat
    assert (
        "For 40 of the 42 companies it moved by less, which may be exchange" in caveat
    )


@pytest.mark.parametrize(
    ("new", "is_change"), [(101.0, False), (120.0, False), (125.0, True), (80.0, True)]
)
def test_an_amount_that_moved_further_than_rates_do_in_a_year_is_changed(
    new: float,
    is_change: bool,  # a case of the table
) -> None:
    old = earlier([company(1, total_funding=100.0)])
    counts = compare(old, later([company(1, total_funding=new)])).counts
    assert (counts.changed, counts.cannot_tell) == (int(is_change), int(not is_change))


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


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        (2_546_712_684.46, 5e9, "EUR 2,546,712,684", "EUR 5,000,000,000"),
        (0.1, 0.3, "EUR 0.10", "EUR 0.30"),
        (None, 1234.56, None, "EUR 1,235"),
    ],
)
def test_amounts_are_rounded_and_name_their_currency(
    old: float | None, new: float, before: str | None, after: str
) -> None:
    found = compare(
        earlier([company(1, total_funding=old)]), later([company(1, total_funding=new)])
    )
    row = found.field_changes.to_polars().row(0, named=True)
    assert (row["before"], row["after"]) == (before, after)
    assert row["new"] == str(new)


@pytest.mark.parametrize(
    ("is_embedded", "day"),
    [
        (True, "at the rate of the dataset's day"),
        (False, "at a rate whose day the service does not state"),
    ],
)
def test_the_day_of_the_rate_is_named_where_it_is_known(
    is_embedded: bool,  # a case of the table
    day: str,
) -> None:
    def source(as_of: dt.date) -> dict[str, Any]:
        return {"source": Source("oak", as_of=as_of, is_embedded=is_embedded)}

    old = earlier([company(1, total_funding=5)], about=source(dt.date(2013, 6, 17)))
    new = later([company(1, total_funding=50)], about=source(dt.date(2013, 10, 1)))
    assert any(
        f"Total funding is converted to EUR {day}." in str(c)
        for c in compare(old, new).limits
    )


@pytest.fixture(scope="module")
def twice(real_data: Path) -> dict[Currency, tuple[Result, Result]]:
    """The companies of both real datasets in each currency."""
    with (
        vf.connect(data=real_data / "venture-2013", environment={}) as june,
        vf.connect(data=real_data / "venture-2013-10", environment={}) as october,
    ):
        old, new = june.companies, october.companies
        codes: tuple[Currency, ...] = ("USD", "EUR", "GBP")
        return {
            code: (old.currency(code).fetch(), new.currency(code).fetch())
            for code in codes
        }


@pytest.mark.real
@pytest.mark.parametrize(
    ("currency", "told"),
    [
        ("USD", 2_300),
        *(pytest.param(code, 2_300, marks=pytest.mark.slow) for code in ("EUR", "GBP")),
    ],
)
def test_no_total_of_the_real_data_is_said_to_be_changed_that_is_not(
    real_data: Path,
    twice: dict[Currency, tuple[Result, Result]],
    currency: Currency,
    told: int,
) -> None:
    """Held against the recorded totals in the Parquet files, of which 3,071 differ, are
    new or are gone, and the counts in the README of the datasets.
    """
    old, new = twice[currency]
    found = compare(old, new)
    counts = found.counts
    assert (len(old), len(new), counts.in_both) == (72_701, 75_639, 72_701)
    assert (counts.newly_seen, counts.no_longer_seen) == (2_938, 0)
    assert 0 < found.newly_seen.to_polars()["own_date"].count() < 2_938
    changes = found.field_changes.to_polars().filter(field="total_funding")
    changed, unsure = set(changes["uuid"]), set(found.cannot_tell.to_polars()["uuid"])
    both, differ = _recorded_twice(real_data)
    assert len(differ) == 2_410
    assert changed & both <= differ
    assert differ <= changed | unsure
    assert len(changed - both) == 661
    assert len(changed) >= told


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
