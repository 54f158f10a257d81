"""Make a frame of a list that is given in Python: names, pairs, dictionaries, or a
frame of any library.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any

import polars as pl
from polars import DataFrame, Series, String
from polars import selectors as cs

from ventureframe.matching.headings import alone, distinct, find, refused
from ventureframe.matching.workbooks import cell_text

_ADVICE = (
    "give a path, a frame, a pasted block, a list of names, of (name, website) pairs or"
    " of dictionaries"
)
_KEPT = cs.integer() | cs.float() | cs.string() | cs.boolean() | cs.date()
_DAYS = cs.datetime(time_zone=None)


def frame(raw: Any) -> pl.DataFrame:
    """Make the frame; what no file holds, such as lists in cells, becomes text.

    Raises `UnsupportedValue` for what has no rows.

    >>> frame([("Halvern Bio", "halvern.example")]).rows(named=True)
    [{'Name': 'Halvern Bio', 'Website': 'halvern.example'}]
    """
    columns = list[tuple[Any, Any]]()
    if hasattr(raw, "to_list") or isinstance(raw, list | tuple | set | frozenset):
        rows = _of_rows([None if text(row) is None else row for row in raw])
        columns = [(column[0], column[1:]) for column in zip_longest(*rows)]
    elif hasattr(raw, "iloc"):  # of pandas, where columns can be of one name
        table = raw if raw.index.name is None else raw.reset_index()
        columns = [(head, column.to_list()) for head, column in table.items()]
    else:
        with suppress(TypeError, ValueError, pl.exceptions.PolarsError):
            made = DataFrame(raw.collect() if hasattr(raw, "collect") else raw)
            columns = [(column.name, column) for column in made]
    if not columns:
        raise refused(type(raw).__name__, _ADVICE)
    names = distinct([text(head) or "" for head, _ in columns])
    made = DataFrame([*map(_column, names, [cells for _, cells in columns])])
    texts = (~_KEPT - _DAYS).map_batches(_as_text, String)
    return made.with_columns(texts, cs.float().fill_nan(None))


def _column(name: str, values: Sequence[Any] | Series) -> Series:
    """A column; as text where it mixes types."""
    try:
        return Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return _as_text(Series(name, values, pl.Object))


def _as_text(column: Series) -> Series:
    return Series(column.name, [*map(text, column.to_list())], String)


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


def _of_rows(rows: Sequence[Any]) -> list[Sequence[Any]]:
    """The headings, and below them the rows of names, pairs or dictionaries; a
    missing row stays, empty.
    """
    present = [row for row in rows if row is not None]

    def are(kind: Any) -> bool:
        return any(present) and all(isinstance(row, kind) for row in present)

    if are(str):
        return [[alone(present)], *([row] for row in rows)]
    if are(Mapping):
        heads = [*dict.fromkeys(chain.from_iterable(present))]
        return [heads, *([(row or {}).get(head) for head in heads] for row in rows)]
    if are(tuple | list):
        below = [row or () for row in rows]
        first = present[0]
        _, recognised = find([(1, [*map(str, first)])])
        if recognised:
            return below[below.index(first) :]
        if max(map(len, present)) <= 2:
            return [["Name", "Website"], *below]
    raise refused("these rows", _ADVICE)
