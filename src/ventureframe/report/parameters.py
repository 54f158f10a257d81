"""A notebook's parameters: the literals of its cell tagged `parameters`, read, checked, set.

A notebook may name its question in its metadata, `{"ventureframe": {"question": "spinouts"}}`; then
the parameters with the names of that question's members have the members' kinds. Any other has the
type of its literal.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import nbformat

from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.question import Member, worded
from ventureframe.interface.source import FACTS
from ventureframe.report.kinds import READERS, Read, like
from ventureframe.report.notebook import is_tagged

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

    A repeatable one is a list of entries; on the command line it is given one at a time.
    """

    name: str
    default: Any
    takes: str
    reader: Read
    help: str
    is_repeatable: bool = False

    @property
    def option(self) -> str:
        """Its option on the command line, in the singular where it is repeatable.

        >>> Parameter("universities", [], "entries", list, "", is_repeatable=True).option
        '--university'
        """
        name = self.name.replace("_", "-")
        if self.is_repeatable:
            name = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
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

    Raises `ReportError` where the cell holds anything but `name = literal` lines.
    """
    known = {member.name: member for member in _members(notebook)}
    return {
        name: _of_kind(known[name], default) if name in known else _of_literal(name, default)
        for name, default in declared(notebook).items()
    }


def declared(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    """Each parameter's default value by its name; raises `ReportError` as `parameters` does."""
    cell = _cell(notebook)
    if cell is None:
        return {}
    try:
        return dict(_assignment(node) for node in ast.parse(cell.source).body)
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
    values = {name: each.default for name, each in known.items()}
    for name, value in given.items():
        if name not in known:
            raise ReportError(_unknown(name, list(known)))
        values[name] = known[name].read(value)
    cell = _cell(notebook)
    if cell is not None and given:
        cell.source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return values


def _members(notebook: nbformat.NotebookNode) -> tuple[Member, ...]:
    """The members of the question that the notebook's metadata name; none where they name none."""
    name = notebook.metadata.get(FACTS, {}).get("question")
    if name is None:
        return ()
    module = f"ventureframe.studies.{name}"
    if find_spec(module) is None:
        raise ReportError(f"the notebook's metadata name a question that is not known: {name!r}")
    members: tuple[Member, ...] = import_module(module).Question.members()
    return members


def _of_kind(member: Member, default: Any) -> Parameter:
    takes, reader = READERS[member.kind]
    shown = worded(member.kind, default) or "none"
    text = f"{member.help}; takes {takes} (default: {shown})"
    is_repeatable = member.kind == "entries"
    return Parameter(member.name, default, takes, reader, text, is_repeatable=is_repeatable)


def _of_literal(name: str, default: Any) -> Parameter:
    takes = _TYPES.get(type(default), "text or a literal")
    text = f"takes {takes} (default: {default!r})"
    return Parameter(name, default, f"{takes} such as {default!r}", like(default), text)


def _cell(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    found = [cell for cell in notebook.cells if is_tagged(cell, TAG)]
    if len(found) > 1:
        raise ReportError("the notebook has several cells tagged 'parameters'; keep one")
    return found[0] if found else None


def _assignment(node: ast.stmt) -> tuple[str, Any]:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Name):
            return target.id, ast.literal_eval(node.value)
    raise ValueError


def _unknown(name: str, known: list[str]) -> str:
    near = nearest(name, known)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    takes = f"it takes {', '.join(known)}" if known else "it takes none"
    return f"the notebook has no parameter {name!r}; {hint}{takes}"
