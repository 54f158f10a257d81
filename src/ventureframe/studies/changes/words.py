"""What a comparison of two fetches says, computed from its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ventureframe.display.wording import counted, number
from ventureframe.evidence.claims import Caveat, KeyFigure, Rule
from ventureframe.studies.changes.records import NATIVE

if TYPE_CHECKING:
    from ventureframe.studies.changes.pair import Pair

_NOT_HAPPENED = (
    "Newly seen is not newly happened: a record that the first fetch lacks may reflect improved "
    "coverage and not a new event."
)
_UNSTATED = "at a rate whose day the service does not state"


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
    rules = {**_of_absence(pair), **_of_fields(pair), **_of_fetches(pair)}
    material = {_NOT_HAPPENED, _rates(pair), *_unclaimed(pair)}
    return tuple(
        Caveat(text, rule, is_material=text in material) for text, rule in rules.items() if rule
    )


def key_figures(pair: Pair) -> tuple[KeyFigure, ...]:
    """How many records are new, are gone, and differ."""
    c = pair.counts
    return (
        *(
            KeyFigure(
                f"{name.replace('_', ' ').capitalize()}",
                "not claimed" if count is None else number(count),
                pair.unclaimed.get(name, pair.subject),
            )
            for name, count in zip(c._fields[:2], c[:2], strict=True)
        ),
        KeyFigure("With a changed field", number(c.changed), f"of {number(c.in_both)} in both"),
    )


def _of_absence(pair: Pair) -> dict[str, Rule | None]:
    """What a record that only one fetch has does not say."""
    own = list(pair.frames["newly_seen"]["own_date"]) if "newly_seen" in pair.frames else []
    asked, gone = pair.new.provenance.filter, pair.counts.no_longer_seen
    return {
        _NOT_HAPPENED: "reading rule 7",
        _own_dates(pair, own): "reading rule 7" if any(own) else None,
        "No longer seen is not ended: absence of a record is not evidence.": (
            "reading rule 3" if gone else None
        ),
        f"{pair.subject.capitalize()} no longer seen can still be recorded and no longer meet the "
        f"filter {asked}{_by_id(pair, gone)}.": "reading rule 3" if gone and asked else None,
    }


def _by_id(pair: Pair, gone: int | None) -> str:
    """How many records no longer seen the service still has, where it was asked."""
    if pair.returned is None:
        return ""
    return f": {number(len(pair.returned))} of {number(gone)} were returned by their ids"


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


def _of_fields(pair: Pair) -> dict[str, Rule | None]:
    """What a changed field does not say."""
    fields, kinds = (set(pair.frames["field_changes"][name]) for name in ("field", "kind"))
    return {
        "A value recorded where none was may be older than both fetches.": (
            "reading rule 7" if "newly_recorded" in kinds else None
        ),
        "Fields of one record can be updated at different times.": (
            "reading rule 8" if fields else None
        ),
        _rates(pair): (
            "reading rule 8" if pair.counts.cannot_tell or pair.converted in fields else None
        ),
        "Amounts are compared as the tables hold them: were they converted, a moved exchange rate "
        "shows as a change.": ("reading rule 8" if pair.as_recorded in fields else None),
        f"Sizes of {pair.subject} are compared as announced, in their own currency, wherever the "
        "rows show them.": "reading rule 8" if NATIVE in fields else None,
    }


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    if not pair.counts.cannot_tell and pair.converted is None:
        return ""
    source, currency = pair.new.provenance.source, pair.new.provenance.currency
    what = "Total funding is" if pair.converted == "total_funding" else "Amounts are"
    day = "at the rate of the dataset's day" if source.is_embedded else _UNSTATED
    if pair.converted == "amount":
        day = "at the rate of each record's own day" if source.is_embedded else _UNSTATED
    others = " and ".join(str(old.provenance.currency) for old, _ in pair.also)
    also = f", in {others} as well," if others else ""
    return (
        f"{what} converted to {currency} {day}. For {number(pair.counts.cannot_tell)} of "
        f"{number(pair.counts.in_both)} {pair.subject} in both it moved{also} by no more than "
        f"exchange rates can ({pair.reach:.1%}): whether the recorded amount changed cannot be "
        "told, so it is not counted as changed."
    )


def _unclaimed(pair: Pair) -> list[str]:
    """What an incomplete fetch leaves open."""
    sides = {"newly_seen": pair.old, "no_longer_seen": pair.new}
    return [
        f"{why.capitalize()} ({sides[name]!r}), so no record is claimed as "
        f"{name.replace('_', ' ')}."
        for name, why in pair.unclaimed.items()
    ]


def _of_fetches(pair: Pair) -> dict[str, Rule | None]:
    """What the two fetches leave open."""
    old, new, scope = pair.old, pair.new, pair.scope
    before, after = (result.provenance.source.name for result in (old, new))
    return {
        **dict.fromkeys(_unclaimed(pair), "reading rule 1"),
        f"Columns that are not compared: {_not_compared(pair)}.": (
            "reading rule 7" if pair.not_compared else None
        ),
        f"The fetches are of sources of two names, {before!r} and {after!r}: ids mean the same "
        "only where both are versions of one.": "reading rule 7" if before != after else None,
        f"{number(len(old.asked or ()))} ids were requested the first time and "
        f"{number(len(new.asked or ()))} the second; only what belongs to the "
        f"{number(len(scope or ()))} requested both times is compared.": (
            None if scope is None else "reading rule 7"
        ),
    }


def _not_compared(pair: Pair) -> str:
    return "; ".join(
        f"{name.replace('_', ' ')}, as {why}" for name, why in pair.not_compared.items()
    )
