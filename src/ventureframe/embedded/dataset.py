"""A dataset folder: opened, checked against its format, written.

One extra column means something to this service: `is_withheld` (bool) among the founders. A
founder withheld is one the service knows of but has no record to return for: companies list the
UUID, a query by university name still finds them, and `/data/founders` leaves them out.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe.errors import DatasetError

DESCRIPTION: Final = "dataset.json"
FORMAT: Final = 1

_EDUCATION: Final = pl.Struct(
    {
        "university_uuid": pl.String,
        "university_name": pl.String,
        "degree": pl.String,
        "major": pl.String,
        "start_year": pl.Int32,
        "end_year": pl.Int32,
    }
)
_EMPLOYER: Final = pl.Struct({"company_uuid": pl.String, "name": pl.String, "title": pl.String})
_LINKS: Final = pl.Struct({"linkedin": pl.String, "twitter": pl.String, "website": pl.String})


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns, those that are never null, its key, and what it refers to.

    `references` maps a column, or the member of a list column, to the table that must hold it.
    """

    columns: Mapping[str, pl.DataType]
    required: frozenset[str]
    key: tuple[str, ...]
    references: Mapping[str, str]

    @property
    def empty(self) -> pl.DataFrame:
        """The table without a row."""
        return pl.DataFrame(schema=dict(self.columns))


