"""Each curated notebook is run once in a session of tests, by the worker that needs it
first, in a process of its own as `make notebooks` does it.
"""

import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from nbformat import NotebookNode

from ventureframe.report.notebook import find, read

ROOT = Path(__file__).parents[2]
PATIENCE = 120
"""Seconds that a run may take on a busy machine: alone it takes ten."""


def executed(name: str, folder: Path) -> NotebookNode:
    """Return the notebook as it was run; `folder` is shared by the workers."""
    begun, kept = folder / f"{name}.begun", folder / f"{name}.ipynb"
    failed = folder / f"{name}.failed"
    try:
        begun.mkdir()
    except FileExistsError:
        return _awaited(kept, failed)
    copy = Path(shutil.copy(find(name), begun))
    try:
        _refresh(copy)
    except subprocess.SubprocessError as error:
        failed.write_text(f"{error}\n{getattr(error, 'stderr', '')}", "utf-8")
        raise AssertionError(failed.read_text("utf-8")) from error
    return read(copy.rename(kept))


def _refresh(copy: Path) -> None:
    """Run the copy; again where a kernel froze, as those of ipykernel 7 can."""
    run = partial(
        subprocess.run,
        [sys.executable, "-m", "tests.notebooks.refresh", str(copy)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    try:
        run()
    except subprocess.TimeoutExpired:
        run()


def _awaited(kept: Path, failed: Path) -> NotebookNode:
    end = time.monotonic() + 3 * PATIENCE  # which may be two runs
    while not kept.exists():
        assert not failed.exists(), failed.read_text("utf-8")
        assert time.monotonic() < end, f"{kept.name} was not run in time"
        time.sleep(0.05)
    return read(kept)
