"""A notebook's file: where it is found, how it is read, its parameters, and what it
states as data.

Parameters are literals of the cell tagged `parameters`. Where the notebook names its
question in its metadata, `{"ventureframe": {"question": "spinouts"}}`, those named as
members of it have their kinds; any other is text. Facts stand in the metadata of
outputs.
"""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace as replaced
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ventureframe import studies
from ventureframe.connect import completed
from ventureframe.errors import ReportError, nearest
from ventureframe.evidence.members import Kind, Member, typed
from ventureframe.evidence.question import Question
from ventureframe.interface.source import FACTS

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from ventureframe.evidence.study import Study

Notebook = Mapping[str, Any]  # as its file holds it
# in the metadata: who made the report, when, and what to say of it
SIGNED = "signed"
WIDGET = "application/vnd.jupyter.widget-view+json"
LEAD, SHOWN, HIDDEN, NEEDS_KEY = "lead", "show-code", "notebook-only", "needs-key"
"""The tags of a cell: first on the page, with its code on it, not on it, asking a
live service.
"""
TAG = "parameters"
# a lesson; an examination of a service
NOT_REPORTS = ("00_start_here", "05_live_data")
_SETTINGS = (
    "VENTUREFRAME_BASE_URL, _AUTH_URL, _CLIENT_ID, _CLIENT_SECRET and _USER_AGENT"
)
KEYLESS = f"asks a live service and needs its key: set {_SETTINGS}"


def notebooks_folder() -> Path:
    """The folder of the curated notebooks: of the checkout, else of the installed
    package.
    """
    package = Path(__file__).parents[1]
    checkout = package.parents[1] / "notebooks"
    return checkout if checkout.is_dir() else package / "notebooks"


def notebooks() -> tuple[Path, ...]:
    """The curated notebooks in reading order."""
    return tuple(sorted(notebooks_folder().glob("*.ipynb")))


def reports() -> tuple[Path, ...]:
    """The curated notebooks that answer a question, and so make a report."""
    return tuple(path for path in notebooks() if path.stem not in NOT_REPORTS)


def find(notebook: str | Path) -> Path:
    """Find a notebook's file by its path or by name, number or question of a curated
    one.

    Raises `ReportError` with the nearest names.

    >>> find("01_university_spinouts") == find("01") == find("spinouts")
    True
    """
    name = str(notebook)
    if os.path.isfile(name):  # false also for what no path can be
        return Path(name)
    curated = {path.stem: path for path in notebooks()}
    is_question = name in _questions()
    for stem, file in curated.items():
        if name == stem or name.zfill(2) == stem.partition("_")[0]:
            return file
        if is_question and stem not in NOT_REPORTS and question(read(file)) == name:
            return file
    near = ", ".join(nearest(name, curated) or curated)
    raise ReportError(
        f"there is no notebook {name!r}: give the path of a file or one of {near}"
    )


def read(path: Path) -> NotebookNode:
    """Read the notebook in a file; raises `ReportError` where the file does not hold
    one.
    """
    # takes seconds, and what is on screen needs no file
    import nbformat  # noqa: PLC0415

    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except (OSError, ValueError, RecursionError, nbformat.ValidationError) as error:
        raise ReportError(
            f"{path.name} cannot be read as a notebook: {error}"
        ) from error
    return notebook


def opened_in(folder: Path) -> Path:
    """Return the folder of the notebooks to work on: the checkout's, else copies in
    `folder`.

    Those of an installed package are copied, once each, so that an update changes no
    work.
    """
    if not notebooks_folder().is_relative_to(Path(__file__).parents[1]):
        return notebooks_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for path in notebooks():
        if not (folder / path.name).exists():
            shutil.copy(path, folder)
    return folder


def without_widgets(notebook: Notebook) -> bool:
    """Remove the widgets from a notebook's outputs; return whether there were any."""
    has_widgets = False
    for cell in notebook["cells"]:
        outputs = cell.get("outputs", [])
        for output in [*outputs]:
            if WIDGET in output.get("data", ()):
                outputs.remove(output)
                has_widgets = True
    return has_widgets


def before_save(model: dict[str, Any], **_: object) -> None:
    """Leave out of a notebook that JupyterLab saves what is of this computer alone: its
    widgets, and how its kernel calls itself.
    """
    if model["type"] != "notebook":
        return
    without_widgets(model["content"])
    metadata = model["content"]["metadata"]
    if metadata.get("kernelspec", {}).get("name") == "python3":
        metadata["kernelspec"]["display_name"] = "Python 3"
        metadata["language_info"] = {"name": "python"}


