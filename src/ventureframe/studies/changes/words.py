"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator

from ventureframe.client.result import extent
from ventureframe.display.wording import Count, counted, in_words, percent, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import NATIVE, REACH, SEEN


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; it names what a fetch leaves open."""
    head = f"{pair.subject.capitalize()}{pair.where}"
    if pair.days:
        head = f"{head}, {pair.days}"
    parts = [*_seen(pair), *_changed(pair)]
    if parts:
        return f"{head}: {', '.join(parts)}."
    if pair.in_both:
        return f"{head}: no difference in {counted(pair.in_both, pair.noun)}."
    return f"{head}: neither holds any {pair.subject}."


def _seen(pair: Pair) -> Iterator[str]:
    for name, count in pair.seen.items():
        if count is None:
            yield f"what is {SEEN[name]} cannot be told ({pair.unclaimed[name]})"
        elif count:
            yield f"{Count(count)} {SEEN[name]}"


def _changed(pair: Pair) -> Iterator[str]:
    """How many records changed, and the three fields that differ most often."""
    if not pair.counts.changed:
        return
    fields = pair.frames["field_changes"]["field"].value_counts()
    fields = fields.sort("count", "field", descending=True)
    most = [
        f"{in_words(name).removeprefix('company ')} {Count(many)}"
        for name, many in fields.head(3).iter_rows()
    ]
    if fields.height > len(most):
        most.append("and others")
    yield f"{Count(pair.counts.changed)} changed ({', '.join(most)})"


def key_figures(pair: Pair) -> Iterator[tuple[str, str, str, bool]]:
    """How many records are new, are gone, and differ; and whether the answer says it."""
    for name, count in pair.seen.items():
        label = SEEN[name].capitalize()
        if count is None:
            yield label, "not claimed", pair.unclaimed[name], False
        elif count:
            yield label, f"{Count(count)}", pair.subject, True
    changed, both = Count(pair.counts.changed), Count(pair.counts.in_both)
    if changed:
        yield "With a changed field", f"{changed}", f"of {both} in both", True


def gone(pair: Pair) -> str:
    """What may have become of a record that is no longer listed."""
    if pair.noun == "job":
        text = "posting that is no longer listed is closed or filled"
    else:
        text = "record that is no longer listed may still exist"
    if pair.new.provenance.filter:
        return f"{text}, or no longer meets the filter"
    return text


def caveats(pair: Pair) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    counts, changes = pair.counts, pair.frames["field_changes"]
    fields, kinds = set(changes["field"]), set(changes["kind"])
    sides = {"newly_seen": pair.old, "no_longer_seen": pair.new}
    for name, why in pair.unclaimed.items():
        held = f"{extent(sides[name])} {pair.subject}"
        yield material(1)(
            f"""{why[0].upper()}{why[1:]} ({held}), so which are {SEEN[name]} cannot be
            told."""
        )
    if counts.newly_seen:
        yield material(7)(
            """Newly seen is not newly happened: a record that the first fetch lacks may
            reflect improved coverage and not a new event."""
        )
        yield from _recorded_late(pair)
    if counts.no_longer_seen:
        yield limit(3)(f"A {gone(pair)}.")
    if "newly_recorded" in kinds:
        yield limit(7)(
            "A value recorded where none was may be older than both fetches."
        )
    if fields:
        yield limit(8)("Fields of one record can be updated at different times.")
    if counts.cannot_tell or pair.amount in fields:
        yield material(8)(_rates(pair))
    if NATIVE in fields:
        yield limit(8)(
            f"""Sizes of {pair.subject} are compared as announced, in their own
            currency, wherever the rows show them."""
        )
    if pair.not_compared:
        reasons = [
            f"{in_words(name)} ({why})" for name, why in pair.not_compared.items()
        ]
        yield limit(7)(f"Columns that are not compared: {'; '.join(reasons)}.")
    before, after = pair.old.provenance.source.name, pair.new.provenance.source.name
    if before != after:
        yield limit(7)(
            f"""The two fetches name different sources, {before!r} and {after!r}: ids
            mean the same only where both are versions of one dataset."""
        )
    if pair.scope is not None:
        yield limit(7)(_of_common_ids(pair, len(pair.scope)))


def _recorded_late(pair: Pair) -> Iterator[Caveat]:
    """How many of the new records are dated by the day of the first fetch."""
    dates = pair.frames["newly_seen"]["own_date"]
    late, new = dates.count(), dates.len()
    if late:
        some = within(late, new, f"new {pair.noun}")
        yield limit(7)(
            f"Dated by the day of the first fetch, so recorded late: {some}."
        )


def _of_common_ids(pair: Pair, common: int) -> str:
    first, second = (Count(len(side.asked or ())) for side in (pair.old, pair.new))
    by = "".join(pair.new.details.asked_by[:1])
    owner = by.removesuffix("uuid").strip("_") or pair.noun
    if by == "entity_id":
        owner = "company"
    ids = counted(common, f"{owner} id")
    return f"""Only {ids} {Count(common):is|are} in both fetches, and what belongs to
        others is not compared: the first has {first:id}, the second {second}."""


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    what, rate = "Amounts are", "at the rate of each record's own day"
    if pair.amount == "total_funding":
        what, rate = "Total funding is", "at the rate of the dataset's day"
    if not pair.new.provenance.source.is_embedded:
        rate = "at a rate whose day the service does not state"
    converted = f"{what} converted to {pair.new.provenance.currency} {rate}."
    moved = f"""A move of more than {percent(math.expm1(REACH), 1)} is counted as a
        change, though a rare currency can fall further by itself."""
    unsure = pair.counts.cannot_tell
    if not unsure:
        return f"{converted} {moved}"
    return f"""{converted} {moved} For {within(unsure, pair.in_both, pair.noun)} it
        moved by less, which may be exchange rates alone, so it is not counted as
        changed."""
