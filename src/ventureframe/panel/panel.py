"""The panel: a choice, the study it leads to, and the views that follow both."""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Generic

from ventureframe.client.service import Service
from ventureframe.evidence.findings import Findings, Progress
from ventureframe.panel.choices import Choice, Records, S
from ventureframe.studies.changes.find import Comparisons

WIDGET: Final = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A study's bottom line, as a paragraph that stands out."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<p class="vf-answer">{html.escape(self.text)}</p>'


def answer(study: Findings | Comparisons) -> Answer:
    """The bottom line of a study in one sentence."""
    return Answer(study.answer)


@dataclass(frozen=True, slots=True)
class Question(Generic[S]):
    """A choice on its way to an answer, and what is known of that already."""

    choice: Choice[S]
    records: Records
    earlier: S | None = None

    def count(self) -> str:
        """What a fetch would ask for, counted."""
        return self.choice.count(self.records)

    def study(self, progress: Progress | None = None) -> S:
        """The answer; `progress` is told of every page, and may raise to end it."""
        return self.choice.study(self.records, earlier=self.earlier, progress=progress)


@dataclass(repr=False, eq=False)
class Panel(Generic[S]):
    """A form over a choice, the study it leads to, and the views that follow it.

    `choice` and `study` always belong together: a fetch that fails or is cancelled changes neither.
    """

    service: Service
    choice: Choice[S]
    study: S
    records: Records | None = None
    _views: dict[str, tuple[Callable[[Choice[S], S], object], Any]] = field(default_factory=dict)

    def question(self, choice: Choice[S]) -> Question[S]:
        """The question that a choice asks; nothing is sent or changed yet.

        Where only the currency is another, names are not looked up again, and what carries no
        amount is not asked again.
        """
        is_same = replace(choice, currency=self.choice.currency) == self.choice
        if is_same and choice != self.choice and self.records is not None:
            return Question(choice, self.records, self.study)
        return Question(choice, Records(self.service))

    def follow(self, question: Question[S], study: S) -> None:
        """Takes the study that answers a question, and draws again whatever was shown."""
        drawn = [(handle, view(question.choice, study)) for view, handle in self._views.values()]
        self.choice, self.study, self.records = question.choice, study, question.records
        for handle, shown in drawn:
            handle.update(shown)

    def fetch(self, choice: Choice[S]) -> None:
        """Asks the service what `choice` says, then draws again whatever was shown."""
        question = self.question(choice)
        self.follow(question, question.study())

    def show(self, view: Callable[[S], object] = answer) -> None:
        """Displays what `view` makes of the study, now and after every fetch: its answer first."""
        self._display(f"{view.__module__}.{view.__qualname__}", lambda _, study: view(study))

    def _display(self, name: str, view: Callable[[Choice[S], S], object]) -> None:
        from IPython.display import display  # noqa: PLC0415  # only a notebook displays

        shown = view(self.choice, self.study)
        handle = display(shown, display_id=f"ventureframe-{id(self)}-{name}")
        self._views[name] = view, handle

    def _ipython_display_(self) -> None:
        from IPython.display import display  # noqa: PLC0415

        from ventureframe.panel.form import Form  # noqa: PLC0415  # widgets, only where displayed

        bundle = Form(self).view._repr_mimebundle_()
        display({WIDGET: bundle[WIDGET]}, raw=True)
        self._display("choice", lambda choice, _: choice)
