"""How findings are worded: a count with its noun, money with its currency, null as such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ventureframe.interface.source import FACTS, Source

NOT_REPORTED: Final = "not reported"  # of a null where no other reason is known


def unwrap(text: str) -> str:
    """Join the lines of a text that the code writes over several, each indented.

    >>> unwrap("One sentence,\\n    in two lines.")
    'One sentence, in two lines.'
    """
    return re.sub("\n +", " ", text).strip()


def counted(count: int, singular: str) -> str:
    """The count with its noun, of which what follows "with", "without" or "of" says which.

    >>> counted(1, "company"), counted(1204, "company"), counted(0, "fund without a date")
    ('1 company', '1,204 companies', '0 funds without a date')
    """
    if count == 1:
        return f"1 {singular}"
    noun, *rest = re.split(r"(?= (?:with|without|of) )", singular, maxsplit=1)
    noun = re.sub("(?<![aeiou])y$", "ie", noun) + "e" * noun.endswith("s")
    return "".join([number(count), " ", noun, "s", *rest])


class Count(int):
    """A whole number that a sentence words by itself: as a number, with its noun, or as a verb.

    After the colon stands a noun in the singular, or the forms for one and for several.

    >>> posts, firms = Count(1204), Count(1)
    >>> f"{posts:posting} of {firms:company} {posts:was|were} returned, {posts} in all"
    '1,204 postings of 1 company were returned, 1,204 in all'
    """

    def __format__(self, noun: str) -> str:
        one, *several = noun.split("|")
        if several:
            return one if self == 1 else several[0]
        return counted(self, noun) if noun else number(self)

    def __sub__(self, other: int) -> Count:
        return Count(int(self) - other)


def number(value: float | None) -> str:
    """The value with thousands separated: cents where it has any, null as "not reported"."""
    if value is None:
        return NOT_REPORTED
    digits = f"{abs(value):,.0f}" if float(value).is_integer() else f"{abs(value):,.2f}"
    return f"−{digits}" if value < 0 else digits


def among(part: int, whole: int, singular: str, plural: str = "") -> str:
    """How many of a whole, as the subject of a sentence; its verb goes with `part`.

    >>> [among(part, 322, "company", "companies") for part in (0, 1, 322)]
    ['None of the 322 companies', '1 of the 322 companies', 'All 322 companies']
    >>> among(2, 2, "fund"), among(1, 1, "fund"), among(0, 1, "fund")
    ('Both funds', 'The only fund', 'None of the funds')
    """
    several = plural or f"{singular}s"
    if whole <= 1:
        return f"The only {singular}" if part else f"None of the {several}"
    if part == whole:
        return f"Both {several}" if whole == 2 else f"All {number(whole)} {several}"
    return f"{number(part) if part else 'None'} of the {number(whole)} {several}"


def listed(parts: Iterable[str]) -> str:
    """The parts as a sentence lists them: `A, B and C`."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def percent(part: float, whole: float) -> str:
    """The part of the whole in whole per cent; a small part is not rounded to none.

    >>> percent(1, 3), percent(1, 1000), percent(999, 1000), percent(0, 3)
    ('33 %', 'under 1 %', 'over 99 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 1:
        return "under 1 %"
    return "over 99 %" if 99 < share < 100 else f"{share:.0f} %"


def in_words(state: object) -> str:
    """A state as a reader sees it: `no records returned`."""
    return str(state).replace("_", " ")


def money(value: float | None, currency: str, *, null: str = NOT_REPORTED) -> str:
    """The amount in three digits with its currency, `3.86 billion USD`; `null` where it is None."""
    if value is None:
        return null
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        # an amount that rounds up to the next scale is written in that scale
        if abs(value) >= size * 0.9995:
            return f"{value / size:.3g} {word} {currency}".replace("-", "−")
    return f"{number(round(value) if abs(value) >= 1000 else value)} {currency}"


def money_exact(value: float | None, currency: str) -> str:
    """The amount to the cent with its currency: `3,864,930,929.77 USD`."""
    return NOT_REPORTED if value is None else f"{number(value)} {currency}"


def caption(*parts: str | None, source: Source | None = None) -> str:
    """The given parts, after the mark of made-up data and before the source with its day."""
    if source is not None:
        made_up = "SYNTHETIC sample data" if source.synthetic else None
        day = "" if source.as_of is None else f", as of {source.as_of}"
        parts = (made_up, *parts, f"{source.name}{day}")
    return " · ".join(filter(None, parts))


def incomplete(source: Source | None) -> tuple[str, ...]:
    """The words that mark data that was not read to the end."""
    return tuple(f"INCOMPLETE: {what}" for what in source.incomplete) if source else ()


def origin(source: Source | None) -> str:
    """The source as every file names it that leaves its page: marked, and with its day."""
    return caption(*incomplete(source), source=source)


def file_name(*parts: str | None, source: Source | None = None) -> str:
    """What a file of a finding is called: its parts, the day of its data, whether it is real."""
    day = None if source is None or source.as_of is None else source.as_of.isoformat()
    made_up = "synthetic" if source is not None and source.synthetic else None
    named = "-".join(filter(None, (*parts, day, made_up)))
    return re.sub(r"\W+", "-", named.lower()).strip("-") or "table"


def shown(text: str, html: str, source: Source | None, **facts: Any) -> tuple[Any, Any]:
    """A notebook's output: text and HTML, and as data beside them what a report and its index need.

    That is `Source.facts`, where a source is given, and the `facts`, under `FACTS`.
    """
    own = {} if source is None else source.facts
    return {"text/plain": text, "text/html": html}, {FACTS: {**own, **facts}}
