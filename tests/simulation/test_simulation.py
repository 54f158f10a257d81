"""Whatever a schedule brings, the answer is true: the rows and the verdict, or an error says why."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.simulation.planted import PLANTED
from tests.simulation.play import Play
from tests.simulation.world import World

SEEDS = 300


def told(*arguments: str) -> tuple[str, int]:
    """What a program of its own tells, and how it ends."""
    command = [sys.executable, "-m", "tests.simulation", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert not done.stderr
    return done.stdout, done.returncode


def test_no_schedule_breaks_the_property() -> None:
    world = World()
    broken = {seed: found for seed in range(SEEDS) if (found := Play(world, seed).play().broken)}
    assert not broken, "tell one with: python -m tests.simulation SEED"


@pytest.mark.parametrize("seed", [7, 24])
def test_a_seed_is_told_again_byte_for_byte(seed: int) -> None:
    trace = Play(World(), seed).play().trace
    assert told(str(seed)) == ("\n".join([*trace, ""]), 0)
    assert len(trace) > 5


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_has_its_place(name: str) -> None:
    change = PLANTED[name]
    found = find_spec(change.module)
    assert found is not None
    assert found.origin is not None
    assert Path(found.origin).read_text("utf-8").count(change.old) == 1
    assert change.new != change.old


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str) -> None:
    said, status = told("--planted", name, "--seeds", str(SEEDS))
    assert (status, said.count("\n")) == (1, 2)
