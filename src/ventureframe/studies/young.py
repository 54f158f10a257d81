"""Years that are not settled: their records are still arriving, so no peak or fall is
read there.

A number is by how much the records of a year grew from June to October 2013, in two
exports of one directory: of the year of the data, of the year before, and so on.
Part of it is the wider coverage of the second: the earlier years since 2005 grew by
2 % (rounds) and 4 % (founding years).
"""

import datetime as dt

import polars as pl
from polars import DataFrame as Frame

from ventureframe.display.table import Column
from ventureframe.display.wording import NOT_KNOWN, number
from ventureframe.studies.ranks import leads

# also taken for funds, which both exports have alike
ROUNDS = (0.79, 0.50, 0.19)
FOUNDING = (0.19, 0.11, 0.09, 0.06, 0.05)
ARRIVING = Column(
    "still_arriving",
    "Still arriving",
    "flag",
    null=NOT_KNOWN,
)


def every_year(rows: Frame, by: str) -> Frame:
    """The rows by year, with a row for each year from the first to the last; one
    without a year is the last.
    """
    years = rows[by].drop_nulls().to_list()
    span = range(min(years, default=0), max(years, default=-1) + 1)
    every = Frame({by: span}, {by: pl.Int64})
    return every.join(
        rows, on=by, how="full", coalesce=True, maintain_order="left_right"
    )


def marked(rows: Frame, by: str, day: dt.date | None, grew: tuple[float, ...]) -> Frame:
    """Add `still_arriving` to rows by year: null where the year or the day of the
    data is.
    """
    first = None if day is None else day.year - len(grew) + 1
    return rows.with_columns(still_arriving=pl.col(by) >= pl.lit(first, pl.Int64))


def peak(rows: Frame, by: str, count: str) -> str:
    """Where most of what is settled is, to end a headline; nothing where that can be
    chance.
    """
    settled = rows.filter(~pl.col("still_arriving"))
    if not leads(settled[count]):
        return ""
    most, where = settled.sort(count).select(count, by).row(-1)
    up_to = f" up to {settled[by].max()!s}" if settled.height < rows.height else ""
    return f", most{up_to}: {number(most)} in {where}"


def note(rows: Frame, by: str) -> str | None:
    """What a caption says of the rows that are still arriving; None where there are
    none.
    """
    if rows["still_arriving"].null_count():
        return "the day of the data is not stated: late years may not be fully recorded"
    first = rows.filter("still_arriving")[by].min()
    if first is None:
        return None
    return f"Hatched: {first!s} and later are not yet fully recorded"
