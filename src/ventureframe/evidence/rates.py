"""Amounts of a dataset in another currency, and the day of the rate behind a
converted one.
"""

from collections.abc import Collection
from typing import Literal

import narwhals as nw

from ventureframe.errors import UnsupportedValue
from ventureframe.evidence.rows import Frame, lazy
from ventureframe.interface.fields import Currency
from ventureframe.interface.source import Origin, Source


def rate_day(
    source: Source | None, amounts: Literal["totals", "rounds", "funds"]
) -> str:
    """The part of a caption that names the day of the rate for these converted amounts.

    The embedded service converts a company's total at the last rate on or before its
    dataset's day, and a round or a fund at the last one on or before its date: the
    first day of the month or year where no more is recorded, the dataset's day where
    nothing is. Another service does not state the day. `source` None is frames of
    unknown origin.

    >>> rate_day(None, "totals")
    'totals converted, day of the rate not stated'
    """
    if source is None or not source.is_embedded or source.as_of is None:
        return f"{amounts} converted, day of the rate not stated"
    day = str(source.as_of)
    if amounts != "totals":
        day = f"their date (month or year alone: its first day; undated: {day})"
    return f"{amounts} converted at the rate of {day}"


def totals(frame: Frame, currency: Currency, origin: Origin) -> Frame:
    """Convert `total_funding` of a dataset's companies; it is null where it has no
    rate.

    Raises `UnsupportedValue` where no amount can be converted to the currency.
    """
    _refuse(currency, origin.rates)
    native = nw.col("total_funding_currency")
    factor = nw.when(native == currency).then(nw.lit(1.0)).otherwise(None)
    for code, rate in origin.rates.items():
        ratio = nw.lit(origin.rates[currency] / rate)
        factor = nw.when(native == code).then(ratio).otherwise(factor)
    total = nw.col("total_funding").cast(nw.Float64())
    return lazy(frame).with_columns(total_funding=total * factor).to_native()


def amounts(frame: Frame, currency: Currency) -> Frame:
    """Choose the `amount` of a dataset's funds or rounds that `bulk.open` has in the
    currency.

    Raises `UnsupportedValue` where no amount can be converted to the currency.
    """
    rows, start = lazy(frame), "amount_in_"
    names = [name for name in rows.collect_schema().names() if name.startswith(start)]
    _refuse(currency, [name.removeprefix(start) for name in names])
    amount = nw.col(f"{start}{currency}") if names else nw.lit(None, nw.Float64())
    return rows.with_columns(amount=amount).drop(names).to_native()


def _refuse(currency: Currency, currencies: Collection[str]) -> None:
    if currencies and currency not in currencies:
        reason = (
            f"amounts are in, or can be converted to, {', '.join(sorted(currencies))}"
        )
        raise UnsupportedValue(currency, field="currency", reason=reason)
