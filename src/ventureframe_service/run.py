"""The service on a socket: `start` in a thread for a notebook or a test, `serve` for
a shell.
"""

import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final, cast

import uvicorn
from starlette.applications import Starlette

from ventureframe.errors import ConfigurationError
from ventureframe_service.app import TOKEN_PATH, make_app
from ventureframe_service.dataset import Dataset
from ventureframe_service.endpoints import Endpoints
from ventureframe_service.engine.store import Store
from ventureframe_service.settings import Settings

_MOST = 1000  # connections at a time; above it a request is answered with 503
_OPEN = (
    "is plain http, which others on the network can read: put a proxy with TLS in"
    " front."
)


@dataclass(frozen=True)
class Running(AbstractContextManager["Running"]):
    """A service that answers at `base_url` until `close`, or until it is left as a
    context.

    `close` waits for its end unless told otherwise.
    """

    base_url: str
    auth_url: str
    client_id: str
    client_secret: str = field(repr=False)
    dataset: Dataset
    close: Callable[..., None] = field(repr=False)

    def __exit__(self, *_error: object) -> None:
        self.close()


def start(
    dataset: Dataset,
    settings: Settings | None = None,
    *,
    endpoints: Endpoints | None = None,
) -> Running:
    """Start the service over `dataset` in a thread of this process; it answers when
    this returns.

    `endpoints` answer in place of the interface's own. Raises `ConfigurationError`
    where the address cannot be bound.

    >>> from ventureframe_service.dataset import sample
    >>> with start(sample()) as running:
    ...     running.base_url
    'http://127.0.0.1:...'
    """
    settings = settings or Settings()
    tokens = settings.tokens()
    app = make_app(endpoints or Endpoints(Store(dataset)), tokens, settings)
    server = uvicorn.Server(_configure(app))
    listener, address = _listen(settings)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()  # requests wait at the listening socket until it accepts them

    def stop(*, wait: bool = True) -> None:
        server.should_exit = True
        if wait:
            thread.join()

    return Running(
        base_url=address,
        auth_url=address + TOKEN_PATH,
        client_id=tokens.client_id,
        client_secret=tokens.client_secret,
        dataset=dataset,
        close=stop,
    )


def serve(dataset: Dataset, settings: Settings) -> None:
    """Serve in the foreground until SIGINT or SIGTERM, and print the addresses first.

    A secret that was not given is printed as well, since nobody could know it
    otherwise. Requests are written to stderr, one line each. Raises
    `ConfigurationError` where the address cannot be bound.
    """
    tokens = settings.tokens()
    app = make_app(Endpoints(Store(dataset)), tokens, settings)
    server = uvicorn.Server(_configure(app, log=_LOG))
    listener, address = _listen(settings)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    if not settings.is_loopback:
        sys.stderr.write(f"ventureframe: {address} {_OPEN}\n")
    lines = [repr(dataset)]
    if settings.rate is not None:
        lines.append(f"rate limit: {settings.rate:g} requests a second")
    lines.append(f"base_url={address}")
    lines.append(f"auth_url={address}{TOKEN_PATH}")
    lines.append(f"client_id={tokens.client_id}")
    if settings.client_secret is None:
        lines.append(f"client_secret={tokens.client_secret}")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
    with listener:
        server.run([listener])


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
        advice = "choose another, or 0 for any"
        if isinstance(error, socket.gaierror):
            advice = "name an address of this machine"
        reason = f"port {port} of {host} cannot be bound ({error}); {advice}"
        raise ConfigurationError(reason, settings=("host", "port")) from error
    name = f"[{host}]" if ":" in host else host
    return listener, f"http://{name}:{listener.getsockname()[1]}"


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


def _configure(app: Starlette, log: dict[str, Any] | None = None) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        access_log=log is not None,
        log_config=log,
        limit_concurrency=_MOST,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=60,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
    )
