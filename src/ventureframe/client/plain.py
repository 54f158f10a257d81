"""Reads one value of a reply as its declared type; the first of another is an error."""

import contextlib
import datetime as dt
import math
import re
from typing import Any

from ventureframe.interface.fields import Field, Many, Type, canonical, is_uuid

DAY = "^[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}([T ].*)?$"
LESS = "^[1-9][0-9]{3}(-[0-9]{2})?$"
PARTIAL = "^[12][0-9]{3}(-[0-9]{2}(-[0-9]{2}([T ].*)?)?)?$"
_FORMS = {"text": "(?s:.*)", "date": f"{DAY}|{LESS}", "partial date": PARTIAL}


class WrongType(Exception):
    """A value that is not of the declared type: the value, its name and the type."""


def typed(value: Any, kind: Type, path: str, *, nullable: bool = True) -> Any:
    """Return the value as its type has it; `WrongType` holds the first of another type.

    An entry of a list that is null, or lacks what it must have, is left out.
    """
    if value is None and nullable:
        return None
    name = "record"
    if isinstance(kind, Many):
        name = "list"
        if isinstance(value, list):
            return _entries(value, kind.of, path)
    elif isinstance(kind, str):
        name = kind
        with contextlib.suppress(ValueError, OverflowError):
            read = _scalar(value, kind)
            if read is not None:
                return read
    elif isinstance(value, dict):
        return {
            member.name: _member(value.get(member.name), member, path)
            for member in kind.fields
        }
    raise WrongType(value, path, name)


def _entries(values: list[Any], kind: Type, path: str) -> list[Any]:
    read = list[Any]()
    for value in values:
        try:
            read.append(typed(value, kind, path, nullable=False))
        except WrongType as wrong:
            if wrong.args[0] is not None:
                raise
    return read


def _member(value: Any, member: Field, within: str) -> Any:
    """Return the value of a record's member, which can be required and have limits."""
    path = f"{within}.{member.name}" if within else member.name
    nullable = not within or member.nullable
    read = typed(value, member.type, path, nullable=nullable)
    if member.within is None or read is None:
        return read
    least, most = member.within
    if not least <= read <= most:
        raise WrongType(value, path, f"{member.type} from {least:g} to {most:g}")
    return read


def _scalar(value: Any, kind: str) -> Any:
    """Return the value as its type has it; None or `ValueError` if it is of another."""
    of = type(value)
    is_right = False
    if kind == "identifier" and of is str and re.fullmatch("-?[0-9]{1,19}", value):
        return _scalar(int(value), kind)
    if kind == "uuid" and of is str and is_uuid(value):
        return canonical(value)
    if kind in ("integer", "identifier"):
        is_right = of is int and -(2**63) <= value < 2**63
    elif kind == "number" and of in (int, float):
        is_right = math.isfinite(value) and float(value) == value
        value = float(value)
    elif kind == "flag":
        is_right = of is bool
    elif kind in _FORMS and of is str:
        value.encode()  # half a character is no text
        is_right = re.fullmatch(_FORMS[kind], value) is not None
        if kind == "date" and is_right and not re.fullmatch(LESS, value):
            dt.date.fromisoformat(value[:10])
    return value if is_right else None
