"""The tables of a dataset, and what each must keep to.

A field of a resource is a column of its table. `TABLES` says where the two differ: what the
service computes and no folder holds, what only a folder holds, and what a column refers to. A
table that breaks its format is a `DatasetError` with file, column and first wrong row.

Some of it only the wire of 2026-10-02 can say, and a folder may leave it out: whether a founder's
role is past (`company_founders.is_past`; null or no row means that it is current), further posts of
a founder at companies (`career`; the current ones, which are no prior employers), and a founding
date with the precision it came in (`companies.launch_date_text`: `YYYY`, `YYYY-MM` or
`YYYY-MM-DD`, whose year is `launch_date`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ventureframe.errors import DatasetError
from ventureframe.interface import fields
from ventureframe.interface.fields import Many, Record, Resource


@dataclass(frozen=True, slots=True)
class Table:
    """One table: its columns, those that are never null, its key, and what it refers to.

    `references` maps a column, or the member of a list column, to the table that must hold it.
    """

    columns: Mapping[str, pl.DataType]
    required: frozenset[str]
    key: tuple[str, ...]
    references: Mapping[str, str]


_TYPES: Final[Mapping[str, pl.DataType]] = {
    "uuid": pl.String(),
    "text": pl.String(),
    "identifier": pl.Int64(),
    "integer": pl.Int32(),
    "number": pl.Float64(),
    "flag": pl.Boolean(),
    "date": pl.Date(),
    "uuids": pl.List(pl.String),
    "identifiers": pl.List(pl.Int64),
}


def _type(kind: fields.Type) -> pl.DataType:
    if isinstance(kind, Record):
        return pl.Struct({member.name: _type(member.type) for member in kind.fields})
    return pl.List(_type(kind.of)) if isinstance(kind, Many) else _TYPES[kind]


def _table(
    own: str = "", *, of: Resource | None = None, without: str = "", key: str = "", **inner: str
) -> Table:
    """The table of a resource, its fields `without` left out.

    `own` lists columns that no field has, or whose null or reference differs: `name type`, with
    `!` where it is never null, `-> table` where it refers to one. `inner` are the references of
    members: `column__member="table"`. `key` is the resource's unless given.
    """
    kept = [field for field in (of.fields if of else ()) if field.name not in without.split()]
    columns = {field.name: _type(field.type) for field in kept}
    required = {field.name for field in kept if not field.nullable}
    references = {member.replace("__", "."): table for member, table in inner.items()}
    for name, kind, *target in (part.split() for part in own.split(", ") if part):
        columns[name] = _TYPES[kind.removesuffix("!")]
        required |= {name} if kind.endswith("!") else set()
        references |= {name: target[1]} if target else {}
    keys = (key or (of.key if of else "id")).split()
    return Table(columns, frozenset(required), tuple(keys), references)


TABLES: Final[Mapping[str, Table]] = {
    "companies": _table(
        "hq_location identifier -> locations, tag_id identifiers! -> tags, "
        "founders uuids! -> founders, total_funding_currency text, launch_date_text text",
        of=fields.COMPANIES,
        without="id hq_city hq_country hq_continent tags has_founder founder_university_name",
    ),
    "founders": _table(of=fields.FOUNDERS, without="id", education__university_uuid="universities"),
    "universities": _table(
        "city text, country text", of=fields.UNIVERSITIES, without="hq_city hq_country"
    ),
    "investors": _table("is_lp flag!", of=fields.INVESTORS),
    "lp_managers": _table(
        "lp_uuid uuid! -> investors, manager_uuid uuid! -> investors", key="lp_uuid manager_uuid"
    ),
    "funds": _table(
        "manager_uuid uuid! -> investors, amount_currency text",
        of=fields.FUNDS,
        without="amount_source manager year investor_id",
    ),
    "funding_rounds": _table(
        "company_uuid uuid! -> companies, amount_currency text, investors uuids -> investors",
        of=fields.FUNDING_ROUNDS,
        without="amount_source",
    ),
    "news": _table(
        "title text!, entity_ids uuids! -> companies", of=fields.NEWS, without="entity_id"
    ),
    "jobs": _table("title text!, entity_id uuid -> companies", of=fields.JOBS),
    "company_founders": _table(
        "company_uuid uuid! -> companies, founder_uuid uuid! -> founders, is_past flag",
        key="company_uuid founder_uuid",
    ),
    "career": _table(
        "founder_uuid uuid! -> founders, position integer!, company_uuid uuid! -> companies, "
        "title text, is_past flag, start_date text, end_date text",
        key="founder_uuid position",
    ),
    "tags": _table("id identifier!, label text!, type text!"),
    "locations": _table(
        "id identifier!, name text!, type text!, parent_id identifier -> locations"
    ),
    "fx": _table("currency text!, date date!, per_eur number!", key="currency date"),
}

_PARTIAL_DATE: Final = r"^\d{4}(-\d{2}(-\d{2})?)?$"
_UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def files_in(folder: Path, names: Iterable[str] = TABLES) -> dict[str, Path]:
    """The files of a folder that are tables, by name; `DatasetError` where a link leads out."""
    paths = {name: folder / f"{name}.parquet" for name in names}
    for path in paths.values():
        if path.is_symlink() and not path.resolve().is_relative_to(folder.resolve()):
            raise DatasetError("is a link that leads out of the folder", file=path.name)
    return {name: path for name, path in paths.items() if path.exists()}


def checked(
    tables: Mapping[str, pl.DataFrame], *, is_pulled: bool = False
) -> dict[str, pl.DataFrame]:
    """Check the tables: every one of the format, with every column, in the order of its key.

    A table that is not given is empty, and references into it are not checked. Of what
    `is_pulled` no references are, and of its values only the keys must be there: a service can
    name records that it does not return, and leave out what a dataset must have.
    """
    complete = {name: pl.DataFrame(schema=dict(table.columns)) for name, table in TABLES.items()}
    complete |= {name: _completed(name, frame, is_pulled) for name, frame in tables.items()}
    for name in () if is_pulled else tables:
        for column, target in TABLES[name].references.items():
            if target in tables:
                _check_reference(name, complete[name], column, target, complete[target])
    companies = complete["companies"]
    year = companies["launch_date_text"].str.head(4).cast(pl.Int32)
    other = companies["launch_date"].ne_missing(year) & year.is_not_null()
    _refuse("companies", "launch_date_text", other, "has another year than launch_date")
    _check_places(complete["locations"])
    for name, frame in complete.items():
        key = TABLES[name].key
        is_sorted = len(key) == 1 and frame[key[0]].is_sorted()
        complete[name] = frame if is_sorted else frame.sort(key)
    return complete


def _completed(name: str, frame: pl.DataFrame, is_pulled: bool) -> pl.DataFrame:
    """The table with every column of its format, null where the folder has none, and checked."""
    table = TABLES[name]
    required = table.key if is_pulled else table.required
    for column, kind in table.columns.items():
        if column not in frame.columns and column in table.required:
            raise _broken(name, column, "is missing")
        if column not in frame.columns:
            frame = frame.with_columns(pl.lit(None, kind).alias(column))
        if (actual := frame.schema[column]) != kind:
            raise _broken(name, column, f"has type {actual}, needs {kind}")
        for wrong, reason in _wrong(frame[column], required=column in required):
            _refuse(name, column, wrong, reason)
    if frame.select(table.key).n_unique() < frame.height:
        repeated = frame.select(~pl.struct(table.key).is_first_distinct()).to_series()
        reason = f"repeats the key {' and '.join(table.key)} of an earlier row"
        _refuse(name, table.key[-1], repeated, reason)
    return frame


def _broken(name: str, column: str, reason: str, row: int | None = None) -> DatasetError:
    return DatasetError(reason, file=f"{name}.parquet", column=column, row=row)


def _refuse(name: str, column: str, wrong: pl.Series, reason: str) -> None:
    if wrong.any():
        raise _broken(name, column, reason, wrong.arg_true()[0])


def _wrong(values: pl.Series, *, required: bool) -> Iterator[tuple[pl.Series, str]]:
    """A flag a row and what it says of the value, for each rule of the column."""
    if required:
        yield values.is_null(), "is null and must not be"
    if values.dtype == pl.Float64:
        yield ~values.is_finite(), "is not a finite number"
    if isinstance(values.dtype, pl.List):
        yield values.list.eval(pl.element().is_null()).list.any(), "holds a null"
    if values.name == "per_eur":
        yield values <= 0, "is not a positive rate"
    if values.name in ("launch_date_text", "start_date", "end_date"):
        yield ~values.str.contains(_PARTIAL_DATE), "is not YYYY, YYYY-MM or YYYY-MM-DD"
    if values.name == "uuid":
        yield ~values.str.contains(_UUID), "is not a UUID in lower case"


def _check_reference(
    name: str, frame: pl.DataFrame, column: str, target: str, held: pl.DataFrame
) -> None:
    top, _, member = column.partition(".")
    values = frame.select(value=pl.col(top)).with_row_index("row")
    if isinstance(values.schema["value"], pl.List):
        values = values.explode("value", keep_nulls=False)
    if member:
        values = values.with_columns(value=pl.col("value").struct.field(member))
    keys = held.lazy().select(value=TABLES[target].key[0])
    dangling = values.lazy().drop_nulls("value").join(keys, on="value", how="anti")
    for row, value in dangling.sort("row").head(1).collect().iter_rows():
        raise _broken(name, top, f"refers to {value!r}, which {target}.parquet does not hold", row)


def _check_places(locations: pl.DataFrame) -> None:
    parents = dict(zip(locations["id"], locations["parent_id"], strict=True))
    for row, place in enumerate(parents):
        above, passed = parents[place], {place}
        while above is not None and above not in passed:
            passed.add(above)
            above = parents[above]
        if above == place:
            raise _broken("locations", "parent_id", "makes the place lie within itself", row)
