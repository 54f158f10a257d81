"""The control of each kind of member: its widgets, how its value is read, and how it is
written.

Empty is no condition. A field that cannot be read raises `QueryError` with what it
takes.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final, get_args

import ipywidgets as widgets

from ventureframe.errors import QueryError
from ventureframe.evidence.members import Member
from ventureframe.interface.fields import Currency
from ventureframe.panel.browser import Picker

_ANY = ""  # what a field holds without a condition
_PICKERS: Final[Any] = {
    "university": {"hint": "type three letters of its name"},
    "lp": {"hint": "type three letters of its name"},
    "tag": {
        "hint": "type two letters, or ↓ for a list",
        "lists": True,
        "least": 2,  # such as AI
    },
    "location": {"hint": "anywhere: three letters, or ↓ for a list", "lists": True},
}
_PHRASES: Final[Any] = {
    "hint": "any: your own words, or ↓ for a list",
    "lists": True,
    "least": 1,
}
_SCALES = {"": 0, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
_AMOUNT = re.compile(r"([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?\s*([a-z]*)")


@dataclass(frozen=True)
class Control:
    """The widgets of one member, and how its value is read from them and written to
    them.
    """

    box: widgets.Widget
    fields: tuple[widgets.Widget, ...]
    read: Callable[[], Any]
    write: Callable[[Any], None]
    picker: Picker | None = None

    def offer(self, values: Iterable[str], nothing: str = "any") -> None:
        """Offer values to choose from, or `nothing`; what is chosen stays."""
        (field,), chosen = self.fields, self.read()
        is_list = isinstance(chosen, tuple)
        options = [(value, (value,) if is_list else value) for value in values]
        field.options = [(nothing, _ANY), *options]
        self.write(chosen)


def amount(text: str) -> float:
    """Read an amount as people write it; raises `ValueError` for anything else.

    >>> amount("1m"), amount("1,000,000"), amount("2.5 bn"), amount("750k")
    (1000000.0, 1000000.0, 2500000000.0, 750000.0)
    """
    parts = _AMOUNT.fullmatch(text.strip().lower())
    if parts is None or parts[4] not in _SCALES:
        raise ValueError(text)
    digits = Decimal(parts[1].replace(",", "") + (parts[3] or ""))
    return float(digits.scaleb(_SCALES[parts[4]]))


def _score(text: str) -> float:
    if not 0 <= float(text) <= 100:
        raise ValueError(text)
    return float(text)


@dataclass(frozen=True)
class _Text:
    """How a field of text is read and written, what it takes in words, and its hint
    when empty.
    """

    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    takes: str = ""
    hint: str = "any"

    def read(self, field: Any, name: str) -> Any:
        """The value of a field, which the error calls by this name."""
        text = field.value.strip()
        try:
            return self.parse(text) if text else None
        except ValueError:
            raise QueryError(f"{name}: {text!r} is not {self.takes}.") from None

    def write(self, field: Any, value: Any) -> None:
        """Write a value into a field."""
        field.value = "" if value in (None, ()) else self.format(value)


_YEAR = _Text(int, "{:d}".format, "a year such as 2005")
_AMOUNTS = "an amount such as 1,000,000, 1m or 2.5bn"
_TEXTS: Final = {
    "text": _Text(str, str, hint=""),
    "score": _Text(_score, "{:g}".format, "a number from 0 to 100"),
    "year": _YEAR,
    "years": _YEAR,
    "amounts": _Text(amount, "{:,.15g}".format, _AMOUNTS),
}
_RANGES = ("years", "amounts")
_OPTIONS: Final = {
    "currency": [(code, code) for code in get_args(Currency)],
    "flag": [("any", _ANY), ("yes", True), ("no", False)],
    "texts": [("any", _ANY)],  # and what the service has
    "column": [("none", _ANY)],  # and those of the list
}


def control(
    member: Member, find: Callable[[Any, str], Any], *, is_column: bool
) -> Control:
    """Make the control of a member; `find` gives the records of a kind that a text
    finds, and one that names a column of a list `is_column`.
    """
    kind = "column" if is_column else member.kind.name
    if kind == "list":
        return _pasted(member)
    if member.picks:
        return _picked(member, partial(find, member.picks))
    if kind == "phrases":
        return _worded(member)
    if kind in _OPTIONS:
        return _chosen(member, _OPTIONS[kind])
    make = _ranged if kind in _RANGES else _typed
    return make(member, _TEXTS[kind])


def _field(
    kind: type[widgets.Widget], label: str, *, width: str = "10em", **more: Any
) -> Any:
    layout = {"width": "auto", "min_width": "0", "flex": "1 1 auto"}
    style = {"description_width": width}
    return kind(description=label, style=style, layout=layout, **more)


def _typed(member: Member, text: _Text) -> Control:
    label, hint = member.label, text.hint or member.help
    field = _field(widgets.Text, label, placeholder=hint)
    read, write = partial(text.read, field, label), partial(text.write, field)
    return Control(field, (field,), read, write)


def _ranged(member: Member, text: _Text) -> Control:
    """Two fields; either can be empty."""
    first, label = f"{member.label} from", member.label
    low = _field(widgets.Text, first, placeholder=text.hint)
    high = _field(widgets.Text, "to", width="2em", placeholder=text.hint)

    def read() -> Any:
        ends = text.read(low, first), text.read(high, f"{label} to")
        return None if ends == (None, None) else ends

    def write(value: Any) -> None:
        start, end = value or (None, None)
        text.write(low, start)
        text.write(high, end)

    box = widgets.HBox([low, high], layout={"min_width": "0"})
    return Control(box, (low, high), read, write)


def _pasted(member: Member) -> Control:
    """A box for a pasted block, and a button for a file: `reading` reads both."""
    hint = (
        "paste from Excel with its headings, name a file, or choose one; the list is"
        " saved in the notebook and in its report"
    )
    field = _field(widgets.Textarea, member.label, placeholder=hint, rows=5)
    upload = widgets.FileUpload(tooltip="A CSV file or a workbook")
    box = widgets.VBox([field, upload])
    box.add_class("vf-list")

    def read() -> str | None:
        return field.value.strip() or None

    def write(value: str | None) -> None:
        field.value = value or ""

    return Control(box, (field, upload), read, write)


def _chosen(member: Member, options: list[tuple[str, Any]]) -> Control:
    """A list of options; no condition is one of its own, as of None a list shows
    nothing.
    """
    field = _field(widgets.Dropdown, member.label, options=options)
    empty = () if member.kind.is_list else None

    def read() -> Any:
        return empty if field.value == _ANY else field.value

    def write(value: Any) -> None:
        value = _ANY if value in (None, ()) else value
        if value not in dict(field.options).values():
            name = "as fetched" if value == _ANY else member.kind.worded(value)
            field.options = [(name, value), *field.options]
        field.value = value

    return Control(field, (field,), read, write)


def _picked(member: Member, find: Callable[[str], Any]) -> Control:
    """A field to pick records from those that a text finds."""
    is_list, look = member.kind.is_list, _PICKERS[member.picks]
    picker = Picker(find, label=member.label, many=is_list, **look)

    def read() -> Any:
        return picker.entries if is_list else next(iter(picker.entries), None)

    def write(value: Any) -> None:
        records = value if is_list else [value]
        picker.write(record for record in records or () if record and record[0])

    return Control(picker, (), read, write, picker)


def _worded(member: Member) -> Control:
    """A field to pick values that are offered, or words of one's own, each with what
    it is.
    """
    offers: Any = member.offers
    tells: Any = member.tells

    def find(text: str) -> Iterable[Mapping[str, Any]]:
        typed = text.strip().casefold()
        values = [value for value in offers(None) if typed in value.casefold()]
        if typed and typed not in map(str.casefold, values):
            values.append(text.strip())
        return [{"named": (value, tells(value))} for value in values]

    picker = Picker(find, label=member.label, many=True, **_PHRASES)

    def read() -> Any:
        return tuple(member.kind.read([entry[0] for entry in picker.entries]) or ())

    def write(values: Any) -> None:
        picker.write((value, tells(value)) for value in values or ())

    return Control(picker, (), read, write, picker)
