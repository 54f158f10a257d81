"""One deadline for an attempt: connecting and every read of a reply wait for what is left of it."""

from __future__ import annotations

import contextlib
import http.client
import io
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from typing import Any, Final

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from ventureframe.errors import ConfigurationError

TIMEOUT: Final = 60.0
"""Seconds for one attempt as a whole, from connecting to the last byte."""
_CONNECT: Final = 10.0
_SILENCE: Final = 20.0
"""A service ends its queries after 15 seconds, so more silence than this says that it is lost."""
_LONGEST: Final = 86_400.0

_ENDS_AT: ContextVar[float] = ContextVar("ends_at", default=math.inf)


def seconds(value: float | str, *, setting: str) -> float:
    """The value as seconds for one attempt, else a `ConfigurationError`."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not 0 < found <= _LONGEST:
        raise ConfigurationError(
            f"{setting} is not a number of seconds. Give one above 0, such as {TIMEOUT:g}.",
            settings=(setting,),
        )
    return found


def timeouts(whole: float) -> urllib3.Timeout:
    """What an attempt may wait for: a connection, the next bytes, and all of it.

    The service may be silent for 20 seconds, or a third of the whole where that is more.
    """
    silence = min(whole, max(_SILENCE, whole / 3))
    return urllib3.Timeout(connect=min(_CONNECT, whole), read=silence, total=whole)


@contextlib.contextmanager
def until(ends_at: float) -> Iterator[None]:
    """Within the block every read of this thread ends at that time of `time.monotonic`."""
    token = _ENDS_AT.set(ends_at)
    try:
        yield
    finally:
        _ENDS_AT.reset(token)


def left() -> float:
    """The seconds that are left; raises `TimeoutError` where none is."""
    found = _ENDS_AT.get() - time.monotonic()
    if found <= 0:
        raise TimeoutError("the attempt takes too long")
    return found


def kept_by(pool: Any) -> Any:
    """The pool, whose connections keep the deadline from now on."""
    pool.ConnectionCls = _Https if pool.scheme == "https" else _Http
    return pool


class _InTime(io.RawIOBase):
    """A socket's bytes; each read waits no longer than the socket's timeout and the deadline."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock, self._silence = raw, sock, sock.gettimeout()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        longest = left()
        self._sock.settimeout(longest if self._silence is None else min(longest, self._silence))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """A reply that is read in time, from its status line on."""

    def __init__(self, sock: socket.socket, *args: Any, **named: Any) -> None:
        super().__init__(sock, *args, **named)
        self.fp: Any = io.BufferedReader(_InTime(self.fp.detach(), sock))


class _Http(HTTPConnection):
    response_class = _Response

    def connect(self) -> None:
        _connect(self, super().connect)


class _Https(HTTPSConnection):
    response_class = _Response

    def connect(self) -> None:
        _connect(self, super().connect)


def _connect(connection: HTTPConnection, connect: Callable[[], None]) -> None:
    """Connects in time, in a thread: no setting bounds the look-up of a name.

    What connects too late, by one of several addresses or after a slow handshake, is closed.
    """
    done: Future[None] = Future()

    def run() -> None:
        try:
            connect()
            done.set_result(None)
        except BaseException as error:  # given to the thread that waits
            done.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    try:
        done.exception(min(left(), threading.TIMEOUT_MAX))
    except BaseException as error:
        done.add_done_callback(lambda _: connection.close())
        if isinstance(error, TimeoutError):
            said = "the attempt takes too long"
            raise urllib3.exceptions.ConnectTimeoutError(connection, said) from None
        raise
    done.result()
