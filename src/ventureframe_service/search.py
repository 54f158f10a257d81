"""Finds names that are typed in another way, by likeness."""

import numpy as np
import polars as pl
from rapidfuzz import fuzz, process

from ventureframe.interface.fields import plain
from ventureframe.interface.short import letters, short_for, words_of

_ENOUGH = 50.0
_IN_ORDER, _SHORT, _BEGUN, _WORD, _LABEL, _KNOWN, _SAME = (
    step * 1e7 for step in (2, 4, 4, 5, 6, 7, 18)
)
"""What each way of matching adds to a score; counts of records decide among equals."""


class Names:
    """The rows of a table, found by what their column `by` is like.

    First comes the very name, and a row whose column `also`, such as a website
    domain, is the very text. Then come the rows that the text can mean: it is the
    first label of their domain, their name for short, or it begins a word of the name,
    or each of its words does so in order. Those with any `entities_count` come before
    those without, and of equal ones that with the larger count. Last come names that
    are only alike, by rapidfuzz's ratio.
    """

    def __init__(self, rows: pl.DataFrame, *, by: str, also: str | None = None) -> None:
        self._rows, self._records = rows, rows["entities_count"].fill_null(0).to_numpy()
        domains = rows[also] if also else pl.repeat("", rows.height, eager=True)
        self._also = domains.fill_null("").str.to_lowercase()
        self._labels = self._also.str.split(".").list.first()
        self._names = list(map(plain, rows[by].to_list()))
        self._spaced = " " + pl.Series(self._names, dtype=pl.String) + " "

    def find(self, text: str) -> pl.DataFrame:
        """Return the rows like `text` with their `score`, the best first, ties in row
        order.
        """
        wanted = plain(text)
        alike = process.cdist(
            [wanted], self._names, scorer=fuzz.ratio, score_cutoff=_ENOUGH
        )
        scores = alike[0].astype(np.float64) / 1000
        names, labels = self._spaced, self._labels
        ways = [
            (names.str.contains(words_of(text)), _IN_ORDER),
            (names.str.contains(f" {wanted}", literal=True), _BEGUN),
            (names.str.contains(f" {wanted} ", literal=True), _WORD),
            (labels.str.replace_all("-", "") == letters(text), _LABEL),
        ]
        meant = np.max([is_so.to_numpy() * weight for is_so, weight in ways], axis=0)
        meant += names.str.contains(short_for(text)).to_numpy() * _SHORT
        is_same = (names == f" {wanted} ") | (self._also == wanted)
        meant += is_same.to_numpy() * _SAME
        near = np.flatnonzero(meant)
        records = self._records[near]
        scores[near] += meant[near] + records + (records > 0) * _KNOWN
        begins = names.str.starts_with(f" {wanted}").to_numpy()
        scores[begins] += 0.5
        hits = np.flatnonzero(scores)
        best = hits[np.argsort(-scores[hits], kind="stable")]
        rows = self._rows[pl.Series(best, dtype=pl.UInt32)]
        return rows.with_columns(score=pl.Series(scores[best], dtype=pl.Float64))
