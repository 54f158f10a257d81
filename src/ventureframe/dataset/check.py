"""The check of a dataset: every table as its format has it, every problem named with
its first row.
"""

import datetime as dt
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars import Expr, LazyFrame, col, lit
from polars.exceptions import PolarsError

from ventureframe.dataset.column import castable
from ventureframe.dataset.schema import TABLES, Table
from ventureframe.errors import DatasetError, nearest
from ventureframe.interface.fields import Field, Many

_FIRST_YEAR, _YEARS_AHEAD = 1500, 10
_LARGE = 1e9
_FURTHER = frozenset({"is_withheld", "same_as", "launch_date_text"})
"""Columns that a table may have or lack without a word."""
_ROW = "row of the file"
_VALUE = col("value")
_CURRENCY = "^[A-Z]{3}$", "is not a currency in capitals, such as EUR"
_DAY = r"^\d{4}(-\d{2}(-\d{2})?)?$", "is not YYYY, YYYY-MM or YYYY-MM-DD"
_TEXTS = {
    "uuid": (
        "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        "is not a UUID in lower case",
    ),
    "currency": _CURRENCY,
    "amount_currency": _CURRENCY,
    "total_funding_currency": _CURRENCY,
    "launch_date_text": _DAY,
    "start_date": _DAY,
    "end_date": _DAY,
}
"""By column the pattern of its texts, and the complaint about a text unlike it."""


class _Rule(NamedTuple):
    """What a column must keep to: the rows that do not, each with its number and the
    value, and what is said of them.
    """

    column: str
    broken: LazyFrame
    reason: str


def checked(
    tables: Mapping[str, LazyFrame],
    unknown: list[str],
    *,
    day: dt.date,
    in_memory: bool = False,
) -> dict[str, LazyFrame]:
    """Check the tables of a dataset of this day and return them with the columns and
    types of the format.

    Those of files are read once for the check, or kept `in_memory` from then on. A
    column that a file lacks is null; columns that are not of the format are added to
    `unknown`; references into a table that is not given are not checked. Raises one
    `DatasetError` with every problem.
    """
    problems, complete = list[DatasetError](), dict[str, LazyFrame]()
    for name, rows in tables.items():
        file, table = f"{name}.parquet", TABLES[name]
        try:
            unknown += _unknown(name, rows.collect_schema().names())
            if in_memory:
                rows = rows.collect().rechunk().lazy()  # noqa: PLW2901
            typed, unreadable = _typed(name, rows)
            complete[name] = typed.cast(pl.Schema(table.columns), strict=False)
            rules = [*_losses(typed, table), *_rules(complete[name], table, day)]
            unread = {problem.column for problem in unreadable}
            problems += [*unreadable, *_broken(file, rules, unread)]
        except (OSError, PolarsError) as error:
            first, *_ = str(error).splitlines() or [""]
            reason = f"cannot be read as Parquet: {first}"
            problems.append(DatasetError(reason, file=file))
    for name in () if problems else complete:
        problems += _broken(f"{name}.parquet", _dangling(name, complete))
    if problems:
        raise DatasetError.of(problems)
    return complete


def meant(name: str, names: Iterable[str], ending: str = "") -> str:
    """Say which of the known names may be meant; nothing where none is near.

    >>> meant("Launch_Date", ["launch_date", "name"])
    ' (is it launch_date?)'
    """
    near = nearest(name.lower(), names, at_most=1)
    return f" (is it {near[0]}{ending}?)" if near else ""


def _unknown(name: str, columns: Sequence[str]) -> Iterator[str]:
    """Name the columns that the format does not have, with the one that each may be
    meant as; none where the table has every column of the format.
    """
    expected = TABLES[name].columns.keys() | _FURTHER
    absent = expected - _FURTHER - set(columns)
    for column in columns if absent else ():
        if column not in expected:
            yield f"{name}.parquet, column {column!r}{meant(column, absent)}"


def scanned(name: str, files: list[Path]) -> LazyFrame:
    """Scan a pulled table; add the columns that the files lack as null, but no lists.

    Its values are not read. Raises `DatasetError` where a column has another type.
    """
    rows = pl.scan_parquet(files, glob=False)
    stored = rows.collect_schema()
    for column, needs in TABLES[name].columns.items() if name in TABLES else ():
        if column in stored:
            castable(files[0].name, column, col(column), stored[column], needs)
        elif not isinstance(needs, pl.List):
            rows = rows.with_columns(lit(None, needs).alias(column))
    return rows


def _typed(name: str, rows: LazyFrame) -> tuple[LazyFrame, list[DatasetError]]:
    """Return the rows with the columns of the format as a cast reads them, null where
    they are missing or cannot be read, and what is said of those.
    """
    file, table, stored = f"{name}.parquet", TABLES[name], rows.collect_schema()
    columns, problems = dict[str, Expr](), list[DatasetError]()
    for column, needs in table.columns.items():
        columns[column] = lit(None, needs)
        if column in stored:
            value, actual = col(column), stored[column]
            try:
                columns[column] = castable(file, column, value, actual, needs)
            except DatasetError as error:
                problems.append(error)
        elif column in table.required:
            near = meant(column, stored.keys() - table.columns.keys())
            problems.append(DatasetError(f"is missing{near}", file=file, column=column))
    return rows.with_columns(**columns), problems


