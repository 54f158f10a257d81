"""The form of a panel: a control per member of the question, buttons, and a status in words.

Fetching runs in a thread of its own, so that the notebook stays usable and Cancel is heard. A
kernel may take the messages of two widgets in two threads: what one press does to the work of
another goes through the loop of that work.
"""

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent import futures
from contextlib import suppress
from functools import partial
from html import escape
from typing import Any, Final, Generic, TypeVar

import ipywidgets as widgets

from ventureframe.client.lookups import similar
from ventureframe.client.walk import Progress
from ventureframe.errors import QueryError, Unclear, UnsupportedValue, VentureframeError
from ventureframe.evidence.dropped import recorded
from ventureframe.evidence.question import Question, S
from ventureframe.evidence.study import Study
from ventureframe.interface.certificate import Cost
from ventureframe.panel.browser import Browser, State
from ventureframe.panel.controls import Control, control
from ventureframe.panel.panel import Panel, Request
from ventureframe.panel.picker import Picker

T = TypeVar("T")

UNCHANGED: Final = "Nothing below has changed."
NOTHING: Final = "Nothing is fetched yet."
_STILL: Final = "Still fetching; Cancel ends it."
_WHEN_IDLE: Final = ("Fetch", "Count", "Reset")
_HEARD: Final = 0.2
"""Seconds between two looks for an interrupt: not every system ends a wait for one."""
_HINT: Final = "Empty is no condition. Typing searches names; only Fetch changes what is below."
_GRID: Final = {
    "display": "grid",
    "grid_template_columns": "repeat(auto-fit, minmax(min(26em, 100%), 1fr))",
}


