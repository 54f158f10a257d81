"""The parts of a form that live in the browser: its status and keys, and the fields of
records.

The kernel sends every request: a script in the browser holds what is shown and
nothing else. No record is taken until a person picks it: Enter takes the first of
the list.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import anywidget
import traitlets

from ventureframe.errors import QueryError, VentureframeError
from ventureframe.evidence.members import Entry, is_place, shown

# how a press ended, if it has
State = Literal["", "busy", "done", "empty", "failed", "cancelled"]
Row = Mapping[str, Any]  # a record of a search: what names it is under `named`

_LISTED = 100  # lines of a list at most
_SEARCHED = 20  # records that a search for names gives at most
_UNANSWERED = 10.0  # seconds after which a press acts on what has arrived
_FOLDER = Path(__file__).parent


class Browser(anywidget.AnyWidget):
    """The status line of a form and its keyboard.

    JupyterLab takes letters typed in a list for notebook commands: the script keeps
    them in the form, and lets chords through. It tells of `enter` in a field without an
    open list, which presses Fetch; of the form `shown`; of a cell that it has `kept`.
    """

    _esm = _FOLDER / "browser.js"
    _css = _FOLDER / "form.css"
    said = traitlets.Unicode().tag(sync=True)
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
        self.on_msg(self._told)

    def say(self, text: str, state: State = "") -> None:
        """Show a text, and how what it is about ended."""
        self.state, self.said = state, text

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

    def _told(self, _: object, content: Mapping[str, Any], __: object) -> None:
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
    # records without any character
    lists = traitlets.Bool(default_value=False).tag(sync=True)
    typed = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.List(trait=traitlets.Dict()).tag(sync=True)
    found = traitlets.Dict().tag(sync=True)

    def __init__(
        self, label: str, find: Callable[[str], Iterable[Row]], *, many: bool, hint: str
    ) -> None:
        super().__init__(label=label, many=many, hint=hint)
        self._find, self._latest = find, ""
        self._entries: tuple[Entry, ...] = ()
        self._picked: dict[Entry, Row] = {}
        self._rows: list[Row] = []
        self._replaces: Entry | None = None
        self._searches: set[asyncio.Future[None]] = set()
        self.on_msg(self._told)

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
        try:
            rows, note = list(await asyncio.to_thread(lambda: [*self._find(text)])), ""
        except VentureframeError as error:
            rows, note = [], str(error)
        if text == self._latest:
            self._replaces = None
            self._list(
                text, rows, note or ("" if rows else f"Nothing found for {text!r}.")
            )

    def offer(self, entry: Entry, rows: Iterable[Row]) -> bool:
        """List the near misses of an entry that a pick replaces; False where it is
        not here.
        """
        if entry not in self._entries:
            return False
        self._latest, self._replaces = "", entry
        self._list(entry[0], list(rows), "")
        self._show(unclear=entry)
        return True

    def _list(self, text: str, rows: list[Row], note: str) -> None:
        picked = self._entries if self.many else ()
        others = [row for row in rows if tuple(row["named"]) not in picked]
        self._rows = others[:_LISTED]
        lines = [
            dict(zip(("label", "detail"), told(row), strict=True)) for row in self._rows
        ]
        number = self.found.get("number", 0) + 1  # the same lines twice are shown twice
        if not lines:
            how = "All that is found is chosen already." if rows else ""
        else:
            is_cut = len(rows) > _LISTED or len(rows) == _SEARCHED
            first = f" These are the first {len(lines)}." if is_cut else ""
            how = (
                f"Enter takes the first; choose another by arrow keys or mouse.{first}"
            )
        self.found = {
            "text": text,
            "rows": lines,
            "said": note or how,
            "number": number,
        }

    def _show(self, unclear: Entry | None = None) -> None:
        named = {entry: worded(entry) for entry in self._entries}
        picked = {} if self.many else self._picked  # chips are short
        named |= {entry: told(row) for entry, row in picked.items()}
        self.chosen = [
            {
                "label": named[entry][0],
                "detail": named[entry][1],
                "unclear": entry == unclear,
            }
            for entry in self._entries
        ]

    def _told(self, _: object, content: Mapping[str, Any], __: object) -> None:
        """Do what the browser tells: a text to search, a line picked, one dropped,
        or all.
        """
        if "find" in content:
            search = asyncio.ensure_future(self.search(str(content["find"])))
            self._searches.add(search)
            search.add_done_callback(self._searches.discard)
        elif "pick" in content and content.get("of") == self.found.get("text"):
            self.pick(int(content["pick"]))
        elif "drop" in content:
            self.write(
                each for at, each in enumerate(self._entries) if at != content["drop"]
            )

    def pick(self, line: int) -> None:
        """Take the record of a line of the list."""
        row = self._rows[line]
        entry: Entry = tuple(row["named"])
        self._picked[entry] = row
        if not self.many:
            self.write([entry])
        elif self._replaces in self._entries:
            self.write(
                entry if each == self._replaces else each for each in self._entries
            )
        else:
            self.write((*self._entries, entry))


def worded(entry: Entry) -> tuple[str, str]:
    """An entry as a line: its name, and what else it says."""
    if is_place(entry):
        return shown(entry), entry[1] or ""
    return entry[0], shown(entry).removeprefix(entry[0]).removeprefix(", ")


def told(row: Row) -> tuple[str, str]:
    """A record as a line of the list: its name, and what tells it from others of the
    name.

    >>> told({"label": "Robotics", "source_type": "sector", "named": ("Robotics", "sector")})
    ('Robotics', 'sector')
    >>> told({"name": "MIT", "website_domain": None, "hq_country": "India", "named": ("MIT", "u")})
    ('MIT', 'website not recorded · India')
    """
    name, other = row["named"][:2]
    if "website_domain" in row:
        domain, place = (
            row["website_domain"],
            (row.get("hq_city"), row.get("hq_country")),
        )
        parts = [domain or "website not recorded", ", ".join(filter(None, place))]
        if domain not in (None, other):
            parts.append(other)
        return name, " · ".join(filter(None, parts))
    if "parent_type" in row:
        parent = row["parent_type"]
        within = (name, row["parent_name"])
        kind = f"{row['type']} in a {parent}" if parent else row["type"]
        return ", ".join(filter(None, within)), kind
    return name, other
