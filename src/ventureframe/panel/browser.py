"""The parts of a form that live in the browser: its status and keys, and the fields of
records.

The kernel sends every request: a script in the browser holds what is shown and
nothing else. No record is taken until a person picks it: Enter takes the first of
the list.
"""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anywidget
import traitlets

from ventureframe.errors import QueryError, VentureframeError
from ventureframe.evidence.members import Entry, in_words, is_place

# how a press ended, if it has
State = Literal["", "busy", "done", "empty", "failed", "cancelled"]
Row = Mapping[str, Any]  # a record of a search: what names it is under `named`

_LISTED = 100  # lines of a list at most
_SEARCHED = 20  # records that a search for names gives at most
_UNANSWERED = 10.0  # seconds after which a press acts on what has arrived
_FOLDER = Path(__file__).parent


_RUNNING = set[asyncio.Future[None]]()


def start(work: Coroutine[Any, Any, None]) -> None:
    """Begin work, referred to until it is done, as asyncio does not."""
    task = asyncio.ensure_future(work)
    _RUNNING.add(task)
    task.add_done_callback(_RUNNING.discard)


class Browser(anywidget.AnyWidget):
    """The status line of a form and its keyboard.

    JupyterLab takes letters typed in a list for notebook commands: the script keeps
    them in the form, and lets chords through. It tells of `enter` in a field without an
    open list, which presses Fetch; of the form `shown`; of a cell that it has `kept`.
    """

    _esm = _FOLDER / "browser.js"
    _css = _FOLDER / "form.css"
    message = traitlets.Unicode().tag(sync=True)
    state = traitlets.Unicode().tag(sync=True)
    edited = traitlets.Bool(default_value=False).tag(sync=True)
    progress = traitlets.List(trait=traitlets.Int(allow_none=True)).tag(sync=True)
    # the code above the form at a press; a cell as it was and as it is to be
    code = traitlets.List(trait=traitlets.Unicode()).tag(sync=True)
    rewritten = traitlets.List(trait=traitlets.Unicode()).tag(sync=True)

    def __init__(self, **on: Callable[[], None]) -> None:
        super().__init__()
        self._on = on
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Callable[[], object]] = {}
        self.on_msg(self._receive)

    def say(self, text: str, state: State = "") -> None:
        """Show a text, and how what it is about ended."""
        self.state, self.message = state, text

    async def heard(self) -> None:
        """Return when everything that was entered before a press has arrived.

        A browser holds a change back while an earlier one is on its way, so that a
        press can overtake it. Messages stay in order: an answer to one that is sent
        now comes after it.
        """
        loop, number = asyncio.get_running_loop(), next(self._numbers)
        answered = asyncio.Event()
        self._waiting[number] = partial(loop.call_soon_threadsafe, answered.set)
        self.send({"ask": number})
        with suppress(TimeoutError):
            await asyncio.wait_for(answered.wait(), _UNANSWERED)
        del self._waiting[number]

    def _receive(self, _: object, content: Mapping[str, Any], __: object) -> None:
        if hear := self._waiting.get(content.get("heard", 0)):
            hear()
        for name in self._on.keys() & content:
            self._on[name]()


