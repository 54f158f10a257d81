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
_HINTS: Final[Mapping[str | None, str]] = {
    "university": "type three letters of its name",
    "lp": "type three letters of its name",
    "tag": "type two letters, or ↓ for a list",
    "location": "anywhere; type three letters, or ↓ for countries",
}
_OWN_WORDS = "any; type your own words, or ↓ for role families"
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
        options = [(each, (each,) if is_list else each) for each in values]
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

    read: Callable[[str], Any]
    write: Callable[[Any], str]
    takes: str = ""
    hint: str = "any"
    is_range: bool = False


_YEAR = (int, "{:d}".format, "a year such as 2005", "any")
_TEXTS: Final[Mapping[str, _Text]] = {
    "text": _Text(str, str, hint=""),
    "year": _Text(*_YEAR),
    "years": _Text(*_YEAR, is_range=True),
    "score": _Text(_score, "{:g}".format, "a number from 0 to 100"),
    "amounts": _Text(
        amount,
        "{:,.15g}".format,
        "an amount such as 1,000,000, 1m or 2.5bn",
        is_range=True,
    ),
}
_OPTIONS: Final[Mapping[str, list[tuple[str, Any]]]] = {
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
    if member.offers and member.tells:
        return _worded(member, member.offers, member.tells)
    return (
        _chosen(member, _OPTIONS[kind])
        if kind in _OPTIONS
        else _typed(member, _TEXTS[kind])
    )


def _field(
    kind: type[widgets.Widget], label: str, *, width: str = "10em", **more: Any
) -> Any:
    field = kind(description=label, style={"description_width": width}, **more)
    field.layout.width, field.layout.min_width, field.layout.flex = (
        "auto",
        "0",
        "1 1 auto",
    )
    return field


def _typed(member: Member, kind: _Text) -> Control:
    hint, label = kind.hint or member.help, member.label
    names, fields = [label], [_field(widgets.Text, label, placeholder=hint)]
    if kind.is_range:
        names, fields[0].description = [f"{label} from", f"{label} to"], f"{label} from"
        fields.append(_field(widgets.Text, "to", width="2em", placeholder=hint))

    def read_field(name: str, field: Any) -> Any:
        text = field.value.strip()
        try:
            return kind.read(text) if text else None
        except ValueError:
            raise QueryError(f"{name}: {text!r} is not {kind.takes}.") from None

    def read() -> Any:
        values = tuple(map(read_field, names, fields))
        return (
            (None if values == (None, None) else values) if kind.is_range else values[0]
        )

    def write(value: Any) -> None:
        ends = (value or (None, None)) if kind.is_range else (value,)
        for field, end in zip(fields, ends, strict=True):
            field.value = "" if end in (None, ()) else kind.write(end)

    box = (
        widgets.HBox(fields, layout={"min_width": "0"}) if kind.is_range else fields[0]
    )
    return Control(box, tuple(fields), read, write)


def _pasted(member: Member) -> Control:
    """A box for a pasted block, and a button for a file: `reading` reads both."""
    hint = (
        "paste from Excel with its headings, name a file, or choose one; the list is"
        " saved in the notebook and in its report"
    )
    field = _field(widgets.Textarea, member.label, placeholder=hint, rows=5)
    upload = widgets.FileUpload(tooltip="A CSV file or a workbook")

    def write(value: str | None) -> None:
        field.value = value or ""

    box = widgets.VBox([field, upload])
    box.add_class("vf-list")
    return Control(box, (field, upload), lambda: field.value.strip() or None, write)


def _chosen(member: Member, options: list[tuple[str, Any]]) -> Control:
    """A list of options; no condition is one of its own, as of None a list shows
    nothing.
    """
    field = _field(widgets.Dropdown, member.label, options=options)
    empty = () if member.kind.is_list else None

    def write(value: Any) -> None:
        value = _ANY if value in (None, ()) else value
        if value not in dict(field.options).values():
            name = "as fetched" if value == _ANY else member.kind.worded(value)
            field.options = [(name, value), *field.options]
        field.value = value

    return Control(
        field, (field,), lambda: empty if field.value == _ANY else field.value, write
    )


def _picked(member: Member, find: Callable[[str], Any]) -> Control:
    many = member.kind.is_list
    picker = Picker(member.label, find, many=many, hint=_HINTS[member.picks])
    picker.lists = member.picks in ("tag", "location")  # all, without a text
    picker.least = {"tag": 2}.get(str(member.picks), picker.least)  # such as AI

    def write(value: Any) -> None:
        one = [value] if value and value[0] else []
        picker.write(value or () if many else one)

    def read() -> Any:
        return picker.entries if many else next(iter(picker.entries), None)

    return Control(picker, (), read, write, picker)


def _worded(
    member: Member,
    offers: Callable[[Any], Iterable[str]],
    tells: Callable[[str], str],
) -> Control:
    """A field to pick values that are offered, or words of one's own, each with what
    it is.
    """

    def find(text: str) -> Iterable[Mapping[str, Any]]:
        typed = text.strip().casefold()
        values = [each for each in offers(None) if typed in each.casefold()]
        if typed and typed not in map(str.casefold, values):
            values.append(text.strip())
        return [{"named": (value, tells(value))} for value in values]

    picker = Picker(member.label, find, many=True, hint=_OWN_WORDS)
    picker.lists, picker.least = True, 1

    def read() -> Any:
        return tuple(member.kind.read([entry[0] for entry in picker.entries]) or ())

    def write(values: Any) -> None:
        picker.write((value, tells(value)) for value in values or ())

    return Control(picker, (), read, write, picker)
