"""Counts carry their noun, amounts their currency, and null is said as such."""

import pytest

from ventureframe.display.wording import counted, money, number


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not recorded"),
        (0, "USD 0"),
        (0.1, "USD 0 (doubtful)"),
        (999.4, "USD 999 (doubtful)"),
        (1000, "USD 1,000"),
        (999_499, "USD 999,499"),
        (999_999, "USD 1m"),
        (3_864_930_929.77, "USD 3.86bn"),
        (-2_500_000, "USD −2.5m"),
    ],
)
def test_money_is_said_with_its_currency(value: float | None, said: str) -> None:
    assert money(value, "USD") == said


def test_counts_and_exact_amounts_are_said() -> None:
    read = "company whose funds were read"
    assert counted(2, read) == "2 companies whose funds were read"
    assert number(-8) == "−8"
    assert number(3_864_930_929.7731586) == "3,864,930,929.77"
