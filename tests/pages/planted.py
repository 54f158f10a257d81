"""Plants errors in what the pages say (`planted.txt`), and says which the check finds:
`python -m tests.pages.planted`; `R4 hiring` plants those whose titles begin so.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Final

from tests.planted import read

PLANTED: Final = read(Path(__file__).with_suffix(".txt"))
STUDIES: Final = 200
"""How many studies of the question are looked at, at most."""


def found(title: str) -> str:
    """The first complaint where the error is planted; nothing where there is none."""
    PLANTED[title].plant()
    return next(_complaints(title.partition(":")[0].split()[1]), "")


def _complaints(question: str) -> Iterator[str]:
    # once the error is planted
    from tests.pages.check import examined
    from tests.pages.play import OF_A_WORLD, pages
    from tests.pages.questions import KINDS

    kind = question if question in KINDS else None
    studies = STUDIES * len(KINDS)
    for first in range(0, studies, OF_A_WORLD):
        seeds = list(range(first, min(first + OF_A_WORLD, studies)))
        for seed, world, asked, page in pages(seeds, kind):
            complaints = examined(page, world, asked).complaints
            yield from (f"{seed}: {each}" for each in complaints)


def main() -> int:
    """Plant what is asked for; 1 where one is not found."""
    parser = argparse.ArgumentParser(prog="tests.pages.planted", description=__doc__)
    parser.add_argument("title", nargs="?", default="", help="how the titles begin")
    parser.add_argument("--some", type=int, help="so many, others for each changelog")
    asked = parser.parse_args()
    titles = [title for title in PLANTED if title.startswith(asked.title)]
    if asked.some is not None:
        changes = Path(__file__).parents[2] / "CHANGELOG.md"
        titles = Random(changes.read_bytes()).sample(titles, asked.some)
    # frames of few rows, one process a core, and a new one for each error
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["polars", "numpy", "uvicorn", "requests"])
    missed = 0
    with ProcessPoolExecutor(os.cpu_count(), context, max_tasks_per_child=1) as pool:
        for title, complaint in zip(titles, pool.map(found, titles), strict=True):
            missed += not complaint
            sys.stdout.write(f"{title}\n  {complaint or 'NOT FOUND'}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(titles)} planted, {missed} not found\n")
    return missed > 0


if __name__ == "__main__":
    sys.exit(main())
