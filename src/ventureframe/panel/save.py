"""What is on screen as a file: the command line that makes the same report, and its run.

The report is made by running the notebook again with the values of the form, in a process of its
own, so that the command repeats it to the byte. A service whose records have changed since the
fetch shows in the answer, which is compared.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ventureframe.errors import ReportError, VentureframeError
from ventureframe.evidence.members import written
from ventureframe.evidence.question import Question

if TYPE_CHECKING:
    import ipywidgets

    from ventureframe.panel.panel import Panel

_SESSION: Final = "JPY_SESSION_NAME"
"""The variable in which Jupyter tells a kernel the file of its notebook."""


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was written: its file, the command that repeats it, and what to know of it."""

    path: Path
    command: str
    note: str = ""

    def __repr__(self) -> str:
        return "\n".join(filter(None, (f"Written: {self.path}", self.note, self.command)))


def report(panel: Panel[Any], out: str | Path | None = None) -> Report:
    """The report of what the panel shows, written to `out`; `.pdf` and `.xlsx` are formats, too.

    In a folder, and here unless `out` is given, the file is named after the subject.
    Raises `ReportError` with the sentence of the command.
    """
    target = Path(out or "")
    if target.is_dir():
        target /= f"{_named(panel.study.subject)}.html"
    given = [*arguments(panel), "--out", str(target)]
    said = _run(given)
    is_same = str(panel.study.answer) in said
    note = "" if is_same else f"The records are no longer those on screen. The report says: {said}"
    return Report(target, shlex.join(["ventureframe", *given]), note)


def keep(panel: Panel[Any]) -> str:
    """Writes the values of the form into the parameters of its notebook, and says what to do.

    Raises `ReportError` where no notebook with these parameters is open.
    """
    if (path := _open(panel.question)) is None:
        raise ReportError("no notebook of this question is open in JupyterLab")
    _run([*arguments(panel), "--keep"])
    return f"Kept in {path.name}. If JupyterLab asks when you save, choose Revert, then Run All."


def row(panel: Panel[Any]) -> ipywidgets.Widget:
    """The buttons for both, and a line that says what became of it."""
    import ipywidgets as widgets  # noqa: PLC0415  # only where a form is shown

    status = widgets.HTML()
    running: set[asyncio.Future[None]] = set()

    async def done(button: Any, doing: str, act: Callable[[Panel[Any]], object]) -> None:
        button.disabled, status.value = True, doing
        try:
            said = str(await asyncio.to_thread(act, panel))
        except VentureframeError as error:
            said = str(error)
        button.disabled = False
        status.value = "<br>".join(map(html.escape, said.splitlines()))

    def made(name: str, tooltip: str, doing: str, act: Callable[[Panel[Any]], object]) -> Any:
        button = widgets.Button(description=name, tooltip=tooltip, layout={"width": "auto"})

        def begin(_: object) -> None:
            task = asyncio.ensure_future(done(button, doing, act))
            running.add(task)
            task.add_done_callback(running.discard)

        button.on_click(begin)
        return button

    buttons = [
        made("Save report", "One HTML file of what is shown", "Writing the report …", report),
        made("Keep these values", "Write them into this notebook", "Writing the values …", keep),
    ]
    return widgets.VBox([widgets.HBox(buttons), status])


def arguments(panel: Panel[Any]) -> list[str]:
    """The command after its program's name: the notebook, its data, each value of the form."""
    question, data = panel.question, panel.records.service.data
    opened = _open(question)
    name = question.study_class.name if opened is None else os.path.relpath(opened)
    values = [
        f"{each.name}={written(each.kind, question.parameters[each.name])}"
        for each in question.members()
    ]
    sets = [argument for value in values for argument in ("--set", value)]
    return ["report", name, *([] if data is None else ["--data", data]), *sets]


def _open(question: Question[Any]) -> Path | None:
    """The file of the notebook that this kernel runs, where its metadata name the question."""
    path = Path(os.environ.get(_SESSION, ""))
    if path.suffix != ".ipynb" or not path.is_file():
        return None
    try:
        metadata = json.loads(path.read_text("utf-8"))["metadata"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    named = metadata.get("ventureframe", {}).get("question")
    return path if named == question.study_class.name else None


def _named(subject: str) -> str:
    """A file's name for a subject."""
    return re.sub(r"\W+", "-", subject.lower()).strip("-")[:60] or "report"


def _run(arguments: list[str]) -> str:
    """What the command says, once it is done; raises `ReportError` with its sentence."""
    env = {name: value for name, value in os.environ.items() if name != _SESSION}
    command = [sys.executable, "-m", "ventureframe.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)  # noqa: S603
    if done.returncode:
        raise ReportError(done.stderr.strip().rpartition("ventureframe: ")[2])
    return done.stderr.strip()
