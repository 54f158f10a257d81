"""The panel: a question, the study that answers it, the views that follow both, and its
report.

A report is made of the findings: nothing is run or requested for it.
"""

from __future__ import annotations

import json
import os
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic

from ventureframe.client.paging import Progress
from ventureframe.display.furniture import is_carried, running_cell, show_doubts
from ventureframe.display.wording import file_name, mime_bundle
from ventureframe.errors import (
    QueryError,
    UnsupportedValue,
    VentureframeError,
    VentureframeWarning,
    of_lab,
)
from ventureframe.evidence.question import Question, Records, S
from ventureframe.interface.files import home, write_whole

if TYPE_CHECKING:
    from ventureframe.client.service import Service
    from ventureframe.evidence.answer import Answer

WIDGET = "application/vnd.jupyter.widget-view+json"
# above: imported when a report is written
_WRITE = "ventureframe.report.build:write"
_FILE_IN = "ventureframe.report.build:file_in"
# in which Jupyter tells a kernel the file of its notebook
_SESSION = "JPY_SESSION_NAME"


def form(svc: Service, question: Question[S]) -> Panel[S]:
    """Make a form for a question; its study is fetched once it is displayed or used.

    Its findings are attributes: `form.funnel` shows the finding, and the new one after
    every fetch, `form.funnel.plot()` its figure, `form.answer` the bottom line. If the
    question has no answer, because no record has a name or the service fails, the form
    says so, everything that follows it shows that nothing is fetched yet, and
    `form.study` raises the error. The same happens while nothing is chosen: on your own
    data a form starts empty.

    >>> import ventureframe as vf
    >>> question = vf.spinouts.Question(
    ...     university="Harrowmere University", domain="harrowmere.example", since=2015
    ... )
    >>> panel = vf.form(vf.connect(), question)
    >>> panel.funnel.to_polars()["unit"].unique().sort().to_list()
    ['companies', 'founders']
    """
    records = Records(svc)
    if not isinstance(question, Question):
        reason = "give a question, such as vf.spinouts.Question()"
        raise UnsupportedValue(question, field="question", reason=reason)
    panel = Panel(records, question.starting_at(svc))
    # also where nothing is chosen
    panel.in_code = question.set(currency=panel.question.currency)
    if unchosen := panel.question.nothing_chosen(attrgetter("label")):
        panel.failure = QueryError(unchosen)
    return panel


def show_widget(widget: Any) -> None:
    """Display a widget, and nothing in a page that has none."""
    with of_lab("A form"):
        from IPython.display import display  # noqa: PLC0415
        from ipywidgets import VBox  # noqa: PLC0415

    display({WIDGET: VBox([widget])._repr_mimebundle_()[WIDGET]}, raw=True)


class View:
    """A finding, or its figure, of whatever study a panel has: shown again after every
    fetch.

    Everything else of the current finding is within reach too: `view.to_polars()`,
    `view.caption`.
    """

    def __init__(self, panel: Panel[Any], make: Callable[[Any], Any]) -> None:
        self._panel, self._make = panel, make

    @property
    def current(self) -> Any:
        """What the view shows now."""
        return self._make(self._panel.study)

    def plot(self) -> View:
        """The figure of the finding, as a view; raises `FindingNotDrawn` where it
        has none.
        """
        self._panel.begin()
        if self._panel.failure is None:
            self.current.drawn_by()
        return View(self._panel, lambda study: self._make(study).plot())

    def __getitem__(self, rows: slice) -> View:
        """Some rows of the finding, as a view."""
        return View(self._panel, lambda study: self._make(study)[rows])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.current, name)

    def __dir__(self) -> list[str]:
        names = {name for name in dir(self.current) if not name.startswith("_")}
        return sorted({*names, "current", "plot"})

    def __repr__(self) -> str:
        return repr(self.current)

    def _ipython_display_(self) -> None:
        self._panel.display(lambda _, study: self._make(study))


@dataclass(frozen=True)
class Note:
    """What a cell shows beside the findings, or in place of one: text, HTML, and the
    facts that a report reads.
    """

    text: str
    html: str
    facts: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **_: object) -> tuple[Any, Any]:
        return mime_bundle(self.text, self.html, None, **self.facts)


