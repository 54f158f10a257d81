"""Marked secrets go in; every repr, log, error, file and saved state is searched for
them.
"""

import base64
import contextlib
import copy
import dataclasses
import gc
import itertools
import json
import logging
import pickle
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import ipywidgets
import polars as pl
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import ventureframe as vf
from tests.client.raw import Raw, playing, whole
from tests.client.stand_in import keeping, told
from tests.conftest import ROOT
from tests.service.sample.sample import sample
from ventureframe import cli, report
from ventureframe.client.auth import Credentials, Secret
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.client.session import Session
from ventureframe.errors import VentureframeError
from ventureframe.interface.wire.profile import INTERFACE
from ventureframe_service.run import Running, start
from ventureframe_service.settings import Settings

SECRET = "m4rked/s3cret+value=&?"
CLIENT_ID = "marked-client"
WRONG = "m4rked/wr0ng+value=&?"
NAME, DOMAIN = "Harrowmere University", "harrowmere.example"
UNIVERSITY = {"university": NAME, "domain": DOMAIN}
QUESTION = vf.spinouts.Question(university=NAME, domain=DOMAIN, currency="EUR")
RAW_TOKEN = "marked-token-of-a-raw-service"
TOKEN = re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}")


def forms(secret: str) -> set[str]:
    """The ways in which a secret can be written down."""
    pair = f"{quote(CLIENT_ID, safe='')}:{quote(secret, safe='')}"
    encoded = [base64.b64encode(text.encode()).decode() for text in (secret, pair)]
    return {
        secret,
        quote(secret),
        quote(secret, safe=""),
        json.dumps(secret)[1:-1],
        *encoded,
    }


def assert_clean(text: str, where: str) -> None:
    for secret in (SECRET, WRONG):
        for form in forms(secret):
            assert form not in text, f"a secret is in {where}"
    assert not TOKEN.search(text), f"an access token is in {where}"


def echoing(app: ASGIApp, route: str) -> ASGIApp:
    """The application of a route, which repeats what was sent in headers and beside
    its data.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        sent = dict(scope["headers"]).get(b"authorization", b"")
        start: list[Message] = []

        async def repeat(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    (k, v) for k, v in message["headers"] if b"length" not in k
                ]
                message["headers"] += [(b"x-sent", sent), (b"set-cookie", b"a=" + sent)]
                start.append(message)
            else:
                content = json.loads(message["body"])
                if route != "token":
                    content["sent"] = {"headers": [sent.decode()]}
                for each in start:
                    await send(each)
                await send({**message, "body": json.dumps(content).encode()})

        await app(scope, receive, repeat)

    return answer


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    settings = Settings(client_id=CLIENT_ID, client_secret=SECRET, around=echoing)
    with start(sample(companies=300), settings) as service:
        yield service


def environment(running: Running) -> dict[str, str]:
    """The environment of an analyst with a key."""
    return {
        "VENTUREFRAME_BASE_URL": running.base_url,
        "VENTUREFRAME_AUTH_URL": running.auth_url,
        "VENTUREFRAME_CLIENT_ID": CLIENT_ID,
        "VENTUREFRAME_CLIENT_SECRET": SECRET,
        "VENTUREFRAME_USER_AGENT": "ventureframe tests",
    }


@pytest.fixture
def live(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that connects with a key."""
    for name, value in environment(running).items():
        monkeypatch.setenv(name, value)


FAILURES: dict[str, tuple[dict[str, str], Callable[[Service], object]]] = {
    "a wrong secret": ({"CLIENT_SECRET": WRONG}, lambda svc: svc.companies.count()),
    "a wrong token host": (
        {"AUTH_URL": "http://127.0.0.1:9"},
        lambda svc: svc.companies.count(),
    ),
    "an unknown university": (
        {},
        lambda svc: svc.university("Nowhere", domain="no.example"),
    ),
    "a missing setting": ({"USER_AGENT": ""}, lambda svc: svc),
    "a currency without rates": ({"CURRENCY": "XXX"}, lambda svc: svc),
}


