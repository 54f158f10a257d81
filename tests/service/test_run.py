"""The service starts ready, stops cleanly, and says where it is."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from tests.processes import running
from tests.service.sample.sample import sample
from ventureframe.cli import main
from ventureframe.errors import ConfigurationError
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

SECRET = "from the environment"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(companies=10).write(tmp_path_factory.mktemp("served") / "data")


def test_serving_says_where_it_is_logs_each_request_and_stops_cleanly(
    folder: Path,
) -> None:
    """A body that breaks off leaves no traceback either, and no status of 500."""
    (folder / "notes.txt").write_text("hello")
    command = [sys.executable, "-m", "ventureframe_service"]
    command += ["--data", str(folder), "--host", "0.0.0.0", "--rate", "5"]
    environment = os.environ | {"VENTUREFRAME_SERVE_SECRET": SECRET}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running(command, **pipes, env=environment) as process:
        assert process.stdout
        lines = [process.stdout.readline().strip() for _ in range(5)]
        assert "SYNTHETIC" in lines[0]
        assert lines[1] == "rate limit: 5 requests a second"
        said = dict(line.split("=", 1) for line in lines[2:])
        port = urlsplit(said["base_url"]).port
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as half:
                half.sendall(
                    b"POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length:"
                    b" 50\r\n\r\n{"
                )
        base = f"http://127.0.0.1:{port}"
        pair = {"client_id": said["client_id"], "client_secret": SECRET}
        grant = {"grant_type": "client_credentials", **pair}
        token = requests.post(base + "/oauth/token", json=grant, timeout=60).json()
        requests.get(base + "/data/%0Aforged?token=secret", timeout=60)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")
    ignored, warning, *logged = errors.splitlines()
    assert "not part of a dataset, so not read: notes.txt." in ignored
    assert "is plain http, which others on the network can read" in warning
    assert [line[21:] for line in logged] == [
        "POST /oauth/token 200",
        "GET /data/%0Aforged 404",
    ], "paths as they came, one line each, and no query"
    assert not any(hidden in errors for hidden in (SECRET, token["access_token"]))


def test_a_closed_service_answers_no_more_and_closes_twice(small: Dataset) -> None:
    running = run.start(small)
    running.close()
    running.close()
    with pytest.raises(requests.ConnectionError):
        requests.get(running.base_url + "/health", timeout=2)


def test_other_machines_are_not_let_in_with_a_secret_nobody_chose() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "example.org"):
        for secret in (None, "short"):
            with pytest.raises(
                ConfigurationError, match="can be reached from other machines"
            ):
                Settings(host=host, client_secret=secret)


REFUSED = (
    (["--data", "nowhere"], "nowhere: is not a folder: check the path"),
    (["--data", ""], "--data is empty: is a variable of the shell not set?"),
    (["--client-secret="], "--client-secret is empty"),
    (["--host="], "--host is empty"),
    (["--client-secret", " " * 20, "--host", "0.0.0.0"], "that are not blank"),
    (
        ["--host", "no.invalid", "--client-secret", "s" * 16],
        "name an address of this machine",
    ),
    (["--port", "99999"], "port 99999 of 127.0.0.1 cannot be bound"),
    (["--rate", "0"], "a rate of 0 is not positive"),
)


def test_what_cannot_be_served_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, message in REFUSED:
        assert main(["serve", *arguments]) == 1
        written = capsys.readouterr().err
        assert written.startswith("ventureframe: ")
        assert message in written
        assert written.count("\n") == 1
