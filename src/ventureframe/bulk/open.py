"""A dataset folder as named frames on an engine, as `find` of a study takes them."""

import atexit
import functools
import os
import shutil
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast, get_args

import polars as pl

from ventureframe.dataset import folder as folders
from ventureframe.dataset import places
from ventureframe.dataset.check import scanned
from ventureframe.dataset.rates import Rates
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError, UnsupportedValue
from ventureframe.interface import fields, files
from ventureframe.interface.source import NotThere, Origin, Source
from ventureframe_service.dataset import FOLDER

_ANNOUNCED = pl.when(pl.col("amount").is_not_null()).then(
    pl.struct("amount", currency="amount_currency")
)

_NEEDED = {
    "companies": "companies",
    "founders": "founders",
    "education": "founders",
    "rounds": "funding_rounds",
    "investors": "investors",
    "lps": "investors",
    "lp_managers": "lp_managers",
    "funds": "funds",
}
"""The table that each of these frames is made of."""


class _Tables(dict[str, pl.LazyFrame]):
    """The tables of a folder; a missing one is empty, with its format's columns."""

    def __missing__(self, name: str) -> pl.LazyFrame:
        return pl.LazyFrame(schema=dict(TABLES[name].columns))


class Frames(dict[str, Any]):
    """The frames of a dataset by name, and its `origin`: the arguments of a study's
    `find`.

    Each frame is native to the engine and computes nothing by itself. A frame that the
    dataset does not have is a `NotThere`: a study that needs it raises an error that
    says why.
    """

    @property
    def origin(self) -> Origin:
        """Where the records come from, and the rates of the dataset's day."""
        return cast("Origin", self["origin"])

    def __repr__(self) -> str:
        source = self.origin.source
        kind = "SYNTHETIC dataset" if source.synthetic else "dataset"
        names = [
            name
            for name, frame in self.items()
            if not isinstance(frame, NotThere | Origin)
        ]
        return (
            f"<frames of {kind} {source.name!r} as of {source.as_of}:"
            f" {', '.join(names)}>"
        )


def open(  # noqa: A001  # vf.bulk.open(folder) reads as what it does
    folder: str | Path | None = None,
    *,
    engine: Any = "polars",
    scratch: str | Path | None = None,
) -> Frames:
    """Open the frames of a dataset folder, or of pulled tables, on an engine.

    companies, company_founders, founders, education, prior_employers, company_tags,
    jobs, news, news_companies and funds; of a dataset also universities, rounds,
    investors, lps and lp_managers, which no service lists. Lists are flat, a row for
    each entry, with its `position` from 0. Founders that the service withholds are
    left out with their education, as the
    service leaves them out. `total_funding` is as recorded, in
    `total_funding_currency`: a study converts it at the last rate on or before the day
    of the dataset. Funds and rounds have their amount as announced (`amount_source`)
    and converted (`amount_in_USD` …) at the last rate on or before their own day. A
    pull's amounts are in the one currency that the service converted them to. Of a
    folder with pulls of several days, as earlier versions wrote them, the latest of
    each collection is read.

    Parameters
    ----------
    folder : str or Path, optional
        A dataset, or what was pulled; a cluster must see it under the same path. By
        default the one that VENTUREFRAME_DATA names, else the synthetic sample, as in
        `vf.connect`.
    engine : {"polars", "duckdb"}, DuckDB connection or Spark session
        What the frames belong to and what computes.
    scratch : str or Path, optional
        Where tables with lists are written flat for an engine other than polars, in a
        folder that goes when the process ends. A cluster must see it, too.

    Raises
    ------
    DatasetError
        Where the folder breaks its format.
    SaveError
        Where nothing can be written into `scratch`.

    Warns
    -----
    EvidenceWarning
        Of what the replies of a pull left out or said against themselves.

    Examples
    --------
    >>> import ventureframe as vf
    >>> frames = vf.bulk.open()
    >>> frames.origin.source.name, list(frames)[:2]
    ('Harrowmere sample', ['companies', 'company_founders'])
    """
    opened = folders.opened(folder or os.environ.get("VENTUREFRAME_DATA") or FOLDER)
    frames = _of(opened)
    if engine == "polars":
        return frames
    if engine == "duckdb":
        engine = import_module("duckdb")
    if not hasattr(engine, "sql"):
        raise UnsupportedValue(
            engine, field="engine", reason="give 'polars', 'duckdb' or a connection"
        )
    above = files.home(scratch or tempfile.gettempdir())
    try:
        place = Path(tempfile.mkdtemp(prefix="ventureframe-", dir=above))
    except OSError as error:
        raise files.not_written(above, error) from error
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for name, rows in frames.items():
        if isinstance(rows, NotThere | Origin):
            continue
        paths = [*map(str, opened.files.get(name, []))]
        if not _is_flat(rows, paths):
            paths = [str(place / f"{name}.parquet")]
            rows.sink_parquet(paths[0])
        if hasattr(engine, "read_parquet"):
            frames[name] = engine.read_parquet(paths)
        else:
            frames[name] = engine.read.parquet(*paths)
    return frames


