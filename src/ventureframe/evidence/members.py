"""Members of a question: by their kind they are checked, worded, and read from and written as text.

A member that is None is no condition, whatever its kind; so is the text `none` or `any`.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import Currency, Place
from ventureframe.interface.values import is_uuid

if TYPE_CHECKING:
    from ventureframe.client.lookups import Kind as Picked

Range = tuple[float | None, float | None]
"""From and to, both inclusive; None leaves that end open."""

Entry = tuple[str, str | None] | tuple[str, str, str]
"""What names one record: name and website domain, or label and type.

A UUID can stand in place of the domain, or of both. A place is named by its name and type, and
where several have that name by the place it is within: `("Atlanta", "city", "Georgia (region)")`.
The place's own id in square brackets, `"Georgia (region) [12]"`, tells it from any other.
"""

Kind = Literal[
    "text", "texts", "entries", "place", "year", "years", "amounts", "score", "flag", "currency"
]
"""What a member is; it decides how it is worded, which control changes it, how text is read."""

Read = Callable[[Any], Any]

_NO_CONDITION: Final = ("none", "any")
_PLACES: Final = get_args(Place)
_CURRENCIES: Final = get_args(Currency)


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a question: its name, its label, its kind, its default, what it means.

    `picks` is the kind of record that it names, if it names one; `beside` the member whose record
    it tells from others of the name; `tests` the field of companies that it is a condition on.
    """

    name: str
    label: str
    kind: Kind
    default: Any
    help: str
    picks: Picked | None = None
    beside: str | None = None
    tests: str | None = None


def member(
    label: str,
    kind: Kind,
    help: str,  # noqa: A002
    *,
    default: Any = None,
    **more: str,
) -> Any:
    """A field of a question that a form, a notebook and a command line can set: see `Member`."""
    return field(default=default, metadata={"label": label, "kind": kind, "help": help, **more})


# --- checked: what no study can be made of raises `UnsupportedValue`


def checked(member: Member, given: Any) -> Any:
    """The value of a member as a question holds it; raises `UnsupportedValue` for a wrong one."""
    check = _CHECKS.get(member.kind)
    return given if check is None else check(given, member)


_EARLIEST: Final = 1900
"""No condition on a year names an earlier one: two digits of a year are a slip."""


_FORMS: Final = {"tag": "(label, type)", "location": "(name, type, within)"}
"""What names a record of other kinds than (name, domain)."""


def _entries(given: Iterable[Any] | None, member: Member) -> tuple[Any, ...]:
    """Each record or pair of texts once; a UUID alone stands for name and domain.

    A place is also named by what it lies in.
    """
    form = _FORMS.get(str(member.picks), "(name, domain)")
    wrong = UnsupportedValue(given, field=member.name, reason=f"give {form} for each")
    if isinstance(given, str):
        raise wrong
    found = [_pair(each) for each in given or ()]
    for each in found:
        most = 1 + form.count(",")
        is_named = isinstance(each, tuple) and 2 <= len(each) <= most and isinstance(each[0], str)
        if isinstance(each, str) or (isinstance(each, tuple) and not is_named):
            raise wrong
    return tuple(dict.fromkeys(found))


def _place(given: Any, member: Member) -> Any:
    return None if given is None else _entries([given], member)[0]


def _pair(entry: Any) -> Any:
    """A list as a tuple, a UUID as the pair that it stands for; anything else unchanged."""
    if isinstance(entry, str) and is_uuid(entry):
        return entry, None
    return tuple(entry) if isinstance(entry, list) else entry


