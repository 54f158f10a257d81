"""Credentials become a token, and only the client's own fresh token opens anything."""

import base64
import time

import requests

from tests.service.caller import Caller, calling
from ventureframe_service import run
from ventureframe_service.access import Tokens
from ventureframe_service.dataset import Dataset
from ventureframe_service.settings import Settings

GRANT = {"grant_type": "client_credentials"}


def ask(url: str, **how: object) -> requests.Response:
    # json, data, headers
    return requests.post(url, timeout=10, **how)  # type: ignore[arg-type]


def basic(client_id: str, secret: str) -> dict[str, str]:
    return {
        "Authorization": (
            "Basic " + base64.b64encode(f"{client_id}:{secret}".encode()).decode()
        )
    }


def test_credentials_are_taken_as_json_form_and_basic(running: run.Running) -> None:
    pair = {"client_id": running.client_id, "client_secret": running.client_secret}
    for reply in (
        ask(running.auth_url, json=GRANT | pair | {"audience": "any"}),
        ask(running.auth_url, data=GRANT | pair),
        ask(running.auth_url, data=GRANT, headers=basic(*pair.values())),
    ):
        assert reply.status_code == 200
        assert reply.json().keys() == {"access_token", "token_type", "expires_in"}
        assert reply.json()["token_type"] == "Bearer"
        assert reply.json()["expires_in"] == 86_400
        assert reply.headers["Cache-Control"] == "no-store"


REFUSED: tuple[tuple[object, int, str], ...] = (
    (
        GRANT | {"client_id": "ventureframe", "client_secret": "wrong"},
        401,
        "invalid_client",
    ),
    (GRANT | {"client_id": "another", "client_secret": "wrong"}, 401, "invalid_client"),
    (GRANT | {"client_id": "ventureframe", "client_secret": 7}, 401, "invalid_client"),
    (GRANT, 401, "invalid_client"),
    ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    ({}, 400, "invalid_request"),
    ([], 400, "invalid_request"),
)


def test_a_token_request_is_refused_as_rfc_6749_says(running: run.Running) -> None:
    for body, status, code in REFUSED:
        reply = ask(running.auth_url, json=body)
        assert (reply.status_code, reply.json()) == (status, {"error": code}), body


UNREADABLE: tuple[tuple[bytes, dict[str, str]], ...] = (
    (b"{", {"Content-Type": "application/json"}),
    (b"\xff\xfe", {"Content-Type": "application/json"}),
    (b"[" * 10_000, {"Content-Type": "application/json"}),
    (b"&".join([b"a=1"] * 50), {"Content-Type": "application/x-www-form-urlencoded"}),
    (b"grant_type=client_credentials", {"Authorization": "Basic ***"}),
)


def test_an_unreadable_token_request_is_refused_and_breaks_nothing(
    running: run.Running,
) -> None:
    for content, headers in UNREADABLE:
        status = ask(running.auth_url, data=content, headers=headers).status_code
        assert status in (400, 401), content


def test_a_body_larger_than_a_token_request_is_refused(running: run.Running) -> None:
    for body in (b"x" * 100_000, iter([b"x" * 10_000] * 10)):
        reply = ask(running.auth_url, data=body)
        assert (reply.status_code, reply.json()["error"]["code"]) == (
            413,
            "BODY_TOO_LARGE",
        )


HEADERS: tuple[tuple[dict[str, str | None], int, str], ...] = (
    ({"Authorization": None}, 401, "UNAUTHORIZED"),
    ({"Authorization": "Bearer nonsense"}, 401, "UNAUTHORIZED"),
    ({"Authorization": "Basic abc"}, 401, "UNAUTHORIZED"),
    ({"X-Client-Id": None}, 400, "VALIDATION_ERROR"),
    ({"X-Client-Id": "another"}, 400, "VALIDATION_ERROR"),
    ({"User-Agent": ""}, 400, "VALIDATION_ERROR"),
)


def test_a_request_without_its_headers_is_refused(caller: Caller) -> None:
    address = caller.running.base_url + "/data/companies"
    for headers, status, code in HEADERS:
        reply = caller.session.get(address, headers=headers, timeout=10)
        assert (reply.status_code, reply.json()["error"]["code"]) == (
            status,
            code,
        ), headers


def test_the_token_of_another_client_or_key_is_refused() -> None:
    mine = Tokens("mine", "secret", key=b"k" * 32)
    assert mine.is_valid(mine.issue())
    assert not mine.is_valid(Tokens("another", "secret", key=b"k" * 32).issue())
    assert not mine.is_valid(Tokens("mine", "secret", key=b"x" * 32).issue())
    expiry, unique, signature = mine.issue().split(".")
    for changed in (
        f"{expiry}0.{unique}.{signature}",
        f"{expiry}.{unique}.",
        "é",
        "..",
        "",
    ):
        assert not mine.is_valid(changed)


def test_a_token_expires_by_the_service_s_clock(small: Dataset) -> None:
    now = [1_000_000.0]
    with calling(small, Settings(token_lifetime=60, clock=lambda: now[0])) as caller:
        assert caller.get("/data/companies").status_code == 200
        now[0] += 61
        assert caller.get("/data/companies").status_code == 401


def test_a_wrong_secret_is_answered_late(running: run.Running) -> None:
    pair = {"client_id": running.client_id, "client_secret": "wrong"}
    began = time.monotonic()
    assert ask(running.auth_url, json=GRANT | pair).status_code == 401
    assert time.monotonic() - began >= 0.25


def test_no_secret_shows_in_a_repr(running: run.Running) -> None:
    tokens = Tokens("id", "a-secret-to-hide", key=b"a-key-to-hide")
    assert "to-hide" not in repr(tokens)
    assert running.client_secret not in repr(running)
