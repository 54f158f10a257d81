"""One value of a field: what it can be, how a filter writes it and how it is read back."""

import math
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, cast

Scalar = Literal["uuid", "identifier", "text", "integer", "number", "flag", "date", "partial date"]
"""What one value is: `identifier` a whole number that only names, `date` a day or less precise."""

Value = str | int | float | bool

_UUID: Final = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}"
_WHOLE: Final = "-?[0-9]{1,18}"
_NUMBER: Final = r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?"


def canonical(uuid: str) -> str:
    """The UUID in lower case with its hyphens.

    >>> canonical("8087033A4DCA518DA4C3473381B589DE")
    '8087033a-4dca-518d-a4c3-473381b589de'
    """
    plain = uuid.lower().replace("-", "")
    return "-".join((plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]))


_READERS: Final[Mapping[Scalar, tuple[str, Callable[[str], Value], str]]] = {
    "uuid": (_UUID, canonical, "needs a UUID such as 5240d97e-07f4-515b-aef2-314586dabea8"),
    "identifier": (_WHOLE, int, "needs a whole number"),
    "text": ("(?s:.+)", str, "is empty"),
    "integer": (_WHOLE, int, "needs a whole number"),
    "number": (_NUMBER, float, "needs a finite number"),
    "flag": ("true|false", "true".__eq__, "needs true or false"),
}
"""By kind: the texts that stand for a value, the value of one, and what another text is told."""

_WRITABLE: Final[Mapping[Scalar, tuple[type | tuple[type, ...], str]]] = {
    "uuid": (str, "needs text"),
    "identifier": ((str, numbers.Integral), "needs an identifier: a whole number or its digits"),
    "text": (str, "needs text"),
    "integer": (numbers.Integral, "needs a whole number"),
    "number": (numbers.Real, "needs a number"),
    "flag": (bool, "needs True or False"),
}
"""By kind: the types of a value that can be written, and what another value is told."""


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


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID.

    >>> is_uuid("80870339-4DCA-518d-a4c3-473381b589de"), is_uuid("amitim.com")
    (True, False)
    """
    return re.fullmatch(_UUID, text) is not None


def fold(text: str) -> str:
    """The text as it is compared where case does not count, in every program alike.

    >>> fold("NorthEastern University"), fold("STRASSE") == fold("Straße")
    ('northeastern university', True)
    """
    return text.casefold()


def write(kind: Scalar, value: object) -> str:
    """The value as a filter writes it; `ValueError` where it is not of this kind.

    >>> write("number", 5e6)
    '5000000'
    """
    kinds, reason = _WRITABLE[kind]
    if not isinstance(value, kinds) or isinstance(value, bool) != (kind == "flag"):
        raise ValueError(reason)
    if kind == "uuid":
        return cast("str", read(kind, cast("str", value)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return cast("str", value)
