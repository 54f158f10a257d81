"""Amounts in another currency, by the last rate on or before a day; no rate gives
null.
"""

import datetime as dt

import polars as pl


class Rates:
    """The dataset's rates, and the day that stands for "now" where a row has none of
    its own.
    """

    def __init__(self, fx: pl.DataFrame, *, as_of: dt.date) -> None:
        self._fx = fx.select("currency", "date", "per_eur").sort("date")
        self._as_of = as_of

    def has(self, currency: str) -> bool:
        """Whether there is a rate for the currency on or before `as_of`."""
        known = self._fx.filter(pl.col("date") <= self._as_of, currency=currency)
        return not known.is_empty()

    def convert(
        self,
        amount: pl.Series,
        currency: pl.Series,
        *,
        to: str,
        day: pl.Series | None = None,
    ) -> pl.Series:
        """Convert each amount; null where the amount, its currency or a rate is not
        known.

        A row without a day of its own is converted on the dataset's `as_of`.
        """
        days = pl.lit(None, pl.Date) if day is None else day
        rows = pl.DataFrame({"currency": currency}).with_columns(
            day=days.fill_null(self._as_of), to=pl.lit(to)
        )
        pairs = rows.unique().drop_nulls("currency").sort("day")
        for by, rate in (("currency", "from_eur"), ("to", "to_eur")):
            fx = self._fx.rename({"currency": by, "date": "day", "per_eur": rate})
            pairs = pairs.join_asof(fx, on="day", by=by, check_sortedness=False)
        key = ["currency", "day", "to"]
        rated = rows.join(pairs, on=key, how="left", maintain_order="left")
        ratio = pl.col("to_eur") / pl.col("from_eur")
        is_same = pl.col("currency") == to
        factor = rated.select(pl.when(is_same).then(1.0).otherwise(ratio))
        return amount * factor.to_series()
