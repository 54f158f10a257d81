"""Runs a notebook in a kernel of its own and returns it with outputs; nothing stays
behind.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from tqdm.auto import tqdm

from ventureframe import errors
from ventureframe.display import furniture
from ventureframe.errors import ReportError


def run(
    notebook: NotebookNode,
    *,
    name: str | Path,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool,
    last: str = "",
    at_most: str = "",
) -> NotebookNode:
    """Run the notebook from top to bottom and return it with its outputs, cells counted
    from 1.

    The kernel is of this very Python, and listens in a folder that nobody else can
    open where the system can. It sees this environment, but with a dataset given
    nothing of a live service; "" is the sample, whatever a `.env` says. `name` is that
    of the notebook, or its file, as Jupyter tells it a kernel. `last` is code that
    runs after the last cell and is no part of the notebook. `at_most` is what it may
    take of a live service, as `connect` reads it, instead of what the environment says.
    Raises `ReportError`: with the error's own sentence where the package raised it,
    else with the cell.
    """
    with tempfile.TemporaryDirectory(prefix="ventureframe-") as folder:
        client = _client(notebook, last, Path(folder))
        # None hides the bar where standard error is no terminal
        bar = tqdm(
            total=sum(cell.cell_type == "code" for cell in notebook.cells),
            desc=Path(name).stem,
            unit="cell",
            disable=None if progress else True,
            file=sys.stderr,
        )
        client.on_cell_executed = lambda **_: bar.update()
        kernel: dict[str, Any] = {
            "cwd": str(Path.cwd()),
            "env": {
                **_environment(data, currency, folder, at_most),
                "JPY_SESSION_NAME": str(Path(name).resolve()),
            },
            # what a kernel says of its own end would hide the one sentence
            "stderr": subprocess.DEVNULL,
        }
        with bar:
            done = _executed(client, kernel)
    done.cells = done.cells[: len(notebook.cells)]
    return done


def _client(notebook: NotebookNode, last: str, folder: Path) -> NotebookClient:
    """Make what runs the notebook and `last` after it, in a kernel of this Python."""
    cells = [*notebook.cells, new_code_cell(last)]
    is_long = len(bytes(folder)) > 88  # for the path of a socket in it
    manager = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
        connection_file=str(folder / "kernel.json"),
        transport="tcp" if os.name == "nt" or is_long else "ipc",
    )
    return NotebookClient(
        nbformat.from_dict({**notebook, "cells": cells}),
        km=manager,
        record_timing=False,
        timeout=None,
        extra_arguments=[f"--IPKernelApp.extra_extensions={furniture.__name__}"],
    )


def _environment(
    data: str | Path | None, currency: str | None, folder: str, at_most: str
) -> dict[str, str]:
    """The environment of the kernel, without a live service where data are given."""
    env = {
        name: text
        for name, text in os.environ.items()
        if data is None or not name.startswith("VENTUREFRAME_")
    }
    env |= {"IPYTHONDIR": folder, "PYTHONHASHSEED": "0"}
    if data is not None:
        env["VENTUREFRAME_DATA"] = str(data)  # the kernel runs in the same folder
    if currency is not None:
        env["VENTUREFRAME_CURRENCY"] = currency
    if at_most:
        env["VENTUREFRAME_AT_MOST"] = at_most
    return env


def _executed(client: NotebookClient, kernel: Mapping[str, Any]) -> NotebookNode:
    """Execute the notebook; raises `KeyboardInterrupt` where a signal ended it."""
    try:
        done: NotebookNode = client.execute(**kernel, cleanup_kc=True)
    except Exception as error:
        # Set by nbclient's own handler of SIGINT and SIGTERM, which ends the kernel:
        # what is awaited then fails in many ways.
        if hasattr(client, "_async_cleanup_kernel_future"):
            raise KeyboardInterrupt from None
        if isinstance(error, CellExecutionError | DeadKernelError | AssertionError):
            raise ReportError(_sentence(client.nb, error)) from None
        raise
    return done


def _sentence(notebook: NotebookNode, error: Exception) -> str:
    """Say what failed: in the words of the package's own error, else which cell."""
    if not isinstance(error, CellExecutionError):
        return (
            "the notebook's kernel stopped before its end: interrupted, or out of"
            " memory"
        )
    if error.ename in vars(errors):
        return str(error.evalue)
    failed = [
        cell.execution_count
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    ]
    return f"cell {failed[0]} of the notebook failed: {error.ename}: {error.evalue}"
