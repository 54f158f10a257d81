"""Bands of a score that only filters: never the score, only between which edges it lies.

`signal_timing` and `signal_team` are in no row (interface, "Company"). Which companies reach an
edge can be asked, so a band can be told; it is labelled as one and holds no number in between.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ventureframe import frames
from ventureframe.errors import UnsupportedValue
from ventureframe.fields import Resource
from ventureframe.results import Provenance

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Reaching = Callable[[float, Sequence[str]], set[str]]
"""Of these ids, those whose score is at least the edge."""


@dataclass(frozen=True, repr=False)
class Bands:
    """One row per id asked: the key, and of the score its band, `<score>_from`, `<score>_below`.

    The band is text, such as "60 to below 80"; `from` is included, `below` is not (the highest
    band has none). All three are null where no score is recorded, or the id is not known.
    """

    score: str
    edges: tuple[float, ...]
    asked: tuple[str, ...]
    provenance: Provenance
    _frame: pl.DataFrame = field(compare=False)

    def __len__(self) -> int:
        return self._frame.height

    def __repr__(self) -> str:
        known = len(self) - self._frame[f"{self.score}_band"].null_count()
        edges = ", ".join(f"{edge:g}" for edge in self.edges)
        parts = [f"bands of {self.score} at {edges}", f"known for {known:,} of {len(self):,} asked"]
        if self.provenance.source.as_of is not None:
            parts.append(f"as of {self.provenance.source.as_of}")
        return " · ".join([*parts, *(["SYNTHETIC"] if self.provenance.source.synthetic else [])])

    def _repr_html_(self) -> str:
        return f'<p class="vf-result">{html.escape(repr(self))}</p>'

    def to_polars(self) -> pl.DataFrame:
        """The bands as a polars frame."""
        return self._frame

    def to_pandas(self) -> pd.DataFrame:
        """The same columns in pandas on Arrow types."""
        return frames.to_pandas(self._frame)


def checked(name: str, edges: Sequence[float], resource: Resource) -> tuple[float, ...]:
    """The edges in order, for a score that filters only; `UnsupportedValue` otherwise."""
    field = resource.filterable(name)
    if field.returned or field.bounds is None:
        scores = ", ".join(each.name for each in resource.fields if each.bounds)
        raise UnsupportedValue(name, field="score", reason=f"bands are for {scores}")
    for edge in edges:
        field.write(edge)
    low, high = field.bounds
    inner = sorted({float(edge) for edge in edges if low < edge < high})
    if len(inner) != len(list(edges)):
        reason = f"edges are different numbers between {low:g} and {high:g}"
        raise UnsupportedValue(list(edges), field=name, reason=reason)
    return (float(low), *inner)


def find(ids: Sequence[str], edges: Sequence[float], reaching: Reaching) -> dict[str, int]:
    """Per id with a score, the number of the highest edge it reaches, counted from 0.

    Only what reached an edge is asked about the next one.
    """
    found: dict[str, int] = {}
    left = list(ids)
    for position, edge in enumerate(edges):
        if not left:
            break
        reached = reaching(edge, left)
        left = [each for each in left if each in reached]
        found |= dict.fromkeys(left, position)
    return found


def frame(
    ids: Sequence[str], found: dict[str, int], *, key: str, name: str, edges: Sequence[float]
) -> pl.DataFrame:
    """One row per id with its band."""
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

    uppers = (*edges[1:], None)
    rows = [found.get(each) for each in ids]
    return pl.DataFrame(
        {
            key: list(ids),
            f"{name}_band": [None if at is None else _label(edges[at], uppers[at]) for at in rows],
            f"{name}_from": [None if at is None else edges[at] for at in rows],
            f"{name}_below": [None if at is None else uppers[at] for at in rows],
        },
        schema={
            key: pl.String,
            f"{name}_band": pl.String,
            f"{name}_from": pl.Float64,
            f"{name}_below": pl.Float64,
        },
    )


def _label(lower: float, upper: float | None) -> str:
    return f"{lower:g} or more" if upper is None else f"{lower:g} to below {upper:g}"
