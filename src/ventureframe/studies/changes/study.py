"""The comparison of two fetches: the class that lists its findings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import polars as pl

from ventureframe.client.result import limited
from ventureframe.errors import UnsupportedValue
from ventureframe.evidence import study
from ventureframe.interface.fields import Currency
from ventureframe.studies.changes import tables, words
from ventureframe.studies.changes.pair import Counts, Pair


@dataclass(frozen=True, kw_only=True, repr=False)
class Study(study.Study):
    """What two fetches of one question show, record by record; of a study, for each of its results.

    Of several results, all findings but `results` and `fetches`, and the answer, are about the
    first one, which the others belong to; `only(name)` is the same for another. What an incomplete
    fetch leaves open is not claimed: null as a number, and `EvidenceError` as a frame.

    Attributes
    ----------
    pairs : mapping of str to Pair
        What was compared, by name; `unpaired` are the names that only one side has.
    kind : str or None
        The study that both sides are saves of.
    """

    pairs: Mapping[str, Pair]
    unpaired: tuple[str, ...] = ()
    kind: str | None = None

    fetches = tables.FETCHES
    results = tables.RESULTS
    changes = tables.CHANGES
    newly_seen = tables.NEWLY_SEEN
    no_longer_seen = tables.NO_LONGER_SEEN
    field_changes = tables.FIELD_CHANGES
    cannot_tell = tables.CANNOT_TELL

    name = "changes"
    about = "what changed"

    @classmethod
    def of(
        cls, pairs: Mapping[str, Pair], *, unpaired: tuple[str, ...] = (), kind: str | None = None
    ) -> Self:
        """The study of these comparisons; the findings are about the first."""
        every = list(pairs.values())
        fetched = tuple(
            result
            for side in ("old", "new")
            for result in (getattr(pair, side) for pair in every if not pair.is_table)
        )
        coverage = pl.concat(pair.frames["coverage"] for pair in every)
        currencies = (pair.new.provenance.currency for pair in every)
        return cls(
            frames={**every[0].frames, "coverage": coverage},
            subject=f"{kind} study" if kind else ", ".join(pairs).replace("-", " "),
            sentence=words.answer(every[0]),
            key_figures=words.key_figures(every[0]),
            limits=tuple(dict.fromkeys(each for pair in every for each in words.caveats(pair))),
            currency=next(filter(None, currencies), None),
            source=limited(every[0].new.provenance.source, fetched),
            fetched=fetched,
            pairs=pairs,
            unpaired=unpaired,
            kind=kind,
        )

    @property
    def day(self) -> str:
        """The days of the two fetches."""
        return self.pair.days

    @property
    def pair(self) -> Pair:
        """The two fetches that the findings are about."""
        return next(iter(self.pairs.values()))

    @property
    def counts(self) -> Counts:
        """The numbers of records; None is what cannot be claimed."""
        return self.pair.counts

    def _of_fetches(self) -> str:
        """Nothing: the sentence names what an incomplete fetch leaves open."""
        return ""

    def only(self, name: str | None = None) -> Self:
        """The comparison of one result alone: of the first where none is named.

        Raises `UnsupportedValue` for a name that `pairs` does not have.
        """
        self._check(name, field="result")
        is_one = [*self.pairs] == [self.pair.new.resource.name]
        if is_one and self.kind is None and not self.unpaired:
            return self
        pair = self.pair if name is None else self.pairs[name]
        return self.of({pair.new.resource.name: pair})

    def showing(self, name: str | None = None, *, currency: Currency | None = None) -> Self:
        """The same comparison with one result first.

        Raises `UnsupportedValue` for a name that both fetches do not have, and for a currency that
        amounts were not fetched in.
        """
        self._check(name, field="part")
        codes = {pair.new.provenance.currency for pair in self.pairs.values()} - {None}
        if currency is not None and codes - {currency}:
            reason = f"amounts were fetched in {', '.join(map(str, codes))}"
            raise UnsupportedValue(currency, field="currency", reason=reason)
        ordered = sorted(self.pairs, key=lambda each: each != name)
        pairs = {each: self.pairs[each] for each in ordered}
        return self.of(pairs, unpaired=self.unpaired, kind=self.kind)

    def _check(self, name: str | None, *, field: str) -> None:
        if name is not None and name not in self.pairs:
            reason = f"what was compared is {', '.join(self.pairs)}"
            raise UnsupportedValue(name, field=field, reason=reason)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "only", "pairs"]
