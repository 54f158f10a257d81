"""A caption names the day of the rate only where the service states it."""

import datetime as dt

import pytest

from ventureframe.evidence.rates import rate_day
from ventureframe.interface.source import Source

DAY = dt.date(2013, 6, 17)


@pytest.mark.parametrize(
    "source",
    [
        None,
        Source("live"),
        Source("live", as_of=DAY),
        Source("embedded", is_embedded=True),
    ],
)
def test_the_day_of_the_rate_is_not_stated_by_a_service_that_does_not_state_it(
    source: Source | None,
) -> None:
    assert rate_day(source, "totals") == "totals converted, day of the rate not stated"


def test_rounds_and_funds_are_converted_at_their_date_and_totals_at_the_datasets() -> (
    None
):
    source = Source("June", as_of=DAY, is_embedded=True)
    assert rate_day(source, "totals") == "totals converted at the rate of 2013-06-17"
    for amounts in ("rounds", "funds"):
        assert (
            rate_day(source, amounts)
            == f"{amounts} converted at the rate of their date (month or year alone: its"
            " first day; undated: 2013-06-17)"
        )
