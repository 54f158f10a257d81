"""Amounts in another currency, by the last rate on or before a day; no rate gives
null.
"""

import datetime as dt
from dataclasses import dataclass

from polars import DataFrame, Series, col, when


@dataclass(frozen=True)
class Rates:
    """The dataset's rates, and the day that stands for "now" where a row has none of
    its own.

    `fx` has for each `currency` its units for one euro, `per_eur`, by `date`.
    """

    fx: DataFrame
    as_of: dt.date

    @property
    def latest(self) -> dict[str, float]:
        """Units of each currency for one euro on `as_of`."""
        dated = self.fx.filter(col.date <= self.as_of)
        return dict(dated.select("currency", "per_eur").rows())

    def convert(self, amounts: Series, *, to: str) -> Series:
        """Convert each `amount` from its `currency` at the rate of its `day`.

        It is null where the amount, its currency or a rate is not known. One without
        a day is converted on the dataset's `as_of`.
        """
        rows = amounts.struct.unnest().with_columns(col.day.fill_null(self.as_of))
        rows = rows.with_row_index("row").sort("day")
        native = self.fx.select("currency", "per_eur", day="date")
        rows = rows.join_asof(native, on="day", by="currency", check_sortedness=False)
        wanted = self.fx.filter(currency=to).select(wanted="per_eur", day="date")
        rows = rows.join_asof(wanted, on="day").sort("row")
        factor = when(col.currency == to).then(1.0).otherwise(col.wanted / col.per_eur)
        return rows.select(col.amount * factor).to_series()
