"""What a comparison of two fetches says, computed from its counts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ventureframe.client.result import Result
from ventureframe.display.wording import counted, number
from ventureframe.evidence.findings import Caveat
from ventureframe.studies.changes import dates


def no_answer(new: Result, reason: str) -> str:
    """Why there is no bottom line."""
    return f"The two fetches of {_plural(new)} cannot be compared: {reason}."


def answer(
    old: Result, new: Result, *, came: int | None, went: int | None, both: int, changed: int
) -> str:
    """The bottom line in one sentence; None is what an incomplete fetch leaves open."""
    parts = [
        _seen(new, came, "newly seen", side="first"),
        _seen(new, went, "no longer seen", side="second"),
        f"{number(changed)} of {number(both)} in both with a changed field",
    ]
    return f"From {dates.shown(old)} to {dates.shown(new)}: {', '.join(parts)}."


def _seen(new: Result, count: int | None, what: str, *, side: str) -> str:
    if count is None:
        return f"{what} not claimed (the {side} fetch is not complete)"
    return f"{counted(count, new.resource.singular.replace('_', ' '), _plural(new))} {what}"


def _plural(result: Result) -> str:
    return result.resource.name.replace("-", " ")


def caveats(
    old: Result,
    new: Result,
    *,
    came: int,
    dated: int,
    between: int,
    went: int,
    kinds: Collection[str],
    changed: Collection[str],
) -> tuple[Caveat, ...]:
    """What the comparison cannot tell, with the rule of the interface behind each.

    `came` and `went` count records, `dated` and `between` those that came with a date; `kinds`
    and `changed` are the kinds of change and the fields that differ.
    """
    return (
        *_of_records(new, came, dated, between, went),
        *_of_fields(new, kinds, changed),
        *_of_scope(old, new),
    )


def _of_records(new: Result, came: int, dated: int, between: int, went: int) -> Iterator[Caveat]:
    yield Caveat(
        "Newly seen is not newly happened: a record that the first fetch lacks may reflect "
        "improved coverage and not a new event.",
        "reading rule 7",
    )
    if dated:
        yield Caveat(
            f"Of {number(came)} {_plural(new)} newly seen, {number(between)} carry a date "
            "between the two fetches; that date, too, may have been entered late.",
            "reading rule 7",
        )
    if went:
        yield Caveat(
            "No longer seen is not ended: absence of a record is not evidence.", "reading rule 3"
        )


def _of_fields(new: Result, kinds: Collection[str], changed: Collection[str]) -> Iterator[Caveat]:
    if "newly_recorded" in kinds:
        yield Caveat(
            "A value recorded where none was may be older than both fetches.", "reading rule 7"
        )
    if changed:
        yield Caveat("Fields of one record can be updated at different times.", "reading rule 8")
    if not {"total_funding", "amount"}.isdisjoint(changed):
        yield Caveat(
            f"Amounts are converted to {new.provenance.currency} at the rate of each fetch: a "
            "changed amount can be a changed rate.",
            "reading rule 8",
        )


def _of_scope(old: Result, new: Result) -> Iterator[Caveat]:
    for side, result, what in (("first", old, "newly seen"), ("second", new, "no longer seen")):
        if not result.is_read:
            yield Caveat(
                f"The {side} fetch is not complete ({result!r}), so no record is claimed as "
                f"{what}.",
                "reading rule 1",
            )
    if old.provenance.source.name != new.provenance.source.name:
        names = f"{old.provenance.source.name!r} and {new.provenance.source.name!r}"
        yield Caveat(
            f"The fetches are of sources of two names, {names}: ids mean the same only where both "
            "are versions of one.",
            "reading rule 7",
        )
    if old.asked is not None and new.asked is not None and set(old.asked) != set(new.asked):
        shared = len(set(old.asked) & set(new.asked))
        yield Caveat(
            f"{number(len(old.asked))} ids were asked for the first time and "
            f"{number(len(new.asked))} the second; only what belongs to the {number(shared)} "
            "asked for both times is compared.",
            "reading rule 7",
        )
