"""A service that repeats our secrets, in any spelling, does not bring them into a message."""

from __future__ import annotations

import base64
import json
import pickle
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import SECRET, Answer, Asked, Connect, StandIn, told
from ventureframe.client.echoes import Echoes
from ventureframe.errors import RequestRejected, ServiceError
from ventureframe.interface.secret import Secret

KEY = "m4rked/s3cret+value=&?"
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl-marked_token"


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(each):04x}" for each in text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it stands": str,
    "in capitals": str.upper,
    "percent-encoded": lambda text: quote(text, ""),
    "percent-encoded twice": lambda text: quote(quote(text, ""), ""),
    "each character percent-encoded": lambda text: "".join(f"%{ord(each):02x}" for each in text),
    "as JSON escapes": escaped,
    "as JSON escapes in JSON": lambda text: json.dumps(escaped(text)),
    "half of it escaped": lambda text: text[:9] + escaped(text[9:]),
    "as bytes of a repr": lambda text: "".join(f"\\x{ord(each):02x}" for each in text),
    "as JSON": json.dumps,
    "with slashes escaped": lambda text: text.replace("/", "\\/").replace(".", "\\."),
    "as HTML": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "as a Basic header": lambda text: base64.b64encode(f"me:{text}".encode()).decode(),
    "as a quoted Basic header": lambda text: base64.b64encode(
        f"client:{quote(text, '')}".encode()
    ).decode(),
    "as base64": lambda text: base64.b64encode(text.encode()).decode(),
    "as base64 for an address": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "in hexadecimal": lambda text: text.encode().hex(),
    "with line ends": "\r\n".join,
    "with invisible characters": "\u200b".join,
    "in two parts": lambda text: f"{text[:11]} ... {text[11:]}",
}


@pytest.fixture
def echoes() -> Echoes:
    made = Echoes(Secret(KEY))
    made.add(Secret(TOKEN))
    for number in range(3):
        made.add(Secret(f"another-token-{number}"))
    return made


def bare(text: str) -> str:
    """The text without what stands between its letters, as somebody would read a secret in it."""
    return "".join(each for each in text.lower() if each.isalnum())


@pytest.mark.parametrize("secret", [KEY, TOKEN], ids=["the secret", "an older token"])
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_no_spelling_of_a_secret_passes(
    echoes: Echoes, spelling: Callable[[str], str], secret: str
) -> None:
    sent = spelling(secret)
    said = echoes.words(f"You sent {sent} to us")
    assert bare(sent) not in bare(said)
    assert "[hidden]" in said


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_a_secret_at_the_edge_of_what_is_quoted_is_not_cut_in_half(
    echoes: Echoes, spelling: Callable[[str], str]
) -> None:
    said = echoes.words("." * 490 + spelling(TOKEN))
    assert "eyj" not in said.lower()
    assert len(said) <= 500


@given(text=st.text(max_size=60))
def test_other_words_stay_and_steer_no_terminal(text: str) -> None:
    said = Echoes(Secret(KEY)).words(text)
    assert not set(said) & set("\x1b\x9b\n\r\t\x08\x00")
    if text.isprintable():
        assert said == text


@pytest.mark.parametrize("word", [str, lambda t: t[:5] + escaped(t[5:]), escaped])
def test_a_body_is_kept_without_the_token_and_is_the_same_json_otherwise(
    echoes: Echoes, word: Callable[[str], str]
) -> None:
    text = '{"sent": "Bearer %s", "name": "Smith \\u0026 \\\\u0041 \\u0022", "n": 1.50}'
    body = echoes.body((text % word(TOKEN)).encode())
    assert json.loads(body) == json.loads(text % "[hidden]")
    assert TOKEN not in repr(json.loads(body))


def test_a_body_without_a_token_stays_byte_by_byte(echoes: Echoes) -> None:
    body = b'{"name": "Smith \\u0026 Co"}'
    assert echoes.body(body) is body


ENVELOPES: dict[str, Callable[[str], object]] = {
    "the message": lambda told: {"error": {"code": "X", "message": told}},
    "the code": lambda told: {"error": {"code": told}},
    "the details": lambda told: {"error": {"code": "X", "details": {"sent": [told]}}},
    "a key of the details": lambda told: {"error": {"code": "X", "details": {told: 1}}},
    "code and message together": lambda told: {
        "error": {"code": told[: len(told) // 2], "message": told[len(told) // 2 :]}
    },
}


@pytest.mark.parametrize("envelope", ENVELOPES.values(), ids=ENVELOPES)
@pytest.mark.parametrize("spelling", ["as it stands", "as JSON escapes", "as a Basic header"])
def test_an_error_reply_that_repeats_a_secret_shows_it_nowhere(
    stand_in: StandIn, connect: Connect, spelling: str, envelope: Callable[[str], object]
) -> None:
    sent = [SECRET]

    def answer(_: Asked) -> Answer:
        return Answer(envelope(SPELLINGS[spelling](sent[0])), 400)

    def token(_: Asked) -> Answer:
        return Answer({"access_token": f"{TOKEN}-{stand_in.tokens}", "expires_in": 60})

    stand_in.data, stand_in.token = answer, token
    session = connect()
    for secret in (SECRET, f"{TOKEN}-1"):
        sent[0] = secret
        with pytest.raises(RequestRejected) as caught:
            session.get("/data/companies")
        shown = f"{told(caught.value)} {pickle.dumps(caught.value)!r}"
        assert secret not in shown
        assert SPELLINGS[spelling](secret) not in shown.replace("\\\\", "\\")


@pytest.mark.parametrize("name", ["X-Sent", "Set-Cookie", "Sunset", "API-Version", "X-Dataset"])
def test_a_header_that_repeats_the_token_is_not_kept(
    stand_in: StandIn, connect: Connect, name: str
) -> None:
    stand_in.data = lambda asked: Answer(
        {"data": []}, headers={name: asked.headers["authorization"]}
    )
    session = connect()
    if name == "Sunset":
        with pytest.warns(match="ends"):
            reply = session.get("/data/companies")
    else:
        reply = session.get("/data/companies")
    assert "token-1" not in f"{dict(reply.headers)} {session.version}"
    assert len(reply.headers) == (name not in ("X-Sent", "Set-Cookie"))


def test_a_redirect_to_a_host_with_the_token_in_its_name_does_not_show_it(
    stand_in: StandIn, connect: Connect
) -> None:
    stand_in.data = lambda asked: Answer(
        None, 302, {"Location": f"http://{asked.headers['authorization'][7:]}.evil.test/\x1b[31m"}
    )
    with pytest.raises(ServiceError, match="redirected to another address") as caught:
        connect().get("/data/companies")
    assert "token-1" not in str(caught.value)
    assert str(caught.value).isprintable()
