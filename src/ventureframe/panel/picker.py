"""A field that finds records as a name is typed, and keeps the ones that are picked from the list.

The kernel sends every request: the script in the browser holds what is shown and nothing else. No
record is ever taken because it is the first or the only one found (rules per endpoint, 4).
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from ventureframe.errors import QueryError, VentureframeError
from ventureframe.evidence.members import Entry

LEAST: Final = 3
"""Characters from which on records are searched."""

Row = Mapping[str, Any]
"""A record that was found: what names it is under `named`."""


class Picker(anywidget.AnyWidget):
    """A field with a list to pick records from: one record, or several as chips.

    `entries` is what was picked. Text that was typed and not picked is no value.
    """

    _esm = Path(__file__).with_name("picker.js")
    label = traitlets.Unicode().tag(sync=True)
    hint = traitlets.Unicode().tag(sync=True)
    many = traitlets.Bool().tag(sync=True)
    least = traitlets.Int(LEAST).tag(sync=True)
    typed = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.List(trait=traitlets.Dict()).tag(sync=True)
    found = traitlets.Dict().tag(sync=True)

    def __init__(
        self, label: str, find: Callable[[str], Iterable[Row]], *, many: bool, hint: str
    ) -> None:
        super().__init__(label=label, many=many, hint=hint)
        self._find = find
        self._entries: tuple[Entry, ...] = ()
        self._details: dict[Entry, str] = {}
        self._keys: dict[Entry, str] = {}
        self._rows: list[Row] = []
        self._replaces: Entry | None = None
        self._latest = ""
        self._searches: set[asyncio.Future[None]] = set()
        self.on_msg(self._told)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What was picked; raises `QueryError` where text was typed and nothing picked for it."""
        if self.typed.strip():
            raise QueryError(
                f"{self.label}: {self.typed.strip()!r} is not picked yet. Mark a line of the list "
                "with the arrow keys and press Enter, or empty the field."
            )
        return self._entries

    def write(self, entries: Iterable[Entry]) -> None:
        """Sets what is picked; what is typed and what was found are dropped."""
        self._entries = tuple(entries)
        self.typed, self._latest, self._replaces, self._rows = "", "", None, []
        self.found = {"number": self.found.get("number", 0)}
        self._show()

    def uuid_of(self, entry: Entry) -> str | None:
        """The UUID of the record that was picked as this entry, if it was picked here."""
        return self._keys.get(entry)

    def replace(self, old: Entry, new: Entry) -> None:
        """Names a picked record in another way."""
        self.write(new if each == old else each for each in self._entries)

    async def search(self, text: str) -> None:
        """Lists what is found for the text; a later search makes an earlier one void."""
        self._latest = text
        try:
            rows, said = list(await asyncio.to_thread(lambda: [*self._find(text)])), ""
        except VentureframeError as error:
            rows, said = [], str(error)
        if text == self._latest:
            self._replaces = None
            self._list(text, rows, said or ("" if rows else f"Nothing is found for {text!r}."))

    def offer(self, entry: Entry, rows: Iterable[Row]) -> None:
        """Lists the near misses of an entry that is not exactly one record; a pick replaces it."""
        self._latest, self._replaces = "", entry
        self._list(entry[0], list(rows), "")
        self._show(unclear=entry)

    def _list(self, text: str, rows: list[Row], said: str) -> None:
        self._rows = rows
        lines = [dict(zip(("label", "detail"), told(row), strict=True)) for row in rows]
        number = self.found.get("number", 0) + 1  # the same lines twice are shown twice
        self.found = {"text": text, "rows": lines, "said": said, "number": number}

    def _show(self, unclear: Entry | None = None) -> None:
        self.chosen = [
            {
                "label": each[0],
                "detail": self._details.get(each) or ", ".join(filter(None, each[1:])),
                "unclear": each == unclear,
            }
            for each in self._entries
        ]

    def _told(self, _: object, content: Mapping[str, Any], __: object) -> None:
        """What the browser tells: a text to search, a line picked, one dropped, or all of them."""
        if "find" in content:
            search = asyncio.ensure_future(self.search(str(content["find"])))
            self._searches.add(search)
            search.add_done_callback(self._searches.discard)
        elif "pick" in content and content.get("of") == self.found.get("text"):
            self.pick(int(content["pick"]))
        elif "drop" in content:
            self.write(each for at, each in enumerate(self._entries) if at != content["drop"])

    def pick(self, line: int) -> None:
        """Takes the record of a line of the list."""
        row = self._rows[line]
        entry: Entry = tuple(row["named"])
        self._details[entry] = told(row)[1]
        if row.get("uuid"):
            self._keys[entry] = row["uuid"]
        if not self.many:
            self.write([entry])
        elif self._replaces in self._entries:
            kept = (entry if each == self._replaces else each for each in self._entries)
            self.write(dict.fromkeys(kept))
        else:
            self.write(dict.fromkeys((*self._entries, entry)))


def told(row: Row) -> tuple[str, str]:
    """A record as a line of the list: its name, and what tells it from others of the name.

    >>> told({"label": "Robotics", "source_type": "sector", "named": ("Robotics", "sector")})
    ('Robotics', 'sector')
    >>> told({"name": "MIT", "website_domain": None, "hq_country": "India", "named": ("MIT", "u")})
    ('MIT', 'no website domain recorded · India')
    """
    name, *named = row["named"]
    if "website_domain" not in row:
        kind, *within = named
        return name, " · ".join([kind, *(place for place in within if not place.startswith("["))])
    place = ", ".join(filter(None, (row.get("hq_city"), row.get("hq_country"))))
    domain = row["website_domain"] or "no website domain recorded"
    shared = row.get("uuid") if row["website_domain"] and named != [row["website_domain"]] else None
    return name, " · ".join(filter(None, (domain, place, shared)))
