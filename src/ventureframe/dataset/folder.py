"""A folder that is opened as a dataset: what it holds, whichever program reads it.

The one rule of what a folder is: `vf.connect(data=…)` and `vf.bulk.open` read the
same tables and refuse the same ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from ventureframe.dataset import manifest
from ventureframe.dataset.check import checked, meant
from ventureframe.dataset.manifest import DESCRIPTION, PULLS, Description, Manifest
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError, warn
from ventureframe.interface.files import home
from ventureframe.interface.gaps import Gap

_MOST = 8  # names in one warning


@dataclass(frozen=True)
class Folder:
    """A dataset folder: its description, of a pulled one its manifest, and the files
    of each table; of another its `tables`, checked.
    """

    path: Path
    about: Description
    pulls: Manifest | None
    files: Mapping[str, list[Path]]
    tables: Mapping[str, pl.LazyFrame] = field(default_factory=dict)


def opened(folder: str | Path, *, in_memory: bool = False) -> Folder:
    """Open a folder, and check its tables, which are read once for that, or kept
    `in_memory` from then on; of a pull only the hashes of its files.

    Warns of files and columns that are not of the format, with the nearest known
    name, and of what a pull leaves in doubt. Raises `DatasetError` where it is no
    dataset or has no table of the format, where a link leads out of it, with every
    problem of its tables, and where a file of a pull is not what was written.
    """
    path = home(folder)
    if PULLS.is_in(path):
        pulls = manifest.opened(path)
        files = pulls.files(path)
        for pull in pulls.pulls:
            pull.warn()
        return Folder(path, pulls.about, pulls, files)
    about, unknown = Description.read(path), list[str]()
    files = dict(_tables(path, unknown))
    if not files:
        content = f"; it holds {_listed(unknown)}" if unknown else ""
        reason = f"has no table of a dataset, such as companies.parquet{content}"
        raise DatasetError(reason, file=path.name or str(path))
    rows = {
        name: pl.scan_parquet(file, glob=False, hive_partitioning=False)
        for name, (file,) in files.items()
    }
    try:
        tables = checked(rows, unknown, day=about.as_of, in_memory=in_memory)
    finally:
        if unknown:
            listed = _listed(unknown)
            warn(f"{path.name}: not part of a dataset, so not read: {listed}.")
    if "founders" in rows and "education" not in rows["founders"].collect_schema():
        text = "founders.parquet has no column education"
        gap = Gap("recorded", "founders", "education", text=text)
        about = replace(about, incomplete=(gap,))
    return Folder(path, about, None, files, tables)


def _tables(path: Path, unknown: list[str]) -> Iterator[tuple[str, list[Path]]]:
    """Yield the file of each table; add the names of those that are none to `unknown`,
    with the table that each may be meant as.
    """
    recognised, missing = {DESCRIPTION}, set[str]()
    for name in TABLES:
        file = path / f"{name}.parquet"
        if file.is_symlink() and not file.resolve().is_relative_to(path.resolve()):
            raise DatasetError("is a link that leads out of the folder", file=file.name)
        if file.is_fifo():
            raise DatasetError("is a pipe, not a file", file=file.name)
        if file.is_file():
            recognised.add(file.name)
            yield name, [file]
        else:
            missing.add(name)
    for file in sorted(path.iterdir()):
        if not file.name.startswith(".") and file.name not in recognised:
            slash = "/" if file.is_dir() else ""
            unknown.append(f"{file.name}{slash}{meant(file.stem, missing, '.parquet')}")


def _listed(names: Sequence[str]) -> str:
    """List the names, those with a near one first, and count those above the most."""
    ordered = sorted(names, key=lambda name: "(is it" not in name)
    further = len(names) - _MOST
    more = f" and {further} more" if further > 0 else ""
    return ", ".join(ordered[:_MOST]) + more
