"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat, KeyFigure
from ventureframe.studies.changes.pair import Pair
from ventureframe.studies.changes.records import NATIVE


def answer(pair: Pair) -> str:
    """The bottom line in one sentence; it names what an incomplete fetch leaves open."""
    c = pair.counts
    parts = [
        f"{name.replace('_', ' ')} not claimed ({pair.unclaimed[name]})"
        if count is None
        else f"{_counted(pair, count)} {name.replace('_', ' ')}"
        for name, count in zip(c._fields[:2], c[:2], strict=True)
    ]
    parts.append(f"{number(c.changed)} of {number(c.in_both)} in both with a changed field")
    return f"{pair.days.capitalize()}: {', '.join(parts)}."


def _counted(pair: Pair, count: int) -> str:
    """The count with the noun of what is compared."""
    return counted(count, pair.new.resource.singular.replace("_", " "))


def caveats(pair: Pair) -> tuple[Caveat, ...]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    return (*_of_absence(pair), *_of_fields(pair), *_of_fetches(pair))


def key_figures(pair: Pair) -> tuple[KeyFigure, ...]:
    """How many records are new, are gone, and differ."""
    c = pair.counts
    return (
        *(
            KeyFigure(
                name.replace("_", " ").capitalize(),
                "not claimed" if count is None else number(count),
                pair.unclaimed.get(name, pair.subject),
            )
            for name, count in zip(c._fields[:2], c[:2], strict=True)
        ),
        KeyFigure("With a changed field", number(c.changed), f"of {number(c.in_both)} in both"),
    )


def _of_absence(pair: Pair) -> Iterator[Caveat]:
    """What a record that only one fetch has does not say."""
    asked, gone = pair.new.provenance.filter, pair.counts.no_longer_seen
    yield Caveat(
        "Newly seen is not newly happened: a record that the first fetch lacks may reflect "
        "improved coverage and not a new event.",
        "reading rule 7",
        is_material=True,
    )
    dates = list(pair.frames["newly_seen"]["own_date"]) if "newly_seen" in pair.frames else []
    if any(dates):
        yield Caveat(_own_dates(pair, dates), "reading rule 7")
    if gone:
        yield Caveat(
            "No longer seen is not ended: absence of a record is not evidence.", "reading rule 3"
        )
    if gone and asked:
        yield Caveat(
            f"{pair.subject.capitalize()} no longer seen can still be recorded and no longer meet "
            f"the filter {asked}.",
            "reading rule 3",
        )


def _own_dates(pair: Pair, own: list[str | None]) -> str:
    """How many newly seen records have a date of their own between the fetches."""
    sides = (("before", "an earlier one"), ("after", "a later one"))
    dates = [
        f"{_carry(own.count('between'))} a date between the two fetches",
        *(f"{number(own.count(word))} {said}" for word, said in sides if word in own),
    ]
    unsure, undated = own.count("cannot_tell"), own.count(None)
    parts = [
        " and ".join(filter(None, (", ".join(dates[:-1]), dates[-1]))),
        f"for {number(unsure)} this cannot be told, because only a year or a month is recorded"
        if unsure
        else "",
        f"{_carry(undated)} no date" if undated else "",
    ]
    return (
        f"Of {_counted(pair, len(own))} newly seen, {'; '.join(filter(None, parts))}. "
        "A date between the fetches, too, may have been entered late."
    )


def _carry(count: int) -> str:
    return f"{number(count)} {'carries' if count == 1 else 'carry'}"


def _of_fields(pair: Pair) -> Iterator[Caveat]:
    """What a changed field does not say."""
    fields, kinds = (set(pair.frames["field_changes"][name]) for name in ("field", "kind"))
    if "newly_recorded" in kinds:
        yield Caveat(
            "A value recorded where none was may be older than both fetches.", "reading rule 7"
        )
    if fields:
        yield Caveat("Fields of one record can be updated at different times.", "reading rule 8")
    if pair.counts.cannot_tell or (pair.is_converted and pair.amount in fields):
        yield Caveat(_rates(pair), "reading rule 8", is_material=True)
    if not pair.is_converted and pair.amount in fields:
        yield Caveat(
            "Amounts are compared as the tables hold them: were they converted, a moved exchange "
            "rate shows as a change.",
            "reading rule 8",
        )
    if NATIVE in fields:
        yield Caveat(
            f"Sizes of {pair.subject} are compared as announced, in their own currency, wherever "
            "the rows show them.",
            "reading rule 8",
        )


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    source, currency = pair.new.provenance.source, pair.new.provenance.currency
    what, rate = "Amounts are", "at the rate of each record's own day"
    if pair.amount == "total_funding":
        what, rate = "Total funding is", "at the rate of the dataset's day"
    if not source.is_embedded:
        rate = "at a rate whose day the service does not state"
    furthest = math.expm1(pair.reach)
    return (
        f"{what} converted to {currency} {rate}. For {number(pair.counts.cannot_tell)} of "
        f"{number(pair.counts.in_both)} {pair.subject} in both it moved by {furthest:.0%} or less, "
        "which exchange rates alone can explain: whether the recorded amount changed cannot "
        "be told, so it is not counted as changed."
    )


def _of_fetches(pair: Pair) -> Iterator[Caveat]:
    """What the two fetches leave open."""
    old, new, scope = pair.old, pair.new, pair.scope
    sides = {"newly_seen": old, "no_longer_seen": new}
    for name, why in pair.unclaimed.items():
        yield Caveat(
            f"{why.capitalize()} ({sides[name]!r}), so no record is claimed as "
            f"{name.replace('_', ' ')}.",
            "reading rule 1",
            is_material=True,
        )
    if pair.not_compared:
        columns = "; ".join(
            f"{name.replace('_', ' ')}, as {why}" for name, why in pair.not_compared.items()
        )
        yield Caveat(f"Columns that are not compared: {columns}.", "reading rule 7")
    before, after = (result.provenance.source.name for result in (old, new))
    if before != after:
        yield Caveat(
            f"The fetches are of sources of two names, {before!r} and {after!r}: ids mean the same "
            "only where both are versions of one.",
            "reading rule 7",
        )
    if scope is not None:
        yield Caveat(
            f"{number(len(old.asked or ()))} ids were requested the first time and "
            f"{number(len(new.asked or ()))} the second; only what belongs to the "
            f"{number(len(scope))} requested both times is compared.",
            "reading rule 7",
        )
