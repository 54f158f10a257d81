"""`python -m tests.fake` serves the sample, or a dataset folder, in the newer wire."""

import argparse
import threading

from tests.fake.service import serving
from ventureframe_service.dataset import Dataset, sample


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fake", description=__doc__)
    parser.add_argument("--data", metavar="DIR", help="by default the sample")
    parser.add_argument("--tier", choices=("free", "premium"), default="premium")
    options = parser.parse_args()
    dataset = Dataset.open(options.data) if options.data else sample()
    with serving(dataset, tier=options.tier) as environment:
        for name, value in environment.items():
            print(f"export {name}={value}", flush=True)  # noqa: T201
        threading.Event().wait()


if __name__ == "__main__":
    main()
