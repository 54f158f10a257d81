"""The panel: a question, the study that answers it, and the views that follow both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic

from ventureframe.evidence.question import Question, Records, S
from ventureframe.panel import save

if TYPE_CHECKING:
    from ventureframe.client.service import Service
    from ventureframe.evidence.study import Answer

WIDGET: Final = "application/vnd.jupyter.widget-view+json"


def form(svc: Service, question: Question[S]) -> Panel[S]:
    """The panel over a question, with its study already fetched.

    Its findings are attributes: `form.funnel` shows the finding and shows the new one after every
    fetch, `form.funnel.plot()` its figure, `form.answer` the bottom line. Raises what
    `Question.study` raises.

    >>> import ventureframe as vf
    >>> question = vf.spinouts.Question(
    ...     university="Harrowmere University", domain="harrowmere.example", since=2015
    ... )
    >>> panel = vf.form(vf.connect(), question)
    >>> panel.funnel.to_polars()["unit"].unique().sort().to_list()
    ['companies', 'founders']
    """
    records = Records(svc)
    question = question.set(currency=question.currency or svc.currency)
    return Panel(records, question, question.study(records))


class View:
    """A finding, or its figure, of whatever study a panel has: shown again after every fetch.

    Everything else of the current finding is within reach too: `view.to_polars()`, `view.caption`.
    """

    def __init__(self, panel: Panel[Any], name: str, make: Callable[[Any], Any]) -> None:
        self._panel = panel
        self._name = name
        self._make = make

    @property
    def current(self) -> Any:
        """What the view shows now."""
        return self._make(self._panel.study)

    def plot(self) -> View:
        """The figure of the finding, as a view; raises `FindingNotDrawn` where it has none."""
        self.current.plot()
        return View(self._panel, f"{self._name}.plot", lambda study: self._make(study).plot())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.current, name)

    def __dir__(self) -> list[str]:
        own = [name for name in dir(self.current) if not name.startswith("_")]
        return sorted({*own, "current", "plot"})

    def __repr__(self) -> str:
        return repr(self.current)

    def _ipython_display_(self) -> None:
        self._panel.display(self._name, lambda _, study: self._make(study))


@dataclass(frozen=True, slots=True)
class Request(Generic[S]):
    """A question on its way to an answer, and what is known of that already."""

    question: Question[S]
    records: Records
    earlier: S | None = None

    def study(self, progress: Any = None) -> S:
        """The answer; `progress` is told of every page, and may raise to end it."""
        return self.question.study(self.records, earlier=self.earlier, progress=progress)


class Panel(Generic[S]):
    """A form over a question, the study that answers it, and the views that follow it.

    `question` and `study` always belong together: a fetch that fails or is cancelled changes
    neither.
    """

    def __init__(self, records: Records, question: Question[S], study: S) -> None:
        self.records = records
        self.question = question
        self.study = study
        self._views: dict[str, tuple[Callable[[Question[S], S], object], Any]] = {}

    if TYPE_CHECKING:
        answer: Answer

    def __getattr__(self, name: str) -> View:
        if name not in self._shown():
            raise AttributeError(f"{type(self.study).__name__} has no finding {name!r}")
        return View(self, name, lambda study: getattr(study, name))

    def _shown(self) -> list[str]:
        return ["answer", *type(self.study).findings()] if "study" in vars(self) else []

    def __dir__(self) -> list[str]:
        return [*self._shown(), "fetch", "question", "report", "show", "study"]

    def __repr__(self) -> str:
        return f"<form: {self.question!r}>"

    def request(self, question: Question[S]) -> Request[S]:
        """The request for another question; nothing is sent or changed yet.

        Where only the currency is another, names are not looked up again, and what carries no
        amount is not requested again.
        """
        own = self.question
        if question != own and question.set(currency=own.currency) == own:
            return Request(question, self.records, self.study)
        return Request(question, Records(self.records.service))

    def follow(self, request: Request[S], study: S) -> None:
        """Takes the study that answers a request, and shows every view again."""
        drawn = [(handle, view(request.question, study)) for view, handle in self._views.values()]
        self.question, self.study, self.records = request.question, study, request.records
        for handle, shown in drawn:
            handle.update(shown)

    def fetch(self, question: Question[S]) -> None:
        """Fetches the study of another question, then shows every view again."""
        request = self.request(question)
        self.follow(request, request.study())

    def report(self, out: str | Path | None = None) -> save.Report:
        """What is on screen as one file, HTML unless `out` ends with .pdf or .xlsx.

        The repr has the command line that repeats it. Raises `ReportError`.
        """
        return save.report(self, out)

    def keep(self) -> str:
        """Writes the values of the form into the notebook's parameters; see `panel.save`."""
        return save.keep(self)

    def show(self, view: Callable[[S], object]) -> None:
        """Displays what a function of yours makes of the study, now and after every fetch."""
        self.display(f"{view.__module__}.{view.__qualname__}", lambda _, study: view(study))

    def display(self, name: str, view: Callable[[Question[S], S], object]) -> None:
        """Displays what `view` makes of question and study, under a name of its own."""
        from IPython.display import display  # noqa: PLC0415  # only a notebook displays

        shown = view(self.question, self.study)
        handle = display(shown, display_id=f"ventureframe-{id(self)}-{name}")
        self._views[name] = view, handle

    def _ipython_display_(self) -> None:
        from IPython.display import display  # noqa: PLC0415

        from ventureframe.panel.form import Form  # noqa: PLC0415  # widgets, only where displayed

        bundle = Form(self).view._repr_mimebundle_()
        display({WIDGET: bundle[WIDGET]}, raw=True)
        self.display("question", lambda question, _: question)
