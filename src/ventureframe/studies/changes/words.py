"""What a comparison of two fetches says, computed from its counts."""

import math
from collections.abc import Iterator, Mapping, Sequence

from polars import DataFrame, col

from ventureframe.display.wording import (
    Count,
    among,
    counted,
    label,
    listed,
    money,
    percent,
    within,
)
from ventureframe.evidence.claims import Caveat, limit, material
from ventureframe.studies.changes.edits import Edits
from ventureframe.studies.changes.pair import Pair, day, moment
from ventureframe.studies.changes.records import NATIVE, PLACES, REACH, SEEN

_MOVED = label("total_funding")


def answer(
    pairs: Sequence[Pair], ranked: DataFrame, edits: Edits | None, *_: object
) -> str:
    """The bottom line: what is new, with the three largest by name, what is gone and
    changed, and what cannot be told.
    """
    sentences = [*_sentences(pairs, ranked, edits, 3)] or [_same(pairs)]
    if edits and edits.apart:
        rows = [f"{count:,} {why}" for why, count in edits.apart.items()]
        sentences.append(f"Rows of your list that are not compared: {listed(rows)}.")
    return " ".join(sentences)


def headline(
    pairs: Sequence[Pair], ranked: DataFrame, edits: Edits | None, *_: object
) -> str:
    """The first sentence of the answer, with the largest alone."""
    text = next(_sentences(pairs, ranked, edits, 1), "nothing is new")
    studied = pairs[0].studied
    return f"{studied}: {text}" if studied and not edits else text


def _sentences(
    pairs: Sequence[Pair], ranked: DataFrame, edits: Edits | None, most: int
) -> Iterator[str]:
    code = next((pair.new.provenance.currency for pair in pairs if pair.amount), None)
    yield from _new(pairs, _named(ranked, most, code or ""), edits)
    gone = _counts(pairs, "no_longer_seen")
    if gone:
        yield f"{_of(gone)} no longer listed."
    if edits and edits.restated:
        several = Count(len(edits.restated))
        yield f"""{several:row} of your list {several:has a candidate|have candidates}
            in one of the two fetches only."""
    changes = [text for pair in pairs for text in _changed(pair)]
    yield from changes[:2]  # the table of changed fields has all
    for pair in pairs:
        for name, why in pair.unclaimed.items():
            yield f"Which {pair.subject} are {SEEN[name]} cannot be told: {why}."


def _new(
    pairs: Sequence[Pair], named: tuple[str, str], edits: Edits | None
) -> Iterator[str]:
    """What is newly seen: of what matters most the largest, and all else."""
    counts = _counts([*reversed(pairs)], "newly_seen")
    kind, largest = named
    if counts:
        text = f"{_of(counts)} newly seen{' for your list' if edits else ''}"
        if moment(pairs[0].old):
            text = f"{text} since {day(pairs[0].old)}"
        noun = kind.removesuffix(" newly seen")
        if noun in counts:
            noun = {"company": "total funding"}.get(noun, noun)
            text = f"{text}, the largest known {noun} at {largest}"
        yield f"{text}."
    if kind == _MOVED:
        yield f"Total funding changed most at {largest}."


def _named(ranked: DataFrame, most: int, currency: str) -> tuple[str, str]:
    """What matters most of the differences with an amount, and where it is largest;
    those that tie with the next are not named.
    """
    rows = ranked.drop_nulls(["amount", "before", "after"])
    is_gone = col("what").str.ends_with(SEEN["no_longer_seen"])
    rows = rows.filter(col("amount") != 0, ~is_gone)
    rows = rows.filter(col("what") == col("what").first())
    first = rows.head(most)
    if rows.height > most:
        first = first.filter(col("amount").abs() > abs(rows["amount"][most]))
    names = list[str]()
    for record, kind, amount in first.select("record", "what", "amount").iter_rows():
        way = ("up " if amount > 0 else "down ") if kind == _MOVED else ""
        names.append(f"{record} ({way}{money(abs(amount), currency)})")
    return (rows["what"][0], listed(names)) if names else ("", "")


def _counts(pairs: Sequence[Pair], finding: str) -> dict[str, int]:
    """How many records of each kind only one of the fetches has."""
    counts = {pair.noun: pair.seen[finding] for pair in pairs}
    return {noun: count for noun, count in counts.items() if count}


def _of(counts: Mapping[str, int]) -> str:
    """The records as the subject of a sentence, with its verb."""
    verb = "is" if sum(counts.values()) == 1 else "are"
    return f"{listed(counted(count, noun) for noun, count in counts.items())} {verb}"


