"""The service on a socket: `start` in a thread for a notebook or a test, `serve` for a shell."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing.connection
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from ventureframe.dataset.folder import Dataset
from ventureframe.errors import ConfigurationError, VentureframeError
from ventureframe_service.app import TOKEN_PATH, make_app
from ventureframe_service.connections import Timely
from ventureframe_service.rate import Rate
from ventureframe_service.settings import Settings
from ventureframe_service.tokens import Tokens

_CANNOT_START: Final = 3
"""The exit code after which uvicorn does not start a worker again."""
_MOST_ENDED: Final = 10
"""Workers that may end within a minute before the service ends as well."""
_OPEN: Final = (
    "is plain http, which others on the network can read, tokens included: put a proxy with TLS "
    "in front of it, or serve at 127.0.0.1."
)


@dataclass(frozen=True, slots=True)
class Running(AbstractContextManager["Running"]):
    """A service that answers at `base_url`; leaving it as a context manager stops it.

    `close` stops the service; a second call does nothing.
    """

    base_url: str
    auth_url: str
    client_id: str
    client_secret: str = field(repr=False)
    dataset: Dataset
    close: Callable[[], None] = field(repr=False)

    def __exit__(self, *_error: object) -> None:
        self.close()


def start(dataset: Dataset, settings: Settings | None = None) -> Running:
    """The service over `dataset` in a thread of this process; it answers when this returns.

    Raises `ConfigurationError` where the address cannot be bound.

    >>> from ventureframe_service.sample import sample
    >>> with start(sample()) as running:
    ...     running.base_url
    'http://127.0.0.1:...'
    """
    settings = settings or Settings()
    tokens = settings.tokens()
    server = uvicorn.Server(_config(make_app(dataset, tokens, settings), settings))
    listener = _listen(settings)
    address = _address(settings, listener)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()  # requests wait at the listening socket until it accepts them

    def stop() -> None:
        server.should_exit = True
        thread.join()

    identity = (tokens.client_id, tokens.client_secret)
    return Running(address, address + TOKEN_PATH, *identity, dataset, stop)


def serve(
    source: Callable[[], Dataset], settings: Settings | None = None, *, workers: int = 1
) -> None:
    """The service in the foreground until SIGINT or SIGTERM; prints its addresses when it listens.

    A secret that was not given is printed as well, since nobody could know it otherwise. Requests
    are written to stderr, one line each.

    Parameters
    ----------
    source : opens the dataset; each of several workers opens its own, so it must be picklable.
    workers : processes that share the port and the rate, and take each other's tokens.
    """
    settings = settings or Settings()
    tokens, dataset = settings.tokens(), source()
    listener = _listen(settings)
    server: uvicorn.Server | _Workers
    if workers > 1:
        rate = None if settings.rate is None else Rate(settings.rate, is_shared=True)
        app = partial(_worker, source, settings, tokens, rate)
        server = _Workers(_config(app, settings, workers=workers, is_logged=True), [listener])
    else:
        made = _warmed(make_app(dataset, tokens, settings))
        server = uvicorn.Server(_config(made, settings, is_logged=True))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    address = _address(settings, listener)
    if not settings.is_loopback:
        sys.stderr.write(f"ventureframe: {address} {_OPEN}\n")
    lines = {
        f"rate limit: {settings.rate or 0:g} requests a second": settings.rate is not None,
        repr(dataset): True,
        f"wire={settings.profile.name} tier={settings.tier}": settings.profile.shapes,
        f"not part of the format, ignored: {', '.join(dataset.ignored)}": dataset.ignored,
        f"workers={workers}": workers > 1,
        f"base_url={address}": True,
        f"auth_url={address}{TOKEN_PATH}": True,
        f"client_id={tokens.client_id}": True,
        f"client_secret={tokens.client_secret}": settings.client_secret is None,
    }
    sys.stdout.write("".join(f"{line}\n" for line, is_shown in lines.items() if is_shown))
    sys.stdout.flush()
    if isinstance(server, uvicorn.Server):
        server.run([listener])
        return
    del dataset
    try:
        server.run()
    finally:  # else a parent that fails waits for its workers for ever
        server.terminate_all()
        listener.close()
    if any(process.exitcode == _CANNOT_START for process in server.processes):
        raise ConfigurationError("a worker of the service could not start")
    if server.has_given_up:
        raise ConfigurationError("the workers of the service end as soon as they are replaced")


class _Workers(Multiprocess):
    """Processes that are replaced when they end, unless too many of them do."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._ended: deque[float] = deque(maxlen=_MOST_ENDED)
        self.has_given_up = False

    def keep_subprocess_alive(self) -> None:
        """Puts a new worker in the place of each that ended, and says so.

        uvicorn's own waits half a minute for the answer of a worker that died meanwhile.
        """
        for number, worker in enumerate(self.processes):
            if self.should_exit.is_set() or worker.process.is_alive():
                continue
            if worker.exitcode == _CANNOT_START:
                self.should_exit.set()
                return
            self.processes[number] = new = Process(self.config, self.sockets)
            new.start()
            self._ended.append(time.monotonic())
            said = f"worker {worker.pid} of the service ended ({worker.exitcode})"
            with contextlib.suppress(OSError):  # nobody reads it any more
                sys.stderr.write(f"ventureframe: {said}; {new.pid} replaces it\n")
        if len(self._ended) == _MOST_ENDED and self._ended[-1] - self._ended[0] < 60:
            self.has_given_up = True
            self.should_exit.set()


def _worker(
    source: Callable[[], Dataset], settings: Settings, tokens: Tokens, rate: Rate | None
) -> Starlette:
    """The application of one worker; one without its data says why and is not started again."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        return _warmed(make_app(source(), tokens, settings, rate=rate))
    except VentureframeError as error:
        sys.stderr.write(f"ventureframe: {error}\n")
        sys.exit(_CANNOT_START)


def _end_with_parent() -> None:
    """Ends this worker once the process that started it is gone, however that ended."""
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def _warmed(app: Starlette) -> Starlette:
    """The application, which makes beside its first replies what they would have to wait for."""
    threading.Thread(target=app.state.warm, daemon=True).start()
    return app


def _address(settings: Settings, listener: socket.socket) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def _listen(settings: Settings) -> socket.socket:
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every reply waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except (OSError, OverflowError) as error:
        listener.close()
        is_name = isinstance(error, socket.gaierror)
        advice = "name an address of this machine" if is_name else "choose another, or 0 for any"
        raise ConfigurationError(
            f"port {port} of {host} cannot be bound ({error}); {advice}", settings=("host", "port")
        ) from error
    return listener


class _Line(logging.Formatter):
    """One line a request: when, what, and how it was answered.

    The path keeps its percent signs, so no path can forge a line; a query, where a token could
    stand, is left out.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record of uvicorn's access log."""
        _, method, path, _, status = cast("tuple[str, str, str, str, int]", record.args)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        return f"{at} {method} {path.partition('?')[0]} {status}"


_LOG: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": _Line}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {"uvicorn.access": {"handlers": ["stderr"], "level": "INFO", "propagate": False}},
}


def _config(
    app: Any, settings: Settings, *, workers: int = 1, is_logged: bool = False
) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=cast("Any", partial(Timely, settings.head_seconds, settings.most_connections)),
        factory=workers > 1,
        workers=workers,
        access_log=is_logged,
        log_config=_LOG if is_logged else None,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=1,
    )
