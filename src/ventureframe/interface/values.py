"""One value of a field: what it can be, how a filter writes it and how it is read back."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

Scalar = Literal["uuid", "identifier", "text", "integer", "number", "flag", "date"]
"""What one value is: `identifier` a whole number that only names, `date` a day or less precise."""

Value = str | int | float | bool

_UUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_WHOLE: Final = "-?[0-9]{1,18}"
_NUMBER: Final = r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?"
_READERS: Final[Mapping[Scalar, tuple[str, Callable[[str], Value], str]]] = {
    "uuid": (_UUID, str.lower, "needs a UUID such as 5240d97e-07f4-515b-aef2-314586dabea8"),
    "identifier": (_WHOLE, int, "needs a whole number"),
    "text": ("(?s:.+)", str, "is empty"),
    "integer": (_WHOLE, int, "needs a whole number"),
    "number": (_NUMBER, float, "needs a finite number"),
    "flag": ("true|false", "true".__eq__, "needs true or false"),
}
"""By kind: the texts that stand for a value, the value of one, and what another text is told."""


def read(kind: Scalar, text: str) -> Value:
    """The value that a filter's text stands for; `ValueError` where it is not of this kind.

    >>> read("flag", "true")
    True
    """
    pattern, convert, reason = _READERS[kind]
    if not re.fullmatch(pattern, text):
        raise ValueError(reason)
    value = convert(text)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(reason)
    return value


def write(kind: Scalar, value: object) -> str:
    """The value as a filter writes it; `ValueError` where it is not of this kind.

    >>> write("number", 5e6)
    '5000000'
    """
    return _WRITERS[kind](value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("needs text")
    return value


def _whole(value: object, reason: str = "needs a whole number") -> str:
    if isinstance(value, bool) or not isinstance(value, (int, numbers.Integral)):
        raise ValueError(reason)
    return str(int(value))


def _identifier(value: object) -> str:
    if isinstance(value, str):
        return value
    return _whole(value, "needs an identifier: a whole number or its digits")


def _number(value: object) -> str:
    if isinstance(value, (int, numbers.Integral)):
        return _whole(value, "needs a number")
    if not isinstance(value, (float, numbers.Real)):
        raise ValueError("needs a number")
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def _flag(value: object) -> str:
    if not isinstance(value, bool):
        raise ValueError("needs True or False")
    return "true" if value else "false"


_WRITERS: Final[Mapping[Scalar, Callable[[object], str]]] = {
    "uuid": _text,
    "identifier": _identifier,
    "text": _text,
    "integer": _whole,
    "number": _number,
    "flag": _flag,
}