def _unanswered(text: str, reason: str) -> Note:
    """A note in place of a finding; a report of it ends with the reason."""
    html = f'<p class="vf-instead">{escape(text)}</p>'
    return Note(text, html, {"unanswered": reason})


@dataclass(frozen=True)
class Report:
    """A file that was written, and the command that goes on from it."""

    path: Path
    command: str
    is_new: bool = True

    def __repr__(self) -> str:
        done = "Written" if self.is_new else "Replaced"
        # one that holds a pasted list would fill the page
        command = "" if "\n" in self.command else self.command
        return f"{done}: {self.path}\n{command}"


class Panel(Generic[S]):
    """A form over a question, the study that answers it, and the views that follow it.

    `question` and `study` always belong together: a fetch that fails or is cancelled
    changes neither. `failure` is why there is no study yet, once that was tried.
    """

    def __init__(
        self,
        records: Records,
        question: Question[S],
        *,
        earlier: S | None = None,
        doubts: tuple[str, ...] = (),
    ) -> None:
        self.records, self._earlier = records, earlier
        self.question = self.in_code = question
        self.doubts = doubts
        """About what was fetched: they go when something else is."""
        self.failure: VentureframeError | None = None
        self._study: S | None = None
        self._views: list[tuple[Callable[..., object], Any, object, object]] = []
        """On the page: what makes it, its output, and which cell in which run it is
        from.
        """

    if TYPE_CHECKING:
        answer: Answer

    @property
    def study(self) -> S:
        """The study of the question; raises the error that left the question without
        an answer.
        """
        self.begin()
        if self._study is None:
            # `begin` leaves one of the two
            assert self.failure is not None  # noqa: S101
            raise self.failure
        return self._study

    def begin(
        self, run: Callable[[Callable[[Progress | None], S]], S] | None = None
    ) -> None:
        """Fetch the first study, once, as `run` carries it out; a `failure` is kept."""
        if self._study is None and self.failure is None:
            try:
                self._study = self.fetched() if run is None else run(self.fetched)
            except VentureframeError as error:
                self.failure = error

    def fetched(self, progress: Progress | None = None) -> S:
        """Fetch the study; `progress` is told of every page, and may raise to end
        it.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", VentureframeWarning)
            study = self.question.study(
                self.records, earlier=self._earlier, progress=progress
            )
        doubts = [str(warning.message) for warning in caught]
        self.doubts = tuple(dict.fromkeys((*self.doubts, *doubts)))
        return study

    def __getattr__(self, name: str) -> View:
        if name.startswith("_") or name not in self._findings():
            raise AttributeError(f"{type(self).__name__} has no finding {name!r}")
        return View(self, lambda study: getattr(study, name))

    def _findings(self) -> list[str]:
        return ["answer", *self.question.study_class.findings()]

    def __dir__(self) -> list[str]:
        return [*self._findings(), "fetch", "question", "report", "show", "study"]

    def __repr__(self) -> str:
        return f"<form: {self.question!r}>"

    def asking(self, question: Question[S]) -> Panel[S]:
        """The panel of another question; nothing is sent or changed yet.

        Where only the currency is another, what carries no amount is not requested
        again.
        """
        now = self.question
        if question != now and question.set(currency=now.currency) == now:
            return Panel(
                self.records, question, earlier=self._study, doubts=self.doubts
            )
        return Panel(Records(self.records.service), question)

    def follow(self, panel: Panel[S], study: S) -> None:
        """Take the question of another panel and its study, and show every view
        again.
        """
        self.question, self._study, self.records = panel.question, study, panel.records
        self.failure, self.doubts = None, panel.doubts
        for make, handle, *_ in self._views:
            handle.update(self._made(make))

    def _made(self, make: Callable[[Question[S], S], object]) -> object:
        if self.failure:
            reason = "Nothing is fetched yet: the form above says why."
            return _unanswered(reason, str(self.failure))
        try:
            return make(self.question, self.study)
        except Exception as error:  # of the user's own function, which may raise any
            reason = f"This cannot be shown: {type(error).__name__}: {error}"
            return _unanswered(reason, reason)

    @property
    def asked(self) -> Note:
        """The question, and the doubts about what was fetched for it."""
        html = self.question._repr_html_()
        for doubt in self.doubts:
            html += f'<p class="vf-warning" role="note">{escape(doubt)}</p>'
        return Note("\n".join([repr(self.question), *self.doubts]), html)

    def fetch(self, question: Question[S]) -> None:
        """Fetch the study of another question, then show every view again."""
        panel = self.asking(question)
        self.follow(panel, panel.fetched())

    @property
    def command(self) -> str:
        """The command line that fetches the same again and writes its report."""
        question, path = self.question, self._notebook()
        name = question.study_class.name if path is None else os.path.relpath(path)
        options = list[str]()
        for member in question.members():
            value = member.kind.written(question.parameters[member.name])
            options.append(f"{member.option}={value}")
        return self._line("report", name, *options)

    def _line(self, *arguments: str) -> str:
        """A command line over the same data."""
        data = self.records.service.data
        options = [] if data is None else ["--data", data]
        return shlex.join(["ventureframe", *arguments, *options])

    def file(self, suffix: str) -> Path:
        """The file that is named after the question and the day of its data."""
        study, parts = self.study, [self.study.subject[:60]]
        for member in self.question.members():
            value = self.question.parameters[member.name]
            is_named = member.beside or member.kind.name in ("year", "years")
            if is_named and value is not None:
                parts.append(member.kind.written(value))
        name = file_name(*parts, study.currency, source=study.source)
        return Path(f"{name}{suffix}")

    def report(self, out: str | Path | None = None, **signed: str | None) -> Report:
        """Write the findings as one file, HTML unless `out` ends with .pdf or .xlsx.

        In a folder, and here unless `out` is given, the file is named after the
        question; what is returned says whether it replaced one. `by`, `date` and
        `note` stand on its first page. Raises `ReportError`.
        """
        target = resolve_name(_FILE_IN)(out or ".", self.file(".html"))
        is_new = not target.exists()
        resolve_name(_WRITE)(self.study, target, **signed)
        return Report(target, self.command, is_new)

    def keep(self, out: str | Path | None = None) -> Report:
        """Write the question as a file that `ventureframe watch` asks again."""
        target = home(out or self.file(".toml"))
        write_whole(target, self.question.written)
        return Report(target, self._line("watch", str(target), "--keep", target.stem))

    def _notebook(self) -> Path | None:
        """The file of the notebook that this kernel runs, where its metadata name
        the question.
        """
        path = Path(os.environ.get(_SESSION, ""))
        if path.suffix != ".ipynb" or not path.is_file():
            return None
        try:
            name = json.loads(path.read_text("utf-8"))["metadata"]["ventureframe"][
                "question"
            ]
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return path if name == self.question.study_class.name else None

    def show(self, view: Callable[[S], object]) -> None:
        """Display what a function of yours makes of the study, now and after every
        fetch.
        """
        self.display(lambda _, study: view(study))

    def display(self, make: Callable[[Question[S], S], object]) -> None:
        """Display what `make` makes of question and study, and again after every fetch.

        Each call has an output of its own; a cell that is run again replaces its own
        views.
        """
        with of_lab("A form"):
            # only a notebook displays
            from IPython.display import display  # noqa: PLC0415

        self.begin()
        handle = display(self._made(make), display_id=True)
        cell, run = running_cell()
        remaining = (
            view
            for view in self._views
            if cell is None or view[2] != cell or view[3] == run
        )
        self._views = [*remaining, (make, handle, cell, run)]

    def _ipython_display_(self) -> None:
        show_doubts()
        # widgets are loaded only where a form is displayed, which knows its panel
        with of_lab("A form"):
            form = import_module("ventureframe.panel.form").Form(self)
        show_widget(form.view)
        is_carried()  # also where no view has a table before the first fetch
        form.begin()
        self.display(form.show_fetched)
