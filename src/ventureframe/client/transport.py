"""Sends one request once, through requests: a whole answer, or an error that holds no token."""

from __future__ import annotations

import contextlib
import http.client
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from ventureframe.client import deadline
from ventureframe.errors import RequestRejected, ServiceError, ServiceUnreachable, UnreadableReply
from ventureframe.interface.secret import Secret

RETRIED: Final = frozenset({408, 429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS: Final = 3
_PIECE: Final = 1 << 17
_MOST_VALUES: Final = 1_000_000
"""Lists and objects in a reply: of nothing else can a small text make gigabytes once read."""

_CUT: Final = (urllib3.exceptions.ProtocolError, urllib3.exceptions.DecodeError)
_SLOW: Final = (requests.Timeout, urllib3.exceptions.ReadTimeoutError, TimeoutError)
_LOST: Final = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
)
_UNTRUSTED: Final = (requests.exceptions.SSLError, urllib3.exceptions.SSLError)

_ADDRESS: Final = re.compile(
    r"(?:(https?):)?//([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?(?![^/?#])",
    re.IGNORECASE,
)
"""An address up to its path, in the only form that all parsers read alike."""
_TARGET: Final = re.compile(r"[!-\[\]-~]+")
_NAMES_A_PLACE: Final = re.compile(r"[^/?#]*:|//")
_PORTS: Final = {"http": 80, "https": 443}

_E = TypeVar("_E", bound=ServiceError)


@dataclass(frozen=True, slots=True)
class Call:
    """One request; errors name it by its path, because the address may hold what was asked.

    `began` is when it was first sent, on the clock of `time.monotonic`.
    """

    method: str
    path: str
    url: str = field(repr=False)
    headers: Mapping[str, str | Secret] = field(repr=False)
    body: Secret | None = field(repr=False, default=None)
    began: float = field(repr=False, default_factory=time.monotonic)

    def error(self, kind: type[_E], sentence: str, **facts: object) -> _E:
        """An error about this request."""
        return kind(sentence, method=self.method, path=self.path, **facts)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service answered, whatever the status."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Passing(Exception):
    """A failure that another attempt may cure; `attempts` counts those made.

    `answer` has a status in `RETRIED`, or is None where no whole one was received: the cause
    then is the error of the HTTP library.
    """

    def __init__(self, answer: Answer | None = None) -> None:
        super().__init__("the request failed and may succeed if repeated")
        self.answer = answer
        self.attempts = 1


class _Connections(HTTPAdapter):
    """Finds the connections to an address once, and reads no cookies.

    requests does both for each request, and parses the address anew, which takes a quarter of the
    time of a small one.
    """

    def __init__(self) -> None:
        super().__init__(pool_maxsize=16, max_retries=0)
        self._pools: dict[str, Any] = {}

    def get_connection_with_tls_context(self, request: Any, *args: Any, **named: Any) -> Any:
        origin = _origin(str(request.url))
        if origin not in self._pools:
            pool = super().get_connection_with_tls_context(request, *args, **named)
            self._pools[origin] = deadline.kept_by(pool)
        return self._pools[origin]

    def request_url(self, request: requests.PreparedRequest, proxies: Any) -> str:
        if proxies:
            return super().request_url(request, proxies)
        return str(request.url)[len(_origin(str(request.url))) :] or "/"

    def build_response(self, _: Any, resp: Any) -> Any:
        return resp


class Transport:
    """One `requests.Session`, with the limits of a whole answer; `Session` says which.

    `words` is what may be quoted of a text of the service.
    """

    def __init__(
        self,
        *,
        timeout: float,
        largest_reply: int,
        trust_environment: bool,
        words: Callable[[str], str],
    ) -> None:
        self._seconds, self._timeouts = timeout, deadline.timeouts(timeout)
        self._largest_reply, self._words = largest_reply, words
        self._http = requests.Session()
        self._http.trust_env = trust_environment
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, _Connections())
        self._settings: dict[str, Mapping[str, Any]] = {}
        self.close = self._http.close

    def answer(self, call: Call) -> Answer:
        """The answer, after redirects within the scheme, host and port of the call.

        Raises `Passing` where another attempt may help, `ServiceUnreachable` for a certificate and
        for a service that is lost for longer than an attempt may take,
        `UnreadableReply` for a body that is too large, `RequestRejected` for a redirect elsewhere.
        """
        url = call.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._attempt(call, url)
            if answer.status in RETRIED:
                raise Passing(answer)
            target = answer.headers.get("Location")
            if answer.status not in REDIRECTS or not target:
                return answer
            url = _redirected(url, target)
            if not url or call.method != "GET":
                where = self._words(_host(target)) or _host(call.url)
                said = (
                    f"{call} was redirected to another address ({where}), where credentials are "
                    "never sent. If the service has moved, set its new address."
                )
                raise call.error(RequestRejected, said, status=answer.status)
        said = f"{call} was redirected more than {MOST_REDIRECTS} times. Check the base address."
        raise call.error(RequestRejected, said, status=answer.status)

    def _attempt(self, call: Call, url: str) -> Answer:
        """The answer of one attempt; no error has the frames below, which hold the token."""
        try:
            return self._sent(call, url)
        except _UNTRUSTED as error:
            said = (
                f"{_host(call.url)} shows a certificate that cannot be trusted. Check the address; "
                "behind a company proxy set REQUESTS_CA_BUNDLE to its certificate."
            )
            raise call.error(ServiceUnreachable, said) from bare(error)
        except _LOST as error:
            failure = Passing()
            failure.__cause__ = bare(error)
            if time.monotonic() - call.began >= max(deadline.TIMEOUT, self._seconds):
                raise lost(call, failure) from failure.__cause__  # silence again would not help
            raise failure from failure.__cause__
        except BaseException as error:
            raise bare(error)  # noqa: B904  # the same error, without its frames

    def _sent(self, call: Call, url: str) -> Answer:
        request = requests.PreparedRequest()
        request.method, request.url = call.method, url
        request.headers = {name: _plain(value) for name, value in call.headers.items()}  # type: ignore[assignment]  # a dict is faster
        request.body = None if call.body is None else call.body.reveal().encode()
        with deadline.until(time.monotonic() + self._seconds):
            raw: Any = self._http.get_adapter(url).send(request, **self._settings_for(url))
            with contextlib.closing(raw):
                body = self._body(raw, call)
                raw.release_conn()
        if raw.status == 200 and _is_cut(body):
            raise urllib3.exceptions.ProtocolError("the body ends too early")
        return Answer(raw.status, raw.headers, body)

    def _settings_for(self, url: str) -> Mapping[str, Any]:
        """The time-outs, and the environment's proxies and certificates, looked up once."""
        origin = _origin(url)
        if origin not in self._settings:
            found = self._http.merge_environment_settings(url, {}, True, None, None)
            self._settings[origin] = {**found, "timeout": self._timeouts}
        return self._settings[origin]

    def _body(self, raw: urllib3.BaseHTTPResponse, call: Call) -> bytes:
        """The body to its end, within the largest size; unpacking it keeps the deadline as well."""
        pieces, size = [], 0
        is_packed = "Content-Encoding" in raw.headers
        while piece := raw.read1(_PIECE, decode_content=is_packed):
            deadline.left()
            pieces.append(piece)
            size += len(piece)
            if size > self._largest_reply:
                raise _too_large(call, f"is larger than {self._largest_reply:,} bytes")
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if size > _MOST_VALUES and body.count(b"[") + body.count(b"{") > _MOST_VALUES:
            raise _too_large(call, f"has more than {_MOST_VALUES:,} lists and objects")
        return body


