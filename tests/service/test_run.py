"""The service starts ready, stops cleanly, and says where it is."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.processes import running
from tests.service.caller import Caller, calling
from tests.service.sample.sample import sample
from ventureframe.cli import main
from ventureframe.errors import ConfigurationError
from ventureframe_service import run
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

SERVE = """
import sys
from ventureframe_service.dataset import Dataset
from ventureframe_service.run import serve
from ventureframe_service.settings import Settings
serve(lambda: Dataset.open(sys.argv[1]), Settings(client_id="team", client_secret="known"))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serving_says_its_addresses_and_stops_cleanly(
    tmp_path: Path, number: int
) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    (folder / "notes.txt").write_text("hello")
    command = [sys.executable, "-W", "error", "-c", SERVE, str(folder)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        assert p.stdout
        lines = [p.stdout.readline().strip() for _ in range(5)]
        assert "SYNTHETIC" in lines[0]
        assert lines[1] == "not part of the format, ignored: notes.txt"
        said = dict(line.split("=", 1) for line in lines[2:])
        assert said["client_id"] == "team"
        assert requests.get(said["base_url"] + "/health", timeout=60).json() == {
            "status": "ok"
        }
        requests.get(said["base_url"] + "/data/%0Aforged?token=secret", timeout=60)
        p.send_signal(number)
        rest, errors = p.communicate(timeout=60)
    assert (p.returncode, rest) == (0, "")
    written = r"[-0-9T:]+Z GET /health 200\n[-0-9T:]+Z GET /data/%0Aforged 404\n"
    assert re.fullmatch(written, errors), (
        "paths as they came, one line each, and no query"
    )


def test_a_port_that_is_taken_is_named(running: run.Running, small: Dataset) -> None:
    port = int(running.base_url.rpartition(":")[2])
    with pytest.raises(
        ConfigurationError, match=f"port {port} of 127.0.0.1 cannot be bound"
    ):
        run.start(small, Settings(port=port))


def test_a_closed_service_answers_no_more_and_closes_twice(small: Dataset) -> None:
    running = run.start(small)
    running.close()
    running.close()
    with pytest.raises(requests.ConnectionError):
        requests.get(running.base_url + "/health", timeout=2)


def test_a_strict_service_refuses_a_parameter_it_does_not_know(small: Dataset) -> None:
    with calling(small, Settings(strict=True)) as caller:
        assert caller.get("/data/companies", limit=1).status_code == 200
        assert caller.error("/data/companies", foo="bar") == (
            400,
            "VALIDATION_ERROR",
            {"parameter": "foo"},
        )


def test_what_is_switched_on_shows_in_the_start_up_lines(tmp_path: Path) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    command = [sys.executable, "-m", "ventureframe.cli", "serve", "--data", str(folder)]
    command += ["--rate", "5"]
    with running(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        first = process.stdout.readline().strip()
        process.terminate()
    assert first == "rate limit: 5 requests a second"


def test_other_machines_are_not_let_in_with_a_secret_nobody_chose() -> None:
    for host in ("0.0.0.0", "::", "192.0.2.7", "example.org"):
        for secret in (None, "short"):
            with pytest.raises(
                ConfigurationError, match="can be reached from other machines"
            ):
                Settings(host=host, client_secret=secret)


def test_workers_share_a_port_and_take_each_other_s_tokens(tmp_path: Path) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "ventureframe_service",
        "--workers",
        "2",
    ]
    environment = os.environ | {"VENTUREFRAME_SERVE_SECRET": "from the environment"}
    with running(
        [*command, "--host", "0.0.0.0", "--data", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    ) as p:
        assert p.stdout
        lines = [p.stdout.readline().strip() for _ in range(5)]
        assert lines[1] == "workers=2"
        said = dict(
            line.replace("0.0.0.0", "127.0.0.1").split("=", 1) for line in lines[1:]
        )
        grant = {"grant_type": "client_credentials", "client_id": said["client_id"]}
        secret = {"client_secret": "from the environment"}
        token = requests.post(said["auth_url"], json=grant | secret, timeout=60).json()
        headers = {
            "Authorization": f"Bearer {token['access_token']}",
            "X-Client-Id": said["client_id"],
        }
        url = said["base_url"] + "/data/news"
        replies = [requests.get(url, headers=headers, timeout=60) for _ in range(20)]
        assert {reply.status_code for reply in replies} == {200}
        p.send_signal(signal.SIGTERM)
        rest, errors = p.communicate(timeout=60)
    assert (p.returncode, rest) == (0, "")
    assert "is plain http, which others on the network can read" in errors
    assert len(errors.splitlines()) == 22
    assert token["access_token"] not in errors
    assert "from the environment" not in errors


REFUSED = (
    (["--data", "nowhere"], "nowhere: is not a folder; check the path"),
    (
        ["--data", "nowhere", "--workers", "2"],
        "nowhere: is not a folder; check the path",
    ),
    (["--data", "."], "'.' is not a dataset folder"),
    (["--data", ""], "--data is empty: is a variable of the shell not set?"),
    (
        ["--client-secret="],
        "--client-secret is empty: is a variable of the shell not set?",
    ),
    (["--host="], "--host is empty"),
    (["--wire", "2020"], "There is no wire '2020'"),
    (
        ["--host", "no.invalid", "--client-secret", "s" * 16],
        "name an address of this machine",
    ),
    (["--port", "99999"], "port 99999 of 127.0.0.1 cannot be bound"),
    (["--workers", "0"], "at least one worker, not 0"),
    (["--rate", "0"], "a rate of 0 is not positive"),
    (["--rate", "nan"], "a rate of nan is not positive"),
    (["--rate", "5", "--workers", "2"], "leave out the rate or workers"),
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


def test_a_body_that_breaks_off_leaves_no_traceback_and_no_status_of_500(
    tmp_path: Path,
) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    command = [sys.executable, "-W", "error", "-c", SERVE, str(folder)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        assert p.stdout
        line = next(line for line in p.stdout if line.startswith("base_url=")).strip()
        base = line.removeprefix("base_url=")
        address = urlsplit(base)
        for _ in range(3):
            with socket.create_connection(
                (address.hostname, address.port), timeout=20
            ) as half:
                half.sendall(
                    b"POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length:"
                    b" 50\r\n\r\n{"
                )
        assert requests.get(base + "/health", timeout=20).status_code == 200
        p.send_signal(signal.SIGTERM)
        _, errors = p.communicate(timeout=20)
    assert [line[21:] for line in errors.splitlines()] == ["GET /health 200"]


def pipelined(caller: Caller) -> bytes:
    """Many requests for large pages, one after the other."""
    head = "GET /data/companies?limit=400 HTTP/1.1\r\nHost: a\r\n"
    names = ("Authorization", "X-Client-Id", "User-Agent")
    more = "".join(f"{name}: {caller.session.headers[name]!s}\r\n" for name in names)
    return f"{head}{more}\r\n".encode() * 100


SLOW: dict[str, Callable[[Caller], bytes]] = {
    "half a head": lambda _: b"GET /health HTTP/1.1\r\nHost:",
    "half a body": lambda _: (
        b"POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"
    ),
    "replies that nobody reads": pipelined,
}


@pytest.mark.parametrize("slow", SLOW)
def test_a_connection_that_stands_still_is_cut(small: Dataset, slow: str) -> None:
    with calling(small, Settings(patience=0.5)) as caller:
        address = urlsplit(caller.running.base_url)
        with socket.create_connection(
            (address.hostname, address.port), timeout=20
        ) as half:
            half.sendall(SLOW[slow](caller))
            ended = select.poll()
            ended.register(half, 0)  # told of nothing but the end
            assert ended.poll(20_000), "it is held for ever"
        assert caller.get("/health").status_code == 200
