"""What fetches leave on the disk: files, folders of tables, and kept replies to go on
with.

A save is written whole or not at all and checked when it is read: the manifest,
which names the tables with their hashes, is put in place last. A kept reply is one
file under a checksum.
"""

import contextlib
import dataclasses
import datetime as dt
import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl
import pyarrow as pa

from ventureframe.errors import SaveError, UnsupportedValue, warn
from ventureframe.interface import files
from ventureframe.interface.files import MANIFEST, Sealed, from_plain, to_plain
from ventureframe.interface.reply import Reply

SEALED: Final = Sealed("ventureframe save", 1)

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_FILE: Final = re.compile(rf"{_NAME.pattern}-[0-9a-f]{{16}}\.parquet", re.ASCII)
_QUESTION: Final = "question.json"
FORMATS: Final = (".xlsx", ".csv", ".parquet")  # how a file of rows ends
_SHEET: Final = 1_048_000  # rows of a sheet, about; a cell has 32,767 characters

Write = Callable[[Path, bytes | str], None]
"""Writes a whole file, or raises `OSError`."""
Tables = dict[str, tuple[dict[str, Any], pl.DataFrame]]
"""By name what is known of a table, as JSON can hold it, and its rows."""


def write_file(path: str | Path, file: bytes, *, overwrite: bool = True) -> Path:
    """Write a file and return its path; raises `SaveError` where that fails, or it
    is kept.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not overwrite:
            raise FileExistsError(17, "it is there already; overwrite=True replaces it")
        files.write_whole(path, file)
    except OSError as error:
        raise SaveError(
            f"cannot be written: {error.strerror}", folder=str(path)
        ) from error
    return path


def content(rows: pl.DataFrame, kind: str) -> bytes:
    """The rows as a file that ends with `kind`, one of `FORMATS`; but in Parquet, lists
    are text.

    In CSV, text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    file = io.BytesIO()
    if kind == ".parquet":
        rows.write_parquet(file, compression="zstd")
        return file.getvalue()
    rows = rows.with_columns(pl.col(pl.List(pl.String)).list.join("; "))
    for column in (column for column in rows if column.dtype.is_nested()):
        texts = [
            one if one is None else json.dumps(one, default=str)
            for one in column.to_list()
        ]
        rows = rows.with_columns(pl.Series(column.name, texts, pl.String))
    if kind == ".csv":
        inert = pl.col(pl.String).str.replace(r"^[=+\-@\t\r]", "'${0}")
        rows.with_columns(inert).write_csv(
            file, include_bom=True, line_terminator="\r\n"
        )
    else:
        with book(file) as made:
            looks: Any = {pl.Int64: "0", pl.Float64: "#,##0.00", pl.Date: "yyyy-mm-dd"}
            sheet_of(rows, made, "Rows", table_name="rows", dtype_formats=looks)
    return file.getvalue()


def book(file: io.BytesIO) -> Any:
    """A workbook to be written, undated: no text in it becomes a formula, a link or
    a number.
    """
    import xlsxwriter  # noqa: PLC0415  # only for a workbook

    inert = {f"strings_to_{kind}": False for kind in ("formulas", "urls", "numbers")}
    made = xlsxwriter.Workbook(
        file, {**inert, "in_memory": True, "nan_inf_to_errors": True}
    )
    # of no clock
    made.set_properties({"created": dt.datetime(2000, 1, 1)})  # noqa: DTZ001
    return made


def sheet_of(rows: pl.DataFrame, made: Any, sheet: Any, **how: Any) -> None:
    """Write a sheet of a workbook, `how` as polars says; raises `SaveError` for too
    many rows.
    """
    if rows.height > _SHEET:
        raise SaveError(
            f"a sheet has {_SHEET:,} rows at most: save .parquet or .csv", folder=""
        )
    rows.with_columns(pl.col(pl.String).str.head(32_767)).write_excel(
        made, sheet, **how
    )


def write(
    folder: Path, tables: Tables, about: Mapping[str, Any], *, overwrite: bool
) -> None:
    """Write the tables and what else is known into a folder, or raise as
    `result.save` does.
    """
    if wrong := [name for name in tables if not _NAME.fullmatch(name)]:
        reason = f"cannot hold a table named {wrong[0]!r}: use a-z, 0-9, '-' and '_'"
        raise SaveError(reason, folder="")
    try:
        if folder.exists() and not folder.is_dir():
            raise SaveError(
                "is a file, not a folder. Choose another path", folder=str(folder)
            )
        SEALED.refuse_other(folder, leftovers=_FILE)
        with files.locked(folder):
            before = set[Path]()
            if (folder / MANIFEST).exists():
                before = {path for path, _, _ in _listed(folder)[0].values()}
                if not overwrite:
                    reason = (
                        "holds a save already, which is kept. Choose another folder"
                    )
                    raise SaveError(reason, folder=str(folder))
            stored, after = dict[str, Any](), set[Path]()
            for name, (facts, rows) in tables.items():
                table_file = content(rows, ".parquet")
                digest = hashlib.sha256(table_file).hexdigest()
                path = folder / f"{name}-{digest[:16]}.parquet"
                files.write_whole(path, table_file, durable=True)
                after.add(path)
                columns = {column: str(kind) for column, kind in rows.schema.items()}
                table = {"file": path.name, "sha256": digest, "rows": rows.height}
                stored[name] = {**facts, "table": {**table, "columns": columns}}
            SEALED.write(folder, {**about, "tables": stored})
            for path in before - after:
                with contextlib.suppress(OSError):
                    path.unlink()
    except OSError as error:
        raise SaveError(
            f"cannot be written: {error.strerror}", folder=str(folder)
        ) from error
    except ValueError as error:
        raise SaveError(str(error), folder=str(folder)) from error