def _too_large(call: Call, what: str) -> UnreadableReply:
    return call.error(UnreadableReply, f"The reply to {call} {what}. Check the address.")


def lost(call: Call, failure: Passing) -> UnreadableReply | ServiceUnreachable:
    """The error for a request whose last attempt had no whole answer either."""
    causes = list(_chain(failure))[1:]
    tries = on_each_of(failure.attempts)
    if any(isinstance(each, _CUT) for each in causes):
        said = (
            f"The reply to {call} was cut short{tries}. Try again later; if it stays so, "
            "ask the owner of the service or of the proxy in between."
        )
        return call.error(UnreadableReply, said)
    what = "did not answer in time" if isinstance(causes[0], _SLOW) else "cannot be reached"
    said = (
        f"{_host(call.url)} {what}{tries} ({call}). "
        "Check the address, the network and whether the service is running."
    )
    return call.error(ServiceUnreachable, said)


def on_each_of(attempts: int) -> str:
    """The number of attempts as words for a message; none for a single one."""
    return f" on each of {attempts} attempts" if attempts > 1 else ""


def bare(error: BaseException) -> BaseException:
    """The error without the frames it passed through: their variables may hold a secret."""
    for each in _chain(error):
        each.__traceback__ = None
    return error


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it, each once."""
    found: dict[int, BaseException] = {}
    left: list[BaseException | None] = [error]
    while left:
        each = left.pop(0)
        if each is not None and id(each) not in found:
            found[id(each)] = each
            left += [each.__cause__, each.__context__]
    yield from found.values()


def _plain(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3])


def _host(url: str) -> str:
    """Host and port of an address; nothing where there is none."""
    with contextlib.suppress(ValueError):
        return urlsplit(url).netloc.rpartition("@")[2]
    return ""


def _redirected(url: str, target: str) -> str:
    """The address a redirect leads to; nothing where it names another scheme, host or port.

    Nothing either where two parsers could read it differently: then one of them, such as a
    proxy's, may see another host than this one does. Scheme, host and port are always the url's.
    """
    origin, named = _origin(url), _ADDRESS.match(target)
    if not _TARGET.fullmatch(target) or (not named and _NAMES_A_PLACE.match(target)):
        return ""
    own = _ADDRESS.match(origin)
    if named and (own is None or _place(named, own) != _place(own, own)):
        return ""
    rest = f"/{target[named.end() :].removeprefix('/')}" if named else target
    leads_to = urlsplit(urljoin(url, rest))
    if rest.startswith("//") or not leads_to.path.startswith("/") or leads_to.path[:2] == "//":
        return ""
    return f"{origin}{leads_to.path}" + (f"?{leads_to.query}" if leads_to.query else "")


def _place(address: re.Match[str], own: re.Match[str]) -> tuple[str, str, int]:
    """Scheme, host and port; an address without a scheme has the one of `own`."""
    scheme = (address[1] or own[1]).lower()
    return scheme, address[2].lower(), int(address[3] or _PORTS[scheme])


def _is_cut(body: bytes) -> bool:
    """Whether the body is empty, or JSON that begins and does not end."""
    text = body.strip()
    return not text or (text[:1] in b"{[" and text[-1:] not in b"}]")
