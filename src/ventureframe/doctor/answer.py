"""A reply to a probe and the records in it; a choice of the wire, and whether it holds."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from ventureframe.client import decode
from ventureframe.client.generation import WIRES
from ventureframe.errors import UnreadableReply
from ventureframe.interface.fields import Resource
from ventureframe.interface.reply import Reply
from ventureframe.interface.wire.profile import INTERFACE, Profile
from ventureframe.interface.wire.shape import Shape

_SIGNS: Final = {True: "holds", False: "DOES NOT HOLD", None: "not seen"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of the wire: whether it holds (None: not seen), and what to change if not."""

    name: str
    holds: bool | None
    seen: str
    change: str = ""

    def __str__(self) -> str:
        change = f" → {self.change}" if self.change and self.holds is False else ""
        return f"{_SIGNS[self.holds]}: {self.name} ({self.seen}){change}"


@dataclass(frozen=True)
class Answer:
    """The reply to one request, beside what earlier replies gave (`known`).

    `of` is what the wire's table calls the records, `version` the one that the service names.
    """

    of: str
    endpoint: str
    resource: Resource | None
    parameters: Mapping[str, str]
    reply: Reply
    content: Mapping[str, Any]
    profile: Profile
    version: str | None
    known: Mapping[str, Any]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as they are written; of one record that record."""
        data = self.content.get("data")
        data = [data] if isinstance(data, dict) else data
        rows = data if isinstance(data, list) else []
        if self.endpoint == "tags":  # other filters' values are among them, in other shapes
            key = self.profile.tag_key
            rows = [row for row in rows if not isinstance(row, dict) or _is_tag(row, key)]
        return decode.rows_of(self.reply, {"data": rows})

    @cached_property
    def chunk(self) -> decode.Chunk | UnreadableReply:
        """The rows in the interface's columns, or why they cannot be read."""
        assert self.resource is not None  # noqa: S101  # only rows of a resource are decoded
        data = {"data": self.rows, "locked": [*decode.locked(self.content)]}
        reply = dataclasses.replace(self.reply, body=json.dumps(data).encode())
        try:
            kind = decode.Rows(self.resource, self.shape)
            return decode.decode([reply], kind, profile=self.profile)
        except UnreadableReply as error:
            return error

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows in the interface's fields; none where they cannot be read."""
        if self.resource is None or isinstance(self.chunk, UnreadableReply):
            return []
        return self.chunk.frame.to_dicts()

    @property
    def shape(self) -> Shape | None:
        """How the wire writes the rows, where it does not write them in the interface's fields."""
        return self.profile.shapes.get(self.of)

    def page(self, name: str, kind: type = object) -> Any:
        """What `page` says under a name; None where it is of another kind."""
        page = self.content.get("page")
        value = page.get(name) if isinstance(page, dict) else None
        return value if isinstance(value, kind) else None

    def __str__(self) -> str:
        if not isinstance(self.content.get("data"), list):
            return "one record" if self.content.get("data") else "nothing under 'data'"
        total, count = self.page("total", int), len(self.rows)
        of = "" if total is None else f" of {total:,}"
        return f"{count} row{'' if count == 1 else 's'}{of}"


def _is_tag(row: Mapping[str, Any], key: str) -> bool:
    return (row.get("kind", "value"), row.get("filter_key", key)) == ("value", key)


def held(rows: Iterable[Any], path: str) -> list[str]:
    """The texts under a path of members, each once; lists on the way are opened, records not."""
    for name in path.split("."):
        values = [row.get(name) for row in rows if isinstance(row, dict)]
        rows = [
            each for value in values for each in (value if isinstance(value, list) else [value])
        ]
    return list(dict.fromkeys(each for each in rows if isinstance(each, str)))


def table(profile: Profile) -> str:
    """The file that says how the wire writes its rows."""
    if profile.name not in WIRES:
        return f"the table of {profile.name!r}"
    own = "profile" if profile.name == INTERFACE.name else f"y{profile.name.replace('-', '_')}"
    return f"interface/wire/{own}.py"
