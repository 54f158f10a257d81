"""What arrives of a collection: Parquet chunks, which DuckDB deduplicates and sorts into parts."""

import datetime as dt
import glob
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from ventureframe.bulk.tables import TABLES, Order, flat
from ventureframe.client import checks, fetch
from ventureframe.client.frames import empty
from ventureframe.client.listing import Listing
from ventureframe.client.translate import WITHHELD, more
from ventureframe.dataset.manifest import Part, sha256
from ventureframe.interface.certificate import Certificate

DATED: Final = {"news": "publish_date", "jobs": "date_posted", "funds": "fund_date"}
"""The date by which records are kept since a day; those without one are kept as well."""
GROUP: Final = 20_480
"""Rows of a row group; those of one are in memory while it is written."""
PART: Final = 18 * GROUP
"""Rows of a part: about 400,000, in whole row groups."""

_TOGETHER: Final = 8 << 20
"""Bytes of rows that are held before they are written as a chunk."""
_NO_YEAR: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows without a date: engines that read years from folders read it as null."""
_AT, _CONTENT = "_at", "_content"
"""The number of the chunk that a row came in, in which its record is once; a hash of the record."""
_LIMITS: Final[dict[str, Any]] = {
    "memory_limit": "100MB",
    "threads": 1,
    "preserve_insertion_order": False,
}


@dataclass
class Sink:
    """Takes the rows of one walk, or of the two where the first one drifted.

    `is_short` says that a list was not read to its end; `partial` counts the rows that have more
    entries of a list than are kept of it.
    """

    listing: Listing
    folder: Path
    complete: bool
    since: dt.date | None
    workers: int | None
    cancel: threading.Event
    partial: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    is_short: bool = False
    is_linked: bool = False
    credits: float = 0.0
    rows: int = 0
    _walk: int = 0
    _first: int = 0
    _at: int = 0
    _size: int = 0
    _held: dict[str, list[pl.DataFrame]] = field(default_factory=dict)
    _schemas: dict[str, dict[str, pl.DataType]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self._add(empty(self.listing.resource))

    @property
    def glances(self) -> tuple[str, ...]:
        """The lists that the wire cuts short in a row."""
        shape = self.listing.connection.profile.shapes.get(self.listing.endpoint)
        return () if shape is None else tuple(shape.glances)

    @property
    def cut(self) -> tuple[str, ...]:
        """Truncated lists that this sink does not read in full."""
        return () if self.complete or self.listing.shows_every_kind else self.glances

    def take(self, rows: pl.DataFrame, number: int = 1) -> None:
        """Take rows of the walk with this number."""
        if number > self._walk:
            self._walk, self._first = number, self._at
            self.partial, self.withheld = Counter(dict.fromkeys(self.cut, 0)), Counter()
        while rows.height:
            is_first = rows.get_column(self.listing.resource.key).is_first_distinct()
            self._chunk(rows.filter(is_first))
            rows = rows.filter(~is_first)

    def _chunk(self, rows: pl.DataFrame) -> None:
        """Take rows that have each record once."""
        resource = self.listing.resource
        self.rows += rows.height
        self.is_linked |= checks.is_linked(rows, resource)
        rows = self._with_lists(rows)
        date = DATED.get(resource.name)
        if self.since is not None and date is not None:
            rows = rows.filter(pl.col(date).is_null() | (pl.col(date) >= self.since))
        if WITHHELD in rows.columns:
            self.withheld.update(rows.get_column(WITHHELD).explode().drop_nulls().to_list())
        self._add(rows)

    def _with_lists(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Read the lists of the rows to their end where that is wanted, else count them."""
        if self.complete and self.glances:
            whole = fetch.read_whole(self.listing, rows, workers=self.workers, cancel=self.cancel)
            self.partial.update(dict(whole.partial))
            self.is_short |= whole.is_short
            self.credits += whole.credits
            return whole.frame
        for name in self.glances:
            if more(name) in rows.columns:
                self.partial[name] += int((rows.get_column(more(name)) > 0).sum())
        return rows

    def _add(self, rows: pl.DataFrame) -> None:
        name, currency = self.listing.resource.name, self.listing.request["currency"]
        tables = flat(name, rows, currency=currency, is_current=bool(self.cut))
        tables[name] = tables[name].with_columns(rows.hash_rows().alias(_CONTENT))
        for table, frame in tables.items():
            schema = self._schemas.setdefault(table, {})
            for column, kind in frame.schema.items():
                if _is_untyped(schema.get(column, pl.Null())):
                    schema[column] = kind
            marked = frame.with_columns(pl.lit(self._at, pl.UInt32).alias(_AT))
            self._held.setdefault(table, []).append(marked)
        self._at += 1
        self._size += int(rows.estimated_size())
        if self._size >= _TOGETHER:
            self._spill()

    def _spill(self) -> None:
        for table, frames in self._held.items():
            rows = pl.concat(frames, how="diagonal_relaxed")
            rows = rows.select(name for name, kind in rows.schema.items() if not _is_untyped(kind))
            rows.write_parquet(self.folder / table / f"{self._at:08}.parquet", mkdir=True)
        self._held, self._size = {}, 0

    def write(
        self, certificate: Certificate, *, draft: Path, within: str
    ) -> tuple[dict[str, tuple[Part, ...]], bool]:
        """Write the parts of each table into `draft`; and whether a record came in two versions.

        Where a second walk certifies the rows, those of the first are left out; where none does,
        every record of both is there once, as it was last sent.
        """
        self._spill()
        pa.default_memory_pool().release_unused()  # DuckDB has a pool of its own
        is_second = self._walk > 1 and certificate.verdict != "drifted"
        spilled = str(self.folder / "spilled")
        with duckdb.connect(config=_LIMITS | {"temp_directory": spilled}) as database:
            for table in self._schemas:
                chunks = f"{glob.escape(str(self.folder / table))}/*.parquet".replace("'", "''")
                database.execute(
                    f"CREATE VIEW {table} AS FROM read_parquet('{chunks}', union_by_name=true) "
                    f"WHERE {_AT} >= {self._first if is_second else 0}"
                )
            own, key = self.listing.resource.name, self.listing.resource.key
            database.execute(
                f"CREATE TABLE repeated AS SELECT {key} AS _record, max({_AT}) AS _last, "  # noqa: S608
                f"min({_CONTENT}) <> max({_CONTENT}) AS differs "
                f"FROM {own} GROUP BY ALL HAVING count(*) > 1"
            )
            differs = database.sql("SELECT bool_or(differs) FROM repeated").fetchall()[0][0]
            parts = {}
            for table, schema in self._schemas.items():
                order = TABLES[own][table]
                rows = database.sql(
                    f"SELECT {_columns(schema)} FROM {table} "  # noqa: S608
                    f"ANTI JOIN repeated ON ({order.key} = _record AND {_AT} < _last)"
                )
                parts[table] = tuple(_parts(rows, order, draft / table, f"{table}/{within}"))
        return parts, bool(differs)