_TYPES: Final[Mapping[str, pl.DataType]] = {
    "text": pl.String(),
    "whole": pl.Int32(),
    "id": pl.Int64(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "day": pl.Date(),
    "texts": pl.List(pl.String),
    "ids": pl.List(pl.Int64),
    "education": pl.List(_EDUCATION),
    "employers": pl.List(_EMPLOYER),
    "links": _LINKS,
}
# table (key): column type, nullable with "?"; -> the table that a column refers to
_FORMAT: Final = """
companies (uuid): uuid text, name text, tagline text?, website_domain text?, launch_date whole?,
  team_size whole?, company_status text?, is_startup flag?, is_spinout flag?,
  hq_location id? -> locations, total_funding number?, total_funding_currency text?,
  signal_rating number?, signal_timing number?, signal_team number?, is_hiring flag?,
  open_jobs_count whole?, tag_id ids -> tags, founders texts -> founders
founders (uuid): uuid text, name text?, education education? -> universities.university_uuid,
  prior_employers employers?, profile_links links?
universities (uuid): uuid text, name text, website_domain text?, founder_alumni_total whole?,
  spinout_count whole?, city text?, country text?
investors (uuid): uuid text, name text, website_domain text?, hq_city text?, hq_country text?,
  is_lp flag
lp_managers (lp_uuid manager_uuid): lp_uuid text -> investors, manager_uuid text -> investors
funds (id): id id, name text?, manager_uuid text -> investors, fund_date day?, fund_type text?,
  amount number?, amount_currency text?, is_closed flag?, source_url text?
funding_rounds (id): id id, company_uuid text -> companies, year whole?, month whole?,
  round_type text?, amount number?, amount_currency text?, investors texts? -> investors
news (id): id id, title text, publish_date day?, entity_ids texts -> companies, url text?,
  source text?
jobs (id): id id, title text, date_posted day?, entity_id text? -> companies, url text?,
  location text?
tags (id): id id, label text, type text
locations (id): id id, name text, type text, parent_id id? -> locations
fx (currency date): currency text, date day, per_eur number
"""


def _table(text: str) -> tuple[str, Table]:
    """The name and the table that an entry of the format describes."""
    head, _, body = text.partition("):")
    name, _, key = head.partition(" (")
    columns, required, references = {}, set(), {}
    for part in body.split(","):
        column, kind, *target = part.split()
        columns[column] = _TYPES[kind.removesuffix("?")]
        if not kind.endswith("?"):
            required.add(column)
        if target:
            table, _, member = target[1].partition(".")
            references[f"{column}.{member}" if member else column] = table
    return name, Table(columns, frozenset(required), tuple(key.split()), references)


TABLES: Final[Mapping[str, Table]] = dict(
    _table(entry) for entry in re.split(r"\n(?! )", _FORMAT.strip())
)
"""The tables of a dataset, by name."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a dataset says of itself in `dataset.json`."""

    name: str
    description: str
    as_of: dt.date
    synthetic: bool
    licence: str
    attribution: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The content of `dataset.json`."""
        return {
            "format": FORMAT,
            "name": self.name,
            "description": self.description,
            "as_of": self.as_of.isoformat(),
            "synthetic": self.synthetic,
            "licence": self.licence,
            "attribution": list(self.attribution),
        }


@dataclass(frozen=True, slots=True)
class Dataset:
    """A checked dataset: every table present, its rows in order of their key.

    `ignored` names the files of the folder that are no part of the format.
    """

    description: Description
    tables: Mapping[str, pl.DataFrame]
    ignored: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind = "SYNTHETIC dataset" if self.description.synthetic else "dataset"
        rows = self.tables["companies"].height
        return (
            f"<{kind} {self.description.name!r} as of {self.description.as_of}: {rows:,} companies>"
        )

    @classmethod
    def of(
        cls,
        description: Description,
        tables: Mapping[str, pl.DataFrame],
        *,
        ignored: tuple[str, ...] = (),
    ) -> Dataset:
        """The dataset of these tables, once they keep the format; `DatasetError` otherwise."""
        for name, frame in tables.items():
            _check_table(name, frame)
        for name, frame in tables.items():
            _check_references(name, frame, tables)
        _check_places(tables.get("locations", TABLES["locations"].empty))
        return cls(
            description,
            {
                name: _in_key_order(tables.get(name, table.empty), table)
                for name, table in TABLES.items()
            },
            ignored,
        )

    @classmethod
    def open(cls, folder: Path | str) -> Dataset:
        """The dataset in `folder`; `DatasetError` names file, column and first offending row."""
        folder = Path(folder)
        description = _read_description(folder)
        expected = {DESCRIPTION, *(f"{name}.parquet" for name in TABLES)}
        found = sorted(path.name for path in folder.iterdir())
        tables = {
            name: _read_table(_contained(folder, f"{name}.parquet"))
            for name in TABLES
            if f"{name}.parquet" in found
        }
        ignored = tuple(name for name in found if name not in expected)
        return cls.of(description, tables, ignored=ignored)

    def write(self, folder: Path | str) -> Path:
        """Writes the dataset as a folder of the format; equal datasets give equal bytes."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in self.tables.items():
            _replace(folder / f"{name}.parquet", frame)
        text = json.dumps(self.description.to_json(), ensure_ascii=False, indent=1) + "\n"
        (folder / DESCRIPTION).write_text(text, encoding="utf-8")
        return folder


def _replace(path: Path, frame: pl.DataFrame) -> None:
    """Writes beside `path` first, so that no reader ever meets half a table."""
    part = path.with_suffix(f".{os.getpid()}.part")
    frame.write_parquet(part, compression="zstd", compression_level=9)
    part.replace(path)


def _in_key_order(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    if len(table.key) == 1 and frame[table.key[0]].is_sorted():
        return frame
    return frame.sort(table.key)


def _read_description(folder: Path) -> Description:
    if not folder.is_dir():
        raise DatasetError("is no folder; check the path", file=str(folder))
    path = _contained(folder, DESCRIPTION)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DatasetError(
            f"missing, so {folder.name!r} is not a dataset folder", file=DESCRIPTION
        ) from None
    except OSError as error:
        raise DatasetError(f"cannot be read: {error.strerror}", file=DESCRIPTION) from error
    except ValueError as error:
        raise DatasetError(f"is not JSON ({error})", file=DESCRIPTION) from error
    return _description(content)


def _description(content: object) -> Description:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DatasetError(f"needs an object with format {FORMAT}", file=DESCRIPTION)
    for key, kind in _MEMBERS.items():
        if not isinstance(content.get(key), kind):
            raise DatasetError(f"needs a {kind.__name__}", file=DESCRIPTION, column=key)
    if not all(isinstance(line, str) for line in content["attribution"]):
        raise DatasetError("needs lines of text", file=DESCRIPTION, column="attribution")
    try:
        as_of = dt.date.fromisoformat(content["as_of"])
    except ValueError:
        as_of = None
    if as_of is None or as_of.isoformat() != content["as_of"]:
        raise DatasetError("needs a day as YYYY-MM-DD", file=DESCRIPTION, column="as_of") from None
    return Description(
        content["name"],
        content["description"],
        as_of,
        content["synthetic"],
        content["licence"],
        tuple(content["attribution"]),
    )


_MEMBERS: Final[Mapping[str, type]] = {
    "name": str,
    "description": str,
    "as_of": str,
    "synthetic": bool,
    "licence": str,
    "attribution": list,
}


def _contained(folder: Path, name: str) -> Path:
    """The file of this name, once it is a plain one that lies in the folder itself."""
    path = folder / name
    if path.exists() and not (path.is_file() and path.resolve().parent == folder.resolve()):
        raise DatasetError("leads out of the folder, or is no plain file", file=name)
    return path


def _read_table(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, glob=False, hive_partitioning=False).rechunk()
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DatasetError("cannot be read as Parquet", file=path.name) from error


def _check_table(name: str, frame: pl.DataFrame) -> None:
    table, file = TABLES[name], f"{name}.parquet"
    for column, kind in table.columns.items():
        if column not in frame.columns:
            raise DatasetError("is missing", file=file, column=column)
        if frame.schema[column] != kind:
            raise DatasetError(
                f"has type {frame.schema[column]}, needs {kind}", file=file, column=column
            )
    for column in table.columns:
        _check_values(file, frame[column], required=column in table.required)
    _check_key(file, frame, table.key)


def _check_values(file: str, values: pl.Series, *, required: bool) -> None:
    if required:
        _refuse(file, values.name, values.is_null(), "is null and must not be")
    if values.dtype == pl.Float64:
        _refuse(file, values.name, ~values.is_finite(), "is not a finite number")
    if isinstance(values.dtype, pl.List):
        flat = values.explode(empty_as_null=False, keep_nulls=False)
        if flat.null_count():
            holes = values.list.len() > values.list.drop_nulls().list.len()
            _refuse(file, values.name, holes, "holds a null")
    if values.name == "per_eur":
        _refuse(file, values.name, values <= 0, "is not a positive rate")
    if values.name == "uuid":
        _refuse(file, "uuid", ~values.str.contains(_UUID), "is not a UUID in lower case")


_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def _refuse(file: str, column: str, wrong: pl.Series, reason: str) -> None:
    row = wrong.arg_max() if wrong.any() else None
    if row is not None:
        raise DatasetError(reason, file=file, column=column, row=row)


def _check_key(file: str, frame: pl.DataFrame, key: tuple[str, ...]) -> None:
    if len(key) == 1 and frame[key[0]].is_sorted():
        keys = frame[key[0]]
        is_unique = not (keys.slice(1) == keys.slice(0, max(0, frame.height - 1))).any()
    else:
        is_unique = frame.select(pl.struct(key).n_unique()).item() == frame.height
    if not is_unique:
        again = frame.select(~pl.struct(key).is_first_distinct()).to_series()
        _refuse(file, key[-1], again, f"repeats the key {' and '.join(key)} of an earlier row")


def _check_references(name: str, frame: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> None:
    for column, target in TABLES[name].references.items():
        if target not in tables:
            continue
        row, value = next(
            _dangling(frame, column, tables[target], TABLES[target].key[0]), (None, None)
        )
        if row is not None:
            file, top = f"{name}.parquet", column.partition(".")[0]
            reason = f"refers to {value!r}, which {target}.parquet does not hold"
            raise DatasetError(reason, file=file, column=top, row=row)


def _dangling(
    frame: pl.DataFrame, column: str, target: pl.DataFrame, key: str
) -> Iterator[tuple[int, object]]:
    """The row and value of the first reference that does not resolve, if any."""
    top, _, member = column.partition(".")
    values = frame.select(value=pl.col(top)).with_row_index("row")
    if isinstance(values.schema["value"], pl.List):
        values = values.explode("value", keep_nulls=False)
    if member:
        values = values.with_columns(value=pl.col("value").struct.field(member))
    missing = (
        values.lazy()
        .drop_nulls("value")
        .join(target.lazy().select(value=key), on="value", how="anti")
        .sort("row")
        .head(1)
        .collect()
    )
    yield from missing.iter_rows()


def _check_places(locations: pl.DataFrame) -> None:
    parents = dict(zip(locations["id"], locations["parent_id"], strict=True))
    for row, place in enumerate(parents):
        above = parents[place]
        for _ in range(len(parents)):
            if above is None:
                break
            if above == place:
                raise DatasetError(
                    "makes the place lie within itself",
                    file="locations.parquet",
                    column="parent_id",
                    row=row,
                )
            above = parents[above]