def question(notebook: Notebook) -> str | None:
    """The question that the metadata name, that of the parameters; `ReportError` for
    another.
    """
    named: str | None = notebook["metadata"].get(FACTS, {}).get("question")
    if named is not None and named not in _questions():
        raise ReportError(f"its metadata names an unknown question: {named!r:.60}")
    return named


def _questions() -> list[str]:
    (folder,) = studies.__path__
    return sorted(path.parent.name for path in Path(folder).glob("*/question.py"))


def _kind(name: str) -> type[Question[Any]]:
    """The class of the question of a name."""
    kind: type[Question[Any]] = import_module(f"{studies.__name__}.{name}").Question
    return kind


def saved_question(
    name: object, values: Mapping[str, object], *, file: str
) -> Question[Any]:
    """Make the question of this name in a file, with values as its options take them.

    Raises `ReportError` where name or value is of no question: nothing else is
    imported by a name of a file.
    """
    names = [name for name in _questions() if name != "changes"]
    if name not in names:
        stated = "" if name is None else f"{name!r:.60}; "
        there_are = f"there are {', '.join(names)}"
        raise ReportError(f"{file} names no question: {stated}{there_are}")
    kind = _kind(str(name))
    members = {member.name: member for member in kind.members()}
    return kind(**_read_values(values, members, of=file))


def _read_values(
    values: Mapping[str, object], members: Mapping[str, Member], *, of: str
) -> dict[str, Any]:
    """Read values as these members take them; raises `ReportError`, which says `of`
    what they are.
    """
    read = dict[str, Any]()
    for name, value in values.items():
        if name not in members:
            near = " or ".join(map(repr, nearest(name, members)))
            hint = f"did you mean {near}? " if near else ""
            takes = f"it takes {', '.join(members) or 'none'}"
            raise ReportError(f"{of} has no parameter {name!r:.60}; {hint}{takes}")
        kind = members[name].kind
        try:
            read[name] = kind.read(value)
        except ValueError:
            takes = f"parameter {name!r} of {of} takes {kind.takes}"
            raise ReportError(f"{takes}, not {value!r:.60}") from None
    return read


def needs_key(notebook: NotebookNode) -> bool:
    """Whether the notebook asks a live service."""
    return any(is_tagged(cell, NEEDS_KEY) for cell in notebook.cells)


def lacks_key(notebook: NotebookNode, data: str | Path | None) -> bool:
    """Whether it asks a live service, and none is named or a dataset comes before
    it.
    """
    return needs_key(notebook) and source(data) != "live"


def source(data: str | Path | None) -> str:
    """What a notebook runs on: `data`, which is a dataset's folder; `live`; or
    `sample`.
    """
    if data is not None:
        return "data" if data else "sample"
    settings, _ = completed(os.environ)
    if settings.get("VENTUREFRAME_DATA"):
        return "data"
    return "live" if settings.get("VENTUREFRAME_BASE_URL") else "sample"


def is_tagged(cell: Mapping[str, Any], tag: str) -> bool:
    """Whether a cell has this tag."""
    return tag in cell["metadata"].get("tags", ())


