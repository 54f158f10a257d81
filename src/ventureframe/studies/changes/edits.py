"""A list in two saves of its study: what the records changed, and what its owner
did.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ventureframe.client.result import Saved

_DECIDED = {"confirmed by you", "refused by you"}
_NOT_FOUND, _UNASKED = "not found", "not looked up"


class Edits(NamedTuple):
    """How two readings of a list differ.

    `apart` counts rows that are not compared, by why. `moved` are the UUIDs of
    companies that a row matches in one of the two because of the records; `restated`
    are the other rows of which candidates appeared or disappeared: entry and grades.
    """

    apart: Mapping[str, int]
    moved: frozenset[str]
    restated: Sequence[tuple[str, str, str]]


def read(first: Saved, second: Saved) -> Edits | None:
    """Compare the rows of two saves; None where one of them has none."""
    lists = [saved.parameters.get("rows") for saved in (first, second)]
    if None in lists:
        return None
    before, after = map(_by_entry, lists)
    apart = Counter(
        added=len(after.keys() - before.keys()),
        removed=len(before.keys() - after.keys()),
    )
    moved, restated = set[str](), list[tuple[str, str, str]]()
    for entry in before.keys() & after.keys():
        (name, *old), (_, *new) = before[entry], after[entry]
        grades = {old[0], new[0]}
        if old[1] == new[1] and (old[1] or len(grades) == 1):
            continue
        if _UNASKED in grades:
            apart[_UNASKED] += 1
        elif grades & _DECIDED and new[0] != _NOT_FOUND:
            apart["decided"] += 1
        elif old[1] != new[1]:
            moved |= {old[1], new[1]} - {None}
        elif _NOT_FOUND in grades:
            restated.append((name, old[0], new[0]))
    return Edits(+apart, frozenset(moved), sorted(restated))


def _by_entry(rows: Any) -> Mapping[str, Sequence[Any]]:
    """Name and website, grade, and the UUID that is used, by the folded entry."""
    return {row[0].casefold(): row for row in rows if row[0]}
