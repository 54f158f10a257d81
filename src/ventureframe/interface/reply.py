"""One complete reply of the service: what the session returns and the decoder reads."""

import contextlib
import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ventureframe.errors import UnreadableReply, shortened

_CUT = {"capped", "partial", "timed_out"}  # rows are missing
_NOTICES = (*_CUT, "warnings", "tier", "locked")
_FAILED = {"ok": False, "success": False, "status": "error"}
_REPORT = "The service does not keep to the interface here: report it to its owner"
_ADDRESS = "Check the base address; a proxy or a login page may stand in between"
# whole numbers from here on may differ from the float next to them
_EXACT = 2.0**53


@dataclass(frozen=True)
class Reply:
    """One complete reply with status 200; `limit` is the number of rows requested.

    It `is_marked` where it repeated a secret, which a mark replaces. `words` returns
    what a message may quote of a text.
    """

    path: str
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    retries: int = 0
    credits: float | None = None
    limit: int | None = None
    is_marked: bool = False
    words: Callable[[str], str] | None = field(default=None, repr=False, compare=False)

    def quote(self, text: str) -> str:
        """Return a text about the reply as a message may have it."""
        return text if self.words is None else self.words(text)

    def unreadable(
        self, problem: str, *, advice: str = "", kind: str = ""
    ) -> UnreadableReply:
        """Return the error for this reply with a problem, such as "has no rows"."""
        message = f"GET {self.path} {self.quote(problem)}. {advice or _REPORT}."
        return UnreadableReply(message, path=self.path, status=200, kind=kind)

    def json(self) -> dict[str, object]:
        """Return the body as a JSON object; `UnreadableReply` where it is anything
        else.

        JSON has one kind of number: 5.0 is the whole number 5, unless it is too
        large to be exact.
        """
        # the parser's error would hold the body, which may repeat a secret
        with contextlib.suppress(ValueError, RecursionError):
            # int refuses NaN, which JSON does not have
            content = json.loads(self.body, parse_float=_number, parse_constant=int)
            if isinstance(content, dict):
                return content
            raise self.unreadable("answered JSON that is not an object")
        problem, kind = "answered no valid JSON", ""
        if self.body.lstrip().startswith(b"<"):
            problem, kind = "answered 200 with HTML instead of JSON", "html"
        raise self.unreadable(problem, advice=_ADDRESS, kind=kind)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows under `data`, each an object; `UnreadableReply` where an
        error is beside.
        """
        content = self.json()
        refuse_error(self, content)
        rows = content.get("data")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise self.unreadable("has no list of records under 'data'")
        return rows


def _number(text: str) -> float:
    number = float(text)
    is_whole = number.is_integer() and number < _EXACT and not text.startswith("-")
    return int(number) if is_whole else number


@dataclass(frozen=True)
class Page:
    """The paging information of one page, with the keys of its first and last row.

    The rows themselves are in a `Chunk`; `reply` is without body and headers. Where
    the page `goes_on`, further rows follow. `notices` are the members that report a
    shortened page (`is_limited`) or a key with less access.
    """

    rows: int
    first: str | int | None
    last: str | int | None
    total: int | None
    limit: int | None
    next_cursor: str | None
    currency: str | None
    reply: Reply
    offset: object = None
    goes_on: bool = False
    is_limited: bool = False
    notices: Mapping[str, object] = field(default_factory=dict)


def refuse_error(reply: Reply, content: Mapping[str, Any]) -> None:
    """Raise `UnreadableReply` where an error stands beside the rows: some may be
    missing.
    """
    for name, value in _FAILED.items():
        if content.get(name) == value:
            raise reply.unreadable(f"says {name!r} is {json.dumps(value)}")
    for part in (content, of_page(content)):
        error = part.get("error") or part.get("errors")
        if error:
            raise reply.unreadable(
                f"has an error beside its rows ({shortened(json.dumps(error))})"
            )


def of_page(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the paging information of a reply; empty where it has none."""
    about = content.get("page")
    return about if isinstance(about, dict) else {}


def page(
    reply: Reply,
    content: Mapping[str, Any],
    keys: Any = (),
    cursor: str = "next_cursor",
) -> Page:
    """Return the page of rows with these keys; `UnreadableReply` where a value is
    invalid.
    """
    about = of_page(content)
    total, limit, next_cursor = map(about.get, ("total", "limit", cursor))
    currency = content.get("currency")
    if total is not None and (type(total) is not int or total < 0):
        raise reply.unreadable(f"reports the total {total!r}, which is not a count")
    if next_cursor is not None and not isinstance(next_cursor, str):
        raise reply.unreadable(f"has a {cursor} that is not text")
    if type(limit) is not int or limit <= 0:
        limit = None
    notices = dict[str, object]()
    for name in _NOTICES:
        value = content.get(name) or about.get(name)
        if value and (name, value) != ("tier", "premium"):
            notices[name] = value
    if limit and reply.limit and limit < reply.limit:
        # the smaller limit explains it: the rows after it can be read
        notices.pop("capped", None)
    return Page(
        rows=len(keys),
        first=keys[0] if len(keys) else None,
        last=keys[-1] if len(keys) else None,
        total=total,
        limit=limit,
        next_cursor=next_cursor or None,
        currency=currency if isinstance(currency, str) else None,
        reply=dataclasses.replace(reply, body=b"", headers={}),
        offset=about.get("offset"),
        goes_on=bool(next_cursor or about.get("has_more")),
        is_limited=bool(_CUT & notices.keys()),
        notices=notices,
    )