def _losses(rows: LazyFrame, table: Table) -> Iterator[_Rule]:
    """Yield the rule of each column of another type: cast, and back again, it is the
    same.
    """
    for column, actual in rows.collect_schema().items():
        needs, value = table.columns.get(column, actual), col(column)
        if actual != needs:
            back = value.cast(needs, strict=False).cast(actual, strict=False)
            reason = f"is {actual} and cannot be read as {needs} without a loss"
            yield _Rule(column, _rows(rows, column, back.ne_missing(value)), reason)


def _rules(rows: LazyFrame, table: Table, day: dt.date) -> Iterator[_Rule]:
    """Yield the rules of the values of a table."""
    for path, field in table.paths.items():
        is_list, is_required = isinstance(field.type, Many), path in table.required
        values = _values(rows, path, keep_nulls=is_required)
        if is_required or is_list:
            reason = "is null or holds a null" if is_list else "is null and must not be"
            yield _Rule(path, values.filter(_VALUE.is_null()), reason)
        for broken, reason in _wrong(field, day):
            yield _Rule(path, values.filter(broken), reason)
    *_, column = table.key
    is_whole = pl.all_horizontal(col(table.key).is_not_null())
    repeated = is_whole & ~pl.struct(table.key).is_first_distinct()
    reason = f"repeats the key {' and '.join(table.key)} of an earlier row"
    yield _Rule(column, _rows(rows, column, repeated), reason)
    if "launch_date_text" in table.columns:
        year = col("launch_date_text").str.head(4).cast(pl.Int32, strict=False)
        differs = col("launch_date").ne_missing(year) & year.is_not_null()
        reason = "has another year than launch_date"
        yield _Rule(
            "launch_date_text", _rows(rows, "launch_date_text", differs), reason
        )


def _wrong(field: Field, day: dt.date) -> Iterator[tuple[Expr, str]]:
    """Yield what is wrong with a `value` of a field, and what is said of it."""
    if field.name in _TEXTS:
        pattern, reason = _TEXTS[field.name]
        yield ~_VALUE.str.contains(pattern), reason
    is_day = field.type == "date"
    limits = field.bounds or field.within
    if is_day or field.unit == "year":
        limits = _FIRST_YEAR, day.year + _YEARS_AHEAD
    if limits:
        least, most = limits
        number = _VALUE.dt.year() if is_day else _VALUE
        reason = f"is not between {least:g} and {most:g}"
        if most > _LARGE:
            reason = f"is below {least:g}, too large or not finite"
        yield ~number.is_between(least, most), reason


def _rows(rows: LazyFrame, column: str, wrong: Expr) -> LazyFrame:
    """The rows that are wrong, each with its number and the value of a column."""
    numbered = rows.with_row_index(_ROW)
    return numbered.filter(wrong).select(_ROW, value=column)


def _values(rows: LazyFrame, path: str, *, keep_nulls: bool) -> LazyFrame:
    """The values of a column, or of a member of its entries, each with its row."""
    column, _, member = path.partition(".")
    values = rows.select(value=column).with_row_index(_ROW)
    if isinstance(values.collect_schema()["value"], pl.List):
        values = values.explode("value", empty_as_null=False, keep_nulls=keep_nulls)
    if member:
        values = values.with_columns(value=_VALUE.struct.field(member))
    return values


def _dangling(name: str, tables: Mapping[str, LazyFrame]) -> Iterator[_Rule]:
    """Yield the rule of each reference: it leads to a record, and of places to none
    that lies within itself.
    """
    rows = tables[name]
    for path, target in TABLES[name].references.items():
        if target in tables:
            keys = tables[target].select(value=TABLES[target].key[0])
            values = _values(rows, path, keep_nulls=False).drop_nulls("value")
            lost = values.join(keys, on="value", how="anti", maintain_order="left")
            reason = f"refers to a record that {target}.parquet does not hold"
            yield _Rule(path, lost, reason)
    if name == "locations":
        places = rows.select("id", "parent_id").collect()
        try:
            TopologicalSorter({at: [above] for at, above in places.rows()}).prepare()
        except CycleError as error:
            circle = _rows(rows, "parent_id", col("id").is_in(error.args[1]))
            yield _Rule("parent_id", circle, "makes the place lie within itself")


def _broken(
    file: str, rules: Iterable[_Rule], unread: Container[str | None] = ()
) -> Iterator[DatasetError]:
    """Count the rows that break each rule, and name the first with its value."""
    rules = [rule for rule in rules if rule.column not in unread]
    first = (col(_ROW).n_unique().alias("rows"), pl.all().first())
    days = col(pl.Date).cast(pl.String)  # Python has no year above 9999
    frames = [rule.broken.with_columns(days).select(first) for rule in rules]
    results = pl.collect_all(frames, engine="streaming")
    for rule, frame in zip(rules, results, strict=True):
        count, row, value = frame.row(0)
        if count:
            quoted = "" if value is None else f" ({value!s:.40})"
            more = f"; {count:,} rows in all" if count > 1 else ""
            reason = f"{rule.reason}{quoted}{more}"
            yield DatasetError(reason, file=file, column=rule.column, row=row)
