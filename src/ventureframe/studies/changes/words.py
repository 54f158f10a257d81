"""What a comparison of two fetches says, computed from its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat, Rule

if TYPE_CHECKING:
    from ventureframe.studies.changes.pair import Pair


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; it names what an incomplete fetch leaves open."""
    if pair.incomparable:
        return pair.refusal
    c, one = pair.counts, pair.new.resource.singular.replace("_", " ")
    parts = [
        f"{name.replace('_', ' ')} not claimed ({pair.unclaimed[name]})"
        if count is None
        else f"{counted(count, one, pair.subject)} {name.replace('_', ' ')}"
        for name, count in zip(c._fields[:2], c[:2], strict=True)
    ]
    parts.append(f"{number(c.changed)} of {number(c.in_both)} in both with a changed field")
    return f"{pair.days.capitalize()}: {', '.join(parts)}."


def caveats(pair: Pair) -> tuple[Caveat, ...]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    if pair.incomparable:
        return ()
    old, new, scope = pair.old, pair.new, pair.scope
    fields, kinds = (set(pair.frames["field_changes"][name]) for name in ("field", "kind"))
    own = list(pair.frames["newly_seen"]["own_date"]) if "newly_seen" in pair.frames else []
    before, after = (result.provenance.source.name for result in (old, new))
    sides = {"newly_seen": old, "no_longer_seen": new}
    rules: dict[str, Rule | None] = {
        "Newly seen is not newly happened: a record that the first fetch lacks may reflect "
        "improved coverage and not a new event.": "reading rule 7",
        f"Of {number(len(own))} {pair.subject} newly seen, {number(own.count('between'))} carry a "
        "date between the two fetches; that date, too, may have been entered late.": (
            "reading rule 7" if any(own) else None
        ),
        "No longer seen is not ended: absence of a record is not evidence.": (
            "reading rule 3" if pair.counts.no_longer_seen else None
        ),
        "A value recorded where none was may be older than both fetches.": (
            "reading rule 7" if "newly_recorded" in kinds else None
        ),
        "Fields of one record can be updated at different times.": (
            "reading rule 8" if fields else None
        ),
        f"Amounts are converted to {new.provenance.currency} at the rate of each fetch: a changed "
        "amount can be a changed rate.": (
            "reading rule 8" if fields & {"total_funding", "amount"} else None
        ),
        **{
            f"{why.capitalize()} ({sides[name]!r}), so no record is claimed as "
            f"{name.replace('_', ' ')}.": "reading rule 1"
            for name, why in pair.unclaimed.items()
        },
        f"The fetches are of sources of two names, {before!r} and {after!r}: ids mean the same "
        "only where both are versions of one.": "reading rule 7" if before != after else None,
        f"{number(len(old.asked or ()))} ids were asked for the first time and "
        f"{number(len(new.asked or ()))} the second; only what belongs to the "
        f"{number(len(scope or ()))} asked for both times is compared.": (
            None if scope is None else "reading rule 7"
        ),
    }
    return tuple(Caveat(text, rule) for text, rule in rules.items() if rule)
