"""Connections that send no whole request are closed, and never keep others out."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests

from tests.processes import running
from tests.service.caller import calling
from tests.service.sample.sample import sample
from tests.service.test_run import SERVE
from ventureframe.dataset.folder import Dataset
from ventureframe_service.guesses import FREE, LONGEST, Guesses
from ventureframe_service.settings import Settings

BODY = b"POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{"
WHOLE = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"


def sent(base_url: str, text: bytes) -> socket.socket:
    parts = urlsplit(base_url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=20)
    connection.sendall(text)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the service ends the connection; waits for it."""
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("text", [b"", b"G", WHOLE[:-2]])
def test_a_connection_without_a_whole_request_head_is_closed(small: Dataset, text: bytes) -> None:
    with (
        calling(small, Settings(head_seconds=0.1)) as caller,
        sent(caller.running.base_url, text) as connection,
    ):
        assert is_closed(connection)


def test_a_body_that_does_not_come_is_refused(small: Dataset) -> None:
    with (
        calling(small, Settings(head_seconds=0.1)) as caller,
        sent(caller.running.base_url, BODY) as connection,
    ):
        assert connection.recv(65_536).startswith(b"HTTP/1.1 408 ")


def test_halves_make_room_for_whole_requests(small: Dataset) -> None:
    settings = Settings(head_seconds=60, most_connections=8)
    with calling(small, settings) as caller, ExitStack() as stack:
        halves = [
            stack.enter_context(sent(caller.running.base_url, WHOLE[:-2])) for _ in range(150)
        ]
        for _ in range(3):
            assert caller.get("/data/companies", limit=1).status_code == 200
        assert all(is_closed(half) for half in halves[:142])


def test_a_body_that_breaks_off_leaves_no_traceback_and_no_status_of_500(tmp_path: Path) -> None:
    folder = sample(companies=10).write(tmp_path / "data")
    command = [sys.executable, "-W", "error", "-c", SERVE, str(folder)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        assert p.stdout
        line = next(line for line in p.stdout if line.startswith("base_url=")).strip()
        base = line.removeprefix("base_url=")
        for _ in range(3):
            sent(base, BODY).close()
        assert requests.get(base + "/health", timeout=20).status_code == 200
        p.send_signal(signal.SIGTERM)
        _, errors = p.communicate(timeout=20)
    assert [line[21:] for line in errors.splitlines()] == ["GET /health 200"]


def test_the_eleventh_wrong_secret_waits_and_each_further_one_longer() -> None:
    now = [0.0]
    guesses = Guesses(clock=lambda: now[0])
    waits = [guesses.wait("10.0.0.1") for _ in range(2000)]
    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE : FREE + 4] == [0.1, 0.2, 0.4, 0.8]
    assert waits[-1] == LONGEST
    assert guesses.wait("10.0.0.2") == 0.0, "another machine does not wait"
    now[0] += 301
    assert guesses.wait("10.0.0.1") == 0.0, "it is forgotten"


def test_only_so_many_addresses_are_remembered() -> None:
    guesses = Guesses(most=5)
    for number in range(100):
        guesses.wait(f"10.0.0.{number}")
    assert len(guesses) == 5


def test_wrong_secrets_are_slowed_down_and_a_right_one_is_taken_all_the_while(
    small: Dataset,
) -> None:
    with calling(small) as caller:
        wrong = {"grant_type": "client_credentials", "client_id": "x", "client_secret": "y"}
        replies = [
            requests.post(caller.running.auth_url, json=wrong, timeout=20) for _ in range(12)
        ]
        assert {reply.status_code for reply in replies} == {401}
        assert replies[-1].elapsed.total_seconds() >= 0.2
        assert caller.token()
