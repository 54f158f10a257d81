"""Runs a notebook in a kernel of its own and returns it with outputs; nothing stays behind."""

from __future__ import annotations

import inspect
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from tqdm.auto import tqdm

from ventureframe import errors
from ventureframe.display import warned
from ventureframe.errors import ReportError

_OURS: Final = frozenset(
    name
    for name, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, errors.VentureframeError)
)


def run(
    notebook: nbformat.NotebookNode, *, name: str, environment: Mapping[str, str], progress: bool
) -> nbformat.NotebookNode:
    """The notebook with the outputs of a run from top to bottom, its cells counted from 1.

    `environment` is all that the kernel sees. Progress goes to standard error. Raises
    `ReportError`: with the error's own sentence where the package raised it, else with the cell.
    """
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    with (
        tqdm(total=total, desc=name, unit="cell", disable=not progress, file=sys.stderr) as bar,
        _kernel() as (manager, folder),
    ):
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
            return client.execute(cwd=str(Path.cwd()), env=env, cleanup_kc=True)
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


@contextmanager
def _kernel() -> Iterator[tuple[AsyncKernelManager, str]]:
    """A kernel of this very Python, whatever is registered elsewhere, and the folder it lives in.

    Where the system has sockets in folders nobody else can open, it listens only there.
    """
    with tempfile.TemporaryDirectory(prefix="ventureframe-") as folder:
        manager = AsyncKernelManager(
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(Path(folder) / "kernel.json"),
            transport="tcp" if os.name == "nt" else "ipc",
        )
        yield manager, folder


def _sentence(notebook: nbformat.NotebookNode, error: CellExecutionError) -> str:
    if error.ename in _OURS:
        return str(error.evalue)
    failed = next(
        cell.execution_count
        for cell in notebook.cells
        if any(output.output_type == "error" for output in cell.get("outputs", ()))
    )
    return f"cell {failed} of the notebook failed: {error.ename}: {error.evalue}"


def environment(
    base: Mapping[str, str] = os.environ,
    *,
    data: Path | None = None,
    settings: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The kernel's environment: `base`, but with a dataset given nothing of a live service."""
    kept = {k: v for k, v in base.items() if data is None or not k.startswith("VENTUREFRAME_")}
    if data is not None:
        kept["VENTUREFRAME_DATA"] = str(data.resolve())
    return kept | dict(settings or {})
