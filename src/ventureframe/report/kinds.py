"""How a value of each kind is read, from text as a command line has it or from a Python literal.

A reader returns the value as a notebook's cell holds it, and raises `ValueError` for any other.
None, also as the text `None`, is no condition whatever the kind.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from ventureframe.evidence.question import Kind
from ventureframe.interface.fields import Currency, Place

Read = Callable[[Any], Any]

_PLACES: Final = get_args(Place)
_CURRENCIES: Final = get_args(Currency)


def literal(given: Any) -> Any:
    """Text as the Python literal that it spells, else as it is; any other value unchanged.

    >>> literal("[1, 2]"), literal("true"), literal("Fintech, sector"), literal(5)
    ([1, 2], True, 'Fintech, sector', 5)
    """
    if not isinstance(given, str):
        return given
    if given in ("true", "false"):
        return given == "true"
    try:
        return ast.literal_eval(given)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return given


def like(default: Any) -> Read:
    """The reader of values with the type of a default; of anything where that is None.

    In a list each member is like the default's first; a tuple has as many members as the default's.
    """
    if default is None:
        return _or_none(literal)
    return lambda given: _like(given if isinstance(default, str) else literal(given), default)


def _like(found: Any, default: Any) -> Any:
    if isinstance(default, float) and type(found) is int:
        return float(found)
    _typed(found, type(default))
    if isinstance(default, list) and default:
        return [_like(each, default[0]) for each in found]
    if isinstance(default, tuple):
        return tuple(_like(*both) for both in zip(found, default, strict=True))
    return found


def _typed(found: Any, *types: type) -> Any:
    """The value where it has one of these types; a truth value is not a number."""
    if type(found) not in types:
        raise ValueError(found)
    return found


def _or_none(read: Read) -> Read:
    return lambda given: None if given is None or given == "None" else read(given)


def _text(given: Any) -> Any:
    return _typed(given, str)


def _words(given: Any) -> str:
    """The text without blanks around it; text of blanks alone is refused."""
    found: str = _text(given).strip()
    return found if found else _typed(None)


def _entries(given: Any) -> list[tuple[str, str | None]]:
    found = literal(given)
    return [_entry(each) for each in (found if isinstance(found, (list, tuple)) else [given])]


def _entry(given: Any) -> tuple[str, str | None]:
    """A name and what tells it apart; names hold commas, so text is split at its last one."""
    if isinstance(given, str):
        name, comma, other = given.rpartition(",")
        given = (name, other) if comma else (other, None)
    name, other = _typed(given, tuple, list)
    return _words(name), None if other is None else _words(other)


def _place(given: Any) -> tuple[str, ...]:
    """A name, a type and perhaps what it lies in; text is split around the last type in it."""
    found = literal(given)
    if isinstance(found, str):
        parts = found.split(",")
        at = max(i for i, part in enumerate(parts) if part.strip() in _PLACES)
        found = tuple(filter(None, [",".join(parts[:at]), parts[at], ",".join(parts[at + 1 :])]))
    name, kind, *within = map(_words, _typed(found, tuple, list))
    if kind not in _PLACES or len(within) > 1:
        raise ValueError(given)
    return name, kind, *within


def _year(given: Any) -> Any:
    return _typed(literal(given), int)


def _number(given: Any) -> float:
    return float(_typed(literal(given), int, float))


def _range(end: Read) -> Read:
    """The reader of two ends with a dash between them, either of them open."""

    def read(given: Any) -> Any:
        if isinstance(given, str) and "-" in given:
            given = [each.strip() or None for each in given.split("-")]
        low, high = map(_or_none(end), _typed(literal(given), tuple, list))
        return low, high

    return read


def _flag(given: Any) -> Any:
    return _typed(literal({"yes": "true", "no": "false"}.get(str(given), given)), bool)


def _currency(given: Any) -> Any:
    return given if given in _CURRENCIES else _typed(None)


_KINDS: Final[Mapping[Kind, tuple[str, Read]]] = {
    "text": ("text", _text),
    "entries": (
        "entries, split at their last comma, such as 'Amitim, amitim.com' or 'Fintech, sector'",
        _entries,
    ),
    "place": (
        f"a place, its type ({', '.join(_PLACES)}) and perhaps what it lies in, such as "
        "'London, city, United Kingdom'",
        _place,
    ),
    "year": ("a year such as 2005", _year),
    "years": ("years such as 2005-2015, 2005- or -2015", _range(_year)),
    "amounts": ("amounts such as 1000000-5000000, 1000000- or -5000000", _range(_number)),
    "score": ("a number such as 60", _number),
    "flag": ("yes or no", _flag),
    "currency": (f"one of {', '.join(_CURRENCIES)}", _currency),
}

READERS: Final = {kind: (takes, _or_none(read)) for kind, (takes, read) in _KINDS.items()}
"""What a parameter of each kind takes, in words, and its reader."""
