"""A notebook's parameters: the literals of its cell tagged `parameters`, read, checked, set."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

import nbformat

from ventureframe.errors import ReportError, nearest

TAG: Final = "parameters"

_KINDS: Final[Mapping[type, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    list: "a list such as ['a', 'b']",
    tuple: "a tuple such as ('a', 'b')",
    dict: "a mapping such as {'a': 1}",
}


def declared(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    """Each parameter's name and default value, in the order of the cell; empty without such a cell.

    Raises `ReportError` where the cell holds anything but `name = literal` lines.
    """
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

    Text is read as the default's type, so that a command line can give every parameter. Raises
    `ReportError` for a name that the notebook does not have and for a value of another type.
    """
    values = declared(notebook)
    for name, value in given.items():
        if name not in values:
            raise ReportError(_unknown(name, list(values)))
        values[name] = _typed(name, value, default=values[name])
    cell = _cell(notebook)
    if cell is not None and given:
        cell.source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    return values


def _cell(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    found = [cell for cell in notebook.cells if TAG in cell.metadata.get("tags", ())]
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


def _typed(name: str, value: object, *, default: object) -> object:
    """The value where it has the default's type; text is read as that type first."""
    kind = type(default)
    read = _read(value) if isinstance(value, str) and kind is not str else value
    if kind is float and type(read) is int:
        read = float(read)
    if not _is_like(read, default):
        wanted = _KINDS.get(kind, "a literal")
        raise ReportError(f"parameter {name!r} takes {wanted} such as {default!r}, not {value!r}")
    return read


def _is_like(value: object, default: object) -> bool:
    """Whether the value has the default's type; in a list, whether each member is like its first.

    A tuple also has as many members as the default's; a whole number is a number, too.
    """
    if type(default) is float and type(value) is int:
        return True
    if type(value) is not type(default):
        return False
    if isinstance(value, list) and isinstance(default, list):
        return all(_is_like(each, default[0]) for each in value) if default else True
    if isinstance(value, tuple) and isinstance(default, tuple):
        return len(value) == len(default) and all(map(_is_like, value, default))
    return True


def _read(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return text