def facts(cells: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """What each output states as data, in order; see `display.wording.mime_bundle`."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            yield output.get("metadata", {}).get(FACTS, {})


def parameters(notebook: Notebook) -> dict[str, Member]:
    """Read the parameters by name, in the order of the cell; empty without such a cell.

    Those of no question are the ones with text, a whole number or None. Raises
    `ReportError` where the cell holds anything but `name = literal` lines, and where
    the metadata names an unknown question.
    """
    named = question(notebook)
    kinds = [] if named is None else _kind(named).members()
    of_question = {member.name: member for member in kinds}
    members = dict[str, Member]()
    for name, default in declared(notebook).items():
        if name in of_question:
            members[name] = replaced(of_question[name], default=default)
        elif default is None or type(default) in (str, int):
            members[name] = _own_parameter(name, default)
    return members


def declared(notebook: Notebook) -> dict[str, Any]:
    """Read each value of the cell by its name; raises `ReportError` as `parameters`."""
    cell = _cell(notebook)
    return _literals(cell["source"]) if cell else {}


def _literals(source: str) -> dict[str, Any]:
    values = dict[str, Any]()
    try:
        for line in list[Any](ast.parse(source).body):
            (name,) = line.targets
            values[name.id] = ast.literal_eval(line.value)
    except (SyntaxError, ValueError, AttributeError):
        raise ReportError(
            "the notebook's parameters cannot be read; the cell tagged 'parameters'"
            " may hold only lines of the form name = literal"
        ) from None
    return values


def worded(member: Member) -> str:
    """A parameter's default as a reader sees it."""
    return member.kind.worded(member.default) or "none"


def replace(
    notebook: Notebook, changes: Mapping[str, object], *, runs_on: str = "sample"
) -> dict[str, Any]:
    """Put `changes` into the notebook's cell in place of defaults; return all values
    that hold.

    What is asked of the sample is no default where the notebook runs on other data.
    Raises `ReportError` for a name that is no parameter, and a value of another type.
    """
    members = parameters(notebook)
    values = {name: member.default for name, member in members.items()}
    example = None if runs_on == "sample" else question_of(notebook, values)
    if example is not None and example.is_example:
        values = dict.fromkeys(values)
    if "university" in changes and "domain" in members:
        values["domain"] = None  # whose default is that of another university
    values |= _read_values(changes, members, of="the notebook")
    if cell := _cell(notebook):
        _, cell["source"] = rewritten([cell["source"]], values)
    return values


_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\r": r"\r"})


def rewritten(sources: Iterable[str], values: dict[str, Any]) -> list[str]:
    """The first source that holds parameters, with all these names: as it is, and with
    these values; empty if there is none.

    A text of several lines stands in as many.

    >>> rewritten(["import polars", "since = 2015\\nlps = []"], {"since": 2020})
    ['since = 2015\\nlps = []', 'since = 2020\\nlps = []']
    """
    for source in sources:
        with suppress(ReportError):
            before = _literals(source)
            after = before | values
            if len(after) > len(before):
                continue
            lines = source.split("\n")
            for line in list[Any](reversed(ast.parse(source).body)):
                name = line.targets[0].id
                value = after[name]
                if value != before[name]:
                    text = repr(value)
                    if "\n" in str(value):  # a pasted list, a line a row
                        text = f'"""{value.translate(_ESCAPES)}"""'
                    lines[line.lineno - 1 : line.end_lineno] = [f"{name} = {text}"]
            return [source, "\n".join(lines)]
    return []


def of_study(study: Study) -> Notebook:
    """Make an executed notebook of the answer and each finding of a study."""
    about = "The findings of one study, without the text of a notebook."
    text = f"# {study.title}\n\n{about}"
    cells = list[Any]([{"cell_type": "markdown", "metadata": {}, "source": text}])

    def show(value: Any, *tags: str) -> None:
        data, metadata = value._repr_mimebundle_()
        output = {"output_type": "display_data", "data": data, "metadata": metadata}
        cell = {"cell_type": "code", "source": "", "outputs": [output]}
        cells.append({**cell, "metadata": {"tags": tags}})

    for first in (study.answer, study.figure, study.table, study.answer.limits):
        show(first, LEAD)
    for name in study.findings():
        finding = getattr(study, name)
        if finding.drawing and len(finding):
            show(finding.plot())
        show(finding)
    return {"metadata": {}, "cells": cells}


def question_of(notebook: Notebook, values: Mapping[str, Any]) -> Question[Any] | None:
    """What the notebook asks with these values of its parameters; None where it names
    no question.

    Raises as the question does, for a value that it cannot have.
    """
    if (named := question(notebook)) is None:
        return None
    names = values.keys() & {member.name for member in _kind(named).members()}
    return _kind(named)(**{name: values[name] for name in names})


def _cell(notebook: Notebook) -> dict[str, Any] | None:
    cells = [cell for cell in notebook["cells"] if is_tagged(cell, TAG)]
    if len(cells) > 1:
        raise ReportError(
            "the notebook has several cells tagged 'parameters'; keep one"
        )
    return cells[0] if cells else None


def _own_parameter(name: str, default: str | int | None) -> Member:
    """Make a parameter that is no member of a question: text or a whole number."""
    takes, read = f"text such as {default!r}", typed(str, type(None))
    if isinstance(default, int):
        takes, read = f"a whole number such as {default}", int
    kind = Kind("text", takes, "none", read, takes_none=default is None)
    return Member(name, name.replace("_", " "), kind, default, "")
