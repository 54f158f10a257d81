"""Each curated notebook is run once in a session of tests, by the worker that needs it
first.
"""

import time
from pathlib import Path

from nbformat import NotebookNode
from tests.notebooks.refresh import fresh, save

from ventureframe.report.notebook import find, read

PATIENCE = 300
"""Seconds that a worker waits for the run of another."""


def executed(name: str, folder: Path) -> NotebookNode:
    """Return the notebook as it was run; `folder` is shared by the workers."""
    kept, failed = folder / f"{name}.ipynb", folder / f"{name}.failed"
    try:
        (folder / f"{name}.begun").touch(exist_ok=False)
    except FileExistsError:
        return _awaited(kept, failed)
    try:
        document = fresh(find(name), progress=False)
    except BaseException as error:
        failed.write_text(repr(error), "utf-8")
        raise
    save(document, kept)
    return document


def _awaited(kept: Path, failed: Path) -> NotebookNode:
    end = time.monotonic() + PATIENCE
    while not kept.exists():
        assert not failed.exists(), failed.read_text("utf-8")
        assert time.monotonic() < end, f"{kept.name} was not run in time"
        time.sleep(0.05)
    return read(kept)
