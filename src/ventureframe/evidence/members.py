"""Members of a question. A kind says how values are checked, worded, read from text and written.

A member that is None is no condition, whatever its kind; so is the text `none` or `any`.
"""

from __future__ import annotations

import ast
import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import Currency, Place, is_uuid

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

Name = Literal[
    "text", "texts", "entries", "place", "year", "years", "amounts", "score", "flag", "currency"
]
"""What a kind is called where a question declares its members."""

Read = Callable[[Any], Any]

_PLACES: Final = get_args(Place)
_CURRENCIES: Final = get_args(Currency)


@dataclass(frozen=True, slots=True)
class Kind:
    """What the values of a member are: how they are checked, worded, read, and written as text.

    `takes` says in words what `reader` takes, from a command line or as a literal; it raises
    `ValueError` for anything else. `check` raises `UnsupportedValue` for what no study can be made
    of. `nothing` is said of no condition. A list can be given several times on a command line.
    """

    name: str
    takes: str
    reader: Read
    check: Callable[[Any, Member], Any] = lambda value, _: value
    words: Callable[[Any], str] = str
    nothing: str = "any, or not recorded"
    writer: Callable[[Any], str] | None = None
    is_list: bool = False
    takes_none: bool = True

    def worded(self, value: Any) -> str:
        """A value in words."""
        return self.nothing if value in (None, ()) else self.words(value)

    def read(self, given: Any) -> Any:
        """Read a value from text or a literal; raises `ValueError` for one of another kind."""
        return None if self.takes_none and _is_none(given) else self.reader(given)

    def written(self, value: Any) -> str:
        """Write a value as text that is read back as it was; as a literal where words are not.

        >>> KINDS["entries"].written([("Amitim", "amitim.com"), ("B", None)])
        'Amitim, amitim.com; B'
        >>> KINDS["years"].written((2005, None))
        '2005-'
        """
        if value in (None, ()):
            return "none"
        if self.writer is None:
            return str(value)
        value = list(value) if self.is_list else value
        text = self.writer(value)
        try:
            is_read_back = self.read(text) == value
        except ValueError:
            is_read_back = False
        return text if is_read_back else repr(value)


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

    def refuse(self, value: Any, reason: str) -> UnsupportedValue:
        """Make the error that names the member, its value and what is wrong with it."""
        return UnsupportedValue(value, field=self.name, reason=reason)

    @property
    def option(self) -> str:
        """Its option on the command line, in the singular where it is a list.

        >>> [Member(n, "", KINDS["texts"], (), "").option for n in ("universities", "status")]
        ['--university', '--status']
        """
        name = self.name.replace("_", "-")
        if self.kind.is_list:
            name = f"{name[:-3]}y" if name.endswith("ies") else re.sub("(?<!u)s$", "", name)
        return f"--{name}"


def member(
    label: str,
    kind: Name,
    help: str,  # noqa: A002
    *,
    default: Any = None,
    **more: str,
) -> Any:
    """A field of a question that a form, a notebook and a command line can set: see `Member`."""
    described = {"label": label, "kind": KINDS[kind], "help": help, **more}
    return field(default=default, metadata=described)


def argument(help: str, *, default: Any = None) -> Any:  # noqa: A002
    """A field of a question that only code can set."""
    return field(default=default, metadata={"help": help})


# --- checks: what no study can be made of raises `UnsupportedValue`


_EARLIEST: Final = 1900
"""No condition on a year names an earlier one: two digits of a year are a slip."""


def _entries(given: Any, member: Member) -> tuple[Any, ...]:
    """Each record or tuple of texts once; a UUID alone stands for name and domain."""
    forms = {"tag": "(label, type)", "location": "(name, type, within)"}
    form = forms.get(str(member.picks), "(name, domain)")
    wrong = member.refuse(given, f"give {form} for each")
    if isinstance(given, str):
        raise wrong
    entries: list[Any] = []
    for entry in given or ():
        is_alone = isinstance(entry, str) and is_uuid(entry)
        named = (entry, None) if is_alone else tuple(entry) if isinstance(entry, list) else entry
        if isinstance(named, str):
            raise wrong
        if isinstance(named, tuple):
            is_named = 2 <= len(named) <= 1 + form.count(",") and isinstance(named[0], str)
            if not is_named:
                raise wrong
        entries.append(named)
    return tuple(dict.fromkeys(entries))


