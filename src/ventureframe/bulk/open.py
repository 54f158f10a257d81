"""A dataset folder as named frames on an engine, as `find` of a study takes them."""

from __future__ import annotations

import datetime as dt
import functools
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import polars as pl

from ventureframe.embedded.dataset import read_description
from ventureframe.embedded.engine import places
from ventureframe.embedded.engine.store import headquarters
from ventureframe.embedded.sample.sample import sample
from ventureframe.embedded.schema import TABLES
from ventureframe.errors import DatasetError
from ventureframe.interface import files, manifest
from ventureframe.interface.manifest import Manifest
from ventureframe.interface.source import Origin, Source

NAMES: Final = (
    *("companies", "company_founders", "founders", "education", "company_tags", "universities"),
)
"""The frames of a dataset, by name."""


@dataclass(frozen=True, repr=False)
class Frames(Mapping[str, Any]):
    """The frames of a dataset by name, and its `origin`: the arguments of a study's `find`.

    Each frame is native to the engine and computes nothing by itself.
    """

    frames: Mapping[str, Any]
    origin: Origin

    def __getitem__(self, name: str) -> Any:
        return self.origin if name == "origin" else self.frames[name]

    def __iter__(self) -> Iterator[str]:
        yield from self.frames
        yield "origin"

    def __len__(self) -> int:
        return len(self.frames) + 1

    def __repr__(self) -> str:
        about = self.origin.source
        kind = "SYNTHETIC dataset" if about.synthetic else "dataset"
        return f"<frames of {kind} {about.name!r} as of {about.as_of}: {', '.join(self.frames)}>"


def open(  # noqa: A001  # vf.bulk.open(folder) reads as what it does
    folder: str | Path | None = None,
    *,
    engine: Any = "polars",
    pulled: dt.date | None = None,
    scratch: str | Path | None = None,
) -> Frames:
    """The frames of a dataset folder, or of pulled tables, on an engine.

    companies, company_founders, founders, education, company_tags and, where the folder has it,
    universities: lists are flat, a row an entry, `position` from 0. Founders that the service
    withholds are left out with their education, as the service leaves them out. `total_funding`
    is as recorded, in `total_funding_currency`: a study converts it at the last rate on or before
    the day of the dataset; a pull's totals are in one currency and are not converted again.

    Parameters
    ----------
    folder : str or Path, optional
        A folder with `dataset.json`; a cluster must see it under the same path. By default the
        one that VENTUREFRAME_DATA names, else the synthetic sample, as in `vf.connect`.
    engine : {"polars", "duckdb"}, DuckDB connection, Spark session or Ibis backend
        What the frames belong to and what computes.
    pulled : date, optional
        The day of the pulls to read; the latest of each table by default.
    scratch : str or Path, optional
        Where tables with lists are written flat for an engine other than polars; by default a
        temporary folder that goes when the process ends. A cluster must see it, too.

    Raises `DatasetError` where the folder breaks its format.

    Examples
    --------
    >>> import ventureframe as vf
    >>> frames = vf.bulk.open()
    >>> frames.origin.source.name, list(frames)[:2]
    ('Harrowmere sample', ['companies', 'company_founders'])
    """
    folder = _folder(folder)
    read = _manifest(folder, pulled)
    paths = {name: _files(folder, name, read) for name in {**TABLES, **dict.fromkeys(NAMES)}}
    tables = {name: pl.scan_parquet(each) for name, each in paths.items() if each}
    rows = _flat(tables)
    origin = _origin(folder, read, rows)
    if engine == "polars":
        return Frames(rows, origin)
    place = Path(tempfile.mkdtemp(dir=scratch or files.scratch()))
    frames = {}
    for name, each in rows.items():
        lies = paths[name] if _is_flat(name, each, tables) else []
        frames[name] = _opened(engine, lies or [_written(each, place / f"{name}.parquet")])
    return Frames(frames, origin)


def _is_flat(name: str, rows: pl.LazyFrame, tables: Mapping[str, pl.LazyFrame]) -> bool:
    """Whether the files of a table hold the rows as they are: no list, no founder left out."""
    held = tables[name].collect_schema() if name in tables else pl.Schema()
    return "is_withheld" not in held and set(rows.collect_schema()) <= set(held)


def _folder(given: str | Path | None) -> Path:
    named = given or os.environ.get("VENTUREFRAME_DATA")
    return Path(named) if named else _sample()


@functools.cache
def _sample() -> Path:
    return sample().write(files.scratch() / "sample")


