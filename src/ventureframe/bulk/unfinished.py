"""What is kept of a pull until it is sealed: its question, its replies, how many were sent."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ventureframe.client.saves import Folder, begun
from ventureframe.errors import UnsupportedValue
from ventureframe.interface.files import inside
from ventureframe.interface.reply import Reply

NAME: Final = ".pull"
"""The folder, within that of the pulls."""

_BEGUN: Final = "begun.json"
_PLACES: Final = re.compile(rf"{re.escape(NAME)}|[a-z_]+/pulled=[\d-]+")


def place(out: Path, name: str) -> Path:
    """A folder of the pulls that may be emptied; `UnsupportedValue` where a link leads out."""
    try:
        return inside(out, name, _PLACES)
    except ValueError as error:
        reason = f"{error} in it leads to another folder: give a new one"
        raise UnsupportedValue(str(out), field="out", reason=reason) from error


@dataclass
class Meter:
    """Counts the requests that are sent, and lets no more through than `at_most`."""

    at_most: int | None = None
    sent: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, ask: Callable[[], Reply]) -> Reply:
        """The reply, once its request is counted."""
        with self._lock:
            self.require(1)
            self.sent += 1
        return ask()

    def require(self, requests: int) -> None:
        """Raises `UnsupportedValue` where so many more are not allowed."""
        if self.at_most is not None and self.sent + requests > self.at_most:
            more = "1 more request" if requests == 1 else f"{requests:,} more requests"
            reason = f"the pull takes {more} after {self.sent:,} sent: give a greater number"
            raise UnsupportedValue(self.at_most, field="at_most", reason=reason)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The unfinished pull of a folder."""

    out: Path
    meter: Meter

    @property
    def _folder(self) -> Path:
        return place(self.out, NAME)

    def begin(self, question: Mapping[str, Any], *, now: dt.datetime) -> dt.datetime:
        """When the pull began: now, or when an unfinished one of the same question did.

        Raises `UnsupportedValue` where an unfinished pull asks something else.
        """
        file = self._folder / _BEGUN
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            started, held = begun(file, question, now=now)
        except ValueError as error:
            reason = f"its unfinished pull cannot be read: delete {file.parent}"
            raise UnsupportedValue(str(self.out), field="out", reason=reason) from error
        if held != question:
            named = held.get("collections")
            names = ", ".join(named) if isinstance(named, dict) else "something else"
            reason = (
                f"it has an unfinished pull of {names}, begun on {started:%Y-%m-%d}: ask the "
                f"same again to finish it, or delete {file.parent}"
            )
            raise UnsupportedValue(str(self.out), field="out", reason=reason)
        return started

    def kept(self, name: str, question: Mapping[str, Any], *, started: dt.datetime) -> Folder:
        """The kept replies of a collection; each that is asked for is counted."""
        path = self._folder / name / "replies"
        return Folder(path, question, started=started, spend=self.meter.spend)

    def emptied(self, name: str, what: str) -> Path:
        """A folder for what is made of the replies, with nothing in it."""
        path = self._folder / name / what
        shutil.rmtree(path, ignore_errors=True)
        return path

    @property
    def is_empty(self) -> bool:
        """Whether no reply is kept."""
        return not any(self._folder.glob("*/replies/*.reply"))

    def drop(self, name: str = "") -> None:
        """Removes what is kept of a collection, or of all of them."""
        shutil.rmtree(self._folder / name, ignore_errors=True)
