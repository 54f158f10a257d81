"""The cost of a fetch, and the certificate with the verdict on its completeness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

# the worst first
Verdict = Literal["drifted", "short", "over", "total_not_reported", "complete"]


@dataclass(frozen=True)
class Certificate:
    """The counts of a fetch, and the verdict on its completeness.

    `rows` counts every row received except those by which pages overlap, `distinct`
    the records among them, `duplicates` the rows that repeat one. `reported_last` is
    the total that the service reports last; `complete` means that every total equals
    `distinct` and that every record that was there throughout was read.
    `is_cancelled`: the fetch was ended early, by the caller, a bound or spent credits.
    """

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


@dataclass(frozen=True)
class Seen:
    """The counts of one pass through a list, from its first page to its last.

    `totals` are those that pages reported, `rows` the rows without those by which
    pages overlap. `is_ended`: the last page was the end of the list. `is_broken`: a
    page did not begin with the last row of the page before, or was sent before.
    `is_limited`: a page says that rows are missing.
    """

    totals: tuple[int | None, ...]
    rows: int
    distinct: int
    pages: int
    retries: int = 0
    credits: float | None = None
    is_ended: bool = True
    is_broken: bool = False
    is_limited: bool = False


def _verdict_on(seen: Seen) -> Verdict:
    """Return the verdict on a list that was read once: the first case that holds."""
    total = seen.totals[-1] if seen.totals else None
    has_moved = len(set(seen.totals)) > 1 or seen.is_broken
    if not seen.is_ended:
        return "short"
    if has_moved or seen.distinct < seen.rows:
        return "drifted"
    if seen.is_limited or (total or 0) > seen.distinct:
        return "short"
    if total is None:
        return "total_not_reported"
    return "complete" if total == seen.distinct else "over"


def certify(
    parts: Sequence[Seen],
    *,
    seconds: float,
    is_by_key: bool = False,
    missing: int = 0,
    is_cancelled: bool = False,
    is_unequal: bool = False,
    is_cut: bool = False,
) -> Certificate:
    """Certify lists together: sums, and the worst verdict unless the whole differs.

    `is_by_key`: certain records were requested. `missing` counts the ids that the
    service does not know. `is_unequal`: it sent one record with two contents;
    `is_cut`: a list within a row was not read to its end.
    """
    is_cancelled = is_cancelled or not all(part.is_ended for part in parts)
    verdicts = map(_verdict_on, parts)
    verdict: Verdict = min(verdicts, key=get_args(Verdict).index, default="complete")
    if is_unequal:
        verdict = "drifted"
    elif is_cut:
        verdict = "short"
    elif is_by_key and not missing:
        verdict = "complete"
    elif missing and verdict != "drifted":
        verdict = "short"
    lasts = [part.totals[-1] if part.totals else None for part in parts]
    rows = sum(part.rows for part in parts)
    distinct = sum(part.distinct for part in parts)
    return Certificate(
        reported_last=None if None in lasts else sum(filter(None, lasts)),
        rows=rows,
        distinct=distinct,
        duplicates=rows - distinct,
        pages=sum(part.pages for part in parts),
        retries=sum(part.retries for part in parts),
        seconds=seconds,
        verdict=verdict,
        credits=total_of(part.credits for part in parts),
        is_cancelled=is_cancelled and verdict != "complete",
    )


def total_of(amounts: Iterable[float | None]) -> float | None:
    """Sum the amounts that are not None; None where all are."""
    numbers = [amount for amount in amounts if amount is not None]
    return sum(numbers) if numbers else None


@dataclass(frozen=True)
class Cost:
    """The requests of a fetch, with estimated seconds and credits; None where unknown.

    `most` is the upper end where lists are estimated from a sample, None where every
    row was counted. It assumes four times the estimated rows, and ten more a list.

    >>> Cost(412, 82.4, 824)
    412 requests · about 1 min 22 s · about 824 credits
    >>> Cost(54, 10.8, 1_432, most=Cost(409, 81.8))
    about 54 requests, at most 409 · about 11 s · about 1,432 credits
    """

    requests: int
    seconds: float | None = None
    credits: float | None = None
    most: Cost | None = None

    def __add__(self, other: Cost) -> Cost:
        seconds = spent = most = None
        if self.seconds is not None and other.seconds is not None:
            seconds = self.seconds + other.seconds
        if self.credits is not None and other.credits is not None:
            spent = self.credits + other.credits
        if self.most or other.most:
            most = (self.most or self) + (other.most or other)
        return Cost(self.requests + other.requests, seconds, spent, most)

    def __repr__(self) -> str:
        noun = "request" if self.requests == 1 else "requests"
        parts = [f"{self.requests:,} {noun}"]
        if self.most and self.most.requests > self.requests:
            parts = [f"about {self.requests:,} {noun}, at most {self.most.requests:,}"]
        if self.seconds is not None:
            minutes, seconds = divmod(round(self.seconds), 60)
            time = f"{minutes:,} min {seconds} s" if minutes else f"{seconds} s"
            parts.append(f"about {time}")
        if self.credits is not None:
            parts.append(f"about {self.credits:,.0f} credits")
        return " · ".join(parts)
