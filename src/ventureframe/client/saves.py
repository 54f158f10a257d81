"""A folder of results: written whole or not at all, checked when it is read.

The rows of each result are a Parquet file that carries a part of its hash in the name; the
manifest, a JSON file, names them and is put in place last. So a save that is stopped at any
moment leaves what was there before, and a folder that was cut, changed or never a save is
refused with the reason.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl
from cattrs.gen import make_dict_unstructure_fn, override

from ventureframe.client.result import Details, Result
from ventureframe.errors import SaveError
from ventureframe.interface.files import LOCK, PART, inside, locked, write_whole
from ventureframe.interface.plain import CONVERTER, from_plain, to_plain
from ventureframe.interface.sealed import NAME as MANIFEST
from ventureframe.interface.sealed import Sealed

SEALED: Final = Sealed("ventureframe save", 1)

_OTHER: Final = "Open it with the one that wrote it"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
_FILE: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}-[0-9a-f]{16}\.parquet", re.ASCII)

# The rows of a result lie beside the manifest; everything else of it is written into it.
_without_rows = make_dict_unstructure_fn(Result, CONVERTER, _frame=override(omit=True))
CONVERTER.register_unstructure_hook(Result, _without_rows)
CONVERTER.register_structure_hook(pl.DataFrame, lambda frame, _: frame)
_DETAILS: Final = frozenset(each.name for each in dataclasses.fields(Details))
"""What a manifest says of a result beside the other facts, and a result in its `details`."""


@dataclass(frozen=True)
class Saved:
    """What a folder holds: results by name and, where they are a study's, its name and parameters.

    `parameters` are what JSON can hold; results and parameters together repeat the study.
    """

    results: Mapping[str, Result]
    study: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


def save(
    results: Mapping[str, Result],
    folder: str | Path,
    *,
    study: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> Path:
    """The folder, once it holds the results under their names; `opened` reads them back.

    A study saves the results it fetched and the `parameters` that it was made with: its findings
    follow from them. Raises `SaveError` where the folder holds a save already and `overwrite` is
    false, where it holds something else, and where it cannot be written.
    """
    target = Path(folder)
    try:
        if target.exists() and not target.is_dir():
            raise SaveError("is a file, not a folder. Choose another path", folder=str(folder))
        with locked(target):
            before = _tables_before(target, overwrite=overwrite)
            tables = {
                name: {**_facts(result), "table": _write_rows(target, name, result)}
                for name, result in results.items()
            }
            about = {"study": study, "parameters": dict(parameters or {}), "tables": tables}
            SEALED.write(target, about)
            for file in before - {target / each["table"]["file"] for each in tables.values()}:
                with contextlib.suppress(OSError):
                    file.unlink()
    except BlockingIOError as error:
        reason = "is being written by another process. Wait for its end, or choose another folder"
        raise SaveError(reason, folder=str(folder)) from error
    except OSError as error:
        raise SaveError(f"cannot be written: {error.strerror}", folder=str(folder)) from error
    return target


def opened(folder: str | Path) -> Saved:
    """Every result in the folder, once the manifest and every table are as they were written.

    Raises `SaveError` where the folder is not a save, or was changed or damaged.
    """
    source = Path(folder)
    manifest = _manifest(source)
    try:
        results: dict[str, Any] = manifest["tables"]
        for name, about in results.items():
            details = {fact: about.pop(fact) for fact in _DETAILS & about.keys()}
            rows = _read_rows(source, about.pop("table"))
            results[name] = about | {"details": details, "_frame": rows}
    except (LookupError, TypeError, AttributeError) as error:
        raise _damaged(source, MANIFEST, "does not list tables as a save does") from error
    try:
        held = {name: from_plain(about, Result) for name, about in results.items()}
        return Saved(held, manifest["study"], from_plain(manifest["parameters"], dict[str, Any]))
    except (LookupError, ValueError) as error:
        reason = "does not describe results that this ventureframe knows. " + _OTHER
        raise SaveError(reason, folder=str(folder), file=MANIFEST) from error


def load(folder: str | Path, part: str | None = None) -> Result:
    """The result that was saved in the folder, equal to the one that was; of a study, one `part`.

    Raises `SaveError` where the folder is not a save, was changed, or holds several results and
    `part` names none of them.

    >>> import tempfile
    >>> import ventureframe as vf
    >>> with tempfile.TemporaryDirectory() as folder, vf.connect(environment={}) as svc:
    ...     fetched = svc.funds.fetch()
    ...     vf.load(fetched.save(f"{folder}/funds")) == fetched
    True
    """
    held = opened(folder).results
    if part is None and len(held) == 1:
        return next(iter(held.values()))
    if part is not None and part in held:
        return held[part]
    names = ", ".join(map(repr, held))
    raise SaveError(f"holds {names}: name one of them as the part to load", folder=str(folder))


def _facts(result: Result) -> dict[str, Any]:
    """Everything about a result but its rows."""
    facts: dict[str, Any] = to_plain(result)
    return {**facts.pop("details"), **facts}


def _write_rows(folder: Path, name: str, result: Result) -> dict[str, Any]:
    """What the manifest says about the file that now holds the rows."""
    if not _NAME.fullmatch(name):
        raise SaveError(f"cannot hold a table named {name!r}: use a-z, 0-9, '-' and '_'", folder="")
    content, frame = io.BytesIO(), result.to_polars()
    frame.write_parquet(content, compression="zstd")
    digest = hashlib.sha256(content.getvalue()).hexdigest()
    file = f"{name}-{digest[:16]}.parquet"
    write_whole(folder / file, content.getvalue(), durable=True)
    columns = {column: str(kind) for column, kind in frame.schema.items()}
    return {"file": file, "sha256": digest, "rows": frame.height, "columns": columns}


def _read_rows(folder: Path, stored: Mapping[str, Any]) -> pl.DataFrame:
    path = _named(folder, stored["file"])
    file = path.name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _damaged(folder, file, "is missing or cannot be read") from error
    if hashlib.sha256(content).hexdigest() != stored["sha256"]:
        raise _damaged(folder, file, "is not what was written: its hash differs")
    try:
        return pl.read_parquet(io.BytesIO(content))
    except pl.exceptions.PolarsError as error:
        raise _damaged(folder, file, "is not a Parquet file") from error


def _named(folder: Path, file: object) -> Path:
    try:
        return inside(folder, file, _FILE)
    except ValueError as error:
        raise _damaged(folder, MANIFEST, f"names the file {error}, which no save has") from error


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest without its seal, once it is as it was written."""
    try:
        manifest = SEALED.read(folder)
    except OSError as error:
        reason = "is not a save: it has no " + MANIFEST if folder.is_dir() else "is not a folder"
        raise SaveError(f"{reason}. Check the path", folder=str(folder)) from error
    except ValueError as error:
        raise _damaged(folder, MANIFEST, str(error)) from error
    if not isinstance(manifest.get("tables"), dict):
        raise _damaged(folder, MANIFEST, "does not list tables as a save does")
    return manifest


def _tables_before(folder: Path, *, overwrite: bool) -> set[Path]:
    """The files of the save that is there; `SaveError` where it may not be replaced."""
    if not (folder / MANIFEST).exists():
        names = (each.name for each in folder.iterdir() if each.name != LOCK)
        strangers = [name for name in names if not (_FILE.fullmatch(name) or name.endswith(PART))]
        if strangers:
            reason = f"holds other files ({min(strangers)}). Choose an empty folder, or a new one"
            raise SaveError(reason, folder=str(folder))
        return set()
    tables = _manifest(folder)["tables"]
    if not overwrite:
        reason = "holds a save already, which is kept. Choose another folder"
        raise SaveError(reason, folder=str(folder))
    try:
        return {_named(folder, about["table"]["file"]) for about in tables.values()}
    except (LookupError, TypeError) as error:
        raise _damaged(folder, MANIFEST, "does not list tables as a save does") from error


def _damaged(folder: Path, file: str, what: str) -> SaveError:
    reason = f"{file} {what}. Use another copy of the folder, or fetch and save again"
    return SaveError(reason, folder=str(folder), file=file)