def _texts(given: Any, member: Member) -> tuple[str, ...]:
    """Each text once, without blanks around it."""
    texts = (given,) if isinstance(given, str) else tuple(given or ())
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise member.refuse(given, "give a text, or a list of texts")
    return tuple(dict.fromkeys(text.strip() for text in texts))


def _range(given: Any, member: Member) -> Range | None:
    """A range with an end that is given, else None; it is not reversed."""
    low, high = given if isinstance(given, (tuple, list)) else (given, None)
    if member.kind.name == "years":
        low, high, reverse = _year(low, member), _year(high, member), "{} is after {}"
    else:
        reverse = "{:,.15g} is more than {:,.15g}"
    if low is not None and high is not None and low > high:
        raise member.refuse(given, reverse.format(low, high))
    return None if low is None and high is None else (low, high)


def _year(given: Any, member: Member) -> int | None:
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


def _listed(entries: Iterable[Entry]) -> str:
    return "; ".join(", ".join(filter(None, entry)) for entry in entries)


def _yes_or_no(flag: object) -> str:
    return "yes" if flag else "no"


def _written_range(ends: Range) -> str:
    return "-".join("" if end is None else repr(end) for end in ends)


# --- readers: of text or of a literal; they raise `ValueError` for any other


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


def _is_none(given: Any) -> bool:
    """Whether it is None, or text that says so."""
    return given is None or (isinstance(given, str) and given.strip().lower() in ("none", "any"))


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
    low, high = typed(literal(given), tuple, list)
    return None if _is_none(low) else end(low), None if _is_none(high) else end(high)


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("text", "text", lambda given: typed(given, str), nothing=""),
        Kind(
            "texts",
            "texts such as 'operational' or 'acquired, closed'",
            _read_texts,
            check=_texts,
            words=" or ".join,
            writer=", ".join,
            is_list=True,
        ),
        Kind(
            "entries",
            "names, each with its website domain or its type, such as "
            "'Amitim, amitim.com; Phoenix, fnx.co.il' (a UUID can stand for both)",
            _read_entries,
            check=_entries,
            words=_listed,
            nothing="any",
            writer=_listed,
            is_list=True,
        ),
        Kind(
            "place",
            f"a place, its type ({', '.join(_PLACES)}) and perhaps the place it is within, such as "
            "'London, city, United Kingdom' or 'Atlanta, city, Georgia (region)'",
            _read_place,
            check=lambda given, member: None if given is None else _entries([given], member)[0],
            words=", ".join,
            nothing="anywhere, or not recorded",
            writer=lambda place: repr(place) if "," in "".join(place) else ", ".join(place),
        ),
        Kind(
            "year",
            "a year such as 2005",
            _read_whole,
            check=_year,
            words=lambda first: f"{first} or later",
        ),
        Kind(
            "years",
            "years such as 2005-2015, 2005- or -2015",
            partial(_read_range, _read_whole),
            check=_range,
            words=_ends("g"),
            writer=_written_range,
        ),
        Kind(
            "amounts",
            "amounts such as 1000000-5000000, 1000000- or -5000000",
            partial(_read_range, _read_number),
            check=_range,
            words=_ends(",.15g"),
            writer=_written_range,
        ),
        Kind(
            "score",
            "a number such as 60",
            _read_number,
            check=_score,
            words=lambda score: f"{score:g} or more",
        ),
        Kind(
            "flag",
            "yes or no",
            lambda given: typed(literal({"yes": True, "no": False}.get(str(given), given)), bool),
            words=_yes_or_no,
            nothing="either, or not recorded",
            writer=_yes_or_no,
        ),
        Kind(
            "currency",
            f"one of {', '.join(_CURRENCIES)}",
            lambda given: given if given in _CURRENCIES else typed(None),
            check=_currency,
            nothing="the service's default",
        ),
    )
}
"""The kinds of members by name."""
