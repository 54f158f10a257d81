"""How the values of one column are shown: by what they are, with one precision for all of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from ventureframe.display.wording import in_words
from ventureframe.errors import visible

Kind = Literal[
    "text", "number", "money", "native", "year", "date", "month", "flag", "id", "state", "link"
]
"""What a column holds; it decides how a value is shown and how a reader may sort by it.

`native` is an amount in the currency that stands beside it, `month` the first day of one.
"""
Shown = Callable[[Any], str]


class Missing(str):
    """A null of one row with its reason, such as "not convertible"; in CSV it is empty."""

    __slots__ = ()


def _fixed(decimals: int) -> Shown:
    return lambda value: f"{value:,.{decimals}f}".replace("-", "−")


def numbers(values: Sequence[float]) -> Shown:
    """Show numbers with thousands separated and the decimals that the column needs, two at most."""
    needed = (f"{value:.2f}".rstrip("0").partition(".")[2] for value in values)
    return _fixed(max(map(len, needed), default=0))


def amounts(values: Sequence[float]) -> Shown:
    """Show amounts in millions: one decimal, or more where most of the column would be lost.

    An amount too small for that is shown as less than the least one, never as zero.

    >>> list(map(amounts([4.1e6, 55_834_614.93, 9e9]), [4.1e6, 55_834_614.93, 9e9, 10_000, 0]))
    ['4.1m', '55.8m', '9,000.0m', '<0.1m', '0']
    """
    sizes = sorted(abs(value) for value in values if value)
    middle = sizes[len(sizes) // 2] if sizes else 1e6
    if middle < 1e3:
        return numbers(values)
    decimals = 1 if middle >= 1e5 else 2 if middle >= 1e4 else 3
    least, show = 10.0**-decimals, _fixed(decimals)

    def amount(value: float) -> str:
        if 0 < abs(value) / 1e6 < least / 2:
            return f"{'>−' if value < 0 else '<'}{least:.{decimals}f}m"
        return f"{show(value / 1e6)}m" if value else "0"

    return amount


def _plain(value: Any) -> str:
    """A text of the service, of which nothing but the ends of its lines steers a terminal."""
    return "\n".join(map(visible, str(value).split("\n")))


def _day(value: Any) -> str:
    return f"{value.day} {value:%b %Y}" if hasattr(value, "day") else str(value)


def _host(address: Any) -> str:
    host = str(address).partition("://")[2].partition("/")[0].removeprefix("www.")
    return visible(host or str(address))


class Shape(NamedTuple):
    """What the frame's column of a kind holds, in words; how it is sorted; how values are shown.

    `show` is given all values of the column that are not null, and gives what shows one of them.
    """

    holds: str
    sorted_as: Literal["text", "number", "date"]
    show: Callable[[Sequence[Any]], Shown]


SHAPES: Final[Mapping[Kind, Shape]] = {
    "text": Shape("text", "text", lambda _: _plain),
    "id": Shape("text, an identifier", "text", lambda _: _plain),
    "state": Shape("text, one of a closed set", "text", lambda _: in_words),
    "link": Shape("text, an address", "text", lambda _: _host),
    "flag": Shape("true or false", "text", lambda _: {True: "yes", False: "no"}.__getitem__),
    "number": Shape("number", "number", numbers),
    "money": Shape("number, in the currency of the study", "number", amounts),
    "native": Shape("number, in its own currency", "number", amounts),
    "year": Shape("year", "number", lambda _: str),
    "date": Shape("date", "date", lambda _: _day),
    "month": Shape("date, the first of a month", "date", lambda _: "{:%b %Y}".format),
}
