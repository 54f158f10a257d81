"""A folder that is opened as a dataset: what it holds, whichever program reads it.

The one rule of what a folder is: `vf.connect(data=…)` and `vf.bulk.open` read the
same tables and refuse the same ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import DESCRIPTION, Description, Manifest
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError, nearest, warn
from ventureframe.interface.files import home
from ventureframe.interface.gaps import Gap

_MOST = 8  # names in one warning
_FURTHER = frozenset({"is_withheld", "same_as", "launch_date_text"})
"""Columns that a table may have or lack without a word."""


@dataclass(frozen=True)
class Folder:
    """A dataset folder: its description, of a pulled one its manifest, and the files
    of each table.

    `tables` are those of a folder that is no pull, as they are in their files, and
    `problems` the errors of files that are no Parquet.
    """

    path: Path
    about: Description
    pulls: Manifest | None
    files: Mapping[str, list[Path]]
    tables: Mapping[str, pl.LazyFrame] = field(default_factory=dict)
    problems: tuple[DatasetError, ...] = ()


def opened(folder: str | Path) -> Folder:
    """Read the description of a folder and find its tables.

    Warns of files and columns that are not of the format, with the nearest known
    name. Raises `DatasetError` where it is no dataset or has no table of the format,
    where a link leads out of it, and as `manifest.read` does.
    """
    path = home(folder)
    about, pulls = manifest.read(path)
    if pulls is not None:
        return Folder(path, about, pulls, pulls.files(path))
    files = dict[str, list[Path]]()
    for name in TABLES:
        file = path / f"{name}.parquet"
        if file.is_symlink() and not file.resolve().is_relative_to(path.resolve()):
            raise DatasetError("is a link that leads out of the folder", file=file.name)
        if file.is_file():
            files[name] = [file]
    others = list(_other_files(path, files))
    if not files:
        held = f"; it holds {_listed(others)}" if others else ""
        reason = f"has no table of a dataset, such as companies.parquet{held}"
        raise DatasetError(reason, file=path.name or str(path))
    tables, problems = dict[str, pl.LazyFrame](), list[DatasetError]()
    for name, paths in files.items():
        rows = pl.scan_parquet(paths, glob=False, hive_partitioning=False)
        try:
            others += _other_columns(name, rows.collect_schema().names())
        except (OSError, pl.exceptions.PolarsError) as error:
            problems.append(unreadable(name, error))
        else:
            tables[name] = rows
    if others:
        warn(f"{path.name}: not part of a dataset, so not read: {_listed(others)}.")
    founders = tables.get("founders")
    if founders is not None and "education" not in founders.collect_schema():
        text = "founders.parquet has no column education"
        gap = Gap("recorded", "founders", "education", text=text)
        about = replace(about, incomplete=(gap,))
    return Folder(path, about, None, files, tables, tuple(problems))


def unreadable(name: str, error: Exception) -> DatasetError:
    """Return the error for the file of a table that is damaged or no Parquet file."""
    first, *_ = str(error).splitlines() or [""]
    return DatasetError(f"cannot be read as Parquet: {first}", file=f"{name}.parquet")


def _other_files(path: Path, files: Mapping[str, list[Path]]) -> Iterator[str]:
    """Name the files that are no table, with the one that each may be meant as."""
    known = {DESCRIPTION, *(f"{name}.parquet" for name in files)}
    for file in sorted(path.iterdir()):
        if not file.name.startswith(".") and file.name not in known:
            near = nearest(file.stem.lower(), TABLES.keys() - files.keys(), at_most=1)
            meant = f" (is it {near[0]}.parquet?)" if near else ""
            yield f"{file.name}{'/' if file.is_dir() else ''}{meant}"


def _other_columns(name: str, columns: Sequence[str]) -> Iterator[str]:
    """Name the columns that the format does not have, with the one that each may be
    meant as; none where the table has every column of the format.
    """
    known = TABLES[name].columns.keys() | _FURTHER
    absent = known - _FURTHER - set(columns)
    for column in columns if absent else ():
        if column not in known:
            near = nearest(column.lower(), absent, at_most=1)
            meant = f" (is it {near[0]}?)" if near else ""
            yield f"{name}.parquet, column {column!r}{meant}"


def _listed(names: Sequence[str]) -> str:
    """List the names, those with a near one first, and count those above the most."""
    ordered = sorted(names, key=lambda name: "(is it" not in name)
    further = len(names) - _MOST
    more = f" and {further} more" if further > 0 else ""
    return ", ".join(ordered[:_MOST]) + more
