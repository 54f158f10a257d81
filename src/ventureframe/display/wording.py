"""How findings are worded: a count with its noun, money with its currency, null as
such.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from datetime import date
from importlib.resources import files
from typing import Any

from ventureframe.errors import visible
from ventureframe.interface.filters import Filter, Group
from ventureframe.interface.source import FACTS, Source

NOT_RECORDED = "not recorded"
NOT_KNOWN = "not known"
NULLS = (
    "not recorded: the record has no value, which is neither “no” nor zero · not"
    " convertible: an amount is recorded, and no rate to this currency · not known: it"
    " was not looked up, or does not follow from the records · not requested: the"
    " question does without the field, so nothing follows from its absence"
)
"""How a null is shown, and what each of these words says. A column can have words of
its own that say why: "fewer than 5".
"""
_DOUBTFUL = 1_000
"""Below this no company, round or fund has an amount: it was meant in thousands or
in millions.
"""
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e\+?\d+)?")
_SCALES = ((1e12, "tn"), (1e9, "bn"), (1e6, "m"))


def read_words(name: str) -> Any:
    """Read a TOML file of this package: the words in it, by their keys.

    >>> read_words("studies/sheets.toml")["pool"]
    'Companies found'
    """
    return tomllib.loads((files("ventureframe") / name).read_text("utf-8"))


def unwrap(text: str) -> str:
    """Join the lines of a text that the code writes over several, each indented.

    >>> unwrap("One sentence,\\n    in two lines.")
    'One sentence, in two lines.'
    """
    return re.sub("\n +", " ", text).strip()


def counted(count: int, singular: str) -> str:
    """The count with its noun in the plural, but for one; words from "with" or "of" on
    stay.

    >>> counted(1, "company"), counted(1204, "company"), counted(0, "fund without a date")
    ('1 company', '1,204 companies', '0 funds without a date')
    """
    if count == 1:
        return f"1 {singular}"
    noun, *further = re.split("(?= (?:with|without|of|whose) )", singular, maxsplit=1)
    plural = re.sub("(?<![aeiou])y$", "ie", noun) + "s"
    return "".join([number(count), " ", plural, *further])


class Count(int):
    """A whole number that a sentence words by itself: as a number, with its noun, or as
    a verb.

    After the colon stands a noun in the singular, or the forms for one and for several.

    >>> posts, firms = Count(1204), Count(1)
    >>> f"{posts:posting} of {firms:company} {posts:was|were} returned, {posts} in all"
    '1,204 postings of 1 company were returned, 1,204 in all'
    """

    def __format__(self, noun: str) -> str:
        singular, *plural = noun.split("|")
        if plural:
            return singular if self == 1 else plural[0]
        return counted(self, noun) if noun else number(self)

    def __sub__(self, count: int) -> Count:
        return Count(int(self) - count)


def number(value: float | None) -> str:
    """The value with thousands separated: cents where it has any, null as "not
    recorded".
    """
    if value is None:
        return NOT_RECORDED
    exact = float(value)
    decimals = 0 if exact.is_integer() else 2
    return f"{exact:,.{decimals}f}".replace("-", "−")


def within(part: int, whole: int, singular: str) -> str:
    """How many of a whole, inside a sentence; a verb goes with `part`.

    >>> [within(part, 322, "company") for part in (0, 1, 322)]
    ['none of the 322 companies', '1 of the 322 companies', 'all 322 companies']
    >>> within(2, 2, "fund"), within(1, 1, "fund"), within(0, 1, "fund")
    ('both funds', 'the only fund', 'no fund')
    """
    several = counted(2, singular)[2:]
    if whole <= 1:
        return f"{'the only' if part else 'no'} {singular}"
    if part == whole:
        return f"both {several}" if whole == 2 else f"all {number(whole)} {several}"
    return f"{number(part) if part else 'none'} of the {number(whole)} {several}"


def among(part: int, whole: int, singular: str) -> str:
    """How many of a whole, as the subject of a sentence."""
    return capital(within(part, whole, singular))


def capital(text: str) -> str:
    """The text with a capital letter first, as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(parts: Iterable[str]) -> str:
    """The parts as a sentence lists them: `A, B and C`, or `A, Inc.; B and C`."""
    *first, last = [*parts] or [""]
    if not first:
        return last
    comma = "; " if ", " in "".join(first) else ", "
    return f"{comma.join(first)} and {last}"


_WORDS = read_words("display/words.toml")
LABELS = _WORDS["labels"]
_YEARS, _AMOUNTS = _WORDS["years"], _WORDS["amounts"]
_FLAGS, _RECORDS = _WORDS["flags"], _WORDS["records"]


def label(name: object) -> str:
    """What a reader calls a field.

    >>> label("launch_date"), label("company_status"), label("total_funding")
    ('founding year', 'status', 'total funding')
    """
    return visible(in_words(name).removeprefix("company "))


