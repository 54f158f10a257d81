"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator, Sequence

from ventureframe.display.wording import Count, counted, in_words, listed
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import NATIVE


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; it names what an incomplete fetch leaves open."""
    changed, both = Count(pair.counts.changed), Count(pair.counts.in_both)
    parts = [
        f"{in_words(name)} not claimed ({pair.unclaimed[name]})"
        if count is None
        else f"{counted(count, pair.noun)} {in_words(name)}"
        for name, count in pair.seen.items()
    ]
    return f"""{pair.days.capitalize()}: {", ".join(parts)},
        {changed} of {both} in both with a changed field."""


def key_figures(pair: Pair) -> Iterator[tuple[str, str, str]]:
    """How many records are new, are gone, and differ."""
    for name, count in pair.seen.items():
        value = "not claimed" if count is None else f"{Count(count)}"
        yield in_words(name).capitalize(), value, pair.unclaimed.get(name, pair.subject)
    changed, both = Count(pair.counts.changed), Count(pair.counts.in_both)
    yield "With a changed field", f"{changed}", f"of {both} in both"


def caveats(pair: Pair) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    old, new, scope, frames = pair.old, pair.new, pair.scope, pair.frames
    asked = new.provenance.filter
    yield material(7)("""Newly seen is not newly happened: a record that the first fetch lacks may
        reflect improved coverage and not a new event.""")
    dates = list(frames["newly_seen"]["own_date"]) if "newly_seen" in frames else []
    if any(dates):
        yield limit(7)(_own_dates(pair.noun, dates))
    if pair.counts.no_longer_seen:
        yield limit(3)("No longer seen is not ended: absence of a record is not evidence.")
    if pair.counts.no_longer_seen and asked:
        yield limit(3)(f"""{pair.subject.capitalize()} no longer seen can still be recorded and no
            longer meet the filter {asked}.""")
    fields, kinds = (set(frames["field_changes"][name]) for name in ("field", "kind"))
    if "newly_recorded" in kinds:
        yield limit(7)("A value recorded where none was may be older than both fetches.")
    if fields:
        yield limit(8)("Fields of one record can be updated at different times.")
    if pair.counts.cannot_tell or (pair.is_converted and pair.amount in fields):
        yield material(8)(_rates(pair))
    if not pair.is_converted and pair.amount in fields:
        yield limit(8)("""Amounts are compared as the tables hold them: were they converted, a moved
            exchange rate shows as a change.""")
    if NATIVE in fields:
        yield limit(8)(f"""Sizes of {pair.subject} are compared as announced, in their own currency,
            wherever the rows show them.""")
    sides = {"newly_seen": old, "no_longer_seen": new}
    for name, why in pair.unclaimed.items():
        yield material(1)(f"""{why.capitalize()} ({sides[name]!r}), so no record is claimed as
            {in_words(name)}.""")
    if pair.not_compared:
        columns = (f"{in_words(name)}, as {why}" for name, why in pair.not_compared.items())
        yield limit(7)(f"Columns that are not compared: {'; '.join(columns)}.")
    before, after = (result.provenance.source.name for result in (old, new))
    if before != after:
        yield limit(7)(f"""The fetches are of sources of two names, {before!r} and {after!r}: ids
            mean the same only where both are versions of one.""")
    if scope is not None:
        first, second = (Count(len(result.asked or ())) for result in (old, new))
        yield limit(7)(f"""{first} ids were requested the first time and {second} the second; only
            what belongs to the {Count(len(scope))} requested both times is compared.""")


def _own_dates(noun: str, dates: Sequence[str | None]) -> str:
    """How many newly seen records have a date of their own between the fetches."""
    words = ("between", "before", "after", "cannot_tell", None)
    between, earlier, later, unsure, undated = (Count(dates.count(word)) for word in words)
    dated = [f"{between} {between:carries|carry} a date between the two fetches"]
    dated += [f"{earlier} an earlier one"] if earlier else []
    dated += [f"{later} a later one"] if later else []
    because = "because only a year or a month is recorded"
    unknown = [f"for {unsure} this cannot be told, {because}"] if unsure else []
    unknown += [f"{undated} {undated:carries|carry} no date"] if undated else []
    return f"""Of {counted(len(dates), noun)} newly seen, {"; ".join([listed(dated), *unknown])}.
        A date between the fetches, too, may have been entered late."""


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    source, currency = pair.new.provenance.source, pair.new.provenance.currency
    what, rate = "Amounts are", "at the rate of each record's own day"
    if pair.amount == "total_funding":
        what, rate = "Total funding is", "at the rate of the dataset's day"
    if not source.is_embedded:
        rate = "at a rate whose day the service does not state"
    unsure, both = Count(pair.counts.cannot_tell), Count(pair.counts.in_both)
    return f"""{what} converted to {currency} {rate}. For {unsure} of {both} {pair.subject} in both
        it moved by {math.expm1(pair.reach):.0%} or less, which exchange rates alone can explain:
        whether the recorded amount changed cannot be told, so it is not counted as changed."""
