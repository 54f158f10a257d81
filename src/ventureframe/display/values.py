"""How the values of one column are shown: by what they are, with one precision for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

from ventureframe.display.wording import in_words
from ventureframe.errors import visible

Kind = Literal[
    "text", "number", "money", "native", "year", "date", "month", "flag", "id", "state", "link"
]
"""What a column holds; it decides how a value is shown and how a reader may sort by it.

`native` is an amount in the currency that stands beside it, `month` the first day of one.
"""
Shown = Callable[[Any], str]

SORTED_AS: Final[Mapping[Kind, str]] = {
    **dict.fromkeys(("text", "flag", "id", "state", "link"), "text"),
    **dict.fromkeys(("number", "money", "native", "year"), "number"),
    **dict.fromkeys(("date", "month"), "date"),
}
TYPES: Final[Mapping[Kind, str]] = {
    **{kind: kind for kind in ("text", "number", "year", "date")},
    "money": "number, in the currency of the study",
    "native": "number, in its own currency",
    "month": "date, the first of a month",
    "flag": "true or false",
    "id": "text, an identifier",
    "state": "text, one of a closed set",
    "link": "text, an address",
}
"""What the frame's column of each kind holds, in words."""
_MILLION: Final = 1e6
_SMALL: Final = 1e3
"""Amounts are shown in millions, unless most of a column are below this."""


class Missing(str):
    """A null of one row with its reason, such as "not convertible"; in CSV it is empty."""

    __slots__ = ()


def shown(kind: Kind, known: Sequence[Any]) -> Shown:
    """How a reader sees values of this kind, given all that are known in their column.

    >>> list(map(shown("number", [61, 54.9]), [61, 54.9])), shown("flag", [])(True)
    (['61.0', '54.9'], 'yes')
    """
    made = _BY_COLUMN.get(kind)
    return _ALONE[kind] if made is None else made(known)


def numbers(known: Sequence[float]) -> Shown:
    """Numbers with thousands separated and as many decimals as the column needs, two at most."""
    needed = (f"{each:.2f}".rstrip("0").partition(".")[2] for each in known)
    return _fixed(max(map(len, needed), default=0))


def amounts(known: Sequence[float]) -> Shown:
    """Amounts in millions: one decimal, or more where most of the column would be lost.

    An amount too small for that is shown as less than the least one, never as zero.

    >>> list(map(amounts([4.1e6, 55_834_614.93, 9e9]), [4.1e6, 55_834_614.93, 9e9, 10_000, 0]))
    ['4.1m', '55.8m', '9,000.0m', '<0.1m', '0']
    """
    sizes = sorted(abs(each) for each in known if each)
    middle = sizes[len(sizes) // 2] if sizes else _MILLION
    if middle < _SMALL:
        return numbers(known)
    decimals = next((n for n, least in ((1, 1e5), (2, 1e4)) if middle >= least), 3)
    in_millions = _fixed(decimals)

    def amount(value: float) -> str:
        least = 10.0**-decimals
        if not value:
            return "0"
        if abs(value) / _MILLION < least / 2:
            return f"{'>−' if value < 0 else '<'}{least:.{decimals}f}m"
        return f"{in_millions(value / _MILLION)}m"

    return amount


def day(value: Any) -> str:
    """A date as `17 June 2013` is shortened: `17 Jun 2013`."""
    return f"{value.day} {value:%b %Y}" if hasattr(value, "day") else str(value)


def host(address: Any) -> str:
    """What an address is of: `https://news.example/a/b` is of `news.example`."""
    return str(address).partition("://")[2].partition("/")[0].removeprefix("www.") or str(address)


def _fixed(decimals: int) -> Shown:
    return lambda value: f"{value:,.{decimals}f}".replace("-", "−")


def _plain(value: Any) -> str:
    """A text of the service, of which nothing but the ends of its lines steers a terminal."""
    return "\n".join(map(visible, str(value).split("\n")))


_ALONE: Final[Mapping[Kind, Shown]] = {
    "text": _plain,
    "id": _plain,
    "year": str,
    "state": in_words,
    "flag": {True: "yes", False: "no"}.__getitem__,
    "date": day,
    "month": lambda value: f"{value:%b %Y}",
    "link": lambda value: visible(host(value)),
}
_BY_COLUMN: Final[Mapping[Kind, Callable[[Sequence[Any]], Shown]]] = {
    "number": numbers,
    "money": amounts,
    "native": amounts,
}
