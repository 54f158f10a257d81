"""The token is asked for once, in the shape the profile says, and shown nowhere."""

import dataclasses
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qsl

import pytest

from tests.client.stand_in import (
    CLIENT_ID,
    SECRET,
    Answer,
    Asked,
    Connect,
    StandIn,
    Time,
)
from ventureframe.client.auth import (
    Credentials,
    Secret,
    token_request,
)
from ventureframe.client.retry import Attempt
from ventureframe.errors import (
    ConfigurationError,
    CredentialsRejected,
    RequestRejected,
    ServiceError,
    ServiceFailed,
    TokenRejected,
    UnreadableReply,
)
from ventureframe.interface.wire.profile import INTERFACE

KEY = Credentials(CLIENT_ID, Secret(SECRET))


def test_the_exchange_is_json_unless_the_profile_says_otherwise() -> None:
    key = Credentials(CLIENT_ID, Secret(SECRET), "https://api")
    grant = {
        "grant_type": "client_credentials",
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
    }
    headers, body = token_request(KEY, INTERFACE)
    assert headers.headers == {"Content-Type": "application/json"}
    assert json.loads(body.revealed) == grant
    headers, body = token_request(
        key, dataclasses.replace(INTERFACE, token_body="form")
    )
    assert headers.headers == {"Content-Type": "application/x-www-form-urlencoded"}
    assert dict(parse_qsl(body.revealed)) == grant | {"audience": "https://api"}


def test_neither_key_nor_exchange_nor_token_shows_the_secret(connect: Connect) -> None:
    session = connect()
    session.get("/data/companies")
    token = session._tokens.current(Attempt(0.0))
    for shown in (KEY, token_request(KEY, INTERFACE), token, session, vars(session)):
        assert SECRET not in repr(shown)
        assert token.revealed not in repr(shown)


def test_a_key_that_cannot_be_sent_is_refused_unquoted(connect: Connect) -> None:
    for client_id in ("", "a\nb", " a", "ä"):
        with pytest.raises(
            ConfigurationError, match="client_id cannot be sent in a header"
        ):
            connect(credentials=Credentials(client_id, Secret(SECRET)))


def test_eight_threads_at_once_ask_for_one_token_and_for_one_new_one(
    stand_in: StandIn, connect: Connect
) -> None:
    session, gate = connect(), threading.Barrier(8)

    def ask(_: int) -> bytes:
        gate.wait()
        return session.get("/data/companies").body

    for tokens in (1, 2):
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(ask, range(8)))) == 1
        assert stand_in.tokens == tokens
        stand_in.data = refuse_first_token


def refuse_first_token(asked: Asked) -> Answer:
    if asked.headers["authorization"] == "Bearer token-1":
        return Answer({"error": {"code": "UNAUTHORIZED", "message": "expired"}}, 401)
    return Answer({"data": []})


def test_a_second_401_stops(stand_in: StandIn, connect: Connect) -> None:
    stand_in.data = lambda _: Answer(
        {"error": {"code": "UNAUTHORIZED", "message": "no"}}, 401
    )
    with pytest.raises(
        TokenRejected,
        match=r"answered 401 UNAUTHORIZED: no on each of 2 attempts\. The fresh",
    ):
        connect().get("/data/companies")
    assert len(stand_in.data_asked) == 2
    assert stand_in.tokens == 2


@pytest.mark.parametrize(
    ("said", "renewed_at"),
    [
        ({"expires_in": 3600}, 3540.0),
        ({"expires_in": 10}, 9.0),
        ({"expires_in": "600"}, 540.0),
        ({}, INTERFACE.token_lifetime - 60.0),
        ({"expires_in": -1}, INTERFACE.token_lifetime - 60.0),
    ],
)
def test_a_token_is_renewed_with_a_margin_before_its_end(
    stand_in: StandIn,
    connect: Connect,
    time: Time,
    said: dict[str, object],
    renewed_at: float,
) -> None:
    stand_in.token = lambda _: Answer({"access_token": "a", **said})
    session = connect()
    for seconds, tokens in ((0.0, 1), (renewed_at - 0.01, 1), (renewed_at + 0.01, 2)):
        time.seconds = seconds
        session.get("/data/companies")
        assert stand_in.tokens == tokens


REFUSED: dict[type[ServiceError], list[tuple[Answer, str]]] = {
    CredentialsRejected: [
        (Answer({"error": "invalid_client"}, 401), "401 invalid_client. Check VENT"),
        (Answer({"error": "invalid_client"}, 400), "400 invalid_client. Check VENT"),
        (Answer(b"<html>", 403), "403 with HTML"),
        (Answer(b"not here", 404), "_AUTH_URL and _AUDIENCE"),
        (Answer({"error": None}, 400), "answered 400. Check"),
    ],
    ServiceFailed: [(Answer({}, 503), "on each of 5 attempts")],
    UnreadableReply: [
        (Answer(b"<html>login</html>"), "no usable access_token"),
        (Answer([1]), "no usable access_token"),
        (Answer({"token": "x"}), "no usable access_token"),
        (Answer({"access_token": "a\r\nb"}), "no usable access_token"),
    ],
    RequestRejected: [(Answer(None, 302, {"Location": "/b"}), "another address")],
}


def test_a_bad_reply_of_the_token_address_is_a_named_error(
    stand_in: StandIn, connect: Connect
) -> None:
    for error, cases in REFUSED.items():
        for answer, message in cases:
            stand_in.token = lambda _, answer=answer: answer
            with pytest.raises(error, match=message) as caught:
                connect().get("/data/companies")
            assert SECRET not in str(caught.value)
    assert stand_in.data_asked == []
