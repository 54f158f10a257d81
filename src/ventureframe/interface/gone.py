"""Names that are gone with this version, and what to use instead."""

from typing import TYPE_CHECKING, NoReturn

_INSTEAD = {
    "band": "counts",
    "by": "rows.to_polars().group_by(...)",
    "countries": "managers.to_polars().group_by('hq_country').len()",
    "funding_and_hiring": "open_jobs_count and total_funding of ranking",
    "left_out": "limits, or counts.dropped",
    "months": "postings.to_polars().group_by(pl.col('date_posted').dt.month_start())",
    "sink": "svc.pull(..., out=folder)",
    "spread": "companies.to_polars().group_by(...)",
    "statuses": "to_polars().group_by('company_status').len() of the companies",
    "to_crm": "to_polars().select(...).write_csv(path)",
    "types": "funds.to_polars().group_by('fund_type').len()",
}


class Renamed:
    """A value that says what to use instead of an attribute that is gone.

    >>> Renamed().sink
    Traceback (most recent call last):
    AttributeError: 'sink' is gone: use svc.pull(..., out=folder)
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name in _INSTEAD:
                raise AttributeError(f"{name!r} is gone: use {_INSTEAD[name]}")
            kind = type(self).__name__
            raise AttributeError(f"{kind!r} object has no attribute {name!r}")
