"""Names found although they are typed otherwise: by the triples of letters they share."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import polars as pl

from ventureframe.service.values import Postings

_GRAM: Final = 3
_ENOUGH: Final = 0.3
_MARKS: Final = r"\p{M}"


def plain(text: str) -> str:
    """The text without case, accents and repeated spaces."""
    folded = unicodedata.normalize("NFKD", text).lower()
    kept = "".join(character for character in folded if not unicodedata.combining(character))
    return " ".join(kept.split())


class Names:
    """The names of a table's rows, found by likeness.

    The likeness of two names is the share of their triples of letters that they have in common:
    half of it among the triples of both (Dice), half among those asked for. A name that begins
    with what is asked, or holds it at the start of a word, is more alike; the very name the most.
    """

    def __init__(self, names: pl.Series) -> None:
        self._plain = (
            names.str.normalize("NFKD")
            .str.to_lowercase()
            .str.replace_all(_MARKS, "")
            .str.replace_all(r"\s+", " ")
            .str.strip_chars()
        )
        grams = (
            pl.DataFrame({"name": "  " + self._plain + " "})
            .with_row_index("row")
            .with_columns(start=pl.int_ranges(0, pl.col("name").str.len_chars() - (_GRAM - 1)))
            .explode("start")
            .select("row", gram=pl.col("name").str.slice(pl.col("start"), _GRAM))
            .unique()
        )
        self._sizes = (
            pl.DataFrame({"row": pl.int_range(len(names), dtype=pl.UInt32, eager=True)})
            .join(grams.group_by("row").len(), on="row", how="left", maintain_order="left")["len"]
            .fill_null(1)
        )
        self._grams = Postings(grams["gram"], grams["row"], height=len(names))

    def find(self, asked: str) -> pl.DataFrame:
        """`row` and `score` of the names like `asked`, the most alike first, ties in row order."""
        wanted = plain(asked)
        text = f"  {wanted} "
        grams = {text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1)}
        shared = self._grams.rows(sorted(grams)).value_counts(name="shared")
        scored = shared.rename({shared.columns[0]: "row"}).with_columns(
            name=self._plain.gather(shared.to_series()),
            size=self._sizes.gather(shared.to_series()),
        )
        begins = pl.col("name").str.starts_with(wanted)
        inside = pl.col("name").str.contains(rf"\b{re.escape(wanted)}")
        both, asked_for = pl.col("size") + len(grams), len(grams)
        likeness = pl.col("shared") / both + 0.5 * pl.col("shared") / asked_for
        score = (
            likeness
            + pl.when(pl.col("name") == wanted).then(2.0).otherwise(0.0)
            + pl.when(begins).then(1.0).when(inside).then(0.5).otherwise(0.0)
        )
        return (
            scored.with_columns(score=score)
            .filter(pl.col("score") >= _ENOUGH)
            .sort("score", "row", descending=[True, False])
            .select("row", "score")
        )
