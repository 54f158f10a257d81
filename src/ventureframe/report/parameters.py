"""A notebook's parameters: the literals of its cell tagged `parameters`, read, checked, set.

A notebook may name its question in its metadata, `{"ventureframe": {"question": "spinouts"}}`; then
the parameters with the names of that question's members have the members' kinds. Any other has the
type of its literal. A value is read from text as a command line has it or from a Python literal;
None, also as the text `none` or `any`, is no condition whatever the kind.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, get_args

import nbformat

from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.question import Kind, Member, worded
from ventureframe.interface.fields import Currency, Place
from ventureframe.report.notebook import is_tagged, question

Read = Callable[[Any], Any]

_NO_CONDITION: Final = ("none", "any")
_OF: Final[Mapping[str, str]] = {"domain": "university"}
"""What tells the records of another parameter apart: its default goes with that one's default."""
_PLACES: Final = get_args(Place)
_CURRENCIES: Final = get_args(Currency)
TAG: Final = "parameters"

_TYPES: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list",
    tuple: "a tuple",
    dict: "a mapping",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: name, default, what it takes in words, how that is read, what it means.

    `member` is what it is of the notebook's question. A repeatable one is a list of entries; on the
    command line it can be given several times.
    """

    name: str
    default: Any
    takes: str
    reader: Read
    help: str
    is_repeatable: bool = False
    member: Member | None = None

    def worded(self, value: Any) -> tuple[str, str]:
        """Its label, and a value as a reader sees it."""
        if self.member is None:
            return self.name.replace("_", " "), "none" if value is None else str(value)
        return self.member.label, worded(self.member.kind, value) or "none"

    @property
    def option(self) -> str:
        """Its option on the command line, in the singular where it is repeatable.

        >>> Parameter("universities", [], "entries", list, "", is_repeatable=True).option
        '--university'
        >>> Parameter("status", [], "texts", list, "", is_repeatable=True).option
        '--status'
        """
        name = self.name.replace("_", "-")
        if self.is_repeatable:
            name = f"{name[:-3]}y" if name.endswith("ies") else re.sub("(?<!u)s$", "", name)
        return f"--{name}"

    def read(self, given: object) -> object:
        """The value, read from text where it is text; raises `ReportError` for a wrong one."""
        try:
            return self.reader(given)
        except ValueError:
            raise ReportError(
                f"parameter {self.name!r} takes {self.takes}, not {given!r}"
            ) from None


def parameters(notebook: nbformat.NotebookNode) -> dict[str, Parameter]:
    """Each parameter by its name, in the order of the cell; empty without such a cell.

    Raises `ReportError` where the cell holds anything but `name = literal` lines, and where the
    metadata name a question that is not known.
    """
    known = {member.name: member for member in _members(notebook)}
    return {
        name: _parameter(name, default, known.get(name))
        for name, default in declared(notebook).items()
    }


def declared(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    """Each parameter's default value by its name; raises `ReportError` as `parameters` does."""
    cell = _cell(notebook)
    try:
        return dict(map(_assignment, ast.parse(cell.source).body if cell else ()))
    except (SyntaxError, ValueError):
        raise ReportError(
            "the notebook's parameters cannot be read; the cell tagged 'parameters' may hold "
            "only lines of the form name = literal"
        ) from None


def replace(notebook: nbformat.NotebookNode, given: Mapping[str, object]) -> dict[str, Any]:
    """The parameters that hold once `given` stand in the notebook's cell in place of defaults.

    Text is read as the parameter's kind or type, so that a command line can give every parameter.
    Raises `ReportError` for a name that the notebook does not have and for a value of another type.
    """
    known = parameters(notebook)
    for name in given:
        if name not in known:
            near = " or ".join(map(repr, nearest(name, known)))
            hint = f"did you mean {near}? " if near else ""
            takes = f"it takes {', '.join(known) or 'none'}"
            raise ReportError(f"the notebook has no parameter {name!r}; {hint}{takes}")
    void = {name: None for name, of in _OF.items() if of in given and name in known}
    given = {**void, **given}
    values = {
        name: each.read(given[name]) if name in given else each.default
        for name, each in known.items()
    }
    cell = _cell(notebook)
    if cell is not None and given:
        cell.source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return values


def _members(notebook: nbformat.NotebookNode) -> tuple[Member, ...]:
    """The members of the question that the notebook's metadata name; none where they name none."""
    name = question(notebook)
    if name is None:
        return ()
    module = f"ventureframe.studies.{name}"
    if find_spec(module) is None:
        raise ReportError(f"the notebook's metadata name a question that is not known: {name!r}")
    members: tuple[Member, ...] = import_module(module).Question.members()
    return members


def _parameter(name: str, default: Any, member: Member | None) -> Parameter:
    if member is None:
        takes = _TYPES.get(type(default), "text or a literal")
        text = f"takes {takes} (default: {default!r})"
        return Parameter(name, default, f"{takes} such as {default!r}", like(default), text)
    takes, reader = READERS[member.kind]
    text = f"{member.help}; takes {takes} (default: {worded(member.kind, default) or 'none'})"
    is_repeatable = member.kind in ("entries", "texts")
    return Parameter(name, default, takes, reader, text, is_repeatable, member)


