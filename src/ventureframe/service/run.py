"""The service on a socket: `start` in a thread for a notebook or a test, `serve` for a shell."""

from __future__ import annotations

import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Final

import uvicorn

from ventureframe.errors import ConfigurationError
from ventureframe.service.app import TOKEN_PATH, make_app
from ventureframe.service.faults import Closable, Fault
from ventureframe.service.rate import Rate
from ventureframe.service.store import Dataset, Store
from ventureframe.service.tokens import Tokens
from ventureframe.wire import INTERFACE, Profile

CLIENT_ID: Final = "ventureframe"
LOOPBACK: Final = "127.0.0.1"
_READY_WITHIN: Final = 30.0


@dataclass(frozen=True, slots=True)
class Running:
    """A service that answers at `base_url`; leaving it as a context manager stops it."""

    base_url: str
    auth_url: str
    client_id: str
    client_secret: str = field(repr=False)
    dataset: Dataset
    _stop: Callable[[], None] = field(repr=False)

    def close(self) -> None:
        """Stops the service; a second call does nothing."""
        self._stop()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def start(
    dataset: Dataset,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    client_id: str = CLIENT_ID,
    client_secret: str | None = None,
    token_lifetime: int | None = None,
    strict: bool = False,
    faults: Sequence[Fault] = (),
    rate: float | None = None,
    is_warmed: bool = False,
    profile: Profile = INTERFACE,
    clock: Callable[[], float] = time.time,
) -> Running:
    """The service over `dataset` in a thread of this process, ready when this returns.

    Parameters
    ----------
    port : 0 takes a free one.
    client_secret : None makes a random one, known only to the returned value.
    token_lifetime : seconds; None takes the profile's.
    strict : refuse unknown query parameters instead of ignoring them.
    faults : what goes wrong, by plan (`ventureframe.service.faults`); nothing unless told.
    rate : data requests a second before 429 and `Retry-After`; no limit unless told.
    is_warmed : make, once it answers, what the first questions would have to wait for.
    clock : the time by which tokens expire.

    Raises
    ------
    ConfigurationError
        The address cannot be bound, or the plan of faults names no route of the service.
    """
    secret = secrets.token_urlsafe(32) if client_secret is None else client_secret
    tokens = Tokens(
        client_id,
        secret,
        lifetime=profile.token_lifetime if token_lifetime is None else token_lifetime,
        clock=clock,
    )
    app = make_app(
        Store(dataset),
        tokens,
        profile=profile,
        strict=strict,
        faults=faults,
        rate=None if rate is None else Rate(rate),
    )
    listener = _listen(host, port)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=Closable if faults else "auto",
            lifespan="off",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listener]}, name="ventureframe-service", daemon=True
    )
    thread.start()
    _wait_until_started(server, thread)
    if is_warmed:
        threading.Thread(target=app.state.warm, daemon=True).start()
    address = f"http://{_written(host)}:{listener.getsockname()[1]}"

    def stop() -> None:
        server.should_exit = True
        thread.join()
        listener.close()

    return Running(address, address + TOKEN_PATH, client_id, secret, dataset, stop)


def _written(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every reply waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise ConfigurationError(
            f"port {port} of {host} cannot be bound ({error}); choose another port, or 0 for a "
            "free one",
            settings=("host", "port"),
        ) from error
    return listener


def _wait_until_started(server: uvicorn.Server, thread: threading.Thread) -> None:
    end = time.monotonic() + _READY_WITHIN
    while not server.started:
        if not thread.is_alive() or time.monotonic() > end:
            raise ConfigurationError("the embedded service did not start")
        time.sleep(0.005)


def _say(line: str) -> None:
    """Writes a line at once, so that whoever waits at the end of a pipe reads it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def serve(
    dataset: Dataset,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    client_id: str = CLIENT_ID,
    client_secret: str | None = None,
    token_lifetime: int | None = None,
    strict: bool = False,
    faults: Sequence[Fault] = (),
    rate: float | None = None,
    say: Callable[[str], None] = _say,
) -> None:
    """The service in the foreground until SIGINT or SIGTERM; says its addresses when ready.

    A secret that was not given is said as well, since nobody could ask otherwise.
    """
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with start(
            dataset,
            host=host,
            port=port,
            client_id=client_id,
            client_secret=client_secret,
            token_lifetime=token_lifetime,
            strict=strict,
            faults=faults,
            rate=rate,
            is_warmed=True,
        ) as running:
            for fault in faults:
                say(f"fault on demand: {fault}")
            if rate is not None:
                say(f"rate limit: {rate:g} requests a second")
            _announce(running, say=say, is_secret_new=client_secret is None)
            asked.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _announce(running: Running, *, say: Callable[[str], None], is_secret_new: bool) -> None:
    say(repr(running.dataset))
    if running.dataset.ignored:
        say("not part of the format, ignored: " + ", ".join(running.dataset.ignored))
    say(f"base_url={running.base_url}")
    say(f"auth_url={running.auth_url}")
    say(f"client_id={running.client_id}")
    if is_secret_new:
        say(f"client_secret={running.client_secret}")