def _texts(given: Iterable[str] | str | None, member: Member) -> tuple[str, ...]:
    """Each text once, without blanks around it."""
    each = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(text, str) for text in each) or not all(map(str.strip, each)):
        raise UnsupportedValue(given, field=member.name, reason="give a text, or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in each))


def _range(given: Any, member: Member) -> Range | None:
    """A range with an end that is given, else None; it is not reversed."""
    low, high = given if isinstance(given, (tuple, list)) else (given, None)
    if member.kind == "years":
        low, high = _year(low, member), _year(high, member)
    if low is not None and high is not None and low > high:
        raise UnsupportedValue(given, field=member.name, reason=_reversed(member, low, high))
    return None if low is None and high is None else (low, high)


def _reversed(member: Member, low: float, high: float) -> str:
    is_year = member.kind == "years"
    return f"{low} is after {high}" if is_year else f"{low:,.15g} is more than {high:,.15g}"


def _year(given: Any, member: Member) -> int | None:
    """A year from 1900 to next, or None."""
    latest = dt.datetime.now(dt.UTC).year + 1
    if given is not None and (not isinstance(given, int) or not _EARLIEST <= given <= latest):
        reason = f"give a year from {_EARLIEST} to {latest}, or none for any"
        raise UnsupportedValue(given, field=member.name, reason=reason)
    return given


def _score(given: Any, member: Member) -> Any:
    """A number from 0 to 100, or None."""
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if given is not None and not (is_number and 0 <= given <= 100):
        raise UnsupportedValue(given, field=member.name, reason="give a number from 0 to 100")
    return given


def _currency(given: Any, member: Member) -> Any:
    if given is not None and given not in _CURRENCIES:
        reason = f"amounts come in {', '.join(_CURRENCIES)}"
        raise UnsupportedValue(given, field=member.name, reason=reason)
    return given


_CHECKS: Final[Mapping[Kind, Callable[[Any, Member], Any]]] = {
    "texts": _texts,
    "entries": _entries,
    "place": _place,
    "year": _year,
    "years": _range,
    "amounts": _range,
    "score": _score,
    "currency": _currency,
}


# --- in words


def worded(kind: Kind, value: Any) -> str:
    """A member in words."""
    nothing, said = _WORDED[kind]
    return nothing if value in (None, ()) else said(value)


def _ends(form: str) -> Callable[[Range], str]:
    return lambda ends: " ".join(
        f"{word} {end:{form}}"
        for word, end in zip(("from", "to"), ends, strict=True)
        if end is not None
    )


_ANY: Final = "any, or not recorded"
_WORDED: Final[Mapping[Kind, tuple[str, Callable[[Any], str]]]] = {
    "text": ("", str),
    "texts": (_ANY, " or ".join),
    "currency": ("the service's default", str),
    "entries": ("any", lambda found: "; ".join(", ".join(filter(None, each)) for each in found)),
    "place": ("anywhere, or not recorded", ", ".join),
    "year": (_ANY, lambda first: f"{first} or later"),
    "years": (_ANY, _ends("g")),
    "amounts": (_ANY, _ends(",.15g")),
    "score": (_ANY, lambda score: f"{score:g} or more"),
    "flag": ("either, or not recorded", lambda flag: "yes" if flag else "no"),
}
"""What is said of no condition, and how any other is said."""


# --- read from text or a literal; a reader raises `ValueError` for any other


def read(kind: Kind, given: Any) -> Any:
    """The value, read from text as a command line has it or from a Python literal.

    Raises `ValueError` for one of another kind.
    """
    return or_none(_READERS[kind][1])(given)


def takes(kind: Kind) -> str:
    """What a member of the kind takes, in words."""
    return _READERS[kind][0]


def literal(given: Any) -> Any:
    """Text as the Python literal that it spells, else as it is; any other value unchanged.

    >>> literal("[1, 2]"), literal("true"), literal("Fintech, sector"), literal(5)
    ([1, 2], True, 'Fintech, sector', 5)
    """
    if not isinstance(given, str):
        return given
    try:
        return ast.literal_eval({"true": "True", "false": "False"}.get(given, given))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return given


def typed(found: Any, *types: type) -> Any:
    """The value where it has one of these types; a truth value is not a number."""
    if type(found) not in types:
        raise ValueError(found)
    return found


def or_none(read: Read) -> Read:
    """The reader that also takes None, and text that says so."""
    return lambda given: None if given is None or _is_none(given) else read(given)


def _is_none(given: Any) -> bool:
    return isinstance(given, str) and given.strip().lower() in _NO_CONDITION


def _words(given: Any) -> str:
    """The text without blanks around it; text of blanks alone is refused."""
    found: str = typed(given, str).strip()
    return found if found else typed(None)


def _read_texts(given: Any) -> list[str]:
    """One text or several; text is split at its commas and semicolons."""
    found = literal(given)
    parts = found if isinstance(found, (list, tuple)) else [typed(found, str)]
    return [_words(each) for part in parts for each in re.split("[,;]", typed(part, str))]


def _read_entries(given: Any) -> list[tuple[str, str | None]] | None:
    """One entry or several; text is split at its semicolons. `none` alone is no condition."""
    found = literal(given)
    parts = list(found) if isinstance(found, (list, tuple)) else typed(given, str).split(";")
    if len(parts) == 1 and _is_none(parts[0]):
        return None
    return [
        _read_entry(each)
        for part in parts
        for each in (part.split(";") if isinstance(part, str) else [part])
    ]


def _read_entry(given: Any) -> tuple[str, str | None]:
    """A name and what tells it apart; names hold commas, so text is split at its last one."""
    if isinstance(given, str):
        name, comma, other = given.rpartition(",")
        given = (name, other) if comma else (other, None)
    name, other = typed(given, tuple, list)
    return _words(name), None if other is None else _words(other)


def _read_place(given: Any) -> tuple[str, ...]:
    """A name, a type and perhaps what it lies in; text is split around the last type in it."""
    found = literal(given)
    if isinstance(found, str):
        parts = found.split(",")
        at = max(i for i, part in enumerate(parts) if part.strip() in _PLACES)
        found = tuple(filter(None, [",".join(parts[:at]), parts[at], ",".join(parts[at + 1 :])]))
    name, kind, *within = map(_words, typed(found, tuple, list))
    if kind not in _PLACES or len(within) > 1:
        raise ValueError(given)
    return name, kind, *within


def _read_whole(given: Any) -> Any:
    return typed(literal(given), int)


def _read_number(given: Any) -> float:
    return float(typed(literal(given), int, float))


def _read_range(end: Read, given: Any) -> Any:
    """Two ends, in text with a dash between them, either of them open."""
    if isinstance(given, str) and "-" in given and not given.startswith(("(", "[")):
        given = [each.strip() or None for each in given.split("-")]
    low, high = map(or_none(end), typed(literal(given), tuple, list))
    return low, high


_READERS: Final[Mapping[Kind, tuple[str, Read]]] = {
    "text": ("text", lambda given: typed(given, str)),
    "texts": ("texts such as 'operational' or 'acquired, closed'", _read_texts),
    "entries": (
        "names, each with its website domain or its type, such as "
        "'Amitim, amitim.com; Phoenix, fnx.co.il' (a UUID can stand for both)",
        _read_entries,
    ),
    "place": (
        f"a place, its type ({', '.join(_PLACES)}) and perhaps the place it is within, such as "
        "'London, city, United Kingdom' or 'Atlanta, city, Georgia (region)'",
        _read_place,
    ),
    "year": ("a year such as 2005", _read_whole),
    "years": (
        "years such as 2005-2015, 2005- or -2015",
        lambda given: _read_range(_read_whole, given),
    ),
    "amounts": (
        "amounts such as 1000000-5000000, 1000000- or -5000000",
        lambda given: _read_range(_read_number, given),
    ),
    "score": ("a number such as 60", _read_number),
    "flag": (
        "yes or no",
        lambda given: typed(literal({"yes": True, "no": False}.get(str(given), given)), bool),
    ),
    "currency": (
        f"one of {', '.join(_CURRENCIES)}",
        lambda given: given if given in _CURRENCIES else typed(None),
    ),
}
"""What a member of each kind takes, in words, and its reader."""


# --- written as the command line takes it


def written(kind: Kind, value: Any) -> str:
    """A member's value as text that is read back as it was; as a Python literal if words are not.

    >>> written("entries", [("Amitim", "amitim.com"), ("B", None)]), written("years", (2005, None))
    ('Amitim, amitim.com; B', '2005-')
    """
    if value in (None, ()):
        return "none"
    if kind not in _WRITERS:
        return str(value)
    value = list(value) if kind in ("entries", "texts") else value
    said = _WRITERS[kind](value)
    try:
        is_read_back = read(kind, said) == value
    except ValueError:
        is_read_back = False
    return said if is_read_back else repr(value)


def _written_range(ends: Range) -> str:
    return "-".join("" if end is None else repr(end) for end in ends)


_WRITERS: Final[Mapping[Kind, Callable[[Any], str]]] = {
    **{kind: _WORDED[kind][1] for kind in ("flag", "entries")},
    "years": _written_range,
    "amounts": _written_range,
    "texts": ", ".join,
    "place": lambda place: repr(place) if "," in "".join(place) else ", ".join(place),
}
