"""Rows in any order to sorted Parquet parts, in memory that does not grow with them.

Rows are spilled as sorted runs, and a sample of their keys is kept. The sample cuts the keys into
ranges of about the same number of rows; one range after the other is read out of all runs, sorted
and written, so that the parts are sorted as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ventureframe.interface.manifest import Part, sha256

GROUP: Final = 122_880
"""Rows of a row group, which is what one thread of DuckDB reads at a time."""
PART: Final = 3 * GROUP
"""Rows of a part: about 400,000, in whole row groups."""
NO_YEAR: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows without a date: engines that read years from folders read it as null."""

_RUN: Final = 40_000
_RANGE: Final = 40_000
_READ: Final = 2_048
"""Rows of a run that are read together: a range is a few of each run."""
_EVERY: Final = 256
"""Of so many rows of a run, one key is kept to cut ranges by."""
_AT: Final = "_at"
_YEAR: Final = "_year"


@dataclass
class Table:
    """The rows of one table, spilled to `folder`; sorted by `key`, then by `within` if it has one.

    `date` names the column whose year the parts lie apart by.
    """

    folder: Path
    name: str
    key: str
    within: str | None = None
    date: str | None = None
    schema: dict[str, Any] = field(default_factory=dict)
    _held: list[pl.DataFrame] = field(default_factory=list)
    _runs: list[Path] = field(default_factory=list)
    _samples: list[pl.DataFrame] = field(default_factory=list)

    def add(self, rows: pl.DataFrame, at: int) -> None:
        """Takes rows; `at` numbers the chunk they came in."""
        for name, kind in rows.schema.items():
            if self.schema.setdefault(name, kind) == pl.Null:
                self.schema[name] = kind
        year = pl.lit(None, pl.Int32) if self.date is None else pl.col(self.date).dt.year()
        self._held.append(rows.with_columns(pl.lit(at, pl.UInt32).alias(_AT), year.alias(_YEAR)))
        if sum(each.height for each in self._held) >= _RUN:
            self._spill()

    def write(self, target: Path, within: Path, *, stale: pl.DataFrame, first: int) -> list[Part]:
        """The parts that now lie in `target`, named as they will lie `within` the whole folder.

        `stale` are the chunks (`at`) in which a record (`key`, hashed) stands that a later chunk
        has as well; rows of chunks before the `first` are left out, too.
        """
        self._spill()
        self.folder.mkdir(parents=True, exist_ok=True)
        schema = pl.DataFrame(schema=self.schema).to_arrow().schema
        parts: list[Part] = []
        for year, ranges in self._ranges():
            folder = "" if self.date is None else f"year={NO_YEAR if year is None else year}"
            writer = _Writer(target / folder, within / folder, schema, self.key)
            for where in ranges:
                writer.add(self._range(where, stale, first))
            parts += writer.close()
        if not parts:
            writer = _Writer(target, within, schema, self.key)
            parts = writer.close(is_empty=True)
        return parts

    def _spill(self) -> None:
        if not self._held:
            return
        rows = pl.concat(self._held, how="diagonal_relaxed").sort(_YEAR, *self._order)
        self._held = []
        self.folder.mkdir(parents=True, exist_ok=True)
        run = self.folder / f"{self.name}-{len(self._runs):05}.parquet"
        rows.write_parquet(run, compression="zstd", compression_level=1, row_group_size=_READ)
        self._runs.append(run)
        self._samples.append(_copied(rows.select(_YEAR, self.key).gather_every(_EVERY)))

    @property
    def _order(self) -> list[str]:
        return [self.key] if self.within is None else [self.key, self.within]

    def _ranges(self) -> Iterator[tuple[int | None, list[pl.Expr]]]:
        """Every year with the ranges of its keys, as conditions."""
        if not self._samples:
            return
        samples = pl.concat(self._samples)
        runs = pl.concat([pl.scan_parquet(run).select(_YEAR).unique() for run in self._runs])
        years = runs.unique().sort(_YEAR, nulls_last=True).collect().to_series().to_list()
        for year in years:
            of_year = pl.col(_YEAR).eq_missing(year)
            keys = samples.filter(of_year).get_column(self.key).sort()
            cuts = keys.gather_every(_RANGE // _EVERY).unique(maintain_order=True)[1:].to_list()
            key, lows, highs = pl.col(self.key), [None, *cuts], [*cuts, None]
            yield (
                year,
                [
                    of_year
                    & (pl.lit(value=True) if low is None else key >= low)
                    & (pl.lit(value=True) if high is None else key < high)
                    for low, high in zip(lows, highs, strict=True)
                ],
            )

    def _range(self, where: pl.Expr, stale: pl.DataFrame, first: int) -> pl.DataFrame:
        """The rows of one range in their order, each key as it was last sent.

        One run is read after the other, and of it the rows of the range are copied, so that
        nothing else of the run stays in memory.
        """
        read = (pl.scan_parquet(run).filter(where & (pl.col(_AT) >= first)) for run in self._runs)
        rows = pl.concat([_copied(each.collect()) for each in read], how="diagonal_relaxed")
        if stale.height:
            hashed = rows.with_columns(_hash=pl.col(self.key).hash())
            rows = hashed.join(stale, left_on=["_hash", _AT], right_on=["key", "at"], how="anti")
        wanted = [
            pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
            for name, kind in self.schema.items()
        ]
        return rows.sort(self._order).select(wanted)


def _copied(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows by themselves: a part of a frame else keeps the texts of all of it in memory."""
    return cast("pl.DataFrame", pl.from_arrow(rows.to_arrow()))


@dataclass
class _Writer:
    """Sorted rows to parts in a folder."""

    target: Path
    within: Path
    schema: pa.Schema
    key: str
    _held: pa.Table | None = None
    _parts: list[Part] = field(default_factory=list)
    _open: pq.ParquetWriter | None = None
    _rows: int = 0
    _ends: tuple[Any, Any] = (None, None)

    def add(self, rows: pl.DataFrame) -> None:
        table = rows.to_arrow().cast(self.schema)
        self._held = table if self._held is None else pa.concat_tables([self._held, table])
        while self._held.num_rows >= GROUP:
            self._group(self._held.slice(0, GROUP))
            self._held = self._held.slice(GROUP)

    def close(self, *, is_empty: bool = False) -> list[Part]:
        """Every part, once the rows that are left are written."""
        if self._held is not None and self._held.num_rows:
            self._group(self._held)
        elif is_empty:
            self._begin()
        self._end()
        return self._parts

    @property
    def _file(self) -> str:
        return f"part-{len(self._parts):04}.parquet"

    def _begin(self) -> pq.ParquetWriter:
        if self._open is None:
            self.target.mkdir(parents=True, exist_ok=True)
            path = self.target / self._file
            self._open = pq.ParquetWriter(path, self.schema, compression="zstd")
        return self._open

    def _group(self, rows: pa.Table) -> None:
        self._begin().write_table(rows, row_group_size=GROUP)
        keys = rows.column(self.key)
        first = self._ends[0] if self._rows else keys[0].as_py()
        self._ends = first, keys[-1].as_py()
        self._rows += rows.num_rows
        if self._rows >= PART:
            self._end()

    def _end(self) -> None:
        if self._open is None:
            return
        self._open.close()
        path = self.target / self._file
        first, last = (None if each is None else str(each) for each in self._ends)
        self._parts.append(
            Part(
                (self.within / self._file).as_posix(),
                self._rows,
                path.stat().st_size,
                sha256(path),
                first,
                last,
            )
        )
        self._open, self._rows, self._ends = None, 0, (None, None)
