"""The places of a dataset: which lie in which, and what a company's headquarters are called."""

from collections.abc import Iterator

import polars as pl


def above(places: pl.DataFrame) -> pl.DataFrame:
    """Each place (`id`) with itself and the places it lies in (`value`), the nearest first."""
    parents = places.select(value="id", parent="parent_id").drop_nulls()
    levels = [places.select("id", value="id")]
    while levels[-1].height:
        levels.append(levels[-1].join(parents, on="value").select("id", value="parent"))
    named = places.select("name", "type", value="id")
    return pl.concat(levels).join(named, on="value", maintain_order="left")


def of_kind(within: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Each place (`id`) that is or lies in one of this kind, with that one's `value` and `name`."""
    last = within.filter(type=kind).unique("id", keep="last", maintain_order=True)
    return last.select("id", "value", "name")


def headquarters(within: pl.DataFrame) -> Iterator[pl.Expr]:
    """The city, country and continent that a company's place is or lies in."""
    for kind in ("city", "country", "continent"):
        own = of_kind(within, kind)
        named = looked_up(pl.col("hq_location"), own["id"], labels(own["name"]))
        yield named.alias(f"hq_{kind}")


def looked_up(values: pl.Expr, keys: pl.Series, names: pl.Series) -> pl.Expr:
    """For each value what stands beside it among `keys`; null where it is not among them."""
    return values.replace_strict(keys, names, default=None, return_dtype=names.dtype)


def labels(texts: pl.Series) -> pl.Series:
    """A column with few different texts, each held once."""
    return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))