def _changed(pair: Pair) -> Iterator[str]:
    """How many records changed, the three fields that matter most, and of how many it
    cannot be told.
    """
    in_both, changed, unsure = pair.in_both, pair.counts.changed, Count(pair.unsure)
    noun = pair.noun
    if changed:
        fields = pair.frames["field_changes"]["field"].value_counts()
        rank = col("field").replace_strict(PLACES, default=len(PLACES))
        fields = fields.sort(rank, "count", "field", descending=[False, True, False])
        most = [f"{label(name)} ({count:,})" for name, count in fields.head(3).rows()]
        if fields.height > len(most):
            most.append("other fields")
        yield f"""{among(changed, in_both, noun)} in both fetches changed:
            {listed(most)}."""
        if unsure:
            yield f"Whether {unsure} of the others changed cannot be told."
    elif unsure == in_both > 0:
        yield f"""Whether {within(in_both, in_both, noun)} in both fetches changed
            cannot be told."""
    elif unsure:
        yield f"""{among(in_both - unsure, in_both, noun)} in both fetches did not
            change; for {unsure} it cannot be told."""


def _same(pairs: Sequence[Pair]) -> str:
    """Say that nothing changed among the records of both fetches."""
    unchanged = [
        f"{among(0, pair.in_both, pair.noun)} in both fetches changed."
        for pair in pairs
        if pair.in_both
    ]
    return " ".join(unchanged) or f"There is no {pairs[0].noun} to compare."


def key_figures(*_: object) -> tuple[()]:
    """None: the answer says each number."""
    return ()


def caveats(
    pairs: Sequence[Pair], _: DataFrame, __: Edits | None, unpaired: Sequence[str]
) -> Iterator[Caveat]:
    """What the comparison cannot tell, with the rule of the interface behind each."""
    if unpaired:
        yield limit(7)(
            f"""Only one of the two fetches has {listed(unpaired)}, so it is not
            compared."""
        )
    fetched = {pair.noun: pair.new for pair in pairs}
    rounds = fetched.get("funding round")
    if rounds is not None and rounds.asked and "company" in fetched:
        firms = len(fetched["company"])
        if len(rounds.asked) < firms:
            read = within(len(rounds.asked), firms, "company")
            yield material(3)(
                f"Funding rounds were looked up for {read}: others may have newer ones."
            )
    for pair in pairs:
        yield from _caveats(pair)


def _caveats(pair: Pair) -> Iterator[Caveat]:
    counts, changes = pair.counts, pair.frames["field_changes"]
    fields = set(changes["field"])
    if counts.newly_seen:
        yield material(7)(
            """Newly seen is not newly happened: a record that the first fetch lacks may
            only now be recorded, or only now meet the conditions."""
        )
        dates = pair.frames["newly_seen"]["own_date"]
        late = Count(dates.count())
        if late:
            yield material(7)(
                f"""{among(late, dates.len(), f"newly seen {pair.noun}")} {late:is|are}
                dated on the day of the first fetch or before: newly listed, not
                new."""
            )
    if counts.no_longer_seen:
        yield limit(3)(
            """A record that is no longer listed may have ended, no longer meet the
            conditions, or only no longer be recorded."""
        )
    if "newly_recorded" in changes["kind"]:
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
    requested = {*(pair.old.asked or ()), *(pair.new.asked or ())}
    scope = requested if pair.scope is None else pair.scope
    left_out = Count(len(requested - scope))
    if left_out:
        yield limit(7)(_of_common_ids(pair, left_out))


def _of_common_ids(pair: Pair, left_out: Count) -> str:
    by = pair.new.details.asked_by[0].partition("_")[0]
    owner = {"entity": "company"}.get(by, by)
    not_compared = f"the {pair.subject} of {left_out:{owner}}"
    if by == "uuid":
        not_compared = f"{left_out:{pair.noun}}"
    return f"Not compared: {not_compared}, which only one of the two fetches looked up."


def _rates(pair: Pair) -> str:
    """What moved exchange rates leave open, where an amount arrives converted only."""
    subject = "Amounts are"
    rate = "at the rate of each record's date (month or year alone: its first day)"
    if pair.amount == "total_funding":
        subject, rate = "Total funding is", "at the rate of each dataset's day"
    if not pair.new.provenance.source.is_embedded:
        rate = "at a rate whose day the service does not state"
    rise, fall = (percent(abs(math.expm1(by)), 1) for by in (REACH, -REACH))
    text = f"""{subject} converted to {pair.new.provenance.currency} {rate}. Rises
        of up to {rise} and falls of up to {fall} are ignored: exchange rates alone can
        cause them. A rare currency can move further."""
    if not pair.counts.cannot_tell:
        return text
    ignored = within(pair.counts.cannot_tell, pair.in_both, pair.noun)
    return f"{text} Such a move is ignored for {ignored} in both fetches."
