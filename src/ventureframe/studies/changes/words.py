"""What a comparison of two fetches says, computed from its counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat

if TYPE_CHECKING:
    from ventureframe.studies.changes.pair import Pair


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; None is what an incomplete fetch leaves open."""
    if pair.incomparable:
        return pair.refusal
    c = pair.counts
    parts = [
        _seen(pair, c.newly_seen, "newly seen", side="first"),
        _seen(pair, c.no_longer_seen, "no longer seen", side="second"),
        f"{number(c.changed)} of {number(c.in_both)} in both with a changed field",
    ]
    return f"{pair.days.capitalize()}: {', '.join(parts)}."


def _seen(pair: Pair, count: int | None, what: str, *, side: str) -> str:
    if count is None:
        return f"{what} not claimed (the {side} fetch is not complete)"
    one = pair.new.resource.singular.replace("_", " ")
    return f"{counted(count, one, pair.records)} {what}"


def caveats(pair: Pair) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    if not pair.incomparable:
        yield from _of_records(pair)
        yield from _of_fields(pair)
        yield from _of_fetches(pair)


def _of_records(pair: Pair) -> Iterator[Caveat]:
    yield Caveat(
        "Newly seen is not newly happened: a record that the first fetch lacks may reflect "
        "improved coverage and not a new event.",
        "reading rule 7",
    )
    own = None if pair.newly_seen is None else pair.newly_seen["own_date"]
    if own is not None and own.null_count() < len(own):
        yield Caveat(
            f"Of {number(len(own))} {pair.records} newly seen, "
            f"{number(int((own == 'between').sum()))} carry a date "
            "between the two fetches; that date, too, may have been entered late.",
            "reading rule 7",
        )
    if pair.counts.no_longer_seen:
        yield Caveat(
            "No longer seen is not ended: absence of a record is not evidence.", "reading rule 3"
        )


def _of_fields(pair: Pair) -> Iterator[Caveat]:
    changes = pair.field_changes
    if changes is None or not changes.height:
        return
    if "newly_recorded" in changes["kind"]:
        yield Caveat(
            "A value recorded where none was may be older than both fetches.", "reading rule 7"
        )
    yield Caveat("Fields of one record can be updated at different times.", "reading rule 8")
    if not {"total_funding", "amount"}.isdisjoint(changes["field"]):
        yield Caveat(
            f"Amounts are converted to {pair.new.provenance.currency} at the rate of each fetch: a "
            "changed amount can be a changed rate.",
            "reading rule 8",
        )


def _of_fetches(pair: Pair) -> Iterator[Caveat]:
    old, new = pair.old, pair.new
    for side, result, what in (("first", old, "newly seen"), ("second", new, "no longer seen")):
        if not result.is_read:
            yield Caveat(
                f"The {side} fetch is not complete ({result!r}), so no record is claimed as "
                f"{what}.",
                "reading rule 1",
            )
    before, after = (result.provenance.source.name for result in (old, new))
    if before != after:
        yield Caveat(
            f"The fetches are of sources of two names, {before!r} and {after!r}: ids mean the "
            "same only where both are versions of one.",
            "reading rule 7",
        )
    if pair.scope is not None:
        yield Caveat(
            f"{number(len(old.asked or ()))} ids were asked for the first time and "
            f"{number(len(new.asked or ()))} the second; only what belongs to the "
            f"{number(len(pair.scope))} asked for both times is compared.",
            "reading rule 7",
        )
