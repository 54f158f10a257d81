"""Checks generated studies: `python -m tests.pages --studies 2000`; `--seed 17` prints
one page with what is wrong on it.
"""

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor


def main() -> int:
    """Check what is asked for; 1 where a page says something untrue."""
    parser = argparse.ArgumentParser(prog="python -m tests.pages", description=__doc__)
    parser.add_argument("--seed", type=int, help="the study to print")
    parser.add_argument("--studies", type=int, default=100, help="how many to check")
    parser.add_argument("--kind", help="of this kind of study alone")
    asked = parser.parse_args()
    # frames of few rows, one process a core
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    from tests.pages.play import Tally, play, printed

    if asked.seed is not None:
        text, is_wrong = printed(asked.seed)
        sys.stdout.write(text)
        return is_wrong
    began, cores = time.perf_counter(), os.cpu_count() or 1
    shares = [(core, asked.studies, cores, asked.kind) for core in range(cores)]
    tally = Tally()
    with ProcessPoolExecutor(cores, multiprocessing.get_context("spawn")) as pool:
        for each in pool.map(play, shares):
            tally += each
    sys.stdout.write(tally.told(time.perf_counter() - began))
    return not tally.is_true


if __name__ == "__main__":
    sys.exit(main())