class Picker(anywidget.AnyWidget):
    """A field with a list to pick records from: one record, or several as chips.

    `entries` is what was picked. Text that was typed and not picked is no value.
    """

    _esm = _FOLDER / "picker.js"
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    many = traitlets.Bool().tag(sync=True)
    # characters from which on records are searched
    least = traitlets.Int(3).tag(sync=True)
    # whether all records are listed without any character
    lists = traitlets.Bool(default_value=False).tag(sync=True)
    typed = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.List(trait=traitlets.Dict()).tag(sync=True)
    found = traitlets.Dict().tag(sync=True)

    def __init__(self, find: Callable[[str], Iterable[Row]], **traits: Any) -> None:
        super().__init__(**traits)
        self._find, self._latest = find, ""
        self._entries: tuple[Entry, ...] = ()
        self._picked: dict[Entry, Row] = {}
        self._rows: list[Row] = []
        self._replaces: Entry | None = None
        self.on_msg(self._receive)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was picked; raises `QueryError` where text was typed and nothing
        picked for it.
        """
        if text := self.typed.strip():
            advice = "Choose one from the list, or clear the field."
            raise QueryError(f"{self.label}: {text!r} is not chosen yet. {advice}")
        return self._entries

    def write(self, entries: Iterable[Entry]) -> None:
        """Set what is picked; what is typed and what was found are dropped."""
        self._entries = tuple(dict.fromkeys(entries))
        self.typed, self._latest, self._replaces, self._rows = "", "", None, []
        self.found = {"number": self.found.get("number", 0)}
        self._show()

    async def search(self, text: str) -> None:
        """List what is found for the text; a later search makes an earlier one void."""
        self._latest = text
        rows, note = list[Row](), f"Nothing found for {text!r}."
        try:
            rows = await asyncio.to_thread(lambda: list(self._find(text)))
        except VentureframeError as error:
            note = str(error)
        if text == self._latest:
            self._replaces = None
            self._list(text, rows, note)

    def offer(self, entry: Entry, rows: Iterable[Row]) -> bool:
        """List the near misses of an entry that a pick replaces; False where it is
        not here.
        """
        if entry not in self._entries:
            return False
        self._latest, self._replaces = "", entry
        self._list(entry[0], list(rows))
        self._show(unclear=entry)
        return True

    def _list(self, text: str, rows: list[Row], note: str = "") -> None:
        """Show the rows that are not picked yet, or why there are none."""
        picked = self._entries if self.many else ()
        remaining = [row for row in rows if tuple(row["named"]) not in picked]
        self._rows = remaining[:_LISTED]
        if rows:
            note = "All that is found is chosen already."
        if self._rows:
            note = "Enter takes the first; choose another by arrow keys or mouse."
            if len(rows) > _LISTED or len(rows) == _SEARCHED:
                note = f"{note} These are the first {len(self._rows)}."
        number = self.found.get("number", 0) + 1  # the same lines twice are shown twice
        lines = [*map(described, self._rows)]
        self.found = {"text": text, "rows": lines, "message": note, "number": number}

    def _show(self, unclear: Entry | None = None) -> None:
        picked = {} if self.many else self._picked  # chips are short
        lines = list[dict[str, Any]]()
        for entry in self._entries:
            row = picked.get(entry)
            line = worded(entry) if row is None else described(row)
            lines.append({**line, "unclear": entry == unclear})
        self.chosen = lines

    def _receive(self, _: object, content: Mapping[str, Any], __: object) -> None:
        """Carry out a message of the browser: a text to search, a line picked, one
        dropped, or all.
        """
        if "find" in content:
            start(self.search(str(content["find"])))
        elif "pick" in content and content.get("of") == self.found.get("text"):
            self.pick(int(content["pick"]))
        elif "drop" in content:
            at = int(content["drop"])
            self.write(self._entries[:at] + self._entries[at + 1 :])

    def pick(self, line: int) -> None:
        """Take the record of a line of the list."""
        row = self._rows[line]
        entry: Entry = tuple(row["named"])
        self._picked[entry] = row
        if not self.many:
            self.write([entry])
        elif self._replaces in self._entries:
            at = self._entries.index(self._replaces)
            self.write((*self._entries[:at], entry, *self._entries[at + 1 :]))
        else:
            self.write((*self._entries, entry))


Line = dict[str, str]  # of a list or a chip: a `label`, and a `detail` beside it


def worded(entry: Entry) -> Line:
    """An entry as a line: its name, and what else it says."""
    name, detail = in_words(entry), entry[1] or ""
    if not is_place(entry):
        name, detail = entry[0], name.removeprefix(entry[0]).removeprefix(", ")
    return {"label": name, "detail": detail}


def described(row: Row) -> Line:
    """A record as a line: its name, and what tells it from others of the name.

    >>> described({"label": "Robotics", "named": ("Robotics", "sector")})
    {'label': 'Robotics', 'detail': 'sector'}
    >>> university = {"website_domain": None, "hq_country": "India", "named": ("MIT", "u")}
    >>> described(university)["detail"]
    'website not recorded · India'
    """
    name, detail = row["named"][:2]
    if "website_domain" in row:
        domain, uuid = row["website_domain"], detail
        place = filter(None, (row.get("hq_city"), row.get("hq_country")))
        parts = [domain or "website not recorded", ", ".join(place)]
        if domain not in (None, uuid):
            parts.append(uuid)
        detail = " · ".join(filter(None, parts))
    if "parent_type" in row:
        name = ", ".join(filter(None, (name, row["parent_name"])))
        detail = row["type"]
        if row["parent_type"]:
            detail = f"{detail} in a {row['parent_type']}"
    return {"label": name, "detail": detail}
