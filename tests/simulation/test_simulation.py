"""Whatever a schedule brings: the rows and the verdict are true, or an error says
why.
"""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.simulation.planted import PLANTED
from tests.simulation.play import Play, broken_by
from tests.simulation.world import World

SEEDS = 100  # in CI 5,000
UNTIL_FOUND = "300"


def told(*arguments: str) -> tuple[str, int]:
    """What a program of its own tells, and how it ends."""
    command = [sys.executable, "-m", "tests.simulation", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert not done.stderr
    return done.stdout, done.returncode


def test_no_schedule_breaks_the_property() -> None:
    assert not dict(broken_by(range(SEEDS))), (
        "tell one with: python -m tests.simulation SEED"
    )


@pytest.mark.parametrize("seed", [9, 24])
def test_a_seed_is_told_again_byte_for_byte(seed: int) -> None:
    play = Play(World(), seed)
    assert play.play() == []
    assert told(str(seed)) == ("\n".join([*play.schedule.trace, ""]), 0)
    assert len(play.schedule.trace) > 5


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_has_its_place(name: str) -> None:
    assert PLANTED[name].new in PLANTED[name].source()


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    said, status = told("--planted", name, "--seeds", UNTIL_FOUND)
    assert (status, said.count("\n")) == (1, 2)