class Form(Generic[S]):
    """The widgets of a panel; `view` is all of them."""

    def __init__(self, panel: Panel[S]) -> None:
        self.panel = panel
        self.members = panel.question.members()
        self.beside = {each.beside: each.name for each in self.members if each.beside}
        self.controls: dict[str, Control] = {
            each.name: control(each, partial(similar, panel.records.service))
            for each in self.members
            if not each.beside
        }
        self.browser = Browser(on_enter=self._starts(self.fetch), on_shown=self._shown)
        self.buttons = {
            "Fetch": widgets.Button(description="Fetch", button_style="primary"),
            "Count": widgets.Button(description="Count", tooltip="One small request"),
            "Reset": widgets.Button(description="Reset", tooltip="Back to what was fetched last"),
            "Cancel": widgets.Button(description="Cancel", disabled=True),
        }
        self.cost = widgets.Label()
        self._end: Callable[[], object] | None = None
        self._is_counting = False
        self._running: set[asyncio.Future[None]] = set()
        for name, act in (("Count", self.count), ("Fetch", self.fetch), ("Reset", self.reset)):
            press = self._starts(act)
            self.buttons[name].on_click(lambda _, press=press: press())
        self.buttons["Cancel"].on_click(lambda _: self.cancel())
        self.write(panel.question)
        for each in self.controls.values():
            for field in each.fields:
                field.observe(self._changed, "value")
            if each.picker is not None:
                each.picker.observe(self._changed, ["chosen", "typed"])
        fields = widgets.Box([each.box for each in self.controls.values()], layout=_GRID)
        fields.add_class("vf-fields")
        row = widgets.HBox([*self.buttons.values(), self.cost])
        last = (widgets.Label(_HINT), row, self.browser, self._saving())
        self.view = widgets.VBox([fields, *last])
        self.view.add_class("vf-panel")

    def _saving(self) -> widgets.Widget:
        """The buttons that write what is shown, and a line that says what became of it."""
        status = widgets.HTML()

        def button(name: str, tooltip: str, doing: str, act: Callable[[], object]) -> Any:
            pressed = widgets.Button(description=name, tooltip=tooltip, layout={"width": "auto"})

            async def done() -> None:
                pressed.disabled, status.value = True, doing
                try:
                    message = str(await asyncio.to_thread(act))
                except VentureframeError as error:
                    message = str(error)
                pressed.disabled = False
                status.value = "<br>".join(map(escape, message.splitlines()))

            pressed.on_click(lambda _: self._start(done()))
            return pressed

        written, kept = "One HTML file of what is shown", "Write them into this notebook"
        buttons = (
            button("Save report", written, "Writing the report …", self.panel.report),
            button("Keep these values", kept, "Writing the values …", self.panel.keep),
        )
        return widgets.VBox([widgets.HBox(buttons), status])

    def begin(self) -> None:
        """Fetches the first study, while the cell that displays the form runs; says how it ended.

        A notebook hears no press while a cell runs, and would act on it later: the buttons wait.
        An interrupt of the kernel ends the fetch at once.
        """
        self._enable()
        self.browser.say("Fetching … To end it, interrupt the kernel.", "busy")
        self.panel.begin(self._waited_for)
        self._enable(*_WHEN_IDLE)
        if self.panel.failure is None:
            self._fetched()
        else:
            self._fail(self.panel.failure)

    def _enable(self, *names: str) -> None:
        for name, button in self.buttons.items():
            button.disabled = name not in names

    def _waited_for(self, work: Callable[[Progress], T]) -> T:
        """What `work` gives in a thread of its own; raises `FetchEnded` where it is ended."""
        found, stop = futures.Future[T](), threading.Event()

        def run() -> None:
            with suppress(futures.InvalidStateError):  # nobody waits for it any more
                try:
                    found.set_result(work(self._told(stop)))
                except Exception as error:  # raised again where it is waited for
                    found.set_exception(error)

        threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
        try:
            while not found.done():
                futures.wait([found], timeout=_HEARD)
            return found.result()
        except KeyboardInterrupt:
            found.cancel()
            raise FetchEnded("The fetch was ended. Press Fetch to start it again.") from None
        finally:
            stop.set()
            self.browser.progress = []

    def read(self) -> Question[S]:
        """The question that the controls say; raises `QueryError` for what is no value.

        A member that is not changed stays what it was: a record need not be the only one of its
        name.
        """
        question, values = self.panel.question, self._values()
        now = question.parameters
        changed = {name for name, value in values.items() if value != now[name]}
        for name, beside in self.beside.items():
            changed |= {name, beside} if changed & {name, beside} else set()
        return question.set(**{name: values[name] for name in changed})

    def write(self, question: Question[S]) -> None:
        """Sets every control to the question."""
        given = question.parameters
        for name, each in self.controls.items():
            beside = self.beside.get(name)
            each.write(given[name] if beside is None else (given[name], given[beside]))

    async def reset(self) -> None:
        """Sets every control back to what was fetched last; nothing is requested."""
        if self._end is not None:
            self.browser.say(_STILL, "busy")
            return
        self.write(self.panel.question)
        self.browser.say("Back to what was fetched last.")
        self._show_cost()

    async def count(self) -> None:
        """Says how much a fetch would bring, and what it takes; nothing else changes."""
        if counted := await self._counted():
            self.browser.say(f"{counted[1]}. Press Fetch to go on.", "done")

    async def fetch(self) -> None:
        """Counts, fetches the study, and shows every view again; or says why not.

        What is entered meanwhile stays in the controls.
        """
        if (counted := await self._counted()) is None:
            return
        request, text = counted
        if study := await self._done(f"Fetching {text} …", request.study):
            self.browser.say("Drawing everything below again …", "busy")
            self.panel.follow(request, study)
            self._changed()
            if not self.browser.edited:
                self.write(request.question)
            self._fetched()

    def cancel(self) -> None:
        """Ends the fetch at once; a reply under way is discarded when it arrives."""
        if self._end is None:
            self.browser.say("Nothing is being fetched.")
        else:
            self._end()

    def _fetched(self) -> None:
        said = f"Fetched: everything below shows it. {self.panel.study.answer}"
        self.browser.say(said, "done")
        self._show_cost()

    def _show_cost(self) -> None:
        """Says beside Fetch what the study took that is shown: a repetition takes as much."""
        asks = any(each.picks for each in self.members)  # saves are compared without a request
        is_known = asks and self.panel.failure is None
        self.cost.value = f"Last fetch: {_spent(self.panel.study)!r}" if is_known else ""

    def _values(self) -> dict[str, Any]:
        """The values of the controls, by member."""
        found: dict[str, Any] = {}
        for name, each in self.controls.items():
            found[name] = each.read()
            if beside := self.beside.get(name):
                found[name], found[beside] = found[name] or (None, None)
        return found

    def _changed(self, _: object = None) -> None:
        """Mark the form as edited once a control says otherwise than what was fetched."""
        try:
            is_other = self._values() != dict(self.panel.question.parameters)
        except QueryError:
            is_other = True
        self.browser.edited = is_other and self.panel.failure is None
        if self.browser.state == "failed":
            self.browser.say("Fetch requests what the fields say now.")
        self.cost.value = "Count says what this takes" if self.browser.edited else ""

    def _shown(self) -> None:
        """A browser shows the form: counts, once, what companies have recorded at all."""
        if not self._is_counting and any(each.tests for each in self.members):
            self._is_counting = True
            threading.Thread(target=self.grey_out, daemon=True).start()

    def grey_out(self) -> None:
        """Greys out the conditions on what is recorded of no company, with the reason."""
        tests = {each.name: each.tests for each in self.members if each.tests}
        try:
            known = recorded(self.panel.records.service, list(tests.values()))
        except VentureframeError:
            return  # what a fetch will say, too
        for name, field in tests.items():
            if known.get(field) == 0:
                self.controls[name].switch_off("recorded for no company")

    def _starts(self, act: Callable[[], Awaitable[None]]) -> Callable[[], None]:
        """Begins it once all that was entered before the press is known, and returns at once."""

        async def settled() -> None:
            await self.browser.heard()
            await act()

        return lambda: self._start(settled())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin the work; it is referred to until it is done, as asyncio does not."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _counted(self) -> tuple[Request[S], str] | None:
        """The request that the controls make, counted; None, and the reason shown, if none."""
        if self._end is not None:
            self.browser.say(_STILL, "busy")
            return None
        text: str | None = ""
        while text == "":
            try:
                request = self.panel.request(self.read())
            except VentureframeError as error:
                self._fail(error)
                for picker in self._pickers():  # list what text finds that was not picked
                    if typed := picker.typed.strip():
                        await picker.search(typed)
                return None
            text = await self._done("Counting …", partial(self._count, request))
        if text is None:
            return None
        costs = [each.partition(" · ")[2] for each in text.split("; ")]
        self.cost.value = "; ".join(filter(None, costs))
        return request, text

    def _count(self, request: Request[S], _: Progress) -> str:
        """What the request would fetch; empty where a picked record had to be named by its UUID.

        Name and domain need not tell a record from every other: one that was picked stays picked.
        """
        try:
            return request.question.count(request.records)
        except Unclear as error:
            for picker in self._pickers():
                uuid = picker.uuid_of(error.entry)
                if uuid is not None and uuid not in error.entry:
                    picker.replace(error.entry, (error.entry[0], uuid))
                    return ""
            raise

    def _pickers(self) -> list[Picker]:
        return [each.picker for each in self.controls.values() if each.picker is not None]

    async def _done(self, doing: str, work: Callable[[Progress], T]) -> T | None:
        """What `work` gives in a thread of its own; None, and the reason shown, where it fails."""
        self.browser.say(doing, "busy")
        stop, loop = threading.Event(), asyncio.get_running_loop()
        task = asyncio.ensure_future(asyncio.to_thread(work, self._told(stop)))
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

    def _told(self, stop: threading.Event) -> Progress:
        """What shows how far the work is, and ends it once nobody waits for it any more."""

        def told(rows: int, total: int | None) -> None:
            if stop.is_set():
                raise FetchEnded("Nobody waits for this.")
            self.browser.progress = [rows, total]

        return told

    def _fail(self, error: VentureframeError) -> None:
        """Says what went wrong, and lists the near misses where a record was unclear."""
        kept = NOTHING if self.panel.failure else UNCHANGED
        said = str(error)
        holders = (each for each in self._pickers() if error.entry in each.entries)  # type: ignore[attr-defined]
        if isinstance(error, Unclear) and error.candidates and (picker := next(holders, None)):
            picker.offer(error.entry, error.candidates)
            named = ", ".join(filter(None, error.entry))
            is_told = len(error.entry) > 1 and error.entry[1]
            message = (
                f"No one record is exactly {named!r}"
                if is_told
                else f"{named!r} does not say which record is meant"
            )
            said = f"{message}: pick one of the list, or type another."
        if isinstance(error, UnsupportedValue):
            labels = {each.name: each.label for each in self.members}
            said = f"{labels.get(error.field, error.field)}: {error.reason}."
        state: State = "cancelled" if isinstance(error, FetchEnded) else "failed"
        self.browser.say(f"{kept} {said}", state)


def _spent(study: Study) -> Cost:
    """What the fetches of a study took."""
    known = [each.certificate for each in study.fetched]
    used, seconds = [each.credits for each in known], sum(each.seconds for each in known)
    return Cost(
        sum(each.pages + each.retries for each in known),
        seconds if seconds >= 1 else None,
        None if None in used else sum(filter(None, used)),
    )


class FetchEnded(VentureframeError):
    """A fetch was ended before its end: by an interrupt of the kernel, or since nobody waits."""
