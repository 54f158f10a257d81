"""`python -m ventureframe_service --data DIR` serves a dataset folder."""

import sys

from ventureframe.cli import main

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
