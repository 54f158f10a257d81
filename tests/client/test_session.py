"""A reply is whole, or the error says what happened and what to do."""

import gzip
import json
import traceback
from collections.abc import Sequence
from email.utils import formatdate
from pathlib import Path

import pytest

from tests.client.stand_in import (
    Answer,
    Answers,
    Asked,
    Connect,
    StandIn,
    Time,
)
from ventureframe.client.retry import Retries
from ventureframe.errors import (
    ConfigurationError,
    CreditsExhausted,
    NotFound,
    RateLimited,
    RequestRejected,
    ServiceError,
    ServiceFailed,
    ServiceUnreachable,
    UnreadableReply,
)
from ventureframe.interface.wire.profile import Profile

OK = Answer({"data": []})


def scripted(answers: Sequence[Answer]) -> Answers:
    """The answers one after the other, then the last for ever."""
    left = list(answers)

    def answer(_: Asked) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def test_a_request_says_who_asks(stand_in: StandIn, connect: Connect) -> None:
    connect(Profile(api_version="2026-10-02")).get(
        "/data/companies", {"filter": "name[eq]:a|b c"}
    )
    (asked,) = stand_in.data_asked
    assert asked.path == "/data/companies"
    assert asked.parameters == {"filter": "name[eq]:a|b c"}
    assert asked.headers["user-agent"] == "analysts/1.0"
    assert asked.headers["x-client-id"] == "client-7"
    assert asked.headers["authorization"] == "Bearer token-1"
    assert asked.headers["api-version"] == "2026-10-02"


SETTINGS = {
    "user_agent cannot be sent in a header": ("", "a\r\nX-Evil: 1", "  "),
    "base_url is not an address. Give it as https://host/path": (
        *("", "service.example", "ftp://a/b", "https://", "https://a/b?key=1"),
        "http://[::1",
    ),
    "base_url carries a user name or password": ("https://me:hunter2@service.example",),
    "timeout is not a number of seconds": ("", "soon", "0", "nan", "9" * 5000),
    "rate is not a number of requests a second": ("fast", 0, -1),
}


@pytest.mark.parametrize(("message", "values"), SETTINGS.items())
def test_a_setting_that_cannot_be_used_is_named_and_not_quoted(
    connect: Connect, message: str, values: tuple[object, ...]
) -> None:
    setting = message.partition(" ")[0]
    for value in values:
        with pytest.raises(ConfigurationError, match=message) as caught:
            connect(**{setting: value})
        assert caught.value.settings == (setting,)
        assert "hunter2" not in str(caught.value)


PASSING = (
    *(Answer({}, status) for status in (408, 429, 500, 502, 503, 504)),
    *(Answer(close=True), Answer({"data": []}, cut=5)),
)


def test_a_passing_failure_is_repeated(
    stand_in: StandIn, connect: Connect, time: Time
) -> None:
    for fault in PASSING:
        stand_in.asked.clear()
        time.sleeps.clear()
        spent = Answer({"data": []}, headers={"X-Credits-Used": "2.5"})
        stand_in.data = scripted([fault, fault, spent])
        reply = connect().get("/data/companies")
        assert (reply.retries, reply.credits) == (2, 2.5), fault
        assert len(stand_in.data_asked) == 3
        assert sum(time.sleeps) > 0


CUT = (
    Answer({"data": []}, cut=5),
    Answer({"data": [1, 2, 3]}, headers={"Content-Length": ""}, cut=12),
    Answer(b""),
    Answer(
        b'-5\r\n{"data": []}\r\n0\r\n\r\n',
        headers={"Content-Length": "", "Transfer-Encoding": "chunked"},
        cut=99,
    ),
    Answer(gzip.compress(b"{}" * 99), headers={"Content-Encoding": "gzip"}, cut=12),
    Answer(b"not gzip at all", headers={"Content-Encoding": "gzip"}),
)
PACKED = gzip.compress(json.dumps({"data": [1]}).encode())


def test_a_body_that_stays_cut_is_a_named_error(
    stand_in: StandIn, connect: Connect
) -> None:
    for fault in CUT:
        stand_in.data = scripted([fault])
        with pytest.raises(
            UnreadableReply,
            match=r"cut short or is not HTTP on each of 5 attempts \(GET .*\)\. Try again",
        ):
            connect().get("/data/companies")
    stand_in.data = lambda _: Answer(PACKED, headers={"Content-Encoding": "gzip"})
    assert connect().get("/data/companies").json() == {"data": [1]}


def test_attempts_are_bounded_by_count_with_full_jitter_between_and_by_time(
    stand_in: StandIn, connect: Connect, time: Time
) -> None:
    stand_in.data = lambda _: Answer({}, 503)
    with pytest.raises(ServiceFailed, match=r"answered 503 on each of 4 attempts"):
        connect(retries=Retries(attempts=4, base=1.0)).get("/data/companies")
    assert time.sleeps == [1.0, 2.0, 4.0]
    with pytest.raises(ServiceFailed):
        connect(retries=Retries(attempts=50, seconds=10.0, base=1.0)).get(
            "/data/companies"
        )
    assert time.seconds <= 7.0 + 10.0


