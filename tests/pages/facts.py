"""Reads numbers, amounts, days and names in a sentence, and compares them with facts."""

import datetime as dt
import math
import re
from collections.abc import Sequence
from typing import Any, Final

_SCALES: Final = {"": 1.0, "m": 1e6, "bn": 1e9, "tn": 1e12}
_WORDS: Final = {"no": 0, "none": 0, "one": 1, "a": 1, "both": 2, "two": 2, "three": 3}


def plural(noun: str) -> str:
    """The noun in the plural; words from "with", "of" or "whose" on stay."""
    head, *rest = re.split(
        "(?= (?:with|without|of|whose|from|by|matched|not) )", noun, maxsplit=1
    )
    return "".join([re.sub("(?<![aeiou])y$", "ie", head) + "s", *rest])


def number(text: str) -> int | None:
    """A whole number in figures or in a word; None where it is none."""
    text = text.replace("\u2212", "-").replace(",", "")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def share_of(text: str, whole: int) -> tuple[int | None, int | None]:
    """How many of how many a text says: `none of the 7 companies` is 0 of 7."""
    lower = text.lower()
    if lower.startswith("the only"):
        return 1, 1
    if lower.startswith("no "):
        return 0, whole if whole < 2 else -1
    if lower.startswith("both"):
        return 2, 2
    numbers = re.findall(r"[\d,]*\d", text)
    if lower.startswith("all"):
        return number(numbers[0]), number(numbers[0])
    if lower.startswith("none"):
        return 0, number(numbers[0])
    return number(numbers[0]), number(numbers[1])


def names(text: str) -> list[str]:
    """The names that a text lists: `A, B and C`."""
    return re.split(" and (?!city)|, |; ", text)


def agrees(text: str, fact: Any) -> bool:
    """Whether a text says the fact: a name or several, a number, an amount, a day."""
    if isinstance(fact, int) and not isinstance(fact, bool):
        return number(re.sub(r"\.0$", "", text)) == fact
    if isinstance(fact, float):
        return _is_amount(text, fact)
    if isinstance(fact, range):
        ends = [number(end) or 0 for end in re.split("–| to ", text)]
        return ends[0] <= fact.start and fact.stop <= ends[-1] + 1
    if isinstance(fact, list):
        return names(text) == fact
    if isinstance(fact, set | frozenset | tuple):
        return sorted(names(text)) == sorted(fact)
    return text in _forms(fact)


def _forms(fact: Any) -> Sequence[str]:
    """The ways in which a text says what is neither a number nor a list."""
    if fact is None:
        return "", "not recorded"
    if isinstance(fact, bool):
        return (str(fact).lower(),)
    if isinstance(fact, dt.date):
        day = f"{fact.day} {fact:%B %Y}"
        return str(fact), day, f"{fact.day} {fact:%b %Y}"
    return (str(fact),)


def amount(text: str) -> float:
    """What an amount with its currency is worth; 0 where the text is none."""
    match = re.fullmatch(r"[A-Z]{3} (-?[\d.]+)(m|bn|tn|)", text.replace(",", ""))
    return float(match[1]) * _SCALES[match[2]] if match else 0.0


def _is_amount(text: str, amount: float) -> bool:
    """Whether a text is the amount: exactly, or in three digits with its scale."""
    bare = re.sub(r"^[A-Z]{3} | \(doubtful\)$", "", text).replace(",", "")
    match = re.fullmatch(r"(-?[\d.]+(?:e\+?\d+)?)(m|bn|tn|)", bare)
    if not match:
        return False
    shown = float(match[1]) * _SCALES[match[2]]
    step = 0.01
    if match[2] and shown:
        step = 10.0 ** (math.floor(math.log10(shown)) - 2)
    return abs(shown - amount) <= step * 0.5001
