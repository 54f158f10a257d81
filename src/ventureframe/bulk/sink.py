"""Rows of a collection as flat Parquet chunks, which DuckDB deduplicates and sorts."""

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa

from ventureframe.client import checks, lists
from ventureframe.client.frames import child, empty
from ventureframe.client.listing import Listing
from ventureframe.client.paging import Stop
from ventureframe.client.translate import POSTS, WITHHELD, more
from ventureframe.dataset.manifest import OPEN_POSTS, Part, Pull, sha256
from ventureframe.interface.fields import COMPANIES

TABLES: Mapping[str, tuple[str, ...]] = {
    "companies": ("companies", "company_founders", "company_tags"),
    "founders": ("founders", "education", "prior_employers", "founded"),
    "funds": ("funds",),
    "news": ("news",),
    "jobs": ("jobs",),
}
"""By collection, in the order of a pull, the tables that a pull of it writes.

`founded` only where rows of founders name the companies that they founded.
"""
# rows of a row group, which are in memory while it is written
_GROUP = 20_480
# bytes of rows that are collected before they are written as a chunk
_CHUNK = 8 << 20
# the column with the number of a row's portion, in which no record is twice
_PORTION = "_portion"
_CURRENCY = "_currency"  # the column with the currency that amounts were converted to
_LISTS = {
    "founders": "company_founders",
    "tags": "company_tags",
    "education": "education",
    "prior_employers": "prior_employers",
}
"""The table of each list of a row."""


_COLUMNS: Mapping[str, Mapping[str, pl.Expr]] = {
    "companies": {
        "total_funding_currency": (
            pl.when(pl.col("total_funding").is_not_null()).then(_CURRENCY)
        ),
    },
    "founders": {
        "education_count": pl.col("education").list.len(),
        "prior_employers_count": pl.col("prior_employers").list.len(),
    },
    "funds": {
        "amount_converted": pl.col("amount"),
        "amount": pl.col("amount_source").struct.field("amount"),
        "amount_currency": pl.col("amount_source").struct.field("currency"),
        "manager_uuid": pl.col("manager").struct.field("uuid"),
        "manager_name": pl.col("manager").struct.field("name"),
    },
}
"""The columns of a table that rows lack, or hold with another value."""
_REPLACED = (POSTS, "amount_source", "manager", "manager_source")
"""The columns of rows that those columns, or further tables, replace."""


