"""A `.env` beside the notebook completes the environment and is never mixed into it."""

import itertools
import os
import traceback
from pathlib import Path

import pytest

from ventureframe.connect import completed, connect
from ventureframe.errors import ConfigurationError

THEIRS = """
VENTUREFRAME_BASE_URL=https://theirs.example
VENTUREFRAME_AUTH_URL=https://theirs.example/token
VENTUREFRAME_CLIENT_ID=them
export VENTUREFRAME_CLIENT_SECRET='their secret'
VENTUREFRAME_AUDIENCE=theirs
VENTUREFRAME_DATA=theirs
VENTUREFRAME_CURRENCY=GBP
VENTUREFRAME_USER_AGENT=
HTTPS_PROXY=https://theirs.example
"""
TOGETHER = ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET", "AUDIENCE", "DATA")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder without a setting in the environment."""
    for name in [name for name in os.environ if name.startswith("VENTUREFRAME_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_with_nothing_set_the_file_gives_every_setting_of_this_package(
    folder: Path,
) -> None:
    (folder / ".env").write_text(THEIRS)
    found, is_used = completed({"HOME": "h"})
    assert is_used
    assert found.pop("HOME") == "h"
    assert found.pop("VENTUREFRAME_CLIENT_SECRET") == "their secret"
    assert sorted(found) == sorted(
        f"VENTUREFRAME_{name}"
        for name in (*TOGETHER, "CURRENCY")
        if name != "CLIENT_SECRET"
    )


def test_one_setting_of_the_environment_leaves_out_address_and_credentials_of_the_file(
    folder: Path,
) -> None:
    (folder / ".env").write_text(THEIRS)
    for name, value in itertools.product(TOGETHER, ("mine", "")):
        found, is_used = completed({f"VENTUREFRAME_{name}": value})
        assert is_used
        assert found == {f"VENTUREFRAME_{name}": value, "VENTUREFRAME_CURRENCY": "GBP"}


def test_the_environment_wins_over_the_file(folder: Path) -> None:
    (folder / ".env").write_text("VENTUREFRAME_CURRENCY=GBP\n")
    assert completed({"VENTUREFRAME_CURRENCY": "EUR"}) == (
        {"VENTUREFRAME_CURRENCY": "EUR"},
        False,
    )


def test_no_variable_of_the_environment_is_put_into_a_setting(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_SECRET", "hush")
    (folder / ".env").write_text(
        "VENTUREFRAME_BASE_URL=https://x.example/${OTHER_SECRET}\n"
    )
    assert "hush" not in completed(os.environ)[0]["VENTUREFRAME_BASE_URL"]


def test_connect_reads_the_file_and_says_so(folder: Path) -> None:
    (folder / ".env").write_text("VENTUREFRAME_CURRENCY=GBP\n")
    with connect() as svc:
        assert svc.connection.currency == "GBP"
        assert repr(svc).endswith(" · settings from .env")
    with connect(environment={}) as svc:
        assert "settings from" not in repr(svc)


def test_a_secret_of_the_environment_is_not_sent_to_an_address_of_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text(THEIRS)
    monkeypatch.setenv("VENTUREFRAME_CLIENT_SECRET", "mine")
    with pytest.raises(
        ConfigurationError, match="needs VENTUREFRAME_BASE_URL, VENTUREFRAME_AUTH"
    ):
        connect()


def test_no_variable_on_the_way_shows_a_secret_where_the_file_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENTUREFRAME_CLIENT_SECRET", "hush")
    (folder / ".env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="the notebook cannot be") as caught:
        connect()
    for frame, _ in list(traceback.walk_tb(caught.value.__traceback__))[1:]:
        assert "hush" not in repr(frame.f_locals.values())
