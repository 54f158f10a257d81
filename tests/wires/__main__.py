"""Change wires by seeds and say what came of it: `python -m tests.wires --seeds 300`."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from tests.fake import start_on
from tests.faults import connected
from tests.wires.judge import DATASET, SUBJECTS, Outcome, Seen, ask, judged
from tests.wires.mutations import EACH, Mutation, drawn
from tests.wires.proxy import Proxy, proxied
from ventureframe.client.retry import Retries
from ventureframe.client.service import Service
from ventureframe.interface.wire.generations import named
from ventureframe_service.run import Running

KINDS = {"entity": ("university", "investor"), "tag-values": ("tags",)}
"""The shapes of a route that go by another name."""
WIRES = ("interface", "2026-10-02")


@dataclass(frozen=True)
class Case:
    """What came of one seed for one subject."""

    seed: int
    wire: str
    subject: str
    mutation: Mutation
    outcome: Outcome
    what: str
    asked: int

    def __str__(self) -> str:
        head = f"{self.seed:4} {self.wire:10} {self.subject:9} {self.outcome:8}"
        return f"{head} {self.mutation} ({self.asked} requests) {self.what[:700]}"


class World:
    """A service of one wire behind a proxy, and what its subjects give unchanged."""

    def __init__(self, wire: str, proxy: Proxy, running: Running) -> None:
        self.wire, self.proxy, self._running = wire, proxy, running
        self.truth, self.routes = dict[str, Seen](), dict[str, set[str]]()
        for subject in SUBJECTS:
            before = {route: set(paths) for route, paths in proxy.replies.items()}
            proxy.replies = {}
            self.truth[subject] = self.ask(subject)
            if self.truth[subject].error is not None:
                raise AssertionError(subject) from self.truth[subject].error
            self.routes[subject] = set(proxy.replies)
            for route, paths in before.items():
                proxy.replies.setdefault(route, set()).update(paths)

    @contextmanager
    def connect(self) -> Iterator[Service]:
        """A new client of the service."""
        own: dict[str, Any] = {
            "profile": named(self.wire),
            "retries": Retries(attempts=2),
        }
        with connected(
            self._running, currency="USD", sleep=lambda _: None, **own
        ) as service:
            yield service

    def ask(self, subject: str) -> Seen:
        """What a subject gives under the proxy's mutation."""
        self.proxy.asked = 0
        with self.connect() as service:
            return replace(ask(subject, service), requests=self.proxy.asked)

    def cases(self, seeds: Iterable[int]) -> Iterator[Case]:
        """What came of each seed: for one fetch and one study that ask the route."""
        for seed in seeds:
            mutation = drawn(
                seed, self.proxy.replies, self.proxy.queries, self.proxy.paths
            )
            yield from self.of(mutation, self._subjects(mutation.route), seed)

    def of(
        self, mutation: Mutation, subjects: Iterable[str] = SUBJECTS, seed: int = -1
    ) -> Iterator[Case]:
        """What came of a mutation, for those of the subjects that ask its route."""
        self.proxy.mutation = mutation
        for subject in subjects:
            if mutation.route not in self.routes[subject]:
                continue
            seen = self.ask(subject)
            outcome, what = judged(
                mutation, self.truth[subject], seen, self._fields(mutation)
            )
            yield Case(seed, self.wire, subject, mutation, outcome, what, seen.requests)
        self.proxy.mutation = None

    def _fields(self, mutation: Mutation) -> Iterator[str]:
        """The fields of the interface that the member of a mutation is read for."""
        names = [name for name in mutation.path[1:] if name != EACH]
        if mutation.path[0] != "data" or not names:
            return
        shapes = named(self.wire).shapes
        for route in KINDS.get(mutation.route, (mutation.route,)):
            if route in shapes:
                yield from shapes[route].reads(".".join(names))

    def _subjects(self, route: str) -> list[str]:
        asking = [name for name in SUBJECTS if route in self.routes[name]]
        fetches = [name for name in asking if name in tuple(SUBJECTS)[:4]]
        studies = [name for name in asking if name not in fetches]
        return [*fetches[:1], *studies[:1]]


@contextmanager
def world(wire: str) -> Iterator[World]:
    """A world of this wire, over the sample."""
    with (
        start_on(wire, DATASET) as running,
        proxied(running.base_url, named(wire).paths) as (proxy, address),
    ):
        yield World(wire, proxy, replace(running, base_url=address))


def main() -> int:
    """Print every case that is not well, and how many came out how; 1 where one is
    silent.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--seed", type=int, help="this one alone, told in full")
    parser.add_argument("--wire", choices=WIRES)
    parser.add_argument("--all", action="store_true", help="tell every case")
    options = parser.parse_args()
    outcomes = Counter[str]()
    for wire in WIRES if options.wire is None else (options.wire,):
        one = options.seed
        seeds = range(options.seeds) if one is None else range(one, one + 1)
        with world(wire) as each:
            for case in each.cases(seeds):
                outcomes[case.outcome] += 1
                if (
                    options.all
                    or one is not None
                    or case.outcome in ("silent", "raw", "unnamed")
                ):
                    print(case, flush=True)  # noqa: T201  # the answer
    print(dict(outcomes))  # noqa: T201
    return 1 if outcomes["silent"] or outcomes["raw"] else 0


if __name__ == "__main__":
    sys.exit(main())
