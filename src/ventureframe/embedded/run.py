"""The service on a socket: `start` in a thread for a notebook or a test, `serve` for a shell."""

from __future__ import annotations

import ipaddress
import multiprocessing
import queue
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import Queue
from types import FrameType, TracebackType
from typing import Final

import uvicorn

from ventureframe.embedded.app import TOKEN_PATH, make_app
from ventureframe.embedded.dataset import Dataset
from ventureframe.embedded.engine.store import Store
from ventureframe.embedded.faults import Closable, Fault
from ventureframe.embedded.journal import Journal
from ventureframe.embedded.rate import Rate
from ventureframe.embedded.tokens import Tokens
from ventureframe.errors import ConfigurationError, VentureframeError
from ventureframe.interface.wire.profile import INTERFACE, Profile

CLIENT_ID: Final = "ventureframe"
LOOPBACK: Final = "127.0.0.1"
_LONG_ENOUGH: Final = 16
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a service behaves, the same for each of its processes.

    Parameters
    ----------
    client_secret : a random one unless given.
    token_lifetime : seconds; None takes the profile's.
    strict : refuse unknown query parameters instead of ignoring them.
    faults : what goes wrong, by plan (`ventureframe.embedded.faults`); nothing unless told.
    rate : data requests a second before 429 and `Retry-After`; no limit unless told.
    clock : the time by which tokens expire.
    key : signs the tokens.
    """

    client_id: str = CLIENT_ID
    client_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    token_lifetime: int | None = None
    strict: bool = False
    faults: Sequence[Fault] = ()
    rate: float | None = None
    profile: Profile = INTERFACE
    clock: Callable[[], float] = time.time
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def __post_init__(self) -> None:
        if not (self.client_id and self.client_secret):
            raise ConfigurationError(
                "the service needs a client id and a client secret that are not empty",
                settings=("client_id", "client_secret"),
            )

    def to_server(
        self, dataset: Dataset, *, write: Callable[[str], None] | None = None
    ) -> tuple[uvicorn.Server, Callable[[], None]]:
        """The server of a dataset, its requests written to `write`, and what warms it."""
        lifetime = self.token_lifetime
        tokens = Tokens(
            self.client_id,
            self.client_secret,
            lifetime=self.profile.token_lifetime if lifetime is None else lifetime,
            clock=self.clock,
            key=self.key,
        )
        app = make_app(
            Store(dataset),
            tokens,
            profile=self.profile,
            strict=self.strict,
            faults=self.faults,
            rate=None if self.rate is None else Rate(self.rate),
        )
        config = uvicorn.Config(
            app if write is None else Journal(app, write=write),
            http=Closable if self.faults else "auto",
            lifespan="off",
            ws="none",
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        return uvicorn.Server(config), app.state.warm


def start(
    dataset: Dataset,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    client_secret: str | None = None,
    write: Callable[[str], None] | None = None,
    is_warmed: bool = False,
    **settings: object,
) -> Running:
    """The service over `dataset` in a thread of this process, ready when this returns.

    Parameters
    ----------
    port : 0 takes a free one.
    client_secret : None makes a random one, known only to the returned value.
    write : takes one line a request.
    is_warmed : make, once it answers, what the first questions would have to wait for.
    settings : the other fields of `Settings`.

    Raises
    ------
    ConfigurationError
        The address cannot be bound, or not with these credentials; or the plan of faults names
        no route of the service.
    """
    chosen = _settings(host, client_secret, settings)
    server, warm = chosen.to_server(dataset, write=write)
    listener = _listen(host, port)
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listener]}, name="ventureframe-service", daemon=True
    )
    thread.start()
    _wait_until_started(server, thread)
    if is_warmed:
        threading.Thread(target=warm, daemon=True).start()
    address = _address(host, listener)

    def stop() -> None:
        server.should_exit = True
        thread.join()
        listener.close()

    identity = (chosen.client_id, chosen.client_secret)
    return Running(address, address + TOKEN_PATH, *identity, dataset, stop)


def _settings(host: str, client_secret: str | None, others: dict[str, object]) -> Settings:
    """The settings, once they may be served at this host: only loopback takes what nobody chose."""
    chosen = Settings(**others)  # type: ignore[arg-type]  # the fields check themselves
    if client_secret is not None:
        chosen = replace(chosen, client_secret=client_secret)
    is_chosen = client_secret is not None and len(client_secret) >= _LONG_ENOUGH
    if not (is_chosen or _is_loopback(host)):
        raise ConfigurationError(
            f"{host} can be reached from other machines: choose a client secret of at least "
            f"{_LONG_ENOUGH} characters, or serve at {LOOPBACK}",
            settings=("host", "client_secret"),
        )
    return chosen


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(host: str, listener: socket.socket) -> str:
    written = f"[{host}]" if ":" in host else host
    return f"http://{written}:{listener.getsockname()[1]}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio leaves Nagle's algorithm on and every reply waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except (OSError, OverflowError) as error:
        listener.close()
        is_name = isinstance(error, socket.gaierror)
        advice = "name an address of this machine" if is_name else "choose another, or 0 for any"
        raise ConfigurationError(
            f"port {port} of {host} cannot be bound ({error}); {advice}", settings=("host", "port")
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


def _log(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def serve(
    source: Callable[[], Dataset],
    *,
    host: str = LOOPBACK,
    port: int = 0,
    client_secret: str | None = None,
    workers: int = 1,
    say: Callable[[str], None] = _say,
    **settings: object,
) -> None:
    """The service in the foreground until SIGINT or SIGTERM; says its addresses when ready.

    A secret that was not given is said as well, since nobody could ask otherwise. Requests are
    written to stderr, one line each.

    Parameters
    ----------
    source : opens the dataset; each of several workers opens its own, so it must be picklable.
    workers : processes that share the port and take each other's tokens.
    settings : the other fields of `Settings`.
    """
    chosen = _settings(host, client_secret, settings)
    for fault in chosen.faults:
        say(f"fault on demand: {fault}")
    if chosen.rate is not None:
        say(f"rate limit: {chosen.rate:g} requests a second")
    serving = _in_processes if workers > 1 else _in_thread
    with _stopped_by_signal() as asked, serving(source, chosen, host, port, workers) as said:
        for line in said:
            say(line)
        say(f"client_id={chosen.client_id}")
        if client_secret is None:
            say(f"client_secret={chosen.client_secret}")
        asked.wait()


@contextmanager
def _stopped_by_signal() -> Iterator[threading.Event]:
    asked = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        asked.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _lines(dataset: Dataset) -> list[str]:
    ignored = f"not part of the format, ignored: {', '.join(dataset.ignored)}"
    return [repr(dataset), *([ignored] if dataset.ignored else [])]


def _addresses(address: str) -> list[str]:
    return [f"base_url={address}", f"auth_url={address}{TOKEN_PATH}"]


@contextmanager
def _in_thread(
    source: Callable[[], Dataset], chosen: Settings, host: str, port: int, _workers: int
) -> Iterator[list[str]]:
    parts = {name: getattr(chosen, name) for name in Settings.__slots__}
    with start(source(), host=host, port=port, write=_log, is_warmed=True, **parts) as running:
        yield [*_lines(running.dataset), *_addresses(running.base_url)]


@contextmanager
def _in_processes(
    source: Callable[[], Dataset], chosen: Settings, host: str, port: int, workers: int
) -> Iterator[list[str]]:
    spawn = multiprocessing.get_context("spawn")
    listener = _listen(host, port)
    told: Queue[list[str] | str] = spawn.Queue()
    each = replace(chosen, rate=chosen.rate and chosen.rate / workers)
    arguments = (source, each, listener, told)
    processes = [spawn.Process(target=_work, args=arguments, daemon=True) for _ in range(workers)]
    try:
        for process in processes:
            process.start()
        said = [_told(told, processes) for _ in processes]
        yield [*said[0], f"workers={workers}", *_addresses(_address(host, listener))]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        listener.close()


def _told(told: Queue[list[str] | str], processes: Sequence[SpawnProcess]) -> list[str]:
    """What a worker says once it answers; `ConfigurationError` with its reason if it cannot."""
    while True:
        try:
            said = told.get(timeout=0.1)
        except queue.Empty:
            if all(process.is_alive() for process in processes):
                continue
            said = "a worker of the service stopped before it answered"
        if isinstance(said, str):
            raise ConfigurationError(said)
        return said


def _work(
    source: Callable[[], Dataset],
    chosen: Settings,
    listener: socket.socket,
    told: Queue[list[str] | str],
) -> None:
    """One worker: answers until it is terminated, or its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        dataset = source()
        server, warm = chosen.to_server(dataset, write=_log)
    except VentureframeError as error:
        told.put(str(error))
        return
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    _wait_until_started(server, thread)
    told.put(_lines(dataset))
    threading.Thread(target=warm, daemon=True).start()
    with _stopped_by_signal() as asked:
        parent = multiprocessing.parent_process()
        while not asked.wait(1.0) and parent is not None and parent.is_alive():
            pass
    server.should_exit = True
    thread.join()
