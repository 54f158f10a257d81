"""A notebook's parameters: the literals of its cell tagged `parameters`, read, checked, set.

A notebook may name its question in its metadata, `{"ventureframe": {"question": "spinouts"}}`; then
the parameters with the names of that question's members have the members' kinds. Any other has the
type of its literal. A value is read from text as a command line has it or from a Python literal;
None, also as the text `none` or `any`, is no condition whatever the kind.
"""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import nbformat

from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.members import Kind, Member, Read, literal, typed
from ventureframe.report.notebook import is_tagged, question

_OF: Final[Mapping[str, str]] = {"domain": "university"}
"""What tells the records of another parameter apart: its default goes with that one's default."""
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


def parameters(notebook: nbformat.NotebookNode) -> dict[str, Member]:
    """Each parameter by its name, in the order of the cell; empty without such a cell.

    Raises `ReportError` where the cell holds anything but `name = literal` lines, and where the
    metadata name a question that is not known.
    """
    named, own = question(notebook), dict[str, Member]()
    if named is not None:
        module = f"ventureframe.studies.{named}"
        if find_spec(module) is None:
            raise ReportError(
                f"the notebook's metadata name a question that is not known: {named!r}"
            )
        own = {member.name: member for member in import_module(module).Question.members()}
    values = declared(notebook)
    return {
        name: replaced(own[name], default=default) if name in own else _of_its_own(name, default)
        for name, default in values.items()
    }


def declared(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    """Each parameter's default value by its name; raises `ReportError` as `parameters` does."""
    cell, values = _cell(notebook), dict[str, Any]()
    try:
        for line in ast.parse(cell.source).body if cell else ():
            (name,) = line.targets
            values[name.id] = ast.literal_eval(line.value)
    except (SyntaxError, ValueError, AttributeError):
        raise ReportError(
            "the notebook's parameters cannot be read; the cell tagged 'parameters' may hold "
            "only lines of the form name = literal"
        ) from None
    return values


def worded(members: Iterable[Member]) -> tuple[tuple[str, str], ...]:
    """Each parameter's label and its default as a reader sees it."""
    return tuple((each.label, each.kind.worded(each.default) or "none") for each in members)


def replace(notebook: nbformat.NotebookNode, given: Mapping[str, object]) -> dict[str, Any]:
    """Put `given` into the notebook's cell in place of defaults; return all values that hold.

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
    values = {name: member.default for name, member in known.items()}
    for name, value in given.items():
        try:
            values[name] = known[name].kind.read(value)
        except ValueError:
            takes = known[name].kind.takes
            raise ReportError(f"parameter {name!r} takes {takes}, not {value!r}") from None
    cell = _cell(notebook)
    if cell is not None and given:
        cell.source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return values


def _of_its_own(name: str, default: Any) -> Member:
    """A parameter that is no member of the question: it takes values like its default."""
    takes = f"{_TYPES.get(type(default), 'text or a literal')} such as {default!r}"
    is_any = default is None
    kind = Kind("literal", takes, _like(default), nothing="none", takes_none=is_any)
    return Member(name, name.replace("_", " "), kind, default, "")


def _cell(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    cells = [cell for cell in notebook.cells if is_tagged(cell, TAG)]
    if len(cells) > 1:
        raise ReportError("the notebook has several cells tagged 'parameters'; keep one")
    return cells[0] if cells else None


def _like(default: Any) -> Read:
    """The reader of values with the type of a default; of anything where that is None.

    In a list each member is like the default's first; a tuple has as many members as the default's.
    """

    def like(value: Any, default: Any) -> Any:
        if isinstance(default, float) and type(value) is int:
            return float(value)
        typed(value, type(default))
        if isinstance(default, list) and default:
            return [like(each, default[0]) for each in value]
        if isinstance(default, tuple):
            return tuple(like(*both) for both in zip(value, default, strict=True))
        return value

    if default is None:
        return literal
    return lambda given: like(given if isinstance(default, str) else literal(given), default)
