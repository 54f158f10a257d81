"""Plays schedules: `python -m tests.simulation SEED` tells one, `--seeds 20000`
counts.
"""

import argparse
import itertools
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.planted import PLANTED


def main() -> int:
    """Play what is asked for; 1 where the property is broken."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation", description=__doc__
    )
    parser.add_argument(
        "seed", type=int, nargs="?", help="the schedule to tell line by line"
    )
    parser.add_argument("--seeds", type=int, default=300, help="how many to play")
    parser.add_argument(
        "--planted", choices=PLANTED, help="a fault to look for, and stop at"
    )
    asked = parser.parse_args()
    if asked.planted:
        PLANTED[asked.planted].plant()
    # once the fault is planted
    from tests.simulation.play import Play, all_broken_by, broken_by
    from tests.simulation.world import World

    if asked.seed is not None:
        play = Play(World(), asked.seed)
        broken = play.play()
        sys.stdout.write("\n".join([*play.schedule.trace, *broken, ""]))
        return bool(broken)
    began, cores = time.perf_counter(), os.cpu_count() or 1
    if asked.planted:
        found = dict(itertools.islice(broken_by(range(asked.seeds)), 1))
    else:
        # frames of few rows, one process a core
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        shares = [range(core, asked.seeds, cores) for core in range(cores)]
        with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
            found = {
                seed: broken
                for each in pool.map(all_broken_by, shares)
                for seed, broken in each
            }
    told = [f"{seed}: {'; '.join(found[seed])}\n" for seed in sorted(found)]
    took = time.perf_counter() - began
    told.append(f"{asked.seeds:,} schedules in {took:.1f} s, {len(found):,} broken\n")
    sys.stdout.writelines(told)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
