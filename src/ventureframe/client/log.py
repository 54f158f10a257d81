"""What `logging.getLogger("ventureframe")` is told: each request, retry, wait and page.

A line names the path and the outcome, never a header, a body, a parameter or a token.

    import logging
    logging.basicConfig(level=logging.INFO)  # DEBUG adds each request and each page
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from ventureframe.client.transport import Answer, Call, Passing

_LOG: Final = logging.getLogger("ventureframe")


def attempts(send: Callable[[Call], Answer], call: Call) -> Callable[[], Answer]:
    """A function that sends the call; each attempt is a line, at INFO from the second one on."""
    count = 0

    def attempt() -> Answer:
        nonlocal count
        count += 1
        began, outcome = time.monotonic(), "no whole answer"
        try:
            answer = send(call)
            outcome = f"{answer.status}, {len(answer.body):,} bytes"
        except Passing as failure:
            if failure.answer is not None:
                outcome = f"{failure.answer.status}"
            raise
        else:
            return answer
        finally:
            level = logging.DEBUG if count == 1 else logging.INFO
            again = "" if count == 1 else f", attempt {count}"
            took = (time.monotonic() - began) * 1000
            _LOG.log(level, "%s%s: %s in %.0f ms", call, again, outcome, took)

    return attempt


def waits(seconds: float) -> None:
    """A request is repeated after so many seconds."""
    _LOG.info("waits %.2f s before the next attempt", seconds)


def page(rows: int, total: int | None) -> None:
    """A page of a collection has been read: so many rows so far, of the total."""
    _LOG.debug("page read: %d of %s rows", rows, "unknown" if total is None else total)
