"""Which managers the LPs share, and the managers and the fund that the answer names."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw
import polars as pl

from ventureframe.evidence import engine_rows as rows
from ventureframe.evidence.engine_rows import Rows


def overlap(links: Rows, lps: pl.DataFrame) -> pl.DataFrame:
    """A row per pair of LPs: how many managers were returned for both."""
    own = lps.select("lp_uuid", "lp_name", is_known=pl.col("answer") != "could_not_ask")
    own = own.sort("lp_name", "lp_uuid").with_row_index("place")
    other = own.select(pl.all().name.prefix("other_"))
    pairs = own.join(other, how="cross").filter(pl.col("place") < pl.col("other_place"))
    edges = rows.collected(links).select("manager_uuid", "lp_uuid")
    both = edges.join(edges.rename({"lp_uuid": "other_lp_uuid"}), on="manager_uuid")
    both = both.group_by("lp_uuid", "other_lp_uuid").agg(pl.len().cast(pl.Int64).alias("shared"))
    found = pairs.join(both, on=["lp_uuid", "other_lp_uuid"], how="left")
    is_known = pl.col("is_known") & pl.col("other_is_known")
    found = found.with_columns(pl.when(is_known).then(pl.col("shared").fill_null(0)))
    return found.sort(
        pl.col("shared"), descending=True, nulls_last=True, maintain_order=True
    ).select("lp_uuid", "lp_name", "other_lp_uuid", "other_lp_name", "shared")


def most_shared(firms: Rows) -> dict[str, Any]:
    """The managers that most of the LPs back: their number, the first names, and by how many."""
    shared = firms.filter((nw.col("lps") > 1) & (nw.col("lps") == nw.col("lps").max()))
    found = rows.collected(shared.select("manager_name", "manager_uuid", "lps"))
    found = found.sort("manager_name", "manager_uuid", nulls_last=True)
    return {
        "most_shared": tuple(found["manager_name"].to_list()[:_NAMED]),
        "most_shared_of": found.height,
        "most_shared_by": next(iter(found["lps"]), 0),
    }


_NAMED: Final = 3
"""Most managers that the answer names."""


def largest(vehicles: Rows) -> tuple[str, str, float] | None:
    """The fund of the largest known size, its manager and the size."""
    sized = vehicles.filter(~nw.col("fund_size").is_null())
    sized = rows.highest_first(sized, "fund_size", "fund_name", "fund_id").head(1)
    found = rows.collected(sized.select("fund_name", "manager_name", "fund_size")).rows()
    return found[0] if found else None
