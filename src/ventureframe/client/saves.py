"""A folder of named tables with a manifest: written whole or not at all, checked when read.

The tables are Parquet files that carry a part of their hash in the name; the manifest, a JSON
file, names them and is put in place last. So whoever stops a save at any moment leaves what was
there before, and a folder that was cut, changed or never a save is refused with the reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ventureframe.errors import SaveError

if TYPE_CHECKING:
    import polars as pl

MANIFEST: Final = "manifest.json"
FORMAT: Final = "ventureframe save"
VERSION: Final = 1

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_FILE: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}-[0-9a-f]{16}\.parquet", re.ASCII)

Facts = dict[str, Any]
"""What JSON can hold."""


@dataclass(frozen=True, slots=True)
class Save:
    """What a folder holds: facts about all of it, and per table its facts and its frame."""

    facts: Mapping[str, Any]
    tables: Mapping[str, tuple[Mapping[str, Any], pl.DataFrame]]


def write(
    folder: str | Path,
    facts: Mapping[str, Any],
    tables: Mapping[str, tuple[Mapping[str, Any], pl.DataFrame]],
    *,
    overwrite: bool = False,
) -> Path:
    """The folder, once it holds the tables with their facts; an older save is kept otherwise.

    Raises `SaveError` where the folder holds a save already and `overwrite` is false, where it
    holds something else, and where it cannot be written.
    """
    target = Path(folder)
    before = _files_before(target, overwrite=overwrite)
    listed: dict[str, Facts] = {}
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, (about, frame) in tables.items():
            content = io.BytesIO()
            frame.write_parquet(content, compression="zstd")
            digest = hashlib.sha256(content.getvalue()).hexdigest()
            file = f"{_checked(name)}-{digest[:16]}.parquet"
            _replace(target / file, content.getvalue())
            columns = {column: str(kind) for column, kind in frame.schema.items()}
            stored = {"file": file, "sha256": digest, "rows": frame.height, "columns": columns}
            listed[name] = {**about, "table": stored}
        manifest = {"format": FORMAT, "version": VERSION, **facts, "tables": listed}
        manifest["seal"] = _seal(manifest)
        text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        _replace(target / MANIFEST, text.encode())
    except OSError as error:
        raise SaveError(f"cannot be written: {error.strerror}", folder=str(folder)) from error
    for file in before - {about["table"]["file"] for about in listed.values()}:
        with contextlib.suppress(OSError):
            (target / file).unlink()
    return target


def read(folder: str | Path) -> Save:
    """What the folder holds, once the manifest and every table are as they were written.

    Raises `SaveError` where the folder is no save, or was changed or damaged.
    """
    source = Path(folder)
    manifest = _manifest(source)
    try:
        listed = manifest.pop("tables")
        tables = {
            name: (about, _table(source, about.pop("table"))) for name, about in listed.items()
        }
    except (LookupError, TypeError, AttributeError) as error:
        raise _damaged(source, MANIFEST, "does not list tables as a save does") from error
    return Save(manifest, tables)


def _manifest(folder: Path) -> Facts:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError as error:
        reason = "is no save: it has no " + MANIFEST if folder.is_dir() else "is no folder"
        raise SaveError(f"{reason}. Check the path", folder=str(folder)) from error
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(folder, MANIFEST, "cannot be read as JSON") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise SaveError(
            f"is no save of ventureframe: its {MANIFEST} is another program's. Check the path",
            folder=str(folder),
            file=MANIFEST,
        )
    if manifest.get("version") != VERSION:
        raise SaveError(
            f"is a save in version {manifest.get('version')!r} of the format, and this "
            f"ventureframe reads version {VERSION}. Open it with the one that wrote it",
            folder=str(folder),
            file=MANIFEST,
        )
    if manifest.pop("seal", None) != _seal(manifest):
        raise _damaged(folder, MANIFEST, "was changed after it was written")
    return manifest


def _table(folder: Path, stored: Mapping[str, Any]) -> pl.DataFrame:
    import polars as pl  # noqa: PLC0415  # heavy, and not needed to ask

    file = str(stored["file"])
    if not _FILE.fullmatch(file):
        raise _damaged(folder, MANIFEST, f"names the file {file!r}, which no save has")
    try:
        content = (folder / file).read_bytes()
    except OSError as error:
        raise _damaged(folder, file, "is missing or cannot be read") from error
    if hashlib.sha256(content).hexdigest() != stored["sha256"]:
        raise _damaged(folder, file, "is not what was written: its hash differs")
    try:
        return pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise _damaged(folder, file, "is no Parquet file") from error


def _damaged(folder: Path, file: str, what: str) -> SaveError:
    return SaveError(
        f"{file} {what}. Use another copy of the folder, or fetch and save again",
        folder=str(folder),
        file=file,
    )


def _files_before(folder: Path, *, overwrite: bool) -> set[str]:
    """The tables of the save that is there; `SaveError` where it may not be replaced."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise SaveError("is a file, not a folder. Choose another path", folder=str(folder))
    if not (folder / MANIFEST).exists():
        strangers = [each.name for each in folder.iterdir() if not _is_left_over(each.name)]
        if strangers:
            raise SaveError(
                f"holds other files ({min(strangers)}). Choose an empty folder, or a new one",
                folder=str(folder),
            )
        return set()
    tables = _manifest(folder)["tables"]
    if not overwrite:
        raise SaveError(
            "holds a save already, which is kept. Choose another folder, or give overwrite=True",
            folder=str(folder),
        )
    return {str(about["table"]["file"]) for about in tables.values()}


def _is_left_over(name: str) -> bool:
    """Whether a file is from a save that was stopped before its manifest was there."""
    return bool(_FILE.fullmatch(name)) or name.endswith(".part")


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise SaveError(f"cannot hold a table named {name!r}: use a-z, 0-9, '-' and '_'", folder="")
    return name


def _seal(manifest: Mapping[str, Any]) -> str:
    """The hash of everything else in the manifest."""
    text = json.dumps(manifest, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _replace(path: Path, content: bytes) -> None:
    """Put the content in place at once, on disk before it has its name."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
