"""Plays schedules: `python -m tests.simulation SEED` tells one, `--seeds 20000` counts."""

import argparse
import sys
import time

from tests.simulation.planted import PLANTED, plant


def main() -> int:
    """Play what is asked for; 1 where the property is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("seed", type=int, nargs="?", help="the schedule to tell line by line")
    parser.add_argument("--seeds", type=int, default=300, help="how many to play")
    parser.add_argument("--planted", choices=PLANTED, help="a fault to look for, and stop at")
    asked = parser.parse_args()
    if asked.planted:
        plant(asked.planted)
    from tests.simulation.play import Play, broken_by  # once the fault is planted
    from tests.simulation.world import World

    if asked.seed is not None:
        play = Play(World(), asked.seed)
        broken = play.play()
        sys.stdout.write("\n".join([*play.schedule.trace, *broken, ""]))
        return bool(broken)
    began, number = time.perf_counter(), 0
    for seed, broken in broken_by(range(asked.seeds)):
        number += 1
        sys.stdout.write(f"{seed}: {'; '.join(broken)}\n")
        if asked.planted:
            break
    took = time.perf_counter() - began
    sys.stdout.write(f"{asked.seeds:,} schedules in {took:.1f} s, {number:,} broken\n")
    return bool(number)


if __name__ == "__main__":
    sys.exit(main())
