"""A service on https: its certificate is checked, and a reply ends in time."""

import contextlib
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.raw import playing, whole
from tests.client.stand_in import Connect
from ventureframe.client.retry import Retries
from ventureframe.errors import ServiceUnreachable

ONCE = Retries(attempts=1)
OK = whole(b'{"data": []}')


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and the certificate that it signs itself."""
    folder = tmp_path_factory.mktemp("tls")
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        " -days 2"
    )
    named = ["-keyout", "key", "-out", "cert", "-subj", "/CN=127.0.0.1"]
    also = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [*command.split(), *named, *also], cwd=folder, check=True, capture_output=True
    )
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "cert").read_bytes())
    return both


@contextlib.contextmanager
def over_tls(certificate: Path, pieces: list[bytes]) -> Iterator[str]:
    """The address of a service on https that plays the pieces, a hundredth of a
    second apart.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    slow = [each for piece in pieces for each in (piece, b"")]
    with playing(lambda _: iter(slow), context) as raw:
        yield raw.address.replace("http://", "https://")


def test_a_service_with_a_certificate_of_the_environment_is_read(
    connect: Connect, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    with over_tls(certificate, [OK]) as address:
        assert connect(base_url=address).get("/data/companies").json() == {"data": []}


def test_a_certificate_that_nobody_vouches_for_is_a_named_error(
    connect: Connect, certificate: Path
) -> None:
    with over_tls(certificate, [OK]) as address:
        session = connect(base_url=address, trust_environment=False)
        with pytest.raises(
            ServiceUnreachable, match=r"certificate that cannot be trusted"
        ):
            session.get("/data/companies")


def test_a_reply_over_tls_keeps_the_deadline(
    connect: Connect, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 300\r\n\r\n{"
    with over_tls(certificate, [head, *[b" "] * 299]) as address:
        session = connect(base_url=address, timeout=0.5, retries=ONCE)
        with pytest.raises(ServiceUnreachable, match=r"did not answer in time \(GET"):
            session.get("/data/companies")
