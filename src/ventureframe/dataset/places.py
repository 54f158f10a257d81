"""The places of a dataset: which place contains which, and the names of
headquarters.
"""

from collections.abc import Iterator

import polars as pl
from polars import DataFrame, Expr, Series, col


def above(places: DataFrame) -> DataFrame:
    """Return each place (`id`) with itself and all that contain it (`value`), the
    nearest first.
    """
    parents = places.select(value="id", parent="parent_id").drop_nulls()
    levels = [places.select("id", value="id")]
    while levels[-1].height:
        higher = levels[-1].join(parents, on="value")
        levels.append(higher.select("id", value="parent"))
    named = places.select("name", "type", value="id")
    return pl.concat(levels).join(named, on="value", maintain_order="left")


def headquarters(within: DataFrame) -> Iterator[Expr]:
    """Yield the city, country and continent of a company's headquarters."""
    for kind in ("city", "country", "continent"):
        places = within.filter(type=kind).unique("id", keep="last", maintain_order=True)
        named = looked_up(col("hq_location"), places["id"], labels(places["name"]))
        yield named.alias(f"hq_{kind}")


def looked_up(values: Expr, keys: Series, names: Series) -> Expr:
    """Return the name of each value by its key; null where it is not among `keys`."""
    return values.replace_strict(keys, names, default=None, return_dtype=names.dtype)


def labels(texts: Series) -> Series:
    """Return the texts as a categorical column."""
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))
