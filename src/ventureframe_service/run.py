"""The service on a socket: `start` in a thread for a notebook or a test, `serve` for
a shell.
"""

import asyncio
import logging
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors.multiprocess import Multiprocess

from ventureframe.errors import ConfigurationError
from ventureframe_service.access import Tokens
from ventureframe_service.app import TOKEN_PATH, make_app
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

_MOST: Final = 1000  # connections at a time; above it a request is answered with 503
_OPEN: Final = "is plain http, which others on the network can read: put a proxy with TLS in front."


@dataclass(frozen=True, slots=True)
class Running(AbstractContextManager["Running"]):
    """A service that answers at `base_url` until `close`, or until it is left as a
    context.
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
    """Start the service over `dataset` in a thread of this process; it answers when
    this returns.

    Raises `ConfigurationError` where the address cannot be bound.

    >>> from ventureframe_service.dataset import sample
    >>> with start(sample()) as running:
    ...     running.base_url
    'http://127.0.0.1:...'
    """
    settings = settings or Settings()
    tokens = settings.tokens()
    server = uvicorn.Server(_config(make_app(dataset, tokens, settings), settings))
    listener, address = _listen(settings)
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
    """Serve in the foreground until SIGINT or SIGTERM, and print the addresses first.

    A secret that was not given is printed as well, since nobody could know it
    otherwise. Requests are written to stderr, one line each. `workers` are processes of
    uvicorn that share the port and take each other's tokens; each opens its own dataset
    from `source`, which must be picklable.

    Raises `ConfigurationError` where the address cannot be bound, or several workers
    are to keep one rate.
    """
    settings = settings or Settings()
    if workers < 1:
        raise ConfigurationError(
            f"The service needs at least one worker, not {workers}."
        )
    if workers > 1 and settings.rate is not None:
        raise ConfigurationError(
            "A rate is kept by one process: leave out the rate or workers."
        )
    tokens, dataset = settings.tokens(), source()
    listener, address = _listen(settings)
    if workers > 1:
        app = partial(_worker, source, tokens, settings)
        run = Multiprocess(
            _config(app, settings, workers=workers, is_logged=True), [listener]
        ).run
    else:
        own = make_app(dataset, tokens, settings)
        server = uvicorn.Server(_config(own, settings, is_logged=True))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: setattr(server, "should_exit", True))
        run = partial(server.run, [listener])
    if not settings.is_loopback:
        sys.stderr.write(f"ventureframe: {address} {_OPEN}\n")
    lines = {
        f"rate limit: {settings.rate or 0:g} requests a second": (
            settings.rate is not None
        ),
        repr(dataset): True,
        f"wire={settings.profile.name} tier={settings.tier}": settings.profile.shapes,
        f"not part of the format, ignored: {', '.join(dataset.ignored)}": (
            dataset.ignored
        ),
        f"workers={workers}": workers > 1,
        f"base_url={address}": True,
        f"auth_url={address}{TOKEN_PATH}": True,
        f"client_id={tokens.client_id}": True,
        f"client_secret={tokens.client_secret}": settings.client_secret is None,
    }
    sys.stdout.write(
        "".join(f"{line}\n" for line, is_shown in lines.items() if is_shown)
    )
    sys.stdout.flush()
    with listener:
        run()


def _worker(
    source: Callable[[], Dataset], tokens: Tokens, settings: Settings
) -> Starlette:
    return make_app(source(), tokens, settings)


def _listen(settings: Settings) -> tuple[socket.socket, str]:
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
        advice = (
            "name an address of this machine"
            if is_name
            else "choose another, or 0 for any"
        )
        reason = f"port {port} of {host} cannot be bound ({error}); {advice}"
        raise ConfigurationError(reason, settings=("host", "port")) from error
    named = f"[{host}]" if ":" in host else host
    return listener, f"http://{named}:{listener.getsockname()[1]}"


class _Line(logging.Formatter):
    """One line a request: its path keeps percent signs, so that none can forge a
    line.
    """

    def format(self, record: logging.LogRecord) -> str:
        _, method, path, _, status = cast("tuple[str, str, str, str, int]", record.args)
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        # a query may hold a token
        return f"{at} {method} {path.partition('?')[0]} {status}"


_LOG: Final[dict[str, Any]] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": _Line}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        "uvicorn.access": {"handlers": ["stderr"], "level": "INFO", "propagate": False}
    },
}


class _Connection(H11Protocol):
    """A connection that is cut where a request is not sent, or its reply not read,
    in time.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch = self.loop.call_later(self.timeout_keep_alive, self._cut)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch.cancel()
        self._watch = self.loop.call_later(self.timeout_keep_alive, self._cut)

    def connection_lost(self, exc: Exception | None) -> None:
        self._watch.cancel()
        super().connection_lost(exc)

    def _cut(self) -> None:
        connection, at_once = (
            self.transport.get_extra_info("socket"),
            struct.pack("ii", 1, 0),
        )
        # keeps nothing unread
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.transport.abort()


def _config(
    app: Any, settings: Settings, *, workers: int = 1, is_logged: bool = False
) -> uvicorn.Config:
    logged: dict[str, Any] = {
        "access_log": is_logged,
        "log_config": _LOG if is_logged else None,
    }
    limits: dict[str, Any] = {
        "limit_concurrency": _MOST,
        "timeout_graceful_shutdown": 1,
    }
    limits |= {"http": _Connection, "timeout_keep_alive": settings.patience}
    without: dict[str, Any] = {"lifespan": "off", "ws": "none", "server_header": False}
    # of nobody, unless it is named
    without["forwarded_allow_ips"] = str(settings.proxy or "")
    return uvicorn.Config(
        app, factory=workers > 1, workers=workers, **logged, **limits, **without
    )
