"""Marked secrets go in; every repr, log, error, file and saved state is searched for them."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import logging
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import ipywidgets
import pytest

import ventureframe as vf
from tests.conftest import ROOT
from ventureframe import report
from ventureframe.client.service import Service
from ventureframe.embedded.run import Running, start
from ventureframe.embedded.sample.sample import sample
from ventureframe.embedded.settings import Settings
from ventureframe.errors import VentureframeError

SECRET = "m4rked/s3cret+value=&?"
CLIENT_ID = "marked-client"
WRONG = "m4rked/wr0ng+value=&?"
NAME, DOMAIN = "Harrowmere University", "harrowmere.example"
UNIVERSITY = {"university": NAME, "domain": DOMAIN}
QUESTION = vf.spinouts.Question(university=NAME, domain=DOMAIN, currency="EUR")
TOKEN = re.compile(r"eyJ[\w-]{8,}\.[\w-]{8,}")


def forms(secret: str) -> set[str]:
    """The ways in which a secret can be written down."""
    pair = f"{quote(CLIENT_ID, safe='')}:{quote(secret, safe='')}"
    encoded = [base64.b64encode(text.encode()).decode() for text in (secret, pair)]
    return {secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1], *encoded}


def assert_clean(text: str, where: str) -> None:
    for secret in (SECRET, WRONG):
        for form in forms(secret):
            assert form not in text, f"a secret is in {where}"
    assert not TOKEN.search(text), f"an access token is in {where}"


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with start(
        sample(companies=300), Settings(client_id=CLIENT_ID, client_secret=SECRET)
    ) as service:
        yield service


@pytest.fixture
def live(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an analyst with a key."""
    settings = {
        "VENTUREFRAME_BASE_URL": running.base_url,
        "VENTUREFRAME_AUTH_URL": running.auth_url,
        "VENTUREFRAME_CLIENT_ID": CLIENT_ID,
        "VENTUREFRAME_CLIENT_SECRET": SECRET,
        "VENTUREFRAME_USER_AGENT": "ventureframe tests",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


def shown(error: BaseException) -> Iterator[str]:
    """All that a debugger or IPython's verbose mode shows of an error: every local's repr.

    Without the test's own frame, whose variables are the secrets put in.
    """
    seen: BaseException | None = error
    while seen is not None:
        yield f"{seen!r} {seen} {vars(seen)}"
        for frame, _ in list(traceback.walk_tb(seen.__traceback__))[seen is error :]:
            for value in frame.f_locals.values():
                with contextlib.suppress(AttributeError):  # an object whose making has failed
                    yield repr(value)
        seen = seen.__cause__ or seen.__context__


FAILURES: dict[str, tuple[dict[str, str], Callable[[Service], object]]] = {
    "a wrong secret": ({"CLIENT_SECRET": WRONG}, lambda svc: svc.companies.count()),
    "a wrong host": ({"BASE_URL": "http://127.0.0.1:9"}, lambda svc: svc.companies.count()),
    "a wrong token host": ({"AUTH_URL": "http://127.0.0.1:9"}, lambda svc: svc.companies.count()),
    "another client": ({"CLIENT_ID": "somebody"}, lambda svc: svc.companies.count()),
    "an unknown university": ({}, lambda svc: svc.university("Nowhere", domain="no.example")),
    "an unknown tag": ({}, lambda svc: svc.tag("Nothing", type="sector")),
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
    for text in shown(caught.value):
        assert_clean(text, "the error, its causes or their frames")
    assert_clean(caplog.text, "the log")
    assert_clean("".join(capfd.readouterr()), "the output")


@pytest.mark.usefixtures("live")
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("BASE_URL", f"http://x:{WRONG}@host"),
        ("AUTH_URL", f"http://{quote(WRONG, safe='')}:x@host"),
        ("USER_AGENT", f"{WRONG}\n{WRONG}"),
        ("CLIENT_ID", f"{WRONG}\n"),
    ],
)
def test_a_secret_put_into_the_wrong_setting_is_not_quoted(
    setting: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"VENTUREFRAME_{setting}", value)
    with pytest.raises(VentureframeError) as caught:
        vf.connect().companies.count()
    assert_clean(str(caught.value), "the message")


@pytest.mark.usefixtures("live")
def test_no_value_on_the_way_shows_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), contextlib.closing(vf.connect()) as svc:
        uni = svc.university(NAME, domain=DOMAIN)
        study = vf.spinouts.study(svc, university=uni, currency="EUR")
        chosen = vf.form(svc, QUESTION)
        ours = [o for o in gc.get_objects() if str(type(o).__module__).startswith("ventureframe.")]
        assert len(ours) > 20, "the objects of a whole study are there to be searched"
        for thing in (*ours, svc, study, *study.fetched, chosen):
            if type(thing).__name__ == "Running":
                continue
            assert_clean(repr(thing), f"the repr of a {type(thing).__name__}")
            drawn = getattr(thing, "_repr_html_", None)
            assert_clean(drawn() if callable(drawn) else "", f"a {type(thing).__name__} as HTML")
        assert_clean(repr(study.provenance), "the provenance")
    assert_clean(caplog.text, "the log")


@pytest.mark.usefixtures("live")
def test_a_panel_leaves_no_secret_in_the_widget_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)  # IPython warns of another one than its own
    with contextlib.closing(vf.connect()) as svc:
        vf.form(svc, QUESTION)._ipython_display_()
    state = json.dumps(ipywidgets.Widget.get_manager_state())
    assert "Harrowmere" in state, "the panel's state is there to be searched"
    assert_clean(state, "the widget state")


@pytest.mark.usefixtures("live")
def test_reports_hold_no_secret_and_neither_does_a_failed_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = report.build("01_university_spinouts", out=tmp_path / "live.html", parameters=UNIVERSITY)
    assert "Harrowmere University" in made.read_text("utf-8")
    assert_clean(made.read_text("utf-8"), "the report")
    command = [sys.executable, "-m", "ventureframe.cli", "report", "01_university_spinouts"]
    failing = subprocess.run(
        [*command, "--set", "university=Nowhere", "--out", str(tmp_path / "none.html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert failing.returncode == 1
    assert "Nowhere" in failing.stderr
    assert_clean(failing.stdout + failing.stderr, "the command's output")
    assert [file.name for file in tmp_path.iterdir()] == ["live.html"]
    assert_clean("".join(capfd.readouterr()), "the output")


def test_the_committed_notebooks_hold_no_token() -> None:
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert_clean(notebook.read_text("utf-8"), notebook.name)
