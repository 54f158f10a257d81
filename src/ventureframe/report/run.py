"""Runs a notebook in a kernel of its own and returns it with outputs; nothing stays behind."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from tqdm.auto import tqdm

from ventureframe import errors
from ventureframe.display import warned
from ventureframe.errors import ReportError
from ventureframe.interface.source import FACTS


def run(
    notebook: nbformat.NotebookNode, *, name: str, environment: Mapping[str, str], progress: bool
) -> nbformat.NotebookNode:
    """The notebook with the outputs of a run from top to bottom, its cells counted from 1.

    `environment` is all that the kernel sees. The kernel is of this very Python, whatever is
    registered elsewhere; where the system has sockets in folders nobody else can open, it listens
    only there. Progress goes to standard error. Raises `ReportError`: with the error's own
    sentence where the package raised it, else with the cell.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    with (
        tqdm(total=total, desc=name, unit="cell", disable=not progress, file=sys.stderr) as bar,
        tempfile.TemporaryDirectory(prefix="ventureframe-") as folder,
    ):
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(Path(folder) / "kernel.json"),
            transport="tcp" if os.name == "nt" else "ipc",
        )
        client = NotebookClient(
            notebook,
            km=manager,
            record_timing=False,
            timeout=None,
            on_cell_executed=lambda **_: bar.update(),
            extra_arguments=[f"--IPKernelApp.extra_extensions={warned.__name__}"],
        )
        env = {**environment, "IPYTHONDIR": folder, "PYTHONHASHSEED": "0"}
        try:
            done = client.execute(cwd=str(Path.cwd()), env=env, cleanup_kc=True)
            return _answered(done)
        except CellExecutionError as error:
            raise ReportError(_sentence(notebook, error)) from None
        except (DeadKernelError, AssertionError):
            # Set by nbclient's own handler of SIGINT and SIGTERM, which ends the kernel.
            if hasattr(client, "_async_cleanup_kernel_future"):
                raise KeyboardInterrupt from None
            raise ReportError(
                "the notebook's kernel stopped before its end: it was interrupted or ran out of "
                "memory"
            ) from None


def _answered(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook; raises `ReportError` with the sentence of a form that got no answer."""
    outputs = (each for cell in notebook.cells for each in cell.get("outputs", ()))
    for output in outputs:
        if said := output.get("metadata", {}).get(FACTS, {}).get("unanswered"):
            raise ReportError(said)
    return notebook


def _sentence(notebook: nbformat.NotebookNode, error: CellExecutionError) -> str:
    raised = getattr(errors, error.ename, None)
    if isinstance(raised, type) and issubclass(raised, errors.VentureframeError):
        return str(error.evalue)
    failed = next(
        cell.execution_count
        for cell in notebook.cells
        if any(output.output_type == "error" for output in cell.get("outputs", ()))
    )
    return f"cell {failed} of the notebook failed: {error.ename}: {error.evalue}"


def environment(*, data: str | Path | None = None, currency: str | None = None) -> dict[str, str]:
    """The kernel's environment: this one, but with a dataset given nothing of a live service."""
    is_kept = data is None
    kept = {k: v for k, v in os.environ.items() if is_kept or not k.startswith("VENTUREFRAME_")}
    if data is not None:
        kept["VENTUREFRAME_DATA"] = str(Path(data).resolve())
    return kept if currency is None else {**kept, "VENTUREFRAME_CURRENCY": currency}
