"""The check of a dataset: every table as its format has it, every problem named with
its first row.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ventureframe.dataset.column import converted, is_lost, obstacle
from ventureframe.dataset.folder import unreadable
from ventureframe.dataset.schema import TABLES
from ventureframe.errors import DatasetError, nearest

_PARTIAL_DATE = r"^\d{4}(-\d{2}(-\d{2})?)?$"
_UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_FIRST_YEAR, _YEARS_AHEAD = 1500, 10
_ROW = "row of the file"


class _Rule(NamedTuple):
    """What a column must keep to: the rows that do not, and what is said of them."""

    column: str
    wrong: pl.Expr
    reason: str


def checked(
    tables: Mapping[str, pl.LazyFrame],
    problems: Sequence[DatasetError] = (),
    *,
    day: dt.date | None,
    in_memory: bool = False,
) -> dict[str, pl.LazyFrame]:
    """Check the tables and return them with the columns and types of the format.

    Those of files are read once for the check, or kept `in_memory` from then on.

    Raises one `DatasetError` with every problem, after those found before. A column
    that a file lacks is null; references into a table that is not given are not
    checked. `day` is that of the dataset, None for a pull: of its values only the
    keys must be there, and no references are checked, because a service can name
    records that it does not return, and leave out what a dataset must have.
    """
    found, complete = list(problems), dict[str, pl.LazyFrame]()
    for name, rows in tables.items():
        try:
            if in_memory:
                rows = rows.collect().rechunk().lazy()  # noqa: PLW2901
            columns = _columns(name, rows, found)
            rules = [*_rules(name, rows, columns, is_pulled=day is None)]
            rules += _limited(name, columns, day) if day else []
            found += _broken_rules(name, rows, rules)
        except pl.exceptions.PolarsError as error:
            found.append(unreadable(name, error))
            continue
        for column, kind in TABLES[name].columns.items():
            columns.setdefault(column, pl.lit(None, kind))
        complete[name] = rows.with_columns(**columns)
    if not found and day is not None:
        found += _dangling(complete)
        found += _circles(complete)
    if found:
        raise DatasetError.of(found)
    return complete


def scanned(name: str, files: list[Path]) -> pl.LazyFrame:
    """Scan a pulled table; add the columns that the files lack as null, but no lists.

    Its values are not read. Raises `DatasetError` where a column has another type.
    """
    rows = pl.scan_parquet(files, glob=False)
    columns = rows.collect_schema()
    for column, needs in TABLES[name].columns.items() if name in TABLES else ():
        if column in columns:
            reason = obstacle(column, columns[column], needs)
            if reason is not None:
                raise _broken(name, column, reason)
        elif not isinstance(needs, pl.List):
            rows = rows.with_columns(pl.lit(None, needs).alias(column))
    return rows


def _columns(
    name: str, rows: pl.LazyFrame, found: list[DatasetError]
) -> dict[str, pl.Expr]:
    """Return the columns of the file in the types of the format; add those that
    cannot be, or must be there and are not, to what was `found`.
    """
    columns, schema, table = dict[str, pl.Expr](), rows.collect_schema(), TABLES[name]
    for column, needs in table.columns.items():
        if column in schema:
            reason = obstacle(column, schema[column], needs)
            columns[column] = converted(pl.col(column), schema[column], needs)
        elif column in table.required:
            near = nearest(column, schema.keys() - table.columns.keys(), at_most=1)
            reason = f"is missing: is it {near[0]!r}?" if near else "is missing"
        else:
            continue
        if reason is not None:
            found.append(_broken(name, column, reason))
            columns.pop(column, None)
    return columns


def _rules(
    name: str,
    rows: pl.LazyFrame,
    columns: Mapping[str, pl.Expr],
    *,
    is_pulled: bool,
) -> Iterator[_Rule]:
    """Yield the rules of the values of a table."""
    table, schema = TABLES[name], rows.collect_schema()
    required = table.key if is_pulled else table.required
    for column, value in columns.items():
        needs, actual = table.columns[column], schema[column]
        if actual != needs:
            lost = is_lost(pl.col(column), actual, needs)
            reason = f"is {actual} and cannot be read as {needs} without a loss"
            yield _Rule(column, lost, reason)
        if column in required:
            yield _Rule(column, value.is_null(), "is null and must not be")
        for pattern, reason in _patterns(column):
            yield _Rule(column, ~value.str.contains(pattern), reason)
        if needs == pl.Float64:
            yield _Rule(column, ~value.is_finite(), "is not a finite number")
        if isinstance(needs, pl.List):
            has_null = value.list.eval(pl.element().is_null()).list.any()
            yield _Rule(column, has_null, "holds a null")
        if column == "per_eur":
            yield _Rule(column, value <= 0, "is not a positive rate")
    yield from _rules_of_rows(name, columns)


def _rules_of_rows(name: str, columns: Mapping[str, pl.Expr]) -> Iterator[_Rule]:
    """Yield the rules that read several columns, or other rows."""
    table = TABLES[name]
    if columns.keys() >= {*table.key}:
        key = pl.struct(columns[column] for column in table.key)
        reason = f"repeats the key {' and '.join(table.key)} of an earlier row"
        yield _Rule(table.key[-1], ~key.is_first_distinct(), reason)
    if {"launch_date", "launch_date_text"} <= columns.keys():
        year = columns["launch_date_text"].str.head(4).cast(pl.Int32, strict=False)
        wrong = columns["launch_date"].ne_missing(year) & year.is_not_null()
        yield _Rule("launch_date_text", wrong, "has another year than launch_date")


def _limited(
    name: str, columns: Mapping[str, pl.Expr], day: dt.date
) -> Iterator[_Rule]:
    """Yield the rule of each column, or member of the entries of a list, that has
    limits.
    """
    table = TABLES[name]
    for path, limits in table.limits.items():
        column, _, member = path.partition(".")
        if column not in columns:
            continue
        least, most = limits or (_FIRST_YEAR, day.year + _YEARS_AHEAD)
        number = pl.element().struct.field(member) if member else columns[column]
        if table.columns[column] == pl.Date:
            number = number.dt.year()
        wrong = (number < least) | ((number > most) & number.is_finite())
        if member:
            wrong = columns[column].list.eval(wrong).list.any()
        reason = f"is not between {least:g} and {most:g}"
        if most > 1e9:
            reason = f"is below {least:g} or too large"
        yield _Rule(column, wrong, f"{member} {reason}".strip())


def _patterns(column: str) -> Iterator[tuple[str, str]]:
    """Yield the pattern of the texts of a column, and what is said of others."""
    if column in ("launch_date_text", "start_date", "end_date"):
        yield _PARTIAL_DATE, "is not YYYY, YYYY-MM or YYYY-MM-DD"
    if column == "uuid":
        yield _UUID, "is not a UUID in lower case"
    if column.endswith("currency"):
        yield "^[A-Z]{3}$", "is not a currency in capitals, such as EUR"


def _broken(
    name: str, column: str, reason: str, row: int | None = None
) -> DatasetError:
    return DatasetError(reason, file=f"{name}.parquet", column=column, row=row)


def _broken_rules(
    name: str, rows: pl.LazyFrame, rules: Sequence[_Rule]
) -> Iterator[DatasetError]:
    """Count in one pass what breaks each rule; name the first row of those that are
    broken, with its value.
    """
    sums = [rule.wrong.sum().alias(str(at)) for at, rule in enumerate(rules)]
    counts = rows.select(sums).collect(engine="streaming").row(0)
    for rule, count in zip(rules, counts, strict=True):
        if count:
            broken = rows.select(rule.column, wrong=rule.wrong).with_row_index(_ROW)
            first = broken.filter("wrong").head(1).collect()
            more = f"; {count:,} rows in all" if count > 1 else ""
            reason = f"{rule.reason}{_shown(first[rule.column])}{more}"
            yield _broken(name, rule.column, reason, first[_ROW][0])


def _shown(value: pl.Series) -> str:
    """The value in brackets; nothing for null and for what is not one short text."""
    is_plain = not value.dtype.is_nested() and value.dtype != pl.Binary
    text = value.cast(pl.String)[0] if is_plain else None
    return f" ({text[:40]})" if text else ""


def _dangling(tables: Mapping[str, pl.LazyFrame]) -> Iterator[DatasetError]:
    """Yield the first reference of each column that leads to no record."""
    for name, rows in tables.items():
        for path, target in TABLES[name].references.items():
            if target not in tables:
                continue
            column, _, member = path.partition(".")
            values = rows.select(value=column).with_row_index(_ROW)
            if isinstance(TABLES[name].columns[column], pl.List):
                values = values.explode("value", keep_nulls=False)
            if member:
                value = pl.col("value").struct.field(member)
                values = values.with_columns(value=value)
            keys = tables[target].select(value=TABLES[target].key[0])
            lost = values.drop_nulls("value").join(keys, on="value", how="anti")
            first = lost.sort(_ROW).head(1)
            for row, value in first.collect(engine="streaming").iter_rows():
                reason = f"refers to {value!r}, which {target}.parquet does not hold"
                yield _broken(name, column, reason, row)


def _circles(tables: Mapping[str, pl.LazyFrame]) -> Iterator[DatasetError]:
    """Yield an error for the first place that lies within itself."""
    if "locations" not in tables:
        return
    places = tables["locations"].select("id", "parent_id").collect()
    parents = dict(places.iter_rows())
    for row, place in enumerate(parents):
        above, passed = parents[place], {place}
        while above is not None and above not in passed:
            passed.add(above)
            above = parents[above]
        if above == place:
            reason = "makes the place lie within itself"
            yield _broken("locations", "parent_id", reason, row)
            return
