"""Walks a collection to its end and certifies how complete it is.

Interface, "Filter, sort and paging conventions": `offset` advances by the rows received, never by
the rows asked for, until the total is reached or a page is empty. A short page is no end. A total
that moved, a row that came twice or a page that repeats is drift: the collection is walked once
more, and unless the second walk is clean and has every row of the first, the verdict says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ventureframe.frames import Page

Verdict = Literal["complete", "short", "over", "drifted", "total_not_reported"]
Progress = Callable[[int, int | None], None]
"""Told the distinct rows so far and the total, after every page."""


@dataclass(frozen=True, slots=True)
class Step:
    """One page to ask for: by offset, by cursor, or with neither (the first by cursor)."""

    limit: int
    offset: int | None = None
    cursor: str | None = None
    has_total: bool = False


Ask = Callable[[Step], Page]
"""Fetches one page."""

SEVERITY: Final[tuple[Verdict, ...]] = (
    "drifted",
    "short",
    "over",
    "total_not_reported",
    "complete",
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a fetch saw, and the verdict on its completeness.

    `rows` counts every row received, `distinct` the records among them, `duplicates` rows that
    repeat one of the same walk. `reported_first` and `reported_last` are the service's totals;
    `complete` means that both equal `distinct` and nothing moved in between.
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


@dataclass(frozen=True, slots=True)
class Walk:
    """The pages of a walk, those of a second one after them, and their certificate."""

    pages: tuple[Page, ...]
    certificate: Certificate


def walk(
    ask: Ask,
    *,
    limit: int,
    by: Literal["offset", "cursor"] = "offset",
    has_totals: bool = True,
    at_most: int | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float],
) -> Walk:
    """Every page of a collection, `limit` rows asked for at a time.

    `has_totals` is false for an endpoint that does not count; `at_most` is a number of rows that
    ends the walk where no total is reported.
    """
    started = clock()
    passes: list[_Pass] = []
    for _ in range(2):
        passes.append(_Pass(limit, by, has_totals, at_most, progress))
        passes[-1].run(ask)
        if not passes[-1].has_drifted:
            break
    pages = tuple(page for each in passes for page in each.pages)
    return Walk(pages, _certify(passes, pages, seconds=clock() - started))


class _Pass:
    """One walk from the first page to the last, and what was odd about it."""

    def __init__(
        self,
        limit: int,
        by: Literal["offset", "cursor"],
        has_totals: bool,
        at_most: int | None,
        progress: Progress | None,
    ) -> None:
        self._limit = limit
        self._by = by
        self._has_totals = has_totals
        self._at_most = at_most
        self._progress = progress
        self.pages: list[Page] = []
        self.keys: set[str | int] = set()
        self.totals: list[int | None] = []
        self.rows = 0
        self.is_repeating = False

    def run(self, ask: Ask) -> None:
        step = self._next(None)
        while True:
            page = ask(step)
            if self._take(page, has_total=step.has_total):
                return
            step = self._next(page)

    @property
    def total(self) -> int | None:
        """The total as reported last."""
        return self.totals[-1] if self.totals else None

    @property
    def has_drifted(self) -> bool:
        moved = len(set(self.totals)) > 1
        return moved or self.is_repeating or len(self.keys) < self.rows

    def _next(self, last: Page | None) -> Step:
        """What to ask for next; the total with the first page and with the expected last."""
        size = len(self.pages[0].keys) if self.pages else 0
        is_last = self.total is not None and self.rows + size >= self.total
        has_total = self._has_totals and (last is None or is_last)
        cursor = last.next_cursor if last is not None and self._by == "cursor" else None
        is_first_by_cursor = last is None and self._by == "cursor"
        offset = None if cursor is not None or is_first_by_cursor else self.rows
        return Step(self._limit, offset, cursor, has_total)

    def _take(self, page: Page, *, has_total: bool) -> bool:
        """Count the page in; whether it was the last."""
        fresh = set(page.keys) - self.keys
        self.pages.append(page)
        self.keys |= fresh
        self.rows += len(page.keys)
        if has_total:
            self.totals.append(page.total)
        if self._progress is not None:
            self._progress(len(self.keys), self.total)
        self.is_repeating = bool(page.keys) and not fresh
        end = self.total if self.total is not None else self._at_most
        reached = end is not None and self.rows >= end
        ended = self._by == "cursor" and page.next_cursor is None and end is None
        return not page.keys or self.is_repeating or reached or ended


def _certify(passes: Sequence[_Pass], pages: Sequence[Page], *, seconds: float) -> Certificate:
    keys = set().union(*(each.keys for each in passes))
    spent = [page.reply.credits for page in pages if page.reply.credits is not None]
    return Certificate(
        reported_first=passes[0].totals[0] if passes[0].totals else None,
        reported_last=passes[-1].total,
        rows=sum(each.rows for each in passes),
        distinct=len(keys),
        duplicates=sum(each.rows - len(each.keys) for each in passes),
        pages=len(pages),
        retries=sum(page.reply.retries for page in pages),
        seconds=seconds,
        verdict=_verdict(passes[-1], keys),
        credits=sum(spent) if spent else None,
    )


def _verdict(last: _Pass, keys: set[str | int]) -> Verdict:
    """On the last walk: it is drifted unless clean and without loss against an earlier one."""
    if last.has_drifted or last.keys != keys:
        return "drifted"
    if last.total is None:
        return "total_not_reported"
    if len(keys) != last.total:
        return "short" if len(keys) < last.total else "over"
    return "complete"


def merged(certificates: Iterable[Certificate], *, seconds: float) -> Certificate:
    """One certificate for several walks of which each asked for its own ids."""
    parts = list(certificates)
    spent = [part.credits for part in parts if part.credits is not None]
    verdicts = {part.verdict for part in parts} or {"complete"}
    return Certificate(
        reported_first=_sum(part.reported_first for part in parts),
        reported_last=_sum(part.reported_last for part in parts),
        rows=sum(part.rows for part in parts),
        distinct=sum(part.distinct for part in parts),
        duplicates=sum(part.duplicates for part in parts),
        pages=sum(part.pages for part in parts),
        retries=sum(part.retries for part in parts),
        seconds=seconds,
        verdict=next(verdict for verdict in SEVERITY if verdict in verdicts),
        credits=sum(spent) if spent else None,
    )


def _sum(totals: Iterable[int | None]) -> int | None:
    known = list(totals)
    return None if None in known else sum(total for total in known if total is not None)
