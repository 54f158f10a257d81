"""Make rows of a list that is given in Python: names, pairs, dictionaries, or a frame
of any library.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import polars as pl

from ventureframe.matching.headings import alone, distinct, known
from ventureframe.matching.workbooks import cell_text, refused

_ADVICE = (
    "give a path, a frame, a pasted block, a list of names, of (name, website) pairs or"
    " of dictionaries"
)


def frame(given: Any) -> pl.DataFrame:
    """Make the frame; what no file holds, such as lists in cells, becomes text.

    Raises `UnsupportedValue` for what has no rows.

    >>> frame([("Halvern Bio", "halvern.example")]).rows(named=True)
    [{'Name': 'Halvern Bio', 'Website': 'halvern.example'}]
    """
    heads: Sequence[Any]
    columns: Sequence[Sequence[Any] | pl.Series]
    is_series = hasattr(given, "to_list") and not hasattr(given, "columns")
    if is_series or isinstance(given, list | tuple | set | frozenset):
        heads, columns = _of_rows([None if text(row) is None else row for row in given])
    elif hasattr(given, "iloc"):  # of pandas, where columns can be of one name
        if given.index.name is not None:
            given = given.reset_index()
        heads = [*given.columns]
        columns = [given.iloc[:, at].to_list() for at in range(len(heads))]
    else:
        given = given.collect() if isinstance(given, pl.LazyFrame) else given
        try:
            made = pl.DataFrame(given)
        except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
            raise refused(type(given).__name__, _ADVICE) from error
        heads, columns = made.columns, made.get_columns()
    names = distinct([text(head) or "" for head in heads])
    return pl.DataFrame([*map(_column, names, columns)])


def _column(name: str, values: Sequence[Any] | pl.Series) -> pl.Series:
    """A column; as text where it mixes types, or holds neither numbers nor days."""
    try:
        column = pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, [*map(text, values)], pl.String)
    kind = column.dtype
    if kind.is_float():
        return column.fill_nan(None)
    is_day = kind == pl.Date or (isinstance(kind, pl.Datetime) and not kind.time_zone)
    if is_day or kind.is_integer() or kind in (pl.String, pl.Boolean):
        return column
    return pl.Series(name, [*map(text, column.to_list())], pl.String)


def text(value: Any) -> str | None:
    """Write a value as text; None for one that is missing, as NaN is.

    >>> text(["a", None, 2.0]), text(float("nan"))
    ('a, 2', None)
    """
    if isinstance(value, str):
        return value
    if value is None or str(value) in ("nan", "NaT", "<NA>"):
        return None
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Collection):
        return ", ".join(filter(None, map(text, value)))
    return cell_text(value)


def _of_rows(rows: Sequence[Any]) -> tuple[Sequence[Any], list[list[Any]]]:
    """The headings and columns of names, pairs or dictionaries; a missing row stays,
    empty.
    """
    present = [row for row in rows if row is not None]
    first, *_ = present or [()]
    if all(isinstance(row, str) for row in present) and present:
        return [alone(present)], [[*rows]]
    if all(isinstance(row, Mapping) for row in present) and present:
        heads = [*dict.fromkeys(head for row in present for head in row)]
        return heads, [[(row or {}).get(head) for row in rows] for head in heads]
    is_pairs = all(isinstance(row, tuple | list) for row in present)
    has_heads = is_pairs and known([str(cell) for cell in first])
    if not first or not is_pairs or (not has_heads and max(map(len, present)) > 2):
        raise refused("these rows", _ADVICE)
    heads = first if has_heads else ["Name", "Website"]
    below = rows[rows.index(first) + 1 :] if has_heads else rows
    padded = [[*(row or ()), *[None] * len(heads)] for row in below]
    return heads, [[row[at] for row in padded] for at in range(len(heads))]