def _manifest(folder: Path, day: dt.date | None) -> Manifest | None:
    """The manifest of the pulls that are read; None where the folder has single files."""
    if not manifest.SEALED.is_in(folder):
        return None
    found = manifest.opened(folder)
    chosen = found if day is None else found.as_pulled(day)
    manifest.checked(folder, chosen)
    return chosen


def _files(folder: Path, table: str, read: Manifest | None) -> list[str]:
    own = folder / f"{table}.parquet"
    if own.is_file():
        return [str(own)]
    return [] if read is None else [str(folder / file) for file in read.files(table)]


def _origin(folder: Path, read: Manifest | None, rows: Mapping[str, pl.LazyFrame]) -> Origin:
    about = read_description(folder)
    source = Source(
        name=about.name,
        description=about.description,
        as_of=about.as_of if read is None else read.day,
        synthetic=about.synthetic,
        attribution=about.attribution,
        licence=about.licence,
        is_embedded=read is None,
        incomplete=() if read is None else read.incomplete,
    )
    fx = folder / "fx.parquet"
    if fx.is_file() and read is None:
        known = pl.read_parquet(fx).filter(pl.col("date") <= about.as_of).sort("date")
        last = known.unique("currency", keep="last", maintain_order=True)
        return Origin(source, dict(last.select("currency", "per_eur").rows()))
    recorded = rows["companies"].select(pl.col("total_funding_currency").drop_nulls().unique())
    currencies = recorded.collect().to_series().to_list()
    return Origin(source, dict.fromkeys(currencies, 1.0) if len(currencies) == 1 else {})


def _flat(tables: Mapping[str, pl.LazyFrame]) -> dict[str, pl.LazyFrame]:
    """The tables with their lists as tables of their own; a table that is missing is empty."""
    found = {name: _whole(name, tables) for name in ("companies", "founders", "tags", "locations")}
    companies, founders = found["companies"], found["founders"]
    if "is_withheld" in founders.collect_schema():
        founders = founders.filter(~pl.col("is_withheld").fill_null(value=False))
    if "hq_country" not in companies.collect_schema():
        within = places.above(found["locations"].collect())
        companies = companies.with_columns(each.cast(pl.String) for each in headquarters(within))
    tagged = _entries("company_tags", "company_uuid", companies, "tag_id", tables)
    if "name" not in tagged.collect_schema():
        labels = found["tags"].select(tag_id="id", name="label", type="type")
        tagged = tagged.join(labels, on="tag_id", how="left")
    pairs = _entries("company_founders", "company_uuid", companies, "founders", tables)
    entries = _entries("education", "founder_uuid", founders, "education", tables)
    every = {
        "companies": companies.drop("founders", "tag_id", strict=False),
        "company_founders": pairs.rename({"founders": "founder_uuid"}, strict=False),
        "founders": founders.select("uuid", "name"),
        "education": entries,
        "company_tags": tagged.select("company_uuid", "name", "type"),
    }
    universities = {"universities": tables["universities"]} if "universities" in tables else {}
    return every | universities


def _whole(name: str, tables: Mapping[str, pl.LazyFrame]) -> pl.LazyFrame:
    """The table with every column of its format that is not a list, null where it has none."""
    columns = TABLES[name].columns
    if name not in tables:
        return pl.LazyFrame(schema=dict(columns))
    there = tables[name].collect_schema()
    return tables[name].with_columns(
        pl.lit(None, kind).alias(column)
        for column, kind in columns.items()
        if column not in there and not isinstance(kind, pl.List)
    )


def _entries(
    name: str, owner: str, rows: pl.LazyFrame, column: str, tables: Mapping[str, pl.LazyFrame]
) -> pl.LazyFrame:
    """A row per entry of the list column, which rules; else the flat table of that name."""
    if column not in rows.collect_schema():
        if name not in tables:
            raise DatasetError(f"has neither a list nor a table {name!r}", file=f"{name}.parquet")
        return tables[name]
    entry = pl.col(column)
    flat = (
        rows.filter(entry.list.len() > 0)
        .select(pl.col("uuid").alias(owner), entry, position=pl.int_ranges(entry.list.len()))
        .explode(column, "position")
    )
    kind = flat.collect_schema()[column]
    return flat.drop_nulls(column).unnest(column) if isinstance(kind, pl.Struct) else flat


def _written(rows: pl.LazyFrame, path: Path) -> str:
    rows.sink_parquet(path, mkdir=True)
    return str(path)


def _opened(engine: Any, paths: list[str]) -> Any:
    """The files as one frame of the engine."""
    reader = import_module("duckdb") if engine == "duckdb" else engine
    if hasattr(reader, "read_parquet"):
        return reader.read_parquet(paths)
    return reader.read.parquet(*paths)
