"""Keeps the replies of a fetch in a folder, so that one that was interrupted can go on.

Every reply is one file, compressed, under a checksum, and written whole: a process may be killed
at any moment and leaves a whole reply or none. The folder belongs to one question.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import hashlib
import json
import os
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from ventureframe.errors import EvidenceWarning, UnsupportedValue
from ventureframe.interface.files import PART, read_json, write_json, write_whole
from ventureframe.interface.plain import from_plain, to_plain
from ventureframe.interface.reply import Reply

_QUESTION: Final = "question.json"


def begun(
    file: Path, question: Mapping[str, Any], *, now: dt.datetime
) -> tuple[dt.datetime, dict[str, Any]]:
    """When the question that the file holds was first sent, and the question.

    It is the given one, sent now, where there is no file. Raises `ValueError` where it cannot be
    read.
    """
    if not file.exists():
        write_json(file, {**question, "started": now.isoformat()})
    try:
        held = read_json(file)
        return dt.datetime.fromisoformat(held.pop("started")), held
    except (OSError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error


class Folder:
    """The replies to one question; `started` is when it was first sent.

    `spend` is given what asks for a reply that is not kept, and returns the reply. Raises
    `UnsupportedValue` where the folder holds another question, or something else.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        question: Mapping[str, Any],
        *,
        started: dt.datetime,
        spend: Callable[[Callable[[], Reply]], Reply] = lambda ask: ask(),
    ) -> None:
        self._path, self._spend = Path(path), spend
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # too long, under a file, no path of any system
            raise self._refusal("cannot be made") from error
        file = self._path / _QUESTION
        if not file.exists() and any(each.suffix != PART for each in self._path.iterdir()):
            raise self._refusal("has other files in it")
        try:
            self.started, held = begun(file, question, now=started)
        except ValueError as error:
            raise self._refusal(f"has a {_QUESTION} that cannot be read") from error
        differs = [name for name in {**held, **question} if held.get(name) != question.get(name)]
        if differs:
            named = " and ".join(differs)
            raise self._refusal(f"keeps another question, which differs in {named}")

    def reply(self, name: str, ask: Callable[[], Reply]) -> Reply:
        """The reply kept under this name, else the one that `ask` gets, which is then kept.

        A kept reply that is not what was written is said, and asked for again.
        """
        file = self._path / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.reply"
        kept = _read(file, name) if file.exists() else None
        if kept is None:
            if file.exists():
                said = (
                    f"A kept reply in {self._path} is not what was written: it is requested again."
                )
                warnings.warn(said, EvidenceWarning, stacklevel=2)
            kept = self._spend(ask)
            head = to_plain(dataclasses.replace(kept, body=b""))
            line = json.dumps({"name": name, "bytes": len(kept.body), "reply": head})
            body = pa.compress(kept.body, codec="zstd", asbytes=True)
            content = line.encode() + b"\n" + body
            write_whole(file, _checksum(content) + content)
        return kept

    @property
    def count(self) -> int:
        """How many replies are kept."""
        return sum(each.suffix == ".reply" for each in self._path.iterdir())

    def _refusal(self, reason: str) -> UnsupportedValue:
        reason = f"it {reason}: give a new folder"
        return UnsupportedValue(str(self._path), field="folder", reason=reason)


def _read(file: Path, name: str) -> Reply | None:
    """The reply to the question of this name; None where the file is not as it was written."""
    try:
        held = file.read_bytes()
        content = held[len(_checksum(b"")) :]
        line, _, body = content.partition(b"\n")
        head = json.loads(line)
        if held[: -len(content)] != _checksum(content) or head["name"] != name:
            return None
        whole = pa.decompress(body, head["bytes"], codec="zstd", asbytes=True)
        return dataclasses.replace(from_plain(head["reply"], Reply), body=whole)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None


def _checksum(content: bytes) -> bytes:
    """The line before the content in its file: the SHA-256 of that content."""
    return hashlib.sha256(content).hexdigest().encode() + b"\n"
