"""Files that appear whole or not at all, the one rule for their names, and a lock for a folder."""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import json
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

PART: Final = ".part"
"""How the name of a file ends while it is being written."""
LOCK: Final = ".lock"
"""The file that a process holds while it writes into a folder."""

_LONGEST: Final = 200
_LARGEST: Final = 1 << 28
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE | re.ASCII)


def write_whole(
    path: Path, content: bytes | str | Callable[[Path], object], *, durable: bool = False
) -> None:
    """`path` holds all of `content`, or what it held before.

    `content` is bytes, text (written as UTF-8 with `\\n` line ends), or a function that writes to
    the path it is given. `durable` content is on the disk before the file has its name. Raises
    `OSError` where the folder cannot be written to; the draft beside `path` is removed in every
    case but a killed process.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}{PART}")
    try:
        if isinstance(content, bytes):
            draft.write_bytes(content)
        elif isinstance(content, str):
            draft.write_bytes(content.encode())
        else:
            content(draft)
        if durable:
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@functools.cache
def scratch() -> Path:
    """A folder of this process for what it computes once; it goes when the process ends.

    >>> scratch().is_dir()
    True
    """
    folder = Path(tempfile.mkdtemp(prefix="ventureframe-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def inside(folder: Path, name: object, layout: re.Pattern[str]) -> Path:
    """The path of a file in the folder, by the name that a manifest gives it.

    Raises `ValueError` for a name that `layout` does not allow, that is over-long or names a
    device, and where a link leads out of the folder.

    >>> inside(Path("x"), "../y.parquet", re.compile(r"[a-z]+.parquet"))
    Traceback (most recent call last):
    ...
    ValueError: '../y.parquet'
    """
    is_plain = isinstance(name, str) and len(name) <= _LONGEST and layout.fullmatch(name)
    if not is_plain or any(_DEVICE.fullmatch(step) for step in str(name).split("/")):
        raise ValueError(repr(name)[:_LONGEST])
    path = folder / str(name)
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(repr(name))
    return path


def write_json(path: Path, content: object, *, durable: bool = False) -> None:
    """Writes the content as a JSON file, as `write_whole` does; NaN is refused."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text, durable=durable)


def read_json(path: Path) -> Any:
    """What a JSON file holds.

    Raises `FileNotFoundError` where there is none, `NotADirectoryError` where its folder is a
    file, and `ValueError` for all else that cannot be read: a file that is no plain one or too
    large, text that is not UTF-8 or not JSON, a number or a nesting without end.
    """
    try:
        is_sound = path.stat().st_size <= _LARGEST and path.is_file()
        content = json.loads(path.read_bytes() if is_sound else b"")
        json.dumps(content, allow_nan=False, ensure_ascii=False).encode()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"cannot be read as JSON ({type(error).__name__})") from error
    return content


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else who asks for the lock writes into the folder, which is made, meanwhile.

    Raises `BlockingIOError` at once where another process or thread holds it; the lock of a
    process that was killed is free. Raises `OSError` where the folder cannot be written to.
    """
    path = folder / LOCK
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except ValueError as error:  # a character that no path has
        raise OSError(errno.EINVAL, str(error)) from error
    held = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        _lock(held)
        if not (path.exists() and os.path.samestat(os.fstat(held), path.stat())):
            raise BlockingIOError("whoever held it has removed it just now")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink()
    finally:
        os.close(held)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(str(error)) from error
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
