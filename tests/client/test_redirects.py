"""A redirect is followed on the service's own scheme, host and port, and nowhere
else.
"""

import re
from collections.abc import Callable, Iterator

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st
from urllib3.util import parse_url

from tests.client.raw import TOKEN, playing, whole
from tests.client.stand_in import Connect
from ventureframe.client.session import Http
from ventureframe.errors import RequestRejected

redirected = Http().redirected
HOST = "service.test:8080"
BASE = f"http://{HOST}"
URL = f"{BASE}/data/companies?a=b"
REFUSED = [
    "http://evil.test/",
    "https://service.test:8080/data",
    "http://service.test:8081/data",
    "http://service.test:/data",
    f"http://{HOST}\\@evil.test/",
    f"http://evil.test#@{HOST}/",
    f"http://{HOST}@evil.test/",
    f"http://{HOST}%2eevil.test/",
    "http://[::1/",
    "http://service。test:8080/",
    "javascript:alert(1)",
]
FOLLOWED = {
    "/v2/firms?limit=5": "/v2/firms?limit=5",
    "HTTP://SERVICE.TEST:8080/v2": "/v2",
    f"//{HOST}/v2": "/v2",
    f"http://{HOST}?a=b#part": "/?a=b",
    "../v2/firms": "/v2/firms",
    "?limit=1": "/data/companies?limit=1",
    "/v2/a%2Fb;c/@me?x=http://evil.test/": "/v2/a%2Fb;c/@me?x=http://evil.test/",
    f"http://me:word@{HOST}/v2": "/v2",
}


def test_the_same_place_is_followed_to_its_path_and_query_and_another_refused() -> None:
    for target in REFUSED:
        assert redirected(URL, target) == "", target
    for target, path in FOLLOWED.items():
        address = redirected(URL, target)
        assert requests.Request("GET", address).prepare().url == BASE + path
    assert redirected("https://a.test/x", "https://a.test:443/y") == "https://a.test/y"


PIECES = "http: https: / // \\ @ : ? # %2f .. a service.test evil.test :8080 。 [ ] |"


@given(
    pieces=st.lists(
        st.sampled_from([HOST, "\t", "\n", "\0", *PIECES.split()]), max_size=8
    )
)
def test_no_redirect_leads_anywhere_else(pieces: list[str]) -> None:
    address = redirected(URL, "".join(pieces))
    assert not address or (
        address.startswith(BASE) and parse_url(address).netloc == HOST
    )


def redirecting(target: str) -> Callable[[str], Iterator[bytes]]:
    """Redirects the list of companies, and answers everything else."""

    def play(head: str) -> Iterator[bytes]:
        moved = whole(
            b"", "302 Found", "Location: " + target.encode().decode("latin-1")
        )
        is_list = head.split(" ")[1].endswith("/data/companies")
        yield (
            whole(TOKEN)
            if head.startswith("POST")
            else moved
            if is_list
            else whole(b"{}")
        )

    return play


ODD = [
    "//evil.test/x",
    "///evil.test/x",
    "/\\evil.test/x",
    "\\\\evil.test/x",
    "/\t/evil.test/x",
]


@pytest.mark.parametrize(
    "is_proxied", [False, True], ids=["directly", "behind a proxy"]
)
def test_the_token_reaches_the_service_alone_whatever_a_redirect_says(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, *, is_proxied: bool
) -> None:
    with playing(redirecting("")) as raw:
        base = BASE if is_proxied else raw.address
        if is_proxied:
            monkeypatch.setenv("http_proxy", raw.address)
        session = connect(base_url=base, auth_url=f"{base}/oauth")
        for target in (*FOLLOWED, *REFUSED, *ODD):
            if "SERVICE" in target or target == "?limit=1":  # to itself for ever
                continue
            raw.heads.clear()
            raw.play = redirecting(target.replace(HOST, base.removeprefix("http://")))
            message = ""
            try:
                session.get("/data/companies")
            except RequestRejected as error:
                message = str(error)
            assert message.isprintable()
            assert bool(message) == ("redirected to another address" in message)
            assert bool(message) == (target in REFUSED) or target in ODD
            assert "Bearer token-of-the-raw-service" in raw.heads[-1]
            places = {
                line
                for head in raw.heads
                for line in head.splitlines()
                if "Host:" in line
            }
            assert places == {f"Host: {base.removeprefix('http://')}"}
            start = re.escape(base if is_proxied else "")
            assert all(re.match(f"{start}([/?]|$)", path) for path in raw.targets)


def test_another_host_is_never_asked(connect: Connect) -> None:
    with (
        playing(redirecting("")) as other,
        playing(redirecting(f"{other.address}/data")) as raw,
    ):
        with pytest.raises(
            RequestRejected, match="redirected to another address"
        ) as caught:
            connect(base_url=raw.address).get("/data/companies")
        assert other.heads == []
    assert "Credentials are sent nowhere else" in str(caught.value)


def test_redirects_without_end_are_a_named_error(connect: Connect) -> None:
    with (
        playing(redirecting("/data/companies")) as raw,
        pytest.raises(RequestRejected, match="or without end"),
    ):
        connect(base_url=raw.address).get("/data/companies")
    assert len(raw.heads) == 31


def test_a_token_request_is_never_redirected(connect: Connect) -> None:
    with playing(
        lambda _: iter([whole(b"", "302 Found", "Location: /elsewhere")])
    ) as raw:
        with pytest.raises(RequestRejected, match="redirected to another address"):
            connect(auth_url=f"{raw.address}/oauth").get("/data/companies")
        assert raw.targets == ["/oauth"]
