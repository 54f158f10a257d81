"""What is on screen as a file: the command line that makes the same report, and its run.

The report is made by running the notebook again with the values of the form, in a process of its
own, so that the command repeats it to the byte. A service whose records have changed since the
fetch shows in the answer, which is compared.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ventureframe.errors import ReportError
from ventureframe.evidence.question import Question

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


def arguments(question: Question[Any], data: str | None) -> list[str]:
    """The command after its program's name: the notebook, its data, each value of the question."""
    path = notebook(question)
    name = question.study_class.name if path is None else os.path.relpath(path)
    values = [
        ("--set", f"{member.name}={member.kind.written(question.parameters[member.name])}")
        for member in question.members()
    ]
    sets = [argument for pair in values for argument in pair]
    return ["report", name, *([] if data is None else ["--data", data]), *sets]


def notebook(question: Question[Any]) -> Path | None:
    """The file of the notebook that this kernel runs, where its metadata name the question."""
    path = Path(os.environ.get(_SESSION, ""))
    if path.suffix != ".ipynb" or not path.is_file():
        return None
    try:
        named = json.loads(path.read_text("utf-8"))["metadata"]["ventureframe"]["question"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return path if named == question.study_class.name else None


def run(arguments: list[str]) -> str:
    """Run the command and return its message; raises `ReportError` with its sentence."""
    env = {name: value for name, value in os.environ.items() if name != _SESSION}
    command = [sys.executable, "-m", "ventureframe.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)  # noqa: S603
    if done.returncode:
        raise ReportError(done.stderr.strip().rpartition("ventureframe: ")[2])
    return done.stderr.strip()
