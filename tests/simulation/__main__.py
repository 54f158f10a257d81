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
    from tests.simulation.play import Play  # once the fault is planted
    from tests.simulation.world import World

    world, began, number = World(), time.perf_counter(), 0
    if asked.seed is not None:
        played = Play(world, asked.seed).play()
        sys.stdout.write("\n".join([*played.trace, *played.broken, ""]))
        return bool(played.broken)
    for seed in range(asked.seeds):
        if broken := Play(world, seed).play().broken:
            number += 1
            sys.stdout.write(f"{seed}: {'; '.join(broken)}\n")
            if asked.planted:
                break
    took = time.perf_counter() - began
    sys.stdout.write(f"{asked.seeds:,} schedules in {took:.1f} s, {number:,} broken\n")
    return bool(number)


if __name__ == "__main__":
    sys.exit(main())
