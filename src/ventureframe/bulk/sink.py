"""Rows of a collection as flat Parquet chunks, which DuckDB deduplicates and sorts
to parts.
"""

import datetime as dt
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import duckdb
import polars as pl
import pyarrow as pa

from ventureframe.client import checks, fetch
from ventureframe.client.frames import child, empty
from ventureframe.client.listing import Listing
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.dataset.manifest import OPEN_POSTS, Part, Pull, sha256
from ventureframe.interface.certificate import Certificate
from ventureframe.interface.fields import COMPANIES, FOUNDERS, FUNDS

TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "companies": ("companies", "company_founders", "company_tags"),
    "founders": ("founders", "education", "prior_employers", "founded"),
    "funds": ("funds",),
    "news": ("news",),
    "jobs": ("jobs",),
}
"""By collection, in the order of a pull, the tables that a pull of it writes.

`founded` only where rows of founders name the companies that they founded.
"""
DATED: Final = {"news": "publish_date", "jobs": "date_posted", "funds": "fund_date"}
"""The date that `since` applies to; records without one are kept as well."""
# rows of a row group; those of one are in memory while it is written
_GROUP: Final = 20_480
# bytes of rows that are held before they are written as a chunk
_TOGETHER: Final = 8 << 20
# the number of the portion of a row; a record is in its portion once
_AT: Final = "_at"


