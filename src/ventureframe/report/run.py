"""Runs a notebook in a kernel of its own and returns it with outputs; nothing stays
behind.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
    name: str,
    data: str | Path | None = None,
    currency: str | None = None,
    progress: bool,
    last: str = "",
) -> NotebookNode:
    """Run the notebook from top to bottom and return it with its outputs, cells counted
    from 1.

    The kernel is of this very Python, and listens in a folder that nobody else can
    open where the system can. It sees this environment, but with a dataset given
    nothing of a live service; "" is the sample, whatever a `.env` says. `last` is
    code that runs after the last cell and is no part of the notebook. Raises
    `ReportError`: with the error's own sentence where the package raised it, else
    with the cell.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    # None hides the bar where standard error is no terminal
    hidden = None if progress else True
    with (
        tqdm(
            total=total, desc=name, unit="cell", disable=hidden, file=sys.stderr
        ) as bar,
        tempfile.TemporaryDirectory(prefix="ventureframe-") as folder,
    ):
        where = {"connection_file": str(Path(folder) / "kernel.json")}
        where["transport"] = "tcp" if os.name == "nt" else "ipc"
        own = {
            "kernel_name": "python3",
            "kernel_spec_manager": KernelSpecManager(kernel_dirs=[]),
        }
        whole = nbformat.from_dict(
            {**notebook, "cells": [*notebook.cells, new_code_cell(last)]}
        )
        extra = [f"--IPKernelApp.extra_extensions={furniture.__name__}"]
        how = {"record_timing": False, "timeout": None, "extra_arguments": extra}
        client = NotebookClient(whole, km=AsyncKernelManager(**own, **where), **how)
        client.on_cell_executed = lambda **_: bar.update()
        env = {**os.environ, "IPYTHONDIR": folder, "PYTHONHASHSEED": "0"}
        if data is not None:
            env = {
                name: text
                for name, text in env.items()
                if not name.startswith("VENTUREFRAME_")
            }
            env["VENTUREFRAME_DATA"] = str(Path(data).resolve()) if data else ""
        env |= {} if currency is None else {"VENTUREFRAME_CURRENCY": currency}
        kernel = {"cwd": str(Path.cwd()), "env": env, "stderr": subprocess.DEVNULL}
        try:  # what a kernel says of its own end would hide the one sentence
            done: NotebookNode = client.execute(**kernel, cleanup_kc=True)
        except (CellExecutionError, DeadKernelError, AssertionError) as error:
            # Set by nbclient's own handler of SIGINT and SIGTERM, which ends the
            # kernel.
            if hasattr(client, "_async_cleanup_kernel_future"):
                raise KeyboardInterrupt from None
            raise ReportError(_sentence(client.nb, error)) from None
    done.cells = done.cells[: len(notebook.cells)]
    return done


def _sentence(notebook: NotebookNode, error: Exception) -> str:
    if not isinstance(error, CellExecutionError):
        return (
            "the notebook's kernel stopped before its end: interrupted, or out of"
            " memory"
        )
    if error.ename in vars(errors):
        return str(error.evalue)
    kinds = (
        (c, output.output_type)
        for c in notebook.cells
        for output in c.get("outputs", ())
    )
    failed = next(cell.execution_count for cell, kind in kinds if kind == "error")
    return f"cell {failed} of the notebook failed: {error.ename}: {error.evalue}"
