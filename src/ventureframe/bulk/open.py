"""A dataset folder as named frames on an engine, as `find` of a study takes them."""

import atexit
import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from ventureframe.bulk import frames as flat
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import Description, Manifest, read_description
from ventureframe.dataset.schema import TABLES
from ventureframe.interface.source import FRAMES, NotThere, Origin, Source
from ventureframe_service.dataset import FOLDER


@dataclass(frozen=True, repr=False)
class Frames(Mapping[str, Any]):
    """The frames of a dataset by name, and its `origin`: the arguments of a study's `find`.

    Each frame is native to the engine and computes nothing by itself. In the place of one that the
    dataset does not have is a `NotThere`: a study that needs it refuses, and says why.
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
        there = [name for name, frame in self.frames.items() if not isinstance(frame, NotThere)]
        return f"<frames of {kind} {about.name!r} as of {about.as_of}: {', '.join(there)}>"


def open(  # noqa: A001  # vf.bulk.open(folder) reads as what it does
    folder: str | Path | None = None,
    *,
    engine: Any = "polars",
    pulled: dt.date | None = None,
    scratch: str | Path | None = None,
) -> Frames:
    """The frames of a dataset folder, or of pulled tables, on an engine.

    companies, company_founders, founders, education, company_tags, jobs, news, news_companies and
    funds; of a dataset also universities, rounds, lps and lp_managers, which no service lists.
    Lists are flat, a row an entry, `position` from 0. Founders that the service withholds are left
    out with their education, as the service leaves them out. `total_funding` is as recorded, in
    `total_funding_currency`: a study converts it at the last rate on or before the day of the
    dataset. Funds and rounds have their amount as announced (`amount_source`) and converted
    (`amount_in_USD` …) at the last rate on or before their own day. A pull's amounts are in the
    one currency that the service converted them to.

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

    Raises `DatasetError` where the folder breaks its format, and warns (`EvidenceWarning`) of what
    the replies of a pull left out or said against themselves.

    Examples
    --------
    >>> import ventureframe as vf
    >>> frames = vf.bulk.open()
    >>> frames.origin.source.name, list(frames)[:2]
    ('Harrowmere sample', ['companies', 'company_founders'])
    """
    folder = _folder(folder)
    read = manifest.read(folder, day=pulled) if manifest.SEALED.is_in(folder) else None
    paths = {name: _files(folder, name, read) for name in {**TABLES, **dict.fromkeys(FRAMES)}}
    tables = {name: pl.scan_parquet(each, glob=False) for name, each in paths.items() if each}
    about = read_description(folder, read)
    frames: dict[str, Any] = dict(flat.frames(tables, about.as_of, is_pull=read is not None))
    origin = _origin(folder, read, about, frames)
    if engine != "polars":
        place = Path(tempfile.mkdtemp(prefix="ventureframe-", dir=scratch))
        if scratch is None:
            atexit.register(shutil.rmtree, place, ignore_errors=True)
        for name, each in frames.items():
            if isinstance(each, pl.LazyFrame):
                lies = paths[name] if _is_flat(name, each, tables) else []
                frames[name] = _opened(engine, lies or [_written(each, place / f"{name}.parquet")])
    return Frames(frames, origin)


def _is_flat(name: str, rows: pl.LazyFrame, tables: Mapping[str, pl.LazyFrame]) -> bool:
    """Whether the files of a table hold the rows as they are: no list, no founder left out."""
    held = tables[name].collect_schema() if name in tables else pl.Schema()
    return "is_withheld" not in held and set(rows.collect_schema()) <= set(held)


def _folder(given: str | Path | None) -> Path:
    named = given or os.environ.get("VENTUREFRAME_DATA")
    return Path(named) if named else FOLDER


def _files(folder: Path, table: str, read: Manifest | None) -> list[str]:
    own = folder / f"{table}.parquet"
    if own.is_file():
        return [str(own)]
    return [] if read is None else [str(folder / file) for file in read.files(table)]


def _origin(
    folder: Path, read: Manifest | None, about: Description, frames: Mapping[str, Any]
) -> Origin:
    source = Source(**asdict(about), is_embedded=read is None)
    fx, companies = folder / "fx.parquet", frames["companies"]
    if fx.is_file() and read is None:
        known = pl.read_parquet(fx).filter(pl.col("date") <= about.as_of).sort("date")
        last = known.unique("currency", keep="last", maintain_order=True)
        return Origin(source, dict(last.select("currency", "per_eur").rows()))
    if isinstance(companies, NotThere):
        return Origin(source, {})
    recorded = companies.select(pl.col("total_funding_currency").drop_nulls().unique())
    currencies = recorded.collect().to_series().to_list()
    return Origin(source, dict.fromkeys(currencies, 1.0) if len(currencies) == 1 else {})


def _written(rows: pl.LazyFrame, path: Path) -> str:
    rows.sink_parquet(path, mkdir=True)
    return str(path)


def _opened(engine: Any, paths: list[str]) -> Any:
    """The files as one frame of the engine."""
    reader = import_module("duckdb") if engine == "duckdb" else engine
    if hasattr(reader, "read_parquet"):
        return reader.read_parquet(paths)
    return reader.read.parquet(*paths)
