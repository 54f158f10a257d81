"""Files that appear whole or not at all, and the folder for what a process computes once."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

PART: Final = ".part"
"""How the name of a file ends while it is being written."""


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