@pytest.mark.usefixtures("live")
@pytest.mark.parametrize("name", FAILURES)
def test_no_failure_shows_a_secret(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    changes, act = FAILURES[name]
    for setting, value in changes.items():
        monkeypatch.setenv(f"VENTUREFRAME_{setting}", value)
    with caplog.at_level(logging.DEBUG), pytest.raises(VentureframeError) as caught:
        act(vf.connect())
    assert_clean(told(caught.value), "the error, its causes or their frames")
    assert_clean(caplog.text, "the log")
    assert_clean("".join(capfd.readouterr()), "the output")


@pytest.mark.usefixtures("live")
def test_no_value_on_the_way_shows_a_secret(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # IPython warns of another one than its own
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    gc.freeze()  # what other tests left behind is not searched
    with caplog.at_level(logging.DEBUG), contextlib.closing(vf.connect()) as svc:
        form = vf.form(svc, QUESTION)
        form._ipython_display_()
        state = json.dumps(ipywidgets.Widget.get_manager_state())
        assert "Harrowmere" in state, "the panel's state is there to be searched"
        assert_clean(state, "the widget state")
        study = form.study
        ours = [
            o
            for o in gc.get_objects()
            if str(type(o).__module__).startswith("ventureframe.")
        ]
        gc.unfreeze()
        assert len(ours) > 20, "the objects of a whole study are there to be searched"
        for thing in (*ours, svc, study, *study.fetched, form):
            if type(thing).__name__ == "Running":
                continue
            assert_clean(repr(thing), f"the repr of a {type(thing).__name__}")
            drawn = getattr(thing, "_repr_html_", None)
            assert_clean(
                drawn() if callable(drawn) else "", f"a {type(thing).__name__} as HTML"
            )
        assert_clean(repr(study.provenance), "the provenance")
    assert_clean(caplog.text, "the log")


@pytest.mark.usefixtures("live")
def test_reports_hold_no_secret_and_neither_does_a_failed_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = report.build(
        "01_university_spinouts", out=tmp_path / "live.html", parameters=UNIVERSITY
    )
    assert "Harrowmere University" in made.read_text("utf-8")
    assert_clean(made.read_text("utf-8"), "the report")
    none = ["--set", "university=Nowhere", "--out", str(tmp_path / "none.html")]
    assert cli.main(["report", "01_university_spinouts", *none]) == 1
    said = "".join(capfd.readouterr())
    assert "Nowhere" in said
    assert_clean(said, "the command's output")
    assert [file.name for file in tmp_path.iterdir()] == ["live.html"]


def contents(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file under a folder with what is in it, unpacked."""
    for file in (each for each in folder.rglob("*") if each.is_file()):
        raw = file.read_bytes()
        yield file.name, raw.decode("latin-1")
        if file.suffix == ".parquet":
            yield file.name, str(pl.read_parquet(file).to_dicts())


@pytest.mark.usefixtures("live")
def test_no_file_that_is_written_holds_a_secret_of_a_service_that_repeats_it(
    tmp_path: Path,
) -> None:
    with contextlib.closing(vf.connect()) as svc:
        query = keeping(svc.companies, tmp_path / "resumed")
        query.fetch().save(tmp_path / "saved")
        svc.pull("companies", out=tmp_path / "pulled", say=lambda _: None)
    written = list(contents(tmp_path))
    assert {"reply", "parquet", "json"} <= {
        name.rpartition(".")[2] for name, _ in written
    }
    assert any("[hidden]" in text for _, text in written), (
        "the service did repeat the token"
    )
    for name, text in written:
        assert_clean(text, name)


def asking(raw: Raw, auth_url: str, **settings: Any) -> Session:
    """A session with a listener of raw bytes, whose secret is marked."""
    return Session(
        base_url=raw.address,
        auth_url=auth_url,
        credentials=Credentials(CLIENT_ID, Secret(SECRET)),
        user_agent="tests/1",
        **settings,
    )


def interrupting(head: str) -> Iterator[bytes]:
    """Answers a token request, and interrupts this program in the middle of another
    reply.
    """
    if head.startswith("POST /token"):
        yield whole(b'{"access_token": "%s", "expires_in": 3600}' % RAW_TOKEN.encode())
        return
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    yield from itertools.repeat(b"", 500)


@pytest.mark.parametrize("token_body", ["json", "form"])
@pytest.mark.parametrize(
    "token_path", ["/token", "/slow"], ids=["a request", "a token request"]
)
def test_an_interrupt_in_the_middle_shows_no_secret_in_any_variable(
    token_path: str, token_body: Literal["json", "form"]
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with playing(interrupting) as raw:
            profile = dataclasses.replace(INTERFACE, token_body=token_body)
            session = asking(raw, raw.address + token_path, profile=profile)
            with pytest.raises(KeyboardInterrupt) as caught:
                session.get("/data/companies")
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(raw.heads) == 1 + (token_path == "/token")
    text = told(caught.value)
    assert_clean(text, "the interrupt, or the variables of its frames")
    assert RAW_TOKEN not in text


REFUSED_TOKENS = {
    "another kind": {"access_token": "RAW é", "expires_in": 60},
    "in a description": {"error": "invalid", "error_description": "RAW"},
}


@pytest.mark.parametrize("status", [200, 400, 401, 503])
@pytest.mark.parametrize("reply", REFUSED_TOKENS.values(), ids=REFUSED_TOKENS)
def test_a_token_that_is_not_taken_shows_in_no_variable(
    reply: Mapping[str, str], status: int
) -> None:
    body = json.dumps(reply).replace("RAW", RAW_TOKEN).encode()
    with playing(lambda _: iter([whole(body, f"{status} Said")])) as raw:
        twice = Retries(attempts=2, base=0.0)
        with pytest.raises(VentureframeError) as caught:
            asking(raw, raw.address, retries=twice).get("/data/companies")
    text = told(caught.value)
    assert_clean(text, "the error, or the variables of its frames")
    assert RAW_TOKEN not in text


def test_a_setting_that_is_refused_leaves_no_secret_in_a_variable(
    running: Running,
) -> None:
    given = environment(running) | {"VENTUREFRAME_BASE_URL": "nowhere"}
    for changed in ({}, {"CLIENT_ID": "ä"}, {"TIMEOUT": "soon"}, {"USER_AGENT": "\n"}):
        settings = given | {
            f"VENTUREFRAME_{name}": value for name, value in changed.items()
        }
        with pytest.raises(VentureframeError) as caught:
            vf.connect(environment=settings)
        assert_clean(told(caught.value), "the error, or the variables of its frames")


def test_a_secret_is_in_no_spelling_of_its_value() -> None:
    secret = Secret(SECRET)
    key = Credentials(CLIENT_ID, secret)
    for value in (secret, key, [secret]):
        for text in (str(value), repr(value), f"{value}", f"{value!s:>40}"):
            assert SECRET not in text
        for write in (pickle.dumps, json.dumps, copy.deepcopy):
            with pytest.raises(TypeError) as caught:
                write(value)
            assert SECRET not in str(caught.value)


def test_the_committed_notebooks_hold_no_token() -> None:
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert_clean(notebook.read_text("utf-8"), notebook.name)
