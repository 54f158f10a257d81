"""The form of a panel: a control per member of the question, buttons, and a status in
words.

Fetching runs in a thread of its own, so that the notebook stays usable and Cancel is
heard. A press may arrive in another thread: what it does to running work goes
through the loop of that work.
"""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable
from concurrent import futures
from contextlib import suppress
from functools import partial
from html import escape
from pkgutil import resolve_name
from typing import Any, Generic, TypeVar

import ipywidgets as widgets

from ventureframe.client.lookups import similar
from ventureframe.client.paging import Progress
from ventureframe.errors import Unclear, UnsupportedValue, VentureframeError
from ventureframe.evidence.question import Plan, Question, S
from ventureframe.interface.certificate import Cost
from ventureframe.panel.browser import Browser, State, start, worded
from ventureframe.panel.controls import Control, control
from ventureframe.panel.panel import Note, Panel
from ventureframe.panel.reading import Reading

T = TypeVar("T")

# above: found when values are written
_REWRITTEN = "ventureframe.report.notebook:rewritten"
UNCHANGED = "Nothing below has changed."
_STILL = "Still fetching; Cancel ends it."
_WHEN_IDLE = ("Fetch", "Count", "Reset")
# seconds between looks for an interrupt: not every system ends a wait for one
_HEARD = 0.2
_ADVICE = "To repeat this answer with Run All, put these lines into the code:"
_RESET = "Back to what was fetched last"
_SIGNED = "for the report"
_HINT = "Leave a field empty for any. Press Fetch to update the results."
_GRID = {
    "display": "grid",
    "grid_template_columns": "repeat(auto-fit, minmax(min(26em, 100%), 1fr))",
}


class FetchEnded(VentureframeError):
    """A fetch was ended before its end: by an interrupt of the kernel, or since
    nobody waits.
    """


def _button(name: str, act: Callable[..., object], **look: Any) -> widgets.Button:
    button = widgets.Button(description=name, **look)
    button.on_click(act)
    return button