def condition(filter: Filter, currency: str = "") -> str:  # noqa: A002
    """What a filter takes, as words that follow the records.

    Total funding is in the currency, where one is given.

    >>> from ventureframe.interface.filters import parse
    >>> condition(parse("and(launch_date[gte]:2020,company_status[eq]:closed)"))
    'founded since 2020 and whose status is closed'
    >>> condition(parse("total_funding[gte]:5000000"), "USD")
    'with total funding of at least USD 5,000,000'
    >>> condition(parse("and(launch_date[gte]:2015,launch_date[lte]:2022)"))
    'founded 2015 to 2022'
    """
    if isinstance(filter, Group):
        return _group(filter, currency)
    (clause,) = filter.clauses()
    name, operator = clause.field, clause.operator
    separator = " and " if operator == "in_all" else " or "
    value = separator.join(clause.names or clause.values)
    if name == "launch_date" and operator in _YEARS:
        return f"{_YEARS[operator]} {value}"
    if name in _FLAGS and operator == "eq":
        kind = _FLAGS[name]
        return f"flagged as {kind}" if value == "true" else f"flagged as not {kind}"
    is_amount = name not in _RECORDS and _NUMBER.fullmatch(value) is not None
    if is_amount and operator in _AMOUNTS:
        amount = number(float(value))
        if name == "total_funding":
            amount = f"{currency} {amount}".strip()
        return f"with {label(name)} {_AMOUNTS[operator]} {amount}"
    if operator.startswith("n"):  # neq, nin_any, nin_all
        return f"whose {label(name)} is not {value}"
    subject = _RECORDS.get(name) or f"whose {label(name)} is"
    return f"{subject} {value}"


def _group(group: Group, currency: str) -> str:
    """Word the conditions of a group; two ends of one field are one condition."""
    parts = [condition(part, currency) for part in group.parts]
    if group.word == "or":
        return f"({' or '.join(parts)})"
    clauses = [*group.clauses()]
    ends = [(clause.field, clause.operator) for clause in clauses]
    if ends == [("launch_date", "gte"), ("launch_date", "lte")]:
        first, last = (clause.values[0] for clause in clauses)
        return f"founded in {first}" if first == last else f"founded {first} to {last}"
    if ends == [("total_funding", "gte"), ("total_funding", "lte")]:
        return f"{parts[0]} and {parts[1].partition(' of ')[2]}"
    return listed(parts)


def day_in_words(day: date | None) -> str:
    """The day as a reader sees it: `17 June 2013`; "" where it is not known."""
    return "" if day is None else f"{day.day} {day:%B %Y}"


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
    """A state as a reader sees it.

    >>> in_words("not_convertible"), in_words("no_records_returned")
    ('not convertible', 'not recorded')
    """
    return LABELS.get(str(state)) or str(state).replace("_", " ")


def tags_in_words(tags: object) -> str:
    """Tags as a reader sees them, where their labels are those of a database.

    >>> tags_in_words("games_video; web; E-Commerce"), tags_in_words("network_hosting")
    ('Games and video; Web; E-Commerce', 'Network and hosting')
    """
    labels = re.sub("(games|photo|network)_", r"\1 and ", str(tags)).split("; ")
    return visible("; ".join(in_words(capital(label)) for label in labels))


def scaled(value: float) -> str:
    """Write the amount in three digits, as on a scale that names the currency: `2.9bn`.

    An amount that rounds up to the next scale is written in that scale.
    """
    for size, unit in _SCALES:
        if abs(value) >= size * 0.9995:
            return f"{value / size:.3g}{unit}".replace("-", "−")
    return number(round(value))


def money(value: float | None, currency: str, *, null: str = NOT_RECORDED) -> str:
    """Write the currency and the amount in three digits, or `null` where it is None.

    Without a currency, as on a scale that names it, the amount alone.

    >>> money(2_897_901_274.48, "EUR"), money(738.12, "EUR")
    ('EUR 2.9bn', 'EUR 738 (doubtful)')
    """
    if value is None:
        return null
    doubt = " (doubtful)" if 0 < abs(value) < _DOUBTFUL else ""
    return f"{currency} {scaled(value)}{doubt}".strip()


def caption(*parts: str | None, source: Source | None = None) -> str:
    """The given parts, after the mark of made-up data and before the source with its
    day.
    """
    if source is not None:
        made_up = "SYNTHETIC sample data" if source.synthetic else None
        day = "" if source.as_of is None else f", as of {source.as_of}"
        parts = (made_up, *parts, f"{source.known_as}{day}")
    return " · ".join(filter(None, parts))


def incomplete(source: Source | None) -> tuple[str, ...]:
    """The words that mark data that was not read to the end."""
    return tuple(f"INCOMPLETE: {gap}" for gap in source.incomplete) if source else ()


def origin(source: Source | None) -> str:
    """The source as every file names it that leaves its page: marked, and with its
    day.
    """
    return caption(*incomplete(source), source=source)


def file_name(*parts: str | None, source: Source | None = None) -> str:
    """What a file of a finding is called: its parts, the day of its data, whether it
    is real.
    """
    named = [*filter(None, parts)]
    if source is not None:
        named += [str(source.as_of or ""), "synthetic" if source.synthetic else ""]
    return re.sub(r"\W+", "-", " ".join(named).lower()).strip("-") or "table"


def mime_bundle(
    text: str, html: str, source: Source | None, **facts: Any
) -> tuple[Any, Any]:
    """A notebook's output: text and HTML, and as data what a report and its index
    need.

    That is `Source.facts`, where a source is given, and the `facts`, under `FACTS`.
    """
    of_source = {} if source is None else source.facts
    return {"text/plain": text, "text/html": html}, {FACTS: {**of_source, **facts}}