def _of(opened: folders.Folder) -> Frames:
    """Make the frames of a folder on polars; `NotThere` for those that it lacks."""
    about, pulls = opened.about, opened.pulls
    tables = _Tables(opened.tables)
    for name in opened.files if pulls else ():
        tables[name] = scanned(name, opened.files[name])
    rates = Rates(tables["fx"].sort("date").collect(), as_of=about.as_of)
    frames = _frames(tables, rates)
    needed, advice = _NEEDED, ".parquet"
    if "universities" not in tables:
        del frames["universities"]
    if pulls is not None:
        converted = pl.col("amount_converted").alias(f"amount_in_{pulls.currency}")
        funds = tables["funds"].with_columns(converted, amount_source=_ANNOUNCED)
        frames["funds"] = funds.drop("amount", "amount_currency", "amount_converted")
        needed = {name: name.removesuffix("_companies") for name in frames}  # of news
        advice = ": companies, founders, jobs, news and funds can be pulled"
    for name, table in needed.items():
        if table not in tables:
            frames[name] = NotThere(name, f"the folder holds no {table}{advice}")
    if pulls is None and about.incomplete:
        frames["education"] = NotThere("education", str(about.incomplete[0]))
    source = Source(**vars(about), is_embedded=pulls is None)
    origin = Origin(source, rates.latest or _only_currency(tables["companies"]))
    return Frames(frames, origin=origin)


def _is_flat(rows: pl.LazyFrame, paths: Sequence[str]) -> bool:
    """Whether the files hold just the rows, and their columns in the same types."""
    stored = pl.read_parquet_schema(paths[0]) if paths else {}
    columns = rows.collect_schema().items()
    return "is_withheld" not in stored and stored.items() >= columns


def _only_currency(companies: pl.LazyFrame) -> dict[str, float]:
    """Without rates: the currency of all totals, as its own rate of 1; else none."""
    recorded = pl.col("total_funding_currency").drop_nulls().unique()
    currencies = companies.select(recorded).collect().to_series()
    return dict.fromkeys(currencies, 1.0) if len(currencies) == 1 else {}


def _frames(tables: _Tables, rates: Rates) -> dict[str, pl.LazyFrame | NotThere]:
    """Make every frame, by name; a table that is missing is empty."""
    founders = tables["founders"]
    if "is_withheld" in founders.collect_schema():
        founders = founders.filter(~pl.col("is_withheld").fill_null(value=False))
    rounds = tables["funding_rounds"].drop("investors", strict=False)
    # a round without a month has the rate of the first of the year
    month = pl.date("year", pl.col("month").fill_null(1), 1)
    return {
        **_companies(tables),
        "founders": founders.select("uuid", "name"),
        **{
            name: _entries(name, "founder_uuid", founders, name, tables)
            for name in ("education", "prior_employers")
        },
        "jobs": tables["jobs"],
        **_news(tables["news"]),
        "funds": _with_amounts(tables["funds"], pl.col("fund_date"), rates),
        "universities": tables["universities"],
        "rounds": _with_amounts(rounds, month, rates),
        **_investors(tables),
    }


def _news(news: pl.LazyFrame) -> dict[str, pl.LazyFrame]:
    pairs = news.filter(pl.col("entity_ids").list.len() > 0).select(
        news_item_id="id", entity_id="entity_ids"
    )
    if "entity_id" not in news.collect_schema():
        news = news.with_columns(entity_id=pl.col("entity_ids").list.first())
    return {
        "news": news.drop("entity_ids"),
        "news_companies": pairs.explode("entity_id"),
    }


def _investors(tables: _Tables) -> dict[str, pl.LazyFrame]:
    firms = tables["investors"]
    managers = firms.select(
        "uuid",
        "name",
        "website_domain",
        "hq_city",
        "hq_country",
        manager_uuid="uuid",
    )
    edges = tables["lp_managers"].select("lp_uuid", "manager_uuid")
    backed = edges.join(managers, on="manager_uuid", how="left")
    return {
        "investors": firms.drop("is_lp"),
        "lps": firms.filter("is_lp").drop("is_lp"),
        "lp_managers": backed.drop("manager_uuid"),
    }


def _companies(tables: _Tables) -> dict[str, pl.LazyFrame]:
    companies = tables["companies"]
    if "hq_country" not in companies.collect_schema():
        names = places.headquarters(places.above(tables["locations"].collect()))
        companies = companies.with_columns(name.cast(pl.String) for name in names)
    tagged = _entries("company_tags", "company_uuid", companies, "tag_id", tables)
    if "name" not in tagged.collect_schema():
        labels = tables["tags"].select(tag_id="id", name="label", type="type")
        tagged = tagged.join(labels, on="tag_id", how="left")
    pairs = _entries("company_founders", "company_uuid", companies, "founders", tables)
    return {
        "companies": companies.drop("founders", "tag_id", strict=False),
        "company_founders": pairs.rename({"founders": "founder_uuid"}, strict=False),
        "company_tags": tagged.drop("position", strict=False),
    }


def _with_amounts(rows: pl.LazyFrame, day: pl.Expr, rates: Rates) -> pl.LazyFrame:
    """Add the amount as announced, `amount_source`, and converted, `amount_in_` a
    currency, at the last rate on or before the day.
    """
    amounts = pl.struct("amount", currency="amount_currency", day=day)
    columns = [_ANNOUNCED.alias("amount_source")]
    for code in get_args(fields.Currency):
        convert = functools.partial(rates.convert, to=code)
        amount = amounts.map_batches(convert, pl.Float64, is_elementwise=True)
        columns.append(amount.alias(f"amount_in_{code}"))
    return rows.with_columns(columns).drop("amount", "amount_currency")


def _entries(
    name: str, owner: str, rows: pl.LazyFrame, column: str, tables: _Tables
) -> pl.LazyFrame:
    """Make a row per entry of the list column; without it return the flat table."""
    if column not in rows.collect_schema():
        if name not in tables:
            raise DatasetError(
                f"has neither a list nor a table {name!r}", file=f"{name}.parquet"
            )
        return tables[name]
    length = pl.col(column).list.len()
    entries = (
        rows.filter(length > 0)
        .select(pl.col("uuid").alias(owner), column, position=pl.int_ranges(length))
        .explode(column, "position")
    )
    if isinstance(entries.collect_schema()[column], pl.Struct):
        return entries.drop_nulls(column).unnest(column)
    return entries
