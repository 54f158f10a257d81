"""The control of each kind of member: its widgets, how its value is read, and how it is written.

Empty is no condition. A field that cannot be read raises `QueryError` with what it takes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final, get_args

import ipywidgets as widgets

from ventureframe.errors import QueryError
from ventureframe.evidence.members import Member
from ventureframe.interface.fields import Currency
from ventureframe.panel.picker import Picker

_LABEL: Final = "10em"
_ANY: Final = ""
"""What a field holds without a condition."""
_HINTS: Final[Mapping[str | None, str]] = {
    "university": "type three letters of its name",
    "investor": "type three letters of a name",
    "tag": "type three letters of a label",
    "location": "anywhere; or type three letters",
}
_SCALES: Final = {"": 0, "k": 3, "m": 6, "mn": 6, "million": 6} | {
    **dict.fromkeys(("b", "bn", "billion"), 9),
    **dict.fromkeys(("t", "tn", "trillion"), 12),
}
_AMOUNT: Final = re.compile(r"([0-9]{1,3}(,[0-9]{3})+|[0-9]+)(\.[0-9]+)?\s*([a-z]*)")


@dataclass(frozen=True)
class Control:
    """The widgets of one member, and how its value is read from them and written to them."""

    box: widgets.Widget
    fields: tuple[widgets.Widget, ...]
    read: Callable[[], Any]
    write: Callable[[Any], None]

    @property
    def picker(self) -> Picker | None:
        """Its picker, where it picks records."""
        return self.box if isinstance(self.box, Picker) else None

    def switch_off(self, reason: str) -> None:
        """Greys out fields that have no condition, and says why; a condition can be taken back."""
        for field in self.fields:
            if field.value == _ANY:
                field.disabled = True
                if isinstance(field, widgets.Dropdown):
                    field.options = [(reason, _ANY)]
                else:
                    field.placeholder = reason


def amount(text: str) -> float:
    """An amount as people write it; raises `ValueError` for anything else.

    >>> amount("1m"), amount("1,000,000"), amount("2.5 bn"), amount("750k")
    (1000000.0, 1000000.0, 2500000000.0, 750000.0)
    """
    found = _AMOUNT.fullmatch(text.strip().lower())
    if found is None or found[4] not in _SCALES:
        raise ValueError(text)
    digits = Decimal(found[1].replace(",", "") + (found[3] or ""))
    return float(digits.scaleb(_SCALES[found[4]]))


def score(text: str) -> float:
    """A score from 0 to 100; raises `ValueError` for anything else."""
    found = float(text)
    if not 0 <= found <= 100:
        raise ValueError(text)
    return found


@dataclass(frozen=True, slots=True)
class _Number:
    """How a number is read and written, and what its field takes in words."""

    read: Callable[[str], float]
    form: str
    takes: str


_NUMBERS: Final[Mapping[str, _Number]] = {
    "year": _Number(int, "d", "a year such as 2005"),
    "years": _Number(int, "d", "a year such as 2005"),
    "amounts": _Number(amount, ",.15g", "an amount such as 1,000,000, 1m or 2.5bn"),
    "score": _Number(score, "g", "a number from 0 to 100"),
}


def _made(kind: type[widgets.Widget], label: str, *, width: str = _LABEL, **more: Any) -> Any:
    made = kind(description=label, style={"description_width": width}, **more)
    made.layout.width, made.layout.min_width, made.layout.flex = "auto", "0", "1 1 auto"
    return made


def _numbers(member: Member) -> tuple[Callable[[Any, str], float | None], Callable[[Any], str]]:
    """How one end of a number's field is read and written."""
    how = _NUMBERS[member.kind.name]

    def read(field: Any, name: str) -> float | None:
        text = field.value.strip()
        try:
            return how.read(text) if text else None
        except ValueError:
            raise QueryError(f"{name}: {text!r} is not {how.takes}.") from None

    return read, lambda value: "" if value is None else format(value, how.form)


def _number(member: Member) -> Control:
    (read, written), field = _numbers(member), _made(widgets.Text, member.label, placeholder="any")

    def write(value: Any) -> None:
        field.value = written(value)

    return Control(field, (field,), lambda: read(field, member.label), write)


def _range(member: Member) -> Control:
    read, written = _numbers(member)
    low = _made(widgets.Text, f"{member.label} from", placeholder="any")
    high = _made(widgets.Text, "to", width="2em", placeholder="any")
    box = widgets.HBox([low, high], layout={"min_width": "0"})

    def write(value: tuple[Any, Any] | None) -> None:
        low.value, high.value = map(written, value or (None, None))

    def given() -> tuple[Any, Any] | None:
        ends = read(low, f"{member.label} from"), read(high, f"{member.label} to")
        return None if ends == (None, None) else ends

    return Control(box, (low, high), given, write)


def _text(member: Member) -> Control:
    field = _made(widgets.Text, member.label, placeholder=member.help)

    def write(value: str | None) -> None:
        field.value = value or ""

    return Control(field, (field,), lambda: field.value.strip() or None, write)


def _texts(member: Member) -> Control:
    field = _made(widgets.Text, member.label, placeholder="any; commas between several")

    def write(given: tuple[str, ...] | None) -> None:
        field.value = ", ".join(given or ())

    def read() -> tuple[str, ...]:
        return tuple(part.strip() for part in field.value.split(",") if part.strip())

    return Control(field, (field,), read, write)


def _chosen(options: Any) -> Callable[[Member], Control]:
    """A list of options, one of them chosen.

    No condition is a value of its own: of an option of None a list shows nothing once it is chosen.
    """

    def control(member: Member) -> Control:
        field = _made(widgets.Dropdown, member.label, options=options)

        def write(value: Any) -> None:
            if value is None and ("any", _ANY) not in options:
                field.options = [("as fetched", _ANY), *options]
            field.value = _ANY if value is None else value

        return Control(field, (field,), lambda: None if field.value == _ANY else field.value, write)

    return control


def _picked(member: Member, find: Callable[[str], Any]) -> Control:
    """Records that are picked from a list: several for entries, else one."""
    many = member.kind.is_list
    picker = Picker(member.label, find, many=many, hint=_HINTS[member.picks])

    def write(value: Any) -> None:
        one = [value] if value and value[0] else []
        picker.write(value or () if many else one)

    def read() -> Any:
        entries = picker.entries
        return entries if many else next(iter(entries), None)

    return Control(picker, (), read, write)


_CONTROLS: Final[Mapping[str, Callable[[Member], Control]]] = {
    "text": _text,
    "texts": _texts,
    "currency": _chosen([(each, each) for each in get_args(Currency)]),
    "flag": _chosen([("any", _ANY), ("yes", True), ("no", False)]),
    "year": _number,
    "score": _number,
    "years": _range,
    "amounts": _range,
}


def control(member: Member, find: Callable[[Any, str], Any]) -> Control:
    """Make the control of a member; `find` gives the records of a kind that a text finds."""
    if member.picks:
        return _picked(member, partial(find, member.picks))
    return _CONTROLS[member.kind.name](member)
