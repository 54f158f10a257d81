"""What a fetch saw, and the verdict on its completeness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["complete", "short", "over", "drifted", "total_not_reported"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a fetch saw, and the verdict on its completeness.

    `rows` counts every row received except those by which pages overlap, `distinct` the records
    among them, `duplicates` rows that repeat one of the same walk. `reported_first` and
    `reported_last` are the service's totals; `complete` means that both equal `distinct`
    and that every record that was there throughout was read. What came and went between two pages
    of one walk leaves no trace in it. `is_cancelled`: the caller ended the walk; `is_repeated`: the
    service returned the previous page again; `is_confirmed`: it was walked twice on request, and a
    `complete` one has the same records both times.
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
    is_repeated: bool = False
    is_confirmed: bool = False
