"""Members of a question: how values of each kind are read from text, checked, worded
and written.

None is no condition, whatever the kind; so is the text `none` or `any`.
"""

import ast
import datetime as dt
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from ventureframe.errors import UnsupportedValue
from ventureframe.interface.fields import Currency, Place, is_uuid

# from and to, both inclusive; None leaves an end open
Range = tuple[float | None, float | None]
Entry = tuple[str, str | None] | tuple[str, str | None, str]
"""What names one record: its name or label, and where several have that its domain or
type.

A UUID can stand in place of the domain, or of both. A place is named by its name and
type, and where several have that name by the place it is within: `("Atlanta",
"city", "Georgia")`. Its id in place of the type, `("Atlanta", "12")`, tells it from
any other.
"""
Check = Callable[[Any], Any]  # returns the value that is taken, or raises ValueError
_PLACES, _CURRENCIES = get_args(Place), get_args(Currency)
_TYPED = re.compile(rf"(.*),\s*({'|'.join(_PLACES)}|[0-9]+)\s*(?:,(.*))?")


def typed(*types: type) -> Check:
    """Make the check that a value has one of these types; a truth value is not a
    number.
    """

    def check(value: Any) -> Any:
        if type(value) not in types:
            raise ValueError
        return value

    return check


@dataclass(frozen=True)
class Kind:
    """How the values of a member are read, checked, worded, and written as text.

    `reader` makes a value from text or a literal, as `takes` describes; `check`
    returns the value that a question holds. Both raise `ValueError`, `check` with
    the reason. `nothing` is the wording of no condition. A list can be given several
    times on a command line.
    """

    name: str
    takes: str
    nothing: str
    reader: Check
    check: Check = lambda value: value
    words: Callable[[Any], str] = str
    writer: Callable[[Any], str] = str
    is_list: bool = False
    takes_none: bool = True

    def worded(self, value: Any) -> str:
        """Put a value in words."""
        return self.nothing if value in (None, ()) else self.words(value)

    def read(self, value: Any) -> Any:
        """Read a value from text or a literal; raises `ValueError` for one of
        another kind.
        """
        if self.takes_none and _is_none(value):
            return None
        checked = self.check(self.reader(value))
        return list(checked) if self.is_list else checked

    def written(self, value: Any) -> str:
        """Write a value as text that is read back unchanged: in words, else as a
        literal.

        >>> KINDS["entries"].written([("Amitim", "amitim.com"), ("B", None)])
        'Amitim, amitim.com; B'
        >>> KINDS["years"].written((2005, None))
        '2005-'
        """
        if value in (None, ()):
            return "none"
        value = list(value) if self.is_list else value
        text = self.writer(value)
        with suppress(ValueError):
            if self.read(text) == value:
                return text
        return repr(value)


@dataclass(frozen=True)
class Member:
    """One member of a question: its name, its label, its kind, its default, what it
    means.

    `picks` is the kind of record that it names, if it names one; `beside` the member
    whose record it tells from others of the name; `tests` the field of companies
    that it is a condition on; `offers` gives the values of a service that a form
    offers, and `tells` what one of them is, or one that is not offered.
    """

    name: str
    label: str
    kind: Kind
    default: Any
    help: str
    picks: str | None = None
    beside: str | None = None
    tests: str | None = None
    offers: Callable[[Any], Iterable[str]] | None = None
    tells: Callable[[str], str] | None = None

    def checked(self, value: Any) -> Any:
        """The value as a question holds it; raises `UnsupportedValue` with what is
        wrong.
        """
        if value is None and not self.kind.is_list:
            return None
        try:
            return self.kind.check(value)
        except UnsupportedValue:
            raise
        except (TypeError, ValueError) as error:
            takes = _FORMS.get(self.picks or "", self.kind.takes)
            # what Python says of a value that has no parts is nobody's sentence
            words = str(error) if isinstance(error, ValueError) else ""
            raise UnsupportedValue(
                value, field=self.name, reason=words or f"give {takes}"
            ) from None

    @property
    def is_chosen(self) -> bool:
        """Whether a record or a list is to be chosen, without which there is no
        question.
        """
        return self.picks is not None or self.kind.name == "list"

    @property
    def option(self) -> str:
        """Its option on the command line, in the singular where it is a list:
        `--university`.
        """
        name = self.name.replace("_", "-")
        if self.kind.is_list:
            name = re.sub("(?<!u)s$", "", re.sub("ies$", "y", name))
        return f"--{name}"


