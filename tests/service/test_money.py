"""An amount is converted by the last rate on or before its day; no rate gives null."""

import datetime as dt

import polars as pl
import pytest

from ventureframe.dataset.rates import Rates

FX = pl.DataFrame(
    {
        "currency": ["EUR", "EUR", "USD", "USD"],
        "date": [dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 2,
        "per_eur": [1.0, 1.0, 1.10, 1.25],
    }
)


RATED = (
    ("EUR", "USD", None, 125.0),
    ("EUR", "USD", dt.date(2020, 12, 31), 110.0),
    ("EUR", "USD", dt.date(2021, 1, 1), 125.0),
    ("USD", "EUR", None, 80.0),
    ("EUR", "USD", dt.date(2019, 12, 31), None),
    ("ISK", "USD", None, None),
    ("EUR", "GBP", None, None),
    ("ISK", "ISK", None, 100.0),
    (None, "USD", None, None),
)


def test_an_amount_takes_the_rate_of_its_day() -> None:
    rates = Rates(FX, as_of=dt.date(2021, 6, 30))
    for currency, to, day, converted in RATED:
        amounts = pl.DataFrame(
            {"amount": [100.0, None], "currency": [currency] * 2, "day": [day] * 2},
            {"amount": pl.Float64, "currency": pl.String, "day": pl.Date},
        )
        found = rates.convert(amounts.to_struct(), to=to)
        assert found.to_list() == [
            pytest.approx(converted) if converted else None,
            None,
        ]
