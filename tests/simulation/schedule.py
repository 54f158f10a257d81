"""Who goes next, decided by a seed: time that only sleeping moves, and threads that are
none.

A task of a pool runs to its end on the stack of whoever waits: where a request is
sent, where somebody sleeps, or where a result is waited for. Kills and interrupts
come at the same points.
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from random import Random
from threading import Event
from typing import Any

_DEEPEST = 6  # tasks that are begun within each other
_AT_ONCE = 4_000  # steps of a schedule, which no fetch of this world takes


class Killed(BaseException):
    """The process is gone: nothing catches it, and nothing is sent or written after
    it.
    """


class Endless(BaseException):
    """A fetch goes on without an end."""


class Task(Future[Any]):
    """What a pool is to do."""

    def __init__(self, pool: "Pool", work: Callable[[], Any]) -> None:
        super().__init__()
        self.pool, self.work = pool, work

    # as the base has it
    def result(self, timeout: float | None = None) -> Any:  # noqa: ARG002
        self.pool.schedule.wait(self)
        return super().result(0)


class Pool(Executor):
    """So many workers, which begin tasks in their order, when the schedule says."""

    def __init__(self, schedule: "Schedule", workers: int) -> None:
        self.schedule, self.free, self.is_closed = schedule, workers, False
        self.waiting = deque[Task]()
        schedule.pools.append(self)

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Task:
        if self.is_closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        task = Task(self, partial(work, *args, **named))
        self.waiting.append(task)
        self.schedule.point("submit")
        return task

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.is_closed = True
        if cancel_futures or self.schedule.is_dead:
            for task in self.waiting:
                task.cancel()
            self.waiting.clear()
        while wait and self.waiting:
            self.schedule.run(self)


class Schedule:
    """Everything that is drawn, from a seed; `trace` tells what happened, line by
    line.
    """

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        # and what the client's clocks are off
        self.seconds, self.ahead, self.off = 0.0, 0.0, 0.0
        self.trace, self.pools = list[str](), list[Pool]()
        self.depth, self.steps, self.is_dead, self.is_held = 0, 0, False, False
        self.at = dict[int, list[Callable[[], None]]]()  # what happens at a step
        self.is_interrupted, self.interrupts, self.cancel = False, 0, Event()
        self.slept = 0.0  # the longest sleep in which it was cancelled
        self.stops_in_sleep = False
        # requests that may have been on their way when it was cancelled
        self.under_way = 0

    def begin(self) -> None:
        """Begin the life of a process."""
        self.pools.clear()
        self.cancel.clear()
        self.depth, self.is_dead, self.is_held, self.is_interrupted = (
            0,
            False,
            False,
            False,
        )

    def note(self, line: str) -> None:
        """Add a line to the trace."""
        self.trace.append(f"{self.seconds:10.3f} {'  ' * self.depth}{line}")

    def plan(self, step: int, what: Callable[[], None]) -> None:
        """Let something happen so many steps from now."""
        self.at.setdefault(self.steps + step, []).append(what)

    def kill(self) -> None:
        """End the process."""
        self.is_dead = True

    def stop(self) -> None:
        """Cancel the fetch."""
        self.under_way = self.depth + 1
        self.cancel.set()

    def interrupt(self) -> None:
        """Press Ctrl-C, which reaches the main thread."""
        self.is_interrupted = True

    def clock(self) -> float:
        """The client's monotonic clock."""
        return self.seconds + self.ahead

    def now(self) -> float:
        """The client's wall clock."""
        return 1_790_000_000.0 + self.seconds + self.ahead + self.off

    def pool(self, workers: int) -> Pool:
        """A pool for the client."""
        return Pool(self, workers)

    def sleep(self, seconds: float) -> None:
        """Wait, while others may go on."""
        until = self.seconds + seconds
        self.note(f"sleeps {seconds:.3f} s")
        self.point("sleep")
        if self.stops_in_sleep and seconds >= 1.0 and self.draw.random() < 0.3:
            self.stop()
        self.seconds = max(self.seconds, until)
        if self.cancel.is_set():
            self.slept = max(self.slept, seconds)

    def point(self, what: str) -> None:
        """Let others go on, or something happen; `what` the caller is about to do."""
        self.steps += 1
        if self.steps > _AT_ONCE:
            raise Endless(what)
        for happens in self.at.pop(self.steps, ()):
            happens()
        if self.is_dead:
            raise Killed
        if self.is_interrupted and not self.depth:
            self.is_interrupted, self.interrupts = False, self.interrupts + 1
            self.note("interrupted")
            raise KeyboardInterrupt
        while self.draw.random() < 0.4 and (pools := self.ready()):
            self.run(self.draw.choice(pools))

    def ready(self) -> list[Pool]:
        """The pools that can begin a task."""
        if self.is_held or self.depth >= _DEEPEST:
            return []
        return [pool for pool in self.pools if pool.waiting and pool.free]

    def run(self, pool: Pool) -> None:
        """Do the first task of a pool."""
        task = pool.waiting.popleft()
        if not task.set_running_or_notify_cancel():
            return
        pool.free, self.depth = pool.free - 1, self.depth + 1
        try:
            task.set_result(task.work())
        except Exception as error:
            task.set_exception(error)
        finally:
            pool.free, self.depth = pool.free + 1, self.depth - 1

    def wait(self, task: Task) -> None:
        """Let others go on until a task is done."""
        self.point("wait")
        while not task.done():
            if task.running() or not (task.pool.waiting and task.pool.free):
                raise RuntimeError("two tasks wait for each other")
            pools = self.ready() or [task.pool]
            self.run(self.draw.choice(pools) if self.draw.random() < 0.3 else task.pool)

    def left(self) -> list[str]:
        """What is still running."""
        tasks = sum(len(pool.waiting) for pool in self.pools)
        opened = sum(not pool.is_closed for pool in self.pools)
        found = {f"{tasks} tasks wait": tasks, f"{opened} pools are open": opened}
        return [what for what, number in found.items() if number]