def member(
    label: str, kind: str, means: str, *, default: Any = None, **more: Any
) -> Any:
    """A field of a question that a form, a notebook and a command line can set: see
    `Member`.
    """
    about = {"label": label, "kind": KINDS[kind], "help": means, **more}
    return field(default=default, metadata=about)


# readers: make a value from text, or from what is a value already
def _is_none(value: Any) -> bool:
    words = value if isinstance(value, list | tuple) else (value,)
    return [str(word).strip().lower() for word in words] in (["none"], ["any"])


def _unpacked(value: Any) -> Any:
    """Read text in brackets as the literal that `Kind.written` falls back to."""
    if isinstance(value, str) and value.startswith(("(", "[")):
        with suppress(SyntaxError, MemoryError, RecursionError):
            return ast.literal_eval(value)
    return value


def _parsed(parse: Check) -> Check:
    """Make the reader that parses text and leaves any other value to the check."""

    def read(value: Any) -> Any:
        literal = _unpacked(value)
        return parse(literal) if isinstance(literal, str) else literal

    return read


def _read_texts(value: Any, separators: str = "[,;]") -> list[Any]:
    """Split text, and each text of a list, at the separators."""
    texts, literal = list[Any](), _unpacked(value)
    parts = [literal] if isinstance(literal, str) else typed(list, tuple)(literal)
    for part in parts:
        texts += re.split(separators, part) if isinstance(part, str) else [part]
    return texts


def _read_entries(value: Any) -> list[Any]:
    """Read one entry or several; names hold commas, so an entry is split at its last
    one.
    """
    entries = _read_texts(value, ";")
    for at, entry in enumerate(entries):
        if isinstance(entry, str) and "," in entry:
            entries[at] = entry.rsplit(",", 1)
    return entries


def _parse_place(text: str) -> Any:
    """Split a name, a type and what it is within around the last type; without a type
    at the last comma.
    """
    if with_type := _TYPED.fullmatch(text):
        name, kind, within = with_type.groups()
        return (name, kind, within) if within else (name, kind)
    name, comma, within = text.rpartition(",")
    return (name, None, within) if comma else text


def _parse_flag(text: str) -> bool | None:
    return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower())


def _parse_range(end: Check, text: str) -> Any:
    """Split two ends at the dash between them; either can be open."""
    low, high = text.split("-")
    return tuple(end(part) if part.strip() else None for part in (low, high))


# checks: raise `ValueError` for what no study can be made of, with a reason where it is
# not plain
def _text(value: Any) -> Any:
    """Strip text; refuse blanks alone."""
    if not (text := typed(str)(value).strip()):
        raise ValueError
    return text


def _texts(value: Any) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else value or ()
    return tuple(dict.fromkeys(map(_text, texts)))


def _place(entry: Any, most: int = 3) -> Any:
    """Check a record, or at most so many texts that name it; a name or a UUID alone
    is enough.
    """
    if isinstance(entry, str):
        return _text(entry), None
    if hasattr(entry, "named"):
        return entry
    if not 2 <= len(typed(tuple, list)(entry)) <= most or not entry[0]:
        raise ValueError
    return tuple(_text(part) if part else None for part in entry)


def _entries(value: Any) -> tuple[Any, ...]:
    entries = getattr(value, "entries", value) or ()  # of a matched list
    if isinstance(entries, str):
        raise ValueError
    return tuple(dict.fromkeys(_place(entry, most=2) for entry in entries))


def _range(end: Check, value: Any) -> Range | None:
    """Check a range, or its lower end: one end is given, and they are in order."""
    ends = (value, None) if isinstance(value, int | float) else value
    if not isinstance(ends, tuple | list) or len(ends) != 2:
        raise ValueError("give two ends, such as (2005, 2015) or (2005, None)")
    low, high = (None if part is None else end(part) for part in ends)
    if low is not None and high is not None and low > high:
        raise ValueError("its first end is after its second")
    return None if low is None and high is None else (low, high)


def _year(value: Any) -> int:
    """Check a year from 1900 to next: two digits of a year are a slip."""
    latest = dt.datetime.now(dt.UTC).year + 1
    if type(value) is int and 1900 <= value <= latest:
        return value
    raise ValueError(f"give a year from 1900 to {latest}, or none for any")


def _score(value: Any) -> Any:
    if type(value) in (int, float) and 0 <= value <= 100:
        return value
    raise ValueError("give a number from 0 to 100")


def _currency(value: Any) -> Any:
    if value not in _CURRENCIES:
        raise ValueError
    return value


def _ends(form: str, ends: Range) -> str:
    named = zip(("from", "to"), ends, strict=True)
    return " ".join(f"{word} {end:{form}}" for word, end in named if end is not None)


