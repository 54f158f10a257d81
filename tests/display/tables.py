"""Tables of a few rows."""

from collections.abc import Iterable
from typing import Any

import polars as pl

from ventureframe.display.table import Column, Table


def table(
    columns: Iterable[Column], rows: Iterable[tuple[object, ...]], **more: Any
) -> Table:
    """A table of these rows, called Title."""
    columns = tuple(columns)
    names = [column.name for column in columns]
    frame = pl.DataFrame(
        list(rows), names, orient="row", strict=False, infer_schema_length=None
    )
    return Table(
        **{"title": "Title", "caption": "", **more}, columns=columns, frame=frame
    )
