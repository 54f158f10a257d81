"""A redirect keeps the service's scheme, host and port, whichever parser reads its address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from urllib3.util import parse_url

from tests.client.raw import TOKEN, Raw, playing, whole
from tests.client.stand_in import Connect
from ventureframe.client.session import Session
from ventureframe.client.transport import _redirected
from ventureframe.errors import RequestRejected

HOST = "service.test:8080"
BASE = f"http://{HOST}"

REFUSED = [
    "http://evil.test/",
    "https://service.test:8080/data",
    "http://service.test/data",
    "http://service.test:8081/data",
    "http://service.test:/data",
    "http://service.test.:8080/data",
    "//evil.test/data",
    "///evil.test/data",
    "////evil.test",
    "/\\evil.test/data",
    "\\\\evil.test/data",
    "\\/evil.test/data",
    "/data\\..\\x",
    f"http://{HOST}\\@evil.test/",
    f"http://evil.test\\@{HOST}/",
    f"http://evil.test#@{HOST}/",
    f"http://evil.test?@{HOST}/",
    f"http://evil.test;@{HOST}/",
    f"http://evil.test%2f@{HOST}/",
    f"http://{HOST}@evil.test/",
    f"http://user@{HOST}/",
    f"http://user:word@{HOST}/",
    f"http://@{HOST}/",
    f"http://:@{HOST}/",
    f"http://{HOST};evil.test/",
    f"http://{HOST}%2eevil.test/",
    f"http://{HOST}%00.evil.test/",
    f"http://{HOST},evil.test/",
    f"http://{HOST}&evil.test/",
    f"http://{HOST}:80@evil.test/",
    f"http:/{HOST}/data",
    f"http:{HOST}/data",
    f"http:///{HOST}/data",
    f"http:////{HOST}/data",
    "http:data",
    "http:/data",
    "http:",
    "http://",
    "http://[::1/",
    "http://[service.test]:8080/",
    "http://service。test:8080/",
    "http://ｓervice.test:8080/",
    "http://service.test:8080／evil.test/",
    "/data\tx",
    "/\t/evil.test/",
    "ht\ttp://evil.test/",
    "/da ta",
    "/data\x01",
    "/data\x7f",
    "/data\x85/",
    "/ä",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://service.test:8080/",
    "service.test:8080/data",
    f"http://{HOST}//evil.test/data",
    "127.0.0.1:8080/data",
    "/.//evil.test/data",
]
FOLLOWED = {
    "/v2/firms?limit=5": "/v2/firms?limit=5",
    f"http://{HOST}/v2/firms": "/v2/firms",
    "HTTP://SERVICE.TEST:8080/v2": "/v2",
    f"//{HOST}/v2": "/v2",
    f"http://{HOST}": "/",
    f"http://{HOST}?a=b": "/?a=b",
    f"http://{HOST}#part": "/",
    "firms": "/data/firms",
    "./firms": "/data/firms",
    "../v2/firms": "/v2/firms",
    "/..//evil.test/data": "/evil.test/data",
    "?limit=1": "/data/companies?limit=1",
    "/v2/a%2Fb;c/@me?x=http://evil.test/": "/v2/a%2Fb;c/@me?x=http://evil.test/",
    "/v2#part": "/v2",
    "/v2?next=//evil.test": "/v2?next=//evil.test",
}
OK = whole(b'{"data": []}')


def answering(target: str) -> Iterator[bytes]:
    yield whole(b"", "302 Found", "Location: " + target.encode().decode("latin-1"))


def service(target: str) -> Callable[[str], Iterator[bytes]]:
    """Redirects the list of companies, and answers everything else."""

    def play(head: str) -> Iterator[bytes]:
        if head.startswith("POST"):
            yield whole(TOKEN)
        elif head.split(" ")[1].endswith("/data/companies"):
            yield from answering(target)
        else:
            yield OK

    return play


@contextmanager
def sessions(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, *, is_proxied: bool
) -> Iterator[tuple[Raw, str, Session]]:
    """The raw service, its address, and a session with it, perhaps through it as a proxy."""
    with playing(service("")) as raw:
        base = BASE if is_proxied else raw.address
        if is_proxied:
            monkeypatch.setenv("http_proxy", raw.address)
        yield raw, base, connect(base_url=base, auth_url=f"{base}/oauth")


@pytest.mark.parametrize("is_proxied", [False, True], ids=["directly", "behind a proxy"])
def test_a_redirect_is_refused_unless_every_parser_reads_the_same_place(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, *, is_proxied: bool
) -> None:
    with sessions(connect, monkeypatch, is_proxied=is_proxied) as (raw, base, session):
        session.get("/other")
        for target in REFUSED:
            raw.heads.clear()
            raw.play = service(target.replace(HOST, base.removeprefix("http://")))
            with pytest.raises(RequestRejected, match="redirected to another address") as caught:
                session.get("/data/companies")
            assert len(raw.heads) == 1, f"{target!r} is not followed"
            assert str(caught.value).isprintable()


@pytest.mark.parametrize("is_proxied", [False, True], ids=["directly", "behind a proxy"])
def test_a_redirect_within_the_service_is_followed_to_its_own_origin(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, *, is_proxied: bool
) -> None:
    with sessions(connect, monkeypatch, is_proxied=is_proxied) as (raw, base, session):
        for target, path in FOLLOWED.items():
            if "SERVICE" in target or path.startswith("/data/companies"):  # to itself for ever
                continue
            raw.play = service(target.replace(HOST, base.removeprefix("http://")))
            assert session.get("/data/companies").json() == {"data": []}
            assert raw.targets[-1] == (base if is_proxied else "") + path
            assert "Bearer token-of-the-raw-service" in raw.heads[-1]


@pytest.mark.parametrize(("target", "path"), FOLLOWED.items())
def test_path_and_query_of_a_redirect_are_joined_to_the_origin(target: str, path: str) -> None:
    assert _redirected(f"{BASE}/data/companies?a=b", target) == BASE + path


PIECES = ["http:", "https:", "/", "//", "\\", "@", ":", "?", "#", ";", "%2f", "%5c", ".", "..", "a"]
PIECES += [
    HOST,
    "service.test",
    "evil.test",
    ":8080",
    "\t",
    "\r",
    "\n",
    "\x00",
    "。",
    "[",
    "]",
    "|",
]


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=8))
def test_no_redirect_leads_anywhere_else(pieces: list[str]) -> None:
    found = _redirected(f"{BASE}/data/companies", "".join(pieces))
    if found:
        assert found.startswith(f"{BASE}/")
        assert not found.startswith(f"{BASE}//")
        assert found.isascii()
        assert found.isprintable()
        assert "\\" not in found
        assert urlsplit(found).netloc == parse_url(found).netloc == HOST


def test_a_token_request_is_never_redirected(connect: Connect) -> None:
    with playing(lambda _: answering("/elsewhere")) as raw:
        with pytest.raises(RequestRejected, match="redirected to another address"):
            connect(auth_url=f"{raw.address}/oauth").get("/data/companies")
        assert raw.targets == ["/oauth"]
