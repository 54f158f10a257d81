"""Members of a question, and their kinds: what each takes, and how it is read, checked and said.

A member that is None is no condition, whatever its kind; so is the text `none` or `any`.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

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

Read = Callable[[Any], Any]

_NO_CONDITION: Final = ("none", "any")
_PLACES: Final = get_args(Place)
_CURRENCIES: Final = get_args(Currency)
_EARLIEST: Final = 1900
"""No condition on a year names an earlier one: two digits of a year are a slip."""
_ANY: Final = "any, or not recorded"
_FORMS: Final = {"tag": "(label, type)", "location": "(name, type, within)"}
"""What names a record of other kinds than (name, domain)."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a question: its name, its label, its kind, its default, what it means.

    `kind` is one of `KINDS`; a form has a control for each. `picks` is the kind of record that the
    member names, if it names one; `beside` the member whose record it tells from others of the
    name; `tests` the field of companies that it is a condition on.
    """

    name: str
    label: str
    kind: str
    default: Any
    help: str
    picks: Picked | None = None
    beside: str | None = None
    tests: str | None = None

    def refuse(self, value: Any, reason: str) -> UnsupportedValue:
        """Make the error that names the member, its value and what is wrong with it."""
        return UnsupportedValue(value, field=self.name, reason=reason)


@dataclass(frozen=True, slots=True)
class Kind:
    """What a member is.

    `takes` says what text is read; `parse` reads it, or a Python literal, and raises `ValueError`
    for any other; `check` gives the value as a question holds it and raises `UnsupportedValue` for
    one that no study can be made of; `word` says a value to a reader, `nothing` no condition;
    `write` makes text that is read back. Of a kind that `is_several` a value is a list.
    """

    takes: str
    parse: Read
    check: Callable[[Any, Member], Any] = lambda value, _: value
    word: Callable[[Any], str] = str
    nothing: str = _ANY
    write: Callable[[Any], str] = str
    is_several: bool = False

    def read(self, given: Any) -> Any:
        """The value, read from text as a command line has it or from a Python literal."""
        return or_none(self.parse)(given)

    def worded(self, value: Any) -> str:
        """The value in words."""
        return self.nothing if value in (None, ()) else self.word(value)

    def written(self, value: Any) -> str:
        """The value as text that is read back as it was; as a Python literal if words are not.

        >>> KINDS["entries"].written([("Amitim", "amitim.com"), ("B", None)])
        'Amitim, amitim.com; B'
        >>> KINDS["years"].written((2005, None))
        '2005-'
        """
        if value in (None, ()):
            return "none"
        value = list(value) if self.is_several else value
        text = self.write(value)
        try:
            return text if self.read(text) == value else repr(value)
        except ValueError:
            return repr(value)


def member(
    label: str,
    kind: str,
    help: str,  # noqa: A002
    *,
    default: Any = None,
    **more: str,
) -> Any:
    """A field of a question that a form, a notebook and a command line can set: see `Member`."""
    return field(default=default, metadata={"label": label, "kind": kind, "help": help, **more})


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


def typed(value: Any, *types: type) -> Any:
    """The value where it has one of these types; a truth value is not a number."""
    if type(value) not in types:
        raise ValueError(value)
    return value


def or_none(read: Read) -> Read:
    """The reader that also takes None, and text that says so."""
    return lambda given: None if given is None or _is_none(given) else read(given)


def _is_none(given: Any) -> bool:
    return isinstance(given, str) and given.strip().lower() in _NO_CONDITION


# --- texts


def _words(given: Any) -> str:
    """The text without blanks around it; text of blanks alone is refused."""
    text: str = typed(given, str).strip()
    return text if text else typed(None)


def _read_texts(given: Any) -> list[str]:
    """One text or several; text is split at its commas and semicolons."""
    value = literal(given)
    parts = value if isinstance(value, (list, tuple)) else [typed(value, str)]
    return [_words(text) for part in parts for text in re.split("[,;]", typed(part, str))]


def _texts(given: Any, member: Member) -> tuple[str, ...]:
    """Each text once, without blanks around it."""
    texts = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise member.refuse(given, "give a text, or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in texts))


# --- what names records


def _read_entries(given: Any) -> list[tuple[str, str | None]] | None:
    """One entry or several; text is split at its semicolons. `none` alone is no condition."""
    value = literal(given)
    parts = list(value) if isinstance(value, (list, tuple)) else typed(given, str).split(";")
    if len(parts) == 1 and _is_none(parts[0]):
        return None
    return [
        _read_entry(entry)
        for part in parts
        for entry in (part.split(";") if isinstance(part, str) else [part])
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
    value = literal(given)
    if isinstance(value, str):
        parts = value.split(",")
        at = max(i for i, part in enumerate(parts) if part.strip() in _PLACES)
        value = tuple(filter(None, [",".join(parts[:at]), parts[at], ",".join(parts[at + 1 :])]))
    name, kind, *within = map(_words, typed(value, tuple, list))
    if kind not in _PLACES or len(within) > 1:
        raise ValueError(given)
    return name, kind, *within


def _entries(given: Any, member: Member) -> tuple[Any, ...]:
    """Each record or tuple of texts once; a UUID alone stands for name and domain."""
    form = _FORMS.get(str(member.picks), "(name, domain)")
    wrong = member.refuse(given, f"give {form} for each")
    if isinstance(given, str):
        raise wrong
    entries: list[Any] = []
    for entry in given or ():
        if isinstance(entry, str) and is_uuid(entry):
            entries.append((entry, None))
            continue
        named = tuple(entry) if isinstance(entry, list) else entry
        is_tuple = isinstance(named, tuple)
        is_named = is_tuple and 2 <= len(named) <= 1 + form.count(",") and isinstance(named[0], str)
        if isinstance(named, str) or (is_tuple and not is_named):
            raise wrong
        entries.append(named)
    return tuple(dict.fromkeys(entries))


# --- numbers


def _read_number(given: Any) -> float:
    return float(typed(literal(given), int, float))


def _read_range(end: Read, given: Any) -> Any:
    """Two ends, in text with a dash between them, either of them open."""
    if isinstance(given, str) and "-" in given and not given.startswith(("(", "[")):
        given = [part.strip() or None for part in given.split("-")]
    low, high = map(or_none(end), typed(literal(given), tuple, list))
    return low, high


def _range(given: Any, member: Member, *, are_years: bool) -> Range | None:
    """A range with an end that is given, else None; it is not reversed."""
    low, high = given if isinstance(given, (tuple, list)) else (given, None)
    if are_years:
        low, high = _year(low, member), _year(high, member)
    if low is not None and high is not None and low > high:
        is_reversed = f"{low} is after" if are_years else f"{low:,.15g} is more than"
        raise member.refuse(given, f"{is_reversed} {high if are_years else f'{high:,.15g}'}")
    return None if low is None and high is None else (low, high)


def _year(given: Any, member: Member) -> Any:
    """A year from 1900 to next, or None."""
    latest = dt.datetime.now(dt.UTC).year + 1
    if given is not None and (not isinstance(given, int) or not _EARLIEST <= given <= latest):
        raise member.refuse(given, f"give a year from {_EARLIEST} to {latest}, or none for any")
    return given


def _score(given: Any, member: Member) -> Any:
    """A number from 0 to 100, or None."""
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if given is not None and not (is_number and 0 <= given <= 100):
        raise member.refuse(given, "give a number from 0 to 100")
    return given


def _currency(given: Any, member: Member) -> Any:
    if given is not None and given not in _CURRENCIES:
        raise member.refuse(given, f"amounts come in {', '.join(_CURRENCIES)}")
    return given


def _ends(form: str) -> Callable[[Range], str]:
    return lambda ends: " ".join(
        f"{word} {end:{form}}"
        for word, end in zip(("from", "to"), ends, strict=True)
        if end is not None
    )


def _write_range(ends: Range) -> str:
    return "-".join("" if end is None else repr(end) for end in ends)


def _name_entries(entries: Any) -> str:
    return "; ".join(", ".join(filter(None, entry)) for entry in entries)


def _say_flag(flag: bool) -> str:  # it is the value
    return "yes" if flag else "no"


KINDS: Final[Mapping[str, Kind]] = {
    "text": Kind("text", lambda given: typed(given, str), nothing=""),
    "texts": Kind(
        "texts such as 'operational' or 'acquired, closed'",
        _read_texts,
        _texts,
        word=" or ".join,
        write=", ".join,
        is_several=True,
    ),
    "entries": Kind(
        "names, each with its website domain or its type, such as "
        "'Amitim, amitim.com; Phoenix, fnx.co.il' (a UUID can stand for both)",
        _read_entries,
        _entries,
        word=_name_entries,
        nothing="any",
        write=_name_entries,
        is_several=True,
    ),
    "place": Kind(
        f"a place, its type ({', '.join(_PLACES)}) and perhaps the place it is within, such as "
        "'London, city, United Kingdom' or 'Atlanta, city, Georgia (region)'",
        _read_place,
        lambda given, member: None if given is None else _entries([given], member)[0],
        word=", ".join,
        nothing="anywhere, or not recorded",
        write=lambda place: repr(place) if "," in "".join(place) else ", ".join(place),
    ),
    "year": Kind(
        "a year such as 2005",
        lambda given: typed(literal(given), int),
        _year,
        word=lambda first: f"{first} or later",
    ),
    "years": Kind(
        "years such as 2005-2015, 2005- or -2015",
        partial(_read_range, lambda given: typed(literal(given), int)),
        partial(_range, are_years=True),
        word=_ends("g"),
        write=_write_range,
    ),
    "amounts": Kind(
        "amounts such as 1000000-5000000, 1000000- or -5000000",
        partial(_read_range, _read_number),
        partial(_range, are_years=False),
        word=_ends(",.15g"),
        write=_write_range,
    ),
    "score": Kind("a number such as 60", _read_number, _score, lambda low: f"{low:g} or more"),
    "flag": Kind(
        "yes or no",
        lambda given: typed(literal({"yes": True, "no": False}.get(str(given), given)), bool),
        word=_say_flag,
        nothing="either, or not recorded",
        write=_say_flag,
    ),
    "currency": Kind(
        f"one of {', '.join(_CURRENCIES)}",
        lambda given: given if given in _CURRENCIES else typed(None),
        _currency,
        nothing="the service's default",
    ),
}
"""The kinds of member: a form has a control for each by its name."""
