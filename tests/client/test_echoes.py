"""A service that repeats our secrets does not bring them into a message, an error or
a file.
"""

import itertools
import json
import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import (
    SECRET,
    Answer,
    Asked,
    Connect,
    StandIn,
    collection,
    company,
    told,
)
from ventureframe.client.auth import Secret, Secrets
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, RequestRejected, UnreadableReply
from ventureframe.interface.filters import parse

KEY = 'm4rked/s3cret+value=&? "x"'
TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9/c2lnbmF0dXJl+marked~token="

SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it stands": str,
    "as JSON with slashes escaped": (
        lambda text: json.dumps(text)[1:-1].replace("/", "\\/")
    ),
    "in an address": lambda text: quote(text, ""),
    "in lower-case codes": lambda text: quote(text, "").replace("%2F", "%2f"),
    "in a form": quote_plus,
    "as entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "as escapes of JSON": (
        lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)
    ),
    "as JSON in an address": lambda text: quote(json.dumps(text)[1:-1], ""),
    "in an address in an address": lambda text: quote(quote(text, ""), ""),
    "with signs as escapes of JSON": lambda text: re.sub(
        r"\W", lambda sign: f"\\u{ord(sign[0]):04x}", text
    ),
    "with signs as entities": lambda text: re.sub(
        r"\W", lambda sign: f"&#x{ord(sign[0]):X};", text
    ),
    "with one letter as an escape": lambda text: (
        f"{text[:-3]}\\u{ord(text[-3]):04x}{text[-2:]}"
    ),
    "a part of it": lambda text: text[-12:-2].replace('"', '\\"'),
    "eight letters of it": lambda text: text[-10:-2].replace('"', '\\"'),
}
WHOLE = {name: SPELLINGS[name] for name in SPELLINGS if " of it" not in name}
IN_ROWS = [name for name in WHOLE if name not in ("as entities", "as escapes of JSON")]
"""Encoders write letters and digits as they are."""


@pytest.fixture
def secrets() -> Secrets:
    made = Secrets(Secret(KEY))
    for token in (TOKEN, "another-token-1", "another-token-2"):
        made.tokens.append(Secret(token))
    return made


def test_no_form_of_the_secret_or_of_an_older_token_passes(secrets: Secrets) -> None:
    for name, spelling in SPELLINGS.items():
        for secret in (KEY, TOKEN):
            sent = f"You sent {spelling(secret)} to us"
            shown = secrets.words(sent)
            assert "[hidden]" in shown, name
            assert not secrets.are_in(shown), name
        assert secrets.words("." * 490 + spelling(TOKEN)) == "[hidden]", "nor a half"


@given(text=st.text(max_size=60))
def test_other_words_stay_and_steer_no_terminal(text: str) -> None:
    words = Secrets(Secret(KEY)).words(text)
    assert not set(words) & set("\x1b\x9b\n\r\t\x08\x00")
    if text.isprintable():
        assert words == text


@pytest.mark.parametrize("spelling", IN_ROWS)
def test_a_body_is_kept_with_a_mark_for_a_secret_and_is_the_same_json_otherwise(
    secrets: Secrets, spelling: str
) -> None:
    text = '{"sent": "%s", "name": "Smith \\u0026 \\\\u0041 \\u0022", "n": 1.50}'
    for secret in (KEY.partition("?")[0], TOKEN):
        secrets.key = Secret(KEY.partition("?")[0])
        sent = f"Bearer {SPELLINGS[spelling](secret)}"
        body = secrets.body((text % sent).encode())
        assert body == (text % "[hidden]").encode()


def test_a_token_of_somebody_else_stays_in_the_data(secrets: Secrets) -> None:
    head, _, tail = TOKEN.partition(".")
    for text in ("Smith \\u0026 Co", f"{head}.{tail[::-1]}", TOKEN[:-3], head):
        body = json.dumps({"data": [{"name": text}], "error": None}).encode()
        assert secrets.body(body) == body
    assert secrets.words(f"{head}.{'x' * 20}") != "[hidden]"


