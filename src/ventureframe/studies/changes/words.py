"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator

from ventureframe.client.result import extent
from ventureframe.display.wording import Count, among, counted, label, percent, within
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import NATIVE, REACH, SEEN


def answer(pair: Pair) -> str:
    """The bottom line: what is new, gone and changed, and what cannot be told."""
    sentences = [*_seen(pair), *_changed(pair)]
    return " ".join(sentences) or f"There is no {pair.noun} to compare."


def _seen(pair: Pair) -> Iterator[str]:
    for name, count in pair.seen.items():
        if count is None:
            why = pair.unclaimed[name]
            yield f"Which {pair.subject} are {SEEN[name]} cannot be told: {why}."
        elif count:
            records = counted(count, pair.noun)
            yield f"{records} {Count(count):is|are} {SEEN[name]}."


def _changed(pair: Pair) -> Iterator[str]:
    """How many records changed, the three fields that differ most often, and of how
    many it cannot be told.
    """
    both, changed, unsure = pair.in_both, pair.counts.changed, Count(pair.unsure)
    noun = pair.noun
    if changed:
        fields = pair.frames["field_changes"]["field"].value_counts()
        fields = fields.sort("count", "field", descending=[True, False])
        most = [f"{label(name)} ({many:,})" for name, many in fields.head(3).rows()]
        if fields.height > len(most):
            most.append("and others")
        yield f"""{among(changed, both, noun)} in both fetches changed:
            {", ".join(most)}."""
        if unsure:
            yield f"For {unsure} of the others it cannot be told."
    elif unsure == both > 0:
        yield f"""Whether {within(both, both, noun)} in both fetches changed cannot be
            told."""
    elif unsure:
        yield f"""{among(both - unsure, both, noun)} in both fetches did not change; for
            {unsure} it cannot be told."""
    elif both:
        yield f"{among(0, both, noun)} in both fetches changed."


def key_figures(_: Pair) -> tuple[()]:
    """None: the answer says each number."""
    return ()


def caveats(pair: Pair) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    counts, changes = pair.counts, pair.frames["field_changes"]
    fields, kinds = set(changes["field"]), set(changes["kind"])
    sides = {"newly_seen": pair.old, "no_longer_seen": pair.new}
    for name, why in pair.unclaimed.items():
        yield material(1)(
            f"""Which {pair.subject} are {SEEN[name]} cannot be told: {why}
            ({extent(sides[name])})."""
        )
    if counts.newly_seen:
        yield material(7)(
            """Newly seen is not newly happened: a record that the first fetch lacks may
            reflect improved coverage and not a new event."""
        )
        yield from _recorded_late(pair)
    if counts.no_longer_seen:
        yield limit(3)(
            """A record that is no longer listed may have ended, no longer meet the
            conditions, or only no longer be recorded."""
        )
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
            currency, wherever the records show them."""
        )
    if pair.not_compared:
        reasons = [f"{label(name)} ({why})" for name, why in pair.not_compared.items()]
        yield limit(7)(f"These fields are not compared: {'; '.join(reasons)}.")
    before, after = pair.old.provenance.source.name, pair.new.provenance.source.name
    if before != after:
        yield limit(7)(
            f"""The two fetches are of {before!r} and of {after!r}. Comparing them by
            identifier is right only if both are versions of one dataset."""
        )
    if pair.scope is not None:
        yield limit(7)(_of_common_ids(pair, len(pair.scope)))


def _recorded_late(pair: Pair) -> Iterator[Caveat]:
    """How many of the new records are dated by the day of the first fetch."""
    dates = pair.frames["newly_seen"]["own_date"]
    late = Count(dates.count())
    if late:
        yield limit(7)(
            f"""{among(late, dates.len(), f"newly seen {pair.noun}")} {late:is|are}
            dated on the day of the first fetch or before, and so recorded late."""
        )


def _of_common_ids(pair: Pair, common: int) -> str:
    first, second = (Count(len(side.asked or ())) for side in (pair.old, pair.new))
    by = "".join(pair.new.details.asked_by[:1])
    owner = by.removesuffix("uuid").strip("_") or pair.noun
    if by == "entity_id":
        owner = "company"
    return f"""Only records of the {counted(common, owner)} in both fetches are
        compared: the first has {first}, the second {second}."""


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    what = "Amounts are"
    rate = "at the rate of each record's date (month or year alone: its first day)"
    if pair.amount == "total_funding":
        what, rate = "Total funding is", "at the rate of each dataset's day"
    if not pair.new.provenance.source.is_embedded:
        rate = "at a rate whose day the service does not state"
    rise, fall = (percent(abs(math.expm1(by)), 1) for by in (REACH, -REACH))
    text = f"""{what} converted to {pair.new.provenance.currency} {rate}. Rises of up to
        {rise} and falls of up to {fall} are ignored: exchange rates alone can cause
        them. A rare currency can move further."""
    if not pair.counts.cannot_tell:
        return text
    ignored = within(pair.counts.cannot_tell, pair.in_both, pair.noun)
    return f"{text} Such a move is ignored for {ignored} in both fetches."
