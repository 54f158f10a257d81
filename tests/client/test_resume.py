"""A fetch that was ended goes on where it was: the same rows, and no page asked for
twice.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.stand_in import Answer, Asked, Connect, StandIn, collection, company
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning, UnsupportedValue
from ventureframe.interface.filters import company as where

COMPANIES = [company(number) for number in range(4000)]

PROGRAM = """
import sys
from ventureframe.client.auth import Credentials
from ventureframe.client.service import Service
from ventureframe.client.session import Session

base_url, auth_url, folder, workers = sys.argv[1:]
session = Session(
    base_url=base_url, auth_url=auth_url, credentials=Credentials("client-7", "x"), user_agent="t/1"
)
Service(session).companies.sort("name").fetch(folder=folder, workers=int(workers))
"""


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("after", [pytest.param(1, marks=pytest.mark.slow), 4, 7])
def test_a_killed_fetch_goes_on_where_it_was(
    stand_in: StandIn, connect: Connect, tmp_path: Path, after: int, workers: int
) -> None:
    served, reached = collection(COMPANIES), threading.Event()

    def kill_when_reached(asked: Asked) -> Answer:
        if len(stand_in.data_asked) > after:
            reached.set()
            return Answer(close=True)
        return served(asked)

    stand_in.data = kill_when_reached
    command = [sys.executable, "-c", PROGRAM, stand_in.base_url, stand_in.auth_url]
    with subprocess.Popen([*command, str(tmp_path), str(workers)]) as killed:
        assert reached.wait(30)
        killed.send_signal(signal.SIGKILL)
    kept = len(list(tmp_path.glob("*.reply")))
    assert 0 < kept <= after
    stand_in.asked.clear()
    stand_in.data = served
    query = Service(connect()).companies.sort("name")
    resumed = query.fetch(folder=tmp_path, workers=workers)
    assert len(stand_in.data_asked) == 9 - kept
    assert resumed.to_polars().equals(query.fetch().to_polars())
    assert resumed.is_complete
    stand_in.asked.clear()
    assert query.fetch(folder=tmp_path).to_polars().equals(resumed.to_polars())
    assert stand_in.asked == [], "a finished fetch is read from its folder"


def test_a_folder_belongs_to_one_question(
    stand_in: StandIn, service: Service, tmp_path: Path
) -> None:
    stand_in.data = collection(COMPANIES[:3])
    service.companies.fetch(folder=tmp_path / "pages")
    other = service.companies.where(where.launch_date >= 2005).currency("EUR")
    with pytest.raises(
        UnsupportedValue, match=r"differs in filter and currency: give a new"
    ):
        other.fetch(folder=tmp_path / "pages")
    with pytest.raises(UnsupportedValue, match="has other files in it"):
        service.companies.fetch(folder=tmp_path)
    (tmp_path / "pages" / "question.json").write_text("[]")
    with pytest.raises(UnsupportedValue, match=r"question\.json that cannot be read"):
        service.companies.fetch(folder=tmp_path / "pages")


@pytest.fixture
def keyboard() -> Iterator[None]:
    """Interrupts reach Python, also where the parent process ignores them (`nohup`,
    `&`).
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_from_the_keyboard_keeps_what_came(
    stand_in: StandIn, service: Service
) -> None:
    served = collection(COMPANIES)

    def interrupt(asked: Asked) -> Answer:
        if len(stand_in.data_asked) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            return Answer(served(asked).body, wait=threading.Event())
        return served(asked)

    stand_in.data = interrupt
    with pytest.warns(EvidenceWarning, match="only the rows received so far"):
        result = service.companies.fetch()
    assert len(result) == 500 + 2 * 499
    assert not result.is_complete
    assert "short" in repr(result)


@pytest.mark.parametrize("none", ["x" * 5000, "a\0b", "\ud800", "a file", "a file/x"])
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_sent(
    stand_in: StandIn, connect: Connect, tmp_path: Path, none: str
) -> None:
    (tmp_path / "a file").touch()
    with pytest.raises(UnsupportedValue, match="it cannot be made: give a new folder"):
        Service(connect()).companies.fetch(folder=f"{tmp_path}/{none}")
    assert stand_in.asked == []