@dataclass
class Sink:
    """Takes the rows of one walk, or of the two where the first one drifted.

    `read_lists` reads the lists of rows to their end; `wholes` keeps what it returns
    for each portion, without the rows. `is_linked` says that a row names what it
    belongs to. By field, `partial` counts the rows that have more entries of a list
    than are kept, and `withheld` those from which the service keeps it, once they
    are written.
    """

    listing: Listing
    folder: Path
    since: dt.date | None
    read_lists: Callable[[Listing, pl.DataFrame], fetch.Whole]
    wholes: list[fetch.Whole] = field(default_factory=list)
    partial: Counter[str] = field(default_factory=Counter)
    withheld: dict[str, int] = field(default_factory=dict)
    is_linked: bool = False
    _walk: int = 0
    _first: int = 0  # portion of this walk
    _size: int = 0
    _chunk: dict[str, list[pl.DataFrame]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        shape, lists = self.listing.shape, self.listing.lists
        is_cut = self.listing.resource is COMPANIES and not lists
        # lists that are never read with every kind of entry
        self.cut = tuple(shape.glances) if shape is not None and is_cut else ()
        self.take(empty(self.listing.resource), number=0)

    def take(self, rows: pl.DataFrame, number: int = 1) -> None:
        """Take rows of the walk with this number; those of a second one replace the
        first's.
        """
        resource, date = self.listing.resource, DATED.get(self.listing.resource.name)
        if number > self._walk:
            self._walk, self._first = number, len(self.wholes)
        self.is_linked |= checks.is_linked(rows, resource)
        if self.since is not None and date is not None:
            rows = rows.filter(pl.col(date).fill_null(self.since) >= self.since)
        records = rows.select(resource.key, content=rows.hash_rows())
        rows = rows.unique(resource.key, keep="last", maintain_order=True)
        whole = self.read_lists(self.listing, rows)
        if whole.ended_by is not None:
            raise whole.ended_by
        if self.listing.lists:
            rows = whole.frame
        elif POSTS in rows.columns:  # founders' first: the rest founded nothing
            is_founder = pl.col(POSTS).list.eval(
                pl.element().struct.field("is_founder")
            )
            is_open = (pl.col(more("prior_employers")) > 0) & is_founder.list.all()
            whole.partial += ((OPEN_POSTS, rows.select(is_open.sum()).item()),)
        tables = {
            **flat(rows, self.listing, is_current=bool(self.cut)),
            "_records": records,
        }
        for table, frame in tables.items():
            at = pl.lit(len(self.wholes), pl.UInt32).alias(_AT)
            self._chunk.setdefault(table, []).append(frame.with_columns(at))
        self.wholes.append(replace(whole, frame=rows.clear()))
        self._size += int(rows.estimated_size())
        if self._size >= _TOGETHER:
            self._spill()

    def _spill(self) -> None:
        for table, frames in self._chunk.items():
            rows = pl.concat(frames, how="diagonal_relaxed")
            typed = [
                name for name, kind in rows.schema.items() if "Null" not in str(kind)
            ]
            path = self.folder / table / f"{len(self.wholes):08}.parquet"
            rows.select(typed).write_parquet(path, mkdir=True)
        self._chunk, self._size = {}, 0

    def write(
        self, certificate: Certificate, *, draft: Path, within: str
    ) -> tuple[dict[str, tuple[Part, ...]], bool]:
        """Write the part of each table into `draft`; and whether a record came in two
        versions.

        Where a second walk certifies the rows, those of the first are left out;
        where none does, every record of both is there once, as it was last sent.
        """
        self._spill()
        pa.default_memory_pool().release_unused()  # DuckDB has a pool of its own
        resource, parts = self.listing.resource, dict[str, tuple[Part, ...]]()
        first = (
            self._first if self._walk > 1 and certificate.verdict != "drifted" else 0
        )
        self.wholes = self.wholes[first:]
        self.partial.update(dict.fromkeys(self.cut, 0))
        for whole in self.wholes:
            self.partial.update(dict(whole.partial))
        with _database(self.folder) as database:
            tables = [
                table
                for table in TABLES[resource.name]
                if (self.folder / table).exists()
            ]
            for table in (*tables, "_records"):
                paths = [str(path) for path in (self.folder / table).iterdir()]
                chunks = database.read_parquet(paths, union_by_name=True)
                chunks.filter(f"{_AT} >= {first}").create_view(table)
            database.execute(
                f"CREATE TABLE repeated AS SELECT {resource.key} AS _record, max({_AT}) AS _last, "  # noqa: S608
                "min(content) <> max(content) AS differs "
                "FROM _records GROUP BY ALL HAVING count(*) > 1"
            )
            differs = database.sql("SELECT bool_or(differs) FROM repeated").fetchall()[
                0
            ][0]
            for table in tables:
                is_own = table == resource.name
                key = resource.key if is_own else f"{resource.singular}_{resource.key}"
                rows = database.sql(
                    f"SELECT * EXCLUDE ({_AT}) FROM {table} "  # noqa: S608
                    f"ANTI JOIN repeated ON ({key} = _record AND {_AT} < _last)"
                )
                if is_own and WITHHELD in rows.columns:
                    names = rows.project(f"unnest({WITHHELD}) AS name")
                    counts = names.aggregate("name, count(*)").order("name")
                    self.withheld = dict(counts.fetchall())
                order, file = key if is_own else f"{key}, position", f"{table}/{within}"
                part = _write_part(
                    rows.order(order), draft, f"{file}/part-0000.parquet", key
                )
                parts[table] = (part,)
        return parts, bool(differs)


def _database(folder: Path) -> duckdb.DuckDBPyConnection:
    """A database that takes little memory, and disk below the folder beyond it."""
    spilled = str(folder / "spilled")
    database = duckdb.connect(
        config={"memory_limit": "100MB", "temp_directory": spilled}
    )
    database.execute("SET threads = 1; SET preserve_insertion_order = false")
    return database


def with_founded(pull: Pull, founders: Pull, folder: Path, draft: Path) -> Pull:
    """Add to the pull of companies a part for the founders whose own rows name the
    company.

    With the rows of every founder that the service lists, no pair is missing. The
    new part holds no pair that another part has, so that a stop before the manifest
    names it does no harm.
    """
    (listed,) = pull.tables["company_founders"]
    with _database(draft) as database:
        for table, parts in {**founders.tables, **pull.tables}.items():
            files = [str(folder / part.file) for part in parts]
            database.read_parquet(files).create_view(table)
        database.execute(
            "CREATE TABLE added AS FROM company_founders LIMIT 0; INSERT INTO added BY"
            " NAME SELECT company_uuid, founder_uuid, bool_and(founded.is_past) AS"
            " is_past, row_number() OVER (PARTITION BY company_uuid ORDER BY"
            " founder_uuid) - 1 + coalesce(any_value(listed), 0) AS position FROM"
            " founded SEMI JOIN companies ON uuid = company_uuid ANTI JOIN"
            " company_founders USING (company_uuid, founder_uuid) LEFT JOIN (SELECT"
            " company_uuid, count(*) AS listed FROM company_founders GROUP BY ALL)"
            " USING (company_uuid) GROUP BY company_uuid, founder_uuid"
        )
        short = database.sql(
            "SELECT count(*) FROM companies WHERE founders_more > (SELECT count(*) FROM"
            " added WHERE company_uuid = uuid AND is_past IS NOT TRUE)"
        ).fetchall()[0][0]
        rows = database.table("added").order("company_uuid, position")
        place = Path(listed.file).with_name("part-0001.parquet")
        part = _write_part(rows, draft, str(place), "company_uuid")
    (draft / place).replace(folder / place)
    is_whole = (
        founders.is_complete and founders.asked is None and founders.filter is None
    )
    tables = {**pull.tables, "company_founders": (listed, part)}
    partial = {**pull.partial, "founders": short}
    return replace(
        pull, tables=tables, partial=partial, cut=() if is_whole else pull.cut
    )


def _write_part(
    rows: duckdb.DuckDBPyRelation, draft: Path, file: str, key: str
) -> Part:
    """Write sorted rows as this file, and describe it."""
    path = draft / file
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.write_parquet(str(path), compression="zstd", row_group_size=_GROUP)
    keys = pl.scan_parquet(path, hive_partitioning=False).select(
        pl.col(key).cast(pl.String)
    )
    facts = keys.select(pl.len(), first=pl.first(key), last=pl.last(key))
    count, first, last = facts.collect(engine="streaming").row(0)
    return Part(file, count, path.stat().st_size, sha256(path), first, last)


def flat(
    rows: pl.DataFrame, listing: Listing, *, is_current: bool
) -> dict[str, pl.DataFrame]:
    """Split rows into tables; `is_current` says that companies list current founders
    only.

    companies: the columns of a result, `total_funding_currency` beside the total;
    company_founders: company_uuid, founder_uuid, is_past (null where that is not
    known), position; company_tags: company_uuid, tag_id, name, type, position.
    founders: `education_count` and `prior_employers_count` say how many entries are
    listed, null where no list is recorded; education and prior_employers:
    founder_uuid, position and the members of an entry; founded: founder_uuid,
    company_uuid, is_past, position. funds: manager_uuid and manager_name, `amount`
    and `amount_currency` as announced, `amount_converted` in
    `amount_converted_currency`. News and jobs are as a result has them.
    """
    resource, currency = listing.resource, listing.request["currency"]
    declared = [field.name for field in resource.returned]
    rows = rows.select(*declared, *sorted(set(rows.columns) - set(declared)))
    if resource is COMPANIES:
        money = pl.when(pl.col("total_funding").is_not_null()).then(
            pl.lit(currency, pl.String)
        )
        pair, is_past = ["company_uuid", "founder_uuid"], False if is_current else None
        founders = child(rows, resource, "founders")
        founders = founders.unique(pair, keep="first", maintain_order=True)
        return {
            "companies": (
                rows.drop("tags", "founders").with_columns(total_funding_currency=money)
            ),
            "company_founders": founders.with_columns(
                is_past=pl.lit(is_past, pl.Boolean)
            ),
            "company_tags": child(rows, resource, "tags").rename({"id": "tag_id"}),
        }
    if resource is FOUNDERS:
        lists = TABLES["founders"][1:3]
        counts = {
            f"{name}_count": pl.col(name).list.len().cast(pl.Int64) for name in lists
        }
        own = rows.with_columns(**counts).drop(lists, POSTS, strict=False)
        tables = {
            "founders": own,
            **{name: child(rows, resource, name) for name in lists},
        }
        if POSTS in rows.columns:
            posts = rows.filter(pl.col(POSTS).list.len() > 0)
            posts = posts.select(pl.col("uuid").alias("founder_uuid"), POSTS).explode(
                POSTS
            )
            founded = posts.unnest(POSTS).filter("is_founder").drop("is_founder")
            tables["founded"] = founded.with_columns(
                position=pl.int_range(pl.len()).over("founder_uuid")
            )
        return tables
    if resource is not FUNDS:
        return {resource.name: rows}
    native, manager = pl.col("amount_source").struct, pl.col("manager").struct
    is_known = pl.col("amount").is_not_null()
    funds = rows.with_columns(
        amount_converted=pl.col("amount"),
        amount_converted_currency=pl.when(is_known).then(pl.lit(currency, pl.String)),
        amount=native.field("amount"),
        amount_currency=native.field("currency"),
        manager_uuid=manager.field("uuid"),
        manager_name=manager.field("name"),
    )
    return {
        "funds": funds.drop("amount_source", "manager", "manager_source", strict=False)
    }