def read(folder: Path) -> tuple[Tables, dict[str, Any]]:
    """Read every table of a folder, and what else is known, or raise as
    `result.opened` does.
    """
    listed, about = _listed(folder)
    tables = Tables()
    for name, (path, digest, facts) in listed.items():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise _damaged(folder, path.name, "is missing or cannot be read") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise _damaged(
                folder, path.name, "is not what was written: its hash differs"
            )
        tables[name] = facts, pl.read_parquet(io.BytesIO(content))
    return tables, about


def _listed(
    folder: Path,
) -> tuple[dict[str, tuple[Path, str, dict[str, Any]]], dict[str, Any]]:
    """What the manifest says of each table, its file and the hash of it first, and
    what else.
    """
    listed = dict[str, tuple[Path, str, dict[str, Any]]]()
    try:
        about = SEALED.read(folder)
    except OSError as error:
        reason = (
            f"is not a save: it has no {MANIFEST}"
            if folder.is_dir()
            else "is not a folder"
        )
        raise SaveError(f"{reason}. Check the path", folder=str(folder)) from error
    except ValueError as error:
        raise _damaged(folder, MANIFEST, str(error)) from error
    try:
        for name, facts in about.pop("tables").items():
            table = facts.pop("table")
            listed[name] = (
                files.inside(folder, table["file"], _FILE),
                table["sha256"],
                facts,
            )
    except ValueError as error:
        raise _damaged(
            folder, MANIFEST, f"names the file {error}, which no save has"
        ) from error
    except (OSError, LookupError, TypeError, AttributeError) as error:
        raise _damaged(
            folder, MANIFEST, "does not list tables as a save does"
        ) from error
    return listed, about


def _damaged(folder: Path, file: str, what: str) -> SaveError:
    reason = f"{file} {what}. Use another copy of the folder, or fetch and save again"
    return SaveError(reason, folder=str(folder), file=file)


def begun(
    file: Path, question: Mapping[str, Any], *, now: dt.datetime, write: Write
) -> tuple[dt.datetime, dict[str, Any]]:
    """Read when the question in a file was first sent, and it; `ValueError` if
    unreadable.
    """
    if not file.exists():
        write(file, json.dumps({**question, "started": now.isoformat()}))
    try:
        kept = files.read_json(file)
        return dt.datetime.fromisoformat(kept.pop("started")), kept
    except (OSError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(str(error)) from error


class Folder:
    """The replies to one question, first sent when it `started`."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        question: Mapping[str, Any],
        *,
        started: dt.datetime,
        write: Write = files.write_whole,
    ) -> None:
        self._path, self._write = Path(path), write
        file = self._path / _QUESTION
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        # too long, under a file, no path of any system
        except (OSError, ValueError) as error:
            raise self._refusal("cannot be made") from error
        if not file.exists() and any(
            each.suffix != ".part" for each in self._path.iterdir()
        ):
            raise self._refusal("has other files in it")
        try:
            self.started, kept = begun(file, question, now=started, write=self._keep)
        except ValueError as error:
            raise self._refusal(f"has a {_QUESTION} that cannot be read") from error
        differ = [
            name
            for name in {**kept, **question}
            if kept.get(name) != question.get(name)
        ]
        if differ:
            raise self._refusal(
                f"keeps another question, which differs in {' and '.join(differ)}"
            )

    def _keep(self, file: Path, content: bytes | str) -> None:
        try:
            self._write(file, content)
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise SaveError(reason, folder=str(self._path)) from error

    def _refusal(self, reason: str) -> UnsupportedValue:
        reason = f"it {reason}: give a new folder"
        return UnsupportedValue(str(self._path), field="folder", reason=reason)

    def reply(self, name: str, ask: Callable[[], Reply]) -> Reply:
        """The reply kept under this name, if it is as it was written, else the one
        of `ask`.
        """
        file = self._path / f"{hashlib.sha256(name.encode()).hexdigest()[:32]}.reply"
        if file.exists():
            # whatever an odd number meets on its way
            with contextlib.suppress(Exception):
                digest, _, content = file.read_bytes().partition(b"\n")
                line, _, packed = content.partition(b"\n")
                head = json.loads(line)
                if (digest.decode(), name) == (
                    hashlib.sha256(content).hexdigest(),
                    head["name"],
                ):
                    body = pa.decompress(
                        packed, head["bytes"], codec="zstd", asbytes=True
                    )
                    return dataclasses.replace(
                        from_plain(head["reply"], Reply), body=body
                    )
            file.unlink(missing_ok=True)
            warn(
                f"A kept reply in {self._path} is not what was written: it is requested"
                " again."
            )
        reply = ask()
        facts = to_plain(dataclasses.replace(reply, body=b""))
        written = json.dumps(
            {"name": name, "bytes": len(reply.body), "reply": facts}
        ).encode()
        content = written + b"\n" + pa.compress(reply.body, codec="zstd", asbytes=True)
        self._keep(file, hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
        return reply

    @property
    def count(self) -> int:
        """How many replies are kept."""
        return sum(each.suffix == ".reply" for each in self._path.iterdir())
