"""The candidates of a list in a notebook, with yes and no beside each."""

import asyncio
from pathlib import Path
from typing import Any

import anywidget
import polars as pl
import traitlets

from ventureframe.display.finding import Finding
from ventureframe.display.table import Table, columns
from ventureframe.errors import VentureframeError
from ventureframe.interface.files import write_whole
from ventureframe.matching import lists
from ventureframe.panel.panel import Panel
from ventureframe.studies.mine.question import beside_notebook
from ventureframe.studies.mine.study import Study

_LINE = ("Name", "Website", "Name in the records", "Record UUID", "Decision")


class Decider(anywidget.AnyWidget):
    """Follows a form; a press is kept at once, and what follows from it is shown."""

    _esm = Path(__file__).parent / "decider.js"
    heads = traitlets.List(trait=traitlets.Unicode()).tag(sync=True)
    # of each candidate: its cells, her name and domain, and whether the answer is yes
    rows = traitlets.List(trait=traitlets.Any()).tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)

    def __init__(self, form: Panel[Study]) -> None:
        super().__init__()
        self._form: Any = form
        self.on_msg(lambda _, lines, __: self.keep(lines))

    def shown(self, _: object, study: Study) -> Finding:
        """Draw the candidates of a study; its own table is what a report has."""
        found = study.match.decide(None)
        names, domains = map(found.list.column, ("name", "domain"))
        pairs = found.candidates.select("row", uuid="record_uuid").rows()
        made = {(row, uuid): is_yes for row, uuid, is_yes in study.match.decided.rows()}
        self.heads = [column.label for column in found.to_check.columns]
        self.rows = [
            (cells, names[pair[0]], domains[pair[0]], made.get(pair))
            for cells, pair in zip(found.to_check.rows, pairs, strict=True)
        ]
        self.said = f"Decisions are kept in {beside_notebook()}."
        return study.to_check

    def keep(self, lines: list[list[str]]) -> None:
        """Add lines to the CSV, each her name and domain, the record's name and UUID,
        and the answer; the last line of a pair decides it.
        """
        path, frames = beside_notebook(), [pl.DataFrame(lines, _LINE, orient="row")]
        if path.is_file():
            frames.insert(0, lists.read(path, is_decided=True).frame)
        frame = pl.concat(frames, how="diagonal_relaxed")
        shown = columns("text", null="", **{head: head for head in frame.columns})
        write_whole(path, f"\ufeff{Table('', '', shown, frame).to_csv()}")
        self._latest = asyncio.ensure_future(self._follow())

    async def _follow(self) -> None:
        form = self._form
        try:
            again = form.question.redecided
            study = await asyncio.to_thread(again, form.records, form.study)
        except VentureframeError as error:
            self.said = str(error)
            return
        if study is None:
            self.said = "Kept. Press Fetch for what is known of the companies now."
        elif self._latest is asyncio.current_task():  # no press came later
            form.follow(form, study)
