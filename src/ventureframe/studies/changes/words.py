"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator, Sequence

from ventureframe.client.result import extent
from ventureframe.display.wording import (
    Count,
    counted,
    in_words,
    listed,
    percent,
    within,
)
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import NATIVE, SEEN


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; it names what an incomplete fetch leaves
    open.
    """
    parts = [
        (
            f"what is {SEEN[name]} cannot be told ({pair.unclaimed[name]})"
            if count is None
            else f"{Count(count)} {SEEN[name]}"
        )
        for name, count in pair.seen.items()
        if count != 0
    ]
    if pair.counts.changed:
        fields = (
            pair.frames["field_changes"]["field"].value_counts().sort("count", "field")
        )
        rows = [*fields.rows()][::-1]
        named = [
            f"{in_words(name).removeprefix('company ')} {Count(n)}"
            for name, n in rows[:3]
        ]
        most = ", ".join([*named, *(["and others"] if rows[3:] else [])])
        parts.append(f"{Count(pair.counts.changed)} changed ({most})")
    same = f"no difference in {counted(pair.in_both, pair.noun)}"
    parts = parts or [same if pair.in_both else f"neither holds any {pair.subject}"]
    head = ", ".join(
        filter(None, (f"{pair.subject.capitalize()}{pair.where}", pair.days))
    )
    return f"{head}: {', '.join(parts)}."


def key_figures(pair: Pair) -> Iterator[tuple[str, str, str]]:
    """How many records are new, are gone, and differ, where any are."""
    for name, count in pair.seen.items():
        value = "not claimed" if count is None else f"{Count(count)}"
        if count != 0:
            yield SEEN[name].capitalize(), value, pair.unclaimed.get(name, pair.subject)
    changed, both = Count(pair.counts.changed), Count(pair.counts.in_both)
    if changed:
        yield "With a changed field", f"{changed}", f"of {both} in both"


def gone(pair: Pair) -> str:
    """What may have become of a record that is no longer listed."""
    left = ", or no longer meets the filter" if pair.new.provenance.filter else ""
    closed = pair.noun == "job"
    what, now = (
        ("posting", "is closed or filled") if closed else ("record", "may still exist")
    )
    return f"{what} that is no longer listed {now}{left}"


def caveats(pair: Pair) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    sides, counts, frames = (pair.old, pair.new), pair.counts, pair.frames
    dates = list(frames["newly_seen"]["own_date"]) if "newly_seen" in frames else []
    fields, kinds = (set(frames["field_changes"][name]) for name in ("field", "kind"))
    is_amount, left = pair.amount in fields, pair.not_compared.items()
    columns = "; ".join(f"{in_words(name)} ({why})" for name, why in left)
    before, after = (side.provenance.source.name for side in sides)
    first, second = (Count(len(side.asked or ())) for side in sides)
    by, common = "".join(pair.new.details.asked_by[:1]), Count(len(pair.scope or ()))
    owner = (
        "company"
        if by == "entity_id"
        else by.removesuffix("uuid").strip("_") or pair.noun
    )
    for name, why in pair.unclaimed.items():
        held = extent(sides[name == "no_longer_seen"])
        yield material(1)(
            f"""{why.capitalize()} ({held} {pair.subject}), so which are {SEEN[name]}
            cannot be told."""
        )
    said = {
        material(7)(
            """Newly seen is not newly happened: a record that the first fetch lacks may
            reflect improved coverage and not a new event."""
        ): counts.newly_seen,
        limit(7)(_own_dates(pair.noun, dates)): any(dates),
        limit(3)(f"A {gone(pair)}."): counts.no_longer_seen,
        limit(7)("""A value recorded where none was may be older than both
            fetches."""): ("newly_recorded" in kinds),
        limit(8)("Fields of one record can be updated at different times."): fields,
        material(8)(_rates(pair)): (
            pair.is_converted and (counts.cannot_tell or is_amount)
        ),
        limit(8)(
            """Amounts are compared as the tables hold them: were they converted, a
                moved
            exchange rate shows as a change."""
        ): (is_amount and not pair.is_converted),
        limit(8)(
            f"""Sizes of {pair.subject} are compared as announced, in their own
                currency,
            wherever the rows show them."""
        ): (NATIVE in fields),
        limit(7)(f"Columns that are not compared: {columns}."): columns,
        limit(7)(
            f"""The two fetches name different sources, {before!r} and {after!r}: ids
                mean
            the same only where both are versions of one dataset."""
        ): (before != after),
        limit(7)(
            f"""Only {common:{owner} id} {common:is|are} in both fetches, and what
                belongs to
            others is not compared: the first has {first:id}, the second
            {second}."""
        ): (pair.scope is not None),
    }
    yield from (caveat for caveat, holds in said.items() if holds)


def _own_dates(noun: str, dates: Sequence[str | None]) -> str:
    """How many newly listed records have a date of their own between the fetches."""
    words = {
        "between": "between the two fetches",
        "before": "earlier",
        "after": "later",
    }
    counts = {word: Count(dates.count(word)) for word in words}
    dated = [f"{n} dated {words[word]}" for word, n in counts.items() if n]
    unknown = Count(len(dates) - sum(counts.values()))
    unsure = [f"for {unknown} the data do not say when"] if unknown else []
    return f"""{counted(len(dates), noun)} {Count(len(dates)):is|are} new in the
    records:
        {listed([*dated, *unsure])}. A date between the fetches, too, may have been
        entered late."""


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    what, rate = "Amounts are", "at the rate of each record's own day"
    if pair.amount == "total_funding":
        what, rate = "Total funding is", "at the rate of the dataset's day"
    if not pair.new.provenance.source.is_embedded:
        rate = "at a rate whose day the service does not state"
    unsure, far = pair.counts.cannot_tell, percent(math.expm1(pair.reach), 1)
    moved = f"""A move of more than {far} is counted as a change, though a rare
    currency can fall
        further by itself.""" * (pair.reach > 0)
    less = f"""For {within(unsure, pair.in_both, pair.noun)} it moved by less, which
    may be
        exchange rates alone, so it is not counted as changed.""" * (unsure > 0)
    return f"{what} converted to {pair.new.provenance.currency} {rate}. {moved} {less}"
