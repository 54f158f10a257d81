"""Amounts in another currency, by the last rate on or before a day; no rate gives
null.
"""

import datetime as dt
from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True)
class Rates:
    """The dataset's rates, and the day that stands for "now" where a row has none of
    its own.

    `fx` has for each `currency` its units for one euro, `per_eur`, by `date`.
    """

    fx: pl.DataFrame
    as_of: dt.date

    @property
    def latest(self) -> dict[str, float]:
        """Units of each currency for one euro on `as_of`."""
        known = self.fx.filter(pl.col("date") <= self.as_of)
        last = known.unique("currency", keep="last", maintain_order=True)
        return dict(last.select("currency", "per_eur").rows())

    def convert(self, amounts: pl.Series, *, to: str) -> pl.Series:
        """Convert each `amount` from its `currency` at the rate of its `day`.

        It is null where the amount, its currency or a rate is not known. One without
        a day is converted on the dataset's `as_of`.
        """
        dated = pl.col("day").fill_null(self.as_of)
        rows = amounts.struct.unnest().with_columns(dated).with_row_index("row")
        own = self.fx.select("currency", day="date", own="per_eur")
        asked = self.fx.filter(currency=to).select(day="date", asked="per_eur")
        rows = rows.sort("day").join_asof(
            own, on="day", by="currency", check_sortedness=False
        )
        rows = rows.join_asof(asked, on="day").sort("row")
        is_same = pl.col("currency") == to
        ratio = pl.col("asked") / pl.col("own")
        factor = pl.when(is_same).then(1.0).otherwise(ratio)
        return rows.select(pl.col("amount") * factor).to_series()