ENVELOPES: dict[str, Callable[[str], object]] = {
    "the message": lambda told: {"error": {"code": "X", "message": told}},
    "the code": lambda told: {"error": {"code": told}},
    "the details": lambda told: {"error": {"code": "X", "details": {"sent": [told]}}},
    "a key of the details": lambda told: {"error": {"code": "X", "details": {told: 1}}},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_error_reply_that_repeats_a_secret_shows_it_nowhere(
    stand_in: StandIn, connect: Connect, spelling: str
) -> None:
    sent = [SECRET, ""]

    def answer(_: Asked) -> Answer:
        body = json.dumps(ENVELOPES[sent[1]]("SENT")).replace(
            "SENT", SPELLINGS[spelling](sent[0])
        )
        return Answer(body.encode(), 400)

    def token(_: Asked) -> Answer:
        return Answer(
            {"access_token": f"{TOKEN[:-1]}{stand_in.tokens}", "expires_in": 60}
        )

    stand_in.data, stand_in.token = answer, token
    session = connect()
    for secret, envelope in itertools.product((SECRET, f"{TOKEN[:-1]}1"), ENVELOPES):
        sent[:] = secret, envelope
        with pytest.raises(RequestRejected) as caught:
            session.get("/data/companies")
        shown = told(caught.value)
        assert secret not in shown
        assert SPELLINGS[spelling](secret) not in shown.replace("\\\\", "\\")


def test_an_error_beside_rows_quotes_no_secret_however_it_is_spelt(
    stand_in: StandIn, connect: Connect
) -> None:
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    session = connect()
    for name, spelling in SPELLINGS.items():
        for secret in (SECRET, TOKEN):
            error = '{"data": [], "error": {"code": "no SENT"}}'
            body = error.replace("SENT", spelling(secret).replace('"', "'"))
            stand_in.data = lambda _, body=body: Answer(body.encode())  # type: ignore[misc]
            reply = session.get("/data/companies")
            with pytest.raises(
                UnreadableReply, match="error beside its rows"
            ) as caught:
                reply.rows()
            assert "[hidden]" in str(caught.value), name
            assert secret not in told(caught.value)
            assert spelling(secret) not in told(caught.value)


QUOTED: dict[str, dict[str, Any]] = {
    "the total": {"page": {"total": "SENT"}},
    "the currency": {"currency": "SENT"},
    "a value of another type": {"data": [company(1), company(2, launch_date="SENT")]},
    "an amount": {"data": [company(1, total_funding=["SENT"])]},
    "a key": {"data": [company(1, uuid="SENT")]},
    "a value that the filter rules out": {"data": [company(1, company_status="SENT")]},
}


@pytest.mark.parametrize("place", QUOTED)
def test_an_error_that_quotes_a_value_quotes_no_secret_of_it(
    stand_in: StandIn, connect: Connect, place: str
) -> None:
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    companies = Service(connect()).companies
    query = companies.where(parse("company_status[eq]:operational"))
    body = json.dumps({"data": [], "page": {"total": 0}} | QUOTED[place])
    for name, spelling in SPELLINGS.items():
        for secret in (SECRET, TOKEN):
            sent = spelling(secret).replace('"', "'")
            stand_in.data = lambda _, sent=sent: Answer(  # type: ignore[misc]
                body.replace("SENT", sent).encode()
            )
            with pytest.raises(UnreadableReply) as caught:
                query.fetch()
            assert sent not in str(caught.value), name
            assert not Secrets(Secret(secret)).are_in(str(caught.value)), name
            assert re.search(
                r"GET /data/companies (has|gives|reports)", str(caught.value)
            )


BROKEN = (
    "<html>You sent SENT</html>",
    "you sent SENT }",
    '{"data": [{"name": SENT x}]}',
    '{"data": [{"name": "SENT", }]}',
)


@pytest.mark.parametrize("body", BROKEN)
def test_a_reply_that_is_no_json_leaves_no_secret_in_its_error(
    stand_in: StandIn, connect: Connect, body: str
) -> None:
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    stand_in.data = lambda _: Answer(body.replace("SENT", TOKEN).encode())
    with pytest.raises(UnreadableReply, match="JSON") as caught:
        Service(connect()).companies.fetch()
    assert TOKEN not in told(caught.value)


def test_a_redirect_within_the_service_that_repeats_the_token_is_in_no_log(
    stand_in: StandIn, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    stand_in.data = lambda asked: Answer(
        "", 302, {"Location": f"/login?of={quote(asked.headers['authorization'])}"}
    )
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    with pytest.raises(RequestRejected, match="another address or without end"):
        connect().get("/data/companies")
    assert not Secrets(Secret(TOKEN)).are_in(caplog.text)


def test_a_header_that_repeats_the_token_is_not_kept(
    stand_in: StandIn, connect: Connect
) -> None:
    names = ("X-Sent", "Set-Cookie", "Sunset", "API-Version", "X-Dataset")
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    stand_in.data = lambda asked: Answer(
        {"data": []}, headers=dict.fromkeys(names, asked.headers["authorization"])
    )
    session = connect()
    with pytest.warns(match="ends") as warned:
        reply = session.get("/data/companies")
    text = (
        f"{dict(reply.headers)} {session.version}"
        f" {[str(each.message) for each in warned]}"
    )
    assert TOKEN not in text
    assert reply.headers.keys() == {"X-Dataset"}


@pytest.mark.parametrize("spelling", IN_ROWS)
def test_a_row_that_repeats_the_token_holds_a_mark_and_is_doubted(
    stand_in: StandIn, connect: Connect, spelling: str
) -> None:
    stand_in.token = lambda _: Answer({"access_token": TOKEN, "expires_in": 60})
    rows = collection([company(1, tagline="SENT"), company(2)])

    def answer(asked: Asked) -> Answer:
        body = rows(asked).content.decode().replace("SENT", SPELLINGS[spelling](TOKEN))
        return Answer(body.encode())

    stand_in.data = answer
    with pytest.warns(EvidenceWarning, match="repeated the secret or the token"):
        result = Service(connect()).companies.fetch()
    assert result.to_polars()["tagline"].to_list() == ["[hidden]", None]
    assert any("Report it to the owner" in said for said in result.caveats)


def test_a_refused_redirect_shows_no_target(
    stand_in: StandIn, connect: Connect
) -> None:
    stand_in.data = lambda asked: Answer(
        "", 302, {"Location": f"http://else.test/{asked.headers['authorization']}"}
    )
    with pytest.raises(RequestRejected, match="another address") as caught:
        connect().get("/data/companies")
    assert "token-1" not in told(caught.value)
    assert "else.test" not in told(caught.value)
