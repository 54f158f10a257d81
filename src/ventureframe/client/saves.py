"""What fetches leave on the disk: folders of tables, and replies kept to go on with.

The manifest of a save names its tables and is written last: a process that is killed
leaves the save that was there before, or the new one.
"""

import dataclasses
import datetime as dt
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from ventureframe.dataset.manifest import DESCRIPTION, PULLS
from ventureframe.errors import SaveError, UnsupportedValue, warn
from ventureframe.interface import files
from ventureframe.interface.files import MANIFEST, Format, from_plain, to_plain
from ventureframe.interface.reply import Reply

SAVES = Format("ventureframe save")

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_FILE = re.compile(rf"{_NAME.pattern}-[0-9a-f]{{16}}\.parquet", re.ASCII)
_QUESTION = "question.json"

Write = Callable[[Path, bytes | str], object]
"""Writes a whole file, as `files.write_whole` does."""
Tables = dict[str, tuple[dict[str, Any], pl.DataFrame]]
"""By name what is known of a table, as JSON can hold it, and its rows."""


def write(
    folder: Path, tables: Tables, about: Mapping[str, Any], *, overwrite: bool
) -> None:
    """Write tables, and the facts `about` all of them, into a folder.

    Raises `SaveError`, also where the folder holds other files, or a save already
    unless `overwrite`.
    """
    for name in tables:
        if not _NAME.fullmatch(name):
            reason = f"cannot hold a table named {name!r}: use a-z, 0-9, '-' and '_'"
            raise SaveError(reason, folder=str(folder))
    try:
        SAVES.refuse_other(folder)
    except ValueError as error:
        raise SaveError(str(error), folder=str(folder)) from error
    if SAVES.is_in(folder) and not overwrite:
        raise SaveError(
            "already holds a save. Choose another folder", folder=str(folder)
        )
    listed, written = dict[str, Any](), set[str]()
    for name, (facts, rows) in tables.items():
        content = parquet(rows)
        # other rows have another name: the save that was there stays whole
        file = f"{name}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"
        files.write_whole(folder / file, content, durable=True)
        columns = {column: str(kind) for column, kind in rows.schema.items()}
        table = {"file": file, "rows": rows.height, "columns": columns}
        listed[name] = {**facts, "table": table}
        written.add(file)
    SAVES.write(folder, {**about, "tables": listed})
    for path in folder.iterdir():
        if _FILE.fullmatch(path.name) and path.name not in written:
            path.unlink(missing_ok=True)


def parquet(rows: pl.DataFrame) -> bytes:
    """Return the rows as a Parquet file; equal rows give equal bytes."""
    content = io.BytesIO()
    rows.write_parquet(content, compression="zstd")
    return content.getvalue()


def read(folder: Path) -> tuple[Tables, dict[str, Any]]:
    """Read every table of a folder, and the facts about all; raises `SaveError`."""
    about, tables = _manifest(folder), Tables()
    try:
        for name, facts in about.pop("tables").items():
            rows = _rows(folder, facts.pop("table"))
            tables[name] = facts, rows
    except (LookupError, TypeError, AttributeError) as error:
        problem = "does not list tables as a save does"
        raise _damaged(folder, MANIFEST, problem) from error
    return tables, about


def _rows(folder: Path, table: Mapping[str, Any]) -> pl.DataFrame:
    """Read the rows of a table, which are those that were written."""
    file, height, columns = table["file"], table["rows"], [*table["columns"]]
    if not _FILE.fullmatch(file):
        problem = f"names the file {file!r:.200}, which no save has"
        raise _damaged(folder, MANIFEST, problem)
    try:
        rows = pl.read_parquet((folder / file).read_bytes())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _damaged(folder, file, "is missing or cannot be read") from error
    if (rows.height, rows.columns) != (height, columns):
        raise _damaged(folder, file, "has other rows or columns than were written")
    return rows


def _manifest(folder: Path) -> dict[str, Any]:
    is_dataset = PULLS.is_in(folder) or (folder / DESCRIPTION).is_file()
    if is_dataset and not SAVES.is_in(folder):
        advice = "open it with vf.connect(data=…) or vf.bulk.open(…)"
        raise SaveError(f"is a dataset folder: {advice}", folder=str(folder))
    try:
        return SAVES.read(folder)
    except OSError as error:
        reason = "is not a folder"
        if folder.is_dir():
            reason = f"is not a save: it has no {MANIFEST}"
        raise SaveError(f"{reason}. Check the path", folder=str(folder)) from error
    except ValueError as error:
        raise _damaged(folder, MANIFEST, str(error)) from error


def _damaged(folder: Path, file: str, problem: str) -> SaveError:
    advice = "Use another copy of the folder, or fetch and save again"
    return SaveError(f"{file} {problem}. {advice}", folder=str(folder))


class Folder:
    """The replies to one question, first sent when it `started`.

    Each is one file: a line of JSON with the facts of the reply, then its body. Raises
    `UnsupportedValue` where the folder keeps another question.
    """

    def __init__(
        self,
        path: Path,
        question: Mapping[str, Any],
        *,
        started: dt.datetime,
        write: Write = files.write_whole,
    ) -> None:
        self._path, self._write = path, write
        file = path / _QUESTION
        if not file.exists():
            write(file, json.dumps({**question, "started": started.isoformat()}))
        try:
            stored = files.read_json(file)
            self.started = dt.datetime.fromisoformat(stored.pop("started"))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise self._refusal(f"has a {_QUESTION} that cannot be read") from error
        names = {**stored, **question}
        differ = [name for name in names if stored.get(name) != question.get(name)]
        if differ:
            raise self._refusal(
                f"keeps another question, which differs in {' and '.join(differ)}"
            )

    def _refusal(self, reason: str) -> UnsupportedValue:
        reason = f"it {reason}: give a new folder"
        return UnsupportedValue(str(self._path), field="folder", reason=reason)

    def reply(self, name: str, ask: Callable[[], Reply]) -> Reply:
        """Return the reply kept under this name, else that of `ask`, which is then
        kept.
        """
        file = self._path / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.reply"
        if file.exists():
            head, _, body = file.read_bytes().partition(b"\n")
            try:
                reply = from_plain(json.loads(head), Reply)
            except ValueError:
                file.unlink()
                problem = f"A kept reply in {self._path} cannot be read"
                warn(f"{problem}: it is requested again.")
            else:
                return dataclasses.replace(reply, body=body)
        reply = ask()
        head = json.dumps(to_plain(dataclasses.replace(reply, body=b""))).encode()
        self._write(file, head + b"\n" + reply.body)
        return reply