@dataclass
class Sink:
    """Takes the rows of one walk, portion by portion, and writes them as tables.

    `wholes` keeps what was read of the lists of each portion, without the rows.
    `partial` counts by field the rows that have more entries of a list than are kept;
    `is_linked` says that a row names what it belongs to. Once they are written,
    `tables` has the parts of each table, `withheld` counts by field the rows from which
    the service keeps it, and `is_unequal` says that a record came with two contents.
    """

    listing: Listing
    folder: Path
    workers: int | None
    cancel: Stop
    wholes: list[lists.CompletedRows] = field(default_factory=list)
    partial: Counter[str] = field(default_factory=Counter)
    is_linked: bool = False
    tables: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    withheld: Mapping[str, int] = field(default_factory=dict)
    is_unequal: bool = False
    _size: int = 0
    _chunk: dict[str, list[pl.DataFrame]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.partial.update(dict.fromkeys(self.cut, 0))
        # every table has its columns, also where no row comes
        self.take(empty(self.listing.endpoint.resource))

    @property
    def cut(self) -> tuple[str, ...]:
        """The lists that a row never shows with every kind of entry."""
        glances = {} if self.listing.lists else self.listing.shape.glances
        return tuple(name for name, glance in glances.items() if glance.is_of_some)

    def take(self, rows: pl.DataFrame) -> None:
        """Take a portion of rows, their lists read to the end where requested."""
        resource = self.listing.endpoint.resource
        self.is_linked |= checks.is_linked(rows, resource)
        records = rows.select(resource.key, content=rows.hash_rows())
        rows = rows.unique(resource.key, keep="last", maintain_order=True)
        whole = lists.CompletedRows(rows)
        lists.read_whole(self.listing, whole, workers=self.workers, cancel=self.cancel)
        self.partial.update(dict(whole.partial))
        if self.listing.lists:
            rows = whole.frame
        elif POSTS in rows.columns:
            self.partial[OPEN_POSTS] += _count_cut_posts(rows)
        tables = flat(rows, self.listing, is_current=bool(self.cut))
        portion = pl.lit(len(self.wholes), pl.UInt32).alias(_PORTION)
        for table, frame in (*tables.items(), ("_records", records)):
            self._chunk.setdefault(table, []).append(frame.with_columns(portion))
        whole.frame = rows.clear()
        self.wholes.append(whole)
        self._size += int(rows.estimated_size())
        if self._size >= _CHUNK:
            self._write_chunk()

    def _write_chunk(self) -> None:
        for table, frames in self._chunk.items():
            rows = pl.concat(frames, how="diagonal_relaxed")
            typed = [
                name for name, kind in rows.schema.items() if "Null" not in str(kind)
            ]
            path = self.folder / table / f"{len(self.wholes):08}.parquet"
            rows.select(typed).write_parquet(path, mkdir=True)
        self._chunk, self._size = {}, 0

    def write(self, draft: Path) -> None:
        """Write each table into `draft`; every record is there once, as last sent."""
        self._write_chunk()
        # DuckDB has a pool of its own
        pa.default_memory_pool().release_unused()
        resource, parts = self.listing.endpoint.resource, dict[str, tuple[Part, ...]]()
        written = [path.name for path in self.folder.iterdir()]
        with _database(self.folder) as database:
            for name in written:
                paths = [str(path) for path in (self.folder / name).iterdir()]
                database.read_parquet(paths, union_by_name=True).create_view(name)
            self.is_unequal = _find_repeated(database, resource.key)
            for name in TABLES[resource.name]:
                if name not in written:
                    continue
                is_own = name == resource.name
                key = resource.key if is_own else f"{resource.singular}_{resource.key}"
                rows = database.sql(
                    f"SELECT * EXCLUDE ({_PORTION}) FROM {name}"  # noqa: S608
                    f" ANTI JOIN repeated ON ({key} = _record AND {_PORTION} < _last)"
                )
                if is_own and WITHHELD in rows.columns:
                    names = rows.project(f"unnest({WITHHELD}) AS name")
                    self.withheld = dict(names.aggregate("name, count(*)").fetchall())
                order = key if is_own else f"{key}, position"
                file = f"{name}/part-0000.parquet"
                parts[name] = (_write_part(rows.order(order), draft, file),)
        self.tables = parts


def _count_cut_posts(rows: pl.DataFrame) -> int:
    """Count the founders of whom further posts can name a company that they founded.

    Posts as a founder come first: after another post there is none.
    """
    is_founder = pl.col(POSTS).list.eval(pl.element().struct.field("is_founder"))
    has_more = pl.col(more("prior_employers")) > 0
    return int(rows.select((has_more & is_founder.list.all()).sum()).item())


def _database(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a database that takes little memory; more goes to the disk, below the
    folder.
    """
    return duckdb.connect(
        config={
            "memory_limit": "100MB",
            "temp_directory": str(folder / "spilled"),
            "threads": 1,
            "preserve_insertion_order": False,
        }
    )


def _find_repeated(database: duckdb.DuckDBPyConnection, key: str) -> bool:
    """Make the table of records that came twice; say whether any has two contents."""
    database.execute(
        f"CREATE TABLE repeated AS SELECT {key} AS _record,"  # noqa: S608
        f" max({_PORTION}) AS _last, min(content) <> max(content) AS differs"
        " FROM _records GROUP BY ALL HAVING count(*) > 1"
    )
    ((differs,),) = database.sql("SELECT bool_or(differs) FROM repeated").fetchall()
    return bool(differs)


def with_founded(pull: Pull, founders: Pull, folder: Path, draft: Path) -> Pull:
    """Add to companies a part for the founders whose own rows name the company.

    With the rows of every founder that the service lists, no pair is missing. The new
    part holds no pair that another part has, so that a stop before the manifest names
    it does no harm.
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
        ((short,),) = database.sql(
            "SELECT count(*) FROM companies WHERE founders_more > (SELECT count(*) FROM"
            " added WHERE company_uuid = uuid AND is_past IS NOT TRUE)"
        ).fetchall()
        rows = database.table("added").order("company_uuid, position")
        place = Path(listed.file).with_name("part-0001.parquet")
        part = _write_part(rows, draft, str(place))
    (draft / place).replace(folder / place)
    is_whole = founders.is_complete and founders.filter is None
    return replace(
        pull,
        tables={**pull.tables, "company_founders": (listed, part)},
        partial={**pull.partial, "founders": short},
        cut=() if is_whole else pull.cut,
    )


def _write_part(rows: duckdb.DuckDBPyRelation, draft: Path, file: str) -> Part:
    """Write sorted rows as this file, and describe it."""
    path = draft / file
    path.parent.mkdir(parents=True, exist_ok=True)
    rows.write_parquet(str(path), compression="zstd", row_group_size=_GROUP)
    count = pl.scan_parquet(path).select(pl.len()).collect().item()
    return Part(file, count, sha256(path))


def flat(
    rows: pl.DataFrame, listing: Listing, *, is_current: bool
) -> dict[str, pl.DataFrame]:
    """Split rows into tables; `is_current` says that all listed founders are current.

    companies: the columns of a result, `total_funding_currency` beside the total;
    company_founders: company_uuid, founder_uuid, is_past (null where that is not
    known), position; company_tags: company_uuid, tag_id, name, type, position.
    founders: `education_count` and `prior_employers_count` say how many entries are
    listed, null where no list is recorded; education and prior_employers: founder_uuid,
    position and the members of an entry; founded: founder_uuid, company_uuid, is_past,
    position. funds: manager_uuid and manager_name, `amount` and `amount_currency` as
    announced, `amount_converted` in the currency of the pull. News and jobs are as a
    result has them.
    """
    resource, currency = listing.endpoint.resource, listing.request["currency"]
    tables = dict[str, pl.DataFrame]()
    for name, table in _LISTS.items():
        if name in rows.columns:
            tables[table] = child(rows, resource, name)
    if resource is COMPANIES:
        pairs = tables["company_founders"].unique(
            ["company_uuid", "founder_uuid"], keep="first", maintain_order=True
        )
        is_past = pl.lit(False if is_current else None, pl.Boolean)
        tables["company_founders"] = pairs.with_columns(is_past=is_past)
        tables["company_tags"] = tables["company_tags"].rename({"id": "tag_id"})
    if POSTS in rows.columns:
        posts = rows.select(founder_uuid="uuid", post=POSTS).explode("post")
        founded = posts.unnest("post").filter("is_founder").drop("is_founder")
        position = pl.int_range(pl.len()).over("founder_uuid")
        tables["founded"] = founded.with_columns(position=position)
    rows = rows.with_columns(pl.lit(currency, pl.String).alias(_CURRENCY))
    rows = rows.with_columns(**_COLUMNS.get(resource.name, {}))
    tables[resource.name] = rows.drop(_CURRENCY, *_LISTS, *_REPLACED, strict=False)
    return tables
