"""Files that appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, content: bytes | str | Callable[[Path], object]) -> None:
    """`path` holds all of `content`, or what it held before.

    `content` is bytes, text (written as UTF-8 with `\\n` line ends), or a function that writes to
    the path it is given. Raises `OSError` where the folder cannot be written to; the draft beside
    `path` is removed in every case.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if isinstance(content, bytes):
            draft.write_bytes(content)
        elif isinstance(content, str):
            draft.write_bytes(content.encode())
        else:
            content(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