def _is_untyped(kind: pl.DataType) -> bool:
    """Whether no value has told the type of a column, or of what its lists hold."""
    return "Null" in str(kind)


def _columns(schema: Mapping[str, pl.DataType]) -> str:
    """The columns of a table in SQL; one without a type, which no chunk has, as text."""
    quoted = {
        '"{}"'.format(name.replace('"', '""')): kind
        for name, kind in schema.items()
        if name != _CONTENT
    }
    return ", ".join(
        f"NULL::VARCHAR AS {name}" if _is_untyped(kind) else name for name, kind in quoted.items()
    )


def _parts(
    rows: duckdb.DuckDBPyRelation, order: Order, target: Path, within: str
) -> Iterator[Part]:
    """Write the rows in their order, each year of a dated table apart."""
    by = ", ".join(filter(None, (order.key, order.within)))
    if order.date is None:
        yield from _written(rows.order(by), target, within, order.key)
        return
    years = rows.project(f"year({order.date})").distinct().order("ALL NULLS LAST").fetchall()
    if not years:
        yield from _written(rows, target, within, order.key)
    for (year,) in years:
        of_year = rows.filter(f"year({order.date}) IS NOT DISTINCT FROM {year or 'NULL'}")
        folder = f"year={year or _NO_YEAR}"
        yield from _written(of_year.order(by), target / folder, f"{within}/{folder}", order.key)


def _written(rows: duckdb.DuckDBPyRelation, target: Path, within: str, key: str) -> Iterator[Part]:
    """Write sorted rows as parts in a folder; one without rows where there are none."""
    reader: Any = rows.to_arrow_reader(GROUP)
    target.mkdir(parents=True, exist_ok=True)
    batches, number = iter(reader), 0
    batch = next(batches, None)
    while batch is not None or not number:
        name, count = f"part-{number:04}.parquet", 0
        first = last = None
        with pq.ParquetWriter(target / name, reader.schema, compression="zstd") as writer:
            while batch is not None and count < PART:
                writer.write_batch(batch, row_group_size=GROUP)
                keys = batch.column(key)
                first, last = first or str(keys[0]), str(keys[-1])
                count += batch.num_rows
                batch = next(batches, None)
        path = target / name
        file = f"{within}/{name}"
        yield Part(file, count, path.stat().st_size, sha256(path), first, last)
        number += 1
