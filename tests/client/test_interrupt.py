"""An interrupt from the keyboard ends a fetch with the rows that were received."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from tests.client.stand_in import Answer, Asked, StandIn, collection, company
from ventureframe.client.service import Service
from ventureframe.errors import EvidenceWarning

COMPANIES = [company(number) for number in range(4000)]


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
