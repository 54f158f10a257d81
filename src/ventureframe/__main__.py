"""The command line, as `python -m ventureframe`."""

import sys

from ventureframe.cli import main

sys.exit(main())
