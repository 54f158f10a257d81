"""`python -m ventureframe_service --data DIR` serves a dataset folder."""

import sys

from ventureframe_service.command import main

if __name__ == "__main__":
    sys.exit(main())
