"""Keeps the replies of a fetch in a folder, so that one that was interrupted can go on.

Every reply is one file, compressed and written whole: a process may be killed at any moment and
leaves a whole reply or none. The folder belongs to one question.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from ventureframe.errors import UnsupportedValue
from ventureframe.interface.files import PART, write_whole
from ventureframe.interface.plain import from_plain, to_plain
from ventureframe.interface.reply import Reply

_QUESTION: Final = "question.json"


class Folder:
    """The replies to one question; `started` is when it was first sent.

    Raises `UnsupportedValue` where the folder holds another question, or something else.
    """

    def __init__(
        self, path: str | os.PathLike[str], question: Mapping[str, Any], *, started: dt.datetime
    ) -> None:
        self._path = Path(path)
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # too long, under a file, no path of any system
            raise self._refusal("cannot be made") from error
        file = self._path / _QUESTION
        if not file.exists():
            if any(each.suffix != PART for each in self._path.iterdir()):
                raise self._refusal("has other files in it")
            content = {**question, "started": started.isoformat()}
            write_whole(file, json.dumps(content, indent=1, ensure_ascii=False))
        try:
            held = json.loads(file.read_bytes())
            self.started = dt.datetime.fromisoformat(held.pop("started"))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._refusal(f"has a {_QUESTION} that cannot be read") from error
        differs = [name for name in {**held, **question} if held.get(name) != question.get(name)]
        if differs:
            named = " and ".join(differs)
            raise self._refusal(f"keeps another question, which differs in {named}")

    def reply(self, name: str, ask: Callable[[], Reply]) -> Reply:
        """The reply kept under this name, else the one that `ask` gets, which is then kept."""
        file = self._path / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.reply"
        kept = _read(file)
        if kept is None:
            kept = ask()
            head = to_plain(dataclasses.replace(kept, body=b""))
            line = json.dumps({"name": name, "bytes": len(kept.body), "reply": head})
            body = pa.compress(kept.body, codec="zstd", asbytes=True)
            write_whole(file, line.encode() + b"\n" + body)
        return kept

    def _refusal(self, reason: str) -> UnsupportedValue:
        reason = f"it {reason}: give a new folder"
        return UnsupportedValue(str(self._path), field="folder", reason=reason)


def _read(file: Path) -> Reply | None:
    """The reply in a file; None where there is none, or not a whole one."""
    try:
        line, _, body = file.read_bytes().partition(b"\n")
        head = json.loads(line)
        kept = from_plain(head["reply"], Reply)
        whole = pa.decompress(body, head["bytes"], codec="zstd", asbytes=True)
        return dataclasses.replace(kept, body=whole) if len(whole) == head["bytes"] else None
    except (OSError, ValueError, LookupError, TypeError):
        return None
