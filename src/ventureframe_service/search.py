"""Names found although they are typed otherwise, by likeness."""

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from ventureframe.interface.fields import plain

_ENOUGH, _BEGUN, _WORD, _KNOWN, _SAME = 50.0, 4e7, 1e7, 2e7, 8e7


class Names:
    """The rows of a table, found by what their column `by` is like.

    First comes the very name, and a row whose column `also`, such as a website
    domain, is the very text. Then names with a word that begins with the text: those
    with any `entities_count` before those without, in each the very word before
    longer ones, then the larger count. Last come names that are only alike, by
    rapidfuzz's ratio.
    """

    def __init__(self, rows: pl.DataFrame, *, by: str, also: str | None = None) -> None:
        self._rows, self._records = rows, rows["entities_count"].fill_null(0).to_numpy()
        self._also = None if also is None else rows[also].str.to_lowercase()
        self._names = list(map(plain, rows[by].to_list()))
        self._spaced = " " + pl.Series(self._names, dtype=pl.String) + " "

    def find(self, text: str) -> pl.DataFrame:
        """The rows like `text` with their `score`, the best first, ties in row
        order.
        """
        wanted = plain(text)
        alike = process.cdist(
            [wanted], self._names, scorer=fuzz.ratio, score_cutoff=_ENOUGH
        )
        scores = alike[0].astype(np.float64) / 1000
        begins_word = self._spaced.str.contains(f" {wanted}", literal=True)
        near = begins_word.arg_true().to_numpy()
        names, records = self._spaced[near], self._records[near]
        is_name = names == f" {wanted} "
        has_word = names.str.contains(f" {wanted} ", literal=True)
        begins = names.str.starts_with(f" {wanted}")
        scores[near] += _BEGUN + records
        scores[near] += is_name.to_numpy() * _SAME
        scores[near] += has_word.to_numpy() * _WORD
        scores[near] += (records > 0) * _KNOWN
        scores[near] += begins.to_numpy() / 2
        if self._also is not None:
            is_also = (self._also == wanted).fill_null(value=False)
            scores[is_also.to_numpy()] += _SAME
        found = np.flatnonzero(scores)
        best = found[np.argsort(-scores[found], kind="stable")]
        rows = self._rows[pl.Series(best, dtype=pl.UInt32)]
        return rows.with_columns(score=pl.Series(scores[best], dtype=pl.Float64))
