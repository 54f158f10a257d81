"""One complete reply of the service: what the session returns and the decoder reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from ventureframe.errors import UnreadableReply, shortened

_EXACT: Final = 2.0**53
"""Whole numbers from here on may differ from the floating-point number next to them."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One complete reply with status 200 and a body that was read to its end.

    `limit` is the number of rows that a page was asked to have.
    """

    path: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    retries: int = 0
    credits: float | None = None
    limit: int | None = None

    def unreadable(self, what: str, *, advice: str = "") -> UnreadableReply:
        """The error that says this reply `what`."""
        advice = advice or "The service does not keep to the interface here: report it to its owner"
        return UnreadableReply(f"GET {self.path} {what}. {advice}.", path=self.path, status=200)

    def json(self) -> dict[str, object]:
        """The body as a JSON object; `UnreadableReply` where it is anything else."""
        try:
            content = read(self.body)
        except NamedTwice as error:
            raise self.unreadable(str(error)) from error
        except (ValueError, RecursionError) as error:
            html = self.body.lstrip()[:1] == b"<"
            what = "answered 200 with HTML instead of JSON" if html else "answered no valid JSON"
            advice = "Check the base address; a proxy or a login page may stand in between"
            raise self.unreadable(what, advice=advice) from error
        if not isinstance(content, dict):
            raise self.unreadable("answered JSON that is not an object")
        return content


class NamedTwice(ValueError):
    """An object has a member of one name twice: which of the two holds is not known."""


def read(text: bytes) -> Any:
    """The JSON in a text; `ValueError` where it is none, `NamedTwice` where it says two things.

    JSON has one kind of number: 5.0 is the whole number 5, unless it is too large to be exact.
    """
    return json.loads(
        text,
        parse_float=_number,
        parse_constant=_no_constant,
        object_pairs_hook=_named_once,
    )


def _number(text: str) -> float:
    number = float(text)
    is_whole = number.is_integer() and number < _EXACT and not text.startswith("-")
    return int(number) if is_whole else number


def _named_once(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        twice = next(
            name for name, often in Counter(name for name, _ in members).items() if often > 1
        )
        raise NamedTwice(f"has {shortened(repr(twice))} twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
