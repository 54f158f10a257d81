"""The cost of a fetch, and the certificate with the verdict on its completeness."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

# the worst first
Verdict = Literal["drifted", "short", "over", "total_not_reported", "complete"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """The counts of a fetch, and the verdict on its completeness.

    `rows` counts every row received except those by which pages overlap, `distinct`
    the records among them, `duplicates` rows that repeat one of the same walk.
    `reported_first` and `reported_last` are the service's totals; `complete` means
    that both equal `distinct` and that every record that was there throughout was
    read. `is_cancelled`: the caller ended the walk.
    """

    reported_first: int | None
    reported_last: int | None
    rows: int
    distinct: int
    duplicates: int
    pages: int
    retries: int
    seconds: float = field(repr=False, compare=False)
    verdict: Verdict
    credits: float | None = None
    is_cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """The counts of one walk through a list, from its first page to its last.

    `totals` are those that pages reported, `rows` the rows without those by which
    pages overlap. `is_ended`: the last page was the end of the list. `is_chained`:
    each page was asked for from the last row of the page before on. `is_broken`: a
    page did not begin with that row, or was sent before. `is_limited`: a page says
    that rows are missing.
    """

    totals: tuple[int | None, ...]
    rows: int
    distinct: int
    pages: int
    retries: int = 0
    credits: float | None = None
    is_ended: bool = True
    is_chained: bool = True
    is_broken: bool = False
    is_limited: bool = False

    @property
    def has_drifted(self) -> bool:
        """Whether the records moved while they were read."""
        return len(set(self.totals)) > 1 or self.is_broken or self.distinct < self.rows


def certify(
    first: Seen, last: Seen, distinct: int, *, is_same: bool = False, seconds: float
) -> Certificate:
    """Certify a list that was walked once, or twice where the `first` walk proved
    nothing.

    `distinct` counts the records of both walks; `is_same`: the second one had the
    same records in the same order. It may turn `drifted` into another verdict.
    """
    walks = (first,) if last is first else (first, last)
    total = last.totals[-1] if last.totals else None
    is_lost = not first.has_drifted and first.distinct != distinct
    cases: tuple[tuple[bool, Verdict], ...] = (
        (not first.is_ended, "short"),
        (not last.is_ended or last.has_drifted, "drifted"),
        (distinct != last.distinct, "drifted"),
        (total is None, "total_not_reported"),
        (total is not None and total > distinct, "short"),
        (total is not None and total < distinct, "over"),
        (first.is_limited or last.is_limited, "short"),
        (is_lost or not (last.is_chained or is_same), "drifted"),
        (True, "complete"),
    )
    return Certificate(
        reported_first=first.totals[0] if first.totals else None,
        reported_last=total,
        rows=sum(seen.rows for seen in walks),
        distinct=distinct,
        duplicates=sum(seen.rows - seen.distinct for seen in walks),
        pages=sum(seen.pages for seen in walks),
        retries=sum(seen.retries for seen in walks),
        seconds=seconds,
        verdict=next(verdict for holds, verdict in cases if holds),
        credits=total_of(seen.credits for seen in walks),
        is_cancelled=not last.is_ended,
    )


def join(
    certificates: Iterable[Certificate],
    *,
    seconds: float,
    is_of_ids: bool = False,
    is_by_key: bool = False,
    missing: int = 0,
    is_cancelled: bool = False,
    is_unequal: bool = False,
    is_cut: bool = False,
) -> Certificate:
    """Certify lists together: sums, and the worst verdict of all, unless the whole has
    another.

    `is_of_ids`: the rows of certain records were requested, `is_by_key`: they are
    those records. `missing` counts the ids that the service does not know.
    `is_unequal`: it sent one record with two contents; `is_cut`: a list within a row
    was not read to its end.
    """
    parts = list(certificates)
    is_cancelled = is_cancelled or any(part.is_cancelled for part in parts)
    verdicts = (part.verdict for part in parts)
    worst: Verdict = min(verdicts, key=get_args(Verdict).index, default="complete")
    cases: tuple[tuple[bool, Verdict], ...] = (
        (is_unequal, "drifted"),
        (is_cut, "short"),
        (is_by_key and not missing, "complete"),
        (is_of_ids and is_cancelled, "short"),
        (missing > 0 and worst != "drifted", "short"),
        (True, worst),
    )
    verdict = next(verdict for holds, verdict in cases if holds)

    totals = (
        "reported_first",
        "reported_last",
        "rows",
        "distinct",
        "duplicates",
        "pages",
    )
    values = {
        name: [getattr(part, name) for part in parts] for name in (*totals, "retries")
    }
    summed: dict[str, Any] = {
        k: None if None in of else sum(of) for k, of in values.items()
    }
    return Certificate(
        **summed,
        seconds=seconds,
        verdict=verdict,
        credits=total_of(part.credits for part in parts),
        is_cancelled=is_cancelled and verdict != "complete",
    )


def total_of(amounts: Iterable[float | None]) -> float | None:
    """Sum the amounts that are known; None where none is."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


@dataclass(frozen=True, slots=True)
class Cost:
    """The requests of a fetch, with estimated seconds and credits; None where not
    known.

    `at_most` is the largest cost where it depends on the rows; None where it does not.

    >>> Cost(412, 82.4, 824)
    412 requests · about 1 min 22 s · about 824 credits
    """

    requests: int
    seconds: float | None = None
    credits: float | None = None
    at_most: Cost | None = None

    def __add__(self, other: Cost) -> Cost:
        pairs = ((self.seconds, other.seconds), (self.credits, other.credits))
        seconds, spent = (
            None if one is None or two is None else one + two for one, two in pairs
        )
        is_open = self.at_most is not None or other.at_most is not None
        most = (self.at_most or self) + (other.at_most or other) if is_open else None
        return Cost(self.requests + other.requests, seconds, spent, most)

    def __repr__(self) -> str:
        most, text = (
            self.at_most or self,
            f"{self.requests:,} request{'s' * (self.requests != 1)}",
        )
        if most.requests > self.requests:
            text += f", up to {most.requests:,} if every list is longer than shown"
        if self.seconds is not None and most.seconds is not None:
            least, end = (
                f"{f'{seconds // 60:,} min ' * (seconds >= 60)}{seconds % 60} s"
                for seconds in (round(self.seconds), round(most.seconds))
            )
            text += f" · about {least}" + f", up to {end}" * (end != least)
        if self.credits is not None and (self.credits or most.credits != 0):
            text += f" · {'at least' if most.credits is None else 'about'} "
            text += f"{self.credits:,.0f} credits"
            text += (
                f", up to {most.credits:,.0f}"
                if (most.credits or 0) > self.credits
                else ""
            )
        return text
