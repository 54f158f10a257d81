"""Rows in any order to sorted Parquet parts, in memory that does not grow with them.

Rows are spilled as sorted runs, and a sample of their keys is kept. The sample cuts the keys into
ranges of about the same size; all runs are read side by side, each once from its beginning to its
end, and what they have of one range after the other is sorted and written, so that the parts are
sorted as a whole. Many runs are merged into fewer ones first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ventureframe.client.keys import Stale, hashed
from ventureframe.dataset.manifest import Part, sha256

GROUP: Final = 122_880
"""Rows of a row group, which is what one thread of DuckDB reads at a time."""
PART: Final = 3 * GROUP
"""Rows of a part: about 400,000, in whole row groups."""
NO_YEAR: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows without a date: engines that read years from folders read it as null."""

_BATCH: Final = 1_024
"""Rows of a run that are read together."""
_EVERY: Final = 256
"""Of so many rows of a run, one key is kept to cut ranges by."""
_AT: Final = "_at"
_YEAR: Final = "_year"
_UNDATED: Final = (1 << 31) - 1
"""The year of rows without a date, which come last."""
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))


@dataclass
class Table:
    """The rows of one table, spilled to `folder`; sorted by `key`, then by `within` if it has one.

    `date` names the column whose year the parts lie apart by. `together` is how many bytes of rows
    are sorted in memory, `side_by_side` how many runs are read at a time.
    """

    folder: Path
    name: str
    key: str
    within: str | None = None
    date: str | None = None
    together: int = 8 << 20
    side_by_side: int = 128
    schema: dict[str, Any] = field(default_factory=dict)
    _held: list[pl.DataFrame] = field(default_factory=list)
    _size: int = 0
    _rows: int = 0
    _bytes: int = 0
    _runs: list[_Run] = field(default_factory=list)
    _made: int = 0
    _samples: list[pl.DataFrame] = field(default_factory=list)
    _years: set[int] = field(default_factory=set)

    def add(self, rows: pl.DataFrame, at: int) -> None:
        """Takes rows; `at` numbers the chunk they came in."""
        for name, kind in rows.schema.items():
            if self.schema.setdefault(name, kind) == pl.Null:
                self.schema[name] = kind
        year = pl.lit(None, pl.Int32) if self.date is None else pl.col(self.date).dt.year()
        marks = {_AT: pl.lit(at, pl.UInt32), _YEAR: year.fill_null(_UNDATED)}
        self._held.append(rows.with_columns(**marks))
        self._size += int(rows.estimated_size())
        if self._size >= self.together:
            self._spill()

    def write(
        self, target: Path, within: Path, *, stale: Stale | None = None, first: int = 0
    ) -> list[Part]:
        """The parts that now lie in `target`, named as they will lie `within` the whole folder.

        `stale` are the chunks (`at`) in which a record (`key`, hashed) stands that a later chunk
        has as well; rows of chunks before the `first` are left out, too.
        """
        self._spill()
        if first or (stale is not None and stale.count):
            self._runs = [self._left(run, stale, first) for run in self._runs]
        while len(self._runs) > self.side_by_side:
            together = self._runs[: self.side_by_side]
            whole = self._run((rows for _, rows in self._sorted(together)), together)
            self._runs = [*self._runs[self.side_by_side :], whole]
        schema = pl.DataFrame(schema=self.schema).to_arrow().schema
        parts, writer, at = list[Part](), _Writer(target, within, schema, self.key), None
        for year, rows in self._sorted(self._runs):
            if self.date is not None and year != at:
                parts += writer.close()
                folder = f"year={NO_YEAR if year == _UNDATED else year}"
                writer, at = _Writer(target / folder, within / folder, schema, self.key), year
            writer.add(rows.select(list(self.schema)))
        parts += writer.close()
        return parts or _Writer(target, within, schema, self.key).close(is_empty=True)

    def _spill(self) -> None:
        if not self._held:
            return
        rows = pl.concat(self._held, how="diagonal_relaxed").sort(self._order)
        self._held, self._bytes = [], self._bytes + self._size
        self._size, self._rows = 0, self._rows + rows.height
        if not rows.height:
            return
        self._years |= set(rows.get_column(_YEAR).unique())
        self._samples.append(_copied(rows.select(_YEAR, self.key).gather_every(_EVERY)))
        ends = rows.select(low=pl.col(_AT).min(), high=pl.col(_AT).max()).row(0)
        self._runs.append(self._written(iter([rows]), *ends))

    @property
    def _order(self) -> list[str]:
        return [_YEAR, self.key, *([] if self.within is None else [self.within])]

    def _left(self, run: _Run, stale: Stale | None, first: int) -> _Run:
        """The run without its rows of chunks before the first, and without stale ones."""
        none = pl.DataFrame(schema={"key": pl.UInt64, "at": pl.UInt32})
        gone = none if stale is None else stale.of(run.first, run.last)

        def kept() -> Iterator[pl.DataFrame]:
            for rows in run:
                late = rows.filter(pl.col(_AT) >= first)
                yield (
                    late.with_columns(key=hashed(late.get_column(self.key)))
                    .join(
                        gone,
                        left_on=["key", _AT],
                        right_on=["key", "at"],
                        how="anti",
                        maintain_order="left",
                    )
                    .drop("key")
                )

        return self._run(kept(), [run])

    def _run(self, frames: Iterator[pl.DataFrame], of: Sequence[_Run]) -> _Run:
        """The sorted frames as a run, in the place of those they come from."""
        first, last = min(run.first for run in of), max(run.last for run in of)
        made = self._written(frames, first, last)
        for run in of:
            run.path.unlink()
        return made

    def _written(self, frames: Iterator[pl.DataFrame], first: int, last: int) -> _Run:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.name}-{self._made:05}.arrows"
        self._made += 1
        oldest = pl.CompatLevel.oldest()
        schema = pl.DataFrame(schema={**self.schema, _AT: pl.UInt32, _YEAR: pl.Int32})
        wanted = schema.to_arrow(compat_level=oldest).schema
        with (
            pa.OSFile(str(path), "wb") as file,
            pa.ipc.new_stream(file, wanted, options=_OPTIONS) as stream,
        ):
            for rows in frames:
                whole = self._whole(rows).to_arrow(compat_level=oldest)
                stream.write_table(whole, max_chunksize=_BATCH)
        return _Run(path, first, last)

    def _whole(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows with every column of the table."""
        return rows.select(
            *(
                pl.col(name).cast(kind) if name in rows.columns else pl.lit(None, kind).alias(name)
                for name, kind in self.schema.items()
            ),
            _AT,
            _YEAR,
        )

    def _sorted(self, runs: Sequence[_Run]) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows of the runs as a whole, a range of a year after the other."""
        open_ = [_Reader(iter(run)) for run in runs]
        for year, end in self._ends():
            is_below = pl.col(_YEAR) < year
            is_below |= (pl.col(_YEAR) == year) & (
                pl.lit(value=True) if end is None else pl.col(self.key) < end
            )
            found = [rows for each in open_ if (rows := each.until(is_below)).height]
            if found:
                rows = pl.concat([self._whole(each) for each in found])
                yield year, rows.sort(self._order)

    def _ends(self) -> Iterator[tuple[int, Any]]:
        """Where ranges end: every year with the keys that cut it, and None for its own end."""
        samples = pl.concat(self._samples) if self._samples else pl.DataFrame()
        each = max(1, self.together * self._rows // max(1, self._bytes) // _EVERY)
        for year in sorted(self._years):
            keys = samples.filter(pl.col(_YEAR) == year).get_column(self.key).sort()
            cuts = keys.gather_every(each).unique(maintain_order=True)[1:]
            yield from ((year, cut) for cut in cuts)
            yield year, None


@dataclass(frozen=True, slots=True)
class _Run:
    """Sorted rows in a file, of the chunks from the first to the last."""

    path: Path
    first: int
    last: int

    def __iter__(self) -> Iterator[pl.DataFrame]:
        with pa.OSFile(str(self.path)) as file, pa.ipc.open_stream(file) as stream:
            for batch in stream:
                yield cast("pl.DataFrame", pl.from_arrow(batch))


@dataclass
class _Reader:
    """A run that is read on from where the last range ended."""

    frames: Iterator[pl.DataFrame]
    _left: pl.DataFrame | None = None

    def until(self, is_below: pl.Expr) -> pl.DataFrame:
        """Its rows below the end of a range, which come before all others."""
        found = list[pl.DataFrame]()
        while (
            rows := self._left if self._left is not None else next(self.frames, None)
        ) is not None:
            many = int(rows.select(is_below.sum()).item())
            found.append(rows.head(many))
            self._left = rows.slice(many) if many < rows.height else None
            if self._left is not None:
                break
        return pl.concat(found) if found else pl.DataFrame()


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
