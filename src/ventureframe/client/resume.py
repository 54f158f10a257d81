"""Keeps the replies of a fetch in a folder, so that one that was ended goes on where it was.

Every reply is one file, written beside and moved into place: a process may be killed at any
moment and leaves a whole reply or none. The folder belongs to one question.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from ventureframe.errors import UnsupportedValue
from ventureframe.interface.reply import Reply

_QUESTION: Final = "question.json"


class Folder:
    """The replies to one question; `started` is when it was first asked.

    Raises `UnsupportedValue` where the folder holds another question, or something else.
    """

    def __init__(
        self, path: str | os.PathLike[str], question: Mapping[str, Any], *, started: dt.datetime
    ) -> None:
        self._path = Path(path)
        self._path.mkdir(parents=True, exist_ok=True)
        file = self._path / _QUESTION
        if not file.exists():
            if any(each.suffix != ".part" for each in self._path.iterdir()):
                self._refuse("has other files in it: give a new folder")
            content = {**question, "started": started.isoformat()}
            _write(file, json.dumps(content, indent=1, ensure_ascii=False).encode())
        try:
            held = json.loads(file.read_bytes())
            self.started = dt.datetime.fromisoformat(held.pop("started"))
        except (ValueError, LookupError, TypeError, AttributeError):
            self._refuse(f"has a {_QUESTION} that cannot be read: give a new folder")
        differs = [name for name in {**held, **question} if held.get(name) != question.get(name)]
        if differs:
            named = " and ".join(differs)
            self._refuse(f"keeps another question, which differs in {named}: give a new folder")

    def reply(self, name: str, ask: Callable[[], Reply]) -> Reply:
        """The reply kept under this name, else the one that `ask` gets, which is kept."""
        file = self._path / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.reply"
        kept = _read(file)
        if kept is None:
            kept = ask()
            about = {
                "name": name,
                "path": kept.path,
                "bytes": len(kept.body),
                "headers": dict(kept.headers),
                "retries": kept.retries,
                "credits": kept.credits,
            }
            _write(file, json.dumps(about).encode() + b"\n" + kept.body)
        return kept

    def _refuse(self, reason: str) -> None:
        raise UnsupportedValue(str(self._path), field="folder", reason=f"it {reason}") from None


def _read(file: Path) -> Reply | None:
    """The reply in a file; None where there is none, or not a whole one."""
    try:
        head, _, body = file.read_bytes().partition(b"\n")
        about = json.loads(head)
        if len(body) == about["bytes"]:
            path, headers = about["path"], about["headers"]
            return Reply(path, body, headers, about["retries"], about["credits"])
    except (OSError, ValueError, LookupError, TypeError):
        pass
    return None


def _write(file: Path, content: bytes) -> None:
    part = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}.part")
    part.write_bytes(content)
    part.replace(file)
