"""The differences between two fetches that matter most, of all kinds of record."""

from collections.abc import Mapping
from typing import Final

import polars as pl
from polars import DataFrame, col, lit, when

from ventureframe.display.wording import label
from ventureframe.studies.changes.edits import Edits
from ventureframe.studies.changes.records import AMOUNTS, SEEN

_MOST, _EACH = 10, 4
_LIST = "row of the list"
_ENDS = {"newly_seen": ("after", "before"), "no_longer_seen": ("before", "after")}
"""The column that describes a record which one fetch alone has, and the blank one."""
_FIRST = (
    "funding round newly seen",
    "fund newly seen",
    "company newly seen",
    "company no longer listed",
    "investor newly seen",
    _LIST,
    "company total_funding",
    "company hq_country",
    "company hq_city",
    "company company_status",
    "company is_hiring",
    "company open_jobs_count",
    "job newly seen",
    "job no longer listed",
    "news item newly seen",
)
"""The kinds of difference that matter most, in this order; others come after."""
_ROWS: Final[Mapping[str, pl.DataType]] = {
    "record": pl.String(),
    "what": pl.String(),
    "before": pl.String(),
    "after": pl.String(),
    "amount": pl.Float64(),
    "date": pl.String(),
    "investors": pl.String(),
}


def ranked(frames: Mapping[str, DataFrame], edits: Edits | None) -> DataFrame:
    """All differences, those that matter most first, and of each kind the largest."""
    names = dict.fromkeys(("record", "before", "after"), pl.String())
    restated = DataFrame(edits.restated if edits else [], names, orient="row")
    parts = [DataFrame(schema=_ROWS), restated.with_columns(what=lit(_LIST))]
    for finding, (filled, blank) in _ENDS.items():
        if finding in frames:
            ends = {filled: col("detail").fill_null(""), blank: lit("")}
            kind = pl.format("{} {}", "what", lit(SEEN[finding]))
            parts.append(frames[finding].with_columns(what=kind, **ends))
    parts.append(_of_fields(frames["field_changes"]))
    places = {kind: place for place, kind in enumerate(_FIRST)}
    key = pl.coalesce("key", "what")
    rows = pl.concat(parts, how="diagonal").with_columns(
        place=key.replace_strict(places, default=len(places)),
        size=pl.coalesce("moved", "amount").abs(),
    )
    by = ("place", "size", "record", "what")
    return rows.sort(by, descending=[False, True, False, False], nulls_last=True)


def largest(rows: DataFrame) -> DataFrame:
    """The ten differences that matter most: of each kind the four largest, then those
    that come next.
    """
    rank = pl.int_range(pl.len()).over("place")
    chosen = rows.with_row_index().sort(rank // _EACH, "index").head(_MOST)
    return chosen.sort("index").select(*_ROWS)


def _of_fields(changes: DataFrame) -> DataFrame:
    """The changed fields in words, with what an amount moved by."""
    words = col("field").map_elements(label, pl.String)
    named = pl.concat_str("what", "detail", words, separator=", ", ignore_nulls=True)
    return changes.with_columns(
        key=pl.format("{} {}", "what", "field"),
        what=when(what="company").then(words).otherwise(named),
        amount=when(col("field").is_in(AMOUNTS)).then("moved"),
    )
