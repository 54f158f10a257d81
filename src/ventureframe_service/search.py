"""Names found although they are typed otherwise, by likeness."""

import unicodedata
from typing import Final

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from ventureframe.interface.fields import fold

_ENOUGH: Final = 50.0
_SAME, _BEGINS, _INSIDE = 300.0, 100.0, 50.0


def plain(text: str) -> str:
    """The text without case, accents and repeated spaces.

    >>> plain("École  Supérieure")
    'ecole superieure'
    """
    folded = fold(unicodedata.normalize("NFKD", text))
    kept = "".join(character for character in folded if not unicodedata.combining(character))
    return " ".join(kept.split())


class Names:
    """The rows of a table, found by what their column `by` is like.

    The likeness of two names is rapidfuzz's ratio, 0 to 100. A name that begins with the words
    searched for, or holds them at the start of a word, scores more, and the very name the most.
    As much scores a row whose column `also`, such as a website domain, is the very text.
    """

    def __init__(self, rows: pl.DataFrame, *, by: str, also: str | None = None) -> None:
        self._rows = rows
        self._also = None if also is None else rows[also].str.to_lowercase()
        self._names = list(map(plain, rows[by].to_list()))
        self._spaced = " " + pl.Series(self._names, dtype=pl.String)

    def find(self, text: str) -> pl.DataFrame:
        """The rows like `text` with their `score`, the best first, ties in row order."""
        wanted = plain(text)
        scores = process.cdist([wanted], self._names, scorer=fuzz.ratio, score_cutoff=_ENOUGH)[0]
        near = self._spaced.str.contains(f" {wanted}", literal=True).arg_true()
        names, begins = self._spaced[near], self._spaced[near].str.starts_with(f" {wanted}")
        more = (names == f" {wanted}") * _SAME + begins * _BEGINS + _INSIDE
        scores[near.to_numpy()] += more.to_numpy()
        if self._also is not None:
            scores[(self._also == wanted).fill_null(value=False).to_numpy()] += _SAME
        found = np.flatnonzero(scores)
        best = found[np.argsort(-scores[found], kind="stable")]
        score = pl.Series(scores[best], dtype=pl.Float64)
        return self._rows[pl.Series(best, dtype=pl.UInt32)].with_columns(score=score)