WAITS = {"7": 7.0, "DATE": 7.0}
WAITS |= dict.fromkeys(("soon", "-3", "1e9", "٣"), 0.5)


def test_retry_after_is_honoured_in_seconds_and_as_a_date_up_to_a_bound(
    stand_in: StandIn, connect: Connect, time: Time
) -> None:
    for header, seconds in WAITS.items():
        sent = header.replace(
            "DATE", formatdate(1_000_000_007 + time.seconds, usegmt=True)
        )
        sent = sent.encode().decode("latin-1")
        stand_in.data = scripted([Answer({}, 503, {"Retry-After": sent}), OK])
        connect().get("/data/companies")
        assert time.sleeps.pop() == seconds, header
        assert not time.sleeps

    stand_in.asked.clear()
    stand_in.data = lambda _: Answer({}, 429, {"Retry-After": "3600"})
    with pytest.raises(RateLimited, match=r"answered 429. Ask for less at a time"):
        connect().get("/data/companies")
    assert (time.sleeps, len(stand_in.data_asked)) == ([], 1), "it is too long"


HTML = b"<!doctype html><title>Sign in</title>"
VALIDATION = {"code": "VALIDATION_ERROR", "message": "bad", "details": {"x": 1}}
REFUSALS: dict[str, tuple[type[ServiceError], int, object]] = {
    r'400 VALIDATION_ERROR: bad \({"x": 1}\)\. Correct the': (
        *(RequestRejected, 400),
        {"error": VALIDATION},
    ),
    "402 CREDITS_EXHAUSTED. The credits of this key are used up": (
        *(CreditsExhausted, 402),
        {"error": {"code": "CREDITS_EXHAUSTED", "message": None}},
    ),
    "403 with HTML, which comes from a proxy or page in front": (
        RequestRejected,
        403,
        HTML,
    ),
    "403 no plan. This key may not read it": (
        *(RequestRejected, 403),
        {"error": "no plan"},
    ),
    "404. Check the id": (NotFound, 404, {}),
    "418. Correct the request": (RequestRejected, 418, {}),
    "505. The failure is on the service's side": (ServiceFailed, 505, {}),
    "304. Check the base address": (UnreadableReply, 304, b""),
}


def test_a_refusal_says_what_happened_in_the_services_own_words_and_what_to_do(
    stand_in: StandIn, connect: Connect
) -> None:
    session = connect()
    for message, (error, status, body) in REFUSALS.items():
        stand_in.asked.clear()
        stand_in.data = scripted([Answer(body, status)])
        with pytest.raises(error, match=f"GET /data/companies answered {message}") as e:
            session.get("/data/companies")
        assert type(e.value) is error
        assert (e.value.status, e.value.path) == (status, "/data/companies")
        assert len(stand_in.data_asked) == 1, "and it is not repeated"


def test_a_service_that_is_not_there_is_named(connect: Connect) -> None:
    session = connect(auth_url="http://127.0.0.1:1/token")
    said = "127.0.0.1:1 cannot be reached on each of 5"
    with pytest.raises(ServiceUnreachable, match=said):
        session.get("/data/companies")


def test_a_netrc_is_never_used_and_proxies_of_the_environment_are(
    stand_in: StandIn, connect: Connect, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password hunter2\n")
    monkeypatch.setenv("NETRC", str(netrc))
    connect().get("/data/companies")
    assert stand_in.data_asked[-1].headers["authorization"] == "Bearer token-1"
    assert "authorization" not in stand_in.asked[0].headers

    monkeypatch.setenv("http_proxy", stand_in.address)
    monkeypatch.setenv("no_proxy", "")
    far = connect(
        base_url="http://service.invalid/v1", auth_url="http://auth.invalid/oauth/token"
    )
    stand_in.token = lambda _: stand_in.fresh()
    stand_in.data = lambda asked: stand_in.fresh() if "oauth" in asked.path else OK
    assert far.get("/data/companies").json() == {"data": []}
    asked = len(stand_in.asked)
    closed = {
        "base_url": "http://127.0.0.1:1/v1",
        "auth_url": "http://127.0.0.1:1/oauth/token",
    }
    with pytest.raises(ServiceUnreachable):
        connect(**closed, trust_environment=False).get("/data/companies")
    assert len(stand_in.asked) == asked, "the proxy is not asked"


@pytest.mark.parametrize(
    "fault",
    [
        Answer(close=True),
        Answer({"data": []}, cut=5),
        Answer({}, 503),
        Answer(b"{" * 5000),
    ],
)
def test_no_variable_of_a_failure_that_a_traceback_may_print_holds_the_token(
    stand_in: StandIn, connect: Connect, fault: Answer
) -> None:
    stand_in.data = lambda _: fault
    session = connect(retries=Retries(attempts=2), largest_reply=4000)
    with pytest.raises(ServiceError) as caught:
        session.get("/data/companies")
    stack = traceback.TracebackException.from_exception(
        caught.value, capture_locals=True
    )
    assert "token-1" not in "".join(stack.format())
