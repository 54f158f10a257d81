"""A JupyterLab of its own: its folder, its settings, its address."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from tests.fake import environment_of
from tests.gate import Gate
from tests.processes import running

from ventureframe import report
from ventureframe_service.dataset import sample
from ventureframe_service.run import start

TOKEN = "loopback"
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},
}
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class Lab:
    """A JupyterLab over a folder of notebooks, whose service can be held at its
    gate.
    """

    url: str
    folder: Path
    gate: Gate

    def address(self, name: str, *, workspace: str) -> str:
        """Where a notebook opens, in a workspace of its own."""
        return f"{self.url}lab/workspaces/{workspace}/tree/{name}.ipynb?token={TOKEN}"

    def write(self, name: str, cells: Sequence[str]) -> None:
        """Puts a notebook of these cells into the folder."""
        made = new_notebook(
            cells=list(map(new_code_cell, cells)), metadata={"kernelspec": KERNEL}
        )
        nbformat.write(made, self.folder / f"{name}.ipynb")


@contextmanager
def laboratory(home: Path) -> Iterator[Lab]:
    """A JupyterLab with the notebook over spinouts, and the service that its kernels
    ask.
    """
    folder = home / "notebooks"
    folder.mkdir()
    # with values of its own: those of the sample are not asked of a live service
    text = report.find("01_university_spinouts").read_text("utf-8")
    own = text.replace('"currency = \\"USD\\""', '"currency = None"')
    (folder / "01_university_spinouts.ipynb").write_text(own, "utf-8")
    for name, content in SETTINGS.items():
        path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    with start(sample()) as running:
        gate = Gate(running.base_url, path="/data/founders")
        service = environment_of(replace(running, base_url=gate.base_url))
        with _served(home, folder, service) as url:
            yield Lab(url, folder, gate)
        gate.close()


@contextmanager
def _served(home: Path, folder: Path, service: Mapping[str, str]) -> Iterator[str]:
    kept = {
        k: v
        for k, v in os.environ.items()
        if not k.startswith(("VENTUREFRAME_", "JUPYTER"))
    }
    environment = {
        **kept,
        **service,
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    options = [
        *(
            "--no-browser",
            "--allow-root",
            "--ServerApp.port=0",
            "--ServerApp.open_browser=False",
        ),
        *(
            f"--ServerApp.root_dir={folder}",
            f"--IdentityProvider.token={TOKEN}",
        ),
    ]
    with running(
        [sys.executable, "-m", "jupyterlab", *options],
        env=environment,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stderr is not None
        said = "\n".join(_until_ready(server.stderr))
        found = re.search(r"(http://\S+?/)lab\?token", said)
        assert found, f"JupyterLab did not start: {said}"
        log = threading.Thread(target=server.stderr.read, daemon=True)
        log.start()
        try:
            yield found[1]
        finally:
            server.terminate()
            log.join(60)
            server.kill()  # where that was not enough


def _until_ready(lines: Iterator[str]) -> Iterator[str]:
    """What a server says until it names its address, or ends."""
    for line in lines:
        yield line
        if "/lab?token" in line:
            return
