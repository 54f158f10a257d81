"""A dataset that is served: opened from a folder, checked against its format, written.

One extra column means something to the service: `is_withheld` (bool) among the
founders. It knows such a founder but returns no record: companies list the UUID, a
query by university name still finds them, and `/data/founders` leaves them out.
"""

import datetime as dt
import functools
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Self, get_args

import polars as pl

from ventureframe.dataset import folder as folders
from ventureframe.dataset.check import checked
from ventureframe.dataset.manifest import DESCRIPTION, Description
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import ConfigurationError, DatasetError
from ventureframe.interface.fields import Currency
from ventureframe.interface.files import write_json, write_whole
from ventureframe_service import pulled

DAY = dt.date(2026, 6, 30)
EARLIER = dt.date(2026, 3, 31)
FOLDER = Path(__file__).with_name("data") / DAY.isoformat()
"""The dataset folder of the sample, which is served where no other data are named."""
DIFFERENT = FOLDER.with_name(EARLIER.isoformat())
"""Tables of the rows that differ on the earlier day; without `is_there`, the row was
missing.
"""


@dataclass(frozen=True)
class Dataset:
    """A checked dataset: every table present, its rows in order of their key.

    `converted_to` is the currency of every total and fund size of a pull, which only
    the service that they come from can convert again; None where amounts are as
    announced. `absent` names the tables that a folder lacks.
    """

    description: Description
    tables: Mapping[str, pl.DataFrame]
    converted_to: Currency | None = None
    absent: Collection[str] = ()

    def __repr__(self) -> str:
        kind = "SYNTHETIC dataset" if self.description.synthetic else "dataset"
        about, rows = self.description, self.tables["companies"].height
        return f"<{kind} {about.name!r} as of {about.as_of}: {rows:,} companies>"

    @property
    def currency(self) -> Currency:
        """The currency of amounts where a request names none: the first of the
        interface's that amounts can be shown in, else USD.
        """
        if self.converted_to is not None:
            return self.converted_to
        recorded = self.tables["companies"]["total_funding_currency"]
        available = {*recorded, *self.tables["fx"]["currency"]}
        return next((code for code in get_args(Currency) if code in available), "USD")

    @classmethod
    def of(cls, description: Description, tables: Mapping[str, pl.DataFrame]) -> Self:
        """Make a dataset of these tables, absent ones empty; `DatasetError` if one
        is wrong.
        """
        rows = {name: frame.lazy() for name, frame in tables.items()}
        return cls(description, _whole(checked(rows, [], day=description.as_of)))

    @classmethod
    def open(cls, folder: Path | str) -> Self:
        """Open the dataset in `folder`; `DatasetError` names file, column and first
        wrong row of each problem.

        References between the tables of a pull are not checked.
        """
        opened = folders.opened(folder, in_memory=True)
        if opened.pulls is not None:
            return cls._of_pulls(opened)
        absent = TABLES.keys() - opened.tables.keys()
        return cls(opened.about, _whole(opened.tables), absent=absent)

    @classmethod
    def _of_pulls(cls, opened: folders.Folder) -> Self:
        try:
            rows = dict[str, pl.LazyFrame]()
            parts = {name: pulled.read(files) for name, files in opened.files.items()}
            for name, frame in pulled.tables(parts).items():
                empty = pl.DataFrame(schema=dict(TABLES[name].columns))
                rows[name] = pl.concat([empty, frame], how="diagonal").lazy()
            whole = _whole(rows)
        except (KeyError, pl.exceptions.PolarsError) as error:
            first, *_ = str(error).splitlines()
            reason = f"its tables are not those of a pull: {first}"
            raise DatasetError(reason, file=opened.path.name) from error
        currency = opened.pulls.currency if opened.pulls else None
        return cls(opened.about, whole, converted_to=currency)

    def write(self, folder: Path | str) -> Path:
        """Write the dataset as a folder of the format; equal datasets give equal
        bytes.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables.items():
            content = io.BytesIO()
            frame.write_parquet(content, compression="zstd", compression_level=9)
            write_whole(folder / f"{name}.parquet", content.getvalue())
        write_json(folder / DESCRIPTION, self.description.to_json())
        return folder


def _whole(tables: Mapping[str, pl.LazyFrame]) -> Mapping[str, pl.DataFrame]:
    """Collect every table in the order of its key, absent ones empty."""
    whole = dict[str, pl.DataFrame]()
    for name, table in TABLES.items():
        rows = tables.get(name)
        if rows is None:
            whole[name] = pl.DataFrame(schema=dict(table.columns))
        else:
            frame, key = rows.collect(), table.key
            is_sorted = len(key) == 1 and frame[key[0]].is_sorted()
            whole[name] = frame if is_sorted else frame.sort(key)
    return MappingProxyType(whole)


@functools.cache
def sample(day: dt.date = DAY) -> Dataset:
    """Open the synthetic sample as of one of its two days; its generator is a test's.

    Raises `ConfigurationError` for any other day.

    >>> sample()
    <SYNTHETIC dataset 'Harrowmere sample' as of 2026-06-30: 2,000 companies>
    """
    latest = Dataset.open(FOLDER)
    if day == DAY:
        return latest
    if day != EARLIER:
        raise ConfigurationError(
            f"The sample is as of {EARLIER} or {DAY}, not of {day}."
        )
    tables = dict(latest.tables)
    for path in DIFFERENT.glob("*.parquet"):
        then, now = pl.read_parquet(path), tables[path.stem]
        same = now.join(then, on=TABLES[path.stem].key, how="anti", nulls_equal=True)
        tables[path.stem] = pl.concat([same, then.filter("is_there").drop("is_there")])
    return Dataset.of(replace(latest.description, as_of=day), tables)
