"""Writes the sample into the package: `python -m tests.service.sample.write` makes
it again.
"""

import shutil
from pathlib import Path

import polars as pl

from tests.service.sample.earlier import earlier
from tests.service.sample.sample import sample
from ventureframe.dataset.manifest import DESCRIPTION
from ventureframe.dataset.schema import TABLES
from ventureframe.interface.files import write_json
from ventureframe_service.dataset import DIFFERENT, EARLIER, FOLDER


def write() -> None:
    """Write the dataset folder of the sample, and the rows that differ on the
    earlier day.
    """
    latest = sample()
    tables, before = latest.tables, earlier(latest, EARLIER).tables
    different = {
        name: rows_that_differ(name, before[name], tables[name]) for name in tables
    }
    for folder, frames in ((FOLDER, tables), (DIFFERENT, different)):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, frame in frames.items():
            if frame.height:
                _write(frame, folder / f"{name}.parquet")
    write_json(FOLDER / DESCRIPTION, latest.description.to_json())


def rows_that_differ(name: str, then: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Rows as they were, where `is_there`, and the keys of those that were not there
    yet.
    """
    key = list(TABLES[name].key)
    same = then.join(now, on=then.columns, how="semi", nulls_equal=True)
    changed = then.join(same, on=key, how="anti").with_columns(is_there=True)
    missing = (
        now.join(then, on=key, how="anti").select(key).with_columns(is_there=False)
    )
    return pl.concat([changed, missing], how="diagonal")


def _write(frame: pl.DataFrame, path: Path) -> None:
    frame.write_parquet(
        path, compression="zstd", compression_level=22, statistics=False
    )


if __name__ == "__main__":
    write()
