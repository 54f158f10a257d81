"""What exposure says of fund sizes without a rate, funds without a date and funds of one day."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.studies.test_exposure import BACKED, LPS, Rows, find, rows
from tests.studies.test_hiring_real import Rates
from ventureframe.connect import connect
from ventureframe.interface.fields import Currency
from ventureframe.studies.exposure import Study

OLD = {"amount": 3.1e7, "currency": "USD"}
FUNDS: Rows = [
    {
        "manager_uuid": "a",
        "id": 1,
        "name": "Old",
        "fund_date": date(1993, 1, 1),
        "amount_source": OLD,
    },
    {"manager_uuid": "b", "id": 2, "name": "One", "fund_date": date(2021, 1, 1), "amount": 1e6},
    {"manager_uuid": "b", "id": 3, "name": "Two", "fund_date": date(2021, 1, 1), "amount": 5e6},
    {"manager_uuid": "b", "id": 4, "name": "Bare", "fund_date": date(2020, 1, 1)},
    {"manager_uuid": "c", "id": 5, "name": "Undated", "amount": 2e6},
]


@pytest.fixture
def book(library: str) -> Study:
    return find(LPS[:2], BACKED, FUNDS, library, asked=["a", "b", "c", "d"])


def of_manager(study: Study, uuid: str) -> dict[str, Any]:
    return next(row for row in rows(study.managers) if row["manager_uuid"] == uuid)


def test_a_size_without_a_rate_is_reported_and_not_convertible(book: Study) -> None:
    sizes = {
        row["fund_name"]: (row["fund_size"], row["fund_size_state"], row["fund_size_native"])
        for row in rows(book.funds)
    }
    assert sizes["Old"] == (None, "not_convertible", 3.1e7)
    assert sizes["Bare"] == (None, "not_reported", None)
    assert sizes["One"] == (1e6, "converted", None)
    shown = book.funds.table._repr_html_()
    assert ">not convertible</td>" in shown
    assert "known for 3 of 5 funds, not convertible for 1" in book.funds.caption
    assert "(3 with a size, not convertible for 1)" in book.answer
    assert of_manager(book, "a")["latest_fund_size_state"] == "not_convertible"


def test_a_size_without_a_rate_has_a_mark_of_its_own(book: Study) -> None:
    figure = book.funds.plot()
    assert "hollow: size not reported" in figure.caption
    assert "diamond: size not convertible" in figure.caption
    assert "Old 1993-01-01 size not convertible" in figure.alt
    words = ["".join(each.itertext()) for each in ET.fromstring(figure.svg).iter()]
    assert {"size not reported", "size not convertible"} <= set(words)
    assert "not convertible to EUR: 1" in book.countries.plot().caption


def test_of_several_funds_of_the_latest_day_none_is_chosen(book: Study) -> None:
    beta = of_manager(book, "b")
    assert (beta["latest_funds"], beta["latest_fund"]) == (2, "One; Two")
    assert (beta["latest_fund_size"], beta["latest_fund_size_state"]) == (None, "several")
    assert beta["latest_fund_date"] == date(2021, 1, 1)
    assert "several: 1 manager with several funds of the latest date" in book.managers.caption
    assert any("several funds share the latest date" in each.text for each in book.limits)
    france = rows(book.countries)[0]
    assert (france["dated"], france["latest_funds"]) == (2, 3)
    assert (france["size_known"], france["not_convertible"]) == (2, 1)


def test_records_without_a_date_are_a_state_of_their_own(book: Study) -> None:
    windows = {row["manager_uuid"]: (row["window"], row["funds"]) for row in rows(book.managers)}
    assert windows["c"] == ("records_without_a_date", 1)
    assert windows["d"] == ("no_records_returned", 0)
    assert book.counts.managers_with_funds == 3
    assert "records without a date" in book.funds.plot().svg
    assert any("only funds without a date" in each.text for each in book.limits)


@pytest.mark.real
@pytest.mark.parametrize(
    ("currency", "lost", "several", "undated"), [("EUR", 7, 7, 17), ("USD", 1, 7, 17)]
)
def test_the_funds_of_all_real_managers_are_as_the_file_has_them(
    real_data: Path, currency: Currency, lost: int, several: int, undated: int
) -> None:
    folder = real_data / "venture-2013"
    rates, as_of = Rates(folder), date(2013, 6, 17)
    with connect(data=folder, environment={}) as svc:
        found = svc.funds.currency(currency).fetch().to_polars().to_dicts()
    for row in found:
        row["manager_uuid"] = row["manager"]["uuid"]
        native = row["amount_source"] or {"amount": None, "currency": None}
        sized = rates.convert(
            native["amount"], native["currency"], currency, row["fund_date"] or as_of
        )
        assert row["amount"] == pytest.approx(sized)
    managers = {row["manager_uuid"] for row in found}
    backed: Rows = [{"lp_uuid": "lp1", "uuid": uuid, "name": uuid} for uuid in managers]
    given: Rows = [{name: row[name] for name in FIELDS} for row in found]
    study = find(LPS[:1], backed, given)
    unrated = [row for row in found if row["amount"] is None and row["amount_source"]]
    days = {
        uuid: [row["fund_date"] for row in found if row["manager_uuid"] == uuid]
        for uuid in managers
    }
    last = {uuid: max(filter(None, each), default=None) for uuid, each in days.items()}
    shared = [uuid for uuid, day in last.items() if day and days[uuid].count(day) > 1]
    dateless = [uuid for uuid, day in last.items() if day is None]
    assert (len(unrated), len(shared), len(dateless)) == (lost, several, undated)
    c = study.counts
    assert (c.funds_not_convertible, c.latest_several, c.managers_undated) == (
        *(lost, several, undated),
    )
    assert c.funds_sized == sum(row["amount"] is not None for row in found)


FIELDS = (
    *("manager_uuid", "id", "name", "fund_date", "fund_type", "amount", "amount_source"),
    *("is_closed", "source_url"),
)
