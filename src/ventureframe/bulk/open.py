"""A dataset folder as named frames on an engine, as `find` of a study takes them."""

import atexit
import datetime as dt
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from ventureframe.bulk.frames import frames
from ventureframe.dataset import manifest
from ventureframe.dataset.manifest import read_description
from ventureframe.dataset.schema import TABLES, files_in
from ventureframe.interface.source import FRAMES, NotThere, Origin, Source
from ventureframe_service.dataset import FOLDER


class Frames(dict[str, Any]):
    """The frames of a dataset by name, and its `origin`: the arguments of a study's `find`.

    Each frame is native to the engine and computes nothing by itself. In the place of one that the
    dataset does not have is a `NotThere`: a study that needs it refuses, and says why.
    """

    @property
    def origin(self) -> Origin:
        """Where the records come from, and the rates of the dataset's day."""
        origin: Origin = self["origin"]
        return origin

    def __repr__(self) -> str:
        about = self.origin.source
        kind = "SYNTHETIC dataset" if about.synthetic else "dataset"
        missing = {name for name, frame in self.items() if isinstance(frame, NotThere)}
        there = ", ".join(name for name in self if name not in {*missing, "origin"})
        return f"<frames of {kind} {about.name!r} as of {about.as_of}: {there}>"


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
    folder = Path(folder or os.environ.get("VENTUREFRAME_DATA") or FOLDER)
    pulls = manifest.read(folder, day=pulled) if manifest.SEALED.is_in(folder) else None
    paths, own = dict[str, list[str]](), files_in(folder, (*TABLES, *FRAMES))
    for name in (*TABLES, *FRAMES):
        held = () if pulls is None else pulls.files(name)
        paths[name] = [str(own[name])] if name in own else [str(folder / file) for file in held]
    about = read_description(folder, pulls)
    tables = {name: pl.scan_parquet(each, glob=False) for name, each in paths.items() if each}
    lazy = frames(tables, about.as_of, is_pull=pulls is not None)
    source = Source(**asdict(about), is_embedded=pulls is None)
    opened = Frames(lazy, origin=Origin(source, _rates(tables, lazy["companies"], about.as_of)))
    if engine == "polars":
        return opened
    place = Path(tempfile.mkdtemp(prefix="ventureframe-", dir=scratch))
    if scratch is None:
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    engine = import_module("duckdb") if engine == "duckdb" else engine
    for name, rows in lazy.items():
        if isinstance(rows, NotThere):
            continue
        schema = tables[name].collect_schema() if name in tables else pl.Schema()
        files = paths.get(name, [])
        if "is_withheld" in schema or not {*rows.collect_schema()} <= {*schema}:
            files = [str(place / f"{name}.parquet")]  # with a list, or with rows to leave out
            rows.sink_parquet(files[0])
        has_reader = hasattr(engine, "read_parquet")
        opened[name] = engine.read_parquet(files) if has_reader else engine.read.parquet(*files)
    return opened


def _rates(
    tables: Mapping[str, pl.LazyFrame], companies: pl.LazyFrame | NotThere, as_of: dt.date
) -> dict[str, float]:
    """Units for one euro on the day of the dataset; of a pull the one currency of its totals."""
    if "fx" in tables:
        fx = tables["fx"].filter(pl.col("date") <= as_of).sort("date")
        last = fx.unique("currency", keep="last", maintain_order=True)
        return dict(last.select("currency", "per_eur").collect().rows())
    if isinstance(companies, NotThere):
        return {}
    recorded = companies.select(pl.col("total_funding_currency").drop_nulls().unique())
    currencies = recorded.collect().to_series().to_list()
    return dict.fromkeys(currencies, 1.0) if len(currencies) == 1 else {}
