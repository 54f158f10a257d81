"""Names found although they are typed otherwise: by the triples of letters they share."""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ventureframe.embedded.engine.values import Postings, Rows

_GRAM: Final = 3
_ENOUGH: Final = 0.3
_MARKS: Final = r"\p{M}"

Scores = npt.NDArray[np.float64]


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
        self._sizes = np.maximum(1, np.bincount(grams["row"], minlength=len(names)))
        self._grams = Postings(grams["gram"], grams["row"], height=len(names))

    def find(self, asked: str) -> tuple[Rows, Scores]:
        """The rows of the names like `asked`, the most alike first, ties in row order; and how."""
        wanted = plain(asked)
        text = f"  {wanted} "
        grams = {text[start : start + _GRAM] for start in range(len(text) - _GRAM + 1)}
        shared = self._grams.counts(sorted(grams))
        score = shared / (self._sizes + len(grams)) + 0.5 * shared / len(grams)
        near = np.flatnonzero(shared >= max(1, len(grams) - _GRAM)).astype(np.uint32)
        score[near] += self._bonus(near, wanted)
        found = np.flatnonzero(score >= _ENOUGH).astype(np.uint32)
        found = found[np.argsort(-score[found], kind="stable")]
        return found, score[found]

    def _bonus(self, rows: Rows, wanted: str) -> Scores:
        """More for the very name, for one that begins with it, or has it at a word's start."""
        names = self._plain[pl.Series(rows)]
        begins, inside = (
            names.str.starts_with(wanted),
            names.str.contains(f" {wanted}", literal=True),
        )
        return (2.0 * (names == wanted) + begins + 0.5 * (inside & ~begins)).to_numpy()