class Form(Generic[S]):
    """The widgets of a panel; `view` is all of them."""

    def __init__(self, panel: Panel[S]) -> None:
        self.panel, self.members = panel, panel.question.members()
        self._end: Callable[[], object] | None = None
        self._is_offering = False
        self.cost = widgets.Label()
        self.saved = widgets.HTML()
        self.kept = widgets.HTML()
        self.browser = Browser(
            enter=self._starts(self.fetch), shown=self._shown, kept=self._is_kept
        )
        buttons = (
            _button("Fetch", self._starts(self.fetch), button_style="primary"),
            _button("Count", self._starts(self.count), tooltip="One small request"),
            _button("Reset", self._starts(self.reset), tooltip=_RESET),
            _button("Cancel", lambda _: self.cancel(), disabled=True),
        )
        self.buttons = {button.description: button for button in buttons}
        fields = self._fields()
        fields.add_class("vf-fields")
        hint = widgets.Label(_HINT)
        row = widgets.HBox([*buttons, self.cost])
        self.view = widgets.VBox([fields, hint, row, self.browser, self._saving()])
        self.view.add_class("vf-panel")

    def _fields(self) -> widgets.Widget:
        """The control of each member but those that a record brings with it."""
        question = self.panel.question
        columns = getattr(question, "columns", {})  # of a list
        find = partial(similar, self.panel.records.service)
        self.paired = dict[str, str]()
        self.controls = dict[str, Control]()
        for member in self.members:
            if member.beside:
                self.paired[member.beside] = member.name
                continue
            is_column = member.name in columns
            self.controls[member.name] = control(member, find, is_column=is_column)
        self.write(question)
        if columns:
            Reading(question, self.controls)
        controls = self.controls.values()
        for made in controls:
            for field in made.fields:
                field.observe(self._changed, "value")
        self.pickers = [made.picker for made in controls if made.picker]
        for picker in self.pickers:
            picker.observe(self._changed, ["chosen", "typed"])
        return widgets.Box([made.box for made in controls], layout=_GRID)

    def _saving(self) -> widgets.Widget:
        """The buttons that write a file, what is said on its first page, and where
        it is.
        """
        saves = (
            self._saves("Save report", self.report, "All findings in one file"),
            self._saves(
                "Save PDF", partial(self.report, ".pdf"), "All findings as printed"
            ),
            self._saves("Save XLSX", partial(self.report, ".xlsx"), "For Excel"),
            self._saves(
                "Save question", self.panel.keep, "A file for ventureframe watch"
            ),
        )
        self.signed = {
            name: widgets.Text(description=name.capitalize(), placeholder=_SIGNED)
            for name in ("by", "date", "note")
        }
        signed = widgets.HBox([*self.signed.values()])
        return widgets.VBox([widgets.HBox(saves), signed, self.saved, self.kept])

    def _saves(self, name: str, act: Callable[[], Any], tooltip: str) -> widgets.Button:
        """A button that writes a file, and says where it is."""

        async def save(button: Any) -> None:
            button.disabled, self.saved.value = True, "Writing …"
            try:
                message = str(await asyncio.to_thread(act))
            except VentureframeError as error:
                message = str(error)
            button.disabled = False
            self.saved.value = "<br>".join(map(escape, message.splitlines()))

        return _button(
            name,
            lambda button: start(save(button)),
            tooltip=tooltip,
            layout={"width": "auto"},
        )

    def report(self, ending: str = ".html") -> object:
        """Write the findings as one file of this ending; nothing is requested."""
        if self.browser.state == "busy":
            return "Still fetching: save the report when it is done."
        signed = {name: field.value for name, field in self.signed.items()}
        return self.panel.report(self.panel.file(ending), **signed)

    def show_parameters(self) -> None:
        """Write what is asked into the cell of parameters, so that Run All repeats it;
        until it is there the lines are shown.
        """
        in_code = self.panel.in_code.parameters
        changed = dict[str, Any]()
        for member in self.members:
            value = self.panel.question.parameters[member.name]
            if value != in_code[member.name]:
                changed[member.name] = member.kind.read(value)
        self.kept.value = ""
        if changed:
            lines = (f"{name} = {value!r}" for name, value in changed.items())
            text = escape("\n".join(lines))
            self.kept.value = f"{_ADVICE}<pre>{text}</pre>"
            rewritten = resolve_name(_REWRITTEN)
            self.browser.rewritten = rewritten(self.browser.code, changed)

    def _is_kept(self) -> None:
        self.panel.in_code = self.panel.question
        self.kept.value = "The code above has these values. Run All repeats the answer."

    def begin(self) -> None:
        """Fetch the first study, while the cell that displays the form runs; say how it
        ended.

        A notebook hears no press meanwhile, and would act on it later: the buttons
        wait.
        """
        self._enable()
        self.browser.say("Fetching … To end it, interrupt the kernel.", "busy")
        self.panel.begin(self._waited_for)
        self._enable(*_WHEN_IDLE)
        if self.panel.failure is None:
            self.show_fetched()
        elif self.panel.question.is_chosen:
            self._fail(self.panel.failure)
        else:
            self.browser.say(str(self.panel.failure))

    def _enable(self, *names: str) -> None:
        for name, button in self.buttons.items():
            button.disabled = name not in names

    def _waited_for(self, work: Callable[[Progress], T]) -> T:
        """Run `work` in a thread of its own and return what it gives; raises
        `FetchEnded` where it is ended.
        """
        pool, stop = futures.ThreadPoolExecutor(1), threading.Event()
        context = contextvars.copy_context()
        try:  # an interrupt may come as soon as the work begins
            job = pool.submit(context.run, work, self._progress(stop))
            while not job.done():
                futures.wait([job], timeout=_HEARD)
            return job.result()
        except KeyboardInterrupt:
            raise FetchEnded(
                "The fetch was stopped. Press Fetch to start it again."
            ) from None
        finally:
            stop.set()
            self.browser.progress = []
            pool.shutdown(wait=False)

    def read(self) -> Question[S]:
        """The question that the controls say; raises `QueryError` for what is no value.

        A member that is not changed stays as it was: its name need not be the only one.
        """
        question, changed = self.panel.question, dict[str, Any]()
        now = question.parameters
        for name in self.controls:
            values = self._value(name)
            if not values.items() <= now.items():
                changed |= values
        return question.set(**changed)

    def _value(self, name: str) -> dict[str, Any]:
        """What a control says: of a record its name, and what tells it from others."""
        value = self.controls[name].read()
        if name not in self.paired:
            return {name: value}
        first, second = value or (None, None)
        return {name: first, self.paired[name]: second}

    def write(self, question: Question[S]) -> None:
        """Set every control to the question."""
        values = question.parameters
        for name, made in self.controls.items():
            value = values[name]
            if name in self.paired:
                value = value, values[self.paired[name]]
            made.write(value)

    async def reset(self) -> None:
        """Set every control back to what was fetched last; nothing is requested."""
        if self._end is not None:
            self.browser.say(_STILL, "busy")
            return
        self.write(self.panel.question)
        self.browser.say("Back to what was fetched last.")
        self._show_cost()

    async def count(self) -> None:
        """Say how much a fetch would bring, and what it takes; nothing else changes."""
        if counted := await self._counted():
            _, plan = counted
            self.browser.say(f"{plan.text}. Press Fetch to go on.", "done")

    async def fetch(self) -> None:
        """Count, fetch, and show every view again; what is entered meanwhile stays."""
        if (counted := await self._counted()) is None:
            return
        panel, plan = counted
        if study := await self._done(f"Fetching {plan.text} …", panel.fetched):
            self.browser.say("Updating everything below …", "busy")
            self.panel.follow(panel, study)
            self._changed()
            if not self.browser.edited:
                self.write(panel.question)
            self.show_fetched()
            self.show_parameters()

    def cancel(self) -> None:
        """End the fetch at once; a reply under way is discarded when it arrives."""
        if self._end is None:
            self.browser.say("Nothing is being fetched.")
        else:
            self._end()

    def show_fetched(self, *_: object) -> Note:
        """Say what the study answers, and return what was asked."""
        study = self.panel.study
        state: State = "empty" if study.is_empty else "done"
        self.browser.say(f"Up to date. {study.answer.sentence}", state)
        self._show_cost()
        return self.panel.asked

    def _show_cost(self) -> None:
        """Say beside Fetch what the study took that is shown: a repetition takes as
        much.
        """
        self.cost.value = ""
        # saves are compared without a request
        is_fetched = any(member.is_chosen for member in self.members)
        if is_fetched and self.panel.failure is None and self.panel.study.fetched:
            total = Cost(0, 0.0, 0.0)
            for result in self.panel.study.fetched:
                fetch = result.certificate
                requests = fetch.pages + fetch.retries
                total += Cost(requests, fetch.seconds, fetch.credits)
            self.cost.value = f"Last fetch: {total!r}"

    def _changed(self, _: object = None) -> None:
        try:
            is_changed = self.read() != self.panel.question
        except VentureframeError:
            is_changed = True
        self.browser.edited = is_changed and self.panel.failure is None
        if self.browser.state not in ("busy", "cancelled"):  # about other values
            self.browser.say("")
        self.cost.value = "Press Count for the cost." if self.browser.edited else ""

    def _shown(self) -> None:
        """Offer the values that the service has, once, when a browser shows the
        form.
        """
        if not self._is_offering:
            self._is_offering = True
            threading.Thread(target=self.offer_values, daemon=True).start()

    def offer_values(self) -> None:
        """Offer the values that exist where a member can list them."""
        with suppress(VentureframeError):  # a fetch will say why
            for member in self.members:
                if member.offers and not member.tells:
                    values = member.offers(self.panel.records.service)
                    self.controls[member.name].offer(values)

    def _starts(self, act: Callable[[], Awaitable[None]]) -> Callable[..., None]:
        """Begins it once all that was entered before the press is known, and returns
        at once.
        """

        async def settled() -> None:
            await self.browser.heard()
            await act()

        return lambda *_: start(settled())

    async def _counted(self) -> tuple[Panel[S], Plan] | None:
        """Count what the controls ask for; None, and the reason shown, if they do
        not.
        """
        if self._end is not None:
            self.browser.say(_STILL, "busy")
            return None
        try:
            panel = self.panel.asking(self.read())
        except VentureframeError as error:
            self._fail(error)
            for picker in self.pickers:  # list what text finds that was not picked
                if typed := picker.typed.strip():
                    await picker.search(typed)
            return None
        plan = await self._done(
            "Counting …", lambda _: panel.question.count(panel.records)
        )
        if plan is None:
            return None
        self.cost.value = "" if plan.cost is None else repr(plan.cost)
        return panel, plan

    async def _done(self, doing: str, work: Callable[[Progress], T]) -> T | None:
        """Run `work` in a thread of its own and return what it gives; None, with the
        reason shown, where it fails.
        """
        self.browser.say(doing, "busy")
        stop, loop = threading.Event(), asyncio.get_running_loop()
        task = asyncio.ensure_future(asyncio.to_thread(work, self._progress(stop)))
        self._end = partial(loop.call_soon_threadsafe, task.cancel)
        self._enable(*self.buttons)
        try:
            return await task
        except asyncio.CancelledError:
            self.browser.say(f"Cancelled. {UNCHANGED}", "cancelled")
        except VentureframeError as error:
            self._fail(error)
        finally:
            stop.set()
            self._end, self.browser.progress = None, []
            self._enable(*_WHEN_IDLE)
        return None

    def _progress(self, stop: threading.Event) -> Progress:
        """What shows how far the work is, and ends it once nobody waits for it any
        more.
        """

        def show(rows: int, total: int | None) -> None:
            if stop.is_set():
                raise FetchEnded("The fetch is no longer needed.")
            self.browser.progress = [rows, total]

        return show

    def _fail(self, error: VentureframeError) -> None:
        state = "Nothing is fetched yet." if self.panel.failure else UNCHANGED
        reason = str(error)
        if isinstance(error, Unclear) and error.candidates:
            entry, rows = error.entry, error.candidates
            if any(picker.offer(entry, rows) for picker in self.pickers):
                name = " · ".join(filter(None, worded(entry)))
                advice = "pick one of the list, or type another"
                reason = f"No single record is called {name!r}: {advice}."
        if isinstance(error, UnsupportedValue):
            labels = {member.name: member.label for member in self.members}
            reason = f"{labels.get(error.field, error.field)}: {error.reason}."
        is_ended = isinstance(error, FetchEnded)
        self.browser.say(f"{state} {reason}", "cancelled" if is_ended else "failed")