def _written_range(ends: Range) -> str:
    return "-".join("" if end is None else repr(end) for end in ends)


def _written(entry: Entry) -> str:
    return ", ".join(filter(None, entry))


def _joined(text: Callable[[Entry], str], entries: Iterable[Entry]) -> str:
    return "; ".join(map(text, entries))


def is_place(entry: Entry) -> bool:
    """Whether an entry names a place: it has the type of one, or says what it lies
    in.
    """
    return len(entry) > 2 or entry[1] in _PLACES


def in_words(entry: Entry) -> str:
    """An entry as a reader sees it: without an identifier beside its name.

    >>> in_words(("Amitim", "amitim.com")), in_words(("Cambridge", "city", "England"))
    ('Amitim, amitim.com', 'Cambridge, England')
    """
    texts = [entry[0]]
    for part in filter(None, entry[1:]):
        is_id = is_uuid(part) or part.isdecimal()
        if not is_id and part not in _PLACES:
            texts.append(part)
    return ", ".join(texts)


def _list(value: Any) -> Any:
    """Check a list as text, or matched; a frame or names become the block that would
    be pasted.
    """
    if isinstance(value, str):
        return _text(value)
    if hasattr(value, "graded"):
        return value
    from ventureframe.matching.lists import block  # noqa: PLC0415  # only for a list

    return str(value) if isinstance(value, Path) else block(value)


def _list_named(text: str) -> str:
    """Name a file by its name, a block by its size."""
    if "\n" not in text:
        return re.split(r"[\\/]", text)[-1]
    return f"pasted, {text.strip().count(chr(10))} rows"


_ANY = "any, or not recorded"
_LIST = "a file such as pipeline.csv, or a pasted block with its headings"
_TEXTS = "texts such as 'operational' or 'acquired, closed'"
_PHRASES = "words such as 'data and AI' or 'rust engineer; design'"
_ENTRIES = (
    "names, each with its website domain or its type if several have the name, such as"
    " 'Amitim; The Phoenix, fnx.co.il' (a UUID can replace both)"
)
_PLACE = (
    f"a place, with its type ({', '.join(_PLACES)}) or the place it lies in if several"
    " have its name, such as 'London', 'Cambridge, Massachusetts' or 'Atlanta, city,"
    " Georgia (region)'"
)
_FORMS = {
    "tag": "(label, type) for each",
    "location": "(name, type, within)",
    "university": "(name, domain) for each",
    "lp": "(name, domain) for each",
}
_YEARS = "years such as 2005-2015, 2005- or -2015"
_AMOUNTS = "amounts such as 1000000-5000000, 1000000- or -5000000"
_YES_NO = {True: "yes", False: "no"}.__getitem__
_ROWS = (
    Kind("text", "text", "not set", typed(str)),
    Kind("list", _LIST, "none", typed(str), _list, _list_named),
    Kind(
        "texts", _TEXTS, _ANY, _read_texts, _texts, " or ".join, ", ".join, is_list=True
    ),
    Kind(
        "phrases",
        _PHRASES,
        "any",
        partial(_read_texts, separators=";"),
        _texts,
        " or ".join,
        "; ".join,
        is_list=True,
    ),
    Kind(
        "entries",
        _ENTRIES,
        "any",
        _read_entries,
        _entries,
        partial(_joined, in_words),
        partial(_joined, _written),
        is_list=True,
    ),
    Kind(
        "place",
        _PLACE,
        "anywhere, or not recorded",
        _parsed(_parse_place),
        _place,
        in_words,
        _written,
    ),
    Kind(
        "year", "a year such as 2005", _ANY, _parsed(int), _year, "{} or later".format
    ),
    Kind(
        "years",
        _YEARS,
        _ANY,
        _parsed(partial(_parse_range, int)),
        partial(_range, _year),
        partial(_ends, "g"),
        _written_range,
    ),
    Kind(
        "amounts",
        _AMOUNTS,
        _ANY,
        _parsed(partial(_parse_range, float)),
        partial(_range, typed(int, float)),
        partial(_ends, ",.15g"),
        _written_range,
    ),
    Kind(
        "score",
        "a number such as 60",
        _ANY,
        _parsed(float),
        _score,
        "{:g} or more".format,
    ),
    Kind(
        "flag",
        "yes or no",
        "either, or not recorded",
        _parsed(_parse_flag),
        typed(bool),
        _YES_NO,
        _YES_NO,
    ),
    Kind(
        "currency",
        f"one of {', '.join(_CURRENCIES)}",
        "the service's default",
        str,
        _currency,
    ),
)
KINDS: Final = {kind.name: kind for kind in _ROWS}
