"""Counts carry their noun, amounts their currency, and null is said as such."""

import pytest

from ventureframe.display.wording import counted, money, money_exact, number


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not reported"),
        (0, "0 USD"),
        (0.1, "0.10 USD"),
        (999.5, "999.50 USD"),
        (12_345.6, "12,346 USD"),
        (999_499, "999,499 USD"),
        (999_999, "1 million USD"),
        (3_864_930_929.77, "3.86 billion USD"),
        (-2_500_000, "−2.5 million USD"),
    ],
)
def test_money_is_said_with_its_currency(value: float | None, said: str) -> None:
    assert money(value, "USD") == said


def test_counts_and_exact_amounts_are_said() -> None:
    assert counted(1, "company") == "1 company"
    assert counted(1204, "founder") == "1,204 founders"
    assert number(-8) == "−8"
    assert money_exact(3_864_930_929.7731586, "USD") == "3,864,930,929.77 USD"
    assert money_exact(None, "USD") == "not reported"
