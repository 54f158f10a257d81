"""The form of a panel: a control per member of the question, buttons, and a status in words.

Fetching runs in a thread of its own, so that the notebook stays usable and Cancel is heard. A
kernel may take the messages of two widgets in two threads: what one press does to the work of
another goes through the loop of that work.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, TypeVar, get_args

import ipywidgets as widgets
from IPython.display import Javascript

from ventureframe.client.walk import Progress
from ventureframe.errors import VentureframeError
from ventureframe.evidence.question import Entry, Kind, Question, S, Unclear
from ventureframe.interface.fields import Currency, Place
from ventureframe.panel import save
from ventureframe.panel.panel import Panel, Request

T = TypeVar("T")

_KEYBOARD: Final = """
const arm = () => {
  const panel = element.closest(".vf-panel");
  if (!panel) return setTimeout(arm, 50);
  panel.querySelector(".vf-status").setAttribute("role", "status");
  for (const part of panel.querySelectorAll("select, input, textarea, button, [tabindex]"))
    part.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const handle of panel.querySelectorAll("[role=slider]")) {
    const label = handle.closest(".widget-inline-hbox").querySelector("label");
    handle.setAttribute("aria-label", label.textContent);
  }
  if (!panel.dataset.armed) {
    panel.dataset.armed = "true";
    new MutationObserver(arm).observe(panel, {childList: true, subtree: true});
  }
};
arm();
"""
"""JupyterLab takes letters and arrows typed into a list or on a button for notebook commands,
unless the element in focus carries this attribute; widgets have no other way to set it, nor to
name the handle of a slider."""

_UNANSWERED: Final = 10.0
"""Seconds after which a press acts on what is known: this browser gives no answer."""

_WIDE: Final = "52em"
_STYLE: Final = {
    "style": {"description_width": "11em"},
    "layout": {"width": "36em", "max_width": "98%"},
}
UNCHANGED: Final = "Nothing below has changed."


@dataclass(frozen=True)
class Control:
    """The widgets of one member, and how its value is read from them and written to them."""

    widgets: tuple[widgets.Widget, ...]
    read: Callable[[], Any]
    write: Callable[[Any], None]


def _made(kind: type[widgets.Widget], label: str, **more: Any) -> Any:
    return kind(description=label, **_STYLE, **more)


def _single(
    widget: Any, *, empty: Any, read: Callable[[Any], Any] = lambda value: value
) -> Control:
    """The control of one widget that shows `empty` for None and has it for no condition."""

    def write(value: Any) -> None:
        widget.value = empty if value is None else value

    return Control((widget,), lambda: read(widget.value) if widget.value != empty else None, write)


def _entries(label: str) -> Control:
    """One record a line, its second name after the last comma."""
    area = _made(widgets.Textarea, label, rows=4)
    area.layout.width = _WIDE
    hint = widgets.HTML(
        "One a line: the name or label, a comma, its website domain (or UUID) or type."
    )

    def write(entries: tuple[Entry, ...]) -> None:
        area.value = "\n".join(", ".join(filter(None, entry)) for entry in entries)

    def read() -> tuple[Entry, ...]:
        lines = (
            line.rpartition(",") if "," in line else (line, "", "")
            for line in area.value.splitlines()
        )
        return tuple((name.strip(), of.strip() or None) for name, _, of in lines if name.strip())

    return Control((area, hint), read, write)


def _texts(label: str) -> Control:
    """Texts with commas between them."""
    line = _made(widgets.Text, label, placeholder="any; several with commas between them")

    def write(given: tuple[str, ...] | None) -> None:
        line.value = ", ".join(given or ())

    def read() -> tuple[str, ...]:
        return tuple(part.strip() for part in line.value.split(",") if part.strip())

    return Control((line,), read, write)


def _place(label: str) -> Control:
    name = _made(widgets.Text, label, placeholder="anywhere")
    kind = _made(widgets.Dropdown, f"{label} type", options=get_args(Place))
    within = _made(
        widgets.Text, f"{label} in", placeholder="any place, or such as Georgia (region)"
    )

    def write(entry: tuple[str, ...] | None) -> None:
        name.value = entry[0] if entry else ""
        kind.value = entry[1] if entry and entry[1] in kind.options else kind.value
        within.value = entry[2] if entry and len(entry) == 3 else ""

    def read() -> tuple[str, ...] | None:
        given = name.value.strip(), kind.value, within.value.strip()
        return None if not given[0] else given if given[2] else given[:2]

    return Control((name, kind, within), read, write)


def _range(make: type[widgets.Widget], most: float, label: str) -> Control:
    low, high = (_made(make, f"{label} {word}", min=0, max=most) for word in ("from", "to"))

    def write(value: tuple[Any, Any] | None) -> None:
        low.value, high.value = (end or 0 for end in value or (0, 0))

    def read() -> tuple[Any, Any] | None:
        ends = (low.value or None, high.value or None)
        return None if ends == (None, None) else ends

    return Control((low, high), read, write)


_FLAGS: Final = [("any", None), ("yes", True), ("no", False)]
_CONTROLS: Final[Mapping[Kind, Callable[[str], Control]]] = {
    "text": lambda label: _single(
        _made(widgets.Text, label), empty="", read=lambda text: text.strip() or None
    ),
    "currency": lambda label: _single(
        _made(widgets.Dropdown, label, options=get_args(Currency)), empty=None
    ),
    "texts": _texts,
    "entries": _entries,
    "place": _place,
    "year": lambda label: _single(_made(widgets.BoundedIntText, label, min=0, max=9999), empty=0),
    "years": partial(_range, widgets.BoundedIntText, 9999),
    "amounts": partial(_range, widgets.BoundedFloatText, 1e15),
    "score": lambda label: _single(
        _made(widgets.FloatSlider, label, min=0, max=100, step=1, readout_format=".0f"), empty=0
    ),
    "flag": lambda label: _single(_made(widgets.Dropdown, label, options=_FLAGS), empty=None),
}


class Form(Generic[S]):
    """The widgets of a panel; `view` is all of them."""

    def __init__(self, panel: Panel[S]) -> None:
        self.panel = panel
        members = panel.question.members()
        self.controls = {each.name: _CONTROLS[each.kind](each.label) for each in members}
        self.status = widgets.HTML()
        self.status.add_class("vf-status")
        self.progress = widgets.HTML()
        self.buttons = {
            "Count": widgets.Button(description="Count", tooltip="One small question"),
            "Fetch": widgets.Button(description="Fetch", button_style="primary"),
            "Cancel": widgets.Button(description="Cancel"),
        }
        self.near = _made(widgets.Select, "Did you mean", rows=5)
        self.near.layout.width = _WIDE
        self.take = widgets.Button(description="Use it")
        self.misses = widgets.VBox([self.near, self.take], layout={"display": "none"})
        self.echo = widgets.Play(max=0, interval=0, layout={"display": "none"})
        self._unclear: Unclear | None = None
        self._task: asyncio.Future[Any] | None = None
        self._stop = threading.Event()
        for name, act in (("Count", self.count), ("Fetch", self.fetch)):
            self.buttons[name].on_click(self._starts(act))
        self.take.on_click(self._starts(self.correct))
        self.buttons["Cancel"].on_click(lambda _: self.cancel())
        self.write(panel.question)
        keyboard = widgets.Output(layout={"display": "none"})
        keyboard.append_display_data(Javascript(_KEYBOARD))
        parts = [part for control in self.controls.values() for part in control.widgets]
        row = widgets.HBox(list(self.buttons.values()))
        hint = widgets.HTML(
            "Empty or 0 is no condition. Nothing is requested before Count or Fetch."
        )
        kept = save.row(panel)
        last = (hint, row, self.status, self.progress, self.misses, kept, keyboard, self.echo)
        self.view = widgets.VBox([*parts, *last])
        self.view.add_class("vf-panel")

    def read(self) -> Question[S]:
        """The question that the controls say.

        It keeps the records it was built from where nothing but the currency is changed: a record
        need not be the only one of its name.
        """
        question = self.panel.question
        values = {name: control.read() for name, control in self.controls.items()}
        if values | {"currency": question.currency} == question.parameters:
            return question.set(currency=values["currency"])
        return question.set(**values)

    def write(self, question: Question[S]) -> None:
        """Sets every control to the question."""
        for name, value in question.parameters.items():
            self.controls[name].write(value)

    async def count(self) -> None:
        """Says how much a fetch would bring; nothing else changes."""
        if counted := await self._counted():
            self._say(f"{counted[1]}. Fetch requests them.")

    async def fetch(self) -> None:
        """Counts, fetches the study, and shows every view again; or says why not."""
        if (counted := await self._counted()) is None:
            return
        request, text = counted
        if study := await self._done(f"Fetching {text} …", request.study):
            self.panel.follow(request, study)
            self._say(f"Fetched: everything below shows it. {study.answer}")

    def cancel(self) -> None:
        """Ends the fetch at once; a reply under way is discarded when it arrives."""
        if self._task is None:
            self._say("Nothing is being fetched.")
        else:
            self._stop.set()
            self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    async def correct(self) -> None:
        """Puts the near miss that was picked into the controls; nothing is requested."""
        if self._unclear is None or self.near.value is None:
            return
        candidate = self._unclear.candidates[self.near.value]
        self.write(self.read().corrected(self._unclear.entry, candidate))
        self._offer(None)
        self._say("Taken over. Fetch uses it.")
        self.buttons["Fetch"].focus()

    def _starts(self, act: Callable[[], Awaitable[None]]) -> Callable[[object], None]:
        """Begins it once all that was entered before the press is known, and returns at once."""
        running: set[asyncio.Future[None]] = set()

        async def settled() -> None:
            await self._heard()
            await act()

        def begin(_: object) -> None:
            task = asyncio.ensure_future(settled())
            running.add(task)
            task.add_done_callback(running.discard)

        return begin

    async def _heard(self) -> None:
        """Returns when everything that was entered before a press has arrived.

        A browser holds a change back while an earlier one of the same control is on its way, so
        that a press can overtake it. Messages stay in order, so it is enough to wait for an answer
        to a message that is sent now: a player that has nothing to play, once started here, is
        stopped by the browser.
        """
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()

        def told(change: Any) -> None:
            if not change.new:
                loop.call_soon_threadsafe(stopped.set)

        self.echo.observe(told, "playing")
        self.echo.playing = True
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopped.wait(), _UNANSWERED)
        self.echo.unobserve(told, "playing")
        self.echo.playing = False

    async def _counted(self) -> tuple[Request[S], str] | None:
        """The request that the controls make, counted; None, and the reason shown, if none."""
        if self._task is not None:
            self._say("Still fetching; Cancel ends it.")
            return None
        self._offer(None)
        try:
            request = self.panel.request(self.read())
        except VentureframeError as error:
            self._say(f"{UNCHANGED} {error}")
            return None
        text = await self._done("Counting …", lambda _: request.question.count(request.records))
        return None if text is None else (request, text)

    async def _done(self, doing: str, work: Callable[[Progress], T]) -> T | None:
        """What `work` gives in a thread of its own; None, and the reason shown, where it fails."""
        self._say(doing)
        self._stop = stop = threading.Event()

        def told(rows: int, total: int | None) -> None:
            if stop.is_set():
                raise _Cancelled
            self._show(rows, total)

        self._task = task = asyncio.ensure_future(asyncio.to_thread(work, told))
        self.buttons["Cancel"].button_style = "warning"
        try:
            return await task
        except asyncio.CancelledError:
            self._say(f"Cancelled. {UNCHANGED}")
        except Unclear as error:
            self._offer(error)
        except VentureframeError as error:
            self._say(f"{UNCHANGED} {error}")
        finally:
            self._task = None
            self.buttons["Cancel"].button_style = ""
            self.progress.value = ""
        return None

    def _say(self, text: str) -> None:
        self.status.value = html.escape(text)

    def _show(self, rows: int, total: int | None) -> None:
        most, of = "", ""
        if total is not None:
            most, of = f' max="{max(total, 1)}" value="{rows}"', f" of {total:,}"
        self.progress.value = f'<progress aria-label="Progress"{most}></progress> {rows:,}{of}'

    def _offer(self, error: Unclear | None) -> None:
        """Says what was unclear and shows the near misses to choose from; None hides them."""
        self._unclear = error
        near = error.candidates if error else ()
        self.near.options = [(_line(row), place) for place, row in enumerate(near)]
        self.misses.layout.display = None if near else "none"
        if error is not None:
            self._say(f"{UNCHANGED} {_unclear(error.entry) if near else error}")


def _unclear(entry: Entry) -> str:
    is_open = f"{entry[0]!r} needs its website domain or type: pick"
    is_wrong = f"No one record is exactly '{', '.join(filter(None, entry))}': pick"
    return f"{is_wrong if entry[1] else is_open} one of these, or correct it."


class _Cancelled(Exception):
    """Ends the work in a thread that nobody waits for any more."""


def _line(row: Mapping[str, Any]) -> str:
    """A near miss as it is chosen: what names it and no other."""
    return ", ".join(filter(None, row["named"]))
