"""The steps from a candidate pool to evidence, each with what it leaves behind and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from ventureframe.evidence.dropped import Dropped
from ventureframe.studies.spinouts.study import Counts

_STEPS: Final = (
    ("in the candidate pool", "companies", "pool", None),
    ("with a founder recorded", "companies", "pool_with_founder", "founders not recorded"),
    ("asked for", "founders", "founders_asked", None),
    ("returned by the service", "founders", "founders_returned", "missing from the reply"),
    ("with education recorded", "founders", "founders_with_education", "education not recorded"),
    (
        *("not only the same name", "founders", "founders_not_same_name"),
        "same name, another UUID",
    ),
    (
        *("with an entry at the university", "founders", "founders_evidenced"),
        "other institutions, or entries without an id",
    ),
    (
        *("not only the same name", "companies", "companies_not_same_name"),
        "same name, another UUID",
    ),
    (
        *("with an evidenced founder", "companies", "companies_evidenced"),
        "candidates: evidence not recorded",
    ),
)
"""Each step, what it counts and in which of the counts, and what was seen of those it leaves."""
_WITHHELD: Final = {
    "pool_with_founder": "companies_withheld",
    "founders_with_education": "founders_withheld",
}
"""Which of the counts says how many of those a step leaves the service withholds."""

_COLUMNS: Final = {
    **dict.fromkeys(("step", "unit"), pl.String),
    **dict.fromkeys(("count", "lost"), pl.Int64),
    "lost_because": pl.String,
}
Step = tuple[str, str, int | None, int | None, str | None]


EVIDENCED: Final = "evidenced companies"
"""What the last steps count, where the companies that conditions leave out were fetched."""


def steps(counts: Counts) -> pl.DataFrame:
    """The steps from pool to evidence; companies and founders are counted apart.

    Where conditions narrowed the pool, its first steps are what they left out, for each reason;
    the evidenced companies have such steps too where they were fetched without the conditions.
    """
    rows = [*_conditions("companies", counts.dropped)]
    before: dict[str, int] = {}
    for step, unit, name, why in _STEPS:
        count = getattr(counts, name)
        lost = None if why is None else before[unit] - count
        left: tuple[int | None, str | None] = (lost, _because(counts, name, why))
        if name == "pool" and counts.dropped:
            left = _outside(counts.dropped[-1])
        rows.append((step, unit, count, *left))
        before[unit] = count
    for last in counts.evidenced_dropped[-1:]:
        rows += _conditions(EVIDENCED, counts.evidenced_dropped)
        rows.append(("in the candidate pool", EVIDENCED, last.inside, *_outside(last)))
    return pl.DataFrame(rows, _COLUMNS, orient="row")


def _because(counts: Counts, step: str, why: str | None) -> str | None:
    """Why the step leaves some, with how many of them the service withholds."""
    withheld = getattr(counts, _WITHHELD[step]) if step in _WITHHELD else 0
    return f"{why}, or withheld by the service ({withheld:,})" if why and withheld else why


def _conditions(unit: str, dropped: Sequence[Dropped]) -> Iterator[Step]:
    """The steps before the pool: without conditions, then per field a value recorded and met."""
    before: Dropped | None = None
    for each in dropped:
        if before is None:
            yield "without the conditions", unit, each.before, None, None
        else:
            step = f"{before.label} in range"
            yield step, unit, before.inside, *_outside(before)
        why = f"{each.label} not recorded"
        yield f"{each.label} recorded", unit, each.recorded, each.not_recorded, why
        before = each


def _outside(each: Dropped) -> tuple[int | None, str]:
    return each.outside, f"{each.label} outside the condition"