def _cell(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    found = [cell for cell in notebook.cells if is_tagged(cell, TAG)]
    if len(found) > 1:
        raise ReportError("the notebook has several cells tagged 'parameters'; keep one")
    return found[0] if found else None


def _assignment(node: ast.stmt) -> tuple[str, Any]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, ast.literal_eval(value)
    raise ValueError


# --- how a value of each kind is read; a reader raises `ValueError` for any other


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


def like(default: Any) -> Read:
    """The reader of values with the type of a default; of anything where that is None.

    In a list each member is like the default's first; a tuple has as many members as the default's.
    """
    if default is None:
        return _or_none(literal)
    return lambda given: _like(given if isinstance(default, str) else literal(given), default)


def _like(found: Any, default: Any) -> Any:
    if isinstance(default, float) and type(found) is int:
        return float(found)
    _typed(found, type(default))
    if isinstance(default, list) and default:
        return [_like(each, default[0]) for each in found]
    if isinstance(default, tuple):
        return tuple(_like(*both) for both in zip(found, default, strict=True))
    return found


def _typed(found: Any, *types: type) -> Any:
    """The value where it has one of these types; a truth value is not a number."""
    if type(found) not in types:
        raise ValueError(found)
    return found


def _or_none(read: Read) -> Read:
    return lambda given: None if given is None or _is_none(given) else read(given)


def _is_none(given: Any) -> bool:
    return isinstance(given, str) and given.strip().lower() in _NO_CONDITION


def _words(given: Any) -> str:
    """The text without blanks around it; text of blanks alone is refused."""
    found: str = _typed(given, str).strip()
    return found if found else _typed(None)


def _texts(given: Any) -> list[str]:
    """One text or several; text is split at its commas and semicolons."""
    found = literal(given)
    parts = found if isinstance(found, (list, tuple)) else [_typed(found, str)]
    return [_words(each) for part in parts for each in re.split("[,;]", _typed(part, str))]


def _entries(given: Any) -> list[tuple[str, str | None]] | None:
    """One entry or several; text is split at its semicolons. `none` alone is no condition."""
    found = literal(given)
    parts = list(found) if isinstance(found, (list, tuple)) else _typed(given, str).split(";")
    if len(parts) == 1 and _is_none(parts[0]):
        return None
    return [
        _entry(each)
        for part in parts
        for each in (part.split(";") if isinstance(part, str) else [part])
    ]


def _entry(given: Any) -> tuple[str, str | None]:
    """A name and what tells it apart; names hold commas, so text is split at its last one."""
    if isinstance(given, str):
        name, comma, other = given.rpartition(",")
        given = (name, other) if comma else (other, None)
    name, other = _typed(given, tuple, list)
    return _words(name), None if other is None else _words(other)


def _place(given: Any) -> tuple[str, ...]:
    """A name, a type and perhaps what it lies in; text is split around the last type in it."""
    found = literal(given)
    if isinstance(found, str):
        parts = found.split(",")
        at = max(i for i, part in enumerate(parts) if part.strip() in _PLACES)
        found = tuple(filter(None, [",".join(parts[:at]), parts[at], ",".join(parts[at + 1 :])]))
    name, kind, *within = map(_words, _typed(found, tuple, list))
    if kind not in _PLACES or len(within) > 1:
        raise ValueError(given)
    return name, kind, *within


def _whole(given: Any) -> Any:
    return _typed(literal(given), int)


def _number(given: Any) -> float:
    return float(_typed(literal(given), int, float))


def _range(end: Read, given: Any) -> Any:
    """Two ends, in text with a dash between them, either of them open."""
    if isinstance(given, str) and "-" in given and not given.startswith(("(", "[")):
        given = [each.strip() or None for each in given.split("-")]
    low, high = map(_or_none(end), _typed(literal(given), tuple, list))
    return low, high


_KINDS: Final[Mapping[Kind, tuple[str, Read]]] = {
    "text": ("text", lambda given: _typed(given, str)),
    "texts": ("texts such as 'operational' or 'acquired, closed'", _texts),
    "entries": (
        "names, each with its website domain or its type, such as "
        "'Amitim, amitim.com; Phoenix, fnx.co.il' (a UUID can stand for both)",
        _entries,
    ),
    "place": (
        f"a place, its type ({', '.join(_PLACES)}) and perhaps the place it is within, such as "
        "'London, city, United Kingdom' or 'Atlanta, city, Georgia (region)'",
        _place,
    ),
    "year": ("a year such as 2005", _whole),
    "years": ("years such as 2005-2015, 2005- or -2015", lambda given: _range(_whole, given)),
    "amounts": (
        "amounts such as 1000000-5000000, 1000000- or -5000000",
        lambda given: _range(_number, given),
    ),
    "score": ("a number such as 60", _number),
    "flag": (
        "yes or no",
        lambda given: _typed(literal({"yes": True, "no": False}.get(str(given), given)), bool),
    ),
    "currency": (
        f"one of {', '.join(_CURRENCIES)}",
        lambda given: given if given in _CURRENCIES else _typed(None),
    ),
}
READERS: Final = {kind: (takes, _or_none(read)) for kind, (takes, read) in _KINDS.items()}
"""What a parameter of each kind takes, in words, and its reader."""
