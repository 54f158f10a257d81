"""The service starts ready, stops cleanly, and says where it is."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from tests.service.conftest import Caller
from ventureframe.errors import ConfigurationError
from ventureframe.service import run
from ventureframe.service.sample import sample
from ventureframe.service.store import Dataset

SERVE = """
import sys
from ventureframe.service.run import serve
from ventureframe.service.store import Dataset
serve(Dataset.open(sys.argv[1]), client_id="team", client_secret="known")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serving_says_its_addresses_and_stops_cleanly(tmp_path: Path, number: int) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    (folder / "notes.txt").write_text("hello")
    command = [sys.executable, "-W", "error", "-c", SERVE, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        assert p.stdout
        lines = [p.stdout.readline().strip() for _ in range(5)]
        assert "SYNTHETIC" in lines[0]
        assert lines[1] == "not part of the format, ignored: notes.txt"
        said = dict(line.split("=", 1) for line in lines[2:])
        assert said["client_id"] == "team"
        assert requests.get(said["base_url"] + "/health", timeout=5).json() == {"status": "ok"}
        p.send_signal(number)
        rest, errors = p.communicate(timeout=10)
    assert (p.returncode, rest, errors) == (0, "", "")


def test_a_port_that_is_taken_is_named(running: run.Running, small: Dataset) -> None:
    port = int(running.base_url.rpartition(":")[2])
    with pytest.raises(ConfigurationError, match=f"port {port} of 127.0.0.1 cannot be bound"):
        run.start(small, port=port)


def test_a_closed_service_answers_no_more_and_closes_twice(small: Dataset) -> None:
    running = run.start(small)
    running.close()
    running.close()
    with pytest.raises(requests.ConnectionError):
        requests.get(running.base_url + "/health", timeout=2)


def test_a_strict_service_refuses_a_parameter_it_does_not_know(small: Dataset) -> None:
    with run.start(small, strict=True) as running:
        caller = Caller(running)
        with caller.session:
            assert caller.get("/data/companies", limit=1).status_code == 200
            assert caller.error("/data/companies", foo="bar") == (
                400,
                "VALIDATION_ERROR",
                {"parameter": "foo"},
            )


def test_what_is_switched_on_shows_in_the_start_up_lines(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text('[[fault]]\nroute = "news"\nfirst = 2\nstatus = 503\n')
    folder = sample(companies=10).write(tmp_path / "data")
    command = [sys.executable, "-m", "ventureframe.cli", "serve", "--data", str(folder)]
    command += ["--faults", str(plan), "--rate", "5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline().strip() for _ in range(3)]
        process.terminate()
    assert lines[:2] == [
        "fault on demand: route=news first=2 status=503",
        "rate limit: 5 requests a second",
    ]
