"""The day of the exchange rate behind a converted amount, where the service states it."""

from __future__ import annotations

from typing import Final, Literal

from ventureframe.interface.source import Source

Converted = Literal["totals", "rounds", "funds"]

_OWN_DAY: Final = ("rounds", "funds")


def rate_day(source: Source | None, amounts: Converted) -> str:
    """The part of a caption that names the day of the rate for these converted amounts.

    The embedded service converts a company's total at the last rate on or before its dataset's
    day, and a round or a fund at the last one on or before its own day (an undated one: the
    dataset's). Another service does not state the day. `source` None is frames of unknown origin.

    >>> import datetime as dt
    >>> source = Source("June", as_of=dt.date(2013, 6, 17), is_embedded=True)
    >>> rate_day(source, "totals")
    'totals converted at the rate of 2013-06-17'
    >>> rate_day(source, "rounds")
    'rounds converted at the rate of their own day (undated: of 2013-06-17)'
    >>> rate_day(None, "totals")
    'totals converted, day of the rate not stated'
    """
    if source is None or not source.is_embedded or source.as_of is None:
        return f"{amounts} converted, day of the rate not stated"
    if amounts in _OWN_DAY:
        return f"{amounts} converted at the rate of their own day (undated: of {source.as_of})"
    return f"{amounts} converted at the rate of {source.as_of}"
