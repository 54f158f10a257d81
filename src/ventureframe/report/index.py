"""What was built, on one page: each report's title, answer, source, day, and whether it is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import nbformat

from ventureframe.report.notebook import facts, is_synthetic
from ventureframe.report.page import opening, render

NAME: Final = "index.html"


@dataclass(frozen=True, slots=True)
class Entry:
    """One report as the list has it; without a file it was left out, for the reason in `answer`."""

    file: str
    title: str
    answer: str
    source: str | None = None
    as_of: str | None = None
    is_synthetic: bool | None = None


def entry(notebook: nbformat.NotebookNode, *, file: str) -> Entry:
    """The line of an executed notebook whose report is `file`.

    Source and day are those of the answer, else of the first output that has a source. A notebook
    without an answer is described by the text it opens with.
    """
    title, text = opening(notebook)
    stated = list(facts(notebook))
    answering = next((each for each in stated if "answer" in each), {})
    rests_on = next((each for each in (answering, *stated) if each.get("source")), {})
    return Entry(
        file=file,
        title=title,
        answer=answering.get("answer", text),
        source=rests_on.get("source"),
        as_of=rests_on.get("as_of"),
        is_synthetic=is_synthetic(notebook),
    )


def index(entries: Sequence[Entry]) -> str:
    """The page that lists these reports, in their order."""
    return render("reports.html.j2", title="Reports", entries=entries)
