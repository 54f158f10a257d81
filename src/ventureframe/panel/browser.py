"""The side of a form that lives in the browser: what it says, how far it is, and its keys."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import anywidget
import traitlets

State = Literal["", "busy", "done", "failed", "cancelled"]
"""How the last press ended, or that it has not."""

_UNANSWERED: Final = 10.0
"""Seconds after which a press acts on what is known: this browser gives no answer."""


class Browser(anywidget.AnyWidget):
    """The status line of a form and its keyboard.

    JupyterLab takes letters and arrows typed in a list or on a button for notebook commands: the
    script keeps those in the form, and lets every chord with a modifier through. Enter in a field
    without an open list presses Fetch: `on_enter`. `on_shown` is called once a browser shows it.
    """

    _esm = Path(__file__).with_name("browser.js")
    _css = Path(__file__).with_name("form.css")
    said = traitlets.Unicode().tag(sync=True)
    state = traitlets.Unicode().tag(sync=True)
    edited = traitlets.Bool(default_value=False).tag(sync=True)
    progress = traitlets.List(trait=traitlets.Int(allow_none=True)).tag(sync=True)

    def __init__(self, on_enter: Callable[[], None], on_shown: Callable[[], None]) -> None:
        super().__init__()
        self._on_enter, self._on_shown = on_enter, on_shown
        self._numbers = itertools.count(1)
        self._asked: dict[int, Callable[[], object]] = {}
        self.on_msg(self._told)

    def say(self, text: str, state: State = "") -> None:
        """Shows a text, and how what it is about ended."""
        self.state, self.said = state, text

    async def heard(self) -> None:
        """Returns when everything that was entered before a press has arrived.

        A browser holds a change back while an earlier one of the same control is on its way, so
        that a press can overtake it. Messages stay in order, so it is enough to wait for an answer
        to a message that is sent now.
        """
        answered, loop = asyncio.Event(), asyncio.get_running_loop()
        number = next(self._numbers)
        self._asked[number] = partial(loop.call_soon_threadsafe, answered.set)
        self.send({"ask": number})
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(answered.wait(), _UNANSWERED)
        self._asked.pop(number, None)

    def _told(self, _: object, content: Mapping[str, Any], __: object) -> None:
        if "heard" in content and content["heard"] in self._asked:
            self._asked[content["heard"]]()
        elif "enter" in content:
            self._on_enter()
        elif "shown" in content:
            self._on_shown()
