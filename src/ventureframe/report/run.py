"""Runs a notebook in a kernel of its own and returns it with outputs; nothing stays behind."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat.v4 import new_code_cell
from tqdm.auto import tqdm

from ventureframe.display import warned
from ventureframe.errors import ReportError, VentureframeError
from ventureframe.report.notebook import facts


def run(
    notebook: nbformat.NotebookNode,
    *,
    name: str,
    environment: Mapping[str, str],
    progress: bool,
    last: str | None = None,
) -> nbformat.NotebookNode:
    """Run the notebook from top to bottom and return it with its outputs, cells counted from 1.

    `last` is code that runs after the last cell and is no part of the notebook.

    `environment` is all that the kernel sees. The kernel is of this very Python, whatever is
    registered elsewhere; where the system has sockets in folders nobody else can open, it listens
    only there. Progress goes to standard error where that is a terminal. Raises `ReportError`: with
    the error's own sentence where the package raised it, else with the cell.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    with (
        # None hides the bar where standard error is no terminal
        tqdm(
            total=total, desc=name, unit="cell", disable=None if progress else True, file=sys.stderr
        ) as bar,
        tempfile.TemporaryDirectory(prefix="ventureframe-") as folder,
    ):
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(Path(folder) / "kernel.json"),
            transport="tcp" if os.name == "nt" else "ipc",
        )
        whole = [*notebook.cells, *([] if last is None else [new_code_cell(last)])]
        client = NotebookClient(
            nbformat.from_dict({**notebook, "cells": whole}),
            km=manager,
            record_timing=False,
            timeout=None,
            on_cell_executed=lambda **_: bar.update(),
            extra_arguments=[f"--IPKernelApp.extra_extensions={warned.__name__}"],
        )
        env = {**environment, "IPYTHONDIR": folder, "PYTHONHASHSEED": "0"}
        try:
            # What a kernel says of its own end would hide the one sentence.
            done: nbformat.NotebookNode = client.execute(
                cwd=str(Path.cwd()), env=env, stderr=subprocess.DEVNULL, cleanup_kc=True
            )
        except (CellExecutionError, DeadKernelError, AssertionError) as error:
            # Set by nbclient's own handler of SIGINT and SIGTERM, which ends the kernel.
            if hasattr(client, "_async_cleanup_kernel_future"):
                raise KeyboardInterrupt from None
            if isinstance(error, CellExecutionError):
                raise ReportError(_sentence(client.nb, error)) from None
            raise ReportError(
                "the notebook's kernel stopped before its end: it was interrupted or ran out of "
                "memory"
            ) from None
    done.cells = done.cells[: len(notebook.cells)]
    for stated in facts(done):
        if "unanswered" in stated:  # a form that got no answer
            raise ReportError(stated["unanswered"])
    return done


def _sentence(notebook: nbformat.NotebookNode, error: CellExecutionError) -> str:
    if error.ename in _names(VentureframeError):
        return str(error.evalue)
    failed = next(
        cell.execution_count
        for cell in notebook.cells
        if any(output.output_type == "error" for output in cell.get("outputs", ()))
    )
    return f"cell {failed} of the notebook failed: {error.ename}: {error.evalue}"


def _names(error: type[Exception]) -> set[str]:
    """The names of an error class and of all its subclasses, in whatever module they are."""
    return {error.__name__}.union(*map(_names, error.__subclasses__()))


def environment(*, data: str | Path | None = None, currency: str | None = None) -> dict[str, str]:
    """The kernel's environment: this one, but with a dataset given nothing of a live service.

    With "" for the dataset it is the sample's, whatever a `.env` says.
    """
    kept = dict(os.environ)
    if data is not None:
        kept = {name: value for name, value in kept.items() if not name.startswith("VENTUREFRAME_")}
        kept["VENTUREFRAME_DATA"] = str(Path(data).resolve()) if data else ""
    return kept if currency is None else {**kept, "VENTUREFRAME_CURRENCY": currency}
