"""The synthetic sample, which is served where no other data are named; its generator is a test's.

`data` holds a dataset folder for the day of the sample, and beside it, for an earlier day, the
rows that were different then, so that notebook 04 can compare two fetches.
"""

import datetime as dt
import functools
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe.dataset.schema import TABLES
from ventureframe.errors import ConfigurationError
from ventureframe_service.dataset import Dataset

DAY: Final = dt.date(2026, 6, 30)
EARLIER: Final = dt.date(2026, 3, 31)
FOLDER: Final = Path(__file__).with_name("data") / DAY.isoformat()
"""The dataset folder of the sample."""
DIFFERENT: Final = FOLDER.with_name(EARLIER.isoformat())
"""Tables of the rows that differ on the earlier day; without `is_there`, the row was missing."""


@functools.cache
def sample(day: dt.date = DAY) -> Dataset:
    """Open the sample as of one of its two days.

    Raises `ConfigurationError` for any other day.

    >>> sample()
    <SYNTHETIC dataset 'Harrowmere sample' as of 2026-06-30: 2,000 companies>
    """
    latest = Dataset.open(FOLDER)
    if day == DAY:
        return latest
    if day != EARLIER:
        raise ConfigurationError(f"The sample is as of {EARLIER} or {DAY}, not of {day}.")
    tables = dict(latest.tables)
    for path in DIFFERENT.glob("*.parquet"):
        then, now = pl.read_parquet(path), tables[path.stem]
        same = now.join(then, on=TABLES[path.stem].key, how="anti", nulls_equal=True)
        tables[path.stem] = pl.concat([same, then.filter("is_there").drop("is_there")])
    return Dataset.of(replace(latest.description, as_of=day), tables)
