"""`python -m ventureframe.report FOLDER|NOTEBOOK …` runs notebooks and keeps their outputs."""

import sys
from pathlib import Path

from ventureframe.report import refresh

for name in map(Path, sys.argv[1:]):
    for notebook in sorted(name.glob("*.ipynb")) if name.is_dir() else [name]:
        refresh(notebook)
