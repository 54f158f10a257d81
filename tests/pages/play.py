"""Makes the studies of many seeds and checks their pages; some seeds share a world."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final, Self

from tests.fake import connected_on
from tests.pages import page
from tests.pages.check import Findings, examined
from tests.pages.questions import KINDS, Places, Question, ask, study
from tests.pages.worlds import World

OF_A_WORLD: Final = 4 * len(KINDS)
"""How many seeds in a row ask about one world."""
UNREAD: Final = 0.05
"""The share of sentences that no pattern has to read, at most."""
_SHOWN: Final = 40


@dataclass
class Tally:
    """What is wrong by seed, and how many sentences were read."""

    wrong: dict[int, list[str]] = field(default_factory=dict)
    studies: int = 0
    sentences: int = 0
    unparsed: int = 0

    def add(self, seed: int, found: Findings) -> None:
        """Add the findings of one page."""
        self.studies += 1
        self.sentences += found.sentences
        self.unparsed += found.unparsed
        if found.complaints:
            self.wrong[seed] = found.complaints

    def __iadd__(self, other: "Tally") -> Self:
        self.wrong |= other.wrong
        self.studies += other.studies
        self.sentences += other.sentences
        self.unparsed += other.unparsed
        return self

    @property
    def is_true(self) -> bool:
        """Whether no page says anything untrue, and few sentences were not read."""
        return not self.wrong and self.unparsed <= UNREAD * self.sentences

    def told(self, seconds: float) -> str:
        """The first complaints, and the numbers."""
        lines = list[str]()
        for seed in sorted(self.wrong)[:_SHOWN]:
            lines += [f"{seed}: {each}" for each in self.wrong[seed]]
        unread = self.unparsed / max(self.sentences, 1)
        lines.append(
            f"{self.studies:,} studies in {seconds:.0f} s, {len(self.wrong):,} with an"
            f" untrue sentence; {self.sentences:,} sentences, {unread:.1%} not parsed"
        )
        return "\n".join([*lines, ""])


def play(share: tuple[int, int, int, str | None]) -> Tally:
    """Check the worlds of one core: of so many studies every so many-th world."""
    first, studies, step, kind = share
    tally = Tally()
    for number in range(first, -(-studies // OF_A_WORLD), step):
        seeds = range(number * OF_A_WORLD, min((number + 1) * OF_A_WORLD, studies))
        for seed, world, question, shown in pages(list(seeds), kind):
            tally.add(seed, examined(shown, world, question))
    return tally


def pages(
    seeds: list[int], kind: str | None = None
) -> Iterator[tuple[int, World, Question, page.Page]]:
    """The page of each of these seeds, all of one world."""
    world = World.of(seeds[0] // OF_A_WORLD)
    with ExitStack() as stack:
        earlier, later = stack.enter_context(world.folders())
        before, now = (
            stack.enter_context(connected_on("interface", folder))
            for folder in (earlier, later)
        )
        places = Places(now, before, later)
        for seed in seeds:
            question = ask(seed, world)
            if kind in (None, question.kind):
                yield seed, world, question, page.read(study(world, question, places))


def printed(seed: int) -> tuple[str, bool]:
    """A page as text, and what is wrong on it."""
    ((_, world, question, shown),) = pages([seed])
    complaints = examined(shown, world, question).complaints
    lines = [f"{question.kind}: {dict(question.subject)} {question.conditions}"]
    lines += [f"{place}: {text}" for place, text in shown.sentences]
    for table in shown.tables:
        lines += ["", table.name, *map(" | ".join, [table.headings, *table.shown])]
    lines += ["", *(complaints or ["Nothing is wrong."]), ""]
    return "\n".join(lines), bool(complaints)
