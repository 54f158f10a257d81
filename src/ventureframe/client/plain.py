"""One value of a reply as its declared type has it, or the first that is of another."""

import contextlib
import datetime as dt
import math
import re
import sys
from typing import Any

from ventureframe.interface.fields import Field, Many, Record, Type, canonical, is_uuid

DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?$"
LESS = "^[0-9]{4}(-[0-9]{2})?$"
PARTIAL = "^[12][0-9]{3}(-[0-9]{2}(-[0-9]{2})?)?$"


class WrongType(Exception):
    """A value that is not of the declared type: the value, its name and the type."""


def typed(value: Any, kind: Type, name: str) -> Any:
    """Return the value as its type has it; `WrongType` names the first that is not."""
    if value is None:
        return None
    if isinstance(kind, Many):
        if not isinstance(value, list):
            raise WrongType(value, name, "list")
        if None in value:
            of = kind.of if isinstance(kind.of, str) else "record"
            raise WrongType(None, name, of)
        return [typed(entry, kind.of, name) for entry in value]
    if isinstance(kind, Record):
        if not isinstance(value, dict):
            raise WrongType(value, name, "record")
        return {
            member.name: _member(value.get(member.name), member, name)
            for member in kind.fields
        }
    with contextlib.suppress(ValueError):
        read = _scalar(value, kind)
        if read is not None:
            return read
    raise WrongType(value, name, kind)


def _member(value: Any, member: Field, within: str) -> Any:
    """Return the value of a record's member, which can be required and have limits."""
    path = f"{within}.{member.name}" if within else member.name
    if within and value is None and not member.nullable:
        raise WrongType(None, path, member.type)
    read = typed(value, member.type, path)
    if member.within is None or not isinstance(read, int | float):
        return read
    least, most = member.within
    if not least <= read <= most:
        limits = f"{least:g} to {most:g}"
        if most == math.inf:
            limits = f"{least:g} on"
        raise WrongType(value, path, f"{member.type} from {limits}")
    return read


def _scalar(value: Any, kind: str) -> Any:
    """Return the value as its type has it; None or `ValueError` if it is of another."""
    if kind in ("integer", "identifier"):
        is_text = kind == "identifier" and isinstance(value, str)
        if is_text and re.fullmatch("-?[0-9]{1,19}", value):
            value = int(value)
        return value if type(value) is int and -(2**63) <= value < 2**63 else None
    if kind == "number":
        is_number = type(value) in (int, float) and abs(value) <= sys.float_info.max
        return float(value) if is_number and float(value) == value else None
    if kind == "flag" or not isinstance(value, str):
        return value if isinstance(value, bool) and kind == "flag" else None
    if kind == "uuid":
        return canonical(value) if is_uuid(value) else None
    if kind == "date" and not re.fullmatch(LESS, value):
        dt.date.fromisoformat(value[:10])
        return value if re.fullmatch(DAY, value) else None
    value.encode()  # half a character is no text
    is_partial = kind != "partial date" or re.fullmatch(PARTIAL, value)
    return value if is_partial else None
