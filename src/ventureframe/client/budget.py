"""Bounds what requests take together: their number, and the credits of their rows.

A request that can cost more than remains asks for fewer rows, or is not sent.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Lock

from ventureframe.errors import EnoughSent, VentureframeError
from ventureframe.interface.reply import Reply


@dataclass
class Budget:
    """The requests and credits that remain to all threads of a fetch or a study."""

    requests: float = math.inf
    credits: float = math.inf
    error: type[VentureframeError] = EnoughSent  # at its end
    _under_way: int = 0  # requests whose cost is not known yet
    _next: Lock = field(default_factory=Lock)  # held by the first that waits
    _changed: Condition = field(default_factory=Condition)

    def send(
        self,
        ask: Callable[[], Reply],
        parameters: dict[str, str],
        rows: int,
        price: float,
    ) -> Reply:
        """Return the reply to a request of so many rows, or of those that remain.

        In that case the `limit` of its parameters is changed.
        A service that does not report what it billed is taken to bill `price` a row.
        Raises its `error` where nothing may be sent.
        """
        most, allowed, billed = price * rows, rows, 0.0
        with self._next, self._changed:
            while self._under_way and most > self.credits:
                self._changed.wait()  # for the cost of those under way
            if most > self.credits:
                allowed = int(self.credits // price)
            if self.requests < 1:
                raise self.error("at_most= is reached: allow more requests")
            if allowed < 1:
                raise self.error("at_most_credits= is reached: allow more credits")
            self.requests -= 1
            self.credits -= price * allowed
            self._under_way += 1
        try:
            if allowed < rows:
                parameters["limit"] = str(min(allowed, int(parameters["limit"])))
            reply = ask()
            if reply.credits is not None:
                billed = reply.credits
            elif price:
                number = len(reply.rows()) if rows > 1 else 1
                billed = price * number
            return reply
        finally:
            with self._changed:
                self.credits += price * allowed - billed
                self._under_way -= 1
                self._changed.notify()
