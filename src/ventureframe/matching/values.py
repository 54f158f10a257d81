"""Make rows of a list that is given in Python: names, pairs, dictionaries, or a frame
of any library.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from ventureframe.display.wording import counted
from ventureframe.matching.files import refused
from ventureframe.matching.headings import alone, distinct, known
from ventureframe.matching.workbooks import cell_text

_ADVICE = (
    "give a path, a frame, a pasted block, a list of names, of (name, website) pairs or"
    " of dictionaries"
)
_PAIR = ("Name", "Website")


def frame(given: Any) -> pl.DataFrame:
    """Make the frame; what no file holds, such as lists in cells, becomes text.

    Raises `UnsupportedValue` for what has no rows.

    >>> frame([("Halvern Bio", "halvern.example")]).rows(named=True)
    [{'Name': 'Halvern Bio', 'Website': 'halvern.example'}]
    """
    if isinstance(given, list | tuple | set | frozenset):
        return _of_rows([*given])
    if hasattr(given, "to_list") and not hasattr(given, "columns"):  # a series
        return _of_rows(given.to_list())
    if isinstance(given, pl.LazyFrame):
        given = given.collect()
    try:
        made = pl.DataFrame(_columns(given) if hasattr(given, "iloc") else given)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise refused(type(given).__name__, _ADVICE) from error
    return made.select(_kept(column) for column in made)


def _columns(given: Any) -> dict[str, Any]:
    """The columns of a frame of pandas, and its index where that has a name."""
    if any(name is not None for name in given.index.names):
        given = given.reset_index()
    heads = [text(head) or "" for head in given.columns]
    columns = dict[str, Any]()
    for at, head in enumerate(distinct(heads)):
        column = given.iloc[:, at]
        is_mixed = column.dtype == object
        columns[head] = [*map(text, column)] if is_mixed else pl.Series(column)
    return columns


def _kept(column: pl.Series) -> pl.Series:
    """The column, as text where it holds neither text, numbers nor days."""
    kind = column.dtype
    if kind.is_float():
        return column.fill_nan(None)
    is_day = kind == pl.Date or (isinstance(kind, pl.Datetime) and not kind.time_zone)
    if is_day or kind.is_integer() or kind in (pl.String, pl.Boolean):
        return column
    texts = [*map(text, column.to_list())]
    return pl.Series(column.name, texts, pl.String)


def text(value: Any) -> str | None:
    """Write a value as text; None for one that is missing, as NaN is.

    >>> text(["a", None, 2.0]), text(float("nan"))
    ('a, 2', None)
    """
    if value is None or str(value) in ("nan", "NaT", "<NA>"):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Collection) and not isinstance(value, str):
        return ", ".join(filter(None, map(text, value)))
    return cell_text(value)


def _of_rows(given: Sequence[Any]) -> pl.DataFrame:
    """Make the frame of names, pairs or dictionaries; a missing row stays, empty."""
    rows = [None if text(row) is None else row for row in given]
    present = [row for row in rows if row is not None]
    if present and all(isinstance(row, str) for row in present):
        return _frame([alone(present)], [[row] for row in rows])
    if present and all(isinstance(row, Mapping) for row in present):
        heads = [*dict.fromkeys(head for row in present for head in row)]
        values = [[(row or {}).get(head) for head in heads] for row in rows]
        return _frame([str(head) for head in heads], values)
    if present and all(isinstance(row, tuple | list) for row in present):
        first = [text(cell) or "" for cell in present[0]]
        if known(first):
            return _frame(
                first, [row or () for row in rows[rows.index(present[0]) + 1 :]]
            )
        if max(map(len, present)) <= len(_PAIR):
            return _frame(_PAIR, [row or () for row in rows])
        raise refused("the list", f"rows of several values need headings: {_ADVICE}")
    raise refused(type(given[0]).__name__ if given else "an empty list", _ADVICE)


def _frame(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Make the frame of text; a row that is too short ends with nothing."""
    heads = distinct(heads)
    texts = list[list[str | None]]()
    for row in rows:
        cells = [*map(text, row)]
        if len(cells) > len(heads):
            reason = f"row {len(texts) + 1} has {len(cells)} values, and there are"
            raise refused("the list", f"{reason} {counted(len(heads), 'heading')}")
        texts.append([*cells, *[None] * (len(heads) - len(cells))])
    return pl.DataFrame(texts, dict.fromkeys(heads, pl.String), orient="row")
