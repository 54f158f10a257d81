"""`python -m ventureframe` is the command line."""

import sys

from ventureframe.cli import main

if __name__ == "__main__":
    sys.exit(main())
