"""What is missing of records, and what is doubtful about them: facts, worded once here.

Code decides by the members of a `Gap` or a `Doubt`. Its text is only shown.
"""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

GapKind = Literal[
    "drifted",
    "short",
    "less",
    "over",
    "total_not_reported",
    "narrowed",
    "cut",
    "first_entries",
    "open_posts",
    "withheld",
    "not_requested",
    "recorded",
]
DoubtKind = Literal[
    "capped",
    "currency",
    "fields",
    "filter",
    "html",
    "ids",
    "key",
    "list",
    "recorded",
    "secret",
    "sort",
    "wire",
]
_TEXTS: Mapping[str, str] = {
    "short": "{0.collection} {1}",
    "less": "{0.collection} {1} (the service shows less than it has)",
    "over": "{0.collection} {1}",
    "drifted": "{0.collection} {1} (records changed while they were read)",
    "total_not_reported": "{0.collection} {0.rows:,} (the service reports no total)",
    "narrowed": "{0.collection} only {0.condition}",
    "cut": (
        "{0.part} of {0.collection}: former ones can be missing ({0.rows:,} of {0.of:,}"
        " rows have more)"
    ),
    "first_entries": (
        "{0.part} of {0.collection}: the first entries ({0.rows:,} of {0.of:,} rows"
        " have more)"
    ),
    "open_posts": (
        "{0.part} of {0.collection}: the first entries ({0.rows:,} of {0.of:,} rows can"
        " have more)"
    ),
    "withheld": "{0.part} of {0.collection}: withheld from {0.rows:,} of {0.of:,} rows",
    "not_requested": "{0.part} of {0.collection}: not requested",
    "recorded": "{0.text}",
}
"""Each kind of gap in words: {0} is the gap, {1} how many rows were read."""


@dataclass(frozen=True)
class Gap:
    """What a source lacks of a collection of records.

    `part` is the field or list of the records that is not whole; None where records
    themselves are missing. `rows` of the `of` records were read or, of a `part`, are
    concerned; `of` is None where their number is not known. A collection that was
    `narrowed` on purpose has only records that meet the `filter`, or are dated
    `since` a day. `text` is what an earlier version recorded.

    >>> print(Gap("short", "companies", rows=1203, of=1300))
    companies 1,203 of 1,300
    >>> print(Gap("withheld", "founders", "education", rows=7, of=40))
    education of founders: withheld from 7 of 40 rows
    """

    kind: GapKind
    collection: str = ""
    part: str | None = None
    rows: int = 0
    of: int | None = None
    filter: str | None = None
    since: dt.date | None = None
    text: str = ""

    def __str__(self) -> str:
        return _TEXTS[self.kind].format(self, extent(self.rows, self.of))

    @property
    def condition(self) -> str:
        """What narrows the records, in words; empty where nothing does."""
        conditions = [] if self.filter is None else [f"where {self.filter}"]
        if self.since is not None:
            # funds are asked for by the year, which every one has
            undated = "" if self.collection == "funds" else ", or without a date"
            conditions.append(f"dated {self.since} or later{undated}")
        return ", ".join(conditions)

    def concerns(self, lists: Collection[str]) -> bool:
        """Whether it matters to a study that reads these lists of the records."""
        return self.part is None or self.part in lists


@dataclass(frozen=True)
class Doubt:
    """What the answers of a service leave open about the records that were read.

    `is_main`: it changes how a study of the records is read. Of the kind `recorded`
    is a text of an earlier version.
    """

    kind: DoubtKind
    text: str
    is_main: bool = False


def extent(rows: int, of: int | None, noun: str = "") -> str:
    """Say how many of how many.

    >>> extent(1203, 1300), extent(100, 30), extent(7, None, " distinct")
    ('1,203 of 1,300', '100 where 30 are reported', '7 distinct')
    """
    if of is None:
        return f"{rows:,}{noun}"
    if rows > of:
        return f"{rows:,}{noun} where {of:,} are reported"
    return f"{rows:,} of {of:,}{noun}"
