"""The candidates of a list in a notebook, with yes and no beside each."""

import asyncio
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from ventureframe.errors import VentureframeError
from ventureframe.matching import decisions
from ventureframe.matching.match import Match
from ventureframe.panel.panel import Panel


def candidates(decided: Match) -> object:
    """List all candidates, also the decided ones: the cells in `to_check`; then name
    and domain in the list, and whether the answer is yes.
    """
    match = decided.decide(None)
    pairs = match.candidates.select("row", uuid="record_uuid")
    pairs = pairs.join(decided.decided, ["row", "uuid"], "left", maintain_order="left")
    entries = match.list.texts[pairs["row"].to_list()]
    made = entries.select("name", "domain", pairs["is_yes"])
    return [*zip(match.to_check.rows, made.rows(), strict=True)]


class Decider(anywidget.AnyWidget):
    """The candidates of a form: a press is kept at once, the new answer shown."""

    _esm = Path(__file__).parent / "decider.js"
    # the headings, and the lines of `candidates`
    heads = traitlets.Any([]).tag(sync=True)
    rows = traitlets.Any([]).tag(sync=True)
    message = traitlets.Unicode().tag(sync=True)

    def __init__(self, form: Panel[Any]) -> None:
        super().__init__()
        self._form = form
        self.on_msg(lambda _, lines, __: self.keep(lines))

    def shown(self, _: object, study: Any) -> Any:
        """Draw the candidates of a study; its own table is what a report has."""
        self.heads = [column.label for column in study.to_check.columns]
        self.rows = candidates(study.match)
        self.message = f"Decisions are kept in {decisions.beside_notebook()}."
        return study.to_check

    def keep(self, lines: list[list[str]]) -> None:
        """Keep decisions, and begin to show the new answer."""
        decisions.keep(lines)
        self._latest = asyncio.ensure_future(self._follow())

    async def _follow(self) -> None:
        form = self._form
        panel = form.asking(form.question)
        if not form.study.source.is_embedded:
            self.message = "Kept. Press Fetch for the new answer."
            return
        try:
            study = await asyncio.to_thread(panel.fetched)
        except VentureframeError as error:
            self.message = str(error)
            return
        if self._latest is asyncio.current_task():  # no press came later
            form.follow(panel, study)
